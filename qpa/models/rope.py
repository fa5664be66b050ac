"""Rotary positions (half split), with the frequency scalings of long-context checkpoints.

Legend: B batch, T tokens, N heads, H head width. Scalings: linear (Chen et al. 2023, arXiv:2306.15595), YaRN (Peng et
al. 2023, arXiv:2309.00071), llama3 (Llama 3.1's by-wavelength ramp); the field names are those of `RopeScaling`.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp

from qpa.config import ModelConfig, RopeScaling

KINDS = ("none", "linear", "llama3", "yarn")


def check_scaling(scaling: RopeScaling) -> None:
    """Raises ValueError for an unknown kind or numbers that give no finite frequencies."""
    if scaling.kind not in KINDS:
        raise ValueError(f"rope_scaling.kind is {scaling.kind!r}; use one of {', '.join(KINDS)}")
    if scaling.kind == "none":
        return
    for name in ("factor", "original_length", "low_freq_factor", "beta_fast", "beta_slow"):
        if not 0 < getattr(scaling, name) < math.inf:
            raise ValueError(f"rope_scaling.{name} must be positive, got {getattr(scaling, name)!r}")
    if not 0 <= scaling.attention_factor < math.inf:
        raise ValueError(f"rope_scaling.attention_factor must be 0 or positive, got {scaling.attention_factor!r}")
    if scaling.kind == "llama3" and not scaling.low_freq_factor < scaling.high_freq_factor < math.inf:
        raise ValueError("rope_scaling.high_freq_factor must exceed low_freq_factor")


def rotary(positions_BT: jax.Array, cfg: ModelConfig) -> tuple[jax.Array, jax.Array]:
    """cos and sin, each [B, T, 1, H/2], of the half-split rotary embedding."""
    angles = positions_BT[:, :, None, None].astype(jnp.float32) * frequencies(cfg)
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    if (factor := attention_factor(cfg.rope_scaling)) != 1.0:
        cos, sin = cos * factor, sin * factor
    return cos, sin


def rotate(x_BTNH: jax.Array, cos: jax.Array, sin: jax.Array) -> jax.Array:
    a, b = jnp.split(x_BTNH, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x_BTNH.dtype)


def frequencies(cfg: ModelConfig) -> jax.Array:
    """Radians per position, float32 [H/2], fastest first."""
    freqs = cfg.rope_theta ** (-jnp.arange(0, cfg.head_dim, 2, dtype=jnp.float32) / cfg.head_dim)
    scaling = cfg.rope_scaling
    if scaling.kind == "linear":
        return freqs / scaling.factor
    if scaling.kind == "llama3":
        return _blend(freqs, scaling.factor, _llama3_share(freqs, scaling))
    if scaling.kind == "yarn":
        return _blend(freqs, scaling.factor, _yarn_share(cfg))
    return freqs


def attention_factor(scaling: RopeScaling) -> float:
    """What cos and sin are multiplied by: 1 for every kind but yarn."""
    if scaling.kind != "yarn":
        return 1.0
    return scaling.attention_factor or yarn_magnitude(scaling.factor)


def yarn_magnitude(factor: float, weight: float = 1.0) -> float:
    """YaRN's temperature correction for contexts `factor` times longer."""
    return 0.1 * weight * math.log(factor) + 1.0 if factor > 1 else 1.0


def _blend(freqs: jax.Array, factor: float, kept: jax.Array) -> jax.Array:
    """Each frequency is a mixture: `kept` of itself, the rest of it slowed by `factor`."""
    return kept * freqs + (1 - kept) * freqs / factor


def _llama3_share(freqs: jax.Array, scaling: RopeScaling) -> jax.Array:
    turns = scaling.original_length * freqs / (2 * math.pi)
    low, high = scaling.low_freq_factor, scaling.high_freq_factor
    return jnp.clip((turns - low) / (high - low), 0, 1)


def _yarn_share(cfg: ModelConfig) -> jax.Array:
    scaling, half = cfg.rope_scaling, cfg.head_dim // 2

    def index(turns: float) -> float:
        """Where in the frequencies one makes `turns` turns within the original length."""
        return half * math.log(scaling.original_length / (turns * 2 * math.pi)) / math.log(cfg.rope_theta)

    low, high = index(scaling.beta_fast), index(scaling.beta_slow)
    if scaling.truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, cfg.head_dim - 1)
    ramp = (jnp.arange(half, dtype=jnp.float32) - low) / (high - low if high != low else 1e-3)
    return 1 - jnp.clip(ramp, 0, 1)
