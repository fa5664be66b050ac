"""Security & Privacy: the domain's seeded rows, and its parts put together."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.context import Row
from qpa.envs.sandbox.domains import security_guard, security_lock, security_vault
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

_FINGERS = ("Right thumb", "Left thumb", "Right index", "Left index")
_FACES = ("Me", "Me with glasses")
_SITES = ("bank.example", "forum.example", "mail.example", "shop.example", "video.example")
_WEAK = ("sunshine", "123456", "letmein", "qwerty")
_WORDS = ("Harbor", "Maple", "Comet", "Velvet", "Quartz", "Saffron")
_MEDICAL = {
    "allergies": ("", "Penicillin", "Peanuts", "Bee stings"),
    "medication": ("", "Aspirin", "Insulin"),
    "conditions": ("", "Asthma", "Diabetes"),
    "organ_donor": ("", "yes", "no"),
}
_USES = (  # app, permission
    ("Camera", "camera"),
    ("Camera", "location"),
    ("Maps", "location"),
    ("Messages", "contacts"),
    ("Telegram", "microphone"),
    ("WhatsApp", "camera"),
    ("WhatsApp", "contacts"),
    ("WhatsApp", "microphone"),
)
_LOCKABLE = ("Email", "Gallery", "Notes", "Telegram", "Wallet", "WhatsApp")


def seed_rows(rng: random.Random, world: World) -> None:
    """Locks, passwords, people and usage; without a screen lock nothing that needs one is in use."""
    kind = rng.choice(("pin", "pin", "pattern", "password", "swipe"))
    secure = kind in security_lock.SECURE
    code = {
        "pin": "".join(str(rng.randrange(10)) for _ in range(4)),
        "pattern": "".join(str(dot) for dot in rng.sample(range(1, 10), 5)),
        "password": f"{rng.choice(_WORDS).lower()}{rng.randrange(10, 100)}",
    }.get(kind, "")
    fingers = rng.sample(_FINGERS, rng.randint(1, 2)) if secure else []
    faces = rng.sample(_FACES, rng.randint(0, 1)) if secure else []
    for sort, names in (("fingerprint", fingers), ("face", faces)):
        for name in names:
            world.add("biometrics", kind=sort, name=name)
    protected = secure and rng.random() < 0.5
    _rules(rng, world, secure, protected)
    _passwords(rng, world)
    _people_and_usage(rng, world)
    settings = {
        "screen_lock": kind,
        "screen_lock_password": code,
        "lock_timeout": str(rng.choice(security_lock.TIMEOUTS[:6])),
        "lockdown_mode": "off",
        "payment_protection": "on" if protected else "off",
        "camera_access": "on",
        "microphone_access": "on",
        "last_security_scan": rng.choice(("", "2025-01-10T21:15:00", "2025-01-13T08:40:00")),
        "medical_blood_type": rng.choice(("", *security_guard.BLOOD_TYPES)),
    }
    settings |= {f"biometric_{use}": "on" if fingers and rng.random() < 0.6 else "off" for use in security_lock.USES}
    settings |= {f"medical_{item}": rng.choice(values) for item, values in _MEDICAL.items()}
    for slot in (1, 2):
        settings |= {f"sim{slot}_lock": "off", f"sim{slot}_pin": f"{rng.randrange(1000, 10000)}"}
    for key, value in settings.items():
        world.add("settings", key=key, value=value)


def _rules(rng: random.Random, world: World, secure: bool, protected: bool) -> None:
    rules = [("app_lock", app) for app in rng.sample(_LOCKABLE, 2) if secure and rng.random() < 0.5]
    if protected:
        rules.append(("payment", "Wallet"))
    if rng.random() < 0.5:
        rules.append(("unknown_sources", rng.choice(("Browser", "File Manager"))))
    for rule, item in rules:
        world.add("security_rules", rule=rule, item=item)
    if rng.random() < 0.5:
        name = rng.choice(sorted(security_guard.THREATS))
        world.add("files", id=world.new_id("file"), name=name, kind="archive", size_kb=rng.randint(900, 9000))


def _passwords(rng: random.Random, world: World) -> None:
    user = rng.choice(("jo.fields", "sam.rivers", "kim.hale"))
    strong = [f"{word}-{rng.randrange(100, 1000)}-{rng.choice(_WORDS)}" for word in rng.sample(_WORDS, 3)]
    secrets = [*strong, rng.choice(_WEAK)]
    for site, secret in zip(rng.sample(_SITES, 4), secrets, strict=True):
        at = (WORLD_CLOCK - timedelta(days=rng.randint(20, 500))).isoformat()
        world.add("passwords", id=world.new_id("password"), site=site, username=user, password=secret, updated_at=at)


def _people_and_usage(rng: random.Random, world: World) -> None:
    """Emergency contacts among people whose names are their own, and a day of permission usage."""
    everyone: list[Row] = world.rows["contacts"]
    names = [row["name"] for row in everyone]
    known = [row for row in everyone if names.count(row["name"]) == 1]
    for row in rng.sample(known, rng.randint(0, 2)):
        world.add("emergency_contacts", contact_id=row["id"], name=row["name"], phone=row["phone"])
    minutes = sorted(rng.sample(range(5, 24 * 60, 5), 7), reverse=True)
    for ago in minutes:
        app, permission = rng.choice(_USES)
        at = (WORLD_CLOCK - timedelta(minutes=ago)).isoformat()
        world.add("permission_usage", id=world.new_id("usage"), app=app, permission=permission, at=at)


DOMAIN = Domain(
    security_lock.NAME,
    security_lock.SCHEMA + security_vault.SCHEMA + security_guard.SCHEMA,
    security_lock.TOOLS + security_vault.TOOLS + security_guard.TOOLS,
    seed_rows,
)
