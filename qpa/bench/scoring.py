"""Scores of a suite: full immutable denominators, Eq. 12 weights, intervals, and what the successes cost.

A task without a usable trajectory counts as failed, so no policy gains by answering fewer tasks. Endings caused by
the infrastructure are counted apart as well, so a reader sees how far the score could still move after a rerun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from qpa.bench.rehearsal import language_of
from qpa.bench.stats import wilson
from qpa.contract import (
    INFRASTRUCTURE_STOPS,
    Dimension,
    Record,
    TaskSpec,
    Trajectory,
    from_json,
    to_json,
)

T = TypeVar("T")

WEIGHTS: dict[Dimension, float] = {
    Dimension.TOOL: 0.5,
    Dimension.SUBAGENT: 0.1,
    Dimension.MEMORY: 0.2,
    Dimension.SKILL: 0.2,
}  # Eq. 12


class Rate(Record):
    """Successes over a fixed number of tasks; `low..high` is Wilson's 95 % interval."""

    successes: int
    total: int
    rate: float
    low: float
    high: float
    infrastructure: int = 0  # tasks of `total` that ended by env/model failure or cancellation (counted as failed)


class SuiteScore(Record):
    """Everything a report needs about one policy on one suite."""

    overall: float | None  # Eq. 12 in [0, 1]; None unless all four dimensions are covered
    success: Rate
    by_dimension: dict[str, Rate]
    by_family: dict[str, Rate]
    by_split: dict[str, Rate]
    missing: int  # tasks without a trajectory
    invalid: int  # trajectories that are no usable answer to their task
    infrastructure: int  # env_failure, model_failure, cancelled
    stops: dict[str, int]  # StopReason -> trajectories
    output_tokens: float  # mean per trajectory, thinking included
    tool_calls: float  # mean per trajectory
    output_tokens_per_success: float | None  # all tokens spent / successes
    tool_calls_per_success: float | None
    cost_per_1000_tasks: float | None  # USD, from `price_per_million_tokens`; None without a price
    by_domain: dict[str, Rate] = msgspec.field(default_factory=dict)
    by_capability: dict[str, Rate] = msgspec.field(default_factory=dict)  # a task counts in each of its capabilities
    by_language: dict[str, Rate] = msgspec.field(default_factory=dict)
    outcomes: dict[str, bool] = msgspec.field(default_factory=dict)  # task id -> success, for paired comparisons
    thinking_tokens: float = 0.0  # mean per trajectory, part of `output_tokens`
    cost_per_1000_tasks_without_thinking: float | None = None  # the same price, thinking tokens left out


def score(
    tasks: Sequence[TaskSpec], trajectories: Sequence[Trajectory], *, price_per_million_tokens: float | None = None
) -> SuiteScore:
    """Scores `trajectories` against the immutable `tasks`.

    Raises ValueError for duplicated task ids, two trajectories of one task, or a trajectory of no task of the suite:
    each of these would let the denominator drift.
    """
    by_id = _index(tasks, lambda t: t.id, "task")
    answers = _index(trajectories, lambda t: t.task.id, "trajectory of task")
    if strangers := sorted(set(answers) - set(by_id)):
        raise ValueError(f"score: {len(strangers)} trajectories of no task in the suite, e.g. {strangers[0]!r}")
    broken = {i for i, t in answers.items() if t.stop in INFRASTRUCTURE_STOPS}
    invalid = {i for i, t in answers.items() if i not in broken and not _usable(by_id[i], t)}
    outcomes = {i: i in answers and i not in broken | invalid and _succeeded(answers[i]) for i in by_id}
    successes = sum(outcomes.values())
    by_dimension = _grouped(tasks, outcomes, broken, lambda t: t.dimension.value)
    tokens = sum(t.cost.output_tokens for t in trajectories)
    calls = sum(t.cost.tool_calls for t in trajectories)
    count = max(1, len(trajectories))
    thinking = sum(t.cost.thinking_tokens for t in trajectories)
    price = price_per_million_tokens
    return SuiteScore(
        overall=_overall(by_dimension),
        success=rate_of([outcomes[t.id] for t in tasks], len(broken)),
        by_dimension=by_dimension,
        by_family=_grouped(tasks, outcomes, broken, lambda t: t.family),
        by_split=_grouped(tasks, outcomes, broken, lambda t: t.split.value),
        by_domain=_grouped(tasks, outcomes, broken, lambda t: t.domain),
        by_capability=_grouped(tasks, outcomes, broken, lambda t: t.capabilities),
        by_language=_grouped(tasks, outcomes, broken, language_of),
        missing=len(by_id) - len(answers),
        invalid=len(invalid),
        infrastructure=len(broken),
        stops=dict(sorted(Counter(t.stop.value for t in trajectories).items())),
        output_tokens=tokens / count,
        tool_calls=calls / count,
        output_tokens_per_success=tokens / successes if successes else None,
        tool_calls_per_success=calls / successes if successes else None,
        cost_per_1000_tasks=None if price is None else tokens / count * price / 1000,
        outcomes=outcomes,
        thinking_tokens=thinking / count,
        cost_per_1000_tasks_without_thinking=None if price is None else (tokens - thinking) / count * price / 1000,
    )


def save_score(value: SuiteScore) -> bytes:
    """JSON bytes of a score."""
    return to_json(value)


def load_score(data: bytes | str) -> SuiteScore:
    """Reads `save_score` output; raises ContractError naming the offending path."""
    return from_json(data, SuiteScore)


def _overall(by_dimension: dict[str, Rate]) -> float | None:
    """Eq. 12; partial coverage has no overall score, or a policy could skip its weak dimension."""
    if any(d.value not in by_dimension for d in WEIGHTS):
        return None
    return sum(w * by_dimension[d.value].rate for d, w in WEIGHTS.items())


def _usable(task: TaskSpec, trajectory: Trajectory) -> bool:
    """A verified answer to this very task; the harness may have changed only limits and visible resources."""
    theirs = trajectory.task
    same = (theirs.goal, theirs.criteria, theirs.initial, theirs.required_memories, theirs.required_skills) == (
        task.goal,
        task.criteria,
        task.initial,
        task.required_memories,
        task.required_skills,
    )
    return same and trajectory.valid and trajectory.verdict is not None


def _succeeded(trajectory: Trajectory) -> bool:
    return trajectory.verdict is not None and trajectory.verdict.success


def _grouped(
    tasks: Sequence[TaskSpec], outcomes: dict[str, bool], broken: set[str], group: Callable[[TaskSpec], str | list[str]]
) -> dict[str, Rate]:
    members: dict[str, list[str]] = {}
    for task in tasks:
        names = group(task)
        for name in [names] if isinstance(names, str) else names:
            members.setdefault(name, []).append(task.id)
    return {
        name: rate_of([outcomes[i] for i in ids], sum(i in broken for i in ids))
        for name, ids in sorted(members.items())
    }


def rate_of(outcomes: Sequence[bool], infrastructure: int = 0) -> Rate:
    """The rate of these outcomes; 0 for none."""
    successes, total = sum(outcomes), len(outcomes)
    low, high = wilson(successes, total)
    return Rate(
        successes=successes,
        total=total,
        rate=successes / total if total else 0.0,
        low=low,
        high=high,
        infrastructure=infrastructure,
    )


def _index(items: Sequence[T], key: Callable[[T], str], what: str) -> dict[str, T]:
    found: dict[str, T] = {}
    for item in items:
        if key(item) in found:
            raise ValueError(f"score: duplicate {what} {key(item)!r}")
        found[key(item)] = item
    return found
