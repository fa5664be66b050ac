"""Alarms and timers: made by intents, listed and changed on the Clock app's screen.

No provider lists alarms and `dumpsys alarm` knows only when the next ones ring: labels, switches and the alarms that
are off stand on the screen alone. Only the Clock of AOSP and Google is known, in English.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from qpa.contract import ErrorType
from qpa.envs.device import parsers
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.device.tree import Node
from qpa.envs.sandbox.context import Row

SCREENS = 12  # of one list, top to bottom
DAYS: dict[str, tuple[int, ...]] = {"once": (), "daily": tuple(range(1, 8)), "weekdays": (2, 3, 4, 5, 6)}
DAYS["weekends"] = (1, 7)
_REPEATS = {"every day": "daily", "mon, tue, wed, thu, fri": "weekdays", "weekdays": "weekdays", "weekends": "weekends"}
_REPEATS |= {"sat, sun": "weekends", "sun, sat": "weekends"}
_TIME = re.compile(r"(\d{1,2}):(\d\d)\s*([AaPp])?\.?[Mm]?\.?")
_LEFT = re.compile(r"(?:(\d+):)?(\d+):(\d\d)")


def next_ring(now: datetime, hour: int, minute: int, repeat: str) -> datetime:
    """When an alarm that has no date rings first, as Android's Clock works it out."""
    moment = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    while moment <= now or (DAYS[repeat] and moment.isoweekday() % 7 + 1 not in DAYS[repeat]):
        moment += timedelta(days=1)
    return moment


def read_time(text: str) -> str:
    """ "HH:MM" of a clock's face, 12 or 24 hours. Raises `ParseError`."""
    found = _TIME.fullmatch(text.replace("\u202f", " ").strip())
    if not found:
        raise parsers.ParseError(f"no time of day: {text[:40]!r}")
    hour, half = int(found[1]), (found[3] or "").casefold()
    if half:
        hour = hour % 12 + (12 if half == "p" else 0)
    return f"{hour:02d}:{found[2]}"


def rows_of(root: Node, mark: str) -> list[Node]:
    """The rows of a list: the smallest views with one node of this id below them."""

    def is_row(node: Node) -> bool:
        one = node.resource != mark and _marks(node, mark) == 1
        return one and not any(child.resource != mark and _marks(child, mark) == 1 for child in node.children)

    return [node for node in root.walk() if is_row(node)]


def part_of(root: Node, row: Node, mark: str, resource: str) -> Node | None:
    """A node of a row; an opened row may have its buttons in a view of their own, before the next row begins."""
    nodes = list(root.walk())
    rows = {id(node) for node in rows_of(root, mark)}
    start = next(index for index, node in enumerate(nodes) if node is row)
    ahead = [index for index, node in enumerate(nodes) if index > start and id(node) in rows]
    inside = nodes[start : ahead[0] if ahead else len(nodes)]
    return next((node for node in inside if node.resource == resource and node.seen), None)


async def _pages(phone: Handset, opener: str) -> AsyncIterator[Node]:
    """Opens a list and scrolls it to its end, a tree for each screen."""
    await phone.hand.run(opener)
    seen: set[str] = set()
    for _ in range(SCREENS):
        root = await phone.screen.look()
        reading = {f"{node.resource}={node.label}={node.checked}" for node in root.walk() if node.resource}
        yield root
        if reading <= seen or root.find(lambda node: node.scrollable) is None:
            return
        seen |= reading
        await phone.screen.scroll_down()


async def _listed(phone: Handset, opener: str, mark: str) -> list[Node]:
    """All rows of a list. Two screens overlap, so a row that reads like one of the screen before counts once."""
    found: list[Node] = []
    before: set[tuple[str, ...]] = set()
    async for root in _pages(phone, opener):
        rows = rows_of(root, mark)
        found += [row for row in rows if _reading(row) not in before]
        before |= {_reading(row) for row in rows}
    return found


def _marks(node: Node, mark: str) -> int:
    return sum(below.resource == mark for below in node.walk())


def _reading(row: Node) -> tuple[str, ...]:
    return tuple(f"{node.resource}={node.label}={node.checked}" for node in row.walk() if node.resource)


