"""Paired comparisons, the tables, the budget, and the report's self-containedness."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from launch import budget, plots, report, table
from launch.compare import compare, per_success_ratio
from launch.evaluation import Outcomes
from launch.rundir import RunDir, StageRecord


def _outcomes(success, tokens, calls=None) -> Outcomes:
    ids = [f"t{i}" for i in range(len(success))]
    calls = calls or [1] * len(ids)
    rows = [dict(zip(ids, map(float, values))) for values in (success, tokens, calls)]
    return Outcomes(success=rows[0], output_tokens=rows[1], tool_calls=rows[2])


def test_a_comparison_pairs_by_task_and_has_the_sign_of_a_minus_b():
    a, b = _outcomes([1, 1, 1, 0], [10, 10, 10, 10]), _outcomes([1, 0, 0, 0], [20, 20, 20, 20])
    c = compare("a", a, "b", b)
    assert c.success[0] == 0.5 and c.success[1] < 0.5 < c.success[2]
    assert c.token_ratio[0] == pytest.approx((40 / 3) / (80 / 1))
    assert c.tasks == 4


def test_the_ratio_interval_contains_one_for_equal_policies_and_excludes_it_for_half_the_tokens():
    rng = np.random.default_rng(0)
    success, tokens = (rng.random(200) < 0.7).astype(float), rng.integers(50, 150, 200).astype(float)
    shuffled = rng.permutation(tokens)
    _, low, high = per_success_ratio((tokens, shuffled), (success, success))
    assert low < 1 < high
    estimate, low, high = per_success_ratio((tokens / 2, tokens), (success, success))
    assert estimate == pytest.approx(0.5) and high < 0.51


def test_without_a_success_there_is_no_ratio():
    zero, one = np.zeros(3), np.ones(3)
    assert per_success_ratio((one, one), (zero, one)) is None
    assert compare("a", _outcomes([0], [1]), "b", _outcomes([1], [1])).token_ratio is None


def test_other_tasks_are_refused():
    with pytest.raises(ValueError, match="not run on the same tasks"):
        compare("a", _outcomes([1], [1]), "b", _outcomes([1, 1], [1, 1]))


def _summary(rate: float) -> dict:
    one = {"rate": rate, "low": rate / 2, "high": min(1.0, rate + 0.1), "successes": 1, "total": 2, "infrastructure": 0}
    return {
        "success": one,
        "overall": rate,
        "by_dimension": {d: one for d in ("tool", "memory", "skill", "subagent")},
        "by_family": {"alarm": one, "<b>": one},
        "output_tokens": 50.0,
        "tool_calls": 2.0,
        "output_tokens_per_success": 70.0,
        "tool_calls_per_success": 3.0,
        "failures": {"by_class": {"model/task_closure": 3}, "by_stop": {"finished": 5}},
    }


def _records() -> list[StageRecord]:
    scores = {s: {split: _summary(0.5) for split in (table.INSTANCES, table.FAMILIES)} for s in ("sft", "rl")}
    comparison = compare("rl", _outcomes([1, 1], [5, 5]), "sft", _outcomes([1, 0], [9, 9])).as_dict()
    train = {"kind": "train", "success": 0.5, "tokens_per_success": 9.0, "sampled_entropy": 0.1}
    shares = {"progress_share": 0.2, "outcome_share": 0.3, "efficiency_share": 0.5}
    phi = {"lambda_prog": 0.5, "lambda_eff": 0.1, "p_low": 0.25, "p_high": 0.8}
    rl = [{"step": i, **train, **shares, **phi} for i in range(4)]
    example = {"kind": "failure", "task": "t", "text": "said <script>alert(1)</script>"}
    return [
        StageRecord(stage="4-sft", results={"say": "x"}, metrics=[{"step": 1, "kind": "train", "loss": 1.0}]),
        StageRecord(stage="6-rl", results={"say": "y"}, metrics=rl, seconds={"wall": 60.0, "training": 60.0}),
        StageRecord(stage="7-eval-rl", results={"scores": scores}),
        StageRecord(
            stage="10-report",
            results={"comparisons": [{"split": table.INSTANCES, **comparison}], "transcripts": [example]},
        ),
    ]


def test_the_table_has_a_row_per_scored_system_and_no_clock():
    records = _records()
    rows = table.score_rows(table.all_scores(records))
    assert [r[0] for r in rows] == ["cold start (SFT)", "RL with CARE"]
    assert rows[0][1] == "50 [25-60]" and rows[0][-2:] == ["70.0", "3.0"]
    slower = [StageRecord(stage=r.stage, results=r.results, metrics=r.metrics, seconds={"wall": 9e9}) for r in records]
    assert table.as_text(table.final_tables(records)) == table.as_text(table.final_tables(slower))
    assert "+50.0 points" in table.as_text(table.final_tables(records))


def test_the_report_is_one_file_that_asks_for_nothing_and_escapes_what_it_shows(tmp_path):
    run = RunDir(tmp_path)
    run.claim({"name": "x", "note": "<i>"})
    for record in _records():
        run.finish(record)
    page = report.write_report(run).read_text()
    assert "<script>alert" not in page and "&lt;script&gt;alert" in page and "<b>" not in page
    assert not re.search(r"(src|href)=[\"'](?!#)", page) and "@import" not in page and "http" not in page
    assert "50 [25-60]" in page and page.count("<svg") == 3
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert "$" not in re.sub(r"\$\\mathdefault", "", page.partition("<body>")[2])


def test_a_report_of_an_unfinished_run_can_be_made(tmp_path):
    run = RunDir(tmp_path)
    run.claim({"name": "x"})
    assert "nothing is finished yet" in report.write_report(run).read_text()


def test_numbers_of_the_report_are_those_of_metrics(tmp_path):
    run = RunDir(tmp_path)
    run.claim({"name": "x"})
    for record in _records():
        run.finish(record)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [m["step"] for m in lines if m["stage"] == "6-rl"] == [0, 1, 2, 3]


class _Engine:
    def __init__(self):
        self.spent = 0.0

    def stats(self):
        return {"device_seconds": self.spent}


def test_spans_are_exclusive_and_the_engine_is_generation(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(budget.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(budget, "compile_seconds", lambda: 0.25 * now[0])  # a quarter of all time compiles
    engine, clock = _Engine(), budget.Budget()
    with clock.span("rest"):
        now[0] += 4
        with clock.span("training"):
            now[0] += 8
            with clock.span("environment", engine):
                now[0] += 16
                engine.spent = 10.0
        now[0] += 4
    assert clock.spent == {"generation": 10.0, "environment": 2.0, "training": 6.0, "compile": 8.0, "rest": 6.0}
    assert sum(clock.spent.values()) == 32


def test_an_svg_keeps_its_text_and_gets_ids_of_its_own():
    svg = plots.time_bars({"4-sft": {"training": 3.0}})
    assert "4-sft" in svg and "seconds" in svg and 'id="time-' in svg and "xmlns" not in svg
