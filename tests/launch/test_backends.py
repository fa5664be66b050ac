"""`config.env`: where episodes are played, from the launch scripts' point of view."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from launch.backends import mixed, open_backend, perturbed, where
from launch.cli import UsageError
from qpa.bench import load_suite, oracle
from qpa.config import EnvConfig
from qpa.harness import ScriptedModel, run_tasks, tiny_eta

pytest.importorskip("starlette")

TASKS = load_suite("core", "dev")[:12]


def played(env, tasks=TASKS):
    model = ScriptedModel(oracle, name="oracle")
    return asyncio.run(run_tasks(model, env, tasks, eta=tiny_eta(), temperature=0.0))


def processes() -> set[str]:
    """Ids of the servers that run on this machine."""
    found = set()
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # ended meanwhile
            if b"launch.env_server\0--port=0" in file.read_bytes():
                found.add(file.parent.name)
    return found


def test_local_servers_play_as_the_sandbox_does_and_end_with_the_block(tmp_path):
    before = processes()
    with open_backend(EnvConfig(), tmp_path) as sandbox:
        here = played(sandbox)
    with open_backend(EnvConfig(backend="local:2"), tmp_path / "env") as env:
        assert len(processes() - before) == 2
        there = played(env)
        again = played(env)  # on another event loop
    assert [t.backend for t in here] == [t.backend for t in there] == ["sandbox"] * len(TASKS)
    for a, b, c in zip(here, there, again, strict=True):
        assert a.verdict == b.verdict == c.verdict and a.verdict.success
        assert [s.feedback for s in a.steps] == [s.feedback for s in b.steps] == [s.feedback for s in c.steps]
    assert processes() == before
    assert oct((tmp_path / "env" / "env.token").stat().st_mode)[-3:] == "600"


def test_a_server_ends_when_its_parent_is_killed(tmp_path):
    code = (
        "import time; from pathlib import Path; from launch.backends import open_backend\n"
        "from qpa.config import EnvConfig\n"
        f"with open_backend(EnvConfig(backend='local'), Path({str(tmp_path)!r})):\n"
        "    print('up', flush=True); time.sleep(600)"
    )
    before = processes()
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "up\n"
        assert processes() - before
        os.kill(parent.pid, signal.SIGKILL)
    until = time.monotonic() + 30
    while processes() - before:
        assert time.monotonic() < until, "the server outlived its parent"
        time.sleep(0.05)


def test_a_server_that_does_not_start_is_said_with_its_log(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    message = re.escape(f"did not start: see {tmp_path / 'env_server-0.log'}")
    with pytest.raises(RuntimeError, match=message), open_backend(EnvConfig(backend="local"), tmp_path):
        pass


@pytest.mark.parametrize(
    ("cfg", "message"),
    [
        (EnvConfig(backend="sandbx"), "backend 'sandbx': want one of sandbox, local:N"),
        (EnvConfig(backend="sandbox+nothing"), "backend 'nothing'"),
        (EnvConfig(backend="double:2@7"), "double:2@7: Android versions are 8 to 16"),
        (EnvConfig(backend="device:"), "backend 'device:'"),
        (EnvConfig(perturb="wild"), "config.env.perturb=wild: the presets are mild, standard, heldout"),
    ],
)
def test_what_does_not_exist_is_said(tmp_path, cfg, message):
    with pytest.raises(UsageError, match=re.escape(message)), open_backend(cfg, tmp_path):
        pass


def test_urls_need_a_token(tmp_path, monkeypatch):
    monkeypatch.delenv("QPA_ENV_TOKEN", raising=False)
    cfg = EnvConfig(backend="http://127.0.0.1:1")
    with pytest.raises(ValueError, match="QPA_ENV_TOKEN"), open_backend(cfg, tmp_path):
        pass


def test_a_mix_sends_a_share_to_the_later_backend_and_a_preset_wraps_it(tmp_path):
    cfg = EnvConfig(backend="sandbox+sandbox", share=0.5, budget=4, perturb="mild")
    with open_backend(EnvConfig(), tmp_path) as one, open_backend(EnvConfig(), tmp_path) as two:
        two.name = "second"
        env = perturbed(mixed([one, two], cfg, group_size=1, seed=0), cfg, 0)
        backends = [t.backend for t in played(env)]
    assert env.name == "perturbed-hybrid"
    assert set(backends) == {"perturbed-sandbox", "perturbed-second"} and backends.count("perturbed-second") <= 4


def test_where_tells_results_apart():
    assert where(EnvConfig()) == where(EnvConfig(backend="local:3")) == ""
    assert where(EnvConfig(perturb="mild")) == "perturbed: mild"
    assert where(EnvConfig(backend="local+http://a:1")) == "backend sandbox+http://a:1"
