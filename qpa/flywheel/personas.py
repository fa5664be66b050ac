"""Two ways of doing the same task right: concise, and careful (a thought first, a check, a wordier reply).

The careful style costs tokens and calls and changes nothing else; it is what the efficiency regime of CARE later trims.
"""

from __future__ import annotations

import enum
import random
from collections.abc import Mapping

from qpa.chat.parser import reply_intent
from qpa.contract import CallTools, Intent, Reply, TaskSpec, ToolCall, ToolKind, ToolSpec

MAX_REPLY_WORDS = 16
_MAX_VALUE_WORDS = 3


class Persona(enum.StrEnum):
    CONCISE = "concise"
    CAREFUL = "careful"


_THOUGHTS = (
    "I should call {tool} with {value} now.",
    "This needs {tool}, and the value is {value}.",
    "Next step: use {tool} and pass {value}.",
    "Let me use {tool} for {value} first.",
    "{tool} is the right tool for {value}.",
    "To handle {value} I will call {tool}.",
    "I have what I need: {tool} with {value}.",
    "Among the tools, {tool} matches {value} best.",
    "Okay, {value} goes into {tool}.",
)
_FROM_GOAL = (
    "The user wants {value}, so {tool} fits here.",
    "The request mentions {value}, {tool} can do that.",
    "I pick {tool}, because the request says {value}.",
)
_FROM_RESULT = (
    "The result gave me {value}, so now I use {tool}.",
    "With {value} from before I can call {tool}.",
    "Now that I know {value}, {tool} is next.",
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
_DONE_BEFORE = ("All ", "Okay, all ", "That is ")  # before "done: ..."
_FINISH_BEFORE = ("All right. ", "Okay. ", "Good news. ")
_FINISH_AFTER = (
    " Everything you asked for is in place.",
    " Let me know if you need anything else.",
    " It worked as asked.",
    " That is everything for now.",
    " Just tell me to change it again.",
)
_ASK_BEFORE = ("One thing before I go on. ", "I want to get this right. ", "Quick question. ")
_REFUSE_AFTER = (" I hope you understand.", " I can help with something else.", " Please think about it again.")


def think(
    action: CallTools,
    task: TaskSpec,
    specs: Mapping[str, ToolSpec],
    rng: random.Random,
    *,
    first: bool = False,
    recovering: bool = False,
) -> str:
    """A thought of about 6 to 14 words that names the tool and the main value of the block's first call.

    It says where the value comes from only when that is true: the request, or (unless `first`) a result.
    """
    call = action.calls[0]
    value, free = _main_value(call, specs)
    bank: tuple[str, ...] = _RECOVERIES if recovering else _THOUGHTS
    kind = specs[call.name].kind if call.name in specs else ToolKind.DIRECT
    if free and not recovering and kind is not ToolKind.SKILL:  # a loader's reason is the planner's own word
        asked = any(value.casefold() in m.casefold() for m in [task.goal, *(m.content for m in task.history)])
        bank += _FROM_GOAL if asked else () if first else _FROM_RESULT
    return rng.choice(bank).format(tool=call.name, value=value)


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
    text = reply.text
    if text.startswith("Done"):
        leads = [before + text[0].lower() + text[1:] for before in _DONE_BEFORE]
    else:
        leads = [before + text for before in _FINISH_BEFORE]
    banks = {
        Intent.FINISH: leads + [text + after for after in _FINISH_AFTER],
        Intent.ASK: [before + text for before in _ASK_BEFORE],
        Intent.REFUSE: [text + after for after in _REFUSE_AFTER],
    }
    options = [t for t in banks[reply.intent] if len(t.split()) <= MAX_REPLY_WORDS and reply_intent(t) is reply.intent]
    return Reply(text=rng.choice(options), intent=reply.intent) if options else reply


def _main_value(call: ToolCall, specs: Mapping[str, ToolSpec]) -> tuple[str, bool]:
    """The most telling argument (the first free one, else the first, else the tool's words), and if it is free."""
    properties = specs[call.name].parameters.get("properties", {}) if call.name in specs else {}
    free = [v for k, v in call.arguments.items() if "enum" not in properties.get(k, {})]
    value = str([*free, *call.arguments.values(), call.name.replace("_", " ")][0])
    return " ".join(value.split()[:_MAX_VALUE_WORDS]), bool(free)
