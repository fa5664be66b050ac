"""`DeviceEnv`: grants, deadlines and leases."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from env_phones import Player, env_over, task_of

from qpa.contract import Effect, EnvFailure, ErrorType, FailureCause
from qpa.contract.tasks import Fault
from qpa.envs.device import screen
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The double answers at once; what it does not show now it never will."""
    monkeypatch.setattr(screen, "PAUSE_S", 0.0)
    monkeypatch.setattr("qpa.envs.device.mirror.CONFIRM_PAUSE_S", 0.0)
    monkeypatch.setattr("qpa.envs.device.table_traffic.PAUSE_S", 0.0)


# --- grants ----------------------------------------------------------------------------------------------------------

PEOPLE = {"contacts": [{"id": "contact_701", "name": "Ada", "phone": "5550170"}]}


def test_a_phone_sends_nothing_without_a_grant(tmp_path: Path):
    phone = SandboxPhone(14)
    phone.begin(task_of([], PEOPLE))
    env, links = env_over(tmp_path, phone, kind=DeviceKind.PHONE)

    async def play() -> None:
        session = await env.reset(task_of(["send_message", "make_call", "manage_call_forwarding"], PEOPLE))
        call = Player(env, session)
        for answer in (
            await call("send_message", content="Hi", contact="Ada"),
            await call("make_call", contact="Ada"),
            await call("manage_call_forwarding", action="enable", phoneNumber="5550170"),
        ):
            assert (answer.error_type, answer.code) == (ErrorType.PERMISSION_DENIED, 403)
            assert answer.payload["error"].startswith("Not granted for this task")
        assert not any("SENDTO" in " ".join(c) or "CALL" in " ".join(c) for c in links[0].commands)
        assert (await env.evidence(session)).changes == []
        await env.close(session)

    asyncio.run(play())
    assert phone.env.evidence(phone.session).changes == []


def test_a_grant_is_of_one_verb_and_the_inventory_holds_besides(tmp_path: Path):
    async def play(effects: list[Effect]) -> list[int]:
        phone = SandboxPhone(14)
        phone.begin(task_of([], PEOPLE))
        env, _ = env_over(
            tmp_path, phone, kind=DeviceKind.PHONE, effects=effects, grants=lambda task, device: {"tap_send"}
        )
        session = await env.reset(task_of(["send_message", "make_call"], PEOPLE))
        call = Player(env, session)
        codes = [(await call("send_message", content="Hi", contact="Ada")).code]
        codes.append((await call("make_call", contact="Ada")).code)
        await env.close(session)
        return codes

    assert asyncio.run(play(list(Effect))) == [200, 403]
    assert asyncio.run(play([Effect.READ, Effect.REVERSIBLE])) == [403, 403]


def test_denied_permissions_and_the_fault_plan_are_played_by_the_host(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14))
    fault = Fault(tool="manage_nfc", error_type=ErrorType.UNAVAILABLE, count=1)

    async def play() -> None:
        task = task_of(["make_call", "manage_nfc"], PEOPLE, denied_permissions=["CALL_PHONE"], faults=[fault])
        session = await env.reset(task)
        call = Player(env, session)
        assert (await call("make_call", contact="Ada")).payload["error"] == "Permission denied: CALL_PHONE"
        assert (await call("manage_nfc", action="enable")).code == 503
        assert (await call("manage_nfc", action="enable")).code == 200
        await env.close(session)

    asyncio.run(play())


# --- deadlines -------------------------------------------------------------------------------------------------------


def _hang(word: str) -> Any:
    def fail(argv: tuple[str, ...]) -> Exception | None:
        return EnvFailure("no answer in time", FailureCause.DEADLINE) if word in " ".join(argv) else None

    return fail


