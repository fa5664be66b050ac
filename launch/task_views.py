"""What `launch.tasks` prints. JAX-free: it runs where only the host side is installed."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence

import msgspec
from rich.console import Console
from rich.table import Table

from launch.cli import UsageError, nearest
from qpa.bench import load_suite, oracle, train_tasks
from qpa.bench.mobile import CANDIDATES, mobile_train_tasks
from qpa.bench.rehearsal import parse_id
from qpa.bench.suites import families, remake
from qpa.chat.wire import wire_tools
from qpa.contract import CallTools, Split, TaskSpec, to_json
from qpa.envs.sandbox import catalog
from qpa.harness.files import write_atomic

_TRAIN_SHOWN = 100  # tasks of the train split, which has no end


def select(suite: str, split: str, family: str | None, limit: int | None, candidates: int, seed: int) -> list[TaskSpec]:
    """The wanted tasks. Raises `UsageError` for an unknown family, or one that the split does not have."""
    if family is not None:
        _check_family(suite, family)
    if split == Split.TRAIN:
        weights = None if family is None else {family: 1.0}
        if suite == "core":
            return train_tasks(seed, limit or _TRAIN_SHOWN, weights, candidates)
        return mobile_train_tasks(seed, limit or _TRAIN_SHOWN, weights)
    found = (t for t in load_suite(suite, split) if family in (None, t.family))
    tasks = list(itertools.islice(found, limit))
    if not tasks:
        raise UsageError(f"family {family!r} has no tasks in split {split}")
    return [remake(t.id, candidates) for t in tasks] if suite == "core" else tasks


def list_families(suite: str, only: str | None) -> int:
    """A table of the families."""
    if only is not None:
        _check_family(suite, only)
    table = Table("family", "dimension", "domain", "in training", "capabilities")
    members = [f for f in families(suite).values() if only in (None, f.name)]
    for family in members:
        seen = f"no: unseen {family.unseen}" if family.unseen else "yes"
        table.add_row(family.name, family.dimension.value, family.domain, seen, ", ".join(family.capabilities))
    console = Console()
    console.print(table)
    console.print(f"{len(members)} families")
    return 0


def describe(suite: str) -> int:
    """What the suite is made of: its test by dimension, split, domain, category and language; the catalogue."""
    tests = load_suite(suite, "test") if suite != "core" else _core_tests()
    specs = catalog()
    console = Console()
    rows: dict[str, Counter[str]] = {
        "dimension": Counter(t.dimension.value for t in tests),
        "split": Counter(t.split.value for t in tests),
        "checker": Counter(str(type(t.criteria).__struct_config__.tag) for t in tests),
        "language": Counter("Chinese" if ".zh" in t.id else "English" for t in tests),
        "domain": Counter(t.domain for t in tests),
        "capability": Counter(c for t in tests for c in t.capabilities),
    }
    for title, counts in rows.items():
        table = Table(title, "test tasks")
        for name, count in counts.most_common():
            table.add_row(name, f"{count:,}")
        console.print(table)
    domains = Counter(s.domain for s in specs)
    console.print(
        f"{len(tests):,} test tasks of {len(families(suite))} families; {len(specs)} tools in {len(domains)} domains"
    )
    return 0


def _core_tests() -> list[TaskSpec]:
    return [t for split in (Split.TEST_UNSEEN_INSTANCE, Split.TEST_UNSEEN_FAMILY) for t in load_suite("core", split)]


def sample(tasks: Sequence[TaskSpec], count: int, seed: int) -> int:
    """Random tasks as a person reads them: dialogue, request, what the expert does, what is checked."""
    for task in random.Random(seed).sample(list(tasks), min(count, len(tasks))):
        print(f"\n## {task.id}")
        for message in task.history:
            calls = "; ".join(f"{c.name} {c.arguments}" for c in message.calls)
            print(f"   {message.role.value}: {message.content}{calls}")
        print(f"   user: {task.goal}")
        for line in _course(task):
            print(f"     -> {line}")
    return 0


def list_tasks(tasks: Sequence[TaskSpec]) -> int:
    """One line per task."""
    for task in tasks:
        print(f"{task.id}  [{task.dimension.value}]  {task.goal}")
    return 0


def show(task_id: str, candidates: int) -> int:
    """One task as JSON, then what the oracle does."""
    task = checked_task(task_id, candidates)
    print(msgspec.json.format(to_json(task), indent=2).decode())
    print("\noracle:")
    for line in _course(task):
        print(f"  {line}")
    return 0


def checked_task(task_id: str, candidates: int) -> TaskSpec:
    """The task with this id, needed tools visible. Raises `UsageError` for an id or a family that does not exist."""
    try:
        instance = parse_id(task_id)
    except ValueError:
        raise UsageError(
            f"{task_id}: a task id looks like alarm_create-dev-000000 or alarm_create.zh-dev-000001"
        ) from None
    _check_family("mobile" if instance.language else "core", instance.family)
    return remake(task_id, CANDIDATES if instance.language else candidates)


def _course(task: TaskSpec) -> list[str]:
    """The expert's actions, one line each."""
    return [
        "; ".join(f"{c.name} {c.arguments}" for c in a.calls)
        if isinstance(a, CallTools)
        else f"{a.intent.value}: {a.text}"
        for a in oracle(task)
    ]


def export(tasks: Sequence[TaskSpec], path: str) -> int:
    """Writes the tasks as JSON lines and the catalogue in the OpenAI tool format, each whole or not at all."""
    write_atomic(path, b"".join(to_json(task) + b"\n" for task in tasks))
    tools = f"{path}.tools.json"
    write_atomic(tools, msgspec.json.format(msgspec.json.encode(wire_tools(catalog())), indent=2))
    print(f"{len(tasks)} tasks written to {path}, {len(catalog())} tools to {tools}")
    return 0


def _check_family(suite: str, name: str) -> None:
    if name not in families(suite):
        near = nearest(name, list(families(suite)))
        raise UsageError(f"unknown task family {name!r}" + (f": did you mean {near}?" if near else ""))
