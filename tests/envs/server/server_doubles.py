"""Backends that do what a test tells them, a served one on a real port, and plain ways to talk to it."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from websockets.sync.client import connect

from qpa.bench import BenchVerifier, load_suite, make_env
from qpa.contract import EnvFailure, Feedback, TaskSpec, ToolCall, Trajectory, Verdict
from qpa.envs import openenv
from qpa.envs.base import Capabilities
from qpa.envs.client import RemoteEnv
from qpa.envs.sandbox import SandboxEnv, SandboxSession
from qpa.envs.server import EnvServer, Listen
from qpa.envs.server_auth import Tokens
from qpa.envs.server_service import ServerLimits, Service

ROOT = Path(__file__).resolve().parents[3]
TOKEN = "q3v9Zt0mR8bL5xW2kY7cHs"
OTHER = "Tn4pE6gJ1dA0uK9rX3wFvB"
TRANSPORTS = ("socket", "http")
OWNERS = {"trainer": TOKEN, "other": OTHER}
DEADLINES = {"reset": 30.0, "step": 30.0, "verify": 30.0, "fork": 30.0, "close": 10.0}


@functools.cache
def sandbox() -> SandboxEnv:
    return make_env(BenchVerifier())


@functools.cache
def some_tasks(suite: str = "core", split: str = "dev", limit: int = 12) -> list[TaskSpec]:
    return load_suite(suite, split, limit=limit)


class Scripted:
    """The sandbox, but `before` may count, hang or raise first; what was executed is counted by call id."""

    name = "sandbox"

    def __init__(self, before: Callable[[str], Coroutine[Any, Any, None] | None] | None = None) -> None:
        self.inner = sandbox()
        self.before = before
        self.executed: Counter[tuple[int, str]] = Counter()
        self.counts: Counter[str] = Counter()
        self.open: set[int] = set()

    async def _first(self, operation: str) -> None:
        self.counts[operation] += 1
        if self.before is not None and (work := self.before(operation)) is not None:
            await work

    def catalog(self) -> Any:
        return self.inner.catalog()

    def capabilities(self) -> Capabilities:
        return self.inner.capabilities()

    def supports(self, task: TaskSpec) -> str:
        return "not here" if task.domain == "elsewhere" else ""

    async def reset(self, task: TaskSpec) -> SandboxSession:
        await self._first("reset")
        session = await self.inner.reset(task)
        self.open.add(id(session))
        return session

    async def step(self, session: SandboxSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        await self._first("step")
        for call in calls:
            self.executed[id(session), call.id] += 1
        return await self.inner.step(session, calls)

    async def verify(self, session: SandboxSession, trajectory: Trajectory) -> Verdict:
        await self._first("verify")
        return await self.inner.verify(session, trajectory)

    async def close(self, session: SandboxSession) -> None:
        await self._first("close")
        self.open.discard(id(session))
        await self.inner.close(session)


class Stubborn:
    """Waits until released, and does not react to cancellation: the worst a backend can do."""

    def __init__(self) -> None:
        self._released = False

    def release(self) -> None:
        self._released = True

    async def wait(self) -> None:
        end = time.monotonic() + 20
        while not self._released and time.monotonic() < end:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.01)


async def fail(failure: EnvFailure) -> None:
    raise failure


@dataclass
class Served:
    """A server on a real port and a synchronous caller of it."""

    url: str
    service: Service
    http: httpx.Client

    def post(self, operation: str, body: Any = None, *, token: str = TOKEN, **headers: str) -> httpx.Response:
        """A JSON request; `body` is bytes, or an object without its request id."""
        if not isinstance(body, bytes):
            body = msgspec.json.encode({"request_id": "r" + str(time.monotonic_ns())} | (body or {}))
        given = {"authorization": f"Bearer {token}", "content-type": "application/json"} | headers
        return self.http.post(f"/v1/{operation}", content=body, headers={k: v for k, v in given.items() if v})

    def get(self, path: str, token: str = TOKEN) -> httpx.Response:
        return self.http.get(path, headers={"authorization": f"Bearer {token}"})

    def lease(self, task: TaskSpec | None = None, token: str = TOKEN) -> dict[str, Any]:
        """A new session: what every further request of it carries."""
        answer = self.post("reset", {"task": task or some_tasks()[0]}, token=token)
        assert answer.status_code == 200, answer.text
        return {"session": answer.json()["session"], "epoch": answer.json()["epoch"]}

    def socket(self, token: str = TOKEN, path: str = "/v1/socket", **more: Any) -> Any:
        """A WebSocket connection."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        url = self.url.replace("http", "ws", 1) + path
        return connect(url, additional_headers=headers, proxy=None, compression=None, **more)

    def metric(self, line: str) -> float:
        """The value of one Prometheus line, 0 if it is not there."""
        found = [row for row in self.get("/metrics").text.splitlines() if row.startswith(line + " ")]
        return float(found[0].rsplit(" ", 1)[1]) if found else 0.0


@contextlib.contextmanager
def served(backend: Any = None, *, listen: Listen | None = None, **limits: Any) -> Iterator[Served]:
    """Serves a backend from a thread; a `Scripted` one starts counting when the server is warm."""
    limits["deadlines_s"] = DEADLINES | limits.get("deadlines_s", {})
    service = Service(backend or Scripted(), ServerLimits(**limits))
    with (
        EnvServer(
            service, Tokens(OWNERS), listen=listen, routes=openenv.routes(service, some_tasks)
        ).in_thread() as url,
        httpx.Client(base_url=url, trust_env=False, timeout=30, verify=False) as client,
    ):
        if isinstance(backend, Scripted):
            backend.counts.clear()
            backend.executed.clear()
        yield Served(url, service, client)


@contextlib.contextmanager
def server_process(folder: Path, *flags: str, port: int | None = None) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`launch.env_server` as a process of its own that takes `TOKEN`; gives its URL once it serves."""
    port = port or free_port()
    command = [sys.executable, "-m", "launch.env_server", f"--port={port}", *flags]
    with (folder / "server.log").open("w") as log:
        environment = {**os.environ, "QPA_ENV_TOKEN": TOKEN}
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=ROOT, env=environment, text=True)
    url = f"http://127.0.0.1:{port}"
    try:
        eventually(lambda: process.poll() is not None or answers(url), 60)
        assert process.poll() is None, (folder / "server.log").read_text()
        yield url, process
    finally:
        process.kill()
        process.wait(20)


def answers(url: str) -> bool:
    """Whether a server is there."""
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{url}/health", trust_env=False, timeout=5).status_code == 200
    return False


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.asynccontextmanager
async def remote(url: str, **more: Any) -> AsyncIterator[RemoteEnv]:
    env = RemoteEnv(url, more.pop("token", TOKEN), **more)
    try:
        yield env
    finally:
        await env.disconnect()


def cause_of(error: pytest.ExceptionInfo[EnvFailure]) -> str:
    return error.value.cause.value


def eventually(condition: Callable[[], Any], seconds: float = 10.0) -> None:
    """Waits for a condition of another thread; fails if it does not come."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.005)


def alarm(call_id: str = "1", at: str = "tomorrow 07:30") -> ToolCall:
    """A call that changes the phone of `some_tasks()[0]`."""
    return ToolCall(id=call_id, name="manage_alarm", arguments={"action": "create", "time": at, "title": "Run"})
