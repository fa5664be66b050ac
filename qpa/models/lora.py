"""LoRA (Hu et al. 2021): a frozen `Planner` with a low-rank adapter beside chosen projections.

The adapter is a state of its own: `nnx.merge(graphdef, adapter, params)` is the adapted model, where `params` are the
base's own, untouched. A [in, r], B [r, out]; the effective weight W + scale A B is only formed by `merge`. Rows of an
embedding can be part of it: tokens that the base never saw are all alike to it, and A B cannot tell them apart.

Legend: B batch, T tokens, D model width, N trained rows, V vocabulary.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import LoraConfig, ModelConfig
from qpa.models.transformer import flat_state

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
MLP = ("gate_proj", "up_proj", "down_proj")
ROWS, TABLE = ("token_rows", "rows"), ("embed_tokens",)  # where an adapter and its base keep embeddings


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


class TokenRows(nnx.Module):
    """Rows [N, D] that stand in for those of `ids` in a frozen embedding that is also the head."""

    def __init__(self, ids: tuple[int, ...], width: int):
        self.ids = ids
        self.rows = nnx.LoRAParam(jnp.zeros((len(ids), width), jnp.float32))

    def embed(self, tokens_BT: jax.Array, frozen_BTD: jax.Array) -> jax.Array:
        """Embeddings of the tokens, given those of the frozen table."""
        hits_BTN = tokens_BT[..., None] == jnp.asarray(self.ids)
        own = self.rows[...].astype(frozen_BTD.dtype)[jnp.argmax(hits_BTN, axis=-1)]
        return jnp.where(hits_BTN.any(axis=-1, keepdims=True), own, frozen_BTD)

    def score(self, hidden_BTD: jax.Array, frozen_BTV: jax.Array) -> jax.Array:
        """Logits, given those of the frozen table."""
        own = jnp.dot(hidden_BTD, self.rows[...].astype(hidden_BTD.dtype).T, preferred_element_type=frozen_BTV.dtype)
        return frozen_BTV.at[..., jnp.asarray(self.ids)].set(own)


def lora_scale(lora: LoraConfig) -> float:
    """What A B is multiplied by."""
    return lora.alpha / (lora.rank**0.5 if lora.rslora else lora.rank)


def lora_shapes(graphdef: nnx.GraphDef, params: nnx.State, lora: LoraConfig) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef of the adapted model, its adapter as shapes) for a split `Planner`.

    Raises:
      ValueError: rank or alpha is not positive, a module is unknown or belongs to experts, or a trainable token is not
        one of the vocabulary, or has rows of its own in the head.
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
        if lora.trainable_tokens:
            _check_tokens(lora.trainable_tokens, model.cfg)
            model.token_rows = nnx.data(TokenRows(tuple(lora.trainable_tokens), model.cfg.d_model))
        return model

    adapted, shapes, *_ = nnx.split(nnx.eval_shape(build, params), nnx.LoRAParam, nnx.Param)
    return adapted, shapes


def add_lora(
    graphdef: nnx.GraphDef, params: nnx.State, lora: LoraConfig, seed: int = 0
) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef of the adapted model, a fresh adapter): A uniform in +-1/sqrt(in) as in PEFT, B zero, both float32.

    Rows of trainable tokens start as the base's. Raises like `lora_shapes`.
    """
    adapted, shapes = lora_shapes(graphdef, params, lora)
    rng = np.random.default_rng(seed)

    def init(keys: tuple[Any, ...], shape: tuple[int, ...]) -> jax.Array:
        if keys == ROWS:
            return flat_state(params)[TABLE][...][jnp.asarray(lora.trainable_tokens)].astype(jnp.float32)
        bound = shape[0] ** -0.5 if keys[-1] == "lora_a" else 0.0
        return jnp.asarray(rng.uniform(-bound, bound, shape).astype(np.float32))

    flat = {keys: leaf.replace(init(keys, leaf.shape)) for keys, leaf in flat_state(shapes).items()}
    return adapted, nnx.from_flat_state(flat)


def merge(params: nnx.State, adapter: nnx.State, lora: LoraConfig) -> nnx.State:
    """W + scale A B for every adapted W, added in float32 and kept in W's dtype, and the trained rows of the embedding.

    The other parameters as they are.
    """
    flat, low = flat_state(params), flat_state(adapter)
    if ROWS in low:
        table = flat[TABLE][...]
        flat[TABLE] = flat[TABLE].replace(
            table.at[jnp.asarray(lora.trainable_tokens)].set(low[ROWS][...].astype(table.dtype))
        )
    for keys in low:
        if keys[-1] == "lora_a":
            module = keys[:-1]
            a, b, at = low[keys][...], low[(*module, "lora_b")][...], (*module, "kernel")
            kernel = flat[at][...]
            update = jnp.matmul(a, b, precision=jax.lax.Precision.HIGHEST) * lora_scale(lora)
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


def _check_tokens(ids: Sequence[int], cfg: ModelConfig) -> None:
    if not cfg.tie_embeddings:
        raise ValueError("lora.trainable_tokens: this base's head has rows of its own; tied embeddings are supported")
    if len(set(ids)) < len(ids) or not all(0 <= i < cfg.vocab_size for i in ids):
        raise ValueError(f"lora.trainable_tokens: must be different ids below {cfg.vocab_size}, got {tuple(ids)}")
