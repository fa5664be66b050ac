"""Phones with known system settings, and what a call changed on them."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox import make_world

NOW = "2025-01-15T09:00:00"
WORLD = make_world(0).rows
SETTINGS = {
    **{row["key"]: "off" for row in WORLD["settings"] if row["value"] in ("on", "off")},
    "device_power": "on",
    "battery_level": "50",
    "battery_mode": "normal",
    "battery_saver_threshold": "20",
    "battery_health": "93",
    "battery_cycles": "210",
    "battery_temperature": "29",
    "charging_limit": "80",
    "cooling_fan_speed": "auto",
    "game_mode": "balanced",
    "control_center_tiles": "Wi-Fi, Bluetooth, Flashlight, NFC, Location",
    "desktop_grid": "4x6",
    "desktop_icon_size": "medium",
    "desktop_pages": "3",
    "desktop_main_page": "1",
    "device_name": "Test Phone",
    "device_model": "Pixel 9",
    "system_version": "15.0.1",
    "update_offered": "15.0.2",
    "update_state": "unchecked",
    "language": "English",
    "language_list": "English, German",
    "region": "Canada",
    "input_method": "Gboard",
    "input_methods_enabled": "Gboard, Voice Typing",
    "navigation_mode": "gestures",
    "captions_text_size": "medium",
    "captions_style": "default",
    "color_correction_mode": "grayscale",
    "magnification_area": "partial",
    "location_mode": "high_accuracy",
    "temperature_unit": "celsius",
    "touch_hold_delay": "long",
}
APPS = [{"name": name} for name in ("Zed Chess", "Zed Golf", "Zed Mail")]


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0 with every switch off and known values, then the given settings and rows."""
    patch = {
        "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
        "apps": APPS,
        "wifi_networks": [{"ssid": r["ssid"], "connected": 0} for r in WORLD["wifi_networks"]],
    }
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return new_phone(patch=patch)


def values(phone: Any) -> dict[str, str]:
    """The settings that differ from the start; no other table may."""
    found = phone.changes()
    assert {c.table for c in found} <= {"settings"}
    return {c.key["key"]: c.new["value"] for c in found}
