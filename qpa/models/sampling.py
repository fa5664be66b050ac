"""Drawing a token and its log-probability, row by row: a row's outcome depends on its own logits and key only.

Legend: B rows, V vocabulary. One uniform number per token is enough: the inverse of the cumulative distribution costs a
pass over V, where Gumbel noise would cost V random numbers.
"""

from __future__ import annotations

import hashlib

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
    greedy = temperature_B <= 0
    scaled = logits_BV.astype(jnp.float32) / jnp.where(greedy, 1.0, temperature_B)[:, None]
    largest = jnp.argmax(scaled, axis=-1).astype(jnp.int32)
    shifted = scaled - jnp.max(scaled, axis=-1, keepdims=True)
    weights = jnp.exp(shifted)
    ids = jnp.where(greedy, largest, _invert(weights, uniform_B, largest))
    chosen = jnp.take_along_axis(shifted, ids[:, None], axis=-1)[:, 0]
    return ids, chosen - jnp.log(jnp.sum(weights, axis=-1))


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
