"""One backend over several: which of them plays a task, and what happens when it is full, slow or gone.

The first member that supports a task plays it, unless a later one takes its share. So a sandbox comes first, devices
take a share of what they support within a budget, and a simulated backend (share 0) gets what no other can play.

What a group of rollouts teaches is how its members differ from their mean. Members on different backends would differ
by the backend too, so by default a group is placed as one (`place` "group"). Placement is a function of the run's
seed and the task (`qpa.contract.EPISODE`), and of the order in which groups start where a budget runs out.
"""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from qpa.contract import EPISODE, EnvFailure, FailureCause, Feedback, TaskSpec, ToolCall, ToolSpec, Trajectory, Verdict
from qpa.envs.base import Backend, Capabilities
from qpa.envs.loops import PerLoop

T = TypeVar("T")

PLACES = ("group", "episode")
_UPDATES = 4  # whose placements are remembered: an evaluation may run beside an update


@dataclass(slots=True)
class Member:
    """A backend and how much of it may be used.

    Attributes:
      backend: named apart from the other members.
      share: of the groups (or episodes) it supports that come here rather than to the first member that can play them.
      budget: most sessions in one update; None: no limit.
      concurrency: most sessions at a time; None: no limit.
      wait_s: how long an episode waits for a place before it counts as no capacity.
      seconds: of an update, from the first session here; what is unfinished then ends as an environment failure of
        cause `deadline`, which is masked. None: no limit.
    """

    backend: Backend
    share: float = 0.0
    budget: int | None = None
    concurrency: int | None = None
    wait_s: float = 30.0
    seconds: float | None = None


@dataclass
class _Update:
    """What has been placed for one run seed (None: outside of any run)."""

    run: int | None
    placed: dict[tuple[object, ...], int] = field(default_factory=dict)  # group (or episode) -> member
    opened: Counter[tuple[object, ...]] = field(default_factory=Counter)  # sessions of a group where it is placed
    reserved: Counter[int] = field(default_factory=Counter)  # sessions of a member's budget
    ends: dict[int, float] = field(default_factory=dict)  # member -> when its seconds are over


class HybridSession:
    """A member's session; made by `HybridEnv.reset`."""

    def __init__(self, task: TaskSpec, inner: Any, member: int, backend: Backend) -> None:
        self.id, self.task, self.inner, self.member = inner.id, task, inner, member
        self.backend: str = getattr(inner, "backend", "") or backend.name
        self.catalog: list[ToolSpec] = getattr(inner, "catalog", None) or backend.catalog()
        self.ends: float | None = None
        self.slot: asyncio.Semaphore | None = None

    @property
    def notes(self) -> dict[str, str]:
        """The inner session's."""
        return dict(getattr(self.inner, "notes", {}))


