"""Display & Sound: how the screen looks, when it sleeps and wakes, and scheduled power.

A battery saving mode forbids refresh rates above 60 Hz, live wallpapers and screen attention (409).
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from qpa.contract import Effect
from qpa.envs.sandbox.domains.display_common import NAME, choose, only_with, saves_power, switch, switch_one
from qpa.envs.sandbox.domains.links import Switch, find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, is_on
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE wallpapers (name TEXT PRIMARY KEY, live INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE power_schedules (
  kind TEXT PRIMARY KEY, time TEXT NOT NULL, repeat TEXT NOT NULL DEFAULT 'daily', enabled INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""

FontSize = Literal["small", "default", "large", "extra_large", "huge"]
FONT_SIZES = get_args(FontSize)
Gesture = Literal["lift", "double_tap"]
Item = Literal["screen_timeout", "refresh_rate", "screen_resolution", "display_size", "color_mode", "color_temperature"]


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_screen_timeout(
    ctx: ToolContext, timeout: Literal["15s", "30s", "1min", "2min", "5min", "10min", "30min", "never"]
) -> dict[str, Any]:
    """Set after how long the idle screen turns off."""
    return choose(ctx, "screen_timeout", "Screen timeout", timeout)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_refresh_rate(ctx: ToolContext, rate: Literal["60Hz", "90Hz", "120Hz", "dynamic"]) -> dict[str, Any]:
    """Set the screen refresh rate."""
    if rate not in ("60Hz", ctx.setting("refresh_rate")) and saves_power(ctx):
        raise conflict("Battery saving allows only 60Hz")
    return choose(ctx, "refresh_rate", "Refresh rate", rate)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_screen_resolution(ctx: ToolContext, resolution: Literal["smart", "HD+", "FHD+", "QHD+"]) -> dict[str, Any]:
    """Set the screen resolution; smart adapts it."""
    return choose(ctx, "screen_resolution", "Screen resolution", resolution)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_font_size(
    ctx: ToolContext, action: Literal["set", "increase", "decrease", "query"], size: FontSize | None = None
) -> dict[str, Any]:
    """Set, step or query the text size."""
    only_with(action, ("set",), size=size)
    old = ctx.setting("font_size", "default")
    if action == "query":
        return ok("Font size status", font_size=old)
    if action == "set":
        return choose(ctx, "font_size", "Font size", need(size, "size"))
    place = FONT_SIZES.index(old if old in FONT_SIZES else "default") + (1 if action == "increase" else -1)
    return choose(ctx, "font_size", "Font size", FONT_SIZES[min(max(place, 0), len(FONT_SIZES) - 1)])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_display_size(ctx: ToolContext, size: Literal["small", "default", "large", "extra_large"]) -> dict[str, Any]:
    """Set how large icons and controls are shown."""
    return choose(ctx, "display_size", "Display size", size)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_bold_text(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn bold text on or off, or query it."""
    return switch(ctx, "bold_text", "Bold text", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_color_mode(
    ctx: ToolContext,
    mode: Literal["natural", "vivid"] | None = None,
    temperature: Literal["warm", "standard", "cool"] | None = None,
) -> dict[str, Any]:
    """Set the screen's colour mode or colour temperature."""
    wanted = {k: v for k, v in (("color_mode", mode), ("color_temperature", temperature)) if v is not None}
    if not wanted:
        raise bad("Give mode or temperature")
    changed = [key for key, value in wanted.items() if ctx.set_setting(key, value)]
    if changed and is_on(ctx, "reading_mode"):
        raise conflict("Reading mode is on")
    return ok("Colours set" if changed else "Colours already so", **wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="SET_WALLPAPER")
def manage_wallpaper(
    ctx: ToolContext,
    action: Literal["set", "query"],
    name: str | None = None,
    screen: Literal["home", "lock", "both"] | None = None,
) -> dict[str, Any]:
    """Set a wallpaper or own picture, or query wallpapers."""
    found = ctx.rows("SELECT name, live FROM wallpapers ORDER BY name")
    if action == "query":
        only_with(action, ("set",), name=name, screen=screen)
        names = [row["name"] for row in found]
        now = {place: ctx.setting(f"wallpaper_{place}") for place in ("home", "lock")}
        return ok("Wallpapers", **now, items=names[:SHOWN], total=len(names))
    pictures = "SELECT name, 0 AS live FROM files WHERE kind IN ('image', 'photo', 'picture') ORDER BY id"
    chosen = find_named(found + ctx.rows(pictures), "name", need(name, "name"), "Wallpaper")
    places = ("home", "lock") if screen in (None, "both") else (screen,)
    changed = [place for place in places if ctx.set_setting(f"wallpaper_{place}", chosen["name"])]
    if changed and chosen["live"] and saves_power(ctx):
        raise conflict("Battery saving forbids live wallpapers")
    return ok("Wallpaper set" if changed else "Wallpaper already set", name=chosen["name"], screen=screen or "both")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="CAMERA")
