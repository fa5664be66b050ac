"""LoRA in the trainer: the base stays as it is, the state is the adapter's, a run goes on from its own base only."""

import dataclasses
from functools import partial

import jax
import numpy as np
import optax
import pytest
from fake_actor import EngineActor, make_task, tokenize
from flax import nnx
from train_samples import TINY, random_examples

from qpa.config import CareConfig, DataConfig, LoraConfig, OptimizerConfig, RLConfig, SFTConfig
from qpa.models.lora import merge
from qpa.models.transformer import create, flat_state
from qpa.train.checkpoint import CheckpointError
from qpa.train.data import Batches
from qpa.train.forward import compile_step
from qpa.train.mesh import state_sharding
from qpa.train.metrics import read_metrics
from qpa.train.rl import run_rl
from qpa.train.rollout import TaskSampler
from qpa.train.sft import run_sft, sft_step
from qpa.train.state import create_state
from qpa.train.tuning import make_tuning

LORA = LoraConfig(rank=4, alpha=8.0, modules=("q_proj", "v_proj", "down_proj"))
SFT = SFTConfig(
    steps=6,
    log_every=1,
    save_every=2,
    data=DataConfig(sequence_length=32, batch_size=4),
    lora=LORA,
    optimizer=OptimizerConfig(name="adamw", adam_learning_rate=0.05, warmup_steps=1),
)
RL = RLConfig(
    steps=3,
    tasks_per_step=4,
    group_size=4,
    minibatches=1,
    save_every=1,
    eval_every=2,
    row_length=16,
    care=CareConfig(lambda_prog=0.5, lambda_eff=0.1, p_low=0.25, p_high=0.8),
    lora=LORA,
    optimizer=OptimizerConfig(name="adamw", adam_learning_rate=0.1, warmup_steps=1),
)


class Crash(BaseException):
    pass


def copied(tree):
    return jax.tree.map(lambda x: np.array(x, copy=True), tree)


def sft(tiny, mesh, run_dir, *, cfg=SFT, crash_at=None, seen=None):
    def evaluate(params, step):
        if step == crash_at:
            raise Crash
        if seen is not None:
            seen[step] = copied(params)
        return {"value": step}

    batches = Batches(random_examples(30), cfg.data, seed=0)
    return run_sft(*tiny, batches, cfg, mesh=mesh, run_dir=run_dir, evaluate=evaluate)


@pytest.fixture(scope="module")
def straight(tiny, mesh, tmp_path_factory):
    """(run directory, final state, whole parameters by step) of an SFT run; the base is compared before and after."""
    folder, seen, before = tmp_path_factory.mktemp("lora") / "straight", {}, copied(tiny[1])
    state = sft(tiny, mesh, folder, seen=seen)
    jax.tree.map(np.testing.assert_array_equal, before, copied(tiny[1]))
    return folder, state, seen


def test_sft_trains_the_adapter_and_nothing_else(tiny, straight):
    folder, state, seen = straight
    losses = [r["loss"] for r in read_metrics(folder, "train")]
    assert len(losses) == 6 and losses[-1] < 0.9 * losses[0]
    shapes = {keys[-3:]: leaf.shape for keys, leaf in flat_state(state.params).items()}
    assert shapes == {
        ("self_attn", "q_proj", "lora_a"): (32, 4),
        ("self_attn", "q_proj", "lora_b"): (4, 32),
        ("self_attn", "v_proj", "lora_a"): (32, 4),
        ("self_attn", "v_proj", "lora_b"): (4, 32),
        ("mlp", "down_proj", "lora_a"): (64, 4),
        ("mlp", "down_proj", "lora_b"): (4, 32),
    }
    # Adam's two moments of the adapter and a few counters: the base has no optimiser state.
    adapter = sum(x.size for x in jax.tree.leaves(state.params))
    assert 2 * adapter <= sum(x.size for x in jax.tree.leaves(state.opt_state)) < 2 * adapter + 16
    # What is evaluated is the merged model, and only the chosen matrices of it differ from the base.
    merged = merge(tiny[1], copied(state.params), LORA)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, atol=1e-6), merged, seen[6])
    base, last = flat_state(copied(tiny[1])), flat_state(seen[6])
    changed = {keys[-2] for keys in base if not np.array_equal(base[keys][...], last[keys][...])}
    assert changed == set(LORA.modules)


def test_rows_of_trainable_tokens_are_trained_and_no_others(tiny, mesh, tmp_path):
    seen, table = {}, np.asarray(tiny[1]["embed_tokens"][...])
    cfg = dataclasses.replace(SFT, lora=dataclasses.replace(LORA, trainable_tokens=(9, 5)))
    state = sft(tiny, mesh, tmp_path, cfg=cfg, seen=seen)
    untied = create(dataclasses.replace(TINY, tie_embeddings=False))
    with pytest.raises(ValueError, match="this base's head has rows of its own"):
        make_tuning(*untied, cfg.lora, mesh, seed=0)
    changed = np.flatnonzero((np.asarray(seen[6]["embed_tokens"][...]) != table).any(axis=1))
    assert changed.tolist() == [5, 9]
    np.testing.assert_array_equal(seen[6]["embed_tokens"][...][[9, 5]], state.params["token_rows"]["rows"][...])
    with pytest.raises(CheckpointError, match=r"lora.trainable_tokens is \[9, 5\], this run has \[5, 9\]"):
        sft(tiny, mesh, tmp_path, cfg=dataclasses.replace(SFT, lora=dataclasses.replace(LORA, trainable_tokens=(5, 9))))


