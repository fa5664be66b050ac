"""A phone whose screen, pictures and switches the tests of Input & Interaction know."""

from __future__ import annotations

from typing import Any, get_args

from sandbox_phone import Phone

from qpa.envs.sandbox.domains import input_gestures

SETTINGS = {
    "foreground_app": "Notes", "screen_overlay": "", "screen_power": "on", "battery_mode": "normal",
    "media_volume": "50", "media_volume_before_mute": "", "volume_limit": "off", "voice_assistant": "on",
    "always_on_display": "off", "aod_mode": "tap", "aod_start": "08:00", "aod_end": "22:00", "aod_style": "analog",
    "one_handed_mode": "off", "one_handed_side": "right", "floating_ball": "off", "floating_ball_tap": "menu",
    "floating_ball_opacity": "60", "smart_sidebar": "off", "sidebar_side": "right", "sidebar_apps": "Maps, Notes",
    "touch_sensitivity": "standard", "side_key_double": "off", "side_key_long": "power_menu",
    "keyboard_height": "normal", "keyboard_haptic_strength": "light", "vibrate_keyboard": "on",
    "voice_typing": "off", "voice_typing_language": "English", "voice_typing_punctuation": "off",
    **{f"air_gesture_{name}": "off" for name in get_args(input_gestures.AirGesture)},
    **{f"motion_{name}": "off" for name in get_args(input_gestures.MotionGesture)},
    **{f"gesture_{name}": "off" for name in get_args(input_gestures.ShortcutGesture)},
}  # fmt: skip
CONTENTS = [
    {"source": "Notes", "text": "Gate code 9035", "code": "https://a.example/notes"},
    {"source": "Wallet", "text": "Card 4471", "protected": 1},
    {"source": "camera", "code": "upi://pay?pn=BlueCup&am=4.50"},
    {"source": "file_801", "text": "Spring Concert", "code": "https://login.example/s/1"},
]
FILES = [
    {"id": "file_801", "name": "Flyer.jpg", "kind": "image"},
    {"id": "file_802", "name": "Blank.png", "kind": "image"},
    {"id": "file_803", "name": "Novel.pdf", "kind": "document"},
]


def start(
    tables: dict[str, list[dict[str, Any]]] | None = None, denied: tuple[str, ...] = (), **settings: str
) -> Phone:
    """The settings and contents above, with the given settings and rows on top."""
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
        "visible_contents": CONTENTS,
        "files": FILES,
    }
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return Phone(patch=patch, denied_permissions=list(denied))
