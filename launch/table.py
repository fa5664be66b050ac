"""The tables people read: rates with Wilson intervals, paired differences, costs. No wall-clock number, so that an
interrupted run and a straight one end in the same table."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from launch.rundir import StageRecord
from qpa.contract import Dimension, Split

ORDER = ("oracle", "null", "base", "sft", "rl-harness-off", "rl", "round2")
NAMES = {
    "oracle": "scripted oracle",
    "null": "scripted null",
    "base": "base",
    "sft": "cold start (SFT)",
    "rl-harness-off": "RL, harness off",
    "rl": "RL with CARE",
    "round2": "round 2",
}
_SPLIT_NAMES = {
    Split.TEST_UNSEEN_INSTANCE.value: "unseen instances",
    Split.TEST_UNSEEN_FAMILY.value: "unseen families",
}
INSTANCES, FAMILIES = _SPLIT_NAMES
_DIMENSIONS = {d.value: d.value.replace("subagent", "sub-agent") for d in Dimension}
HEADER = ("system", *_DIMENSIONS.values(), *_SPLIT_NAMES.values(), "tokens/success", "calls/success")
COMPARISON_HEADER = ("compared", "on", "success difference", "non-inferior", "tokens/success ratio", "calls/task")

Scores = dict[str, dict[str, dict[str, Any]]]


def all_scores(records: Sequence[StageRecord]) -> Scores:
    """system -> split -> score summary, from every finished stage."""
    merged: Scores = {}
    for record in records:
        for system, by_split in record.results.get("scores", {}).items():
            merged.setdefault(system, {}).update(by_split)
    return merged


def score_rows(scores: Scores) -> list[list[str]]:
    """Cells of the main table; dimensions and costs are over the unseen instances."""
    rows = []
    for system in ORDER:
        by_split = scores.get(system, {})
        if INSTANCES not in by_split:
            continue
        main = by_split[INSTANCES]
        cells = [NAMES[system]]
        cells += [interval(main["by_dimension"].get(d)) for d in _DIMENSIONS]
        cells += [interval(by_split.get(split, {}).get("success")) for split in _SPLIT_NAMES]
        # A script has no tokenizer, so its tokens would be a guess beside measurements.
        scripted = system in ("oracle", "null")
        cells += [
            _number(None if scripted else main["output_tokens_per_success"]),
            _number(main["tool_calls_per_success"]),
        ]
        rows.append(cells)
    return rows


def comparison_rows(comparisons: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    """Cells of the table of paired differences."""
    return [
        [
            f"{NAMES[c['a']]} vs {NAMES[c['b']]}",
            f"{_SPLIT_NAMES[c['split']]} ({c['tasks']})",
            difference_cell(c["success"], 100, " points"),
            "yes" if c["non_inferior"] else "not shown",
            ratio_cell(c["token_ratio"]),
            difference_cell(c["calls"], 1, ""),
        ]
        for c in comparisons
    ]


def score_table(records: Sequence[StageRecord]) -> Table:
    """The main table so far."""
    return text_table("success in % [95 % Wilson interval]", HEADER, score_rows(all_scores(records)))


def final_tables(records: Sequence[StageRecord]) -> list[Table]:
    """The main table and the paired comparisons."""
    comparisons = [c for r in records for c in r.results.get("comparisons", [])]
    title = "paired differences [95 % interval]"
    return [score_table(records), text_table(title, COMPARISON_HEADER, comparison_rows(comparisons))]


def as_text(tables: Sequence[Table]) -> str:
    """Tables as plain text of fixed width."""
    out = io.StringIO()
    console = Console(file=out, width=180, color_system=None, force_terminal=False)
    for table in tables:
        console.print(table)
    return out.getvalue()


def interval(rate: Mapping[str, Any] | None) -> str:
    """A rate in percent with its interval, e.g. "62 [50-73]"."""
    if rate is None:
        return ""
    return f"{100 * rate['rate']:.0f} [{100 * rate['low']:.0f}-{100 * rate['high']:.0f}]"


def difference_cell(value: Sequence[float], scale: float, unit: str) -> str:
    """A difference with its interval, e.g. "+3.5 points [-0.3, +7.6]"."""
    mean, low, high = (scale * v for v in value)
    return f"{mean:+.1f}{unit} [{low:+.1f}, {high:+.1f}]"


def ratio_cell(value: Sequence[float] | None) -> str:
    """A ratio with its interval, e.g. "0.87 [0.75, 1.00]"; "-" for none."""
    return "-" if value is None else f"{value[0]:.2f} [{value[1]:.2f}, {value[2]:.2f}]"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def text_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    """A plain table, the first column to the left."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False)
    for i, name in enumerate(header):
        table.add_column(name.replace("/", "/ "), justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*(cell.replace("[", r"\[") for cell in row))
    return table
