"""A Qwen3-shaped decoder in Flax NNX: RMSNorm, GQA with QK-norm, RoPE (half split), SwiGLU, tied head.

Legend: B batch, T query tokens, S cached or key positions, D model width, N query heads, K key-value heads,
G = N / K queries per key-value head, H head width, V vocabulary.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig

NEG_INF = -1e30  # finite: a fully masked row must give a uniform softmax, not NaN


class LayerCache(NamedTuple):
    """One layer's keys [B, K, H, S] and values [B, K, S, H]: what one query's scores and output read in long runs."""

    k: jax.Array
    v: jax.Array


class RMSNorm(nnx.Module):
    def __init__(self, width: int, eps: float):
        self.scale = nnx.Param(jnp.ones((width,), jnp.float32))
        self.eps = eps

    def __call__(self, x: jax.Array) -> jax.Array:
        y = x.astype(jnp.float32)
        y = y * jax.lax.rsqrt(jnp.mean(y * y, axis=-1, keepdims=True) + self.eps)
        return (y * self.scale[...]).astype(x.dtype)


def rotary(positions_BT: jax.Array, head_dim: int, theta: float) -> tuple[jax.Array, jax.Array]:
    """cos and sin, each [B, 1, T, H/2], of the half-split rotary embedding."""
    freqs = theta ** (-jnp.arange(0, head_dim, 2, dtype=jnp.float32) / head_dim)
    angles = positions_BT[:, None, :, None].astype(jnp.float32) * freqs
    return jnp.cos(angles), jnp.sin(angles)


def rotate(x_BNTH: jax.Array, cos: jax.Array, sin: jax.Array) -> jax.Array:
    a, b = jnp.split(x_BNTH, 2, axis=-1)
    return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], axis=-1).astype(x_BNTH.dtype)


def attend(q_BNTH: jax.Array, k_BKSH: jax.Array, v_BKSH: jax.Array, mask_BTS: jax.Array) -> jax.Array:
    """Grouped-query attention -> [B, N, T, H]; softmax in float32."""
    b, n, t, h = q_BNTH.shape
    kv = k_BKSH.shape[1]
    q = q_BNTH.reshape(b, kv, n // kv, t, h)
    return _mix(jnp.einsum("bkgth,bksh->bkgts", q, k_BKSH), v_BKSH, mask_BTS)


def _mix(products_BKGTS: jax.Array, v_BKSH: jax.Array, mask_BTS: jax.Array) -> jax.Array:
    """Values weighted by the softmax of scaled, masked query-key products -> [B, N, T, H]."""
    b, kv, g, t, _ = products_BKGTS.shape
    h = v_BKSH.shape[-1]
    scores = products_BKGTS * (h**-0.5)
    scores = jnp.where(mask_BTS[:, None, None], scores.astype(jnp.float32), NEG_INF)
    probs = jax.nn.softmax(scores, axis=-1).astype(v_BKSH.dtype)
    return jnp.einsum("bkgts,bksh->bkgth", probs, v_BKSH).reshape(b, kv * g, t, h)


def attend_blocked(q: jax.Array, k: jax.Array, v: jax.Array, mask_BTS: jax.Array, blocks: int) -> jax.Array:
    """`attend` for a causal square mask, in query blocks that never touch keys right of the block."""
    t = q.shape[2]
    size = -(-t // blocks)
    outs = []
    for start in range(0, t, size):
        stop = min(start + size, t)
        outs.append(attend(q[:, :, start:stop], k[:, :, :stop], v[:, :, :stop], mask_BTS[:, start:stop, :stop]))
    return jnp.concatenate(outs, axis=2)


def attend_cached(q_BNTH: jax.Array, cache: LayerCache, mask_BTS: jax.Array) -> jax.Array:
    """`attend` over a cache."""
    b, n, t, h = q_BNTH.shape
    kv = cache.v.shape[1]
    q = q_BNTH.reshape(b, kv, n // kv, t, h)
    if t == 1:  # a matrix product per row and head costs a CPU more in overhead than in arithmetic
        products = (q[..., 0, :, None] * cache.k[:, :, None]).sum(axis=3)[..., None, :]
    else:
        products = jnp.einsum("bkgth,bkhs->bkgts", q, cache.k)
    return _mix(products, cache.v, mask_BTS)


class Attention(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        def dense(out: int, inp: int) -> nnx.Linear:
            return nnx.Linear(inp, out, use_bias=False, kernel_init=nnx.initializers.normal(inp**-0.5), rngs=rngs)

        self.cfg = cfg
        self.q_proj = dense(cfg.n_heads * cfg.head_dim, cfg.d_model)
        self.k_proj = dense(cfg.n_kv_heads * cfg.head_dim, cfg.d_model)
        self.v_proj = dense(cfg.n_kv_heads * cfg.head_dim, cfg.d_model)
        self.o_proj = dense(cfg.d_model, cfg.n_heads * cfg.head_dim)
        self.q_norm = RMSNorm(cfg.head_dim, cfg.norm_eps)
        self.k_norm = RMSNorm(cfg.head_dim, cfg.norm_eps)

    def __call__(self, x_BTD, cos, sin, mask_BTS, cache: LayerCache | None, positions_BT):
        b, t, _ = x_BTD.shape
        cfg = self.cfg
        q = self.q_norm(self.q_proj(x_BTD).reshape(b, t, cfg.n_heads, cfg.head_dim)).swapaxes(1, 2)
        k = self.k_norm(self.k_proj(x_BTD).reshape(b, t, cfg.n_kv_heads, cfg.head_dim)).swapaxes(1, 2)
        v = self.v_proj(x_BTD).reshape(b, t, cfg.n_kv_heads, cfg.head_dim).swapaxes(1, 2)
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        if cache is None:
            blocks = cfg.attention_blocks
            out = attend(q, k, v, mask_BTS) if blocks <= 1 else attend_blocked(q, k, v, mask_BTS, blocks)
        else:
            # Padded queries carry position S (out of range), so mode="drop" leaves the cache untouched for them.
            rows = jnp.arange(b)[:, None]
            cache = LayerCache(
                cache.k.at[rows, :, :, positions_BT].set(k.swapaxes(1, 2), mode="drop"),
                cache.v.at[rows, :, positions_BT].set(v.swapaxes(1, 2), mode="drop"),
            )
            out = attend_cached(q, cache, mask_BTS)
        return self.o_proj(out.swapaxes(1, 2).reshape(b, t, -1)), cache


class MLP(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        def dense(out: int, inp: int) -> nnx.Linear:
            return nnx.Linear(inp, out, use_bias=False, kernel_init=nnx.initializers.normal(inp**-0.5), rngs=rngs)

        self.gate_proj = dense(cfg.d_ff, cfg.d_model)
        self.up_proj = dense(cfg.d_ff, cfg.d_model)
        self.down_proj = dense(cfg.d_model, cfg.d_ff)

    def __call__(self, x_BTD: jax.Array) -> jax.Array:
        return self.down_proj(jax.nn.silu(self.gate_proj(x_BTD)) * self.up_proj(x_BTD))


class Block(nnx.Module):
    def __init__(self, cfg: ModelConfig, rngs: nnx.Rngs):
        self.input_layernorm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.self_attn = Attention(cfg, rngs)
        self.post_attention_layernorm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.mlp = MLP(cfg, rngs)

    def __call__(self, x_BTD, cos, sin, mask_BTS, cache, positions_BT):
        y, cache = self.self_attn(self.input_layernorm(x_BTD), cos, sin, mask_BTS, cache, positions_BT)
        x_BTD = x_BTD + y
        return x_BTD + self.mlp(self.post_attention_layernorm(x_BTD)), cache


class Planner(nnx.Module):
    """The planner policy. Module names follow the Hugging Face Qwen3 layout, so checkpoints map one to one."""

    def __init__(self, cfg: ModelConfig, *, rngs: nnx.Rngs):
        self.cfg = cfg
        # Small embeddings: with a tied head, unit-scale ones would start far above the uniform loss ln V.
        self.embed_tokens = nnx.Param(jax.random.normal(rngs.params(), (cfg.vocab_size, cfg.d_model)) * 0.02)
        self.layers = nnx.List([Block(cfg, rngs) for _ in range(cfg.n_layers)])
        self.norm = RMSNorm(cfg.d_model, cfg.norm_eps)
        if not cfg.tie_embeddings:
            self.lm_head = nnx.Param(jax.random.normal(rngs.params(), (cfg.d_model, cfg.vocab_size)) * 0.02)

    def hidden(self, tokens_BT, positions_BT, mask_BTS, cache: list[LayerCache] | None = None):
        """Final normalised states [B, T, D] and the updated cache (None without one)."""
        # In the type of the layers' matrices; the table may be wider, so that its gradient is summed in float32.
        x = self.embed_tokens[...][tokens_BT].astype(self.layers[0].self_attn.q_proj.kernel[...].dtype)
        cos, sin = rotary(positions_BT, self.cfg.head_dim, self.cfg.rope_theta)
        new_cache = []
        for i, layer in enumerate(self.layers):
            x, layer_cache = layer(x, cos, sin, mask_BTS, cache[i] if cache is not None else None, positions_BT)
            new_cache.append(layer_cache)
        return self.norm(x), (new_cache if cache is not None else None)

    def logits(self, hidden_BTD: jax.Array) -> jax.Array:
        """float32 logits [B, T, V]."""
        head = self.embed_tokens[...].T if self.cfg.tie_embeddings else self.lm_head[...]
        return jnp.matmul(hidden_BTD, head.astype(hidden_BTD.dtype), preferred_element_type=jnp.float32)

    def __call__(self, tokens_BT: jax.Array, positions_BT: jax.Array, segments_BT: jax.Array) -> jax.Array:
        """Logits [B, T, V] of packed rows. Tokens attend within their segment; segment 0 is padding."""
        x, _ = self.hidden(tokens_BT, positions_BT, packed_mask(segments_BT))
        return self.logits(x)

    def extend(self, tokens_BT: jax.Array, positions_BT: jax.Array, cache: list[LayerCache]):
        """Appends tokens to a KV cache -> (hidden [B, T, D], cache). Padding has position S and changes nothing."""
        s = cache[0].v.shape[2]
        mask = jnp.arange(s)[None, None, :] <= positions_BT[:, :, None]
        return self.hidden(tokens_BT, positions_BT, mask, cache)


def packed_mask(segments_BT: jax.Array) -> jax.Array:
    """Causal block-diagonal mask [B, T, T] of packed rows."""
    t = segments_BT.shape[1]
    same = segments_BT[:, :, None] == segments_BT[:, None, :]
    return same & jnp.tril(jnp.ones((t, t), bool))[None]


def init_cache(cfg: ModelConfig, batch: int, length: int, dtype: jnp.dtype = jnp.float32) -> list[LayerCache]:
    """An empty cache for `batch` rows of `length` positions."""
    keys, values = (cfg.head_dim, length), (length, cfg.head_dim)
    return [
        LayerCache(*(jnp.zeros((batch, cfg.n_kv_heads, *shape), dtype) for shape in (keys, values)))
        for _ in range(cfg.n_layers)
    ]


def create(cfg: ModelConfig, seed: int = 0) -> tuple[nnx.GraphDef, nnx.State]:
    """A freshly initialised planner, split for plain `jax.jit`: (graphdef, params)."""
    return nnx.split(Planner(cfg, rngs=nnx.Rngs(seed)), nnx.Param)


def param_count(params: nnx.State) -> int:
    """Number of parameters (a tied head counts once)."""
    return sum(x.size for x in jax.tree.leaves(params))
