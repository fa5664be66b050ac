"""Grammar rules of calls written as `<function=...>` blocks (`qpa.chat.xml_calls`), for `qpa.models.constrain`.

Parameters come in the order of the schema, required ones always. A string stands there as it is, so a value cannot hold
what would end it or look like another call; anything else is JSON of the declared schema, whose strings
are not looked into.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from qpa.chat.kinds import kinds
from qpa.chat.xml_calls import PYTHON_SCALARS

_END = "\n</parameter>\n"
# What the reader of calls would take for the end of a value, for a forgotten end, or for a marker.
_NO_VALUE = r"~/(.|\n)*(<\/parameter>|<parameter=|<function=|<\/?tool_call>|<\/?think>)(.|\n)*/"
_PYTHON = {"boolean": ("True", "False"), "null": ("None",)}


def call_rules(index: int, name: str, schema: Mapping[str, Any], family: str, spacing: Mapping[str, Any]) -> list[str]:
    """The rule `call_{index}`: what stands between `<tool_call>` and `</tool_call>`, and the rules it needs.

    Args:
      schema: of type object, closed; the schemas of its `properties` may refer to its definitions.
      spacing: how llguidance writes JSON.

    Raises:
      ValueError: a name that the format cannot hold.
    """
    required = schema.get("required") or []
    definitions = {key: schema[key] for key in ("$defs", "definitions") if key in schema}
    parts, rules = [], []
    for number, (key, own) in enumerate((schema.get("properties") or {}).items()):
        rule = f"parameter_{index}_{number}"
        begin = f"<parameter={_plain(key, name)}>\n"
        rules.append(f"{rule}: {_literal(begin)} value_{index}_{number}")
        rules += _value_rules(f"{index}_{number}", own, definitions, family, spacing)
        parts.append(rule if key in required else f"{rule}?")
    begin = f"\n<function={_plain(name, name)}>\n"
    return [f"call_{index}: {' '.join([_literal(begin), *parts, _literal('</function>' + chr(10))])}", *rules]


def _value_rules(
    number: str, schema: Any, definitions: Mapping[str, Any], family: str, spacing: Mapping[str, Any]
) -> list[str]:
    """The rule `value_{number}`: a value with the tag behind it, and the rules it needs."""
    plain: dict[str, Any] = schema if isinstance(schema, dict) else {}
    values = plain.get("enum", [plain["const"]] if "const" in plain else None)
    admitted = kinds(plain)
    texts = [v for v in values if isinstance(v, str)] if isinstance(values, list) else []
    if texts and len(texts) == len(values or []):
        return [f"value_{number}: ({' | '.join(map(_literal, texts))}) {_literal(_END)}"]
    if "string" in admitted:
        return [f"value_{number}[suffix={_literal(_END)}]: TEXT_{number}", f"TEXT_{number}: {_text(plain)}"]
    if family == PYTHON_SCALARS and values is None and len(admitted) == 1 and (only := next(iter(admitted))) in _PYTHON:
        return [f"value_{number}: ({' | '.join(map(_literal, _PYTHON[only]))}) {_literal(_END)}"]
    whole = {**plain, **definitions, "x-guidance": spacing}
    return [f"value_{number}: json_{number} {_literal(_END)}", f"json_{number}: %json {json.dumps(whole)}"]


def _text(schema: Mapping[str, Any]) -> str:
    """A string value as a regular expression that keeps the schema's length and pattern."""
    low, high = schema.get("minLength", 0), schema.get("maxLength", "")
    parts = [rf"/(.|\n){{{low},{high}}}/" if low or high != "" else r"/(.|\n)*/", _NO_VALUE]
    if isinstance(pattern := schema.get("pattern"), str):
        inner = pattern.removeprefix("^")
        before = "" if pattern.startswith("^") else r"(.|\n)*"
        closed = inner.endswith("$") and not inner.endswith("\\$")
        after = "" if closed else r"(.|\n)*"
        inner = (inner[:-1] if closed else inner).replace("/", r"\/")
        parts.append(f"/{before}({inner}){after}/")
    return " & ".join(parts)


def _plain(name: str, tool: str) -> str:
    if not name or any(c in "<>" or c.isspace() for c in name):
        raise ValueError(f"constrain: no grammar for the tools {tool}: {name!r} cannot be written in <function=...>")
    return name


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
