"""Two ways of doing the same task right: concise, and careful (a thought first, a check, a wordier reply).

The careful style costs tokens and calls and changes nothing else; it is what the efficiency regime of CARE later trims.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Mapping

from qpa.chat.parser import reply_intent
from qpa.contract import CallTools, Intent, Reply, ToolCall, ToolSpec

MAX_REPLY_WORDS = 16
_MAX_VALUE_WORDS = 3


class Persona(enum.StrEnum):
    CONCISE = "concise"
    CAREFUL = "careful"


_THOUGHTS = (
    "I should call {tool} with {value} now.",
    "The user wants {value}, so {tool} fits here.",
    "This needs {tool}, and the value is {value}.",
    "Next step: use {tool} and pass {value}.",
    "Let me use {tool} for {value} first.",
    "{tool} is the right tool for {value}.",
    "To handle {value} I will call {tool}.",
    "The request mentions {value}, {tool} can do that.",
    "I have what I need: {tool} with {value}.",
    "Among the tools, {tool} matches {value} best.",
    "Okay, {value} goes into {tool}.",
    "I pick {tool}, because the request says {value}.",
)
_RECOVERIES = (
    "That call failed, so I try {tool} with {value}.",
    "The error tells me to fix it: {tool} with {value}.",
    "My mistake, the right call is {tool} with {value}.",
    "Nothing changed yet, I correct it with {tool} and {value}.",
    "The last result was an error, use {tool} and {value}.",
)
_READS = (
    "Before changing anything I check the state with {tool}.",
    "Let me look first with {tool}, then act.",
    "I will query {tool} first to be safe.",
    "First I read what {tool} holds now.",
)
_FINISH_BEFORE = ("All right: ", "Okay, ", "Good news: ")
_FINISH_AFTER = (
    " Everything you asked for is in place.",
    " Let me know if you need anything else.",
    " I checked that it worked.",
    " That is everything for now.",
    " Just tell me to change it again.",
)
_ASK_BEFORE = ("One thing before I go on: ", "I want to get this right: ", "Just to be sure: ")
_REFUSE_AFTER = (" I hope you understand.", " I can help with something else.", " Please think about it again.")


def think(action: CallTools, specs: Mapping[str, ToolSpec], rng: random.Random, *, recovering: bool = False) -> str:
    """A thought of 6 to 14 words or so that names the tool and the main value of the block's first call."""
    call = action.calls[0]
    bank = _RECOVERIES if recovering else _THOUGHTS
    return rng.choice(bank).format(tool=call.name, value=_main_value(call, specs))


def redundant_read(action: CallTools, specs: Mapping[str, ToolSpec], skip: frozenset[str]) -> ToolCall | None:
    """A query of the block's first tool when its signature offers one and the block does something else; else None."""
    call = action.calls[0]
    spec = specs.get(call.name)
    if spec is None or call.name in skip or call.arguments.get("action") in (None, "query"):
        return None
    schema = spec.parameters
    if "query" not in schema.get("properties", {}).get("action", {}).get("enum", ()):
        return None
    return (
        ToolCall(id="read", name=call.name, arguments={"action": "query"}) if schema["required"] == ["action"] else None
    )


def think_read(call: ToolCall, rng: random.Random) -> str:
    """The thought before a redundant read."""
    return rng.choice(_READS).format(tool=call.name)


def wordy(reply: Reply, rng: random.Random) -> Reply:
    """The reply with a polite addition, of the same intent and at most `MAX_REPLY_WORDS` words; or unchanged."""
    banks = {
        Intent.FINISH: [reply.text + after for after in _FINISH_AFTER] + [_led(b, reply.text) for b in _FINISH_BEFORE],
        Intent.ASK: [_led(before, reply.text) for before in _ASK_BEFORE],
        Intent.REFUSE: [reply.text + after for after in _REFUSE_AFTER],
    }
    options = [t for t in banks[reply.intent] if len(t.split()) <= MAX_REPLY_WORDS and reply_intent(t) is reply.intent]
    return Reply(text=rng.choice(options), intent=reply.intent) if options else reply


def _led(before: str, text: str) -> str:
    return before + text


def _main_value(call: ToolCall, specs: Mapping[str, ToolSpec]) -> str:
    """The most telling argument: the first free one, else the first of all, else the tool's own words."""
    properties = specs[call.name].parameters.get("properties", {}) if call.name in specs else {}
    free = [v for k, v in call.arguments.items() if "enum" not in properties.get(k, {})]
    value = str([*free, *call.arguments.values(), call.name.replace("_", " ")][0])
    return " ".join(value.split()[:_MAX_VALUE_WORDS])