def manage_screen_attention(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Keep the screen on while looked at, or query it."""
    if action == "enable" and saves_power(ctx) and not is_on(ctx, "screen_attention"):
        raise conflict("Battery saving is on")
    return switch(ctx, "screen_attention", "Screen attention", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_wake_gesture(ctx: ToolContext, action: Switch, gesture: Gesture | None = None) -> dict[str, Any]:
    """Switch or query lift or double tap to wake."""
    return switch_one(ctx, "wake_", "Wake gesture", get_args(Gesture), gesture, action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_scheduled_power(
    ctx: ToolContext,
    action: Literal["set", "enable", "disable", "query"],
    powerOnTime: str | None = None,
    powerOffTime: str | None = None,
    repeat: Literal["once", "daily", "weekdays", "weekends"] | None = None,
    target: Literal["power_on", "power_off", "both"] | None = None,
) -> dict[str, Any]:
    """Set, switch or query scheduled power on and off."""
    only_with(action, ("set",), powerOnTime=powerOnTime, powerOffTime=powerOffTime, repeat=repeat)
    only_with(action, ("enable", "disable"), target=target)
    before = {row["kind"]: row for row in ctx.rows("SELECT * FROM power_schedules ORDER BY kind")}
    if action == "query":
        return ok("Scheduled power", **{kind: _power_view(row) for kind, row in before.items()})
    if action == "set":
        wanted = _power_times(ctx, before, powerOnTime, powerOffTime, repeat)
    else:
        kinds = list(before) if target in (None, "both") else [target]
        wanted = {kind: before[kind] | {"enabled": int(action == "enable")} for kind in kinds}
    changed = [row for kind, row in wanted.items() if row != before[kind]]
    busy = [row["time"] for row in (before | wanted).values() if row["enabled"]]
    if changed and len(set(busy)) < len(busy):
        raise conflict("Power on and off times are equal")
    sql = "UPDATE power_schedules SET time = ?, repeat = ?, enabled = ? WHERE kind = ?"
    for row in changed:
        ctx.execute(sql, row["time"], row["repeat"], row["enabled"], row["kind"])
    done = "set" if action == "set" else f"{action}d"
    return ok(
        f"Scheduled power {done if changed else f'already {done}'}",
        **{kind: _power_view(row) for kind, row in wanted.items()},
    )


def _power_times(
    ctx: ToolContext, before: dict[str, Row], on: str | None, off: str | None, repeat: str | None
) -> dict[str, Row]:
    if on is None and off is None:
        raise bad("Give powerOnTime or powerOffTime")
    return {
        kind: before[kind]
        | {"time": resolve(text, ctx.now, "time"), "repeat": repeat or before[kind]["repeat"], "enabled": 1}
        for kind, text in (("power_on", on), ("power_off", off))
        if text is not None
    }


def _power_view(row: Row) -> Row:
    return {"time": row["time"], "repeat": row["repeat"], "enabled": bool(row["enabled"])}


@tool(domain=NAME, effect=Effect.READ)
def query_display_settings(ctx: ToolContext, item: Item | None = None) -> dict[str, Any]:
    """Read timeout, refresh rate, resolution, display size and colours."""
    wanted = get_args(Item) if item is None else (item,)
    return ok("Display settings", **{key: ctx.setting(key) for key in wanted})


TOOLS = (
    set_screen_timeout,
    set_refresh_rate,
    set_screen_resolution,
    manage_font_size,
    set_display_size,
    manage_bold_text,
    set_color_mode,
    manage_wallpaper,
    manage_screen_attention,
    manage_wake_gesture,
    manage_scheduled_power,
    query_display_settings,
)
