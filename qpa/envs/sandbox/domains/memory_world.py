"""The memories a world starts with: what one coherent person would have told an assistant over a year.

Each topic is one subject with slots. Slots starting with "@" are filled from the world's own rows (its contacts,
networks and devices), so a memory never names something the phone does not have. Some topics are told twice with
different values; the record updated last is the valid one.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from qpa.envs.sandbox.domains.links import SSIDS
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

TOPICS_PER_WORLD = (22, 34)  # fewest and most subjects
REPEATS_PER_WORLD = (3, 6)  # subjects told twice
_NEVER_REPEATED = frozenset(  # a second one would be true as well, not a correction
    {"allergy", "birthday", "blood_type", "concert", "flight", "medicine", "pet", "weekly_todo"}
)

_HABIT, _INFO, _EVENT = "routines_habits", "important_info", "important_event"
_DAYS = ("Monday", "Tuesday", "Thursday", "Friday", "Sunday")
_LANGUAGES = ("English", "French", "German", "Japanese", "Spanish")
_DATES = ("2025-02-08", "2025-02-21", "2025-03-06", "2025-03-19", "2025-04-12", "2025-05-23", "2025-06-14")


@dataclass(frozen=True)
class MemoryFact:
    """One seeded record and what it means: `values` are the slots behind `content`."""

    id: str
    subject: str
    category: str
    title: str
    content: str
    tags: str
    created_at: str
    updated_at: str
    values: dict[str, str]
    superseded: bool  # a later record of the same subject holds


@dataclass(frozen=True)
class _Topic:
    subject: str
    category: str
    title: str
    text: str
    tags: str
    slots: dict[str, tuple[str, ...] | str]


_TOPICS = (
    _Topic("gym_alarm", _HABIT, "Gym alarm", "On gym days the alarm is at {time} with title {title}.",
           "workout wake", {"time": ("05:40", "06:00", "06:20", "06:45"), "title": ("Gym", "Workout", "Training")}),
    _Topic("office_alarm", _HABIT, "Office alarm", "On office days wakes up at {time}, alarm volume {level}.",
           "work wake", {"time": ("06:50", "07:05", "07:15", "07:30"), "level": ("40", "55", "70", "85")}),
    _Topic("bedtime", _HABIT, "Bedtime", "Goes to bed at {bedtime} and gets up at {wakeTime}.",
           "sleep night", {"bedtime": ("22:15", "22:45", "23:00", "23:30"), "wakeTime": ("06:30", "06:45", "07:00")}),
    _Topic("deep_work", _HABIT, "Deep work", "Focus sessions last {minutes} minutes, task {task}.",
           "focus timer concentrate", {"minutes": ("25", "40", "50", "90"), "task": ("Writing", "Coding", "Reading")}),
    _Topic("tea_timer", _HABIT, "Tea timer", "Tea steeps for {minutes} minutes, countdown label {label}.",
           "brew drink", {"minutes": ("3", "4", "6", "7"), "label": ("Tea", "Green tea", "Oolong")}),
    _Topic("nap", _HABIT, "Afternoon nap", "Naps for {minutes} minutes after lunch.",
           "rest countdown", {"minutes": ("15", "20", "30", "35")}),
    _Topic("run_music", _HABIT, "Running music", "Listens on {device} when running.",
           "headphones jogging bluetooth", {"device": "@headphones"}),
    _Topic("drive_audio", _HABIT, "Driving audio", "Connects {device} before driving.",
           "car bluetooth", {"device": "@car"}),
    _Topic("work_vpn", _HABIT, "Work VPN", "Uses {profile} for company files.",
           "remote office network", {"profile": "@vpn"}),
    _Topic("guest_hotspot", _HABIT, "Guest hotspot", "For guests the hotspot name is {name}.",
           "share visitors", {"name": ("GuestOnly", "Visitors", "Welcome_Net", "Party_AP")}),
    _Topic("late_text", _HABIT, "Running late", "When late, texts {contact}: {content}.",
           "delay message", {"contact": "@contact",
                             "content": ("Running late", "Ten minutes late", "Start without me")}),
    _Topic("meeting_docs", _HABIT, "Meeting documents", "Sends meeting documents to {contact} by {method}.",
           "file transfer", {"contact": "@contact", "method": ("bluetooth", "email", "message")}),
    _Topic("weekend_call", _HABIT, "Weekend call", "Calls {contact} as a {callType} call on {day} evenings.",
           "phone family", {"contact": "@contact", "callType": ("voice", "video"), "day": _DAYS}),
    _Topic("metro_pay", _HABIT, "Metro payment", "Pays the metro by NFC in {mode} mode.",
           "transit ticket", {"mode": ("tap_to_pay", "card_emulation")}),
    _Topic("flight_mode", _HABIT, "Boarding routine", "To board, turns on airplane mode, then reconnects {device}.",
           "plane travel", {"device": "@headphones"}),
    _Topic("parents_translate", _HABIT, "Letters to relatives", "Translates letters to relatives into {language}.",
           "translation family", {"language": _LANGUAGES}),
    _Topic("speaking_practice", _HABIT, "Speaking practice", "Practises {language} about {topic} with the coach.",
           "lesson conversation", {"language": _LANGUAGES, "topic": ("travel", "job interviews", "cooking", "movies")}),
    _Topic("lecture_captions", _HABIT, "Lecture captions", "Watches lectures with {language} captions.",
           "subtitles video", {"language": _LANGUAGES}),
    _Topic("abroad_sim", _HABIT, "SIM abroad", "Abroad uses SIM {slot} for data and turns on data saver.",
           "roaming trip", {"slot": ("1", "2")}),
    _Topic("weekly_todo", _HABIT, "Weekly chore", "Every {day} adds the to-do {content}.",
           "task list", {"day": _DAYS, "content": ("Water plants", "Pay rent", "Backup photos", "Clean desk")}),
    _Topic("work_blocking", _HABIT, "Calls at work", "Blocks {rule} calls during work.",
           "interception spam", {"rule": ("telemarketing", "international", "unknown_numbers")}),
    _Topic("vocabulary_app", _HABIT, "Vocabulary app", "Learns bedtime vocabulary with {app}.",
           "words study", {"app": ("Anki", "Quizlet", "Memrise")}),
    _Topic("medicine", _HABIT, "Medicine", "Takes {content} at {time} every day.",
           "pill health reminder", {"content": ("vitamin D", "allergy pills", "iron"),
                                     "time": ("08:15", "12:40", "20:00")}),
    _Topic("groceries", _HABIT, "Groceries", "Orders groceries on {day} at {time}.",
           "shopping food", {"day": _DAYS, "time": ("17:30", "18:00", "19:15")}),
    _Topic("note_style", _HABIT, "Shopping note", "The shopping note starts with {content}.",
           "list buy", {"content": ("milk and eggs", "rice and tofu", "bread and jam", "tea and fruit")}),
    _Topic("image_style", _HABIT, "Poster style", "Posters are drawn in {style} style.",
           "image picture generate", {"style": ("watercolor", "pixel art", "ink", "flat design")}),
    _Topic("seat", _HABIT, "Train seat", "Prefers {seat} seats on trains.",
           "travel booking", {"seat": ("aisle", "window", "quiet car")}),
    _Topic("home_wifi", _INFO, "Home network", "The home Wi-Fi is {ssid}.",
           "wifi internet house", {"ssid": "@home_wifi"}),
    _Topic("hotel_wifi", _INFO, "Hotel network", "The hotel Wi-Fi {ssid} has password {password}.",
           "wifi internet travel", {"ssid": "@hotel_wifi", "password": "@password_of_ssid"}),
    _Topic("emergency_contact", _INFO, "Emergency contact", "The emergency contact is {contact}.",
           "help urgent", {"contact": "@contact"}),
    _Topic("allergy", _INFO, "Food allergy", "Is allergic to {food}.",
           "health restaurant", {"food": ("peanuts", "shrimp", "kiwi", "milk")}),
    _Topic("doctor", _INFO, "Family doctor", "The family doctor is {name}, phone {phoneNumber}.",
           "clinic health", {"name": ("Dr. Lin", "Dr. Weber", "Dr. Rossi"),
                             "phoneNumber": ("138-2211-0099", "139-4400-1177", "136-8080-3355")}),
    _Topic("parking", _INFO, "Parking spot", "The parking spot is {spot}.",
           "garage car", {"spot": ("B2-114", "A1-07", "C3-56", "P4-21")}),
    _Topic("locker", _INFO, "Gym locker", "The gym locker number is {number}.",
           "sport", {"number": ("17", "42", "108", "256")}),
    _Topic("passport", _INFO, "Passport", "The passport expires on {date}.",
           "document travel", {"date": ("2026-03-01", "2027-09-15", "2028-05-30")}),
    _Topic("blood_type", _INFO, "Blood type", "The blood type is {type}.",
           "health", {"type": ("A positive", "B negative", "O positive", "AB positive")}),
    _Topic("office_address", _INFO, "Office address", "The office is at {address}.",
           "work place", {"address": ("12 Lake Road", "88 Garden Street", "5 Harbor Lane", "301 Hill Avenue")}),
    _Topic("shoe_size", _INFO, "Shoe size", "Shoe size is {size}.",
           "clothes shopping", {"size": ("37", "39", "42", "44")}),
    _Topic("pet", _INFO, "Pet", "The cat is called {name}.",
           "animal vet", {"name": ("Momo", "Pixel", "Biscuit", "Luna")}),
    _Topic("exam", _EVENT, "Language exam", "The language exam is on {date}.",
           "test study", {"date": _DATES}),
    _Topic("dentist", _EVENT, "Dentist", "The dentist appointment is on {date} at {time}.",
           "tooth clinic", {"date": _DATES, "time": ("09:30", "11:00", "16:20")}),
    _Topic("flight", _EVENT, "Flight", "The flight to {city} leaves on {date} at {time}.",
           "airport trip", {"city": ("Paris", "Tokyo", "Berlin", "Madrid"), "date": _DATES,
                            "time": ("07:55", "13:10", "21:40")}),
    _Topic("wedding", _EVENT, "Wedding anniversary", "The wedding anniversary is on {date}.",
           "celebrate date", {"date": _DATES}),
    _Topic("birthday", _EVENT, "Birthday", "{contact} has a birthday on {date}.",
           "celebrate gift", {"contact": "@contact", "date": _DATES}),
    _Topic("moving", _EVENT, "Moving day", "Moves to the new flat on {date}.",
           "home boxes", {"date": _DATES}),
    _Topic("concert", _EVENT, "Concert", "The concert starts on {date} at {time}.",
           "music ticket", {"date": _DATES, "time": ("19:00", "19:30", "20:15")}),
    _Topic("visa", _EVENT, "Visa interview", "The visa interview is on {date} at {time}.",
           "embassy travel", {"date": _DATES, "time": ("08:45", "10:30", "14:00")}),
    _Topic("deadline", _EVENT, "Thesis deadline", "The thesis is due on {date}.",
           "university paper", {"date": _DATES}),
)  # fmt: skip


def memory_facts(world: World) -> list[MemoryFact]:
    """The seeded memories of a world, by id. Same seed, networks, devices and contacts: same memories."""
    rng = random.Random(f"world:{world.seed}:memories")
    sources = _sources(world)
    usable = [t for t in _TOPICS if all(_options(t, slot, sources) for slot in t.slots if slot != "password")]
    chosen = rng.sample(usable, rng.randint(*TOPICS_PER_WORLD))
    correctable = [
        topic.subject
        for topic in chosen
        if topic.subject not in _NEVER_REPEATED and any(len(_options(topic, s, sources)) > 1 for s in topic.slots)
    ]
    repeated = set(rng.sample(correctable, rng.randint(*REPEATS_PER_WORLD)))
    drafts = []
    for topic in chosen:
        values = _draw(rng, topic, sources)
        created, updated = _times(rng)
        if topic.subject in repeated:
            old = _draw(rng, topic, sources)
            while old == values:
                old = _draw(rng, topic, sources)
            told = created - timedelta(days=rng.randint(30, 200), minutes=rng.randrange(600))
            drafts.append((told, told, topic, old, True))
        drafts.append((created, updated, topic, values, False))
    drafts.sort(key=lambda d: (d[0], d[2].subject))
    return [
        MemoryFact(
            id=f"mem_{number:04d}",
            subject=topic.subject,
            category=topic.category,
            title=topic.title,
            content=topic.text.format(**values),
            tags=topic.tags,
            created_at=created.isoformat(),
            updated_at=updated.isoformat(),
            values=values,
            superseded=superseded,
        )
        for number, (created, updated, topic, values, superseded) in enumerate(drafts, start=1)
    ]


def seed_memories(world: World) -> None:
    """Adds `memory_facts` as rows."""
    for fact in memory_facts(world):
        world.add(
            "memories",
            id=fact.id,
            category=fact.category,
            title=fact.title,
            content=fact.content,
            tags=fact.tags,
            source="chat",
            created_at=fact.created_at,
            updated_at=fact.updated_at,
        )


def _sources(world: World) -> dict[str, tuple[str, ...]]:
    networks = sorted(world.rows.get("wifi_networks", []), key=lambda r: r["ssid"])
    devices = sorted(world.rows.get("bluetooth_devices", []), key=lambda r: r["name"])
    hotels = [n for n in networks if n["ssid"] in SSIDS["hotel"]]
    return {
        "@contact": tuple(sorted({r["name"] for r in world.rows.get("contacts", [])})),
        "@headphones": tuple(d["name"] for d in devices if d["kind"] == "headphones"),
        "@car": tuple(d["name"] for d in devices if d["kind"] == "car"),
        "@vpn": tuple(sorted(r["name"] for r in world.rows.get("vpn_profiles", []))),
        "@home_wifi": tuple(n["ssid"] for n in networks if n["ssid"] in SSIDS["home"]),
        "@hotel_wifi": tuple(n["ssid"] for n in hotels),
        **{f"@password_of {n['ssid']}": (n["password"],) for n in hotels},
    }


def _options(topic: _Topic, slot: str, sources: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    listed = topic.slots[slot]
    return sources.get(listed, ()) if isinstance(listed, str) else listed


def _draw(rng: random.Random, topic: _Topic, sources: dict[str, tuple[str, ...]]) -> dict[str, str]:
    values: dict[str, str] = {}
    for slot, listed in topic.slots.items():
        if listed == "@password_of_ssid":
            values[slot] = sources[f"@password_of {values['ssid']}"][0]
        else:
            values[slot] = rng.choice(_options(topic, slot, sources))
    return values


def _times(rng: random.Random) -> tuple[datetime, datetime]:
    created = WORLD_CLOCK - timedelta(days=rng.randint(40, 160), minutes=rng.randrange(600))
    updated = created + timedelta(days=rng.randint(0, 35)) if rng.random() < 0.3 else created
    return created, updated
