"""Audio & Entertainment: films, series and own videos, subtitles, stream quality and the watchlist."""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import media_player as player
from qpa.envs.sandbox.domains.media_photos import gallery
from qpa.envs.sandbox.domains.media_player import NAME, held, matching, store
from qpa.envs.sandbox.domains.phone_state import page
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, single, tool


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def play_video(ctx: ToolContext, title: str, episode: int | None = None) -> dict[str, Any]:
    """Play a film, a series episode or an own video."""
    item = _find_video(ctx, title)
    answer: dict[str, Any] = {"title": item["title"]}
    if item["kind"] == "series":
        answer["episode"] = in_range("episode", item["episode"] if episode is None else episode, 1, item["episodes"])
    elif episode is not None:
        raise bad("episode only goes with a series")
    same = answer.get("episode", 1) == item["episode"] and ctx.setting("media_item") == item["id"]
    if same and ctx.setting("media_state", "stopped") == "playing":
        return ok("Already playing", **answer)
    player.begin(ctx, item, [])
    if item["kind"] == "series" and answer["episode"] != item["episode"]:
        ctx.execute("UPDATE media_shows SET episode = ? WHERE title = ?", answer["episode"], item["id"])
    return ok("Playing", **answer)


def _find_video(ctx: ToolContext, title: str) -> Row:
    shows = ctx.rows("SELECT *, title AS id, '' AS subject FROM media_shows ORDER BY title")
    own = [row | {"title": row["name"], "episode": 1} for row in gallery(ctx) if row["kind"] == "video"]
    found = matching([*shows, *own], title, "title", "subject", "id") or matching(own, title, "subject")
    return single(found, "video", "title")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_subtitles(
    ctx: ToolContext, action: Literal["enable", "disable", "query"], language: str | None = None
) -> dict[str, Any]:
    """Turn subtitles on in a language, off, or query."""
    if action != "enable" and language is not None:
        raise bad("language only goes with enable")
    item = held(ctx)
    show = ctx.one("SELECT subtitles FROM media_shows WHERE title = ?", item["id"])
    if show is None:
        raise conflict("It has no subtitles")
    known = show["subtitles"].split(",")
    if action == "query":
        return ok("Subtitles", subtitles=ctx.setting("subtitles", "off"), languages=known)
    if action == "disable":
        return store(ctx, "subtitles", "off", "Subtitles")
    wanted = language or (ctx.setting("language") if ctx.setting("language") in known else known[0])
    chosen = next((name for name in known if name.casefold() == wanted.casefold()), None)
    if chosen is None:
        raise missing(f"No such subtitles; there are {', '.join(known)}")
    return store(ctx, "subtitles", chosen, "Subtitles")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_video_quality(ctx: ToolContext, quality: Literal["auto", "480p", "720p", "1080p", "4k"]) -> dict[str, Any]:
    """Set the quality of streamed video."""
    on_wifi = ctx.one("SELECT ssid FROM wifi_networks WHERE connected = 1") is not None
    if quality in ("1080p", "4k") and ctx.setting("data_saver", "off") == "on" and not on_wifi:
        raise conflict("Data saver is on")
    return store(ctx, "video_quality", quality, "Video quality")


@tool(domain=NAME, effect=Effect.READ)
def query_shows(
    ctx: ToolContext,
    keyword: str | None = None,
    genre: str | None = None,
    kind: Literal["movie", "series"] | None = None,
) -> dict[str, Any]:
    """Search films and series to stream."""
    found = ctx.rows("SELECT * FROM media_shows WHERE ?1 IS NULL OR kind = ?1 ORDER BY title", kind)
    if genre is not None:
        found = [row for row in found if row["genre"].casefold() == genre.casefold()]
    if keyword is not None:
        found = [row for row in found if keyword.casefold() in f"{row['title']}\n{row['service']}".casefold()]
    items = [{name: row[name] for name in ("title", "kind", "genre", "service", "episodes")} for row in found]
    return page(f"{len(items)} found", items)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_watchlist(
    ctx: ToolContext, action: Literal["add", "remove", "mark_watched", "query"], title: str | None = None
) -> dict[str, Any]:
    """Keep the list of films and series to watch."""
    shows = ctx.rows("SELECT * FROM media_shows ORDER BY title")
    if action == "query":
        found = [row for row in shows if row["watchlist"]]
        items = [{"title": row["title"], "service": row["service"], "watched": bool(row["watched"])} for row in found]
        return page(f"{len(items)} in the watchlist", items)
    show = single(matching(shows, need(title, "title"), "title"), "show", "title")
    column, value = {"add": ("watchlist", 1), "remove": ("watchlist", 0), "mark_watched": ("watched", 1)}[action]
    state = {"add": "in the watchlist", "remove": "not in the watchlist", "mark_watched": "watched"}[action]
    if show[column] == value:
        return ok(f"Already {state}", title=show["title"])
    ctx.execute(f"UPDATE media_shows SET {column} = ? WHERE title = ?", value, show["title"])
    return ok(f"Now {state}", title=show["title"])


TOOLS = (play_video, manage_subtitles, set_video_quality, query_shows, manage_watchlist)
