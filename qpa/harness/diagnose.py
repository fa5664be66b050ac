"""Why an episode failed: one side and one class of method part A8.5, found by rules over observable evidence.

The rules are ordered from what the planner could not help (environment, harness) to what it did (model). They name
the most upstream cause; a diagnosis is a hint for data and instruction work, not a verdict.
"""

from __future__ import annotations

import enum
import itertools
from collections import Counter
from collections.abc import Iterable

from qpa.contract import (
    BehaviorCriteria,
    CallTools,
    Effect,
    ErrorType,
    Feedback,
    Record,
    Reply,
    StopReason,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolSpec,
    Trajectory,
    to_json,
)
from qpa.harness.adapter import SKILL_PROTOCOL


class Side(enum.StrEnum):
    MODEL = "model"
    HARNESS = "harness"
    ENVIRONMENT = "environment"
    NONE = "none"


MODEL_CLASSES = (
    "task_decomposition",
    "route_selection",
    "argument_grounding",
    "state_tracking",
    "error_recovery",
    "task_closure",
)
HARNESS_CLASSES = ("skill_guidance", "tool_exposure", "retrieval", "stale_memory", "feedback_format")
_RECOVERABLE = (ErrorType.UNAVAILABLE, ErrorType.TIMEOUT, ErrorType.CONFLICT, ErrorType.INTERNAL)
_LIMITS = (StopReason.TURN_LIMIT, StopReason.TOKEN_LIMIT, StopReason.CONTEXT_LIMIT, StopReason.DEADLINE)


class Diagnosis(Record):
    """`cls` is a class of A8.5, for `environment` the name of the stop, for `none` "success" or "unverified"."""

    task_id: str
    side: Side
    cls: str
    evidence: list[str]
    domain: str = ""


def diagnose(trajectory: Trajectory, task: TaskSpec, catalog: Iterable[ToolSpec] = ()) -> Diagnosis:
    """Explains one episode.

    Args:
      catalog: deployed tools, for their declared effects; a tool that is not in it is taken to write.
    """
    if not trajectory.valid:
        return _found(task, Side.ENVIRONMENT, trajectory.stop.value, trajectory.invalid_reason)
    if trajectory.verdict is None:
        return _found(task, Side.NONE, "unverified", "the episode was not verified")
    if trajectory.verdict.success:
        return _found(task, Side.NONE, "success", "all checks passed")
    episode = _Episode(trajectory, task, {spec.name: spec.effect for spec in catalog})
    for rule in (_tool_exposure, _memory, _skill, _feedback_format, _recovery, _route, _state, _arguments, _parts):
        if found := rule(episode):
            return found
    return _closure(episode)


def summarise(diagnoses: Iterable[Diagnosis]) -> dict[str, int]:
    """Counts by "side/class", most frequent first."""
    counts = Counter(f"{d.side.value}/{d.cls}" for d in diagnoses)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


class _Episode:
    """The facts that the rules share."""

    def __init__(self, trajectory: Trajectory, task: TaskSpec, effects: dict[str, Effect]) -> None:
        self.trajectory = trajectory
        self.task = task
        self.effects = effects
        self.pairs: list[tuple[ToolCall, Feedback]] = []
        for step in trajectory.steps:
            results = {feedback.call_id: feedback for feedback in step.feedback}
            if isinstance(step.action, CallTools):
                self.pairs += [(call, results[call.id]) for call in step.action.calls if call.id in results]
        self.called = {call.name for call, _ in self.pairs}
        self.succeeded = {call.name for call, feedback in self.pairs if feedback.ok}
        self.needed, self.any_route = _needed_tools(task)
        last = trajectory.steps[-1].action if trajectory.steps else None
        self.reply = last if isinstance(last, Reply) else None

        self.unreadable = [
            any(not error.startswith("repaired: ") for error in step.parse_errors) for step in trajectory.steps
        ]

    def failed(self, *prefixes: str) -> list[str]:
        """The failed checks whose names start with one of `prefixes`, with details."""
        checks = self.trajectory.verdict.checks if self.trajectory.verdict else []
        return [f"{c.name}: {c.detail}" for c in checks if not c.passed and c.name.startswith(prefixes)]


