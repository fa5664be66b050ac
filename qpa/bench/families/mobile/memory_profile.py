"""The user of a memory task: one coherent life, told to an assistant in 40 to 300 records.

The records a task needs are placed among the rest by the day they were told. Together they take the place of every
memory the world has, so that nothing else speaks about the user.
"""

from __future__ import annotations

import math
import string
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from qpa.bench.families.mobile.memory_slots import ROLES, SLOTS, THINGS
from qpa.bench.families.mobile.memory_topics import DAYS, HABIT, INFO, OWN, PERSON, THING, TRIPS, Topic
from qpa.bench.families.tool_calls import people
from qpa.bench.families.values import Draw
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

Row = dict[str, Any]
FEWEST, MOST = 40, 300  # records of a profile
_FIRST_DAY = datetime(2023, 2, 1)
_MINUTES = int((WORLD_CLOCK - _FIRST_DAY).total_seconds()) // 60 - 60  # of them, on which something may be told
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October")
_CHANGED_SHARE = 0.4  # of the sampled topics that can change
_PEOPLE = (6, 12)  # people in every profile, and records per further person


@dataclass(frozen=True)
class Life:
    """Who surrounds the user: (English role, Chinese role, is a child, name), and the home town."""

    people: tuple[tuple[str, str, bool, str], ...]
    home: tuple[str, str]

    def named(self, role: str) -> str:
        """The name of the one with this English role."""
        return next(name for english, _, _, name in self.people if english == role)


@dataclass(frozen=True)
class Fact:
    """A record that a family writes itself; dates are ISO days."""

    title: str
    content: str
    category: str = HABIT
    told: str = ""  # "" = any day
    updated: str = ""  # "" = when it was told


@dataclass(frozen=True)
class Book:
    """All memories of a task's user. `ids` are those of the family's gold facts, in their order."""

    rows: list[Row]
    ids: tuple[str, ...]


def draw_life(rng: Draw, world: World) -> Life:
    """People whose names nobody in the phone's contacts shares."""
    names = people(rng, world, len(ROLES))
    return Life(tuple((*role, name) for role, name in zip(ROLES, names)), rng.choice(SLOTS["city"]))


def draw_size(rng: Draw) -> int:
    """Records of a profile: evenly spread by magnitude, since few people tell hundreds."""
    return round(math.exp(rng.uniform(math.log(FEWEST), math.log(MOST))))


def profile(rng: Draw, size: int, life: Life, without: Collection[str] = ()) -> list[Row]:
    """`size` records of `life` in the task's language, ids by the day they were told; topics `without` are left out."""
    return _numbered(_told(rng, size, life, without))


def book(rng: Draw, life: Life, gold: Sequence[Fact], near: Sequence[Fact] = (), without: Collection[str] = ()) -> Book:
    """The family's facts among a profile: `gold` answer the request, `near` only sound like it."""
    own = [_placed(rng, fact) for fact in (*gold, *near)]
    others = _told(rng, draw_size(rng) - len(own), life, without)
    rows = _numbered([*own, *others])
    return Book(rows, tuple(row["id"] for row in own[: len(gold)]))


def conflicting(rng: Draw, old: tuple[str, str], new: tuple[str, str], category: str = INFO) -> tuple[Fact, Fact]:
    """(older, newer) facts about one thing. The newer may have been told first and corrected last."""
    first, last = f"2024-0{rng.randint(2, 5)}-1{rng.randint(0, 9)}", f"2024-1{rng.randint(0, 2)}-0{rng.randint(1, 9)}"
    stale = Fact(*old, category, told=first, updated=f"2024-0{rng.randint(6, 9)}-2{rng.randint(0, 8)}")
    corrected = rng.random() < 0.5
    return stale, Fact(*new, category, told="2023-11-20" if corrected else last, updated=last)


def _placed(rng: Draw, fact: Fact) -> Row:
    told = f"{fact.told}T09:00:00" if fact.told else _moment(rng).isoformat()
    content = fact.content[:1].upper() + fact.content[1:]
    return _row(fact.category, fact.title, content, told, f"{fact.updated}T09:00:00" if fact.updated else told)


def _moment(rng: Draw) -> datetime:
    return _FIRST_DAY + timedelta(minutes=rng.randrange(_MINUTES))


