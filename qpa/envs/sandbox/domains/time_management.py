"""Time Management: the domain's seeded rows, and its two halves put together."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.domains import time_clock, time_planning
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

# Times of day all differ from each other within a list, so that "the 07:30 alarm" names one alarm.
_ALARMS = (
    ("06:40", "Morning run", "weekdays"),
    ("07:15", "Wake up", "weekdays"),
    ("08:30", "Yoga", "weekends"),
    ("12:45", "Nap", "daily"),
    ("21:30", "Medicine", "daily"),
    ("22:15", "Read", "daily"),
)
_EVENTS = (  # name, place, hour
    ("Team sync", "Room 301", 14),
    ("Dentist", "City Clinic", 11),
    ("Dinner with Mom", "Garden Cafe", 19),
    ("Project review", "Room 205", 16),
    ("Piano lesson", "", 17),
    ("Gym class", "Sports Center", 20),
)
_TODOS = ("Buy milk", "Pay rent", "Return library book", "Water plants", "Print tickets", "Renew passport")
_REMINDERS = ("Take vitamins", "Call the bank", "Pick up parcel", "Charge the camera")
_CITIES = ("London", "New York", "Tokyo", "Paris", "Sydney")
_ANNIVERSARIES = ("Mom's birthday", "Dad's birthday", "Wedding day")
_RULES = (("Arrive home", "Turn on Wi-Fi"), ("Battery below 20%", "Turn on power saving"))


def seed_rows(rng: random.Random, world: World) -> None:
    """Alarms, events, to-dos, reminders and clock settings around `WORLD_CLOCK`."""
    tomorrow = WORLD_CLOCK.date() + timedelta(days=1)
    for clock, title, repeat in rng.sample(_ALARMS, 4):
        day = tomorrow + timedelta(days=2 if repeat == "weekends" else 0)
        enabled = int(rng.random() < 0.8)
        world.add(
            "alarms",
            id=world.new_id("alarm"),
            time=f"{day}T{clock}:00",
            title=title,
            repeat=repeat,
            enabled=enabled,
        )
    for event, location, hour in rng.sample(_EVENTS, 4):
        moment = WORLD_CLOCK.replace(hour=hour, minute=rng.choice((0, 30))) + timedelta(days=rng.randint(0, 6))
        world.add("schedules", id=world.new_id("schedule"), event=event, datetime=moment.isoformat(), location=location)
    for content in rng.sample(_TODOS, 3):
        due = (WORLD_CLOCK.date() + timedelta(days=rng.randint(0, 4))).isoformat() if rng.random() < 0.6 else ""
        world.add("todos", id=world.new_id("todo"), content=content, due=due, done=0)
    for content in rng.sample(_REMINDERS, 2):
        moment = WORLD_CLOCK.replace(hour=rng.randint(10, 20), minute=rng.choice((0, 15, 30, 45)))
        time = (moment + timedelta(days=rng.randint(0, 3))).isoformat()
        world.add("reminders", id=world.new_id("reminder"), content=content, time=time)
    for city in sorted(rng.sample(_CITIES, 2)):
        world.add("world_clocks", city=city)
    for name in rng.sample(_ANNIVERSARIES, 2):
        day_name = f"2025-{rng.randint(2, 12):02d}-{rng.randint(1, 28):02d}"
        world.add("anniversaries", id=world.new_id("anniversary"), name=name, date=day_name)
    trigger, operation = rng.choice(_RULES)
    world.add("automations", id=world.new_id("rule"), kind="rule", condition=trigger, operation=operation, enabled=1)
    bedtime, wake_time = rng.choice((("22:30", "06:30"), ("23:00", "07:00"), ("23:30", "07:30")))
    settings = {
        "alarm_volume": str(rng.choice((40, 60, 80))),
        "bedtime": bedtime,
        "bedtime_mode": "off",
        "stopwatch": "idle",
        "time_format": "24h",
        "time_zone": "Shanghai",
        "wake_time": wake_time,
    }
    for key, value in settings.items():
        world.add("settings", key=key, value=value)


DOMAIN = Domain(
    time_clock.NAME,
    time_clock.SCHEMA + time_planning.SCHEMA,
    time_clock.TOOLS + time_planning.TOOLS,
    seed_rows,
)
