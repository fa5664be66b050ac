"""Display & Sound: what one control does to another, and what it leaves alone."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from sandbox_phone import Phone

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import display_sound

SPECS = [tool.spec for tool in display_sound.DOMAIN.tools]
SCHEDULES = make_world(0).rows["dnd_schedules"]
BASE = {
    "battery_level": "80",
    "battery_mode": "normal",
    "location": "on",
    "brightness": "50",
    "auto_brightness": "off",
    "dark_mode": "off",
    "dark_mode_schedule": "off",
    "eye_comfort": "off",
    "eye_comfort_level": "40",
    "eye_comfort_schedule": "off",
    "reading_mode": "off",
    "auto_rotate": "on",
    "locked_orientation": "portrait",
    "flashlight": "off",
    "flashlight_level": "3",
    "screen_timeout": "30s",
    "refresh_rate": "60Hz",
    "screen_resolution": "FHD+",
    "font_size": "default",
    "display_size": "default",
    "bold_text": "off",
    "color_mode": "natural",
    "color_temperature": "standard",
    "screen_attention": "off",
    "wake_lift": "off",
    "wake_double_tap": "off",
    "wallpaper_home": "Old Beach",
    "wallpaper_lock": "Old Beach",
    "sound_mode": "normal",
    "media_volume": "40",
    "ring_volume": "60",
    "notification_volume": "70",
    "call_volume": "50",
    "ring_volume_before_mute": "",
    "volume_limit": "off",
    "volume_limit_level": "80",
    "vibrate_calls": "off",
    "vibrate_touch": "off",
    "sound_keyboard": "off",
    "vibration_strength": "medium",
    "notification_sound": "Chime",
    "sound_effect": "off",
    "sound_effect_profile": "smart",
    "mono_audio": "off",
    "audio_balance": "0",
    "dnd": "off",
    "dnd_until": "",
    "dnd_allow_alarms": "off",
    "dnd_allow_starred_contacts": "off",
}


def new_phone(clock: str = "2025-01-15T09:00:00", **settings: str) -> Phone:
    """A phone with `BASE` settings, changed as given; the default clock is a Wednesday's."""
    patch = {
        "settings": [{"key": key, "value": value} for key, value in (BASE | settings).items()],
        "wallpapers": [{"name": "Koi Pond", "live": 1}, {"name": "Old Beach"}, {"name": "Old Barn"}],
        "power_schedules": [
            {"kind": "power_on", "time": "07:00", "repeat": "daily", "enabled": 0},
            {"kind": "power_off", "time": "23:00", "repeat": "daily", "enabled": 0},
        ],
        "dnd_schedules": [{"name": row["name"], "enabled": 0} for row in SCHEDULES]
        + [{"name": "Choir night", "start_time": "19:00", "end_time": "21:00", "repeat": "weekdays"}],
        "contacts": [
            {"id": "contact_101", "name": "Zoe Quill", "phone": "5559001"},
            {"id": "contact_102", "name": "Zoe Oak", "phone": "5559002"},
        ],
        "files": [{"id": "file_101", "name": "Garden_2024.jpg", "kind": "image"}],
    }
    return Phone(patch=patch, clock=clock)


@pytest.fixture(scope="module")
def shared() -> Phone:
    """One phone for the many calls that are refused, or that may do what they like."""
    return new_phone()


@pytest.fixture(scope="module")
def untouched() -> Phone:
    return new_phone()


@pytest.fixture
def start(untouched: Phone) -> Any:
    """`new_phone`; one that asks for nothing special is a fork, which costs far less."""

    def make(**special: str) -> Phone:
        if special:
            return new_phone(**special)
        twin = copy.copy(untouched)
        twin.session = untouched.session.fork()
        return twin

    return make


def changed(phone: Any) -> dict[str, str]:
    """Changed settings and their new values; fails when anything else changed."""
    assert {(c.table, c.op) for c in phone.changes()} <= {("settings", "update")}
    return {c.key["key"]: c.new["value"] for c in phone.changes()}


def said(phone: Any, tool: str, **arguments: Any) -> str:
    return phone.use(tool, **arguments).payload["message"]


