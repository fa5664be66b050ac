"""Canonical messages to model text, per family, with the prefix property that training needs.

Each family (`qpa.chat.families`) has two renderings. With `preserve_thinking` (the default; training, token buffers)
thoughts of earlier turns stay, so that rendering more messages only appends. Without it the thoughts of turns before
the last user message go, as in the templates that Qwen's models ship with. "compact" has the frame, calls and results
of "qwen3", but one signature line per tool and no empty think blocks: a small model's context is short.

Equal to the reference templates, character by character (`tests/chat/test_chat_reference.py`), except where those

* know more than a message says: pictures, a reasoning effort other than the default, arguments that are text;
* read an assistant's words again for a thought (here `Message.thought` is the only one);
* refuse a conversation (no user message; a later system message: "qwen3_5" and newer): it is rendered all the same;
* render a tool message that opens the conversation without the head of its turn ("qwen3_5" and newer): it gets one;
* leave two newlines for an empty system message before the tools ("qwen3"): it counts as none;
* put a newline between words that are only newlines and a call ("qwen3", behind a think block): there are no words;
* copy the name of a call without JSON escapes ("qwen3").

Text is built as segments. A `Special` segment is a token that is emitted by id; any other segment is plain text, in
which no string can act as a token. `render` joins them; `qpa.chat.buffer.ChatFormat` encodes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from qpa.chat import xml_calls
from qpa.chat.families import check_family, prompt_opens_thought, scan_reply
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
from qpa.contract import Action, CallTools, Message, Role, ToolCall, ToolSpec

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
    preserve_thinking: bool = True,
    add_generation_prompt: bool = False,
) -> str:
    """Model text of a conversation; `render(messages[:k])` is a prefix of `render(messages[:k+1])` for k >= 1.

    Consecutive tool messages share one turn, so the property holds for a run of them as a whole, not within it. It
    does not hold without `preserve_thinking`.

    Args:
      messages: an optional system message first; tool schemas go into its turn.
      tools: the tools visible at the start; none leaves the tool block out.
      family: one of `FAMILIES`.
      thinking: False drops thoughts; in all families but "compact" each assistant turn then starts with the empty think
        block that the generation prompt prefills.
      preserve_thinking: False drops the thoughts, and think blocks, of turns before the last user message.
      add_generation_prompt: also open the next assistant turn.

    Raises:
      ValueError: unknown family.
    """
    parts = segments(
        messages,
        tools,
        family,
        thinking=thinking,
        preserve_thinking=preserve_thinking,
        add_generation_prompt=add_generation_prompt,
    )
    return "".join(parts)


def segments(
    messages: Sequence[Message],
    tools: Sequence[ToolSpec],
    family: str,
    *,
    thinking: bool = True,
    preserve_thinking: bool = True,
    add_generation_prompt: bool = False,
    opening: bool = True,
) -> list[str]:
    """What `render` joins: `Special` tokens and plain text, each plain text to be encoded on its own.

    `opening` False is for messages that continue a conversation: a system message or tools get no block of their own.
    """
    check_family(family)
    has_system = opening and bool(messages) and messages[0].role == Role.SYSTEM
    out = _system_turn(messages[0].content if has_system else None, tools, family, thinking) if opening else []
    query = -1 if preserve_thinking else _last_query(messages, family)
    first = 1 if has_system else 0
    for i, message in enumerate(messages[first:], first):
        if message.role == Role.TOOL:
            begins = i == 0 or messages[i - 1].role != Role.TOOL
            ends = i + 1 == len(messages) or messages[i + 1].role != Role.TOOL
            out += _tool_response(_stripped(message.content, family), begins, ends)
        elif message.role == Role.ASSISTANT:
            block = i > query
            if family == "qwen3" and not preserve_thinking and i + 1 < len(messages):
                block = block and thinking and message.thought != ""
            out += _assistant_turn(message, family, thinking, block)
        else:
            out += _turn(str(message.role), [_stripped(message.content, family)])
    if add_generation_prompt:
        out += _assistant_header(family, thinking)
    return out


def _last_query(messages: Sequence[Message], family: str) -> int:
    """Index of the last user message that is no tool result in disguise; the last index if there is none."""
    for i in range(len(messages) - 1, -1, -1):
        text = _stripped(messages[i].content, family)
        disguised = text.startswith(RESPONSE_OPEN) and text.endswith(RESPONSE_CLOSE)
        if messages[i].role == Role.USER and not disguised:
            return i
    return len(messages) - 1


def _stripped(text: str, family: str) -> str:
    return text.strip() if family in xml_calls.XML_FAMILIES else text


def _turn(role: str, body: Iterable[str]) -> list[str]:
    return [Special(IM_START), *_joined([f"{role}\n", *body]), Special(IM_END), "\n"]


def _tool_response(content: str, first: bool, last: bool) -> list[str]:
    head: list[str] = [Special(IM_START), "user\n"] if first else ["\n"]
    tail: list[str] = [Special(IM_END), "\n"] if last else []
    return [*head, Special(RESPONSE_OPEN), f"\n{content}\n", Special(RESPONSE_CLOSE), *tail]


def _assistant_turn(message: Message, family: str, thinking: bool, block: bool) -> list[str]:
    """A turn, cut into the prompt that opens it and what is generated; without `block` it has no think block."""
    if block:
        thought, head = _thought_of(message.thought, family, thinking), _assistant_header(family, thinking)
    else:
        thought, head = None, [Special(IM_START), "assistant\n"]
    # The template that Qwen3 ships with strips newlines only behind a think block.
    text = message.content if family == "qwen3" and not block else message.content.lstrip("\n")
    return [*head, *_body(thought, _stripped(text, family), message.calls, family), Special(IM_END), "\n"]


def _assistant_header(family: str, thinking: bool) -> list[str]:
    header: list[str] = [Special(IM_START), "assistant\n"]
    if prompt_opens_thought(family, thinking):
        return [*header, Special(THINK_OPEN), "\n"]
    return header if thinking or family == "compact" else [*header, *_think_block("")]


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
    return "\n".join(compact_signature(spec) if family == "compact" else _tool_json(spec) for spec in specs)


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


def _system_turn(text: str | None, tools: Sequence[ToolSpec], family: str, thinking: bool) -> list[str]:
    """The first turn; `text` is the system message, None if there is none."""
    if family in xml_calls.XML_FAMILIES:
        parts = xml_calls.system_parts(text, render_tool_lines(tools, family), family, thinking)
        if parts is None:
            return []
        return _turn("system", [piece for part, ours in parts for piece in (_trusted(part) if ours else [part])])
    if tools:
        return _turn("system", _tool_block(text or "", tools, family))
    return [] if text is None else _turn("system", [text])


def _tool_block(text: str, tools: Sequence[ToolSpec], family: str) -> list[str]:
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
    """The assistant text of an action: what a model that takes it would generate, without `<|im_end|>`.

    Where the prompt opens the thought (`prompt_opens_thought`), the text begins inside it.
    """
    check_family(family)
    thought = _thought_of(action.thought, family, thinking)
    text, calls = ("", action.calls) if isinstance(action, CallTools) else (action.text.lstrip("\n"), [])
    return "".join(_body(thought, _stripped(text, family), calls, family))


def reply_segments(text: str, family: str = "qwen3", *, thinking: bool = True) -> list[str]:
    """Segments of an assistant's text: its structural tags are `Special`, a tag inside a call is plain text.

    With `thinking` False a leading thought is left out, because the generation prompt has already closed one; where
    the prompt opens the thought, a leading open tag is.
    """
    opened = prompt_opens_thought(family, thinking)
    if opened and text.startswith(THINK_OPEN):
        text = text.removeprefix(THINK_OPEN).removeprefix("\n")
    pieces = scan_reply(text, family, in_thought=opened and THINK_CLOSE in text)
    parts = [Special(p.text) if p.kind in ("tag", "stray") else p.text for p in pieces]
    leading = text.startswith(THINK_OPEN) or family in xml_calls.XML_FAMILIES
    if not thinking and leading and THINK_CLOSE in parts:
        parts = parts[parts.index(THINK_CLOSE) + 1 :]
        if parts and not isinstance(parts[0], Special):
            parts[0] = parts[0].lstrip("\n")
    return _joined(parts)


def _thought_of(thought: str, family: str, thinking: bool) -> str | None:
    """The thought that a turn's own tokens hold; None: they hold no think block."""
    if not thinking:
        return None
    thought = _stripped(thought.strip("\n"), family)
    return thought if thought or family != "compact" else None


def _body(thought: str | None, text: str, calls: Sequence[ToolCall], family: str) -> list[str]:
    """What is generated after the turn's prompt."""
    parts: list[str] = []
    if thought is not None:
        opened = prompt_opens_thought(family, thinking=True)
        parts += [f"{thought}\n", Special(THINK_CLOSE), "\n\n"] if opened else _think_block(thought)
    parts.append(text)
    for i, call in enumerate(calls):
        separator = "\n" if i or text else ""
        if family in xml_calls.XML_FAMILIES:
            separator = "\n\n" if text and not i else separator
            body = xml_calls.call_text(call.name, call.arguments, family)
        else:
            arguments = json.dumps(call.arguments, ensure_ascii=False)
            body = f'\n{{"name": {json.dumps(call.name, ensure_ascii=False)}, "arguments": {arguments}}}\n'
        parts += [separator, Special(CALL_OPEN), body, Special(CALL_CLOSE)]
    return _joined(parts)


def _think_block(thought: str) -> list[str]:
    return [Special(THINK_OPEN), f"\n{thought}\n", Special(THINK_CLOSE), "\n\n"]
