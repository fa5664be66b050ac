"""How fast the machine is just now; needs JAX only, so that a peer's interpreter can run it too."""

from __future__ import annotations

import time

import jax
import jax.numpy as jnp


def gflops() -> float:
    """GFLOP/s of a float32 product of two 2,048 x 2,048 matrices, best of five."""
    x = jnp.ones((2048, 2048), jnp.float32)
    product = jax.jit(jnp.matmul)
    product(x, x).block_until_ready()
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        product(x, x).block_until_ready()
        best = min(best, time.perf_counter() - begin)
    return 2 * 2048**3 / best / 1e9
