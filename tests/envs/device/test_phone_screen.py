"""The double's screen: trees, taps, typing, scrolling and pictures; requests fulfilled by touch alone."""

from __future__ import annotations

import re

import pytest
from double_phone import CALM, Handset

HOME = ("am", "start", "-a", "android.intent.action.MAIN", "-c", "android.intent.category.HOME")


@pytest.fixture
def hand() -> Handset:
    return Handset(14, patch=CALM)


def test_dark_mode_by_touch_leaves_only_itself(hand: Handset):
    hand.sh(*HOME)
    hand.tap(text="Settings")
    hand.tap(text="Display")
    assert hand.find(cls="android.widget.Switch")[0]["checked"] == "false"
    hand.tap(text="Dark theme")
    assert hand.find(cls="android.widget.Switch")[0]["checked"] == "true"
    hand.sh("input", "keyevent", "BACK")
    hand.sh("input", "keyevent", "HOME")
    assert hand.changed() == {("settings", "dark_mode"): {"value": "on"}}
    assert hand.find(text="Clock", id="icon")


def test_a_message_by_touch(hand: Handset):
    hand.sh(*HOME)
    hand.tap(text="Messages")
    hand.tap(desc="Start chat")
    hand.tap(cls="android.widget.EditText")
    hand.type("ann")
    hand.tap(text="Ann Ode")
    hand.tap(id="compose_message_text")
    hand.type("On my way; it's 5 o'clock")
    assert hand.find(id="compose_message_text")[0]["text"] == "On my way; it's 5 o'clock"
    hand.tap(desc="Send SMS")
    ((key, row),) = hand.changed().items()
    assert key == ("messages", "msg_007")
    assert (row["name"], row["phone"], row["content"]) == ("Ann Ode", "5550777", "On my way; it's 5 o'clock")
    assert hand.find(text="On my way; it's 5 o'clock", id="message_text")


def test_sendto_fills_the_composer_and_a_refusal_is_shown():
    settings = [row | ({"value": "on"} if row["key"] == "airplane_mode" else {}) for row in CALM["settings"]]
    hand = Handset(14, patch=CALM | {"settings": settings})
    hand.sh(
        "am",
        "start",
        "-W",
        "-a",
        "android.intent.action.SENDTO",
        "-d",
        "sms:5550777",
        "--es",
        "sms_body",
        "hi $(x)",
        "--ez",
        "exit_on_sent",
        "true",
    )
    assert hand.find(id="compose_message_text")[0]["text"] == "hi $(x)"
    hand.tap(desc="Send SMS")
    assert hand.changed() == {} and hand.find(text="Airplane mode is on")
    hand.tap(text="OK")
    hand.line("cmd connectivity airplane-mode disable")
    hand.tap(desc="Send SMS")
    assert ("messages", "msg_007") in hand.changed() and not hand.find(id="compose_message_text")


def test_alarms_as_the_clock_app_shows_them(hand: Handset):
    hand.sh("am", "start", "-W", "-a", "android.intent.action.SHOW_ALARMS")
    rows = hand.phone.rows("SELECT * FROM alarms ORDER BY time, id")
    assert [n["text"] for n in hand.find(id="digital_clock")] == [row["time"][11:16] for row in rows]
    assert [n["checked"] for n in hand.find(id="onoff")] == [str(bool(row["enabled"])).lower() for row in rows]
    first = rows[0]["id"]
    hand.tap(id="onoff")
    hand.tap(id="digital_clock")
    for name, words in (("material_hour_text_input", "05"), ("material_minute_text_input", "07")):
        hand.tap(id=name)
        for key in ("MOVE_END", "DEL", "DEL", "DEL"):
            hand.sh("input", "keyevent", key)
        hand.type(words)
    hand.tap(id="material_timepicker_ok_button")
    changed = hand.changed()[("alarms", first)]
    assert changed["enabled"] == 1 - rows[0]["enabled"] and changed["time"].endswith("T05:07:00")
    place = [n["text"] for n in hand.find(id="digital_clock")].index("05:07")
    hand.tap(place, id="arrow")
    assert hand.find(desc="Collapse alarm")
    hand.tap(id="edit_label")
    for _ in range(20):
        hand.sh("input", "keyevent", "67")
    hand.type("Gym")
    hand.tap(text="OK")
    assert hand.changed()[("alarms", first)]["title"] == "Gym"
    hand.tap(id="delete")
    assert hand.changed() == {("alarms", first): None}


def test_twelve_hours(hand: Handset):
    hand.sh("settings", "put", "system", "time_12_24", "12")
    hand.sh("am", "start", "-a", "android.intent.action.SET_ALARM", "--ei", "android.intent.extra.alarm.HOUR", "15")
    assert hand.find(id="material_hour_text_input")[0]["text"] == "3"
    assert hand.find(id="material_clock_period_pm_button")[0]["selected"] == "true"
    hand.tap(text="AM")
    hand.tap(text="OK")
    assert any(n["text"] == "3:00 AM" for n in hand.find(id="digital_clock"))


