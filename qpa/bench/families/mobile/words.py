"""What the core domains' mobile families share: words for days, times and places, short plans, patches."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from qpa.bench.families.mobile.common import Rows, settings
from qpa.bench.families.values import TODOS, Draw
from qpa.envs.sandbox.schema import World

Texts = tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]  # of each variant: phrasings in English, in Chinese
# Cities as the tools know them, and in Chinese.
CITIES = {
    "Berlin": "柏林",
    "Cairo": "开罗",
    "Dubai": "迪拜",
    "London": "伦敦",
    "Los Angeles": "洛杉矶",
    "Moscow": "莫斯科",
    "Mumbai": "孟买",
    "New York": "纽约",
    "Paris": "巴黎",
    "Seoul": "首尔",
    "Singapore": "新加坡",
    "Sydney": "悉尼",
    "Tokyo": "东京",
}
ORDINALS = (("first", "第一个"), ("second", "第二个"), ("third", "第三个"))
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NUMERALS = ("一", "二", "三", "四", "五", "六", "日")


def fresh(rng: Draw, pool: tuple[str, ...], taken: Iterable[str], count: int = 1) -> list[str]:
    """Distinct values of a pool of which none is part of another or of one in `taken`, nor the other way round."""
    found: list[str] = []
    known = [text.casefold() for text in taken]
    while len(found) < count:
        value = rng.pick(pool)
        folded = value.casefold()
        if not any(folded in text or text in folded for text in known if text):
            found.append(value)
            known.append(folded)
    return found


def weekday_words(day: str) -> list[str]:
    """How an answer may name the weekday of a date."""
    number = date.fromisoformat(day).weekday()
    names = [f"{prefix}{_NUMERALS[number]}" for prefix in ("星期", "周", "礼拜")]
    return [_DAYS[number], *names, *(["周天", "星期天", "礼拜天"] if number == 6 else [])]


def clock_words(time: str) -> list[str]:
    """How an answer may name the time of day HH:MM."""
    hour, minute = int(time[:2]), time[3:]
    half, short = "am" if hour < 12 else "pm", str(hour % 12 or 12)
    names = [time, f"{hour}:{minute}", f"{short}:{minute} {half}", f"{short}:{minute}{half}", f"{short}:{minute}"]
    names += [f"{hour}点{minute}", f"{short}点{minute}"]
    if minute == "00":
        names += [f"{short} {half}", f"{short}{half}", f"{short} o'clock", f"{hour}点", f"{short}点"]
    if minute == "30":
        names += [f"{hour}点半", f"{short}点半"]
    return list(dict.fromkeys(names))


def in_the_air(world: World, **values: str) -> Rows:
    """A patch: the phone is in airplane mode with every radio off; `values` are other settings."""
    dark = settings(airplane_mode="on", wifi="off", bluetooth="off", mobile_data="off", hotspot="off", **values)
    tables = ("wifi_networks", "bluetooth_devices", "vpn_profiles")
    return {"settings": dark} | {table: [{**row, "connected": 0} for row in world.rows[table]] for table in tables}


def still(world: World) -> Rows:
    """A patch: no Bluetooth device is connected, so that Bluetooth may be off."""
    return {"bluetooth_devices": [{**row, "connected": 0} for row in world.rows["bluetooth_devices"]]}


def new_todos(rng: Draw, world: World, count: int = 1) -> list[str]:
    """Contents that no to-do or reminder of the phone has."""
    return fresh(rng, TODOS, todo_contents(world), count)


def todo_contents(world: World) -> list[str]:
    """What the phone's to-dos and reminders say."""
    return [row["content"] for row in world.rows["todos"] + world.rows["reminders"]]
