"""How much of what a policy can do on one backend it can still do on another: the same tasks and seeds on both.

    retention = success rate on B / success rate on A, over the same episodes

One number hides offsetting gaps, so it is given per bucket (dimension, checker) beside the paired difference, and with
the episodes lost and gained. An episode that either backend could not serve is left out of both and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean

from qpa.bench.scoring import Rate, rate_of
from qpa.bench.stats import paired_difference, paired_ratio
from qpa.contract import BehaviorCriteria, Record, StateCriteria, TaskSpec, Trajectory

ALL = "all"
_ROLLOUT = "rollout"  # the runner's key in the provenance notes

Episodes = Mapping[tuple[str, int], Trajectory]  # (task id, rollout) -> finished episode


class Retained(Record):
    """One bucket. Rates are over episodes, intervals of the difference and of the retention over tasks."""

    bucket: str
    tasks: int
    episodes: int  # served by both backends
    left_out: int  # not served by one of them
    a: Rate
    b: Rate
    difference: tuple[float, float, float]  # b - a: mean, low, high
    retention: tuple[float, float, float] | None  # b / a: estimate, low, high; None where A never succeeds
    lost: int  # succeeded on A only
    gained: int  # succeeded on B only


def episode_key(trajectory: Trajectory) -> tuple[str, int]:
    """Task id and rollout number."""
    return trajectory.task.id, int(trajectory.provenance.notes.get(_ROLLOUT, "0"))


def by_episode(trajectories: Iterable[Trajectory]) -> dict[tuple[str, int], Trajectory]:
    """Episodes by task id and rollout number. Raises ValueError for one that occurs twice."""
    found: dict[tuple[str, int], Trajectory] = {}
    for trajectory in trajectories:
        key = episode_key(trajectory)
        if key in found:
            raise ValueError(f"retention: episode {key[1]} of task {key[0]!r} occurs twice")
        found[key] = trajectory
    return found


def retention(a: Episodes, b: Episodes) -> list[Retained]:
    """Every bucket with an episode that both backends served, the whole first.

    Raises ValueError unless both hold the same episodes with the same seeds.
    """
    _check(a, b)
    buckets: dict[str, list[tuple[str, int]]] = {}
    for key in sorted(a):
        for bucket in (ALL, *buckets_of(a[key].task)):
            buckets.setdefault(bucket, []).append(key)
    rows = [_row(bucket, keys, a, b) for bucket, keys in sorted(buckets.items(), key=lambda item: item[0] != ALL)]
    return [row for row in rows if row is not None]


def buckets_of(task: TaskSpec) -> tuple[str, str]:
    """The task's dimension, and what judges it."""
    criteria = task.criteria
    checker = (
        "state"
        if isinstance(criteria, StateCriteria)
        else "behavior"
        if isinstance(criteria, BehaviorCriteria)
        else "tool"
    )
    return f"dimension {task.dimension.value}", f"checker {checker}"


def _row(bucket: str, keys: list[tuple[str, int]], a: Episodes, b: Episodes) -> Retained | None:
    both = [key for key in keys if _served(a[key]) and _served(b[key])]
    if not both:
        return None
    by_task: dict[str, list[tuple[bool, bool]]] = {}
    for key in both:
        by_task.setdefault(key[0], []).append((_success(a[key]), _success(b[key])))
    means_a = [fmean(x for x, _ in pairs) for pairs in by_task.values()]
    means_b = [fmean(y for _, y in pairs) for pairs in by_task.values()]
    pairs = [pair for own in by_task.values() for pair in own]
    return Retained(
        bucket=bucket,
        tasks=len(by_task),
        episodes=len(both),
        left_out=len(keys) - len(both),
        a=rate_of([x for x, _ in pairs]),
        b=rate_of([y for _, y in pairs]),
        difference=paired_difference(means_b, means_a),
        retention=paired_ratio(means_b, means_a),
        lost=sum(x > y for x, y in pairs),
        gained=sum(y > x for x, y in pairs),
    )


def _served(trajectory: Trajectory) -> bool:
    return trajectory.valid and trajectory.verdict is not None


def _success(trajectory: Trajectory) -> bool:
    return trajectory.verdict is not None and trajectory.verdict.success


def _check(a: Episodes, b: Episodes) -> None:
    if odd := sorted(set(a) ^ set(b)):
        raise ValueError(f"retention: {len(odd)} episodes are of one backend only, e.g. {odd[0]}")
    for key in a:
        if a[key].provenance.seed != b[key].provenance.seed:
            raise ValueError(f"retention: episode {key} has seed {a[key].provenance.seed} and {b[key].provenance.seed}")
        if a[key].task.goal != b[key].task.goal:
            raise ValueError(f"retention: task {key[0]!r} differs between the backends")
