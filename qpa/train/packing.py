"""Token records packed into fixed rows, with labels and masks shifted together, once, here.

Legend: N rows, T row length, K supervised slots per row, L tokens of one record.
A row holds several records side by side. `segments` numbers them from 1 (0 is padding), `positions` restart at 0 in
each, so a record's logits are what they would be alone. Instead of a [N, T] label and mask, a row lists its supervised
*slots*: `index[k]` is the position whose logits predict `targets[k]`; logits are computed there and nowhere else.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SLOT_STEPS = 32  # K is rounded up to a multiple of T / 32, so few distinct shapes are ever compiled


@dataclass(frozen=True)
class Example:
    """One tokenised trajectory. `mask` marks planner tokens that are supervised; environment tokens are context."""

    ids: np.ndarray  # [L] int32
    mask: np.ndarray  # [L] bool
    family: str = ""
    log_probs: np.ndarray | None = None  # [L] float32 of the behaviour policy, RL only
    weight: float = 1.0  # of every supervised token: 1 for SFT, 1 / T_i for RL (Eq. 10)
    advantage: float = 0.0  # A_i of Eq. 9, RL only

    def __post_init__(self) -> None:
        shapes = {x.shape for x in (self.ids, self.mask, self.log_probs) if x is not None}
        if len(shapes) != 1 or np.ndim(self.ids) != 1 or len(self.ids) < 2:
            raise ValueError(f"example: ids, mask and log_probs must be one axis of equal length >= 2, got {shapes}")

    @property
    def length(self) -> int:
        """Positions taken in a row: the last token is only ever a target."""
        return len(self.ids) - 1

    @property
    def supervised(self) -> int:
        """Supervised tokens; the first token of a record has no context and cannot be one."""
        return int(np.count_nonzero(self.mask[1:]))


def slot_capacity(examples: Sequence[Example], row_length: int) -> int:
    """K for rows of these examples: a tenth above their average share of supervised tokens, but enough for each one.

    Rounded up to a multiple of T / 32. It depends on the examples alone, so every epoch has the same compiled shape.
    """
    total = sum(e.length for e in examples)
    average = row_length * sum(e.supervised for e in examples) / max(total, 1)
    most = max([1.1 * average, 1.0, *(e.supervised for e in examples)])
    step = -(-row_length // SLOT_STEPS)
    return min(row_length, math.ceil(most / step) * step)


def plan_rows(examples: Sequence[Example], row_length: int, slots: int) -> list[list[int]]:
    """Best-fit decreasing packing: rows as lists of example numbers, each example in exactly one row.

    A row holds at most T positions and K supervised tokens. Ties keep the given order, so shuffling the examples
    changes who shares a row. Raises ValueError if one fits no row.
    """
    rows: list[list[int]] = []
    free: list[tuple[int, int, int]] = []  # (positions left, slots left, row number), sorted
    for i in sorted(range(len(examples)), key=lambda i: -examples[i].length):
        length, need = examples[i].length, examples[i].supervised
        if length > row_length or need > slots:
            raise ValueError(
                f"packing: example {i} needs {length} positions and {need} slots, a row has {row_length} and {slots}"
            )
        at = bisect.bisect_left(free, (length, 0, 0))
        at = next((k for k in range(at, len(free)) if free[k][1] >= need), len(free))
        room, left, row = free.pop(at) if at < len(free) else (row_length, slots, len(rows))
        if row == len(rows):
            rows.append([])
        rows[row].append(i)
        bisect.insort(free, (room - length, left - need, row))
    return rows


def empty_rows(n: int, row_length: int, slots: int, *, rl: bool = False) -> dict[str, np.ndarray]:
    """Padding rows: segment 0 everywhere, every slot of weight 0, so they add nothing to a sum or a count."""
    batch = {name: np.zeros((n, row_length), np.int32) for name in ("tokens", "segments", "positions")}
    batch |= {name: np.zeros((n, slots), np.int32) for name in ("index", "targets")}
    names = ("weights", "advantages", "old_log_probs") if rl else ("weights",)
    return batch | {name: np.zeros((n, slots), np.float32) for name in names}


def build_rows(
    examples: Sequence[Example],
    plan: Sequence[Sequence[int]],
    row_length: int,
    slots: int,
    *,
    rl: bool = False,
    pad_to: int = 0,
) -> dict[str, np.ndarray]:
    """Arrays of the planned rows, [N, T] tokens/segments/positions and [N, K] slots, padded to `pad_to` rows.

    With `rl`, also `advantages` and `old_log_probs` at the slots. Raises ValueError if a row has more than K slots.
    """
    batch = empty_rows(max(len(plan), pad_to), row_length, slots, rl=rl)
    for n, row in enumerate(plan):
        start = used = 0
        for segment, i in enumerate(row, start=1):
            ex = examples[i]
            stop = start + ex.length
            batch["tokens"][n, start:stop] = ex.ids[:-1]
            batch["segments"][n, start:stop] = segment
            batch["positions"][n, start:stop] = np.arange(ex.length)
            at = np.flatnonzero(ex.mask[1:])  # the shift: position t predicts token t + 1, mask and label alike
            here = slice(used, used + len(at))
            if here.stop > slots:
                raise ValueError(f"packing: row {n} has more than {slots} supervised tokens")
            batch["index"][n, here] = start + at
            batch["targets"][n, here] = ex.ids[1:][at]
            batch["weights"][n, here] = ex.weight
            if rl:
                batch["advantages"][n, here] = ex.advantage
                batch["old_log_probs"][n, here] = ex.log_probs[1:][at]  # type: ignore[index]
            start, used = stop, here.stop
    return batch


def split_rows(batch: dict[str, np.ndarray], rows_per_chunk: int) -> dict[str, np.ndarray]:
    """[N, ...] -> [M, b, ...]: the chunks whose gradients a step adds up, the last one filled with empty rows."""
    fill = -len(batch["tokens"]) % rows_per_chunk
    padded = {k: np.concatenate([v, np.zeros((fill, *v.shape[1:]), v.dtype)]) for k, v in batch.items()}
    return {k: v.reshape(-1, rows_per_chunk, *v.shape[1:]) for k, v in padded.items()}
