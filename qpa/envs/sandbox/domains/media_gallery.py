"""Audio & Entertainment: finding, sorting, editing and deleting photos and videos.

An album is the place of its photos, so it exists while it has some; a photo that leaves its album or loses it goes
back to "Camera".
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.media_photos import MAX_NAME, TRASHED, annotate, find_photo, find_photos, gallery
from qpa.envs.sandbox.domains.media_player import NAME
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, missing, need, ok, tool

READ_PHOTOS = "READ_MEDIA_IMAGES"
HOME = "Camera"
_FIXED_ALBUMS = (HOME, "Download", "Screenshots", "Screen recordings")
_EDITS = {
    "rotate": ("90", "180", "270"),
    "crop": ("1:1", "4:3", "3:4", "16:9", "9:16"),
    "filter": ("none", "mono", "sepia", "vivid", "warm", "cool"),
}


@tool(domain=NAME, effect=Effect.READ, permission=READ_PHOTOS)
def query_gallery(
    ctx: ToolContext,
    keyword: str | None = None,
    album: str | None = None,
    kind: Literal["image", "video"] | None = None,
    date: str | None = None,
    favoritesOnly: bool | None = None,
) -> dict[str, Any]:
    """Find photos and videos, newest first."""
    found = [row for row in gallery(ctx) if kind in (None, row["kind"])]
    if keyword is not None:
        found = [row for row in found if keyword.casefold() in f"{row['name']}\n{row['subject']}".casefold()]
    if album is not None:
        name = _album(ctx, album)
        found = [row for row in found if row["album"] == name]
    if date is not None:
        day = resolve(date, ctx.now, "date")
        found = [row for row in found if row["created_at"].startswith(day)]
    if favoritesOnly:
        found = [row for row in found if row["favorite"]]
    items = [
        {"name": r["name"], "subject": r["subject"], "album": r["album"], "date": r["created_at"][:10]} for r in found
    ]
    return page(f"{len(items)} found", items)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=READ_PHOTOS)
def delete_photo(ctx: ToolContext, photos: list[str]) -> dict[str, Any]:
    """Move photos or videos to the trash."""
    found = find_photos(ctx, photos)
    for row in found:
        ctx.execute("UPDATE files SET name = ? WHERE id = ?", TRASHED + row["name"], row["id"])
    return ok("Moved to trash", names=[row["name"] for row in found])


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission=READ_PHOTOS)
def manage_photo_trash(
    ctx: ToolContext, action: Literal["restore", "empty", "query"], photo: str | None = None
) -> dict[str, Any]:
    """Restore a photo from the trash, empty it, or query."""
    if action == "restore":
        row = find_photo(ctx, need(photo, "photo"), trashed=True)
        if any(other["name"].casefold() == row["name"].casefold() for other in gallery(ctx)):
            raise conflict(f"Another {row['name']} exists")
        ctx.execute("UPDATE files SET name = ? WHERE id = ?", row["name"], row["id"])
        return ok("Photo restored", name=row["name"])
    if photo is not None:
        raise bad("photo only goes with restore")
    trash = gallery(ctx, trashed=True)
    if action == "query":
        names = [row["name"].removeprefix(TRASHED) for row in trash]
        return page(f"{len(names)} in the trash", names)
    for row in trash:
        ctx.execute("DELETE FROM files WHERE id = ?", row["id"])
        ctx.execute("DELETE FROM media_photos WHERE id = ?", row["id"])
    return ok("Trash emptied" if trash else "Trash already empty", deleted=len(trash))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=READ_PHOTOS)
def manage_photo_album(
    ctx: ToolContext,
    action: Literal["create", "add", "remove", "rename", "delete", "query"],
    album: str | None = None,
    photos: list[str] | None = None,
    newName: str | None = None,
) -> dict[str, Any]:
    """Create, fill, rename, delete or list photo albums."""
    if (newName is not None) != (action == "rename"):
        raise bad("Give newName with rename, and only then")
    if (photos is not None) != (action in ("create", "add", "remove")):
        raise bad("Give photos with create, add, remove")
    if action == "query":
        counts = Counter(row["album"] for row in gallery(ctx))
        names = sorted(counts) if album is None else [_album(ctx, album)]
        items = [{"album": name, "photos": counts[name]} for name in names]
        return page(f"{len(items)} albums", items)
    wanted = need(album, "album")
    if action in ("rename", "delete"):
        return _change_album(ctx, _album(ctx, wanted), newName)
    name = _new_album(ctx, wanted) if action == "create" else _album(ctx, wanted)
    found = find_photos(ctx, photos or [])
    if action == "remove":
        outside = next((row["name"] for row in found if row["album"] != name), None)
        if outside is not None:
            raise missing(f"Not in {name}: {outside}")
    moved = sum(annotate(ctx, row, album=HOME if action == "remove" else name) for row in found)
    message = {"create": "Album created", "add": "Added to album", "remove": "Removed from album"}[action]
    return ok(message if moved else "Already so", album=name, moved=moved)


def _album(ctx: ToolContext, name: str) -> str:
    known = sorted({row["album"] for row in gallery(ctx)})
    for album in known:
        if album.casefold() == name.casefold():
            return album
    raise missing(f"No such album; there are {', '.join(known[:SHOWN])}")


def _new_album(ctx: ToolContext, name: str) -> str:
    if len(name) > MAX_NAME:
        raise bad(f"Name is longer than {MAX_NAME} characters")
    known = {row["album"].casefold() for row in gallery(ctx)} | {album.casefold() for album in _FIXED_ALBUMS}
    if name.casefold() in known:
        raise conflict("Album already exists")
    return name


def _change_album(ctx: ToolContext, name: str, new: str | None) -> dict[str, Any]:
    """Renames an album, or without a new name gives its photos back to the camera's."""
    if name in _FIXED_ALBUMS:
        raise conflict(f"{name} cannot be changed")
    if new == name:
        return ok("Album already named so", album=name)
    if new is not None and new.casefold() != name.casefold():
        _new_album(ctx, new)
    ctx.execute("UPDATE media_photos SET album = ? WHERE album = ?", new or HOME, name)
    return ok("Album renamed", album=new) if new else ok("Album deleted; photos kept", album=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=READ_PHOTOS)
