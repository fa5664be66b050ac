"""Travel & Lifestyle: health records of the phone and its watch, entries by hand, and what food contains."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import NAME
from qpa.envs.sandbox.schema import WORLD_CLOCK, World
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

SCHEMA = """
CREATE TABLE health_records (
  id TEXT PRIMARY KEY, data_type TEXT NOT NULL, value REAL NOT NULL, source_app TEXT NOT NULL DEFAULT '',
  at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

UNITS = {  # of the stored values
    "steps": "steps", "weight": "kilograms", "heart_rate": "bpm", "sleep": "hours", "water": "milliliters",
    "calories": "kilocalories",
}  # fmt: skip
_SUMMED = ("steps", "sleep", "water", "calories")  # the others are averaged
_PERIODS = {"single_day": 1, "week": 7, "month": 30}  # days, the last of them the date given
_BY_HAND = {  # data type -> unit -> factor to the stored unit
    "weight": {"kilograms": 1.0, "pounds": 0.45359237},
    "water": {"milliliters": 1.0, "liters": 1000.0, "cups": 240.0},
    "sleep": {"hours": 1.0, "minutes": 1 / 60},
    "calories": {"kilocalories": 1.0},
}
_RANGES = {"weight": (20, 400), "water": (10, 5000), "sleep": (0.1, 24), "calories": (1, 10000)}
_MANUAL, _PHONE_APP, _WATCH_APP = "Manual", "HealthKit", "Fit Watch"

FOODS = {  # name -> (kilocalories in 100 grams, grams of one portion)
    "apple": (52, 180), "banana": (89, 120), "orange": (47, 150), "egg": (143, 50), "bread": (265, 40),
    "rice": (130, 200), "fried rice": (163, 300), "noodles": (138, 250), "dumplings": (230, 180),
    "chicken breast": (165, 150), "fried chicken": (246, 150), "beef steak": (271, 200), "salmon": (208, 150),
    "shrimp": (99, 120), "tofu": (76, 150), "pizza": (266, 300), "hamburger": (295, 220), "french fries": (312, 120),
    "caesar salad": (190, 200), "milk": (61, 250), "yogurt": (59, 150), "bubble tea": (65, 500), "coffee": (1, 240),
    "latte": (56, 350), "chocolate": (546, 40), "ice cream": (207, 100),
}  # fmt: skip


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() else value


@tool(domain=NAME, effect=Effect.READ, permission="BODY_SENSORS")
def query_health_data(
    ctx: ToolContext,
    dataType: Literal["steps", "weight", "heart_rate", "sleep", "water", "calories"],
    date: str | None = None,
    period: Literal["single_day", "week", "month"] | None = None,
    sourceApp: str | None = None,
) -> dict[str, Any]:
    """Read health records of a day, week or month."""
    last = resolve(date or "today", ctx.now, "date")
    first = datetime.fromisoformat(last) - timedelta(days=_PERIODS[period or "single_day"] - 1)
    sql = "SELECT * FROM health_records WHERE data_type = ? AND substr(at, 1, 10) BETWEEN ? AND ?"
    found = ctx.rows(sql + " ORDER BY at DESC, id DESC", dataType, first.date().isoformat(), last)
    if sourceApp is not None:
        found = [row for row in found if row["source_app"].casefold() == sourceApp.casefold()]
    items = [
        {"id": r["id"], "date": r["at"][:10], "value": _number(r["value"]), "sourceApp": r["source_app"]}
        for r in found[:SHOWN]
    ]
    summary = _summary(dataType, found)
    return ok(
        f"Found {len(found)} health data records.", unit=UNITS[dataType], items=items, total=len(found), **summary
    )


def _summary(data_type: str, found: list[Row]) -> dict[str, Any]:
    """Sum or average of each source's records, when there are several; sources measure the same person twice."""
    if len(found) < 2:
        return {}
    by_source: dict[str, list[float]] = {}
    for row in found:
        by_source.setdefault(row["source_app"], []).append(row["value"])
    summed = data_type in _SUMMED
    values = {name: sum(some) / (1 if summed else len(some)) for name, some in sorted(by_source.items())}
    return {"sum" if summed else "average": {name: _number(round(value, 2)) for name, value in values.items()}}


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="WRITE_HEALTH_DATA")
def manage_health_log(
    ctx: ToolContext,
    action: Literal["add", "delete"],
    dataType: Literal["weight", "water", "sleep", "calories"] | None = None,
    value: float | None = None,
    unit: Literal["kilograms", "pounds", "milliliters", "liters", "cups", "hours", "minutes", "kilocalories"]
    | None = None,
    date: str | None = None,
    recordId: str | None = None,
) -> dict[str, Any]:
    """Log weight, water, sleep or calories, or delete an entry."""
    if action == "delete":
        row = single(ctx.rows("SELECT * FROM health_records WHERE id = ?", need(recordId, "a recordId")), "record")
        if row["source_app"] != _MANUAL:
            raise conflict(f"Recorded by {row['source_app'][:30]}")
        ctx.execute("DELETE FROM health_records WHERE id = ?", row["id"])
        return ok("Entry deleted", id=row["id"])
    kind, amount = need(dataType, "a dataType"), need(value, "a value")
    units = _BY_HAND[kind]
    factor = units.get(unit or UNITS[kind])
    if factor is None:
        raise bad(f"unit must be one of {'|'.join(units)}")
    stored = round(amount * factor, 2)
    low, high = _RANGES[kind]
    if not low <= stored <= high:
        raise bad(f"{kind} must be {low} to {high} {UNITS[kind]}")
    moment = _moment(ctx, date)
    row_id = ctx.new_id(f"hd_{kind}_{moment[:10].replace('-', '')}")
    ctx.insert("health_records", id=row_id, data_type=kind, value=stored, source_app=_MANUAL, at=moment)
    return ok("Logged", id=row_id, value=_number(stored), unit=UNITS[kind], date=moment[:10])


