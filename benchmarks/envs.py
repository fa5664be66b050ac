"""What the environment server costs: one step, many sessions at once, a thousand leases; in process beside it.

    python -m benchmarks.envs              # about half a minute

The server is a process of its own on loopback (`launch.env_server`), the caller one asyncio process. Medians.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.contract import TaskSpec, ToolCall
from qpa.envs.client import RemoteEnv
from qpa.envs.pool import EnvPool
from qpa.envs.server_auth import TOKEN_VARIABLE, find_token, new_token
from qpa.harness import ScriptedModel, run_episode, tiny_eta

ROOT = Path(__file__).resolve().parents[1]


@contextlib.contextmanager
def servers(count: int) -> Iterator[list[tuple[str, int]]]:
    """Server processes; (URL, process id) of each once all answer."""
    found, processes = [], []
    try:
        for _ in range(count):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            command = [sys.executable, "-m", "launch.env_server", f"--port={port}", "--max_sessions=2000"]
            processes.append(subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL))
            found.append((f"http://127.0.0.1:{port}", processes[-1].pid))
        for url, _ in found:
            end = time.monotonic() + 60
            while not _answers(url):
                if time.monotonic() > end:
                    raise RuntimeError(f"{url} does not answer")
                time.sleep(0.05)
        yield found
    finally:
        for process in processes:
            process.terminate()
            process.wait()


def _answers(url: str) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"{url}/health", trust_env=False, timeout=5).status_code == 200
    return False


def calls(count: int) -> list[ToolCall]:
    """Alarms, each at its own time."""
    return [
        ToolCall(
            id=f"{i}",
            name="manage_alarm",
            arguments={"action": "create", "time": f"tomorrow {i // 60 % 24:02}:{i % 60:02}", "title": "Run"},
        )
        for i in range(count)
    ]


async def step_ms(env: Any, task: TaskSpec, count: int = 400) -> float:
    """Milliseconds of one step on one connection, median."""
    session, times = await env.reset(task), []
    for call in calls(count):
        begin = time.perf_counter()
        await env.step(session, [call])
        times.append(time.perf_counter() - begin)
    await env.close(session)
    return 1000 * statistics.median(times)


async def steps_per_s(env: Any, task: TaskSpec, sessions: int = 64, each: int = 60) -> float:
    """Steps a second over so many sessions at a time."""
    made = [await env.reset(task) for _ in range(sessions)]

    async def work(session: Any) -> None:
        for call in calls(each):
            await env.step(session, [call])

    begin = time.perf_counter()
    await asyncio.gather(*map(work, made))
    seconds = time.perf_counter() - begin
    await asyncio.gather(*map(env.close, made))
    return sessions * each / seconds


async def many_leases(env: RemoteEnv, task: TaskSpec, pid: int, count: int = 1000) -> str:
    """Leases so many sessions, steps each once, closes all; a line of what it took."""
    before, begin = _memory_mb(pid), time.perf_counter()
    sessions = await asyncio.gather(*(env.reset(task) for _ in range(count)))
    leased = time.perf_counter() - begin
    (call,) = calls(1)
    await asyncio.gather(*(env.step(session, [call]) for session in sessions))
    stepped, alive, memory = time.perf_counter() - begin, len(await env.sessions()), _memory_mb(pid)
    await asyncio.gather(*map(env.close, sessions))
    return (
        f"{alive} leased in {leased:.2f} s, a step of each in {stepped - leased:.2f} s, "
        f"{(memory - before) / count:.2f} MB each, {len(await env.sessions())} left after closing"
    )


def _memory_mb(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


async def episodes_per_s(env: Any, tasks: list[TaskSpec], concurrency: int = 32) -> float:
    """Oracle episodes a second: reset, turns, verification, close."""
    waiting, begin = iter(tasks), time.perf_counter()

    async def work() -> None:
        for task in waiting:
            played = await run_episode(ScriptedModel(oracle, name="oracle"), env, task, eta=tiny_eta())
            assert played.verdict is not None and played.verdict.success, played.invalid_reason

    await asyncio.gather(*(work() for _ in range(concurrency)))
    return len(tasks) / (time.perf_counter() - begin)


async def main() -> None:
    """Prints one line per figure."""
    os.environ.setdefault(TOKEN_VARIABLE, new_token())
    tasks, local = load_suite("core", "dev"), make_env(BenchVerifier())
    task, token = tasks[0], find_token()
    await episodes_per_s(local, tasks)  # warm
    print(f"in process: {await step_ms(local, task):.3f} ms a step, {await steps_per_s(local, task):.0f} steps/s, "
          f"{await episodes_per_s(local, tasks * 3):.0f} episodes/s")  # fmt: skip
    with servers(2) as [(url, pid), (second, _)]:
        for transport in ("socket", "http"):
            env = await RemoteEnv(url, token, transport=transport).connect(tasks)
            await episodes_per_s(env, tasks)
            print(f"{transport}: {await step_ms(env, task):.3f} ms a step, {await steps_per_s(env, task):.0f} steps/s, "
                  f"{await episodes_per_s(env, tasks):.0f} episodes/s")  # fmt: skip
            if transport == "socket":
                print("  " + await many_leases(env, task, pid))
            await env.disconnect()
        pool = await EnvPool([RemoteEnv(url, token), RemoteEnv(second, token)]).connect(tasks)
        await episodes_per_s(pool, tasks)
        steps, episodes = await steps_per_s(pool, task), await episodes_per_s(pool, tasks)
        print(f"pool of 2: {steps:.0f} steps/s, {episodes:.0f} episodes/s")
        await pool.disconnect()


if __name__ == "__main__":
    asyncio.run(main())
