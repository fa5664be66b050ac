"""`am`, `pm`, `dumpsys`, `cmd` and `svc` of the double: exact texts by Android version, failures with exit code 0."""

from __future__ import annotations

import re

import pytest
from double_phone import Handset

from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.double.phone_profile import Profile

CLOCK = "com.google.android.deskclock"
ALARM = "android.intent.extra.alarm."
TOP = "Warning: Activity not started, intent has been delivered to currently running top-most instance."


def front(app: str, *running: str, **more: object) -> dict[str, object]:
    rows = [{"name": name, "running": int(name in (app, *running))} for name in ("Clock", "Notes", "Maps", "WhatsApp")]
    return {
        "patch": {
            "apps": rows,
            "settings": [{"key": "foreground_app", "value": app}, {"key": "screen_overlay", "value": ""}],
        }
    }


# --- starting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("android", [8, 9, 10, 16])
def test_start_waits(android: int):
    hand = Handset(android, **front(""))
    state = ["LaunchState: COLD"] if android >= 10 else []
    shown = hand.sh("am", "start", "-W", "-n", f"{CLOCK}/com.android.deskclock.DeskClock").splitlines()
    component = f"{CLOCK}/com.android.deskclock.DeskClock"
    head = [f"Starting: Intent {{ cmp={component} }}", "Status: ok", *state, f"Activity: {component}"]
    assert shown == head + (["ThisTime: 612"] if android < 10 else []) + ["TotalTime: 612", "WaitTime: 621", "Complete"]
    assert hand.sh("am", "start", "-n", component).splitlines()[1] == TOP
    assert hand.changed()[("settings", "foreground_app")] == {"value": "Clock"}


def test_start_brings_a_running_task_to_the_front():
    hand = Handset(**front("Clock", "Notes"))
    shown = hand.sh("am", "start", "-n", "com.google.android.keep/.activities.BrowseActivity").splitlines()
    assert shown == [
        "Starting: Intent { cmp=com.google.android.keep/.activities.BrowseActivity }",
        "Warning: Activity not started, its current task has been brought to the front",
    ]


@pytest.mark.parametrize("android", [8, 14])
def test_start_fails_with_0(android: int):
    hand = Handset(android, **front(""))
    out, err, code = hand.all("am", "start", "-n", "com.nobody/.Main")
    message = "Error type 3\nError: Activity class {com.nobody/com.nobody.Main} does not exist.\n"
    assert (out + err, code) == ("Starting: Intent { cmp=com.nobody/.Main }\n" + message, 0)
    assert (err == message) == (android >= 9)
    out, err, code = hand.all("am", "start", "-a", "x.y.Z", "-d", "https://a.example/secret?x=1", "--es", "k", "v")
    assert out == "Starting: Intent { act=x.y.Z dat=https://a.example/... (has extras) }\n" and code == 0
    assert err.startswith(
        "Error: Activity not started, unable to resolve Intent { act=x.y.Z dat=https://a.example/... flg=0x10000000"
    )
    assert hand.all("am", "start", "-n", "nothing") == ("", "Error: Bad component name: nothing\n", 1)
    assert hand.all("am", "start", "-q")[1] == "Error: Unknown option: -q\n"
    assert hand.changed() == {}


def test_a_disabled_app_does_not_exist_for_start():
    hand = Handset(patch={"apps": [{"name": "Notes", "enabled": 0}]})
    assert "does not exist." in hand.all("am", "start", "-n", "com.google.android.keep/.activities.BrowseActivity")[1]
    assert hand.all("monkey", "-p", "com.google.android.keep", "-c", "android.intent.category.LAUNCHER", "1")[2] == 252
    assert hand.sh("cmd", "package", "resolve-activity", "--brief", "com.google.android.keep") == "No activity found\n"


