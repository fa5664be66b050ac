"""The fault script: strict, seeded, and every kind as a host sees it, counted."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from wire_phone import PNG, WirePhone
from wire_rig import link

from qpa.contract import ContractError, EnvFailure, FailureCause, to_json
from qpa.envs.device.double.faults import DeviceFault, FaultInjector, FaultKind, FaultScript, load_faults
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.link import Health


def script(*faults: DeviceFault) -> FaultScript:
    return FaultScript(faults=list(faults))


@pytest.fixture
def run(server, fleet):
    """Runs calls on device 0 under faults; returns the last result or failure, and the counts of faults."""

    def run(fault: DeviceFault, *calls):
        injector = fleet.set_faults(0, script(fault))
        device = link(server, fleet.serials[0])

        async def main():
            result = None
            for call in calls:
                try:
                    result = await call(device)
                except EnvFailure as e:
                    result = e
            return result

        return asyncio.run(main()), injector.counts

    return run


def shell(*argv, deadline_s=5.0, **options):
    return lambda device: device.shell(*argv, deadline_s=deadline_s, **options)


def test_a_hang_ends_at_the_deadline(run):
    failure, counts = run(DeviceFault(FaultKind.HANG, match="err"), shell("err", deadline_s=0.5))
    assert failure.cause is FailureCause.DEADLINE and counts == {FaultKind.HANG: 1}


def test_a_stall_in_the_middle_of_the_output_ends_at_the_deadline(run, fleet):
    failure, counts = run(DeviceFault(FaultKind.STALL, match="big"), shell("big", "500000", deadline_s=0.7))
    assert failure.cause is FailureCause.DEADLINE and counts == {FaultKind.STALL: 1}
    assert fleet.on_phone(0, lambda phone: phone.commands[-1]) == "big 500000"  # it did run


def test_a_drop_is_a_broken_connection(run):
    failure, counts = run(DeviceFault(FaultKind.DROP, match="big"), shell("big", "500000"))
    assert failure.cause is FailureCause.CONNECTION and counts == {FaultKind.DROP: 1}


def test_slow_is_late_and_right(run):
    result, counts = run(DeviceFault(FaultKind.SLOW, match="id", delay_s=0.2), shell("id"))
    assert result.stdout == b"index=0\n" and counts == {FaultKind.SLOW: 1}
    failure, _ = run(DeviceFault(FaultKind.SLOW, match="id", delay_s=30), shell("id", deadline_s=0.4))
    assert failure.cause is FailureCause.DEADLINE


def test_a_device_that_never_shakes_hands_is_offline(run):
    health, counts = run(DeviceFault(FaultKind.OFFLINE), shell("id", deadline_s=3.0), lambda d: d.health(deadline_s=1))
    assert health in (Health.OFFLINE, Health.ABSENT) and counts[FaultKind.OFFLINE] >= 1


def test_a_device_that_allows_nobody_is_unauthorized(run):
    health, counts = run(DeviceFault(FaultKind.UNAUTHORIZED), shell("id"), lambda d: d.health(deadline_s=1))
    assert health is Health.UNAUTHORIZED and counts[FaultKind.UNAUTHORIZED] >= 1


def screencap(device):
    return device.exec_out("screencap", "-p", deadline_s=5)


def test_a_truncated_picture(run):
    data, counts = run(DeviceFault(FaultKind.TRUNCATED_PNG), screencap)
    assert data == PNG[: len(PNG) // 2] and counts == {FaultKind.TRUNCATED_PNG: 1}


def test_a_banner_before_the_picture(run):
    data, counts = run(DeviceFault(FaultKind.DISPLAY_BANNER), screencap)
    assert data.startswith(b"[Warning] Multiple displays") and data.endswith(PNG)
    assert counts == {FaultKind.DISPLAY_BANNER: 1}


def dump(device):
    return device.exec_out("uiautomator", "dump", "/dev/tty", deadline_s=5)


def test_the_idle_error_comes_with_exit_code_0(run, fleet):
    result, counts = run(DeviceFault(FaultKind.IDLE_ERROR), shell("uiautomator", "dump", "/dev/tty"))
    assert (result.stdout, result.exit_code) == (b"ERROR: could not get idle state.\n", 0)
    assert counts == {FaultKind.IDLE_ERROR: 1}
    assert "uiautomator dump /dev/tty" not in fleet.on_phone(0, lambda phone: phone.commands)


def test_a_stale_tree_is_the_one_of_the_time_before(run):
    fresh, none = run(DeviceFault(FaultKind.STALE_TREE), dump)
    assert none == {}  # there was no older tree
    fault = DeviceFault(FaultKind.STALE_TREE, count=1)
    stale, counts = run(fault, dump, shell("true"), dump)
    first, _ = run(fault, dump, shell("true"), dump, shell("true"), dump)
    assert stale.startswith(b"<hierarchy") and stale != fresh != first and counts == {FaultKind.STALE_TREE: 1}


@pytest.mark.parametrize(("text", "fails"), [("café", True), ("coffee", False)])
def test_text_that_is_not_ascii_dies_of_a_null_pointer(run, text, fails):
    result, counts = run(DeviceFault(FaultKind.TEXT_ERROR), shell("input", "text", text))
    assert (b"NullPointerException" in result.stderr, counts[FaultKind.TEXT_ERROR]) == (fails, int(fails))


def test_file_requests_can_fail_too(run, fleet):
    fleet.on_phone(0, lambda phone: phone.write("/sdcard/a", b"x" * 300_000, 0o644, 0))
    fault = DeviceFault(FaultKind.HANG, match="^sync RECV /sdcard/a$")
    failure, counts = run(fault, lambda d: d.pull("/sdcard/a", deadline_s=0.5))
    assert failure.cause is FailureCause.DEADLINE and counts == {FaultKind.HANG: 1}


def test_first_count_rate_and_device_choose_what_is_hit():
    events = [f"shell echo {i}" for i in range(200)]

    def hits(fault: DeviceFault, device: int = 0, seed: int = 0) -> list[int]:
        injector = FaultInjector(FaultScript(seed, [fault]), device)
        return [i for i, event in enumerate(events) if injector.on(event)]

    assert hits(DeviceFault(FaultKind.HANG, first=3, count=2)) == [3, 4]
    assert hits(DeviceFault(FaultKind.HANG, match=r"\b7$")) == [7]
    assert hits(DeviceFault(FaultKind.HANG, device=1)) == []
    some = DeviceFault(FaultKind.HANG, rate=0.2)
    assert 20 <= len(hits(some)) <= 60
    assert hits(some) == hits(some) != hits(some, seed=1)
    assert hits(some) != hits(some, device=1)


def test_the_first_fault_of_the_script_wins_and_only_it_is_logged():
    injector = FaultInjector(script(DeviceFault(FaultKind.DROP, count=1), DeviceFault(FaultKind.HANG)))
    assert [injector.on("shell id").kind for _ in range(2)] == [FaultKind.DROP, FaultKind.HANG]
    assert injector.on("connect") is None
    assert [(e.fault, e.event) for e in injector.log] == [(0, "shell id"), (1, "shell id")]


def test_a_script_reads_back_from_its_file(tmp_path):
    file = tmp_path / "faults.json"
    file.write_bytes(to_json(script(DeviceFault(FaultKind.SLOW, delay_s=1.5, rate=0.5))))
    assert load_faults(file).faults[0].delay_s == 1.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"faults": [{"kind": "explode"}]}', r"explode.*faults\[0\].kind"),
        ('{"faults": [{"kind": "hang", "rat": 1}]}', r"rat.*faults\[0\]"),
        ('{"faults": [{"kind": "hang", "rate": 0}]}', "rate must be"),
        ('{"faults": [{"kind": "hang", "match": "("}]}', "regular expression"),
        ('{"faults": [{"kind": "slow"}]}', "delay_s must be"),
        ('{"faults": [{"kind": "hang", "delay_s": 1}]}', "for slow only"),
        ('{"faults": [{"kind": "hang", "count": 0}]}', "count at least 1"),
        ("nonsense", "faults.json"),
    ],
)
def test_a_bad_script_says_where_and_why(tmp_path, text, reason):
    file = tmp_path / "faults.json"
    file.write_text(text)
    with pytest.raises(ContractError, match=reason):
        load_faults(file)


def test_the_fleet_counts_over_its_devices(server):
    with Fleet(WirePhone, 2, script=script(DeviceFault(FaultKind.HANG, match="^shell id$", count=1))) as fleet:

        async def main():
            for serial in fleet.serials:
                with contextlib.suppress(EnvFailure):
                    await link(server, serial).shell("id", deadline_s=0.4)

        asyncio.run(main())
        assert fleet.injected == {FaultKind.HANG: 2}