def test_resume_equals_the_straight_run_bit_for_bit(tiny, mesh, straight, tmp_path):
    folder, state, _ = straight
    with pytest.raises(Crash):
        sft(tiny, mesh, tmp_path, crash_at=4)  # step 2 is saved, steps 3 and 4 are lost
    resumed = sft(tiny, mesh, tmp_path)
    jax.tree.map(np.testing.assert_array_equal, state, resumed)
    assert read_metrics(folder) == read_metrics(tmp_path)


def test_a_checkpoint_of_another_base_or_adapter_is_refused_with_one_line(tiny, mesh, straight):
    graphdef, params = tiny
    other = jax.tree.map(lambda x: x + 1e-3, params)
    with pytest.raises(CheckpointError, match=r"the adapter's base model is \w{12}, this run has \w{12}; use the same"):
        sft((graphdef, other), mesh, straight[0])
    for changes, said in (
        ({"alpha": 16.0}, "lora.alpha is 8.0, this run has 16.0"),
        ({"rank": 2}, "another model"),
        ({"rank": 0}, "another model"),
        ({"modules": ("q_proj", "v_proj")}, "another model"),
    ):
        cfg = dataclasses.replace(SFT, lora=dataclasses.replace(LORA, **changes))
        with pytest.raises(CheckpointError, match=said) as error:
            sft(tiny, mesh, straight[0], cfg=cfg)
        assert "\n" not in str(error.value)


def test_rank_0_hands_everything_on_as_it_is(tiny, mesh):
    graphdef, params = tiny
    tuning = make_tuning(graphdef, params, LoraConfig(), mesh, 0)
    assert tuning.params is params and tuning.graphdef is graphdef and tuning.whole(params) is params
    assert (tuning.frozen, tuning.record) == ((), {})
    # So the steps see the very same pytrees as without LoRA: nothing is joined, nothing is another argument.
    assert nnx.merge_state(params, *tuning.frozen) is params
    step = compile_step(sft_step, mesh, create_state(params, optax.sgd(0.1), mesh), tuning.frozen, graphdef=graphdef)
    assert not isinstance(step, partial)


def rl(tiny, mesh, run_dir, crash_at=None):
    actor = EngineActor(*tiny, TINY)

    def evaluate(step):
        if step == crash_at:
            raise Crash
        return {"success": 0.5, "tasks": 40, "cost": 0.2}

    sampler = TaskSampler([make_task(f"{f}{i}", f) for f in "ab" for i in range(3)], seed=0)
    options = {"sampler": sampler, "actor": actor, "tokenize": tokenize, "seed": 0, "evaluate": evaluate}
    return run_rl(*tiny, RL, mesh=mesh, run_dir=run_dir, **options), actor


def test_rl_plays_merged_weights_without_recompiling_and_resumes(tiny, mesh, tmp_path):
    before = copied(tiny[1])
    straight, actor = rl(tiny, mesh, tmp_path / "straight")
    train = read_metrics(tmp_path / "straight", "train")
    # One update a step: the engine's log-probs are the trainer's, though one multiplies by W + A B and the other never.
    assert all(r["ratio_max"] == pytest.approx(1, abs=1e-4) and r["staleness"] == 0 for r in train)
    assert any(
        np.abs(x).max() > 1e-2 for k, x in flat_state(copied(straight.state.params)).items() if k[-1] == "lora_b"
    )
    assert train[0]["compile_s"] > 0 and all(r["compile_s"] == 0 for r in train[2:])
    jax.tree.map(np.testing.assert_array_equal, before, copied(tiny[1]))
    with pytest.raises(Crash):
        rl(tiny, mesh, tmp_path / "crashed", crash_at=2)
    resumed, actor = rl(tiny, mesh, tmp_path / "crashed")
    assert actor.versions == [1, 2, 3]
    jax.tree.map(np.testing.assert_array_equal, straight.state, resumed.state)


def test_an_adapter_is_split_along_its_long_side_only():
    mesh = jax.sharding.AbstractMesh((2, 2, 2), ("data", "fsdp", "tensor"))
    for name, shape, spec in (
        ("q_proj", (32, 4), ("fsdp", None)),
        ("o_proj", (32, 4), ("tensor", None)),
    ):
        a = state_sharding(mesh, ("layers", 0, name, "lora_a"), shape).spec
        b = state_sharding(mesh, ("layers", 0, name, "lora_b"), shape[::-1]).spec
        assert tuple(a) == spec and tuple(b) == (None, "tensor" if name == "q_proj" else "fsdp")
