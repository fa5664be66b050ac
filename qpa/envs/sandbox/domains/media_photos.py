"""Audio & Entertainment: captures as files, and what keeps microphone and camera from being used twice.

The gallery is every file of kind image or video; `media_photos` adds what a media store knows about some of them, so
a download or a screenshot of another domain shows up too. A photo in the trash keeps its row and has the name prefix
".trashed-", as on Android.
"""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox.domains.media_player import matching, refuse_super_saving
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, single

SCHEMA = """
CREATE TABLE media_photos (
  id TEXT PRIMARY KEY, subject TEXT NOT NULL DEFAULT '', album TEXT NOT NULL DEFAULT 'Download',
  camera TEXT NOT NULL DEFAULT '', mode TEXT NOT NULL DEFAULT '', favorite INTEGER NOT NULL DEFAULT 0,
  rotation INTEGER NOT NULL DEFAULT 0, crop TEXT NOT NULL DEFAULT '', filter TEXT NOT NULL DEFAULT 'none',
  created_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

TRASHED = ".trashed-"
MAX_PHOTOS = 20  # of one call
MAX_NAME = 60  # characters of a file's or an album's name
_FIELDS = {"subject": "''", "album": "'Download'", "favorite": 0, "rotation": 0, "crop": "''", "filter": "'none'"}
_GALLERY = f"""
SELECT f.id, f.name, f.kind, p.id IS NOT NULL AS known, coalesce(p.created_at, '') AS created_at,
  {", ".join(f"coalesce(p.{name}, {default}) AS {name}" for name, default in _FIELDS.items())}
FROM files f LEFT JOIN media_photos p ON p.id = f.id
WHERE f.kind IN ('image', 'video') AND (f.name LIKE '{TRASHED}%') = ?
ORDER BY coalesce(p.created_at, '') DESC, f.id DESC
"""
_SIZES = {"image": 3200, "video": 24000, "audio": 900}  # KB; the frozen clock gives a capture no length
_RECORDER_STATES = {"start": "recording", "pause": "paused", "resume": "recording", "stop": "off"}


def gallery(ctx: ToolContext, *, trashed: bool = False) -> list[Row]:
    """Photos and videos, newest first."""
    return ctx.rows(_GALLERY, int(trashed))


def find_photo(ctx: ToolContext, name: str, *, trashed: bool = False) -> Row:
    """The photo or video with this file name, subject or id, or the only one whose name or subject contains it."""
    rows = gallery(ctx, trashed=trashed)
    for row in rows:
        row["name"] = row["name"].removeprefix(TRASHED)
    found = matching(rows, name, "name", "subject", "id") or matching(rows, name, "subject")
    return single(found, "photo", "name")


def find_photos(ctx: ToolContext, names: list[str]) -> list[Row]:
    """Each photo that is named, once."""
    if not 1 <= len(names) <= MAX_PHOTOS:
        raise bad(f"Give 1 to {MAX_PHOTOS} photos")
    found = [find_photo(ctx, name) for name in names]
    return list({row["id"]: row for row in found}.values())


def annotate(ctx: ToolContext, photo: Row, **values: Any) -> bool:
    """Stores what the gallery knows about a photo; returns False when it knew that already."""
    if all(photo[name] == value for name, value in values.items()):
        return False
    if not photo["known"]:
        ctx.insert("media_photos", id=photo["id"])
    sets = ", ".join(f"{name} = ?" for name in values)
    ctx.execute(f"UPDATE media_photos SET {sets} WHERE id = ?", *values.values(), photo["id"])
    return True


def save_file(ctx: ToolContext, name: str, kind: str) -> str:
    """Adds a captured file; returns its id."""
    row_id = ctx.new_id("file")
    ctx.insert("files", id=row_id, name=name, kind=kind, size_kb=_SIZES[kind])
    return row_id


def save_capture(ctx: ToolContext, stem: str, kind: str, **details: Any) -> str:
    """Adds a photo or video to the gallery; returns its file name, e.g. "IMG_006.jpg"."""
    name = free_name(ctx, stem, "jpg" if kind == "image" else "mp4")
    ctx.insert("media_photos", id=save_file(ctx, name, kind), created_at=ctx.now.isoformat(), **details)
    return name


def free_name(ctx: ToolContext, stem: str, extension: str) -> str:
    """The first numbered name that no file has, in the trash or out of it."""
    taken = {row["name"].removeprefix(TRASHED).casefold() for row in ctx.rows("SELECT name FROM files")}
    number = 1
    while f"{stem}_{number:03d}.{extension}".casefold() in taken:
        number += 1
    return f"{stem}_{number:03d}.{extension}"


def file_name(ctx: ToolContext, title: str, extension: str, own_id: str = "") -> str:
    """The title as a file name; 400 for what a file system refuses, 409 when another file has it."""
    name = title if title.casefold().endswith(f".{extension}") else f"{title}.{extension}"
    if len(name) > MAX_NAME or name.startswith(".") or "/" in name or not name.isprintable():
        raise bad(f"Not a file name: {title[:20]!r}")
    for row in ctx.rows("SELECT id, name FROM files ORDER BY id"):
        if row["id"] != own_id and row["name"].casefold() == name.casefold():
            raise conflict(f"File already exists: {row['name']}")
    return name


def set_recorder(ctx: ToolContext, key: str, action: str) -> bool:
    """Moves a recorder between off, recording and paused; returns False when it is there already.

    Raises:
      ToolError: 409 for starting a paused recorder, and for pausing or resuming one that is off.
    """
    state = ctx.setting(key, "off")
    if state == "off" and action in ("pause", "resume"):
        raise conflict("Nothing is being recorded")
    if state == "paused" and action == "start":
        raise conflict("Recording is paused; resume or stop")
    return ctx.set_setting(key, _RECORDER_STATES[action])


def refuse_busy_microphone(ctx: ToolContext) -> None:
    """409 while microphones are blocked for all apps, or a call or a recorder has it."""
    if ctx.setting("microphone_access", "on") == "off":
        raise conflict("Microphone access is off")
    if ctx.one("SELECT id FROM calls WHERE status = 'active'"):
        raise conflict("A call is active")
    if ctx.setting("voice_recording", "off") != "off":
        raise conflict("The voice recorder is running")
    if ctx.setting("video_recording", "off") != "off":
        raise conflict("A video is being recorded")
    if ctx.setting("screen_recording", "off") != "off" and ctx.setting("screen_recording_audio") == "microphone":
        raise conflict("The screen recorder uses the microphone")


def refuse_busy_camera(ctx: ToolContext) -> None:
    """409 in super saving mode, while cameras are blocked for all apps, and during a video call."""
    refuse_super_saving(ctx)
    if ctx.setting("camera_access", "on") == "off":
        raise conflict("Camera access is off")
    if ctx.one("SELECT id FROM calls WHERE status = 'active' AND call_type = 'video'"):
        raise conflict("A video call uses the camera")
