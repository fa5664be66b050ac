"""Time Management behaves as a clock application's user expects. The clock is Wednesday, 2025-01-15 09:00."""

from __future__ import annotations

from typing import Any

import pytest

ALARMS = [
    {"id": "alarm_101", "time": "2025-01-16T05:05:00", "title": "Swim", "repeat": "once"},
    {"id": "alarm_102", "time": "2025-01-17T05:05:00", "title": "Bake", "repeat": "once", "enabled": 0},
    {"id": "alarm_103", "time": "2025-01-18T05:10:00", "title": "swim", "repeat": "once"},
]


@pytest.fixture
def clock(new_phone: Any) -> Any:
    return new_phone(patch={"alarms": ALARMS})


def test_alarm_create_normalises_time_and_repeat(phone: Any) -> None:
    assert phone.data("manage_alarm", action="create", time="18:30")["time"] == "2025-01-15T18:30:00"
    made = phone.data("manage_alarm", action="create", time="Friday 8 pm", title="Out", repeat="weekends")
    assert (made["time"], made["repeat"]) == ("2025-01-18T20:00:00", "weekends")
    weekday = phone.data("manage_alarm", action="create", time="Saturday 6 am", repeat="weekdays")
    assert weekday["time"] == "2025-01-20T06:00:00"
    assert phone.code("manage_alarm", action="create", time="today 08:59") == 400
    assert phone.code("manage_alarm", action="create", time="tomorrow") == 400
    assert phone.code("manage_alarm", action="create", title="No time") == 400


def test_alarm_duplicates_and_ambiguity(clock: Any) -> None:
    assert clock.code("manage_alarm", action="create", time="tomorrow 05:05", title="SWIM") == 409
    clock.data("manage_alarm", action="create", time="tomorrow 05:05", title="Other")
    feedback = clock.use("manage_alarm", action="delete", title="Swim")
    assert feedback.code == 409 and "alarm_101, alarm_103" in feedback.payload["error"]
    assert clock.code("manage_alarm", action="delete", title="Nope") == 404
    assert clock.code("manage_alarm", action="delete", alarmId="alarm_999") == 404
    assert clock.code("manage_alarm", action="delete") == 400
    assert clock.data("manage_alarm", action="delete", title="Swim", time="5:10 am")["id"] == "alarm_103"
    assert clock.data("manage_alarm", action="delete", time="Friday 05:05")["id"] == "alarm_102"


def test_alarm_update_and_switch(clock: Any) -> None:
    moved = clock.data("manage_alarm", action="update", title="Bake", time="Friday 05:30")
    assert (moved["id"], moved["time"]) == ("alarm_102", "2025-01-17T05:30:00")
    renamed = clock.data("manage_alarm", action="update", alarmId="alarm_102", title="Bread", repeat="weekends")
    assert renamed["title"] == "Bread" and renamed["time"] == "2025-01-18T05:30:00"
    twin = {"action": "update", "alarmId": "alarm_102", "title": "Swim", "time": "tomorrow 05:05", "repeat": "once"}
    assert clock.code("manage_alarm", **twin) == 409
    assert clock.code("manage_alarm", action="update", alarmId="alarm_102") == 400
    assert clock.code("manage_alarm", action="update", title="Bread") == 400
    assert clock.code("manage_alarm", action="update", time="18:00") == 400
    before = clock.changes()
    assert clock.use("manage_alarm", action="enable", alarmId="alarm_101").ok  # already on: fine, and nothing written
    assert clock.changes() == before
    clock.data("manage_alarm", action="enable", alarmId="alarm_102")
    assert clock.data("manage_alarm", action="query", alarmId="alarm_102")["items"][0]["enabled"] is True


def test_alarm_query_filters(clock: Any) -> None:
    assert clock.data("manage_alarm", action="query", time="05:05")["total"] == 2
    assert clock.data("manage_alarm", action="query", time="Friday")["items"][0]["id"] == "alarm_102"
    assert clock.data("manage_alarm", action="query", title="nope") == {"items": [], "total": 0}


def test_snooze(clock: Any) -> None:
    assert clock.data("snooze_alarm", alarmId="alarm_101", minutes=5)["until"] == "2025-01-16T05:10:00"
    assert clock.code("snooze_alarm", alarmId="alarm_101", minutes=61) == 400
    assert clock.code("snooze_alarm", alarmId="alarm_102") == 404  # switched off
    assert clock.code("snooze_alarm") == 409  # several could be meant


def test_alarm_volume_range(phone: Any) -> None:
    for level in (-1, 101):
        assert phone.code("set_alarm_volume", level=level) == 400
    phone.data("set_alarm_volume", level=100)
    assert phone.changes()[0].new == {"value": "100"}


