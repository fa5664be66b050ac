"""Display & Sound: do-not-disturb, its exceptions and its schedules."""

from __future__ import annotations

import pytest
from display_phone import changed, said, start


def test_do_not_disturb_until():
    phone = start()
    made = phone.data("manage_do_not_disturb", action="enable", until="in 2 hours")
    assert made == {"enabled": True, "until": "2025-01-15T11:00:00"}
    assert changed(phone) == {"dnd": "on", "dnd_until": "2025-01-15T11:00:00"}
    assert said(phone, "manage_do_not_disturb", action="enable") == "Do-not-disturb already on"
    assert phone.data("manage_do_not_disturb", action="query")["until"] == "2025-01-15T11:00:00"
    phone.data("manage_do_not_disturb", action="enable", until="noon")
    assert changed(phone)["dnd_until"] == "2025-01-15T12:00:00"
    phone.data("manage_do_not_disturb", action="disable")
    assert changed(phone) == {}


def test_do_not_disturb_switched_on_afresh_forgets_an_old_end():
    phone = start(dnd_until="2025-01-14T12:00:00")
    assert phone.data("manage_do_not_disturb", action="enable") == {"enabled": True, "until": ""}


def test_exceptions():
    phone = start()
    phone.data("manage_dnd_exceptions", action="allow", source="starred_contacts")
    assert said(phone, "manage_dnd_exceptions", action="block", source="alarms") == "alarms already blocked"
    assert changed(phone) == {"dnd_allow_starred_contacts": "on"}
    assert "starred_contacts" in phone.data("manage_dnd_exceptions", action="query")["allowed"]


def test_single_people_get_through():
    phone = start()
    before = phone.data("manage_dnd_exceptions", action="query")
    assert phone.code("manage_dnd_exceptions", action="allow", contact="Zoe") == 409
    assert said(phone, "manage_dnd_exceptions", action="allow", contact="zoe quill") == "Zoe Quill allowed"
    assert [(c.op, c.table, c.key) for c in phone.changes()] == [
        ("insert", "dnd_contacts", {"contact_id": "contact_101"})
    ]
    assert said(phone, "manage_dnd_exceptions", action="allow", contact="Zoe Quill") == "Zoe Quill already allowed"
    after = phone.data("manage_dnd_exceptions", action="query")
    assert after["contacts"] == [*before["contacts"], "Zoe Quill"]
    phone.data("manage_dnd_exceptions", action="block", contact="Zoe Quill")
    assert said(phone, "manage_dnd_exceptions", action="block", contact="Zoe Quill") == "Zoe Quill already blocked"
    assert phone.changes() == []


def test_quiet_schedules():
    phone = start()
    made = phone.data("manage_dnd_schedule", action="create", name="Siesta", startTime="1 pm", endTime="14:30")
    assert made == {"name": "Siesta", "start_time": "13:00", "end_time": "14:30", "repeat": "daily"}
    assert phone.changes()[0].new["enabled"] == 1
    assert phone.code("manage_dnd_schedule", action="create", name="siesta", startTime="1 pm", endTime="2 pm") == 409
    phone.data("manage_dnd_schedule", action="update", name="siesta", endTime="3 pm", repeat="weekends")
    again = said(phone, "manage_dnd_schedule", action="update", name="Siesta", endTime="15:00")
    assert again == "Schedule already so"
    assert said(phone, "manage_dnd_schedule", action="enable", name="Siesta") == "Schedule already enabled"
    phone.data("manage_dnd_schedule", action="disable", name="Siesta")
    assert phone.data("manage_dnd_schedule", action="query", name="Siesta")["items"] == [
        {"name": "Siesta", "start_time": "13:00", "end_time": "15:00", "repeat": "weekends", "enabled": False}
    ]
    assert phone.data("manage_dnd_schedule", action="query")["total"] == 4
    phone.data("manage_dnd_schedule", action="delete", name="Siesta")
    assert phone.changes() == []


@pytest.mark.parametrize(
    "clock, shown",
    [
        ("2025-01-15T20:00:00", "Choir night"),  # Wednesday
        ("2025-01-15T21:00:00", ""),
        ("2025-01-18T20:00:00", ""),  # Saturday
        ("2025-01-18T03:00:00", "Late shift"),  # began on Friday
        ("2025-01-20T03:00:00", ""),  # would have begun on Sunday
        ("2025-01-17T23:00:00", "Late shift"),
    ],
)
def test_a_schedule_in_force_shows_but_is_no_switch(clock, shown):
    phone = start(clock=clock)
    phone.data(
        "manage_dnd_schedule", action="create", name="Late shift", startTime="22:00", endTime="5:00", repeat="weekdays"
    )
    assert phone.data("manage_do_not_disturb", action="query") == {"enabled": False, "schedule": shown}
