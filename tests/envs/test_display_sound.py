"""Display & Sound: what every tool of the domain owes, and the sound half of it."""

from __future__ import annotations

from typing import Any

import pytest
from display_phone import BASE, changed, said, start
from sandbox_phone import Phone

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import display_sound

SPECS = [tool.spec for tool in display_sound.DOMAIN.tools]


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
def test_a_switch_changes_one_row_and_repeating_it_changes_nothing(tool, more, key, label):
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
def test_a_choice_changes_one_row_and_repeating_it_changes_nothing(tool, arguments, key, value):
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
def test_bad_arguments(tool, arguments):
    assert start().code(tool, **arguments) == 400


def test_an_argument_error_names_what_would_fit():
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
def test_missing_things(tool, arguments):
    assert start().code(tool, **arguments) == 404


# --- sound --------------------------------------------------------------------------------------------------------


def test_volume_is_media_unless_a_stream_is_named():
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
def test_every_way_to_silence_is_the_same_and_can_be_undone(quiet):
    phone = start()
    assert said(phone, "manage_volume", **quiet) == "Media volume set to 0"
    assert changed(phone) == {"media_volume": "0", "media_volume_before_mute": "40"}
    assert said(phone, "manage_volume", action="mute") == "Media volume already 0"
    assert phone.data("manage_volume", action="unmute") == {"level": 40}
    assert changed(phone) == {}
    assert said(phone, "manage_volume", action="unmute") == "Media volume already 40"


@pytest.mark.parametrize("mode", ["vibrate", "silent"])
def test_leaving_normal_mode_silences_ring_and_notifications_but_not_media(mode):
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


def test_the_ring_volume_moves_the_sound_mode():
    phone = start()
    assert said(phone, "manage_volume", action="mute", stream="ring") == "Ring volume set to 0, sound mode vibrate"
    assert changed(phone) == {"ring_volume": "0", "ring_volume_before_mute": "60", "sound_mode": "vibrate"}
    raised = said(phone, "manage_volume", action="set", stream="ring", level=80)
    assert raised == "Ring volume set to 80, sound mode normal"
    assert changed(phone) == {"ring_volume": "80"}


def test_a_task_may_patch_the_mode_alone():
    phone = start(sound_mode="silent")  # the ring volume row still says 60
    assert phone.data("manage_volume", action="query", stream="ring") == {"ring": 0}
    phone.data("set_sound_mode", mode="normal")
    assert changed(phone) == {"sound_mode": "normal"}
    mute = start(ring_volume="0")  # normal mode, nothing to restore but the default
    assert mute.data("manage_volume", action="unmute", stream="ring") == {"level": 50}
    assert changed(mute) == {"ring_volume": "50"}


def test_volume_limit():
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


def test_unmuting_respects_the_volume_limit():
    phone = start(media_volume="90")
    phone.data("manage_volume", action="mute")
    phone.data("manage_volume_limit", action="enable", limit=60)
    assert phone.data("manage_volume", action="unmute") == {"level": 60}


def test_families_of_switches_are_read_together():
    phone = start()
    assert list(phone.data("manage_vibration", action="query")) == ["calls", "notifications", "touch", "keyboard"]
    assert phone.data("manage_wake_gesture", action="query") == {"lift": False, "double_tap": False}
    assert phone.data("manage_system_sounds", action="query")["keyboard"] is False


def test_sound_effect_profile():
    phone = start()
    assert phone.data("manage_sound_effect", action="enable", profile="movie") == {"enabled": True, "profile": "movie"}
    assert said(phone, "manage_sound_effect", action="enable", profile="movie") == "Sound effect already on"
    assert changed(phone) == {"sound_effect": "on", "sound_effect_profile": "movie"}


def test_sound_settings_are_read():
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


# --- the whole domain ---------------------------------------------------------------------------------------------


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
def test_hostile_input_is_answered_and_never_half_done(spec):
    phone = start()
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
                before = phone.changes()
                feedback = phone.use(spec.name, **arguments)
                assert feedback.ok or feedback.code in (400, 404, 409), (arguments, feedback.payload)
                assert feedback.ok or phone.changes() == before


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
