"""Drawing a token and its log-probability, row by row: a row's outcome depends on its own logits and key only.

Legend: B rows, V vocabulary. One uniform number per token is enough: the inverse of the cumulative distribution costs a
pass over V, where Gumbel noise would cost V random numbers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

_BLOCK = 64  # ids per block of the two-level cumulative sum


def stream_key(seed: int, episode: str, turn: int) -> np.ndarray:
    """The random stream of one turn, uint32 [2]: a digest, so it is the same on every machine and in every process."""
    digest = hashlib.blake2b(f"{seed}/{turn}/{episode}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.frombuffer(digest, np.dtype("<u4")).astype(np.uint32)


def uniforms(keys_B2: jax.Array, positions_B: jax.Array) -> jax.Array:
    """One number in [0, 1) per row, [B]: of the row's stream at the position that is being sampled."""

    def one(key: jax.Array, position: jax.Array) -> jax.Array:
        return jax.random.uniform(jax.random.fold_in(jax.random.wrap_key_data(key, impl="threefry2x32"), position))

    return jax.vmap(one)(keys_B2, positions_B)


def sample(logits_BV: jax.Array, temperature_B: jax.Array, uniform_B: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Samples softmax(logits / temperature) -> (ids int32 [B], log-probs float32 [B]).

    The log-probability is that of the distribution sampled from: log_softmax(logits / temperature), in float32 and
    over the whole vocabulary, as a trainer recomputes it. Temperature 0 takes the largest logit (the first of equals),
    with its log-probability at temperature 1.
    """
    greedy, largest, shifted, weights = _weights(logits_BV, temperature_B)
    ids = jnp.where(greedy, largest, _invert(weights, uniform_B, largest))
    return ids, _log_prob(ids, shifted, weights)


def sample_limited(
    logits_BV: jax.Array,
    temperature_B: jax.Array,
    uniform_B: jax.Array,
    limits_3B: jax.Array,
    allowed_BV: jax.Array | None = None,
) -> tuple[jax.Array, jax.Array]:
    """`sample` from a part of the vocabulary -> (ids int32 [B], log-probs float32 [B, 2]: processed, raw).

    In this order, as the reference library does: `allowed` ids only, temperature, top-k, top-p of what top-k left,
    min-p. Each keeps every id whose weight is at least a threshold, so ids of equal weight stay or go together.
    Temperature 0 ignores the limits. Processed: log-probability in what is left, renormalised. Raw:
    log_softmax(logits), of all ids and at temperature 1.

    Args:
      limits_3B: top-k (0: off), top-p in (0, 1] (1: off) and min-p in [0, 1) (0: off), a share of the largest weight.
      allowed_BV: bool, at least one id per row.
    """
    logits = logits_BV.astype(jnp.float32)
    masked = logits if allowed_BV is None else jnp.where(allowed_BV, logits, -jnp.inf)
    greedy, largest, shifted, weights = _weights(masked, temperature_B)
    kept = jnp.where(weights >= jnp.where(greedy, 0.0, _threshold(weights, limits_3B))[:, None], weights, 0.0)
    ids = jnp.where(greedy, largest, _invert(kept, uniform_B, largest))
    _, _, raw, raw_weights = _weights(logits, jnp.zeros_like(temperature_B))
    return ids, jnp.stack([_log_prob(ids, shifted, kept), _log_prob(ids, raw, raw_weights)], axis=-1)


def _weights(logits_BV: jax.Array, temperature_B: jax.Array) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array]:
    """(greedy [B], the first largest id [B], scaled logits less their maximum [B, V], their exponentials [B, V])."""
    greedy = temperature_B <= 0
    scaled = logits_BV.astype(jnp.float32) / jnp.where(greedy, 1.0, temperature_B)[:, None]
    largest = jnp.argmax(scaled, axis=-1).astype(jnp.int32)
    shifted = scaled - jnp.max(scaled, axis=-1, keepdims=True)
    return greedy, largest, shifted, jnp.exp(shifted)


def _log_prob(ids_B: jax.Array, shifted_BV: jax.Array, weights_BV: jax.Array) -> jax.Array:
    chosen = jnp.take_along_axis(shifted_BV, ids_B[:, None], axis=-1)[:, 0]
    return chosen - jnp.log(jnp.sum(weights_BV, axis=-1))


def _threshold(weights_BV: jax.Array, limits_3B: jax.Array) -> jax.Array:
    """The smallest weight that top-k, top-p and min-p all keep, [B]; the largest weight of a row is 1."""
    top_k, top_p, min_p = limits_3B
    none = jnp.zeros_like(min_p)

    def kth() -> jax.Array:
        found = _largest_with(lambda keep: jnp.sum(keep, axis=-1) >= top_k, weights_BV)
        return jnp.where(top_k > 0, found, 0.0)

    at_k = jax.lax.cond((top_k > 0).any(), kth, lambda: none)

    def nucleus() -> jax.Array:
        mass = top_p * jnp.sum(jnp.where(weights_BV >= at_k[:, None], weights_BV, 0.0), axis=-1)
        found = _largest_with(lambda keep: jnp.sum(jnp.where(keep, weights_BV, 0.0), axis=-1) >= mass, weights_BV)
        return jnp.where(top_p < 1, found, 0.0)

    at_p = jax.lax.cond((top_p < 1).any(), nucleus, lambda: none)
    return jnp.maximum(jnp.maximum(at_k, at_p), min_p)


def _largest_with(enough: Callable[[jax.Array], jax.Array], weights_BV: jax.Array) -> jax.Array:
    """The largest t of [0, 1] for which the ids of weight >= t are `enough`, exactly, [B]; 0 if there is none.

    Bisects the bit patterns of float32, which order like the numbers: 30 passes over V, where a sort takes more.
    """
    bits = jax.lax.bitcast_convert_type(weights_BV, jnp.int32)
    low = jnp.zeros(len(bits), jnp.int32)
    high = low + jax.lax.bitcast_convert_type(jnp.float32(1), jnp.int32) + 1

    def halve(_: int, bounds: tuple[jax.Array, jax.Array]) -> tuple[jax.Array, jax.Array]:
        low, high = bounds
        middle = low + (high - low) // 2
        good = enough(bits >= middle[:, None])
        return jnp.where(good, middle, low), jnp.where(good, high, middle)

    low, _ = jax.lax.fori_loop(0, 30, halve, (low, high))
    return jax.lax.bitcast_convert_type(low, jnp.float32)


def _invert(weights_BV: jax.Array, uniform_B: jax.Array, fallback_B: jax.Array) -> jax.Array:
    """The first id whose cumulative weight exceeds uniform * total; `fallback` if rounding left none."""
    b, v = weights_BV.shape
    blocks = jnp.pad(weights_BV, ((0, 0), (0, -v % _BLOCK))).reshape(b, -1, _BLOCK)
    ends = jnp.cumsum(jnp.sum(blocks, axis=-1), axis=-1)
    target = uniform_B * ends[:, -1]
    block = jnp.argmax(ends > target[:, None], axis=-1)
    before = jnp.where(block > 0, jnp.take_along_axis(ends, jnp.maximum(block - 1, 0)[:, None], axis=-1)[:, 0], 0.0)
    inside = jnp.cumsum(jnp.take_along_axis(blocks, block[:, None, None], axis=1)[:, 0], axis=-1)
    above = inside > (target - before)[:, None]
    ids = block * _BLOCK + jnp.argmax(above, axis=-1)
    return jnp.where(above.any(axis=-1), ids, fallback_B).astype(jnp.int32)
