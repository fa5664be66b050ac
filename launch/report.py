"""`report.html`: one self-contained page, made from `metrics.jsonl` and the stage records alone."""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template
from typing import Any

from launch import plots, table
from launch.rundir import RunDir, StageRecord
from qpa.harness.files import write_atomic

PAGE, TEXT = "report.html", "table.txt"
_TEMPLATE = Path(__file__).with_name("report_template.html")
_TRAINED = ("sft", "rl", "round2")


def write_report(run: RunDir) -> Path:
    """Writes `table.txt` and `report.html` from what is finished so far; returns the page's path."""
    records = run.records()
    write_atomic(run / TEXT, table.as_text(table.final_tables(records)).encode())
    page = Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(_fields(run, records))
    write_atomic(run / PAGE, page.encode("utf-8", "replace"))
    return run / PAGE


def _fields(run: RunDir, records: Sequence[StageRecord]) -> dict[str, str]:
    config, scores = run.config(), table.all_scores(records)
    by_name = {r.stage.partition("-")[2]: r for r in records}
    return {
        "title": f"One turn of the closed loop: {_text(config['name'])}",
        "subtitle": _text(_subtitle(by_name)),
        "scores": _table(table.HEADER, table.score_rows(scores)),
        "comparisons": _table(table.COMPARISON_HEADER, table.comparison_rows(_comparisons(records))),
        "curves": _curves(run.metrics()),
        "families": plots.family_bars(_family_rates(scores)),
        "stops": _counts(scores, "by_stop", "stop reason"),
        "classes": _counts(scores, "by_class", "failure class"),
        "time_note": _text(_time_note(records)),
        "time": plots.time_bars({r.stage: r.seconds for r in records}),
        "rl_time": _rl_time(by_name),
        "costs": _table(("system", "output tokens", "tool calls", "per success: tokens", "calls"), _costs(scores)),
        "transcripts": _transcripts(by_name),
        "harness": _harness(by_name),
        "releases": _releases(by_name),
        "config": _text(json.dumps(config, indent=2)),
    }


def _subtitle(by_name: Mapping[str, StageRecord]) -> str:
    parts = [by_name[name].results["say"] for name in ("tasks", "flywheel", "sft", "rl") if name in by_name]
    return "; ".join(p for p in parts if p) or "nothing is finished yet"


def _comparisons(records: Iterable[StageRecord]) -> list[dict[str, Any]]:
    return [c for r in records for c in r.results.get("comparisons", [])]


def _curves(metrics: Sequence[Mapping[str, Any]]) -> str:
    def lines(stage: str, kind: str) -> list[Mapping[str, Any]]:
        return [m for m in metrics if m["stage"].endswith(f"-{stage}") and m["kind"] == kind]

    return plots.learning_curves(lines("sft", "train"), lines("rl", "train"), lines("rl", "dev"), lines("rl", "phi"))


def _family_rates(scores: table.Scores) -> dict[str, dict[str, float]]:
    """system -> family -> success rate over both test splits; a family never trained on is marked with *."""
    rates: dict[str, dict[str, float]] = {}
    for system in _TRAINED:
        for split, mark in ((table.INSTANCES, ""), (table.FAMILIES, " *")):
            families = scores.get(system, {}).get(split, {}).get("by_family", {})
            for family, rate in families.items():
                rates.setdefault(table.NAMES[system], {})[family + mark] = rate["rate"]
    return rates


def _counts(scores: table.Scores, kind: str, name: str) -> str:
    """Episodes by ending or failure class, a column per system."""
    columns: dict[str, dict[str, int]] = {}
    for system in table.ORDER:
        for split in (table.INSTANCES, table.FAMILIES):
            for key, n in scores.get(system, {}).get(split, {}).get("failures", {}).get(kind, {}).items():
                column = columns.setdefault(system, {})
                column[key] = column.get(key, 0) + n
    keys = sorted({k for c in columns.values() for k in c})
    rows = [[key, *(str(c.get(key, 0)) for c in columns.values())] for key in keys]
    return _table((name, *(table.NAMES[s] for s in columns)), rows)


