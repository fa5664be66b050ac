"""What the server does, whatever the transport: every operation under a deadline, exactly once, on a held lease."""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from qpa.contract import EnvFailure, FailureCause, ToolSpec
from qpa.envs import server_messages as m
from qpa.envs.base import Backend
from qpa.envs.server_calls import Call, refusal_of
from qpa.envs.server_leases import KEPT_RESETS, Journal, Lease, Leases
from qpa.envs.server_messages import Refusal
from qpa.envs.server_metrics import Metrics, log, short

_DEADLINES = {"reset": 60.0, "step": 60.0, "verify": 60.0, "fork": 30.0, "close": 10.0}
_SETTLING_S = 1.0  # how long closing at the end waits for abandoned calls


@dataclass(frozen=True)
class ServerLimits:
    """What the server grants.

    Attributes:
      max_sessions: leased at a time.
      idle_s: a lease ends after so many seconds without a call.
      deadlines_s: longest time of each operation; a caller may ask for less.
      max_bytes: of one request body or frame.
      max_in_flight: requests of one WebSocket connection at a time; more wait unread.
    """

    max_sessions: int = 64
    idle_s: float = 600.0
    deadlines_s: dict[str, float] = field(default_factory=lambda: dict(_DEADLINES))
    max_bytes: int = m.MAX_BYTES
    max_in_flight: int = 1024

    def __post_init__(self) -> None:
        for name in ("max_sessions", "idle_s", "max_bytes", "max_in_flight"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; want more than 0")
        if self.deadlines_s.keys() != _DEADLINES.keys() or not all(s > 0 for s in self.deadlines_s.values()):
            raise ValueError(f"deadlines_s {self.deadlines_s}: want seconds above 0 for {', '.join(_DEADLINES)}")


class Service:
    """Serves one backend. Create, `start` and `stop` it on the event loop that calls it."""

    def __init__(
        self,
        backend: Backend,
        limits: ServerLimits,
        metrics: Metrics | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.backend, self.limits = backend, limits
        self.metrics = metrics or Metrics()
        self.leases = Leases(limits.max_sessions, clock)
        self.closing = False
        self._clock = clock
        self._capabilities = backend.capabilities()
        self._resets = Journal(keep=KEPT_RESETS, most=KEPT_RESETS, forget=True)
        self._tools: list[ToolSpec] | None = None
        self._calls: set[Call] = set()
        self._background: set[asyncio.Task[Any]] = set()
        self.metrics.capacity.set(limits.max_sessions)
        self.metrics.sessions.set_function(lambda: len(self.leases))
        self.metrics.lingering.set_function(lambda: sum(c.abandoned for c in self._calls))
        self._handlers: dict[type, Callable[[str, Any], Awaitable[Any]]] = {
            m.ResetRequest: self._reset,
            m.StepRequest: self._step,
            m.VerifyRequest: self._verify,
            m.ForkRequest: self._fork,
            m.AdoptRequest: self._adopt,
            m.CloseRequest: self._close,
            m.HeartbeatRequest: self._heartbeat,
            m.ListRequest: self._list,
            m.CatalogRequest: self._catalog,
            m.AboutRequest: self._about,
            m.SupportsRequest: self._supports,
        }

    # --- life ---

    def start(self) -> None:
        """Starts the idle reaper."""
        self.spawn(self._reap())

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Runs something beside the requests; it ends with the service."""
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    async def drain(self, grace_s: float) -> None:
        """Refuses new work, waits so long for what runs, and fails the rest."""
        self.closing = True
        if running := [call.task for call in self._calls]:
            await asyncio.wait(running, timeout=grace_s)
        for call in list(self._calls):
            call.fail(Refusal("the server is stopping", FailureCause.TRANSIENT, call.operation))

    async def stop(self) -> None:
        """Fails what still runs and closes every session."""
        await self.drain(0.0)
        for task in list(self._background):
            task.cancel()
        await asyncio.gather(*(self._end(lease, "stop") for lease in self.leases.all()))
        if left := [call.task for call in self._calls]:
            await asyncio.wait(left, timeout=_SETTLING_S)
        log(logging.INFO, "stopped", lingering=len(self._calls))

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(min(self.limits.idle_s / 4, 5.0))
            for lease in self.leases.idle(self.limits.idle_s):
                self.metrics.reaped.inc()
                self.spawn(self._end(lease, "idle"))

    async def _end(self, lease: Lease, why: str) -> bool:
        """Ends a lease and closes its session; a session that cannot be closed is logged and given up."""
        if not self.leases.remove(lease):
            return False
        log(logging.INFO, "session ended", session=short(lease.id), owner=lease.owner, why=why)
        if lease.broken is None:
            await self._close_session(lease.session)
        return True

    async def _close_session(self, session: Any) -> None:
        answer = asyncio.get_running_loop().create_future()
        self._call("close", lambda call: self.backend.close(session), self.limits.deadlines_s["close"], answer)
        try:
            await asyncio.shield(answer)
        except EnvFailure as e:
            log(logging.WARNING, "close failed", cause=e.cause, message=str(e))

    def _close_later(self, session: Any) -> None:
        self.spawn(self._close_session(session))

    # --- operations ---

    async def handle(self, owner: str, request: Any) -> Any:
        """Answers one request. Raises `Refusal`, and nothing else, whatever the backend does."""
        operation = m.OPERATION_OF[type(request)]
        begin = time.perf_counter()
        try:
            if self.closing:
                raise Refusal("the server is stopping", FailureCause.TRANSIENT, operation, retry_after_s=1.0)
            result = await self._handlers[type(request)](owner, request)
        except Refusal as e:
            self.metrics.done(operation, time.perf_counter() - begin, e.cause)
            log(logging.WARNING, "refused", op=operation, owner=owner, cause=e.cause, what=e.what, message=str(e))
            raise
        self.metrics.done(operation, time.perf_counter() - begin)
        return result

    async def _reset(self, owner: str, request: m.ResetRequest) -> m.LeaseAnswer:
        key, digest = (owner, request.request_id), m.fingerprint(request)
        answer = self._replay(self._resets, key, digest, "reset")
        if answer is None:
            if reason := self._ask("supports", partial(self.backend.supports, request.task)):
                raise Refusal(reason, FailureCause.UNSUPPORTED, "reset")
            self.leases.reserve("reset")
            answer = self._new_answer(self._release_if_failed)
            self._resets.add(key, digest, answer, "reset")
            self._call(
                "reset",
                lambda call: self.backend.reset(request.task),
                self._seconds("reset", request.deadline_s),
                answer,
                settle=lambda session: self._granted(owner, session, request.task.id),
                late=self._close_later,
            )
        return await asyncio.shield(answer)

    async def _step(self, owner: str, request: m.StepRequest) -> m.StepAnswer:
        def act(session: Any) -> Any:
            return self.backend.step(session, request.calls)

        return await self._once(owner, request, act, lambda feedback: m.StepAnswer(feedback=feedback))

    async def _verify(self, owner: str, request: m.VerifyRequest) -> m.VerifyAnswer:
        def act(session: Any) -> Any:
            return self.backend.verify(session, request.trajectory)

        return await self._once(owner, request, act, lambda verdict: m.VerifyAnswer(verdict=verdict))

    async def _fork(self, owner: str, request: m.ForkRequest) -> m.LeaseAnswer:
        if not self._capabilities.fork:
            raise Refusal(f"backend {self.backend.name} cannot fork", FailureCause.UNSUPPORTED, "fork")
        task = self.leases.hold(owner, request.session, request.epoch, "fork").task
        return await self._once(
            owner,
            request,
            lambda session: session.fork(),
            lambda twin: self._granted(owner, twin, task),
            late=self._close_later,
            new_session=True,
        )

    async def _adopt(self, owner: str, request: m.AdoptRequest) -> m.LeaseAnswer:
        lease = self.leases.find(owner, request.session, "adopt")
        digest = m.fingerprint(request)
        known = lease.journal.find(request.request_id, digest, "adopt")
        if known is None:
            known = asyncio.get_running_loop().create_future()
            lease.journal.add(request.request_id, digest, known, "adopt")
            lease.epoch += 1
            known.set_result(self._lease_answer(lease))
        return known.result()

    async def _close(self, owner: str, request: m.CloseRequest) -> m.CloseAnswer:
        try:
            lease = self.leases.hold(owner, request.session, request.epoch, "close")
        except Refusal:
            return m.CloseAnswer(closed=False)  # also for another's session: it stays as it is
        return m.CloseAnswer(closed=await self._end(lease, "closed"))

    async def _heartbeat(self, owner: str, request: m.HeartbeatRequest) -> m.HeartbeatAnswer:
        lost = []
        for held in request.leases:
            try:
                self.leases.hold(owner, held.session, held.epoch, "heartbeat")
            except Refusal:
                lost.append(held.session)
        return m.HeartbeatAnswer(lost=lost)

    async def _list(self, owner: str, request: m.ListRequest) -> m.ListAnswer:
        return m.ListAnswer(sessions=self.leases.of(owner))

    async def _catalog(self, owner: str, request: m.CatalogRequest) -> m.CatalogAnswer:
        if self._tools is None:
            self._tools = self._ask("catalog", self.backend.catalog)
        return m.CatalogAnswer(tools=self._tools)

    async def _about(self, owner: str, request: m.AboutRequest) -> m.AboutAnswer:
        return m.AboutAnswer(
            protocol=m.PROTOCOL,
            capabilities=self._capabilities,
            max_sessions=self.limits.max_sessions,
            idle_s=self.limits.idle_s,
            deadlines_s=self.limits.deadlines_s,
        )

    async def _supports(self, owner: str, request: m.SupportsRequest) -> m.SupportsAnswer:
        reasons = [self._ask("supports", partial(self.backend.supports, task)) for task in request.tasks]
        return m.SupportsAnswer(reasons=reasons)

    # --- how operations run ---

    async def _once(
        self,
        owner: str,
        request: m.SessionRequest,
        act: Callable[[Any], Any],
        settle: Callable[[Any], Any],
        *,
        late: Callable[[Any], None] | None = None,
        new_session: bool = False,
    ) -> Any:
        """Acts on a held session, one call at a time, or answers a repeat from record."""
        operation = m.OPERATION_OF[type(request)]
        lease = self.leases.hold(owner, request.session, request.epoch, operation)
        digest = m.fingerprint(request)
        answer = self._replay(lease.journal, request.request_id, digest, operation)
        if answer is None:
            if lease.broken is not None:
                raise Refusal(f"the session is broken: {lease.broken}", lease.broken.cause, operation)
            if new_session:
                self.leases.reserve(operation)
            answer = self._new_answer(self._release_if_failed if new_session else None)
            try:
                lease.journal.add(request.request_id, digest, answer, operation)
            except Refusal:
                if new_session:
                    self.leases.release()
                raise
            self._call(
                operation,
                lambda call: _alone(lease, call, act),
                self._seconds(operation, request.deadline_s),
                answer,
                settle=settle,
                late=late,
                expired=lambda call, failure: self._break(lease, call, failure),
            )
            lease.busy += 1
            answer.add_done_callback(lambda _: self._idle(lease))
        return await asyncio.shield(answer)

    def _replay(self, journal: Journal, key: Hashable, digest: bytes, operation: str) -> asyncio.Future[Any] | None:
        answer = journal.find(key, digest, operation)
        if answer is not None:
            self.metrics.replayed.inc()
        return answer

    def _new_answer(self, done: Callable[[asyncio.Future[Any]], None] | None) -> asyncio.Future[Any]:
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        if done is not None:
            answer.add_done_callback(done)
        return answer

    def _call(
        self,
        operation: str,
        work: Callable[[Call], Awaitable[Any]],
        seconds: float,
        answer: asyncio.Future[Any],
        *,
        settle: Callable[[Any], Any] = lambda result: result,
        late: Callable[[Any], None] | None = None,
        expired: Callable[[Call, Refusal], None] | None = None,
    ) -> None:
        def give_up(call: Call, failure: Refusal) -> None:
            self.metrics.abandoned.inc()
            if expired is not None:
                expired(call, failure)

        call = Call(operation, work, seconds, answer=answer, settle=settle, late=late, expired=give_up)
        self._calls.add(call)
        call.task.add_done_callback(lambda _: self._calls.discard(call))

    def _idle(self, lease: Lease) -> None:
        lease.busy -= 1
        lease.touched = self._clock()

    def _break(self, lease: Lease, call: Call, failure: Refusal) -> None:
        """A session whose call hangs is of no more use: it is closed, and says why until its lease ends."""
        if call.began and lease.broken is None:
            lease.broken = failure
            self._close_later(lease.session)

    def _release_if_failed(self, answer: asyncio.Future[Any]) -> None:
        if answer.exception() is not None:
            self.leases.release()

    def _granted(self, owner: str, session: Any, task: str) -> m.LeaseAnswer:
        lease = self.leases.grant(owner, session, task)
        log(logging.INFO, "session", session=short(lease.id), owner=owner, task=task)
        return self._lease_answer(lease)

    def _lease_answer(self, lease: Lease) -> m.LeaseAnswer:
        backend = str(getattr(lease.session, "backend", "") or self.backend.name)
        return m.LeaseAnswer(session=lease.id, epoch=lease.epoch, backend=backend, idle_s=self.limits.idle_s)

    def _seconds(self, operation: str, asked: float | None) -> float:
        most = self.limits.deadlines_s[operation]
        return most if asked is None else min(asked, most)

    def _ask(self, operation: str, ask: Callable[[], Any]) -> Any:
        try:
            return ask()
        except Exception as e:
            raise refusal_of(e, operation) from None


async def _alone(lease: Lease, call: Call, act: Callable[[Any], Any]) -> Any:
    async with lease.lock:
        if lease.broken is not None:
            raise Refusal(f"the session is broken: {lease.broken}", lease.broken.cause, call.operation)
        call.began = True
        result = act(lease.session)
        return await result if inspect.isawaitable(result) else result
