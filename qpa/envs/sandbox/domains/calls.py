"""Calls & Communication: the domain's seeded people and their traffic, and its two halves put together."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from qpa.envs.sandbox.context import Row
from qpa.envs.sandbox.domains import call_contacts, call_messages
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

_FIRST = (
    "Anna",
    "Ben",
    "Chen",
    "Diana",
    "Emma",
    "Felix",
    "Grace",
    "Hugo",
    "Iris",
    "Jack",
    "Kate",
    "Leo",
    "Maya",
    "Noah",
)
_LAST = ("Li", "Wang", "Brown", "Silva", "Khan", "Novak", "Rossi", "Meyer", "Park", "Lopez", "Stone", "Young")
_GROUPS = ("work", "friends", "family", "school")
_TEXTS = (
    "Are you free tonight?",
    "Meeting moved to 3 pm",
    "Thanks for dinner!",
    "Can you call me back?",
    "I sent the report",
    "Happy to help",
    "See you on Friday",
    "The parcel arrived",
)
_SUBJECTS = ("Invoice for January", "Team lunch", "Travel plan", "Project update", "Photos from Sunday", "Weekly notes")
_VOICEMAILS = ("Please call me back", "Your order is ready", "Running ten minutes late")


def _people(rng: random.Random, world: World) -> list[Row]:
    """Mom, six people, one who shares a first name with the first of them, and one full namesake of the second."""
    firsts, lasts = rng.sample(_FIRST, 6), rng.sample(_LAST, 7)
    names = ["Mom", *(f"{first} {last}" for first, last in zip(firsts, lasts, strict=False))]
    names += [f"{firsts[0]} {lasts[6]}", f"{firsts[1]} {lasts[1]}"]
    phones = rng.sample(range(100, 1000), len(names))
    for name, number in zip(names, phones, strict=True):
        group = "family" if name == "Mom" else rng.choice(_GROUPS)
        # A namesake's address needs the number too: two contacts must not share a mailbox.
        taken = any(row["name"] == name for row in world.rows.get("contacts", []))
        address = name.lower().replace(" ", ".") + (str(number) if taken else "") + "@example.com"
        world.add(
            "contacts",
            id=world.new_id("contact"),
            name=name,
            phone=f"555{number:04d}",
            group_name=group,
            email=address if name == "Mom" or rng.random() < 0.8 else "",
            ringtone="",
        )
    return world.rows["contacts"]


def _moments(rng: random.Random, count: int) -> list[datetime]:
    """Distinct past moments, oldest first, within the three days before `WORLD_CLOCK`."""
    minutes = sorted(rng.sample(range(5, 3 * 24 * 60, 5), count), reverse=True)
    return [WORLD_CLOCK - timedelta(minutes=m) for m in minutes]


def seed_rows(rng: random.Random, world: World) -> None:
    """Contacts (some named alike), calls, messages, emails and voicemails before `WORLD_CLOCK`."""
    people = _people(rng, world)
    for index, moment in enumerate(_moments(rng, 7)):
        person = rng.choice(people)
        direction = ("missed", "incoming", "outgoing")[index % 3]
        world.add(
            "calls",
            id=world.new_id("call"),
            name=person["name"],
            phone=person["phone"],
            direction=direction,
            call_type=rng.choice(("voice", "voice", "video")),
            at=moment.isoformat(),
        )
    for index, (moment, text) in enumerate(zip(_moments(rng, 6), rng.sample(_TEXTS, 6), strict=True)):
        person = rng.choice(people)
        direction = "out" if index % 3 == 1 else "in"
        world.add(
            "messages",
            id=world.new_id("msg"),
            name=person["name"],
            phone=person["phone"],
            direction=direction,
            content=text,
            at=moment.isoformat(),
            unread=int(direction == "in" and index >= 3),
        )
    _mailboxes(rng, world, people)
    settings = {
        "call_forwarding": "off",
        "call_forwarding_number": "",
        "intercept_international": "off",
        "intercept_telemarketing": rng.choice(("on", "off")),
        "intercept_unknown_numbers": "off",
        "ringtone": rng.choice(call_contacts.RINGTONES),
        "voicemail": rng.choice(("on", "off")),
    }
    for key, value in settings.items():
        world.add("settings", key=key, value=value)


def _mailboxes(rng: random.Random, world: World, people: list[Row]) -> None:
    senders = [row["email"] for row in people if row["email"]]
    for index, (moment, subject) in enumerate(zip(_moments(rng, 4), rng.sample(_SUBJECTS, 4), strict=True)):
        world.add(
            "emails",
            id=world.new_id("email"),
            sender=rng.choice(senders),
            recipient=call_messages.OWN_ADDRESS,
            subject=subject,
            at=moment.isoformat(),
            unread=int(index >= 2),
        )
    for moment, text in zip(_moments(rng, 2), rng.sample(_VOICEMAILS, 2), strict=True):
        person = rng.choice(people)
        world.add(
            "voicemails",
            id=world.new_id("voicemail"),
            name=person["name"],
            phone=person["phone"],
            at=moment.isoformat(),
            text=text,
        )


DOMAIN = Domain(
    call_contacts.NAME,
    call_contacts.SCHEMA + call_messages.SCHEMA,
    call_contacts.TOOLS + call_messages.TOOLS,
    seed_rows,
)