def _time_note(records: Sequence[StageRecord]) -> str:
    wall, peak = sum(r.seconds.get("wall", 0.0) for r in records), max((r.peak_mib for r in records), default=0.0)
    again = [r.stage for r in records if r.starts > 1]
    note = f"{wall / 60:.1f} minutes in all, peak memory {peak / 1024:.1f} GiB."
    return note + (f" Restarted, so only the last process is counted: {', '.join(again)}." if again else "")


def _rl_time(by_name: Mapping[str, StageRecord]) -> str:
    rows = []
    for name, results in (("rl", _results(by_name, "rl")), ("round2", _results(by_name, "round2").get("rl", {}))):
        if split := results.get("seconds_of_steps"):
            total = max(1e-9, split["step_s"])
            rows.append(
                [name, f"{total:.0f} s", *(f"{100 * split[f'{k}_s'] / total:.1f} %" for k in plots.KIND_COLOURS)]
            )
    return _table(("RL steps", "total", "generation", "environment + harness", "training", "compile", "rest"), rows)


def _costs(scores: table.Scores) -> list[list[str]]:
    rows = []
    for system in table.ORDER:
        s = scores.get(system, {}).get(table.INSTANCES)
        if s is None or system in ("oracle", "null"):
            continue
        per_success = (s["output_tokens_per_success"], s["tool_calls_per_success"])
        cells = [f"{1000 * s[k]:,.0f}" for k in ("output_tokens", "tool_calls")]
        rows.append([table.NAMES[system], *cells, *("-" if v is None else f"{v:.1f}" for v in per_success)])
    return rows


def _transcripts(by_name: Mapping[str, StageRecord]) -> str:
    shown = _results(by_name, "report").get("transcripts", [])
    return "".join(
        f"<details><summary>{_text(t['kind'])}: {_text(t['task'])}</summary><pre>{_text(t['text'])}</pre></details>"
        for t in shown
    )


def _harness(by_name: Mapping[str, StageRecord]) -> str:
    revision = _results(by_name, "harness").get("revision")
    if not revision:
        return "<p class='note'>not reached yet</p>"
    rows = [["success on evolve before", f"{100 * revision['evolve_before']:.1f} %"]]
    if "note" in revision:
        after = revision["evolve_after"]
        rows += [
            ["reason", revision["note"]],
            *([f"change of {k}", f"{old!r} to {new!r}"] for k, (old, new) in revision["changed"].items()),
            ["success on evolve after", "not run" if after is None else f"{100 * after:.1f} %"],
            ["rule check", "; ".join(revision["problems"]) or "passed"],
        ]
    rows.append(["decision", "accepted" if revision["accepted"] else "kept the current version"])
    rows.append(["current eta", json.dumps(revision["eta"], ensure_ascii=False)])
    return _table(("revision", ""), rows, wrap=True)


def _releases(by_name: Mapping[str, StageRecord]) -> str:
    out = []
    for r in (_results(by_name, "flywheel"), _results(by_name, "round2").get("release", {})):
        if not r:
            continue
        pools, decision = r["counts"].get("pool", {}), r["decision"]
        rows = [
            ["trajectories for training", str(pools.get("sft", 0))],
            ["tasks for RL", str(pools.get("tasks", 0))],
            ["failures kept for diagnosis", str(pools.get("failures", 0))],
            ["gate", f"{decision['ruling']} by {decision['reviewer']}: {decision['reason']}"],
            *([h["gap"], f"{h['update']} ({h['evidence']})"] for h in r["history"]),
        ]
        parent = f", after {r['parent']}" if r["parent"] else ""
        out.append(f"<h3>{_text(r['version'])}{_text(parent)}</h3>{_table(('', ''), rows, wrap=True)}")
    return "".join(out)


def _results(by_name: Mapping[str, StageRecord], name: str) -> dict[str, Any]:
    return by_name[name].results if name in by_name else {}


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], *, wrap: bool = False) -> str:
    head = "".join(f"<th>{_text(h)}</th>" for h in header)
    kind = " class='wrap'" if wrap else ""
    body = "".join("<tr>" + "".join(f"<td{kind}>{_text(c)}</td>" for c in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    return html.escape(str(value))
