"""Audio & Entertainment: searching the library, playlists, favorites, lyrics and music recognition."""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import media_player as player
from qpa.envs.sandbox.domains.media_photos import refuse_busy_microphone
from qpa.envs.sandbox.domains.media_player import NAME, Kind, find_track, matching, named_or_current
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, single, tool

MAX_TITLES = 20  # of one call
MAX_NAME = 60  # characters of a playlist's name


@tool(domain=NAME, effect=Effect.READ)
def query_audio(ctx: ToolContext, keyword: str | None = None, kind: Kind | None = None) -> dict[str, Any]:
    """Search songs, podcasts, radio and audiobooks."""
    found = player.tracks(ctx, kind)
    if keyword is not None:
        folded = keyword.casefold()
        found = [row for row in found if any(folded in row[c].casefold() for c in ("title", "artist", "album"))]
    items = [{name: row[name] for name in ("title", "artist", "album", "kind")} for row in player.play_order(found)]
    return page(f"{len(items)} found", items)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_playlist(
    ctx: ToolContext,
    action: Literal["create", "add", "remove", "rename", "delete", "query"],
    playlist: str | None = None,
    titles: list[str] | None = None,
    newName: str | None = None,
) -> dict[str, Any]:
    """Create, fill, rename, delete or list playlists."""
    if newName is not None and action != "rename":
        raise bad("newName only goes with rename")
    if titles is not None and action not in ("create", "add", "remove"):
        raise bad("titles only go with create, add, remove")
    if action == "query" and playlist is None:
        sql = "SELECT name, (SELECT count(*) FROM media_playlist_tracks WHERE playlist = name) AS tracks"
        names = ctx.rows(sql + " FROM media_playlists ORDER BY name")
        return page(f"{len(names)} playlists", names)
    wanted = need(playlist, "playlist")
    if action == "create":
        ctx.insert("media_playlists", name=_free_name(ctx, wanted, ""))
        return _add(ctx, wanted, _tracks(ctx, titles or []), "Playlist created")
    names = ctx.rows("SELECT name FROM media_playlists ORDER BY name")
    name = single(matching(names, wanted, "name"), "playlist", "name")["name"]
    if action == "query":
        labels = [row["label"] for row in _inside(ctx, name)]
        return ok(name, items=labels[:SHOWN], total=len(labels))
    if action == "add":
        chosen = [named_or_current(ctx, None)] if titles is None else _tracks(ctx, titles)
        return _add(ctx, name, chosen, "Added to playlist")
    if action == "remove":
        return _remove(ctx, name, need(titles, "titles"))
    return _rename(ctx, name, need(newName, "newName")) if action == "rename" else _delete(ctx, name)


def _free_name(ctx: ToolContext, name: str, own: str) -> str:
    if len(name) > MAX_NAME:
        raise bad(f"Name is longer than {MAX_NAME} characters")
    for row in ctx.rows("SELECT name FROM media_playlists ORDER BY name"):
        if row["name"] != own and row["name"].casefold() == name.casefold():
            raise conflict(f"Playlist already exists: {row['name']}")
    return name


def _inside(ctx: ToolContext, name: str) -> list[Row]:
    keys = {row["track_id"] for row in ctx.rows("SELECT * FROM media_playlist_tracks WHERE playlist = ?", name)}
    return player.play_order([row for row in player.tracks(ctx) if row["id"] in keys])


def _tracks(ctx: ToolContext, titles: list[str]) -> list[Row]:
    if len(titles) > MAX_TITLES:
        raise bad(f"At most {MAX_TITLES} titles")
    return [find_track(ctx, title) for title in titles]


def _add(ctx: ToolContext, name: str, chosen: list[Row], message: str) -> dict[str, Any]:
    sql = "INSERT INTO media_playlist_tracks VALUES (?, ?) ON CONFLICT DO NOTHING"
    if any(row["kind"] == "radio" for row in chosen):
        raise bad("Radio does not go into playlists")
    added = sum(ctx.execute(sql, name, row["id"]) for row in chosen)
    if chosen and not added:
        message = "Already in the playlist"
    return ok(message, playlist=name, added=added)


def _remove(ctx: ToolContext, name: str, titles: list[str]) -> dict[str, Any]:
    if not titles:
        raise bad("Give titles")
    inside = _inside(ctx, name)
    found = [matching(inside, title, "title", "label", "id") for title in titles[:MAX_TITLES]]
    keys = {single(rows, "track in it", "label")["id"] for rows in found}
    for key in sorted(keys):
        ctx.execute("DELETE FROM media_playlist_tracks WHERE playlist = ? AND track_id = ?", name, key)
    return ok("Removed from playlist", playlist=name, removed=len(keys))


def _rename(ctx: ToolContext, name: str, new: str) -> dict[str, Any]:
    if _free_name(ctx, new, name) == name:
        return ok("Playlist already named so", playlist=name)
    ctx.execute("UPDATE media_playlists SET name = ? WHERE name = ?", new, name)
    ctx.execute("UPDATE media_playlist_tracks SET playlist = ? WHERE playlist = ?", new, name)
    return ok("Playlist renamed", playlist=new)


def _delete(ctx: ToolContext, name: str) -> dict[str, Any]:
    ctx.execute("DELETE FROM media_playlist_tracks WHERE playlist = ?", name)
    ctx.execute("DELETE FROM media_playlists WHERE name = ?", name)
    return ok("Playlist deleted", playlist=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_favorite_audio(
    ctx: ToolContext, action: Literal["add", "remove", "query"], title: str | None = None
) -> dict[str, Any]:
    """Like or unlike a track, the playing one by default."""
    if action == "query":
        labels = [row["label"] for row in player.tracks(ctx) if row["favorite"]]
        return page(f"{len(labels)} favorites", labels)
    track = named_or_current(ctx, title)
    wanted = int(action == "add")
    if track["favorite"] == wanted:
        return ok("Already a favorite" if wanted else "Already not a favorite", title=track["title"])
    ctx.execute("UPDATE media_tracks SET favorite = ? WHERE id = ?", wanted, track["id"])
    return ok("Added to favorites" if wanted else "Removed from favorites", title=track["title"])


@tool(domain=NAME, effect=Effect.READ)
def query_lyrics(ctx: ToolContext, title: str | None = None) -> dict[str, Any]:
    """Show a song's lyrics, the playing one by default."""
    track = named_or_current(ctx, title)
    if not track["lyrics"]:
        raise missing("No lyrics for it")
    return ok("Lyrics", title=track["title"], lyrics=track["lyrics"])


@tool(domain=NAME, effect=Effect.READ, permission="RECORD_AUDIO")
def recognize_music(ctx: ToolContext) -> dict[str, Any]:
    """Name the song that plays in the room."""
    refuse_busy_microphone(ctx)
    if ctx.setting("media_state", "stopped") == "playing":
        raise conflict("The phone itself plays; pause it")
    title, _, artist = ctx.setting("room_sound").rpartition(" by ")
    if not title:  # speech, noise or silence
        raise missing("No music heard")
    known = matching(player.tracks(ctx, "song"), f"{title} by {artist}", "label")
    return ok("Song recognized", title=title, artist=artist, inLibrary=bool(known))


TOOLS = (query_audio, manage_playlist, manage_favorite_audio, query_lyrics, recognize_music)
