"""Canonical messages to model text, per family, with the prefix property that training needs.

Families: "qwen3" is the Hermes/Qwen3 JSON format with the *training* behaviour of its template (a think block in every
assistant turn, thoughts of earlier turns kept), so that rendering more messages only appends. "compact" has the same
frame, calls and results, but one signature line per tool and no empty think blocks: a small model's context is short.

Text is built as segments. A `Special` segment is a token that is emitted by id; any other segment is plain text, in
which no string can act as a token. `render` joins them; `qpa.chat.buffer.ChatFormat` encodes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from qpa.chat.markers import (
    CALL_CLOSE,
    CALL_OPEN,
    IM_END,
    IM_START,
    RESPONSE_CLOSE,
    RESPONSE_OPEN,
    SPECIALS,
    THINK_CLOSE,
    THINK_OPEN,
    TOOLS_CLOSE,
    TOOLS_OPEN,
)
from qpa.chat.scan import scan
from qpa.contract import Action, CallTools, Message, Role, ToolCall, ToolSpec

FAMILIES = ("qwen3", "compact")

_QWEN3_BEFORE = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n"
)
_QWEN3_AFTER = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n<tool_call>\n"
    '{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>'
)
_MARKERS = re.compile("(" + "|".join(map(re.escape, SPECIALS)) + ")")
_SHORT_TYPES = {"integer": "int", "number": "num", "boolean": "bool", "array": "list", "object": "obj"}


class Special(str):
    """A segment that is one special token; it can only come from this module, never from anybody's text."""

    __slots__ = ()


# --- whole conversations -------------------------------------------------------------------------------------------


def render(
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    family: str = "qwen3",
    *,
    thinking: bool = True,
    add_generation_prompt: bool = False,
) -> str:
    """Model text of a conversation; `render(messages[:k])` is a prefix of `render(messages[:k+1])` for k >= 1.

    Consecutive tool messages share one turn, so the property holds for a run of them as a whole, not within it.

    Args:
      messages: an optional system message first; tool schemas go into its turn.
      tools: the tools visible at the start; none leaves the tool block out.
      family: "qwen3" or "compact".
      thinking: False drops thoughts; for qwen3 each assistant turn then starts with the empty think block that the
        generation prompt prefills.
      add_generation_prompt: also open the next assistant turn.

    Raises:
      ValueError: unknown family.
    """
    parts = segments(messages, tools, family, thinking=thinking, add_generation_prompt=add_generation_prompt)
    return "".join(parts)


def segments(
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    family: str,
    *,
    thinking: bool = True,
    add_generation_prompt: bool = False,
) -> list[str]:
    """What `render` joins: `Special` tokens and plain text, each plain text to be encoded on its own."""
    check_family(family)
    rest = list(messages)
    out: list[str] = []
    if tools:
        first_is_system = bool(rest) and rest[0].role == Role.SYSTEM
        out += _turn("system", _system_block(rest.pop(0).content if first_is_system else "", tools, family))
    for i, message in enumerate(rest):
        if message.role == Role.TOOL:
            first = i == 0 or rest[i - 1].role != Role.TOOL
            last = i + 1 == len(rest) or rest[i + 1].role != Role.TOOL
            out += _tool_response(message.content, first, last)
        elif message.role == Role.ASSISTANT:
            body = _body(message.thought, message.content, message.calls, family, thinking)
            out += [*_assistant_header(family, thinking), *body, Special(IM_END), "\n"]
        else:
            out += _turn(str(message.role), [message.content])
    if add_generation_prompt:
        out += _assistant_header(family, thinking)
    return out


def check_family(family: str) -> None:
    """Raises ValueError unless `family` is one of `FAMILIES`."""
    if family not in FAMILIES:
        raise ValueError(f"chat family is {family!r}; use one of {', '.join(FAMILIES)}")


def _turn(role: str, body: Iterable[str]) -> list[str]:
    return [Special(IM_START), *_joined([f"{role}\n", *body]), Special(IM_END), "\n"]


def _tool_response(content: str, first: bool, last: bool) -> list[str]:
    head: list[str] = [Special(IM_START), "user\n"] if first else ["\n"]
    tail: list[str] = [Special(IM_END), "\n"] if last else []
    return [*head, Special(RESPONSE_OPEN), f"\n{content}\n", Special(RESPONSE_CLOSE), *tail]


