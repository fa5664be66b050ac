"""What the families of the suite "mobile" share: one-call requests, settings, and criteria of questions and answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from qpa.bench.families.base import Draft, Plan, do, done
from qpa.bench.families.values import Draw
from qpa.contract import BehaviorCriteria, Intent, Message, Role, ToolCall, ToolStep, to_json
from qpa.envs.sandbox.schema import World

Rows = dict[str, list[dict[str, Any]]]
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
    """A draft of the request whose turn it is.

    The family says `variants=len(requests)`, so that tests try every one.
    """
    request = requests[rng.turn % len(requests)]
    slots = {**request.arguments, **(request.draw(rng, world) if request.draw else {})}

    def plan() -> Plan:
        yield [do(request.tool, **slots)]
        return done(rng.say(*request.says).format(**slots))

    return Draft(
        phrasings=request.english,
        chinese=request.chinese,
        slots=slots,
        plan=plan,
        patch=request.patch,
        criteria=request.criteria,
    )


def settings(**values: str) -> list[dict[str, str]]:
    """Rows of the table `settings`, for a patch."""
    return [{"key": key, "value": value} for key, value in values.items()]


def online(**values: str) -> list[dict[str, str]]:
    """Settings rows of a phone with a network connection, and others."""
    return settings(**{"mobile_data": "on", "airplane_mode": "off", **values})


def answered(*mentions: list[str], reads: tuple[str, ...] = ()) -> BehaviorCriteria:
    """The answer names one of each group, nothing was written, and the tools were asked first."""
    return BehaviorCriteria(reads=list(reads), mentions=list(mentions), intent=Intent.FINISH)


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