# --- switches and choices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool, more, key, label",
    [
        ("manage_auto_brightness", {}, "auto_brightness", "Auto-brightness"),
        ("manage_dark_mode", {}, "dark_mode", "Dark mode"),
        ("manage_eye_comfort", {}, "eye_comfort", "Eye comfort"),
        ("manage_reading_mode", {}, "reading_mode", "Reading mode"),
        ("control_flashlight", {}, "flashlight", "Flashlight"),
        ("manage_bold_text", {}, "bold_text", "Bold text"),
        ("manage_screen_attention", {}, "screen_attention", "Screen attention"),
        ("manage_wake_gesture", {"gesture": "lift"}, "wake_lift", "Wake gesture (lift)"),
        ("manage_volume_limit", {}, "volume_limit", "Volume limit"),
        ("manage_vibration", {"type": "calls"}, "vibrate_calls", "Vibration (calls)"),
        ("manage_system_sounds", {"sound": "keyboard"}, "sound_keyboard", "System sound (keyboard)"),
        ("manage_sound_effect", {}, "sound_effect", "Sound effect"),
        ("manage_mono_audio", {}, "mono_audio", "Mono audio"),
        ("manage_do_not_disturb", {}, "dnd", "Do-not-disturb"),
    ],
)
def test_a_switch_changes_one_row_and_repeating_it_changes_nothing(start, tool, more, key, label):
    phone = start()
    assert said(phone, tool, action="disable", **more) == f"{label} already off"
    assert phone.data(tool, action="query", **more)["enabled"] is False
    assert changed(phone) == {}
    assert said(phone, tool, action="enable", **more) == f"{label} on"
    assert changed(phone) == {key: "on"}
    assert said(phone, tool, action="enable", **more) == f"{label} already on"
    assert phone.data(tool, action="query", **more)["enabled"] is True
    assert changed(phone) == {key: "on"}
    assert said(phone, tool, action="disable", **more) == f"{label} off"
    assert changed(phone) == {}


@pytest.mark.parametrize(
    "tool, arguments, key, value",
    [
        ("set_screen_timeout", {"timeout": "5min"}, "screen_timeout", "5min"),
        ("set_refresh_rate", {"rate": "120Hz"}, "refresh_rate", "120Hz"),
        ("set_screen_resolution", {"resolution": "QHD+"}, "screen_resolution", "QHD+"),
        ("set_display_size", {"size": "large"}, "display_size", "large"),
        ("manage_font_size", {"action": "set", "size": "huge"}, "font_size", "huge"),
        ("set_color_mode", {"mode": "vivid"}, "color_mode", "vivid"),
        ("set_color_mode", {"temperature": "warm"}, "color_temperature", "warm"),
        ("set_vibration_strength", {"strength": "strong"}, "vibration_strength", "strong"),
        ("set_notification_sound", {"sound": "pebble"}, "notification_sound", "Pebble"),
        ("set_audio_balance", {"balance": -30}, "audio_balance", "-30"),
        ("manage_dnd_exceptions", {"action": "allow", "source": "alarms"}, "dnd_allow_alarms", "on"),
    ],
)
def test_a_choice_changes_one_row_and_repeating_it_changes_nothing(start, tool, arguments, key, value):
    phone = start()
    assert "already" not in said(phone, tool, **arguments)
    assert changed(phone) == {key: value}
    assert "already" in said(phone, tool, **arguments)
    assert changed(phone) == {key: value}


@pytest.mark.parametrize(
    "tool, arguments",
    [
        ("manage_brightness", {"action": "set"}),
        ("manage_brightness", {"action": "set", "level": 0}),
        ("manage_brightness", {"action": "set", "level": 101}),
        ("manage_brightness", {"action": "increase", "level": 70}),
        ("manage_brightness", {"action": "increase", "step": 0}),
        ("manage_brightness", {"action": "max", "step": 5}),
        ("manage_dark_mode", {"action": "schedule", "startTime": "22:00"}),
        ("manage_dark_mode", {"action": "schedule", "startTime": "22:00", "endTime": "10 pm"}),
        ("manage_dark_mode", {"action": "enable", "startTime": "22:00", "endTime": "07:00"}),
        ("manage_eye_comfort", {"action": "enable", "level": 101}),
        ("manage_eye_comfort", {"action": "disable", "level": 50}),
        ("manage_auto_rotate", {"action": "enable", "orientation": "landscape"}),
        ("control_flashlight", {"action": "enable", "level": 6}),
        ("control_flashlight", {"action": "disable", "level": 1}),
        ("manage_font_size", {"action": "set"}),
        ("manage_font_size", {"action": "increase", "size": "huge"}),
        ("set_color_mode", {}),
        ("manage_wallpaper", {"action": "set"}),
        ("manage_wallpaper", {"action": "query", "name": "Old Barn"}),
        ("manage_wake_gesture", {"action": "enable"}),
        ("manage_scheduled_power", {"action": "set", "repeat": "daily"}),
        ("manage_scheduled_power", {"action": "set", "powerOnTime": "soon"}),
        ("manage_scheduled_power", {"action": "set", "powerOnTime": "06:00", "target": "power_on"}),
        ("manage_scheduled_power", {"action": "enable", "powerOnTime": "06:00"}),
        ("manage_volume", {"action": "set"}),
        ("manage_volume", {"action": "set", "level": 101}),
        ("manage_volume", {"action": "set", "stream": "call", "level": 0}),
        ("manage_volume", {"action": "mute", "stream": "call"}),
        ("manage_volume", {"action": "mute", "level": 5}),
        ("manage_volume", {"action": "decrease", "step": 101}),
        ("manage_volume_limit", {"action": "enable", "limit": 5}),
        ("manage_volume_limit", {"action": "disable", "limit": 50}),
        ("manage_vibration", {"action": "enable"}),
        ("manage_system_sounds", {"action": "disable"}),
        ("manage_sound_effect", {"action": "disable", "profile": "movie"}),
        ("set_audio_balance", {"balance": 101}),
        ("manage_do_not_disturb", {"action": "enable", "until": "2025-01-15 08:59"}),
        ("manage_do_not_disturb", {"action": "disable", "until": "10:00"}),
        ("manage_dnd_exceptions", {"action": "allow"}),
        ("manage_dnd_exceptions", {"action": "allow", "source": "alarms", "contact": "Mom"}),
        ("manage_dnd_exceptions", {"action": "query", "contact": "Mom"}),
        ("manage_dnd_schedule", {"action": "create", "name": "Nap", "startTime": "13:00"}),
        ("manage_dnd_schedule", {"action": "create", "startTime": "13:00", "endTime": "14:00"}),
        ("manage_dnd_schedule", {"action": "update", "name": "Choir night"}),
        ("manage_dnd_schedule", {"action": "delete", "name": "Choir night", "repeat": "daily"}),
    ],
)
def test_bad_arguments(shared, tool, arguments):
    assert shared.code(tool, **arguments) == 400