def _part(row: Node, resource: str) -> Node:
    node = row.by_id(resource)
    if node is None:
        raise unavailable(f"The Clock's list has no {resource}")
    return node


async def _row_of(phone: Handset, opener: str, mark: str, wanted: Callable[[Node], bool], what: str) -> Node:
    """The row on the screen, scrolled to. Raises `VerbError` (404) when the list does not have it."""
    async for root in _pages(phone, opener):
        match = [row for row in rows_of(root, mark) if wanted(row)]
        if match:
            return match[-1]
    raise VerbError(ErrorType.NOT_FOUND, f"Not in the Clock's list: {what}")


def _alarm(row: Node) -> Row:
    """The sandbox's columns of an alarm's row; `time` is the time of day alone."""
    day = row.text_of("days_of_week").strip().casefold()
    return {
        "time": read_time(row.text_of("digital_clock")),
        "title": row.text_of("label"),
        "repeat": _REPEATS.get(day, "once"),
        "enabled": int(_part(row, "onoff").checked),
    }


class Alarms(PhoneTable):
    """Alarms of the Clock app."""

    name, key = "alarms", "id"
    columns = ("time", "title", "repeat", "enabled")

    def content(self, row: Row) -> tuple[Any, ...]:
        """The list shows a time of day and no date."""
        return row["time"][-8:-3] if "T" in row["time"] else row["time"], row["title"], row["repeat"], row["enabled"]

    async def read(self, phone: Handset) -> list[Row]:
        rows = [_alarm(row) for row in await _listed(phone, "show_alarms", "digital_clock")]
        kept = phone.rows("alarms")
        taken: set[str] = set()
        for row in rows:
            # The list has no date: the one that is known, if the alarm is; else the next such time of day.
            same = next((old for old in kept if old["id"] not in taken and _same(old, row)), None)
            if same is not None:
                taken.add(same["id"])
                row["time"] = same["time"]
            else:
                hour, minute = (int(part) for part in row["time"].split(":"))
                row["time"] = next_ring(phone.now, hour, minute, row["repeat"]).isoformat()
            row["ref"] = None
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        moment = datetime.fromisoformat(row["time"])
        self._need_next(phone, moment, row["repeat"])
        days = list(DAYS[row["repeat"]])
        await phone.hand.run("set_alarm", hour=moment.hour, minute=moment.minute, label=row["title"], days=days)
        rings = parsers.alarm_clocks(await phone.hand.ask("get_alarm_clocks"))
        if not rings or min(rings) > row["time"]:
            raise unavailable("The phone did not set the alarm")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        if new["repeat"] != old["repeat"]:
            raise unavailable("The days of an alarm cannot be changed here; delete it and make another")
        if new["time"] != old["time"]:
            await self._set_time(phone, old, datetime.fromisoformat(new["time"]))
            old = old | {"time": new["time"]}
        if new["title"] != old["title"]:
            await phone.screen.tap(await self._button(phone, old, "edit_label"))
            field = await phone.screen.wait(lambda root: root.find(lambda n: n.kind == "EditText"), "the label's field")
            await phone.screen.fill(field, new["title"])
            await phone.screen.tap(await phone.screen.wait(lambda root: root.by_text("OK"), "OK"))
        if new["enabled"] != old["enabled"]:
            await phone.screen.tap(_part(await self._find(phone, old), "onoff"))

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.screen.tap(await self._button(phone, old, "delete"))

    def _need_next(self, phone: Handset, moment: datetime, repeat: str) -> None:
        if next_ring(phone.now, moment.hour, moment.minute, repeat) != moment:
            raise unavailable("An alarm of a phone has no date: it rings the next time it is that late")

    async def _find(self, phone: Handset, old: Row) -> Node:
        def wanted(row: Node) -> bool:
            return _same(old, _alarm(row))

        return await _row_of(phone, "show_alarms", "digital_clock", wanted, f"{old['time']} {old['title']}")

    async def _button(self, phone: Handset, old: Row, resource: str) -> Node:
        """A button that the alarm's row has when it is opened; opens it."""
        row = await self._find(phone, old)

        def shown(root: Node) -> Node | None:
            rows = [row for row in rows_of(root, "digital_clock") if _same(old, _alarm(row))]
            found = (part_of(root, row, "digital_clock", resource) for row in reversed(rows))
            return next((node for node in found if node is not None), None)

        found = shown(await phone.screen.look())
        if found is None:
            await phone.screen.tap(_part(row, "arrow"))
            found = await phone.screen.wait(shown, f"the alarm's {resource}")
        return found

    async def _set_time(self, phone: Handset, old: Row, moment: datetime) -> None:
        self._need_next(phone, moment, old["repeat"])
        screen = phone.screen
        await screen.tap(_part(await self._find(phone, old), "digital_clock"))
        ok = await screen.wait(lambda root: root.by_id("material_timepicker_ok_button"), "the time picker")
        if (await screen.look()).by_id("material_hour_text_input") is None:
            mode = await screen.wait(lambda root: root.by_id("material_timepicker_mode_button"), "typing a time")
            await screen.tap(mode)
        half = (await screen.look()).by_id(f"material_clock_period_{'am' if moment.hour < 12 else 'pm'}_button")
        hour = moment.hour if half is None else (moment.hour % 12 or 12)
        for resource, number in (("material_hour_text_input", hour), ("material_minute_text_input", moment.minute)):
            field = await screen.wait(partial(_edit, resource), "the time picker's field")
            await screen.tap(field)
            await screen.press("move_end")
            await screen.press("delete", 2)
            await screen.type(f"{number:02d}")
        if half is not None:
            await screen.tap(half)
        await screen.tap(ok)


