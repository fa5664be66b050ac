"""A phone's state beside a sandbox's: rows read in, changes sent out, and both compared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from qpa.contract import RowChange
from qpa.envs.device import phone_settings
from qpa.envs.device.bindings import TABLES, Binding
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.sandbox.context import Row

CONFIRM_LOOKS = 6
CONFIRM_PAUSE_S = 0.5


class Store(Protocol):
    """The companion's database."""

    def table_rows(self, table: str) -> list[Row]: ...

    def replace(self, table: str, key: str, rows: Sequence[Row]) -> None:
        """Makes these the table's rows; columns that a row leaves out keep their value or take the default."""

    def new_id(self, table: str) -> str: ...

    def set(self, key: str, word: str) -> None: ...


@dataclass(frozen=True)
class Change:
    """A whole row before and after; `old` or `new` is None for one that is made or removed."""

    table: str
    old: Row | None
    new: Row | None

    def record(self) -> RowChange:
        """For the journal."""
        op = "insert" if self.old is None else "delete" if self.new is None else "update"
        return RowChange(table=self.table, op=op, old=self.old or {}, new=self.new or {})


@dataclass
class Mirror:
    """Keeps a companion's tables and settings like a phone's.

    Attributes:
      refs: table -> the sandbox's key -> the phone's own id, as last read.
      note: told of every change before it is sent.
    """

    phone: Handset
    store: Store
    note: Callable[[Change], None] = lambda change: None
    refs: dict[str, dict[str, Any]] = field(default_factory=dict)

    async def refresh(self, tables: Iterable[str], settings: Iterable[str]) -> None:
        """Reads the phone into the companion."""
        for key in settings:
            self.store.set(key, await phone_settings.get(self.phone, key))
        for name in tables:
            self._take(TABLES[name], await TABLES[name].read(self.phone))

    def _take(self, table: PhoneTable, found: Sequence[Row]) -> None:
        """Gives each row of the phone its key: a natural one, the one it had, that of a row alike, or a new one."""
        kept = {row[table.key]: row for row in self.store.table_rows(table.name)}
        known = {ref: key for key, ref in self.refs.get(table.name, {}).items() if ref is not None}
        rows: list[Row] = []
        homeless: list[Row] = []
        for row in found:
            key = row.get(table.key) or known.get(row.get("ref"))
            if key is None:
                homeless.append(row)
            else:
                rows.append({**row, table.key: key})
        taken = {row[table.key] for row in rows}
        for row in homeless:
            alike = (key for key, old in kept.items() if key not in taken and _alike(table, old, row))
            key = next(alike, None) or _by_number(table, row, kept, taken) or self.store.new_id(table.name)
            taken.add(key)
            rows.append({**row, table.key: key})
        self.refs[table.name] = {row[table.key]: row.get("ref") for row in rows}
        self.store.replace(table.name, table.key, [{c: v for c, v in row.items() if c != "ref"} for row in rows])

    def plan(self, changes: Sequence[RowChange], binding: Binding) -> list[Change]:
        """The changes to send. Raises `VerbError` (503) when one is nothing that a phone can be made to show."""
        planned = []
        for change in changes:
            if binding.covers(change):
                planned.append(self._whole(change))
            elif not binding.leaves(change):
                what = change.key["key"] if change.table == "settings" else change.table
                raise unavailable(f"No command of a phone changes {str(what).replace('_', ' ')}")
        return sorted(planned, key=_rank)

    def _whole(self, change: RowChange) -> Change:
        if change.op == "insert":
            return Change(change.table, None, dict(change.new))
        if change.op == "delete":
            return Change(change.table, dict(change.old), None)
        column, value = next(iter(change.key.items()))
        new = next(row for row in self.store.table_rows(change.table) if row[column] == value)
        return Change(change.table, {**new, **change.old}, new)

    async def push(self, changes: Sequence[Change]) -> int:
        """Sends the changes in order, those that the phone already shows excepted; returns how many were sent.

        Raises `VerbError` or `EnvFailure` (an `UnknownOutcome` too) at the first that fails; those before it were sent.
        """
        sent = 0
        for change in changes:
            if change.table == "settings":
                key = (change.new or change.old or {})["key"]
                word = (change.new or {}).get("value", "")
                if await phone_settings.get(self.phone, key) == word:
                    continue
                self.note(change)
                await phone_settings.put(self.phone, key, word)
            else:
                await self._send(change)
            sent += 1
        return sent

    async def _send(self, change: Change) -> None:
        table = TABLES[change.table]
        if change.old is None:
            assert change.new is not None
            self.note(change)
            await table.insert(self.phone, change.new)
            return
        ref = self.refs.get(table.name, {}).get(change.old[table.key])
        self.note(change)
        if change.new is None:
            await table.delete(self.phone, ref, change.old)
        else:
            await table.update(self.phone, ref, change.old, change.new)

    async def confirm(self, changes: Sequence[Change], looks: int = CONFIRM_LOOKS) -> list[str]:
        """Reads back until the phone shows all changes; returns what it still does not show after `looks` looks."""
        tables = sorted({change.table for change in changes if change.table != "settings"})
        keys = sorted({(c.new or c.old or {})["key"] for c in changes if c.table == "settings"})
        wrong: list[str] = []
        for look in range(looks):
            await self.refresh(tables, keys)
            shown = {name: self.store.table_rows(name) for name in {*tables, "settings"}}
            wrong = [_name(change) for change in changes if not _is_shown(change, shown[change.table])]
            if not wrong or look + 1 == looks:
                break
            await asyncio.sleep(CONFIRM_PAUSE_S)
        return wrong


