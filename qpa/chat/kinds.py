"""JSON types by name: of a value, and those that a parameter's schema admits."""

from __future__ import annotations

from typing import Any

_NAMES: dict[type, str] = {
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def kind(value: Any) -> str:
    """The JSON type of a decoded value; integers are numbers."""
    return "null" if value is None else _NAMES[type(value)]


def kinds(schema: Any) -> set[str]:
    """The types that a schema names in `type`, `anyOf` or `oneOf`; empty for anything malformed."""
    if not isinstance(schema, dict):
        return set()
    named = schema.get("type")
    out = {k for k in (named if isinstance(named, list) else [named]) if isinstance(k, str)}
    for key in ("anyOf", "oneOf"):
        options = schema.get(key)
        for option in options if isinstance(options, list) else ():
            out |= kinds({"type": option.get("type")}) if isinstance(option, dict) else set()
    return out
