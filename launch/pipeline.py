"""Runs stages in order, skips those that are done, and keeps what each one left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from launch.budget import Budget, peak_mib
from launch.rundir import RunDir, StageRecord


@dataclass
class Outcome:
    """What a stage returns: JSON results, lines for `metrics.jsonl`, and one line for people."""

    results: dict[str, Any]
    metrics: list[dict[str, Any]] = field(default_factory=list)
    say: str = ""


@dataclass(frozen=True)
class Stage:
    """One step of a run. `work` must be repeatable: killed at any moment, it goes on or starts over by itself."""

    name: str
    title: str
    work: Callable[[], Outcome]
    after: Callable[[], None] | None = None  # e.g. shows a table; not called for a stage that was done before


def run_stages(run: RunDir, stages: Sequence[Stage], budget: Budget, console: Console) -> None:
    """Runs what is not done yet. A stage counts as done once its record is on disk, and not before."""
    for number, stage in enumerate(stages, start=1):
        key, head = f"{number}-{stage.name}", f"[bold]\\[{number}/{len(stages)}][/bold] {stage.title}"
        record = run.done(key)
        if record is not None:
            console.print(f"{head}: [dim]done before[/dim]", highlight=False)
        else:
            console.print(head, highlight=False)
            record = _work(run, key, stage, budget)
            console.print(f"      {record.seconds['wall']:.0f} s  {record.results.get('say', '')}", highlight=False)
            if stage.after is not None:
                stage.after()
    run.write_metrics()  # a kill between a marker and its metrics leaves only this to do


def _work(run: RunDir, key: str, stage: Stage, budget: Budget) -> StageRecord:
    before, starts = dict(budget.spent), run.begin(key)
    with budget.span("rest"):
        outcome = stage.work()
    seconds = {kind: round(budget.spent[kind] - before[kind], 3) for kind in before}
    record = StageRecord(
        stage=key,
        results={"say": outcome.say, **outcome.results},
        metrics=outcome.metrics,
        seconds={"wall": round(sum(seconds.values()), 3), **seconds},
        peak_mib=round(peak_mib(), 1),
        starts=starts,
    )
    run.finish(record)
    return record
