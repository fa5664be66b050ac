"""Turns tool calls into feedback: validate everything first, dispatch what is valid, never raise.

A call that fails validation never reaches the backend, so it cannot change anything. The call id is the idempotency
key: a backend that sees an id again must answer from its record.
"""

from __future__ import annotations

import asyncio
import difflib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qpa.contract import (
    Env,
    EnvFailure,
    ErrorType,
    FailureCause,
    Feedback,
    ToolCall,
    ToolKind,
    ToolSpec,
    error_feedback,
)
from qpa.harness.deadline import EpisodeCancelled, bounded
from qpa.harness.schema import argument_errors, clip, listed

_NAMES_SHOWN = 8  # visible tools named in an unknown-tool message, closest first


@dataclass
class Execution:
    """Outcome of one block: one feedback per call in call order; `failure` names a broken backend."""

    feedback: list[Feedback] = field(default_factory=list)
    failure: str = ""
    cancelled: bool = False
    seconds: float = 0.0  # spent waiting for the backend


class Executor:
    """Executes one session's calls.

    Args:
      env: the backend.
      session: its live session.
      call_timeout_s: longest wait for one block of parallel calls.
    """

    def __init__(
        self, env: Env, session: Any, *, call_timeout_s: float = 30.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._env = env
        self._session = session
        self._call_timeout_s = call_timeout_s
        self._clock = clock

    async def execute(
        self,
        calls: Sequence[ToolCall],
        visible: Mapping[str, ToolSpec],
        *,
        remaining_s: float,
        cancel: asyncio.Event | None = None,
    ) -> Execution:
        """Runs one parallel block within `min(call_timeout_s, remaining_s)`; backend trouble is in the result."""
        rejected = {call.id: problem for call in calls if (problem := _rejection(call, visible))}
        valid = [call for call in calls if call.id not in rejected]
        result = Execution()
        answered: dict[str, Feedback] = {}
        if valid:
            started = self._clock()
            timeout = min(self._call_timeout_s, remaining_s)
            try:
                answers = await bounded(self._env.step(self._session, valid), timeout, cancel)
                answered = {answer.call_id: answer for answer in answers}
                result.failure = _mismatch(valid, answered, len(answers))
            except TimeoutError:
                answered = {call.id: timeout_feedback(call, timeout) for call in valid}
            except EpisodeCancelled:
                result.cancelled = True
            except Exception as e:
                # Whatever a backend throws (its own EnvFailure or a bug) means that this episode cannot be judged.
                result.failure = failure_reason("step", e)
            result.seconds = self._clock() - started
        merged = rejected | answered
        result.feedback = [merged[call.id] for call in calls if call.id in merged]
        return result


def failure_reason(where: str, error: Exception) -> str:
    """One line for a record's `invalid_reason`, e.g. "reset: EnvFailure/capacity: no free session"."""
    kind = f"{EnvFailure.__name__}/{error.cause.value}" if isinstance(error, EnvFailure) else type(error).__name__
    return " ".join(f"{where}: {kind}: {error}".split())


def failure_cause(reason: str) -> str:
    """The cause named in a `failure_reason`, "deadline" where the backend did not answer; "" if it names none."""
    kind = reason.partition(": ")[2].partition(":")[0]
    if kind == TimeoutError.__name__:
        return FailureCause.DEADLINE.value
    name, _, cause = kind.partition("/")
    return cause if name == EnvFailure.__name__ and cause in list(FailureCause) else ""


def timeout_feedback(call: ToolCall, seconds: float) -> Feedback:
    """What the planner reads when the backend did not answer; the effect is unknown and the text says so."""
    text = f"no answer in {max(seconds, 0):.3g} s; it may or may not have run"
    return error_feedback(call.id, call.name, ErrorType.TIMEOUT, text)


def _rejection(call: ToolCall, visible: Mapping[str, ToolSpec]) -> Feedback | None:
    spec = visible.get(call.name)
    if spec is None:
        return error_feedback(call.id, call.name, ErrorType.UNKNOWN_TOOL, _unknown_tool(call.name, visible))
    errors = argument_errors(call.arguments, spec.parameters)
    if errors:
        return error_feedback(call.id, call.name, ErrorType.INVALID_ARGUMENT, "; ".join(errors))
    return None


def _unknown_tool(name: str, visible: Mapping[str, ToolSpec]) -> str:
    shown_name = clip(name)
    if not visible:
        return f"no tool {shown_name}; no tools are available, answer in words"
    close = difflib.get_close_matches(name, visible, n=_NAMES_SHOWN, cutoff=0.5)
    names = [*close, *(other for other in visible if other not in close)]
    shown = ", ".join(names[:_NAMES_SHOWN]) + (" ..." if len(names) > _NAMES_SHOWN else "")
    loaders = [spec.name for spec in visible.values() if spec.kind is ToolKind.SKILL]
    hint = f"; more by {listed(loaders)}" if loaders and len(names) > _NAMES_SHOWN else ""
    return f"no tool {shown_name}; available: {shown}{hint}"


def _mismatch(calls: Sequence[ToolCall], answered: Mapping[str, Feedback], count: int) -> str:
    missing = [call.id for call in calls if call.id not in answered]
    if missing or count != len(calls):
        return f"step: {count} results for {len(calls)} calls (missing: {listed(missing) or 'none'})"
    return ""
