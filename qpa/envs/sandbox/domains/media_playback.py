"""Audio & Entertainment: starting audio and controlling the player.

A queue is what was asked for (an album, an artist, a playlist) or, for one title, its album, show or radio dial.
Shuffle reorders the queue once, when it is switched on or when something is started; switching it off keeps the
order. Podcasts and audiobooks go on where they were left.
"""

from __future__ import annotations

import zlib
from datetime import timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import media_player as player
from qpa.envs.sandbox.domains.media_player import NAME, current, find_track, held, matching, queue, store
from qpa.envs.sandbox.domains.phone_state import page
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, single, tool

LONGEST = 24 * 60 * 60  # seconds; the end of an item of unknown length
_RESUMED = ("podcast", "audiobook")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def play_audio(
    ctx: ToolContext,
    title: str | None = None,
    artist: str | None = None,
    album: str | None = None,
    playlist: str | None = None,
    kind: Literal["song", "podcast", "radio", "audiobook", "recording"] | None = None,
    favoritesOnly: bool | None = None,
) -> dict[str, Any]:
    """Play a title, artist, album, playlist or kind of audio."""
    if kind == "recording":
        if artist or album or playlist or favoritesOnly:
            raise bad("A recording has only a title")
        return _play_recording(ctx, need(title, "title"))
    if playlist is not None:
        if title or artist or album or kind:
            raise bad("playlist goes alone")
        pool = _playlist_tracks(ctx, playlist)
    else:
        by_default = None if title or artist or album or favoritesOnly else "song"
        pool = player.tracks(ctx, kind or by_default)
    for column, wanted in (("artist", artist), ("album", album)):
        if wanted is not None:
            pool = _narrow(pool, column, wanted)
    if favoritesOnly:
        pool = [row for row in pool if row["favorite"]]
    if title is None:
        if not pool:
            raise missing("Nothing to play")
        return _start(ctx, player.play_order(pool), None)
    found = matching(pool, title, "title", "label", "id")
    if not found and kind is None and artist is None and album is None and not favoritesOnly:
        return _play_recording(ctx, title)
    track = single(found, kind or "track", "label")
    return _start(ctx, player.play_order(_around(ctx, track)), track)


def _play_recording(ctx: ToolContext, title: str) -> dict[str, Any]:
    files = ctx.rows("SELECT id, kind, name AS title FROM files WHERE kind = 'audio' ORDER BY id")
    return _begin(ctx, single(matching(files, title, "title", "id"), "audio", "title"), [])


def _playlist_tracks(ctx: ToolContext, playlist: str) -> list[Row]:
    names = ctx.rows("SELECT name FROM media_playlists ORDER BY name")
    name = single(matching(names, playlist, "name"), "playlist", "name")["name"]
    inside = {row["track_id"] for row in ctx.rows("SELECT * FROM media_playlist_tracks WHERE playlist = ?", name)}
    return [row for row in player.tracks(ctx) if row["id"] in inside]


def _narrow(pool: list[Row], column: str, wanted: str) -> list[Row]:
    """The tracks of the one artist or album that is meant; 404 for none, 409 when several names match."""
    names = [{column: name} for name in sorted({row[column] for row in pool})]
    name = single(matching(names, wanted, column), column, column)[column]
    return [row for row in pool if row[column] == name]


def _around(ctx: ToolContext, track: Row) -> list[Row]:
    """The album, show or radio dial that a track belongs to."""
    if track["kind"] != "radio" and not track["album"]:
        return [track]
    same = player.tracks(ctx, track["kind"])
    return [row for row in same if (row["album"], row["artist"]) == (track["album"], track["artist"])]


def _start(ctx: ToolContext, pool: list[Row], track: Row | None) -> dict[str, Any]:
    order = [row["id"] for row in pool]
    if ctx.setting("music_play_mode") == "shuffle":
        order = _shuffled(order, track["id"] if track else "")
    by_id = {row["id"]: row for row in pool}
    return _begin(ctx, track or by_id[order[0]], order)


def _begin(ctx: ToolContext, item: Row, order: list[str]) -> dict[str, Any]:
    wanted = ("playing", item["id"], ",".join(order))
    message = "Already playing"
    if tuple(ctx.setting(key) for key in ("media_state", "media_item", "media_queue")) != wanted:
        player.begin(ctx, item, order)
        message = "Playing; media volume is 0" if ctx.setting("media_volume") == "0" else "Playing"
    return ok(message, title=item["title"], artist=item.get("artist", ""), queued=len(order))


