"""Group-relative advantages with competence-aware calibration (Eq. 7-9).

Legend: G group members (last axis), R shaped reward of Eq. 5, R_bar and sigma_R its group mean and population standard
deviation (ddof = 0, as Eq. 7's s_bar (1 - s_bar) implies), sigma_anchor the floor of Eq. 9.
"""

from __future__ import annotations

from typing import Any

from qpa.care.schedule import ArrayLike, Regime, check_weight, namespace, regimes, shaped_rewards

# Rewards of one group that differ by less than this (relative to their size) are float noise: the group's advantages
# are exactly 0. Without it, noise divided by its own deviation becomes a unit-scale signal.
_NOISE = 1e-6


def anchor(p: Any) -> Any:
    """sigma_anchor = sqrt(p (1 - p)) of Eq. 9: the deviation of outcomes at success rate p."""
    return (p * (1.0 - p)) ** 0.5


def group_advantages(
    success: ArrayLike,
    progress: ArrayLike,
    cost: ArrayLike,
    *,
    lambda_prog: Any,
    lambda_eff: Any,
    p_low: Any,
    p_high: Any,
    calibrate: bool = True,
    eps: float = 1e-6,
    valid: ArrayLike | None = None,
    anchor_progress: bool = False,
) -> tuple[Any, Any]:
    """Advantages of groups of trajectories (Eq. 5 and 9) -> (advantages [..., G], regime [...] of `Regime` values).

    Args:
      success: s_i in {0, 1} or bool, [..., G]. NumPy in, NumPy (float64) out; JAX in, JAX out.
      progress: R_prog,i in [0, 1], [..., G].
      cost: e_i in [0, 1], [..., G].
      lambda_prog, lambda_eff, p_low, p_high: phi; may be traced, so that a new phi does not recompile.
      calibrate: divide by max(sigma_R, sigma_anchor) in the efficiency regime (Eq. 9); False is Eq. 7, in which
        lambda_eff cancels for fully successful groups (Eq. 8).
      eps: guards the division only.
      valid: bool [..., G]; False leaves a member (an infrastructure failure, a masked overlong episode) out of the
        success rate, mean and deviation, and gives it advantage 0. Non-finite members are left out likewise.
      anchor_progress: also floor the deviation in the progress regime, by sqrt(p_low (1 - p_low)). The published rule
        does not (default): in an all-fail group lambda_prog then cancels just as lambda_eff does in Eq. 8.

    A group of one member and a group without variance get exactly 0.

    Raises:
      ValueError: shapes differ, or phi breaks 0 <= p_low < p_high < 1 or a weight is negative.
    """
    check_weight("eps", eps)
    xp = namespace(success, progress, cost, valid, lambda_prog, lambda_eff, p_low, p_high)
    dtype = xp.result_type(float)  # float64 in NumPy; JAX's default float
    s, r_prog, e = (xp.asarray(x).astype(dtype) for x in (success, progress, cost))
    if not s.shape == r_prog.shape == e.shape or s.ndim == 0:
        raise ValueError(f"success, progress, cost must share a shape [..., G]: {s.shape}, {r_prog.shape}, {e.shape}")
    keep = xp.isfinite(s) & xp.isfinite(r_prog) & xp.isfinite(e)
    if valid is not None:
        if xp.asarray(valid).shape != s.shape:
            raise ValueError(f"valid must have the shape of success {s.shape}, got {xp.asarray(valid).shape}")
        keep = keep & xp.asarray(valid).astype(bool)

    s = xp.where(keep, s, 0.0)
    members = keep.sum(axis=-1)
    regime = regimes(s.sum(axis=-1), members, p_low, p_high)
    rewards = shaped_rewards(s, r_prog, e, regime, lambda_prog=lambda_prog, lambda_eff=lambda_eff)
    rewards = xp.where(keep, rewards, 0.0)

    n = xp.maximum(members, 1)[..., None]
    mean = rewards.sum(axis=-1, keepdims=True) / n
    centred = xp.where(keep, rewards - mean, 0.0)  # two passes: E[x^2] - mean^2 cancels catastrophically in float32
    sigma = xp.sqrt((centred**2).sum(axis=-1, keepdims=True) / n)
    scale = sigma
    if calibrate:
        floor = xp.where(regime == int(Regime.EFFICIENCY), anchor(p_high), 0.0)[..., None]
        scale = xp.maximum(scale, floor)
    if anchor_progress:
        floor = xp.where(regime == int(Regime.PROGRESS), anchor(p_low), 0.0)[..., None]
        scale = xp.maximum(scale, floor)

    largest = xp.where(keep, rewards, -xp.inf).max(axis=-1, keepdims=True, initial=-xp.inf)
    smallest = xp.where(keep, rewards, xp.inf).min(axis=-1, keepdims=True, initial=xp.inf)
    varies = largest - smallest > _NOISE * xp.maximum(1.0, xp.abs(rewards).max(axis=-1, keepdims=True, initial=0.0))
    return xp.where(varies & keep, centred / (xp.where(varies, scale, 1.0) + eps), 0.0).astype(dtype), regime
