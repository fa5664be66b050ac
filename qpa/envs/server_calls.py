"""One backend call under a deadline that holds: a call that does not end is given up, not waited for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.server_messages import Refusal
from qpa.envs.server_metrics import log


class Call:
    """A running backend call.

    Attributes:
      answer: resolves at the end or at the deadline, whichever is first; every repeat of the request waits for it.
      began: the backend has it; before that (waiting for the session's lock) a deadline breaks nothing.
      abandoned: the deadline has passed and the backend still has not ended.
    """

    def __init__(
        self,
        operation: str,
        work: Callable[[Call], Awaitable[Any]],
        seconds: float,
        *,
        answer: asyncio.Future[Any],
        settle: Callable[[Any], Any],
        late: Callable[[Any], None] | None = None,
        expired: Callable[[Call, Refusal], None] | None = None,
    ) -> None:
        """`settle` makes the answer of a result; `late` gets a result that came after the deadline."""
        self.operation, self.answer = operation, answer
        self.began = self.abandoned = False
        self._seconds, self._settle, self._late, self._expired = seconds, settle, late, expired
        loop = asyncio.get_running_loop()
        answer.add_done_callback(_retrieve)
        self.task: asyncio.Task[Any] = loop.create_task(_run(work, self))
        self._timer = loop.call_later(seconds, self._expire)
        self.task.add_done_callback(self._ended)

    def fail(self, failure: Refusal) -> None:
        """Answers with a failure now and gives the call up."""
        if not self.answer.done():
            self.abandoned = True
            self.answer.set_exception(failure)
            self._timer.cancel()
            self.task.cancel()

    def _expire(self) -> None:
        state = "may or may not have run" if self.began else "did not run: another call of the session did not end"
        failure = Refusal(f"no answer in {self._seconds:.3g} s; it {state}", FailureCause.DEADLINE, self.operation)
        self.fail(failure)
        if self._expired is not None:
            self._expired(self, failure)

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._timer.cancel()
        self.abandoned = False
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if self.answer.done():
            if error is None and self._late is not None:
                self._late(task.result())
        elif error is not None:
            self.answer.set_exception(refusal_of(error, self.operation))
        else:
            try:
                self.answer.set_result(self._settle(task.result()))
            except Exception as e:
                self.answer.set_exception(refusal_of(e, self.operation))


async def _run(work: Callable[[Call], Awaitable[Any]], call: Call) -> Any:
    return await work(call)


def _retrieve(answer: asyncio.Future[Any]) -> None:
    if not answer.cancelled():
        answer.exception()  # marks it as seen: the caller may be gone


def refusal_of(error: BaseException, operation: str) -> Refusal:
    """What the caller reads of whatever a backend raised; a bug of the backend keeps its traceback in the log."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, EnvFailure):
        return Refusal(str(error), error.cause, operation)
    log(logging.ERROR, "backend raised", op=operation, trace=error)
    return Refusal(f"{type(error).__name__}: {error}", FailureCause.BACKEND, operation)
