"""The host's link through a real adb server: quoting, deadlines, recovery, quarantine."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wire_phone import PNG, WirePhone
from wire_rig import QUICK, link

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.device.abandon import Callers
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.faults import DeviceFault, FaultKind, FaultScript
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.enrolment import DeviceLimits
from qpa.envs.device.link import CommandError, Health
from qpa.envs.device.recovery import Breaker, Circuit, Rung

NASTY = [
    "x; reboot",
    "$(id)",
    "`id`",
    "it's",
    '"q"',
    "a\nb\tc",
    "😀 你 é",
    "%s",
    "",
    "-n",
    "\\",
    "*",
    "~",
    "#",
    "&& a || b",
    "$HOME",
    "!",
    "{a,b}",
]


@pytest.fixture
def linked(server, fleet):
    return link(server, fleet.serials[0])


def failing(device, *argv, **options) -> EnvFailure:
    async def main():
        with pytest.raises(EnvFailure) as caught:
            await device.shell(*argv, **options)
        return caught.value

    return asyncio.run(main())


@pytest.mark.parametrize("features", [None, ("cmd",)], ids=["v2", "v1"])
def test_everything_a_device_link_does(adb, features):
    blob = os.urandom(1_500_000)

    async def main(device):
        result = await device.shell("err", deadline_s=5)
        merged = features is not None
        assert result.exit_code == 3
        assert (result.stdout, result.stderr) == ((b"to err\nto out\n", b"") if merged else (b"to out\n", b"to err\n"))
        assert (await device.shell("nope", deadline_s=5)).exit_code == 127
        assert await device.exec_out("screencap", "-p", deadline_s=5) == PNG
        await device.push("/sdcard/ä 你😀", blob, deadline_s=5)
        assert await device.pull("/sdcard/ä 你😀", deadline_s=5) == blob
        assert (await device.stat("/sdcard/ä 你😀", deadline_s=5)).size == len(blob)
        assert (await device.stat("/none", deadline_s=5)).mode == 0
        for call in (device.pull("/none", deadline_s=5), device.push("/system/x", b"", deadline_s=5)):
            with pytest.raises(EnvFailure) as caught:
                await call
            assert caught.value.cause is FailureCause.BACKEND
        assert await device.health(deadline_s=5) is Health.READY

    with Fleet(WirePhone, 1, features=features) as fleet:
        asyncio.run(main(link(adb.server, fleet.serials[0])))


def test_arguments_reach_the_shell_as_data(server, fleet):
    device = link(server, fleet.serials[0])
    assert asyncio.run(device.shell("args", *NASTY, deadline_s=5)).stdout.decode() == repr(NASTY)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20), max_size=4))
def test_any_argument_reaches_the_shell_as_data(linked, words):
    assert asyncio.run(linked.shell("args", *words, deadline_s=5)).stdout.decode() == repr(words)


@pytest.mark.parametrize("word", ["a\0b", "\x1b[2J", "a\rb", "\x7f", "\x85", "\ud800", "x" * 70_000])
def test_what_cannot_be_sent_is_refused_before_anything_is(server, fleet, word):
    device = link(server, fleet.serials[0])
    for call in (
        lambda: device.shell("echo", word, deadline_s=5),
        lambda: device.exec_out(word, deadline_s=5),
        lambda: device.pull("/" + word, deadline_s=5),
        lambda: device.push(word, b"", deadline_s=5),
    ):
        with pytest.raises(CommandError):
            asyncio.run(call())
    assert fleet.on_phone(0, lambda phone: phone.commands) == []


def test_a_relative_path_an_empty_command_and_a_bad_deadline_are_refused(server, fleet):
    device = link(server, fleet.serials[0])
    for call in (
        lambda: device.pull("sdcard/x", deadline_s=5),
        lambda: device.shell(deadline_s=5),
        lambda: device.shell("id", deadline_s=0),
        lambda: device.shell("id", deadline_s=1e9),
        lambda: device.shell("id", deadline_s=float("nan")),
    ):
        with pytest.raises(CommandError):
            asyncio.run(call())


def test_a_hung_device_costs_its_deadline_and_nothing_else(server, fleet):
    callers = Callers()
    fleet.set_faults(0, FaultScript(faults=[DeviceFault(FaultKind.HANG)]))
    hung, well = (link(server, serial, callers=callers) for serial in fleet.serials)

    async def main():
        started = time.monotonic()
        waiting = asyncio.create_task(hung.shell("id", deadline_s=2.0))
        answers = 0
        while not waiting.done():
            assert (await well.shell("id", deadline_s=2.0)).stdout == b"index=1\n"
            answers += 1
        with pytest.raises(EnvFailure):
            await waiting
        return answers, time.monotonic() - started

    answers, took = asyncio.run(main())
    assert answers > 20 and took < 6.0
    deadline = time.monotonic() + 5  # threads whose socket was cut end on their own
    while callers.abandoned and time.monotonic() < deadline:
        time.sleep(0.01)
    assert callers.abandoned == 0


def test_a_cancelled_caller_cuts_its_thread_loose(server, fleet):
    callers = Callers()
    fleet.set_faults(0, FaultScript(faults=[DeviceFault(FaultKind.HANG, match="err")]))
    device = link(server, fleet.serials[0], callers=callers)

    async def main():
        await device.shell("true", deadline_s=5)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await device.shell("err", deadline_s=60)

    asyncio.run(main())
    deadline = time.monotonic() + 5
    while callers.abandoned and time.monotonic() < deadline:
        time.sleep(0.01)
    assert callers.abandoned == 0


def test_calls_under_way_are_bounded(server, fleet):
    fleet.set_faults(0, FaultScript(faults=[DeviceFault(FaultKind.HANG, match="err")]))
    device = link(server, fleet.serials[0], callers=Callers(limit=3))

    async def main():
        await device.shell("true", deadline_s=5)
        calls = (device.shell("err", deadline_s=1.0) for _ in range(6))
        return [e.cause for e in await asyncio.gather(*calls, return_exceptions=True)]

    causes = asyncio.run(main())
    assert causes.count(FailureCause.CAPACITY) == 3 and causes.count(FailureCause.DEADLINE) == 3


def test_output_over_the_limit_is_refused(server, fleet):
    device = link(server, fleet.serials[0], DeviceLimits(output_bytes=10_000))
    fleet.on_phone(0, lambda phone: phone.write("/sdcard/a", bytes(10_001), 0o644, 0))

    async def main():
        assert len((await device.shell("big", "10000", deadline_s=5)).stdout) == 10_000
        for call in (
            device.shell("big", "10001", deadline_s=5),
            device.exec_out("big", "10001", deadline_s=5),
            device.pull("/sdcard/a", deadline_s=5),
        ):
            with pytest.raises(EnvFailure, match="more than 10000 bytes") as caught:
                await call
            assert caught.value.cause is FailureCause.BACKEND

    asyncio.run(main())


def test_calls_are_spaced_out_to_the_enrolled_rate(server, fleet):
    device = link(server, fleet.serials[0], DeviceLimits(calls_per_s=20))

    async def main():
        await device.shell("true", deadline_s=5)
        started = time.monotonic()
        await asyncio.gather(*(device.shell("true", deadline_s=5) for _ in range(5)))
        with pytest.raises(EnvFailure, match="over 20 calls/s"):
            await asyncio.gather(*(device.shell("true", deadline_s=0.2) for _ in range(20)))
        return time.monotonic() - started

    assert asyncio.run(main()) >= 0.2


@pytest.mark.parametrize(("idempotent", "runs"), [(False, 1), (True, 2)])
def test_a_command_is_sent_again_only_if_it_does_no_harm(server, fleet, idempotent, runs):
    device = link(server, fleet.serials[0])
    asyncio.run(device.shell("true", deadline_s=5))
    fleet.set_faults(0, FaultScript(faults=[DeviceFault(FaultKind.DROP, match="^shell err$", count=1)]))

    async def main():
        return await device.shell("err", deadline_s=20, idempotent=idempotent)

    if idempotent:
        assert asyncio.run(main()).exit_code == 3
    else:
        with pytest.raises(EnvFailure) as caught:
            asyncio.run(main())
        assert caught.value.cause is FailureCause.CONNECTION
    assert fleet.on_phone(0, lambda phone: phone.commands).count("err") == runs


def test_what_was_never_sent_is_tried_again(adb, fleet):
    device = link(adb.server, fleet.serials[0])
    asyncio.run(device.shell("true", deadline_s=5))
    adb("disconnect", fleet.serials[0])  # the server has never heard of it
    assert asyncio.run(device.shell("id", deadline_s=20)).stdout == b"index=0\n"
    assert fleet.on_phone(0, lambda phone: phone.commands).count("id") == 1


def test_a_restarted_device_comes_back_by_itself(adb, fleet):
    device = link(adb.server, fleet.serials[0])

    async def main():
        await device.push("/sdcard/kept", b"data", deadline_s=5)
        for _ in range(3):
            fleet.restart(0)
            # The break may be noticed after the request is on its way: only a harmless one may be sent again.
            assert (await device.shell("id", deadline_s=20, idempotent=True)).stdout == b"index=0\n"
        return await device.pull("/sdcard/kept", deadline_s=5)

    assert asyncio.run(main()) == b"data"
    assert device.recoveries[Rung.CONNECT] >= 1 and device.recoveries[Rung.PROBE] >= 2


def test_a_dead_device_is_quarantined_probed_and_taken_back(server, fleet):
    device = link(server, fleet.serials[0])

    async def main():
        await device.shell("true", deadline_s=5)
        fleet.stop(0)
        with pytest.raises(EnvFailure) as first:
            await device.shell("id", deadline_s=20, idempotent=True)
        assert first.value.cause is FailureCause.CONNECTION and device.circuit is Circuit.OPEN
        started = time.monotonic()
        with pytest.raises(EnvFailure, match="quarantined"):
            await device.shell("id", deadline_s=20)
        assert time.monotonic() - started < 0.2
        fleet.start(0)
        while device.circuit is Circuit.OPEN:
            await asyncio.sleep(0.02)
        assert device.circuit is Circuit.HALF_OPEN
        answers = await asyncio.gather(*(device.shell("id", deadline_s=20) for _ in range(5)))
        assert {a.stdout for a in answers} == {b"index=0\n"} and device.circuit is Circuit.CLOSED

    asyncio.run(asyncio.wait_for(main(), 60))


def test_health_tells_absent_hung_and_ready_apart(server, fleet):
    device = link(server, fleet.serials[0])

    async def main():
        seen = [await device.health(deadline_s=1)]
        await device.shell("true", deadline_s=5)
        seen.append(await device.health(deadline_s=1))
        fleet.set_faults(0, FaultScript(faults=[DeviceFault(FaultKind.HANG)]))
        seen.append(await device.health(deadline_s=0.5))
        return seen

    assert asyncio.run(main()) == [Health.ABSENT, Health.READY, Health.HUNG]


class _Parrot(WirePhone):
    """Answers every command with what it answered to somebody else."""

    def shell(self, command: str) -> ShellResult:
        return ShellResult(b"something else\n")


def test_an_answer_to_another_question_is_no_health(server):
    with Fleet(_Parrot, 1) as fleet:
        device = link(server, fleet.serials[0])
        failure = failing(device, "id", deadline_s=10)
        assert failure.cause is FailureCause.CONNECTION and "broken" in str(failure)
        assert asyncio.run(device.health(deadline_s=5)) is Health.BROKEN


def test_the_breaker_doubles_its_quarantine_and_forgets_after_success():
    breaker = Breaker(QUICK)
    assert breaker.state(0.0) is Circuit.SUSPECT
    waits = []
    for _ in range(4):
        breaker.lost("gone", 100.0)
        waits.append(breaker.wait_s(100.0))
    assert waits == [0.5, 1.0, 2.0, 2.0] and breaker.state(102.0) is Circuit.HALF_OPEN
    breaker.failed("late news")  # does not end or shorten a quarantine
    assert breaker.state(101.0) is Circuit.OPEN
    breaker.worked()
    breaker.lost("gone", 200.0)
    assert breaker.wait_s(200.0) == 0.5


def _servers() -> int:
    """adb server processes on this machine."""
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    return sum("adb" in line and ("server" in line) for line in found.splitlines())


def test_no_server_is_started_behind_our_back(tmp_path, fleet):
    server = AdbServer.start(home=tmp_path, usb=False)
    device = link(server, fleet.serials[0])
    server.close()
    before = _servers()
    failure = failing(device, "id", deadline_s=5)
    assert failure.cause is FailureCause.CONNECTION and f"no adb server on port {server.port}" in str(failure)
    assert _servers() == before


def test_our_own_server_is_started_again_and_a_foreign_one_left_alone(tmp_path, fleet):
    server = AdbServer.start(home=tmp_path, usb=False)
    try:
        device, guest = link(server, fleet.serials[0]), AdbServer.attach(server.port)
        assert not guest.owned
        asyncio.run(link(guest, fleet.serials[1]).shell("true", deadline_s=5))
        guest.close()
        assert server.version() == 41
        asyncio.run(device.shell("true", deadline_s=5))
        server._process.kill()
        server._process.wait(10)
        assert asyncio.run(device.shell("id", deadline_s=20, idempotent=True)).stdout == b"index=0\n"
    finally:
        server.close()


def test_a_taken_port_and_a_stranger_on_it_are_refused(tmp_path, server):
    with pytest.raises(EnvFailure, match="taken"):
        AdbServer.start(port=server.port, home=tmp_path)
    with Fleet(WirePhone, 1) as fleet, pytest.raises(EnvFailure, match="not an adb server"):
        AdbServer.attach(fleet.devices[0].port)
    with pytest.raises(EnvFailure, match="cannot be started"):
        AdbServer.start(binary="/nonexistent/adb", home=tmp_path)


_MUTE = """#!{python}
import os, pathlib, socket, sys
pathlib.Path(__file__).with_name("pid").write_text(str(os.getpid()))
server = socket.create_server(("127.0.0.1", int(sys.argv[2])))
while True:
    server.accept()[0].close()
"""


def test_a_server_that_fails_to_start_does_not_stay(tmp_path):
    binary = tmp_path / "adb"
    binary.write_text(_MUTE.format(python=sys.executable))
    binary.chmod(0o755)
    with pytest.raises(EnvFailure, match="not an adb server"):
        AdbServer.start(binary=str(binary), home=tmp_path, usb=False)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


def test_the_server_of_the_environment_is_used(monkeypatch, server):
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(server.port))
    found = AdbServer.from_environment()
    assert found.port == server.port and not found.owned
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", "x; reboot")
    with pytest.raises(ValueError, match="not a port"):
        AdbServer.from_environment()
