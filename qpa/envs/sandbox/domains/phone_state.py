"""Switches, lists and conditions that the domains share."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox.context import Row, ToolContext, conflict
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.tool import ok

SHOWN = 5  # rows a query returns; `total` counts them all

_RADIOS = {"wifi": "Wi-Fi", "bluetooth": "Bluetooth"}


def is_on(ctx: ToolContext, key: str) -> bool:
    """Whether the switch `key` is on; a phone without that setting has it off."""
    return ctx.setting(key, "off") == "on"


def set_switch(ctx: ToolContext, key: str, label: str, action: str) -> str:
    """Enables or disables the setting `key`; returns "<label> on", or "<label> already on" when nothing changed."""
    word = "on" if action == "enable" else "off"
    if is_on(ctx, key) == (word == "on"):
        return f"{label} already {word}"
    ctx.set_setting(key, word)
    return f"{label} {word}"


def store(ctx: ToolContext, values: dict[str, str | None]) -> bool:
    """Stores each setting that has a value; returns whether any of them changed."""
    # A list, not a generator: every value is to be stored, also after the first that changed.
    return any([ctx.set_setting(key, value) for key, value in values.items() if value is not None])


def require_radios(ctx: ToolContext, *radios: str) -> None:
    """409 naming the first of these radios that is off."""
    for radio in radios:
        if not is_on(ctx, radio):
            raise conflict(f"{_RADIOS[radio]} is off")


def refuse_super_saving(ctx: ToolContext) -> None:
    """409 in the battery mode that stops whatever draws on the screen for others."""
    if ctx.setting("battery_mode") == "super_saving":
        raise conflict("Super power saving is on")


def find_file(ctx: ToolContext, name: str) -> Row:
    """The file with this name, or the only one that contains it."""
    return find_named(ctx.rows("SELECT * FROM files ORDER BY name, id"), "name", name, "File")


def find_app(ctx: ToolContext, name: str) -> str:
    """The canonical name of an installed app."""
    return find_named(ctx.rows("SELECT name FROM apps"), "name", name, "App")["name"]


def page(message: str, items: list[Any], **data: Any) -> dict[str, Any]:
    """A list answer: the first `SHOWN` items and how many there are."""
    return ok(message, items=items[:SHOWN], total=len(items), **data)
