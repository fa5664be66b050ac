"""Apps & Storage: files by name. Names are unique on the phone, so that a name is enough to say which file is meant."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import (
    NAME,
    all_files,
    find_file,
    folder_name,
    free_name,
    page,
    put_in_folder,
    require_free_name,
    require_space,
    split_name,
    valid_name,
)
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, ok, tool

STORAGE = "MANAGE_EXTERNAL_STORAGE"
MAX_ZIPPED = 50  # files in one archive
_PACKED_PERCENT = {"document": 70, "spreadsheet": 70}  # media hardly get smaller


@tool(domain=NAME, effect=Effect.READ, permission="READ_EXTERNAL_STORAGE")
def local_file_search(
    ctx: ToolContext,
    keyword: str | None = None,
    kind: Literal["document", "spreadsheet", "image", "video", "audio", "archive"] | None = None,
    folder: str | None = None,
    minSizeMb: int | None = None,
    withinDays: int | None = None,
    sortBy: Literal["recent", "largest", "name"] = "recent",
) -> dict[str, Any]:
    """Search files on the phone; recent ones first."""
    # A file without a date came during the episode: it is new.
    now = ctx.now.isoformat()
    files = [f | {"modified_at": f["modified_at"] or now} for f in all_files(ctx)]
    if keyword is not None:
        files = [f for f in files if keyword.casefold() in f["name"].casefold()]
    if kind is not None:
        files = [f for f in files if f["kind"] == kind]
    if folder is not None:
        files = [f for f in files if f["folder"].casefold() == folder.casefold()]
    if minSizeMb is not None:
        least = 1024 * in_range("minSizeMb", minSizeMb, 0, 10**6)
        files = [f for f in files if f["size_kb"] >= least]
    if withinDays is not None:
        since = (ctx.now - timedelta(days=in_range("withinDays", withinDays, 1, 3650))).isoformat()
        files = [f for f in files if f["modified_at"] >= since]
    if sortBy == "name":
        files.sort(key=lambda f: f["name"].casefold())
    else:
        files.sort(key=lambda f: f["modified_at" if sortBy == "recent" else "size_kb"], reverse=True)
    return page([{column: f[column] for column in ("name", "folder", "size_kb")} for f in files], "files")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def rename_file(ctx: ToolContext, fileName: str, newName: str) -> dict[str, Any]:
    """Rename a file; its extension stays."""
    file = find_file(ctx, fileName)
    name = _keep_extension(valid_name(newName, "newName"), split_name(file["name"])[1])
    if name == file["name"]:
        return ok("File already has this name", name=name)
    if name.casefold() != file["name"].casefold():
        require_free_name(ctx, name)
    ctx.execute("UPDATE files SET name = ? WHERE id = ?", name, file["id"])
    ctx.execute("DELETE FROM file_folders WHERE file = ?", name)
    ctx.execute("UPDATE file_folders SET file = ? WHERE file = ?", name, file["name"])
    return ok("File renamed", name=name)


def _keep_extension(name: str, extension: str) -> str:
    """The name with the extension added, if it lacks it; 400 when it has another one."""
    other = split_name(name)[1]
    if other.casefold() == extension.casefold():
        return name
    if extension and other[1:].isalnum() and not other[1:].isdigit() and len(other) <= 5:
        raise bad(f"The extension must stay {extension}")
    return valid_name(name + extension, "newName")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def move_file(
    ctx: ToolContext, fileName: str, folder: str | None = None, storage: Literal["phone", "sd_card"] | None = None
) -> dict[str, Any]:
    """Move a file to another folder or storage."""
    if folder is None and storage is None:
        raise bad("Give folder or storage")
    file = find_file(ctx, fileName)
    target = file["folder"] if folder is None else folder_name(ctx, folder)
    place = storage or file["storage"]
    if (target, place) == (file["folder"], file["storage"]):
        return ok("File already there", name=file["name"], folder=target)
    if place != file["storage"]:
        require_space(ctx, file["size_kb"], place)
        ctx.execute("UPDATE files SET storage = ? WHERE id = ?", place, file["id"])
    put_in_folder(ctx, file["name"], file["kind"], target)
    return ok("File moved", name=file["name"], folder=target, storage=place)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def copy_file(ctx: ToolContext, fileName: str, folder: str | None = None, newName: str | None = None) -> dict[str, Any]:
    """Copy a file, also under a new name."""
    file = find_file(ctx, fileName)
    target = file["folder"] if folder is None else folder_name(ctx, folder)
    if newName is None:
        name = free_name(ctx, file["name"])
    else:
        name = _keep_extension(valid_name(newName, "newName"), split_name(file["name"])[1])
        require_free_name(ctx, name)
    require_space(ctx, file["size_kb"], file["storage"])
    made = {column: file[column] for column in ("kind", "size_kb", "storage", "contents")}
    add_file(ctx, target, name=name, copy_of=file["copy_of"] or file["id"], **made)
    return ok("File copied", name=name, folder=target)


def add_file(ctx: ToolContext, folder: str, **columns: Any) -> Row:
    """A new file, modified now, in a folder."""
    row = ctx.insert("files", id=ctx.new_id("file"), modified_at=ctx.now.isoformat(), **columns)
    put_in_folder(ctx, row["name"], row["kind"], folder)
    return row


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def delete_file(ctx: ToolContext, fileName: str) -> dict[str, Any]:
    """Move a file to the recycle bin."""
    file = find_file(ctx, fileName)
    to_bin(ctx, file)
    return ok("File moved to recycle bin", name=file["name"])


def to_bin(ctx: ToolContext, file: Row) -> None:
    """Takes a file (as `all_files` gives it) off the phone; the bin keeps all of it."""
    ctx.insert("recycle_bin", **file, deleted_at=ctx.now.isoformat())
    ctx.execute("DELETE FROM files WHERE id = ?", file["id"])
    ctx.execute("DELETE FROM file_folders WHERE file = ?", file["name"])


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def compress_files(ctx: ToolContext, fileNames: list[str], archiveName: str | None = None) -> dict[str, Any]:
    """Pack files into a zip archive; the originals stay."""
    if not 1 <= len(fileNames) <= MAX_ZIPPED:
        raise bad(f"fileNames must be 1 to {MAX_ZIPPED} files")
    files = list({file["id"]: file for file in (find_file(ctx, name) for name in fileNames)}.values())
    if any(file["kind"] == "archive" for file in files):
        raise conflict("Archives cannot be packed again")
    if archiveName is None:
        name = free_name(ctx, split_name(files[0]["name"])[0] + ".zip")
    else:
        name = _keep_extension(valid_name(archiveName, "archiveName"), ".zip")
        require_free_name(ctx, name)
    size = sum(-(-file["size_kb"] * _PACKED_PERCENT.get(file["kind"], 100) // 100) for file in files)
    require_space(ctx, size)
    # In a fixed order: an archive is the same however its files were listed.
    packed = sorted(files, key=lambda file: file["id"])
    contents = json.dumps([[file["name"], file["kind"], file["size_kb"]] for file in packed], ensure_ascii=False)
    add_file(ctx, files[0]["folder"], name=name, kind="archive", size_kb=size, contents=contents)
    return ok("Archive created", name=name, files=len(files), size_kb=size)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def extract_archive(ctx: ToolContext, fileName: str, folder: str | None = None) -> dict[str, Any]:
    """Unpack an archive into a folder, its own by default."""
    archive = find_file(ctx, fileName)
    if archive["kind"] != "archive":
        raise conflict(f"{archive['name']} is not an archive")
    entries = json.loads(archive["contents"])
    if not entries:
        raise conflict(f"{archive['name']} is empty")
    target = folder_name(ctx, split_name(archive["name"])[0] if folder is None else folder)
    require_space(ctx, sum(size_kb for _, _, size_kb in entries))
    made = []
    for name, kind, size_kb in entries:
        made.append(add_file(ctx, target, name=free_name(ctx, name), kind=kind, size_kb=size_kb)["name"])
    return ok(f"{len(made)} files extracted", folder=target, files=made[:5])


TOOLS = (
    local_file_search,
    rename_file,
    move_file,
    copy_file,
    delete_file,
    compress_files,
    extract_archive,
)
