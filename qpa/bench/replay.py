"""Runs a fixed list of actions: the driver of oracles, of mutants in tests, and of the flywheel's scripted experts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

import msgspec

from qpa.contract import (
    Action,
    CallTools,
    Cost,
    Env,
    Feedback,
    Intent,
    Message,
    Provenance,
    Role,
    Step,
    StopReason,
    TaskSpec,
    Trajectory,
)

T = TypeVar("T")
_STOPS = {Intent.FINISH: StopReason.FINISHED, Intent.ASK: StopReason.ASKED, Intent.REFUSE: StopReason.REFUSED}


async def run_actions(env: Env, task: TaskSpec, actions: Sequence[Action], source: str = "scripted") -> Trajectory:
    """Plays `actions` in order on a fresh session and verifies the result.

    The run stops at the first reply; without one the trajectory ends by `turn_limit`. Token fields stay empty: no
    model was asked. May raise `EnvFailure`.
    """
    session = await env.reset(task)
    try:
        steps: list[Step] = []
        stop = StopReason.TURN_LIMIT
        observation = [*task.history, Message(role=Role.USER, content=task.goal)]
        for index, action in enumerate(actions[: task.limits.turns]):
            text = "" if isinstance(action, CallTools) else action.text
            step = Step(index=index, observation=observation, text=text, action=action)
            steps.append(step)
            if not isinstance(action, CallTools):
                stop = _STOPS[action.intent]
                break
            step.feedback = await env.step(session, action.calls)
            observation = [_answer(f) for f in step.feedback]
        trajectory = Trajectory(
            task=task,
            steps=steps,
            stop=stop,
            policy=source,
            tools=list(task.resources.tools),
            cost=_cost(steps),
            provenance=Provenance(source=source),
        )
        trajectory.verdict = await env.verify(session, trajectory)
        return trajectory
    finally:
        await env.close(session)


def run_now(coroutine: Coroutine[Any, Any, T]) -> T:
    """Result of a coroutine that never waits (sandbox without hanging faults), with or without a running loop.

    Raises RuntimeError if it does wait: then it needs an event loop.
    """
    try:
        coroutine.send(None)
    except StopIteration as finished:
        return finished.value
    coroutine.close()
    raise RuntimeError("run_now: the coroutine waits for something; await it in an event loop instead")


def _answer(feedback: Feedback) -> Message:
    content = msgspec.json.encode(feedback.payload).decode()
    return Message(role=Role.TOOL, content=content, call_id=feedback.call_id, name=feedback.name)


def _cost(steps: Sequence[Step]) -> Cost:
    names = [c.name for s in steps if isinstance(s.action, CallTools) for c in s.action.calls]
    return Cost(tool_calls=len(names), turns=len(steps), by_tool=dict(sorted(Counter(names).items())))
