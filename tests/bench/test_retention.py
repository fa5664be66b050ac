"""Retention between two backends: golden numbers, masked episodes, and what is not a pair."""

from __future__ import annotations

import msgspec
import pytest

from launch.retention import show_retention
from qpa.bench.retention import ALL, by_episode, retention
from qpa.bench.stats import paired_ratio, wilson
from qpa.contract import (
    BehaviorCriteria,
    ContractError,
    Dimension,
    Provenance,
    Split,
    StateCriteria,
    StopReason,
    TaskSpec,
    ToolCriteria,
    Trajectory,
    Verdict,
)
from qpa.harness.trace import append_trace

KINDS = (
    (Dimension.TOOL, StateCriteria(delta=[])),
    (Dimension.MEMORY, BehaviorCriteria()),
    (Dimension.TOOL, ToolCriteria(steps=[])),
)


def episode(number, success, *, rollout=0, seed=5, valid=True, goal="g"):
    dimension, criteria = KINDS[number % 3]
    task = TaskSpec(
        id=f"t{number:02}", goal=goal, criteria=criteria, dimension=dimension, domain="d", family="f", split=Split.DEV
    )
    return Trajectory(
        task=task,
        steps=[],
        stop=StopReason.FINISHED if valid else StopReason.ENV_FAILURE,
        valid=valid,
        verdict=Verdict(success=bool(success), progress=float(success)) if valid else None,
        provenance=Provenance(seed=seed, notes={"rollout": str(rollout)}),
    )


def paired(a, b):
    return retention(by_episode(a), by_episode(b))


def test_golden_rates_differences_and_retention():
    a = [episode(i, i < 24) for i in range(30)]  # 24 of 30
    b = [episode(i, i < 15 or i >= 27) for i in range(30)]  # 15 of these and 3 others
    rows = {row.bucket: row for row in paired(a, b)}
    assert next(iter(rows)) == ALL
    assert set(rows) == {
        ALL, "dimension tool", "dimension memory", "checker state", "checker behavior", "checker tool",
    }  # fmt: skip
    whole = rows[ALL]
    assert (whole.a.successes, whole.b.successes, whole.episodes, whole.tasks) == (24, 18, 30, 30)
    assert (whole.lost, whole.gained, whole.left_out) == (9, 3, 0)
    assert (whole.a.low, whole.a.high) == wilson(24, 30)
    assert whole.difference[0] == pytest.approx(-0.2) and whole.difference[1] < -0.2 < whole.difference[2] < 0.05
    estimate, low, high = whole.retention
    assert estimate == 0.75 and 0.5 < low < 0.75 < high < 1.05
    assert rows["dimension memory"].episodes == 10 == rows["checker tool"].episodes
    assert rows["dimension tool"].episodes == 20


def test_what_one_backend_could_not_serve_is_left_out_of_both():
    a = [episode(i, True, valid=i != 1) for i in range(6)]
    b = [episode(i, i != 0, valid=i != 2) for i in range(6)]
    whole = paired(a, b)[0]
    assert (whole.episodes, whole.left_out, whole.a.successes, whole.b.successes) == (4, 2, 4, 3)
    assert whole.retention[0] == 0.75
    nothing = [episode(i, True, valid=False) for i in range(6)]
    assert paired(nothing, b) == []


def test_without_a_success_on_a_there_is_no_retention():
    whole = paired([episode(i, False) for i in range(4)], [episode(i, True) for i in range(4)])[0]
    assert whole.retention is None and whole.gained == 4 and whole.difference[0] == 1.0


def test_rollouts_of_a_task_are_one_unit_of_the_intervals():
    many = [episode(i, i % 2, rollout=r) for i in range(6) for r in range(8)]
    half = [episode(i, i % 2 and r < 4, rollout=r) for i in range(6) for r in range(8)]
    whole = paired(many, half)[0]
    assert (whole.tasks, whole.episodes, whole.lost) == (6, 48, 12)
    assert whole.retention == (0.5, 0.5, 0.5)  # every task keeps half, so no resample of tasks differs
    assert whole.difference[0] == pytest.approx(-0.25) and whole.difference[1] < -0.3


def test_what_is_no_pair_is_refused():
    a = [episode(i, True) for i in range(4)]
    with pytest.raises(ValueError, match="1 episodes are of one backend only"):
        paired(a, a[:3])
    with pytest.raises(ValueError, match="has seed 5 and 6"):
        paired(a, [*a[:3], episode(3, True, seed=6)])
    with pytest.raises(ValueError, match="'t03' differs"):
        paired(a, [*a[:3], episode(3, True, goal="other")])
    with pytest.raises(ValueError, match="occurs twice"):
        by_episode([a[0], a[0]])


def test_paired_ratio():
    assert paired_ratio([1, 1, 0, 1], [0, 0, 0, 0]) is None
    assert paired_ratio([1.0] * 9, [2.0] * 9) == (0.5, 0.5, 0.5)
    ratio, low, high = paired_ratio([1, 0] * 50, [1, 1] * 50)
    assert ratio == 0.5 and 0.38 < low < 0.45 < 0.55 < high < 0.62
    with pytest.raises(ValueError, match="two equal lists"):
        paired_ratio([1.0], [1.0, 2.0])


def test_the_table_of_two_folders(tmp_path, capsys):
    for name, good in (("a", 12), ("b", 9)):
        (tmp_path / name).mkdir()
        file = tmp_path / name / "episodes.jsonl"
        append_trace(file, episode(0, False, valid=False))  # played again below
        for i in range(15):
            append_trace(file, episode(i, i < good))
    rows = show_retention(tmp_path / "a", tmp_path / "b", ("sandbox", "device <1>"), tmp_path / "out")
    assert rows[0].retention[0] == 0.75 and rows[0].episodes == 15
    said = capsys.readouterr().out
    assert "80 [55-93]" in said and "60 [36-80]" in said and "-20.0 points" in said and "0.75 [" in said
    assert (tmp_path / "out" / "retention.txt").read_text() == said
    page = (tmp_path / "out" / "retention.html").read_text()
    assert "device &lt;1&gt;" in page and "<1>" not in page and page.count("<tr>") == 1 + len(rows)
    assert len(msgspec.json.decode((tmp_path / "out" / "retention.json").read_bytes())) == len(rows)
    with pytest.raises(FileNotFoundError):
        show_retention(tmp_path / "a", tmp_path / "nowhere", ("a", "b"))
    (tmp_path / "b" / "episodes.jsonl").write_text("{}\n")
    with pytest.raises(ContractError, match="no readable episode"):
        show_retention(tmp_path / "a", tmp_path / "b", ("a", "b"))
