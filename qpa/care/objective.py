"""The clipped policy objective of CARE (Eq. 10) over padded or packed rows.

Legend: B rows, T tokens, rho = pi_theta / pi_theta_old per token, A advantage (one per trajectory, on all its tokens),
T_i number of *generated* tokens of trajectory i. Eq. 10 has no KL and no entropy term.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

from qpa.care.masked import MaskedSum, masked_sum
from qpa.care.schedule import check_weight

_LOG_RATIO_LIMIT = 20.0  # beyond it exp overflows float32 sooner or later; such a token is long past either clip

NORMALISATIONS = ("trajectory", "token", "constant")


def policy_loss_sums(
    log_probs: Any,
    old_log_probs: Any,
    advantages: Any,
    mask: Any,
    *,
    eps_low: float,
    eps_high: float,
    normalise: str = "trajectory",
    weights: Any = None,
    constant: float | None = None,
) -> tuple[dict[str, MaskedSum], jax.Array]:
    """Unreduced form of `policy_loss`: ({"loss", "clip_low", "clip_high", "approx_kl"}, largest rho).

    Add the sums over microbatches and hosts (`masked.merge`), take the maximum of the ratios, then divide once. To
    accumulate gradients, differentiate `sums["loss"].total` and divide by the summed count.
    """
    check_weight("eps_low", eps_low)
    check_weight("eps_high", eps_high)
    if normalise not in NORMALISATIONS:
        raise ValueError(f"normalise is {normalise!r}; use one of {', '.join(NORMALISATIONS)}")
    if (constant is not None) != (normalise == "constant"):
        raise ValueError('give `constant` (a length in tokens) exactly when normalise="constant"')
    if constant is not None and not constant > 0:
        raise ValueError(f"constant must be > 0, got {constant}")
    new, old, on = jnp.asarray(log_probs), jnp.asarray(old_log_probs), jnp.asarray(mask) != 0
    if not new.shape == old.shape == on.shape or on.ndim != 2:
        shapes = f"{new.shape}, {old.shape}, {on.shape}"
        raise ValueError(f"log_probs, old_log_probs, mask must share a shape [B, T]: {shapes}")
    adv = jnp.asarray(advantages, jnp.float32)
    adv = jax.lax.stop_gradient(jnp.broadcast_to(adv[:, None] if adv.ndim == 1 else adv, on.shape))

    # Masked positions are replaced *before* the exponential: a `where` after it would still send NaN gradients back.
    new = jnp.where(on, new, 0.0).astype(jnp.float32)
    old = jax.lax.stop_gradient(jnp.where(on, old, 0.0).astype(jnp.float32))
    log_ratio = jnp.clip(new - old, -_LOG_RATIO_LIMIT, _LOG_RATIO_LIMIT)
    ratio = jnp.exp(log_ratio)
    objective = jnp.minimum(ratio * adv, jnp.clip(ratio, 1.0 - eps_low, 1.0 + eps_high) * adv)

    if weights is None:
        weights = on / jnp.maximum(on.sum(axis=1, keepdims=True), 1)
    share = jnp.where(on, weights, 0.0)  # 1/T_i, so it sums to the number of trajectories
    if normalise == "trajectory":
        loss = masked_sum(-objective, share)
    elif normalise == "token":
        loss = masked_sum(-objective, on)
    else:
        loss = MaskedSum(masked_sum(-objective, on).total / constant, jnp.sum(share))
    sums = {
        "loss": loss,
        "clip_low": masked_sum((ratio < 1.0 - eps_low) & (adv < 0), on),
        "clip_high": masked_sum((ratio > 1.0 + eps_high) & (adv > 0), on),
        "approx_kl": masked_sum(ratio - 1.0 - log_ratio, on),
    }
    return sums, jnp.max(jnp.where(on, ratio, 0.0), initial=0.0)


def policy_loss(
    log_probs: Any,
    old_log_probs: Any,
    advantages: Any,
    mask: Any,
    *,
    eps_low: float,
    eps_high: float,
    normalise: str = "trajectory",
    weights: Any = None,
    constant: float | None = None,
) -> tuple[jax.Array, dict[str, jax.Array]]:
    """Minus J_RL of Eq. 10 -> (scalar loss, metrics).

    Args:
      log_probs: log pi_theta of each token, [B, T]; the only argument gradients flow to.
      old_log_probs: the same under the behaviour policy, [B, T].
      advantages: [B] (row = trajectory) or per token [B, T] (packed rows).
      mask: [B, T], non-zero on generated tokens; prompts, observations and padding are 0 and count nowhere.
      eps_low, eps_high: rho is clipped to [1 - eps_low, 1 + eps_high].
      normalise: "trajectory": 1/T_i per trajectory, then the mean over trajectories (Eq. 10); "token": the mean over
        all tokens; "constant": 1/`constant` per token, then the mean over trajectories (no length bias).
      weights: [B, T], 1/T_i of each token's trajectory. Needed for packed rows, and right also when a trajectory is
        split over rows or microbatches; None takes each row for one trajectory. Rows without generated tokens (a
        padded batch) do not count. "token" does not need it.
      constant: length in tokens, for normalise="constant" only.

    Metrics: clip_low / clip_high (share of tokens where that bound is active), approx_kl (mean of rho - 1 - log rho,
    an unbiased non-negative estimate of KL(old || new)), ratio_max.

    Raises:
      ValueError: shapes, normalise or constant do not fit.
    """
    sums, ratio_max = policy_loss_sums(
        log_probs,
        old_log_probs,
        advantages,
        mask,
        eps_low=eps_low,
        eps_high=eps_high,
        normalise=normalise,
        weights=weights,
        constant=constant,
    )
    metrics = {name: s.mean() for name, s in sums.items() if name != "loss"}
    return sums["loss"].mean(), metrics | {"ratio_max": ratio_max}
