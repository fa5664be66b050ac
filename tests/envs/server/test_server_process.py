"""`launch.env_server` as people run it: a process that makes its token, serves, stops at SIGTERM, and has no JAX."""

from __future__ import annotations

import json
import re
import signal
from pathlib import Path

import httpx
import pytest
from server_doubles import TOKEN, answers, eventually, free_port, server_process, some_tasks

from launch.env_serving import serve
from qpa.envs.client import RemoteEnv
from qpa.envs.server_auth import find_token

SETTINGS = {
    "backend": "sandbox", "host": "127.0.0.1", "port": 0, "workers": 1, "max_sessions": 1, "idle_s": 1.0,
    "deadlines_s": {}, "max_bytes": 1024, "certificate": None, "key": None, "keepalive_s": 0.0,
    "suite": "core", "split": "dev",
}  # fmt: skip
HEAVY = ("jax", "flax", "orbax", "optax", "grain", "torch", "pydantic")


def test_a_process_serves_and_ends_cleanly_at_sigterm(tmp_path):
    with server_process(tmp_path, "--max_sessions=3", "--idle_s=30") as (url, process):
        env = RemoteEnv(url, TOKEN)
        assert (env.name, env.max_sessions, env.about().idle_s) == ("sandbox", 3, 30.0)
        assert env.supports(some_tasks()[0]) == ""
        maps = Path(f"/proc/{process.pid}/maps").read_text() if Path("/proc/self/maps").exists() else ""
        loaded = [name for name in HEAVY if re.search(rf"/{name}(lib)?/", maps)]
        assert not loaded, "shared objects of packages that the server must do without"
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGTERM
    lines = [json.loads(line) for line in (tmp_path / "server.log").read_text().splitlines()]
    assert [line["event"] for line in lines if line["event"] in ("serving", "stopped")] == ["serving", "stopped"]
    assert TOKEN not in (tmp_path / "server.log").read_text()


def test_workers_have_ports_of_their_own_and_end_together(tmp_path):
    port = free_port()
    with server_process(tmp_path, "--workers=2", f"--token_file={tmp_path}/token", port=port) as (url, process):
        second = f"http://127.0.0.1:{port + 1}"
        eventually(lambda: answers(second), 60)
        token = find_token(tmp_path / "token")
        for address in (url, second):
            headers = {"authorization": f"Bearer {token}"}
            assert httpx.get(f"{address}/ready", headers=headers, trust_env=False, timeout=20).status_code == 200
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        assert not answers(url) and not answers(second)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"token_file": None}, "QPA_ENV_TOKEN"),
        ({"backend": "toaster"}, "sandbox"),
        ({"workers": 2}, "--port=0"),
        ({"certificate": "x.pem"}, "both"),
        ({"max_sessions": 0}, "max_sessions"),
    ],
)
def test_what_cannot_be_is_a_clear_error(tmp_path, monkeypatch, settings, words):
    monkeypatch.delenv("QPA_ENV_TOKEN", raising=False)
    with pytest.raises(ValueError, match=words):
        serve(**SETTINGS | {"token_file": str(tmp_path / "token")} | settings)
