"""The typed tool decorator: a Python function becomes a `ToolSpec` and validated, callable code.

Writing a tool::

    from typing import Literal
    from qpa.contract import Effect, ToolKind
    from qpa.envs.sandbox.tool import ToolContext, bad, conflict, missing, ok, tool

    @tool(domain="Network & Connectivity", effect=Effect.REVERSIBLE, permission="BLUETOOTH_CONNECT")
    def pair_bluetooth_device(ctx: ToolContext, deviceName: str) -> dict[str, Any]:
        \"\"\"Pair with a Bluetooth device.\"\"\"
        if ctx.setting("bluetooth", "off") != "on":
            raise conflict("Bluetooth is off")
        ...
        return ok("Paired", device=deviceName)

* Argument names are the published camelCase ones; types are `str`, `int`, `float`, `bool`, `list[str]` or a
  `Literal` of strings; `X | None = None` (or any default) makes an argument optional. The first docstring line is
  the description. The decorated name is a `Tool`; calling it runs the function unchecked (tools may call tools).
* Before the function runs the session has checked the arguments (unknown, missing, type, enum, blank text) and the
  permission, so a tool checks only meaning: ranges, existence, duplicates, state.
* Refuse with `raise bad(..)` 400, `missing(..)` 404, `conflict(..)` 409 or `ToolError(ErrorType.X, ..)`; messages of
  at most 8 words. Whatever was written and whatever ids were taken are rolled back.
* Shortcuts: `need(value, "a time")` for arguments one action requires, `in_range(name, value, low, high)`,
  `single(rows, "alarm")` for the one matching row (404 none, 409 several).
* Return `ok(message, **data)`, or any other dict of JSON values for the published flat variants.
* `ctx.db` is the episode's database; helpers `ctx.rows / one / execute / insert / setting / set_setting`;
  `ctx.new_id("contact")` -> "contact_007"; `ctx.now` is the frozen clock; `qpa.envs.sandbox.times.resolve(text,
  ctx.now, kind)` reads time words. No wall clock, no global random numbers, no state outside `ctx`.
* A tool with ``kind=ToolKind.SUBAGENT`` or ``MEMORY`` is declared the same way. Skill loaders are not tools of a
  domain: the environment makes them from its `Skill` list (`qpa.envs.sandbox.loaders`).

Writing a domain: a module in `qpa/envs/sandbox/domains/` with ``DOMAIN = Domain(name, schema, tools, seed_rows)``
(`qpa.envs.sandbox.schema`), added to the tuple in `domains/__init__.py`. Tables are ``STRICT, WITHOUT ROWID`` with an
explicit PRIMARY KEY and defaults where a task's patch may leave a column out; switches are INTEGER 0/1 or settings
"on"/"off". ``seed_rows(rng, world)`` fills ``world.add(table, **row)`` using only ``rng`` and rows already there.
Core tables shared by all domains: `settings`, `files`, `apps`.
"""

from __future__ import annotations

import inspect
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qpa.contract import Effect, ToolKind, ToolSpec
from qpa.envs.sandbox.context import Row, ToolContext, ToolError, bad, conflict, in_range, missing, need, single

__all__ = [
    "Row",
    "Tool",
    "ToolContext",
    "ToolError",
    "bad",
    "conflict",
    "in_range",
    "missing",
    "need",
    "ok",
    "single",
    "tool",
    "validate",
]

MAX_TEXT = 2000  # characters of one text argument
MAX_NUMBER = 10**9  # magnitude of one number argument; keeps SQLite and datetime arithmetic far from overflow
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True)
class Tool:
    """A tool's public face and its code."""

    spec: ToolSpec
    function: Callable[..., dict[str, Any]]

    def __call__(self, ctx: ToolContext, **arguments: Any) -> dict[str, Any]:
        return self.function(ctx, **arguments)


