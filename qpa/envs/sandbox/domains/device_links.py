"""Devices & Cross-device, second part: screens, keyboards, clipboards, calls and watches that work together.

Casting and multi-screen collaboration both take the screen, so either refuses to start while the other runs.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.device_nearby import (
    CASTING,
    COLLABORATION,
    KEYBOARD_SHARING,
    NAME,
    clear,
    find_device,
    pick_nearby,
    refuse_screen_in_use,
    require_trusted,
)
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import is_on, require_radios, set_switch, store
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, single, tool

CAST_KINDS = {"cast_out": ("tv", "large_screen", "tablet", "laptop"), "cast_in": ("phone", "tablet", "laptop")}
CAST_RADIOS = {
    "wireless": ("wifi",),
    "AirView": ("wifi",),
    "trusted_ring": ("wifi", "bluetooth"),
    "smart_space": ("wifi", "bluetooth"),
}
THIS_PHONE = "This phone"
RELAY_KINDS = ("watch", "tablet", "laptop")
WATCH_SETTINGS: dict[str, tuple[str, ...]] = {
    "raise_to_wake": ("on", "off"),
    "heart_rate_monitoring": ("continuous", "smart", "off"),
    "sleep_tracking": ("on", "off"),
    "sedentary_reminder": ("on", "off"),
    "vibration": ("strong", "soft", "off"),
    "watch_face": ("Analog", "Digital", "Fitness", "Minimal", "Weather"),
}
STEP_GOAL = (1000, 50000)


def _device_view(device: Row) -> dict[str, str]:
    return {"device_id": device["id"], "device_name": device["name"], "device_type": device["kind"]}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_screen_casting(
    ctx: ToolContext,
    action: Literal["start", "stop"],
    castDirection: Literal["cast_out", "cast_in"] | None = None,
    connectionMethod: Literal["wireless", "trusted_ring", "AirView", "smart_space"] | None = None,
    targetDeviceType: Literal["tv", "large_screen", "tablet", "laptop", "phone"] | None = None,
    targetDeviceName: str | None = None,
) -> dict[str, Any]:
    """Start or stop casting to or from a device."""
    if action == "stop":
        device = ctx.setting("casting_device")
        if not device:
            return ok("Casting already stopped", status="idle")
        direction = ctx.setting("casting_direction")
        clear(ctx, CASTING)
        return ok("Casting stopped", status="idle", previous_device=device, previous_direction=direction)
    refuse_screen_in_use(ctx)
    direction, method = castDirection or "cast_out", connectionMethod or "wireless"
    kinds = CAST_KINDS[direction]
    if targetDeviceType is not None:
        if targetDeviceType not in kinds:
            raise bad(f"targetDeviceType for {direction} must be {'|'.join(kinds)}")
        kinds = (targetDeviceType,)
    require_radios(ctx, *CAST_RADIOS[method])
    target = pick_nearby(ctx, targetDeviceName, *kinds)
    _check_method(ctx, method, target)
    store(ctx, dict(zip(CASTING, (target["name"], direction, method), strict=True)))
    return ok(
        "Casting started",
        status="casting",
        castDirection=direction,
        connectionMethod=method,
        target_device=_device_view(target),
    )


def _check_method(ctx: ToolContext, method: str, target: Row) -> None:
    if method == "trusted_ring":
        require_trusted(target)
    elif method == "AirView" and ctx.one("SELECT 1 AS x FROM wifi_networks WHERE connected = 1") is None:
        raise conflict("AirView needs a connected Wi-Fi network")
    elif method == "smart_space" and target["kind"] not in ("tv", "large_screen"):
        raise bad("smart_space casts to tv|large_screen only")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_keyboard_mouse_sharing(
    ctx: ToolContext,
    action: Switch,
    targetDeviceType: Literal["phone", "tablet"] | None = None,
    sourceDeviceType: Literal["laptop", "tablet"] | None = None,
) -> dict[str, Any]:
    """Share a laptop's keyboard and mouse with phone or tablet."""
    if action != "enable":
        source, target = (ctx.setting(key) for key in KEYBOARD_SHARING)
        if action == "query":
            status = "connected" if source else "disconnected"
            return ok("Keyboard sharing status", connection_status=status, source=source, target=target)
        clear(ctx, KEYBOARD_SHARING)
        message = "Keyboard sharing off" if source else "Keyboard sharing already off"
        return ok(message, connection_status="disconnected")
    target_kind, source_kind = targetDeviceType or "phone", sourceDeviceType or "laptop"
    if target_kind == source_kind:
        raise bad("Source and target must differ")
    require_radios(ctx, "wifi", "bluetooth")
    source_device = _trusted_nearby(ctx, source_kind)
    this = {"id": "this_phone", "name": THIS_PHONE, "kind": "phone"}
    target_device = this if target_kind == "phone" else _trusted_nearby(ctx, target_kind)
    names = (source_device["name"], target_device["name"])
    changed = store(ctx, dict(zip(KEYBOARD_SHARING, names, strict=True)))
    return ok(
        "Keyboard sharing on" if changed else "Keyboard sharing already on",
        target_device=_device_view(target_device),
        source_device=_device_view(source_device),
        connection_status="connected",
    )


