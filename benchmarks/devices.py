"""What device doubles carry: shell calls through a real adb server, whole episodes, and those over a server too.

    python -m benchmarks.devices --phones=64              # about a minute

Doubles, adb server and caller share the machine's cores. `adb` is the one of the adbutils package.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from absl import app, flags, logging

from qpa.bench import BenchVerifier, load_suite, oracle
from qpa.contract import Effect, TaskSpec
from qpa.envs.client import RemoteEnv
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
from qpa.envs.device.env import DeviceEnv
from qpa.envs.device.link import AdbLink
from qpa.envs.server import EnvServer
from qpa.envs.server_auth import Tokens, new_token
from qpa.envs.server_service import ServerLimits, Service
from qpa.harness import ScriptedModel, run_tasks, tiny_eta

_PHONES = flags.DEFINE_integer("phones", 64, "doubles in one process", lower_bound=1)
_CALLS = flags.DEFINE_integer("calls", 40, "shell calls to each", lower_bound=1)
_EPISODES = flags.DEFINE_integer("episodes", 150, "episodes of each measurement", lower_bound=1)


class Counting(AdbLink):
    """A link that counts what is asked of it."""

    calls = 0

    async def _run(self, *args: Any) -> Any:
        Counting.calls += 1
        return await super()._run(*args)


@contextlib.contextmanager
def phones(folder: Path) -> Iterator[tuple[list[Counting], DeviceEnv]]:
    """The fleet behind a fresh adb server: its links, and an environment over them."""
    with Fleet(lambda index: SandboxPhone(14), _PHONES.value) as fleet, contextlib.closing(AdbServer.start()) as server:
        effects = list(Effect)
        devices = [EnrolledDevice(s, DeviceKind.DOUBLE, effects=effects) for s in fleet.serials]
        links = {device.serial: Counting(server, device) for device in devices}
        env = DeviceEnv(Enrolment(devices), lambda d: links[d.serial], folder, verifier=BenchVerifier())
        yield list(links.values()), env


async def shell_calls(links: list[Counting]) -> float:
    """Shell calls a second, all phones at once, one call at a time each."""

    async def work(link: Counting, count: int) -> None:
        for i in range(count):
            found = await link.shell("echo", f"{i} ok", deadline_s=60)
            assert found.stdout == f"{i} ok\n".encode()

    await asyncio.gather(*(work(link, 1) for link in links))  # connects
    begin = time.perf_counter()
    await asyncio.gather(*(work(link, _CALLS.value) for link in links))
    return len(links) * _CALLS.value / (time.perf_counter() - begin)


async def episodes(env: Any, tasks: list[TaskSpec]) -> str:
    """Oracle episodes, as many at a time as there are phones."""
    before, begin = Counting.calls, time.perf_counter()
    model = ScriptedModel(oracle, name="oracle")
    played = await run_tasks(
        model, env, tasks, eta=tiny_eta(), concurrency=_PHONES.value, temperature=0.0, call_timeout_s=120.0
    )
    seconds, made = time.perf_counter() - begin, Counting.calls - before
    solved = sum(t.valid and t.verdict is not None and t.verdict.success for t in played)
    return (
        f"{len(played)} episodes in {seconds:.1f} s, {len(played) / seconds:.1f} a second, {made / seconds:.0f} device "
        f"calls/s, {sum(t.valid for t in played)} served, {solved} solved"
    )


def main(_: list[str]) -> None:
    """Prints one line per figure."""
    logging.set_verbosity(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder, phones(Path(folder)) as (links, env):
        able = [task for task in load_suite("core", "dev") if not env.supports(task)]
        tasks = [able[i % len(able)] for i in range(_EPISODES.value)]
        print(f"{len(links)} doubles, {asyncio.run(shell_calls(links)):.0f} shell calls/s", flush=True)
        print("in process: " + asyncio.run(episodes(env, tasks)), flush=True)
        token = new_token()
        service = Service(env, ServerLimits(max_sessions=2 * len(links)))
        with EnvServer(service, Tokens({"bench": token})).in_thread() as url:
            print("over the server: " + asyncio.run(episodes(RemoteEnv(url, token), tasks)), flush=True)


if __name__ == "__main__":
    app.run(main)
