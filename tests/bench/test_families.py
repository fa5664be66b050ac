"""Every family: its expert passes, and wrong trajectories of at least four kinds fail."""

from __future__ import annotations

import pytest

from qpa.bench.audit import audit
from qpa.bench.checkers import BenchVerifier
from qpa.bench.replay import run_actions, run_now
from qpa.bench.suites import families, make_env, make_task, oracle
from qpa.contract import (
    Action,
    BehaviorCriteria,
    CallTools,
    Dimension,
    Intent,
    Reply,
    Split,
    TaskSpec,
    Verdict,
)

ENV = make_env(BenchVerifier())
NAMES = sorted(families())


def split_of(name: str, seed: int) -> Split:
    if families()[name].unseen:
        return Split.TEST_UNSEEN_FAMILY
    return (Split.TRAIN, Split.TEST_UNSEEN_INSTANCE, Split.DEV, Split.EVOLVE)[seed % 4]


def verdict_of(task: TaskSpec, actions: list[Action]) -> Verdict:
    verdict = run_now(run_actions(ENV, task, actions)).verdict
    assert verdict is not None
    assert verdict.success == (verdict.progress == 1)
    return verdict


@pytest.mark.parametrize("name", NAMES)
def test_expert_passes(name: str) -> None:
    for seed in range(8):
        task = make_task(name, seed, split_of(name, seed))
        actions = oracle(task)
        verdict = verdict_of(task, actions)
        assert verdict.success, f"seed {seed}: {[c for c in verdict.checks + verdict.gates if not c.passed]}"
        check_small(task, actions)


def check_small(task: TaskSpec, actions: list[Action]) -> None:
    """The small model's discipline: short goals and replies, few turns, replies whose intent follows from the text."""
    reply = actions[-1]
    assert isinstance(reply, Reply)
    assert len(task.goal.split()) <= 25, task.goal
    assert len(reply.text.split()) <= 8, reply.text
    assert len(actions) - 1 <= 4
    by_rule = (
        Intent.ASK if reply.text.endswith("?") else Intent.REFUSE if reply.text.startswith("I can't") else Intent.FINISH
    )
    assert reply.intent is by_rule
    assert "{" not in task.goal


@pytest.mark.parametrize("name", NAMES)
def test_wrong_trajectories_fail(name: str) -> None:
    tasks = [make_task(name, seed, split_of(name, seed)) for seed in range(3)]
    found = audit(tasks)
    assert not found.false_accepts, "\n".join(found.false_accepts[:3])
    assert not found.false_rejects, "\n".join(found.false_rejects[:3])
    assert found.fewest_wrong >= 4 and len(found.wrong_tried) >= 4
    for task in tasks:
        for reply in (Reply(text="Done."), Reply(text="What exactly do you want?", intent=Intent.ASK)):
            assert isinstance(task.criteria, BehaviorCriteria) or verdict_of(task, [reply]).progress == 0


def test_reversed_order_fails_where_order_matters() -> None:
    task = make_task("skill_order", 0, Split.TRAIN)
    load, text, airplane, reply = oracle(task)
    assert verdict_of(task, [load, text, airplane, reply]).success
    assert not verdict_of(task, [load, airplane, text, reply]).success


def test_partial_work_earns_partial_progress() -> None:
    task = make_task("memory_schedule", 0, Split.TRAIN)
    search, create, reply = oracle(task)
    gates_only = verdict_of(task, [search, reply]).progress
    wrong_end = verdict_of(task, [search, create]).progress
    assert 0 < gates_only < wrong_end < 1


def test_handoff_with_a_wrong_instruction_fails() -> None:
    task = make_task("gui_errand", 0, Split.TRAIN)
    actions = oracle(task)
    start = actions[0]
    assert isinstance(start, CallTools)
    start.calls[0].arguments["instruction"] = "do something"
    assert not verdict_of(task, actions).success


def test_every_instance_of_a_conditional_family_occurs() -> None:
    """Branches are real: both outcomes of each state-dependent family appear among few seeds."""
    for name in (
        "wifi_connect",
        "alarm_delete",
        "saver_by_usage",
        "focus_replace",
        "device_pair_retry",
        "switch_branch",
    ):
        plans = set()
        for seed in range(16):
            actions = oracle(make_task(name, seed, Split.TRAIN))
            plans.add((len(actions), actions[-1].intent))  # type: ignore[union-attr]
        assert len(plans) >= (1 if name == "switch_branch" else 2), name


def test_goals_have_four_phrasings_and_the_suite_covers_what_it_promises() -> None:
    from qpa.bench.families.values import Draw
    from qpa.envs.sandbox import make_world

    world = make_world(0)
    for family in families().values():
        drafts = [family.generate(Draw(f"p{i}", i), world) for i in range(6)]
        for draft in drafts:
            assert len(set(draft.phrasings)) >= 4, family.name
    counted = [f for f in families().values() if not f.unseen]
    assert len(counted) >= 32 and 4 <= len(families()) - len(counted) <= 6
    assert {f.dimension for f in counted} == set(Dimension)
    assert {"grounding", "dependency", "reference", "revision", "recovery"} <= {
        c for f in counted for c in f.capabilities
    }
    unseen_dimensions = {f.dimension for f in families().values() if f.unseen}
    assert unseen_dimensions == set(Dimension)
