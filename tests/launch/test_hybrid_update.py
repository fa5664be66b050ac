"""One RL update's episodes over servers: 64 in the sandbox, 8 on device doubles behind the real adb server."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter

import pytest

from launch.backends import make_sandbox
from qpa.bench import BenchVerifier, load_suite, oracle
from qpa.contract import Effect
from qpa.envs.mix import HybridEnv, Member
from qpa.harness import ScriptedModel, run_tasks, tiny_eta

pytest.importorskip("adbutils")
pytest.importorskip("starlette")

from qpa.envs.client import RemoteEnv
from qpa.envs.device.double.faults import DeviceFault, FaultKind, FaultScript
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
from qpa.envs.device.opening import open_devices
from qpa.envs.server import EnvServer
from qpa.envs.server_auth import Tokens, new_token
from qpa.envs.server_service import ServerLimits, Service

GROUP, PHONES = 8, 8


def test_devices_take_their_budget_and_a_hung_one_holds_up_nobody_else(tmp_path):
    token = new_token()
    with contextlib.ExitStack() as stack:
        fleet = stack.enter_context(Fleet(lambda index: SandboxPhone(14), PHONES))
        devices = Enrolment([EnrolledDevice(s, DeviceKind.DOUBLE, effects=list(Effect)) for s in fleet.serials])
        phones = stack.enter_context(open_devices(devices, tmp_path, verifier=BenchVerifier()))
        tasks = [t for t in load_suite("core", "dev") if not phones.supports(t)][:9]

        def served(backend):
            server = EnvServer(Service(backend, ServerLimits(max_sessions=80)), Tokens({"trainer": token}))
            return RemoteEnv(stack.enter_context(server.in_thread()), token)

        slow = Member(served(phones), share=0.5, budget=GROUP, seconds=120.0)
        env = HybridEnv([Member(served(make_sandbox())), slow], group_size=GROUP, seed=1)
        done: list[tuple[float, str]] = []
        fleet.set_faults(0, FaultScript(faults=[DeviceFault(kind=FaultKind.HANG)]))
        start = time.monotonic()
        played = asyncio.run(
            run_tasks(
                ScriptedModel(oracle, name="oracle"),
                env,
                [task for task in tasks for _ in range(GROUP)],
                eta=tiny_eta(),
                concurrency=9 * GROUP,
                temperature=0.0,
                seed=3,
                on_done=lambda t: done.append((time.monotonic() - start, t.backend)),
            )
        )
    assert Counter(t.backend for t in played) == {"sandbox": 64, "device": 8}
    assert len({t.task.id for t in played if t.backend == "device"}) == 1  # a group stays together
    assert all(t.valid and t.verdict.success for t in played), [t.invalid_reason for t in played if not t.valid]
    assert fleet.injected[FaultKind.HANG] > 0
    last = {name: max(at for at, backend in done if backend == name) for name in ("sandbox", "device")}
    assert last["sandbox"] < last["device"]
