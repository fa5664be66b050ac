"""How fast the machine is just now; needs JAX only, so that a peer's interpreter can run it too."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from benchmarks.workloads import PROBE, best_gflops


def gflops() -> float:
    """GFLOP/s of a float32 product of two large matrices."""
    x = jnp.ones((PROBE, PROBE), jnp.float32)
    product = jax.jit(jnp.matmul)
    return best_gflops(lambda: product(x, x).block_until_ready())