def _shuffled(order: list[str], first: str) -> list[str]:
    """A fixed order that looks random, `first` before all others."""
    return sorted(order, key=lambda key: (key != first, zlib.crc32(key.encode()), key))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_playback(
    ctx: ToolContext, action: Literal["pause", "resume", "stop", "next", "previous", "query"]
) -> dict[str, Any]:
    """Pause, resume, stop or skip what plays, or query."""
    item, state = current(ctx), ctx.setting("media_state", "stopped")
    if action == "query":
        return _status(ctx, item, state)
    if action == "stop":
        if state == "stopped":
            return ok("Already stopped")
        ctx.set_setting("media_state", "stopped")
        if item is None or item["kind"] not in _RESUMED:
            ctx.set_setting("media_position", "0")
        return ok("Stopped")
    if item is None or (action == "pause" and state == "stopped"):
        raise conflict("Nothing is playing")
    if action in ("next", "previous"):
        return _skip(ctx, item, 1 if action == "next" else -1)
    wanted = "paused" if action == "pause" else "playing"
    if state == wanted:
        return ok(f"Already {wanted}", title=item["title"])
    if wanted == "playing":
        player.refuse_playing(ctx, item["kind"])
    ctx.set_setting("media_state", wanted)
    return ok(wanted.capitalize(), title=item["title"])


def _status(ctx: ToolContext, item: Row | None, state: str) -> dict[str, Any]:
    if item is None or state == "stopped":
        return ok("Nothing is playing", state="stopped")
    return ok(
        f"Player {state}",
        state=state,
        title=item["title"],
        artist=item["artist"],
        positionSeconds=int(ctx.setting("media_position", "0")),
        lengthSeconds=item["seconds"],
        speed=float(ctx.setting("media_speed", "1")),
        mode=ctx.setting("music_play_mode", "sequential"),
    )


def _skip(ctx: ToolContext, item: Row, step: int) -> dict[str, Any]:
    if item["kind"] == "series":
        return _skip_episode(ctx, item, step)
    order = queue(ctx)
    if item["id"] not in order:
        raise conflict("Nothing to skip to")
    index = order.index(item["id"]) + step
    if ctx.setting("music_play_mode", "sequential") != "sequential":
        index %= len(order)
    if not 0 <= index < len(order):
        raise conflict(f"{'Last' if step > 0 else 'First'} track of the queue")
    track = ctx.one("SELECT * FROM media_tracks WHERE id = ?", order[index])
    if track is None:
        raise missing("Queued track is gone")
    player.begin(ctx, track, order)
    return ok("Playing", title=track["title"], artist=track["artist"])


