"""The seeded apps, files, notifications and storage of Apps & Storage."""

from __future__ import annotations

import json
import random
import re
from datetime import timedelta

from qpa.envs.sandbox.domains.apps_core import JUNK, ROLES
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

# Apps that come with the phone: kind, roles, MB. "core" ones cannot be stopped, disabled or hidden.
_BUILT_IN = {
    "App Store": ("core", "", 60),
    "Browser": ("system", "browser", 160),
    "Calendar": ("system", "", 45),
    "Camera": ("system", "", 120),
    "Clock": ("system", "", 25),
    "Email": ("system", "email", 70),
    "File Manager": ("system", "", 40),
    "Gallery": ("system", "gallery", 95),
    "Maps": ("system", "maps", 180),
    "Messages": ("system", "messages", 80),
    "Music": ("system", "music", 85),
    "Notes": ("system", "", 30),
    "Phone": ("core", "phone", 75),
    "Settings": ("core", "", 50),
    "Wallet": ("system", "", 65),
}
_ADDED = (("App Store", "tools"), ("Phone", "communication"), ("Settings", "tools"))
# What the store offers: category, roles, MB, version.
_ALWAYS = {
    "Telegram": ("communication", "", 95, "11.5"),
    "WhatsApp": ("communication", "", 130, "2.25"),
}
_STORE = {
    "Amazon Music": ("media", "music", 110, "25.1"),
    "Etsy": ("shopping", "", 90, "28.2"),
    "Asphalt Legends": ("games", "", 2450, "24.4"),
    "Duolingo": ("education", "", 85, "6.20"),
    "Firefox": ("tools", "browser", 105, "134.0"),
    "Instagram": ("social", "", 140, "361.0"),
    "Netflix": ("media", "", 95, "8.140"),
    "Outlook": ("communication", "email", 120, "4.25"),
    "Spotify": ("media", "music", 98, "9.0"),
    "Truecaller": ("communication", "phone messages", 88, "14.5"),
    "Waze": ("travel", "maps", 150, "5.2"),
}
_PERMISSIONS = {  # of apps that every world has, the likely access first
    ("Camera", "camera"): ("while_using",),
    ("Camera", "location"): ("while_using", "ask"),
    ("Gallery", "storage"): ("always",),
    ("Maps", "location"): ("while_using", "always"),
    ("Telegram", "contacts"): ("always",),
    ("Telegram", "microphone"): ("while_using", "ask"),
    ("WhatsApp", "camera"): ("while_using", "ask"),
    ("WhatsApp", "contacts"): ("always",),
    ("WhatsApp", "location"): ("while_using", "ask"),
    ("WhatsApp", "microphone"): ("while_using",),
}
_NOTICES = (
    ("Calendar", "Dentist tomorrow", "10:30, Elm Street clinic"),
    ("Email", "Your invoice is ready", "Amount due: 24.90"),
    ("Maps", "Rate your last visit", "How was the harbour museum?"),
    ("Messages", "Parcel code 4417", "Collect it at locker 12"),
    ("Telegram", "Book club", "Chapter six for Sunday"),
    ("Wallet", "Payment of 8.50", "Corner Bakery"),
    ("WhatsApp", "Hiking group", "Meet at the station at nine"),
    ("WhatsApp", "Family chat", "Photos from grandma's birthday"),
)
_FILES = (  # name, kind, KB
    ("IMG_20250111_Lake.jpg", "image", 3480),
    ("IMG_20250105_Snow.jpg", "image", 4120),
    ("Screen_Demo.mp4", "video", 412_000),
    ("Concert_Clip.mp4", "video", 958_000),
    ("Podcast_Episode_12.mp3", "audio", 46_300),
    ("Voice_Memo_Ideas.mp3", "audio", 2210),
)
_BINNED = (
    ("Old_Shopping_List.txt", "document", 3, "Documents"),
    ("Blurry_Photo.jpg", "image", 2900, "Pictures"),
    ("Expired_Ticket.pdf", "document", 220, "Download"),
)
_IN_CLOUD = (
    ("Tax_Return_2023.pdf", "document", 1240),
    ("House_Plan.pdf", "document", 8800),
    ("Wedding_Album.zip", "archive", 640_000),
)
_TRIP_PHOTOS = [
    ["Trip_Harbour.jpg", "image", 1710],
    ["Trip_Market.jpg", "image", 1690],
    ["Trip_Sunset.jpg", "image", 1720],
]


