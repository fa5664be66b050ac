"""A trainer plays each update in an event loop of its own: devices outlive it."""

from __future__ import annotations

import asyncio

from qpa.bench import BenchVerifier, load_suite, oracle
from qpa.contract import Effect
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, EnrolledDevice, Enrolment
from qpa.envs.device.opening import open_devices
from qpa.harness import ScriptedModel, run_tasks, tiny_eta


def test_episodes_that_wait_for_a_phone_in_one_loop_after_another(tmp_path):
    with Fleet(lambda index: SandboxPhone(14), 1) as fleet:
        devices = Enrolment([EnrolledDevice(s, DeviceKind.DOUBLE, effects=list(Effect)) for s in fleet.serials])
        with open_devices(devices, tmp_path, verifier=BenchVerifier()) as env:
            tasks = [task for task in load_suite("core", "dev") if not env.supports(task)][:4]
            for _ in range(3):
                played = asyncio.run(
                    run_tasks(ScriptedModel(oracle), env, tasks, eta=tiny_eta(), temperature=0.0, concurrency=4)
                )
                assert [t.invalid_reason for t in played] == [""] * 4
                assert all(t.verdict is not None and t.verdict.success for t in played)
