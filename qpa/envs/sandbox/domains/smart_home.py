"""Devices & Cross-device, fourth part: the smart home and its scenes.

One row per home device. What its columns mean depends on the kind:

* light: `power`, `level` is brightness in percent, `mode` the colour;
* plug: `power`;
* thermostat: `power`, `level` is the target in degrees Celsius, `mode` is heat, cool or auto;
* vacuum: `level` is suction (1 to 3), `mode` is docked, cleaning or paused, `area` a room or "" for everywhere;
* curtain: `level` is how far it is open in percent.

A device that is not `online` refuses when named; rooms, "all" and scenes pass over it and say so.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.device_nearby import NAME
from qpa.envs.sandbox.domains.links import find_named, require_online
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, single, tool

SCHEMA = """
CREATE TABLE home_devices (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL, room TEXT NOT NULL DEFAULT '', online INTEGER NOT NULL DEFAULT 1,
  power INTEGER NOT NULL DEFAULT 0, level INTEGER NOT NULL DEFAULT 0, mode TEXT NOT NULL DEFAULT '',
  area TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE home_scenes (name TEXT PRIMARY KEY, steps TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
"""

SUCTION = ("quiet", "standard", "max")  # levels 1 to 3
TEMPERATURES = {"celsius": (16, 30), "fahrenheit": (61, 86)}
SCENE_STEPS = 10
_SEPARATOR = "; "
# What the right-hand side of a scene's step may be, besides a number.
_STEP_WORDS: dict[str, dict[str, dict[str, Any]]] = {
    "light": {"on": {"power": 1}, "off": {"power": 0}},
    "plug": {"on": {"power": 1}, "off": {"power": 0}},
    "thermostat": {
        "off": {"power": 0},
        "heat": {"power": 1, "mode": "heat"},
        "cool": {"power": 1, "mode": "cool"},
        "auto": {"power": 1, "mode": "auto"},
    },
    "vacuum": {"start": {"mode": "cleaning", "area": ""}, "dock": {"mode": "docked", "area": ""}},
    "curtain": {"open": {"level": 100}, "close": {"level": 0}},
}
_STEP_LEVELS = {"light": (1, 100), "thermostat": TEMPERATURES["celsius"], "curtain": (0, 100)}


def _one(ctx: ToolContext, kind: str, name: str | None) -> Row:
    """The online device of this kind that is named, or the only one there is."""
    known = ctx.rows("SELECT * FROM home_devices WHERE kind = ? ORDER BY name", kind)
    device = single(known, kind, "name") if name is None else find_named(known, "name", name, kind.capitalize())
    if not device["online"]:
        raise conflict(f"{device['name']} is offline")
    return device


def _chosen(ctx: ToolContext, kind: str, name: str | None, room: str | None) -> tuple[list[Row], list[str]]:
    """The devices to act on, and the names of those passed over because they are offline."""
    if room is None:
        return [_one(ctx, kind, name)], []
    if name is not None:
        raise bad("Give deviceName or room, not both")
    known = ctx.rows("SELECT * FROM home_devices WHERE kind = ? ORDER BY name", kind)
    found = [row for row in known if room.casefold() in ("all", row["room"].casefold())]
    if not found:
        raise missing(f"No {kind} in {room[:30]}")
    offline = [row["name"] for row in found if not row["online"]]
    if len(offline) == len(found):
        raise conflict(f"Offline: {', '.join(offline[:SHOWN])}")
    return [row for row in found if row["online"]], offline


def _apply(ctx: ToolContext, devices: list[Row], wanted: dict[str, Any]) -> bool:
    """Writes these columns where they differ; returns whether any did."""
    require_online(ctx)
    changed = [row for row in devices if any(row[column] != value for column, value in wanted.items())]
    for row in changed:
        new = row | wanted
        sql = "UPDATE home_devices SET power = ?, level = ?, mode = ?, area = ? WHERE name = ?"
        ctx.execute(sql, new["power"], new["level"], new["mode"], new["area"], row["name"])
    return bool(changed)


def _done(label: str, state: str, changed: bool, devices: list[Row], offline: list[str]) -> dict[str, Any]:
    names = [row["name"] for row in devices]
    passed = {"offline": offline[:SHOWN]} if offline else {}
    return ok(f"{label} {'' if changed else 'already '}{state}", devices=names[:SHOWN], total=len(names), **passed)


def _view(row: Row) -> dict[str, Any]:
    kind = row["kind"]
    view: dict[str, Any] = {"name": row["name"], "type": kind, "room": row["room"]}
    if not row["online"]:
        return view | {"offline": True}
    if kind == "vacuum":
        return view | {"state": row["mode"], "suction": SUCTION[row["level"] - 1] if row["level"] in (1, 2, 3) else ""}
    if kind == "curtain":
        return view | {"open": row["level"]}
    view["on"] = bool(row["power"])
    if kind == "light" and row["power"]:
        view |= {"brightness": row["level"], "color": row["mode"]}
    if kind == "thermostat" and row["power"]:
        view |= {"temperature": row["level"], "mode": row["mode"]}
    return view


@tool(domain=NAME, effect=Effect.READ)
def query_home_devices(
    ctx: ToolContext,
    deviceType: Literal["light", "plug", "thermostat", "vacuum", "curtain"] | None = None,
    room: str | None = None,
    deviceName: str | None = None,
) -> dict[str, Any]:
    """Read smart home devices by type, room or name."""
    found = [
        _view(row)
        for row in ctx.rows("SELECT * FROM home_devices ORDER BY name")
        if deviceType in (None, row["kind"])
        and (room is None or room.casefold() in ("all", row["room"].casefold()))
        and (deviceName or "").casefold() in row["name"].casefold()
    ]
    return page(f"{len(found)} home devices", found)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_light(
    ctx: ToolContext,
    action: Literal["on", "off"],
    deviceName: str | None = None,
    room: str | None = None,
    brightness: int | None = None,
    color: Literal["warm", "neutral", "cool"] | None = None,
) -> dict[str, Any]:
    """Switch or dim lights by name, room or "all"."""
    if action == "off" and (brightness is not None or color is not None):
        raise bad("brightness and color only go with on")
    wanted: dict[str, Any] = {"power": int(action == "on")}
    if brightness is not None:
        wanted["level"] = in_range("brightness", brightness, 1, 100)
    if color is not None:
        wanted["mode"] = color
    lights, offline = _chosen(ctx, "light", deviceName, room)
    return _done("Light", action, _apply(ctx, lights, wanted), lights, offline)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_smart_plug(
    ctx: ToolContext, action: Literal["on", "off"], deviceName: str | None = None, room: str | None = None
) -> dict[str, Any]:
    """Switch smart plugs by name, room or "all"."""
    plugs, offline = _chosen(ctx, "plug", deviceName, room)
    return _done("Plug", action, _apply(ctx, plugs, {"power": int(action == "on")}), plugs, offline)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_thermostat(
    ctx: ToolContext,
    deviceName: str | None = None,
    temperature: int | None = None,
    unit: Literal["celsius", "fahrenheit"] = "celsius",
    mode: Literal["heat", "cool", "auto", "off"] | None = None,
) -> dict[str, Any]:
    """Set a thermostat's target temperature or mode."""
    if temperature is None and mode is None:
        raise bad("Give temperature or mode")
    if temperature is not None and mode == "off":
        raise bad("temperature does not go with off")
    wanted: dict[str, Any] = {}
    if temperature is not None:
        in_range("temperature", temperature, *TEMPERATURES[unit])
        wanted["level"] = temperature if unit == "celsius" else round((temperature - 32) * 5 / 9)
    device = _one(ctx, "thermostat", deviceName)
    if mode is not None:
        wanted |= _STEP_WORDS["thermostat"][mode]
    elif not device["power"]:
        raise conflict(f"{device['name']} is off; give mode")
    changed = _apply(ctx, [device], wanted)
    state = _view(device | wanted)
    shown = {key: state[key] for key in ("name", "on", "temperature", "mode") if key in state}
    return ok("Thermostat set" if changed else "Thermostat already so", **shown)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_vacuum(
    ctx: ToolContext,
    action: Literal["start", "pause", "dock"],
    deviceName: str | None = None,
    room: str | None = None,
    suction: Literal["quiet", "standard", "max"] | None = None,
) -> dict[str, Any]:
    """Start, pause or dock a robot vacuum."""
    if action != "start" and (room is not None or suction is not None):
        raise bad("room and suction only go with start")
    device = _one(ctx, "vacuum", deviceName)
    state = {"start": "cleaning", "pause": "paused", "dock": "docked"}[action]
    if action == "pause" and device["mode"] == "docked":
        raise conflict(f"{device['name']} is docked")
    wanted: dict[str, Any] = {"mode": state}
    if room is not None:
        wanted["area"] = _area(ctx, room)
    elif state == "docked" or (action == "start" and device["mode"] == "docked"):
        wanted["area"] = ""
    if suction is not None:
        wanted["level"] = SUCTION.index(suction) + 1
    changed = _apply(ctx, [device], wanted)
    area = (device | wanted)["area"]
    where = {"area": area} if area else {}
    return ok(f"Vacuum {'' if changed else 'already '}{state}", device=device["name"], **where)


def _area(ctx: ToolContext, room: str) -> str:
    """The room's own spelling, or "" for the whole home."""
    if room.casefold() == "all":
        return ""
    rooms = [row["room"] for row in ctx.rows("SELECT DISTINCT room FROM home_devices WHERE room <> '' ORDER BY room")]
    found = next((name for name in rooms if name.casefold() == room.casefold()), None)
    if found is None:
        raise missing(f"No room {room[:30]}; rooms: {', '.join(rooms[:SHOWN])}")
    return found


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_curtain(
    ctx: ToolContext,
    action: Literal["open", "close", "set"],
    deviceName: str | None = None,
    room: str | None = None,
    position: int | None = None,
) -> dict[str, Any]:
    """Open, close or position curtains by name, room or "all"."""
    if action != "set" and position is not None:
        raise bad("position only goes with set")
    if action == "set":
        level = in_range("position", need(position, "position"), 0, 100)
    else:
        level = 100 if action == "open" else 0
    curtains, offline = _chosen(ctx, "curtain", deviceName, room)
    state = {100: "open", 0: "closed"}.get(level, f"{level}% open")
    return _done("Curtain", state, _apply(ctx, curtains, {"level": level}), curtains, offline)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_home_scene(
    ctx: ToolContext,
    action: Literal["run", "create", "delete", "query"],
    sceneName: str | None = None,
    steps: list[str] | None = None,
) -> dict[str, Any]:
    """Run, create, delete or list scenes of "device=value" steps."""
    scenes = ctx.rows("SELECT * FROM home_scenes ORDER BY name")
    if action == "query":
        wanted = (sceneName or "").casefold()
        items = [scene | {"steps": scene["steps"].split(_SEPARATOR)} for scene in scenes]
        items = [scene for scene in items if wanted in scene["name"].casefold()]
        return page(f"{len(items)} scenes", items)
    name = need(sceneName, "sceneName")
    if action == "create":
        return _create_scene(ctx, scenes, name, need(steps, "steps"))
    if steps is not None:
        raise bad("steps only go with create")
    scene = find_named(scenes, "name", name, "Scene")
    if action == "delete":
        ctx.execute("DELETE FROM home_scenes WHERE name = ?", scene["name"])
        return ok("Scene deleted", scene=scene["name"])
    return _run_scene(ctx, scene)


def _run_scene(ctx: ToolContext, scene: Row) -> dict[str, Any]:
    read = [_read_step(ctx, step) for step in scene["steps"].split(_SEPARATOR)]
    offline = [device["name"] for device, _, _ in read if not device["online"]]
    if len(offline) == len(read):
        raise conflict(f"Offline: {', '.join(offline[:SHOWN])}")
    changed = [_apply(ctx, [device], wanted) for device, _, wanted in read if device["online"]]
    passed = {"offline": offline[:SHOWN]} if offline else {}
    return ok("Scene run" if any(changed) else "Scene already so", scene=scene["name"], devices=len(changed), **passed)


def _create_scene(ctx: ToolContext, scenes: list[Row], name: str, steps: list[str]) -> dict[str, Any]:
    if any(scene["name"].casefold() == name.casefold() for scene in scenes):
        raise conflict(f"Scene already exists: {name[:30]}")
    in_range("Number of steps", len(steps), 1, SCENE_STEPS)
    read = [_read_step(ctx, step) for step in steps]
    names = [device["name"] for device, _, _ in read]
    if len(set(names)) < len(names):
        raise bad("Each device may appear once")
    kept = [f"{device['name']}={value}" for device, value, _ in read]
    ctx.insert("home_scenes", name=name, steps=_SEPARATOR.join(kept))
    return ok("Scene created", scene=name, steps=kept)


def _read_step(ctx: ToolContext, step: str) -> tuple[Row, str, dict[str, Any]]:
    """The device, the value as it is stored, and the columns it stands for."""
    name, equals, text = (part.strip() for part in step.rpartition("="))
    if not (name and equals and text):
        raise bad("A step is device=value")
    device = find_named(ctx.rows("SELECT * FROM home_devices ORDER BY name"), "name", name, "Device")
    kind, value = device["kind"], text.casefold()
    if value in _STEP_WORDS[kind]:
        return device, value, _STEP_WORDS[kind][value]
    low, high = _STEP_LEVELS.get(kind, (0, -1))
    if value.isascii() and value.isdigit() and len(value) <= 3 and low <= int(value) <= high:
        level = int(value)
        return device, str(level), {"level": level} | ({} if kind == "curtain" else {"power": 1})
    numbers = f"|{low} to {high}" if kind in _STEP_LEVELS else ""
    raise bad(f"{device['name'][:30]} takes {'|'.join(_STEP_WORDS[kind])}{numbers}")


TOOLS = (
    query_home_devices,
    control_light,
    control_smart_plug,
    set_thermostat,
    control_vacuum,
    control_curtain,
    manage_home_scene,
)
