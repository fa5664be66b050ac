"""Intervals for success rates and for differences between two policies on the same tasks.

Rates are small counts near 0 or 1, where the normal interval lies; Wilson's score interval and Tango's paired score
interval keep their coverage there. Costs are skewed, so their paired difference is bootstrapped with a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import NormalDist

import numpy as np


def wilson(successes: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson score interval (low, high) of a proportion; (0, 1) when `total` is 0 (Wilson 1927).

    Raises ValueError unless 0 <= successes <= total.
    """
    if not 0 <= successes <= total:
        raise ValueError(f"wilson: successes {successes} must lie in 0..{total}")
    if total == 0:
        return 0.0, 1.0
    z = _z(confidence)
    p = successes / total
    scale = 1 + z * z / total
    centre = (p + z * z / (2 * total)) / scale
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / scale
    # The bounds at 0 and n are exactly 0 and 1; rounding must not push them inside.
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == total else min(1.0, centre + half)
    return low, high


def paired_difference(
    a: Sequence[float], b: Sequence[float], *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> tuple[float, float, float]:
    """Mean of `a - b` over the same tasks with its interval: (mean, low, high).

    0/1 outcomes get Tango's (1998) score interval, which has a positive width even without discordant pairs;
    other values get a percentile bootstrap over pairs. Raises ValueError on unequal or empty input.
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.shape != y.shape or x.ndim != 1 or x.size == 0:
        raise ValueError(f"paired_difference: need two equal non-empty lists, got shapes {x.shape} and {y.shape}")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise ValueError("paired_difference: values must be finite")
    difference = x - y
    mean = float(difference.mean())
    if np.isin(x, (0.0, 1.0)).all() and np.isin(y, (0.0, 1.0)).all():
        low, high = _tango(int((difference > 0).sum()), int((difference < 0).sum()), x.size, confidence)
        return mean, low, high
    rng = np.random.default_rng(seed)
    # Chunked: 10,000 resamples of thousands of tasks would otherwise need gigabytes of indices.
    chunk = max(1, min(resamples, 4_000_000 // x.size))
    means = np.concatenate(
        [
            difference[rng.integers(0, x.size, (min(chunk, resamples - start), x.size))].mean(axis=1)
            for start in range(0, resamples, chunk)
        ]
    )
    tail = (1 - confidence) / 2
    low, high = (float(v) for v in np.quantile(means, (tail, 1 - tail)))
    return mean, low, high


def paired_ratio(
    a: Sequence[float], b: Sequence[float], *, confidence: float = 0.95, resamples: int = 4000, seed: int = 0
) -> tuple[float, float, float] | None:
    """Sum of `a` / sum of `b` over the same tasks with a percentile bootstrap over pairs: (ratio, low, high).

    None where `b` sums to 0; resamples where it does are left out. Raises ValueError on unequal input.
    """
    x, y = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"paired_ratio: need two equal lists, got shapes {x.shape} and {y.shape}")
    if y.sum() == 0:
        return None
    picks = np.random.default_rng(seed).integers(0, x.size, (resamples, x.size))
    tops, bottoms = x[picks].sum(axis=1), y[picks].sum(axis=1)
    ratios = tops[bottoms > 0] / bottoms[bottoms > 0]
    tail = (1 - confidence) / 2
    low, high = (float(v) for v in np.quantile(ratios, (tail, 1 - tail)))
    return float(x.sum() / y.sum()), low, high


def non_inferior(
    a: Sequence[float], b: Sequence[float], margin: float, *, confidence: float = 0.95, seed: int = 0
) -> bool:
    """Whether `a` is not worse than `b` by `margin` or more: the interval of `a - b` lies above `-margin`.

    With the default two-sided 95 % interval the one-sided error is 2.5 %. Raises ValueError if margin <= 0.
    """
    if margin <= 0:
        raise ValueError(f"non_inferior: margin must be positive, got {margin}")
    return paired_difference(a, b, confidence=confidence, seed=seed)[1] > -margin


def _z(confidence: float) -> float:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie in (0, 1), got {confidence}")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def _tango(wins: int, losses: int, total: int, confidence: float) -> tuple[float, float]:
    """Tango's score interval of (wins - losses) / total: the differences whose score statistic is within +-z."""
    z = _z(confidence)
    estimate = (wins - losses) / total

    def score(delta: float) -> float:
        """Score statistic at a hypothetical difference; `q` is the constrained estimate of the loss probability."""
        linear = -wins - losses + (2 * total - wins + losses) * delta
        q = (math.sqrt(max(0.0, linear**2 + 8 * total * losses * delta * (1 - delta))) - linear) / (4 * total)
        variance = total * (2 * q + delta * (1 - delta))
        gap = wins - losses - total * delta
        if variance <= 1e-12:
            return 0.0 if abs(gap) < 1e-9 else math.copysign(math.inf, gap)
        return gap / math.sqrt(variance)

    low = -1.0 if estimate <= -1 else _cross(lambda d: score(d) > z, -1.0, estimate)
    high = 1.0 if estimate >= 1 else _cross(lambda d: score(d) >= -z, estimate, 1.0)
    return low, high


def _cross(below: Callable[[float], bool], low: float, high: float) -> float:
    """Bisection for the point where `below` turns from true to false."""
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2
