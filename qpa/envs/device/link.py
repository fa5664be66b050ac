"""A link to one enrolled device over adb: quoting, deadlines, recovery.

A command is sent at most once unless its caller says that running it twice does no harm. What fails before anything was
sent is tried again after recovery, as long as the deadline allows.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.device.abandon import Callers, Line
from qpa.envs.device.adb_calls import CommandError, DeviceCalls, check_path, command_line
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.base import FileStat, ShellResult
from qpa.envs.device.enrolment import EnrolledDevice
from qpa.envs.device.recovery import Breaker, Circuit, Health, RecoveryLimits, Rung
from qpa.envs.loops import PerLoop

__all__ = ["AdbLink", "CommandError", "Health"]

T = TypeVar("T")

_TRIES = 2  # of a call that may be repeated
_POLL_S = 0.05  # between looks at a device that is coming up
_CALLERS = Callers()  # shared: the bound is for the process

_log = logging.getLogger(__name__)


class AdbLink:
    """`DeviceLink` over a real adb server. Calls may run at the same time, of one event loop.

    Attributes:
      serial: as enrolled.
      recoveries: how often each rung of the ladder was taken.
    """

    def __init__(
        self,
        server: AdbServer,
        device: EnrolledDevice,
        *,
        recovery: RecoveryLimits | None = None,
        callers: Callers = _CALLERS,
    ):
        self.serial = device.serial
        self.recoveries: Counter[Rung] = Counter()
        self._server, self._limits, self._callers = server, device.limits, callers
        self._recovery = recovery or RecoveryLimits()
        self._breaker = Breaker(self._recovery)
        self._calls = DeviceCalls(server, device.serial, device.limits.output_bytes)
        self._repair = PerLoop(asyncio.Lock)
        self._next_at = 0.0
        self._detail = ""  # what the last probe failed of
        # A name with a port is a TCP device, which the server must be told to connect to.
        self._remote = ":" in device.serial

    # --- DeviceLink ----------------------------------------------------------------------------------------------

    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        """Runs a command, each argument quoted once for the device's shell.

        Raises `CommandError` for what cannot be sent, `EnvFailure` as `DeviceLink` says.
        """
        command = command_line(argv)
        return await self._run(lambda line: self._calls.shell(line, command), argv[0], deadline_s, idempotent)

    async def exec_out(self, *argv: str, deadline_s: float, idempotent: bool = False) -> bytes:
        """What a command writes, raw."""
        command = command_line(argv)
        return await self._run(lambda line: self._calls.exec_out(line, command), argv[0], deadline_s, idempotent)

    async def pull(self, path: str, *, deadline_s: float) -> bytes:
        """A file's bytes; `EnvFailure` (BACKEND) if there is none."""
        check_path(path)
        return await self._run(lambda line: self._calls.pull(line, path), "pull", deadline_s, True)

    async def push(self, path: str, data: bytes, *, deadline_s: float) -> None:
        """Writes a file; `EnvFailure` (BACKEND) if the device refuses it."""
        check_path(path)
        await self._run(lambda line: self._calls.push(line, path, data), "push", deadline_s, True)

    # --- beside it -----------------------------------------------------------------------------------------------

    async def stat(self, path: str, *, deadline_s: float) -> FileStat:
        """What is at a path; mode 0 if nothing is."""
        check_path(path)
        return await self._run(lambda line: self._calls.stat(line, path), "stat", deadline_s, True)

    async def forward(self, port: int, *, deadline_s: float) -> int:
        """A loopback port of this machine that the server forwards to the device's TCP port."""
        if not 0 < port < 65536:
            raise CommandError(f"not a TCP port: {port}")
        return await self._run(lambda line: self._calls.forward(line, port), "forward", deadline_s, True)

    @property
    def circuit(self) -> Circuit:
        """Whether calls go through."""
        return self._breaker.state(time.monotonic())

    async def health(self, *, deadline_s: float) -> Health:
        """Asks the server and then the device, which must echo a nonce; takes part in no recovery."""
        health = await self._probe(time.monotonic() + deadline_s)
        if health is Health.READY:
            self._breaker.worked()
        return health

    # --- calls ---------------------------------------------------------------------------------------------------

    async def _run(self, call: Callable[[Line], T], what: str, deadline_s: float, idempotent: bool) -> T:
        if not 0 < deadline_s <= self._limits.deadline_s:
            raise CommandError(f"deadline_s must be in (0, {self._limits.deadline_s:g}], not {deadline_s:g}")
        end = time.monotonic() + deadline_s
        what = f"{self.serial}: {what[:40]}"
        await self._pace(end)
        for left in reversed(range(_TRIES)):
            await self._ready(end)
            lines: list[Line] = []
            try:
                result = await self._callers.run(_watched(call, lines), end - time.monotonic(), what)
            except EnvFailure as e:
                if e.cause in (FailureCause.CONNECTION, FailureCause.DEADLINE):
                    self._breaker.failed(str(e))
                    self._calls.forget()
                may_repeat = idempotent or not any(line.sent for line in lines)
                if left == 0 or e.cause is not FailureCause.CONNECTION or not may_repeat:
                    raise
                _log.info("%s: again after %s", what, e)
            else:
                self._breaker.worked()
                return result
        raise AssertionError("the last try returns or raises")

    async def _pace(self, end: float) -> None:
        if not self._limits.calls_per_s:
            return
        now = time.monotonic()
        at = max(now, self._next_at)
        if at >= end:
            raise EnvFailure(f"{self.serial}: over {self._limits.calls_per_s:g} calls/s", FailureCause.CAPACITY)
        self._next_at = at + 1 / self._limits.calls_per_s
        await asyncio.sleep(at - now)

    # --- recovery ------------------------------------------------------------------------------------------------

    async def _ready(self, end: float) -> None:
        """Returns when the device can be used; raises `EnvFailure` (CONNECTION) if it cannot."""
        if self.circuit is Circuit.CLOSED:
            return
        if self.circuit is Circuit.OPEN:
            raise self._quarantined()
        repair = self._repair.get()
        try:
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + max(0.0, end - time.monotonic())):
                await repair.acquire()
        except TimeoutError:
            raise EnvFailure(f"{self.serial}: still being recovered", FailureCause.CONNECTION) from None
        try:
            if self.circuit is Circuit.CLOSED:  # by whoever held the lock
                return
            if self.circuit is Circuit.OPEN:
                raise self._quarantined()
            health = await self._climb(end)
            if health is not Health.READY:
                self._breaker.lost(f"{health}: {self._detail}" if self._detail else health, time.monotonic())
                raise self._quarantined()
        finally:
            repair.release()

    def _quarantined(self) -> EnvFailure:
        why = "; ".join(filter(None, (self._breaker.finding, self._breaker.reason)))
        wait = self._breaker.wait_s(time.monotonic())
        return EnvFailure(f"{self.serial}: quarantined for {wait:.1f} s: {why}", FailureCause.CONNECTION)

    async def _climb(self, end: float) -> Health:
        """Goes up the ladder until the device answers; returns the last probe's finding."""
        health = Health.BROKEN
        for rung in Rung:
            if rung is Rung.CONNECT and not self._remote:
                continue
            self.recoveries[rung] += 1
            try:
                await self._take(rung, end)
            except EnvFailure as e:  # the probe says what that means for the device
                _log.info("%s: %s: %s", self.serial, rung, e)
            if time.monotonic() >= end:
                break
            health = await self._probe(min(end, time.monotonic() + self._recovery.probe_s))
            if health is Health.READY:
                self._breaker.worked()
                break
        return health

    async def _take(self, rung: Rung, end: float) -> None:
        limit = min(end, time.monotonic() + self._recovery.probe_s)

        async def ask(call: Callable[[Line], object]) -> None:
            await self._callers.run(call, limit - time.monotonic(), f"{self.serial}: {rung}")

        if rung is Rung.PROBE:
            await ask(lambda line: self._server.ensure())
        if rung is Rung.CONNECT:
            await ask(self._calls.disconnect)
        if rung is Rung.RECONNECT:
            await ask(self._calls.reconnect)
        if rung is not Rung.PROBE and self._remote:
            await ask(self._calls.connect)
        self._calls.forget()

    async def _probe(self, end: float) -> Health:
        """The device's health, given until `end` to come up."""
        what, state = f"{self.serial}: probe", ""
        self._detail = ""
        while True:
            try:
                state = await self._callers.run(self._calls.state, end - time.monotonic(), what)
            except EnvFailure as e:
                if not state or e.cause is not FailureCause.DEADLINE:
                    self._detail = str(e)
                    return Health.BROKEN
                # no time for another look: the last one stands
            else:
                if state == "device":
                    return await self._echo(end)
            if state == "absent" or end - time.monotonic() < _POLL_S:
                return {"absent": Health.ABSENT, "unauthorized": Health.UNAUTHORIZED}.get(state, Health.OFFLINE)
            await asyncio.sleep(_POLL_S)

    async def _echo(self, end: float) -> Health:
        nonce = os.urandom(8).hex()
        try:
            answer = await self._callers.run(
                lambda line: self._calls.shell(line, f"echo {nonce}"), end - time.monotonic(), f"{self.serial}: probe"
            )
        except EnvFailure as e:
            self._detail = str(e)
            return Health.HUNG if e.cause is FailureCause.DEADLINE else Health.BROKEN
        return Health.READY if answer.stdout.strip() == nonce.encode() else Health.BROKEN


def _watched(call: Callable[[Line], T], lines: list[Line]) -> Callable[[Line], T]:
    """The call, which also shows the line it was given."""

    def watched(line: Line) -> T:
        lines.append(line)
        return call(line)

    return watched
