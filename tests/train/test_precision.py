"""bfloat16 compute with float32 masters; the head in pieces; one optimiser step whatever the microbatches."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from train_samples import TINY, random_examples

from qpa.config import OptimizerConfig
from qpa.models.transformer import Planner
from qpa.train.forward import accumulate, compile_step, compute_params, slot_logits, slot_scores, target_log_probs
from qpa.train.optimizer import make_optimizer
from qpa.train.packing import build_rows, plan_rows, split_rows
from qpa.train.rl import rl_step
from qpa.train.sft import sft_step
from qpa.train.state import create_state

RL = {"eps_low": 0.2, "eps_high": 0.28, "temperature": 0.7}
COUNT = 12


@pytest.fixture(scope="module")
def rows():
    examples = random_examples(COUNT, longest=24, rl=True)
    plan = plan_rows(examples, 32, 16)
    return split_rows(build_rows(examples, plan, 32, 16, rl=True), 4)


@pytest.fixture(scope="module")
def update(tiny, mesh, rows):
    """(name, options) -> (parameters' move under plain gradient descent of rate 1, metrics), each compiled once."""
    graphdef, params = tiny
    tx, known = optax.sgd(1.0), {}

    def run(name, **options):
        if (key := (name, *options.items())) not in known:
            step, static = (sft_step, {}) if name == "sft" else (rl_step, RL)
            args = () if name == "sft" else (np.int32(len(rows["tokens"])), np.float32(COUNT))
            state = create_state(params, tx, mesh)
            compiled = compile_step(step, mesh, state, graphdef=graphdef, tx=tx, **static, **options)
            new, metrics = compiled(state, rows, *args)
            move = jax.tree.map(lambda a, b: np.asarray(a) - np.asarray(b), params, new.params)
            known[key] = move, {k: float(v) for k, v in metrics.items()}
        return known[key]

    return run


def distance(got, want):
    """Largest difference of two trees of gradients, relative to the largest entry of each leaf."""
    return max(jax.tree.leaves(jax.tree.map(lambda a, b: np.abs(a - b).max() / np.abs(b).max(), got, want)))


@pytest.mark.parametrize("name", ["sft", "rl"])
def test_the_head_in_pieces_gives_the_same_loss_and_gradients(update, name):
    want, want_metrics = update(name)
    got, metrics = update(name, loss_chunk=20)  # over 4 rows: pieces of 5 of 16 slots, the last one padded
    assert metrics == pytest.approx(want_metrics, rel=1e-5)
    assert distance(got, want) < 1e-5
    assert want_metrics["grad_norm"] > 0.01


def test_scores_in_pieces_are_in_the_slots_order(tiny, rows):
    graphdef, params = tiny
    chunk = {k: v[0] for k, v in rows.items()}
    full, pieces = (
        jax.jit(lambda p, c=c: slot_scores(graphdef, p, chunk, target_log_probs, c))(params) for c in (0, 12)
    )
    assert full.shape == pieces.shape == (4, 16)
    np.testing.assert_allclose(pieces, full, rtol=1e-5)


def test_pieces_bound_the_memory_of_a_large_vocabulary():
    """Compiled only: 8 x 128 slots, 16,384 words, 64 slots at a time."""
    cfg = replace(TINY, vocab_size=16_384, n_layers=1)
    graphdef, shapes = nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)
    whole = {"tokens": (8, 64), "segments": (8, 64), "positions": (8, 64), "index": (8, 128), "targets": (8, 128)}
    rows = {k: jax.ShapeDtypeStruct(shape, jnp.int32) for k, shape in whole.items()}

    def peak(loss_chunk):
        def loss(params, rows):
            return slot_scores(graphdef, params, rows, target_log_probs, loss_chunk).sum()

        return jax.jit(jax.grad(loss)).lower(shapes, rows).compile().memory_analysis().temp_size_in_bytes

    logits = 8 * 128 * cfg.vocab_size * 4
    full, pieces = peak(0), peak(64)
    assert full > logits > 3 * pieces