def _needed_tools(task: TaskSpec) -> tuple[list[str], list[str]]:
    """Tools that all are needed, and tools of which one is enough."""
    criteria = task.criteria
    if isinstance(criteria, ToolCriteria):
        return list(dict.fromkeys(step.name for step in criteria.steps)), []
    if isinstance(criteria, BehaviorCriteria):
        return list(criteria.reads), [step.name for step in criteria.routes]
    return [], []


def _found(task: TaskSpec, side: Side, cls: str, *evidence: str) -> Diagnosis:
    return Diagnosis(task_id=task.id, side=side, cls=cls, evidence=[e for e in evidence if e], domain=task.domain)


# --- harness ---


def _tool_exposure(e: _Episode) -> Diagnosis | None:
    visible = set(e.trajectory.tools) | e.called
    if e.task.resources.skills:
        return None  # loaders could still have exposed them, so this was the planner's choice
    hidden = [name for name in e.needed if name not in visible]
    if e.any_route and not visible.intersection(e.any_route):
        hidden += e.any_route
    return _found(e.task, Side.HARNESS, "tool_exposure", f"never visible: {', '.join(hidden)}") if hidden else None


def _memory(e: _Episode) -> Diagnosis | None:
    for _, feedback in e.pairs:
        for item in _items(feedback):
            if item.get("superseded_by") or item.get("superseded") is True:
                return _found(e.task, Side.HARNESS, "stale_memory", f"shown superseded {item.get('memory_id', '?')}")
    missed = [m for m in e.task.required_memories if m not in e.trajectory.retrieved_memories]
    if not missed:
        return None
    searches = [feedback for call, feedback in e.pairs if call.name == "search_user_memory" and feedback.ok]
    if searches:
        return _found(e.task, Side.HARNESS, "retrieval", f"{len(searches)} searches did not return {', '.join(missed)}")
    return _found(e.task, Side.MODEL, "route_selection", f"memory was not searched for {', '.join(missed)}")


def _skill(e: _Episode) -> Diagnosis | None:
    for call, feedback in e.pairs:
        if feedback.ok and feedback.payload.get("unknown_tools"):
            return _found(e.task, Side.HARNESS, "skill_guidance", f"{call.name} names tools that do not exist")
    missing = [s for s in e.task.required_skills if s not in e.trajectory.loaded_skills]
    if not missing:
        return None
    unexposed = [s for s in missing if s not in e.task.resources.skills]
    if unexposed:
        return _found(e.task, Side.HARNESS, "tool_exposure", f"no loader for {', '.join(unexposed)}")
    first = e.trajectory.steps[0].observation if e.trajectory.steps else []
    if not any(SKILL_PROTOCOL in message.content for message in first):
        return _found(e.task, Side.HARNESS, "skill_guidance", f"no protocol; not loaded: {', '.join(missing)}")
    return _found(e.task, Side.MODEL, "route_selection", f"skill not loaded: {', '.join(missing)}")


def _feedback_format(e: _Episode) -> Diagnosis | None:
    silent = [call.name for call, feedback in e.pairs if not feedback.ok and not feedback.payload.get("error")]
    if silent:
        return _found(e.task, Side.HARNESS, "feedback_format", f"errors without a reason: {', '.join(silent)}")
    return None


# --- model ---


