"""The generation engine: many episodes, one model, the devices of this host, tokens in and tokens out.

Every call of `generate` is a job for one of the engine's lanes (`lane.py`), one lane per device. What a job samples
depends on the weights, its context and its (seed, episode, turn) only: shapes are fixed, so a row never sees its
neighbours; the random stream is the job's own; reuse, sharing and eviction of keys and values are exact (`slots`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
from flax import nnx

from qpa.chat.families import prompt_opens_thought
from qpa.chat.markers import END_OF_TEXT, IM_END, IM_START
from qpa.config import EngineConfig, ModelConfig
from qpa.contract import GenerateDelta, GenerateReply, GenerateRequest
from qpa.models.constrain import ToolGrammars
from qpa.models.jobs import Deltas, Job, make_job
from qpa.models.lane import Clock, Lane
from qpa.models.programs import form


class Engine:
    """A `ChatModel` over local weights, batching across concurrent callers.

    Args:
      graphdef, params: a split `Planner`; parameters are copied, so a trainer may donate its own.
      cfg: the model's shape. engine_cfg: slots (shared out among the devices), context, chunk and bucket sizes.
      chat_format: anything with `tokenizer` (`special_id`, `decode`); the runtime encodes messages with it. Constrained
        calls also read its `family` and the tokenizer's `token_bytes` and `encode`.
      name: the policy's name in trajectories. version: reported as `policy_version`.
      devices: where to generate; all devices of this process if not given.

    Raises:
      ValueError: a size is not positive, a prefill bucket exceeds the context, the tokenizer exceeds the vocabulary, or
        `compute_dtype` is unknown.
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
        devices: Sequence[jax.Device] | None = None,
    ) -> None:
        sizes = (engine_cfg.slots, engine_cfg.context, engine_cfg.decode_chunk, engine_cfg.decode_rows)
        buckets = engine_cfg.prefill_buckets
        if not buckets or min(*sizes, *buckets) < 1 or max(buckets) > engine_cfg.context:
            raise ValueError(f"engine: sizes must be >= 1 and prefill buckets at most the context, got {engine_cfg}")
        self.name, self.chat_format, self.version = name, chat_format, version
        self._cfg, self._engine_cfg, self._form = cfg, engine_cfg, form(params)
        stops_V = self._stop_ids()
        devices = list(devices or jax.local_devices())[: engine_cfg.slots]
        self._clock, executor = Clock(), ThreadPoolExecutor(len(devices), thread_name_prefix="engine")
        self._lanes = [
            Lane(
                device, graphdef, params, version, cfg, engine_cfg, -(-engine_cfg.slots // len(devices)), stops_V,
                self._finish, self._clock, executor,
            )
            for device in devices
        ]  # fmt: skip
        self._counts = {"requests": 0, "cancelled": 0, "expired": 0}
        self._grammars: ToolGrammars | None = None

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """Continues `request.prompt_ids` (the whole context) up to a stop token, `max_tokens` or the context's end.

        The stop token or sequence is part of `token_ids`, not of `text`. `finish` is "context" if the context's end
        came first. If the weights change midway, `policy_version` is the older version. Cancelling the call frees its
        slot.

        Raises:
          ValueError: no prompt ids, ids outside the vocabulary, or a setting out of range.
          TimeoutError: `time_left_s` is over; the slot is free again.
          RuntimeError: the device failed (its waiting calls get this), the weights give non-finite log-probs, or a
            constraint was asked for that cannot be had (`constrain`).
        """
        job = self._job(request)
        if job.limit == 0:
            return job.reply(self._decode, self.version)
        with self._served(job):
            async with asyncio.timeout(request.time_left_s):
                return await job.done

    async def stream(self, request: GenerateRequest) -> AsyncGenerator[GenerateDelta | GenerateReply]:
        """`generate` in pieces: deltas as they are sampled, and at the end the same reply.

        Closing the generator (`aclose`) cancels the call. Raises what `generate` raises.
        """
        job = self._job(request)
        if job.limit == 0:
            yield job.reply(self._decode, self.version)
            return
        loop, left = asyncio.get_running_loop(), request.time_left_s
        deadline = None if left is None else loop.time() + left
        job.news = news = asyncio.Event()
        job.done.add_done_callback(lambda _: news.set())
        deltas = Deltas(job, self._decode)
        with self._served(job):
            while True:
                async with asyncio.timeout_at(deadline):
                    await news.wait()
                news.clear()
                if job.done.done():
                    break
                yield deltas.next()
        reply = job.done.result()
        yield deltas.last(reply)
        yield reply

    def update_params(self, params: nnx.State, version: int) -> None:
        """Swaps the weights without recompiling and forgets all cached keys and values.

        Calls in flight go on under the new weights, with their context computed anew.

        Raises:
          ValueError: another structure, shape or dtype than the current weights.
        """
        if form(params) != self._form:
            raise ValueError("update_params: parameters differ in structure, shape or dtype from the engine's")
        self.version = version
        for lane in self._lanes:
            lane.set_params(params, version)

    def release(self, episode: str) -> None:
        """Tells that an episode has ended, so that its slot is taken before those of waiting ones. Optional."""
        for lane in self._lanes:
            lane.table.forget(episode)

    def stats(self) -> dict[str, float]:
        """Counters since the start.

        Seconds: on the devices, compiling, and on the host (neither, while calls were waiting).
        """
        lanes = self._lanes
        counts = {k: sum(lane.counts[k] for lane in lanes) for k in lanes[0].counts}
        return self._counts | counts | {
            "reused_tokens": sum(lane.table.reused_tokens for lane in lanes),
            "evictions": sum(lane.table.evictions for lane in lanes),
            **{f"{kind}_seconds": seconds for kind, seconds in self._clock.seconds.items()},
            "programs": sum(len(lane.programs.used) for lane in lanes),
        }  # fmt: skip

    def _stop_ids(self) -> np.ndarray:
        """bool [V]: the ids that end a reply."""
        tokenizer = self.chat_format.tokenizer
        stops = [tokenizer.special_id(marker) for marker in (IM_END, END_OF_TEXT, IM_START)]
        if max(stops) >= self._cfg.vocab_size:
            raise ValueError(f"engine: special token id {max(stops)} does not fit vocab_size {self._cfg.vocab_size}")
        stops_V = np.zeros(self._cfg.vocab_size, bool)
        stops_V[stops] = True
        return stops_V

    def _lane(self, job: Job) -> Lane:
        """The lane that holds the episode's context, else the one with least to do."""
        for lane in self._lanes:
            if any(slot.episode == job.episode for slot in lane.table.slots):
                return lane
        return min(self._lanes, key=lambda lane: lane.load)

    @contextlib.contextmanager
    def _served(self, job: Job) -> Iterator[None]:
        """Hands the job to a lane, and takes it back whatever happens."""
        self._counts["requests"] += 1
        lane = self._lane(job)
        lane.submit(job)
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            self._counts["cancelled"] += 1
            raise
        except TimeoutError:
            self._counts["expired"] += 1
            raise
        finally:
            lane.remove(job)

    def _finish(self, job: Job) -> None:
        if not job.done.done():  # cancelled in this very turn of the loop
            job.done.set_result(job.reply(self._decode, job.version))

    def _decode(self, ids: Sequence[int]) -> str:
        return self.chat_format.tokenizer.decode(ids)

    def _job(self, request: GenerateRequest) -> Job:
        job = make_job(request, self._cfg.vocab_size, self._engine_cfg.context, self.version)
        if request.constrain:
            if self._grammars is None:
                format = self.chat_format
                in_thought = prompt_opens_thought(format.family, format.thinking)
                self._grammars = ToolGrammars(format.tokenizer, self._cfg.vocab_size, format.family, in_thought)
            job.constraint = self._grammars.start(request.constrain, request.tools)
        return job
