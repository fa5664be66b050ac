"""What a session changed on a phone is put back: at its end, and after a crash by the next one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from env_phones import Player, env_over, task_of

from qpa.contract import ContractError, EnvFailure, FailureCause, RowChange
from qpa.envs.device import screen
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind
from qpa.envs.device.hand import GRANTS
from qpa.envs.device.journal import Journal
from qpa.envs.device.verbs_ui import KEYBOARD

TOOLS = ("add_contact", "update_contact", "delete_contact", "manage_schedule", "manage_alarm", "manage_countdown")
TOOLS += ("manage_brightness", "manage_wifi", "manage_dark_mode", "set_alarm_volume", "manage_note", "send_message")
PATCH = {
    "settings": [
        {"key": "auto_brightness", "value": "off"},
        {"key": "brightness", "value": "40"},
        {"key": "wifi", "value": "on"},
        {"key": "airplane_mode", "value": "off"},
        {"key": "dark_mode", "value": "off"},
    ],
    "contacts": [{"id": "contact_701", "name": "Ada", "phone": "5550170", "group_name": "work"}],
    "alarms": [{"id": "alarm_701", "time": "2025-01-15T10:00:00", "title": "Choir"}],
}
IME = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "PAUSE_S", 0.0)
    monkeypatch.setattr("qpa.envs.device.mirror.CONFIRM_PAUSE_S", 0.0)


def a_phone() -> SandboxPhone:
    """A double that will be taken for a phone: its private command is never used."""
    phone = SandboxPhone(14)
    phone.begin(task_of([], PATCH))
    return phone


async def change_everything(call: Player) -> None:
    """One of each: made, changed, deleted, switched."""
    for tool, arguments in (
        ("add_contact", {"name": "Zoe; reboot", "phoneNumber": "5550199", "group": "new group"}),
        ("update_contact", {"name": "Ada", "phoneNumber": "5550171"}),
        ("manage_schedule", {"action": "create", "event": "Dentist", "datetime": "2025-01-20 10:00"}),
        ("manage_alarm", {"action": "create", "time": "15:35", "title": "Nap"}),
        ("manage_alarm", {"action": "update", "title": "Choir", "time": "11:20"}),
        ("manage_alarm", {"action": "update", "alarmId": "alarm_701", "title": "晨练 für Ümit"}),
        ("manage_countdown", {"action": "start", "minutes": 10, "label": "Tea"}),
        ("manage_brightness", {"action": "set", "level": 77}),
        ("manage_wifi", {"action": "disable"}),
        ("manage_dark_mode", {"action": "enable"}),
        ("set_alarm_volume", {"level": 30}),
        ("manage_note", {"action": "create", "content": "Schlüssel für Ümit 你好"}),
    ):
        answer = await call(tool, **arguments)
        assert answer.ok, (tool, answer.payload)


def left(phone: SandboxPhone) -> set[tuple[str, str]]:
    """What is still changed, but for opened apps."""
    changes = phone.env.evidence(phone.session).changes
    return {
        (change.table, str(change.key.get("key", change.op)))
        for change in changes
        if change.table != "apps" and change.key.get("key") != "foreground_app"
    }


def test_closing_puts_a_phone_back(tmp_path: Path):
    phone = a_phone()
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE)

    async def play() -> None:
        session = await env.reset(task_of(TOOLS, PATCH))
        await change_everything(Player(env, session))
        assert {"contacts", "schedules", "alarms", "countdowns", "notes", "settings"} <= {t for t, _ in left(phone)}
        assert KEYBOARD in phone.shell("settings get secure default_input_method").stdout.decode()
        await env.close(session)

    asyncio.run(play())
    assert left(phone) <= {("wifi_networks", "update")}  # which network it joins again is the phone's own business
    assert phone.shell("settings get secure default_input_method").stdout.decode().strip() == IME
    assert list(tmp_path.iterdir()) == []


def test_after_a_crash_the_next_session_puts_it_back_first(tmp_path: Path):
    phone = a_phone()

    async def crash() -> None:
        env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE)
        await change_everything(Player(env, await env.reset(task_of(TOOLS, PATCH))))

    asyncio.run(crash())
    assert len(list(tmp_path.iterdir())) == 1
    assert left(phone)

    async def again() -> None:
        env, _links = env_over(tmp_path, phone, kind=DeviceKind.PHONE)
        session = await env.reset(task_of(["query_contacts"], PATCH))
        assert left(phone) <= {("wifi_networks", "update")}
        answer = await Player(env, session)("query_contacts", name="Ada")
        assert answer.payload["data"]["items"][0]["phone"] == "5550170"
        await env.close(session)

    asyncio.run(again())
    assert phone.shell("settings get secure default_input_method").stdout.decode().strip() == IME
    assert list(tmp_path.iterdir()) == []


def test_a_crash_between_the_note_and_the_deed_is_harmless(tmp_path: Path):
    """The journal comes first, so it may tell of a change that was never made."""
    phone = a_phone()

    async def crash() -> None:
        env, (link,) = env_over(tmp_path, phone, kind=DeviceKind.PHONE)
        session = await env.reset(task_of(["add_contact"], PATCH))
        link.fail = lambda argv: EnvFailure("gone", FailureCause.CONNECTION) if "insert" in argv else None
        with pytest.raises(EnvFailure):
            await Player(env, session)("add_contact", name="Zoe", phoneNumber="5550199")

    asyncio.run(crash())
    assert len(list(tmp_path.iterdir())) == 1

    async def again() -> None:
        env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE)
        await env.close(await env.reset(task_of([], PATCH)))

    asyncio.run(again())
    assert left(phone) == set()


def test_a_phone_that_is_gone_at_the_end_is_put_back_by_the_next(tmp_path: Path):
    phone = a_phone()

    async def play() -> None:
        env, (link,) = env_over(tmp_path, phone, kind=DeviceKind.PHONE)
        session = await env.reset(task_of(["manage_brightness"], PATCH))
        assert (await Player(env, session)("manage_brightness", action="set", level=77)).ok
        link.fail = lambda argv: EnvFailure("gone", FailureCause.CONNECTION)
        await env.close(session)
        assert len(list(tmp_path.iterdir())) == 1
        link.fail = lambda argv: None
        await env.close(await env.reset(task_of([], PATCH)))

    asyncio.run(play())
    assert left(phone) == set()


def test_what_cannot_be_taken_back_does_not_block_the_phone(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    phone = a_phone()
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE, grants=lambda task, device: GRANTS)

    async def play() -> None:
        session = await env.reset(task_of(["send_message"], PATCH))
        assert (await Player(env, session)("send_message", content="Hi", contact="Ada")).ok
        await env.close(session)
        await env.close(await env.reset(task_of([], PATCH)))

    asyncio.run(play())
    assert left(phone) == {("messages", "insert")}
    assert "cannot be undone: messages: sent is sent" in caplog.text


def test_a_keyboard_that_is_gone_does_not_block_the_phone(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    journal = Journal(tmp_path, "phone-0")
    journal.begin("task", 1)
    journal.note_keyboard("com.removed/.Keyboard")
    env, _ = env_over(tmp_path, a_phone(), kind=DeviceKind.PHONE)

    async def play() -> None:
        await env.close(await env.reset(task_of([], PATCH)))

    asyncio.run(play())
    assert "cannot be undone: keyboard: Phone refused: Unknown input method com.removed/.Keyboard" in caplog.text
    assert list(tmp_path.iterdir()) == []


def test_a_task_is_set_up_on_a_phone_by_verbs_and_taken_away_again(tmp_path: Path):
    phone = SandboxPhone(14)  # nobody prepared it
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE)

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm", "query_contacts"], PATCH))
        call = Player(env, session)
        found = await call("query_contacts", name="Ada")
        assert found.payload["data"]["items"] == [
            {"id": "contact_701", "name": "Ada", "phone": "5550170", "group": "work"}
        ]
        listed = await call("manage_alarm", action="query", title="Choir")
        assert listed.payload["data"]["items"][0]["id"] == "alarm_701"
        assert (await env.evidence(session)).changes == []  # setting up is not the planner's doing
        assert (await call("manage_alarm", action="delete", title="Choir")).ok
        assert [(c.table, c.op) for c in (await env.evidence(session)).changes] == [("alarms", "delete")]
        await env.close(session)

    asyncio.run(play())
    assert left(phone) <= {("wifi_networks", "update")}


def test_a_made_up_world_is_not_told_as_the_phones(tmp_path: Path):
    """On a phone, what the task's world only makes up (carriers, schedules of quiet hours) is not there."""
    phone = a_phone()
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE)

    async def play() -> None:
        session = await env.reset(task_of(["manage_mobile_data", "manage_do_not_disturb"], PATCH))
        call = Player(env, session)
        assert (await call("manage_mobile_data", action="query")).payload["data"]["carrier"] == ""
        assert (await call("manage_do_not_disturb", action="query")).payload["data"]["schedule"] == ""
        await env.close(session)

    asyncio.run(play())


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ({"patch": {"data_usage": [{"period": "month", "used_mb": 1}]}}, "a host cannot put on a phone"),
        ({"patch": {"settings": [{"key": "hotspot_name", "value": "x"}]}}, "no command of a phone does"),
        ({"patch": {"settings": [{"key": "battery_level", "value": "5"}]}}, "no command of a phone does"),
    ],
)
def test_what_cannot_be_set_up_on_a_phone_is_told(task: dict[str, Any], reason: str, tmp_path: Path):
    env, links = env_over(tmp_path, a_phone(), kind=DeviceKind.PHONE)
    assert reason in env.supports(task_of([], **task))
    with pytest.raises(EnvFailure) as caught:
        asyncio.run(env.reset(task_of([], **task)))
    assert caught.value.cause is FailureCause.UNSUPPORTED
    assert links[0].commands == []


