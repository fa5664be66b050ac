"""What a domain declares, and the tables that belong to no single domain.

Every table is `STRICT, WITHOUT ROWID` with an explicit PRIMARY KEY: rows then have one order (the key's), so that a
replay or a fork reads them exactly as the first run did, and changesets can name them.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import apsw

from qpa.envs.sandbox.context import Row, fetch
from qpa.envs.sandbox.tool import Tool

WORLD_CLOCK = datetime(2025, 1, 15, 9, 0)  # a Wednesday; seeded rows are dated around it

CORE_SCHEMA = """
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE files (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL DEFAULT 'document', size_kb INTEGER NOT NULL DEFAULT 0,
  modified_at TEXT NOT NULL DEFAULT '', copy_of TEXT NOT NULL DEFAULT '', storage TEXT NOT NULL DEFAULT 'phone',
  contents TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;
CREATE TABLE apps (
  name TEXT PRIMARY KEY, category TEXT NOT NULL DEFAULT '', supports_gui INTEGER NOT NULL DEFAULT 1,
  kind TEXT NOT NULL DEFAULT 'user', version TEXT NOT NULL DEFAULT '1.0', roles TEXT NOT NULL DEFAULT '',
  size_mb INTEGER NOT NULL DEFAULT 50, data_mb INTEGER NOT NULL DEFAULT 0, cache_mb INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0, stopped INTEGER NOT NULL DEFAULT 0, last_used TEXT NOT NULL DEFAULT '',
  locked INTEGER NOT NULL DEFAULT 0, enabled INTEGER NOT NULL DEFAULT 1, hidden INTEGER NOT NULL DEFAULT 0,
  cloned INTEGER NOT NULL DEFAULT 0, autostart INTEGER NOT NULL DEFAULT 0,
  battery TEXT NOT NULL DEFAULT 'optimized', notifications TEXT NOT NULL DEFAULT 'default'
) STRICT, WITHOUT ROWID;
"""


@dataclass
class World:
    """The rows an episode starts from. Same seed, same rows."""

    seed: int
    rows: dict[str, list[Row]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)

    def new_id(self, prefix: str) -> str:
        """The next seeded id, e.g. "contact_001"; an episode's own ids continue from here."""
        self.counters[prefix] = self.counters.get(prefix, 0) + 1
        return f"{prefix}_{self.counters[prefix]:03d}"

    def add(self, table: str, **row: Any) -> Row:
        """Appends a row; omitted columns take the table's defaults."""
        self.rows.setdefault(table, []).append(row)
        return row


@dataclass(frozen=True)
class Domain:
    """One application domain. `seed_rows` may read what earlier domains (in `DOMAINS` order) have added."""

    name: str
    schema: str  # CREATE TABLE statements
    tools: tuple[Tool, ...]
    seed_rows: Callable[[random.Random, World], None]


@dataclass(frozen=True)
class Table:
    """Columns and primary-key columns of a table, in declaration order."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]


def read_tables(db: apsw.Connection) -> dict[str, Table]:
    """The tables of a database by name."""
    tables: dict[str, Table] = {}
    for row in fetch(db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"):
        name = row["name"]
        info = fetch(db, f'PRAGMA table_info("{name}")')
        key = sorted((c["pk"], c["name"]) for c in info if c["pk"])
        tables[name] = Table(name, tuple(c["name"] for c in info), tuple(c for _, c in key))
    return tables


def upsert_all(db: apsw.Connection, table: Table, rows: Sequence[Row]) -> None:
    """`upsert` of each row in turn; neighbours with every column go in one statement. Raises as `upsert`."""
    columns = set(table.columns)
    for complete, group in itertools.groupby(rows, lambda row: row.keys() == columns):
        if complete:
            db.executemany(_complete_sql(table), [tuple(row[c] for c in table.columns) for row in group])
        else:
            for row in group:
                upsert(db, table, row)


@functools.cache
def _complete_sql(table: Table) -> str:
    values = [c for c in table.columns if c not in table.key]
    change = f"UPDATE SET {', '.join(f'{c} = excluded.{c}' for c in values)}" if values else "NOTHING"
    marks = ", ".join("?" * len(table.columns))
    return (
        f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({marks}) "
        f"ON CONFLICT ({', '.join(table.key)}) DO {change}"
    )


@functools.cache
def _upsert_sql(table: str, keys: tuple[str, ...], columns: tuple[str, ...]) -> tuple[str, str]:
    values = [c for c in columns if c not in keys] or list(keys)
    update = (
        f"UPDATE {table} SET {', '.join(f'{c} = ?' for c in values)} WHERE {' AND '.join(f'{k} = ?' for k in keys)}"
    )
    insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
    return update, insert


def upsert(db: apsw.Connection, table: Table, row: Row) -> None:
    """Updates the given columns of the row with this key, or inserts it.

    Raises ValueError for an unknown column or a missing key column, `apsw.Error` for a broken constraint.
    """
    unknown = [c for c in row if c not in table.columns]
    if unknown:
        raise ValueError(f"table {table.name!r} has no column {unknown[0]!r} (columns: {', '.join(table.columns)})")
    absent = [k for k in table.key if k not in row]
    if absent:
        raise ValueError(f"table {table.name!r}: row without its key column {absent[0]!r}")
    update, insert = _upsert_sql(table.name, table.key, tuple(row))
    values = [c for c in row if c not in table.key] or list(table.key)
    db.execute(update, [row[c] for c in values] + [row[k] for k in table.key])
    if not db.changes():
        db.execute(insert, tuple(row.values()))
