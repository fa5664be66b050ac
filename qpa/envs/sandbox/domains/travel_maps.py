"""Travel & Lifestyle: places, routes and turn-by-turn navigation.

The map is a grid with the phone at its centre: a place lies `x_m` metres east and `y_m` metres north of it, and
streets follow the grid. One navigation runs at a time; it lives in the `nav_*` settings, which are empty while none
does. A saved place is a place with a label; "Home" and "Work" move when they are given to another place.
"""

from __future__ import annotations

import random
from datetime import timedelta
from itertools import pairwise
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import one_contact
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.domains.travel_base import NAME, money, require_location, require_online
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, single, tool

SCHEMA = """
CREATE TABLE places (
  name TEXT PRIMARY KEY, address TEXT NOT NULL DEFAULT '', category TEXT NOT NULL DEFAULT '',
  x_m INTEGER NOT NULL DEFAULT 0, y_m INTEGER NOT NULL DEFAULT 0, label TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

Mode = Literal["drive", "transit", "walk", "cycle"]
MODES: tuple[Mode, ...] = ("drive", "transit", "walk", "cycle")
MAX_WAYPOINTS = 5
MAX_LABEL = 30  # characters
TOLL_ROAD_FROM_M = 10_000  # shorter drives never meet a toll road
_TOLL_CENTS_PER_KM = 50
_METRES_PER_MINUTE = {"drive": 500, "transit": 400, "walk": 80, "cycle": 250}
_TOLL_ROAD_SPEED, _FREE_ROAD_SPEED = 900, 600  # metres per minute on a long drive
_TRANSIT_WAIT = 8  # minutes
_HERE = {"name": "Current location", "x_m": 0, "y_m": 0}
_IDLE = {"nav_destination": "", "nav_mode": "", "nav_waypoints": "", "nav_avoid_tolls": "off", "nav_shared_with": ""}
_BETWEEN = "; "  # of the entries of a settings list

_BUILDINGS = (  # name, address; homes and offices
    ("Lakeside Tower", "12 Lake Road"),
    ("Garden Court", "88 Garden Street"),
    ("Harbor House", "5 Harbor Lane"),
    ("Hilltop Center", "301 Hill Avenue"),
)
_SIGHTS = (  # name, address, category
    ("Central Station", "1 Station Square", "station"),
    ("City Airport", "100 Airport Road", "airport"),
    ("City Hospital", "20 North Street", "hospital"),
    ("Riverside Mall", "66 River Road", "shopping"),
    ("Green Park", "9 Park Lane", "park"),
    ("Sports Center", "40 Stadium Road", "gym"),
    ("Blue Cup Cafe", "15 Lake Road", "cafe"),
    ("Blue Cup Cafe Old Town", "3 Market Street", "cafe"),
    ("Night Owl Pharmacy", "27 Garden Street", "pharmacy"),
    ("Grand Hotel", "8 River Road", "hotel"),
)


def find_place(ctx: ToolContext, text: str) -> Row:
    """The place with this label, name or address, or the only one whose name contains the text; else 404 or 409."""
    places = ctx.rows("SELECT * FROM places ORDER BY name")
    for column in ("label", "name", "address"):
        found = [row for row in places if row[column].casefold() == text.casefold()]
        if found:
            return single(found, "place", "name")
    return find_named(places, "name", text, "Place")


def start_point(ctx: ToolContext, text: str | None) -> Row:
    """The place named, or where the phone is (409 when its location is off)."""
    if text is not None:
        return find_place(ctx, text)
    require_location(ctx)
    return _HERE


def metres(path: list[Row]) -> int:
    """Length of a way through these places."""
    return sum(abs(a["x_m"] - b["x_m"]) + abs(a["y_m"] - b["y_m"]) for a, b in pairwise(path))


def travel(path: list[Row], mode: str, avoid_tolls: bool) -> tuple[int, int]:
    """(minutes, toll in cents) of a way."""
    length = metres(path)
    if mode == "drive" and length >= TOLL_ROAD_FROM_M:
        if avoid_tolls:
            return -(-length // _FREE_ROAD_SPEED), 0
        return -(-length // _TOLL_ROAD_SPEED), length // 1000 * _TOLL_CENTS_PER_KM
    wait = _TRANSIT_WAIT if mode == "transit" else 0
    return -(-length // _METRES_PER_MINUTE[mode]) + wait, 0


def _leg(path: list[Row], mode: str, avoid_tolls: bool) -> dict[str, Any]:
    minutes, toll = travel(path, mode, avoid_tolls)
    return {"mode": mode, "minutes": minutes, "km": round(metres(path) / 1000, 1)} | (
        {"toll": money(toll)} if toll else {}
    )


@tool(domain=NAME, effect=Effect.READ)
def query_route(
    ctx: ToolContext,
    destination: str,
    origin: str | None = None,
    mode: Mode | None = None,
    avoidTolls: bool | None = None,
) -> dict[str, Any]:
    """Compare travel times to a place without starting navigation."""
    require_online(ctx)
    path = [start_point(ctx, origin), find_place(ctx, destination)]
    modes = MODES if mode is None else (mode,)
    items = [_leg(path, each, bool(avoidTolls)) for each in modes]
    return ok("Routes", origin=path[0]["name"], destination=path[1]["name"], items=items, total=len(items))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="ACCESS_FINE_LOCATION")
def control_navigation(
    ctx: ToolContext,
    action: Literal["start", "update", "stop", "query"],
    destination: str | None = None,
    mode: Mode | None = None,
    waypoints: list[str] | None = None,
    avoidTolls: bool | None = None,
) -> dict[str, Any]:
    """Start, change, stop or read navigation; drives by default."""
    current = ctx.setting("nav_destination")
    if action == "query":
        return _running(ctx, "Navigation running") if current else ok("No navigation running", destination="")
    if action == "stop":
        if not current:
            return ok("Navigation already stopped")
        for key, value in _IDLE.items():
            ctx.set_setting(key, value)
        return ok("Navigation stopped", destination=current)
    if action == "update" and not current:
        raise conflict("No navigation is running")
    if action == "update" and destination is None and mode is None and waypoints is None and avoidTolls is None:
        raise bad("Nothing to update")
    require_location(ctx)
    require_online(ctx)
    if action == "start":
        need(destination, "a destination")
        old = dict(_IDLE) | {"nav_mode": "drive"}
    else:
        old = {key: ctx.setting(key, default) for key, default in _IDLE.items()}
    plan = _plan(ctx, old, destination, mode, waypoints, avoidTolls)
    same = all(ctx.setting(key) == value for key, value in plan.items())
    if current and action == "start" and not same:
        raise conflict(f"Already navigating to {current[:30]}")
    for key, value in plan.items():
        ctx.set_setting(key, value)
    word = "already running" if same else "started" if action == "start" else "updated"
    return _running(ctx, f"Navigation {word}")


def _plan(
    ctx: ToolContext,
    old: dict[str, str],
    destination: str | None,
    mode: str | None,
    waypoints: list[str] | None,
    avoid_tolls: bool | None,
) -> dict[str, str]:
    """The settings of a navigation: what is given, and `old` for the rest."""
    goal = find_place(ctx, destination or old["nav_destination"])["name"]
    if waypoints is None:
        stops = _stops(old["nav_waypoints"])
    elif len(waypoints) > MAX_WAYPOINTS:
        raise bad(f"At most {MAX_WAYPOINTS} waypoints")
    else:
        stops = [find_place(ctx, text)["name"] for text in waypoints]
    if len({*stops, goal}) != len(stops) + 1:
        raise bad("A stop is named twice")
    way = mode or old["nav_mode"]
    if stops and way == "transit":
        raise bad("transit takes no waypoints")
    if avoid_tolls and way != "drive":
        raise bad("avoidTolls only goes with drive")
    tolls = old["nav_avoid_tolls"] if avoid_tolls is None and way == "drive" else "on" if avoid_tolls else "off"
    return {
        "nav_destination": goal,
        "nav_mode": way,
        "nav_waypoints": _BETWEEN.join(stops),
        "nav_avoid_tolls": tolls,
    }


def _stops(text: str) -> list[str]:
    return text.split(_BETWEEN) if text else []


def _running(ctx: ToolContext, message: str) -> dict[str, Any]:
    goal, stops = ctx.setting("nav_destination"), _stops(ctx.setting("nav_waypoints"))
    path = [_HERE, *(find_place(ctx, name) for name in (*stops, goal))]
    leg = _leg(path, ctx.setting("nav_mode") or "drive", ctx.setting("nav_avoid_tolls", "off") == "on")
    arrives = (ctx.now + timedelta(minutes=leg["minutes"])).strftime("%H:%M")
    return ok(message, destination=goal, **leg, arrives=arrives, **({"waypoints": stops} if stops else {}))


@tool(domain=NAME, effect=Effect.EXTERNAL, permission="READ_CONTACTS")
def share_eta(ctx: ToolContext, action: Literal["start", "stop"], contact: str | None = None) -> dict[str, Any]:
    """Share the arrival time of the running navigation."""
    if not ctx.setting("nav_destination"):
        raise conflict("No navigation is running")
    followers = _stops(ctx.setting("nav_shared_with"))
    if action == "stop" and contact is None:
        word = "stopped" if ctx.set_setting("nav_shared_with", "") else "already stopped"
        return ok(f"Sharing {word}")
    person = one_contact(ctx, need(contact, "a contact"))
    if (person["id"] in followers) == (action == "start"):
        return ok(f"Sharing already {'on' if action == 'start' else 'stopped'}", contact=person["name"])
    if action == "start":
        require_online(ctx)
        followers.append(person["id"])
    else:
        followers.remove(person["id"])
    ctx.set_setting("nav_shared_with", _BETWEEN.join(followers))
    return ok("Sharing started" if action == "start" else "Sharing stopped", contact=person["name"])


@tool(domain=NAME, effect=Effect.READ, permission="ACCESS_FINE_LOCATION")
def search_places(ctx: ToolContext, query: str) -> dict[str, Any]:
    """Find nearby places by name or category, nearest first."""
    require_location(ctx)
    require_online(ctx)
    words = query.casefold().split()
    found = [
        row
        for row in ctx.rows("SELECT * FROM places ORDER BY name")
        if all(word in f"{row['name']} {row['category']} {row['address']}".casefold() for word in words)
    ]
    found.sort(key=lambda row: metres([_HERE, row]))
    items = [
        {
            "name": r["name"],
            "address": r["address"],
            "category": r["category"],
            "km": round(metres([_HERE, r]) / 1000, 1),
        }
        for r in found[:SHOWN]
    ]
    return ok(f"{len(found)} places", items=items, total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_saved_places(
    ctx: ToolContext, action: Literal["save", "remove", "query"], place: str | None = None, label: str | None = None
) -> dict[str, Any]:
    """Save, label (Home, Work), remove or list places."""
    saved = ctx.rows("SELECT name, address, label FROM places WHERE label <> '' ORDER BY label")
    if action == "query":
        return page(f"{len(saved)} saved places", saved)
    if action == "remove":
        row = find_place(ctx, need(place or label, "a place or label"))
        if not row["label"]:
            raise missing(f"{row['name'][:30]} is not saved")
        ctx.execute("UPDATE places SET label = '' WHERE name = ?", row["name"])
        return ok("Place removed", label=row["label"], name=row["name"])
    row = find_place(ctx, need(place, "a place"))
    name = row["name"]
    title = _label(label or row["label"] or name)
    if row["label"] == title:
        return ok(f"Already saved as {title}", name=name)
    if row["label"] in ("Home", "Work"):
        raise conflict(f"{name[:30]} is already {row['label']}")
    if title in ("Home", "Work"):
        ctx.execute("UPDATE places SET label = '' WHERE label = ?", title)
    elif ctx.one(
        "SELECT 1 AS x FROM places WHERE name <> ?1 AND lower(?2) IN (lower(label), lower(name))", name, title
    ):
        raise conflict(f"Label {title} is taken")
    ctx.execute("UPDATE places SET label = ? WHERE name = ?", title, name)
    return ok(f"Saved as {title}", name=name, address=row["address"])


def _label(text: str) -> str:
    if len(text) > MAX_LABEL:
        raise bad(f"label is longer than {MAX_LABEL} characters")
    return text.capitalize() if text.casefold() in ("home", "work") else text


def seed_rows(rng: random.Random, world: World) -> None:
    """Home, work, two more buildings, seven sights (one saved), and no navigation."""
    homes = rng.sample(("Home", "Work", "", ""), 4)
    for (name, address), label in zip(_BUILDINGS, homes, strict=True):
        world.add("places", name=name, address=address, category="building", label=label, **_spot(rng, 6000))
    sights = [_SIGHTS[0], _SIGHTS[1], *rng.sample(_SIGHTS[2:], 6)]
    favourite = rng.choice(sights[2:])
    for name, address, category in sights:
        label = rng.choice(("Weekend", "Favourite", name)) if name == favourite[0] else ""
        far = 16000 if category == "airport" else 6000
        world.add("places", name=name, address=address, category=category, label=label, **_spot(rng, far))
    for key, value in _IDLE.items():
        world.add("settings", key=key, value=value)


def _spot(rng: random.Random, far: int) -> dict[str, int]:
    return {axis: rng.choice((-1, 1)) * rng.randrange(far // 8, far, 50) for axis in ("x_m", "y_m")}


TOOLS = (control_navigation, query_route, search_places, manage_saved_places, share_eta)
