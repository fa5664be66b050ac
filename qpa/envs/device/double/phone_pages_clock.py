"""The clock app of the double: alarms with their editors, and timers, by the resource ids of Google's Clock."""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from qpa.envs.device.double.phone_base import whole
from qpa.envs.device.double.phone_profile import app_of
from qpa.envs.device.double.phone_widgets import (
    BUTTON,
    GROUP,
    IMAGE,
    SWITCH,
    TEXT,
    Item,
    Node,
    Page,
    Screen,
    button,
    entry,
    text,
)
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone_ui import Ui

CLOCK = app_of("Clock")
REPEATS = {"daily": "Every day", "weekdays": "Mon, Tue, Wed, Thu, Fri", "weekends": "Sat, Sun"}


def clock_text(ui: Ui, moment: datetime) -> str:
    """A time of day as the phone is set: 15:35, or 3:35 PM."""
    if ui.phone.setting("time_format", "24h") == "24h":
        return f"{moment:%H:%M}"
    return f"{moment.hour % 12 or 12}:{moment:%M} {'AM' if moment.hour < 12 else 'PM'}"


def _moment(text_: str, now: datetime) -> datetime:
    try:
        return datetime.fromisoformat(text_).replace(tzinfo=None)
    except ValueError:
        return now


def _days(ui: Ui, alarm: Row, moment: datetime) -> str:
    if alarm["repeat"] in REPEATS:
        return REPEATS[alarm["repeat"]]
    days = (moment.date() - ui.phone.now.date()).days
    return {0: "Today", 1: "Tomorrow"}.get(days, f"{moment:%a, %b} {moment.day}")


def _tabs(ui: Ui) -> list[Node]:
    def tab(label: str, kind: str, left: int) -> Node:
        return Node(
            BUTTON, label, f"tab_{kind}", box=(left, 30, left + 200, 140), on=lambda: ui.start(Page(kind, "Clock"))
        )

    return [tab("Alarm", "alarms", 640), tab("Timer", "timers", 850)]


def _alarms(ui: Ui, page: Page) -> Screen:
    found = ui.phone.rows("SELECT * FROM alarms ORDER BY time, id")
    items = [item for alarm in found for item in _alarm(ui, page, alarm)]
    items.append(button("Add alarm", lambda: ui.open(Page("alarm_time", "")), "fab", "Add alarm"))
    return Screen(CLOCK.package, CLOCK.activity, "Alarm", items, _tabs(ui))


def _alarm(ui: Ui, page: Page, alarm: Row) -> list[Item]:
    """The row of an alarm, and when it is expanded a second one with its label and `Delete`."""
    row_id, moment = alarm["id"], _moment(alarm["time"], ui.phone.now)
    expanded = row_id in page.marks

    def toggle() -> None:
        ui.do("manage_alarm", action="disable" if alarm["enabled"] else "enable", alarmId=row_id)

    def expand() -> None:
        page.marks.symmetric_difference_update({row_id})

    def retime() -> None:
        ui.open(Page("alarm_time", row_id, {"hour": f"{moment:%H}", "minute": f"{moment:%M}"}))

    children = [Node(TEXT, clock_text(ui, moment), "digital_clock", box=(48, 20, 420, 130), on=retime)]
    if alarm["title"]:
        children.append(Node(TEXT, alarm["title"], "label", box=(430, 20, 850, 80)))
    children += [
        Node(TEXT, _days(ui, alarm, moment), "days_of_week", box=(430, 90, 850, 150)),
        Node(SWITCH, "", "onoff", box=(870, 20, 1040, 110), on=toggle, checkable=True, checked=bool(alarm["enabled"])),
        Node(IMAGE, "", "arrow", f"{'Collapse' if expanded else 'Expand'} alarm", (940, 120, 1040, 190), on=expand),
    ]
    whole_row = Item(Node(GROUP, rid="alarm_card", box=(0, 0, 1080, 200), children=children), 200)
    return [whole_row, _expanded(ui, alarm)] if expanded else [whole_row]


def _expanded(ui: Ui, alarm: Row) -> Item:
    def rename() -> None:
        ui.open(Page("alarm_label", alarm["id"], {"label": alarm["title"]}, focus="label"))

    def delete() -> None:
        ui.do("manage_alarm", action="delete", alarmId=alarm["id"])

    children = [
        Node(TEXT, alarm["title"] or "Add label", "edit_label", "Label", (48, 10, 500, 110), on=rename),
        Node(BUTTON, "Delete", "delete", "Delete", (560, 10, 900, 110), on=delete),
    ]
    return Item(Node(GROUP, rid="alarm_expanded", box=(0, 0, 1080, 130), children=children), 130)


