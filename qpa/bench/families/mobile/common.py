"""What the families of the suite "mobile" share: one-call requests, settings, and criteria of questions and answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeVar

from qpa.bench.families.base import Call, Draft, Plan, do, done
from qpa.bench.families.values import Draw
from qpa.contract import BehaviorCriteria, Intent, Message, Reply, Role, ToolCall, ToolStep, to_json
from qpa.envs.sandbox.schema import World

T = TypeVar("T")
Rows = dict[str, list[dict[str, Any]]]
Branch = Callable[[Draw, World], Draft]
PERMISSION = ["permission", "权限"]  # a `mentions` group: either word will do


@dataclass(frozen=True)
class Request:
    """Something one call does; a family of such requests draws one of them.

    `arguments` are fixed, `draw` adds some from (rng, world); both are the slots of the phrasings as well.
    """

    tool: str
    english: tuple[str, ...]
    chinese: tuple[str, ...]
    arguments: dict[str, Any] = field(default_factory=dict)
    draw: Callable[[Draw, World], dict[str, Any]] | None = None
    patch: Rows = field(default_factory=dict)
    criteria: Literal["state", "tool"] = "state"
    says: tuple[str, str] = ("Done.", "好了。")


def one_of(rng: Draw, world: World, requests: tuple[Request, ...]) -> Draft:
    """A draft of the request whose turn it is; its family says `variants=len(requests)`."""
    request = turn(rng, requests)
    slots = {**request.arguments, **(request.draw(rng, world) if request.draw else {})}

    reply = done(rng.say(*request.says).format(**slots))
    return Draft(
        phrasings=request.english,
        chinese=request.chinese,
        slots=slots,
        plan=course([do(request.tool, **slots)], reply=reply),
        patch=request.patch,
        criteria=request.criteria,
    )


def turn(rng: Draw, options: Sequence[T]) -> T:
    """The option whose turn it is; a family of n options says `variants=n`, so that tests try every one."""
    return options[rng.turn % len(options)]


def branch(rng: Draw, world: World, branches: Sequence[Branch]) -> Draft:
    """The draft of the branch whose turn it is, see `turn`."""
    return turn(rng, branches)(rng, world)


def course(*blocks: list[Call], reply: Reply) -> Callable[[], Plan]:
    """A plan whose calls do not depend on feedback beyond what the blocks before them looked up."""

    def plan() -> Plan:
        # `yield from` a tuple could not take the feedback.
        for block in blocks:  # noqa: UP028
            yield block
        return reply

    return plan


def reading(call: Call, say: Callable[[dict[str, Any]], str]) -> Callable[[], Plan]:
    """A plan of one look-up that answers with what came back (`data` of the payload)."""

    def plan() -> Plan:
        feedback = yield [call]
        return done(say(feedback[0].payload["data"]))

    return plan


def settings(**values: str) -> list[dict[str, str]]:
    """Rows of the table `settings`, for a patch."""
    return [{"key": key, "value": value} for key, value in values.items()]


def online(**values: str) -> list[dict[str, str]]:
    """Settings rows of a phone with a network connection, and others."""
    return settings(**{"mobile_data": "on", "airplane_mode": "off", **values})


def phone(**values: str) -> Rows:
    """The patch of a phone with these settings; a value may be a slot."""
    return {"settings": settings(**values)}


def answered(*mentions: list[str], reads: tuple[str, ...] = ()) -> BehaviorCriteria:
    """The answer names one of each group, nothing was written, and the tools were asked first."""
    return BehaviorCriteria(reads=list(reads), mentions=list(mentions), intent=Intent.FINISH)


def answered_by(*mentions: list[str], routes: Sequence[ToolStep]) -> BehaviorCriteria:
    """The answer names one of each group after one of the look-ups; nothing was written."""
    return BehaviorCriteria(routes=list(routes), mentions=list(mentions), intent=Intent.FINISH)


def asked(*mentions: list[str], routes: tuple[ToolStep, ...] = (), reads: tuple[str, ...] = ()) -> BehaviorCriteria:
    """A question that names one of each group ends the episode, after one of the routes; nothing was written."""
    return BehaviorCriteria(routes=list(routes), reads=list(reads), mentions=list(mentions), intent=Intent.ASK)


def declined(*mentions: list[str], routes: tuple[ToolStep, ...] = ()) -> BehaviorCriteria:
    """A refusal that names one of each group ends the episode; nothing was written."""
    return BehaviorCriteria(routes=list(routes), mentions=list(mentions), intent=Intent.REFUSE)


def step(tool: str, /, **arguments: Any) -> ToolStep:
    """An annotated call of a route."""
    return ToolStep(name=tool, arguments=arguments)


def past_turn(request: str, tool: str, arguments: dict[str, Any], data: dict[str, Any], reply: str) -> list[Message]:
    """An earlier exchange with one call, for `Draft.history`; the patch must hold what it did."""
    call = ToolCall(id="past_0", name=tool, arguments=arguments)
    result = {"success": True, "message": "Done", "data": data}
    return [
        Message(role=Role.USER, content=request),
        Message(role=Role.ASSISTANT, calls=[call]),
        Message(role=Role.TOOL, content=to_json(result).decode(), call_id="past_0", name=tool),
        Message(role=Role.ASSISTANT, content=reply),
    ]


def talk(*turns: str) -> list[Message]:
    """Earlier words without calls: user, assistant, user, assistant..., for `Draft.history`."""
    roles = (Role.USER, Role.ASSISTANT)
    return [Message(role=roles[i % 2], content=text) for i, text in enumerate(turns)]


def spoken_day(rng: Draw, day: str) -> str:
    """A date YYYY-MM-DD of this year as a person says it."""
    moment = date.fromisoformat(day)
    return rng.say(f"{moment:%B} {moment.day}", f"{moment.month}月{moment.day}日")
