"""Leases: who holds which session under which epoch, what each request was answered, who has been silent too long."""

from __future__ import annotations

import asyncio
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

from qpa.contract import FailureCause
from qpa.envs.server_messages import Refusal, SessionInfo

KEPT_ANSWERS = 8  # per session; a caller repeats its last few requests, not older ones
MOST_REQUESTS = 10_000  # per session: their ids are remembered as long as it lives
KEPT_RESETS = 20_000  # of the server


@dataclass(slots=True)
class Entry:
    """One request that acted or is acting. `answer` is dropped after a while, the id is not."""

    digest: bytes
    answer: asyncio.Future[Any] | None


class Journal:
    """Request id -> answer: a repeat is answered from here and never acts again."""

    def __init__(self, *, keep: int = KEPT_ANSWERS, most: int = MOST_REQUESTS, forget: bool = False) -> None:
        """Keeps the last `keep` answers of at most `most` ids; with `forget` the oldest ids make place for new ones."""
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._answered: OrderedDict[Hashable, Entry] = OrderedDict()
        self._keep, self._most, self._forget = keep, most, forget

    def find(self, key: Hashable, digest: bytes, what: str) -> asyncio.Future[Any] | None:
        """The answer of an earlier request with this id; None if there was none.

        Raises:
          Refusal: the id was used for something else, or its answer is no longer kept.
        """
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry.digest != digest:
            text = "this request id was already used for another request"
            raise Refusal(text, FailureCause.REQUEST, what, status=409)
        if entry.answer is None:
            text = "this request was answered long ago and its answer is no longer kept; it did not act again"
            raise Refusal(text, FailureCause.REQUEST, what, status=409)
        return entry.answer

    def add(self, key: Hashable, digest: bytes, answer: asyncio.Future[Any], what: str) -> None:
        """Remembers a request that is about to act. Raises `Refusal` when the session has had its share."""
        if len(self._entries) >= self._most:
            if not self._forget:
                raise Refusal(f"a session takes {self._most} requests", FailureCause.REQUEST, what, status=409)
            oldest, _ = self._entries.popitem(last=False)
            self._answered.pop(oldest, None)
        self._entries[key] = self._answered[key] = Entry(digest, answer)
        while len(self._answered) > self._keep:
            _, entry = self._answered.popitem(last=False)
            entry.answer = None

    def drop(self, key: Hashable) -> None:
        """Forgets a request that did not act, so that its repeat may."""
        self._entries.pop(key, None)
        self._answered.pop(key, None)


@dataclass(slots=True)
class Lease:
    """One session of the backend and who holds it."""

    id: str
    owner: str
    session: Any
    task: str
    created: float
    touched: float
    epoch: int = 1
    busy: int = 0  # operations under way; a busy session is not idle
    broken: Refusal | None = None  # why it answers no more
    journal: Journal = field(default_factory=Journal)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Leases:
    """The table of live sessions. Ids are unguessable; another owner's session looks like none."""

    def __init__(self, max_sessions: int, clock: Callable[[], float]) -> None:
        self.max_sessions = max_sessions
        self._clock = clock
        self._live: dict[str, Lease] = {}
        self._reserved = 0

    def __len__(self) -> int:
        return len(self._live) + self._reserved

    def must_have_room(self, what: str) -> None:
        """Raises `Refusal` with cause CAPACITY when every place is taken."""
        if len(self) >= self.max_sessions:
            text = f"all {self.max_sessions} sessions are leased"
            raise Refusal(text, FailureCause.CAPACITY, what, retry_after_s=1.0)

    def reserve(self, what: str) -> None:
        """Takes a place for a session that is being made. Raises `Refusal` with cause CAPACITY if there is none."""
        self.must_have_room(what)
        self._reserved += 1

    def release(self) -> None:
        """Gives a reserved place back."""
        self._reserved -= 1

    def grant(self, owner: str, session: Any, task: str) -> Lease:
        """Turns a reserved place into a lease."""
        self._reserved -= 1
        now = self._clock()
        lease = Lease(secrets.token_urlsafe(24), owner, session, task, created=now, touched=now)
        self._live[lease.id] = lease
        return lease

    def find(self, owner: str, session: str, what: str) -> Lease:
        """The owner's lease, renewed. Raises `Refusal` with cause LEASE if there is none."""
        lease = self._live.get(session)
        if lease is None or lease.owner != owner:
            text = "no such session: never leased, closed, or ended for lack of calls"
            raise Refusal(text, FailureCause.LEASE, what)
        lease.touched = self._clock()
        return lease

    def hold(self, owner: str, session: str, epoch: int, what: str) -> Lease:
        """The lease if it is held under this epoch. Raises `Refusal` with cause LEASE if not."""
        lease = self.find(owner, session, what)
        if lease.epoch != epoch:
            text = f"the session was taken over: epoch {lease.epoch}, the call has {epoch}"
            raise Refusal(text, FailureCause.LEASE, what)
        return lease

    def remove(self, lease: Lease) -> bool:
        """Ends a lease; False if it had ended already."""
        return self._live.pop(lease.id, None) is not None

    def of(self, owner: str) -> list[SessionInfo]:
        """The owner's sessions, oldest first."""
        now = self._clock()
        return [
            SessionInfo(
                session=lease.id,
                epoch=lease.epoch,
                task=lease.task,
                age_s=now - lease.created,
                idle_s=now - lease.touched,
                broken=str(lease.broken or ""),
            )
            for lease in self._live.values()
            if lease.owner == owner
        ]

    def idle(self, longer_than_s: float) -> list[Lease]:
        """Leases without a call for so long."""
        before = self._clock() - longer_than_s
        return [lease for lease in self._live.values() if not lease.busy and lease.touched < before]

    def all(self) -> list[Lease]:
        """Every lease."""
        return list(self._live.values())