def tool(
    *, domain: str, effect: Effect, permission: str | None = None, kind: ToolKind = ToolKind.DIRECT
) -> Callable[[Callable[..., dict[str, Any]]], Tool]:
    """Makes a `Tool` of a function; raises TypeError at import for a signature that has no JSON Schema."""

    def wrap(function: Callable[..., dict[str, Any]]) -> Tool:
        name = function.__name__
        description = (inspect.getdoc(function) or "").partition("\n")[0].strip()
        if not description:
            raise TypeError(f"tool {name}: needs a docstring, its first line is the description")
        spec = ToolSpec(
            name=name,
            description=description,
            parameters=_parameters(function),
            domain=domain,
            kind=kind,
            effect=effect,
            permission=permission,
        )
        return Tool(spec, function)

    return wrap


def _parameters(function: Callable[..., Any]) -> dict[str, Any]:
    hints = typing.get_type_hints(function)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for position, (name, parameter) in enumerate(inspect.signature(function).parameters.items()):
        if position == 0:
            if hints.get(name) is not ToolContext:
                raise TypeError(f"tool {function.__name__}: the first parameter must be a ToolContext")
            continue
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD or name not in hints:
            raise TypeError(f"tool {function.__name__}: parameter {name!r} must be plain and annotated")
        properties[name] = _schema(hints[name], f"tool {function.__name__}: parameter {name!r}")
        if parameter.default is inspect.Parameter.empty:
            required.append(name)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(hint: Any, where: str) -> dict[str, Any]:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (types.UnionType, typing.Union):
        kept = [a for a in args if a is not type(None)]
        if len(kept) == 1:
            return _schema(kept[0], where)
    elif origin is typing.Literal and all(isinstance(a, str) for a in args):
        return {"type": "string", "enum": list(args)}
    elif origin is list and args == (str,):
        return {"type": "array", "items": {"type": "string"}}
    elif hint in _JSON_TYPES:
        return {"type": _JSON_TYPES[hint]}
    raise TypeError(f"{where} has type {hint!r}, which no tool argument may have")


def ok(message: str, **data: Any) -> dict[str, Any]:
    """The success envelope (method B8, shape 1)."""
    return {"success": True, "message": message, "data": data}


def validate(spec: ToolSpec, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Checks call arguments against the tool's schema; returns clean arguments or raises a 400 `ToolError`."""
    properties, required = spec.parameters["properties"], spec.parameters["required"]
    unknown = [n for n in arguments if n not in properties]
    if unknown:
        allowed = "|".join(properties) or "none"
        raise bad(f"Unknown argument {printable(unknown[0])}; allowed: {allowed}")
    absent = [n for n in required if n not in arguments]
    if absent:
        raise bad(f"Missing argument: {', '.join(absent)}")
    return {name: _check(name, value, properties[name]) for name, value in arguments.items()}


def _check(name: str, value: Any, schema: dict[str, Any]) -> Any:
    kind = schema["type"]
    if kind == "array":
        if not isinstance(value, list):
            raise bad(f"{name} must be a list")
        return [_check(name, item, schema["items"]) for item in value]
    if kind == "string":
        return _check_text(name, value, schema.get("enum"))
    if kind == "boolean":
        if not isinstance(value, bool):
            raise bad(f"{name} must be true or false")
        return value
    return _check_number(name, value, kind)


def _check_number(name: str, value: Any, kind: str) -> int | float:
    integral = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    finite = isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    if isinstance(value, bool) or not (integral if kind == "integer" else finite):
        raise bad(f"{name} must be {'an integer' if kind == 'integer' else 'a number'}")
    if abs(value) > MAX_NUMBER:
        raise bad(f"{name} is out of range")
    return int(value) if kind == "integer" else value


def _check_text(name: str, value: Any, allowed: list[str] | None) -> str:
    if allowed is not None:
        if not isinstance(value, str) or value not in allowed:
            raise bad(f"{name} must be one of {'|'.join(allowed)}")
        return value
    if not isinstance(value, str):
        raise bad(f"{name} must be text")
    text = value.strip()
    if not text:
        raise bad(f"{name} must not be empty")
    if len(text) > MAX_TEXT:
        raise bad(f"{name} is longer than {MAX_TEXT} characters")
    if "\x00" in text or printable(text, MAX_TEXT) != text:
        raise bad(f"{name} is not valid text")
    return text


def printable(text: Any, limit: int = 40) -> str:
    """Text that can always be encoded: lone surrogates replaced, cut to `limit` characters."""
    return str(text)[:limit].encode("utf-8", "replace").decode("utf-8")