def _row(category: str, title: str, content: str, told: str, updated: str) -> Row:
    return {
        "id": "",
        "category": category,
        "title": title,
        "content": content,
        "tags": "",
        "source": "chat",
        "created_at": told,
        "updated_at": updated,
    }


def _numbered(rows: list[Row]) -> list[Row]:
    """The same rows by the day they were told, ids set."""
    ordered = sorted(rows, key=lambda row: (row["created_at"], row["title"], row["content"]))
    for number, row in enumerate(ordered, start=1):
        row["id"] = f"mem_{number:04d}"
    return ordered


def _told(rng: Draw, size: int, life: Life, without: Collection[str]) -> list[Row]:
    crowd = life.people[: _PEOPLE[0] + size // _PEOPLE[1]]
    subjects = [s for s in _subjects(rng, life, crowd) if s[0].key not in without]
    rng.shuffle(subjects)
    rows: list[Row] = []
    for topic, fixed in subjects:
        if len(rows) >= size:
            break
        told = _moment(rng)
        record = _written(rng, topic, fixed, told)
        rows.append(record)
        if topic.changes and len(rows) < size and rng.random() < _CHANGED_SHARE:
            earlier = _written(rng, topic, fixed, told - timedelta(days=rng.randint(30, 300)))
            if earlier["content"] != record["content"]:
                rows.append(earlier)
    return rows[:size]


def _subjects(rng: Draw, life: Life, crowd: Sequence[tuple[str, str, bool, str]]) -> list[tuple[Topic, dict[str, str]]]:
    """Every (topic, slots that it is about) of a life; each may be told once, or once more with another value."""
    own = {
        "home": rng.say(*life.home),
        "partner": life.named("partner"),
        "colleague": life.named("colleague"),
        "manager": life.named("manager"),
    }
    names = [name for *_, name in crowd]
    found: list[tuple[Topic, dict[str, str]]] = [(topic, own) for topic in OWN]
    for english, chinese, child, name in crowd:
        about = {"who": name, "role": rng.say(english, chinese)}
        found += [(topic, about) for topic in PERSON if not (child and topic.adult)]
    for day in SLOTS["day"]:
        found += [(topic, {"day": rng.say(*day)}) for topic in DAYS]
    for city in SLOTS["city"]:
        if city != life.home:
            found += [(topic, {"city": rng.say(*city), "who": rng.choice(names)}) for topic in TRIPS]
    for thing in THINGS:
        found += [(topic, {"thing": rng.say(*thing), "who": rng.choice(names)}) for topic in THING]
    return found


def _written(rng: Draw, topic: Topic, fixed: dict[str, str], told: datetime) -> Row:
    title, text = rng.say(*topic.title), rng.say(*topic.text)
    values = {slot: fixed[slot] if slot in fixed else _value(rng, slot) for slot in _slots(text)}
    content = text.format(**values)
    content = content[:1].upper() + content[1:]
    return _row(topic.category, title.format(**{**fixed, **values}), content, told.isoformat(), told.isoformat())


def _value(rng: Draw, slot: str) -> str:
    return _MADE[slot](rng) if slot in _MADE else rng.say(*rng.choice(SLOTS[slot]))


def _date(rng: Draw) -> str:
    month, day = rng.randrange(len(_MONTHS)), rng.randint(1, 28)
    return rng.say(f"{day} {_MONTHS[month]}", f"{month + 1}月{day}日")


_MADE: dict[str, Callable[[Draw], str]] = {
    "morning": lambda rng: rng.time(6, 9),
    "evening": lambda rng: rng.time(17, 20),
    "night": lambda rng: rng.time(22, 23),
    "number": lambda rng: str(rng.randint(3, 48)),
    "floor": lambda rng: str(rng.randint(2, 12)),
    "degrees": lambda rng: str(rng.randint(17, 22)),
    "size": lambda rng: str(rng.randint(36, 44)),
    "price": lambda rng: str(rng.randint(15, 240)),
    "date": _date,
}
_PARSED: dict[str, tuple[str, ...]] = {}


def _slots(text: str) -> tuple[str, ...]:
    """The slots of a text, each once."""
    if text not in _PARSED:
        _PARSED[text] = tuple(dict.fromkeys(_named(text)))
    return _PARSED[text]


def _named(text: str) -> Iterator[str]:
    return (slot for _, slot, _, _ in string.Formatter().parse(text) if slot)