@pytest.mark.parametrize("ran", [True, False], ids=["it ran", "it did not run"])
def test_an_action_without_an_answer_is_looked_at_and_not_repeated(ran: bool, tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm"]))
        call = Player(env, session)
        link.fail, link.late = _hang("SET_ALARM"), ran
        answer = await call("manage_alarm", action="create", time="15:35", title="Choir")
        assert answer.error_type is ErrorType.TIMEOUT and answer.code == 504 and not answer.ok
        assert answer.payload["outcome"] == "unknown"
        assert answer.payload["observed"] is ran
        assert sum("SET_ALARM" in " ".join(argv) for argv in link.commands) == 1
        link.fail = lambda argv: None
        listed = await call("manage_alarm", action="query", title="Choir")
        assert listed.payload["data"]["total"] == int(ran)
        await env.close(session)

    asyncio.run(play())


def test_a_phone_that_cannot_be_looked_at_is_no_tools_failure(tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm", "query_contacts"]))
        call = Player(env, session)
        link.fail = _hang("")
        for tool, arguments in (
            ("manage_alarm", {"action": "create", "time": "15:35", "title": "Choir"}),
            ("query_contacts", {}),
        ):
            with pytest.raises(EnvFailure) as caught:
                await call(tool, **arguments)
            assert caught.value.cause is FailureCause.DEADLINE
        await env.close(session)  # the phone is still gone: closing must not raise

    asyncio.run(play())


def test_a_tap_without_an_answer_is_an_environments_failure(tmp_path: Path):
    """Outside of a change that can be looked for, nobody knows what the tap did."""
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["control_gui_agent"]))
        call = Player(env, session)
        order = await call("control_gui_agent", action="start", appName="Settings", instruction="tap Display")
        link.fail = _hang("input tap")
        with pytest.raises(EnvFailure) as caught:
            await call("control_gui_agent", action="execute", sessionId=order.payload["data"]["sessionId"])
        assert caught.value.cause is FailureCause.DEADLINE
        await env.close(session)

    asyncio.run(play())


def test_a_phone_that_hangs_while_it_is_set_up_is_passed_over_and_at_the_end_is_given_back(tmp_path: Path):
    phones = [SandboxPhone(14), SandboxPhone(14)]
    env, links = env_over(tmp_path, *phones, kind=DeviceKind.PHONE)
    links[0].fail = _hang("content insert")

    async def play() -> None:
        session = await env.reset(task_of(["delete_contact"], PEOPLE))
        assert session.lease.serial == "phone-1"
        assert (await Player(env, session)("delete_contact", name="Ada")).ok
        links[1].fail = _hang("content insert")
        await env.close(session)  # the contact cannot be made again: the journal stays
        assert [path.name for path in tmp_path.iterdir() if "phone-1" in path.name] == ["phone-1.journal"]

    asyncio.run(play())


def test_a_phone_that_refuses_changes_nothing_and_says_so(tmp_path: Path):
    """The command "succeeds" and nothing happens: rc 0 is not believed."""
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_nfc"], {"settings": [{"key": "nfc", "value": "off"}]}))
        call = Player(env, session)
        whole = link.phone
        link.phone = _Deaf(whole, "svc nfc")  # type: ignore[assignment]
        answer = await call("manage_nfc", action="enable")
        assert answer.payload == {"success": False, "error": "The phone does not show it: nfc", "code": 503}
        link.phone = whole
        assert (await call("manage_nfc", action="query")).payload["data"]["enabled"] is False
        await env.close(session)

    asyncio.run(play())


