"""The suite "mobile": the published counts, splits that mean something, recalled tools, no leak into training."""

from __future__ import annotations

import functools
from collections import Counter

import pytest

from qpa.bench import BenchVerifier, leaks, load_suite, make_env, oracle, run_actions
from qpa.bench.mobile import (
    CANDIDATES,
    MEMORY_SIZES,
    MULTI_TURN,
    PER_FAMILY,
    SKILL_INSTANCES,
    TEST_SIZES,
    load_mobile,
    mobile_train_tasks,
    recall_rates,
    recalled_tools,
)
from qpa.bench.rehearsal import TEST_SPLITS, WORLDS, parse_id
from qpa.bench.replay import run_now
from qpa.bench.suites import families, gold_tools, make_task
from qpa.bench.unseen import UNSEEN_APP_DOMAINS, UNSEEN_APPS, UNSEEN_TOOLS
from qpa.contract import (
    Action,
    BehaviorCriteria,
    CallTools,
    Dimension,
    Split,
    StateCriteria,
    TaskSpec,
    ToolCall,
    Verdict,
    to_json,
)
from qpa.envs.sandbox import catalog

DOMAIN_OF = {spec.name: spec.domain for spec in catalog()}
FAMILIES = families("mobile")


@functools.cache
def held_out() -> list[TaskSpec]:
    """Made in the first test that needs them: every test process imports this file."""
    return load_suite("mobile_oracle_tools", "test")


@functools.cache
def trained() -> list[TaskSpec]:
    return mobile_train_tasks(0, 1200)


def called(task: TaskSpec) -> set[str]:
    return {c.name for a in oracle(task) if isinstance(a, CallTools) for c in a.calls}


def test_the_published_numbers_of_tasks() -> None:
    by_dimension = Counter(t.dimension for t in held_out())
    assert by_dimension[Dimension.TOOL] == TEST_SIZES[Dimension.TOOL] == 1040
    assert by_dimension[Dimension.SUBAGENT] == 89
    assert by_dimension[Dimension.SKILL] == 2 * SKILL_INSTANCES == 400
    assert by_dimension[Dimension.MEMORY] == sum(MEMORY_SIZES.values()) == 376
    assert len({t.id for t in held_out()}) == len(held_out()) == 1905
    memory = [t for t in held_out() if t.dimension is Dimension.MEMORY]
    cells = Counter((MULTI_TURN in t.capabilities, isinstance(t.criteria, StateCriteria)) for t in memory)
    assert cells == MEMORY_SIZES
    assert sum(n for (turns, _), n in cells.items() if turns) == 200
    assert all(bool(t.history) == (MULTI_TURN in t.capabilities) for t in memory)


def test_families_scenarios_and_categories() -> None:
    assert len({t.family for t in held_out()}) == len(FAMILIES) >= 89
    assert {t.domain for t in held_out()} == set(DOMAIN_OF.values()) and len(set(DOMAIN_OF.values())) >= 13
    tags = Counter(c for t in held_out() if t.dimension is Dimension.TOOL for c in t.capabilities)
    assert all(tags[c] >= 50 for c in ("grounding", "dependency", "reference", "revision", "recovery")), tags
    operations = Counter(c for t in held_out() if t.dimension is Dimension.MEMORY for c in t.capabilities)
    for axis in ("single_record", "conflicting_records", "multi_record", "act", "add", "replace", "remove"):
        assert operations[axis] >= 10, axis


def test_every_tool_of_the_phone_is_needed_by_some_task() -> None:
    needed = set().union(*(called(t) for t in held_out()))
    assert set(DOMAIN_OF) - needed == set()


def test_half_is_chinese_and_skills_run_in_both_routings_on_the_same_instance() -> None:
    instances = [parse_id(t.id) for t in held_out()]
    for dimension in Dimension:
        share = [i.language == "zh" for i, t in zip(instances, held_out()) if t.dimension is dimension]
        assert 0.4 < sum(share) / len(share) < 0.6
    pairs: dict[tuple, dict[str, TaskSpec]] = {}
    for instance, task in zip(instances, held_out()):
        if task.dimension is Dimension.SKILL:
            pairs.setdefault((instance.family, instance.seed), {})[instance.routing] = task
    for pair in pairs.values():
        sor, mtsr = pair["sor"], pair["mtsr"]
        assert sor.goal == mtsr.goal and sor.criteria == mtsr.criteria and sor.initial == mtsr.initial
        assert sor.resources.tools == [] and len(mtsr.resources.tools) >= CANDIDATES
        for task in (sor, mtsr):
            assert set(task.required_skills) <= set(task.resources.skills)


def test_splits_say_what_is_unseen() -> None:
    by_split = Counter(t.split for t in held_out())
    assert set(by_split) == TEST_SPLITS and all(n >= 20 for n in by_split.values()), by_split
    for task in held_out():
        tools, words = called(task), task.goal + to_json(oracle(task)).decode()
        if task.split is Split.TEST_UNSEEN_TOOL:
            assert tools & UNSEEN_TOOLS
        elif task.split is Split.TEST_UNSEEN_APP:
            named = any(app in words for app in UNSEEN_APPS)
            assert named or any(DOMAIN_OF.get(n) in UNSEEN_APP_DOMAINS for n in tools)
        first, count = WORLDS[task.split]
        assert first <= task.initial.world_seed < first + count


