"""A model that trains in milliseconds, and tokenised trajectories to train it on."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.transformer import Planner
from qpa.train.packing import Example

TINY = ModelConfig(vocab_size=64, d_model=32, n_layers=2, n_heads=2, n_kv_heads=2, head_dim=16, d_ff=64)


def tiny_planner():
    """(graphdef, params) of a two-layer planner; weights from NumPy, so that nothing is compiled for them."""
    graphdef, shapes = nnx.split(nnx.eval_shape(lambda: Planner(TINY, rngs=nnx.Rngs(0))), nnx.Param)
    rng = np.random.default_rng(0)
    return graphdef, jax.tree.map(
        lambda x: jnp.asarray((rng.normal(size=x.shape) * 0.2 if x.ndim == 2 else np.ones(x.shape)).astype(np.float32)),
        shapes,
    )


def random_examples(n: int, seed: int = 0, longest: int = 30, families=("a", "b"), *, rl=False) -> list[Example]:
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        length = int(rng.integers(4, longest))
        mask = rng.random(length) < 0.4
        mask[-1] = True
        ids = rng.integers(1, 64, length).astype(np.int32)
        more = {}
        if rl:
            old = np.where(mask, rng.normal(-4.0, 0.5, length), 0).astype(np.float32)
            more = {"log_probs": old, "weight": 1 / mask[1:].sum(), "advantage": float(rng.normal())}
        out.append(Example(ids, mask, families[i % len(families)], **more))
    return out
