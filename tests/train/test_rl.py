"""Eq. 10 on packed chunks; the loop resumes bit for bit; the controller is bounded and its refusals are on record."""

import dataclasses

import jax
import numpy as np
import optax
import pytest
from fake_actor import EngineActor, FakeActor, make_task, tokenize
from flax import nnx
from train_samples import TINY, random_examples

from qpa.config import CareConfig, OptimizerConfig, RLConfig
from qpa.train.data import DataError
from qpa.train.forward import compile_step
from qpa.train.metrics import TrainingError, read_metrics
from qpa.train.rl import rl_step, run_rl
from qpa.train.rl_batch import minibatches
from qpa.train.rollout import TaskSampler
from qpa.train.state import create_state

CFG = RLConfig(
    steps=6,
    tasks_per_step=4,
    group_size=4,
    save_every=2,
    eval_every=2,
    row_length=16,
    care=CareConfig(lambda_prog=0.5, lambda_eff=0.1, p_low=0.25, p_high=0.8, controller_every=2),
    optimizer=OptimizerConfig(name="adamw", adam_learning_rate=0.03, warmup_steps=1),
)
TIMES = ("generation_s", "environment_s", "training_s", "compile_s", "rest_s", "step_s")


def reference_loss(graphdef, params, examples, rollouts):
    """Minus Eq. 10, one trajectory at a time, each alone in its row."""
    ids, total = np.zeros((len(examples), 12), np.int32), 0.0
    for row, e in zip(ids, examples):
        row[: len(e.ids)] = e.ids
    positions = np.broadcast_to(np.arange(12), ids.shape)
    log_probs = jax.nn.log_softmax(nnx.merge(graphdef, params)(ids, positions, np.ones_like(ids)))
    for i, e in enumerate(examples):
        at = np.flatnonzero(e.mask[1:])
        rho = jax.numpy.exp(log_probs[i, at, e.ids[1:][at]] - e.log_probs[1:][at])
        total += jax.numpy.minimum(rho * e.advantage, jax.numpy.clip(rho, 0.8, 1.28) * e.advantage).mean()
    return -total / rollouts


def test_step_equals_equation_10_written_out(tiny, mesh):
    graphdef, params = tiny
    examples = random_examples(12, longest=12, rl=True)
    loss, grads = jax.jit(jax.value_and_grad(lambda p: reference_loss(graphdef, p, examples, 20)))(params)
    tx = optax.sgd(1.0)
    state = create_state(params, tx, mesh)
    step = compile_step(rl_step, mesh, state, graphdef=graphdef, tx=tx, eps_low=0.2, eps_high=0.28, temperature=1.0)
    [(rows, used)] = minibatches(examples, 16, 1, 14, 1, seed="s")
    assert 1 < used < 14
    new, metrics = step(state, rows, np.int32(used), np.float32(20))
    np.testing.assert_allclose(metrics["loss"], loss, rtol=1e-5)
    jax.tree.map(lambda a, b, g: np.testing.assert_allclose(a - b, g, atol=2e-6), params, new.params, grads)
    assert 0 < metrics["clip_low"] < 1 and 0 < metrics["clip_high"] < 1


class Proposes:
    """Raises lambda_eff by 0.01 each time, unless told to answer nonsense."""

    def __init__(self, nonsense=False):
        self.nonsense, self.seen = nonsense, []

    def propose(self, train, dev, phi):
        self.seen.append((train, dev))
        if self.nonsense:
            return "lambda_eff should be 7"
        return phi.as_dict() | {"lambda_eff": phi.lambda_eff + 0.01}


class Crash(BaseException):
    pass


def run(tiny, mesh, run_dir, *, cfg=CFG, crash_at=None, controller=None, real_engine=False, **kw):
    graphdef, params = tiny
    actor = EngineActor(graphdef, params, TINY) if real_engine else FakeActor(graphdef)

    def evaluate(step):
        if step == crash_at:
            raise Crash
        return {"success": 0.5 + step / 100, "tasks": 40, "cost": 0.2}

    tasks = [make_task(f"{f}{i}", f) for f in "ab" for i in range(3)]
    settings = {"sampler": TaskSampler(tasks, seed=0), "seed": 0, "tokenize": tokenize, "controller": controller} | kw
    result = run_rl(graphdef, params, cfg, mesh=mesh, run_dir=run_dir, actor=actor, evaluate=evaluate, **settings)
    return result, actor