def test_countdown(phone: Any) -> None:
    made = phone.data("manage_countdown", action="start", minutes=30, label="Exam review")
    assert made["ends_at"] == "2025-01-15T09:30:00"
    assert phone.code("manage_countdown", action="start", minutes=5, label="exam review") == 409
    assert phone.code("manage_countdown", action="start", label="Tea") == 400
    for minutes in (0, 1441):
        assert phone.code("manage_countdown", action="start", minutes=minutes) == 400
    assert phone.code("manage_countdown", action="resume") == 409
    phone.data("manage_countdown", action="pause")
    assert phone.code("manage_countdown", action="pause", label="Exam review") == 409
    phone.data("manage_countdown", action="resume")
    phone.data("manage_countdown", action="start", minutes=5)
    assert phone.code("manage_countdown", action="cancel") == 409
    phone.data("manage_countdown", action="cancel", label="Exam review")
    assert phone.code("manage_countdown", action="cancel", label="Exam review") == 404


def test_stopwatch_states(phone: Any) -> None:
    assert phone.code("manage_stopwatch", action="stop") == 409
    phone.data("manage_stopwatch", action="start")
    assert phone.code("manage_stopwatch", action="start") == 409
    phone.data("manage_stopwatch", action="stop")
    assert phone.data("manage_stopwatch", action="query")["status"] == "stopped"
    phone.data("manage_stopwatch", action="reset")
    assert phone.code("manage_stopwatch", action="reset") == 409


def test_focus_timer(phone: Any) -> None:
    assert phone.code("manage_focus_timer", action="stop") == 409
    assert phone.data("manage_focus_timer", action="start", task="Essay")["minutes"] == 25
    assert phone.code("manage_focus_timer", action="start", minutes=10) == 409
    assert phone.data("manage_focus_timer", action="query")["session"]["task"] == "Essay"
    phone.data("manage_focus_timer", action="stop")
    assert phone.data("manage_focus_timer", action="query")["session"] is None


def test_bedtime(phone: Any) -> None:
    state = phone.data("manage_bedtime", action="set", bedtime="10:15 pm", wakeTime="06:15")
    assert state == {"bedtime": "22:15", "wakeTime": "06:15", "enabled": False}
    assert phone.data("manage_bedtime", action="enable")["enabled"] is True
    assert phone.code("manage_bedtime", action="set") == 400
    assert phone.code("manage_bedtime", action="set", bedtime="06:15") == 400
    assert phone.code("manage_bedtime", action="set", bedtime="late") == 400


def test_world_clock_and_zone(phone: Any) -> None:
    for row in phone.data("manage_world_clock", action="query")["items"]:
        phone.data("manage_world_clock", action="remove", city=row["city"])
    assert phone.data("manage_world_clock", action="add", city="new york")["time"] == "2025-01-14 20:00"
    assert phone.code("manage_world_clock", action="add", city="New York") == 409
    assert phone.code("manage_world_clock", action="remove", city="Tokyo") == 404
    assert phone.code("manage_world_clock", action="add", city="Atlantis") == 404
    assert phone.code("manage_world_clock", action="add") == 400
    assert phone.code("set_time_zone", city="Atlantis") == 404
    phone.data("set_time_zone", city="new york")
    assert phone.data("manage_world_clock", action="query", city="mumbai")["items"][0]["time"] == "2025-01-15 19:30"


def test_schedule(phone: Any) -> None:
    made = phone.data("manage_schedule", action="create", event="Hangzhou trip", datetime="Saturday 18:32")
    assert (made["datetime"], made["location"]) == ("2025-01-18T18:32:00", "")
    twin = {"action": "create", "event": "hangzhou TRIP", "datetime": "2025-01-18 18:32"}
    assert phone.code("manage_schedule", **twin) == 409
    over = phone.data("manage_schedule", action="create", event="Call", datetime="Saturday 18:32")
    assert over["overlaps"] == [made["id"]]
    assert phone.code("manage_schedule", action="create", event="Late", datetime="yesterday 10:00") == 400
    assert phone.code("manage_schedule", action="create", event="Vague", datetime="Saturday") == 400
    day = phone.data("manage_schedule", action="query", datetime="Saturday", event="trip")
    assert [row["id"] for row in day["items"]] == [made["id"]]
    moved = phone.data("manage_schedule", action="update", event="hangzhou trip", datetime="Sunday 09:00")
    assert (moved["event"], moved["datetime"]) == ("Hangzhou trip", "2025-01-19T09:00:00")
    named = phone.data("manage_schedule", action="update", scheduleId=made["id"], event="Trip", location="Gate 5")
    assert (named["event"], named["location"]) == ("Trip", "Gate 5")
    assert phone.data("manage_schedule", action="update", event="Trip", location="Gate 6")["location"] == "Gate 6"
    assert phone.code("manage_schedule", action="update", scheduleId=made["id"], event="Trip") == 400
    assert phone.code("manage_schedule", action="delete") == 400
    assert phone.code("manage_schedule", action="delete", event="nope") == 404
    phone.data("manage_schedule", action="delete", event="Call")
    assert [c.op for c in phone.changes()] == ["insert"]


