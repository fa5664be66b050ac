"""Canonical messages <-> the JSON of OpenAI-compatible chat endpoints. Pure: no client, no network.

Out: thoughts are never sent. A tool message without a call (the answer to an unreadable turn) goes out as a user
message, because endpoints accept tool messages only for calls that they have seen.

In: an answer becomes text of the JSON family, so that it is read by the one parser that reads every model
(`qpa.chat.parse_reply`). Arguments that are a JSON object are copied literally; anything else reaches the parser as it
came, which refuses it with a reason for the planner.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, SPECIALS, THINK_CLOSE, THINK_OPEN
from qpa.chat.parser import parse_reply
from qpa.chat.scan import decode_object_text
from qpa.contract import Message, Role, ToolSpec

_MARKER_START = re.compile("<(?=" + "|".join(re.escape(special[1:]) for special in SPECIALS) + ")")


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The `messages` of a chat request. Calls get ids of nine letters and digits, which every endpoint accepts."""
    out: list[dict[str, Any]] = []
    ids: dict[str, str] = {}
    calls = 0
    for message in messages:
        if message.role is Role.ASSISTANT:
            entry: dict[str, Any] = {"role": "assistant", "content": _without_thought(message.content)}
            if message.calls:
                entry["tool_calls"] = []
            for call in message.calls:
                ids[call.id] = f"call{calls:05d}"
                calls += 1
                function = {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)}
                entry["tool_calls"].append({"id": ids[call.id], "type": "function", "function": function})
            if entry["content"] or message.calls:
                out.append(entry)
        elif message.role is Role.TOOL and message.call_id in ids:
            out.append({"role": "tool", "tool_call_id": ids[message.call_id], "content": message.content})
        else:
            role = Role.USER if message.role is Role.TOOL else message.role
            out.append({"role": role.value, "content": message.content})
    return out


def wire_tools(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The `tools` of a chat request."""
    return [
        {
            "type": "function",
            "function": {"name": spec.name, "description": spec.description, "parameters": spec.parameters},
        }
        for spec in specs
    ]


def reply_text(message: Mapping[str, Any]) -> str:
    """Model text of an answer's `message`: thought, words, calls. Never raises on any JSON.

    A message without `tool_calls` is taken as it stands: a server that does not split thoughts or calls off its
    model's text is read like a local model. Beside `tool_calls` the words are only words.
    """
    thought = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    words = _text(message.get("content")) or _text(message.get("refusal"))
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls:
        read = parse_reply(words, None)
        words = _plain(read.text)
        thought = thought or read.thought
        blocks = [f"{CALL_OPEN}\n{_call_json(call)}\n{CALL_CLOSE}" for call in calls]
        words = "\n".join([words, *blocks] if words else blocks)
    thought = _plain(thought).strip()
    return f"{THINK_OPEN}\n{thought}\n{THINK_CLOSE}\n\n{words}" if thought else words


def _call_json(call: Any) -> str:
    function = call.get("function") if isinstance(call, dict) else None
    if not isinstance(function, dict):
        return json.dumps(call, ensure_ascii=False)
    name = json.dumps(function.get("name"), ensure_ascii=False)
    if "arguments" not in function:
        return json.dumps(function, ensure_ascii=False)
    return f'{{"name": {name}, "arguments": {_arguments_json(function["arguments"])}}}'


def _arguments_json(arguments: Any) -> str:
    if isinstance(arguments, str):
        try:
            if isinstance(decode_object_text(arguments), dict):
                return arguments
        except ValueError:
            pass  # quoted below: the parser says what is wrong with it
    return json.dumps(arguments, ensure_ascii=False)


def _without_thought(text: str) -> str:
    """An unreadable turn is kept word for word, so its thought has to be cut out here."""
    return text.rpartition(THINK_CLOSE)[2].partition(THINK_OPEN)[0].lstrip("\n")


def _plain(text: str) -> str:
    """The text with "‹" for the first character of every marker, so that it cannot act as one."""
    return _MARKER_START.sub("‹", text)


def _text(value: Any) -> str:
    """A string, or the texts of a list of content parts."""
    if isinstance(value, list):
        parts = [part.get("text") for part in value if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return value if isinstance(value, str) else ""
