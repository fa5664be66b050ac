"""The model shape and workloads that every peer runs, and the loop of peers that generate in whole batches.

Nothing of qpa is imported, so that a peer's own interpreter can run it.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

SHAPE = {
    "vocab_size": 8192, "d_model": 384, "n_layers": 12, "n_heads": 6, "n_kv_heads": 2, "head_dim": 64, "d_ff": 1024,
}  # fmt: skip
SPECIAL = 3  # the last ids of the vocabulary, which no workload contains and no model samples
PROMPT, NEW = 128, 128  # of the decode workload
ROWS, LENGTH = 8, 512  # of a batch in training
PROBE = 2048  # width of the matrices whose product tells how fast the machine is
Generate = Callable[[list[list[int]], int], list[list[int]]]
"""(contexts, tokens to sample for each) -> sampled ids."""


@dataclasses.dataclass
class Episode:
    """A conversation whose lengths are fixed beforehand, so that all peers do the same work."""

    prompt: list[int]
    lengths: list[int]  # sampled tokens per turn
    environment: list[list[int]]  # ids appended after each turn

    @property
    def total(self) -> int:
        return len(self.prompt) + sum(self.lengths) + sum(map(len, self.environment))


def decode_prompts(batch: int, seed: int = 0) -> list[list[int]]:
    return [_ids(np.random.default_rng([seed, i]), PROMPT) for i in range(batch)]


def agent_episodes(
    tasks: int, group: int, turns: int, prompt: int = 600, sampled: int = 40, environment: int = 80, seed: int = 0
) -> list[Episode]:
    """Groups that share a task's prompt; lengths are uniform within half of their mean to either side."""
    out = []
    for task in range(tasks):
        shared = _ids(np.random.default_rng([seed, task]), prompt)
        for member in range(group):
            rng = np.random.default_rng([seed, task, member])
            lengths = rng.integers(sampled // 2, sampled + sampled // 2 + 1, turns).tolist()
            texts = rng.integers(environment // 2, environment + environment // 2 + 1, turns).tolist()
            out.append(Episode(shared, lengths, [_ids(rng, n) for n in texts]))
    return out


def in_batches(episodes: Sequence[Episode], batch: int, generate: Generate) -> list[list[list[int]]]:
    """Plays episodes as batch generators do: whole contexts each turn, and all wait for the longest reply.

    Returns the sampled ids by episode and turn.
    """
    out: list[list[list[int]]] = []
    for start in range(0, len(episodes), batch):
        chosen = episodes[start : start + batch]
        contexts, replies = [list(e.prompt) for e in chosen], [[] for _ in chosen]
        for turn in range(len(chosen[0].lengths)):
            sampled = generate(contexts, max(e.lengths[turn] for e in chosen))
            for i, e in enumerate(chosen):
                replies[i].append(sampled[i][: e.lengths[turn]])
                contexts[i] = contexts[i] + replies[i][-1] + e.environment[turn]
        out += replies
    return out


def sampled_tokens(episodes: Sequence[Episode]) -> int:
    return sum(sum(e.lengths) for e in episodes)


def seconds_of(run: Callable[[], object], repeats: int) -> list[float]:
    """Wall seconds of each run."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return times


def median_seconds(run: Callable[[], object], repeats: int, warm: Callable[[], object] | None = None) -> float:
    """Seconds of one run, median. First comes `warm`, or one more run, which compiles and does not count."""
    (warm or run)()
    return statistics.median(seconds_of(run, repeats))


def timed_updates(update: Callable[[], object], steps: int, gflops: Callable[[], float]) -> dict[str, Any]:
    """Seconds of `steps` updates after two that do not count, and the mean of the probe's speed before and after."""
    before = gflops()
    seconds = seconds_of(update, steps + 2)[2:]
    return {"seconds": seconds, "gflops": (before + gflops()) / 2}


def best_gflops(product: Callable[[], object]) -> float:
    """GFLOP/s of `product`, which multiplies two float32 matrices of width `PROBE`: best of five, after one more."""
    product()
    return 2 * PROBE**3 / min(seconds_of(product, 5)) / 1e9


def _ids(rng: np.random.Generator, count: int) -> list[int]:
    return rng.integers(1, SHAPE["vocab_size"] - SPECIAL, count).tolist()
