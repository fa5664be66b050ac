"""Devices & Cross-device: the domain's seeded rows, and its parts put together."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.domains import device_links, device_nearby, device_transfer, smart_home
from qpa.envs.sandbox.domains.device_nearby import NAME, TRUSTABLE
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

_TVS = ("Living Room TV", "Bedroom TV", "Kitchen TV")
_SCREENS = ("Bedroom Large Screen", "Meeting Room Screen", "Office Large Screen")
_TABLETS = ("Galaxy Tab S9", "MatePad 11", "Xiaomi Pad 6")
_PHONES = ("Galaxy S21", "Pixel 6", "Redmi Note 12")
_PRINTERS = ("Canon Pixma", "Epson EcoTank", "HP LaserJet")
_PLACES = ("12 Maple Street", "City Clinic", "Garden Cafe", "Sports Center", "Studio 7")
_BLUETOOTH = {"laptop": "laptop", "watch": "watch", "car": "car", "headphones": "earbuds"}  # Bluetooth kind -> ours
_OWNED = ("tablet", "laptop", "watch", "earbuds")

_HOME = (  # name, kind, room
    ("Living Room Light", "light", "Living Room"),
    ("Reading Lamp", "light", "Living Room"),
    ("Bedroom Light", "light", "Bedroom"),
    ("Bedside Lamp", "light", "Bedroom"),
    ("Kitchen Light", "light", "Kitchen"),
    ("Coffee Maker", "plug", "Kitchen"),
    ("Fan Plug", "plug", "Bedroom"),
    ("Living Room Thermostat", "thermostat", "Living Room"),
    ("Robot Vacuum", "vacuum", "Living Room"),
    ("Living Room Curtain", "curtain", "Living Room"),
    ("Bedroom Curtain", "curtain", "Bedroom"),
)
_SCENES = (
    ("Good Morning", ("Bedroom Curtain=open", "Kitchen Light=on", "Coffee Maker=on")),
    ("Good Night", ("Living Room Light=off", "Bedroom Curtain=close", "Living Room Thermostat=18")),
    ("Leave Home", ("Living Room Light=off", "Kitchen Light=off", "Robot Vacuum=start")),
    ("Movie Night", ("Living Room Light=15", "Reading Lamp=off", "Living Room Curtain=close")),
)


def _add_device(
    rng: random.Random, world: World, name: str, kind: str, *, owned: bool, trusted: bool, near: bool = False
) -> None:
    nearby = rng.random() < 0.7 or near or kind in ("tv", "large_screen", "printer")
    online = nearby or rng.random() < 0.7
    seen = WORLD_CLOCK - timedelta(minutes=0 if online else rng.randrange(60, 3000, 5))
    world.add(
        "devices",
        id=world.new_id("device"),
        name=name,
        kind=kind,
        nearby=int(nearby),
        trusted=int(trusted),
        owned=int(owned),
        online=int(online),
        place=("Home" if nearby else rng.choice(_PLACES)) if owned else "",
        seen_at=seen.isoformat() if owned else "",
        relay_calls=int(kind == "watch" and trusted and rng.random() < 0.5),
        relay_notifications=int(kind == "watch" and trusted and rng.random() < 0.5),
    )


def _seed_devices(rng: random.Random, world: World) -> None:
    """Screens, the owner's machines, a printer and a friend's phone; names differ, "TV" alone is ambiguous."""
    friends = sorted({row["name"].split()[0] for row in world.rows.get("contacts", [])} - {"Mom"}) or ["Guest"]
    fixed = [(name, "tv", False) for name in rng.sample(_TVS, 2)]
    fixed += [(rng.choice(_SCREENS), "large_screen", False), (rng.choice(_TABLETS), "tablet", True)]
    fixed += [(rng.choice(_PHONES), "phone", True), (f"{rng.choice(friends)}'s Phone", "phone", False)]
    fixed += [(rng.choice(_PRINTERS), "printer", False)]
    for name, kind, owned in fixed:
        _add_device(rng, world, name, kind, owned=owned, trusted=kind in TRUSTABLE and rng.random() < 0.4)
    for row in world.rows.get("bluetooth_devices", []):
        if row["kind"] in _BLUETOOTH:
            kind = _BLUETOOTH[row["kind"]]
            trusted = kind in TRUSTABLE and bool(row["paired"])
            _add_device(
                rng, world, row["name"], kind, owned=kind in _OWNED, trusted=trusted, near=bool(row["connected"])
            )


def _seed_log(rng: random.Random, world: World) -> None:
    """One "paired" entry for each trusted device, and two older entries of devices that are not."""
    devices = world.rows["devices"]
    events = [(row["name"], "paired") for row in devices if row["trusted"]]
    others = [row["name"] for row in devices if not row["trusted"]]
    events += list(zip(rng.sample(others, 2), ("failed", "unpaired"), strict=True))
    minutes = sorted(rng.sample(range(600, 40 * 24 * 60, 5), len(events)), reverse=True)
    for (device, event), ago in zip(events, minutes, strict=True):
        world.add(
            "pairing_log",
            id=world.new_id("pairing"),
            device=device,
            event=event,
            method=rng.choice(("bluetooth", "nfc", "qr_code")),
            at=(WORLD_CLOCK - timedelta(minutes=ago)).isoformat(),
        )


def _seed_home(rng: random.Random, world: World) -> None:
    offline = rng.choice(_HOME)[0] if rng.random() < 0.4 else ""
    for name, kind, room in _HOME:
        level, mode = {
            "light": (rng.randrange(20, 101, 10), rng.choice(("warm", "neutral", "cool"))),
            "plug": (0, ""),
            "thermostat": (rng.randint(18, 26), rng.choice(("heat", "cool", "auto"))),
            "vacuum": (rng.randint(1, 3), rng.choice(("docked", "docked", "cleaning"))),
            "curtain": (rng.choice((0, 50, 100)), ""),
        }[kind]
        power = int(kind in ("light", "plug", "thermostat") and rng.random() < 0.5)
        online = int(name != offline)
        world.add("home_devices", name=name, kind=kind, room=room, online=online, power=power, level=level, mode=mode)
    for name, steps in sorted(rng.sample(_SCENES, 3)):
        world.add("home_scenes", name=name, steps="; ".join(steps))


def _seed_settings(rng: random.Random, world: World) -> None:
    idle = [*device_nearby.CASTING, *device_nearby.COLLABORATION, *device_nearby.KEYBOARD_SHARING]
    idle += ["car_link", "car_link_method", "migration_device", "migration_direction", "migration_started_at"]
    settings = dict.fromkeys(idle, "") | {
        "nearby_visibility": rng.choice(("contacts", "hidden")),
        "clipboard_sharing": "off",
        "migration_contents": "contacts,messages,photos",
        "wearable_step_goal": str(rng.choice((6000, 8000, 10000))),
    }
    for item, values in device_links.WATCH_SETTINGS.items():
        settings[f"wearable_{item}"] = rng.choice(values)
    for key, value in settings.items():
        world.add("settings", key=key, value=value)


def seed_rows(rng: random.Random, world: World) -> None:
    """Devices around and owned, how they were paired, a home with scenes, one waiting print job."""
    _seed_devices(rng, world)
    _seed_log(rng, world)
    _seed_home(rng, world)
    _seed_settings(rng, world)
    papers = [row["name"] for row in world.rows["files"] if row["kind"] not in device_transfer.UNPRINTABLE]
    printer = next(row["name"] for row in world.rows["devices"] if row["kind"] == "printer")
    world.add(
        "print_jobs",
        id=world.new_id("print"),
        file=rng.choice(papers),
        printer=printer,
        copies=rng.randint(1, 3),
        at=(WORLD_CLOCK - timedelta(minutes=5)).isoformat(),
    )


DOMAIN = Domain(
    NAME,
    device_nearby.SCHEMA + device_transfer.SCHEMA + smart_home.SCHEMA,
    device_nearby.TOOLS + device_links.TOOLS + device_transfer.TOOLS + smart_home.TOOLS,
    seed_rows,
)
