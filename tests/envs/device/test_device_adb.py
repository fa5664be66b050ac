"""`DeviceEnv` through a real adb server to doubles on the wire: episodes, verbatim text, hangs, several at a time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from env_phones import EVERYTHING, Player, task_of
from verb_phones import HOSTILE

from qpa.bench import BenchVerifier, load_suite, make_env, oracle, run_actions
from qpa.contract import EnvFailure, ErrorType, FailureCause
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.double.faults import DeviceFault, FaultKind, FaultScript
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind, DeviceLimits, EnrolledDevice, Enrolment
from qpa.envs.device.env import DeviceEnv
from qpa.envs.device.link import AdbLink
from qpa.envs.device.pictures import read_screenshot
from qpa.envs.device.recovery import RecoveryLimits
from qpa.envs.sandbox import catalog

QUICK = RecoveryLimits(probe_s=1.0, quarantine_s=0.5, quarantine_max_s=2.0)
FAMILIES = {"alarm_create", "alarm_delete", "schedule_create", "countdown_start", "wifi_connect", "message_send"}
FAMILIES |= {"text_new_contact", "forward_to_contact", "skill_note", "memory_alarm", "reach_denied"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    server = AdbServer.start(home=tmp_path_factory.mktemp("adb-home"), usb=False)
    yield server
    server.close()


def test_a_server_that_looks_for_usb_devices_starts_too(tmp_path: Path):
    server = AdbServer.start(home=tmp_path, usb=True)
    try:
        assert server.version() >= 41
    finally:
        server.close()


def env_on(server: AdbServer, serials: list[str], folder: Path, deadline_s: float = 20.0) -> DeviceEnv:
    limits = DeviceLimits(deadline_s=deadline_s)
    devices = [
        EnrolledDevice(serial=serial, kind=DeviceKind.DOUBLE, effects=EVERYTHING, limits=limits) for serial in serials
    ]
    return DeviceEnv(
        Enrolment(devices=devices),
        lambda device: AdbLink(server, device, recovery=QUICK),
        folder,
        verifier=BenchVerifier(catalog()),
        wait_s=20.0,
    )


def test_oracle_episodes_over_adb_have_the_sandboxs_verdicts(server: AdbServer, tmp_path: Path):
    tasks = [task for task in load_suite("core", "dev", limit=43) if task.family in FAMILIES]
    sandbox = make_env(BenchVerifier(catalog()))

    async def play(serials: list[str]) -> None:
        env = env_on(server, serials, tmp_path)
        here = await asyncio.gather(*(run_actions(env, task, oracle(task)) for task in tasks))  # more than phones
        for task, trajectory in zip(tasks, here, strict=True):
            there = await run_actions(sandbox, task, oracle(task))
            assert trajectory.verdict == there.verdict, task.id
            assert there.verdict is not None and there.verdict.success

    with Fleet(lambda index: SandboxPhone((9, 13, 16)[index]), 3) as fleet:
        asyncio.run(play(fleet.serials))
    assert len(tasks) == len(FAMILIES)


def test_hostile_text_arrives_at_the_phones_commands_verbatim(server: AdbServer, tmp_path: Path):
    phones: list[SandboxPhone] = []

    def make(index: int) -> SandboxPhone:
        phones.append(SandboxPhone(14))
        return phones[-1]

    async def play(serials: list[str]) -> None:
        env = env_on(server, serials, tmp_path)
        session = await env.reset(task_of(["manage_schedule"]))
        call = Player(env, session)
        for number, text in enumerate(HOSTILE):
            answer = await call(
                "manage_schedule", action="create", event=text, datetime=f"2025-02-{number + 1:02d} 10:00"
            )
            assert answer.ok, answer.payload
        await env.close(session)

    with Fleet(make, 1) as fleet:
        asyncio.run(play(fleet.serials))
        log = [argv for argv in phones[0].log if argv[:2] == ("content", "insert")]
    assert [next(part for part in argv if part.startswith("title:s:")) for argv in log] == [
        f"title:s:{text.strip()}" for text in HOSTILE
    ]
    assert phones[0].crashes == []


def test_a_phone_that_hangs_costs_its_deadline_and_the_other_plays_on(server: AdbServer, tmp_path: Path):
    script = FaultScript(faults=[DeviceFault(FaultKind.HANG, match="SET_ALARM", device=0)])

    async def play(serials: list[str]) -> None:
        env = env_on(server, serials, tmp_path, deadline_s=2.0)
        task = task_of(["manage_alarm", "manage_nfc"])
        one, two = await env.reset(task), await env.reset(task)
        stuck, free = (one, two) if one.lease.serial == serials[0] else (two, one)
        begun = time.monotonic()
        hanging = asyncio.create_task(Player(env, stuck)("manage_alarm", action="create", time="15:35", title="Choir"))
        player = Player(env, free)
        for _ in range(3):
            assert (await player("manage_nfc", action="query")).ok
        assert not hanging.done()
        answer = await hanging
        took = time.monotonic() - begun
        assert answer.error_type is ErrorType.TIMEOUT
        assert answer.payload["outcome"] == "unknown" and answer.payload["observed"] is False
        assert took < 12.0  # its deadline and one look, on a busy machine
        await env.close(stuck)
        await env.close(free)

    with Fleet(lambda index: SandboxPhone(14), 2, script=script) as fleet:
        asyncio.run(play(fleet.serials))


def test_a_phone_that_hangs_at_everything_is_an_environments_failure(server: AdbServer, tmp_path: Path):
    script = FaultScript(faults=[DeviceFault(FaultKind.HANG, match="^(shell|exec|sync)")])

    async def play(serials: list[str]) -> None:
        env = env_on(server, serials, tmp_path, deadline_s=1.0)
        with pytest.raises(EnvFailure) as caught:
            await env.reset(task_of([]))
        assert caught.value.cause in (FailureCause.DEADLINE, FailureCause.CONNECTION)

    with Fleet(lambda index: SandboxPhone(14), 1, script=script) as fleet:
        begun = time.monotonic()
        asyncio.run(play(fleet.serials))
        assert time.monotonic() - begun < 15.0


def test_dropped_reads_are_repeated_and_the_verdict_is_the_same(server: AdbServer, tmp_path: Path):
    script = FaultScript(
        seed=3,
        faults=[
            DeviceFault(FaultKind.DROP, match="getprop|date|wm|uiautomator", rate=0.2, count=6),
            DeviceFault(FaultKind.IDLE_ERROR, rate=0.3, count=3),
        ],
    )
    task = next(task for task in load_suite("core", "dev", limit=43) if task.family == "alarm_delete")

    with Fleet(lambda index: SandboxPhone(14), 1, script=script) as fleet:

        async def play() -> None:
            env = env_on(server, fleet.serials, tmp_path)
            for _ in range(3):
                trajectory = await run_actions(env, task, oracle(task))
                assert trajectory.verdict is not None and trajectory.verdict.success

        asyncio.run(play())
        assert {FaultKind.DROP, FaultKind.IDLE_ERROR} <= fleet.injected.keys()


def test_a_screenshot_comes_over_the_wire(server: AdbServer, tmp_path: Path):
    script = FaultScript(faults=[DeviceFault(FaultKind.DISPLAY_BANNER)])

    async def play(serials: list[str]) -> None:
        env = env_on(server, serials, tmp_path)
        session = await env.reset(task_of([]))
        shot = read_screenshot(await session.phone.hand.screenshot())
        facts = session.phone.hand.facts
        assert (shot.width, shot.height) == (facts.width, facts.height) and not shot.black
        await env.close(session)

    with Fleet(lambda index: SandboxPhone(14), 1, script=script) as fleet:
        asyncio.run(play(fleet.serials))
