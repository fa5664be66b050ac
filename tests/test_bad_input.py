"""What goes wrong in a real run, through the scripts a person starts: one clear line, or a counted quarantine.

Each test breaks one thing, reads what the person sees, and then checks that nothing already made is lost.
"""

from __future__ import annotations

import functools
import json
import re
import shutil
import subprocess
import time
from pathlib import Path

import msgspec
import pytest
import shrunk
from shrunk import CONFIG, ROOT, command, run

from launch import cli
from launch.evaluation import evaluate
from launch.players import player_of
from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.contract import EnvFailure, ErrorType, Fault, Limits, StopReason
from qpa.envs.sandbox.domains import tools_by_name
from qpa.envs.sandbox.tool import Tool
from qpa.flywheel import Pool, read_release
from qpa.harness import ScriptedModel, tiny_eta


def shown(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines on standard error, without the alarm of a compiler that a busy machine slows down."""
    lines = [line for line in done.stderr.splitlines() if line.strip("* ")]
    return [line for line in lines if "slow_operation_alarm" not in line and "Very slow compile" not in line]


def says(done: subprocess.CompletedProcess[str], *words: str) -> None:
    """The script failed and its standard error is one line with these words."""
    assert done.returncode in (1, 2), done.stderr
    (line,) = shown(done)
    assert line.startswith("error: ") and all(word in line for word in words), line


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    return shrunk.make_base(tmp_path_factory.mktemp("base") / "base")


@pytest.fixture(scope="module")
def release(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    made = run("flywheel", CONFIG, f"--out={folder}", "--tasks=82")
    assert made.returncode == 0, made.stderr
    return folder / "v0001"


def sft(base: Path, release: Path, folder: Path, **kwargs) -> subprocess.CompletedProcess[str]:
    return run("sft", CONFIG, f"--config.base={base}", f"--release={release}", f"--run_dir={folder}", **kwargs)


@pytest.fixture(scope="module")
def trained(base, release, tmp_path_factory) -> Path:
    """The run directory of a finished cold start."""
    folder = tmp_path_factory.mktemp("trained") / "run"
    done = sft(base, release, folder)
    assert done.returncode == 0, done.stderr
    return folder


def model_of(folder: Path) -> bytes:
    return (folder / "models" / "sft" / "model.safetensors").read_bytes()


def largest(folder: Path) -> Path:
    return max((p for p in folder.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


# --- a mistyped flag or key ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["loop", "tasks", "flywheel", "sft", "rl", "eval", "pretrain"])
def test_a_mistyped_flag_is_named_with_the_nearest_one(script):
    flag = {"tasks": "export", "flywheel": "gate", "eval": "out"}.get(script, "run_dir")
    says(run(script, f"--{flag}x=1"), f"unknown flag --{flag}x", f"did you mean --{flag}?")


@pytest.mark.parametrize("script", ["loop", "flywheel", "sft", "rl", "eval"])
def test_a_mistyped_key_is_named_with_the_nearest_one(script):
    says(run(script, "--config.sft.stps=3"), "'sft.stps'", "did you mean config.sft.steps?")


def test_a_mistyped_field_in_a_config_file_is_not_ignored(tmp_path):
    config = tmp_path / "mine.py"
    config.write_text(
        "from launch.configs import tiny\n\n\ndef get_config():\n    cfg = tiny.get_config()\n"
        "    cfg.sft.stps = 3\n    return cfg\n"
    )
    done = run("eval", f"--config={config}", "--model=scripted:null", "--limit=1", f"--out={tmp_path / 'out'}")
    says(done, "mine.py", "stps")
    assert not (tmp_path / "out").exists()


# --- a corrupt shard -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def damaged(base, release, trained, tmp_path_factory):
    """(readable trajectories, lost ones, the cold start on them) of a release with a flipped byte."""
    folder = tmp_path_factory.mktemp("damaged")
    copy = folder / "v0001"
    shutil.copytree(release, copy)
    (shard,) = copy.glob("sft-*")
    data = bytearray(shard.read_bytes())
    data[len(data.rstrip(b"\0")) // 2] ^= 0xFF
    shard.write_bytes(bytes(data))
    shutil.copytree(trained / "compiled", folder / "run" / "compiled")
    opened = read_release(copy)
    readable = len(list(opened.trajectories(Pool.SFT)))
    return readable, opened.quarantined, sft(base, copy, folder / "run")


def test_a_damaged_record_is_left_out_and_the_others_train(damaged):
    readable, lost, done = damaged
    assert readable >= 50 and lost >= 1
    assert done.returncode == 0 and f"on {readable} trajectories" in done.stdout, done.stderr
    assert "Traceback" not in done.stderr


def test_a_damaged_record_is_counted_where_a_person_looks(damaged):
    _, lost, done = damaged
    assert re.search(rf"\b{lost}\b.*(quarantined|unreadable|damaged)", done.stdout + done.stderr)


def test_a_release_without_a_readable_trajectory_is_one_line(base, release, tmp_path):
    copy = tmp_path / "v0001"
    shutil.copytree(release, copy)
    (shard,) = copy.glob("sft-*")
    cut(shard)
    says(sft(base, copy, tmp_path / "run"), "no example to train on", "check the release")


# --- a truncated checkpoint ----------------------------------------------------------------------------------------


def test_a_truncated_checkpoint_costs_one_step(base, release, trained, tmp_path):
    folder = tmp_path / "run"
    shutil.copytree(trained, folder)
    shutil.rmtree(folder / "models")
    cut(largest(folder / "sft" / "checkpoints" / "2" / "state"))
    done = sft(base, release, folder)
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if "damaged" in line]
    assert str(folder) in told and "step 2 is damaged" in told and "using step 1" in told
    assert model_of(folder) == model_of(trained)


def test_a_truncated_model_is_one_line(trained, tmp_path, capsys):
    model = tmp_path / "sft"
    shutil.copytree(trained / "models" / "sft", model)
    cut(model / "model.safetensors")
    with pytest.raises(ValueError, match="not a readable safetensors file") as caught:
        player_of(str(model), shrunk.get_config())  # what launch.eval and launch.rl begin with
    assert cli.report(caught.value) == 1
    line = capsys.readouterr().err
    assert line.count("\n") == 1 and str(model / "model.safetensors") in line


# --- a model that emits garbage for ever ---------------------------------------------------------------------------


def test_garbage_for_ever_is_scored_and_kept_as_text(tmp_path):
    done = run("eval", "--model=scripted:garbage", "--split=dev", "--limit=20", f"--out={tmp_path}")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    score = json.loads((tmp_path / "score.json").read_bytes())
    assert (score["success"]["successes"], score["success"]["total"], score["infrastructure"]) == (0, 20, 0)
    stops = json.loads((tmp_path / "failures.json").read_bytes())["by_stop"]
    assert sum(stops.values()) == 20 and set(stops) <= {"turn_limit", "token_limit", "context_limit", "finished"}
    assert len((tmp_path / "episodes.jsonl").read_bytes().splitlines()) == 20
    assert (tmp_path / "transcripts.md").read_text("utf-8")


# --- a tool that raises, a tool that hangs -------------------------------------------------------------------------

TASKS = load_suite("core", "dev", 8)
VICTIM = TASKS[0]


def played(folder: Path, env=None, tasks=TASKS, **options):
    """An evaluation of the expert on a few tasks, which it solves when nothing breaks."""
    model = ScriptedModel(oracle)
    return evaluate(model, env or make_env(BenchVerifier()), tasks, folder, identity="o", eta=tiny_eta(), **options)


def solved(result) -> list[bool]:
    return [result.score.outcomes[task.id] for task in TASKS]


def test_a_tool_that_raises_is_an_answer_to_the_planner(tmp_path, monkeypatch):
    def crash(ctx, *args, **kwargs):
        raise ZeroDivisionError("/secret/path")

    for tool in VICTIM.resources.tools:
        wrapped = functools.wraps(tools_by_name()[tool].function)(crash)
        monkeypatch.setitem(tools_by_name(), tool, Tool(tools_by_name()[tool].spec, wrapped))
    result = played(tmp_path)
    assert all(t.valid for t in result.trajectories) and result.score.infrastructure == 0
    steps = result.trajectories[0].steps
    answers = [f for step in steps for f in step.feedback]
    assert answers and {(f.code, f.error_type) for f in answers} == {(500, ErrorType.INTERNAL)}
    assert not solved(result)[0] and sum(solved(result)) >= 1
    assert "secret" not in (tmp_path / "transcripts.md").read_text()


class BrokenPhone:
    """The sandbox, but one task's calls break the backend itself."""

    def __init__(self):
        self.inner = make_env(BenchVerifier())

    def __getattr__(self, name):
        return getattr(self.inner, name)

    async def step(self, session, calls):
        if session.task.id == VICTIM.id:
            raise EnvFailure("the phone is gone")
        return await self.inner.step(session, calls)


def test_a_backend_that_breaks_is_no_failed_task_and_is_tried_again(tmp_path):
    done: list[str] = []
    first = played(tmp_path, BrokenPhone())
    assert first.score.infrastructure == 1 and not first.trajectories[0].valid
    assert first.trajectories[0].stop is StopReason.ENV_FAILURE
    assert "the phone is gone" in first.trajectories[0].invalid_reason
    assert solved(first) == [False] + [True] * 7
    again = played(tmp_path, on_done=lambda t: done.append(t.task.id))
    assert done == [VICTIM.id] and solved(again) == [True] * 8 and again.score.infrastructure == 0


def test_a_tool_that_hangs_ends_its_own_episode_only(tmp_path):
    faults = [Fault(tool=tool, error_type=ErrorType.TIMEOUT, hang_s=3600.0) for tool in VICTIM.resources.tools]
    hanging = msgspec.structs.replace(
        VICTIM,
        initial=msgspec.structs.replace(VICTIM.initial, faults=faults),
        limits=msgspec.structs.replace(Limits(), deadline_s=0.5),
    )
    patient = [
        msgspec.structs.replace(t, limits=msgspec.structs.replace(t.limits, deadline_s=600.0)) for t in TASKS[1:]
    ]
    result = played(tmp_path, tasks=[hanging, *patient])
    assert result.trajectories[0].stop is StopReason.DEADLINE and result.trajectories[0].valid
    assert solved(result) == [False] + [True] * 7
    assert json.loads((tmp_path / "failures.json").read_bytes())["by_stop"]["deadline"] == 1


# --- a full disk ---------------------------------------------------------------------------------------------------


def small_disk(size: int, folder: Path, kept: Path) -> tuple[str, ...]:
    """A command prefix: a disk of `size` bytes with the content of `kept` at `folder`; what is on it at the end
    replaces `kept`. Skips where an ordinary process may not mount."""
    folder.mkdir(exist_ok=True)
    kept.mkdir(exist_ok=True)
    script = (
        f'mount -t tmpfs -o size={size} none "$0" && cp -a "$1/." "$0" && k="$1" && d="$0" && shift && "$@"; code=$?; '
        'rm -rf "$k"; cp -a "$d" "$k"; exit $code'
    )
    prefix = ("unshare", "-Urm", "sh", "-c", script, str(folder), str(kept))
    if (
        shutil.which("unshare") is None
        or subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode
    ):
        pytest.skip("no user namespaces here")
    return prefix


EVAL = ("--model=scripted:oracle", "--split=dev", "--limit=30")


@pytest.fixture(scope="module")
def full_eval(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full_eval")
    disk, kept = folder / "disk", folder / "kept"
    return run("eval", *EVAL, f"--out={disk}", before=small_disk(65_536, disk, kept)), disk, kept


def test_a_full_disk_during_an_evaluation_is_one_line(full_eval):
    done, disk, _ = full_eval
    says(done, "no space left", "free some", str(disk / "episodes.jsonl"))


def test_a_full_disk_during_an_evaluation_keeps_the_episodes(full_eval):
    done, _, kept = full_eval
    assert done.returncode == 1 and "no space left" in shown(done)[-1] and "Traceback" not in done.stderr
    whole = [line for line in (kept / "episodes.jsonl").read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
    assert len(whole) >= 3
    again = run("eval", *EVAL, f"--out={kept}")
    assert again.returncode == 0, again.stderr
    assert (kept / "episodes.jsonl").read_bytes().startswith(b"".join(whole))
    assert json.loads((kept / "score.json").read_bytes())["success"]["successes"] == 30


@pytest.fixture(scope="module")
def full_sft(base, release, trained, tmp_path_factory):
    """A cold start that finds room for no second checkpoint."""
    folder = tmp_path_factory.mktemp("full_sft")
    disk, kept = folder / "disk", folder / "kept"
    shutil.copytree(trained, kept)
    shutil.rmtree(kept / "models")
    step = kept / "sft" / "checkpoints" / "2"
    needed = sum(p.stat().st_size for p in step.rglob("*") if p.is_file())
    shutil.rmtree(step)
    used = sum(-(-p.stat().st_size // 4096) + 1 for p in kept.rglob("*")) * 4096
    return sft(base, release, disk, before=small_disk(used + needed // 2, disk, kept)), disk, kept


def test_a_full_disk_during_training_is_one_line(full_sft):
    done, disk, _ = full_sft
    says(done, "checkpoint of step 2 not written, no space left", "step 1 is intact", str(disk))


def test_a_full_disk_during_training_keeps_the_last_checkpoint(full_sft, base, release, trained):
    done, _, kept = full_sft
    assert done.returncode == 1 and any("step 1 is intact" in line for line in shown(done)), done.stderr
    assert [p.name for p in (kept / "sft" / "checkpoints").iterdir()] == ["1"]
    again = sft(base, release, kept)
    assert again.returncode == 0 and model_of(kept) == model_of(trained), again.stderr


@pytest.fixture(scope="module")
def full_flywheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full_flywheel")
    disk, kept = folder / "disk", folder / "kept"
    return run("flywheel", CONFIG, "--tasks=82", f"--out={disk}", before=small_disk(150_000, disk, kept)), disk, kept


def test_a_full_disk_during_a_release_is_one_line(full_flywheel):
    done, disk, _ = full_flywheel
    says(done, "space", str(disk))


def test_a_full_disk_during_a_release_leaves_none_and_the_next_try_makes_it(full_flywheel, release):
    done, _, kept = full_flywheel
    assert done.returncode == 1 and "no space left" in shown(done)[-1] and "Traceback" not in done.stderr
    assert not (kept / "v0001").exists()
    again = run("flywheel", CONFIG, "--tasks=82", f"--out={kept}")
    assert again.returncode == 0, again.stderr
    fingerprints = [json.loads((p / "manifest.json").read_bytes())["fingerprint"] for p in (kept / "v0001", release)]
    assert fingerprints[0] == fingerprints[1]


# --- two loops in one directory ------------------------------------------------------------------------------------


def test_of_two_loops_in_one_directory_the_second_is_turned_away(base, tmp_path):
    folder = tmp_path / "run"
    args = [CONFIG, f"--config.base={base}", f"--run_dir={folder}"]
    first = subprocess.Popen(command("loop", *args), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        lock = folder / "run.lock"
        while first.poll() is None and not (lock.exists() and lock.read_text()):
            time.sleep(0.05)
        second = run("loop", *args)
        assert first.poll() is None
        says(second, str(folder), f"process {first.pid}", "already running here", "another run_dir")
        assert str(first.pid) in lock.read_text()  # the holder's name is still there for a third
    finally:
        first.kill()
        first.wait()
