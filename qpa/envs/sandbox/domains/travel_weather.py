"""Travel & Lifestyle: forecasts, alerts and the unit they are told in."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import NAME, require_online
from qpa.envs.sandbox.schema import WORLD_CLOCK, World
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import ToolContext, conflict, in_range, missing, ok, tool

SCHEMA = """
CREATE TABLE weather (
  city TEXT, date TEXT, condition TEXT NOT NULL DEFAULT 'sunny', low_c INTEGER NOT NULL DEFAULT 0,
  high_c INTEGER NOT NULL DEFAULT 0, rain_pct INTEGER NOT NULL DEFAULT 0, alert TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (city, date)
) STRICT, WITHOUT ROWID;
"""

HOME_CITIES = ("Beijing", "Hangzhou", "Shanghai")  # the phone's time zone is theirs
_JANUARY = {  # usual low and high in degrees Celsius
    "Beijing": (-8, 2), "Hangzhou": (2, 8), "Shanghai": (3, 9), "Chengdu": (3, 10), "Guangzhou": (11, 19),
    "Hong Kong": (14, 19), "Singapore": (24, 30), "Tokyo": (2, 10), "London": (3, 8), "Paris": (2, 7),
    "New York": (-3, 4),
}  # fmt: skip
_RAIN = {"sunny": (0, 10), "cloudy": (10, 35), "rain": (60, 95), "snow": (60, 95), "storm": (80, 100)}  # percent
_ALERTS = {"snow": "Heavy snow", "storm": "Thunderstorm"}
_DAYS_BEFORE, _DAYS_AFTER = 1, 5  # the week a world knows, around its clock


def _find_city(ctx: ToolContext, city: str | None) -> str:
    """The city asked for, or where the phone is."""
    known = ctx.rows("SELECT DISTINCT city FROM weather ORDER BY city")
    if city is None:
        if ctx.setting("location", "on") != "on":
            raise conflict("Location is off; give a city")
        city = ctx.setting("current_city", "nowhere")
    return find_named(known, "city", city, "City")["city"]


@tool(domain=NAME, effect=Effect.READ)
def query_weather(
    ctx: ToolContext, city: str | None = None, date: str | None = None, days: int | None = None
) -> dict[str, Any]:
    """Get a city's weather forecast, here and today by default."""
    require_online(ctx)
    name = _find_city(ctx, city)
    count = in_range("days", 1 if days is None else days, 1, SHOWN)
    first = resolve(date or "today", ctx.now, "date")
    last = (datetime.fromisoformat(first) + timedelta(days=count - 1)).date().isoformat()
    found = ctx.rows("SELECT * FROM weather WHERE city = ? AND date BETWEEN ? AND ? ORDER BY date", name, first, last)
    if not found:
        raise missing(f"No forecast for {name} on {first}")
    unit = ctx.setting("temperature_unit", "celsius")
    items = [
        {
            "date": row["date"],
            "condition": row["condition"],
            "low": _degrees(row["low_c"], unit),
            "high": _degrees(row["high_c"], unit),
            "rainPercent": row["rain_pct"],
        }
        for row in found
    ]
    return ok("Forecast", city=name, unit=unit, items=items, total=len(items))


def _degrees(celsius: int, unit: str) -> int:
    return round(celsius * 9 / 5 + 32) if unit == "fahrenheit" else celsius


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_weather_alerts(
    ctx: ToolContext, action: Literal["enable", "disable", "query"], city: str | None = None
) -> dict[str, Any]:
    """Switch weather warnings on or off, or list current ones."""
    if action == "query":
        require_online(ctx)
        name = None if city is None else _find_city(ctx, city)
        sql = "SELECT city, date, alert FROM weather WHERE alert <> '' AND date >= ?1 AND (?2 IS NULL OR city = ?2)"
        found = ctx.rows(sql + " ORDER BY date, city", ctx.now.date().isoformat(), name)
        enabled = ctx.setting("weather_alerts", "off") == "on"
        return ok(f"{len(found)} warnings", enabled=enabled, items=found[:SHOWN], total=len(found))
    word = "on" if action == "enable" else "off"
    already = "" if ctx.set_setting("weather_alerts", word) else "already "
    return ok(f"Weather warnings {already}{word}", enabled=word == "on")


def seed_rows(rng: random.Random, world: World) -> None:
    """A week of weather for five cities, the phone's own among them."""
    home = rng.choice(HOME_CITIES)
    for key, value in {
        "current_city": home,
        "weather_alerts": rng.choice(("on", "off")),
    }.items():
        world.add("settings", key=key, value=value)
    for city in (home, *rng.sample([name for name in _JANUARY if name != home], 4)):
        for offset in range(-_DAYS_BEFORE, _DAYS_AFTER + 1):
            day = WORLD_CLOCK.date() + timedelta(days=offset)
            world.add("weather", city=city, date=day.isoformat(), **_day(rng, *_JANUARY[city]))


def _day(rng: random.Random, low: int, high: int) -> dict[str, Any]:
    shift = rng.randint(-3, 3)
    low, high = low + shift, high + shift
    wet = "snow" if low < 0 else "storm" if low > 10 and rng.random() < 0.4 else "rain"
    condition = rng.choice(("sunny", "sunny", "cloudy", "cloudy", wet))
    alert = _ALERTS[condition] if condition in _ALERTS and rng.random() < 0.6 else ""
    rain = rng.randint(*_RAIN[condition])
    return {"condition": condition, "low_c": low, "high_c": high, "rain_pct": rain, "alert": alert}


TOOLS = (query_weather, manage_weather_alerts)
