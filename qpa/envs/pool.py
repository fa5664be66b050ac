"""Many environment servers as one backend: sessions go where there is room, dead servers are left alone for a while.

Infrastructure trouble is counted by operation and cause, and a reset that fails is tried on another server. A session
stays on its server: if that dies, the session's calls fail with cause CONNECTION, and whoever plays the episode may
play it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qpa.contract import EnvFailure, FailureCause, Feedback, TaskSpec, ToolCall, ToolSpec, Trajectory, Verdict
from qpa.envs.base import Backend, Capabilities
from qpa.envs.server_messages import Refusal

T = TypeVar("T")
_ELSEWHERE = frozenset(FailureCause) - {FailureCause.UNSUPPORTED, FailureCause.REQUEST, FailureCause.LEASE}
# What says it of the server: any of these at the start, later only if it did not come as the server's own answer.
_SICK = frozenset({FailureCause.CONNECTION, FailureCause.DEADLINE, FailureCause.TRANSIENT})
_STARTS = frozenset({"connect", "reset"})


@dataclass
class Breaker:
    """Stops asking a server that fails: closed, open for a while, then half-open for one probe.

    Attributes:
      threshold: failures in a row that open it; a lost connection opens it at once.
      pause_s: how long it stays open the first time; doubles with each failed probe up to `longest_s`.
    """

    threshold: int = 3
    pause_s: float = 1.0
    longest_s: float = 60.0
    clock: Callable[[], float] = time.monotonic
    opened: int = 0  # how often, in all
    _failures: int = 0
    _pause: float = 0.0
    _until: float = 0.0
    _probing: bool = False

    @property
    def state(self) -> str:
        """closed, open or half_open."""
        if not self._pause:
            return "closed"
        return "open" if self.clock() < self._until else "half_open"

    def admits(self) -> bool:
        """Whether a reset may be sent: always when closed, one at a time when half-open."""
        return self.state == "closed" or (self.state == "half_open" and not self._probing)

    def waits_s(self) -> float:
        """Seconds until it may be asked again."""
        return max(0.0, self._until - self.clock()) if self._pause else 0.0

    def begin(self) -> None:
        """A reset is sent; in the half-open state it is the probe."""
        self._probing = self.state == "half_open"

    def worked(self) -> None:
        """The server answered as it should."""
        self._failures, self._pause, self._probing = 0, 0.0, False

    def ended(self) -> None:
        """The probe ended without saying anything about the server."""
        self._probing = False

    def failed(self, cause: FailureCause) -> None:
        """The server did not answer as it should."""
        if self._pause and self.clock() < self._until:
            return  # calls that were under way when it opened
        self._failures += 1
        if self._probing or cause is FailureCause.CONNECTION or self._failures >= self.threshold:
            self._pause = min(2 * self._pause or self.pause_s, self.longest_s)
            self._until = self.clock() + self._pause
            self._probing = False
            self.opened += 1


@dataclass(eq=False)
class Member:
    """One server of the pool and what is known about it."""

    env: Backend
    name: str
    capacity: int
    breaker: Breaker
    live: int = 0  # sessions of this pool, those being made included
    placed: int = 0
    full_until: float = 0.0  # it said that it has no room
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)


class PoolSession:
    """A session and the server it lives on."""

    __slots__ = ("backend", "closed", "id", "inner", "member", "task")

    def __init__(self, inner: Any, member: Member) -> None:
        self.inner, self.member, self.closed = inner, member, False
        self.id, self.task = inner.id, inner.task
        self.backend = str(getattr(inner, "backend", "") or member.env.name)


class EnvPool:
    """A `Backend` over several; they must have the same tools.

    Attributes:
      failures: how often each operation failed, by cause; resets that then worked elsewhere are among them.
      members: the servers, for a look.
    """

    def __init__(
        self,
        envs: Sequence[Backend],
        *,
        wait_s: float = 60.0,
        threshold: int = 3,
        pause_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`wait_s` is how long a reset waits for room, or for a server to come back. Raises ValueError for no env."""
        if not envs:
            raise ValueError("a pool needs at least one environment")
        self.failures: Counter[tuple[str, str]] = Counter()
        self.members = [
            Member(
                env=env,
                name=str(getattr(env, "url", "") or f"env{index}"),
                capacity=0,
                breaker=Breaker(threshold=threshold, pause_s=pause_s, clock=clock),
            )
            for index, env in enumerate(envs)
        ]
        self._wait_s, self._clock = wait_s, clock
        self._tools: list[ToolSpec] | None = None
        self._waiting: dict[asyncio.Future[None], None] = {}  # resets without a place, first come first served

    # --- facts ---

    async def connect(self, tasks: Sequence[TaskSpec] = ()) -> EnvPool:
        """Connects to every server; dead ones are left for later, as long as one lives.

        Raises:
          EnvFailure: no server answers, or two have different tools.
        """
        outcomes = await asyncio.gather(*(self._connect(member, tasks) for member in self.members))
        if all(outcomes):
            raise EnvFailure(f"no server answers: {'; '.join(map(str, outcomes))}", FailureCause.CONNECTION)
        self.catalog()
        return self

    async def _connect(self, member: Member, tasks: Sequence[TaskSpec]) -> EnvFailure | None:
        try:
            if hasattr(member.env, "connect"):
                await member.env.connect(tasks)
            self._check(member)
        except EnvFailure as e:
            if e.cause not in _ELSEWHERE:
                raise
            self._failed(member, "connect", e)
            return e
        return None

    def _check(self, member: Member) -> None:
        """Takes a server into the pool: its size, and that it is like the others."""
        tools = member.env.catalog()
        if self._tools is None:
            self._tools = tools
        elif tools != self._tools:
            raise EnvFailure(f"{member.name} has other tools than the rest of the pool", FailureCause.REQUEST)
        member.capacity = int(getattr(member.env, "max_sessions", 0) or 2**31)

    def catalog(self) -> list[ToolSpec]:
        """The servers' common tools."""
        if self._tools is None:
            self._first(self._check)
        assert self._tools is not None
        return list(self._tools)

    def capabilities(self) -> Capabilities:
        """Of the first server that answers."""
        return self._first(lambda member: member.env.capabilities())

    @property
    def name(self) -> str:
        """Of the backend behind the servers."""
        return self.capabilities().backend

    def supports(self, task: TaskSpec) -> str:
        """What the first server that answers says."""
        return self._first(lambda member: member.env.supports(task))

    def _first(self, ask: Callable[[Member], T]) -> T:
        failure = None
        for member in sorted(self.members, key=lambda m: m.breaker.state != "closed"):
            try:
                return ask(member)
            except EnvFailure as e:
                if e.cause not in _ELSEWHERE:
                    raise
                failure = e
        assert failure is not None
        raise failure

    # --- Env ---

    async def reset(self, task: TaskSpec) -> PoolSession:
        """A session on the least loaded server that works.

        Raises:
          EnvFailure: every server was tried and failed (the last one's cause), or none had room for `wait_s`.
        """
        end = self._clock() + self._wait_s
        tried: set[Member] = set()
        last: EnvFailure | None = None
        while True:
            if len(tried) == len(self.members):
                assert last is not None
                if last.cause is not FailureCause.CAPACITY:
                    raise last
                tried.clear()  # others' sessions end too
            member = await self._place(tried, end, last)
            try:
                return await self._reset_on(member, task)
            except EnvFailure as e:
                if e.cause not in _ELSEWHERE:
                    raise
                last = e
                tried.add(member)

    async def _reset_on(self, member: Member, task: TaskSpec) -> PoolSession:
        try:
            if not member.capacity:
                if hasattr(member.env, "connect"):
                    await member.env.connect()
                self._check(member)
            inner = await member.env.reset(task)
        except EnvFailure as e:
            self._leave(member)
            self._failed(member, "reset", e)
            raise
        except BaseException:
            self._leave(member)
            member.breaker.ended()
            raise
        member.breaker.worked()
        member.placed += 1
        return PoolSession(inner, member)

    async def step(self, session: PoolSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """On the session's server."""
        return await self._on(session, "step", session.member.env.step(session.inner, calls))

    async def verify(self, session: PoolSession, trajectory: Trajectory) -> Verdict:
        """On the session's server."""
        return await self._on(session, "verify", session.member.env.verify(session.inner, trajectory))

    async def fork(self, session: PoolSession) -> PoolSession:
        """A copy on the same server, wherever there is more room."""
        member = session.member
        twin = session.inner.fork()
        if isinstance(twin, Awaitable):
            twin = await self._on(session, "fork", twin)
        member.live += 1
        return PoolSession(twin, member)

    async def close(self, session: PoolSession) -> None:
        """Ends the session and gives its place to the next reset that waits."""
        if session.closed:
            return
        session.closed = True
        try:
            await self._on(session, "close", session.member.env.close(session.inner))
        finally:
            self._leave(session.member)

    async def disconnect(self) -> None:
        """Closes every connection."""
        for member in self.members:
            if hasattr(member.env, "disconnect"):
                with contextlib.suppress(EnvFailure):
                    await member.env.disconnect()

    async def _on(self, session: PoolSession, operation: str, work: Awaitable[T]) -> T:
        try:
            return await work
        except EnvFailure as e:
            self._failed(session.member, operation, e)
            raise

    # --- placement ---

    async def _place(self, tried: set[Member], end: float, last: EnvFailure | None) -> Member:
        """Takes a place on the member with the smallest share of its places taken; waits if there is none."""
        while True:
            if not self._waiting or tried:
                member = self._pick(tried)
                if member is not None:
                    return member
            left = end - self._clock()
            if left <= 0:
                raise self._nowhere(last)
            if last is not None and last.cause is not FailureCause.CAPACITY and self._only_dead_ones(tried):
                raise last  # sooner another try of the episode than a wait for a server that may never come back
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting[turn] = None
            try:
                await asyncio.wait({turn}, timeout=min(left, self._next_change()))
            finally:
                self._waiting.pop(turn, None)
                if turn.done():
                    self._wake()
            member = self._pick(tried)
            if member is not None:
                return member

    def _only_dead_ones(self, tried: set[Member]) -> bool:
        """Whether no other server than the tried ones may be asked soon."""
        return all(m in tried or m.breaker.state == "open" for m in self.members)

    def _pick(self, tried: set[Member]) -> Member | None:
        now = self._clock()
        free = [
            m
            for m in self.members
            if m not in tried and m.breaker.admits() and now >= m.full_until and (m.live < m.capacity or not m.capacity)
        ]
        if not free:
            return None
        member = min(free, key=lambda m: (m.live / (m.capacity or 1), m.placed))
        member.live += 1
        member.breaker.begin()
        return member

    def _next_change(self) -> float:
        """Seconds until a member may take a session again by itself, at most 1."""
        now = self._clock()
        pauses = [max(m.breaker.waits_s(), m.full_until - now) for m in self.members]
        return min([1.0, *(p for p in pauses if p > 0)]) + 0.001

    def _nowhere(self, last: EnvFailure | None) -> EnvFailure:
        states = "; ".join(f"{m.name}: {m.breaker.state}, {m.live} of {m.capacity}" for m in self.members)
        dead = all(m.breaker.state != "closed" for m in self.members)
        cause = FailureCause.CONNECTION if dead else FailureCause.CAPACITY
        return EnvFailure(f"no place within {self._wait_s:.3g} s ({states}){f'; last: {last}' if last else ''}", cause)

    def _leave(self, member: Member) -> None:
        member.live -= 1
        self._wake()

    def _wake(self) -> None:
        for turn in self._waiting:
            if not turn.done():
                turn.set_result(None)
                return

    def _failed(self, member: Member, operation: str, failure: EnvFailure) -> None:
        key = (operation, failure.cause.value)
        self.failures[key] += 1
        member.failures[key] += 1
        if failure.cause is FailureCause.CAPACITY:
            pause = (failure.retry_after_s if isinstance(failure, Refusal) else None) or 1.0
            member.full_until = self._clock() + pause
            member.breaker.ended()
        elif failure.cause in _SICK and (operation in _STARTS or not isinstance(failure, Refusal)):
            member.breaker.failed(failure.cause)
        else:
            member.breaker.ended()
