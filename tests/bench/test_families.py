"""Every family: its expert passes, and wrong trajectories of at least four kinds fail."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from qpa.bench.checkers import BenchVerifier
from qpa.bench.replay import run_actions, run_now
from qpa.bench.suites import families, make_env, make_task, oracle
from qpa.contract import (
    Action,
    BehaviorCriteria,
    CallTools,
    Dimension,
    Effect,
    Intent,
    Reply,
    Split,
    TaskSpec,
    ToolCall,
    Verdict,
)
from qpa.envs.sandbox import catalog
from qpa.envs.skills import BUILTIN_DIR, load_skills

ENV = make_env(BenchVerifier())
SPECS = {spec.name: spec for spec in catalog()}
NAMES = sorted(families())
EXTRAS = [  # unrelated writes; a mutant uses the first that it can call, or it would prove nothing
    ToolCall(id="extra", name="manage_todo", arguments={"action": "create", "content": "zzz extra"}),
    ToolCall(id="extra", name="set_alarm_volume", arguments={"level": 3}),
    ToolCall(id="extra", name="add_contact", arguments={"name": "Zzz", "phoneNumber": "5550000"}),
]
SKILL_TOOLS = {skill.name: skill.tools for skill in load_skills(BUILTIN_DIR)}


def callable_tools(task: TaskSpec) -> set[str]:
    """Visible tools and those that the required skills load."""
    return set(task.resources.tools).union(*(SKILL_TOOLS[s] for s in task.required_skills))


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


def writes(call: ToolCall) -> bool:
    if call.name.startswith("skill__") or SPECS[call.name].effect is Effect.READ:
        return False
    return not str(call.arguments.get("action", "")).startswith("query")


def wrong_value(name: str, key: str, value: Any) -> Any:
    """Another valid-looking value of the same type."""
    schema = SPECS[name].parameters["properties"][key]
    if "enum" in schema:
        return next(v for v in schema["enum"] if v != value and v != "query")
    if isinstance(value, int):
        return value + 1
    if key in ("time", "datetime", "date", "due"):
        return "2025-04-02 03:33"
    return "Zzz other"


def replaced(actions: list[Action], index: int, position: int, call: ToolCall) -> list[Action]:
    block = actions[index]
    assert isinstance(block, CallTools)
    calls = [*block.calls[:position], call, *block.calls[position + 1 :]]
    return [*actions[:index], CallTools(calls=calls), *actions[index + 1 :]]


def value_mutants(actions: list[Action]) -> Iterator[tuple[str, list[Action]]]:
    """Each argument of each writing call of the last block, wrong one at a time."""
    index = max((i for i, a in enumerate(actions) if isinstance(a, CallTools)), default=-1)
    if index < 0:
        return
    block = actions[index]
    assert isinstance(block, CallTools)
    for position, call in enumerate(block.calls):
        if not writes(call):
            continue
        for key, value in call.arguments.items():
            changed = {**call.arguments, key: wrong_value(call.name, key, value)}
            yield (
                f"value:{key}",
                replaced(actions, index, position, ToolCall(id=call.id, name=call.name, arguments=changed)),
            )
        other = "set_time_format" if call.name != "set_time_format" else "set_alarm_volume"
        arguments = {"format": "12h"} if other == "set_time_format" else {"level": 3}
        yield "tool", replaced(actions, index, position, ToolCall(id=call.id, name=other, arguments=arguments))


def mutants(task: TaskSpec, actions: list[Action]) -> Iterator[tuple[str, list[Action]]]:
    reply = actions[-1]
    assert isinstance(reply, Reply)
    yield "claim", [Reply(text="Done.")]
    yield "ask", [Reply(text="What exactly do you want?", intent=Intent.ASK)]
    if reply.intent is not Intent.REFUSE:
        yield "refuse", [Reply(text="I can't do that.", intent=Intent.REFUSE)]
    yield "silent", actions[:-1]
    yield "question_at_the_end", [*actions[:-1], Reply(text="Shall I go on?", intent=Intent.ASK)]
    extra = next((c for c in EXTRAS if c.name in callable_tools(task)), None)
    if extra is not None:
        yield "extra_write", [*actions[:-1], CallTools(calls=[extra]), reply]
    blocks = [i for i, a in enumerate(actions) if isinstance(a, CallTools)]
    if blocks:
        yield "missing_last", [a for i, a in enumerate(actions) if i != blocks[-1]]
    loaders = ("skill__", "search_user_memory")
    gated = [i for i in blocks if any(c.name.startswith(loaders) for c in actions[i].calls)]  # type: ignore[union-attr]
    if gated and (task.required_memories or task.required_skills):
        yield "no_gate", [a for i, a in enumerate(actions) if i not in gated]
    yield from value_mutants(actions)


@pytest.mark.parametrize("name", NAMES)
def test_wrong_trajectories_fail(name: str) -> None:
    for seed in range(3):
        task = make_task(name, seed, split_of(name, seed))
        if task.resources.tools:  # the extra write and the wrong tool must be callable, or they would prove nothing
            more = ["manage_todo", "set_time_format", "set_alarm_volume"]
            task.resources.tools = list(dict.fromkeys([*task.resources.tools, *more]))
        kinds = set()
        for kind, actions in mutants(task, oracle(task)):
            if kind == "extra_write" and not task.resources.tools and "alarms-timers" not in task.required_skills:
                continue  # only loaders are visible and none of the loaded ones brings a to-do list
            verdict = verdict_of(task, actions)
            assert not verdict.success, f"seed {seed}: {kind} passed: {msgspec.json.encode(actions).decode()}"
            if kind in ("claim", "ask") and not isinstance(task.criteria, BehaviorCriteria):
                assert verdict.progress == 0
            kinds.add(kind)
        assert len(kinds) >= 4


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