def _skip_episode(ctx: ToolContext, item: Row, step: int) -> dict[str, Any]:
    moved = "UPDATE media_shows SET episode = episode + ?1 WHERE title = ?2 AND episode + ?1 BETWEEN 1 AND episodes"
    if not ctx.execute(moved, step, item["id"]):
        raise conflict(f"{'Last' if step > 0 else 'First'} episode")
    player.begin(ctx, item, [])
    row = ctx.rows("SELECT episode FROM media_shows WHERE title = ?", item["id"])[0]
    return ok("Playing", title=item["title"], episode=row["episode"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def seek_playback(
    ctx: ToolContext, positionSeconds: int | None = None, offsetSeconds: int | None = None
) -> dict[str, Any]:
    """Jump to a position, or forward and back by seconds."""
    if (positionSeconds is None) == (offsetSeconds is None):
        raise bad("Give positionSeconds or offsetSeconds")
    item = held(ctx)
    if item["kind"] == "radio":
        raise conflict("Radio cannot be sought")
    end = item["seconds"] or LONGEST
    if positionSeconds is None:
        target = int(ctx.setting("media_position", "0")) + (offsetSeconds or 0)
        position = min(max(target, 0), end)
    else:
        position = in_range("positionSeconds", positionSeconds, 0, end)
    ctx.set_setting("media_position", str(position))
    if item["kind"] in _RESUMED:
        ctx.execute("UPDATE media_tracks SET progress = ? WHERE id = ?", position, item["id"])
    return ok("Position set", title=item["title"], positionSeconds=position)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_playback_speed(ctx: ToolContext, speed: float) -> dict[str, Any]:
    """Set the playback speed, 0.5 to 3."""
    if not 0.5 <= speed <= 3:
        raise bad("speed must be 0.5 to 3")
    item = current(ctx)
    if item is not None and item["kind"] == "radio" and ctx.setting("media_state") != "stopped":
        raise conflict("Radio has no speed")
    return store(ctx, "media_speed", f"{round(speed, 2):g}", "Playback speed")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_music_play_mode(
    ctx: ToolContext, mode: Literal["sequential", "repeat_all", "repeat_one", "shuffle"]
) -> dict[str, Any]:
    """Set the play mode: in order, repeat or shuffle."""
    if mode == "shuffle" and ctx.setting("music_play_mode") != "shuffle":
        ctx.set_setting("media_queue", ",".join(_shuffled(queue(ctx), ctx.setting("media_item"))))
    return store(ctx, "music_play_mode", mode, "Play mode")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_play_queue(
    ctx: ToolContext,
    action: Literal["add", "play_next", "remove", "clear", "query"],
    title: str | None = None,
) -> dict[str, Any]:
    """Add, put next, remove, clear or list queued tracks."""
    order, playing = queue(ctx), ctx.setting("media_item")
    if action == "query":
        here = order.index(playing) + 1 if playing in order else 0
        names = {row["id"]: row["label"] for row in player.tracks(ctx)}
        ahead = [names[key] for key in order[here:] if key in names]
        return page(f"{len(ahead)} tracks ahead", ahead)
    if action == "clear":
        kept = [key for key in order if key == playing]
        changed = ctx.set_setting("media_queue", ",".join(kept))
        return ok("Queue cleared" if changed else "Queue already empty")
    track = find_track(ctx, need(title, "title"))
    if track["kind"] == "radio":
        raise bad("Radio cannot be queued")
    if action == "remove":
        if track["id"] not in order:
            raise missing("Not in the queue")
        if track["id"] == playing:
            raise conflict("It is the current track")
        order.remove(track["id"])
    elif track["id"] == playing or (action == "add" and track["id"] in order):
        return ok("Already in the queue", title=track["title"])
    else:
        rest = [key for key in order if key != track["id"]]
        here = rest.index(playing) + 1 if playing in rest else 0
        rest.insert(here if action == "play_next" else len(rest), track["id"])
        order = rest
    changed = ctx.set_setting("media_queue", ",".join(order))
    return ok("Queue changed" if changed else "Already next", title=track["title"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_sleep_timer(
    ctx: ToolContext,
    action: Literal["set", "cancel", "query"],
    minutes: int | None = None,
    time: str | None = None,
) -> dict[str, Any]:
    """Stop playback after minutes or at a time."""
    ends_at = ctx.setting("media_sleep_timer", "off")
    if action == "query":
        return ok("Sleep timer", endsAt=ends_at)
    if action == "cancel":
        changed = ctx.set_setting("media_sleep_timer", "off")
        return ok("Sleep timer cancelled" if changed else "Sleep timer already off")
    if (minutes is None) == (time is None):
        raise bad("Give minutes or time")
    if time is not None:
        end = resolve(time, ctx.now, "datetime")
        if not ctx.now.isoformat() < end <= (ctx.now + timedelta(days=1)).isoformat():
            raise bad("time must be within a day")
    else:
        end = (ctx.now + timedelta(minutes=in_range("minutes", minutes or 0, 1, 1440))).isoformat()
    held(ctx)
    return store(ctx, "media_sleep_timer", end, "Sleep timer")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_equalizer(
    ctx: ToolContext,
    preset: Literal["flat", "bass_boost", "treble_boost", "vocal", "pop", "rock", "jazz", "classical"],
) -> dict[str, Any]:
    """Set the equalizer preset."""
    return store(ctx, "equalizer", preset, "Equalizer")


TOOLS = (
    play_audio,
    control_playback,
    seek_playback,
    set_playback_speed,
    set_music_play_mode,
    manage_play_queue,
    manage_sleep_timer,
    set_equalizer,
)
