"""Travel & Lifestyle: train, flight and movie tickets, and the bookings made of them.

All times are the phone's: the cities served share its time zone. A booking that clashes with another booking or with
a calendar event is made all the same, and says so. Cancelling a day or more ahead gives all money back, later half.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import NAME, add_money, charge, find_wallet, money, require_online
from qpa.envs.sandbox.domains.travel_weather import HOME_CITIES
from qpa.envs.sandbox.schema import WORLD_CLOCK, World
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, ok, single, tool

SCHEMA = """
CREATE TABLE trips (
  code TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL DEFAULT '', origin TEXT NOT NULL DEFAULT '',
  destination TEXT NOT NULL DEFAULT '', departs TEXT NOT NULL, arrives TEXT NOT NULL,
  price_cents INTEGER NOT NULL DEFAULT 0, seats INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE bookings (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, code TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '',
  departs TEXT NOT NULL, arrives TEXT NOT NULL, quantity INTEGER NOT NULL DEFAULT 1, seat TEXT NOT NULL DEFAULT '',
  total_cents INTEGER NOT NULL DEFAULT 0, paid_with TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'booked'
) STRICT, WITHOUT ROWID;
"""

Kind = Literal["train", "flight", "movie"]
SEATS = {
    "train": ("window", "aisle", "quiet car"),
    "flight": ("window", "aisle"),
    "movie": ("front", "middle", "back"),
}
MAX_TICKETS = 9  # of one booking
_FREE_CANCELLATION = timedelta(days=1)

_RAIL = {  # both ways: (minutes, price in cents)
    frozenset(("Hangzhou", "Shanghai")): (55, 7300),
    frozenset(("Beijing", "Shanghai")): (270, 55300),
    frozenset(("Beijing", "Hangzhou")): (300, 62600),
}
_FLIGHTS = {"Chengdu": (190, 98000), "Guangzhou": (150, 85000), "Hong Kong": (165, 142000), "Singapore": (330, 210000)}
_AIRLINES = ("CA", "CZ", "MU", "SQ")
_MOVIES = (("Dune: Part Three", 165), ("The Wild Robot", 102), ("Paddington in Peru", 106), ("Gladiator II", 148))
_CINEMAS = ("Riverside Cinema", "Old Town Cinema")


def clashes(ctx: ToolContext, begins: str, ends: str) -> list[str]:
    """Names of the bookings and calendar events between two moments."""
    sql = "SELECT title FROM bookings WHERE status = 'booked' AND departs < ?2 AND arrives > ?1 ORDER BY departs, id"
    booked = [row["title"] for row in ctx.rows(sql, begins, ends)]
    sql = "SELECT event FROM schedules WHERE datetime >= ?1 AND datetime < ?2 ORDER BY datetime, id"
    return booked + [row["event"] for row in ctx.rows(sql, begins, ends)]


def clash_warning(names: list[str]) -> dict[str, Any]:
    """What an answer says about clashes: nothing when there are none."""
    return {"clashesWith": names[:SHOWN]} if names else {}


@tool(domain=NAME, effect=Effect.READ)
def search_tickets(
    ctx: ToolContext,
    kind: Kind,
    origin: str | None = None,
    destination: str | None = None,
    date: str | None = None,
    title: str | None = None,
) -> dict[str, Any]:
    """Search train, flight or movie tickets on sale."""
    require_online(ctx)
    day = "" if date is None else resolve(date, ctx.now, "date")
    filters = {"origin": origin, "destination": destination, "title": title}
    found = [
        row
        for row in ctx.rows("SELECT * FROM trips WHERE kind = ? ORDER BY departs, code", kind)
        if row["departs"] > ctx.now.isoformat() and row["departs"].startswith(day)
        if all(text is None or text.casefold() in row[column].casefold() for column, text in filters.items())
    ]
    return ok(f"{len(found)} {kind}s", items=[_trip_view(row) for row in found[:SHOWN]], total=len(found))


def _trip_view(row: Row) -> dict[str, Any]:
    view = {"code": row["code"]}
    view |= {name: row[name] for name in ("title", "origin", "destination") if row[name]}
    times = {"departs": row["departs"][:16], "arrives": row["arrives"][:16]}
    return view | times | {"price": money(row["price_cents"]), "seatsLeft": row["seats"]}


@tool(domain=NAME, effect=Effect.EXTERNAL)
def book_ticket(
    ctx: ToolContext,
    ticketCode: str,
    quantity: int | None = None,
    seat: Literal["window", "aisle", "quiet car", "front", "middle", "back"] | None = None,
    paymentMethod: str | None = None,
) -> dict[str, Any]:
    """Book and pay a train, flight or movie ticket."""
    require_online(ctx)
    trip = single(ctx.rows("SELECT * FROM trips WHERE upper(code) = upper(?)", ticketCode), "ticket", "code")
    count = in_range("quantity", 1 if quantity is None else quantity, 1, MAX_TICKETS)
    if seat is not None and seat not in SEATS.get(trip["kind"], ()):
        raise bad(f"seat must be {'|'.join(SEATS.get(trip['kind'], ()))}")
    if trip["departs"] <= ctx.now.isoformat():
        raise conflict("Already departed")
    if trip["seats"] < count:
        raise conflict(f"Only {trip['seats']} seats left" if trip["seats"] else "Sold out")
    twin = ctx.one("SELECT id FROM bookings WHERE code = ? AND status = 'booked'", trip["code"])
    if twin:
        raise conflict(f"Already booked: {twin['id']}")
    wallet = find_wallet(ctx, paymentMethod)
    total = trip["price_cents"] * count
    charge(ctx, wallet, total)
    warning = clash_warning(clashes(ctx, trip["departs"], trip["arrives"]))
    ctx.execute("UPDATE trips SET seats = seats - ? WHERE code = ?", count, trip["code"])
    row = ctx.insert(
        "bookings",
        id=ctx.new_id("booking"),
        kind=trip["kind"],
        code=trip["code"],
        title=trip_title(trip),
        departs=trip["departs"],
        arrives=trip["arrives"],
        quantity=count,
        seat=seat or "",
        total_cents=total,
        paid_with=wallet["name"],
    )
    message = "Booked, but times clash" if warning else "Booked"
    return ok(message, id=row["id"], title=row["title"], total=money(total), paidWith=wallet["name"], **warning)


def trip_title(trip: Row) -> str:
    """What a booking of this trip is called."""
    return trip["title"] or f"{trip['code']} {trip['origin']} - {trip['destination']}"


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def cancel_booking(ctx: ToolContext, booking: str) -> dict[str, Any]:
    """Cancel a ticket by booking id, ticket code or title."""
    require_online(ctx)
    row = _find_booking(ctx, booking)
    if row["status"] == "cancelled":
        return ok("Already cancelled", id=row["id"])
    departs = datetime.fromisoformat(row["departs"])
    if departs <= ctx.now:
        raise conflict("Already departed")
    refund = row["total_cents"]
    if departs - ctx.now < _FREE_CANCELLATION:
        refund -= refund // 2
    ctx.execute("UPDATE bookings SET status = 'cancelled' WHERE id = ?", row["id"])
    ctx.execute("UPDATE trips SET seats = seats + ? WHERE code = ?", row["quantity"], row["code"])
    add_money(ctx, row["paid_with"], refund)
    return ok("Booking cancelled", id=row["id"], refund=money(refund), refundedTo=row["paid_with"])


def _find_booking(ctx: ToolContext, text: str) -> Row:
    """A ticket by id; or by code or title, where a live booking goes before a cancelled one."""
    tickets = ctx.rows("SELECT * FROM bookings WHERE kind <> 'ride' ORDER BY departs, id")
    wanted = text.casefold()
    named = [row for row in tickets if row["id"] == wanted]
    named = named or [row for row in tickets if wanted in (row["code"].casefold(), row["title"].casefold())]
    named = named or [row for row in tickets if wanted in row["title"].casefold()]
    return single([row for row in named if row["status"] == "booked"] or named, "booking")


@tool(domain=NAME, effect=Effect.READ)
def query_bookings(
    ctx: ToolContext,
    kind: Literal["train", "flight", "movie", "ride"] | None = None,
    date: str | None = None,
    status: Literal["booked", "cancelled"] | None = None,
) -> dict[str, Any]:
    """List ticket and ride bookings by kind, date or status."""
    day = "" if date is None else resolve(date, ctx.now, "date")
    sql = "SELECT * FROM bookings WHERE (?1 IS NULL OR kind = ?1) AND (?2 IS NULL OR status = ?2)"
    found = [
        row for row in ctx.rows(sql + " ORDER BY departs DESC, id", kind, status) if row["departs"].startswith(day)
    ]
    items = [
        {
            "id": row["id"],
            "title": row["title"],
            "departs": row["departs"][:16],
            "arrives": row["arrives"][:16],
            "quantity": row["quantity"],
            "seat": row["seat"],
            "total": money(row["total_cents"]),
            "status": row["status"],
        }
        for row in found[:SHOWN]
    ]
    return ok(f"{len(found)} bookings", items=items, total=len(found))


def seed_rows(rng: random.Random, world: World) -> None:
    """Trains and flights to and fro, a few films, one sold out; a film booked and a past trip."""
    home = next(row["value"] for row in world.rows["settings"] if row["key"] == "current_city")
    near = rng.choice([city for city in HOME_CITIES if city != home])
    far = rng.choice(tuple(_FLIGHTS))
    day = rng.randint(1, 4)
    minutes, price = _RAIL[frozenset((home, near))]
    numbers = rng.sample(range(100, 1000), 8)
    ways = [(home, near, day)] * 3 + [(near, home, day + 1)]
    for number, (start, end, ahead), hour in zip(numbers[:4], ways, (7, 10, 17, 18), strict=True):
        slower = rng.choice((0, 10, 25))
        fare = price - slower * 40 + rng.choice((0, 1200))
        _add_trip(rng, world, "train", f"G{number}", ("", start, end), (ahead, hour), minutes + slower, fare)
    minutes, price = _FLIGHTS[far]
    ways = [(home, far, day)] * 3 + [(far, home, day + 2)]
    for number, (start, end, ahead), hour in zip(numbers[4:], ways, (8, 13, 20, 15), strict=True):
        fare = price + rng.randrange(-20000, 40000, 1000)
        code = f"{rng.choice(_AIRLINES)}{number}"
        _add_trip(rng, world, "flight", code, ("", start, end), (ahead, hour), minutes, fare)
    films = rng.sample(_MOVIES, 2)
    for index, hour in enumerate((14, 19, 20, 21)):
        (title, length), cinema = films[index % 2], _CINEMAS[index // 2]
        fare = rng.choice((3900, 4500, 5900))
        _add_trip(rng, world, "movie", f"MV{101 + index}", (title, cinema, ""), (index // 2, hour), length, fare)
    rng.choice(world.rows["trips"][:3])["seats"] = 0
    _bookings(rng, world)


def _add_trip(
    rng: random.Random,
    world: World,
    kind: str,
    code: str,
    names: tuple[str, str, str],
    when: tuple[int, int],
    minutes: int,
    price: int,
) -> None:
    days, hour = when
    departs = WORLD_CLOCK.replace(hour=hour, minute=rng.choice((0, 15, 30, 45))) + timedelta(days=days)
    title, origin, destination = names
    world.add(
        "trips",
        code=code,
        kind=kind,
        title=title,
        origin=origin,
        destination=destination,
        departs=departs.isoformat(),
        arrives=(departs + timedelta(minutes=minutes)).isoformat(),
        price_cents=price,
        seats=rng.randint(2, 40),
    )


def _bookings(rng: random.Random, world: World) -> None:
    trips = world.rows["trips"]
    wallet = next(row["name"] for row in world.rows["payment_accounts"] if row["is_default"])
    back = trips[3]
    past = back | {"code": "G77"} | {end: _days_earlier(back[end], 10) for end in ("departs", "arrives")}
    for trip in (past, rng.choice(trips[8:])):
        count = rng.randint(1, 2)
        world.add(
            "bookings",
            id=world.new_id("booking"),
            kind=trip["kind"],
            code=trip["code"],
            title=trip_title(trip),
            departs=trip["departs"],
            arrives=trip["arrives"],
            quantity=count,
            total_cents=trip["price_cents"] * count,
            paid_with=wallet,
        )


def _days_earlier(moment: str, days: int) -> str:
    return (datetime.fromisoformat(moment) - timedelta(days=days)).isoformat()


TOOLS = (search_tickets, book_ticket, cancel_booking, query_bookings)