def _alike(table: PhoneTable, old: Row, row: Row) -> bool:
    named = table.key == "id" or old[table.key] == row[table.key]
    return named and table.content(old) == table.content({**old, **row})


def _by_number(table: PhoneTable, row: Row, kept: dict[str, Row], taken: set[str]) -> str | None:
    """The key that has the phone's number in it, as in contact_007: that of a row changed by another hand."""
    ref = row.get("ref")
    if not isinstance(ref, int):
        return None
    wanted = (key for key in kept if key not in taken and key.rpartition("_")[2] == f"{ref:03d}")
    return next(wanted, None)


def _is_shown(change: Change, rows: Sequence[Row]) -> bool:
    if change.table == "settings":
        wanted = change.new or {}
        return any(row["key"] == wanted.get("key") and row["value"] == wanted.get("value") for row in rows)
    table = TABLES[change.table]
    if change.new is None:
        assert change.old is not None
        return all(row[table.key] != change.old[table.key] for row in rows)
    content = table.content(change.new)
    if change.old is None:
        return any(table.content(row) == content for row in rows)
    return any(row[table.key] == change.new[table.key] and table.content(row) == content for row in rows)


def _rank(change: Change) -> int:
    """A number must be known before it is dialled; all else keeps its order."""
    return 0 if (change.new or {}).get("key") == "call_forwarding_number" else 1


def _name(change: Change) -> str:
    row = change.new or change.old or {}
    if change.table == "settings":
        return str(row.get("key", "")).replace("_", " ")
    return change.table.replace("_", " ")


async def undo(phone: Handset, changes: Sequence[RowChange]) -> list[str]:
    """Takes back a journal's changes, last first; returns those that a phone cannot take back, and why.

    Raises `EnvFailure` when the phone is gone; the same changes may then be taken back again.
    """
    left = []
    for record in reversed(changes):
        old, new = record.old or None, record.new or None
        try:
            if record.table in ("messages", "calls"):
                raise unavailable("sent is sent")
            if record.table == "settings":
                await _undo_setting(phone, old, new)
            else:
                await _undo_row(phone, TABLES[record.table], old, new)
        except VerbError as error:
            left.append(f"{_name(Change(record.table, old, new))}: {error.message}")
    return left


async def _undo_setting(phone: Handset, old: Row | None, new: Row | None) -> None:
    if old is not None and await phone_settings.get(phone, old["key"]) != old["value"]:
        await phone_settings.put(phone, old["key"], old["value"])


async def _undo_row(phone: Handset, table: PhoneTable, old: Row | None, new: Row | None) -> None:
    shown = await table.read(phone)
    as_new = [row for row in shown if new is not None and _alike(table, new, row)]
    as_old = [row for row in shown if old is not None and _alike(table, old, row)]
    if new is not None and as_new:
        if old is None:
            await table.delete(phone, as_new[-1].get("ref"), new)
        else:
            await table.update(phone, as_new[-1].get("ref"), new, old)
    elif new is None and old is not None and not as_old:
        await table.insert(phone, old)


def differences(table: str, key: str, before: Sequence[Row], after: Sequence[Row]) -> list[RowChange]:
    """Net changes between two readings, as the sandbox records them."""
    old, new = ({row[key]: row for row in rows} for rows in (before, after))
    found = []
    for name in sorted({*old, *new}, key=str):
        if name not in old:
            found.append(RowChange(table=table, op="insert", key={key: name}, new=new[name]))
        elif name not in new:
            found.append(RowChange(table=table, op="delete", key={key: name}, old=old[name]))
        else:
            changed = [column for column in new[name] if new[name][column] != old[name].get(column)]
            if changed:
                was = {column: old[name].get(column) for column in changed}
                now = {column: new[name][column] for column in changed}
                found.append(RowChange(table=table, op="update", key={key: name}, old=was, new=now))
    return found
