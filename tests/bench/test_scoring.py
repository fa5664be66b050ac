"""Denominators never move, failures of the infrastructure are visible, and the weights are Eq. 12's."""

from __future__ import annotations

import json

import pytest

from qpa.bench.scoring import WEIGHTS, load_score, save_score, score
from qpa.contract import (
    ContractError,
    Cost,
    Dimension,
    Split,
    StopReason,
    TaskSpec,
    ToolCriteria,
    Trajectory,
    Verdict,
)


def task(name: str, dimension: Dimension = Dimension.TOOL) -> TaskSpec:
    return TaskSpec(
        id=name,
        goal=name,
        criteria=ToolCriteria(steps=[]),
        dimension=dimension,
        domain="d",
        family="f_" + dimension,
        split=Split.DEV,
    )


def answer(
    of: TaskSpec, ok: bool = True, stop: StopReason = StopReason.FINISHED, tokens: int = 10, calls: int = 2
) -> Trajectory:
    verdict = Verdict(success=ok, progress=float(ok))
    return Trajectory(task=of, steps=[], stop=stop, verdict=verdict, cost=Cost(output_tokens=tokens, tool_calls=calls))


def test_missing_and_invalid_count_as_failures() -> None:
    tasks = [task(f"t{i}") for i in range(5)]
    invalid = answer(tasks[2])
    invalid.valid = False
    unverified = answer(tasks[3])
    unverified.verdict = None
    got = score(tasks, [answer(tasks[0]), answer(tasks[1], ok=False), invalid, unverified])
    assert (got.success.successes, got.success.total, got.success.rate) == (1, 5, 0.2)
    assert (got.missing, got.invalid, got.infrastructure) == (1, 2, 0)
    assert got.outcomes == {"t0": True, "t1": False, "t2": False, "t3": False, "t4": False}


def test_environment_failure_is_counted_apart_and_never_a_success() -> None:
    tasks = [task("a"), task("b")]
    got = score(tasks, [answer(tasks[0], stop=StopReason.ENV_FAILURE), answer(tasks[1])])
    assert (got.infrastructure, got.invalid, got.success.infrastructure) == (1, 0, 1)
    assert got.success.successes == 1 and got.success.total == 2
    assert got.stops == {"env_failure": 1, "finished": 1}


def test_an_answer_to_an_edited_task_is_invalid() -> None:
    original, edited = task("a"), task("a")
    edited.goal = "something easier"
    assert score([original], [answer(edited)]).invalid == 1
    assert score([original], [answer(edited)]).success.successes == 0
    relaxed = task("a")
    relaxed.limits.turns = 3  # the harness may set limits
    assert score([original], [answer(relaxed)]).success.successes == 1


def test_drifting_denominators_are_errors() -> None:
    a = task("a")
    with pytest.raises(ValueError, match="duplicate trajectory"):
        score([a], [answer(a), answer(a)])
    with pytest.raises(ValueError, match="duplicate task"):
        score([a, task("a")], [])
    with pytest.raises(ValueError, match="no task in the suite"):
        score([a], [answer(task("b"))])


def test_overall_needs_all_four_dimensions() -> None:
    tasks = [task(f"{d}{i}", d) for d in Dimension for i in range(2)]
    rates = {Dimension.TOOL: 2, Dimension.SUBAGENT: 1, Dimension.MEMORY: 0, Dimension.SKILL: 1}
    runs = [answer(t, ok=int(t.id[-1]) < rates[t.dimension]) for t in tasks]
    got = score(tasks, runs)
    assert sum(WEIGHTS.values()) == 1
    assert got.overall == pytest.approx(0.5 * 1 + 0.1 * 0.5 + 0.2 * 0 + 0.2 * 0.5)
    assert got.by_dimension["memory"].rate == 0 and got.by_family["f_tool"].total == 2
    assert got.by_split["dev"].total == 8
    partial = [t for t in tasks if t.dimension is not Dimension.SKILL]
    assert score(partial, [r for r in runs if r.task.dimension is not Dimension.SKILL]).overall is None


def test_dimensions_pool_tasks_of_unequal_families() -> None:
    tasks = [task("a"), task("b"), task("c")]
    tasks[2].family = "small"
    got = score(tasks, [answer(tasks[0], ok=False), answer(tasks[1], ok=False), answer(tasks[2])])
    assert got.by_dimension["tool"].rate == pytest.approx(1 / 3)  # micro average, not the mean of families


def test_costs_per_success_and_in_dollars() -> None:
    tasks = [task("a"), task("b")]
    got = score(tasks, [answer(tasks[0], tokens=30, calls=3), answer(tasks[1], ok=False, tokens=90, calls=1)],
                price_per_million_tokens=25.0)  # fmt: skip
    assert (got.output_tokens, got.tool_calls) == (60, 2)
    assert (got.output_tokens_per_success, got.tool_calls_per_success) == (120, 4)
    assert got.cost_per_1000_tasks == pytest.approx(1.5)  # 60 tokens x 1000 tasks x 25 $ / 1e6
    runs = [answer(tasks[0], tokens=30), answer(tasks[1], tokens=90)]
    runs[1].cost.thinking_tokens = 40
    thought = score(tasks, runs, price_per_million_tokens=25.0)
    assert (thought.output_tokens, thought.thinking_tokens) == (60, 20)
    assert thought.cost_per_1000_tasks == pytest.approx(1.5)
    assert thought.cost_per_1000_tasks_without_thinking == pytest.approx(1.0)
    nothing = score(tasks, [])
    assert nothing.output_tokens_per_success is None and nothing.cost_per_1000_tasks is None
    assert nothing.success.rate == 0 and nothing.missing == 2


def test_json_round_trip_is_strict() -> None:
    got = score([task("a")], [answer(task("a"))])
    assert load_score(save_score(got)) == got
    old = json.loads(save_score(got))
    del old["thinking_tokens"], old["cost_per_1000_tasks_without_thinking"]
    assert load_score(json.dumps(old)) == got  # written before thinking was counted apart
    with pytest.raises(ContractError, match="SuiteScore"):
        load_score(b'{"overall": 1}')
