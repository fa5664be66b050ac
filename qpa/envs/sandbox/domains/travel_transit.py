"""Travel & Lifestyle: metro and bus lines, and the accounts on the phone: transit cards, wallets, payment codes."""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import (
    CARD_KINDS,
    NAME,
    add_money,
    charge,
    find_wallet,
    money,
    require_online,
    to_cents,
)
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, tool

MAX_CARD_CENTS = 100_000
TOP_UP = (1, 500)  # lowest and highest amount of one top-up


@dataclass(frozen=True)
class Line:
    """Runs both ways between the first and the last stop, every day from `first` to `last` (minutes of the day)."""

    name: str
    stops: tuple[str, ...]
    every: int  # minutes between two services
    hop: int  # minutes between two stops
    fare_cents: int
    first: int = 5 * 60 + 30
    last: int = 23 * 60


LINES = (
    Line(
        "Metro Line 1", ("City Airport", "Science Park", "University", "Central Station", "Museum", "Harbor"), 6, 4, 400
    ),
    Line("Metro Line 2", ("North Gate", "City Hospital", "Central Station", "Riverside Mall", "Stadium"), 8, 3, 300),
    Line("Airport Express", ("City Airport", "Central Station"), 20, 18, 2500, 6 * 60, 22 * 60),
    Line("Bus 12", ("University", "Green Park", "Riverside Mall", "Old Town"), 15, 6, 200, 6 * 60, 21 * 60),
    Line("Bus 48", ("Museum", "Old Town", "Stadium", "South Gate"), 20, 5, 200, 6 * 60, 21 * 60),
)
_STOPS = tuple(sorted({stop for line in LINES for stop in line.stops}))


@dataclass(frozen=True)
class _Ride:
    line: Line
    end: str
    leaves: int  # minutes of the day
    arrives: int
    stops: int