def test_todo(phone: Any) -> None:
    made = phone.data("manage_todo", action="create", content="Book flight", due="Friday")
    assert made["due"] == "2025-01-17"
    assert phone.code("manage_todo", action="create", content="book flight") == 409
    assert phone.data("manage_todo", action="query", due="Friday", content="flight")["total"] == 1
    longer = phone.data("manage_todo", action="create", content="Book flight home")
    assert phone.code("manage_todo", action="complete", content="flight") == 409
    phone.data("manage_todo", action="complete", content="book flight")  # equal beats contained
    phone.data("manage_todo", action="delete", todoId=longer["id"])
    assert phone.code("manage_todo", action="complete", todoId=made["id"]) == 409
    phone.data("manage_todo", action="create", content="Book flight")  # the old one is done
    assert phone.code("manage_todo", action="delete", content="Book flight") == 409
    phone.data("manage_todo", action="delete", todoId=made["id"])
    assert phone.code("manage_todo", action="create") == 400
    assert phone.code("manage_todo", action="complete", content="zzz") == 404


def test_reminder(phone: Any) -> None:
    made = phone.data("manage_reminder", action="create", content="Stretch", time="in 30 minutes")
    assert made["time"] == "2025-01-15T09:30:00"
    assert phone.code("manage_reminder", action="create", content="stretch", time="09:30") == 409
    assert phone.code("manage_reminder", action="create", content="Stretch") == 400
    assert phone.data("manage_reminder", action="query", time="today", content="Stretch")["total"] == 1
    phone.data("manage_reminder", action="delete", content="stretch")
    assert phone.code("manage_reminder", action="delete", content="stretch") == 404


def test_calendar(phone: Any) -> None:
    assert phone.data("calendar_service", action="query_date", date="2025-12-25") == {
        "date": "2025-12-25",
        "weekday": "Thursday",
        "holiday": "Christmas Day",
    }
    assert phone.data("calendar_service", action="days_until", date="Friday")["days"] == 2
    assert phone.data("calendar_service", action="days_until", date="christmas")["date"] == "2025-12-25"
    assert phone.data("calendar_service", action="days_until", date="New Year's Day")["date"] == "2026-01-01"
    assert phone.code("calendar_service", action="days_until", date="2025-01-14") == 400
    assert phone.code("calendar_service", action="days_until") == 400
    for month in ("October", "oct", "10", "2025-10"):
        names = [row["name"] for row in phone.data("calendar_service", action="list_holidays", month=month)["items"]]
        assert names == ["National Day", "Halloween"]
    assert phone.data("calendar_service", action="list_holidays")["items"][0]["date"] == "01-01"
    for month in ("13", "Smarch"):
        assert phone.code("calendar_service", action="list_holidays", month=month) == 400


def test_anniversary(phone: Any) -> None:
    made = phone.data("manage_anniversary", action="create", name="Zoe's birthday", date="March 3")
    assert made["date"] == "2025-03-03"
    assert phone.code("manage_anniversary", action="create", name="zoe's birthday", date="May 1") == 409
    assert phone.code("manage_anniversary", action="create", name="X") == 400
    assert phone.data("manage_anniversary", action="query", name="zoe")["total"] == 1
    phone.data("manage_anniversary", action="delete", name="Zoe's birthday")
    assert phone.code("manage_anniversary", action="delete", name="Zoe's birthday") == 404


def test_automation(phone: Any) -> None:
    rule = phone.data("manage_automation_rule", action="create", trigger="Leave home", operation="Mute phone")
    again = {"action": "create", "trigger": "leave home", "operation": "mute phone"}
    assert phone.code("manage_automation_rule", **again) == 409
    task = phone.data("trigger_task", condition="Battery below 10%", operation="Turn on power saving")
    assert (task["id"], task["kind"]) == ("task_001", "once")
    assert phone.code("trigger_task", condition="battery below 10%", operation="turn on power saving") == 409
    assert phone.code("manage_automation_rule", action="delete", ruleId=task["id"]) == 404  # not a standing rule
    phone.data("manage_automation_rule", action="disable", trigger="Leave home")
    rows = phone.data("manage_automation_rule", action="query", ruleId=rule["id"])["items"]
    assert rows[0]["enabled"] is False
    phone.data("manage_automation_rule", action="delete", ruleId=rule["id"])
    assert phone.code("manage_automation_rule", action="enable") == 400
