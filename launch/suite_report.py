"""The report of one evaluation as Markdown and as a self-contained HTML page: rates by every axis, costs, failures."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from qpa.bench.scoring import WEIGHTS, Rate, SuiteScore
from qpa.harness.files import write_atomic

MARKDOWN, HTML = "report.md", "report.html"
_NOTE = (
    "Success in percent of all tasks of the suite, an unanswered task counted as failed, with 95 % Wilson intervals. "
    "Scores of this suite are not comparable with those of the private benchmark it is modelled on."
)
_STYLE = (
    "body{margin:0 auto;max-width:960px;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#1a1a1a}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:14px;margin:8px 0 24px}"
    "td,th{padding:3px 10px;text-align:right;border-bottom:1px solid #dde;white-space:nowrap}"
    "td:first-child,th:first-child{text-align:left}p{color:#667;max-width:80ch}"
    ".bar{width:220px;height:10px;background:#eef;position:relative}.bar i,.bar b{position:absolute;height:10px}"
    ".bar i{left:0;background:#0072b2}.bar b{background:#0072b244;outline:1px solid #0072b2}"
)

Table = tuple[str, Sequence[str], list[list[str]]]  # title, header, rows


def write_suite_report(folder: Path, title: str, score: SuiteScore, failures: Mapping[str, Mapping[str, int]]) -> None:
    """Writes report.md and report.html into `folder`, each whole or not at all."""
    rates = _rates(score)
    tables = [_costs(score), *_failures(failures)]
    write_atomic(folder / MARKDOWN, _markdown(title, score, rates, tables).encode())
    write_atomic(folder / HTML, _page(title, score, rates, tables).encode())


def _rates(score: SuiteScore) -> list[tuple[str, dict[str, Rate]]]:
    return [
        ("dimension", {"all": score.success, **score.by_dimension}),
        ("split", score.by_split),
        ("language", score.by_language),
        ("domain", score.by_domain),
        ("capability", score.by_capability),
        ("family", score.by_family),
    ]


def _overall(score: SuiteScore) -> str:
    if score.overall is None:
        return "Overall: none, it needs all four dimensions."
    parts = " + ".join(f"{weight:.2f} {d.value}" for d, weight in WEIGHTS.items())
    return f"Overall: {100 * score.overall:.2f} = {parts}"


def _costs(score: SuiteScore) -> Table:
    def number(value: float | None, digits: int = 1) -> str:
        return "-" if value is None else f"{value:.{digits}f}"

    rows = [
        ["output tokens per task, thinking included", number(score.output_tokens)],
        ["thinking tokens per task", number(score.thinking_tokens)],
        ["tool calls per task", number(score.tool_calls)],
        ["output tokens per success", number(score.output_tokens_per_success)],
        ["tool calls per success", number(score.tool_calls_per_success)],
        ["USD per 1,000 tasks, thinking included", number(score.cost_per_1000_tasks, 4)],
        ["USD per 1,000 tasks, thinking left out", number(score.cost_per_1000_tasks_without_thinking, 4)],
        ["tasks without an answer", str(score.missing)],
        ["ended by infrastructure", str(score.infrastructure)],
        ["unusable answers", str(score.invalid)],
    ]
    return "Costs and coverage", ("", ""), rows


def _failures(failures: Mapping[str, Mapping[str, int]]) -> list[Table]:
    titles = {"by_class": "Failed episodes by diagnosed class", "by_stop": "Endings"}
    return [
        (titles[name], ("", "episodes"), [[kind, str(n)] for kind, n in sorted(counts.items(), key=lambda c: -c[1])])
        for name, counts in failures.items()
        if name in titles
    ]


def _markdown(
    title: str, score: SuiteScore, rates: Sequence[tuple[str, Mapping[str, Rate]]], tables: Sequence[Table]
) -> str:
    lines = [f"# {title}", "", _overall(score), "", _NOTE, ""]
    for axis, members in rates:
        header = (axis, "success", "95 % interval", "solved", "tasks")
        lines += _markdown_table(f"By {axis}", header, [[n, *_cells(r)] for n, r in members.items()])
    for name, names, rows in tables:
        lines += _markdown_table(name, names, rows)
    return "\n".join(lines)


def _cells(rate: Rate) -> list[str]:
    interval = f"{100 * rate.low:.1f}-{100 * rate.high:.1f}"
    return [f"{100 * rate.rate:.1f}", interval, str(rate.successes), str(rate.total)]


def _markdown_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    cells = [[c.replace("|", "\\|") for c in row] for row in rows]
    rule = "|".join([" --- ", *[" ---: "] * (len(header) - 1)])
    return [f"## {title}", "", f"| {' | '.join(header)} |", f"|{rule}|", *(f"| {' | '.join(r)} |" for r in cells), ""]


def _page(
    title: str, score: SuiteScore, rates: Sequence[tuple[str, Mapping[str, Rate]]], tables: Sequence[Table]
) -> str:
    parts = [f"<h1>{html.escape(title)}</h1><p>{html.escape(_overall(score))}</p><p>{html.escape(_NOTE)}</p>"]
    for axis, members in rates:
        rows = "".join(
            f"<tr><td>{html.escape(n)}</td><td>{_bar(r)}</td>{''.join(f'<td>{c}</td>' for c in _cells(r))}</tr>"
            for n, r in members.items()
        )
        header = "<tr><th></th><th></th><th>%</th><th>95 %</th><th>solved</th><th>tasks</th></tr>"
        parts.append(f"<h2>By {html.escape(axis)}</h2><table>{header}{rows}</table>")
    for name, header_cells, body in tables:
        parts.append(f"<h2>{html.escape(name)}</h2>{html_table(header_cells, body)}")
    return html_page(title, "".join(parts))


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain text."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<table><tr>{head}</tr>{body}</table>"


def html_page(title: str, body: str) -> str:
    """A self-contained page around the HTML `body`, in the reports' style."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def _bar(rate: Rate) -> str:
    """The rate as a bar, its interval lighter around the end."""
    low, high = 100 * rate.low, 100 * rate.high
    return (
        f'<div class="bar"><i style="width:{100 * rate.rate:.1f}%"></i>'
        f'<b style="left:{low:.1f}%;width:{high - low:.1f}%"></b></div>'
    )
