"""The smaller scripts, run as a person runs them."""

from __future__ import annotations

import json

import pytest
from shrunk import run

SCRIPTS = ("loop", "tasks", "flywheel", "sft", "rl", "eval", "import_weights")


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("flag", ["--help", "--helpshort"])
def test_help_shows_the_flags_of_the_script(script, flag):
    done = run(script, flag)
    own = {
        "tasks": "--export",
        "flywheel": "--gate",
        "sft": "--release",
        "rl": "--model",
        "eval": "--compare",
        "import_weights": "--gguf",
    }
    assert own.get(script, "--run_dir") in done.stdout and "Traceback" not in done.stdout + done.stderr


def test_flywheel_with_a_manual_gate_waits_for_a_person_and_then_goes_on(tmp_path):
    args = [f"--out={tmp_path}", "--tasks=86", "--gate=manual"]
    first = run("flywheel", *args)
    assert first.returncode == 1 and first.stderr.count("\n") == 1 and "waits for review" in first.stderr
    (template,) = tmp_path.rglob("decision.template.json")
    decision = json.loads(template.read_bytes()) | {"ruling": "approve", "reviewer": "Ada", "reason": "looked at it"}
    template.with_name("decision.json").write_text(json.dumps(decision))
    second = run("flywheel", *args)
    assert second.returncode == 0, second.stderr
    assert "approve by Ada" in second.stdout and (tmp_path / "v0001" / "manifest.json").exists()


def test_eval_of_the_scripted_players_bounds_the_scale_and_resumes(tmp_path):
    args = ["--split=dev", "--limit=6"]
    assert run("eval", "--model=scripted:null", f"--out={tmp_path / 'null'}", *args).returncode == 0
    done = run("eval", "--model=scripted:oracle", f"--out={tmp_path / 'o'}", *args, f"--compare={tmp_path / 'null'}")
    assert done.returncode == 0, done.stderr
    assert "success +100.0 points" in done.stdout
    episodes = (tmp_path / "o" / "episodes.jsonl").read_bytes()
    (tmp_path / "o" / "episodes.jsonl").write_bytes(b"".join(episodes.splitlines(keepends=True)[:3]) + b'{"torn')
    again = run("eval", "--model=scripted:oracle", f"--out={tmp_path / 'o'}", *args)
    assert again.returncode == 0 and "unreadable records 1" in again.stdout
    assert json.loads((tmp_path / "o" / "score.json").read_bytes())["success"]["successes"] == 6
    other = run("eval", "--model=scripted:null", f"--out={tmp_path / 'o'}", *args)
    assert other.returncode == 1 and other.stderr.count("\n") == 1 and "use another folder" in other.stderr
    text = (tmp_path / "null" / "transcripts.md").read_text()
    assert text.count("# ") >= 6 and "Done." in text


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--model=gpt", "--out=x"], "no such directory"),
        (["--model=scripted:genius", "--out=x"], "scripted players are"),
        (["--model=scripted:null", "--out=x", "--split=tset"], "split"),
        (["--model=scripted:null", "--out=x", "--suite=other"], "unknown suite"),
        (["--model=scripted:null", "--out=x", "--harness=no.json"], "no.json: No such file"),
        (["--out=x"], "model"),
    ],
)
def test_eval_refuses_what_does_not_exist(args, said, tmp_path):
    done = run("eval", *(a.replace("=x", f"={tmp_path / 'x'}") for a in args))
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1 and said in done.stderr, done.stderr
