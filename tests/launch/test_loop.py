"""The whole loop, shrunk, as a person runs it: straight through, and stopped three times on the way."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from shrunk import CONFIG, ROOT, command, run

STAGES = ["1-tasks", "2-flywheel", "3-references", "4-sft", "5-eval-sft", "6-rl", "7-eval-rl", "8-harness", "9-round2"]
STAGES.append("10-report")
pytestmark = pytest.mark.timeout(1800)  # a guard; alone on two cores each test takes well under a minute


@pytest.fixture(scope="module")
def straight(base, tmp_path_factory) -> Path:
    """A run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("straight") / "run"
    done = run("loop", *_args(base, folder), timeout=1500)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return folder


def _args(base: Path, folder: Path) -> list[str]:
    return [CONFIG, f"--config.base={base}", f"--run_dir={folder}"]


def _stop_when(args: list[str], ready: Path, how: signal.Signals) -> subprocess.CompletedProcess[str]:
    """Starts the loop, and signals it as soon as `ready` exists."""
    # A test run in the background of a script ignores SIGINT and would hand that down; a handler is not handed down.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command("loop", *args), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not ready.exists() and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, how)
    out, err = process.communicate(timeout=600)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def _results(folder: Path) -> dict[str, dict]:
    found = {name: json.loads((folder / "stages" / f"{name}.json").read_bytes())["results"] for name in STAGES}
    for name in ("6-rl", "9-round2"):
        results = found[name] if name == "6-rl" else found[name]["rl"]
        del results["seconds_of_steps"]
    del found["6-rl"]["say"]  # the share of time that went to the environment
    return found


def test_a_straight_run_leaves_every_stage_and_a_report(straight):
    assert sorted(p.stem for p in (straight / "stages").glob("*.json")) == sorted(STAGES)
    results = _results(straight)
    oracle = results["3-references"]["scores"]["oracle"]
    assert all(s["success"]["rate"] == 1.0 for s in oracle.values())
    assert all(s["success"]["rate"] == 0.0 for s in results["3-references"]["scores"]["null"].values())
    assert results["9-round2"]["release"]["parent"] == "v0001"
    assert results["9-round2"]["release"]["history"]
    assert (straight / "report.html").stat().st_size > 50_000
    kinds = {(m["stage"], m["kind"]) for m in map(json.loads, (straight / "metrics.jsonl").read_text().splitlines())}
    assert {("4-sft", "train"), ("6-rl", "train"), ("6-rl", "dev"), ("7-eval-rl", "score")} <= kinds
    assert {("8-harness", "eta"), ("9-round2", "release"), ("10-report", "comparison")} <= kinds


def test_stopped_three_times_it_ends_in_the_same_table(base, straight, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(straight / "compiled", folder / "compiled")  # only to save the minutes of compiling again
    args = _args(base, folder)
    stopped = _stop_when(args, folder / "stages" / "1-tasks.json", signal.SIGINT)
    assert stopped.returncode == 130 and "goes on from here" in stopped.stderr and "Traceback" not in stopped.stderr
    assert _stop_when(args, folder / "sft" / "checkpoints" / "1", signal.SIGKILL).returncode == -signal.SIGKILL
    early = (folder / "stages" / "1-tasks.json").stat().st_mtime_ns
    midway = folder / "eval" / "rl-test_unseen_instance" / "episodes.jsonl"
    assert _stop_when(args, midway, signal.SIGKILL).returncode == -signal.SIGKILL
    torn = midway.read_bytes()[-1:] not in (b"", b"\n")  # a line that the kill has torn is played again, and counted
    expected = _results(straight)
    expected["7-eval-rl"]["scores"]["rl"]["test_unseen_instance"]["unreadable"] += torn
    last = run("loop", *args, timeout=1500)
    assert last.returncode == 0, last.stderr
    assert (folder / "table.txt").read_text() == (straight / "table.txt").read_text()
    assert _results(folder) == expected
    assert (folder / "stages" / "1-tasks.json").stat().st_mtime_ns == early
    assert last.stderr.count("done before") >= 6
    starts = {p.name: len(p.read_bytes()) for p in (folder / "stages").glob(".*.starts")}
    # A loaded machine may deliver a signal late, when its stage is already done: so at most twice, not exactly.
    assert starts[".1-tasks.starts"] == 1 and max(starts.values()) <= 2


def test_a_finished_run_is_not_run_again_and_no_other_config_gets_in(base, straight):
    again = run("loop", *_args(base, straight))
    assert again.returncode == 0 and again.stderr.count("done before") == len(STAGES)
    other = run("loop", *_args(base, straight), "--config.rl.steps=2")
    assert other.returncode == 1 and other.stderr.count("\n") == 1
    assert "config.rl.steps=1, now it is 2" in other.stderr


def test_two_loops_in_one_directory_are_refused(base, straight):
    from qpa.train.lock import run_lock

    with run_lock(straight):
        second = run("loop", *_args(base, straight))
    assert second.returncode == 1 and second.stderr.count("\n") == 1
    assert f"process {os.getpid()}" in second.stderr and "already running here" in second.stderr


def test_a_checkpoint_of_the_run_can_be_evaluated_and_compared(base, straight, tmp_path):
    shared = [
        CONFIG,
        f"--config.base={base}",
        "--split=dev",
        "--limit=4",
    ]
    exported = run("eval", *shared, f"--model={straight / 'models' / 'sft'}", f"--out={tmp_path / 'a'}")
    assert exported.returncode == 0, exported.stderr
    trained = run(
        "eval", *shared, f"--model={straight / 'sft'}", f"--out={tmp_path / 'b'}", f"--compare={tmp_path / 'a'}"
    )
    assert trained.returncode == 0, trained.stderr
    assert "success +0.0 points" in trained.stdout
    runs = [json.loads((tmp_path / x / "outcomes.json").read_bytes()) for x in "ab"]
    assert runs[0] == runs[1]  # the export and the checkpoint are the same weights
