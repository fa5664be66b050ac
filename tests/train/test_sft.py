"""Eq. 4 as sums and counts; a resumed run is the straight run, bit for bit."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from train_samples import random_examples

from qpa.config import DataConfig, OptimizerConfig, SFTConfig
from qpa.train.data import Batches, DataError
from qpa.train.forward import compile_step, slot_logits
from qpa.train.metrics import TrainingError, read_metrics
from qpa.train.packing import build_rows, split_rows
from qpa.train.sft import run_sft, sft_step
from qpa.train.state import create_state

CFG = SFTConfig(
    steps=6,
    log_every=1,
    save_every=2,
    data=DataConfig(sequence_length=32, batch_size=4),
    optimizer=OptimizerConfig(name="adamw", adam_learning_rate=0.02, warmup_steps=1),
)


def test_loss_is_one_mean_over_all_tokens_however_the_rows_are_chunked(tiny, mesh):
    graphdef, params = tiny
    examples = random_examples(4, longest=20)
    rows = build_rows(examples, [[0], [1, 2], [3], []], 40, 40)
    assert len(set((rows["weights"] > 0).sum(1))) > 2  # unequal rows: a mean of means would differ
    logits = np.asarray(jax.jit(lambda r: slot_logits(graphdef, params, r))(rows), np.float64)
    nll = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, rows["targets"][..., None], -1)[..., 0]
    want, count = (nll * rows["weights"]).sum() / rows["weights"].sum(), sum(e.supervised for e in examples)

    tx = optax.sgd(0.1)
    results = []
    for size in (4, 1):
        state = create_state(params, tx, mesh)
        step = compile_step(sft_step, mesh, state, graphdef=graphdef, tx=tx)
        state, metrics = step(state, split_rows(rows, size))
        np.testing.assert_allclose(metrics["loss"], want, rtol=1e-5)
        assert metrics["tokens"] == count and state.step == 1
        results.append(state.params)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-6), *results)
    # The update is that of the mean: 0.1 times a gradient whose norm was reported.
    moved = jax.tree.map(lambda a, b: np.asarray(a) - np.asarray(b), params, results[0])
    norm = np.sqrt(sum((x**2).sum() for x in jax.tree.leaves(moved)))
    np.testing.assert_allclose(norm, 0.1 * metrics["grad_norm"], rtol=1e-4)


class Crash(BaseException):
    pass


def test_resume_equals_the_straight_run_bit_for_bit(tiny, mesh, tmp_path):
    graphdef, params = tiny

    def run(name, crash_at=None):
        def evaluate(_, step):
            if step == crash_at:
                raise Crash
            return {"value": step}

        batches = Batches(random_examples(30), CFG.data, seed=0)
        return run_sft(graphdef, params, batches, CFG, mesh=mesh, run_dir=tmp_path / name, evaluate=evaluate)

    straight = run("straight")
    with pytest.raises(Crash):
        run("crashed", crash_at=4)  # step 2 is saved, steps 3 and 4 are lost
    assert [r["step"] for r in read_metrics(tmp_path / "crashed", "train")] == [1, 2, 3, 4]
    resumed = run("crashed")
    jax.tree.map(np.testing.assert_array_equal, straight, resumed)
    assert read_metrics(tmp_path / "straight") == read_metrics(tmp_path / "crashed")
    losses = [r["loss"] for r in read_metrics(tmp_path / "straight", "train")]
    assert len(losses) == 6 and losses[-1] < 0.9 * losses[0]
    # A finished run has nothing left to do, and does not start over.
    jax.tree.map(np.testing.assert_array_equal, straight, run("straight", crash_at=6))

    other = Batches(random_examples(30, seed=1), CFG.data, seed=0)
    with pytest.raises(DataError, match="other data"):
        run_sft(graphdef, params, other, CFG, mesh=mesh, run_dir=tmp_path / "straight")


def test_a_loss_that_is_not_finite_ends_the_run(tiny, mesh, tmp_path):
    graphdef, params = tiny
    broken = jax.tree.map(lambda x: jnp.asarray(np.asarray(x) * np.nan), params)
    with pytest.raises(TrainingError, match="loss is nan at step 1"):
        run_sft(graphdef, broken, Batches(random_examples(9), CFG.data, seed=0), CFG, mesh=mesh, run_dir=tmp_path)
