"""Devices & Cross-device, third part: files to nearby devices, printing and moving to another phone.

A migration runs by the frozen clock: its progress is the time since its start times a fixed rate.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.device_nearby import NAME, pick_nearby
from qpa.envs.sandbox.domains.phone_state import find_file, page, require_radios
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

SCHEMA = """
CREATE TABLE print_jobs (
  id TEXT PRIMARY KEY, file TEXT NOT NULL, printer TEXT NOT NULL, copies INTEGER NOT NULL DEFAULT 1,
  color INTEGER NOT NULL DEFAULT 0, double_sided INTEGER NOT NULL DEFAULT 0, at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

UNPRINTABLE = ("archive", "audio", "video")
MIGRATION_MB = {
    "contacts": 5,
    "messages": 120,
    "call_log": 3,
    "photos": 9000,
    "videos": 15000,
    "documents": 1200,
    "apps": 7000,
}
MIGRATION_RATE = 600  # MB a minute
MIN_BATTERY = 30  # percent; less might not last the transfer


@tool(domain=NAME, effect=Effect.EXTERNAL, permission="NEARBY_WIFI_DEVICES")
def share_file_nearby(ctx: ToolContext, fileName: str, deviceName: str) -> dict[str, Any]:
    """Send a file wirelessly to a nearby device."""
    file = find_file(ctx, fileName)
    require_radios(ctx, "wifi", "bluetooth")
    device = pick_nearby(ctx, deviceName, "phone", "tablet", "laptop", "tv", "large_screen")
    row_id = ctx.new_id("transfer")
    at = ctx.now.isoformat()
    ctx.insert("sent_files", id=row_id, file_id=file["id"], recipient=device["name"], method="nearby", at=at)
    return ok("File shared", id=row_id, fileName=file["name"], device=device["name"])


@tool(domain=NAME, effect=Effect.EXTERNAL)
def print_file(
    ctx: ToolContext,
    fileName: str,
    printerName: str | None = None,
    copies: int = 1,
    color: bool = False,
    doubleSided: bool = False,
) -> dict[str, Any]:
    """Print a file on a Wi-Fi printer."""
    in_range("copies", copies, 1, 99)
    file = find_file(ctx, fileName)
    if file["kind"] in UNPRINTABLE:
        raise bad(f"Cannot print a file of kind {file['kind']}")
    require_radios(ctx, "wifi")
    printer = pick_nearby(ctx, printerName, "printer")
    job = ctx.insert(
        "print_jobs",
        id=ctx.new_id("print"),
        file=file["name"],
        printer=printer["name"],
        copies=copies,
        color=int(color),
        double_sided=int(doubleSided),
        at=ctx.now.isoformat(),
    )
    return ok("Print job sent", **_job_view(job))


def _job_view(job: Row) -> dict[str, Any]:
    return {"jobId": job["id"], "file": job["file"], "printer": job["printer"], "copies": job["copies"]}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_print_jobs(
    ctx: ToolContext, action: Literal["query", "cancel"], jobId: str | None = None, fileName: str | None = None
) -> dict[str, Any]:
    """List or cancel waiting print jobs."""
    jobs = [
        job
        for job in ctx.rows("SELECT * FROM print_jobs ORDER BY id")
        if jobId in (None, job["id"]) and (fileName or "").casefold() in job["file"].casefold()
    ]
    if action == "query":
        return page(f"{len(jobs)} print jobs", [_job_view(job) for job in jobs])
    if jobId is None and fileName is None:
        raise bad("Give jobId or fileName")
    job = single(jobs, "print job")
    ctx.execute("DELETE FROM print_jobs WHERE id = ?", job["id"])
    return ok("Print job cancelled", **_job_view(job))


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def start_phone_migration(
    ctx: ToolContext, direction: Literal["send", "receive"], deviceName: str | None = None
) -> dict[str, Any]:
    """Start moving the chosen content to or from another phone."""
    if _progress(ctx)["status"] == "running":
        raise conflict(f"Migration with {ctx.setting('migration_device')} is running")
    require_radios(ctx, "wifi")
    phone = pick_nearby(ctx, deviceName, "phone")
    contents = _contents(ctx)
    if not contents:
        raise conflict("No migration contents chosen")
    if int(ctx.setting("battery_level", "100")) < MIN_BATTERY:
        raise conflict(f"Battery is below {MIN_BATTERY}%")
    ctx.set_setting("migration_device", phone["name"])
    ctx.set_setting("migration_direction", direction)
    ctx.set_setting("migration_started_at", ctx.now.isoformat())
    return ok("Migration started", device=phone["name"], direction=direction, contents=contents)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_phone_migration(
    ctx: ToolContext, action: Literal["choose_contents", "query", "cancel"], contents: list[str] | None = None
) -> dict[str, Any]:
    """Choose migration contents, read progress, or cancel it."""
    progress = _progress(ctx)
    if action == "query":
        return ok("Migration status", contents=_contents(ctx), **progress)
    running = progress["status"] == "running"
    if action == "cancel":
        if not running:
            return ok("Migration already stopped", status=progress["status"])
        for key in ("migration_device", "migration_direction", "migration_started_at"):
            ctx.set_setting(key, "")
        return ok("Migration cancelled; moved content stays", status="idle")
    wanted = {name.casefold().replace(" ", "_") for name in need(contents, "contents")}
    if not wanted or not wanted <= set(MIGRATION_MB):
        raise bad(f"contents must be among {'|'.join(MIGRATION_MB)}")
    if running:
        raise conflict("Migration is running")
    chosen = [name for name in MIGRATION_MB if name in wanted]
    changed = ctx.set_setting("migration_contents", ",".join(chosen))
    message = "Contents chosen" if changed else "Contents already chosen"
    return ok(message, contents=chosen, sizeMb=sum(MIGRATION_MB[name] for name in chosen))


def _contents(ctx: ToolContext) -> list[str]:
    chosen = ctx.setting("migration_contents").split(",")
    return [name for name in MIGRATION_MB if name in chosen]


def _progress(ctx: ToolContext) -> dict[str, Any]:
    """Status, and while running or finished the percentage and whole minutes left."""
    started = ctx.setting("migration_started_at")
    if not started:
        return {"status": "idle"}
    seconds = max(0, int((ctx.now - datetime.fromisoformat(started)).total_seconds()))
    size = sum(MIGRATION_MB[name] for name in _contents(ctx))
    moved = min(size, seconds * MIGRATION_RATE // 60)
    return {
        "status": "finished" if moved == size else "running",
        "device": ctx.setting("migration_device"),
        "direction": ctx.setting("migration_direction"),
        "percent": 100 * moved // size if size else 100,
        "minutesLeft": -(-(size - moved) // MIGRATION_RATE),
    }


TOOLS = (share_file_nearby, print_file, manage_print_jobs, start_phone_migration, manage_phone_migration)
