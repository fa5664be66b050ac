"""What the modules of System Settings share: switches, groups of values, lists of names, the owner's rights."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import is_on
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, ok

NAME = "System Settings"
Change = Literal["set", "query"]
Value = tuple[str, str | None]  # a settings key and its new value, None to leave it


def turn_off(ctx: ToolContext, key: str) -> bool:
    """Switches `key` off; returns False when it was off already."""
    return is_on(ctx, key) and ctx.set_setting(key, "off")


def switch(ctx: ToolContext, key: str, label: str, action: str, **options: Value) -> dict[str, Any]:
    """Sets or queries the switch `key`; `options` are the values (by argument name) that may go with enabling it."""
    for name, (_, value) in options.items():
        if value is not None and action != "enable":
            raise bad(f"{name} only goes with enable")
    on, changed = is_on(ctx, key), action == "query"
    if action != "query" and on != (action == "enable"):
        on = not on
        changed = ctx.set_setting(key, "on" if on else "off")
    changed = _store(ctx, options.values()) or changed
    message = f"{label} {'' if changed else 'already '}{'on' if on else 'off'}"
    return ok(message, enabled=on, **_read(ctx, options))


def adjust(ctx: ToolContext, label: str, action: str, **values: Value) -> dict[str, Any]:
    """Sets or queries a group of settings by argument name."""
    given = [name for name, (_, value) in values.items() if value is not None]
    if action == "query":
        if given:
            raise bad(f"{given[0]} only goes with set")
        return ok(label, **_read(ctx, values))
    if not given:
        raise bad(f"Give {' or '.join(values)}")
    changed = _store(ctx, values.values())
    return ok(f"{label} {'' if changed else 'already '}set", **_read(ctx, values))


def _store(ctx: ToolContext, values: Iterable[Value]) -> bool:
    """Writes the values given; returns whether any differed."""
    return any([ctx.set_setting(key, value) for key, value in values if value is not None])


def _read(ctx: ToolContext, values: dict[str, Value]) -> dict[str, str]:
    return {name: ctx.setting(key) for name, (key, _) in values.items()}


def on_off(value: bool | None) -> str | None:
    """A yes-or-no argument as a settings value."""
    return None if value is None else "on" if value else "off"


def pick(names: Iterable[str], wanted: str, label: str) -> str:
    """The one of `names` that is meant (see `find_named`)."""
    return find_named([{"name": name} for name in names], "name", wanted, label)["name"]


def same(name: str, names: Iterable[str]) -> bool:
    """Whether `names` has this name, ignoring case."""
    return name.casefold() in [other.casefold() for other in names]


def names_in(ctx: ToolContext, key: str) -> list[str]:
    """A setting that holds names in order, joined with ", "."""
    return [name for name in ctx.setting(key).split(", ") if name]


def store_names(ctx: ToolContext, key: str, names: list[str]) -> None:
    """Stores what `names_in` reads."""
    ctx.set_setting(key, ", ".join(names))


def require_owner(ctx: ToolContext) -> None:
    """409 while a guest or another profile uses the phone."""
    active = ctx.one("SELECT kind FROM user_profiles WHERE active = 1")
    if active is not None and active["kind"] != "owner":
        raise conflict("Only the owner may do this")


def battery_level(ctx: ToolContext) -> int:
    """Charge in percent."""
    return int(ctx.setting("battery_level", "50"))


def battery_allows(ctx: ToolContext, percent: int) -> bool:
    """Whether the phone charges or has at least this charge."""
    return is_on(ctx, "charging") or battery_level(ctx) >= percent
