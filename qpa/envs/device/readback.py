"""Evidence without a privileged command: what a phone shows now against what it showed at the start."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qpa.contract import BehaviorCriteria, RowChange, Skill, StateCriteria, TaskSpec, ToolCriteria
from qpa.envs.device import phone_settings
from qpa.envs.device.android import package_of
from qpa.envs.device.bindings import BINDINGS, HOST_TABLES, TABLES
from qpa.envs.device.grammar import VerbError
from qpa.envs.device.mirror import Change, differences
from qpa.envs.device.session import DeviceSession, row_name
from qpa.envs.sandbox.context import Row


def watched(task: TaskSpec, skills: Iterable[Skill]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tables and settings that the task's tools can touch and its criteria ask about: what is read before and after."""
    tables: set[str] = set()
    settings: set[str] = set()
    if isinstance(task.criteria, StateCriteria):
        for change in task.criteria.delta:
            if change.table == "settings":
                settings.add(change.key["key"])
            else:
                tables.add(change.table)
    named = [*task.resources.tools, *(tool for skill in skills for tool in skill.tools)]
    if isinstance(task.criteria, ToolCriteria):
        named += [step.name for step in task.criteria.steps]
    if isinstance(task.criteria, BehaviorCriteria):
        named += [route.name for route in task.criteria.routes]
    for name in named:
        if name in BINDINGS:
            tables |= set(BINDINGS[name].tables)
            settings |= set(BINDINGS[name].settings)
    if tables & {"calls", "messages"}:
        tables.add("contacts")
    kept = settings & phone_settings.SETTABLE
    # People first: calls and messages take their names from them.
    ordered = sorted(tables & TABLES.keys(), key=lambda name: (name != "contacts", name))
    return tuple(ordered), tuple(sorted(kept))


async def seed(session: DeviceSession, patch: Mapping[str, Sequence[Row]]) -> None:
    """Puts the task's rows on the phone, those it has already excepted. Raises `VerbError` where it cannot."""
    for name, given in patch.items():
        table = TABLES[name]
        wanted = {row[table.key]: row for row in session.table_rows(name)}
        shown = [table.content({**wanted[r[table.key]], **r}) for r in given if r[table.key] in wanted]
        there = [table.content(row) for row in await table.read(session.phone)]
        for row, content in zip(given, shown, strict=True):
            if content not in there:
                await session.mirror.push([Change(name, None, wanted[row[table.key]])])
    settings = [row for row in session.task.initial.patch.get("settings", []) if row["key"] in phone_settings.KEYS]
    for row in settings:
        old = await phone_settings.get(session.phone, row["key"])
        if old != row["value"]:
            change = Change("settings", {"key": row["key"], "value": old}, {"key": row["key"], "value": row["value"]})
            await session.mirror.push([change])


async def start(session: DeviceSession) -> None:
    """Takes the phone's own state for the episode's start, in place of the task's made-up world."""
    patched = {
        (name, row[TABLES[name].key])
        for name, rows in session.task.initial.patch.items()
        for row in rows
        if name in TABLES
    }

    def keep(table: str, row: Row) -> bool:
        if table in HOST_TABLES:
            return True
        return table in TABLES and (table, row[TABLES[table].key]) in patched

    session.forget(keep)
    tables, settings = watched(session.task, session.offered_skills())
    session.watch = await _readable(session, tables, settings)
    tables, settings = session.watch
    session.baseline = {name: session.table_rows(name) for name in tables}
    session.baseline["settings"] = [row for row in session.table_rows("settings") if row["key"] in settings]


async def _readable(
    session: DeviceSession, tables: Sequence[str], settings: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Those that this phone can be asked for, each read once; what an old version lacks is in no evidence."""

    async def tells(tables: Sequence[str], settings: Sequence[str]) -> bool:
        try:
            await session.mirror.refresh(tables, settings)
        except VerbError:
            return False
        return True

    told = [name for name in tables if await tells([name], [])]
    return tuple(told), tuple([key for key in settings if await tells([], [key])])


async def changes(session: DeviceSession) -> list[RowChange]:
    """Net changes of what is watched, read from the phone now."""
    tables, settings = session.watch
    await session.mirror.refresh(tables, settings)
    found: list[RowChange] = []
    for name in tables:
        table = TABLES[name]
        found += differences(name, table.key, session.baseline[name], session.table_rows(name))
    now = [row for row in session.table_rows("settings") if row["key"] in settings]
    found += differences("settings", "key", session.baseline["settings"], now)
    return found


def without_visits(session: DeviceSession, changes: Sequence[RowChange]) -> list[RowChange]:
    """Without what the backend's own walking left: an app that it opened to read a list was opened by nobody."""
    visited = session.phone.visited
    if not visited:
        return list(changes)

    def own(change: RowChange) -> bool:
        if row_name(change) in session.by_tool:
            return False
        if change.table == "settings":
            return change.key["key"] == "foreground_app"
        opened = change.table == "apps" and package_of(change.key["name"], session.phone.packages) in visited
        return opened and change.new.keys() <= {"running", "stopped", "last_used"}

    return [change for change in changes if not own(change)]


def merge(device: Sequence[RowChange], host: Sequence[RowChange]) -> list[RowChange]:
    """Both, sorted as the sandbox sorts; of a row that both changed, the phone's word counts."""
    said = {row_name(change) for change in device}
    both = [*device, *(change for change in host if row_name(change) not in said)]
    return sorted(both, key=lambda c: (c.table, [str(v) for v in c.key.values()], c.op))