def test_timers(hand: Handset):
    for label, seconds in (("", "1500"), ("Egg", "420"), ("Egg", "9480")):
        hand.sh(
            "am",
            "start",
            "-a",
            "android.intent.action.SET_TIMER",
            "--ei",
            "android.intent.extra.alarm.LENGTH",
            seconds,
            *(["--es", "android.intent.extra.alarm.MESSAGE", label] if label else []),
            "--ez",
            "android.intent.extra.alarm.SKIP_UI",
            "true",
        ) if label != "Egg" or seconds == "420" else None
    hand.phone.session.write(lambda ctx: ctx.insert("countdowns", id="timer_009", label="Egg", minutes=158))
    hand.sh("am", "start", "-a", "android.intent.action.SHOW_TIMERS")
    assert [n["text"] for n in hand.find(id="timer_time_text")] == ["25:00", "7:00", "2:38:00"]
    for place in (0, 1, 2):
        hand.tap(place, id="play_pause")
    assert [row["status"] for row in hand.phone.rows("SELECT status FROM countdowns ORDER BY id")] == ["paused"] * 3
    assert len(hand.find(desc="Start")) == 3
    hand.tap(2, id="close")
    assert [row["id"] for row in hand.phone.rows("SELECT id FROM countdowns")] == ["timer_001", "timer_002"]


def test_notes_save_on_back(hand: Handset):
    hand.sh(
        "am",
        "start",
        "-a",
        "com.google.android.gms.actions.CREATE_NOTE",
        "-t",
        "text/plain",
        "--es",
        "android.intent.extra.TEXT",
        "box code is C31",
    )
    assert hand.find(id="edit_note_text")[0]["text"] == "box code is C31" and hand.changed() == {}
    hand.sh("input", "keyevent", "BACK")
    assert hand.find(text="box code is C31", id="index_note_text_description")
    assert [row["content"] for row in hand.changed().values()] == ["box code is C31"]
    hand.tap(text="box code is C31")
    hand.tap(desc="Delete")
    assert hand.changed() == {}


def test_contacts_and_events_by_touch(hand: Handset):
    words = ("--es", "name", "Bea", "--es", "phone", "5550555")
    hand.sh("am", "start", "-a", "android.intent.action.INSERT", "-t", "vnd.android.cursor.dir/contact", *words)
    hand.tap(id="group")
    hand.type("chess")
    hand.tap(text="Save")
    words = ("--es", "title", "Swim", "--el", "beginTime", "1737012600000")
    hand.sh("am", "start", "-a", "android.intent.action.INSERT", "-d", "content://com.android.calendar/events", *words)
    hand.tap(text="Save")
    changed = hand.changed()
    assert changed[("contacts", "contact_021")]["group_name"] == "chess" and len(changed) == 2
    assert changed[("contacts", "contact_021")]["name"] == "Bea"
    assert changed[("schedules", "schedule_005")]["datetime"] == "2025-01-16T15:30:00"


def test_bluetooth_by_touch(hand: Handset):
    hand.phone.session.write(lambda ctx: ctx.insert("bluetooth_devices", name="Flip 99", kind="speaker"))
    links = "SELECT paired, connected FROM bluetooth_devices WHERE name = 'Flip 99'"
    hand.sh("am", "start", "-a", "android.settings.BLUETOOTH_SETTINGS")
    hand.tap(text="Pair new device")
    hand.tap(text="Flip 99")
    hand.tap(text="Pair")
    assert hand.phone.rows(links) == [{"paired": 1, "connected": 1}] and hand.find(text="Connected", id="summary")
    hand.tap(text="Flip 99")
    hand.tap(text="Disconnect")
    hand.tap(text="OK")
    assert hand.phone.rows(links) == [{"paired": 1, "connected": 0}]
    hand.tap(text="Flip 99")
    assert hand.phone.rows(links) == [{"paired": 1, "connected": 1}]


def test_a_generic_app_sends_and_handles_files(hand: Handset):
    hand.sh(*HOME)
    hand.tap(text="WhatsApp")
    hand.tap(text="New message")
    hand.tap(id="recipient")
    hand.type("Ann")
    hand.tap(id="message")
    hand.type("Hello")
    hand.tap(text="Send")
    ((key, row),) = hand.changed().items()
    assert key[0] == "app_messages" and (row["app"], row["recipient"], row["content"]) == ("WhatsApp", "Ann", "Hello")
    name = hand.phone.rows("SELECT name FROM files WHERE kind = 'document' ORDER BY name")[0]["name"]
    hand.tap(text="Files")
    hand.tap(text=name)
    hand.tap(id="folder")
    hand.type("Trips")
    hand.tap(text="Move")
    assert hand.changed()[("file_folders", name)]["folder"] == "Trips"


