"""Customer Management: the prepared customers that all its families use.

The whole app is kept from training, so every family here is `unseen="app"`. Customers write English, as the app's
seeded ones do, in Chinese tasks too.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from qpa.bench.families.mobile.common import Rows, online
from qpa.bench.families.values import Draw
from qpa.contract import Dimension, ToolStep
from qpa.envs.sandbox.domains import crm_world
from qpa.envs.sandbox.domains.crm_world import PRODUCTS, TEAM, Brief
from qpa.envs.sandbox.schema import WORLD_CLOCK

TOOL = Dimension.TOOL
CRM = "Customer Management"
Row = dict[str, Any]
# None of these names is in a seeded world.
FIRST = (
    "Agnes", "Bruno", "Celia", "Dorian", "Esther", "Felix", "Gloria", "Hugo", "Irene", "Julian",
    "Katja", "Leon", "Mira", "Nils", "Olivia", "Paolo", "Renate", "Samuel", "Tessa", "Viktor",
)  # fmt: skip
LAST = (
    "Adler", "Brandt", "Castelli", "Duval", "Engel", "Ferrari", "Gruber", "Halvorsen", "Iversen", "Jansen",
    "Kowalski", "Lindqvist", "Moreau", "Nowak", "Oswald", "Petrov", "Quist", "Rinaldi", "Sandoval", "Thorne",
)  # fmt: skip
COMPANIES = (
    "Amber Optics", "Bluebell Dental", "Copper Kettle", "Delta Ferries", "Evergreen Press", "Foxglove Spa",
    "Golden Oak Gyms", "Hearthstone Ovens", "Ivory Pianos", "Jasmine Textiles", "Kestrel Drones", "Lantern Films",
    "Meadow Dairy", "Nimbus Clinics", "Orchid Travel", "Pebble Schools", "Quartz Lighting", "Riverbend Cider",
)  # fmt: skip
TAGS = ("vip", "spring campaign", "late payer", "pilot user", "north region", "press contact", "chain store", "startup")
MEMBERS = TEAM[1:]  # besides the user


def customers(rng: Draw, count: int, **more: Any) -> list[Row]:
    """Patched customers who share no name with each other or anybody else; `more` holds for all of them."""
    names = zip(rng.sample(FIRST, count), rng.sample(LAST, count), rng.sample(COMPANIES, count), strict=True)
    return [
        {
            "id": f"customer_{701 + i}",
            "company": company,
            "contact": f"{first} {last}",
            "email": f"{first.lower()}@{company.split()[0].lower()}.example",
            "phone": f"557{rng.randrange(1000, 10000)}",
            "stage": "lead",
            "value": 500 * rng.randint(8, 80),
            "owner": "Me",
            **more,
        }
        for i, (first, last, company) in enumerate(names)
    ]


def customer(rng: Draw, **more: Any) -> Row:
    """One patched customer."""
    return customers(rng, 1, **more)[0]


def named(tool: str, row: Row, /, **arguments: Any) -> list[ToolStep]:
    """Annotated calls with the customer by contact, company or id: each is a right way to name it."""
    return [ToolStep(name=tool, arguments={"customer": row[k], **arguments}) for k in ("contact", "company", "id")]


def mailbox(rng: Draw, row: Row) -> tuple[Brief, list[Row]]:
    """What a patched customer needs, and the messages that say so."""
    brief = replace(crm_world.draw_brief(rng), product=rng.pick(PRODUCTS))
    rows = crm_world.history(rng, brief, row["contact"], row["owner"])
    return brief, [{"id": f"entry_{701 + i}", "customer_id": row["id"], **r} for i, r in enumerate(rows)]


def coming(rng: Draw, furthest: int = 20) -> tuple[str, str]:
    """(date, time) of a working hour of the coming days."""
    day = WORLD_CLOCK.date() + timedelta(days=rng.randint(1, furthest))
    return day.isoformat(), f"{rng.randint(9, 17):02d}:{rng.choice((0, 15, 30, 45)):02d}"


def who(row: Row, **more: Any) -> Rows:
    """A patch with this customer and more tables, online."""
    return {"crm_customers": [row], "settings": online(), **more}
