"""The generation engine: many episodes, one model, the devices of this host, tokens in and tokens out.

Every call of `generate` is a job for one of the engine's lanes (`lane.py`), one lane per device. What a job samples
depends on the weights, its context and its (seed, episode, turn) only: shapes are fixed, so a row never sees its
neighbours; the random stream is the job's own; reuse, sharing and eviction of keys and values are exact (`slots`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
from flax import nnx

from qpa.chat.markers import END_OF_TEXT, IM_END, IM_START
from qpa.config import EngineConfig, ModelConfig
from qpa.contract import GenerateReply, GenerateRequest
from qpa.models.lane import Clock, Lane
from qpa.models.programs import form
from qpa.models.sampling import stream_key
from qpa.models.slots import Job

_COLDEST = 1e-3  # logits divided by less overflow float32


class Engine:
    """A `ChatModel` over local weights, batching across concurrent callers.

    Args:
      graphdef, params: a split `Planner`; parameters are copied, so a trainer may donate its own.
      cfg: the model's shape. engine_cfg: slots (shared out among the devices), context, chunk and bucket sizes.
      chat_format: anything with `tokenizer` (`special_id`, `decode`); the runtime encodes messages with it.
      name: the policy's name in trajectories. version: reported as `policy_version`.
      devices: where to generate; all devices of this process if not given.

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
        devices: Sequence[jax.Device] | None = None,
    ) -> None:
        sizes = (engine_cfg.slots, engine_cfg.context, engine_cfg.decode_chunk, engine_cfg.decode_rows)
        buckets = engine_cfg.prefill_buckets
        if not buckets or min(*sizes, *buckets) < 1 or max(buckets) > engine_cfg.context:
            raise ValueError(f"engine: sizes must be >= 1 and prefill buckets at most the context, got {engine_cfg}")
        self.name, self.chat_format, self.version = name, chat_format, version
        self._cfg, self._engine_cfg = cfg, engine_cfg
        stops_V = self._stop_ids()
        devices = list(devices or jax.local_devices())[: engine_cfg.slots]
        self._clock, executor = Clock(), ThreadPoolExecutor(len(devices), thread_name_prefix="engine")
        self._lanes = [
            Lane(
                device, graphdef, params, version, cfg, engine_cfg, -(-engine_cfg.slots // len(devices)), stops_V,
                self._reply, self._clock, executor,
            )
            for device in devices
        ]  # fmt: skip
        self._counts = {"requests": 0, "cancelled": 0}

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """Continues `request.prompt_ids` (the whole context) up to a stop token, `max_tokens` or the context's end.

        The stop token is part of `token_ids`, not of `text`. `finish` is "context" if the context's end came first.
        If the weights change midway, `policy_version` is the older version. Cancelling the call frees its slot.

        Raises:
          ValueError: no prompt ids, ids outside the vocabulary, or a temperature that is neither 0 nor sensible.
          RuntimeError: the device failed (its waiting calls get this), or the weights give non-finite log-probs.
        """
        job = self._job(request)
        if job.limit <= 0:
            return GenerateReply(text="", finish=job.finish, policy_version=self.version)
        self._counts["requests"] += 1
        lane = self._lane(job)
        lane.submit(job)
        try:
            return await job.done
        except asyncio.CancelledError:
            self._counts["cancelled"] += 1
            raise
        finally:
            lane.remove(job)

    def update_params(self, params: nnx.State, version: int) -> None:
        """Swaps the weights without recompiling and forgets all cached keys and values.

        Calls in flight go on under the new weights, with their context computed anew.

        Raises:
          ValueError: another structure, shape or dtype than the current weights.
        """
        if form(params) != form(self._lanes[0].params):
            raise ValueError("update_params: parameters differ in structure, shape or dtype from the engine's")
        self.version = version
        for lane in self._lanes:
            lane.set_params(lane.own(params), version)

    def release(self, episode: str) -> None:
        """Tells that an episode has ended, so that its slot is taken before those of waiting ones. Optional."""
        for lane in self._lanes:
            lane.table.forget(episode)

    def stats(self) -> dict[str, float]:
        """Counters since the start: tokens, requests, seconds on the devices, seconds and number of compilations."""
        lanes = self._lanes
        counts = {k: sum(lane.counts[k] for lane in lanes) for k in lanes[0].counts}
        return self._counts | counts | {
            "reused_tokens": sum(lane.table.reused_tokens for lane in lanes),
            "evictions": sum(lane.table.evictions for lane in lanes),
            "device_seconds": self._clock.seconds["device"],
            "compile_seconds": self._clock.seconds["compile"],
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

    def _reply(self, job: Job, finish: str) -> None:
        sampled = job.sampled
        text = self.chat_format.tokenizer.decode(sampled[:-1] if finish == "stop" else sampled)
        if not job.done.done():  # cancelled in this very turn of the loop
            job.done.set_result(
                GenerateReply(
                    text=text, token_ids=sampled, log_probs=job.log_probs, finish=finish, policy_version=job.version
                )
            )

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