def test_an_argument_error_names_what_would_fit(start):
    phone = start()
    errors = [
        phone.use("manage_brightness", action="set", level=0).payload["error"],
        phone.use("manage_vibration", action="enable").payload["error"],
        phone.use("control_flashlight", action="query", level=2).payload["error"],
        phone.use("manage_brightness", action="max", step=5).payload["error"],
    ]
    assert errors == [
        "level must be 1 to 100",
        "Give calls|notifications|touch|keyboard",
        "level only goes with enable",
        "step only goes with increase or decrease",
    ]


@pytest.mark.parametrize(
    "tool, arguments",
    [
        ("manage_wallpaper", {"action": "set", "name": "Nowhere"}),
        ("set_notification_sound", {"sound": "Kazoo"}),
        ("manage_dnd_exceptions", {"action": "allow", "contact": "Nobody Here"}),
        ("manage_dnd_schedule", {"action": "delete", "name": "Nowhere"}),
        ("manage_dnd_schedule", {"action": "query", "name": "Nowhere"}),
    ],
)
def test_missing_things(shared, tool, arguments):
    assert shared.code(tool, **arguments) == 404


# --- screen ---------------------------------------------------------------------------------------------------------


def test_brightness_steps_stop_at_the_ends(start):
    phone = start()
    levels = [
        phone.data("manage_brightness", **arguments)["level"]
        for arguments in (
            {"action": "increase"},
            {"action": "increase", "step": 100},
            {"action": "decrease", "step": 15},
            {"action": "decrease", "step": 100},
            {"action": "max"},
            {"action": "min"},
            {"action": "set", "level": 70},
        )
    ]
    assert levels == [60, 100, 85, 1, 100, 1, 70]
    assert changed(phone) == {"brightness": "70"}
    assert said(phone, "manage_brightness", action="set", level=70) == "Brightness already 70"
    assert phone.data("manage_brightness", action="query") == {"level": 70, "auto": False}


def test_auto_brightness_forbids_setting_by_hand(start):
    phone = start(auto_brightness="on")
    for arguments in ({"action": "set", "level": 70}, {"action": "increase"}, {"action": "min"}):
        assert phone.code("manage_brightness", **arguments) == 409
    assert phone.data("manage_brightness", action="query") == {"level": 50, "auto": True}
    phone.data("manage_auto_brightness", action="disable")
    phone.data("manage_brightness", action="set", level=70)
    assert changed(phone) == {"auto_brightness": "off", "brightness": "70"}


