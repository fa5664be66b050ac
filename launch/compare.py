"""Two evaluations of the same tasks, task by task: differences with intervals, never two rates side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from launch.evaluation import Outcomes
from qpa.bench.stats import non_inferior, paired_difference

MARGIN = 0.05  # of success: a policy that loses less than this is called non-inferior
RESAMPLES = 4000


@dataclass(frozen=True)
class Comparison:
    """`a` against `b` over their common tasks. The ratio is None where one of them never succeeds."""

    a: str
    b: str
    tasks: int
    success: tuple[float, float, float]  # a - b: mean, low, high
    non_inferior: bool  # a is not worse than b by MARGIN or more
    token_ratio: tuple[float, float, float] | None  # output tokens per success, a / b: estimate, low, high
    calls: tuple[float, float, float]  # tool calls per task, a - b

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return asdict(self)


def compare(a: str, ours: Outcomes, b: str, theirs: Outcomes) -> Comparison:
    """Pairs by task id. Raises ValueError unless both ran exactly the same tasks."""
    if set(ours.success) != set(theirs.success):
        odd = sorted(set(ours.success) ^ set(theirs.success))
        raise ValueError(f"{a} and {b} were not run on the same tasks: {len(odd)} differ, e.g. {odd[0]}")
    ids = sorted(ours.success)

    def pair(field: str) -> tuple[Any, Any]:
        columns: list[Mapping[str, float]] = [getattr(ours, field), getattr(theirs, field)]
        return np.array([columns[0][i] for i in ids]), np.array([columns[1][i] for i in ids])

    success, tokens, calls = pair("success"), pair("output_tokens"), pair("tool_calls")
    return Comparison(
        a=a,
        b=b,
        tasks=len(ids),
        success=paired_difference(*success),
        non_inferior=non_inferior(*success, MARGIN),
        token_ratio=per_success_ratio(tokens, success),
        calls=paired_difference(*calls),
    )


def per_success_ratio(
    cost: tuple[np.ndarray, np.ndarray], success: tuple[np.ndarray, np.ndarray], *, seed: int = 0
) -> tuple[float, float, float] | None:
    """(cost_a / successes_a) / (cost_b / successes_b) with a 95 % bootstrap interval over tasks, resampled in pairs.

    Args:
      cost, success: pairs of arrays [N] over the same tasks.

    Resamples without a success on one side have no ratio and are left out; None when that is the whole sample.
    """
    n = len(success[0])
    if n == 0 or min(success[0].sum(), success[1].sum()) == 0 or cost[1].sum() == 0:
        return None
    picks = np.random.default_rng(seed).integers(0, n, (RESAMPLES, n))
    totals = [x[picks].sum(axis=1) for x in (*cost, *success)]
    usable = (totals[1] > 0) & (totals[2] > 0) & (totals[3] > 0)
    ratios = (totals[0] / np.maximum(totals[2], 1))[usable] / (totals[1] / np.maximum(totals[3], 1))[usable]
    low, high = np.quantile(ratios, (0.025, 0.975))
    estimate = (cost[0].sum() / success[0].sum()) / (cost[1].sum() / success[1].sum())
    return float(estimate), float(low), float(high)