def _trusted_nearby(ctx: ToolContext, kind: str) -> Row:
    sql = "SELECT * FROM devices WHERE kind = ? AND trusted = 1 AND nearby = 1 ORDER BY name, id"
    return single(ctx.rows(sql, kind), f"trusted {kind} nearby", "name")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_screen_collaboration(
    ctx: ToolContext,
    action: Literal["start", "stop", "query"],
    deviceName: str | None = None,
    mode: Literal["mirror", "extend"] | None = None,
) -> dict[str, Any]:
    """Work across the screens of phone and laptop or tablet."""
    partner = ctx.setting("collaboration_device")
    if action == "query":
        return ok("Collaboration status", device=partner, mode=ctx.setting("collaboration_mode"))
    if action == "stop":
        clear(ctx, COLLABORATION)
        return ok("Collaboration stopped" if partner else "Collaboration already stopped", device=partner)
    device = pick_nearby(ctx, deviceName, "laptop", "tablet")
    same = device["name"] == partner
    if not same:
        refuse_screen_in_use(ctx)
        require_radios(ctx, "wifi", "bluetooth")
        require_trusted(device)
    kept = ctx.setting("collaboration_mode") if same else "mirror"
    wanted = mode or kept
    changed = store(ctx, dict(zip(COLLABORATION, (device["name"], wanted), strict=True)))
    return ok("Collaboration on" if changed else "Collaboration already on", device=device["name"], mode=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_clipboard_sharing(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Share the clipboard with trusted devices, or query it."""
    sql = "SELECT name FROM devices WHERE trusted = 1 AND kind IN ('phone', 'tablet', 'laptop') ORDER BY name"
    partners = [row["name"] for row in ctx.rows(sql)]
    message = "Clipboard sharing status"
    if action != "query":
        if action == "enable":
            require_radios(ctx, "wifi", "bluetooth")
            if not partners:
                raise conflict("No trusted phone, tablet or laptop")
        message = set_switch(ctx, "clipboard_sharing", "Clipboard sharing", action)
    on = is_on(ctx, "clipboard_sharing")
    return ok(message, enabled=on, devices=partners if on else [])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_device_relay(
    ctx: ToolContext,
    action: Switch,
    content: Literal["calls", "notifications"] | None = None,
    deviceName: str | None = None,
) -> dict[str, Any]:
    """Relay calls or notifications to watch, tablet or laptop."""
    devices = ctx.rows("SELECT * FROM devices WHERE trusted = 1 ORDER BY name, id")
    devices = [row for row in devices if row["kind"] in RELAY_KINDS]
    if action == "query":
        receivers = {
            kind: [row["name"] for row in devices if row[f"relay_{kind}"]] for kind in ("calls", "notifications")
        }
        return ok("Relay status", **receivers)
    column = f"relay_{need(content, 'content')}"
    if deviceName is not None:
        device = find_device(ctx, deviceName, *RELAY_KINDS)
    else:
        if action == "disable":
            devices = [row for row in devices if row[column]] or devices
        device = single(devices, "trusted device", "name")
    wanted = int(action == "enable")
    word = "on" if wanted else "off"
    if device[column] == wanted:
        return ok(f"Relay already {word}", device=device["name"], content=content)
    if wanted:
        require_trusted(device)
        require_radios(ctx, "bluetooth")
    ctx.execute(f"UPDATE devices SET {column} = ? WHERE id = ?", wanted, device["id"])
    return ok(f"Relay {word}", device=device["name"], content=content)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_car_link(
    ctx: ToolContext,
    action: Literal["start", "stop", "query"],
    connectionMethod: Literal["wireless", "usb"] | None = None,
    carName: str | None = None,
) -> dict[str, Any]:
    """Show phone apps on the car's display, or stop."""
    linked = ctx.setting("car_link")
    if action == "query":
        return ok("Car link status", car=linked, connectionMethod=ctx.setting("car_link_method"))
    if action == "stop":
        clear(ctx, ("car_link", "car_link_method"))
        return ok("Car link stopped" if linked else "Car link already stopped", car=linked)
    car = pick_nearby(ctx, carName, "car")
    if linked == car["name"] and connectionMethod in (None, ctx.setting("car_link_method")):
        return ok("Car link already on", car=linked)
    if linked and linked != car["name"]:
        raise conflict(f"Linked to {linked}; stop it first")
    method = connectionMethod or "wireless"
    if method == "wireless":
        require_radios(ctx, "wifi", "bluetooth")
    store(ctx, {"car_link": car["name"], "car_link_method": method})
    return ok("Car link on", car=car["name"], connectionMethod=method)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_wearable_settings(
    ctx: ToolContext,
    action: Literal["set", "query"],
    settingItem: Literal[
        "raise_to_wake",
        "heart_rate_monitoring",
        "sleep_tracking",
        "sedentary_reminder",
        "vibration",
        "watch_face",
        "step_goal",
    ]
    | None = None,
    settingValue: str | None = None,
) -> dict[str, Any]:
    """Read or change a setting of the connected watch."""
    if action == "query":
        shown = (settingItem,) if settingItem else (*WATCH_SETTINGS, "step_goal")
        return ok("Watch settings", **{item: ctx.setting(f"wearable_{item}") for item in shown})
    item, value = need(settingItem, "settingItem"), _watch_value(settingItem, need(settingValue, "settingValue"))
    require_radios(ctx, "bluetooth")
    watch = ctx.one("SELECT name FROM bluetooth_devices WHERE kind = 'watch' AND connected = 1")
    if watch is None:
        raise conflict("No watch is connected")
    changed = ctx.set_setting(f"wearable_{item}", value)
    return ok("Watch setting changed" if changed else "Watch setting already so", watch=watch["name"], value=value)


def _watch_value(item: str | None, text: str) -> str:
    if item != "step_goal":
        allowed = WATCH_SETTINGS[item or ""]
        found = next((value for value in allowed if value.casefold() == text.casefold()), None)
        if found is None:
            raise bad(f"{item} must be {'|'.join(allowed)}")
        return found
    low, high = STEP_GOAL
    if not (text.isascii() and text.isdigit() and len(text) < 10 and low <= int(text) <= high):
        raise bad(f"step_goal must be {low} to {high}")
    return str(int(text))


TOOLS = (
    control_screen_casting,
    manage_keyboard_mouse_sharing,
    manage_screen_collaboration,
    manage_clipboard_sharing,
    manage_device_relay,
    manage_car_link,
    manage_wearable_settings,
)