def test_an_alarm_on_a_later_day_is_refused_and_not_set_today(tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm"]))
        call = Player(env, session)
        answer = await call("manage_alarm", action="create", time="2025-01-17 10:00", title="Choir")
        assert answer.error_type is ErrorType.UNAVAILABLE and "has no date" in answer.payload["error"]
        assert not any("SET_ALARM" in " ".join(argv) for argv in link.commands)
        assert (await call("manage_alarm", action="query", title="Choir")).payload["data"]["total"] == 0
        await env.close(session)

    asyncio.run(play())


@pytest.mark.parametrize("answer", ["true", "cmd no-such-service"], ids=["nothing happens", "an error"])
def test_what_a_failed_call_took_along_is_given_back(answer: str, tmp_path: Path):
    """Wi-Fi that does not go off keeps its VPN: no reading of the phone would tell."""
    env, (link,) = env_over(tmp_path, SandboxPhone(14))
    patch = {
        "settings": [{"key": "wifi", "value": "on"}, {"key": "mobile_data", "value": "off"}],
        "vpn_profiles": [{"name": "Office VPN", "server": "vpn.office.example", "connected": 1}],
    }

    async def play() -> None:
        session = await env.reset(task_of(["manage_wifi", "manage_vpn"], patch))
        link.phone = _Deaf(link.phone, "svc wifi", answer)  # type: ignore[assignment]
        assert (await Player(env, session)("manage_wifi", action="disable")).error_type is ErrorType.UNAVAILABLE
        connected = [row["name"] for row in session.table_rows("vpn_profiles") if row["connected"]]
        assert connected == ["Office VPN"]
        await env.close(session)

    asyncio.run(play())


class _Deaf:
    """A phone that answers one command with another and does not do it."""

    def __init__(self, phone: Any, command: str, answer: str = "true") -> None:
        self._phone, self._command, self._answer = phone, command, answer

    def shell(self, command: str) -> Any:
        return self._phone.shell(self._answer if command.startswith(self._command) else command)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._phone, name)


# --- leases ----------------------------------------------------------------------------------------------------------


def test_leases_are_exclusive_numbered_and_refused_when_over(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14), SandboxPhone(11), wait_s=0.05)

    async def play() -> None:
        task = task_of(["manage_nfc"])
        one, two = await env.reset(task), await env.reset(task)
        assert {one.lease.serial, two.lease.serial} == {"phone-0", "phone-1"}
        with pytest.raises(EnvFailure) as caught:
            await env.reset(task)
        assert caught.value.cause is FailureCause.CAPACITY
        await env.close(one)
        await env.close(one)
        one.closed = False  # someone who kept it, before anybody else came
        with pytest.raises(EnvFailure) as caught:
            await Player(env, one)("manage_nfc", action="query")
        assert caught.value.cause is FailureCause.LEASE
        one.closed = True
        again = await env.reset(task)
        assert again.lease.serial == one.lease.serial and again.lease.epoch > one.lease.epoch
        one.closed = False  # someone who kept it
        with pytest.raises(EnvFailure) as caught:
            await Player(env, one)("manage_nfc", action="enable")
        assert caught.value.cause is FailureCause.LEASE
        one.closed = True
        for session in (two, again):
            await env.close(session)

    asyncio.run(play())


def test_a_waiting_reset_gets_the_phone_that_is_freed(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14), wait_s=10)

    async def play() -> None:
        task = task_of(["manage_nfc"])
        first = await env.reset(task)
        waiting = asyncio.create_task(env.reset(task))
        await asyncio.sleep(0)
        assert not waiting.done()
        await env.close(first)
        second = await asyncio.wait_for(waiting, 10)
        await env.close(second)

    asyncio.run(play())


def test_a_phone_that_does_not_answer_is_passed_over(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(14), SandboxPhone(14))
    links[0].fail = _hang("getprop")

    async def play() -> None:
        session = await env.reset(task_of(["manage_nfc"]))
        assert session.lease.serial == "phone-1"
        await env.close(session)
        links[1].fail = _hang("getprop")
        with pytest.raises(EnvFailure) as caught:
            await env.reset(task_of(["manage_nfc"]))
        assert caught.value.cause is FailureCause.DEADLINE
        links[0].fail = lambda argv: None
        session = await env.reset(task_of(["manage_nfc"]))
        assert session.lease.serial == "phone-0"
        await env.close(session)

    asyncio.run(play())


def test_a_phone_enrolled_as_a_double_is_refused(tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))
    whole = link.phone
    link.phone = _NoDouble(whole)  # type: ignore[assignment]
    with pytest.raises(EnvFailure, match="enrolled as a double, and is none"):
        asyncio.run(env.reset(task_of([])))


class _NoDouble(_Deaf):
    def __init__(self, phone: SandboxPhone) -> None:
        super().__init__(phone, "")

    def shell(self, command: str) -> Any:
        return self._phone.shell("no-such-command" if command.startswith("qpa-double") else command)