def _edit(resource: str, root: Node) -> Node | None:
    """The text field with this id, or inside the view with it."""
    node = root.by_id(resource)
    return node and (node.find(lambda below: below.kind == "EditText") or node)


def _same(old: Row, row: Row) -> bool:
    return (old["time"][11:16], old["title"], old["repeat"], old["enabled"]) == (
        row["time"][-5:],
        row["title"],
        row["repeat"],
        row["enabled"],
    )


def read_left(text: str) -> int:
    """Seconds that a timer shows: "25:00" or "2:38:00". Raises `ParseError`."""
    found = _LEFT.search(text.replace("\u200e", ""))
    if not found:
        raise parsers.ParseError(f"no time left: {text[:40]!r}")
    return int(found[1] or 0) * 3600 + int(found[2]) * 60 + int(found[3])


class Timers(PhoneTable):
    """Timers of the Clock app. A running one is known by its label: what is left of it changes while one looks."""

    name, key = "countdowns", "id"
    columns = ("label", "minutes", "status")

    async def read(self, phone: Handset) -> list[Row]:
        rows = []
        kept = list(phone.rows("countdowns"))
        for row in await _listed(phone, "show_timers", "timer_time_text"):
            running = "pause" in _part(row, "play_pause").label.casefold()
            left = read_left(row.text_of("timer_time_text"))
            label, minutes = row.text_of("timer_label"), -(-left // 60)
            status = "running" if running else "paused"
            same = next((old for old in kept if old["label"] == label and old["minutes"] >= minutes), None)
            if same is not None:
                kept.remove(same)
                minutes = same["minutes"]
            ends = ""
            if running:
                ends = same["ends_at"] if same and same["ends_at"] else _later(phone.now, left)
            rows.append({"ref": None, "label": label, "minutes": minutes, "status": status, "ends_at": ends})
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        await phone.hand.run("set_timer", seconds=row["minutes"] * 60, label=row["label"])

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        await phone.screen.tap(_part(await self._find(phone, old), "play_pause"))

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.screen.tap(_part(await self._find(phone, old), "close"))

    async def _find(self, phone: Handset, old: Row) -> Node:
        def wanted(row: Node) -> bool:
            return row.text_of("timer_label") == old["label"]

        return await _row_of(phone, "show_timers", "timer_time_text", wanted, f"timer {old['label']}")


def _later(now: datetime, seconds: int) -> str:
    return (now + timedelta(seconds=seconds)).isoformat()
