"""Muon on layer matrices, AdamW on the rest; the schedule counts optimiser updates."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from optax import contrib

from qpa.config import MeshConfig, OptimizerConfig
from qpa.train.mesh import make_mesh
from qpa.train.optimizer import ADAM_EPS, make_optimizer, make_schedule, partition_labels, stacked_muon


def test_partition_puts_every_layer_matrix_on_muon_and_nothing_else(tiny):
    _, params = tiny
    labels = {jax.tree_util.keystr(p): x for p, x in jax.tree_util.tree_leaves_with_path(partition_labels(params))}
    muon = {k for k, v in labels.items() if v == "muon"}
    assert len(muon) == 2 * 7  # q k v o gate up down, per layer
    assert all("kernel" in k for k in muon)
    assert not any("embed" in k or "norm" in k for k in muon)


def test_muon_update_is_orthogonal_and_embedding_update_is_adam():
    rng = np.random.default_rng(0)
    params = {"layers": {"w": rng.normal(size=(16, 16))}, "embed": rng.normal(size=(16, 16))}
    params = jax.tree.map(lambda x: jnp.asarray(x, jnp.float32), params)
    cfg = OptimizerConfig(learning_rate=1.0, adam_learning_rate=0.01, warmup_steps=0, clip_norm=1e9)
    tx = make_optimizer(cfg, 10)
    updates, _ = jax.jit(lambda g: tx.update(g, tx.init(params), params))(params)
    singular = np.linalg.svd(np.asarray(updates["layers"]["w"]), compute_uv=False)
    assert np.all(np.abs(singular - 1.0) < 0.5)  # Newton-Schulz is approximate
    # Adam's first step is -lr * sign(g), whatever the size of the gradient.
    g = np.asarray(params["embed"])
    np.testing.assert_allclose(updates["embed"], -0.01 * g / (np.abs(g) + ADAM_EPS), rtol=1e-3)
    small = jax.tree.map(lambda x: x * 1e-3, params)
    updates, _ = jax.jit(lambda g: tx.update(g, tx.init(params), params))(small)
    large = np.abs(g) > 0.5
    np.testing.assert_allclose(updates["embed"][large], -0.01 * np.sign(g[large]), rtol=0.06)


def test_stacked_muon_is_optax_muon_on_every_matrix():
    rng = np.random.default_rng(1)
    shapes = {"a": (8, 16), "b": (8, 16), "c": (8, 16), "d": (16, 8), "e": (8, 8)}
    params = {k: jnp.asarray(rng.normal(size=s), jnp.float32) for k, s in shapes.items()}
    grads = [{k: jnp.asarray(rng.normal(size=s), jnp.float32) for k, s in shapes.items()} for _ in range(3)]

    def run(tx):
        state, found = tx.init(params), params
        for g in grads:
            updates, state = jax.jit(tx.update)(g, state, found)
            found = optax.apply_updates(found, updates)
        return found

    rate = make_schedule(0.1, OptimizerConfig(warmup_steps=0), 10)
    want = run(contrib.muon(rate, weight_decay=0.1))
    for mesh in (None, make_mesh(MeshConfig(data=1), jax.devices()[:1])):
        got = run(stacked_muon(rate, 0.1, mesh))
        for name in shapes:
            np.testing.assert_allclose(got[name], want[name], atol=1e-5)


def test_a_piece_that_is_only_ever_pushed_away_hardly_moves():
    params = {"layers": {"w": jnp.ones((4, 4))}, "embed": jnp.zeros((2, 4))}
    tx = make_optimizer(OptimizerConfig(adam_learning_rate=0.01, warmup_steps=0, final_fraction=1.0), 100)
    state, embed = tx.init(params), params["embed"]
    grads = {"layers": {"w": jnp.zeros((4, 4))}, "embed": jnp.array([[1e-3] * 4, [1e-7] * 4])}
    for _ in range(100):
        updates, state = tx.update(grads, state, params)
        embed = embed + updates["embed"]
    moved = np.abs(np.asarray(embed)).mean(axis=1)
    assert moved[0] > 0.9 and moved[1] < 0.01


def test_schedule_warms_up_per_update_and_ends_at_the_last_one():
    cfg = OptimizerConfig(warmup_steps=4, final_fraction=0.1)
    rate = make_schedule(1.0, cfg, 20)
    np.testing.assert_allclose([rate(i) for i in range(5)], [0.2, 0.4, 0.6, 0.8, 1.0], rtol=1e-6)
    np.testing.assert_allclose(rate(19), 0.1, rtol=1e-6)


@pytest.mark.parametrize("total", [1, 2, 3])
def test_schedule_of_a_very_short_run_is_finite_and_positive(total):
    rate = make_schedule(1.0, OptimizerConfig(warmup_steps=20), total)
    assert all(0 < float(rate(i)) <= 1.0 for i in range(total))


def test_clip_norm_bounds_what_adam_sees():
    params = {"a": jnp.ones(3)}
    cfg = OptimizerConfig(name="adamw", clip_norm=1.0)
    tx = make_optimizer(cfg, 10)
    state = tx.update({"a": jnp.full(3, 100.0)}, tx.init(params), params)[1]
    leaves = jax.tree.leaves(state)
    # First moment after one step is (1 - b1) * clipped gradient: norm 0.1.
    norms = [float(jnp.linalg.norm(x)) for x in leaves if getattr(x, "shape", ()) == (3,)]
    assert min(norms, key=lambda n: abs(n - 0.1)) == pytest.approx(0.1, rel=1e-5)


def test_weight_decay_touches_layer_matrices_only():
    params = {"layers": {"w": jnp.ones((4, 4)), "scale": jnp.ones(4)}, "embed": jnp.ones((4, 4))}
    tx = make_optimizer(OptimizerConfig(weight_decay=0.5, learning_rate=0.1, warmup_steps=0), 10)
    zero = jax.tree.map(jnp.zeros_like, params)
    updates, _ = jax.jit(lambda g: tx.update(g, tx.init(params), params))(zero)
    np.testing.assert_allclose(updates["layers"]["w"], -0.05 * np.ones((4, 4)), rtol=1e-5)
    assert not np.any(updates["layers"]["scale"]) and not np.any(updates["embed"])


def test_unknown_name_and_empty_run_are_refused():
    with pytest.raises(ValueError, match="muon"):
        make_optimizer(OptimizerConfig(name="sgd"), 10)
    with pytest.raises(ValueError, match="total_steps"):
        make_optimizer(OptimizerConfig(), 0)
