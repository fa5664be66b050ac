"""Display & Sound: light and comfort of the screen, rotation and flashlight.

* The brightness cannot be set by hand while auto-brightness is on (409).
* A new schedule of dark mode or eye comfort takes effect at once: the mode goes on or off as the window says for now.
  Switching by hand leaves the schedule alone.
* Reading mode turns the screen grey: it switches eye comfort off and forbids it and the colour modes.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.display_common import NAME, inside, number, only_with, stepped, switch, window
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import is_on
from qpa.envs.sandbox.tool import ToolContext, conflict, in_range, need, ok, tool

Scheduled = Literal["enable", "disable", "schedule", "follow_sunset", "unschedule", "query"]

DARKEST, BRIGHTEST = 1, 100  # at 0 nobody could read the screen to make it brighter again
NIGHT = ("18:00", "06:00")  # sunset to sunrise: fixed, as the phone knows no place
FLASHLIGHT_LEVELS = 5
FLASHLIGHT_BATTERY = 5  # percent at which the phone keeps what is left for itself


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_brightness(
    ctx: ToolContext,
    action: Literal["set", "increase", "decrease", "max", "min", "query"],
    level: int | None = None,
    step: int | None = None,
) -> dict[str, Any]:
    """Set, step or query screen brightness, 1 to 100."""
    only_with(action, ("set",), level=level)
    only_with(action, ("increase", "decrease"), step=step)
    old = number(ctx, "brightness", 50)
    if action == "query":
        return ok("Brightness status", level=old, auto=is_on(ctx, "auto_brightness"))
    if action == "set":
        new = in_range("level", need(level, "level"), DARKEST, BRIGHTEST)
    elif action in ("max", "min"):
        new = BRIGHTEST if action == "max" else DARKEST
    else:
        new = stepped(action, old, step, DARKEST, BRIGHTEST)
    if new == old:
        return ok(f"Brightness already {new}", level=new)
    if is_on(ctx, "auto_brightness"):
        raise conflict("Auto-brightness is on; disable it first")
    ctx.set_setting("brightness", str(new))
    return ok(f"Brightness set to {new}", level=new)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_auto_brightness(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn auto-brightness on or off, or query it."""
    return switch(ctx, "auto_brightness", "Auto-brightness", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_dark_mode(
    ctx: ToolContext, action: Scheduled, startTime: str | None = None, endTime: str | None = None
) -> dict[str, Any]:
    """Switch, schedule or query dark mode."""
    return _scheduled(ctx, "dark_mode", "Dark mode", action, startTime, endTime)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_eye_comfort(
    ctx: ToolContext,
    action: Scheduled,
    level: int | None = None,
    startTime: str | None = None,
    endTime: str | None = None,
) -> dict[str, Any]:
    """Switch, schedule or query the blue-light filter; level 0-100."""
    only_with(action, ("enable",), level=level)
    if level is not None:
        in_range("level", level, 0, 100)
    if action in ("enable", "schedule", "follow_sunset") and is_on(ctx, "reading_mode"):
        raise conflict("Reading mode is on")
    answer = _scheduled(ctx, "eye_comfort", "Eye comfort", action, startTime, endTime)
    if level is not None and ctx.set_setting("eye_comfort_level", str(level)):
        answer["message"] = f"Eye comfort on, level {level}"
    if action in ("enable", "query"):
        answer["data"]["level"] = number(ctx, "eye_comfort_level", 50)
    return answer


def _scheduled(
    ctx: ToolContext, key: str, label: str, action: str, start: str | None, end: str | None
) -> dict[str, Any]:
    """A switch with a daily schedule: "off", "sunset" or "HH:MM-HH:MM"."""
    only_with(action, ("schedule",), startTime=start, endTime=end)
    schedule = f"{key}_schedule"
    if action == "query":
        return ok(f"{label} status", enabled=is_on(ctx, key), schedule=ctx.setting(schedule, "off"))
    if action in ("enable", "disable"):
        return switch(ctx, key, label, action)
    if action == "unschedule":
        changed = ctx.set_setting(schedule, "off")
        return ok(f"{label} schedule {'off' if changed else 'already off'}")
    if action == "follow_sunset":
        if ctx.setting("location", "on") != "on":
            raise conflict("Location is off")
        times, wanted = NIGHT, "sunset"
    else:
        times = window(ctx, start, end)
        wanted = "-".join(times)
    message = f"{label} already scheduled"
    if ctx.set_setting(schedule, wanted):
        ctx.set_setting(key, "on" if inside(ctx.now, *times) else "off")
        message = f"{label} scheduled"
    return ok(message, schedule=wanted, enabled=is_on(ctx, key))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_reading_mode(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn paper-like reading mode on or off, or query."""
    starts = action == "enable" and not is_on(ctx, "reading_mode")
    answer = switch(ctx, "reading_mode", "Reading mode", action)
    if starts and is_on(ctx, "eye_comfort"):
        ctx.set_setting("eye_comfort", "off")
        answer["message"] += ", eye comfort off"
    return answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_auto_rotate(
    ctx: ToolContext, action: Switch, orientation: Literal["portrait", "landscape"] | None = None
) -> dict[str, Any]:
    """Turn auto-rotate on, lock an orientation, or query it."""
    only_with(action, ("disable",), orientation=orientation)
    answer = switch(ctx, "auto_rotate", "Auto-rotate", action)
    if orientation is not None and ctx.set_setting("locked_orientation", orientation):
        answer["message"] = f"Auto-rotate off, locked to {orientation}"
    if not answer["data"]["enabled"]:
        answer["data"]["orientation"] = ctx.setting("locked_orientation", "portrait")
    return answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_flashlight(ctx: ToolContext, action: Switch, level: int | None = None) -> dict[str, Any]:
    """Turn the flashlight on or off, or query; level 1-5."""
    only_with(action, ("enable",), level=level)
    if level is not None:
        in_range("level", level, 1, FLASHLIGHT_LEVELS)
    battery = number(ctx, "battery_level", 100)
    if action == "enable" and battery <= FLASHLIGHT_BATTERY and not is_on(ctx, "flashlight"):
        raise conflict(f"Battery too low: {battery}%")
    answer = switch(ctx, "flashlight", "Flashlight", action)
    if level is not None and ctx.set_setting("flashlight_level", str(level)):
        answer["message"] = f"Flashlight on, level {level}"
    if answer["data"]["enabled"]:
        answer["data"]["level"] = number(ctx, "flashlight_level", FLASHLIGHT_LEVELS)
    return answer


TOOLS = (
    manage_brightness,
    manage_auto_brightness,
    manage_dark_mode,
    manage_eye_comfort,
    manage_reading_mode,
    manage_auto_rotate,
    control_flashlight,
)