def _recovery(e: _Episode) -> Diagnosis | None:
    if any(a and b for a, b in itertools.pairwise(e.unreadable)):
        return _found(e.task, Side.MODEL, "error_recovery", "unreadable calls again after the error was explained")
    failed = Counter(call.name + to_json(call.arguments).decode() for call, f in e.pairs if not f.ok)
    repeated = [key for key, count in failed.items() if count > 1]
    if repeated:
        return _found(e.task, Side.MODEL, "error_recovery", f"repeated a failed call: {repeated[0][:120]}")
    if e.pairs and not e.pairs[-1][1].ok and e.pairs[-1][0].name not in e.succeeded:
        call, feedback = e.pairs[-1]
        if feedback.error_type in _RECOVERABLE:
            return _found(e.task, Side.MODEL, "error_recovery", f"gave up after {call.name}: {feedback.code}")
    return None


def _route(e: _Episode) -> Diagnosis | None:
    if not e.called:
        return None  # nothing was tried: closing too early is the cause
    unknown = [call.name for call, f in e.pairs if f.error_type is ErrorType.UNKNOWN_TOOL]
    if unknown:
        return _found(e.task, Side.MODEL, "route_selection", f"not available: {', '.join(unknown)[:120]}")
    needed = [*e.needed, *e.any_route]
    if needed and not e.called.intersection(needed):
        called = ", ".join(sorted(e.called))
        return _found(e.task, Side.MODEL, "route_selection", f"called {called}, needed {', '.join(needed)}")
    return None


def _state(e: _Episode) -> Diagnosis | None:
    extra = e.failed("no_")
    # A change that is missing while another one is there was made with wrong values, not once too often.
    if extra and not e.failed("call:", "change:", "payload:", "route", "read:"):
        return _found(e.task, Side.MODEL, "state_tracking", *extra)
    done = Counter(call.name + to_json(call.arguments).decode() for call, f in e.pairs if f.ok and _writes(e, call))
    again = [key for key, count in done.items() if count > 1]
    if again:
        return _found(e.task, Side.MODEL, "state_tracking", f"repeated a finished call: {again[0][:120]}")
    return None


def _arguments(e: _Episode) -> Diagnosis | None:
    for call, feedback in reversed(e.pairs):
        wrong = feedback.error_type in (ErrorType.INVALID_ARGUMENT, ErrorType.NOT_FOUND)
        if wrong and call.name not in e.succeeded:
            return _found(e.task, Side.MODEL, "argument_grounding", f"{call.name}: {feedback.payload.get('error', '')}")
    if any(e.unreadable) and not e.succeeded:
        return _found(e.task, Side.MODEL, "argument_grounding", "no readable call succeeded")
    if not e.called:
        return None
    wrong_values = e.failed("no_") and e.failed("call:", "change:")
    complete = isinstance(e.task.criteria, ToolCriteria) and set(e.needed) <= e.succeeded
    if wrong_values or e.failed("payload:") or (complete and e.failed("call:")):
        return _found(e.task, Side.MODEL, "argument_grounding", *e.failed(""))
    return None


def _parts(e: _Episode) -> Diagnosis | None:
    missing = [name for name in e.needed if name not in e.succeeded]
    if e.called and (missing or e.failed("change:")):
        left = ", ".join(missing) or "part of the state"
        return _found(e.task, Side.MODEL, "task_decomposition", f"not done: {left}")
    return None


def _closure(e: _Episode) -> Diagnosis:
    if e.trajectory.stop in _LIMITS:
        return _found(e.task, Side.MODEL, "task_closure", f"never closed: {e.trajectory.stop.value}")
    said = f"ended by {e.reply.intent.value} without a call" if e.reply and not e.called else "wrong closing reply"
    return _found(e.task, Side.MODEL, "task_closure", said, *e.failed(""))


def _writes(e: _Episode, call: ToolCall) -> bool:
    if call.name.startswith("skill__") or str(call.arguments.get("action", "")).startswith("query"):
        return False
    return e.effects.get(call.name, Effect.REVERSIBLE) is not Effect.READ


def _items(feedback: Feedback) -> list[dict]:
    data = feedback.payload.get("data")
    items = data.get("items") if isinstance(data, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
