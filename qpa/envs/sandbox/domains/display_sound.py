"""Display & Sound: the domain's seeded rows, and its modules put together."""

from __future__ import annotations

import random

from qpa.envs.sandbox.domains import display_audio, display_common, display_layout, display_quiet, display_screen
from qpa.envs.sandbox.schema import Domain, World

_WALLPAPERS = ("Alpine Lake", "Blue Dunes", "City Skyline", "Misty Forest", "Paper Cranes", "Starry Ridge")
_LIVE_WALLPAPERS = ("Falling Leaves", "Neon Rain", "Ocean Waves")
_DND_SCHEDULES = (  # name, start, end, repeat; none is in force on a Wednesday at 9, when a world begins
    ("Sleep", "23:00", "07:00", "daily"),
    ("Work meetings", "14:00", "16:00", "weekdays"),
    ("Dinner", "18:30", "19:30", "daily"),
    ("Weekend rest", "13:00", "15:00", "weekends"),
)


def _word(rng: random.Random, chance: float) -> str:
    return "on" if rng.random() < chance else "off"


def _screen(rng: random.Random) -> dict[str, str]:
    reading = _word(rng, 0.1)
    comfort = "off" if reading == "on" else _word(rng, 0.3)
    dark_schedule = rng.choice(("off", "off", "sunset", "22:00-07:00"))
    return {
        "brightness": str(rng.randrange(20, 91, 5)),
        "auto_brightness": _word(rng, 0.4),
        "dark_mode": _word(rng, 0.4) if dark_schedule == "off" else "off",
        "dark_mode_schedule": dark_schedule,
        "eye_comfort": comfort,
        "eye_comfort_level": str(rng.choice((30, 40, 50, 60))),
        "eye_comfort_schedule": "off" if comfort == "on" else rng.choice(("off", "sunset", "21:30-06:30")),
        "reading_mode": reading,
        "auto_rotate": _word(rng, 0.5),
        "locked_orientation": "portrait",
        "flashlight": _word(rng, 0.1),
        "flashlight_level": str(rng.randint(2, 5)),
        "screen_timeout": rng.choice(("30s", "1min", "2min", "5min")),
        "refresh_rate": rng.choice(("60Hz", "90Hz", "120Hz", "dynamic")),
        "screen_resolution": rng.choice(("FHD+", "QHD+", "smart")),
        "font_size": rng.choice(("small", "default", "default", "large")),
        "display_size": rng.choice(("small", "default", "default", "large")),
        "bold_text": _word(rng, 0.2),
        "color_mode": rng.choice(("natural", "vivid")),
        "color_temperature": rng.choice(("warm", "standard", "cool")),
        "screen_attention": _word(rng, 0.3),
        "wake_lift": _word(rng, 0.5),
        "wake_double_tap": _word(rng, 0.5),
    }


def _sound(rng: random.Random) -> dict[str, str]:
    mode = rng.choice(("normal", "normal", "normal", "vibrate", "silent"))
    ring = str(rng.randrange(40, 91, 10))
    settings = {
        "sound_mode": mode,
        "media_volume": str(rng.randrange(20, 61, 10)),  # below every limit seeded here
        "ring_volume": ring if mode == "normal" else "0",
        "ring_volume_before_mute": "" if mode == "normal" else ring,
        "notification_volume": str(rng.randrange(30, 91, 10)),
        "call_volume": str(rng.randrange(40, 91, 10)),
        "media_volume_before_mute": "",
        "notification_volume_before_mute": "",
        "volume_limit": _word(rng, 0.25),
        "volume_limit_level": str(rng.choice((70, 80, 85))),
        "vibration_strength": rng.choice(("light", "medium", "strong")),
        "notification_sound": rng.choice(display_audio.NOTIFICATION_SOUNDS[1:]),
        "sound_effect": _word(rng, 0.5),
        "sound_effect_profile": rng.choice(("smart", "music", "movie")),
        "mono_audio": _word(rng, 0.1),
        "audio_balance": "0",
        "dnd": _word(rng, 0.15),
        "dnd_until": "",
    }
    for name in ("calls", "notifications", "touch", "keyboard"):
        settings[f"vibrate_{name}"] = _word(rng, 0.6)
    for name in ("keyboard", "touch", "dial_pad", "screen_lock", "charging"):
        settings[f"sound_{name}"] = _word(rng, 0.4)
    for name, chance in (("alarms", 0.9), ("media", 0.3), ("reminders", 0.3), ("events", 0.3)):
        settings[f"dnd_allow_{name}"] = _word(rng, chance)
    settings["dnd_allow_repeat_callers"] = _word(rng, 0.6)
    settings["dnd_allow_starred_contacts"] = _word(rng, 0.5)
    return settings


def seed_rows(rng: random.Random, world: World) -> None:
    """Display and sound settings that respect the tools' rules, wallpapers, and schedules of power and quiet."""
    names = rng.sample(_WALLPAPERS, 4)
    for name in names:
        world.add("wallpapers", name=name, live=0)
    world.add("wallpapers", name=rng.choice(_LIVE_WALLPAPERS), live=1)
    wallpapers = {"wallpaper_home": names[0], "wallpaper_lock": rng.choice(names[:2])}
    for key, value in (_screen(rng) | _sound(rng) | wallpapers).items():
        world.add("settings", key=key, value=value)
    for kind, times in (("power_on", ("06:30", "07:00")), ("power_off", ("23:00", "23:30"))):
        repeat = rng.choice(("daily", "weekdays"))
        world.add("power_schedules", kind=kind, time=rng.choice(times), repeat=repeat, enabled=int(rng.random() < 0.3))
    for name, start, end, repeat in rng.sample(_DND_SCHEDULES, 2):
        enabled = int(rng.random() < 0.6)
        world.add("dnd_schedules", name=name, start_time=start, end_time=end, repeat=repeat, enabled=enabled)
    people = world.rows.get("contacts", [])
    if people and rng.random() < 0.5:
        world.add("dnd_contacts", contact_id=rng.choice(people)["id"])


DOMAIN = Domain(
    display_common.NAME,
    display_layout.SCHEMA + display_quiet.SCHEMA,
    display_screen.TOOLS + display_layout.TOOLS + display_audio.TOOLS + display_quiet.TOOLS,
    seed_rows,
)
