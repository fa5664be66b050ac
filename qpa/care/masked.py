"""Reduce once, as sum and count: what microbatches and hosts add up before a single division.

A mean of means weights a short microbatch like a long one; a `MaskedSum` cannot.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp


class MaskedSum(NamedTuple):
    """A weighted sum and the amount it is to be divided by; both float32 scalars."""

    total: Any
    count: Any

    def mean(self) -> jax.Array:
        """total / count; 0 when nothing was counted."""
        empty = self.count == 0
        return jnp.where(empty, 0.0, self.total / jnp.where(empty, 1.0, self.count))


def masked_sum(values: Any, weights: Any) -> MaskedSum:
    """Sum of `values * weights` and of `weights`. Where a weight is 0 the value is ignored, even NaN or infinite."""
    w = jnp.asarray(weights, jnp.float32)
    on = w != 0
    return MaskedSum(jnp.sum(jnp.where(on, values, 0.0) * w), jnp.sum(w))


def merge(*sums: MaskedSum) -> MaskedSum:
    """The sum over microbatches or hosts."""
    return MaskedSum(sum(s.total for s in sums), sum(s.count for s in sums))
