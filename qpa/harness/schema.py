"""Checks arguments against the part of JSON Schema that tool signatures use, with answers a model can act on.

Supported: `type` (one or a list), `enum`, `const`, `required`, `properties`, `additionalProperties`, `items`, `anyOf`.
Other keywords (ranges, patterns, formats) are left to the tool, which knows its own values best.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_MAX_LISTED = 12  # names or values quoted in one message
_MAX_NAME = 40  # characters of one quoted name


def argument_errors(arguments: Any, schema: Mapping[str, Any]) -> list[str]:
    """Every reason why `arguments` do not follow `schema`; empty when they do. Never raises."""
    if not isinstance(arguments, Mapping):
        return [f"arguments must be an object, not {_kind(arguments)}"]
    return _object_errors(arguments, schema, "")


def _object_errors(value: Mapping[str, Any], schema: Mapping[str, Any], where: str) -> list[str]:
    properties = schema.get("properties") or {}
    errors = [f"missing required argument {where}{name}" for name in schema.get("required") or () if name not in value]
    extra = schema.get("additionalProperties", True)
    for name, item in value.items():
        if name in properties:
            errors += _errors(item, properties[name], f"{where}{name}")
        elif extra is False:
            errors.append(f"unknown argument {where}{clip(name)}; allowed: {listed(properties) or 'none'}")
        elif isinstance(extra, Mapping):
            errors += _errors(item, extra, f"{where}{name}")
    return errors


def _errors(value: Any, schema: Any, where: str) -> list[str]:
    if not isinstance(schema, Mapping):
        return []
    options = schema.get("anyOf")
    if isinstance(options, Sequence) and options and all(_errors(value, option, where) for option in options):
        return _errors(value, options[0], where)
    if "const" in schema and not _same(value, schema["const"]):
        return [f"{where} must be {schema['const']}"]
    types = schema.get("type")
    allowed = [types] if isinstance(types, str) else list(types or ())
    if allowed and not any(_is_type(value, name) for name in allowed):
        return [f"{where} must be {' or '.join(allowed)}, not {_kind(value)}"]
    choices = schema.get("enum")
    if isinstance(choices, Sequence) and not any(_same(value, choice) for choice in choices):
        return [f"{where} must be one of {listed(choices)}"]
    if isinstance(value, Mapping):
        return _object_errors(value, schema, f"{where}.")
    if isinstance(value, list) and "items" in schema:
        return [error for i, item in enumerate(value) for error in _errors(item, schema["items"], f"{where}[{i}]")]
    return []


def listed(values: Any) -> str:
    """Comma-separated values, cut after a dozen."""
    names = [clip(str(value)) for value in values]
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more


def clip(name: str) -> str:
    """A name that came from a model, short enough to be quoted."""
    return name if len(name) <= _MAX_NAME else name[: _MAX_NAME - 1] + "…"


def _is_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    match name:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        case "number":
            return isinstance(value, int | float)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
        case "null":
            return value is None
    return False


def _same(value: Any, other: Any) -> bool:
    # In Python True == 1; in JSON they differ.
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _kind(value: Any) -> str:
    for name in ("boolean", "string", "integer", "number", "array", "object", "null"):
        if _is_type(value, name):
            return name
    return type(value).__name__
