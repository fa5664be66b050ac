"""What `launch.tasks` prints. JAX-free: it runs where only the host side is installed."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from launch.cli import UsageError, nearest
from qpa.bench import BenchVerifier, load_suite, make_env, make_task, oracle, train_tasks
from qpa.bench.suites import PER_FAMILY, families
from qpa.contract import CallTools, Split, TaskSpec, to_json
from qpa.harness import ScriptedModel, run_tasks, tiny_eta
from qpa.harness.files import write_atomic

SUITE = "core"
_TRAIN_SHOWN = 100  # tasks of the train split, which has no end


def select(split: str, family: str | None, limit: int | None, candidates: int, seed: int) -> list[TaskSpec]:
    """The wanted tasks. Raises `UsageError` for an unknown family, or one that the split does not have."""
    if family is not None:
        _check_family(family)
    if split == Split.TRAIN:
        weights = None if family is None else {family: 1.0}
        return train_tasks(seed, limit or _TRAIN_SHOWN, weights, candidates)
    found = (t for t in load_suite(SUITE, split) if family in (None, t.family))
    tasks = [_remade(t, candidates) for t in itertools.islice(found, limit)]
    if not tasks:
        raise UsageError(f"family {family!r} has no tasks in split {split}")
    return tasks


def list_families(only: str | None) -> int:
    """A table of the families."""
    if only is not None:
        _check_family(only)
    table = Table("family", "dimension", "domain", "seen in training", "capabilities")
    for family in families().values():
        if only in (None, family.name):
            seen = "no" if family.unseen else "yes"
            table.add_row(family.name, family.dimension.value, family.domain, seen, ", ".join(family.capabilities))
    console = Console()
    console.print(table)
    console.print(
        f"{len(families())} families; tasks per family: " + ", ".join(f"{s.value} {n}" for s, n in PER_FAMILY.items())
    )
    return 0


def list_tasks(tasks: Sequence[TaskSpec]) -> int:
    """One line per task."""
    for task in tasks:
        print(f"{task.id}  [{task.dimension.value}]  {task.goal}")
    return 0


def show(task_id: str, candidates: int) -> int:
    """One task as JSON, then what the oracle does."""
    parts = task_id.rsplit("-", 2)
    if len(parts) != 3 or not parts[2].isdigit():
        raise UsageError(f"--show={task_id}: a task id looks like alarm_create-dev-000000")
    _check_family(parts[0])
    task = make_task(parts[0], int(parts[2]), parts[1], candidates)
    print(msgspec.json.format(to_json(task), indent=2).decode())
    print("\noracle:")
    for action in oracle(task):
        calls = (
            [f"{c.name} {c.arguments}" for c in action.calls]
            if isinstance(action, CallTools)
            else [f"reply: {action.text}"]
        )
        print("  " + "; ".join(calls))
    return 0


def verify(tasks: Sequence[TaskSpec]) -> int:
    """Runs the oracle through the runtime loop; 1 if a task is not solved by its own expert."""
    played = asyncio.run(
        run_tasks(ScriptedModel(oracle), make_env(BenchVerifier()), tasks, eta=tiny_eta(), temperature=0.0)
    )
    failed = [t for t in played if t.verdict is None or not t.verdict.success]
    for t in failed:
        checks = [f"{c.name} {c.detail}".strip() for c in (t.verdict.checks if t.verdict else []) if not c.passed]
        print(f"FAILED {t.task.id}: {t.stop.value}; {'; '.join(checks)}")
    print(f"the oracle solves {len(played) - len(failed)} of {len(played)} tasks")
    return 1 if failed else 0


def export(tasks: Sequence[TaskSpec], path: str) -> int:
    """Writes JSON lines, whole or not at all."""
    write_atomic(path, b"".join(to_json(task) + b"\n" for task in tasks))
    print(f"{len(tasks)} tasks written to {path}")
    return 0


def _remade(task: TaskSpec, candidates: int) -> TaskSpec:
    return make_task(task.family, int(task.id.rpartition("-")[2]), task.split, candidates)


def _check_family(name: str) -> None:
    if name not in families():
        near = nearest(name, list(families()))
        raise UsageError(f"unknown task family {name!r}" + (f": did you mean {near}?" if near else ""))
