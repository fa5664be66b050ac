"""Checks of tasks that `launch.tasks` runs: the oracle, the verifier's audit, the retriever's recall. JAX-free."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from rich.table import Table

from launch.console import make_console, progress_to
from qpa.bench import BenchVerifier, make_env, oracle
from qpa.bench.stats import wilson
from qpa.contract import TaskSpec
from qpa.harness import ScriptedModel, run_tasks, tiny_eta

_SHOWN = 20  # exceptions printed


def verify(tasks: Sequence[TaskSpec]) -> int:
    """Runs the oracle through the runtime loop; 1 if a task is not solved by its own expert."""
    played = asyncio.run(
        run_tasks(ScriptedModel(oracle), make_env(BenchVerifier()), tasks, eta=tiny_eta(), temperature=0.0)
    )
    failed = [t for t in played if t.verdict is None or not t.verdict.success]
    for t in failed[:_SHOWN]:
        checks = [f"{c.name} {c.detail}".strip() for c in (t.verdict.checks if t.verdict else []) if not c.passed]
        print(f"FAILED {t.task.id}: {t.stop.value}; {'; '.join(checks)}")
    print(f"the oracle solves {len(played) - len(failed)} of {len(played)} tasks")
    return 1 if failed else 0


def audit_tasks(tasks: Sequence[TaskSpec]) -> int:
    """Plays experts, their variations and mutants; 1 if the verifier was wrong about one of them."""
    from qpa.bench.audit import Auditor

    auditor = Auditor()
    with progress_to(make_console(stderr=True), "audit", len(tasks)) as advance:
        for task in tasks:
            auditor.check(task)
            advance()
    found = auditor.found
    for title, counts in (("must fail", found.wrong_tried), ("must pass", found.right_tried)):
        table = Table(title, "tried")
        for kind, count in counts.most_common():
            table.add_row(kind, f"{count:,}")
        make_console().print(table)
    for line in (*found.false_accepts[:_SHOWN], *found.false_rejects[:_SHOWN], *found.progress_drops[:_SHOWN]):
        print(line)
    print(
        f"{found.tasks} tasks, at least {found.fewest_wrong} wrong courses each: "
        f"{len(found.false_accepts)} false accepts of {found.wrong_tried.total():,}, "
        f"{len(found.false_rejects)} false rejects of {found.right_tried.total():,}, "
        f"progress falls along {len(found.progress_drops)} experts' paths"
    )
    return 0 if found.clean else 1


def recall(tasks: Sequence[TaskSpec]) -> int:
    """Prints how often all needed tools are among the recalled ones, by language and domain."""
    from qpa.bench.mobile import CANDIDATES, recall_rates

    table = Table(f"all needed tools in the first {CANDIDATES}", "% [95 % Wilson interval]", "tasks")
    for name, (hits, total) in recall_rates(tasks).items():
        low, high = wilson(hits, total)
        table.add_row(name, f"{100 * hits / total:.1f} \\[{100 * low:.1f}-{100 * high:.1f}]", str(total))
    make_console().print(table)
    return 0
