"""System Settings: the domain's seeded phone, and its modules put together."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.domains import (
    system_access,
    system_accounts,
    system_common,
    system_desktop,
    system_device,
    system_power,
)
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

_MODELS = ("Galaxy S24", "OnePlus 12", "Pixel 9", "Xiaomi 14")
_ACCOUNTS = (
    ("alex.reed@gmail.com", "google"),
    ("alex.reed@outlook.com", "microsoft"),
    ("areed@studio.example.com", "exchange"),
    ("reedalex@yahoo.com", "yahoo"),
)
_PROFILES = ("Kids", "Sofia", "Work")
_BACKUPS = ("Before update", "Monthly backup", "New phone setup")
_FOLDERS = ("Favorites", "Essentials", "Daily")
_ON_OFF = {  # switch -> how often it is on
    "auto_backup": 0.5, "auto_sync": 0.8, "auto_time": 0.85, "auto_time_zone": 0.8, "auto_update": 0.6,
    "battery_saver_schedule": 0.3, "captions": 0.15, "charging": 0.25, "charging_protection": 0.4,
    "color_correction": 0.1, "desktop_app_names": 0.85, "desktop_lock": 0.2, "game_block_notifications": 0.5,
    "game_manager": 0.4, "keyboard_auto_correction": 0.7, "keyboard_glide_typing": 0.5,
    "keyboard_suggestions": 0.8, "location": 0.7, "magnification": 0.1,
    "navigation_swap_buttons": 0.1, "select_to_speak": 0.15, "status_bar_alarm_icon": 0.8,
    "status_bar_battery_percentage": 0.5, "status_bar_carrier_name": 0.4, "status_bar_clock_seconds": 0.1,
    "status_bar_network_speed": 0.3, "status_bar_nfc_icon": 0.4, "talkback": 0.1,
}  # fmt: skip
_CHOICES = {
    "battery_saver_threshold": ("10", "15", "20", "30"), "captions_style": ("default", "white_on_black"),
    "captions_text_size": ("small", "medium", "large"), "charging_limit": ("80", "85", "90"),
    "color_correction_mode": ("deuteranomaly", "protanomaly", "grayscale"), "cooling_fan_speed": ("auto", "low"),
    "desktop_grid": ("4x5", "4x6", "5x6"), "desktop_icon_size": ("small", "medium", "large"),
    "desktop_pages": ("2", "3"), "device_memory_gb": ("8", "12", "16"), "first_day_of_week": ("monday", "sunday"),
    "input_method": ("Gboard", "Microsoft SwiftKey"), "language": ("English", "English", "French", "Spanish"),
    "location_mode": ("high_accuracy", "battery_saving"), "magnification_area": ("full_screen", "partial"),
    "measurement_system": ("metric", "imperial"), "navigation_mode": ("gestures", "three_buttons"),
    "region": ("Canada", "Singapore", "United Kingdom"), "temperature_unit": ("celsius", "fahrenheit"),
    "touch_hold_delay": ("short", "medium", "long"),
}  # fmt: skip


def _settings(rng: random.Random) -> dict[str, str]:
    """Every setting of the domain; states respect what the tools would refuse."""
    chosen = {key: "on" if rng.random() < odds else "off" for key, odds in _ON_OFF.items()}
    chosen |= {key: rng.choice(values) for key, values in _CHOICES.items()}
    model, battery_mode = rng.choice(_MODELS), rng.choice(("normal", "normal", "normal", "power_saving"))
    developer = rng.random() < 0.3
    minor = rng.randint(0, 4)
    offered = f"15.0.{minor + 1}" if rng.random() < 0.7 else ""
    languages = {chosen["language"], *rng.sample(("English", "German", "Japanese", "Korean"), 2)}
    state = rng.choice(("unchecked", "available", "downloaded") if offered else ("unchecked", "up_to_date"))
    game_modes = ("balanced", "power_saving") + (("performance",) if battery_mode == "normal" else ())
    chosen |= {
        "battery_cycles": str(rng.randint(40, 600)),
        "battery_health": str(rng.randint(84, 100)),
        "battery_level": str(rng.randint(35, 95)),
        "battery_mode": battery_mode,
        "battery_temperature": str(rng.randint(24, 36)),
        "control_center_tiles": ", ".join(rng.sample(system_desktop.TILES, rng.randint(7, 10))),
        "cooling_fan": "off",
        "desktop_main_page": "1",
        "developer_options": "on" if developer else "off",
        "developer_oem_unlocking": "off",
        "developer_show_touches": "off",
        "developer_stay_awake": "on" if developer and rng.random() < 0.5 else "off",
        "device_model": model,
        "device_name": f"Alex's {model}",
        "device_power": "on",
        "device_serial": f"R5{rng.randrange(10**8, 10**9)}",
        "game_mode": rng.choice(game_modes),
        "input_methods_enabled": "Gboard, Microsoft SwiftKey, Voice Typing",
        "language_list": ", ".join(sorted(languages)),
        "last_restart": (WORLD_CLOCK - timedelta(minutes=rng.randrange(600, 20000))).isoformat(),
        "safe_mode": "off",
        "system_version": f"15.0.{minor}",
        "update_offered": offered,
        "update_state": state,
        "usb_debug": "on" if developer and rng.random() < 0.4 else "off",
    }
    return chosen


def _seed_desktop(rng: random.Random, world: World, pages: int) -> list[str]:
    """Icons, a folder with two apps and two widgets; returns the apps on the phone."""
    apps = sorted({row["name"] for row in world.rows.get("apps", [])})
    shown = rng.sample(apps, min(8, len(apps)))
    folder = rng.choice(_FOLDERS)
    for index, name in enumerate(shown):
        inside = index < 2
        page = 0 if inside else rng.randint(1, pages)
        world.add("desktop_items", kind="app", name=name, page=page, folder=folder if inside else "")
    world.add("desktop_items", kind="folder", name=folder, page=1)
    for name in rng.sample(system_desktop.WIDGETS, 2):
        world.add("desktop_items", kind="widget", name=name, page=rng.randint(1, pages))
    return apps


def seed_rows(rng: random.Random, world: World) -> None:
    """A phone in use: its settings, desktop, accounts, profiles, backups and battery use."""
    settings = _settings(rng)
    for key, value in settings.items():
        world.add("settings", key=key, value=value)
    apps = _seed_desktop(rng, world, int(settings["desktop_pages"]))
    percents = sorted(rng.sample(range(3, 26), min(6, len(apps))), reverse=True)
    total = max(100, sum(percents))
    for name, percent in zip(rng.sample(apps, len(percents)), percents):
        world.add("battery_usage", app=name, percent=percent * 100 // total)
    for name, provider in rng.sample(_ACCOUNTS, rng.randint(2, 3)):
        last_sync = (WORLD_CLOCK - timedelta(minutes=rng.randrange(15, 3000))).isoformat()
        world.add("accounts", name=name, provider=provider, sync=int(rng.random() < 0.75), last_sync=last_sync)
    world.add("user_profiles", name="Owner", kind="owner", active=1)
    world.add("user_profiles", name="Guest", kind="guest")
    world.add("user_profiles", name=rng.choice(_PROFILES), kind="user")
    for days, name in zip((12, 40), rng.sample(_BACKUPS, 2)):
        created_at = (WORLD_CLOCK - timedelta(days=days, hours=rng.randint(0, 12))).isoformat()
        older = settings | {
            "language": "English",
            "language_list": "English",
            "navigation_mode": rng.choice(("gestures", "three_buttons")),
            "desktop_icon_size": rng.choice(("small", "large")),
        }
        location = rng.choice(("local", "cloud"))
        content = system_accounts.saved(older)
        world.add("backups", name=name, location=location, created_at=created_at, content=content)


DOMAIN = Domain(
    system_common.NAME,
    system_power.SCHEMA + system_desktop.SCHEMA + system_accounts.SCHEMA,
    system_power.TOOLS + system_device.TOOLS + system_access.TOOLS + system_desktop.TOOLS + system_accounts.TOOLS,
    seed_rows,
)
