"""A phone among devices that the tests of Devices & Cross-device know."""

from __future__ import annotations

from typing import Any

from sandbox_phone import Phone

from qpa.envs.sandbox import make_world

AT = "2025-01-15T09:00:00"
SETTINGS = {
    "wifi": "on", "bluetooth": "on", "mobile_data": "on", "airplane_mode": "off", "battery_mode": "normal",
    "battery_level": "80", "casting_device": "", "casting_direction": "", "casting_method": "",
    "collaboration_device": "", "collaboration_mode": "", "keyboard_sharing_source": "", "keyboard_sharing_target": "",
    "car_link": "", "car_link_method": "", "clipboard_sharing": "off", "nearby_visibility": "contacts",
    "migration_contents": "contacts,photos", "migration_started_at": "", "wearable_step_goal": "8000",
    "wearable_watch_face": "Analog",
}  # fmt: skip
DEVICES = [
    {"id": "device_801", "name": "Salon TV", "kind": "tv"},
    {"id": "device_802", "name": "Attic TV", "kind": "tv"},
    {"id": "device_803", "name": "Attic Large Screen", "kind": "large_screen"},
    {"id": "device_804", "name": "Work Laptop", "kind": "laptop", "trusted": 1, "owned": 1, "place": "Home"},
    {"id": "device_805", "name": "Art Tablet", "kind": "tablet", "owned": 1, "place": "Home"},
    {"id": "device_806", "name": "Run Watch", "kind": "watch", "trusted": 1, "owned": 1, "place": "Home"},
    {"id": "device_807", "name": "Spare Phone", "kind": "phone", "owned": 1, "nearby": 0, "online": 0,
     "place": "Gym", "seen_at": "2025-01-14T20:00:00"},
    {"id": "device_808", "name": "Zed's Phone", "kind": "phone"},
    {"id": "device_809", "name": "Blue Car", "kind": "car"},
    {"id": "device_810", "name": "Ink Printer", "kind": "printer"},
]  # fmt: skip
HOME = [
    {"name": "Desk Light", "kind": "light", "room": "Den", "power": 0, "level": 50, "mode": "warm"},
    {"name": "Shelf Light", "kind": "light", "room": "Den", "power": 1, "level": 80, "mode": "cool"},
    {"name": "Porch Light", "kind": "light", "room": "Porch", "power": 1, "level": 30, "mode": "warm", "online": 0},
    {"name": "Kettle Plug", "kind": "plug", "room": "Den"},
    {"name": "Den Thermostat", "kind": "thermostat", "room": "Den", "power": 0, "level": 19, "mode": "heat"},
    {"name": "Dusty", "kind": "vacuum", "room": "Den", "level": 2, "mode": "docked"},
    {"name": "Den Curtain", "kind": "curtain", "room": "Den", "level": 0},
    {"name": "Porch Curtain", "kind": "curtain", "room": "Porch", "level": 100},
]
NO_WIFI = [{"ssid": row["ssid"], "connected": 0} for row in make_world(0).rows["wifi_networks"]]
FILES = [
    {"id": "file_801", "name": "Poem.pdf", "kind": "document", "size_kb": 10},
    {"id": "file_802", "name": "Clip.mp4", "kind": "video", "size_kb": 10},
]


def start(
    tables: dict[str, list[dict[str, Any]]] | None = None, denied: tuple[str, ...] = (), **settings: str
) -> Phone:
    """The rows above instead of the world's own devices, with the given settings and rows on top."""
    world = make_world(0).rows
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
        "devices": [{"id": r["id"], "kind": "other", "nearby": 0, "trusted": 0} for r in world["devices"]] + DEVICES,
        "home_devices": [{"name": r["name"], "kind": "other", "room": ""} for r in world["home_devices"]] + HOME,
        "home_scenes": [{"name": "Den Night", "steps": "Desk Light=20; Den Curtain=close; Dusty=dock"}],
        "bluetooth_devices": [{"name": r["name"], "connected": 0} for r in world["bluetooth_devices"]]
        + [{"name": "Run Watch", "kind": "watch", "paired": 1, "connected": 1}],
        "files": FILES,
        "print_jobs": [{"id": "print_001", "file": "Novel.pdf"}],
    }
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return Phone(patch=patch, denied_permissions=list(denied))
