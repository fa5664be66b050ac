"""What a task family is: a seeded recipe for a task and its scripted expert.

A family never writes expected database rows. It writes the expert as a *plan* (a generator that yields blocks of calls,
receives their feedback and returns the final reply); the suite runs it once in the sandbox and takes the state delta,
the annotated calls and the concrete actions from that run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, Literal

from qpa.bench.families.values import Draw
from qpa.contract import BehaviorCriteria, Dimension, Fault, Feedback, Intent, Message, Reply
from qpa.envs.sandbox.schema import World

Call = tuple[str, dict[str, Any]]
Plan = Generator[list[Call], list[Feedback], Reply]
Routing = Literal["none", "mtsr", "sor"]
Unseen = Literal["", "family", "tool", "app"]


@dataclass
class Draft:
    """One instance of a family before it becomes a `TaskSpec`.

    `criteria`: "state" takes the delta of the plan's run, "tool" the annotated calls of `annotated` tools (default:
    every call of the run), or explicit behaviour criteria.
    """

    phrasings: tuple[str, ...]  # at least three ways a person would say it; tests keep the last one to themselves
    plan: Callable[[], Plan]
    slots: dict[str, Any] = field(default_factory=dict)
    criteria: Literal["state", "tool"] | BehaviorCriteria = "state"
    annotated: tuple[str, ...] = ()
    patch: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    history: list[Message] = field(default_factory=list)
    denied: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    memories: tuple[str, ...] = ()  # M*: must have been retrieved
    skills: tuple[str, ...] = ()  # s*: must have been loaded
    routing: Routing = "none"  # skill tasks: loaders only (SOR) or tools and loaders (MTSR)
    shown: tuple[str, ...] = ()  # tools visible besides those the plan uses
    hidden: tuple[str, ...] = ()  # tools that must not be drawn as distractors
    chinese: tuple[str, ...] = ()  # the same request in Chinese, with the same slots
    alternatives: tuple[Callable[[], Plan], ...] = ()  # other plans that are right too; they verify the verifier


@dataclass(frozen=True)
class Family:
    """A named recipe. An `unseen` one exists only in tests: nothing trains its shape, one of its tools, or its app."""

    name: str
    dimension: Dimension
    domain: str
    capabilities: tuple[str, ...]
    generate: Callable[[Draw, World], Draft]
    unseen: Unseen = ""
    variants: int = 1  # kinds of instances that its consecutive seeds go through, see `mobile.common.one_of`


def do(tool: str, /, **arguments: Any) -> Call:
    """One call of a plan."""
    return tool, arguments


def done(text: str) -> Reply:
    """The final reply of a finished task."""
    return Reply(text=text)


def ask(text: str) -> Reply:
    """A final question; by the reply rule it ends with a question mark."""
    return Reply(text=text, intent=Intent.ASK)


def refuse(text: str) -> Reply:
    """A final refusal; by the reply rule it starts with "I can't"."""
    return Reply(text=text, intent=Intent.REFUSE)


def family(
    name: str, dimension: Dimension, domain: str, *capabilities: str, unseen: Unseen = "", variants: int = 1
) -> Callable[[Callable[[Draw, World], Draft]], Family]:
    """Makes a `Family` of a generator function."""

    def wrap(generate: Callable[[Draw, World], Draft]) -> Family:
        return Family(name, dimension, domain, capabilities, generate, unseen, variants)

    return wrap
