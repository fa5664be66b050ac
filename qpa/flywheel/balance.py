"""Feedback-driven refinement (method A5.4): competence per family, bounded new weights, targeted repair sets.

Only scores and diagnosed failure classes come in; no held-out task or trajectory goes out.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from qpa.bench.stats import wilson
from qpa.contract import INFRASTRUCTURE_STOPS, StopReason, ToolSpec, Trajectory
from qpa.flywheel.records import HistoryEntry, Plan, Repair, RepairClass, normalised
from qpa.harness.diagnose import Side, diagnose

CONFIDENCE = 0.8  # of the interval that has to clear a threshold; held-out sets are small
MASTERED_ABOVE = 0.75  # lower bound of the success rate
FAILING_BELOW = 0.35  # upper bound of the success rate
UNSTABLE_FACTOR = 2.0  # relative to a family of unknown competence
FAILING_FACTOR = 1.5  # less than unstable: its new tasks come as repair sets
MAX_SHARE = 4.0  # a family's weight never grows beyond this multiple of the uniform share


# Model-side classes of the diagnosis (A8.5) to repair classes (A5.4). Parts left undone are lost state, unless the
# policy also declared itself finished.
_REPAIR_OF = {
    "route_selection": RepairClass.TOOL_ROUTING,
    "argument_grounding": RepairClass.ARGUMENT_GROUNDING,
    "state_tracking": RepairClass.STATE_TRACKING,
    "task_decomposition": RepairClass.STATE_TRACKING,
    "error_recovery": RepairClass.RECOVERY,
    "task_closure": RepairClass.PREMATURE_TERMINATION,
}


class Status(enum.StrEnum):
    MASTERED = "mastered"
    UNSTABLE = "unstable"
    FAILING = "failing"
    UNKNOWN = "unknown"  # no trial yet


@dataclass(frozen=True)
class Tally:
    """Successes out of trials of one family."""

    successes: int = 0
    trials: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.successes <= self.trials:
            raise ValueError(f"tally: {self.successes} successes of {self.trials} trials")


@dataclass(frozen=True)
class Competence:
    """Estimated success rate of a family with its interval."""

    rate: float
    low: float
    high: float
    trials: int
    status: Status


def tally(trajectories: Iterable[Trajectory]) -> dict[str, Tally]:
    """Successes and trials per family; invalid records, infrastructure stops and unverified ones do not count."""
    trials: Counter[str] = Counter()
    successes: Counter[str] = Counter()
    for t in trajectories:
        if t.valid and t.verdict is not None and t.stop not in INFRASTRUCTURE_STOPS:
            trials[t.task.family] += 1
            successes[t.task.family] += t.verdict.success
    return {family: Tally(successes[family], n) for family, n in sorted(trials.items())}


def failure_counts(
    trajectories: Iterable[Trajectory], catalog: Sequence[ToolSpec] = ()
) -> dict[RepairClass, dict[str, int]]:
    """Diagnosed failures of the model's side as repair class -> family -> episodes.

    Failures of the harness's side are not repaired with data and are left out.
    """
    counts: dict[RepairClass, Counter[str]] = {}
    for trajectory in trajectories:
        found = diagnose(trajectory, trajectory.task, catalog)
        if found.side is Side.MODEL:
            kind = _REPAIR_OF[found.cls]
            if found.cls == "task_decomposition" and trajectory.stop is StopReason.FINISHED:
                kind = RepairClass.PREMATURE_TERMINATION
            counts.setdefault(kind, Counter())[trajectory.task.family] += 1
    return {kind: dict(sorted(families.items())) for kind, families in sorted(counts.items())}


def competence(
    dev: Mapping[str, Tally], rl: Mapping[str, Tally] | None = None, *, confidence: float = CONFIDENCE
) -> dict[str, Competence]:
    """Success rate per family with its Wilson interval, and what that makes of the family.

    Held-out results are the primary signal: on-policy RL counts are scaled down to at most as many trials as the
    family's held-out ones, and stand alone only where there are none.
    """
    rl = rl or {}
    found = {}
    for family in sorted({*dev, *rl}):
        held_out, on_policy = dev.get(family, Tally()), rl.get(family, Tally())
        extra = on_policy
        if 0 < held_out.trials < on_policy.trials:
            share = held_out.trials / on_policy.trials
            extra = Tally(round(on_policy.successes * share), held_out.trials)
        successes, trials = held_out.successes + extra.successes, held_out.trials + extra.trials
        low, high = wilson(successes, trials, confidence)
        rate = successes / trials if trials else 0.0
        found[family] = Competence(rate, low, high, trials, _status(low, high, trials))
    return found


def _status(low: float, high: float, trials: int) -> Status:
    if trials == 0:
        return Status.UNKNOWN
    if low >= MASTERED_ABOVE:
        return Status.MASTERED
    return Status.FAILING if high <= FAILING_BELOW else Status.UNSTABLE


def new_weights(
    weights: Mapping[str, float], found: Mapping[str, Competence], preserve_fraction: float
) -> dict[str, float]:
    """Revised sampling weights, summing to 1; every change is multiplicative and bounded.

    A mastered family keeps `preserve_fraction` of its weight, but never falls below that fraction of the uniform share
    (the preservation set survives any number of rounds). Unstable and failing families grow, up to `MAX_SHARE` uniform
    shares. The ratio of two families' changes is at most `UNSTABLE_FACTOR / preserve_fraction`. A family with weight 0
    stays off. Raises `FlywheelError` on bad weights and ValueError unless 0 < preserve_fraction <= 1.
    """
    if not 0 < preserve_fraction <= 1:
        raise ValueError(f"preserve_fraction is {preserve_fraction}: use a number in (0, 1]")
    old = normalised(dict(weights))
    uniform = 1 / sum(w > 0 for w in old.values())
    floor, ceiling = preserve_fraction * uniform, MAX_SHARE * uniform
    factors = {
        Status.MASTERED: preserve_fraction,
        Status.UNSTABLE: UNSTABLE_FACTOR,
        Status.FAILING: FAILING_FACTOR,
        Status.UNKNOWN: 1.0,
    }
    revised = {}
    for family, weight in old.items():
        status = found[family].status if family in found else Status.UNKNOWN
        changed = weight * factors[status]
        # A bound only stops a change; it never moves a weight against its own direction.
        low, high = min(weight, floor), max(weight, ceiling)
        revised[family] = min(max(changed, low), high)
    return normalised(revised)


def update_plan(
    plan: Plan,
    found: Mapping[str, Competence],
    failures: Mapping[RepairClass, Mapping[str, int]],
    *,
    preserve_fraction: float,
    repair_count: int,
) -> tuple[Plan, list[HistoryEntry]]:
    """The next round's plan and the history linking each gap to its data update.

    `failures` comes from `failure_counts`; `repair_count` fresh tasks are shared out over its classes in proportion.
    """
    weights = new_weights(plan.weights, found, preserve_fraction)
    groups = _groups(plan, found)
    repairs = _repairs(failures, weights, repair_count)
    updated = Plan(count=plan.count, weights=weights, repairs=repairs, preserve=groups[Status.MASTERED])
    history = [
        HistoryEntry(gap=gap, update=update, families=groups[status], evidence=_evidence(groups[status], found))
        for status, gap, update in (
            (Status.MASTERED, "reliably mastered", f"down-sampled to {preserve_fraction:g}, preservation set kept"),
            (Status.UNSTABLE, "inconsistently completed", f"up-weighted by up to {UNSTABLE_FACTOR:g} as stabilisation"),
            (Status.FAILING, "mostly failing", f"up-weighted by up to {FAILING_FACTOR:g}"),
        )
        if groups[status]
    ]
    for repair in repairs:
        total = sum(failures[repair.kind].values())
        history.append(
            HistoryEntry(
                gap=f"{repair.kind} failures",
                update=f"repair set of {repair.count} new tasks",
                families=repair.families,
                evidence=f"{total} diagnosed episodes",
            )
        )
    return updated, history


def _groups(plan: Plan, found: Mapping[str, Competence]) -> dict[Status, list[str]]:
    groups: dict[Status, list[str]] = {status: [] for status in Status}
    for family in sorted(plan.weights):
        if plan.weights[family] > 0:
            groups[found[family].status if family in found else Status.UNKNOWN].append(family)
    return groups


def _repairs(
    failures: Mapping[RepairClass, Mapping[str, int]], weights: Mapping[str, float], repair_count: int
) -> list[Repair]:
    """Classes share the count in proportion to their failures; families without a weight cannot be repaired."""
    counts: dict[RepairClass, dict[str, int]] = {}
    for kind in RepairClass:
        families = {f: n for f, n in failures.get(kind, {}).items() if n > 0 and weights.get(f, 0.0) > 0}
        if families:
            counts[kind] = families
    total = sum(sum(families.values()) for families in counts.values())
    repairs = []
    for kind, families in counts.items():
        share = round(repair_count * sum(families.values()) / total)
        if share:
            repairs.append(Repair(kind=kind, families=sorted(families), count=share))
    return repairs


def _evidence(families: Iterable[str], found: Mapping[str, Competence]) -> str:
    parts = [f"{f} {found[f].rate:.0%} of {found[f].trials}" for f in families]
    return ", ".join(parts)
