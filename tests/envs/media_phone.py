"""A phone with known media, for the tests of Audio & Entertainment."""

from __future__ import annotations

from typing import Any

import pytest
import sandbox_phone
from sandbox_phone import Phone

from qpa.envs.sandbox import SandboxEnv, make_world

IDLE = {
    "media_state": "stopped",
    "media_item": "",
    "media_position": "0",
    "media_queue": "",
    "music_play_mode": "sequential",
    "equalizer": "flat",
    "video_quality": "auto",
    "camera_facing": "rear",
    "camera_mode": "photo",
    "camera_flash": "off",
    "camera_grid": "off",
    "screen_recording_audio": "none",
    "room_sound": "silence",
    "data_saver": "off",
    "wifi": "off",
    "airplane_mode": "off",
    "mobile_data": "on",
}
GREEK = {"artist": "Zed Kay", "album": "Greek", "seconds": 200}
TRACKS = [
    {"id": "track_901", "title": "Alpha", "number": 1, "lyrics": "la la"} | GREEK,
    {"id": "track_902", "title": "Beta", "number": 2} | GREEK,
    {"id": "track_903", "title": "Gamma", "number": 3} | GREEK,
    {"id": "track_904", "title": "Alpha", "artist": "Yon Bo", "album": "Others", "seconds": 100},
    {"id": "track_905", "kind": "podcast", "title": "Old Zed", "artist": "Zed Talk", "album": "Zed Talk", "number": 1},
    {"id": "track_906", "kind": "podcast", "title": "New Zed", "artist": "Zed Talk", "album": "Zed Talk", "number": 2},
    {"id": "track_907", "kind": "audiobook", "title": "Zed Book", "artist": "Wu", "seconds": 900, "progress": 500},
    {"id": "track_908", "kind": "radio", "title": "Zed FM"},
]
SHOWS = [
    {"title": "Quiz Isle", "kind": "series", "genre": "quiz", "episodes": 3, "episode": 2, "subtitles": "English,Thai"},
    {"title": "Quiz Film", "genre": "quiz", "minutes": 90},
]
FILES = [
    {"id": "file_901", "name": "IMG_901.jpg", "kind": "image"},
    {"id": "file_902", "name": "IMG_902.jpg", "kind": "image"},
    {"id": "file_903", "name": "VID_901.mp4", "kind": "video"},
    {"id": "file_904", "name": "Zoo_Talk.wav", "kind": "audio"},
    {"id": "file_905", "name": "Web_Cat.png", "kind": "image"},  # a download: the gallery knows nothing about it
]
PHOTOS = [
    {"id": "file_901", "subject": "Red kite", "album": "Zoo", "created_at": "2025-01-14T10:00:00"},
    {"id": "file_902", "subject": "Red fox", "album": "Zoo", "created_at": "2025-01-14T11:00:00"},
    {"id": "file_903", "subject": "Seal dance", "album": "Camera", "created_at": "2025-01-12T11:00:00"},
]
CALL = {"id": "call_901", "phone": "5550001", "direction": "incoming", "at": "2025-01-15T08:59:00", "status": "active"}


def start(tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Phone:
    """World 0 plus known media, its player stopped; then the given rows and settings."""
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (IDLE | settings).items()],
        "media_tracks": TRACKS,
        "media_shows": SHOWS,
        "files": FILES,
        "media_photos": PHOTOS,
        "wifi_networks": [{"ssid": r["ssid"], "connected": 0} for r in make_world(0).rows["wifi_networks"]],
    }
    with pytest.MonkeyPatch.context() as cheap:
        # Reading the skill packages anew would cost more than all else a test does.
        cheap.setattr(sandbox_phone, "SandboxEnv", lambda: SandboxEnv(skills=[]))
        return Phone(patch=patch | (tables or {}))


def settings(phone: Any) -> dict[str, str]:
    assert {c.table for c in phone.changes()} <= {"settings"}
    return {c.key["key"]: c.new["value"] for c in phone.changes()}


def error(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert not feedback.ok
    return feedback.payload["error"]
