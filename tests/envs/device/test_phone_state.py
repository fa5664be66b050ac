"""One state: the shell leaves the rows that the sandbox's own tool leaves, and a verifier judges both alike."""

from __future__ import annotations

import asyncio
import base64
import shlex
from typing import Any

import msgspec
import pytest
from double_phone import Handset, task

from qpa.bench import BenchVerifier
from qpa.contract import (
    Evidence,
    Fault,
    Intent,
    Reply,
    RowChange,
    StateCriteria,
    Step,
    StopReason,
    ToolCall,
    Trajectory,
    from_msgpack,
    to_msgpack,
)
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.sandbox import SandboxEnv
from qpa.envs.sandbox.context import ToolContext

CALM = {
    "settings": [
        {"key": key, "value": value}
        for key, value in {
            "airplane_mode": "off",
            "auto_brightness": "off",
            "battery_mode": "normal",
            "bluetooth": "off",
            "brightness": "40",
            "dark_mode": "off",
            "data_saver": "off",
            "developer_options": "on",
            "dnd": "off",
            "eye_comfort": "off",
            "font_size": "default",
            "foreground_app": "Clock",
            "input_method": "Gboard",
            "location": "off",
            "media_state": "paused",
            "media_volume": "50",
            "mobile_data": "on",
            "nfc": "off",
            "reading_mode": "off",
            "ring_volume": "60",
            "screen_overlay": "",
            "screen_power": "on",
            "screen_timeout": "30s",
            "sound_mode": "normal",
            "time_format": "24h",
            "time_zone": "Shanghai",
            "volume_limit": "off",
            "wifi": "on",
        }.items()
    ],
    "apps": [
        {"name": name, "running": 1, "enabled": 1, "kind": kind}
        for name, kind in (("Clock", "system"), ("Notes", "system"), ("WhatsApp", "user"))
    ],
    "contacts": [{"id": "contact_020", "name": "Ann Ode", "phone": "5550777", "group_name": "work"}],
    "wifi_networks": [{"ssid": "Guest-9", "password": "", "saved": 1, "connected": 1}],
    "alarms": [{"id": "alarm_030", "time": "2025-01-16T06:20:00", "title": "Row", "repeat": "daily", "enabled": 1}],
    "schedules": [{"id": "schedule_040", "event": "Exam", "datetime": "2025-01-17T10:00:00", "location": "Hall"}],
}
A, X = "android.intent.action.", "android.intent.extra.alarm."
CONTACT_DATA = "content://com.android.contacts/data"
EVENTS = "content://com.android.calendar/events"


def bind(uri: str, *binds: str, where: str = "", verb: str = "insert") -> str:
    words = ["content", verb, "--uri", uri, *(word for b in binds for word in ("--bind", b))]
    return shlex.join(words + (["--where", where] if where else []))


def new_contact(name: str, number: str) -> list[str]:
    kind = "mimetype:s:vnd.android.cursor.item/"
    return [
        bind("content://com.android.contacts/raw_contacts", "account_type:n:", "account_name:n:"),
        bind(CONTACT_DATA, "raw_contact_id:i:21", f"{kind}name", f"data1:s:{name}"),
        bind(CONTACT_DATA, "raw_contact_id:i:21", f"{kind}phone_v2", f"data1:s:{number}", "data2:i:2"),
    ]