@pytest.mark.parametrize(
    "clock, first, last, state",
    [
        ("09:00", "22:00", "07:00", "off"),
        ("06:59", "22:00", "07:00", "on"),
        ("07:00", "22:00", "07:00", "off"),
        ("22:00", "22:00", "07:00", "on"),
        ("12:00", "11:30", "12:00", "off"),
        ("11:59", "11:30", "12:00", "on"),
    ],
)
def test_a_daily_schedule_takes_effect_at_once(start, clock, first, last, state):
    phone = start(clock=f"2025-01-15T{clock}:00")
    expected = {}
    for key in ("dark_mode", "eye_comfort"):
        made = phone.data(f"manage_{key}", action="schedule", startTime=first, endTime=last)
        assert made == {"schedule": f"{first}-{last}", "enabled": state == "on"}
        expected |= {f"{key}_schedule": f"{first}-{last}"} | ({key: "on"} if state == "on" else {})
    assert changed(phone) == expected


def test_a_switch_by_hand_and_its_schedule_do_not_disturb_each_other(start):
    phone = start(dark_mode="on")
    phone.data("manage_dark_mode", action="schedule", startTime="22:00", endTime="07:00")
    assert changed(phone) == {"dark_mode": "off", "dark_mode_schedule": "22:00-07:00"}
    phone.data("manage_dark_mode", action="enable")
    again = said(phone, "manage_dark_mode", action="schedule", startTime="22:00", endTime="07:00")
    assert again == "Dark mode already scheduled"
    assert changed(phone) == {"dark_mode_schedule": "22:00-07:00"}
    assert phone.data("manage_dark_mode", action="query") == {"enabled": True, "schedule": "22:00-07:00"}
    assert said(phone, "manage_dark_mode", action="unschedule") == "Dark mode schedule off"
    assert said(phone, "manage_dark_mode", action="unschedule") == "Dark mode schedule already off"
    assert changed(phone) == {}


def test_sunset_needs_the_location(start):
    assert start(location="off").code("manage_dark_mode", action="follow_sunset") == 409
    phone = start(clock="2025-01-15T19:00:00")
    assert phone.data("manage_eye_comfort", action="follow_sunset") == {"schedule": "sunset", "enabled": True}
    assert changed(phone) == {"eye_comfort": "on", "eye_comfort_schedule": "sunset"}


def test_eye_comfort_level(start):
    phone = start()
    assert phone.data("manage_eye_comfort", action="enable", level=70) == {"enabled": True, "level": 70}
    assert said(phone, "manage_eye_comfort", action="enable", level=30) == "Eye comfort on, level 30"
    assert said(phone, "manage_eye_comfort", action="enable", level=30) == "Eye comfort already on"
    assert changed(phone) == {"eye_comfort": "on", "eye_comfort_level": "30"}
    assert phone.data("manage_eye_comfort", action="query") == {"enabled": True, "schedule": "off", "level": 30}


def test_reading_mode_takes_the_colours_away(start):
    phone = start(eye_comfort="on")
    assert said(phone, "manage_reading_mode", action="enable") == "Reading mode on, eye comfort off"
    for action, more in (
        ("enable", {}),
        ("schedule", {"startTime": "8:00", "endTime": "10:00"}),
        ("follow_sunset", {}),
    ):
        assert phone.code("manage_eye_comfort", action=action, **more) == 409
    assert phone.code("set_color_mode", mode="vivid") == 409
    assert phone.use("set_color_mode", mode="natural").ok  # nothing to change
    phone.data("manage_reading_mode", action="disable")
    assert changed(phone) == {"eye_comfort": "off"}  # leaving it brings nothing back


def test_auto_rotate_and_the_locked_orientation(start):
    phone = start()
    assert phone.data("manage_auto_rotate", action="query") == {"enabled": True}
    assert phone.data("manage_auto_rotate", action="disable") == {"enabled": False, "orientation": "portrait"}
    assert changed(phone) == {"auto_rotate": "off"}
    assert said(phone, "manage_auto_rotate", action="disable") == "Auto-rotate already off"
    phone.data("manage_auto_rotate", action="disable", orientation="landscape")
    assert changed(phone) == {"auto_rotate": "off", "locked_orientation": "landscape"}
    assert phone.data("manage_auto_rotate", action="enable") == {"enabled": True}
    assert changed(phone) == {"locked_orientation": "landscape"}


@pytest.mark.parametrize("battery, works", [("5", False), ("6", True), ("", True)])
def test_flashlight_needs_some_battery(start, battery, works):
    phone = start(battery_level=battery)
    if not works:
        assert (
            phone.use("control_flashlight", action="enable", level=2).payload["error"] == f"Battery too low: {battery}%"
        )
        assert changed(phone) == {}
        return
    assert phone.data("control_flashlight", action="enable") == {"enabled": True, "level": 3}
    phone.data("control_flashlight", action="enable", level=5)
    assert changed(phone) == {"flashlight": "on", "flashlight_level": "5"}


def test_a_low_battery_does_not_forbid_what_is_already_so(start):
    phone = start(battery_level="2", flashlight="on")
    assert said(phone, "control_flashlight", action="enable") == "Flashlight already on"
    assert phone.data("control_flashlight", action="disable") == {"enabled": False}


