"""Whether a task can be played on a phone at all, told from the task alone."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from qpa.contract import BehaviorCriteria, RowChange, StateCriteria, TaskSpec, ToolCriteria
from qpa.envs.device import phone_settings
from qpa.envs.device.bindings import HOST_TABLES, SEEDABLE, why_not, writable
from qpa.envs.device.table_clock import DAYS, next_ring


def missing_for(task: TaskSpec, double: bool) -> str:
    """Why not, in one line; "" if it can. `double`: the initial state may be anything."""
    return _criteria(task) or ("" if double else _initial(task))


def _criteria(task: TaskSpec) -> str:
    criteria = task.criteria
    if isinstance(criteria, StateCriteria):
        for change in criteria.delta:
            if not writable(change):
                what = change.key.get("key") if change.table == "settings" else change.table
                return f"it wants {what} changed, which no command of a phone does"
            if change.table == "alarms" and "time" in change.new and not _next(change, task.initial.clock):
                return f"it wants an alarm at {change.new['time']}, and an alarm of a phone has no date"
        return ""
    if isinstance(criteria, ToolCriteria):
        return _first(step.name for step in criteria.steps)
    assert isinstance(criteria, BehaviorCriteria)
    reason = _first(criteria.reads)
    if reason or not criteria.routes:
        return reason
    reasons = [why_not(route.name) for route in criteria.routes]
    return f"none of its routes is a phone's: {reasons[0]}" if all(reasons) else ""


def _next(change: RowChange, clock: str) -> bool:
    """Whether the alarm's time is the next time that it is that late, on days that its repeat allows."""
    wanted, now = (datetime.fromisoformat(text) for text in (change.new["time"], clock))
    repeats = [change.new["repeat"]] if "repeat" in change.new else list(DAYS)
    return wanted in (next_ring(now, wanted.hour, wanted.minute, repeat) for repeat in repeats)


def _first(names: Iterable[str]) -> str:
    for name in names:
        if why_not(name):
            return f"it needs {name}: {why_not(name)}"
    return ""


def _initial(task: TaskSpec) -> str:
    for table, rows in task.initial.patch.items():
        if table in HOST_TABLES or table in SEEDABLE:
            continue
        if table != "settings":
            return f"its initial state has rows of {table}, which a host cannot put on a phone"
        for row in rows:
            if row["key"] not in phone_settings.SETTABLE:
                return f"its initial state sets {row['key']}, which no command of a phone does"
    return ""
