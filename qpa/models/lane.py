"""One device's share of the engine: a copy of the weights, rows of a KV cache, a queue, and the pump that serves it.

The pump places queued jobs in slots, prefills what a slot does not hold yet, and decodes the live slots a few tokens at
a time, in groups that read the same length of the cache. Where sums over another length could round differently, that
length follows from a job's own context and never from its neighbours'. Device calls run in a thread, so the episodes'
own work goes on meanwhile; everything else happens on the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from typing import Any

import jax
import numpy as np
from flax import nnx

from qpa.config import EngineConfig, ModelConfig
from qpa.models.attention import PANEL, any_length
from qpa.models.jobs import Job
from qpa.models.layers import compute_type
from qpa.models.programs import COPIES, MIN_PREFILL_TOKENS, Programs, form
from qpa.models.serving import serving_graph, serving_params
from qpa.models.slots import Slot, SlotTable, plan_prefill
from qpa.models.transformer import init_cache

_DECODE_LENGTHS = 4  # different cache lengths that decode calls read, at most
_PREFILL_LENGTHS = 1  # reading the whole context costs a prefill call little, another program to compile much
_TICKS = 4  # event-loop turns between device calls: an episode needs a few to get from a reply to its next request

log = logging.getLogger(__name__)


class Clock:
    """Wall seconds during which any lane compiled, else computed, else had work; lanes that overlap count once."""

    def __init__(self) -> None:
        self.seconds = {"compile": 0.0, "device": 0.0, "host": 0.0}
        self._running = dict.fromkeys(self.seconds, 0)
        self._since = 0.0

    @contextlib.contextmanager
    def measure(self, kind: str) -> Iterator[None]:
        self._change(kind, 1)
        try:
            yield
        finally:
            self._change(kind, -1)

    def _change(self, kind: str, by: int) -> None:
        now = time.perf_counter()
        current = next((k for k, n in self._running.items() if n), None)
        if current:
            self.seconds[current] += now - self._since
        self._since = now
        self._running[kind] += by


class Lane:
    """Serves the jobs of its `queue` on `device`; `submit` adds one.

    `finish(job)` is called when a job has all its tokens; `clock` and `executor` are shared by all lanes.
    """

    def __init__(
        self,
        device: jax.Device,
        graphdef: nnx.GraphDef,
        params: nnx.State,
        version: int,
        cfg: ModelConfig,
        engine_cfg: EngineConfig,
        slots: int,
        stops_V: np.ndarray,
        finish: Callable[[Job], None],
        clock: Clock,
        executor: Executor,
    ) -> None:
        self.device, self._cfg, self._engine_cfg, self._stops = device, cfg, engine_cfg, stops_V
        self._finish, self._clock, self._executor = finish, clock, executor
        self._dtype = compute_type(engine_cfg.compute_dtype, "engine.")
        self.params, self.version, self._epoch = serving_params(params, device, self._dtype), version, 0
        graphdef = serving_graph(graphdef, params)
        self.programs = Programs(graphdef, cfg, engine_cfg.decode_chunk, form(self.params), device)
        self.table = SlotTable(slots)
        self.queue: list[Job] = []
        self.counts = {"tokens_generated": 0, "prefill_tokens": 0}
        self._rows = min(engine_cfg.decode_rows, slots)
        self._prefill_step = -(-engine_cfg.context // _PREFILL_LENGTHS)
        self._decode_step = _decode_step(engine_cfg.context)
        self._any_length = device.platform == "cpu" and any_length(
            cfg, self._rows, self._decode_step, engine_cfg.context
        )
        self._pump_task: asyncio.Task[None] | None = None
        self._cache = self._empty_cache()

    # --- what the engine calls, on the event loop --------------------------------------------------------------------

    def submit(self, job: Job) -> None:
        """Queues a job and wakes the pump."""
        self.queue.append(job)
        if self._pump_task is None or self._pump_task.done() or self._pump_task.get_loop() is not job.done.get_loop():
            self._pump_task = asyncio.get_running_loop().create_task(self._pump())

    def remove(self, job: Job) -> None:
        """Forgets a job, whatever has become of it."""
        self.queue = [other for other in self.queue if other is not job]
        for slot in self.table.slots:
            if slot.job is job:
                slot.job = None

    def set_params(self, params: nnx.State, version: int) -> None:
        """Takes a copy of new weights; what a device call in flight brings back is dropped."""
        self.params, self.version = serving_params(params, self.device, self._dtype), version
        self._epoch += 1
        self.table.invalidate()

    @property
    def load(self) -> int:
        """Jobs it has to serve."""
        return len(self.queue) + len(self.table.busy())

    # --- the pump --------------------------------------------------------------------------------------------------

    async def _pump(self) -> None:
        try:
            with self._clock.measure("host"):
                await self._serve()
        except BaseException as e:  # cancelled: the event loop is closing
            cancelled = isinstance(e, asyncio.CancelledError)
            reason = "cancelled" if cancelled else f"{type(e).__name__}: {e}"
            if not cancelled:
                log.error("engine on %s stopped: %s", self.device, reason)
            self._fail(reason)
            self.table.invalidate()
            self._cache = self._empty_cache()  # the old one may have been donated to the call that did not end
            if not isinstance(e, Exception):
                raise

    async def _serve(self) -> None:
        while self.queue or self.table.busy():
            await self._admit()
            if any(slot.missing for slot in self.table.slots):
                await self._prefill()
            else:
                await self._decode()
            for _ in range(_TICKS):
                await asyncio.sleep(0)

    def _fail(self, reason: str) -> None:
        """Ends every waiting call."""
        for job in self.queue + [slot.job for slot in self.table.busy() if slot.job]:
            if not job.done.done():
                job.done.set_exception(RuntimeError(f"engine on {self.device} stopped: {reason}"))
            self.remove(job)

    async def _call(self, name: str, length: int, *args: Any) -> Any:
        """Runs a device program in a thread, compiling it first if this is its first call."""
        loop = asyncio.get_running_loop()
        program = self.programs.find(name, length, args)
        if program is None:
            with self._clock.measure("compile"):
                program = await loop.run_in_executor(self._executor, self.programs.compile, name, length, args)
        with self._clock.measure("device"):
            return await loop.run_in_executor(self._executor, lambda: jax.block_until_ready(program(*args)))

    async def _admit(self) -> None:
        """Places queued jobs, oldest first; one that had better wait for a neighbour's prefix does not block others."""
        copies: dict[int, int] = {}  # target row -> source row
        for job in list(self.queue):
            placed = self.table.place(job) if job in self.queue else None  # cancelled during a copy below
            if placed is None:
                continue
            self.queue.remove(job)
            slot, row = placed
            if row is not None:
                if row in copies or len(copies) == COPIES:
                    await self._copy(copies)
                    copies = {}
                copies[slot.index] = row
        await self._copy(copies)

    async def _copy(self, copies: dict[int, int]) -> None:
        if copies:
            pairs = np.full((2, COPIES), len(self.table.slots), np.int32)
            pairs[:, : len(copies)] = [list(copies.values()), list(copies)]
            self._cache = await self._call("copy", 0, self._cache, pairs[0], pairs[1])

    async def _prefill(self) -> None:
        """One call: the next tokens of as many slots as fit, those with most to do first."""
        slots = sorted((s for s in self.table.slots if s.missing), key=lambda s: (-s.missing, s.index))
        length = self._length(slots[0], self._prefill_step)
        slots = [s for s in slots if self._length(s, self._prefill_step) == length]
        buckets = self._engine_cfg.prefill_buckets
        width, rows = plan_prefill([s.missing for s in slots], buckets, max(MIN_PREFILL_TOKENS, *buckets))
        work = [(s, s.job.ids[: len(s.tokens) + min(s.missing, width)]) for s in slots[:rows] if s.job]
        index = np.full(rows, len(self.table.slots), np.int32)
        tokens = np.zeros((rows, width), np.int32)
        positions = np.full((rows, width), length, np.int32)
        for r, (slot, ids) in enumerate(work):
            start = len(slot.tokens)
            index[r] = slot.index
            tokens[r, : len(ids) - start] = ids[start:]
            positions[r, : len(ids) - start] = np.arange(start, len(ids))
        epoch = self._epoch
        self._cache = await self._call("prefill", length, self.params, self._cache, index, tokens, positions)
        if epoch == self._epoch:
            for slot, ids in work:
                self.counts["prefill_tokens"] += len(ids) - len(slot.tokens)
                slot.tokens = ids

    async def _decode(self) -> None:
        """Up to `decode_chunk` tokens for every job, group by group."""
        groups: dict[tuple[str, int], list[tuple[int, Slot]]] = {}
        for slot in self.table.busy():
            program, length = slot.job.program, self._length(slot, self._decode_step)  # type: ignore[union-attr]
            groups.setdefault((program, 0 if self._any_length else length), []).append((length, slot))
        for (program, _), members in groups.items():
            members.sort(key=lambda member: (-member[0], member[1].index))  # what fills no call reads least
            for start in range(0, len(members), self._rows):
                length, part = members[start][0], members[start : start + self._rows]
                group = [(slot, slot.job) for _, slot in part if slot.job]
                if group:
                    await self._decode_group(program, length, group)

    def _length(self, slot: Slot, step: int) -> int:
        """Positions that a call for the slot's job reads: the smallest sufficient multiple of `step`, or all."""
        job: Job = slot.job  # type: ignore[assignment]
        needed = len(job.ids) + min(self._engine_cfg.decode_chunk, job.limit - len(job.log_probs)) - 1
        return min(-(-needed // step) * step, self._engine_cfg.context)

    async def _decode_group(self, program: str, length: int, group: list[tuple[Slot, Job]]) -> None:
        rows = self._rows
        index = np.full(rows, len(self.table.slots), np.int32)
        ints = np.zeros((3, rows), np.int32)
        keys = np.zeros((rows, 2), np.uint32)
        temperature = np.zeros(rows, np.float32)
        for r, (slot, job) in enumerate(group):
            if not job.log_probs:
                job.version = self.version
            index[r] = slot.index
            ints[:, r] = job.ids[-1], len(job.ids) - 1, job.limit - len(job.log_probs)
            keys[r], temperature[r] = job.key, job.temperature
        more = self._limits(program, group)
        epoch = self._epoch
        self._cache, ids, log_probs = await self._call(
            program, length, self.params, self._cache, index, ints, keys, temperature, self._stops, *more
        )
        ids, log_probs = np.asarray(ids), np.asarray(log_probs)
        for r, (slot, job) in enumerate(group):
            if slot.job is job and epoch == self._epoch:
                self._collect(slot, job, ids[:, r], log_probs[:, r])

    def _limits(self, program: str, group: list[tuple[Slot, Job]]) -> list[np.ndarray]:
        """What a decode program reads besides: nothing, limits [3, R], or also the allowed ids [R, W]."""
        if program == "decode":
            return []
        limits = np.tile(np.array([[0], [1], [0]], np.float32), self._rows)
        for r, (_, job) in enumerate(group):
            limits[:, r] = job.limits
        if program == "limited":
            return [limits]
        allowed = np.full((self._rows, -(-len(self._stops) // 32)), -1, np.int32)
        for r, (slot, job) in enumerate(group):
            try:
                job.constraint.fill(allowed[r])  # type: ignore[union-attr]
            except RuntimeError as e:
                self._drop(slot, job, str(e))
        return [limits, allowed]

    def _collect(self, slot: Slot, job: Job, ids: np.ndarray, log_probs: np.ndarray) -> None:
        n = job.accept(ids, log_probs, self._stops)
        if not np.isfinite(log_probs[:n]).all():
            self._drop(slot, job, f"engine on {self.device}: non-finite log-probs; are the weights finite?")
            return
        if job.constraint is not None:
            job.constraint.advance(int(job.ids[-1]))
        slot.decoded += n
        self.counts["tokens_generated"] += n
        if job.reason:
            slot.job = None
            self._finish(job)

    def _drop(self, slot: Slot, job: Job, reason: str) -> None:
        """Ends one call with an error; its neighbours go on."""
        slot.job = None
        if not job.done.done():
            job.done.set_exception(RuntimeError(reason))

    def _empty_cache(self) -> Any:
        empty = init_cache(self._cfg, len(self.table.slots), self._engine_cfg.context, self._dtype)
        return jax.device_put(empty, self.device)


def _decode_step(context: int) -> int:
    """Positions by which the lengths differ that decode calls read: a share of the context, in whole panels."""
    step = -(-context // _DECODE_LENGTHS)
    return step if context <= PANEL else -(-step // PANEL) * PANEL