@pytest.mark.parametrize("mode", ["power_saving", "super_saving"])
def test_battery_saving_forbids_what_costs_power(start, mode):
    phone = start(battery_mode=mode)
    assert phone.code("set_refresh_rate", rate="120Hz") == 409
    assert phone.code("set_refresh_rate", rate="dynamic") == 409
    assert phone.code("manage_screen_attention", action="enable") == 409
    assert phone.code("manage_wallpaper", action="set", name="Koi Pond") == 409
    assert phone.use("set_refresh_rate", rate="60Hz").ok
    assert phone.use("manage_screen_attention", action="disable").ok
    assert phone.use("manage_wallpaper", action="set", name="Old Barn").ok
    busy = start(battery_mode=mode, refresh_rate="120Hz", screen_attention="on")
    assert said(busy, "set_refresh_rate", rate="120Hz") == "Refresh rate already 120Hz"
    assert said(busy, "manage_screen_attention", action="enable") == "Screen attention already on"


def test_font_size_steps(start):
    phone = start(font_size="extra_large")
    assert phone.data("manage_font_size", action="increase") == {"font_size": "huge"}
    assert said(phone, "manage_font_size", action="increase") == "Font size already huge"
    assert changed(phone) == {"font_size": "huge"}
    phone.data("manage_font_size", action="decrease")
    assert phone.data("manage_font_size", action="query") == {"font_size": "extra_large"}
    assert start(font_size="small").data("manage_font_size", action="decrease") == {"font_size": "small"}


def test_wallpapers(start):
    phone = start()
    several = phone.use("manage_wallpaper", action="set", name="old")
    assert several.code == 409 and "Old Barn, Old Beach" in several.payload["error"]
    assert phone.data("manage_wallpaper", action="set", name="old barn", screen="lock")["name"] == "Old Barn"
    assert changed(phone) == {"wallpaper_lock": "Old Barn"}
    phone.data("manage_wallpaper", action="set", name="garden")  # a picture of one's own
    assert changed(phone) == {"wallpaper_home": "Garden_2024.jpg", "wallpaper_lock": "Garden_2024.jpg"}
    assert said(phone, "manage_wallpaper", action="set", name="Garden_2024.jpg") == "Wallpaper already set"
    state = phone.data("manage_wallpaper", action="query")
    assert (state["home"], state["lock"]) == ("Garden_2024.jpg", "Garden_2024.jpg")
    assert len(state["items"]) == 5 < state["total"] == 8


def test_scheduled_power(start):
    phone = start()
    made = phone.data("manage_scheduled_power", action="set", powerOffTime="11:30 pm", repeat="weekdays")
    assert made == {"power_off": {"time": "23:30", "repeat": "weekdays", "enabled": True}}
    assert [(c.key, c.new) for c in phone.changes()] == [
        ({"kind": "power_off"}, {"time": "23:30", "repeat": "weekdays", "enabled": 1})
    ]
    assert phone.code("manage_scheduled_power", action="set", powerOnTime="23:30") == 409
    assert said(phone, "manage_scheduled_power", action="set", powerOffTime="23:30") == "Scheduled power already set"
    phone.data("manage_scheduled_power", action="enable")
    assert phone.data("manage_scheduled_power", action="query")["power_on"]["enabled"] is True
    phone.data("manage_scheduled_power", action="disable", target="power_on")
    again = said(phone, "manage_scheduled_power", action="disable", target="power_on")
    assert again == "Scheduled power already disabled"
    assert [c.key for c in phone.changes()] == [{"kind": "power_off"}]


def test_enabling_power_times_that_meet_is_refused(start):
    phone = start()
    phone.data("manage_scheduled_power", action="set", powerOnTime="23:00")
    assert phone.code("manage_scheduled_power", action="enable", target="power_off") == 409


def test_display_settings_are_read(start):
    phone = start(screen_timeout="2min")
    assert phone.data("query_display_settings") == {
        "screen_timeout": "2min",
        "refresh_rate": "60Hz",
        "screen_resolution": "FHD+",
        "display_size": "default",
        "color_mode": "natural",
        "color_temperature": "standard",
    }
    assert phone.data("query_display_settings", item="refresh_rate") == {"refresh_rate": "60Hz"}


# --- sound ----------------------------------------------------------------------------------------------------------