def set_photo_favorite(ctx: ToolContext, photo: str, favorite: bool) -> dict[str, Any]:
    """Mark a photo as a favorite, or unmark it."""
    row = find_photo(ctx, photo)
    changed = annotate(ctx, row, favorite=int(favorite))
    state = "a favorite" if favorite else "no favorite"
    return ok(f"{'Now' if changed else 'Already'} {state}", name=row["name"])


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=READ_PHOTOS)
def edit_photo(
    ctx: ToolContext, photo: str, operation: Literal["rotate", "crop", "filter", "revert"], value: str | None = None
) -> dict[str, Any]:
    """Rotate, crop or filter a photo, or revert its edits."""
    row = find_photo(ctx, photo)
    if row["kind"] != "image":
        raise conflict("Only photos can be edited")
    if operation == "revert":
        if value is not None:
            raise bad("value does not go with revert")
        edits: dict[str, Any] = {"rotation": 0, "crop": "", "filter": "none"}
    else:
        allowed, chosen = _EDITS[operation], need(value, "value").casefold()
        if chosen not in allowed:
            raise bad(f"value must be {'|'.join(allowed)}")
        edits = {operation: chosen}
        if operation == "rotate":
            edits = {"rotation": (row["rotation"] + int(chosen)) % 360}
    changed = annotate(ctx, row, **edits)
    return ok("Photo edited" if changed else "Photo already so", name=row["name"], **edits)


TOOLS = (query_gallery, delete_photo, manage_photo_trash, manage_photo_album, set_photo_favorite, edit_photo)
