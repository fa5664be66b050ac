"""A soak of the environment servers: oracle episodes over a pool while connections drop, backends hang and fail, and a
server is killed. Compared with the same run without faults.

    python -m benchmarks.env_soak                          # 2,000 episodes, a minute or two
    python -m benchmarks.env_soak --episodes=300 --seed=1

What must hold, and is checked: every episode ends with the oracle's success, none is lost or counted twice, no call
acted twice on its session, no infrastructure failure became a score, every fault has a cause that was counted.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx

from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.contract import EnvFailure, FailureCause, Feedback, TaskSpec, ToolCall, Trajectory, Verdict
from qpa.envs.client import RemoteEnv
from qpa.envs.pool import EnvPool
from qpa.envs.sandbox.loaders import loader_name
from qpa.envs.sandbox.session import SandboxSession
from qpa.envs.server import EnvServer, Listen
from qpa.envs.server_auth import TOKEN_VARIABLE, Tokens, find_token, new_token
from qpa.envs.server_service import ServerLimits, Service
from qpa.envs.skills import builtin_skills
from qpa.harness import ScriptedModel, run_episode, tiny_eta
from qpa.harness.runner import episode_seed

ROOT = Path(__file__).resolve().parents[1]
STEP_S = 0.25  # the deadline that a hang costs: hundreds of sandbox steps
TRIES = 8  # of one episode


class Faulty:
    """The sandbox, where a share of the sessions hangs or fails at one of its operations; counts what it executed."""

    name = "sandbox"

    def __init__(self, rate: float, seed: int) -> None:
        self._inner = make_env(BenchVerifier())
        self._chance, self._rate = random.Random(seed), rate
        self.executed: Counter[tuple[str, str]] = Counter()
        self.faults: Counter[str] = Counter()
        self.catalog, self.capabilities, self.supports = (
            self._inner.catalog,
            self._inner.capabilities,
            self._inner.supports,
        )

    async def reset(self, task: TaskSpec) -> Any:
        fault = self._chance.choice(("hang", "transient", "bug")) if self._chance.random() < self._rate else ""
        where = self._chance.choice(("reset", "step", "verify")) if fault else ""
        if task.id == "probe":
            where = ""
        await self._meet(fault, where == "reset")
        session = await self._inner.reset(task)
        session.fault, session.where = fault, where
        return session

    async def step(self, session: Any, calls: Sequence[ToolCall]) -> list[Feedback]:
        await self._meet(session.fault, session.where == "step")
        for call in calls:
            self.executed[session.id, call.id] += 1
        return await self._inner.step(session, calls)

    async def verify(self, session: Any, trajectory: Trajectory) -> Verdict:
        await self._meet(session.fault, session.where == "verify")
        return await self._inner.verify(session, trajectory)

    async def close(self, session: Any) -> None:
        await self._inner.close(session)

    async def _meet(self, fault: str, here: bool) -> None:
        if not here:
            return
        self.faults[fault] += 1
        if fault == "hang":
            await asyncio.sleep(60)
        if fault == "transient":
            raise EnvFailure("injected", FailureCause.TRANSIENT)
        raise RuntimeError("injected")


def some_tasks(kinds: int) -> list[TaskSpec]:
    """The different tasks of a soak."""
    return load_suite("core", "dev", limit=kinds)


def serve(port: int, rate: float, seed: int, kinds: int, report: str, step_s: float) -> None:
    """One server process; at its end it writes what it injected and which calls it executed more than once."""
    backend = Faulty(rate, seed)
    deadlines = {"reset": step_s, "step": step_s, "verify": step_s, "fork": 5.0, "close": 5.0}
    for task in some_tasks(kinds):  # makes each world once, so that no reset has to
        SandboxSession("warm", task, {loader_name(skill.name): skill for skill in builtin_skills()}).close()
    service = Service(backend, ServerLimits(max_sessions=200, deadlines_s=deadlines))
    signal.signal(signal.SIGUSR1, lambda *_: _write_report(backend, report))
    EnvServer(service, Tokens({"soak": find_token()}), listen=Listen(port=port)).run()


def _write_report(backend: Faulty, report: str) -> None:
    doubled = [key for key, count in backend.executed.items() if count > 1]
    text = json.dumps({"faults": backend.faults, "executed": len(backend.executed), "doubled": doubled})
    Path(report + ".new").write_text(text)
    os.replace(report + ".new", report)


class Relay:
    """A TCP relay that cuts connections at random, a request through and its answer lost; `cuts` counts."""

    def __init__(self, port: int, every: int, seed: int) -> None:
        self.port, self.cuts = port, 0
        self._every, self._chance = every, random.Random(seed)
        self._server: asyncio.Server | None = None

    async def start(self) -> str:
        """The URL to use instead of the server's."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self.port)
        except OSError:
            writer.transport.abort()
            return
        back = asyncio.ensure_future(self._copy(up_reader, writer))
        with contextlib.suppress(OSError):
            while data := await reader.read(2**18):
                up_writer.write(data)
                await up_writer.drain()
                if self._every and self._chance.random() < 1 / self._every:
                    self.cuts += 1
                    break
        back.cancel()
        for end in (writer, up_writer):
            end.transport.abort()

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(2**18):
                writer.write(data)
                await writer.drain()
        writer.transport.abort()