@pytest.mark.parametrize("name", ["sft", "rl"])
def test_bfloat16_is_close_and_its_masters_stay_float32(update, name):
    want, want_metrics = update(name)
    got, metrics = update(name, compute_dtype="bfloat16", loss_chunk=8)
    assert {x.dtype for x in jax.tree.leaves(got)} == {np.dtype("float32")}
    assert metrics["loss"] == pytest.approx(want_metrics["loss"], rel=0.02, abs=0.01)
    assert metrics["loss"] != want_metrics["loss"]
    assert 1e-4 < distance(got, want) < 0.15


def dot_generals(jaxpr):
    """The matrix products of a jaxpr and of those within it."""
    for equation in jaxpr.eqns:
        if equation.primitive.name == "dot_general":
            yield equation
        for inner in jax.core.jaxprs_in_params(equation.params):
            yield from dot_generals(inner)


def test_bfloat16_reaches_every_product_of_the_layers_and_nothing_else(tiny, rows):
    graphdef, params = tiny
    chunk = {k: jnp.asarray(v[0]) for k, v in rows.items()}
    cast = compute_params(params, "bfloat16")
    kinds = {jax.tree_util.keystr(p): x.dtype for p, x in jax.tree_util.tree_leaves_with_path(cast)}
    assert all((d == jnp.bfloat16) == ("layers" in k and "kernel" in k) for k, d in kinds.items())
    products = list(dot_generals(jax.make_jaxpr(lambda p: slot_logits(graphdef, p, chunk))(cast).jaxpr))
    assert len(products) >= 2 * 7 + 1
    assert {x.aval.dtype for e in products for x in e.invars} == {jnp.dtype("bfloat16")}
    # Sums of attention and the logits leave in float32, all else as it came.
    wide = [e.outvars[0].aval.shape for e in products if e.outvars[0].aval.dtype == jnp.float32]
    assert sum(len(shape) == 3 for shape in wide) == 1 and all(len(shape) in (3, 4) for shape in wide)
    assert compute_params(params, "float32") is params
    with pytest.raises(ValueError, match="'float32' or 'bfloat16', got 'float16'"):
        compute_params(params, "float16")


def test_gradients_of_bfloat16_parameters_are_added_in_float32():
    """300 equal chunks: a bfloat16 sum of ones stands still at 256."""
    params, rows = {"w": jnp.ones(3, jnp.bfloat16)}, {"x": jnp.ones((300, 3), jnp.bfloat16)}

    def loss_fn(params, chunk):
        total = (params["w"] * chunk["x"]).sum().astype(jnp.float32)
        return total, (total, ())

    grads, total, _ = jax.jit(lambda used: accumulate(loss_fn, params, rows, used))(300)
    assert grads["w"].dtype == jnp.float32
    np.testing.assert_array_equal(grads["w"], 300.0)
    assert total == 900.0
    one = {"x": rows["x"][:1]}
    assert accumulate(loss_fn, params, one, 1)[0]["w"].dtype == jnp.float32


def test_clipping_and_the_schedule_see_one_gradient_per_update(tiny, mesh, rows):
    """Three microbatches, or one: the same norm before clipping, the same clipped first moment, one step counted."""
    graphdef, params = tiny
    cfg = OptimizerConfig(name="adamw", clip_norm=0.01, warmup_steps=3)
    tx = make_optimizer(cfg, 10)
    flat = {k: v.reshape(-1, *v.shape[2:]) for k, v in rows.items()}
    found = []
    for size in (4, 1):
        state = create_state(params, tx, mesh)
        step = compile_step(sft_step, mesh, state, graphdef=graphdef, tx=tx)
        new, metrics = step(state, split_rows(flat, size))
        adam = [s for s in jax.tree.leaves(new.opt_state, is_leaf=is_adam) if is_adam(s)]
        moment = np.sqrt(sum(float((x**2).sum()) for s in adam for x in jax.tree.leaves(s.mu)))
        counts = {int(x) for x in jax.tree.leaves(new.opt_state) if x.shape == ()}
        assert counts == {1} == {int(new.step)}
        assert metrics["grad_norm"] > 10 * cfg.clip_norm
        assert moment == pytest.approx(0.1 * cfg.clip_norm, rel=1e-4)  # 1 - b1
        found.append((float(metrics["grad_norm"]), new.params))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)


def is_adam(x):
    return isinstance(x, optax.ScaleByAdamState)