def _assistant_header(family: str, thinking: bool) -> list[str]:
    header: list[str] = [Special(IM_START), "assistant\n"]
    if family == "qwen3" and not thinking:
        header += _think_block("")
    return header


def _joined(parts: Iterable[str]) -> list[str]:
    out: list[str] = []
    for part in parts:
        if out and not isinstance(part, Special) and not isinstance(out[-1], Special):
            out[-1] += part
        elif part:
            out.append(part)
    return out


# --- tools ---------------------------------------------------------------------------------------------------------


def render_tool_lines(specs: Sequence[ToolSpec], family: str = "qwen3") -> str:
    """One line per tool, as in the system block: schemas that a skill loads are appended to its tool message."""
    check_family(family)
    return "\n".join(_tool_json(spec) if family == "qwen3" else compact_signature(spec) for spec in specs)


def compact_signature(spec: ToolSpec) -> str:
    """One line such as `manage_alarm(action:create|delete, time?, count?:int)`; `?` marks optional parameters."""
    properties = _mapping(spec.parameters.get("properties"))
    required = _list(spec.parameters.get("required"))
    params = (f"{name}{'' if name in required else '?'}{_short_type(schema)}" for name, schema in properties.items())
    return f"{spec.name}({', '.join(params)})"


def _short_type(schema: Any) -> str:
    schema = _mapping(schema)
    for key in ("anyOf", "oneOf"):
        for option in _list(schema.get(key)):
            if _mapping(option).get("type") != "null":
                return _short_type(option)
    if values := _list(schema.get("enum")):
        return ":" + "|".join(v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values)
    kind = schema.get("type")
    kind = next((k for k in _list(kind) if k != "null"), kind)
    short = _SHORT_TYPES.get(kind) if isinstance(kind, str) else None
    return f":{short}" if short else ""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _tool_json(spec: ToolSpec) -> str:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return json.dumps({"type": "function", "function": function}, ensure_ascii=False)


def _system_block(text: str, tools: Sequence[ToolSpec], family: str) -> list[str]:
    lines = render_tool_lines(tools, family)
    if family == "qwen3":
        before = f"{text}\n\n" if text else ""
        return [before, *_trusted(_QWEN3_BEFORE), lines, *_trusted(_QWEN3_AFTER)]
    before = f"{text}\n" if text else ""
    return [before, Special(TOOLS_OPEN), f"\n{lines}\n", Special(TOOLS_CLOSE)]


def _trusted(text: str) -> list[str]:
    return [Special(part) if part in SPECIALS else part for part in _MARKERS.split(text)]


# --- assistant turns -----------------------------------------------------------------------------------------------


def render_action(action: Action, family: str = "qwen3", *, thinking: bool = True) -> str:
    """The assistant text of an action: what a model that takes it would generate, without `<|im_end|>`."""
    check_family(family)
    if isinstance(action, CallTools):
        return "".join(_body(action.thought, "", action.calls, family, thinking))
    return "".join(_body(action.thought, action.text, [], family, thinking))


def reply_segments(text: str, *, thinking: bool = True) -> list[str]:
    """Segments of an assistant's text: its structural tags are `Special`, a tag inside a call's JSON is plain text.

    With `thinking` False a leading think block is left out, because the generation prompt has already closed one.
    """
    parts = [Special(p.text) if p.kind in ("tag", "stray") else p.text for p in scan(text)]
    if not thinking and text.startswith(THINK_OPEN) and THINK_CLOSE in parts:
        parts = parts[parts.index(THINK_CLOSE) + 1 :]
        if parts and not isinstance(parts[0], Special):
            parts[0] = parts[0].lstrip("\n")
    return _joined(parts)


def _body(thought: str, text: str, calls: Sequence[ToolCall], family: str, thinking: bool) -> list[str]:
    parts: list[str] = []
    thought = thought.strip("\n")
    if thinking and (thought or family == "qwen3"):
        parts += _think_block(thought)
    text = text.lstrip("\n")
    parts.append(text)
    for i, call in enumerate(calls):
        separator = "\n" if i or text else ""
        arguments = json.dumps(call.arguments, ensure_ascii=False)
        call_json = f'{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments}}}'
        parts += [separator, Special(CALL_OPEN), f"\n{call_json}\n", Special(CALL_CLOSE)]
    return _joined(parts)


def _think_block(thought: str) -> list[str]:
    return [Special(THINK_OPEN), f"\n{thought}\n", Special(THINK_CLOSE), "\n\n"]
