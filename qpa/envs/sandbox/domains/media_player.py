"""Audio & Entertainment: the library, and the one player that audio and video share.

The player is four settings: `media_state` (stopped | playing | paused), `media_item` (the key of a track, show or
file), `media_position` (seconds) and `media_queue` (track ids in playing order, with commas between). An item whose
row is gone counts as nothing; starting one thing replaces another, as audio focus does.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.envs.sandbox.domains.links import online
from qpa.envs.sandbox.tool import Row, ToolContext, conflict, ok, single

NAME = "Audio & Entertainment"
Kind = Literal["song", "podcast", "radio", "audiobook"]

SCHEMA = """
CREATE TABLE media_tracks (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'song', title TEXT NOT NULL, artist TEXT NOT NULL DEFAULT '',
  album TEXT NOT NULL DEFAULT '', number INTEGER NOT NULL DEFAULT 1, seconds INTEGER NOT NULL DEFAULT 0,
  favorite INTEGER NOT NULL DEFAULT 0, progress INTEGER NOT NULL DEFAULT 0, lyrics TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE media_playlists (name TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE media_playlist_tracks (
  playlist TEXT NOT NULL, track_id TEXT NOT NULL, PRIMARY KEY (playlist, track_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE media_shows (
  title TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'movie', genre TEXT NOT NULL DEFAULT '',
  service TEXT NOT NULL DEFAULT '', minutes INTEGER NOT NULL DEFAULT 90, episodes INTEGER NOT NULL DEFAULT 1,
  episode INTEGER NOT NULL DEFAULT 1, subtitles TEXT NOT NULL DEFAULT 'English',
  watchlist INTEGER NOT NULL DEFAULT 0, watched INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""

_STREAMED = ("radio", "movie", "series")
_VIDEO = ("movie", "series", "video")
_LABELLED = "SELECT *, title || CASE artist WHEN '' THEN '' ELSE ' by ' || artist END AS label FROM media_tracks"
_CURRENT = """
SELECT id, kind, title, artist, seconds FROM media_tracks WHERE id = ?1
UNION ALL SELECT title, kind, title, '', minutes * 60 FROM media_shows WHERE title = ?1
UNION ALL SELECT id, kind, name, '', 0 FROM files WHERE id = ?1 AND kind IN ('audio', 'video')
  AND name NOT LIKE '.%'
"""


def store(ctx: ToolContext, key: str, value: str, label: str) -> dict[str, Any]:
    """Sets a setting and answers with its value; "already" when nothing changes."""
    changed = ctx.set_setting(key, value)
    return ok(f"{label} {'set' if changed else 'already'}: {value}")


def matching(rows: list[Row], wanted: str, column: str, *others: str) -> list[Row]:
    """Rows with one of the columns equal to `wanted`, else those whose `column` contains it; case does not count."""
    folded = wanted.casefold()
    exact = [row for row in rows if any(row[name].casefold() == folded for name in (column, *others))]
    return exact or [row for row in rows if folded in row[column].casefold()]


def tracks(ctx: ToolContext, kind: str | None = None) -> list[Row]:
    """The library, each row with a `label` such as "Winter by Nova Quartet"."""
    return ctx.rows(_LABELLED + " WHERE ?1 IS NULL OR kind = ?1 ORDER BY id", kind)


def find_track(ctx: ToolContext, title: str) -> Row:
    """The track with this title, label or id; 404 when there is none, 409 when several match."""
    return single(matching(tracks(ctx), title, "title", "label", "id"), "track", "label")


def named_or_current(ctx: ToolContext, title: str | None) -> Row:
    """The named track, or without a title the one in the player (409 when that is no track)."""
    if title is not None:
        return find_track(ctx, title)
    key = ctx.setting("media_item") if ctx.setting("media_state", "stopped") != "stopped" else ""
    track = ctx.one(_LABELLED + " WHERE id = ?", key)
    if track is None:
        raise conflict("No track is playing; give title")
    return track


def play_order(rows: list[Row]) -> list[Row]:
    """Albums and books by number, podcasts newest first."""
    return sorted(rows, key=lambda r: (r["album"], -r["number"] if r["kind"] == "podcast" else r["number"], r["id"]))


def current(ctx: ToolContext) -> Row | None:
    """What the player holds (id, kind, title, artist, seconds; 0 seconds is an unknown length), playing or not."""
    return ctx.one(_CURRENT, ctx.setting("media_item"))


def held(ctx: ToolContext) -> Row:
    """What is playing or paused; 409 when nothing is."""
    item = current(ctx)
    if item is None or ctx.setting("media_state", "stopped") == "stopped":
        raise conflict("Nothing is playing")
    return item


def queue(ctx: ToolContext) -> list[str]:
    """Track ids in playing order."""
    return [key for key in ctx.setting("media_queue").split(",") if key]


def begin(ctx: ToolContext, item: Row, order: list[str]) -> None:
    """Plays an item from where it was left, with this queue around it."""
    refuse_playing(ctx, item["kind"])
    ctx.set_setting("media_item", item["id"])
    ctx.set_setting("media_queue", ",".join(order))
    ctx.set_setting("media_state", "playing")
    ctx.set_setting("media_position", str(item.get("progress", 0)))


def pause_playback(ctx: ToolContext) -> None:
    """Pauses whatever plays, as an app does that takes the audio focus."""
    if ctx.setting("media_state", "stopped") == "playing":
        ctx.set_setting("media_state", "paused")


def refuse_playing(ctx: ToolContext, kind: str) -> None:
    """409 during a call, without a network for a stream, and in super saving mode for video."""
    if ctx.one("SELECT id FROM calls WHERE status = 'active'"):
        raise conflict("A call is active")
    if kind in _STREAMED and not online(ctx):
        raise conflict("No network for streaming")
    if kind in _VIDEO:
        refuse_super_saving(ctx)


def refuse_super_saving(ctx: ToolContext) -> None:
    """409 in the battery mode that leaves only calls, messages and light apps."""
    if ctx.setting("battery_mode") == "super_saving":
        raise conflict("Super saving mode is on")
