"""Whether the backend can really serve: a session made, one call, and the session closed again."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable

from qpa.contract import (
    BehaviorCriteria,
    Dimension,
    Effect,
    ErrorType,
    FailureCause,
    Resources,
    Split,
    TaskSpec,
    ToolCall,
    ToolKind,
    ToolSpec,
)
from qpa.envs import server_messages as m
from qpa.envs.server_messages import Refusal
from qpa.envs.server_service import Service

_OWNER = " probe"  # no token's owner has a space in its name
_NOT_READY = (ErrorType.INTERNAL, ErrorType.UNAVAILABLE, ErrorType.TIMEOUT)


def probe_of(tools: list[ToolSpec]) -> tuple[TaskSpec, ToolCall]:
    """A task that reads one thing and changes nothing. Raises `Refusal` if no tool can be called so."""
    for tool in tools:
        if tool.effect is Effect.READ and tool.kind is ToolKind.DIRECT and not tool.parameters.get("required"):
            task = TaskSpec(
                id="probe",
                goal="Are you there?",
                criteria=BehaviorCriteria(),
                dimension=Dimension.TOOL,
                domain="probe",
                family="probe",
                split=Split.DEV,
                resources=Resources(tools=[tool.name]),
            )
            return task, ToolCall(id="probe", name=tool.name)
    raise Refusal("no tool can be called without arguments and effect", FailureCause.UNSUPPORTED, "ready")


class Readiness:
    """Probes the backend at most every `fresh_s` seconds, however often it is asked."""

    def __init__(
        self,
        service: Service,
        probe: tuple[TaskSpec, ToolCall] | None = None,
        fresh_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`probe` is a harmless task and call; by default one is made from the catalog."""
        self._service, self._probe, self._fresh_s, self._clock = service, probe, fresh_s, clock
        self._running: asyncio.Task[float] | None = None
        self._last: tuple[float, float | Refusal] | None = None

    async def check(self) -> float:
        """Seconds that the last round trip took. Raises `Refusal` if it failed or every session is leased."""
        self._service.leases.must_have_room("ready")
        if self._last is None or self._clock() - self._last[0] >= self._fresh_s:
            if self._running is None or self._running.done():
                self._running = self._service.spawn(self._round_trip())
            await asyncio.wait({self._running})
        outcome = self._last[1] if self._last is not None else Refusal("no probe", FailureCause.TRANSIENT, "ready")
        if isinstance(outcome, Refusal):
            raise Refusal(str(outcome), outcome.cause, "ready", retry_after_s=self._fresh_s, status=503)
        return outcome

    async def _round_trip(self) -> float:
        begin = time.perf_counter()
        outcome: float | Refusal
        try:
            await self._play()
            outcome = time.perf_counter() - begin
        except Refusal as e:
            outcome = e
        self._last = (self._clock(), outcome)
        return time.perf_counter() - begin

    async def _play(self) -> None:
        service = self._service
        if self._probe is None:
            catalog = await service.handle(_OWNER, m.CatalogRequest(request_id=_fresh()))
            self._probe = probe_of(catalog.tools)
        task, call = self._probe
        lease = await service.handle(_OWNER, m.ResetRequest(request_id=_fresh(), task=task))
        held = {"session": lease.session, "epoch": lease.epoch}
        try:
            answer = await service.handle(_OWNER, m.StepRequest(request_id=_fresh(), calls=[call], **held))
        finally:
            await service.handle(_OWNER, m.CloseRequest(request_id=_fresh(), **held))
        bad = [f.payload.get("error") for f in answer.feedback if f.error_type in _NOT_READY]
        if bad or len(answer.feedback) != 1:
            raise Refusal(f"the probe's call failed: {bad}", FailureCause.BACKEND, "ready")


def _fresh() -> str:
    return uuid.uuid4().hex