def test_nothing_unseen_leaks_into_training() -> None:
    assert leaks.find_leaks(trained(), held_out()) == []
    assert not {t.family for t in trained()} & {f.name for f in FAMILIES.values() if f.unseen}
    test_worlds = {t.initial.world_seed for t in held_out()}
    for task in trained():
        shown = called(task) | set(task.resources.tools)
        assert not shown & UNSEEN_TOOLS, task.id
        assert not any(DOMAIN_OF.get(n) in UNSEEN_APP_DOMAINS for n in called(task)), task.id
        said = task.goal + "".join(m.content for m in task.history) + to_json(oracle(task)).decode()
        assert not any(app in said for app in UNSEEN_APPS), task.id
        assert task.initial.world_seed not in test_worlds


def test_tests_hold_phrasings_that_training_never_shows() -> None:
    """Per family, wording with the values cut out: some of the test's is not in as many training tasks."""
    assert leaks.shared_goals(trained(), held_out()) < 0.1


def test_dev_and_evolve_have_every_seen_family_in_both_languages() -> None:
    for split, count in PER_FAMILY.items():
        tasks = load_mobile(split, recall=False)
        assert Counter(t.family for t in tasks) == {f.name: count for f in FAMILIES.values() if not f.unseen}
        assert leaks.find_leaks(trained(), tasks) == []
        languages = Counter(parse_id(t.id).language for t in tasks)
        assert languages["en"] == languages["zh"]


def test_tools_are_recalled_or_given() -> None:
    given = {t.id: t for t in held_out()}
    recalled = load_suite("mobile", "test")[::6]
    for task in recalled:
        if not task.resources.tools:
            continue
        assert task.resources.tools == recalled_tools(task)
        assert set(gold_tools(task.id)) <= set(given[task.id].resources.tools) or task.dimension is Dimension.SKILL
        if task.dimension is not Dimension.MEMORY:
            assert len(task.resources.tools) == CANDIDATES
    rates = recall_rates(recalled)
    assert rates["all"][0] / rates["all"][1] > 0.5 and {"English", "Chinese"} < set(rates)


def test_the_robust_suite_has_faults_that_a_second_call_overcomes() -> None:
    env = make_env(BenchVerifier())
    hit = recovered = 0
    for task in load_suite("mobile_robust", "dev", limit=150):
        assert [f.tool for f in task.initial.faults][-len(gold_tools(task.id)) :] == gold_tools(task.id)
        course = oracle(task)
        if task.dimension is not Dimension.TOOL or isinstance(task.criteria, BehaviorCriteria):
            continue
        calls = [c for a in course if isinstance(a, CallTools) for c in a.calls]
        if len(calls) != 1 or run_now(run_actions(env, task, course)).verdict.success:  # type: ignore[union-attr]
            continue
        hit += 1
        again = CallTools(calls=[ToolCall(id="again", name=calls[0].name, arguments=calls[0].arguments)])
        recovered += run_now(run_actions(env, task, [course[0], again, course[-1]])).verdict.success  # type: ignore[union-attr]
    assert hit >= 5 and recovered == hit


@pytest.mark.parametrize(("suite", "size"), [("use_case_shopping", 40), ("use_case_crm", 20)])
def test_use_cases_are_long_and_solved_end_to_end(suite: str, size: int) -> None:
    tasks, env = load_suite(suite, "test"), make_env(BenchVerifier())
    assert len(tasks) == size and {"use_case"} <= set(tasks[0].capabilities)
    calls = [sum(len(a.calls) for a in oracle(t) if isinstance(a, CallTools)) for t in tasks]
    assert sum(n >= 6 for n in calls) >= size / 2
    assert all(run_now(run_actions(env, t, oracle(t))).verdict.success for t in tasks)  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="only the split test"):
        load_suite(suite, "dev")


def test_training_tasks_are_seeded_and_weighted() -> None:
    again = mobile_train_tasks(0, 1200)
    assert [t.id for t in again] == [t.id for t in trained()]
    name = trained()[0].family
    assert {t.family for t in mobile_train_tasks(1, 10, {name: 1.0})} == {name}
    with pytest.raises(ValueError, match="no seen family"):
        mobile_train_tasks(1, 10, {"nothing": 1.0})
    with pytest.raises(ValueError, match="has no end"):
        load_mobile("train")


def test_a_change_on_the_way_is_no_violation_but_must_be_undone() -> None:
    """The cart of an order: it fills and empties on the expert's way; left full, the task is not done."""
    task = make_task("memory_usual_order", 0, Split.DEV, language="en")
    assert isinstance(task.criteria, StateCriteria) and task.criteria.passing
    search, cart, order, reply = oracle(task)
    env = make_env(BenchVerifier())

    def verdict(*course: Action) -> Verdict:
        found = run_now(run_actions(env, task, list(course))).verdict
        assert found is not None
        return found

    path = [verdict(search), verdict(search, cart), verdict(search, cart, order), verdict(search, cart, order, reply)]
    assert [v.progress for v in path] == sorted(v.progress for v in path) and path[-1].success
    left = verdict(search, cart, reply)
    assert not left.success and left.progress < 1 and "not_undone" in {c.name for c in left.checks}
