"""One generate call as the engine's parts share it: checked settings, what was sampled, where it ends, its text."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from qpa.contract import GenerateDelta, GenerateReply, GenerateRequest
from qpa.models.sampling import stream_key

_COLDEST = 1e-3  # logits divided by less overflow float32
_NO_LIMITS = (0.0, 1.0, 0.0)
_UNCERTAIN = "\ufffd"  # at the end of a decoded text: a character whose last bytes may still come, or bad bytes


class Constraint(Protocol):
    """Which ids may come next, given those that came."""

    def fill(self, words_W: np.ndarray) -> None:
        """Writes the bits of the allowed ids, int32; raises RuntimeError if it cannot tell."""
        ...

    def advance(self, token: int) -> None: ...


@dataclasses.dataclass(eq=False)
class Job:
    """One generate call. `ids` is the whole context: the prompt and, behind it, what was sampled so far."""

    episode: str
    ids: np.ndarray  # int32
    prompt: int  # length of the prompt
    limit: int  # tokens that may be sampled
    finish: str  # reason when `limit` is reached
    temperature: float
    key: np.ndarray  # uint32 [2]
    version: int
    done: asyncio.Future[GenerateReply]
    limits: tuple[float, float, float] = _NO_LIMITS  # top-k, top-p, min-p
    raw: bool = False
    stop_ids: tuple[tuple[int, ...], ...] = ()
    constraint: Constraint | None = None
    news: asyncio.Event | None = None  # set whenever `ids` has grown or the job is done
    log_probs: list[float] = dataclasses.field(default_factory=list)
    raw_log_probs: list[float] = dataclasses.field(default_factory=list)
    ending: int = 0  # ids at the end that stopped it: no part of the text

    @property
    def sampled(self) -> list[int]:
        return self.ids[self.prompt :].tolist()

    @property
    def program(self) -> str:
        """The program that decodes it. That follows from its own request, so that neighbours change nothing."""
        if self.constraint is not None:
            return "constrained"
        limited = self.limits != _NO_LIMITS or (self.raw and self.temperature != 1)
        return "limited" if limited and self.temperature > 0 else "decode"

    def accept(self, ids: np.ndarray, log_probs: np.ndarray, stops_V: np.ndarray) -> int:
        """Appends new ids up to the first that ends the reply; returns how many. `log_probs` is [C] or [C, 2]."""
        ids = ids[: self.limit - len(self.log_probs)]
        stops = np.flatnonzero(stops_V[ids])
        n = int(stops[0]) + 1 if len(stops) else len(ids)
        self.ending = int(len(stops) > 0)
        if self.stop_ids:
            sampled = [*self.sampled, *ids[:n].tolist()]
            start = len(sampled) - n
            for end in range(start + 1, len(sampled) + 1):
                if found := max((len(s) for s in self.stop_ids if _ends(sampled, end, s)), default=0):
                    n, self.ending = end - start, found
                    break
        two = log_probs.reshape(len(log_probs), -1)[:n]
        self.ids = np.append(self.ids, ids[:n])
        self.log_probs += two[:, 0].tolist()
        if self.raw:
            self.raw_log_probs += two[:, -1].tolist()
        if self.news is not None:
            self.news.set()
        return n

    @property
    def reason(self) -> str:
        """Why it is over; empty if it is not."""
        return "stop" if self.ending else self.finish if len(self.log_probs) == self.limit else ""

    def reply(self, decode: Callable[[Sequence[int]], str], version: int) -> GenerateReply:
        sampled = self.sampled
        return GenerateReply(
            text=decode(sampled[: len(sampled) - self.ending]),
            token_ids=sampled,
            log_probs=self.log_probs,
            finish=self.reason,
            policy_version=version,
            raw_log_probs=self.raw_log_probs,
        )


class Deltas:
    """Cuts what a job samples into deltas. Text stays back while its last character or a stop sequence may go on."""

    def __init__(self, job: Job, decode: Callable[[Sequence[int]], str]) -> None:
        self._job, self._decode = job, decode
        self._ids = 0  # sampled ids that were given out
        self._decoded = 0  # sampled ids whose text was given out whole
        self._ahead = 0  # characters given out of the text behind them
        self.text = ""  # given out so far

    def next(self) -> GenerateDelta:
        """What is new. Call it while the job is not done."""
        sampled = self._job.sampled
        known = len(sampled) - _held_back(sampled, self._job.stop_ids)
        text = self._decode(sampled[self._decoded : known])
        new = text.removesuffix(_UNCERTAIN)[self._ahead :]
        if text.endswith(_UNCERTAIN):
            self._ahead += len(new)
        else:
            self._decoded, self._ahead = known, 0
        return self._give(sampled, new)

    def last(self, reply: GenerateReply) -> GenerateDelta:
        """The rest of a finished job."""
        return self._give(reply.token_ids, reply.text[len(self.text) :])

    def _give(self, sampled: list[int], text: str) -> GenerateDelta:
        delta = GenerateDelta(token_ids=sampled[self._ids :], text=text)
        self._ids = len(sampled)
        self.text += text
        return delta


def _ends(ids: Sequence[int], end: int, tail: Sequence[int]) -> bool:
    """Whether `ids[:end]` ends with `tail`."""
    return len(tail) <= end and list(ids[end - len(tail) : end]) == list(tail)


def _held_back(sampled: Sequence[int], stop_ids: Sequence[Sequence[int]]) -> int:
    """How many of the last ids may be the beginning of a stop sequence."""
    starts = (n for stop in stop_ids for n in range(1, len(stop)) if _ends(sampled, len(sampled), stop[:n]))
    return max(starts, default=0)


def make_job(request: GenerateRequest, vocab_size: int, context: int, version: int) -> Job:
    """The job of a request, for the running event loop. Raises ValueError for one that cannot be served."""
    where = f"generate({request.episode!r}, turn {request.turn})"
    _check_ids(where, request, vocab_size)
    if request.temperature != 0 and not _COLDEST <= request.temperature < float("inf"):
        raise ValueError(f"{where}: temperature must be 0 or in [{_COLDEST}, inf), got {request.temperature}")
    if not 0 < request.top_p <= 1:
        raise ValueError(f"{where}: top_p must be in (0, 1], got {request.top_p}")
    if not 0 <= request.min_p < 1:
        raise ValueError(f"{where}: min_p must be in [0, 1), got {request.min_p}")
    if request.top_k < 0:
        raise ValueError(f"{where}: top_k must be >= 0, got {request.top_k}")
    room = context - len(request.prompt_ids)
    return Job(
        episode=request.episode,
        ids=np.asarray(request.prompt_ids, np.int32),
        prompt=len(request.prompt_ids),
        limit=max(0, min(request.max_tokens, room)),
        finish="context" if room < request.max_tokens else "length",
        temperature=request.temperature,
        key=stream_key(request.seed, request.episode, request.turn),
        version=version,
        done=asyncio.get_running_loop().create_future(),
        limits=(float(min(request.top_k, vocab_size)), request.top_p, request.min_p),
        raw=request.raw_log_probs,
        stop_ids=tuple(map(tuple, request.stop_ids)),
    )


def _check_ids(where: str, request: GenerateRequest, vocab_size: int) -> None:
    if not request.prompt_ids:
        raise ValueError(f"{where}: prompt_ids is empty; render the context first")
    if not 0 <= min(request.prompt_ids) <= max(request.prompt_ids) < vocab_size:
        raise ValueError(f"{where}: prompt_ids outside [0, {vocab_size}); another tokenizer's?")
    for stop in request.stop_ids:
        if not stop or not 0 <= min(stop) <= max(stop) < vocab_size:
            raise ValueError(f"{where}: a stop sequence is empty or has ids outside [0, {vocab_size}): {stop}")
