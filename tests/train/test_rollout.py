"""Tasks, groups, advantages: what may become a reward, and that nothing else does."""

import asyncio
import json
from collections import Counter

import numpy as np
import pytest
from fake_actor import make_task, make_trajectory, tokenize

from qpa import care
from qpa.bench import BenchVerifier, make_env, train_tasks
from qpa.config import CareConfig
from qpa.contract import StopReason
from qpa.harness import NullModel, tiny_eta
from qpa.train.data import DataError
from qpa.train.rl_batch import minibatches, score_groups
from qpa.train.rollout import Group, HarnessActor, Rollouts, TaskSampler, collect, run_sync

PHI = care.Phi(lambda_prog=0.5, lambda_eff=0.1, p_low=0.25, p_high=0.8)
CFG = CareConfig(token_budget=100, call_budget=1_000_000)


def group(successes, *, progress=None, tokens=None, length=2, name="t"):
    n = len(successes)
    progress, tokens = progress or [0.0] * n, tokens or [0] * n
    task = make_task(name)
    return Group(task, [
        make_trajectory(task, [4] * length, [-0.5] * length, success=bool(s), progress=p, tokens=k)
        for s, p, k in zip(successes, progress, tokens)
    ])  # fmt: skip


def score(*groups, row_length=16):
    return score_groups(Rollouts(list(groups)), tokenize, PHI, CFG, row_length)


def test_golden_advantages_of_each_regime():
    half = [20 * k for k in range(2, 10)]  # e = tokens / 200 = .2, .3, ... .9
    scored = score(
        group([1] * 7 + [0], tokens=half),
        group([1, 1, 1, 1, 0, 0, 0, 0]),
        group([0] * 8, progress=[0.75, 0.5, 0.5, 0.25, 0.25, 0, 0, 0]),
    )
    got = np.array([e.advantage for e in scored.examples]).reshape(3, 8)
    e = 0.5 * np.minimum(1, np.array(half) / 100)
    r = np.array([1] * 7 + [0]) - 0.1 * e
    np.testing.assert_allclose(got[0], (r - r.mean()) / max(r.std(), 0.4), atol=1e-4)
    np.testing.assert_allclose(got[1], [1, 1, 1, 1, -1, -1, -1, -1], atol=1e-4)
    np.testing.assert_allclose(got[2], [1.7802, 0.8307, 0.8307, -0.1187, -0.1187, -1.0681, -1.0681, -1.0681], atol=1e-3)
    assert scored.regime == [care.Regime.EFFICIENCY, care.Regime.OUTCOME, care.Regime.PROGRESS]
    assert scored.rollouts == 24 and scored.skipped == 0


def test_every_token_weighs_one_over_its_trajectorys_generated_tokens():
    g = group([1, 0])
    g.trajectories[0] = make_trajectory(g.task, [4, 5, 6, 7], [-0.1] * 4, success=True)
    a, b = score(g).examples
    assert (a.weight, b.weight) == (0.25, 0.5) and a.supervised == 4


def test_groups_without_signal_are_skipped_but_counted_in_the_mean():
    scored = score(group([1, 1]), group([0, 0]), group([1, 0]), group([1]))
    assert (scored.skipped, scored.empty, scored.rollouts, len(scored.examples)) == (2, 1, 6, 2)


def test_an_overlong_rollout_leaves_its_groups_statistics_too():
    g = group([1, 0, 0])
    g.trajectories[2] = make_trajectory(g.task, [4] * 30, [-0.1] * 30, success=False)
    scored = score(g)
    assert scored.overlong == 1 and scored.success == [[1.0, 0.0]]
    np.testing.assert_allclose([e.advantage for e in scored.examples], [1, -1], atol=1e-4)


class Listed:
    """Plays a prepared list of trajectories."""

    def __init__(self, make):
        self.make, self.seeds, self.seconds = make, [], 0.0

    def run(self, tasks, seed):
        self.seeds.append(seed)
        self.seconds += 1
        return [self.make(i, t) for i, t in enumerate(tasks)]

    def stats(self):
        return {"device_seconds": self.seconds, "compile_seconds": 0.0}


def test_collect_keeps_infrastructure_failures_out_of_the_groups():
    def make(i, task):
        changes = [
            {},
            {"stop": StopReason.ENV_FAILURE},
            {"stop": StopReason.MODEL_FAILURE, "valid": False},
            {"valid": False},
            {"verdict": None},
            {},
        ][i]
        t = make_trajectory(task, [4, 5], [-1.0, -1.0], success=True, **changes)
        if i == 5:
            t.steps[0].log_probs = [-1.0]
        return t

    actor = Listed(make)
    tasks = [make_task("a"), make_task("b")]
    out = collect(actor, tasks, 3, seed=0, step=7)
    assert [len(g.trajectories) for g in out.groups] == [1, 0] and [g.task.id for g in out.groups] == ["a", "b"]
    assert out.invalid == Counter(env_failure=1, model_failure=1, invalid_record=1, unverified=1, no_tokens=1)
    assert out.generation_s == 1.0
    collect(actor, tasks, 3, seed=0, step=7)
    collect(actor, tasks, 3, seed=0, step=8)
    assert actor.seeds[0] == actor.seeds[1] != actor.seeds[2]