def _moment(ctx: ToolContext, date: str | None) -> str:
    """When an entry happened: now, or noon of a past day that is named without a time."""
    text = resolve(date or "today", ctx.now, "due")
    if text == ctx.now.date().isoformat():
        return ctx.now.isoformat()
    moment = text if "T" in text else f"{text}T12:00:00"
    if moment > ctx.now.isoformat():
        raise bad("date is in the future")
    return moment


@tool(domain=NAME, effect=Effect.READ)
def identify_food_calories(ctx: ToolContext, foodName: str, grams: int | None = None) -> dict[str, Any]:
    """Tell the calories of a food, one portion by default."""
    name = find_named([{"food": food} for food in sorted(FOODS)], "food", foodName, "Food")["food"]
    per_100, portion = FOODS[name]
    weight = in_range("grams", portion if grams is None else grams, 1, 5000)
    return ok("Calories", food=name, grams=weight, kilocalories=round(weight * per_100 / 100))


def seed_rows(rng: random.Random, world: World) -> None:
    """Two weights, steps of three days by phone and watch, two nights, heart rates, and a glass of water."""
    weight = rng.randint(520, 880) / 10
    _add(world, "weight", weight, _PHONE_APP, 0, 7)
    _add(world, "weight", round(weight + rng.randint(-12, 12) / 10, 1), _PHONE_APP, 4, 7)
    for days in range(3):
        steps = rng.randint(1500, 4000) if days == 0 else rng.randint(3000, 14000)
        _add(world, "steps", steps, _PHONE_APP, days, 8)
        _add(world, "steps", steps + rng.randint(50, 900), _WATCH_APP, days, 8)
    for days in range(2):
        _add(world, "sleep", rng.randint(52, 86) / 10, _WATCH_APP, days, 7)
        _add(world, "heart_rate", rng.randint(56, 84), _WATCH_APP, days, 8)
    _add(world, "water", rng.choice((200, 250, 300)), _MANUAL, 0, 8)


def _add(world: World, kind: str, value: float, source: str, days_ago: int, hour: int) -> None:
    at = WORLD_CLOCK.replace(hour=hour) - timedelta(days=days_ago)
    row_id = world.new_id(f"hd_{kind}_{at:%Y%m%d}")
    world.add("health_records", id=row_id, data_type=kind, value=float(value), source_app=source, at=at.isoformat())


TOOLS = (query_health_data, manage_health_log, identify_food_calories)
