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


def customer(rng: Draw, number: int = 701, **more: Any) -> Row:
    """A patched customer whose names nobody else has; `number` tells several of a task apart."""
    shift = 7 * (number - 701)
    contact = f"{_pick(rng, FIRST, shift)} {_pick(rng, LAST, shift)}"
    company = _pick(rng, COMPANIES, shift)
    row = {
        "id": f"customer_{number}",
        "company": company,
        "contact": contact,
        "email": f"{contact.split()[0].lower()}@{company.split()[0].lower()}.example",
        "phone": f"557{rng.randrange(1000, 10000)}",
        "stage": "lead",
        "value": 500 * rng.randint(8, 80),
        "owner": "Me",
    }
    return {**row, **more}


def _pick(rng: Draw, pool: tuple[str, ...], shift: int) -> str:
    """A name of a third of the pool: customers of one task never share one."""
    return pool[(3 * rng.randrange(len(pool) // 3) + shift) % len(pool)]


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
