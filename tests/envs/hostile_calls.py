"""Odd but well-typed calls of a domain's tools: every action, filled with values nobody sane would give."""

from __future__ import annotations

import itertools
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
    """Argument sets: each combination of enum values with each odd filling, of all arguments and of the required."""
    properties = spec.parameters["properties"]
    enums = {name: schema["enum"] for name, schema in properties.items() if "enum" in schema}
    made = []
    for text, number in zip(TEXTS, NUMBERS, strict=True):
        fill = {"string": text, "integer": int(number), "number": number, "boolean": True, "array": [text, text]}
        for chosen in itertools.islice(itertools.product(*enums.values()), 24):
            full = {name: fill[schema["type"]] for name, schema in properties.items()}
            full |= dict(zip(enums, chosen, strict=True))
            made += [full, {name: full[name] for name in spec.parameters["required"]}]
    return made


def assert_survives(phone: Any, spec: ToolSpec) -> None:
    """No odd call breaks the tool, and what it refuses leaves no trace."""
    for arguments in hostile_calls(spec):
        before = phone.changes()
        feedback = phone.use(spec.name, **arguments)
        assert feedback.error_type is not ErrorType.INTERNAL, (arguments, feedback.payload)
        assert feedback.ok or phone.changes() == before, arguments
