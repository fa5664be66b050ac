"""Which sequence lives in which row of the KV cache: reuse, sharing and eviction, as plain host bookkeeping.

A slot's `tokens` are the ids whose keys and values were written by *prefill*. Those of sampled tokens, written while
decoding, are never reused: a matrix product over one token per row rounds differently from one over many, so results
would depend on whether a slot happened to survive. Recomputing a turn's few sampled ids buys exact reproducibility.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from qpa.models.jobs import Job

# Waiting for a neighbour to prefill a common prefix pays off from about this many tokens.
_WORTH_WAITING = 16


@dataclasses.dataclass(eq=False)
class Slot:
    """One row of the cache."""

    index: int
    tokens: np.ndarray
    episode: str = ""
    job: Job | None = None
    used: int = 0  # admission counter at last use
    decoded: int = 0  # positions behind `tokens` that decoding wrote for the current job; lost with it

    @property
    def missing(self) -> int:
        """Tokens to prefill before the job can decode; the last id is fed by the first decode step."""
        return len(self.job.ids) - 1 - len(self.tokens) - self.decoded if self.job else 0


def common(a: np.ndarray, b: np.ndarray) -> int:
    """Length of the common prefix."""
    n = min(len(a), len(b))
    different = np.flatnonzero(a[:n] != b[:n])
    return int(different[0]) if len(different) else n


class SlotTable:
    """Places jobs in slots; `copies` collects the (source, target) rows to copy before the next device call."""

    def __init__(self, count: int) -> None:
        self.slots = [Slot(i, np.zeros(0, np.int32)) for i in range(count)]
        self.evictions = 0
        self.reused_tokens = 0
        self._clock = 0

    def invalidate(self) -> None:
        """Forgets all keys and values; jobs stay and are prefilled again."""
        for slot in self.slots:
            slot.tokens, slot.decoded = slot.tokens[:0], 0

    def forget(self, episode: str) -> None:
        """Marks the idle slots of an episode that will not come back as free."""
        for slot in self.slots:
            if slot.episode == episode and slot.job is None:
                slot.episode = ""

    def busy(self) -> list[Slot]:
        return [slot for slot in self.slots if slot.job is not None]

    def place(self, job: Job) -> tuple[Slot, int | None] | None:
        """Gives `job` a slot -> (slot, row to copy into it first or None); None: it has to wait."""
        wanted = job.ids[:-1]
        idle = [slot for slot in self.slots if slot.job is None]
        if not idle:
            return None
        own = [slot for slot in idle if slot.episode == job.episode and len(slot.tokens)]
        reuse, source = max(((common(s.tokens, wanted), s) for s in own), key=lambda x: x[0], default=(0, None))
        if source is not None and reuse == len(source.tokens):
            return self._take(source, job, reuse), None
        for slot in self.slots:
            n = common(slot.tokens, wanted)
            if n > reuse:
                reuse, source = n, slot
        for slot in self.busy():
            if slot.missing and common(slot.job.ids[:-1], wanted) >= reuse + _WORTH_WAITING:  # type: ignore[union-attr]
                return None
        target = min(idle, key=lambda slot: (slot.episode != job.episode, slot.episode != "", slot.used))
        if target.episode not in ("", job.episode):
            self.evictions += 1
        row = source.index if source is not None and source is not target and reuse else None
        if source is not None and source is not target:
            target.tokens = source.tokens
        return self._take(target, job, reuse), row

    def _take(self, slot: Slot, job: Job, reuse: int) -> Slot:
        self._clock += 1
        self.reused_tokens += reuse
        slot.tokens, slot.episode, slot.job = slot.tokens[:reuse], job.episode, job
        slot.used, slot.decoded = self._clock, 0
        return slot


def plan_prefill(missing: Sequence[int], buckets: Sequence[int], per_call: int) -> tuple[int, int]:
    """(tokens per row, rows) of the next prefill call: the shape that gets the most tokens done.

    All shapes hold about `per_call` tokens, so they cost about the same.
    """
    longest_first = sorted(missing, reverse=True)

    def done(bucket: int) -> int:
        return sum(min(m, bucket) for m in longest_first[: max(1, per_call // bucket)])

    bucket = max(buckets, key=lambda b: (done(b), -b))
    return bucket, max(1, per_call // bucket)
