"""Utilities & Productivity: the domain's seeded rows, and its parts put together."""

from __future__ import annotations

import random
from datetime import timedelta

from qpa.envs.sandbox.domains import phrases, utility_convert, utility_documents, utility_records, utility_web
from qpa.envs.sandbox.domains.utility_data import PAGES
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World

_TEXTS = {  # of the core's documents, where a phone has them, and of one more
    "Contract_Draft.docx": ("The contract starts on March 1.", "The monthly fee is 480 euros."),
    "Meeting_Minutes_2025_01_14.docx": ("The launch moves to February 10.", "Next meeting in Room 204."),
    "Speech_Draft.docx": ("Dear friends, thank you for coming.", "We met twelve years ago in Lisbon."),
    "House_Rules.docx": ("Quiet hours start at 22:00.", "Bins go out on Tuesday."),
    "Packing_Plan.docx": ("The tent is in the cellar.", "Leave before 07:30."),
}
_OWN_TEXTS = ("Speech_Draft.docx", "House_Rules.docx", "Packing_Plan.docx")
_SHEETS: dict[str, tuple[str, tuple[str, ...], tuple[int, int]]] = {  # name -> (columns, row labels, range of numbers)
    "Budget_2025.xlsx": ("Item | Planned | Spent", ("Rent", "Groceries", "Transport", "Insurance"), (60, 1200)),
    "Guest_List.xlsx": ("Name | Adults | Children", ("Petrov", "Okafor", "Lindqvist", "Moreau"), (1, 5)),
    "Workout_Log.xlsx": ("Exercise | Sets | Minutes", ("Rowing", "Squats", "Plank", "Cycling"), (2, 40)),
    "Inventory.xlsx": ("Part | Stock | Ordered", ("Screws", "Hinges", "Brackets", "Handles"), (3, 90)),
}
_OWN_SHEETS = ("Guest_List.xlsx", "Workout_Log.xlsx", "Inventory.xlsx")
_LISTS = {
    "Groceries": ("Apples", "Bread", "Coffee", "Eggs", "Oat milk", "Rice", "Tomatoes"),
    "Packing": ("Charger", "Passport", "Rain jacket", "Sunscreen", "Towel"),
    "Hardware store": ("Light bulbs", "Masking tape", "Sandpaper", "Wood glue"),
}
_EXPENSES = (  # category, note, range of cents
    ("food", "Lunch at Bento House", (900, 1900)),
    ("food", "Weekly groceries", (3500, 9000)),
    ("transport", "Taxi to the airport", (2200, 4800)),
    ("transport", "Monthly train pass", (5900, 8900)),
    ("shopping", "Running shoes", (6500, 13000)),
    ("health", "Pharmacy", (600, 3000)),
    ("leisure", "Cinema with friends", (1100, 2600)),
    ("housing", "Electricity bill", (4000, 9500)),
)
_HABITS = (("Drink water", 7), ("Meditate", 7), ("Practice guitar", 3), ("Read a chapter", 5), ("Stretch", 4))


def seed_rows(rng: random.Random, world: World) -> None:
    """Browser, documents, lists, expenses and habits of the weeks before `WORLD_CLOCK`."""
    _browser(rng, world)
    for name, kind in ((rng.choice(_OWN_TEXTS), "document"), (rng.choice(_OWN_SHEETS), "spreadsheet")):
        world.add("files", id=world.new_id("file"), name=name, kind=kind, size_kb=rng.randint(12, 60))
    for file in world.rows["files"]:
        for line, text in enumerate(_content(rng, file["name"]), start=1):
            world.add("document_lines", file_id=file["id"], line=line, text=text)
    for list_name in sorted(rng.sample(sorted(_LISTS), 2)):
        for item in rng.sample(_LISTS[list_name], 4):
            world.add("list_items", list_name=list_name, item=item, done=int(rng.random() < 0.25))
    days = sorted(rng.sample(range(14), 6), reverse=True)
    for ago, (category, note, (low, high)) in zip(days, rng.sample(_EXPENSES, 6), strict=True):
        day = (WORLD_CLOCK.date() - timedelta(days=ago)).isoformat()
        cents = rng.randrange(low, high, 5)
        world.add("expenses", id=world.new_id("expense"), date=day, cents=cents, category=category, note=note)
    for name, per_week in rng.sample(_HABITS, 3):
        ago_days = (ago for ago in range(1, 10) if rng.random() < per_week / 8)
        done = sorted((WORLD_CLOCK.date() - timedelta(days=ago)).isoformat() for ago in ago_days)
        world.add("habits", name=name, per_week=per_week, done=",".join(done))
    world.add("settings", key="translation_target", value=rng.choice(phrases.LANGUAGES))
    for language in phrases.LANGUAGES:
        if language != utility_web.BUILT_IN:
            on = "on" if rng.random() < 0.3 else "off"
            world.add("settings", key=f"translation_pack_{language.casefold()}", value=on)


def _browser(rng: random.Random, world: World) -> None:
    pages = rng.sample(sorted(PAGES), 5)
    minutes = sorted(rng.sample(range(10, 9 * 24 * 60, 10), 5), reverse=True)
    moments = [(WORLD_CLOCK - timedelta(minutes=m)).isoformat() for m in minutes]
    for kind, count in (("visit", 5), ("bookmark", 3), ("tab", 2)):
        for url, at in zip(pages[-count:], moments[-count:], strict=True):
            world.add("browser_entries", id=world.new_id(kind), kind=kind, url=url, title=PAGES[url][0], at=at)


def _content(rng: random.Random, name: str) -> list[str]:
    """The lines of a text document or the rows of a spreadsheet; none for other files."""
    if name in _SHEETS:
        columns, labels, (low, high) = _SHEETS[name]
        return [columns, *(f"{label} | {rng.randint(low, high)} | {rng.randint(low, high)}" for label in labels)]
    return list(_TEXTS.get(name, ()))


DOMAIN = Domain(
    utility_convert.NAME,
    utility_web.SCHEMA + utility_documents.SCHEMA + utility_records.SCHEMA,
    utility_convert.TOOLS + utility_web.TOOLS + utility_documents.TOOLS + utility_records.TOOLS,
    seed_rows,
)
