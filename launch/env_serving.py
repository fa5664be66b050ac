"""What `launch.env_server` does: one server, or several of them as processes."""

from __future__ import annotations

import ipaddress
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from launch.backends import open_part
from launch.cli import UsageError
from qpa.contract import TaskSpec
from qpa.envs.server_auth import TOKEN_VARIABLE, Tokens, find_token, read_tokens, write_token
from qpa.envs.server_service import ServerLimits

_STOPPING_S = 30.0


def serve(*, workers: int, port: int, token_file: str | None, **settings: Any) -> None:
    """Serves until SIGTERM or Ctrl-C. Raises `UsageError` for settings that cannot be."""
    tokens = _tokens(token_file)
    if workers == 1:
        _serve_one(port=port, tokens=tokens, **settings)
    elif port == 0:
        raise UsageError("--port=0 is for one worker: with more the ports are PORT, PORT+1, ...")
    else:
        _serve_many(workers, port)


def end_with_stdin() -> None:
    """Ends this process, as SIGTERM would, once standard input is closed: a child that outlives no parent."""

    def watch() -> None:
        while sys.stdin.buffer.read(4096):
            pass
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="end-with-stdin", daemon=True).start()


def _tokens(path: str | None) -> Tokens:
    if path is None:
        if TOKEN_VARIABLE not in os.environ:
            raise UsageError(
                f"who may call? Name a file with --token_file (it is made if absent) or set {TOKEN_VARIABLE}"
            )
        return Tokens({"default": find_token()})
    if not Path(path).exists():
        write_token(path)
        print(f"a fresh token is in {path}", file=sys.stderr)
    return Tokens(read_tokens(path))


def _serve_one(
    *,
    backend: str,
    host: str,
    port: int,
    tokens: Tokens,
    max_sessions: int,
    idle_s: float,
    deadlines_s: dict[str, float],
    max_bytes: int,
    certificate: str | None,
    key: str | None,
    keepalive_s: float,
    suite: str,
    split: str,
) -> None:
    from qpa.envs import openenv
    from qpa.envs.server import EnvServer, Listen
    from qpa.envs.server_metrics import JsonLines, log
    from qpa.envs.server_service import Service

    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    for name in ("qpa.envs.server", "uvicorn"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO if name.startswith("qpa") else logging.WARNING)
        logger.handlers, logger.propagate = [handler], False
    if certificate is None and not _is_loopback(host):
        log(logging.WARNING, "no TLS: tokens and tasks travel in the clear", host=host)
    limits = ServerLimits(max_sessions, idle_s, ServerLimits().deadlines_s | deadlines_s, max_bytes)
    with tempfile.TemporaryDirectory() as folder, open_part(backend, Path(folder)) as served:
        service = Service(served, limits)
        EnvServer(
            service,
            tokens,
            listen=Listen(host, port, certificate, key, keepalive_s or None),
            routes=openenv.routes(service, partial(_tasks, suite, split)),
        ).run()


def _tasks(suite: str, split: str) -> list[TaskSpec]:
    """Those that an OpenEnv client may name or number. Raises ValueError for an unknown suite or split."""
    from qpa.bench import load_suite

    return load_suite(suite, split)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _serve_many(workers: int, port: int) -> None:
    """The same command once per worker, each on its port; when one ends, or at a signal, all are ended."""
    command = [sys.executable, "-m", "launch.env_server", *sys.argv[1:]]
    children = [subprocess.Popen([*command, "--workers=1", f"--port={port + i}"]) for i in range(workers)]

    def stop(number: int, frame: FrameType | None) -> None:
        for child in children:
            child.terminate()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        os.wait()
    finally:
        for child in children:
            child.terminate()
        for child in children:
            child.wait(_STOPPING_S)
