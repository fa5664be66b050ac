"""Odd but well-typed calls of a domain's tools: every action, filled with values nobody sane would give."""

from __future__ import annotations

from typing import Any

from qpa.contract import ErrorType, ToolSpec

TEXTS = (
    "x" * 2000,
    "'; DROP TABLE settings; --",
    "%_%",
    "名字 🙂",
    "٣",
    "1e999",
    "(" * 150,
    "9999-12-31",
    ",|/",
    "a@b",
)
NUMBERS = (0, -1, 10**9, -(10**9), 1, 7, 0.005, 1e-9, 3, 2)


def hostile_calls(spec: ToolSpec) -> list[dict[str, Any]]:
    """Argument sets: every enum value with every odd filling, of all arguments and of the required ones."""
    properties = spec.parameters["properties"]
    enums = {name: schema["enum"] for name, schema in properties.items() if "enum" in schema}
    made = []
    for text, number in zip(TEXTS, NUMBERS, strict=True):
        fill = {"string": text, "integer": int(number), "number": number, "boolean": True, "array": [text, text]}
        for turn in range(max(map(len, enums.values()), default=1)):
            full = {name: fill[schema["type"]] for name, schema in properties.items()}
            full |= {name: allowed[turn % len(allowed)] for name, allowed in enums.items()}
            made += [full, {name: full[name] for name in spec.parameters["required"]}]
    return made


def assert_survives(phone: Any, spec: ToolSpec) -> None:
    """No odd call breaks the tool, and what it refuses leaves no trace."""
    before = phone.changes()
    for arguments in hostile_calls(spec):
        feedback, after = phone.use(spec.name, **arguments), phone.changes()
        assert feedback.error_type is not ErrorType.INTERNAL, (arguments, feedback.payload)
        assert feedback.ok or after == before, arguments
        before = after
