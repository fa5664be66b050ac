"""What every layer is made of: linear maps, RMSNorm, SwiGLU.

Legend: B batch, T tokens, D model width.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig


def dense(out: int, inp: int, rngs: nnx.Rngs) -> nnx.Linear:
    """A linear map without bias, kernel [inp, out]."""
    return nnx.Linear(inp, out, use_bias=False, kernel_init=nnx.initializers.normal(inp**-0.5), rngs=rngs)


class RMSNorm(nnx.Module):
    def __init__(self, width: int, eps: float):
        self.scale = nnx.Param(jnp.ones((width,), jnp.float32))
        self.eps = eps

    def __call__(self, x: jax.Array) -> jax.Array:
        y = x.astype(jnp.float32)
        y = y * jax.lax.rsqrt(jnp.mean(y * y, axis=-1, keepdims=True) + self.eps)
        return (y * self.scale[...]).astype(x.dtype)


class MLP(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        self.gate_proj = dense(cfg.d_ff, cfg.d_model, rngs)
        self.up_proj = dense(cfg.d_ff, cfg.d_model, rngs)
        self.down_proj = dense(cfg.d_model, cfg.d_ff, rngs)

    def __call__(self, x_BTD: jax.Array) -> jax.Array:
        return self.down_proj(jax.nn.silu(self.gate_proj(x_BTD)) * self.up_proj(x_BTD))
