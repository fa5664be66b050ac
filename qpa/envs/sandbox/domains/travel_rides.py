"""Travel & Lifestyle: ride hailing. A ride is a booking of kind "ride"; it is paid when it is requested."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import NAME, add_money, charge, find_wallet, money, require_online
from qpa.envs.sandbox.domains.travel_maps import find_place, metres, start_point, travel
from qpa.envs.sandbox.domains.travel_tickets import clash_warning, clashes
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, single, tool

RideType = Literal["economy", "comfort", "xl"]
_FARES = {"economy": (800, 240), "comfort": (1200, 330), "xl": (1500, 420)}  # cents: to get in, per kilometre
_WAIT = {"economy": 4, "comfort": 6, "xl": 9}  # minutes until the car is there
_FURTHEST_DAYS = 7
_BETWEEN_RIDES = timedelta(minutes=15)


@tool(domain=NAME, effect=Effect.EXTERNAL, permission="ACCESS_FINE_LOCATION")
def manage_ride(
    ctx: ToolContext,
    action: Literal["request", "estimate", "cancel", "query"],
    destination: str | None = None,
    pickup: str | None = None,
    rideType: RideType | None = None,
    time: str | None = None,
    paymentMethod: str | None = None,
    rideId: str | None = None,
) -> dict[str, Any]:
    """Request a taxi now or later, estimate, cancel or query."""
    require_online(ctx)
    every = ctx.rows("SELECT * FROM bookings WHERE kind = 'ride' ORDER BY departs, id")
    rides = [row for row in every if row["status"] == "booked" and row["arrives"] > ctx.now.isoformat()]
    if action == "query":
        return ok(f"{len(rides)} rides", items=[_view(row) for row in rides[:SHOWN]], total=len(rides))
    if action == "cancel":
        return _cancel(ctx, single(rides if rideId is None else [row for row in every if row["id"] == rideId], "ride"))
    path = [start_point(ctx, pickup), find_place(ctx, need(destination, "a destination"))]
    if metres(path) == 0:
        raise bad("pickup and destination are the same place")
    minutes = travel(path, "drive", False)[0]
    if action == "estimate":
        kinds = _FARES if rideType is None else (rideType,)
        items = [{"rideType": kind, "fare": money(_fare(path, kind)), "waitMinutes": _WAIT[kind]} for kind in kinds]
        return ok("Estimates", minutes=minutes, items=items, total=len(items))
    return _request(ctx, rides, path, rideType or "economy", minutes, time, paymentMethod)


def _fare(path: list[Row], kind: str) -> int:
    base, per_km = _FARES[kind]
    return base + metres(path) * per_km // 1000


def _request(
    ctx: ToolContext, rides: list[Row], path: list[Row], kind: str, minutes: int, time: str | None, method: str | None
) -> dict[str, Any]:
    if time is None:
        departs = ctx.now + timedelta(minutes=_WAIT[kind])
    else:
        departs = datetime.fromisoformat(resolve(time, ctx.now, "datetime"))
        if not ctx.now < departs <= ctx.now + timedelta(days=_FURTHEST_DAYS):
            raise bad(f"time must be within {_FURTHEST_DAYS} days")
    begins, ends = departs.isoformat(), (departs + timedelta(minutes=minutes)).isoformat()
    earliest = (departs - _BETWEEN_RIDES).isoformat()
    latest = (departs + timedelta(minutes=minutes) + _BETWEEN_RIDES).isoformat()
    twin = next((row["id"] for row in rides if row["departs"] < latest and row["arrives"] > earliest), None)
    if twin:
        raise conflict(f"Another ride then: {twin}")
    wallet, fare = find_wallet(ctx, method), _fare(path, kind)
    charge(ctx, wallet, fare)
    warning = clash_warning(clashes(ctx, begins, ends))
    row = ctx.insert(
        "bookings",
        id=ctx.new_id("ride"),
        kind="ride",
        code=kind,
        title=f"{path[0]['name']} - {path[1]['name']}",
        departs=begins,
        arrives=ends,
        quantity=1,
        total_cents=fare,
        paid_with=wallet["name"],
    )
    return ok("Ride requested", **_view(row), **warning)


def _view(row: Row) -> dict[str, Any]:
    view = {"id": row["id"], "route": row["title"], "rideType": row["code"], "pickupAt": row["departs"][:16]}
    return view | {"fare": money(row["total_cents"]), "paidWith": row["paid_with"]}


def _cancel(ctx: ToolContext, ride: Row) -> dict[str, Any]:
    if ride["status"] == "cancelled":
        return ok("Ride already cancelled", id=ride["id"])
    if ride["departs"] <= ctx.now.isoformat():
        raise conflict("The ride has begun")
    ctx.execute("UPDATE bookings SET status = 'cancelled' WHERE id = ?", ride["id"])
    add_money(ctx, ride["paid_with"], ride["total_cents"])
    return ok("Ride cancelled", id=ride["id"], refund=money(ride["total_cents"]))


TOOLS = (manage_ride,)
