"""What a tool sees of its episode: the database, the frozen clock and the id counters."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

import apsw

from qpa.contract import ErrorType, FaultMode

Row = dict[str, Any]
T = TypeVar("T")
_SETTING = "SELECT value FROM settings WHERE key = ?"
_ID = re.compile(r"(?P<prefix>.+)_(?P<number>[0-9]{1,9})")


class ToolError(Exception):
    """A tool refuses: rendered as an error envelope, and everything the call wrote is rolled back.

    Messages are short (the planner pays for every token) and never carry a stack or an internal name.
    """

    def __init__(self, error_type: ErrorType, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message


def bad(message: str) -> ToolError:
    """400: the argument itself is wrong."""
    return ToolError(ErrorType.INVALID_ARGUMENT, message)


def missing(message: str) -> ToolError:
    """404: the thing named does not exist."""
    return ToolError(ErrorType.NOT_FOUND, message)


def conflict(message: str) -> ToolError:
    """409: a duplicate, an ambiguity, or a device state that forbids the call."""
    return ToolError(ErrorType.CONFLICT, message)


def need(value: T | None, what: str) -> T:
    """The argument an action cannot do without; 400 "Give <what>" when it is absent."""
    if value is None:
        raise bad(f"Give {what}")
    return value


def in_range(name: str, value: int, low: int, high: int) -> int:
    """400 unless low <= value <= high."""
    if not low <= value <= high:
        raise bad(f"{name} must be {low} to {high}")
    return value


def single(found: list[Row], noun: str, label: str = "id") -> Row:
    """The only row found; 404 when there is none, 409 listing up to five candidates when there are several."""
    if not found:
        raise missing(f"No such {noun}")
    if len(found) > 1:
        names = ", ".join(str(row[label]) for row in found[:5])
        raise conflict(f"{len(found)} {noun}s match: {names}")
    return found[0]


def fetch(db: apsw.Connection, sql: str, *params: Any) -> list[Row]:
    """All rows as dicts, in the statement's order."""
    cursor = db.execute(sql, params)
    found: list[Row] = []
    names: list[str] = []
    for row in cursor:
        names = names or [column[0] for column in cursor.get_description()]  # known only while there is a row
        found.append(dict(zip(names, row, strict=True)))
    return found


def count_id(counters: dict[str, int], value: Any) -> None:
    """Raises the counter of an id such as "contact_007", so that later ids never collide with it."""
    match = _ID.fullmatch(value) if isinstance(value, str) else None
    if match:
        prefix = match["prefix"]
        counters[prefix] = max(counters.get(prefix, 0), int(match["number"]))


@dataclass(slots=True)
class ToolContext:
    """Handed to every tool as its first argument. All writes go through `db` and are undone if the tool raises."""

    db: apsw.Connection
    now: datetime  # the task's clock, frozen for the whole episode
    counters: dict[str, int] = field(default_factory=dict)  # id prefix -> last number given
    power_written: bool = False  # a tool touched `device_power`, which the session asks for before every call
    fault: FaultMode | None = None  # how the sub-agent of the running call fails, by the task's fault plan
    known: dict[str, str | None] = field(default_factory=dict)  # settings read or written since the last undone call

    def new_id(self, prefix: str) -> str:
        """The next id of this episode, e.g. "contact_007"; a failed call gives its ids back."""
        number = self.counters.get(prefix, 0) + 1
        self.counters[prefix] = number
        return f"{prefix}_{number:03d}"

    def rows(self, sql: str, *params: Any) -> list[Row]:
        """All result rows; say ORDER BY unless primary-key order is meant."""
        return fetch(self.db, sql, *params)

    def one(self, sql: str, *params: Any) -> Row | None:
        """The first result row, or None."""
        found = fetch(self.db, sql, *params)
        return found[0] if found else None

    def execute(self, sql: str, *params: Any) -> int:
        """Runs a statement; returns how many rows it changed."""
        if "settings" in sql:
            self.known.clear()
        before = self.db.total_changes()
        self.db.execute(sql, params).fetchall()
        return self.db.total_changes() - before

    def insert(self, table: str, **row: Any) -> Row:
        """Inserts one row and returns what was given. Table and column names are the programmer's, never a user's."""
        marks = ", ".join("?" * len(row))
        self.db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))
        return row

    def setting(self, key: str, default: str = "") -> str:
        """A device setting (all are text, switches are "on" and "off")."""
        value = self._stored(key)
        return default if value is None else value

    def set_setting(self, key: str, value: str) -> bool:
        """Stores a device setting; returns False when it already had that value."""
        if self._stored(key) == value:
            return False
        self.power_written = self.power_written or key == "device_power"
        sql = "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self.db.execute(sql, (key, value))
        self.known[key] = value
        return True

    def _stored(self, key: str) -> str | None:
        """Tools ask for the same few settings again and again: a query each only the first time."""
        if key not in self.known:
            self.known[key] = self.db.execute(_SETTING, (key,)).get
        return self.known[key]