def _ago(rng: random.Random, low: int, high: int) -> str:
    """A moment so many minutes before the world's clock."""
    return (WORLD_CLOCK - timedelta(minutes=rng.randrange(low, high))).isoformat()


def seed_rows(rng: random.Random, world: World) -> None:
    """Completes the core's apps and files, then the store, permissions, notifications, bin, cloud and settings."""
    _seed_store(rng, world)
    _seed_apps(rng, world)
    _seed_permissions(rng, world)
    _seed_notices(rng, world)
    _seed_files(rng, world)
    _seed_settings(rng, world)


def _seed_store(rng: random.Random, world: World) -> None:
    """Four store apps are installed besides the two of every world; an installed one may be a version behind."""
    chosen = rng.sample(sorted(_STORE), 10)
    for name in (*_ALWAYS, *chosen):
        category, roles, size_mb, version = (_ALWAYS | _STORE)[name]
        world.add("store_apps", name=name, category=category, roles=roles, version=version, size_mb=size_mb)
    for name, category in (*_ADDED, *((name, _STORE[name][0]) for name in chosen[:4])):
        world.add("apps", name=name, category=category)


def _seed_apps(rng: random.Random, world: World) -> None:
    offers = {row["name"]: row for row in world.rows["store_apps"]}
    for app in world.rows["apps"]:
        if app["name"] in offers:
            offer = offers[app["name"]]
            kind, roles, size_mb = "user", offer["roles"], offer["size_mb"]
            version = _older(offer["version"]) if rng.random() < 0.4 else offer["version"]
        else:
            kind, roles, size_mb = _BUILT_IN.get(app["name"], ("system", "", 50))
            version = f"{rng.randint(2, 9)}.{rng.randint(0, 9)}"
        app.update(
            kind=kind,
            roles=roles,
            size_mb=size_mb,
            version=version,
            data_mb=rng.randrange(2, 900),
            cache_mb=rng.randrange(400),
            last_used=_ago(rng, 24 * 60, 60 * 24 * 60),
            autostart=int(kind == "user" and rng.random() < 0.4),
        )
    muted, restricted, hidden = rng.sample([app for app in world.rows["apps"] if app["kind"] == "user"], 3)
    muted["notifications"] = rng.choice(("off", "silent"))
    restricted.update(battery="restricted", autostart=0)
    hidden["hidden"] = rng.randrange(2)
    awake = [app for app in world.rows["apps"] if app["kind"] != "core" and app not in (restricted, hidden)]
    for app in rng.sample(awake, 4):
        app.update(running=1, last_used=_ago(rng, 1, 12 * 60))


def _older(version: str) -> str:
    major, minor = map(int, version.split("."))
    return f"{major}.{minor - 1}" if minor else f"{major - 1}.9"


def _seed_permissions(rng: random.Random, world: World) -> None:
    for (app, permission), levels in _PERMISSIONS.items():
        if rng.random() < 0.75:
            world.add("app_permissions", app=app, permission=permission, access=rng.choice(levels))
    world.add("app_permissions", app="File Manager", permission="install_unknown_apps", access="always")


def _seed_notices(rng: random.Random, world: World) -> None:
    """Five notifications and an ongoing one."""
    off = {app["name"] for app in world.rows["apps"] if app.get("notifications") == "off"}
    chosen = rng.sample([notice for notice in _NOTICES if notice[0] not in off], 5)
    times = sorted(rng.sample(range(2, 600), len(chosen)), reverse=True)
    for (app, title, text), minutes in zip(chosen, times, strict=True):
        at = (WORLD_CLOCK - timedelta(minutes=minutes)).isoformat()
        world.add("notifications", id=world.new_id("notification"), app=app, title=title, text=text, at=at)
    app, title = rng.choice((("Maps", "Location is being shared"), ("Music", "Player controls")))
    at = (WORLD_CLOCK - timedelta(minutes=1)).isoformat()
    next(row for row in world.rows["apps"] if row["name"] == app).update(running=1, last_used=at)
    world.add("notifications", id=world.new_id("notification"), app=app, title=title, at=at, ongoing=1)