@pytest.mark.parametrize(
    ("days", "repeat", "time"),
    [
        ("", "once", "2025-01-15T15:35:00"),
        ("1,2,3,4,5,6,7", "daily", "2025-01-15T15:35:00"),
        ("2,3,4,5,6", "weekdays", "2025-01-15T15:35:00"),
        ("7,1", "weekends", "2025-01-18T15:35:00"),
    ],
)
def test_set_alarm(days: str, repeat: str, time: str):
    hand = Handset()
    hand.sh(
        "am",
        "start",
        "-W",
        "-a",
        "android.intent.action.SET_ALARM",
        "--ei",
        ALARM + "HOUR",
        "15",
        "--ei",
        ALARM + "MINUTES",
        "35",
        "--es",
        ALARM + "MESSAGE",
        "Choir; echo",
        *(["--eial", ALARM + "DAYS", days] if days else []),
        "--ez",
        ALARM + "SKIP_UI",
        "true",
    )
    row = {"id": "alarm_005", "time": time, "title": "Choir; echo", "repeat": repeat, "enabled": 1, "snoozed_until": ""}
    assert hand.changed() == {("alarms", "alarm_005"): row}
    assert f"triggerTime={time.replace('T', ' ')}" in hand.sh("dumpsys", "alarm")


def test_an_alarm_that_the_sandbox_cannot_say_opens_the_picker():
    hand = Handset()
    hand.sh(
        "am",
        "start",
        "-a",
        "android.intent.action.SET_ALARM",
        "--ei",
        ALARM + "HOUR",
        "15",
        "--eial",
        ALARM + "DAYS",
        "2,4",
        "--ez",
        ALARM + "SKIP_UI",
        "true",
    )
    assert hand.changed() == {} and hand.find(id="material_hour_text_input")[0]["text"] == "15"


def test_set_timer_and_forwarding():
    hand = Handset()
    hand.sh(
        "am",
        "start",
        "-a",
        "android.intent.action.SET_TIMER",
        "--ei",
        ALARM + "LENGTH",
        "301",
        "--es",
        ALARM + "MESSAGE",
        "Tea",
        "--ez",
        ALARM + "SKIP_UI",
        "true",
    )
    (row,) = hand.changed().values()
    assert (row["label"], row["minutes"], row["status"]) == ("Tea", 6, "running")
    hand = Handset()
    hand.sh("am", "start", "-W", "-a", "android.intent.action.CALL", "-d", "tel:**21*5550100%23")
    assert hand.phone.setting("call_forwarding_number") == "5550100"
    assert "  mCallForwarding=true\n" in hand.sh("dumpsys", "telephony.registry")
    hand.sh("am", "start", "-W", "-a", "android.intent.action.CALL", "-d", "tel:%23%2321%23")
    assert "  mCallForwarding=false\n" in hand.sh("dumpsys", "telephony.registry")


def test_numbers_are_crossed_out_in_what_am_prints():
    hand = Handset(patch={"settings": [{"key": "airplane_mode", "value": "off"}]})
    shown = hand.sh("am", "start", "-a", "android.intent.action.SENDTO", "-d", "sms:555-0123", "--es", "sms_body", "x")
    assert shown == "Starting: Intent { act=android.intent.action.SENDTO dat=sms:xxx-xxxx (has extras) }\n"


@pytest.mark.parametrize(("android", "works"), [(10, True), (11, False), (14, False)])
def test_the_airplane_broadcast_is_protected_from_android_11(android: int, works: bool):
    hand = Handset(android, patch={"settings": [{"key": "airplane_mode", "value": "off"}]})
    hand.all("am", "broadcast", "-a", "android.intent.action.AIRPLANE_MODE", "--ez", "state", "true")
    assert hand.phone.is_on("airplane_mode") == works
    code = hand.all("cmd", "connectivity", "airplane-mode", "enable")[2]
    assert (code == 0) == (not works)