# Tool and arguments, and the command lines that do the same.
PAIRS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "alarm": (
        "manage_alarm",
        {"action": "create", "time": "19:45", "title": "Tea; now", "repeat": "daily"},
        [
            f"am start -W -a {A}SET_ALARM --ei {X}HOUR 19 --ei {X}MINUTES 45 "
            f"--es {X}MESSAGE 'Tea; now' --eial {X}DAYS 1,2,3,4,5,6,7 --ez {X}SKIP_UI true"
        ],
    ),
    "timer": (
        "manage_countdown",
        {"action": "start", "minutes": 7, "label": "Egg"},
        [f"am start -a {A}SET_TIMER --ei {X}LENGTH 420 --es {X}MESSAGE Egg --ez {X}SKIP_UI true"],
    ),
    "contact": ("add_contact", {"name": "Bo 'x' Li", "phoneNumber": "5550444"}, new_contact("Bo 'x' Li", "5550444")),
    "contact number": (
        "update_contact",
        {"name": "Ann Ode", "phoneNumber": "5550888"},
        [
            bind(
                CONTACT_DATA,
                "data1:s:5550888",
                verb="update",
                where="raw_contact_id=20 AND mimetype='vnd.android.cursor.item/phone_v2'",
            )
        ],
    ),
    "contact gone": (
        "delete_contact",
        {"name": "Ann Ode"},
        ["content delete --uri content://com.android.contacts/raw_contacts --where '_id=20'"],
    ),
    "event": (
        "manage_schedule",
        {"action": "create", "event": "Jog", "datetime": "2025-01-20 18:00", "location": "Park"},
        [
            bind(
                EVENTS,
                "calendar_id:i:1",
                "title:s:Jog",
                "dtstart:l:1737367200000",
                "dtend:l:1737370800000",
                "eventLocation:s:Park",
                "hasAlarm:i:0",
            )
        ],
    ),
    "event moved": (
        "manage_schedule",
        {"action": "update", "scheduleId": "schedule_040", "datetime": "2025-01-17 11:00"},
        [bind(EVENTS, "dtstart:l:1737082800000", verb="update", where="_id=40")],
    ),
    "event gone": (
        "manage_schedule",
        {"action": "delete", "scheduleId": "schedule_040"},
        ["content delete --uri content://com.android.calendar/events --where _id=40"],
    ),
    "reminder": (
        "manage_reminder",
        {"action": "create", "content": "Pay", "time": "2025-01-20 18:00"},
        [
            bind(
                EVENTS,
                "calendar_id:i:1",
                "title:s:Pay",
                "dtstart:l:1737367200000",
                "dtend:l:1737367200000",
                "hasAlarm:i:1",
            )
        ],
    ),
    "call": ("make_call", {"phoneNumber": "5550777"}, [f"am start -a {A}CALL -d tel:5550777"]),
    "video call": (
        "make_call",
        {"phoneNumber": "5550777", "callType": "video"},
        [f"am start -a {A}CALL -d tel:5550777 --ei android.telecom.extra.START_CALL_WITH_VIDEO_STATE 3"],
    ),
    "wifi": ("manage_wifi", {"action": "disable"}, ["svc wifi disable"]),
    "wifi forgotten": ("forget_wifi", {"ssid": "Guest-9"}, ["cmd wifi forget-network 2"]),
    "bluetooth": ("manage_bluetooth", {"action": "enable"}, ["svc bluetooth enable"]),
    "data": ("manage_mobile_data", {"action": "disable"}, ["svc data disable"]),
    "airplane": ("manage_airplane_mode", {"action": "enable"}, ["cmd connectivity airplane-mode enable"]),
    "nfc": ("manage_nfc", {"action": "enable"}, ["svc nfc enable"]),
    "location": ("manage_location", {"action": "enable"}, ["cmd location set-location-enabled true"]),
    "dark": ("manage_dark_mode", {"action": "enable"}, ["cmd uimode night yes"]),
    "brightness": ("manage_brightness", {"action": "set", "level": 73}, ["settings put system screen_brightness 186"]),
    "timeout": ("set_screen_timeout", {"timeout": "5min"}, ["settings put system screen_off_timeout 300000"]),
    "font": ("manage_font_size", {"action": "set", "size": "large"}, ["settings put system font_scale 1.15"]),
    "night light": ("manage_eye_comfort", {"action": "enable"}, ["settings put secure night_display_activated 1"]),
    "saver": ("manage_battery", {"mode": "power_saving"}, ["settings put global low_power 1"]),
    "quiet": ("manage_do_not_disturb", {"action": "enable"}, ["cmd notification set_dnd on"]),
    "ringer": ("set_sound_mode", {"mode": "vibrate"}, ["cmd audio set-ringer-mode VIBRATE"]),
    "volume": (
        "manage_volume",
        {"action": "set", "stream": "media", "level": 15},
        ["cmd media_session volume --stream 3 --set 15"],
    ),
    "volume key": ("press_system_button", {"button": "volume_up", "times": 1}, ["input keyevent KEYCODE_VOLUME_UP"]),
    "clock": ("set_time_format", {"format": "12h"}, ["settings put system time_12_24 12"]),
    "zone": ("set_time_zone", {"city": "Tokyo"}, ["cmd alarm set-timezone Asia/Tokyo"]),
    "keyboard": (
        "manage_input_method",
        {"action": "enable", "inputMethod": "Grammarly"},
        ["ime enable com.grammarly.android.keyboard/.GrammarlyKeyboard"],
    ),
    "open": ("open_app", {"appName": "Notes"}, ["am start -W -n com.google.android.keep/.activities.BrowseActivity"]),
    "open by monkey": (
        "open_app",
        {"appName": "Notes"},
        ["monkey -p com.google.android.keep -c android.intent.category.LAUNCHER 1"],
    ),
    "close": (
        "close_app",
        {"appName": "Clock"},
        ["input keyevent KEYCODE_HOME", "am kill com.google.android.deskclock"],
    ),
    "stop": ("force_stop_app", {"appName": "WhatsApp"}, ["am force-stop com.whatsapp"]),
    "disable": (
        "manage_disabled_apps",
        {"action": "disable", "appName": "WhatsApp"},
        ["pm disable-user --user 0 com.whatsapp"],
    ),
    "clear": ("clear_app_data", {"appName": "WhatsApp"}, ["pm clear com.whatsapp"]),
    "uninstall": ("uninstall_app", {"appName": "WhatsApp"}, ["pm uninstall com.whatsapp"]),
    "permission": (
        "manage_app_permission",
        {"action": "grant", "appName": "Notes", "permission": "camera"},
        ["pm grant com.google.android.keep android.permission.CAMERA"],
    ),
    "home": ("press_system_button", {"button": "home"}, ["input keyevent 3"]),
    "screen off": ("press_system_button", {"button": "power"}, ["input keyevent SLEEP", "input keyevent SLEEP"]),
    "play": ("control_playback", {"action": "resume"}, ["input keyevent KEYCODE_MEDIA_PLAY"]),
    "shortcut": (
        "manage_text_shortcuts",
        {"action": "add", "shortcut": "hbd", "phrase": "Happy birthday!"},
        [bind("content://user_dictionary/words", "shortcut:s:hbd", "word:s:Happy birthday!")],
    ),
}


