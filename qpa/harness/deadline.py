"""Bounded waiting: no backend or model can hold an episode beyond its time, even one that ignores cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

CLEANUP_S = 1.0  # how long a cancelled call may take to tidy up before it is abandoned


class EpisodeCancelled(Exception):  # noqa: N818 - not an error: someone asked the episode to stop
    """The caller's cancel event was set while waiting."""


async def bounded(work: Coroutine[Any, Any, T], seconds: float, cancel: asyncio.Event | None = None) -> T:
    """Awaits `work` for at most `seconds`.

    Raises:
      TimeoutError: time is over; `work` was cancelled, and abandoned if it did not react.
      EpisodeCancelled: `cancel` was set first.
      Exception: whatever `work` raised, a `TimeoutError` of its own as `WorkTimeout`.
    """
    if cancel is not None and cancel.is_set():
        work.close()
        raise EpisodeCancelled
    task = asyncio.ensure_future(work)
    stop = asyncio.ensure_future(cancel.wait()) if cancel is not None else None
    try:
        await asyncio.wait({task, stop} if stop else {task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return _result(task)
        if stop is not None and stop.done():
            raise EpisodeCancelled
        raise TimeoutError(f"no answer within {max(seconds, 0):.3g} s")
    finally:
        if stop is not None:
            stop.cancel()
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=CLEANUP_S)
            task.add_done_callback(_swallow)


async def within(work: Coroutine[Any, Any, T], seconds: float, cancel: asyncio.Event | None = None) -> T:
    """Like `bounded`, for work that is trusted to react to cancellation: no task of its own, so no detour through the
    event loop. A batching engine waits only a few turns of the loop for the next request of a finished one.
    """
    if cancel is not None:
        return await bounded(work, seconds, cancel)
    try:
        async with asyncio.timeout(seconds) as scope:
            return await work
    except TimeoutError as e:
        if scope.expired():
            raise TimeoutError(f"no answer within {max(seconds, 0):.3g} s") from None
        raise WorkTimeout(f"the call timed out by itself: {e}") from e


class WorkTimeout(Exception):  # noqa: N818 - keeps the callee's timeouts apart from ours
    """The awaited work itself raised `TimeoutError` or was cancelled from inside."""


def _result(task: asyncio.Future[T]) -> T:
    if task.cancelled():
        raise WorkTimeout("the call cancelled itself")
    error = task.exception()
    if isinstance(error, TimeoutError):
        raise WorkTimeout(f"the call timed out by itself: {error}") from error
    return task.result()


def _swallow(task: asyncio.Future[Any]) -> None:
    # An abandoned call may still fail later; nobody is left to hear it.
    if not task.cancelled():
        task.exception()