def test_stopping():
    hand = Handset(**front("Clock", "Notes", "Maps"))
    assert hand.sh("pidof", CLOCK).strip().isdigit()
    hand.sh("am", "kill", CLOCK)  # in front: spared
    hand.sh("am", "kill", "com.google.android.keep")
    hand.sh("am", "force-stop", "com.google.android.apps.maps")
    hand.sh("am", "force-stop", "no.such.app")
    assert hand.sh("pidof", CLOCK) and hand.all("pidof", "com.google.android.keep") == ("", "", 1)
    apps = {row["name"]: (row["running"], row["stopped"]) for row in hand.phone.rows("SELECT * FROM apps")}
    assert apps["Notes"] == (0, 0) and apps["Maps"] == (0, 1) and apps["Clock"] == (1, 0)


# --- packages --------------------------------------------------------------------------------------------------------


def test_packages():
    hand = Handset(patch={"apps": [{"name": "WhatsApp", "kind": "user", "version": "2.25", "enabled": 1}]})
    assert "package:com.whatsapp" in hand.sh("pm", "list", "packages", "-3").splitlines()
    assert "package:com.android.systemui" not in hand.sh("pm", "list", "packages", "-3")
    assert re.fullmatch(
        r"package:/data/app/~~\w+==/com.whatsapp-\w+==/base.apk=com.whatsapp versionCode:225 uid:1\d{4}\n",
        hand.sh("pm", "list", "packages", "-f", "-U", "--show-versioncode", "com.whatsapp"),
    )
    assert hand.sh("pm", "path", "android") == "package:/system/framework/framework-res.apk\n"
    assert hand.all("pm", "path", "no.such") == ("", "", 1)
    assert (
        hand.sh("pm", "disable-user", "--user", "0", "com.whatsapp")
        == "Package com.whatsapp new state: disabled-user\n"
    )
    assert hand.sh("pm", "list", "packages", "-d") == "package:com.whatsapp\n"
    assert hand.sh("pm", "enable", "--user", "0", "com.whatsapp") == "Package com.whatsapp new state: enabled\n"
    assert hand.all("pm", "disable-user", "com.android.settings")[1].startswith(
        "java.lang.SecurityException: Cannot disable"
    )
    assert hand.all("pm", "disable-user", "no.such")[1].startswith(
        "java.lang.IllegalArgumentException: Unknown package: no.such"
    )
    assert hand.sh("pm", "clear", "com.whatsapp") == "Success\n"
    assert hand.all("pm", "clear", "no.such") == ("Failed\n", "", 1)
    assert hand.sh("pm", "uninstall", "--user", "0", "com.whatsapp") == "Success\n"
    assert hand.phone.rows("SELECT 1 FROM apps WHERE name = 'WhatsApp'") == []


@pytest.mark.parametrize(("android", "known"), [(12, False), (13, True), (16, True)])
def test_permissions(android: int, known: bool):
    hand = Handset(android, patch={"apps": [{"name": "WhatsApp", "kind": "user", "notifications": "default"}]})
    camera, notify = "android.permission.CAMERA", "android.permission.POST_NOTIFICATIONS"
    hand.sh("pm", "grant", "com.whatsapp", camera)
    assert f"        {camera}: granted=true" in hand.sh("dumpsys", "package", "com.whatsapp")
    hand.sh("pm", "revoke", "com.whatsapp", camera)
    assert f"        {camera}: granted=false" in hand.sh("dumpsys", "package", "com.whatsapp")
    _, err, code = hand.all("pm", "revoke", "com.whatsapp", notify)
    assert (code == 0) == known and (known or "has not requested permission" in err)
    assert (notify in hand.sh("dumpsys", "package", "com.whatsapp")) == known
    assert (
        "is not a changeable permission type"
        in hand.all("pm", "grant", "com.whatsapp", "android.permission.INTERNET")[1]
    )
    assert "Unknown permission: x.Y" in hand.all("pm", "grant", "com.whatsapp", "x.Y")[1]
    assert "Unable to find package: no.such" in hand.sh("dumpsys", "package", "no.such")


# --- dumpsys ---------------------------------------------------------------------------------------------------------

FOCUS = re.compile(r"mCurrentFocus=(?:null|Window\{[0-9a-f]+ u0 (\S+)\})")


