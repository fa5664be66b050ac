"""Devices & Cross-device, first part: what is around, what is trusted, and finding one's own devices.

A device row is one machine as this phone sees it. `nearby` is within radio reach; `trusted` may collaborate without
asking again; `owned` belongs to the same account and can be found, rung and locked while it is `online`. Watch, car,
laptop and earbuds carry the name of their `bluetooth_devices` row. Removing trust ends whatever builds on it.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named, require_online
from qpa.envs.sandbox.domains.phone_state import is_on, page, refuse_super_saving, require_radios
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, single, tool

NAME = "Devices & Cross-device"

SCHEMA = """
CREATE TABLE devices (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, nearby INTEGER NOT NULL DEFAULT 1,
  trusted INTEGER NOT NULL DEFAULT 0, owned INTEGER NOT NULL DEFAULT 0, online INTEGER NOT NULL DEFAULT 1,
  place TEXT NOT NULL DEFAULT '', seen_at TEXT NOT NULL DEFAULT '', ringing INTEGER NOT NULL DEFAULT 0,
  locked INTEGER NOT NULL DEFAULT 0, lock_message TEXT NOT NULL DEFAULT '', relay_calls INTEGER NOT NULL DEFAULT 0,
  relay_notifications INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE pairing_log (
  id TEXT PRIMARY KEY, device TEXT NOT NULL, event TEXT NOT NULL DEFAULT 'paired',
  method TEXT NOT NULL DEFAULT 'bluetooth', at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

TRUSTABLE = ("phone", "tablet", "laptop", "watch", "tv", "large_screen", "car")
LOCKABLE = ("phone", "tablet", "laptop", "watch")
CASTING = ("casting_device", "casting_direction", "casting_method")  # settings, "" while nothing is cast
KEYBOARD_SHARING = ("keyboard_sharing_source", "keyboard_sharing_target")  # "" while off
COLLABORATION = ("collaboration_device", "collaboration_mode")  # "" while off


def find_device(ctx: ToolContext, wanted: str, *kinds: str) -> Row:
    """The device of one of these kinds (any, without kinds) that is named so; 400 when it is of another kind."""
    known = ctx.rows("SELECT * FROM devices ORDER BY name, id")
    fit = [row for row in known if not kinds or row["kind"] in kinds]
    if any(wanted.casefold() in row["name"].casefold() for row in fit):
        return find_named(fit, "name", wanted, "Device")
    other = find_named(known, "name", wanted, "Device")
    raise bad(f"{other['name']} has type {other['kind']}; allowed: {'|'.join(kinds)}")


def pick_nearby(ctx: ToolContext, wanted: str | None, *kinds: str) -> Row:
    """The device named, which must be nearby, or without a name the only one of these kinds nearby."""
    if wanted is None:
        around = ctx.rows("SELECT * FROM devices WHERE nearby = 1 ORDER BY name, id")
        return single([row for row in around if row["kind"] in kinds], "nearby device", "name")
    device = find_device(ctx, wanted, *kinds)
    if not device["nearby"]:
        raise conflict(f"{device['name']} is not nearby")
    return device


def require_trusted(device: Row) -> None:
    """409 for a device that is not trusted."""
    if not device["trusted"]:
        raise conflict(f"{device['name']} is not trusted")


def refuse_screen_in_use(ctx: ToolContext) -> None:
    """409 while the screen already goes to another device, or may not."""
    refuse_super_saving(ctx)
    if ctx.setting("casting_device"):
        raise conflict(f"Casting with {ctx.setting('casting_device')}; stop it first")
    if ctx.setting("collaboration_device"):
        raise conflict(f"Collaborating with {ctx.setting('collaboration_device')}; stop it first")


def clear(ctx: ToolContext, keys: tuple[str, ...]) -> None:
    """Empties these settings, those that hold something."""
    for key in keys:
        if ctx.setting(key):
            ctx.set_setting(key, "")


@tool(domain=NAME, effect=Effect.READ, permission="NEARBY_WIFI_DEVICES")
def query_nearby_devices(
    ctx: ToolContext,
    deviceType: Literal["tv", "large_screen", "phone", "tablet", "laptop", "watch", "earbuds", "car", "printer"]
    | None = None,
) -> dict[str, Any]:
    """List devices nearby and which are in use."""
    if not is_on(ctx, "wifi") and not is_on(ctx, "bluetooth"):
        raise conflict("Wi-Fi and Bluetooth are off")
    around = ctx.rows("SELECT * FROM devices WHERE nearby = 1 ORDER BY name, id")
    items = [
        {"name": row["name"], "type": row["kind"], "trusted": bool(row["trusted"])}
        for row in around
        if deviceType in (None, row["kind"])
    ]
    used = {"casting": "casting_device", "collaboration": "collaboration_device", "carLink": "car_link"}
    in_use = {name: ctx.setting(key) for name, key in used.items() if ctx.setting(key)}
    return page(
        f"{len(items)} devices nearby", items, visibility=ctx.setting("nearby_visibility", "contacts"), **in_use
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_nearby_visibility(ctx: ToolContext, visibility: Literal["everyone", "contacts", "hidden"]) -> dict[str, Any]:
    """Set who nearby can see and send to this phone."""
    if visibility != "hidden":
        require_radios(ctx, "bluetooth")
    changed = ctx.set_setting("nearby_visibility", visibility)
    return ok(f"Visibility {'' if changed else 'already '}{visibility}", visibility=visibility)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="BLUETOOTH_CONNECT")
def manage_trusted_devices(
    ctx: ToolContext, action: Literal["add", "remove", "query"], deviceName: str | None = None
) -> dict[str, Any]:
    """Add, remove or list trusted devices."""
    if action == "query":
        rows = ctx.rows("SELECT name, kind AS type FROM devices WHERE trusted = 1 ORDER BY name, id")
        return page(f"{len(rows)} trusted devices", rows)
    device = find_device(ctx, need(deviceName, "deviceName"), *TRUSTABLE)
    name = device["name"]
    if device["trusted"] == (action == "add"):
        return ok(f"Device already {'trusted' if action == 'add' else 'not trusted'}", device=name)
    if action == "add":
        require_radios(ctx, "bluetooth")
        if not device["nearby"]:
            raise conflict(f"{name} is not nearby")
        ctx.execute("UPDATE devices SET trusted = 1 WHERE id = ?", device["id"])
    else:
        _distrust(ctx, device)
    event = "paired" if action == "add" else "unpaired"
    ctx.insert("pairing_log", id=ctx.new_id("pairing"), device=name, event=event, at=ctx.now.isoformat())
    return ok("Device trusted" if action == "add" else "Device no longer trusted", device=name)


def _distrust(ctx: ToolContext, device: Row) -> None:
    sql = "UPDATE devices SET trusted = 0, relay_calls = 0, relay_notifications = 0 WHERE id = ?"
    ctx.execute(sql, device["id"])
    if device["name"] in (ctx.setting(key) for key in KEYBOARD_SHARING):
        clear(ctx, KEYBOARD_SHARING)
    if ctx.setting("collaboration_device") == device["name"]:
        clear(ctx, COLLABORATION)
    if ctx.setting("casting_device") == device["name"] and ctx.setting("casting_method") == "trusted_ring":
        clear(ctx, CASTING)


@tool(domain=NAME, effect=Effect.READ)
def query_pairing_log(
    ctx: ToolContext,
    deviceName: str | None = None,
    event: Literal["paired", "unpaired", "failed"] | None = None,
    date: str | None = None,
) -> dict[str, Any]:
    """Search past pairings by device, event or date."""
    day = "" if date is None else resolve(date, ctx.now, "date")
    wanted = (deviceName or "").casefold()
    entries = [
        {key: row[key] for key in ("device", "event", "method", "at")}
        for row in ctx.rows("SELECT * FROM pairing_log ORDER BY at DESC, id DESC")
        if wanted in row["device"].casefold() and event in (None, row["event"]) and row["at"].startswith(day)
    ]
    return page(f"{len(entries)} entries", entries)


def _own_device(ctx: ToolContext, wanted: str, *kinds: str) -> Row:
    device = find_device(ctx, wanted, *kinds)
    if not device["owned"]:
        raise conflict(f"{device['name']} is not your device")
    require_online(ctx)
    return device


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="ACCESS_FINE_LOCATION")
def find_my_device(
    ctx: ToolContext, action: Literal["locate", "ring", "stop_ringing"], deviceName: str
) -> dict[str, Any]:
    """Locate or ring another device of yours."""
    device = _own_device(ctx, deviceName)
    name = device["name"]
    if action == "locate":
        seen = ctx.now.isoformat() if device["online"] else device["seen_at"]
        where = "Device located" if device["online"] else "Device offline; last place"
        return ok(where, device=name, place=device["place"], seenAt=seen)
    if not device["online"]:
        raise conflict(f"{name} is offline")
    ringing = int(action == "ring")
    word = "ringing" if ringing else "silent"
    if device["ringing"] == ringing:
        return ok(f"Device already {word}", device=name)
    ctx.execute("UPDATE devices SET ringing = ? WHERE id = ?", ringing, device["id"])
    return ok(f"Device {word}", device=name)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def lock_lost_device(ctx: ToolContext, deviceName: str, message: str | None = None) -> dict[str, Any]:
    """Lock a lost device of yours; only its passcode unlocks."""
    device = _own_device(ctx, deviceName, *LOCKABLE)
    if not device["online"]:
        raise conflict(f"{device['name']} is offline")
    text = device["lock_message"] if message is None else message
    if device["locked"] and device["lock_message"] == text:
        return ok("Device already locked", device=device["name"])
    ctx.execute("UPDATE devices SET locked = 1, lock_message = ? WHERE id = ?", text, device["id"])
    return ok("Device locked", device=device["name"])


TOOLS = (
    query_nearby_devices,
    set_nearby_visibility,
    manage_trusted_devices,
    query_pairing_log,
    find_my_device,
    lock_lost_device,
)
