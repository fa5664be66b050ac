"""Competence regimes and the scheduled reward (Eq. 5).

Legend: G group members (last axis), s success in {0, 1}, s_bar group success rate, R_prog verified progress in [0, 1],
e normalised execution cost in [0, 1], lambda_prog / lambda_eff their weights, [p_low, p_high) the outcome regime.
"""

from __future__ import annotations

import enum
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

ArrayLike = Any  # a NumPy array, a JAX array, or a nested list

# Thresholds are compared with this slack, so that a rate that equals one mathematically (4/5 against .7 + .1) lands
# in the upper regime in float32 and float64, jitted or not. Rates of two groups under 1e5 members never lie so close.
SLACK = 1e-5


class Regime(enum.IntEnum):
    """Which branch of Eq. 5 a group is in; decided per group, so all three coexist in one batch."""

    PROGRESS = 0
    OUTCOME = 1
    EFFICIENCY = 2


def namespace(*arrays: ArrayLike) -> Any:
    """`jax.numpy` if any argument is a JAX array (also when traced), else `numpy`."""
    return jnp if any(isinstance(a, jax.Array) for a in arrays) else np


def is_static(x: object) -> bool:
    """Whether a scalar's value can be checked now (not a traced or device value)."""
    return isinstance(x, (int, float, np.floating, np.integer))


def check_thresholds(p_low: Any, p_high: Any) -> None:
    """Raises ValueError unless 0 <= p_low < p_high < 1 (Eq. 5); traced values are the caller's word."""
    if is_static(p_low) and is_static(p_high) and not 0 <= p_low < p_high < 1:
        raise ValueError(f"CARE needs 0 <= p_low < p_high < 1, got p_low={p_low}, p_high={p_high}")


def check_weight(name: str, value: Any) -> None:
    """Raises ValueError unless `value` is finite and >= 0; traced values are the caller's word."""
    if is_static(value) and not (math.isfinite(value) and value >= 0):
        raise ValueError(f"CARE needs {name} finite and >= 0, got {value}")


def regimes(successes: ArrayLike, members: ArrayLike, p_low: Any, p_high: Any) -> Any:
    """Regime of each group (Eq. 5) -> int32 [...].

    Args:
      successes: number of successful members, [...].
      members: number of members, [...]; a group without members is in the outcome regime.
      p_low, p_high: thresholds on successes / members; a rate equal to a threshold belongs to the upper regime.

    Raises:
      ValueError: thresholds known now break 0 <= p_low < p_high < 1.
    """
    check_thresholds(p_low, p_high)
    xp = namespace(successes, members, p_low, p_high)
    k, n = xp.asarray(successes), xp.asarray(members)
    # Counts against scaled thresholds: no division that the compiler may turn into a rounded reciprocal.
    low = k < (p_low - SLACK) * n
    high = (k >= (p_high - SLACK) * n) & (n > 0)
    out = xp.where(high, int(Regime.EFFICIENCY), xp.where(low, int(Regime.PROGRESS), int(Regime.OUTCOME)))
    return out.astype(xp.int32)


def shaped_rewards(
    success: ArrayLike, progress: ArrayLike, cost: ArrayLike, regime: ArrayLike, *, lambda_prog: Any, lambda_eff: Any
) -> Any:
    """R_i of Eq. 5 for groups [..., G] with regimes [...] -> [..., G].

    As published, progress is also added for a succeeded member and cost also charged to a failed one. For rank safety
    (any success above any failure of its group) keep lambda_eff * (e_max - e_min) < 1.
    """
    check_weight("lambda_prog", lambda_prog)
    check_weight("lambda_eff", lambda_eff)
    xp = namespace(success, progress, cost, regime, lambda_prog, lambda_eff)
    s, r = xp.asarray(success), xp.asarray(regime)[..., None]
    # `where`, not products with 0: an unused term may be NaN.
    bonus = xp.where(r == int(Regime.PROGRESS), lambda_prog * xp.asarray(progress), 0.0)
    return s + xp.where(r == int(Regime.EFFICIENCY), -lambda_eff * xp.asarray(cost), bonus)


def execution_cost(output_tokens: ArrayLike, tool_calls: ArrayLike, token_budget: float, call_budget: float) -> Any:
    """Normalised execution cost e in [0, 1]: half for output tokens (thinking included), half for tool calls.

    e = 0.5 min(1, tokens / token_budget) + 0.5 min(1, calls / call_budget). The units are fixed budgets, not the
    longest of the group: one long outlier must not weaken the pressure on the others, and all-zero costs stay finite.

    Raises:
      ValueError: a budget is not positive and finite.
    """
    for name, budget in (("token_budget", token_budget), ("call_budget", call_budget)):
        if not (math.isfinite(budget) and budget > 0):
            raise ValueError(f"{name} must be finite and > 0, got {budget}")
    xp = namespace(output_tokens, tool_calls)
    tokens = xp.minimum(1.0, xp.asarray(output_tokens) / token_budget)
    return 0.5 * tokens + 0.5 * xp.minimum(1.0, xp.asarray(tool_calls) / call_budget)