def by_tool(tool: str, arguments: dict[str, Any]) -> list[RowChange]:
    async def run() -> list[RowChange]:
        env = SandboxEnv()
        session = await env.reset(task(patch=CALM))
        (answer,) = await env.step(session, [ToolCall(id="c", name=tool, arguments=arguments)])
        assert answer.ok, answer.payload
        return session.changes()

    return asyncio.run(run())


@pytest.mark.parametrize("name", PAIRS)
def test_the_shell_leaves_the_rows_of_the_tool(name: str):
    tool, arguments, commands = PAIRS[name]
    hand = Handset(14, patch=CALM)
    for command in commands:
        assert hand.line(command)[1:] == ("", 0)
    changes = hand.evidence().changes
    assert changes == by_tool(tool, arguments) and changes != []


def trajectory(spec: Any) -> Trajectory:
    reply = Step(index=0, observation=[], text="Done", action=Reply(text="Done", intent=Intent.FINISH))
    return Trajectory(task=spec, steps=[reply], stop=StopReason.FINISHED)


def test_the_bench_verifier_judges_the_double_s_evidence():
    tool, arguments, commands = PAIRS["contact"]
    spec = msgspec.structs.replace(task(patch=CALM), criteria=StateCriteria(delta=by_tool(tool, arguments)))
    hand = Handset()
    hand.load(spec)
    assert not BenchVerifier().verify(spec, hand.evidence(), trajectory(spec)).success
    for command in commands:
        hand.line(command)
    assert BenchVerifier().verify(spec, hand.evidence(), trajectory(spec)).success
    hand.line("svc wifi disable")  # an unrelated write
    assert not BenchVerifier().verify(spec, hand.evidence(), trajectory(spec)).success


