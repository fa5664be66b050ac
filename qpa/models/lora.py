"""LoRA (Hu et al. 2021): a frozen `Planner` with a low-rank adapter beside chosen projections.

The adapter is a state of its own: `nnx.merge(graphdef, adapter, params)` is the adapted model, where `params` are the
base's own, untouched. A [in, r], B [r, out]; the effective weight W + scale A B is only formed by `merge`.
"""

from __future__ import annotations

import hashlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import LoraConfig
from qpa.models.transformer import flat_state

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
MLP = ("gate_proj", "up_proj", "down_proj")


class LoraLinear(nnx.Linear):
    """x W + scale (x A) B, in the output dtype of x W."""

    def __init__(self, base: nnx.Linear, rank: int, scale: float):
        super().__init__(
            base.in_features, base.out_features, use_bias=False, dtype=base.dtype, precision=base.precision,
            dot_general=base.dot_general, rngs=nnx.Rngs(0),
        )  # fmt: skip
        self.lora_a = nnx.LoRAParam(jnp.zeros((base.in_features, rank), jnp.float32))
        self.lora_b = nnx.LoRAParam(jnp.zeros((rank, base.out_features), jnp.float32))
        self.scale = scale

    def __call__(self, x: jax.Array, out_sharding: Any = None) -> jax.Array:
        y = super().__call__(x, out_sharding)
        return y + ((x @ self.lora_a[...]) @ self.lora_b[...] * self.scale).astype(y.dtype)


def lora_scale(lora: LoraConfig) -> float:
    """What A B is multiplied by."""
    return lora.alpha / (lora.rank**0.5 if lora.rslora else lora.rank)


def lora_shapes(graphdef: nnx.GraphDef, params: nnx.State, lora: LoraConfig) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef of the adapted model, its adapter as shapes) for a split `Planner`.

    Raises:
      ValueError: rank or alpha is not positive, or a module is unknown or belongs to experts.
    """
    _check(lora)

    def build(params: nnx.State) -> nnx.Module:
        model = nnx.merge(graphdef, params)
        for layer in model.layers:
            for name in lora.modules:
                parent = layer.self_attn if name in ATTENTION else layer.mlp
                own = getattr(parent, name, None)
                if not isinstance(own, nnx.Linear):
                    raise ValueError(f"lora.modules: {name} belongs to experts, which take no adapter; leave it out")
                setattr(parent, name, LoraLinear(own, lora.rank, lora_scale(lora)))
        return model

    adapted, shapes, *_ = nnx.split(nnx.eval_shape(build, params), nnx.LoRAParam, nnx.Param)
    return adapted, shapes


def add_lora(
    graphdef: nnx.GraphDef, params: nnx.State, lora: LoraConfig, seed: int = 0
) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef of the adapted model, a fresh adapter): A uniform in +-1/sqrt(in) as in PEFT, B zero, both float32.

    Raises like `lora_shapes`.
    """
    adapted, shapes = lora_shapes(graphdef, params, lora)
    rng = np.random.default_rng(seed)

    def init(keys: tuple[Any, ...], shape: tuple[int, ...]) -> jax.Array:
        bound = shape[0] ** -0.5 if keys[-1] == "lora_a" else 0.0
        return jnp.asarray(rng.uniform(-bound, bound, shape).astype(np.float32))

    flat = {keys: leaf.replace(init(keys, leaf.shape)) for keys, leaf in flat_state(shapes).items()}
    return adapted, nnx.from_flat_state(flat)


def merge(params: nnx.State, adapter: nnx.State, scale: float) -> nnx.State:
    """W + scale A B for every adapted W, added in float32 and kept in W's dtype; the other parameters as they are."""
    flat, low = flat_state(params), flat_state(adapter)
    for keys in low:
        if keys[-1] == "lora_a":
            module = keys[:-1]
            a, b, at = low[keys][...], low[(*module, "lora_b")][...], (*module, "kernel")
            kernel = flat[at][...]
            update = jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST) * scale
            flat[at] = flat[at].replace((kernel.astype(jnp.float32) + update).astype(kernel.dtype))
    return nnx.from_flat_state(flat)


def fingerprint(params: Any) -> str:
    """12 hex digits that identify a tree of arrays."""
    digest = hashlib.sha256()
    for leaf in jax.tree.leaves(params):
        digest.update(jax.device_get(leaf).tobytes())
    return digest.hexdigest()[:12]


def _check(lora: LoraConfig) -> None:
    if lora.rank < 1 or not lora.alpha > 0:
        raise ValueError(f"lora: rank and alpha must be positive, got {lora.rank} and {lora.alpha}")
    if not lora.modules or len(set(lora.modules)) < len(lora.modules):
        raise ValueError(f"lora.modules: must name each module once, got {lora.modules}")
    for name in lora.modules:
        if name not in ATTENTION + MLP:
            raise ValueError(f"lora.modules: {name!r} is not one of {', '.join(ATTENTION + MLP)}")
