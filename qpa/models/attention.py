"""Grouped-query attention, over packed rows or over a KV cache.

Legend: B batch, T query tokens, S cached or key positions, D model width, N query heads, K key-value heads,
G = N / K queries per key-value head, H head width.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.layers import RMSNorm, dense
from qpa.models.rope import rotate

NEG_INF = -1e30  # finite: a fully masked row must give a uniform softmax, not NaN


class LayerCache(NamedTuple):
    """One layer's keys [B, K, H, S] and values [B, K, S, H]: what one query's scores and output read in long runs."""

    k: jax.Array
    v: jax.Array


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
        self.cfg = cfg
        self.q_proj = dense(cfg.n_heads * cfg.head_dim, cfg.d_model, rngs)
        self.k_proj = dense(cfg.n_kv_heads * cfg.head_dim, cfg.d_model, rngs)
        self.v_proj = dense(cfg.n_kv_heads * cfg.head_dim, cfg.d_model, rngs)
        self.o_proj = dense(cfg.d_model, cfg.n_heads * cfg.head_dim, rngs)
        if cfg.qk_norm:
            self.q_norm = RMSNorm(cfg.head_dim, cfg.norm_eps)
            self.k_norm = RMSNorm(cfg.head_dim, cfg.norm_eps)

    def __call__(self, x_BTD, cos, sin, mask_BTS, cache: LayerCache | None, positions_BT):
        b, t, _ = x_BTD.shape
        cfg = self.cfg

        def heads(proj: nnx.Linear, n: int, norm: RMSNorm | None = None) -> jax.Array:
            y = proj(x_BTD).reshape(b, t, n, cfg.head_dim)
            return (y if norm is None else norm(y)).swapaxes(1, 2)

        q_norm, k_norm = (self.q_norm, self.k_norm) if cfg.qk_norm else (None, None)
        q, k = heads(self.q_proj, cfg.n_heads, q_norm), heads(self.k_proj, cfg.n_kv_heads, k_norm)
        v = heads(self.v_proj, cfg.n_kv_heads)
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