def test_the_private_command():
    hand = Handset(13)
    assert hand.sh("qpa-double", "version") == "qpa-double 1 android 13\n"
    hand.line("svc nfc enable; svc nfc disable; svc wifi disable; svc wifi enable; echo x > /data/local/tmp/kept")
    hand.sh("settings", "put", "global", "foreign", "1")
    assert hand.sh("qpa-double", "reset") == "ok\n" and hand.evidence() == Evidence()
    assert (
        hand.sh("settings", "get", "global", "foreign") == "null\n" and hand.sh("cat", "/data/local/tmp/kept") == "x\n"
    )
    assert hand.all("qpa-double", "load", "/nowhere") == ("", "qpa-double: no file /nowhere\n", 1)
    hand.phone.write("/data/local/tmp/bad", b"\x81\xa2id\x01", 0o644, 0)
    out, err, code = hand.all("qpa-double", "load", "/data/local/tmp/bad")
    assert (out, code) == ("", 1) and err.startswith("qpa-double: not a valid TaskSpec")
    broken = task(patch={"nowhere": [{"id": "x"}]})
    hand.phone.write("/data/local/tmp/bad", to_msgpack(broken), 0o644, 0)
    assert "initial.patch names table 'nowhere'" in hand.all("qpa-double", "load", "/data/local/tmp/bad")[1]
    assert hand.sh("getprop", "sys.boot_completed") == "1\n"  # the episode before goes on
    assert hand.all("qpa-double")[2] == 1


def test_evidence_is_wrapped_contract_data():
    hand = Handset()
    hand.sh("input", "keyevent", "KEYCODE_VOLUME_UP")
    evidence = from_msgpack(base64.b64decode(hand.sh("qpa-double", "evidence")), Evidence)
    assert [(o.tool, o.ok) for o in evidence.operations] == [("press_system_button", True)] and len(
        evidence.changes
    ) == 1


def test_a_task_s_tools_do_not_limit_the_hand_and_its_faults_are_not_played():
    spec = task(
        faults=[Fault(tool="manage_nfc", hang_s=30.0, count=9)], patch={"settings": [{"key": "nfc", "value": "off"}]}
    )
    hand = Handset()
    hand.load(msgspec.structs.replace(spec, resources=msgspec.structs.replace(spec.resources, tools=["manage_wifi"])))
    hand.line("svc nfc enable")
    assert hand.changed() == {("settings", "nfc"): {"value": "on"}}


def test_denied_permissions_are_security_exceptions():
    hand = Handset(denied_permissions=["CALL_PHONE"], patch={"settings": [{"key": "airplane_mode", "value": "off"}]})
    hand.line("am start -a android.intent.action.CALL -d tel:5550777")
    assert hand.changed() == {} and hand.find(text="Permission denied: CALL_PHONE")


def test_a_write_beside_the_tools_is_undone_when_it_raises():
    hand = Handset()

    def fail(ctx: ToolContext) -> None:
        ctx.insert("notes", id=ctx.new_id("note"), content="x", created_at="")
        ctx.set_setting("nfc", "maybe")
        raise LookupError("no")

    before = hand.phone.setting("nfc")
    with pytest.raises(LookupError):
        hand.phone.session.write(fail)
    assert hand.changed() == {} and hand.phone.setting("nfc") == before
    assert hand.phone.insert_row("notes", "note", content="y", created_at="") == "note_003"


def test_an_episode_before_is_closed():
    hand = Handset()
    before = hand.phone.session
    hand.sh("qpa-double", "reset")
    assert before.closed and not hand.phone.session.closed


def test_two_phones_share_nothing():
    first, second = SandboxPhone(14), SandboxPhone(9)
    first.shell("svc nfc enable; svc nfc disable; echo x > /sdcard/Download/y")
    assert second.session.changes() == [] and second.read("/sdcard/Download/y") is None
