"""The generation engine: many episodes, one model, one device, tokens in and tokens out.

Every call of `generate` is a job. A single pump task admits jobs to the slots of a KV cache, prefills what a slot does
not hold yet, and decodes all live slots a few tokens at a time; jobs join and leave between device calls. What a job
samples depends on the weights, its context and its (seed, episode, turn) only: shapes are fixed, so a row never sees
its neighbours; the random stream is the job's own; reuse, sharing and eviction of keys and values are exact (`slots`).
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.chat.markers import END_OF_TEXT, IM_END, IM_START
from qpa.config import EngineConfig, ModelConfig
from qpa.contract import GenerateReply, GenerateRequest
from qpa.models.programs import COPIES, MIN_PREFILL_TOKENS, Cache, Programs, form
from qpa.models.sampling import stream_key
from qpa.models.slots import Job, Slot, SlotTable, plan_prefill
from qpa.models.transformer import init_cache

_LENGTH_STEP = 256  # the cache grows in such steps up to the context, since attention reads all of its length
_COLDEST = 1e-3  # logits divided by less overflow float32
_TICKS = 4  # event-loop turns between device calls: an episode needs a few to get from a reply to its next request

log = logging.getLogger(__name__)


class Engine:
    """A `ChatModel` over local weights, batching across concurrent callers.

    Args:
      graphdef, params: a split `Planner`; parameters are copied, so a trainer may donate its own.
      cfg: the model's shape. engine_cfg: slots, context, chunk and bucket sizes.
      chat_format: anything with `tokenizer` (`special_id`, `decode`); the runtime encodes messages with it.
      name: the policy's name in trajectories. version: reported as `policy_version`.

    Raises:
      ValueError: a size is not positive, a prefill bucket exceeds the context, or the tokenizer exceeds the vocabulary.
    """

    def __init__(
        self,
        graphdef: nnx.GraphDef,
        params: nnx.State,
        cfg: ModelConfig,
        engine_cfg: EngineConfig,
        chat_format: Any,
        name: str = "engine",
        version: int = 0,
    ) -> None:
        sizes = (engine_cfg.slots, engine_cfg.context, engine_cfg.decode_chunk, *engine_cfg.prefill_buckets)
        if min(sizes) < 1 or not engine_cfg.prefill_buckets or max(engine_cfg.prefill_buckets) > engine_cfg.context:
            raise ValueError(f"engine: sizes must be >= 1 and prefill buckets at most the context, got {engine_cfg}")
        self.name, self.chat_format, self.version = name, chat_format, version
        self._cfg, self._engine_cfg = cfg, engine_cfg
        self._device = jax.devices()[0]
        self._params = self._own(params)
        self._programs = Programs(graphdef, cfg, engine_cfg.decode_chunk, form(self._params))
        self._table = SlotTable(engine_cfg.slots)
        self._queue: list[Job] = []
        self._copies: dict[int, int] = {}  # target row -> source row
        self._pump_task: asyncio.Task[None] | None = None
        tokenizer = chat_format.tokenizer
        stops = [tokenizer.special_id(marker) for marker in (IM_END, END_OF_TEXT, IM_START)]
        if max(stops) >= cfg.vocab_size:
            raise ValueError(f"engine: special token id {max(stops)} does not fit vocab_size {cfg.vocab_size}")
        self._stops = np.zeros(cfg.vocab_size, bool)
        self._stops[stops] = True
        self._counts = dict.fromkeys(("requests", "cancelled", "tokens_generated", "prefill_tokens"), 0)
        self._length, self._cache = self._empty_cache()

    # --- public ----------------------------------------------------------------------------------------------------

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """Continues `request.prompt_ids` (the whole context) up to a stop token, `max_tokens` or the context's end.

        The stop token is part of `token_ids`, not of `text`. `finish` is "context" if the context's end came first.
        If the weights change midway, `policy_version` is the older version. Cancelling the call frees its slot.

        Raises:
          ValueError: no prompt ids, ids outside the vocabulary, or a temperature that is neither 0 nor sensible.
          RuntimeError: the device failed (every waiting call gets this), or the weights give non-finite log-probs.
        """
        job = self._job(request)
        if job.limit <= 0:
            return GenerateReply(text="", finish=job.finish, policy_version=self.version)
        self._counts["requests"] += 1
        self._queue.append(job)
        if self._pump_task is None or self._pump_task.done() or self._pump_task.get_loop() is not job.done.get_loop():
            self._pump_task = asyncio.get_running_loop().create_task(self._pump())
        try:
            return await job.done
        except asyncio.CancelledError:
            self._counts["cancelled"] += 1
            raise
        finally:
            self._remove(job)

    def update_params(self, params: nnx.State, version: int) -> None:
        """Swaps the weights without recompiling and forgets all cached keys and values.

        Calls in flight go on under the new weights, with their context computed anew.

        Raises:
          ValueError: another structure, shape or dtype than the current weights.
        """
        owned = self._own(params)
        if form(owned) != form(self._params):
            raise ValueError("update_params: parameters differ in structure, shape or dtype from the engine's")
        self._params, self.version = owned, version
        self._reset_cache()

    def release(self, episode: str) -> None:
        """Tells that an episode has ended, so that its slot is taken before those of waiting ones. Optional."""
        self._table.forget(episode)

    def stats(self) -> dict[str, float]:
        """Counters since the start: tokens, requests, seconds on the device, seconds and number of compilations."""
        return self._counts | {
            "reused_tokens": self._table.reused_tokens,
            "evictions": self._table.evictions,
            "device_seconds": self._programs.device_seconds,
            "compile_seconds": self._programs.compile_seconds,
            "programs": self._programs.count,
        }

    # --- the pump --------------------------------------------------------------------------------------------------

    async def _pump(self) -> None:
        try:
            while self._queue or self._table.busy():
                self._admit()
                if any(slot.missing for slot in self._table.slots):
                    self._prefill()
                elif self._table.busy():
                    self._decode()
                for _ in range(_TICKS):
                    await asyncio.sleep(0)
        except asyncio.CancelledError:  # the event loop is closing; between device calls, so the cache is whole
            self._fail("cancelled")
            raise
        except Exception as e:
            log.error("engine %s stopped: %s: %s", self.name, type(e).__name__, e)
            self._fail(f"{type(e).__name__}: {e}")
            self._reset_cache()  # the old one may have been donated to the failed program

    def _fail(self, reason: str) -> None:
        """Ends every waiting call."""
        for job in self._queue + [slot.job for slot in self._table.busy() if slot.job]:
            if not job.done.done():
                job.done.set_exception(RuntimeError(f"engine {self.name} stopped: {reason}"))
            self._remove(job)

    def _admit(self) -> None:
        """Places queued jobs, oldest first; one that had better wait for a neighbour's prefix does not block others."""
        waiting = []
        for job in self._queue:
            placed = self._table.place(job)
            if placed is None:
                waiting.append(job)
                continue
            slot, row = placed
            if row is not None:
                if row in self._copies or len(self._copies) == COPIES:
                    self._flush_copies()
                self._copies[slot.index] = row
        self._queue = waiting
        self._flush_copies()

    def _flush_copies(self) -> None:
        if self._copies:
            pairs = np.full((2, COPIES), self._engine_cfg.slots, np.int32)
            pairs[:, : len(self._copies)] = [list(self._copies.values()), list(self._copies)]
            self._copies = {}
            self._cache = self._programs.run("copy", self._cache, pairs[0], pairs[1])

    def _prefill(self) -> None:
        """One call: the next tokens of as many slots as fit, those with most to do first."""
        slots = sorted((s for s in self._table.slots if s.missing), key=lambda s: (-s.missing, s.index))
        buckets = self._engine_cfg.prefill_buckets
        per_call = max(MIN_PREFILL_TOKENS, *buckets)
        width, rows = plan_prefill([s.missing for s in slots], buckets, per_call)
        slots = slots[:rows]
        counts = [min(s.missing, width) for s in slots]
        self._ensure_length(max(len(s.tokens) + n for s, n in zip(slots, counts)))
        index = np.full(rows, self._engine_cfg.slots, np.int32)
        tokens = np.zeros((rows, width), np.int32)
        positions = np.full((rows, width), self._length, np.int32)
        for r, (slot, n) in enumerate(zip(slots, counts)):
            start = len(slot.tokens)
            index[r] = slot.index
            tokens[r, :n] = slot.job.ids[start : start + n]  # type: ignore[union-attr]
            positions[r, :n] = np.arange(start, start + n)
        self._cache = self._programs.run("prefill", self._params, self._cache, index, tokens, positions)
        for slot, n in zip(slots, counts):
            slot.tokens = slot.job.ids[: len(slot.tokens) + n]  # type: ignore[union-attr]
        self._counts["prefill_tokens"] += sum(counts)

    def _decode(self) -> None:
        """One call: up to `decode_chunk` tokens for every job, then replies to those that ended."""
        chunk, busy = self._engine_cfg.decode_chunk, self._table.busy()
        ints = np.zeros((3, self._engine_cfg.slots), np.int32)
        keys = np.zeros((self._engine_cfg.slots, 2), np.uint32)
        temperature = np.zeros(self._engine_cfg.slots, np.float32)
        for slot in busy:
            job: Job = slot.job  # type: ignore[assignment]
            if not job.log_probs:
                job.version = self.version
            ints[:, slot.index] = job.ids[-1], len(job.ids) - 1, job.limit - len(job.log_probs)
            keys[slot.index], temperature[slot.index] = job.key, job.temperature
        self._ensure_length(int((ints[1] + np.minimum(ints[2], chunk)).max()))
        self._cache, ids, log_probs = self._programs.run(
            "decode", self._params, self._cache, ints, keys, temperature, self._stops
        )
        ids, log_probs = np.asarray(ids), np.asarray(log_probs)
        for slot in busy:
            self._collect(slot, ids[:, slot.index], log_probs[:, slot.index], int(ints[2, slot.index]))

    def _collect(self, slot: Slot, ids: np.ndarray, log_probs: np.ndarray, left: int) -> None:
        job: Job = slot.job  # type: ignore[assignment]
        ids = ids[:left]
        stops = np.flatnonzero(self._stops[ids])
        n = int(stops[0]) + 1 if len(stops) else len(ids)
        if not np.isfinite(log_probs[:n]).all():
            slot.job = None
            if not job.done.done():
                job.done.set_exception(
                    RuntimeError(f"engine {self.name}: non-finite log-probs; are the weights finite?")
                )
            return
        job.ids = np.append(job.ids, ids[:n])
        job.log_probs += log_probs[:n].tolist()
        slot.decoded += n
        self._counts["tokens_generated"] += n
        if len(stops) or len(job.log_probs) == job.limit:
            self._reply(job, "stop" if len(stops) else job.finish)
            slot.job = None

    def _reply(self, job: Job, finish: str) -> None:
        sampled = job.sampled
        text = self.chat_format.tokenizer.decode(sampled[:-1] if finish == "stop" else sampled)
        if not job.done.done():  # cancelled in this very turn of the loop
            job.done.set_result(
                GenerateReply(
                    text=text, token_ids=sampled, log_probs=job.log_probs, finish=finish, policy_version=job.version
                )
            )

    # --- helpers ---------------------------------------------------------------------------------------------------

    def _job(self, request: GenerateRequest) -> Job:
        where = f"generate({request.episode!r}, turn {request.turn})"
        if not request.prompt_ids:
            raise ValueError(f"{where}: prompt_ids is empty; render the context first")
        if not 0 <= min(request.prompt_ids) <= max(request.prompt_ids) < self._cfg.vocab_size:
            raise ValueError(f"{where}: prompt_ids outside [0, {self._cfg.vocab_size}); another tokenizer's?")
        if request.temperature != 0 and not _COLDEST <= request.temperature < float("inf"):
            raise ValueError(f"{where}: temperature must be 0 or in [{_COLDEST}, inf), got {request.temperature}")
        room = self._engine_cfg.context - len(request.prompt_ids)
        return Job(
            episode=request.episode,
            ids=np.asarray(request.prompt_ids, np.int32),
            prompt=len(request.prompt_ids),
            limit=min(request.max_tokens, room),
            finish="context" if room < request.max_tokens else "length",
            temperature=request.temperature,
            key=stream_key(request.seed, request.episode, request.turn),
            version=self.version,
            done=asyncio.get_running_loop().create_future(),
        )

    def _remove(self, job: Job) -> None:
        self._queue = [other for other in self._queue if other is not job]
        for slot in self._table.slots:
            if slot.job is job:
                slot.job = None

    def _own(self, params: nnx.State) -> nnx.State:
        """A private copy on one device, whatever mesh the parameters live on."""
        return jax.tree.map(lambda x: jnp.array(jax.device_put(x, self._device), copy=True), params)

    def _reset_cache(self) -> None:
        self._table.invalidate()
        self._copies = {}
        self._length, self._cache = self._empty_cache()

    def _empty_cache(self) -> tuple[int, Cache]:
        length = min(_LENGTH_STEP, self._engine_cfg.context)
        return length, jax.device_put(init_cache(self._cfg, self._engine_cfg.slots, length), self._device)

    def _ensure_length(self, needed: int) -> None:
        if needed > self._length:
            self._length = min(-(-needed // _LENGTH_STEP) * _LENGTH_STEP, self._engine_cfg.context)
            self._cache = self._programs.run("resize", self._cache, self._length)
