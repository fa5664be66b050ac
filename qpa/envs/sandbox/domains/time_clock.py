"""Time Management, first half: alarms, timers, bedtime and the clock's own settings."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.times import clock_only, resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, single, tool

NAME = "Time Management"

SCHEMA = """
CREATE TABLE alarms (
  id TEXT PRIMARY KEY, time TEXT NOT NULL, title TEXT NOT NULL DEFAULT '', repeat TEXT NOT NULL DEFAULT 'once',
  enabled INTEGER NOT NULL DEFAULT 1, snoozed_until TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE countdowns (
  id TEXT PRIMARY KEY, label TEXT NOT NULL DEFAULT '', minutes INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', ends_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE focus_sessions (
  id TEXT PRIMARY KEY, task TEXT NOT NULL DEFAULT '', minutes INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'running', ends_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE world_clocks (city TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
"""

# Standard-time offsets from UTC in hours. A fixed table, because the machine's time zone database changes.
CITY_OFFSETS: dict[str, float] = {
    "Beijing": 8, "Berlin": 1, "Cairo": 2, "Dubai": 4, "Hangzhou": 8, "London": 0, "Los Angeles": -8, "Moscow": 3,
    "Mumbai": 5.5, "New York": -5, "Paris": 1, "Seoul": 9, "Shanghai": 8, "Singapore": 8, "Sydney": 10, "Tokyo": 9,
}  # fmt: skip


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_alarm(
    ctx: ToolContext,
    action: Literal["create", "delete", "enable", "disable", "query", "update"],
    time: str | None = None,
    title: str | None = None,
    repeat: Literal["once", "daily", "weekdays", "weekends"] | None = None,
    alarmId: str | None = None,
) -> dict[str, Any]:
    """Create, change, switch, delete or list alarms."""
    if action == "create":
        return _create_alarm(ctx, need(time, "a time"), title or "", repeat or "once")
    if action == "update":
        return _update_alarm(ctx, time, title, repeat, alarmId)
    if action == "query":
        found = _find_alarms(ctx, time, title, alarmId)
        items = [_alarm_view(row) for row in found]
        return ok(f"{len(items)} alarms", items=items, total=len(items))
    if time is None and title is None and alarmId is None:
        raise bad("Give alarmId, title or time")
    alarm = single(_find_alarms(ctx, time, title, alarmId), "alarm")
    if action == "delete":
        ctx.execute("DELETE FROM alarms WHERE id = ?", alarm["id"])
        return ok("Alarm deleted", id=alarm["id"])
    enabled = int(action == "enable")
    if alarm["enabled"] == enabled:
        return ok(f"Alarm already {action}d", id=alarm["id"])
    ctx.execute("UPDATE alarms SET enabled = ? WHERE id = ?", enabled, alarm["id"])
    return ok(f"Alarm {action}d", id=alarm["id"])


def _create_alarm(ctx: ToolContext, text: str, title: str, repeat: str) -> dict[str, Any]:
    moment = _alarm_moment(ctx, text, repeat)
    _refuse_twin(ctx, moment, title, "")
    row = ctx.insert("alarms", id=ctx.new_id("alarm"), time=moment, title=title, repeat=repeat)
    return ok("Alarm created", **row)


def _update_alarm(
    ctx: ToolContext, time: str | None, title: str | None, repeat: str | None, alarm_id: str | None
) -> dict[str, Any]:
    """With an id, `title` is the new title; without one it names the alarm to change."""
    if alarm_id is None and title is None:
        raise bad("Give alarmId or title")
    alarm = single(_find_alarms(ctx, None, None if alarm_id else title, alarm_id), "alarm")
    if time is None and repeat is None and (alarm_id is None or title is None):
        raise bad("Give a new time, title or repeat")
    repeat = repeat or alarm["repeat"]
    title = title if alarm_id and title else alarm["title"]
    moment = _alarm_moment(ctx, time, repeat) if time else _fit_repeat(datetime.fromisoformat(alarm["time"]), repeat)
    _refuse_twin(ctx, moment, title, alarm["id"])
    sql = "UPDATE alarms SET time = ?, title = ?, repeat = ? WHERE id = ?"
    ctx.execute(sql, moment, title, repeat, alarm["id"])
    return ok("Alarm updated", id=alarm["id"], time=moment, title=title, repeat=repeat)


def _alarm_moment(ctx: ToolContext, text: str, repeat: str) -> str:
    """The first time this alarm rings, ISO 8601."""
    moment = datetime.fromisoformat(resolve(text, ctx.now, "datetime"))
    if moment <= ctx.now:
        raise bad("Time is in the past")
    return _fit_repeat(moment, repeat)


def _fit_repeat(moment: datetime, repeat: str) -> str:
    wanted = {"weekdays": range(5), "weekends": range(5, 7)}.get(repeat, range(7))
    while moment.weekday() not in wanted:
        moment += timedelta(days=1)
    return moment.isoformat()


def _refuse_twin(ctx: ToolContext, moment: str, title: str, own_id: str) -> None:
    sql = "SELECT id FROM alarms WHERE time = ? AND lower(title) = lower(?) AND id <> ?"
    twin = ctx.one(sql, moment, title, own_id)
    if twin:
        raise conflict(f"Alarm already exists: {twin['id']}")


def _find_alarms(ctx: ToolContext, time: str | None, title: str | None, alarm_id: str | None) -> list[Row]:
    found = ctx.rows("SELECT * FROM alarms ORDER BY time, id")
    if alarm_id is not None:
        found = [row for row in found if row["id"] == alarm_id]
    if title is not None:
        found = [row for row in found if row["title"].casefold() == title.casefold()]
    if time is not None:
        clock = clock_only(time, ctx.now)
        wanted = clock or resolve(time, ctx.now, "due")
        found = [row for row in found if (row["time"][11:16] if clock else row["time"][: len(wanted)]) == wanted]
    return found


def _alarm_view(row: Row) -> Row:
    view = {name: row[name] for name in ("id", "time", "title", "repeat")}
    return view | {"enabled": bool(row["enabled"])}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def snooze_alarm(ctx: ToolContext, alarmId: str | None = None, minutes: int | None = None) -> dict[str, Any]:
    """Snooze an alarm for some minutes, 10 by default."""
    pause = in_range("minutes", 10 if minutes is None else minutes, 1, 60)
    found = ctx.rows("SELECT * FROM alarms WHERE enabled = 1 ORDER BY time, id")
    if alarmId is not None:
        found = [row for row in found if row["id"] == alarmId]
    alarm = single(found, "enabled alarm")
    until = (datetime.fromisoformat(alarm["time"]) + timedelta(minutes=pause)).isoformat()
    ctx.execute("UPDATE alarms SET snoozed_until = ? WHERE id = ?", until, alarm["id"])
    return ok("Alarm snoozed", id=alarm["id"], until=until)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_alarm_volume(ctx: ToolContext, level: int) -> dict[str, Any]:
    """Set the alarm volume, 0 to 100."""
    ctx.set_setting("alarm_volume", str(in_range("level", level, 0, 100)))
    return ok("Alarm volume set", level=level)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_countdown(
    ctx: ToolContext,
    action: Literal["start", "pause", "resume", "cancel", "query"],
    minutes: int | None = None,
    label: str | None = None,
) -> dict[str, Any]:
    """Start, pause, resume, cancel or list countdown timers."""
    sql = "SELECT * FROM countdowns WHERE ?1 IS NULL OR lower(label) = lower(?1) ORDER BY id"
    found = ctx.rows(sql, label)
    if action == "query":
        return ok(f"{len(found)} countdowns", items=found, total=len(found))
    if action == "start":
        length = in_range("minutes", need(minutes, "minutes"), 1, 1440)
        if label is not None and found:
            raise conflict(f"Countdown already exists: {found[0]['id']}")
        ends_at = (ctx.now + timedelta(minutes=length)).isoformat()
        row = ctx.insert("countdowns", id=ctx.new_id("timer"), label=label or "", minutes=length, ends_at=ends_at)
        return ok("Countdown started", **row)
    timer = single(found, "countdown")
    if action == "cancel":
        ctx.execute("DELETE FROM countdowns WHERE id = ?", timer["id"])
        return ok("Countdown cancelled", id=timer["id"])
    status = "paused" if action == "pause" else "running"
    if timer["status"] == status:
        raise conflict(f"Countdown is already {status}")
    ends_at = "" if action == "pause" else (ctx.now + timedelta(minutes=timer["minutes"])).isoformat()
    ctx.execute("UPDATE countdowns SET status = ?, ends_at = ? WHERE id = ?", status, ends_at, timer["id"])
    return ok(f"Countdown {status}", id=timer["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_stopwatch(ctx: ToolContext, action: Literal["start", "stop", "reset", "query"]) -> dict[str, Any]:
    """Start, stop, reset or read the stopwatch."""
    status = ctx.setting("stopwatch", "idle")
    if action == "query":
        return ok("Stopwatch status", status=status)
    wanted = {"start": "running", "stop": "stopped", "reset": "idle"}[action]
    if action == "stop" and status != "running":
        raise conflict("Stopwatch is not running")
    if status == wanted:
        raise conflict(f"Stopwatch is already {wanted}")
    ctx.set_setting("stopwatch", wanted)
    return ok(f"Stopwatch {wanted}", status=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_focus_timer(
    ctx: ToolContext,
    action: Literal["start", "stop", "query"],
    minutes: int | None = None,
    task: str | None = None,
) -> dict[str, Any]:
    """Start, stop or read the focus timer, 25 minutes by default."""
    running = ctx.one("SELECT * FROM focus_sessions WHERE status = 'running'")
    if action == "query":
        return ok("Focus timer running" if running else "No focus timer running", session=running)
    if action == "start":
        length = in_range("minutes", 25 if minutes is None else minutes, 1, 240)
        if running:
            raise conflict(f"Focus timer already running: {running['id']}")
        ends_at = (ctx.now + timedelta(minutes=length)).isoformat()
        row = ctx.insert("focus_sessions", id=ctx.new_id("focus"), task=task or "", minutes=length, ends_at=ends_at)
        return ok("Focus timer started", **row)
    if running is None:
        raise conflict("No focus timer is running")
    ctx.execute("UPDATE focus_sessions SET status = 'stopped' WHERE id = ?", running["id"])
    return ok("Focus timer stopped", id=running["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_bedtime(
    ctx: ToolContext,
    action: Literal["set", "enable", "disable", "query"],
    bedtime: str | None = None,
    wakeTime: str | None = None,
) -> dict[str, Any]:
    """Set, switch or read the bedtime schedule."""
    if action == "set":
        if bedtime is None and wakeTime is None:
            raise bad("Give bedtime or wakeTime")
        for key, text in (("bedtime", bedtime), ("wake_time", wakeTime)):
            if text is not None:
                ctx.set_setting(key, resolve(text, ctx.now, "time"))
        if ctx.setting("bedtime") == ctx.setting("wake_time"):
            raise bad("bedtime and wakeTime are equal")
    elif action != "query":
        ctx.set_setting("bedtime_mode", "on" if action == "enable" else "off")
    status = {"bedtime": ctx.setting("bedtime"), "wakeTime": ctx.setting("wake_time")}
    message = {"set": "Bedtime set", "query": "Bedtime"}.get(action, f"Bedtime {action}d")
    return ok(message, **status, enabled=ctx.setting("bedtime_mode", "off") == "on")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_world_clock(
    ctx: ToolContext, action: Literal["add", "remove", "query"], city: str | None = None
) -> dict[str, Any]:
    """Add, remove or read world clocks."""
    if action == "query":
        cities = [find_city(city)] if city else [row["city"] for row in ctx.rows("SELECT city FROM world_clocks")]
        items = [{"city": name, "time": _time_in(ctx, name)} for name in cities]
        return ok(f"{len(items)} clocks", items=items, total=len(items))
    name = find_city(need(city, "a city"))
    present = ctx.one("SELECT city FROM world_clocks WHERE city = ?", name) is not None
    if action == "add":
        if present:
            raise conflict(f"{name} is already added")
        ctx.insert("world_clocks", city=name)
        return ok("City added", city=name, time=_time_in(ctx, name))
    if not present:
        raise missing(f"{name} is not among the clocks")
    ctx.execute("DELETE FROM world_clocks WHERE city = ?", name)
    return ok("City removed", city=name)


def find_city(text: str) -> str:
    """The city's canonical name; 404 for one the table does not have."""
    for name in CITY_OFFSETS:
        if name.casefold() == text.casefold():
            return name
    raise missing(f"Unknown city: {text[:30]}")


def _time_in(ctx: ToolContext, city: str) -> str:
    home = CITY_OFFSETS[ctx.setting("time_zone", "Shanghai")]
    return (ctx.now + timedelta(hours=CITY_OFFSETS[city] - home)).strftime("%Y-%m-%d %H:%M")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_time_zone(ctx: ToolContext, city: str) -> dict[str, Any]:
    """Set the device time zone by city."""
    name = find_city(city)
    ctx.set_setting("time_zone", name)
    return ok("Time zone set", city=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_time_format(ctx: ToolContext, format: Literal["12h", "24h"]) -> dict[str, Any]:
    """Set the clock format."""
    ctx.set_setting("time_format", format)
    return ok("Time format set", format=format)


TOOLS = (
    manage_alarm,
    manage_countdown,
    manage_stopwatch,
    manage_world_clock,
    manage_bedtime,
    manage_focus_timer,
    set_time_zone,
    set_time_format,
    set_alarm_volume,
    snooze_alarm,
)