class HybridEnv:
    """Several backends as one.

    A member without capacity is passed over for the next one that supports the task; a member that broke is not: its
    episode is a failure with a cause, and playing it elsewhere is for the caller to decide (`run_tasks(resample=..)`).
    """

    name = "hybrid"

    def __init__(
        self,
        members: Sequence[Member],
        *,
        place: str = "group",
        group_size: int = 1,
        seed: int = 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`group_size` sessions of a budget are reserved for a group; `clock` gives monotonic seconds.

        Raises ValueError for settings that no mix can have.
        """
        _check(members, place, group_size)
        self.members, self.place, self.group_size, self.seed = list(members), place, group_size, seed
        self._clock = clock
        self._updates: OrderedDict[int | None, _Update] = OrderedDict()
        self._slots = PerLoop(
            lambda: [asyncio.Semaphore(m.concurrency) if m.concurrency else None for m in self.members]
        )
        self._plain: Counter[str] = Counter()  # resets outside of any run
        self.counts: dict[str, Counter[str]] = {m.backend.name: Counter() for m in members}

    def capabilities(self) -> Capabilities:
        """What all members can do."""
        all_ = [m.backend.capabilities() for m in self.members]
        weakest = next(s for s in ("none", "listed", "any") if any(c.seeding == s for c in all_))
        return Capabilities(
            backend=self.name,
            deterministic=all(c.deterministic for c in all_),
            seeding=weakest,
            trusted=all(c.trusted for c in all_),
        )

    def supports(self, task: TaskSpec) -> str:
        """ "" if any member can play it, else every member's reason."""
        reasons = [(m.backend.name, m.backend.supports(task)) for m in self.members]
        return "" if any(not why for _, why in reasons) else "; ".join(f"{name}: {why}" for name, why in reasons)

    def catalog(self) -> list[ToolSpec]:
        """Every tool of any member, the earlier member's where they differ; a session has its own member's."""
        found: dict[str, ToolSpec] = {}
        for member in self.members:
            found |= {spec.name: spec for spec in member.backend.catalog() if spec.name not in found}
        return list(found.values())

    async def reset(self, task: TaskSpec) -> HybridSession:
        """A session of the member that the task is placed on; raises `EnvFailure` with the cause that counts."""
        able = [i for i, member in enumerate(self.members) if not member.backend.supports(task)]
        if not able:
            raise EnvFailure(f"task {task.id}: {self.supports(task)}", FailureCause.UNSUPPORTED)
        key, update = self._key(task)
        if key not in update.placed:
            self._place(key, able, update)
        tried: set[int] = set()
        while True:
            member = update.placed[key]
            tried.add(member)
            try:
                session = await self._open(task, member, update)
            except EnvFailure as failure:
                self.counts[self.members[member].backend.name][failure.cause.value] += 1
                if failure.cause is not FailureCause.CAPACITY or not self._move(key, member, able, update, tried):
                    raise
                continue
            if update.placed[key] == member:
                update.opened[key] += 1
                self.counts[self.members[member].backend.name]["sessions"] += 1
                return session
            await self.close(session)  # the group has been moved meanwhile

    async def step(self, session: HybridSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """The member's feedback; `EnvFailure` once its seconds of this update are over."""
        member = self.members[session.member]
        try:
            return await self._within(member, session.ends, member.backend.step(session.inner, calls))
        except EnvFailure as failure:
            self.counts[member.backend.name][failure.cause.value] += 1
            raise

    async def verify(self, session: HybridSession, trajectory: Trajectory) -> Verdict:
        """The member's verdict."""
        return await self.members[session.member].backend.verify(session.inner, trajectory)

    async def close(self, session: HybridSession) -> None:
        """Closes the member's session and gives its place back; twice is fine."""
        slot, session.slot = session.slot, None
        try:
            await self.members[session.member].backend.close(session.inner)
        finally:
            if slot is not None:
                slot.release()

    # --- placing ---

    def _key(self, task: TaskSpec) -> tuple[tuple[object, ...], _Update]:
        """What is placed as one, and the update it belongs to."""
        episode = EPISODE.get()
        if episode is None:
            run, rollout = None, self._plain[task.id]
            self._plain[task.id] += 1
        else:
            run, rollout = episode
        if run not in self._updates:
            self._updates[run] = _Update(run)
            if len(self._updates) > _UPDATES:
                self._updates.popitem(last=False)
        number = rollout // self.group_size if self.place == "group" else rollout
        return (task.id, number), self._updates[run]

    def _place(self, key: tuple[object, ...], able: Sequence[int], update: _Update) -> None:
        """Draws a member by the shares; one whose budget is used up leaves it to the first that has room."""
        u = random.Random(f"{self.seed}/{update.run}/{key}").random()
        chosen = able[0]
        for index in able[1:]:
            u -= self.members[index].share
            if u < 0:
                chosen = index
                break
        room = [i for i in (chosen, *able) if self._has_room(i, update)]
        if not room:
            raise EnvFailure("no budget left on any backend that can play this", FailureCause.CAPACITY)
        if room[0] != chosen:
            self.counts[self.members[chosen].backend.name]["over_budget"] += 1
        self._put(key, room[0], update)

    def _move(
        self, key: tuple[object, ...], member: int, able: Sequence[int], update: _Update, tried: set[int]
    ) -> bool:
        """Places the group on another member than the full one; False if it has begun there or none is left."""
        if update.placed[key] != member:
            return update.placed[key] not in tried  # another of the group has moved it already
        if self.place == "group" and update.opened[key]:
            return False
        free = [i for i in able if i not in tried and self._has_room(i, update)]
        if not free:
            return False
        update.reserved[member] -= self._size
        self.counts[self.members[member].backend.name]["moved"] += 1
        self._put(key, free[0], update)
        return True

    def _put(self, key: tuple[object, ...], member: int, update: _Update) -> None:
        update.placed[key] = member
        update.reserved[member] += self._size

    def _has_room(self, member: int, update: _Update) -> bool:
        budget = self.members[member].budget
        return budget is None or update.reserved[member] + self._size <= budget

    @property
    def _size(self) -> int:
        """Sessions that are placed as one."""
        return self.group_size if self.place == "group" else 1

    # --- opening ---

    async def _open(self, task: TaskSpec, index: int, update: _Update) -> HybridSession:
        member = self.members[index]
        if member.seconds is not None:
            update.ends.setdefault(index, self._clock() + member.seconds)
        ends = update.ends.get(index)
        slot = await self._take_slot(index, ends)
        try:
            inner = await self._within(member, ends, member.backend.reset(task))
            session = HybridSession(task, inner, index, member.backend)
        except BaseException:
            if slot is not None:
                slot.release()
            raise
        session.ends, session.slot = ends, slot
        return session

    async def _take_slot(self, index: int, ends: float | None) -> asyncio.Semaphore | None:
        """Waits for a place; the places are those of the running event loop."""
        slot, member = self._slots.get()[index], self.members[index]
        if slot is None:
            return None
        left = math.inf if ends is None else max(0.0, ends - self._clock())
        try:
            async with asyncio.timeout(min(member.wait_s, left)):
                await slot.acquire()
        except TimeoutError:
            if left < member.wait_s:
                raise self._over(member) from None
            text = f"{member.backend.name}: no place within {member.wait_s:g} s"
            raise EnvFailure(text, FailureCause.CAPACITY) from None
        return slot

    async def _within(self, member: Member, ends: float | None, work: Coroutine[Any, Any, T]) -> T:
        """`work` until the member's seconds of this update are over."""
        if ends is None:
            return await work
        left = ends - self._clock()
        if left <= 0:  # `asyncio.timeout` lets through what never waits, such as a step of a sandbox in this process
            work.close()
            raise self._over(member)
        try:
            async with asyncio.timeout(left) as scope:
                return await work
        except TimeoutError:
            if scope.expired():
                raise self._over(member) from None
            raise

    def _over(self, member: Member) -> EnvFailure:
        text = f"{member.backend.name}: the {member.seconds:g} s of this update are over"
        return EnvFailure(text, FailureCause.DEADLINE)


def _check(members: Sequence[Member], place: str, group_size: int) -> None:
    names = [member.backend.name for member in members]
    if not members or len(set(names)) != len(names):
        raise ValueError(f"HybridEnv: members {names}; use one or more, each with a name of its own")
    if place not in PLACES or group_size < 1:
        raise ValueError(f"HybridEnv: place {place!r}, group_size {group_size}; use one of {PLACES} and 1 or more")
    if sum(member.share for member in members[1:]) > 1 or any(member.share < 0 for member in members):
        raise ValueError("HybridEnv: the shares of the members after the first are 0 to 1 in all")
    for member in members:
        limits = (member.budget, member.concurrency, member.wait_s, member.seconds)
        if any(limit is not None and limit < 0 for limit in limits) or member.concurrency == 0:
            raise ValueError(f"HybridEnv: member {member.backend.name}: a limit is negative, or no session may run")
