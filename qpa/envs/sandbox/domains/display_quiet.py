"""Display & Sound: do-not-disturb, who and what gets through it, and when it comes by itself.

The `dnd` setting is the switch set by hand; a schedule that is in force at the moment shows in the query only.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import one_contact
from qpa.envs.sandbox.domains.display_common import NAME, inside, only_with, switch, window
from qpa.envs.sandbox.domains.links import Switch, find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, is_on
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE dnd_contacts (contact_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE dnd_schedules (
  name TEXT PRIMARY KEY, start_time TEXT NOT NULL, end_time TEXT NOT NULL, repeat TEXT NOT NULL DEFAULT 'daily',
  enabled INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
"""

PERMISSION = "ACCESS_NOTIFICATION_POLICY"
Source = Literal["alarms", "media", "reminders", "events", "repeat_callers", "starred_contacts"]
Repeat = Literal["daily", "weekdays", "weekends"]
_DAYS = {"daily": range(7), "weekdays": range(5), "weekends": range(5, 7)}


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=PERMISSION)
def manage_do_not_disturb(ctx: ToolContext, action: Switch, until: str | None = None) -> dict[str, Any]:
    """Switch do-not-disturb, optionally until a time, or query it."""
    only_with(action, ("enable",), until=until)
    moment = "" if until is None else resolve(until, ctx.now, "datetime")
    if moment and moment <= ctx.now.isoformat():
        raise bad("until is in the past")
    kept = action == "query" or (action == "enable" and until is None and is_on(ctx, "dnd"))
    answer = switch(ctx, "dnd", "Do-not-disturb", action)
    if not kept and ctx.set_setting("dnd_until", moment) and action == "enable":
        answer["message"] = "Do-not-disturb on"
    if action == "query":
        schedules = ctx.rows("SELECT * FROM dnd_schedules WHERE enabled = 1 ORDER BY name")
        answer["data"]["schedule"] = next((row["name"] for row in schedules if _in_force(ctx.now, row)), "")
    if answer["data"]["enabled"]:
        answer["data"]["until"] = ctx.setting("dnd_until")
    return answer


def _in_force(now: datetime, row: Row) -> bool:
    first, last = row["start_time"], row["end_time"]
    began = now - timedelta(days=1) if last < first and now.strftime("%H:%M") < last else now
    return inside(now, first, last) and began.weekday() in _DAYS.get(row["repeat"], range(7))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=PERMISSION)
def manage_dnd_exceptions(
    ctx: ToolContext,
    action: Literal["allow", "block", "query"],
    source: Source | None = None,
    contact: str | None = None,
) -> dict[str, Any]:
    """Allow, block or query what gets through do-not-disturb."""
    if action == "query":
        only_with(action, ("allow", "block"), source=source, contact=contact)
        allowed = [name for name in get_args(Source) if is_on(ctx, f"dnd_allow_{name}")]
        sql = "SELECT name FROM contacts WHERE id IN (SELECT contact_id FROM dnd_contacts) ORDER BY id"
        people = [row["name"] for row in ctx.rows(sql)]
        return ok("Exceptions", allowed=allowed, contacts=people[:SHOWN], total_contacts=len(people))
    if (source is None) == (contact is None):
        raise bad("Give either source or contact")
    if contact is None:
        name = need(source, "source")
        changed = ctx.set_setting(f"dnd_allow_{name}", "on" if action == "allow" else "off")
    else:
        person = one_contact(ctx, contact)
        name = person["name"]
        sql = "DELETE FROM dnd_contacts WHERE contact_id = ?"
        if action == "allow":
            sql = "INSERT OR IGNORE INTO dnd_contacts (contact_id) VALUES (?)"
        changed = ctx.execute(sql, person["id"]) > 0
    return ok(f"{name} {'' if changed else 'already '}{action}ed")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission=PERMISSION)
def manage_dnd_schedule(
    ctx: ToolContext,
    action: Literal["create", "update", "delete", "enable", "disable", "query"],
    name: str | None = None,
    startTime: str | None = None,
    endTime: str | None = None,
    repeat: Repeat | None = None,
) -> dict[str, Any]:
    """Create, change, switch, delete or list do-not-disturb schedules."""
    only_with(action, ("create", "update"), startTime=startTime, endTime=endTime, repeat=repeat)
    rows = ctx.rows("SELECT * FROM dnd_schedules ORDER BY name")
    if action == "query":
        found = rows if name is None else [find_named(rows, "name", name, "Schedule")]
        items = [row | {"enabled": bool(row["enabled"])} for row in found[:SHOWN]]
        return ok(f"{len(found)} schedules", items=items, total=len(found))
    title = need(name, "a name")
    if action == "create":
        if any(row["name"].casefold() == title.casefold() for row in rows):
            raise conflict(f"Schedule already exists: {title[:30]}")
        first, last = window(ctx, startTime, endTime)
        made = {"name": title, "start_time": first, "end_time": last, "repeat": repeat or "daily"}
        return ok("Schedule created", **ctx.insert("dnd_schedules", **made))
    row = find_named(rows, "name", title, "Schedule")
    if action == "update":
        return _update(ctx, row, startTime, endTime, repeat)
    if action == "delete":
        ctx.execute("DELETE FROM dnd_schedules WHERE name = ?", row["name"])
        return ok("Schedule deleted", name=row["name"])
    enabled = int(action == "enable")
    if row["enabled"] == enabled:
        return ok(f"Schedule already {action}d", name=row["name"])
    ctx.execute("UPDATE dnd_schedules SET enabled = ? WHERE name = ?", enabled, row["name"])
    return ok(f"Schedule {action}d", name=row["name"])


def _update(ctx: ToolContext, row: Row, start: str | None, end: str | None, repeat: str | None) -> dict[str, Any]:
    if start is None and end is None and repeat is None:
        raise bad("Give startTime, endTime or repeat")
    first, last = window(ctx, start or row["start_time"], end or row["end_time"])
    new = {"start_time": first, "end_time": last, "repeat": repeat or row["repeat"]}
    if all(row[key] == value for key, value in new.items()):
        return ok("Schedule already so", name=row["name"], **new)
    sql = "UPDATE dnd_schedules SET start_time = ?, end_time = ?, repeat = ? WHERE name = ?"
    ctx.execute(sql, *new.values(), row["name"])
    return ok("Schedule updated", name=row["name"], **new)


TOOLS = (manage_do_not_disturb, manage_dnd_exceptions, manage_dnd_schedule)