def test_invalid_and_resampled_episodes_are_counted_by_cause():
    def make(i, task):
        reasons = ["reset: EnvFailure/capacity: full", "step: EnvFailure/lease: gone", "reset: TimeoutError: late", "x"]
        t = make_trajectory(task, [4], [-1.0], success=False)
        if i < 4:
            t.stop, t.valid, t.invalid_reason = StopReason.ENV_FAILURE, False, reasons[i]
        t.provenance.notes["resampled"] = "capacity connection" if i in (0, 5) else ""
        return t

    out = collect(Listed(make), [make_task("a")], 6, seed=0, step=0)
    assert out.invalid == Counter(env_failure_capacity=1, env_failure_lease=1, env_failure_deadline=1, env_failure=1)
    assert out.resampled == Counter(capacity=2, connection=2) and len(out.groups[0].trajectories) == 2


def test_sampler_passes_over_every_task_before_repeating_and_resumes():
    tasks = [make_task(f"{f}{i}", f) for f in "ab" for i in range(5)]
    sampler = TaskSampler(tasks, seed=3)
    drawn = [t.id for step in range(10) for t in sampler.draw(step, 4)]
    for family in "ab":
        own = [d for d in drawn if d[0] == family]
        assert all(len(set(own[i : i + 5])) == len(own[i : i + 5]) for i in range(0, len(own), 5))
    resumed = TaskSampler(list(reversed(tasks)), seed=3)
    resumed.set_state(json.loads(json.dumps(sampler.get_state())))
    assert [t.id for t in resumed.draw(10, 4)] == [t.id for t in sampler.draw(10, 4)]
    with pytest.raises(DataError, match="other tasks"):
        TaskSampler(tasks[1:], seed=3).set_state(sampler.get_state())
    with pytest.raises(DataError, match="no task"):
        TaskSampler([], seed=0)


def test_sampler_prefers_families_whose_outcomes_differ_but_forgets_none():
    sampler = TaskSampler([make_task(f, f) for f in ("easy", "even", "hard")], seed=0)
    for _ in range(30):
        sampler.update("easy", 1.0)
        sampler.update("even", 0.5)
        sampler.update("hard", 0.0)
    weights = sampler.weights()
    assert weights["even"] == 1.0
    assert weights["easy"] == pytest.approx(0.25, abs=0.01) and weights["hard"] == pytest.approx(0.25, abs=0.01)
    counts = Counter(t.family for step in range(100) for t in sampler.draw(step, 6))
    assert counts["even"] > 2 * counts["easy"] > 0 and counts["hard"] > 0


def test_minibatches_have_one_shape_and_hold_every_example_once():
    scored = score(*[group([1, 0], length=k, name=str(k)) for k in (2, 3, 4, 5)])
    parts = minibatches(scored.examples, 16, 2, 8, 2, seed="s")
    assert {(rows["tokens"].shape, rows["index"].shape) for rows, _ in parts} == {((4, 2, 16), (4, 2, 8))}
    assert sum((rows["weights"] > 0).sum() for rows, _ in parts) == 2 * (2 + 3 + 4 + 5)
    for rows, used in parts:
        assert used < 4 and not rows["segments"][used:].any() and rows["segments"][used - 1].any()
    np.testing.assert_allclose(sum(rows["weights"].sum() for rows, _ in parts), 8, rtol=1e-6)
    long = score(group([1, 0], length=12), row_length=16)
    assert minibatches(long.examples, 16, 2, 8, 1, seed="s")[0][0]["index"].shape[2] == 16
    assert minibatches([], 16, 2, 8, 2, seed="s") == []


def test_harness_actor_plays_groups_in_order_with_seeds_of_their_own():
    class Engine(NullModel):
        published = None

        def update_params(self, params, version):
            self.published = (params, version)

        def stats(self):
            return {"device_seconds": 1.0, "compile_seconds": 0.0}

    engine = Engine()
    actor = HarnessActor(engine, make_env(BenchVerifier()), tiny_eta(), concurrency=3, temperature=1.0)
    actor.publish("weights", 4)
    assert engine.published == ("weights", 4) and actor.stats()["device_seconds"] == 1.0
    tasks = train_tasks(0, 2)
    listed = [t for t in tasks for _ in range(2)]
    played = actor.run(listed, 5)
    assert [t.task.id for t in played] == [t.id for t in listed]
    assert all(t.valid and t.verdict is not None and t.provenance.source == "rl" for t in played)
    seeds = [t.provenance.seed for t in played]
    assert len(set(seeds)) == 4 and [t.provenance.seed for t in actor.run(listed, 5)] == seeds
    assert set(seeds).isdisjoint(t.provenance.seed for t in actor.run(listed, 6))


def test_run_sync_works_inside_a_running_loop():
    async def answer():
        return 42

    async def notebook():
        return run_sync(answer())

    assert run_sync(answer()) == 42 and asyncio.run(notebook()) == 42
