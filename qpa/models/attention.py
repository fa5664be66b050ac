"""Grouped-query attention, over packed rows or over a KV cache.

Legend: B batch, T query tokens, Q chosen ones, S cached or key positions, D model width, N query heads,
K key-value heads, G = N / K queries per key-value head, H head width.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.layers import RMSNorm, dense
from qpa.models.rope import rotate

SAME_BITS_FROM, SAME_BITS_TO = 4096, 1536  # scores of a call, and positions; see `any_length`
PANEL, _PANEL_REST = 256, (0, 64)  # positions that XLA's CPU code sums in one piece, and what may be left over
_PART = 32_768 // SAME_BITS_TO
NEG_INF = -1e30  # finite: a fully masked row must give a uniform softmax, not NaN


class LayerCache(NamedTuple):
    """One layer's keys [B, K, H, S] and values [B, K, S, H]: what one query's scores and output read in long runs."""

    k: jax.Array
    v: jax.Array


@partial(jax.custom_vjp, nondiff_argnums=(4,))
def attend(q_BKTGH: jax.Array, k_BKTH: jax.Array, v_BKTH: jax.Array, mask_BTT: jax.Array, blocks: int = 1) -> jax.Array:
    """Causal grouped-query attention -> [B, K, T, G, H]; softmax in float32.

    In `blocks` blocks of queries that never touch keys right of the block; a single one takes any queries for any keys.
    Every query must see a key. The backward pass makes the probabilities again from the normalisers (Dao et al. 2022,
    arXiv:2205.14135), so that no layer keeps anything of size T x T.
    """
    return _attend(q_BKTGH, k_BKTH, v_BKTH, mask_BTT, blocks)[0]


def _attend(q, k, v, mask, blocks):
    """Output [B, K, T, G, H] and log normalisers [B, K, T, G, 1]."""
    outs, norms = [], []
    for own, seen, pairs in _blocks(q.shape[2], blocks):
        scores = _scores(q[own], k[seen], mask[pairs])
        top = scores.max(axis=-1, keepdims=True)
        probs = jnp.exp(scores - top)
        total = probs.sum(axis=-1, keepdims=True)
        mixed = _per_head("bkts,bksh->bkth", probs.astype(v.dtype), v[seen])
        outs.append((mixed / total).astype(v.dtype))
        norms.append(top + jnp.log(total))
    return jnp.concatenate(outs, axis=2), jnp.concatenate(norms, axis=2)


def _attend_forward(q, k, v, mask, blocks):
    out, norm = _attend(q, k, v, mask, blocks)
    return out, (q, k, v, mask, out, norm)


def _attend_backward(blocks, saved, d_out):
    q, k, v, mask, out, norm = saved
    inner = (d_out.astype(jnp.float32) * out).sum(axis=-1, keepdims=True)
    d_q, d_k, d_v = [], jnp.zeros(k.shape, jnp.float32), jnp.zeros(v.shape, jnp.float32)
    for own, seen, pairs in _blocks(q.shape[2], blocks):
        probs = jnp.exp(_scores(q[own], k[seen], mask[pairs]) - norm[own])
        d_probs = _per_head("bkth,bksh->bkts", d_out[own], v[seen])
        d_scores = (probs * (d_probs - inner[own]) * q.shape[-1] ** -0.5).astype(q.dtype)
        d_q.append(_per_head("bkts,bksh->bkth", d_scores, k[seen]).astype(q.dtype))
        d_k = d_k.at[seen].add(_over_queries(d_scores, q[own]))
        d_v = d_v.at[seen].add(_over_queries(probs.astype(v.dtype), d_out[own]))
    return jnp.concatenate(d_q, axis=2), d_k.astype(k.dtype), d_v.astype(v.dtype), None


attend.defvjp(_attend_forward, _attend_backward)


def _blocks(length: int, blocks: int) -> Iterator[tuple[Any, Any, Any]]:
    """Each block's queries, the keys they may see (both of [B, K, T, ...]), and both in a mask [B, T, T]."""
    if blocks <= 1:
        yield np.s_[:], np.s_[:], np.s_[:]
        return
    size = -(-length // blocks)
    for start in range(0, length, size):
        stop = min(start + size, length)
        yield np.s_[:, :, start:stop], np.s_[:, :, :stop], np.s_[:, start:stop, :stop]


def _per_head(products: str, a_BKTGX: jax.Array, b_BKSY: jax.Array) -> jax.Array:
    """`products` of [B, K, T G, X] with [B, K, S, Y]: a group's queries are rows of one matrix."""
    b, kv, t, g, x = a_BKTGX.shape
    made = jnp.einsum(products, a_BKTGX.reshape(b, kv, t * g, x), b_BKSY, preferred_element_type=jnp.float32)
    return made.reshape(b, kv, t, g, -1)


def _over_queries(a_BKTGS: jax.Array, b_BKTGH: jax.Array) -> jax.Array:
    """Summed over a group's queries, float32 [B, K, S, H]."""
    (b, kv, t, g, s), h = a_BKTGS.shape, b_BKTGH.shape[-1]
    factors = a_BKTGS.reshape(b, kv, t * g, s), b_BKTGH.reshape(b, kv, t * g, h)
    return jnp.einsum("bkts,bkth->bksh", *factors, preferred_element_type=jnp.float32)


def _scores(q_BKTGH: jax.Array, k_BKSH: jax.Array, mask_BTS: jax.Array) -> jax.Array:
    """Scaled, masked products, float32 [B, K, T, G, S]."""
    products = _per_head("bkth,bksh->bkts", q_BKTGH, k_BKSH) * q_BKTGH.shape[-1] ** -0.5
    return jnp.where(mask_BTS[:, None, :, None], products, NEG_INF)


def attend_cached(q_BNTH: jax.Array, cache: LayerCache, mask_BTS: jax.Array) -> jax.Array:
    """Attention over a cache -> [B, N, T, H]; softmax in float32. See `any_length` for how much cache to hand in."""
    b, n, t, h = q_BNTH.shape
    kv = cache.v.shape[1]
    q = q_BNTH.reshape(b, kv, n // kv, t, h)
    score = partial(jax.lax.platform_dependent, cpu=_products_in_parts, default=_products) if t == 1 else _products
    probs = jax.nn.softmax(jnp.where(mask_BTS[:, None, None], score(q, cache.k) * h**-0.5, NEG_INF), axis=-1)
    return jnp.einsum("bkgts,bksh->bkgth", probs.astype(cache.v.dtype), cache.v).reshape(b, n, t, h)


def any_length(cfg: ModelConfig, rows: int, step: int, longest: int) -> bool:
    """Whether, on a CPU, single queries of `rows` rows get the same bits from all multiples of `step` cached positions
    and from `longest`, as long as their contexts fit.

    Found by trial (`tests/models/test_attention.py`): for fewer numbers XLA takes another exp; a sum over positions is
    cut after every 256, and the rest of it in another way unless it is 64; wider heads are cut elsewhere.
    """
    same_cuts = longest <= PANEL or (step % PANEL == 0 and longest % PANEL in _PANEL_REST)
    enough = rows * cfg.n_heads * step >= SAME_BITS_FROM and longest <= SAME_BITS_TO
    return same_cuts and enough and cfg.head_dim <= 64


def _products(q_BKGTH: jax.Array, k_BKHS: jax.Array) -> jax.Array:
    return jnp.einsum("bkgth,bkhs->bkgts", q_BKGTH, k_BKHS, preferred_element_type=jnp.float32)


def _products_in_parts(q_BKG1H: jax.Array, k_BKHS: jax.Array) -> jax.Array:
    """The products of one query, summed over parts of the head.

    XLA's CPU code cuts the sum of a vector times a matrix into pieces once the matrix has more than 32,768 entries, and
    where it cuts depends on both sizes.
    """
    b, kv, g, _, h = q_BKG1H.shape
    width = max(w for w in range(1, _PART + 1) if h % w == 0)
    q, k = q_BKG1H.reshape(b, kv, g, h // width, width), k_BKHS.reshape(b, kv, h // width, width, -1)
    made = jnp.einsum("bkgph,bkphs->bkpgs", q, k, preferred_element_type=jnp.float32)
    # One after the other: a sum over the axis is cut into pieces too.
    return reduce(jnp.add, (made[:, :, i] for i in range(h // width)))[..., None, :]


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

    def __call__(self, x_BTD, cos, sin, mask_BTS, cache: LayerCache | None, positions_BT, index_BQ=None):
        b, t, _ = x_BTD.shape
        cfg = self.cfg
        kv, h = cfg.n_kv_heads, cfg.head_dim
        q = self.q_proj(take_at(x_BTD, index_BQ)).reshape(b, -1, cfg.n_heads, h)
        k = self.k_proj(x_BTD).reshape(b, t, kv, h)
        v = self.v_proj(x_BTD).reshape(b, t, kv, h)
        if cfg.qk_norm:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotate(q, take_at(cos, index_BQ), take_at(sin, index_BQ)), rotate(k, cos, sin)
        if cache is None:
            heads_first = (x.swapaxes(1, 2) for x in (q.reshape(b, -1, kv, cfg.n_heads // kv, h), k, v))
            blocks = cfg.attention_blocks if index_BQ is None else 1
            out = attend(*heads_first, take_at(mask_BTS, index_BQ), blocks).swapaxes(1, 2)
        else:
            # Padded queries carry position S (out of range), so mode="drop" leaves the cache untouched for them.
            rows = jnp.arange(b)[:, None]
            cache = LayerCache(
                cache.k.at[rows, :, :, positions_BT].set(k, mode="drop"),
                cache.v.at[rows, :, positions_BT].set(v, mode="drop"),
            )
            out = attend_cached(q.swapaxes(1, 2), cache, mask_BTS).swapaxes(1, 2)
        return self.o_proj(out.reshape(*out.shape[:2], -1)), cache


def take_at(x_BTX: jax.Array, index_BQ: jax.Array | None) -> jax.Array:
    """The rows of each batch entry that `index` names, [B, Q, ...]; all of them without one."""
    if index_BQ is None:
        return x_BTX
    return jnp.take_along_axis(x_BTX, index_BQ.reshape(*index_BQ.shape, *[1] * (x_BTX.ndim - 2)), axis=1)
