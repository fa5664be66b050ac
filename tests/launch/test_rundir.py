"""The run directory: markers, metrics, and the refusal of another config."""

from __future__ import annotations

import dataclasses
import json

import pytest
from rich.console import Console

from launch.budget import Budget
from launch.context import settings
from launch.pipeline import Outcome, Stage, run_stages
from launch.rundir import ConfigError, RunDir, StageRecord
from qpa.config import LoopConfig
from qpa.contract import ContractError

QUIET = Console(quiet=True)


def test_the_same_config_is_accepted_again_and_another_is_refused_by_key(tmp_path):
    cfg = LoopConfig()
    RunDir(tmp_path).claim(settings(cfg))
    RunDir(tmp_path).claim(settings(cfg))  # tuples became lists on disk: still the same
    RunDir(tmp_path).finish(StageRecord(stage="1-a", results={}))
    RunDir(tmp_path).claim(settings(cfg))
    cfg.rl.care.p_low = 0.3
    with pytest.raises(ConfigError, match=r"config\.rl\.care\.p_low=0\.25, now it is 0\.3"):
        RunDir(tmp_path).claim(settings(cfg))


def test_a_run_older_than_a_field_goes_on_with_its_default_and_no_other_value(tmp_path):
    cfg, run = LoopConfig(), RunDir(tmp_path)
    run.claim(settings(cfg))
    run.finish(StageRecord(stage="1-a", results={}))
    older = run.config()
    del older["sft"]["lora"], older["rl"]["loss_chunk"]
    (tmp_path / "config.json").write_text(json.dumps(older))
    run.claim(settings(cfg))
    cfg.rl.loss_chunk = 64
    with pytest.raises(ConfigError, match=r"config\.rl\.loss_chunk=0, now it is 64"):
        run.claim(settings(cfg))


def test_a_run_that_made_nothing_takes_another_config(tmp_path):
    run, cfg = RunDir(tmp_path), LoopConfig()
    run.claim(settings(cfg))
    (tmp_path / "compiled").mkdir()
    (tmp_path / "run.lock").touch()
    cfg.bench.suite = "other"
    run.claim(settings(cfg))
    assert run.config()["bench"]["suite"] == "other"


def test_a_run_may_be_moved(tmp_path):
    RunDir(tmp_path).claim(settings(LoopConfig(run_dir="a")))
    RunDir(tmp_path).claim(settings(LoopConfig(run_dir="b")))


def test_a_damaged_config_says_what_to_do(tmp_path):
    (tmp_path / "sft").mkdir()
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ConfigError, match="move the run directory away"):
        RunDir(tmp_path).claim({})


def test_a_damaged_marker_names_the_file(tmp_path):
    run = RunDir(tmp_path)
    run.finish(StageRecord(stage="1-a", results={}))
    marker = tmp_path / "stages" / "1-a.json"
    marker.write_bytes(marker.read_bytes()[:20])
    with pytest.raises(ContractError, match=r"1-a\.json.*delete the file"):
        run.done("1-a")


def _stages(log: list[str], crash: str = "") -> list[Stage]:
    def work(name: str):
        def inner() -> Outcome:
            log.append(name)
            if name == crash:
                raise KeyboardInterrupt
            return Outcome({"n": len(name)}, [{"step": 0, "kind": "x", "name": name}])

        return inner

    return [Stage(name, name, work(name)) for name in ("one", "two", "three")]


def test_a_restart_runs_only_what_is_not_done(tmp_path):
    log: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_stages(RunDir(tmp_path), _stages(log, crash="two"), Budget(), QUIET)
    run_stages(RunDir(tmp_path), _stages(log), Budget(), QUIET)
    run_stages(RunDir(tmp_path), _stages(log), Budget(), QUIET)
    assert log == ["one", "two", "two", "three"]
    starts = {r.stage: r.starts for r in RunDir(tmp_path).records()}
    assert starts == {"1-one": 1, "2-two": 2, "3-three": 1}


def test_metrics_hold_every_line_once_in_stage_order(tmp_path):
    run = RunDir(tmp_path)
    run_stages(run, _stages([]), Budget(), QUIET)
    run.write_metrics()
    assert [m["name"] for m in run.metrics()] == ["one", "two", "three"]
    assert run.metrics()[0]["stage"] == "1-one"


def test_ten_sorts_after_nine(tmp_path):
    run = RunDir(tmp_path)
    for n in (10, 9):
        run.finish(StageRecord(stage=f"{n}-s", results={}))
    assert [r.stage for r in run.records()] == ["9-s", "10-s"]


def test_metrics_lost_by_a_kill_are_written_by_the_next_start(tmp_path):
    run = RunDir(tmp_path)
    run_stages(run, _stages([]), Budget(), QUIET)
    run.path.joinpath("metrics.jsonl").unlink()
    run_stages(run, _stages([]), Budget(), QUIET)
    assert len(run.metrics()) == 3


def test_settings_are_json_and_leave_out_where_the_run_lives():
    assert "run_dir" not in settings(LoopConfig())
    assert set(json.loads(json.dumps(settings(LoopConfig())))) == {
        f.name for f in dataclasses.fields(LoopConfig) if f.name != "run_dir"
    }