@pytest.mark.parametrize("android", range(8, 17))
def test_where_the_focus_is_printed(android: int):
    hand = Handset(android, **front("Clock"))
    window = f"{CLOCK}/com.android.deskclock.DeskClock"
    displays, windows = (FOCUS.search(hand.sh("dumpsys", "window", what)) for what in ("displays", "windows"))
    assert (displays is not None) == (android >= 10) and (windows is not None) == (android < 10)
    found = displays or windows
    assert found is not None and found[1] == window
    assert FOCUS.findall(hand.sh("dumpsys", "window")) == [window]
    shown = hand.sh("dumpsys", "activity", "activities")
    assert ("  topResumedActivity=ActivityRecord{" in shown) == (android >= 12)
    assert bool(
        re.search(r"^ +mResumedActivity: ActivityRecord\{[0-9a-f]+ u0 com.google.android.deskclock/", shown, re.M)
    ) == (android < 14)
    assert ("  ResumedActivity: ActivityRecord{" in shown) == (android >= 14)
    hand.sh("cmd", "statusbar", "expand-notifications")
    found = FOCUS.search(hand.sh("dumpsys", "window"))
    assert found is not None and found[1] == ("StatusBar" if android < 11 else "NotificationShade")
    hand.sh("input", "keyevent", "SLEEP")
    found = FOCUS.search(hand.sh("dumpsys", "window"))
    assert found is not None and found[1] is None


def test_notifications():
    notice = {
        "id": "notification_007",
        "app": "Notes",
        "title": "Ali, Bo",
        "text": "a=b\nc",
        "at": "2025-01-15T08:59:30",
    }
    hand = Handset(patch={"notifications": [notice], "apps": [{"name": "Notes", "notifications": "priority"}]})
    shown = hand.sh("dumpsys", "notification", "--noredact")
    package = "com.google.android.keep"
    assert f"pkg={package} user=UserHandle{{0}} id=7 tag=null importance=4 key=0|{package}|7|null|10007: " in shown
    assert "          android.title=String (Ali, Bo)\n          android.text=String (a=b\nc)\n" in shown
    assert "android.title=String [length=7]" in hand.sh("dumpsys", "notification")
    assert hand.sh("cmd", "notification", "post", "-S", "bigtext", "-t", "Title", "Tag", "The text").startswith(
        "posting:\n"
    )
    assert "android.text=String (The text)" in hand.sh("dumpsys", "notification", "--noredact")
    assert Handset(8).all("cmd", "notification", "post", "-t", "a", "b", "c")[2] == 255


def test_battery_pretends_until_reset():
    hand = Handset(
        patch={
            "settings": [
                {"key": "battery_level", "value": "85"},
                {"key": "charging", "value": "off"},
                {"key": "battery_temperature", "value": "31"},
            ]
        }
    )
    lines = hand.sh("dumpsys", "battery").splitlines()
    assert {"  level: 85", "  status: 3", "  temperature: 310"} <= set(lines)
    hand.sh("dumpsys", "battery", "set", "level", "5")
    assert "  level: 5\n" in hand.sh("dumpsys", "battery") and "UPDATES STOPPED" in hand.sh("dumpsys", "battery")
    hand.sh("dumpsys", "battery", "reset")
    assert hand.sh("dumpsys", "battery").splitlines() == lines and hand.changed() == {}


def test_displays_and_unknown_services():
    phone = SandboxPhone(14, Profile(displays=2))
    rows = phone.shell("dumpsys SurfaceFlinger --display-id").stdout.decode().splitlines()
    assert rows[0].startswith("Display 4619827259835644672 (HWC display 0): port=0 ") and len(rows) == 2
    assert Handset(9).sh("dumpsys", "SurfaceFlinger", "--display-id").startswith("Display 0 (HWC display 0)")
    assert Handset().all("dumpsys", "nothing") == ("", "Can't find service: nothing\n", 0)
    assert Handset().all("cmd", "nothing") == ("", "cmd: Can't find service: nothing\n", 20)