def test_volume_is_media_unless_a_stream_is_named(start):
    phone = start()
    assert phone.data("manage_volume", action="query") == {"media": 40, "ring": 60, "notification": 70, "call": 50}
    assert phone.data("manage_volume", action="increase", step=15) == {"level": 55}
    phone.data("manage_volume", action="set", stream="notification", level=20)
    assert phone.data("manage_volume", action="decrease", stream="call", step=100) == {"level": 10}
    assert changed(phone) == {"media_volume": "55", "notification_volume": "20", "call_volume": "10"}
    assert said(phone, "manage_volume", action="set", level=55) == "Media volume already 55"
    assert phone.data("manage_volume", action="query", stream="call") == {"call": 10}


@pytest.mark.parametrize(
    "quiet", [{"action": "mute"}, {"action": "set", "level": 0}, {"action": "decrease", "step": 40}]
)
def test_every_way_to_silence_is_the_same_and_can_be_undone(start, quiet):
    phone = start()
    assert said(phone, "manage_volume", **quiet) == "Media volume set to 0"
    assert changed(phone) == {"media_volume": "0", "media_volume_before_mute": "40"}
    assert said(phone, "manage_volume", action="mute") == "Media volume already 0"
    assert phone.data("manage_volume", action="unmute") == {"level": 40}
    assert changed(phone) == {}
    assert said(phone, "manage_volume", action="unmute") == "Media volume already 40"


@pytest.mark.parametrize("mode", ["vibrate", "silent"])
def test_leaving_normal_mode_silences_ring_and_notifications_but_not_media(start, mode):
    phone = start()
    assert said(phone, "set_sound_mode", mode=mode) == f"Sound mode set to {mode}"
    quiet = {"sound_mode": mode, "ring_volume": "0", "ring_volume_before_mute": "60"}
    assert changed(phone) == quiet
    assert phone.data("manage_volume", action="query") == {"media": 40, "ring": 0, "notification": 0, "call": 50}
    assert phone.code("manage_volume", action="set", stream="notification", level=30) == 409
    assert phone.code("manage_volume", action="unmute", stream="notification") == 409
    assert said(phone, "set_sound_mode", mode=mode) == f"Sound mode already {mode}"
    assert changed(phone) == quiet
    other = "silent" if mode == "vibrate" else "vibrate"
    phone.data("set_sound_mode", mode=other)
    assert changed(phone) == quiet | {"sound_mode": other}
    phone.data("set_sound_mode", mode="normal")
    assert changed(phone) == {}


def test_the_ring_volume_moves_the_sound_mode(start):
    phone = start()
    assert said(phone, "manage_volume", action="mute", stream="ring") == "Ring volume set to 0, sound mode vibrate"
    assert changed(phone) == {"ring_volume": "0", "ring_volume_before_mute": "60", "sound_mode": "vibrate"}
    raised = said(phone, "manage_volume", action="set", stream="ring", level=80)
    assert raised == "Ring volume set to 80, sound mode normal"
    assert changed(phone) == {"ring_volume": "80"}


def test_a_task_may_patch_the_mode_alone(start):
    phone = start(sound_mode="silent")  # the ring volume row still says 60
    assert phone.data("manage_volume", action="query", stream="ring") == {"ring": 0}
    phone.data("set_sound_mode", mode="normal")
    assert changed(phone) == {"sound_mode": "normal"}
    mute = start(ring_volume="0")  # normal mode, nothing to restore but the default
    assert mute.data("manage_volume", action="unmute", stream="ring") == {"level": 50}
    assert changed(mute) == {"ring_volume": "50"}


def test_volume_limit(start):
    phone = start(media_volume="90")
    lowered = phone.use("manage_volume_limit", action="enable", limit=70).payload
    assert lowered["message"] == "Volume limit on, 70, media volume lowered"
    assert lowered["data"] == {"enabled": True, "limit": 70}
    assert changed(phone) == {"volume_limit": "on", "volume_limit_level": "70", "media_volume": "70"}
    assert phone.code("manage_volume", action="set", level=71) == 409
    assert phone.code("manage_volume", action="increase") == 409
    assert phone.use("manage_volume", action="set", stream="ring", level=90).ok  # hearing is spared music only
    phone.data("manage_volume", action="set", level=65)
    assert phone.data("manage_volume", action="increase") == {"level": 70}
    phone.data("manage_volume_limit", action="disable")
    assert phone.data("manage_volume", action="increase") == {"level": 80}


def test_unmuting_respects_the_volume_limit(start):
    phone = start(media_volume="90")
    phone.data("manage_volume", action="mute")
    phone.data("manage_volume_limit", action="enable", limit=60)
    assert phone.data("manage_volume", action="unmute") == {"level": 60}


def test_families_of_switches_are_read_together(start):
    phone = start()
    assert list(phone.data("manage_vibration", action="query")) == ["calls", "notifications", "touch", "keyboard"]
    assert phone.data("manage_wake_gesture", action="query") == {"lift": False, "double_tap": False}
    assert phone.data("manage_system_sounds", action="query")["keyboard"] is False


