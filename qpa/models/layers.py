"""What every layer is made of: linear maps, RMSNorm, SwiGLU.

Legend: B batch, T tokens, D model width.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig

_FEW_ROWS = 64  # up to here `decoding_product` multiplies from the left


def compute_type(name: str, where: str = "") -> jnp.dtype:
    """The type a config calls `where`compute_dtype. Raises ValueError for another than float32 or bfloat16."""
    if name not in ("float32", "bfloat16"):
        raise ValueError(f"{where}compute_dtype must be 'float32' or 'bfloat16', got {name!r}")
    return jnp.dtype(name)


@partial(jax.custom_vjp, nondiff_argnums=(2, 3))
def product(x: jax.Array, weights: jax.Array, axis: int, dtype: Any = None) -> jax.Array:
    """x [..., I] times a matrix whose `axis` has width I, in `dtype` (None: as the factors).

    Its gradients are formed in the layout of the matrix. JAX's own rule forms the transpose, for which XLA's CPU code
    first turns a whole activation.
    """
    return jax.lax.dot_general(x, weights, (((x.ndim - 1,), (axis,)), ((), ())), preferred_element_type=dtype)


def _product_forward(x: jax.Array, weights: jax.Array, axis: int, dtype: Any) -> tuple[jax.Array, Any]:
    return product(x, weights, axis, dtype), (x, weights)


def _product_backward(axis: int, dtype: Any, saved: Any, d_out: jax.Array) -> tuple[jax.Array, jax.Array]:
    x, weights = saved
    d_x = jax.lax.dot_general(
        d_out, weights, (((d_out.ndim - 1,), (1 - axis,)), ((), ())), preferred_element_type=x.dtype
    )
    # As matrices: of a product over several axes XLA makes a transposed copy first.
    a, b = (y.reshape(-1, y.shape[-1]) for y in ((x, d_out) if axis == 0 else (d_out, x)))
    return d_x, jax.lax.dot_general(a, b, (((0,), (0,)), ((), ())), preferred_element_type=weights.dtype)


product.defvjp(_product_forward, _product_backward)


def decoding_product(x: jax.Array, weights: jax.Array, axis: int, dtype: Any = None) -> jax.Array:
    """`product`, not meant for gradients: on a CPU few rows are multiplied from the left by a matrix [O, I]."""
    if axis == 1 and x.size <= _FEW_ROWS * x.shape[-1]:
        plain, columns = partial(product, axis=axis, dtype=dtype), partial(_from_left, dtype=dtype)
        return jax.lax.platform_dependent(x, weights, cpu=columns, default=plain)
    return product(x, weights, axis, dtype)


def _from_left(x: jax.Array, weights_OI: jax.Array, dtype: Any) -> jax.Array:
    """Weights times x as columns: XLA's CPU code then repacks the few numbers of x instead of the whole matrix."""
    # Behind barriers, or the compiler folds the turning into the product again.
    columns = jax.lax.optimization_barrier(x.reshape(-1, x.shape[-1]).T)
    out = jax.lax.dot_general(weights_OI, columns, (((1,), (0,)), ((), ())), preferred_element_type=dtype)
    return jax.lax.optimization_barrier(out).T.reshape(*x.shape[:-1], -1)


def _dot_general(x, kernel, dimension_numbers, precision=None, out_sharding=None):
    """`product` where `nnx.Linear` calls for `jax.lax.dot_general`."""
    return product(x, kernel, 0)


def dot_general_turned(x, kernel, dimension_numbers, precision=None, out_sharding=None):
    """`decoding_product` in the same place, for a kernel that is kept [out, inp]."""
    return decoding_product(x, kernel, 1)


def dense(out: int, inp: int, rngs: nnx.Rngs) -> nnx.Linear:
    """A linear map without bias, kernel [inp, out]."""
    init = nnx.initializers.normal(inp**-0.5)
    return nnx.Linear(inp, out, use_bias=False, kernel_init=init, dot_general=_dot_general, rngs=rngs)


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