def test_another_clock_than_the_phones_is_unsupported(tmp_path: Path):
    env, _ = env_over(tmp_path, a_phone(), kind=DeviceKind.PHONE)
    with pytest.raises(EnvFailure, match="its clock is 2025-03-01T09:00:00, the phone's 2025-01-15T09:00:00") as caught:
        asyncio.run(env.reset(task_of([], clock="2025-03-01T09:00:00")))
    assert caught.value.cause is FailureCause.UNSUPPORTED


@pytest.mark.parametrize("remote", [True, False])
def test_a_phone_on_the_network_is_not_cut_off(remote: bool, tmp_path: Path):
    phone = a_phone()
    serial = "192.168.1.20:5555" if remote else "R5CT30ABCDE"
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE, serials=(serial,))

    async def play() -> None:
        session = await env.reset(task_of(["manage_wifi", "manage_airplane_mode"], PATCH))
        call = Player(env, session)
        codes = [(await call("manage_wifi", action="disable")).code]
        codes.append((await call("manage_airplane_mode", action="enable")).code)
        assert codes == ([503, 503] if remote else [200, 200])
        assert phone.is_on("wifi") is remote
        await env.close(session)

    asyncio.run(play())


# --- the file --------------------------------------------------------------------------------------------------------


def test_the_file_is_whole_or_absent(tmp_path: Path):
    journal = Journal(tmp_path, "127.0.0.1:5555")
    assert journal.left() is None
    journal.begin("task", 3)
    assert list(tmp_path.iterdir()) == []
    journal.note(RowChange(table="alarms", op="insert", new={"id": "alarm_001"}))
    journal.note_keyboard("a/.B")
    journal.note_keyboard("c/.D")
    found = Journal(tmp_path, "127.0.0.1:5555").left()
    assert found is not None
    assert (found.task, found.epoch, found.keyboard, [c.table for c in found.changes]) == (
        "task",
        3,
        "a/.B",
        ["alarms"],
    )
    assert [path.name for path in tmp_path.iterdir()] == ["127.0.0.1_5555.journal"]
    journal.settle()
    journal.settle()
    assert Journal(tmp_path, "127.0.0.1:5555").left() is None


def test_a_damaged_or_foreign_file_is_not_guessed_at(tmp_path: Path):
    journal = Journal(tmp_path, "a:1")
    journal.begin("task", 1)
    journal.note_keyboard("a/.B")
    with pytest.raises(ContractError, match="belongs to a:1, not to a_1"):
        Journal(tmp_path, "a_1").left()
    journal.path.write_bytes(journal.path.read_bytes()[:-3])
    with pytest.raises(ContractError):
        Journal(tmp_path, "a:1").left()
