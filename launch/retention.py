"""The table of two evaluations of one policy on two backends, from their folders."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from launch.suite_report import html_page, html_table
from launch.table import as_text, difference_cell, interval, ratio_cell, text_table
from qpa.bench.retention import Retained, by_episode, episode_key, retention
from qpa.contract import ContractError, Trajectory, to_json
from qpa.harness.files import write_atomic
from qpa.harness.trace import read_traces

EPISODES, TEXT, PAGE, DATA = "episodes.jsonl", "retention.txt", "retention.html", "retention.json"
_NOTE = (
    "The same tasks and seeds on both. Rates with 95 % Wilson intervals over episodes; difference and retention (rate "
    "on B over rate on A) with paired 95 % intervals over tasks. Episodes that one backend could not serve are left "
    "out of both."
)


def retention_of(a: Path, b: Path) -> list[Retained]:
    """Compares two `launch.eval` folders.

    Raises FileNotFoundError for one that has no episodes, ValueError where they are not of the same episodes.
    """
    return retention(by_episode(_episodes(a)), by_episode(_episodes(b)))


def show_retention(a: Path, b: Path, names: tuple[str, str], out: Path | None = None) -> list[Retained]:
    """Prints the table; with `out`, also writes it there as text, HTML and JSON. Raises like `retention_of`."""
    rows = retention_of(a, b)
    title = f"retention, {names[0]} (A) to {names[1]} (B)"
    text = as_text([text_table(title, header(names), cells(rows))])
    print(text, end="")
    if out is not None:
        write_atomic(out / TEXT, text.encode())
        write_atomic(out / PAGE, page(title, header(names), cells(rows)).encode())
        write_atomic(out / DATA, to_json(rows))
    return rows


def header(names: tuple[str, str]) -> tuple[str, ...]:
    """Column titles."""
    return ("bucket", "tasks", "episodes", *names, "difference", "retention", "lost", "gained", "left out")


def cells(rows: Sequence[Retained]) -> list[list[str]]:
    """The table's text, a list per bucket."""
    return [
        [
            row.bucket,
            str(row.tasks),
            str(row.episodes),
            *(interval({"rate": r.rate, "low": r.low, "high": r.high}) for r in (row.a, row.b)),
            difference_cell(row.difference, 100, " points"),
            ratio_cell(row.retention),
            str(row.lost),
            str(row.gained),
            str(row.left_out),
        ]
        for row in rows
    ]


def page(title: str, names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A self-contained HTML page."""
    return html_page(title, f"<h1>{html.escape(title)}</h1><p>{html.escape(_NOTE)}</p>{html_table(names, rows)}")


def _episodes(folder: Path) -> list[Trajectory]:
    """The last record of each episode: an invalid one may have been played again."""
    file = folder / EPISODES
    if not file.exists():
        raise FileNotFoundError(2, "no evaluation here", str(file))
    traces = read_traces(file)
    if not traces.trajectories and traces.bad:
        raise ContractError(f"{file}: no readable episode")
    return list({episode_key(t): t for t in traces.trajectories}.values())