def test_resume_equals_the_straight_run_bit_for_bit(tiny, mesh, tmp_path):
    controller = Proposes()
    straight, actor = run(tiny, mesh, tmp_path / "straight", controller=controller)
    assert actor.versions == list(range(7))
    with pytest.raises(Crash):
        run(tiny, mesh, tmp_path / "crashed", crash_at=4, controller=Proposes())
    resumed, actor = run(tiny, mesh, tmp_path / "crashed", controller=Proposes())
    assert actor.versions[0] == 2  # the restored weights are published before the first rollout
    jax.tree.map(np.testing.assert_array_equal, straight.state, resumed.state)
    assert straight.phi == resumed.phi and straight.phi.lambda_eff == pytest.approx(0.12)
    a, b = (
        [{k: v for k, v in r.items() if k not in TIMES} for r in read_metrics(tmp_path / d)]
        for d in ("straight", "crashed")
    )
    assert a == b
    train = read_metrics(tmp_path / "straight", "train")
    assert [r["step"] for r in train] == [1, 2, 3, 4, 5, 6]
    assert all(sum(r[k] for k in TIMES[:-1]) == pytest.approx(r["step_s"], rel=1e-3) for r in train)
    assert all(r["staleness"] == 0 and r["groups"] == 4 for r in train)
    assert all(r["played_sandbox"] == r["rollouts"] for r in train)
    # phi is held between decisions, and the decision sees only what came before it.
    assert [round(r["lambda_eff"], 2) for r in train] == [0.1, 0.1, 0.11, 0.11, 0.12, 0.12]
    assert [d["success"] for _, d in controller.seen] == [0.52, 0.54]
    assert [len(d["history"]) for _, d in controller.seen] == [1, 2]
    assert [t["groups"] for t, _ in controller.seen] == [8, 8]

    with pytest.raises(DataError, match="harness"):
        run(tiny, mesh, tmp_path / "straight", harness_version="eta-2")
    with pytest.raises(DataError, match="other tasks"):
        run(tiny, mesh, tmp_path / "straight", sampler=TaskSampler([make_task("z")], seed=0))


def test_resume_with_the_real_engine_and_its_log_probs_are_the_trainers(tiny, mesh, tmp_path):
    cfg = dataclasses.replace(CFG, steps=4, minibatches=1)  # one update: the ratio to the behaviour policy stays 1
    straight, _ = run(tiny, mesh, tmp_path / "straight", cfg=cfg, real_engine=True)
    with pytest.raises(Crash):
        run(tiny, mesh, tmp_path / "crashed", cfg=cfg, crash_at=4, real_engine=True)
    resumed, actor = run(tiny, mesh, tmp_path / "crashed", cfg=cfg, real_engine=True)
    assert actor.versions == [2, 3, 4]
    jax.tree.map(np.testing.assert_array_equal, straight.state, resumed.state)
    train = read_metrics(tmp_path / "straight", "train")
    assert all(r["ratio_max"] == pytest.approx(1, abs=1e-4) and r["staleness"] == 0 for r in train)
    assert train[0]["generation_s"] > 0 and train[0]["compile_s"] > 0


def test_success_rises_and_a_refused_proposal_changes_nothing(tiny, mesh, tmp_path):
    cfg = dataclasses.replace(CFG, steps=10, save_every=10, epochs=2, minibatches=2)
    result, _ = run(tiny, mesh, tmp_path, cfg=cfg, controller=Proposes(nonsense=True))
    train = read_metrics(tmp_path, "train")
    assert np.mean([r["success"] for r in train[-3:]]) > np.mean([r["success"] for r in train[:3]]) + 0.2
    assert int(result.state.step) == 40 - 4 * sum(r["groups_skipped"] == 4 for r in train)
    decisions = read_metrics(tmp_path, "phi")
    assert [d["step"] for d in decisions] == [2, 4, 6, 8] and not any(d["accepted"] for d in decisions)
    assert "not strict JSON" in decisions[0]["reasons"][0] and decisions[0]["proposal"] == "lambda_eff should be 7"
    assert result.phi.lambda_eff == CFG.care.lambda_eff


def test_a_loss_that_is_not_finite_ends_the_run(tiny, mesh, tmp_path):
    def poisoned(t):
        ids, mask, log_probs = tokenize(t)
        return ids, mask, [float("nan")] * len(log_probs)

    with pytest.raises(TrainingError, match="loss is nan at step 1"):
        run(tiny, mesh, tmp_path, tokenize=poisoned)
