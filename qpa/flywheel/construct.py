"""Task construction: a plan (families, counts, repair sets) becomes executable training tasks, with their coverage."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec

from qpa.bench import train_tasks
from qpa.contract import TaskSpec
from qpa.flywheel.records import FlywheelError, Plan, RepairClass, normalised

REPAIR_TAG = "repair:"  # a capability tag: which failure class the task was made for


def uniform_plan(count: int, families: Iterable[str]) -> Plan:
    """The first round: every seen family equally. Raises `FlywheelError` when there is none."""
    return Plan(count=count, weights=normalised(dict.fromkeys(families, 1.0)))


def construct(plan: Plan, seed: int, *, candidates: int = 4, exclude: Collection[str] = ()) -> list[TaskSpec]:
    """Distinct training tasks for a plan: `count` by weight, then the repair sets.

    Tasks of a repair set carry the capability tag "repair:<class>", which also tells collection what to show.
    `exclude` holds task ids that must not come again; a family too small for that gives fewer tasks. Raises
    `FlywheelError` for families the benchmark does not have.
    """
    taken = set(exclude)
    tasks = _draw(plan.weights, plan.count, f"{seed}:plan", candidates, taken)
    for repair in plan.repairs:
        shares = dict.fromkeys(repair.families, 1.0)
        for task in _draw(shares, repair.count, f"{seed}:{repair.kind}", candidates, taken):
            tasks.append(msgspec.structs.replace(task, capabilities=[*task.capabilities, REPAIR_TAG + repair.kind]))
    return tasks


def _draw(shares: dict[str, float], count: int, key: str, candidates: int, taken: set[str]) -> list[TaskSpec]:
    """Draws until `count` new tasks are found, in at most a few rounds; updates `taken`."""
    found: list[TaskSpec] = []
    for attempt in range(4):
        if len(found) >= count:
            break
        seed = random.Random(f"construct:{key}:{attempt}").getrandbits(31)
        try:
            drawn = train_tasks(seed, count - len(found), shares, candidates)
        except ValueError as e:
            raise FlywheelError(f"plan: {e}") from None
        for task in drawn:
            if task.id not in taken:
                taken.add(task.id)
                found.append(task)
    return found


def repair_class(task: TaskSpec) -> RepairClass | None:
    """The failure class a task was made for, None for an ordinary task."""
    for tag in task.capabilities:
        if tag.startswith(REPAIR_TAG):
            return RepairClass(tag.removeprefix(REPAIR_TAG))
    return None


def coverage(tasks: Sequence[TaskSpec]) -> dict[str, dict[str, int]]:
    """Task counts along the scenario axes (family, domain, dimension, tool, pattern) and the capability axis."""
    axes: dict[str, Counter[str]] = {
        "family": Counter(t.family for t in tasks),
        "domain": Counter(t.domain for t in tasks),
        "dimension": Counter(str(t.dimension) for t in tasks),
        "tool": Counter(name for t in tasks for name in t.resources.tools),
        "pattern": Counter(_pattern(t) for t in tasks),
        "capability": Counter(tag for t in tasks for tag in t.capabilities),
    }
    return {axis: dict(sorted(counter.items())) for axis, counter in axes.items()}


def _pattern(task: TaskSpec) -> str:
    """The interaction pattern: what makes the episode more than a single call."""
    if task.initial.faults or task.initial.denied_permissions:
        return "runtime_error"
    if task.history:
        return "dialogue"
    return "single_call" if task.difficulty <= 1 else "multi_step"
