"""From groups of trajectories to packed rows: rewards and advantages by CARE, token weights 1 / T_i (Eq. 5, 9, 10)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from qpa import care
from qpa.config import CareConfig
from qpa.contract import Trajectory
from qpa.train.data import Tokenize
from qpa.train.packing import Example, build_rows, plan_rows, split_rows
from qpa.train.rollout import Group, Rollouts


@dataclass
class Scored:
    """One step's learning signal. The lists are per group, ragged, and JSON-ready for the controller's window."""

    examples: list[Example] = field(default_factory=list)  # of groups with a non-zero advantage
    rollouts: int = 0  # valid rollouts of all groups: the denominator of Eq. 10
    success: list[list[float]] = field(default_factory=list)
    progress: list[list[float]] = field(default_factory=list)
    cost: list[list[float]] = field(default_factory=list)
    regime: list[int] = field(default_factory=list)
    families: list[str] = field(default_factory=list)
    skipped: int = 0  # groups whose advantages are all 0: nothing to learn from
    empty: int = 0  # groups without two comparable rollouts
    overlong: int = 0  # rollouts that fit no row, left out of their group's statistics as well


def score_groups(rollouts: Rollouts, tokenize: Tokenize, phi: Any, cfg: CareConfig, row_length: int) -> Scored:
    """Scores every group under `phi` and tokenises those that teach something.

    Group statistics are taken over exactly the rollouts that are trained on or could have been: invalid and overlong
    ones are in neither.
    """
    out = Scored()
    for group in rollouts.groups:
        kept, rows = _tokens(group, tokenize, row_length, out)
        if len(kept) < 2:
            out.empty += 1
            continue
        s = [float(t.verdict.success) for t in kept]  # type: ignore[union-attr]
        p = [float(t.verdict.progress) for t in kept]  # type: ignore[union-attr]
        e = [execution_cost(t, cfg) for t in kept]
        advantages, regime = care.group_advantages(
            np.array(s), np.array(p), np.array(e), calibrate=cfg.calibrate, **phi.as_dict()
        )
        for column, values in ((out.success, s), (out.progress, p), (out.cost, e)):
            column.append(values)
        out.regime.append(int(regime))
        out.families.append(group.task.family)
        out.rollouts += len(kept)
        if not np.any(advantages):
            out.skipped += 1
            continue
        for (ids, mask, log_probs), advantage in zip(rows, advantages, strict=True):
            weight = 1.0 / max(1, int(np.count_nonzero(mask[1:])))
            out.examples.append(Example(ids, mask, group.task.family, log_probs, weight, float(advantage)))
    return out


def _tokens(
    group: Group, tokenize: Tokenize, row_length: int, out: Scored
) -> tuple[list[Trajectory], list[tuple[np.ndarray, np.ndarray, np.ndarray]]]:
    kept, rows = [], []
    for t in group.trajectories:
        ids, mask, log_probs = tokenize(t)
        if len(ids) - 1 > row_length:
            out.overlong += 1
            continue
        kept.append(t)
        rows.append((np.asarray(ids, np.int32), np.asarray(mask, bool), np.asarray(log_probs, np.float32)))
    return kept, rows


def execution_cost(trajectory: Trajectory, cfg: CareConfig) -> float:
    """e_i of Eq. 5 from the trajectory's own cost record."""
    cost = trajectory.cost
    return float(care.execution_cost(cost.output_tokens, cost.tool_calls, cfg.token_budget, cfg.call_budget))


def minibatches(
    examples: Sequence[Example], row_length: int, chunk: int, capacity: int, parts: int, *, seed: str
) -> list[tuple[dict[str, np.ndarray], int]]:
    """Splits the examples into `parts` updates -> [(chunks [M, b, ...], chunks in use)], shuffled by `seed`.

    Shapes are the same in every step: M chunks hold `capacity` rows, K is half a row (a whole one if a rollout needs
    it), and only the chunks in use are computed. Parts without an example are left out.
    """
    order = list(range(len(examples)))
    random.Random(seed).shuffle(order)
    slots = row_length // 2
    if any(e.supervised > slots for e in examples):
        slots = row_length
    out = []
    for part in range(parts):
        own = [examples[i] for i in order[part::parts]]
        if own:
            plan = plan_rows(own, row_length, slots)
            rows = -(-max(capacity, len(plan)) // chunk) * chunk
            batch = build_rows(own, plan, row_length, slots, rl=True, pad_to=rows)
            out.append((split_rows(batch, chunk), -(-len(plan) // chunk)))
    return out
