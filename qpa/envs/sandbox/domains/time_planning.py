"""Time Management, second half: schedules, to-dos, reminders, dates and automation."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Any, Literal

from qpa.contract import Effect, ToolKind
from qpa.envs.sandbox.domains.agent_orders import heard
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

NAME = "Time Management"

SCHEMA = """
CREATE TABLE schedules (
  id TEXT PRIMARY KEY, event TEXT NOT NULL, datetime TEXT NOT NULL, location TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE todos (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, due TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE reminders (id TEXT PRIMARY KEY, content TEXT NOT NULL, time TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE anniversaries (id TEXT PRIMARY KEY, name TEXT NOT NULL, date TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE automations (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT 'rule', condition TEXT NOT NULL, operation TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
"""

HOLIDAYS = {  # month-day -> name; fixed dates only, so that no year needs a table of its own
    "01-01": "New Year's Day", "02-14": "Valentine's Day", "03-08": "Women's Day", "05-01": "Labour Day",
    "06-01": "Children's Day", "09-10": "Teachers' Day", "10-01": "National Day", "10-31": "Halloween",
    "12-25": "Christmas Day", "12-31": "New Year's Eve",
}  # fmt: skip
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


def _matching(ctx: ToolContext, table: str, column: str, row_id: str | None, text: str | None) -> list[Row]:
    """Rows with this id, or whose text equals `text`, or, when none equals it, contains it."""
    found = ctx.rows(f"SELECT * FROM {table} ORDER BY id")
    if row_id is not None:
        return [row for row in found if row["id"] == row_id]
    if text is None:
        return found
    wanted = text.casefold()
    equal = [row for row in found if row[column].casefold() == wanted]
    return equal or [row for row in found if wanted in row[column].casefold()]


def _one(ctx: ToolContext, table: str, column: str, row_id: str | None, text: str | None, noun: str) -> Row:
    if row_id is None and text is None:
        raise bad(f"Give {noun}Id or {column}")
    return single(_matching(ctx, table, column, row_id, text), noun)


def _future(ctx: ToolContext, text: str) -> str:
    moment = resolve(text, ctx.now, "datetime")
    if moment <= ctx.now.isoformat():
        raise bad("Time is in the past")
    return moment


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_schedule(
    ctx: ToolContext,
    action: Literal["create", "delete", "query", "update"],
    event: str | None = None,
    datetime: str | None = None,
    location: str | None = None,
    scheduleId: str | None = None,
) -> dict[str, Any]:
    """Create, change, delete or list calendar events."""
    if action == "create":
        return _create_schedule(ctx, need(event, "an event"), need(datetime, "a datetime"), location or "")
    if action == "query":
        found = _matching(ctx, "schedules", "event", scheduleId, event)
        if datetime is not None:
            wanted = resolve(datetime, ctx.now, "due")
            found = [row for row in found if row["datetime"].startswith(wanted)]
        found.sort(key=lambda row: (row["datetime"], row["id"]))
        return ok(f"{len(found)} events", items=found, total=len(found))
    row = _one(ctx, "schedules", "event", scheduleId, event, "schedule")
    if action == "delete":
        ctx.execute("DELETE FROM schedules WHERE id = ?", row["id"])
        return ok("Event deleted", id=row["id"])
    new = {
        "event": event if scheduleId and event else row["event"],
        "datetime": _future(ctx, datetime) if datetime else row["datetime"],
        "location": location or row["location"],
    }
    if all(row[name] == value for name, value in new.items()):
        raise bad("Nothing to update")
    _refuse_double(ctx, new["event"], new["datetime"], row["id"])
    ctx.execute("UPDATE schedules SET event = ?, datetime = ?, location = ? WHERE id = ?", *new.values(), row["id"])
    return ok("Event updated", id=row["id"], **new)


def _create_schedule(ctx: ToolContext, event: str, text: str, location: str) -> dict[str, Any]:
    moment = _future(ctx, text)
    _refuse_double(ctx, event, moment, "")
    others = ctx.rows("SELECT id FROM schedules WHERE datetime = ? ORDER BY id", moment)
    row = ctx.insert("schedules", id=ctx.new_id("schedule"), event=event, datetime=moment, location=location)
    if others:
        return ok("Event created, overlaps another", **row, overlaps=[other["id"] for other in others])
    return ok("Event created", **row)


def _refuse_double(ctx: ToolContext, event: str, moment: str, own_id: str) -> None:
    sql = "SELECT id FROM schedules WHERE lower(event) = lower(?) AND datetime = ? AND id <> ?"
    twin = ctx.one(sql, event, moment, own_id)
    if twin:
        raise conflict(f"Event already exists: {twin['id']}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_todo(
    ctx: ToolContext,
    action: Literal["create", "complete", "delete", "query"],
    content: str | None = None,
    due: str | None = None,
    todoId: str | None = None,
) -> dict[str, Any]:
    """Create, complete, delete or list to-dos."""
    if action == "query":
        found = _matching(ctx, "todos", "content", todoId, content)
        if due is not None:
            wanted = resolve(due, ctx.now, "due")
            found = [row for row in found if row["due"].startswith(wanted)]
        items = [row | {"done": bool(row["done"])} for row in found]
        return ok(f"{len(items)} todos", items=items, total=len(items))
    if action == "create":
        text = need(content, "content")
        twin = ctx.one("SELECT id FROM todos WHERE lower(content) = lower(?) AND done = 0", text)
        if twin:
            raise conflict(f"Todo already exists: {twin['id']}")
        when = resolve(due, ctx.now, "due") if due else ""
        return ok("Todo created", **ctx.insert("todos", id=ctx.new_id("todo"), content=text, due=when))
    row = _one(ctx, "todos", "content", todoId, content, "todo")
    if action == "delete":
        ctx.execute("DELETE FROM todos WHERE id = ?", row["id"])
        return ok("Todo deleted", id=row["id"])
    if row["done"]:
        raise conflict("Todo is already done")
    ctx.execute("UPDATE todos SET done = 1 WHERE id = ?", row["id"])
    return ok("Todo completed", id=row["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_reminder(
    ctx: ToolContext,
    action: Literal["create", "delete", "query"],
    content: str | None = None,
    time: str | None = None,
    reminderId: str | None = None,
) -> dict[str, Any]:
    """Create, delete or list reminders."""
    if action == "create":
        text, moment = need(content, "content"), _future(ctx, need(time, "a time"))
        twin = ctx.one("SELECT id FROM reminders WHERE lower(content) = lower(?) AND time = ?", text, moment)
        if twin:
            raise conflict(f"Reminder already exists: {twin['id']}")
        return ok("Reminder created", **ctx.insert("reminders", id=ctx.new_id("reminder"), content=text, time=moment))
    if action == "query":
        found = _matching(ctx, "reminders", "content", reminderId, content)
        if time is not None:
            wanted = resolve(time, ctx.now, "due")
            found = [row for row in found if row["time"].startswith(wanted)]
        return ok(f"{len(found)} reminders", items=found, total=len(found))
    row = _one(ctx, "reminders", "content", reminderId, content, "reminder")
    ctx.execute("DELETE FROM reminders WHERE id = ?", row["id"])
    return ok("Reminder deleted", id=row["id"])


@tool(domain=NAME, effect=Effect.READ)
def calendar_service(
    ctx: ToolContext,
    action: Literal["query_date", "days_until", "list_holidays"],
    date: str | None = None,
    month: str | None = None,
) -> dict[str, Any]:
    """Look up a date, the days until it, or a month's holidays."""
    if action == "list_holidays":
        number = _month(month, ctx.now)
        items = [{"date": day, "name": name} for day, name in HOLIDAYS.items() if int(day[:2]) == number]
        return ok(f"{len(items)} holidays", items=items, total=len(items))
    day = _calendar_day(need(date, "a date"), ctx.now)
    if action == "query_date":
        holiday = HOLIDAYS.get(day.strftime("%m-%d"), "")
        return ok("Date found", date=day.isoformat(), weekday=day.strftime("%A"), holiday=holiday)
    days = (day - ctx.now.date()).days
    if days < 0:
        raise bad("Date is in the past")
    return ok(f"{days} days", date=day.isoformat(), days=days)


def _calendar_day(text: str, now: datetime) -> date:
    """A day by date words or by holiday name (its next occurrence)."""
    for month_day, name in HOLIDAYS.items():
        if text.casefold() in (name.casefold(), name.casefold().removesuffix(" day")):
            day = date.fromisoformat(f"{now.year}-{month_day}")
            return day if day >= now.date() else day.replace(year=now.year + 1)
    return date.fromisoformat(resolve(text, now, "date"))


def _month(text: str | None, now: datetime) -> int:
    if text is None:
        return now.month
    word = text.strip().lower()
    if word[:3] in _MONTHS:
        return _MONTHS.index(word[:3]) + 1
    match = re.fullmatch(r"(?:\d{4}-)?(\d{1,2})", word)
    if match is None:
        raise bad(f"Cannot read month: {text[:20]}")
    return in_range("month", int(match[1]), 1, 12)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_anniversary(
    ctx: ToolContext, action: Literal["create", "delete", "query"], name: str | None = None, date: str | None = None
) -> dict[str, Any]:
    """Create, delete or list anniversaries and birthdays."""
    if action == "query":
        found = _matching(ctx, "anniversaries", "name", None, name)
        return ok(f"{len(found)} anniversaries", items=found, total=len(found))
    title = need(name, "a name")
    if action == "create":
        day = resolve(need(date, "a date"), ctx.now, "date")
        twin = ctx.one("SELECT id FROM anniversaries WHERE lower(name) = lower(?)", title)
        if twin:
            raise conflict(f"Anniversary already exists: {twin['id']}")
        row = ctx.insert("anniversaries", id=ctx.new_id("anniversary"), name=title, date=day)
        return ok("Anniversary created", **row)
    row = single(_matching(ctx, "anniversaries", "name", None, title), "anniversary", "name")
    ctx.execute("DELETE FROM anniversaries WHERE id = ?", row["id"])
    return ok("Anniversary deleted", id=row["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_automation_rule(
    ctx: ToolContext,
    action: Literal["create", "delete", "enable", "disable", "query"],
    trigger: str | None = None,
    operation: str | None = None,
    ruleId: str | None = None,
) -> dict[str, Any]:
    """Create, switch, delete or list standing automation rules."""
    if action == "create":
        return _add_automation(ctx, "rule", need(trigger, "a trigger"), need(operation, "an operation"))
    rules = [r for r in _matching(ctx, "automations", "condition", ruleId, trigger) if r["kind"] == "rule"]
    if action == "query":
        items = [{k: r[k] for k in ("id", "condition", "operation")} | {"enabled": bool(r["enabled"])} for r in rules]
        return ok(f"{len(items)} rules", items=items, total=len(items))
    if ruleId is None and trigger is None:
        raise bad("Give ruleId or trigger")
    rule = single(rules, "rule")
    if action == "delete":
        ctx.execute("DELETE FROM automations WHERE id = ?", rule["id"])
        return ok("Rule deleted", id=rule["id"])
    ctx.execute("UPDATE automations SET enabled = ? WHERE id = ?", int(action == "enable"), rule["id"])
    return ok(f"Rule {action}d", id=rule["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE, kind=ToolKind.SUBAGENT)
def trigger_task(ctx: ToolContext, condition: str, operation: str) -> dict[str, Any]:
    """Hand a one-time task to the monitoring agent: do the operation when the condition holds."""
    return _add_automation(ctx, "once", condition, heard(ctx, operation))


def _add_automation(ctx: ToolContext, kind: str, condition: str, operation: str) -> dict[str, Any]:
    sql = "SELECT id FROM automations WHERE kind = ? AND lower(condition) = lower(?) AND lower(operation) = lower(?)"
    twin = ctx.one(sql, kind, condition, operation)
    if twin:
        raise conflict(f"Already exists: {twin['id']}")
    row_id = ctx.new_id("rule" if kind == "rule" else "task")
    row = ctx.insert("automations", id=row_id, kind=kind, condition=condition, operation=operation)
    return ok("Rule created" if kind == "rule" else "Task scheduled", **row)


TOOLS = (
    manage_schedule,
    manage_todo,
    manage_reminder,
    calendar_service,
    manage_anniversary,
    manage_automation_rule,
    trigger_task,
)
