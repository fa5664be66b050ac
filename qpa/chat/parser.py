"""An assistant's text to thought, reply text and tool calls. Never raises on any text; fails closed, with a reason.

What is executed is only a call whose JSON was understood completely. Small slips are repaired and said so.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from qpa.chat.families import check_family, scan_reply
from qpa.chat.kinds import kind, kinds
from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, THINK_CLOSE, THINK_OPEN
from qpa.chat.scan import MAX_CALLS, CallBody, Piece, decode_object_text, valid_unicode
from qpa.chat.xml_calls import XML_FAMILIES, typed, unwrapped_call
from qpa.contract import Intent, ToolCall, ToolSpec

REPAIRED = "repaired: "
_MAX_ERRORS = 8
_MAX_ERROR = 160  # characters
_REFUSALS = (
    "i can't", "i cannot", "i won't", "i am unable to", "i'm unable to", "sorry, i can't", "sorry, but i can't",
    "i'm sorry, but i can't", "i'm sorry, i can't", "抱歉", "很抱歉", "对不起", "我不能", "我无法",
)  # fmt: skip


class ParsedReply(msgspec.Struct):
    """What an assistant's text says.

    `errors` are short enough to send back to the model. Those that start with "repaired: " are notices: the call was
    understood and is in `calls`. All others mean that something was not executed (see `failures`).
    """

    thought: str
    text: str
    calls: list[ToolCall]
    errors: list[str]

    @property
    def failures(self) -> list[str]:
        """The errors without the repairs."""
        return [error for error in self.errors if not error.startswith(REPAIRED)]


def parse_reply(
    text: str,
    tools: Sequence[ToolSpec] | None,
    family: str = "qwen3",
    *,
    first_call: int = 0,
    in_thought: bool = False,
) -> ParsedReply:
    """Parses the text of one assistant turn (with or without `<|im_end|>`). Never raises, whatever `text` holds.

    Calls get the ids "call_{first_call}", "call_{first_call + 1}", ...: a caller that passes the number of earlier
    calls keeps them unique in a trajectory. Unknown tool names are kept, the executor answers them.

    Args:
      text: the decoded reply.
      tools: visible tools. Their schemas decide whether a string is a doubly encoded object, and what type a value in a
        function block has (`qpa.chat.xml_calls`); None leaves strings alone.
      family: one of `FAMILIES`.
      first_call: number in the first id.
      in_thought: the prompt has opened a thought (`prompt_opens_thought`): a reply that does not close it is cut off.
        Without it such a reply is read as words and calls.

    Raises:
      ValueError: unknown family (a mistake of the program, not of the model).
    """
    check_family(family)
    schemas = {spec.name: spec.parameters for spec in tools or ()}
    if not isinstance(text, str):
        return ParsedReply("", "", [], [f"reply is {type(text).__name__}, not text"])
    out = _Reader(schemas, family)
    for piece in scan_reply(valid_unicode(text), family, in_thought=in_thought):
        out.read(piece)
    calls = [
        ToolCall(id=f"call_{first_call + i}", name=name, arguments=arguments)
        for i, (name, arguments) in enumerate(out.calls)
    ]
    reply = ParsedReply("\n".join(filter(None, out.thoughts)), "".join(out.texts).strip(), calls, out.errors)
    if family in XML_FAMILIES and unwrapped_call(reply.text):
        reply.errors.append(f"<function=...> without {CALL_OPEN}: no call was made")
    if not (reply.text or reply.calls or reply.failures):
        reply.errors.append("empty reply: call a tool or answer in words")
    reply.errors = _shortened(reply.errors)
    return reply


def reply_intent(text: str) -> Intent:
    """ASK if the text ends with a question mark, REFUSE if it opens with a refusal, else FINISH."""
    text = text.strip()
    if text.endswith(("?", "？")):
        return Intent.ASK
    if text.replace("’", "'").casefold().startswith(_REFUSALS):
        return Intent.REFUSE
    return Intent.FINISH


def _shortened(errors: list[str]) -> list[str]:
    unique = sorted(dict.fromkeys(errors), key=lambda error: error.startswith(REPAIRED))  # failures first
    return [error if len(error) <= _MAX_ERROR else error[: _MAX_ERROR - 3] + "..." for error in unique[:_MAX_ERRORS]]


class _Reader:
    """Folds pieces into a reply."""

    def __init__(self, schemas: Mapping[str, Mapping[str, Any]], family: str) -> None:
        self.schemas = schemas
        self.family = family
        self.thoughts: list[str] = []
        self.texts: list[str] = []
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.errors: list[str] = []
        self._seen_calls = 0
        self._thought_closes = True  # a `</think>` without a partner may still end a thought that began before

    def read(self, piece: Piece) -> None:
        if piece.kind == "text":
            self.texts.append(piece.text)
        elif piece.kind == "thought":
            self.thoughts.append(piece.text.strip())
            self._thought_closes = THINK_OPEN in piece.text
        elif piece.kind == "unclosed":
            self.thoughts.append(piece.text.strip())
            self.errors.append(f"{THINK_OPEN} was not closed: nothing was executed after it")
        elif piece.kind == "call" and piece.body is not None:
            self._call(piece.body)
        elif piece.kind == "stray":
            self._stray(piece.text)

    def _stray(self, tag: str) -> None:
        if tag == CALL_CLOSE:
            self.errors.append(f"{CALL_CLOSE} without {CALL_OPEN}: no call was made")
            return
        if self._thought_closes:
            # A prompt may have opened the thought (or it quoted an open tag): all before was thinking, calls included.
            self.thoughts.append("".join(self.texts).strip())
            self.errors = [f"{REPAIRED}calls before {THINK_CLOSE} are drafts, not executed"] if self.calls else []
            self.texts, self.calls = [], []
            self._thought_closes = False
            if self.family in XML_FAMILIES:
                return  # their prompts do open it
        self.errors.append(f"{REPAIRED}{THINK_CLOSE} without {THINK_OPEN}")

    def _call(self, body: CallBody) -> None:
        label = f"tool call {self._seen_calls + 1}"
        self._seen_calls += 1
        if body.problem:
            self.errors.append(f"{label}: {body.problem}")
            return
        values = body.values
        repairs = list(body.repairs)
        if len(values) == 1 and isinstance(values[0], list) and values[0]:
            values = values[0]
            repairs.append("a list of calls in one tag")
        elif len(values) > 1:
            repairs.append("several calls in one tag")
        if len(self.calls) + len(values) > MAX_CALLS:
            self.errors.append(f"{label}: over {MAX_CALLS} calls")
            return
        calls: list[tuple[str, dict[str, Any]]] = []
        try:
            for value in values:
                calls.append(self._interpret(value, body.typed, repairs))
            # Everything that leaves must be valid UTF-8 JSON: an escaped lone surrogate would break storage later.
            json.dumps(calls, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            self.errors.append(f"{label}: invalid \\u escape; write the character itself")
            return
        except _CallError as error:
            self.errors.append(f"{label}: {error}")
            return
        self.calls += calls
        self.errors += [f"{REPAIRED}{label}: {repair}" for repair in repairs]

    def _interpret(self, value: Any, is_typed: bool, repairs: list[str]) -> tuple[str, dict[str, Any]]:
        if is_typed:
            return _interpret(value, self.schemas, repairs)
        name = value["name"]
        return name, typed(value["arguments"], self.schemas.get(name), self.family, repairs)


class _CallError(ValueError):
    """JSON that is not a call; the message is for the model."""


def _interpret(value: Any, schemas: Mapping[str, Mapping[str, Any]], repairs: list[str]) -> tuple[str, dict[str, Any]]:
    if not isinstance(value, dict):
        raise _CallError(f"expected a JSON object, got {kind(value)}")
    name = value.get("name")
    if not isinstance(name, str) or not name.strip():
        raise _CallError('"name" must be the name of a tool')
    if "arguments" in value:
        arguments = value["arguments"]
    elif "parameters" in value:
        arguments = value["parameters"]
        repairs.append('"parameters" should be "arguments"')
    elif value.keys() - {"name", "id", "type"}:
        raise _CallError('put the arguments into "arguments": {...}')
    else:
        arguments = {}
        repairs.append('no "arguments", used {}')
    return name.strip(), _decode_nested(_arguments(arguments, repairs), schemas.get(name.strip()), repairs)


def _arguments(value: Any, repairs: list[str]) -> dict[str, Any]:
    if isinstance(value, str):
        try:
            value = decode_object_text(value) if value.strip() else {}
        except ValueError as error:
            raise _CallError(f'"arguments" must be a JSON object, not text ({error})') from None
        repairs.append('"arguments" was text, not an object')
    elif value is None:
        value = {}
        repairs.append('"arguments" was null, used {}')
    if not isinstance(value, dict):
        raise _CallError(f'"arguments" must be a JSON object, got {kind(value)}')
    return value


def _decode_nested(arguments: dict[str, Any], schema: Mapping[str, Any] | None, repairs: list[str]) -> dict[str, Any]:
    """Decodes strings whose schema wants an object or array and admits no string; everything else stays as sent."""
    properties = (schema or {}).get("properties")
    if not isinstance(properties, dict):
        return arguments
    out = dict(arguments)
    for key, value in arguments.items():
        admitted = kinds(properties.get(key))
        if not isinstance(value, str) or "string" in admitted or not admitted & {"object", "array"}:
            continue
        try:
            decoded = decode_object_text(value)
        except ValueError:
            continue  # the executor's schema check reports it with the raw value
        if kind(decoded) in admitted:
            out[key] = decoded
            repairs.append(f"{key[:40]!r} was text, not {kind(decoded)}")
    return out
