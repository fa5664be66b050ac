"""The seeded customers of the CRM and what they wrote.

A customer's history is three to eight messages that say all facts of a `Brief`: need and budget first, then who
signs, the deadline and an objection, and at last, by mail, the follow-up the customer asks for. A task that needs to
know them draws its own brief and patches the history in.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from qpa.envs.sandbox.context import Row
from qpa.envs.sandbox.schema import WORLD_CLOCK, World

TEAM = ("Me", "Alice Reed", "Omar Haddad", "Priya Nair", "Tom Fischer")  # who a customer may be assigned to
TAGS = ("newsletter", "priority", "referral", "reseller", "trade fair")
PRODUCTS = ("coffee machines", "conference screens", "label printers", "office chairs", "standing desks", "tablets")
DECIDERS = ("Clara Voss", "Henrik Dahl", "Ines Roth", "Jonas Beck", "Laila Amari", "Pavel Novotny")
OBJECTIONS = (
    "another vendor is cheaper",
    "the delivery takes too long",
    "the warranty is too short",
    "our staff would need training",
    "the installation costs extra",
)
ASKS = {  # kind of follow-up -> how a customer asks for it
    "call": "Please call me on {when}.",
    "demo": "Could you show us a demo on {when}?",
    "mail": "Please write to me again on {when}.",
    "meeting": "Can we meet at our office on {when}?",
    "quote": "Please send me the new quote on {when}.",
}
_COMPANIES = (
    "Alder Bikes",
    "Brightwater Hotels",
    "Casa Verde",
    "Dunmore Printing",
    "Elbe Logistics",
    "Fjord Foods",
    "Granite Fitness",
    "Hanami Tea",
    "Juniper Schools",
)
_FIRST = ("Anton", "Bianca", "Daniel", "Elif", "Marta", "Niko", "Rosa", "Stefan")
_LAST = ("Albrecht", "Costa", "Eriksen", "Fontaine", "Hofer", "Ivanova", "Keller", "Olsen")
_FILLERS = (  # channel, subject, text; sent by the owner
    ("mail", "Your request", "Thank you, I will prepare an offer for the {product}."),
    ("chat", "", "Good to hear from you, I will check and come back to you."),
    ("call", "", "Spoke with {contact} on the phone, the interest is real."),
)


@dataclass(frozen=True)
class Brief:
    """What a customer has said: the facts that tasks ask about."""

    product: str
    budget: int  # euros
    decider: str
    deadline: str  # ISO date
    objection: str
    ask: str  # a key of ASKS
    due: str  # ISO datetime of the follow-up asked for


def draw_brief(rng: random.Random) -> Brief:
    """Facts dated after `WORLD_CLOCK`; the follow-up falls on a working day of the next two weeks."""
    ahead = rng.choice((1, 2, 5, 6, 7, 8, 9, 12))
    due = WORLD_CLOCK.replace(hour=rng.randint(10, 16), minute=rng.choice((0, 30))) + timedelta(days=ahead)
    return Brief(
        product=rng.choice(PRODUCTS),
        budget=500 * rng.randint(8, 80),
        decider=rng.choice(DECIDERS),
        deadline=(WORLD_CLOCK.date() + timedelta(days=rng.randint(30, 75))).isoformat(),
        objection=rng.choice(OBJECTIONS),
        ask=rng.choice(sorted(ASKS)),
        due=due.isoformat(),
    )


def history(rng: random.Random, brief: Brief, contact: str, owner: str) -> list[Row]:
    """Three to eight `crm_messages` rows, oldest first, without id and customer_id."""
    middle = [
        f"{brief.decider} signs the contract on our side.",
        f"We must have everything by {_day(datetime.fromisoformat(brief.deadline))}.",
        f"One worry: {brief.objection}.",
    ]
    cuts = sorted(rng.sample((1, 2), rng.randint(0, 2)))
    parts = [" ".join(middle[a:b]) for a, b in zip([0, *cuts], [*cuts, 3], strict=True)]
    said = [("mail", "in", "Request", f"We are looking for {brief.product}. Our budget is {brief.budget:,} euros.")]
    said += [(rng.choice(("mail", "chat")), "in", "", text) for text in parts]
    due = datetime.fromisoformat(brief.due)
    said.append(("mail", "in", "Next step", ASKS[brief.ask].format(when=f"{_day(due)} at {due:%H:%M}")))
    for channel, subject, text in rng.sample(_FILLERS, rng.randint(0, len(_FILLERS))):
        # After the opening and before the last mail, which stays the customer's own.
        line = text.format(product=brief.product, contact=contact)
        said.insert(rng.randint(1, len(said) - 1), (channel, "out", subject, line))
    days = sorted(rng.sample(range(1, 30), len(said)), reverse=True)
    return [
        {
            "channel": channel,
            "direction": direction,
            "author": contact if direction == "in" else owner,
            "at": (WORLD_CLOCK.replace(hour=rng.randint(8, 17)) - timedelta(days=ago)).isoformat(),
            "subject": subject if channel == "mail" else "",
            "text": text,
        }
        for ago, (channel, direction, subject, text) in zip(days, said, strict=True)
    ]


def _day(moment: datetime) -> str:
    return f"{moment:%B} {moment.day}"


def seed_rows(rng: random.Random, world: World) -> None:
    """Five customers, two of whom share a first name, with histories, quotes, deals and follow-ups."""
    firsts, lasts = rng.sample(_FIRST, 4), rng.sample(_LAST, 5)
    names = [f"{first} {last}" for first, last in zip([firsts[0], *firsts], lasts, strict=True)]
    stages = ["proposal", *(rng.choice(("lead", "qualified", "proposal", "negotiation", "won")) for _ in range(4))]
    rng.shuffle(stages)
    products: list[str] = []
    for contact, company, stage in zip(names, rng.sample(_COMPANIES, 5), stages, strict=True):
        brief, owner = draw_brief(rng), rng.choice(TEAM)
        products.append(brief.product)
        customer = world.add(
            "crm_customers",
            id=world.new_id("customer"),
            company=company,
            contact=contact,
            email=f"{contact.lower().replace(' ', '.')}@{company.split()[0].lower()}.example",
            phone=f"556{rng.randrange(1000, 10000)}",
            stage=stage,
            value=0 if stage == "lead" else brief.budget + 500 * rng.choice((-3, -2, 2, 3)),
            owner=owner,
            tags=", ".join(sorted(rng.sample(TAGS, rng.randint(0, 2)))),
        )
        for row in history(rng, brief, contact, owner):
            world.add("crm_messages", id=world.new_id("entry"), customer_id=customer["id"], **row)
        _quote(rng, world, customer, brief.product)
    _deals_and_follow_ups(rng, world, products)


def _quote(rng: random.Random, world: World, customer: Row, product: str) -> None:
    """One quote in the state that the customer's stage calls for."""
    status = {"qualified": "draft", "proposal": "sent", "negotiation": "sent", "won": "accepted"}.get(customer["stage"])
    if status is not None:
        world.add(
            "crm_quotes",
            id=world.new_id("quote"),
            customer_id=customer["id"],
            product=product,
            amount=customer["value"],
            status=status,
            valid_until=(WORLD_CLOCK.date() + timedelta(days=rng.randint(10, 40))).isoformat(),
        )


def _deals_and_follow_ups(rng: random.Random, world: World, products: list[str]) -> None:
    customers = world.rows["crm_customers"]
    for index in sorted(rng.sample(range(len(customers)), 3)):
        customer = customers[index]
        world.add(
            "crm_deals",
            id=world.new_id("deal"),
            customer_id=customer["id"],
            title=products[index].capitalize(),
            amount=customer["value"] or 500 * rng.randint(4, 20),
            status="won" if customer["stage"] == "won" else "open",
            close_date=(WORLD_CLOCK.date() + timedelta(days=rng.randint(5, 60))).isoformat(),
        )
    for customer, ahead in zip(rng.sample(customers, 3), (-2, 0, rng.randint(1, 6)), strict=True):
        due = WORLD_CLOCK.replace(hour=rng.randint(11, 17)) + timedelta(days=ahead)
        kind = rng.choice(("call", "mail"))
        world.add(
            "crm_follow_ups", id=world.new_id("follow_up"), customer_id=customer["id"], kind=kind, due=due.isoformat()
        )