def test_sound_effect_profile(start):
    phone = start()
    assert phone.data("manage_sound_effect", action="enable", profile="movie") == {"enabled": True, "profile": "movie"}
    assert said(phone, "manage_sound_effect", action="enable", profile="movie") == "Sound effect already on"
    assert changed(phone) == {"sound_effect": "on", "sound_effect_profile": "movie"}


def test_sound_settings_are_read(start):
    phone = start()
    phone.data("set_audio_balance", balance=-100)
    assert phone.data("query_sound_settings") == {
        "sound_mode": "normal",
        "notification_sound": "Chime",
        "vibration_strength": "medium",
        "audio_balance": "-100",
    }
    unknown = phone.use("set_notification_sound", sound="Kazoo").payload["error"]
    assert "Pebble" in unknown and "None" in unknown


# --- do-not-disturb -------------------------------------------------------------------------------------------------


def test_do_not_disturb_until(start):
    phone = start()
    made = phone.data("manage_do_not_disturb", action="enable", until="in 2 hours")
    assert made == {"enabled": True, "until": "2025-01-15T11:00:00"}
    assert changed(phone) == {"dnd": "on", "dnd_until": "2025-01-15T11:00:00"}
    assert said(phone, "manage_do_not_disturb", action="enable") == "Do-not-disturb already on"
    assert phone.data("manage_do_not_disturb", action="query")["until"] == "2025-01-15T11:00:00"
    phone.data("manage_do_not_disturb", action="enable", until="noon")
    assert changed(phone)["dnd_until"] == "2025-01-15T12:00:00"
    phone.data("manage_do_not_disturb", action="disable")
    assert changed(phone) == {}


def test_do_not_disturb_switched_on_afresh_forgets_an_old_end(start):
    phone = start(dnd_until="2025-01-14T12:00:00")
    assert phone.data("manage_do_not_disturb", action="enable") == {"enabled": True, "until": ""}


def test_exceptions(start):
    phone = start()
    phone.data("manage_dnd_exceptions", action="allow", source="starred_contacts")
    assert said(phone, "manage_dnd_exceptions", action="block", source="alarms") == "alarms already blocked"
    assert changed(phone) == {"dnd_allow_starred_contacts": "on"}
    assert "starred_contacts" in phone.data("manage_dnd_exceptions", action="query")["allowed"]


def test_single_people_get_through(start):
    phone = start()
    before = phone.data("manage_dnd_exceptions", action="query")
    assert phone.code("manage_dnd_exceptions", action="allow", contact="Zoe") == 409
    assert said(phone, "manage_dnd_exceptions", action="allow", contact="zoe quill") == "Zoe Quill allowed"
    assert [(c.op, c.table, c.key) for c in phone.changes()] == [
        ("insert", "dnd_contacts", {"contact_id": "contact_101"})
    ]
    assert said(phone, "manage_dnd_exceptions", action="allow", contact="Zoe Quill") == "Zoe Quill already allowed"
    after = phone.data("manage_dnd_exceptions", action="query")
    assert after["contacts"] == [*before["contacts"], "Zoe Quill"]
    phone.data("manage_dnd_exceptions", action="block", contact="Zoe Quill")
    assert said(phone, "manage_dnd_exceptions", action="block", contact="Zoe Quill") == "Zoe Quill already blocked"
    assert phone.changes() == []


def test_quiet_schedules(start):
    phone = start()
    made = phone.data("manage_dnd_schedule", action="create", name="Siesta", startTime="1 pm", endTime="14:30")
    assert made == {"name": "Siesta", "start_time": "13:00", "end_time": "14:30", "repeat": "daily"}
    assert phone.changes()[0].new["enabled"] == 1
    assert phone.code("manage_dnd_schedule", action="create", name="siesta", startTime="1 pm", endTime="2 pm") == 409
    phone.data("manage_dnd_schedule", action="update", name="siesta", endTime="3 pm", repeat="weekends")
    again = said(phone, "manage_dnd_schedule", action="update", name="Siesta", endTime="15:00")
    assert again == "Schedule already so"
    assert said(phone, "manage_dnd_schedule", action="enable", name="Siesta") == "Schedule already enabled"
    phone.data("manage_dnd_schedule", action="disable", name="Siesta")
    assert phone.data("manage_dnd_schedule", action="query", name="Siesta")["items"] == [
        {"name": "Siesta", "start_time": "13:00", "end_time": "15:00", "repeat": "weekends", "enabled": False}
    ]
    assert phone.data("manage_dnd_schedule", action="query")["total"] == 4
    phone.data("manage_dnd_schedule", action="delete", name="Siesta")
    assert phone.changes() == []


