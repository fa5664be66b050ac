"""Phones for the tests of Display & Sound: known settings, wallpapers, schedules and people."""

from __future__ import annotations

import copy
import functools
from typing import Any

from sandbox_phone import Phone

from qpa.envs.sandbox import make_world

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


def _phone(clock: str = "2025-01-15T09:00:00", **settings: str) -> Phone:
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


_untouched = functools.cache(_phone)


def start(**special: str) -> Phone:
    """A phone with `BASE` settings, changed as given, on a Wednesday at 9 unless `clock` says otherwise."""
    if special:
        return _phone(**special)
    twin = copy.copy(_untouched())
    twin.session = twin.session.fork()  # far cheaper than an environment of its own
    return twin


def changed(phone: Any) -> dict[str, str]:
    """Changed settings and their new values; fails when anything else changed."""
    assert {(c.table, c.op) for c in phone.changes()} <= {("settings", "update")}
    return {c.key["key"]: c.new["value"] for c in phone.changes()}


def said(phone: Any, tool: str, **arguments: Any) -> str:
    return phone.use(tool, **arguments).payload["message"]
