"""Supervised batches: a release's trajectories, tokenised once, repacked every epoch, resumable to the exact batch.

Every epoch is a pure function of (examples, seed, epoch): a weighted selection, a shuffle, a packing plan. The state of
the iterator is therefore two integers, and a fingerprint that refuses a resume on other data.
"""

from __future__ import annotations

import hashlib
import json
import logging
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import grain
import numpy as np

from qpa.config import DataConfig
from qpa.contract import Trajectory
from qpa.train.packing import Example, build_rows, plan_rows, slot_capacity

log = logging.getLogger(__name__)

Tokenize = Callable[[Trajectory], tuple[Sequence[int], Sequence[int], Sequence[float]]]
"""(ids, mask, log_probs) of one trajectory, all of one length."""


class DataError(ValueError):
    """Training data that cannot be used; the message says what and what to do."""


@dataclass
class Tokenized:
    """Examples that fit a row, and how many records were left out and why."""

    examples: list[Example]
    too_long: int = 0
    unsupervised: int = 0
    unreadable: int = 0
    problems: list[str] = field(default_factory=list)  # one line per unreadable record


def tokenize_all(trajectories: Iterable[Trajectory], tokenize: Tokenize, row_length: int) -> Tokenized:
    """Tokenises a release. Records that do not fit, teach nothing or cannot be tokenised are counted, never fatal."""
    out = Tokenized([])
    for t in trajectories:
        try:
            ids, mask, _ = tokenize(t)
            example = Example(np.asarray(ids, np.int32), np.asarray(mask, bool), t.task.family)
        except ValueError as e:
            out.unreadable += 1
            out.problems.append(f"{t.task.id}: {e}")
            continue
        if example.length > row_length:
            out.too_long += 1
        elif example.supervised == 0:
            out.unsupervised += 1
        else:
            out.examples.append(example)
    if dropped := out.too_long + out.unsupervised + out.unreadable:
        log.warning(
            "data: %d of %d records left out: %d longer than %d tokens, %d without a supervised token, %d unreadable",
            dropped,
            dropped + len(out.examples),
            out.too_long,
            row_length + 1,
            out.unsupervised,
            out.unreadable,
        )
    return out


def select(families: Sequence[str], weights: Mapping[str, float], seed: int, epoch: int) -> list[int]:
    """Record numbers of one epoch, sorted, as many as there are records (up to rounding).

    `weights` are shares of the epoch by family. A family of n records with share w is seen round(w N) times: whole
    passes first, the rest from a permutation that the epochs walk through, so no record is favoured. Families without a
    weight, and all of them when `weights` is empty, are seen once.
    """
    members = defaultdict(list)
    for i, family in enumerate(families):
        members[family].append(i)
    chosen: list[int] = []
    for family, own in sorted(members.items()):
        count = round(weights[family] * len(families)) if family in weights else len(own)
        passes, rest = divmod(count, len(own))
        order = random.Random(f"{seed}:{family}").sample(own, len(own))
        chosen += own * passes + [order[(epoch * rest + j) % len(own)] for j in range(rest)]
    return sorted(chosen)


class _EpochBatches:
    """Random access over the batches of one epoch, as grain reads them."""

    def __init__(self, data: Batches, epoch: int):
        self.data = data
        chosen = select([e.family for e in data.examples], data.weights, data.seed, epoch)
        rng = random.Random(f"{data.seed}:{epoch}")
        rng.shuffle(chosen)
        self.examples = [data.examples[i] for i in chosen]
        self.plan = plan_rows(self.examples, data.cfg.sequence_length, data.slots)
        rng.shuffle(self.plan)

    def __len__(self) -> int:
        return -(-len(self.plan) // self.data.cfg.batch_size)

    def __getitem__(self, i: int) -> dict[str, np.ndarray]:
        size = self.data.cfg.batch_size
        rows = self.plan[i * size : (i + 1) * size]
        if self.data.own is not None:
            rows = [row if n in self.data.own else [] for n, row in enumerate(rows)]
        return build_rows(self.examples, rows, self.data.cfg.sequence_length, self.data.slots, pad_to=size)


class Batches(Iterator[dict[str, np.ndarray]]):
    """Endless batches of packed rows (see `qpa.train.packing`), `cfg.batch_size` rows each.

    The last batch of an epoch is filled with rows of weight 0: no record is lost, none is seen twice. Raises
    `DataError` when there is nothing to train on or when restored on other data.
    """

    def __init__(
        self, examples: Sequence[Example], cfg: DataConfig, *, seed: int, weights: Mapping[str, float] | None = None
    ):
        self.examples, self.cfg, self.seed, self.weights = list(examples), cfg, seed, dict(weights or {})
        if not select([e.family for e in self.examples], self.weights, seed, 0):
            raise DataError("data: no example to train on; check the release, its weights and data.sequence_length")
        self.slots = slot_capacity(self.examples, cfg.sequence_length)
        self.fingerprint = self._fingerprint()
        self.own: frozenset[int] | None = None
        self.epoch = self.batch = 0
        self._open()

    def keep_rows(self, rows: Iterable[int]) -> None:
        """Builds only these rows of every batch, the others stay empty: one process's part of a global batch.

        Every process plans the same epochs, so together they see each record once, whatever their number.
        """
        self.own = frozenset(rows)
        self._open()

    def __next__(self) -> dict[str, np.ndarray]:
        batch = next(self._iterator)
        self.batch += 1
        if self.batch == len(self._source):  # roll over now: a state saved at the edge names the next epoch
            self.epoch, self.batch = self.epoch + 1, 0
            self._open()
        return batch

    @property
    def batches_per_epoch(self) -> int:
        """Batches of the current epoch; with fractional weights epochs differ slightly."""
        return len(self._source)

    def get_state(self) -> dict[str, Any]:
        """Plain JSON: where the next batch comes from."""
        return {"epoch": self.epoch, "batch": self.batch, "fingerprint": self.fingerprint}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Continues where `get_state` was taken."""
        if state["fingerprint"] != self.fingerprint:
            raise DataError(
                f"data: the checkpoint was trained on other data (fingerprint {state['fingerprint'][:12]}, "
                f"now {self.fingerprint[:12]}); use the same release, seed and data config, or a new run_dir"
            )
        self.epoch, self.batch = int(state["epoch"]), int(state["batch"])
        self._open()

    def _open(self) -> None:
        self._source = _EpochBatches(self, self.epoch)
        dataset = grain.MapDataset.source(self._source)[self.batch :]
        # One thread keeps the order and stays ahead of the device; more would only compete with it on a CPU.
        self._iterator = iter(dataset.to_iter_dataset(grain.ReadOptions(num_threads=1, prefetch_buffer_size=2)))

    def _fingerprint(self) -> str:
        header = [self.cfg.sequence_length, self.cfg.batch_size, self.seed, sorted(self.weights.items())]
        digest = hashlib.sha256(json.dumps(header).encode())
        for e in self.examples:
            digest.update(f"{e.family}:{len(e.ids)}:".encode() + e.ids.tobytes() + np.packbits(e.mask).tobytes())
        return digest.hexdigest()