def test_brightness_slider_and_screen_timeout(hand: Handset):
    hand.sh("am", "start", "-a", "android.settings.DISPLAY_SETTINGS")
    (seek,) = hand.find(id="brightness_seekbar")
    left, top, right, bottom = map(int, re.findall(r"\d+", seek["bounds"]))
    assert seek["content-desc"] == "Brightness level 40%"
    y, x = str((top + bottom) // 2), left + round(0.8 * (right - left - 1))
    hand.sh("input", "swipe", str(left + 300), y, str(x), y, "300")
    assert hand.changed() == {("settings", "brightness"): {"value": "80"}}
    hand.tap(text="Screen timeout")
    assert hand.find(text="30 seconds")[0]["checked"] == "true"
    hand.tap(text="5 minutes")
    assert hand.changed()[("settings", "screen_timeout")] == {"value": "5min"}


def test_home_and_back_are_the_sandbox_s_where_the_tables_have_the_app():
    settings = [row | ({"value": "Clock"} if row["key"] == "foreground_app" else {}) for row in CALM["settings"]]
    hand = Handset(14, patch=CALM | {"settings": settings})
    assert hand.find(id="digital_clock")
    hand.sh("am", "start", "-a", "android.settings.WIFI_SETTINGS")
    hand.sh("input", "keyevent", "BACK")
    hand.sh("input", "keyevent", "HOME")
    assert hand.changed() == {} and hand.find(text="Notes", id="icon")
    hand.sh("am", "start", "-n", "com.google.android.deskclock/com.android.deskclock.DeskClock")
    assert hand.find(id="digital_clock")
    hand.sh("qpa-double", "reset")
    hand.sh("input", "keyevent", "HOME")
    assert hand.changed() == {("settings", "foreground_app"): {"value": ""}} and not hand.find(id="digital_clock")
    hand.sh("input", "keyevent", "APP_SWITCH")
    assert hand.find(text="Clear all")
    hand.sh("input", "keyevent", "HOME")
    assert hand.changed() == {("settings", "foreground_app"): {"value": ""}}


def test_back_over_a_recorded_app_only_closes_the_page():
    settings = [row | ({"value": "Clock"} if row["key"] == "foreground_app" else {}) for row in CALM["settings"]]
    hand = Handset(14, patch=CALM | {"settings": settings})
    hand.tap(id="digital_clock")
    assert hand.find(id="material_timepicker_ok_button")
    hand.sh("input", "keyevent", "BACK")
    assert hand.find(id="digital_clock") and hand.changed() == {}


# --- text ------------------------------------------------------------------------------------------------------------


def editor() -> Handset:
    hand = Handset(14, patch=CALM)
    hand.sh("am", "start", "-a", "com.google.android.gms.actions.CREATE_NOTE")
    hand.tap(id="edit_note_text")
    return hand


def words(hand: Handset) -> str:
    return hand.find(id="edit_note_text")[0]["text"]


@pytest.mark.parametrize(("android", "code"), [(8, 1), (14, 255)])
def test_input_text_has_only_the_keys_it_has(android: int, code: int):
    hand = Handset(android, patch=CALM)
    out, err, rc = hand.all("input", "text", "你好")
    assert (out, rc) == ("", code)
    assert "java.lang.NullPointerException: Attempt to get length of null array\n\tat com.android." in err


def test_typing_and_keys():
    hand = editor()
    assert hand.find(cls="android.widget.EditText")[0]["focused"] == "true"
    hand.sh("input", "text", "a%sb'\"$;x%")
    assert words(hand) == "a b'\"$;x%"
    for key in ("DEL", "MOVE_HOME", "FORWARD_DEL", "KEYCODE_Z", "62", "MOVE_END", "ENTER", "KEYCODE_9"):
        hand.sh("input", "keyevent", key)
    assert words(hand) == "z  b'\"$;x\n9"
    assert hand.all("input", "keyevent", "NO_SUCH")[1:] == ("Error: Invalid arguments for command: keyevent\n", 1)
    hand.sh("input", "keyevent", "9999")
    hand.sh("input", "tap", "5000", "-1")  # outside: silent
    assert hand.all("input", "tap", "1")[2] == 1 and hand.all("input", "fly")[1] == "Error: Unknown command: fly\n"


def test_unicode_goes_through_the_adb_keyboard():
    hand = editor()
    send = ("am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", "5L2g5aW98J+Ygg==")
    assert hand.sh(*send).endswith("Broadcast completed: result=0\n") and words(hand) == "Note"
    hand.sh("ime", "enable", "com.android.adbkeyboard/.AdbIME")
    hand.sh("ime", "set", "com.android.adbkeyboard/.AdbIME")
    assert hand.sh(*send).endswith("Broadcast completed: result=-1\n") and words(hand) == "你好😂"
    hand.sh("am", "broadcast", "-a", "ADB_INPUT_CHARS", "--eia", "chars", "33,63")
    assert words(hand) == "你好😂!?"
    hand.sh("am", "broadcast", "-a", "ADB_CLEAR_TEXT")
    assert words(hand) == "Note"  # the hint
