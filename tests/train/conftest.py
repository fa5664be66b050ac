"""A model that trains in milliseconds, and trajectories-as-tokens to train it on."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from qpa.config import MeshConfig, ModelConfig
from qpa.models.transformer import Planner
from qpa.train.mesh import make_mesh
from qpa.train.packing import Example

TINY = ModelConfig(vocab_size=64, d_model=32, n_layers=2, n_heads=2, n_kv_heads=1, head_dim=16, d_ff=64)


def random_examples(n: int, seed: int = 0, longest: int = 30, families=("a", "b")) -> list[Example]:
    rng = np.random.default_rng(seed)
    out = []
    for i in range(n):
        length = int(rng.integers(4, longest))
        mask = rng.random(length) < 0.4
        mask[-1] = True
        out.append(Example(rng.integers(1, 64, length).astype(np.int32), mask, families[i % len(families)]))
    return out


@pytest.fixture(scope="session")
def tiny():
    """(graphdef, params) of a two-layer planner; weights from NumPy, so that nothing is compiled for them."""
    graphdef, shapes = nnx.split(nnx.eval_shape(lambda: Planner(TINY, rngs=nnx.Rngs(0))), nnx.Param)
    rng = np.random.default_rng(0)
    return graphdef, jax.tree.map(
        lambda x: jnp.asarray(rng.normal(size=x.shape) * 0.2 if x.ndim == 2 else np.ones(x.shape), np.float32), shapes
    )


@pytest.fixture(scope="session")
def mesh():
    return make_mesh(MeshConfig(data=1), devices=jax.devices()[:1])