@pytest.mark.parametrize(
    "clock, shown",
    [
        ("2025-01-15T20:00:00", "Choir night"),  # Wednesday
        ("2025-01-15T21:00:00", ""),
        ("2025-01-18T20:00:00", ""),  # Saturday
        ("2025-01-18T03:00:00", "Late shift"),  # began on Friday
        ("2025-01-20T03:00:00", ""),  # would have begun on Sunday
        ("2025-01-17T23:00:00", "Late shift"),
    ],
)
def test_a_schedule_in_force_shows_but_is_no_switch(start, clock, shown):
    phone = start(clock=clock)
    phone.data(
        "manage_dnd_schedule", action="create", name="Late shift", startTime="22:00", endTime="5:00", repeat="weekdays"
    )
    assert phone.data("manage_do_not_disturb", action="query") == {"enabled": False, "schedule": shown}


# --- the whole domain -----------------------------------------------------------------------------------------------


def test_permissions():
    needed = {
        "manage_do_not_disturb": "ACCESS_NOTIFICATION_POLICY",
        "manage_dnd_exceptions": "ACCESS_NOTIFICATION_POLICY",
        "manage_dnd_schedule": "ACCESS_NOTIFICATION_POLICY",
        "manage_screen_attention": "CAMERA",
        "manage_wallpaper": "SET_WALLPAPER",
    }
    assert {spec.name: spec.permission for spec in SPECS if spec.permission} == needed
    phone = Phone(denied_permissions=sorted(set(needed.values())))
    assert {phone.code(tool, action="query") for tool in needed} == {403}


HOSTILE: dict[str, list[Any]] = {
    "string": ["", "名字🙂", "\ud800", "x" * 2000, "'; DROP TABLE settings; --", "9999-12-31 23:59", "in 9999 minutes"],
    "integer": [-1, 0, 10**9, -(10**40), float("nan"), "5"],
}


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)
def test_hostile_input_is_answered_and_never_half_done(spec, shared):
    properties = spec.parameters["properties"]
    filler = {"string": "12:34", "integer": 5}
    good = {name: schema.get("enum", [filler[schema["type"]]])[0] for name, schema in properties.items()}
    scripts = [{name: "名字🙂"} for name in properties]
    for name, schema in properties.items():
        scripts += [{name: value} for value in HOSTILE[schema["type"]] if "enum" not in schema]
    for action in properties.get("action", {}).get("enum", [None]):
        named = {} if action is None else {"action": action}
        for script in scripts:
            for arguments in (named | script, good | named | script):
                before = shared.changes()
                feedback = shared.use(spec.name, **arguments)
                assert feedback.ok or feedback.code in (400, 404, 409), (arguments, feedback.payload)
                assert feedback.ok or shared.changes() == before


def test_domain_is_complete():
    assert display_sound.DOMAIN.name == "Display & Sound"
    assert {spec.domain for spec in SPECS} == {"Display & Sound"}
    assert len(SPECS) >= 22
    names = {spec.name for spec in SPECS}
    assert {"control_flashlight", "manage_dark_mode", "manage_auto_rotate", "manage_scheduled_power"} <= names
    assert all(len(spec.description.split()) <= 10 for spec in SPECS)


def test_seeded_phones_differ_and_keep_the_rules():
    assert make_world(1).rows == make_world(1).rows
    tables = ("wallpapers", "power_schedules", "dnd_schedules")
    assert len({str([make_world(seed).rows[table] for table in tables]) for seed in range(10)}) > 5
    for seed in range(10):
        rows = make_world(seed).rows
        settings = {row["key"]: row["value"] for row in rows["settings"]}
        assert settings.keys() >= BASE.keys() - {"battery_level", "battery_mode", "location"}
        assert (settings["sound_mode"] == "normal") == (settings["ring_volume"] != "0")
        assert (settings["ring_volume"] == "0") == (settings["ring_volume_before_mute"] != "")
        assert settings["reading_mode"] == "off" or settings["eye_comfort"] == "off"
        assert int(settings["media_volume"]) <= int(settings["volume_limit_level"])
        names = [row["name"] for row in rows["wallpapers"]]
        assert settings["wallpaper_home"] in names and settings["wallpaper_lock"] in names
        assert {row["kind"] for row in rows["power_schedules"]} == {"power_on", "power_off"}
        contacts = {row["id"] for row in rows["contacts"]}
        assert all(row["contact_id"] in contacts for row in rows["dnd_contacts"])
        for table in ("wallpapers", "dnd_schedules"):
            folded = [row["name"].casefold() for row in rows[table]]
            assert not any(a != b and a in b for a in folded for b in folded)
