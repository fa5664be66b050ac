"""What the tools of Display & Sound share: switches, choices, steps and daily time windows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from qpa.envs.sandbox.domains.phone_state import is_on, set_switch
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import ToolContext, bad, in_range, need, ok

NAME = "Display & Sound"
STEP = 10  # of a brightness or volume that is to go up or down, when nothing else is said


def number(ctx: ToolContext, key: str, default: int) -> int:
    """A setting that counts something; `default` when it is absent or no number."""
    text = ctx.setting(key)
    return int(text) if text.isascii() and text.isdigit() else default


def saves_power(ctx: ToolContext) -> bool:
    """Whether a battery saving mode is on."""
    return ctx.setting("battery_mode", "normal") in ("power_saving", "super_saving")


def switch(ctx: ToolContext, key: str, label: str, action: str) -> dict[str, Any]:
    """Sets or reads an on/off setting; "already on" when nothing changes."""
    message = f"{label} status" if action == "query" else set_switch(ctx, key, label, action)
    return ok(message, enabled=is_on(ctx, key))


def switch_one(
    ctx: ToolContext, prefix: str, label: str, names: Iterable[str], name: str | None, action: str
) -> dict[str, Any]:
    """Sets or reads one of several like switches, stored as `prefix` + name; a query without a name reads them all."""
    if action == "query" and name is None:
        return ok(f"{label} status", **{each: is_on(ctx, prefix + each) for each in names})
    chosen = need(name, "|".join(names))
    return switch(ctx, prefix + chosen, f"{label} ({chosen})", action)


def choose(ctx: ToolContext, key: str, label: str, value: str) -> dict[str, Any]:
    """Stores one of several values."""
    changed = ctx.set_setting(key, value)
    return ok(f"{label} {'set to' if changed else 'already'} {value}", **{key: value})


def only_with(action: str, fitting: tuple[str, ...], **arguments: object) -> None:
    """400 for an argument given with an action that has no use for it."""
    for name, value in arguments.items():
        if value is not None and action not in fitting:
            raise bad(f"{name} only goes with {' or '.join(fitting)}")


def stepped(action: str, old: int, step: int | None, low: int, high: int) -> int:
    """`old` one step up ("increase") or down, kept between `low` and `high`."""
    size = in_range("step", STEP if step is None else step, 1, 100)
    return min(high, max(low, old + (size if action == "increase" else -size)))


def window(ctx: ToolContext, start: str | None, end: str | None) -> tuple[str, str]:
    """The two times of day of a daily window, "HH:MM"; it may span midnight."""
    first = resolve(need(start, "startTime"), ctx.now, "time")
    last = resolve(need(end, "endTime"), ctx.now, "time")
    if first == last:
        raise bad("startTime and endTime are equal")
    return first, last


def inside(now: datetime, first: str, last: str) -> bool:
    """Whether the time of day lies in the window; its end does not."""
    clock = now.strftime("%H:%M")
    return first <= clock < last if first < last else clock >= first or clock < last