def _alarm_time(ui: Ui, page: Page) -> Screen:
    """The time picker: two fields, AM and PM where the phone has 12 hours, OK. Without an alarm it makes a new one."""
    twelve = ui.phone.setting("time_format", "24h") == "12h"
    if twelve and "half" not in page.fields:
        hour = whole(page.fields.get("hour", "0"), 0) or 0
        page.fields["half"] = "pm" if hour >= 12 else "am"
        page.fields["hour"] = str(hour % 12 or 12)

    def ok() -> None:
        hour, minute = whole(page.fields.get("hour", "")), whole(page.fields.get("minute", "0"))
        if hour is not None and twelve and 1 <= hour <= 12:
            hour = hour % 12 + (12 if page.fields["half"] == "pm" else 0)
        if hour is None or minute is None or not (0 <= hour < 24 and 0 <= minute < 60):
            ui.open(Page("notice", "Invalid time"))
            return
        ui.close()
        chosen = {"alarmId": page.about, "action": "update"} if page.about else {"action": "create"}
        ui.do("manage_alarm", time=f"{hour:02d}:{minute:02d}", **chosen)

    items = [
        entry(page.fields.get("hour", ""), "hour", "", "material_hour_text_input"),
        entry(page.fields.get("minute", ""), "minute", "", "material_minute_text_input"),
    ]
    for half in ("am", "pm") if twelve else ():
        pick = button(
            half.upper(), functools.partial(page.fields.update, half=half), f"material_clock_period_{half}_button"
        )
        pick.node.selected = page.fields["half"] == half
        items.append(pick)
    items += [
        button("Cancel", ui.close, "material_timepicker_cancel_button"),
        button("OK", ok, "material_timepicker_ok_button"),
    ]
    return Screen(CLOCK.package, CLOCK.activity, "Select time", items)


def _alarm_label(ui: Ui, page: Page) -> Screen:
    def ok() -> None:
        label = page.fields.get("label", "").strip()
        ui.close()
        if label:
            ui.do("manage_alarm", action="update", alarmId=page.about, title=label)
        else:  # the tool cannot take a title away
            ui.phone.write_row("UPDATE alarms SET title = '' WHERE id = ? AND title <> ''", page.about)

    items = [
        entry(page.fields.get("label", ""), "label", "Label", "label_input"),
        button("Cancel", ui.close, "android:id/button2"),
        button("OK", ok, "android:id/button1"),
    ]
    return Screen(CLOCK.package, CLOCK.activity, "Label", items)


def _timers(ui: Ui, page: Page) -> Screen:
    items = [_timer(ui, timer) for timer in ui.phone.rows("SELECT * FROM countdowns ORDER BY id")]
    return Screen(CLOCK.package, CLOCK.activity, "Timer", items or [text("No timers")], _tabs(ui))


def _timer(ui: Ui, timer: Row) -> Item:
    """Play and close go by the sandbox's tool where its label names one timer, else by the row."""
    running = timer["status"] == "running"
    left = timedelta(minutes=timer["minutes"])
    hours, minutes = divmod(int(left.total_seconds()) // 60, 60)
    shown = f"{hours}:{minutes:02d}:00" if hours else f"{minutes}:00"
    twins = ui.phone.rows("SELECT id FROM countdowns WHERE lower(label) = lower(?)", timer["label"])
    alone = (timer["label"] and len(twins) == 1) or len(ui.phone.rows("SELECT id FROM countdowns")) == 1

    def act(action: str) -> Callable[[], None]:
        def run() -> None:
            if alone:
                named = {"label": timer["label"]} if timer["label"] else {}
                ui.do("manage_countdown", action=action, **named)
            else:
                _act_on_row(ui, timer, action)

        return run

    children = [
        Node(TEXT, timer["label"], "timer_label", box=(48, 16, 600, 80)),
        Node(TEXT, shown, "timer_time_text", box=(48, 90, 600, 190)),
        Node(
            BUTTON,
            "",
            "play_pause",
            "Pause" if running else "Start",
            (640, 40, 820, 180),
            on=act("pause" if running else "resume"),
        ),
        Node(BUTTON, "", "close", "Delete timer", (860, 40, 1040, 180), on=act("cancel")),
    ]
    return Item(Node(GROUP, rid="timer_card", box=(0, 0, 1080, 210), children=children), 210)


def _act_on_row(ui: Ui, timer: Row, action: str) -> None:
    if action == "cancel":
        ui.phone.write_row("DELETE FROM countdowns WHERE id = ?", timer["id"])
        return
    ends = (ui.phone.now + timedelta(minutes=timer["minutes"])).isoformat() if action == "resume" else ""
    sql = "UPDATE countdowns SET status = ?, ends_at = ? WHERE id = ?"
    ui.phone.write_row(sql, "running" if action == "resume" else "paused", ends, timer["id"])


PAGES: dict[str, Callable[[Ui, Page], Screen]] = {
    "alarm_label": _alarm_label,
    "alarm_time": _alarm_time,
    "alarms": _alarms,
    "timers": _timers,
}