def _board(line: Line, start: str, end: str, after: int) -> _Ride | None:
    """The first service from one stop to another that leaves at `after` or later, None after the last of the day."""
    begin, finish = line.stops.index(start), line.stops.index(end)
    from_terminus = line.hop * (begin if finish > begin else len(line.stops) - 1 - begin)
    waiting = max(0, after - line.first - from_terminus)
    leaves = line.first + from_terminus + -(-waiting // line.every) * line.every
    if leaves - from_terminus > line.last:
        return None
    hops = abs(finish - begin)
    return _Ride(line, end, leaves, leaves + hops * line.hop, hops)


def _find_stop(text: str) -> str:
    return find_named([{"stop": stop} for stop in _STOPS], "stop", text, "Stop")["stop"]


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _minute_of(ctx: ToolContext, time: str | None) -> int:
    """The minute of the day to travel from."""
    moment = ctx.now if time is None else datetime.fromisoformat(resolve(time, ctx.now, "datetime"))
    return moment.hour * 60 + moment.minute


@tool(domain=NAME, effect=Effect.READ)
def query_transit_routes(ctx: ToolContext, origin: str, destination: str, time: str | None = None) -> dict[str, Any]:
    """Find metro and bus routes between two stops."""
    require_online(ctx)
    start, end, after = _find_stop(origin), _find_stop(destination), _minute_of(ctx, time)
    if start == end:
        raise bad("origin and destination are the same stop")
    found = _direct(start, end, after) + _with_change(start, end, after)
    if not found:
        raise missing("No route at that time")
    found.sort(key=lambda rides: (rides[-1].arrives, sum(ride.line.fare_cents for ride in rides)))
    items = [_route_view(rides) for rides in found[:3]]
    return ok(f"{len(found)} routes", origin=start, destination=end, items=items, total=len(found))


def _direct(start: str, end: str, after: int) -> list[tuple[_Ride, ...]]:
    lines = [line for line in LINES if start in line.stops and end in line.stops]
    return [(ride,) for line in lines if (ride := _board(line, start, end, after))]


def _with_change(start: str, end: str, after: int) -> list[tuple[_Ride, ...]]:
    found: list[tuple[_Ride, ...]] = []
    for first in (line for line in LINES if start in line.stops and end not in line.stops):
        for second in (line for line in LINES if end in line.stops and start not in line.stops):
            for change in sorted(set(first.stops) & set(second.stops)):
                ride = _board(first, start, change, after)
                onward = ride and _board(second, change, end, ride.arrives)
                if ride and onward:
                    found.append((ride, onward))
    return found


def _route_view(rides: tuple[_Ride, ...]) -> dict[str, Any]:
    view: dict[str, Any] = {
        "lines": [ride.line.name for ride in rides],
        "departs": _clock(rides[0].leaves),
        "arrives": _clock(rides[-1].arrives),
        "stops": sum(ride.stops for ride in rides),
        "fare": money(sum(ride.line.fare_cents for ride in rides)),
    }
    return view | ({"changeAt": rides[0].end} if len(rides) > 1 else {})


@tool(domain=NAME, effect=Effect.READ)
def query_departures(ctx: ToolContext, stop: str, line: str | None = None, time: str | None = None) -> dict[str, Any]:
    """List the next departures at a metro or bus stop."""
    require_online(ctx)
    name, after = _find_stop(stop), _minute_of(ctx, time)
    serving = [each for each in LINES if name in each.stops]
    if line is not None:
        wanted = find_named([{"name": each.name} for each in serving], "name", line, "Line here")["name"]
        serving = [each for each in serving if each.name == wanted]
    rides: list[_Ride] = []
    for each in serving:
        for end in (each.stops[0], each.stops[-1]):
            begin = after
            while end != name and (ride := _board(each, name, end, begin)) and ride.leaves < after + 60:
                rides.append(ride)
                begin = ride.leaves + 1
    rides.sort(key=lambda ride: (ride.leaves, ride.line.name, ride.end))
    items = [{"line": r.line.name, "towards": r.end, "departs": _clock(r.leaves)} for r in rides[:SHOWN]]
    return ok(f"{len(rides)} departures within an hour", stop=name, items=items, total=len(rides))


# --- cards and wallets ----------------------------------------------------------------------------------------------


def _cards(ctx: ToolContext) -> list[Row]:
    return ctx.rows("SELECT * FROM payment_accounts WHERE kind IN (?, ?) ORDER BY name", *CARD_KINDS)


def _make_default(ctx: ToolContext, row: Row, kinds: tuple[str, ...]) -> bool:
    """Makes this the default of its kinds; False when it was already."""
    if row["is_default"]:
        return False
    marks = ", ".join("?" * len(kinds))
    ctx.execute(f"UPDATE payment_accounts SET is_default = 0 WHERE is_default = 1 AND kind IN ({marks})", *kinds)
    ctx.execute("UPDATE payment_accounts SET is_default = 1 WHERE name = ?", row["name"])
    return True


def _account_view(row: Row) -> dict[str, Any]:
    return {"name": row["name"], "balance": money(row["balance_cents"])} | (
        {"default": True} if row["is_default"] else {}
    )


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def manage_transit_card(
    ctx: ToolContext,
    action: Literal["top_up", "set_default", "query"],
    cardName: str | None = None,
    amount: float | None = None,
    paymentMethod: str | None = None,
) -> dict[str, Any]:
    """Top up a transit card, choose the default, or query."""
    cards = _cards(ctx)
    if action == "query":
        found = cards if cardName is None else [find_named(cards, "name", cardName, "Card")]
        return ok(f"{len(found)} cards", items=[_account_view(row) for row in found[:SHOWN]], total=len(found))
    card = find_named(cards, "name", need(cardName, "a card"), "Card")
    if action == "set_default":
        word = "now" if _make_default(ctx, card, CARD_KINDS) else "already"
        return ok(f"{card['name']} is {word} the default")
    cents = to_cents("amount", need(amount, "an amount"), *TOP_UP)
    require_online(ctx)
    if card["balance_cents"] + cents > MAX_CARD_CENTS:
        raise conflict(f"A card holds at most {money(MAX_CARD_CENTS):.2f}")
    wallet = find_wallet(ctx, paymentMethod)
    charge(ctx, wallet, cents)
    add_money(ctx, card["name"], cents)
    return ok(
        "Card topped up", card=card["name"], balance=money(card["balance_cents"] + cents), paidWith=wallet["name"]
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_wallets(
    ctx: ToolContext, action: Literal["set_default", "query"], walletApp: str | None = None
) -> dict[str, Any]:
    """Read wallet balances, or choose the default wallet."""
    if action == "set_default":
        wallet = find_wallet(ctx, need(walletApp, "a wallet"))
        word = "now" if _make_default(ctx, wallet, ("wallet",)) else "already"
        return ok(f"{wallet['name']} is {word} the default")
    if walletApp is not None:
        return ok("Wallet", **_account_view(find_wallet(ctx, walletApp)))
    found = ctx.rows("SELECT * FROM payment_accounts WHERE kind = 'wallet' ORDER BY name")
    return ok(f"{len(found)} wallets", items=[_account_view(row) for row in found[:SHOWN]], total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_payment_code(
    ctx: ToolContext,
    action: Literal["show", "hide", "query"],
    walletApp: str | None = None,
    codeType: Literal["pay", "receive"] | None = None,
) -> dict[str, Any]:
    """Show or hide a wallet's code for paying or receiving."""
    shown, kind = ctx.setting("payment_code"), ctx.setting("payment_code_type")
    if action == "query":
        return ok("Payment code shown" if shown else "No payment code shown", walletApp=shown, codeType=kind)
    if action == "hide":
        if not shown:
            return ok("Payment code already hidden")
        ctx.set_setting("payment_code", "")
        ctx.set_setting("payment_code_type", "")
        return ok("Payment code hidden", walletApp=shown)
    if ctx.setting("screen_lock", "unlocked") == "locked":
        raise conflict("Screen is locked")
    require_online(ctx)
    wallet, wanted = find_wallet(ctx, walletApp), codeType or "pay"
    if (wallet["name"], wanted) == (shown, kind):
        return ok("Payment code already shown", walletApp=shown, codeType=kind)
    ctx.set_setting("payment_code", wallet["name"])
    ctx.set_setting("payment_code_type", wanted)
    return ok("Payment code shown", walletApp=wallet["name"], codeType=wanted)


def seed_rows(rng: random.Random, world: World) -> None:
    """Three wallets, a metro and a bus card, and no code on the screen."""
    wallets = rng.sample(("Alipay", "WeChat Pay", "PayPal", "Google Wallet", "Samsung Wallet"), 3)
    for index, name in enumerate(wallets):
        highest = (900_000, 300_000, 20_000)[index]  # the default one can pay most things, the last hardly any
        balance = rng.randrange(highest // 3, highest, 50)
        world.add("payment_accounts", name=name, kind="wallet", balance_cents=balance, is_default=int(index == 0))
    default = rng.choice(CARD_KINDS)
    for name, kind in zip(("City Metro Card", "City Bus Card"), CARD_KINDS, strict=True):
        balance = rng.randrange(150, 9000, 10)
        world.add("payment_accounts", name=name, kind=kind, balance_cents=balance, is_default=int(kind == default))
    world.add("settings", key="payment_code", value="")
    world.add("settings", key="payment_code_type", value="")


TOOLS = (
    query_transit_routes,
    query_departures,
    manage_transit_card,
    manage_wallets,
    manage_payment_code,
)
