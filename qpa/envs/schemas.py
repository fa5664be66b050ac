"""JSON Schema for values that cross an environment's door: arguments, declared results, a server's own schemas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAX_TEXT = 300  # characters of one finding: a validator quotes the whole value


class SchemaError(ValueError):
    """A schema that cannot be used; the message says why."""


class SchemaCheck:
    """One compiled schema. References resolve within it only: nothing is ever fetched.

    Raises:
      SchemaError: not a valid JSON Schema (2020-12, unless it names another draft).
      RuntimeError: the `jsonschema` package is missing.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        try:
            from jsonschema import exceptions, validators
            from referencing import Registry
        except ImportError:
            raise RuntimeError('declared schemas need the jsonschema package: pip install -e ".[mcp]"') from None
        if not isinstance(schema, Mapping):
            raise SchemaError(f"a schema must be an object, not {type(schema).__name__}")
        self._best_match = exceptions.best_match
        kind = validators.validator_for(schema, default=validators.Draft202012Validator)
        try:
            kind.check_schema(schema)
        except (exceptions.SchemaError, RecursionError) as e:
            raise SchemaError(_clip(getattr(e, "message", str(e)))) from None
        self._validator = kind(schema, registry=Registry())  # type: ignore[call-arg]

    def problem(self, value: Any) -> str:
        """The most telling reason why `value` does not follow the schema; "" if it does. Never raises."""
        try:
            error = self._best_match(self._validator.iter_errors(value))
        except Exception as e:  # a reference that leads nowhere, a pattern that is no pattern, endless nesting
            return _clip(f"the schema cannot be applied: {type(e).__name__}: {e}")
        if error is None:
            return ""
        where = "/".join(str(part) for part in error.absolute_path)
        return _clip(f"{where}: {error.message}" if where else error.message)


def object_schema(schema: Any) -> SchemaCheck:
    """The check of a tool's parameters; raises `SchemaError` unless they are a valid schema of an object."""
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        raise SchemaError('a tool\'s parameters must be a JSON Schema with "type": "object"')
    if not isinstance(schema.get("properties", {}), Mapping):
        raise SchemaError("`properties` must be an object")
    return SchemaCheck(schema)


def _clip(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else line[: _MAX_TEXT - 1] + "…"
