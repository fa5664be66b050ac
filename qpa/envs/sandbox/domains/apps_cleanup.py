"""Apps & Storage: how full the phone is, cleaning up, the recycle bin, the SD card and the cloud drive."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.apps_core import (
    DOWNLOADS,
    JUNK,
    NAME,
    all_files,
    find,
    find_file,
    free_kb,
    number,
    page,
    phone_parts,
    put_in_folder,
    require_free_name,
    require_network,
    require_space,
)
from qpa.envs.sandbox.domains.apps_files import STORAGE, add_file, to_bin
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE recycle_bin (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'document', size_kb INTEGER NOT NULL DEFAULT 0,
  modified_at TEXT NOT NULL DEFAULT '', copy_of TEXT NOT NULL DEFAULT '', storage TEXT NOT NULL DEFAULT 'phone',
  contents TEXT NOT NULL DEFAULT '[]', folder TEXT NOT NULL DEFAULT 'Documents', deleted_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE cloud_files (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'document', size_kb INTEGER NOT NULL DEFAULT 0,
  uploaded_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

KEPT_DAYS = 30  # in the recycle bin


def _gb(kb: int) -> float:
    return round(kb / 1024**2, 2)


@tool(domain=NAME, effect=Effect.READ)
def query_storage(ctx: ToolContext, storage: Literal["phone", "sd_card", "cloud"] = "phone") -> dict[str, Any]:
    """Show how full the phone, SD card or cloud is."""
    key = {"phone": "storage_total_mb", "sd_card": "sd_total_mb", "cloud": "cloud_total_mb"}[storage]
    if storage == "sd_card" and ctx.setting("sd_card", "off") != "on":
        raise conflict("No SD card mounted")
    sizes = {"total_gb": _gb(1024 * number(ctx, key)), "free_gb": _gb(free_kb(ctx, storage))}
    if storage != "phone":
        return ok("Storage status", **sizes)
    return ok("Storage status", **sizes, used_gb={part: _gb(kb) for part, kb in phone_parts(ctx).items()})


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission=STORAGE)
def clean_junk(
    ctx: ToolContext,
    action: Literal["query", "clean"],
    kind: Literal["temp", "residual", "ads", "packages"] | None = None,
) -> dict[str, Any]:
    """Find or clean junk: temporary, residual, ad, installer files."""
    kinds = JUNK if kind is None else (kind,)
    found = {name: number(ctx, f"junk_{name}_mb") for name in kinds}
    total = sum(found.values())
    if action == "query":
        return ok("Junk found" if total else "No junk", total_mb=total, junk_mb=found)
    for name, size_mb in found.items():
        if size_mb:
            ctx.set_setting(f"junk_{name}_mb", "0")
    return ok("Junk cleaned" if total else "Junk already clean", freed_mb=total)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=STORAGE)
def manage_duplicate_files(ctx: ToolContext, action: Literal["query", "clean"]) -> dict[str, Any]:
    """Find duplicate files, or bin all but the originals."""
    groups: dict[str, list[Row]] = {}
    for file in all_files(ctx):
        groups.setdefault(file["copy_of"] or file["id"], []).append(file)
    # The original comes first: a copy's id is later than what it was copied from.
    doubles = [files for files in groups.values() if len(files) > 1]
    if action == "query":
        items = [{"file": files[0]["name"], "copies": [copy["name"] for copy in files[1:6]]} for files in doubles]
        return page(items, "files with duplicates")
    extra = [file for files in doubles for file in files[1:]]
    for file in extra:
        to_bin(ctx, file)
    message = f"{len(extra)} duplicates moved to recycle bin" if extra else "Duplicates already clean"
    return ok(message, files=[file["name"] for file in extra[:5]])


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission=STORAGE)
def manage_recycle_bin(
    ctx: ToolContext, action: Literal["query", "restore", "delete", "empty"], fileName: str | None = None
) -> dict[str, Any]:
    """List, restore or delete binned files, or empty the bin."""
    if fileName is not None and action == "empty":
        raise bad("fileName does not go with empty")
    binned = ctx.rows("SELECT * FROM recycle_bin ORDER BY deleted_at DESC, id")
    if action == "query":
        wanted = (fileName or "").casefold()
        return page([_bin_view(ctx, row) for row in binned if wanted in row["name"].casefold()], "files in bin")
    if action == "empty":
        ctx.execute("DELETE FROM recycle_bin")
        message = "Recycle bin emptied" if binned else "Recycle bin already empty"
        return ok(message, files=len(binned), freed_mb=sum(row["size_kb"] for row in binned) // 1024)
    row = find(binned, "name", need(fileName, "fileName"), "binned file")
    if action == "restore":
        _restore(ctx, row)
    ctx.execute("DELETE FROM recycle_bin WHERE id = ?", row["id"])
    return ok(f"File {action}d", name=row["name"])


def _bin_view(ctx: ToolContext, row: Row) -> Row:
    age = (ctx.now - datetime.fromisoformat(row["deleted_at"])).days if row["deleted_at"] else 0
    return {"name": row["name"], "folder": row["folder"], "days_left": max(0, KEPT_DAYS - age)}


def _restore(ctx: ToolContext, row: Row) -> None:
    require_free_name(ctx, row["name"])
    if row["storage"] == "sd_card" and ctx.setting("sd_card", "off") != "on":
        raise conflict("No SD card mounted")
    columns = ("id", "name", "kind", "size_kb", "modified_at", "copy_of", "storage", "contents")
    ctx.insert("files", **{column: row[column] for column in columns})
    put_in_folder(ctx, row["name"], row["kind"], row["folder"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_sd_card(ctx: ToolContext, action: Literal["mount", "eject", "query"]) -> dict[str, Any]:
    """Mount or safely eject the SD card, or query it."""
    if action != "query":
        if action == "mount" and not number(ctx, "sd_total_mb"):
            raise conflict("No SD card in the slot")
        wanted = "on" if action == "mount" else "off"
        changed = ctx.setting("sd_card", "off") != wanted and ctx.set_setting("sd_card", wanted)
        return ok(f"SD card {'' if changed else 'already '}{action}ed")
    inserted = number(ctx, "sd_total_mb") > 0
    return ok("SD card status", inserted=inserted, mounted=ctx.setting("sd_card", "off") == "on")


@tool(domain=NAME, effect=Effect.EXTERNAL)
def manage_cloud_drive(
    ctx: ToolContext, action: Literal["upload", "download", "delete", "query"], fileName: str | None = None
) -> dict[str, Any]:
    """Upload, download, delete or list cloud drive files."""
    stored = ctx.rows("SELECT * FROM cloud_files ORDER BY name")
    if action == "query":
        wanted = (fileName or "").casefold()
        items = [{"name": f["name"], "size_kb": f["size_kb"]} for f in stored if wanted in f["name"].casefold()]
        return page(items, "cloud files")
    name = need(fileName, "fileName")
    if action == "upload":
        return _upload(ctx, find_file(ctx, name), stored)
    file = find(stored, "name", name, "cloud file")
    require_network(ctx, file["size_kb"] // 1024 if action == "download" else 0)
    if action == "download":
        require_free_name(ctx, file["name"])
        require_space(ctx, file["size_kb"])
        add_file(ctx, DOWNLOADS, name=file["name"], kind=file["kind"], size_kb=file["size_kb"])
        return ok("File downloaded", name=file["name"], folder=DOWNLOADS)
    ctx.execute("DELETE FROM cloud_files WHERE name = ?", file["name"])
    return ok("Cloud file deleted", name=file["name"])


def _upload(ctx: ToolContext, file: Row, stored: list[Row]) -> dict[str, Any]:
    """A file of the same name is already there: names stand for contents here as everywhere on this phone."""
    if file["name"].casefold() in {row["name"].casefold() for row in stored}:
        return ok("File already in cloud", name=file["name"])
    require_network(ctx, file["size_kb"] // 1024)
    require_space(ctx, file["size_kb"], "cloud")
    made = {column: file[column] for column in ("name", "kind", "size_kb")}
    ctx.insert("cloud_files", **made, uploaded_at=ctx.now.isoformat())
    return ok("File uploaded", name=file["name"])


TOOLS = (
    query_storage,
    clean_junk,
    manage_duplicate_files,
    manage_recycle_bin,
    manage_sd_card,
    manage_cloud_drive,
)