@contextlib.contextmanager
def server_process(
    folder: Path, name: str, rate: float, seed: int, kinds: int, step_s: float
) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """A server of the soak; gives its port once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "benchmarks.env_soak",
        f"--serve={port}",
        f"--rate={rate}",
        f"--seed={seed}",
        f"--kinds={kinds}",
        f"--deadline_s={step_s}",
    ]
    with (folder / f"{name}.log").open("wb") as log:
        process = subprocess.Popen([*command, f"--report={folder / name}"], stdout=log, stderr=log, cwd=ROOT)
    try:
        end = time.monotonic() + 60
        while not _answers(port):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError((folder / f"{name}.log").read_text())
            time.sleep(0.05)
        yield port, process
    finally:
        process.kill()
        process.wait()


def _answers(port: int) -> bool:
    with contextlib.suppress(httpx.TransportError):
        return httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False, timeout=5).status_code == 200
    return False


async def play(
    pool: EnvPool, tasks: Sequence[TaskSpec], concurrency: int, on_done: Callable[[int], None]
) -> tuple[list[list[Trajectory]], float]:
    """Plays every task until it has a valid episode, at most `TRIES` times; all tries of each task, and seconds."""
    tries: list[list[Trajectory]] = [[] for _ in tasks]
    waiting, begin, done = iter(range(len(tasks))), time.perf_counter(), 0

    async def work() -> None:
        nonlocal done
        for index in waiting:
            while len(tries[index]) < TRIES:
                seed = episode_seed(len(tries[index]), tasks[index].id, index)
                model = ScriptedModel(oracle, name="oracle")
                tries[index].append(await run_episode(model, pool, tasks[index], eta=tiny_eta(), seed=seed))
                if tries[index][-1].valid:
                    break
            done += 1
            on_done(done)

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(work())
    return tries, time.perf_counter() - begin


def soak(
    folder: Path,
    episodes: int,
    rate: float,
    seed: int,
    kill: bool,
    *,
    kinds: int,
    concurrency: int = 32,
    step_s: float = STEP_S,
) -> dict[str, Any]:
    """One run over two servers; everything that the checks and the table need."""
    some = some_tasks(kinds)
    tasks = [some[i % len(some)] for i in range(episodes)]
    per_cut = int(3 * 3 / rate) if rate else 0  # three kinds of trouble, about three requests an episode
    with (
        server_process(folder, "first", rate * 2 / 3, seed, kinds, step_s) as (port, process),
        server_process(folder, "second", rate * 2 / 3, seed + 1, kinds, step_s) as (doomed_port, doomed),
    ):

        async def main() -> dict[str, Any]:
            relays = [Relay(p, per_cut, seed + i) for i, p in enumerate((port, doomed_port))]
            envs = [RemoteEnv(await relay.start(), find_token(), patience_s=0.5) for relay in relays]
            pool = await EnvPool(envs).connect(some)

            def on_done(done: int) -> None:
                if kill and done == int(0.8 * episodes):
                    doomed.send_signal(signal.SIGUSR1)
                    while not (folder / "second").exists():
                        time.sleep(0.005)
                    doomed.kill()

            tries, seconds = await play(pool, tasks, concurrency, on_done)
            open_sessions = len(await envs[0].sessions())
            await pool.disconnect()
            for relay in relays:
                relay.stop()
            return {
                "tries": tries,
                "seconds": seconds,
                "cuts": sum(relay.cuts for relay in relays),
                "left_open": open_sessions,
                "failures": dict(pool.failures),
                "placed": [member.placed for member in pool.members],
            }

        found = asyncio.run(main())
        for running in (process, doomed):
            if running.poll() is None:
                running.send_signal(signal.SIGUSR1)
        reports = [_report(folder / name) for name in ("first", "second")]
    found["faults"] = sum((Counter(report["faults"]) for report in reports), Counter())
    found["doubled"] = [key for report in reports for key in report["doubled"]]
    return found


def _report(path: Path) -> dict[str, Any]:
    end = time.monotonic() + 10
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.01)
    return json.loads(path.read_text())


def problems(found: dict[str, Any]) -> list[str]:
    """What does not hold; empty if all does."""
    tries: list[list[Trajectory]] = found["tries"]
    wrong = [f"lost: episode {i} has no valid try" for i, t in enumerate(tries) if not t or not t[-1].valid]
    wrong += [f"doubled: episode {i}" for i, t in enumerate(tries) if sum(x.valid for x in t) > 1]
    scored = [x for t in tries for x in t if x.verdict is not None]
    wrong += [f"scored 0: {x.task.id}: {x.verdict}" for x in scored if x.verdict is not None and not x.verdict.success]
    wrong += [f"scored though invalid: {x.invalid_reason}" for t in tries for x in t if not x.valid and x.verdict]
    wrong += [f"acted twice: {key}" for key in found["doubled"]]
    wrong += [f"{found['left_open']} sessions left open"] if found["left_open"] else []
    invalid = [x for t in tries for x in t if not x.valid]
    wrong += [f"no cause: {x.invalid_reason}" for x in invalid if "/" not in x.invalid_reason.split(":")[1]]
    injected, counted = sum(found["faults"].values()), sum(found["failures"].values())
    if counted < injected:
        wrong.append(f"{injected} faults injected, {counted} failures counted")
    return wrong


def main() -> int:
    """Runs the soak and prints the table; 1 if something does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--episodes", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=0.1, help="share of the episodes that meet a fault")
    parser.add_argument("--kinds", type=int, default=40, help="different tasks")
    parser.add_argument("--deadline_s", type=float, default=STEP_S, help="of a step, reset or verification")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--serve", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--report", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve, options.rate, options.seed, options.kinds, options.report, options.deadline_s)
        return 0
    os.environ.setdefault(TOKEN_VARIABLE, new_token())
    import tempfile

    results = {}
    for label, rate in (("without faults", 0.0), ("with faults", options.rate)):
        with tempfile.TemporaryDirectory() as folder:
            found = results[label] = soak(
                Path(folder),
                options.episodes,
                rate,
                options.seed,
                kill=rate > 0,
                kinds=options.kinds,
                step_s=options.deadline_s,
            )
        invalid = sum(not x.valid for tries in found["tries"] for x in tries)
        print(f"{label}: {options.episodes} episodes in {found['seconds']:.1f} s, {invalid} played again", flush=True)
        print(
            f"  injected {dict(found['faults'])}, connections cut {found['cuts']}, sessions by server {found['placed']}"
        )
        print(f"  failures counted {found['failures']}")
        for wrong in problems(found):
            print(f"  PROBLEM {wrong}")
    ratio = results["with faults"]["seconds"] / results["without faults"]["seconds"]
    print(f"time with faults / without: {ratio:.2f}")
    return int(any(problems(found) for found in results.values()))


if __name__ == "__main__":
    sys.exit(main())