def _seed_files(rng: random.Random, world: World) -> None:
    files = world.rows["files"]
    for file in files:
        if file["name"] == "Trip_Photos.zip":
            file["contents"] = json.dumps(_TRIP_PHOTOS)
    for name, kind, size_kb in sorted(rng.sample(_FILES, 4)):
        storage = "sd_card" if kind == "audio" and rng.random() < 0.5 else "phone"
        world.add("files", id=world.new_id("file"), name=name, kind=kind, size_kb=size_kb, storage=storage)
    for file in files:
        # A date in the name is the day it was made.
        dated = re.search(r"(2025)_?(\d\d)_?(\d\d)", file["name"])
        past = _ago(rng, 60, 90 * 24 * 60)
        file["modified_at"] = "-".join(dated.groups()) + past[10:] if dated else past
    original = rng.choice([file for file in files if file["kind"] in ("document", "spreadsheet")])
    stem, _, extension = original["name"].rpartition(".")
    twin = {column: original[column] for column in ("kind", "size_kb", "modified_at")}
    name = f"{stem} (1).{extension}"
    world.add("files", id=world.new_id("file"), name=name, copy_of=original["id"], **twin)
    world.add("file_folders", file=name, folder="Download")
    for name, kind, size_kb, folder in rng.sample(_BINNED, 2):
        row = {"name": name, "kind": kind, "size_kb": size_kb, "folder": folder}
        modified, deleted = sorted((_ago(rng, 24 * 60, 29 * 24 * 60), _ago(rng, 24 * 60, 29 * 24 * 60)))
        world.add("recycle_bin", id=world.new_id("file"), **row, modified_at=modified, deleted_at=deleted)
    for name, kind, size_kb in rng.sample(_IN_CLOUD, 2):
        world.add("cloud_files", name=name, kind=kind, size_kb=size_kb, uploaded_at=_ago(rng, 24 * 60, 300 * 24 * 60))


def _seed_settings(rng: random.Random, world: World) -> None:
    """Defaults, the app in front, junk, and storage so that the free space is as drawn."""
    running = sorted(app["name"] for app in world.rows["apps"] if app.get("running"))
    junk = {f"junk_{kind}_mb": rng.choice((0, rng.randrange(20, 900))) for kind in JUNK}
    total, system = rng.choice((131072, 262144)), rng.randrange(18000, 24000)
    free = rng.choice((700, 1500, 6000, 15000, 40000)) + rng.randrange(500)
    apps = sum(app["size_mb"] + app["data_mb"] + app["cache_mb"] for app in world.rows["apps"])
    on_phone = [row for row in world.rows["files"] if row.get("storage") != "sd_card"] + world.rows["recycle_bin"]
    files = sum(row["size_kb"] for row in on_phone) // 1024
    card = any(row.get("storage") == "sd_card" for row in world.rows["files"]) or rng.random() < 0.3
    settings = {
        "app_auto_update": rng.choice(("off", "wifi_only", "any_network")),
        "cloud_total_mb": rng.choice((5120, 15360)),
        "foreground_app": rng.choice((*running, "")),
        "sd_card": "on" if card else "off",
        "sd_total_mb": 65536 if card else 0,
        "storage_total_mb": total,
        "storage_system_mb": system,
        "storage_media_mb": total - system - apps - files - sum(junk.values()) - free,
    }
    for role in ROLES:
        takers = [app["name"] for app in world.rows["apps"] if role in app["roles"].split()]
        settings[f"default_app_{role}"] = rng.choice(takers)
    for key, value in (settings | junk).items():
        world.add("settings", key=key, value=str(value))
