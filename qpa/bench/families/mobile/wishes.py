"""Tables of requests: templates of calls, rows, replies and criteria that one draw of values fills in.

A `Wish` is for plans that do not depend on what comes back: one call, several, a question or a refusal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qpa.bench.families.base import Call, Draft, Plan
from qpa.bench.families.mobile.common import Rows, past_turn, step, talk, turn
from qpa.bench.families.values import Draw
from qpa.contract import BehaviorCriteria, ErrorType, Fault, Feedback, Intent, Message, Reply, to_json
from qpa.envs.sandbox.schema import World

T = TypeVar("T")
Slot = tuple[str, ...] | Callable[[Draw, World], Any]
Both = tuple[str, str]  # English, Chinese
_WHOLE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Past:
    """An earlier exchange, with a call or only words; templates like those of a `Wish`."""

    request: Both
    reply: Both
    call: Call | None = None
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Wish:
    """One kind of request and what is right for it.

    `slots` says where each value comes from: a pool, or a function of (rng, world); a key of several words ("app
    other") stands for as many values, different ones of the pool or those that the function returns. Everywhere else
    "{app}" is the drawn value. With `mentions` the reply decides, after the last of `calls` or one of `routes`;
    without, the rows that the calls change.
    """

    english: tuple[str, ...]
    chinese: tuple[str, ...]
    calls: tuple[Call, ...] = ()
    slots: dict[str, Slot] = field(default_factory=dict)
    patch: Rows = field(default_factory=dict)
    reply: Both = ("Done.", "好了。")
    intent: Intent = Intent.FINISH
    mentions: tuple[list[str], ...] = ()
    routes: tuple[Call, ...] = ()
    past: tuple[Past, ...] = ()
    denied: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    shown: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def wished(rng: Draw, world: World, wishes: tuple[Wish, ...]) -> Draft:
    """A draft of the wish whose turn it is; its family says `variants=len(wishes)`."""
    wish = turn(rng, wishes)
    slots = draw(rng, world, wish.slots)
    calls: list[Call] = fill(list(wish.calls), slots)
    mentions = [[str(term) for term in group] for group in fill(list(wish.mentions), slots)]
    routes = [step(name, **arguments) for name, arguments in [*calls[-1:], *fill(list(wish.routes), slots)]]

    def plan() -> Plan:
        answers: list[Feedback] = []
        for call in calls:
            answers = yield [call]
            if answers[0].error_type is ErrorType.UNAVAILABLE:
                answers = yield [call]
        if wish.intent is Intent.FINISH:
            _require_told(mentions, answers)
        return Reply(text=fill(rng.say(*wish.reply), slots), intent=wish.intent)

    return Draft(
        phrasings=wish.english,
        chinese=wish.chinese,
        slots=slots,
        plan=plan,
        criteria=BehaviorCriteria(routes=routes, mentions=mentions, intent=wish.intent) if mentions else "state",
        patch=fill(wish.patch, slots),
        history=[m for past in wish.past for m in _exchange(rng, past, slots)],
        denied=wish.denied,
        faults=wish.faults,
        shown=wish.shown,
        hidden=wish.hidden,
    )


def draw(rng: Draw, world: World, slots: dict[str, Slot]) -> dict[str, Any]:
    """One value for each slot, in order."""
    found: dict[str, Any] = {}
    for names, source in slots.items():
        several = names.split()
        values = source(rng, world) if callable(source) else rng.several(source, len(several))
        found.update(zip(several, values if len(several) > 1 or not callable(source) else [values], strict=True))
    return found


def fill(value: Any, slots: dict[str, Any]) -> Any:
    """The template with its slots filled in; a text that is only a slot becomes that value, whatever its type."""
    if isinstance(value, str):
        whole = _WHOLE.fullmatch(value)
        return slots[whole[1]] if whole else value.format(**slots)
    if isinstance(value, dict):
        return {fill(k, slots): fill(v, slots) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(fill(v, slots) for v in value)
    return value


def _exchange(rng: Draw, past: Past, slots: dict[str, Any]) -> list[Message]:
    request, reply = (fill(rng.say(*text), slots) for text in (past.request, past.reply))
    if past.call is None:
        return talk(request, reply)
    name, arguments = past.call
    return past_turn(request, name, fill(arguments, slots), fill(past.data, slots), reply)


def _require_told(mentions: list[list[str]], answers: list[Feedback]) -> None:
    """The expert answers with nothing that the last answer did not tell him."""
    told = "".join(to_json(answer.payload).decode() for answer in answers).casefold()
    for group in mentions:
        if not any(term.casefold() in told for term in group):
            raise RuntimeError(f"the expert was not told {group}: {told[:200]}")


def number(low: int, high: int, step_size: int = 1) -> Slot:
    """A slot that draws a number from low..high."""
    return lambda rng, world: rng.randrange(low, high + 1, step_size)


def either(english: tuple[str, ...], chinese: tuple[str, ...], count: int = 1) -> Slot:
    """A slot that draws from the pool of the task's language; with a `count`, that many different values."""

    def drawn(rng: Draw, world: World) -> Any:
        values = rng.several(chinese if rng.chinese else english, count)
        return values if count > 1 else values[0]

    return drawn


def worded(*options: tuple[Any, ...]) -> Slot:
    """The values of one of the options; a pair is (English, Chinese), how a person says it."""

    def drawn(rng: Draw, world: World) -> Any:
        values = [rng.say(*value) if isinstance(value, tuple) else value for value in rng.choice(options)]
        return values if len(values) > 1 else values[0]

    return drawn
