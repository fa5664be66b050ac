"""Rows and settings that the families of Audio & Entertainment patch in."""

from __future__ import annotations

from typing import Any

from qpa.bench.families.mobile.common import online, settings
from qpa.bench.families.values import PROMPTS, Draw
from qpa.envs.sandbox.schema import World

MEDIA = "Audio & Entertainment"
# Every world's library begins with an album of three songs, and the player knows nothing of patched ones.
ALBUM = "track_001,track_002,track_003"
_STILL = {"voice_recording": "off", "video_recording": "off", "screen_recording": "off"}
_LENS = {
    "camera_open": "off",
    "camera_facing": "rear",
    "camera_mode": "photo",
    "camera_flash": "off",
    "camera_timer": "0",
    "camera_filter": "none",
    "camera_zoom": "1",
    "camera_grid": "off",
    "camera_aspect_ratio": "4:3",
    "camera_video_resolution": "1080p",
    "camera_shutter_sound": "on",
    "camera_location_tags": "off",
}


def song(number: int, title: str, artist: str, **more: Any) -> dict[str, Any]:
    """A patched song without an album."""
    return {"id": f"track_{number}", "title": title, "artist": artist, "seconds": 215, **more}


def songs(world: World) -> list[dict[str, Any]]:
    """The seeded songs."""
    return [row for row in world.rows["media_tracks"] if row["kind"] == "song"]


def title(rng: Draw) -> str:
    """The title of a song that no seeded one has."""
    return rng.pick(PROMPTS).title()


def titles(rng: Draw, count: int) -> list[str]:
    """Distinct titles as in `title`."""
    found: list[str] = []
    while len(found) < count:
        if (value := title(rng)) not in found:
            found.append(value)
    return found


def player(item: str = "", state: str = "playing", queue: str = "", **more: str) -> list[dict[str, str]]:
    """Settings of an online phone whose player holds this item; without an item it is stopped."""
    holds = {"media_item": item, "media_state": state if item else "stopped", "media_queue": queue}
    plain = {"media_position": "30", "media_speed": "1", "media_sleep_timer": "off", "music_play_mode": "sequential"}
    return online(**{**_STILL, "battery_mode": "normal", **plain, **holds, **more})


def camera(**more: str) -> list[dict[str, str]]:
    """Settings of a phone whose camera, with plain options, and microphone are free; nothing plays."""
    free = {"camera_access": "on", "microphone_access": "on", "battery_mode": "normal", "media_state": "stopped"}
    return settings(**{**_LENS, **_STILL, **free, "location": "on", **more})


def photo(number: int, subject: str, **more: Any) -> dict[str, list[dict[str, Any]]]:
    """Patched rows of one photo, named by the number; `trashed` puts it into the trash."""
    name = f"{'.trashed-' if more.pop('trashed', False) else ''}IMG_{number}.jpg"
    file = {"id": f"file_{number}", "name": name, "kind": "image", "size_kb": 3100}
    known = {"album": "Camera", "camera": "rear", "mode": "photo", "created_at": "2025-01-11T15:20:00", **more}
    return {"files": [file], "media_photos": [{"id": f"file_{number}", "subject": subject, **known}]}


def recording(number: int, name: str) -> dict[str, Any]:
    """A patched sound recording."""
    return {"id": f"file_{number}", "name": name, "kind": "audio", "size_kb": 900}


def merged(*patches: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """All rows of several patches."""
    found: dict[str, list[dict[str, Any]]] = {}
    for patch in patches:
        for table, rows in patch.items():
            found.setdefault(table, []).extend(rows)
    return found
