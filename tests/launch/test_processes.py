"""Training scripts as two processes of one run, started as a person starts them."""

from __future__ import annotations

import json
import os
import socket
import subprocess

import pytest
from shrunk import CONFIG, ROOT, command, run


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--coordinator=localhost:1"], "--coordinator, --processes and --process belong together"),
        (["--coordinator=localhost:1", "--processes=2", "--process=2"], "--process=2: there are 2, counted from 0"),
        (["--distributed"], "--distributed: no other processes found"),
    ],
)
def test_a_group_that_cannot_be_is_refused(flags, said, tmp_path):
    done = run("sft", f"--release={tmp_path}", f"--run_dir={tmp_path / 'run'}", *flags)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and said in done.stderr, done.stderr


def test_two_processes_train_one_run_and_one_process_finds_it_finished(tmp_path, base):
    assert run("flywheel", f"--out={tmp_path}", "--tasks=82").returncode == 0
    out = tmp_path / "run"
    args = [CONFIG, f"--config.base={base}", f"--release={tmp_path / 'v0001'}", f"--run_dir={out}"]
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        group = [f"--coordinator=127.0.0.1:{s.getsockname()[1]}", "--processes=2"]
    starts = [command("sft", *args, *group, f"--process={i}") for i in range(2)]
    pair = [subprocess.Popen(s, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, text=True) for s in starts]
    said = [process.communicate(timeout=600)[0] for process in pair]
    assert [process.returncode for process in pair] == [0, 0]
    assert f"model: {out / 'models' / 'sft'}" in said[0] and "model:" not in said[1]
    steps = [json.loads(line)["step"] for line in (out / "sft" / "metrics.jsonl").read_text().splitlines()]
    assert steps == [1, 2]
    weights = out / "models" / "sft" / "model.safetensors"
    exported = weights.read_bytes()
    weights.unlink()
    again = run("sft", *args)
    assert again.returncode == 0, again.stderr
    assert weights.read_bytes() == exported
    assert not (out / "sft" / "checkpoints-damaged").exists()
