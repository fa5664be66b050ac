"""Wi-Fi and Bluetooth links, and the switches they share with the rest of Network & Connectivity."""

from __future__ import annotations

import random
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, ok, tool

DOMAIN_NAME = "Network & Connectivity"
Switch = Literal["enable", "disable", "query"]
BLUETOOTH_CASTING = ("trusted_ring", "smart_space")  # connection methods that need Bluetooth beside Wi-Fi

SCHEMA = """
CREATE TABLE wifi_networks (
  ssid TEXT PRIMARY KEY, password TEXT NOT NULL DEFAULT '', saved INTEGER NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE bluetooth_devices (
  name TEXT PRIMARY KEY, kind TEXT NOT NULL DEFAULT '', paired INTEGER NOT NULL DEFAULT 0,
  connected INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
"""

SSIDS = {  # place -> names; a network without a password is open
    "home": ("HomeNet_5G", "Maple_Home", "Sunny-Home", "Family-WiFi"),
    "office": ("OfficeNet", "Acme-Staff", "Studio-7"),
    "hotel": ("Hotel-Guest", "GrandInn", "SeaView-Rooms"),
    "neighbour": ("NET-4471", "Upstairs_2F", "Garden-Link"),
    "cafe": ("CafeLibre", "BlueCup-Free", "Airport-Free"),
}
_DEVICES = {
    "headphones": ("AirBuds Pro", "Galaxy Buds", "WH-1000"),
    "car": ("Car Audio", "Road Link"),
    "laptop": ("MacBook Pro", "ThinkPad X1"),
    "speaker": ("Kitchen Speaker", "Flip Speaker"),
    "watch": ("Fit Watch", "Mi Band"),
}


def find_named(rows: list[Row], key: str, wanted: str, label: str) -> Row:
    """The row whose `key` is `wanted`, ignoring case, or the only one that contains it.

    Raises 404 when none does and 409 (naming candidates) when several do.
    """
    folded = wanted.casefold()
    exact = [r for r in rows if r[key].casefold() == folded]
    found = exact or [r for r in rows if folded in r[key].casefold()]
    if not found:
        raise missing(f"{label} not found: {wanted[:40]}")
    if len(found) > 1:
        raise conflict(f"Several match: {', '.join(r[key] for r in found[:4])}")
    return found[0]


def online(ctx: ToolContext) -> bool:
    """Whether anything carries traffic: a connected Wi-Fi network or mobile data."""
    connected = ctx.one("SELECT 1 AS x FROM wifi_networks WHERE connected = 1")
    return connected is not None or ctx.setting("mobile_data", "off") == "on"


def require_online(ctx: ToolContext) -> None:
    """409 while nothing carries traffic."""
    if not online(ctx):
        raise conflict("No network")


def drop(ctx: ToolContext, radio: str) -> bool:
    """Switches a radio off with everything it carries; returns False when it was off already."""
    changed = ctx.set_setting(radio, "off")
    if radio == "wifi":
        ctx.execute("UPDATE wifi_networks SET connected = 0 WHERE connected = 1")
        _end(ctx, "casting", "collaboration")
    elif radio == "bluetooth":
        ctx.execute("UPDATE bluetooth_devices SET connected = 0 WHERE connected = 1")
        _end(ctx, "keyboard_sharing", "collaboration")
        if ctx.setting("casting_method") in BLUETOOTH_CASTING:
            _end(ctx, "casting")
    elif radio == "mobile_data":
        ctx.set_setting("hotspot", "off")
    drop_vpn_if_offline(ctx)
    return changed


def _end(ctx: ToolContext, *sessions: str) -> None:
    """Clears the settings of sessions with other devices ("casting_device", ...)."""
    for session in sessions:
        ctx.execute("UPDATE settings SET value = '' WHERE key GLOB ? AND value <> ''", f"{session}_*")


def drop_vpn_if_offline(ctx: ToolContext) -> None:
    """Disconnects the VPN when nothing is left to carry it."""
    if not online(ctx):
        ctx.execute("UPDATE vpn_profiles SET connected = 0 WHERE connected = 1")


def set_switch(ctx: ToolContext, key: str, label: str, action: str) -> dict[str, Any]:
    """Enables or disables the setting `key`; "already on" when nothing changes."""
    on = action == "enable"
    word = "on" if on else "off"
    if ctx.setting(key, "off") == word:
        return ok(f"{label} already {word}", enabled=on)
    if on:
        ctx.set_setting(key, "on")
    else:
        drop(ctx, key)
    return ok(f"{label} {word}", enabled=on)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_wifi(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn Wi-Fi on or off, or query networks."""
    if action != "query":
        return set_switch(ctx, "wifi", "Wi-Fi", action)
    on = ctx.setting("wifi", "off") == "on"
    networks = ctx.rows("SELECT * FROM wifi_networks ORDER BY ssid")
    return ok(
        "Wi-Fi status",
        enabled=on,
        connected=next((n["ssid"] for n in networks if n["connected"]), ""),
        saved=[n["ssid"] for n in networks if n["saved"]],
        others=[n["ssid"] for n in networks if on and not n["saved"]],
    )


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, permission="CHANGE_WIFI_STATE")
def connect_wifi(ctx: ToolContext, ssid: str, password: str | None = None) -> dict[str, Any]:
    """Connect to a Wi-Fi network; saved ones need no password."""
    if ctx.setting("wifi", "off") != "on":
        raise conflict("Wi-Fi is off")
    network = find_named(ctx.rows("SELECT * FROM wifi_networks ORDER BY ssid"), "ssid", ssid, "Network")
    if network["connected"]:
        return ok("Wi-Fi already connected", ssid=network["ssid"])
    if network["password"] and not network["saved"]:
        if password is None:
            raise bad("Give password")
        if password != network["password"]:
            raise bad("Wrong password")
    ctx.execute("UPDATE wifi_networks SET connected = 0 WHERE connected = 1")
    ctx.execute("UPDATE wifi_networks SET connected = 1, saved = 1 WHERE ssid = ?", network["ssid"])
    return ok("Wi-Fi connected", ssid=network["ssid"])


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, permission="CHANGE_WIFI_STATE")
def forget_wifi(ctx: ToolContext, ssid: str) -> dict[str, Any]:
    """Forget a saved Wi-Fi network."""
    saved = ctx.rows("SELECT * FROM wifi_networks WHERE saved = 1 ORDER BY ssid")
    network = find_named(saved, "ssid", ssid, "Saved network")
    ctx.execute("UPDATE wifi_networks SET saved = 0, connected = 0 WHERE ssid = ?", network["ssid"])
    drop_vpn_if_offline(ctx)
    return ok("Network forgotten", ssid=network["ssid"])


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_bluetooth(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn Bluetooth on or off, or query devices."""
    if action != "query":
        return set_switch(ctx, "bluetooth", "Bluetooth", action)
    on = ctx.setting("bluetooth", "off") == "on"
    devices = ctx.rows("SELECT * FROM bluetooth_devices ORDER BY name")
    return ok(
        "Bluetooth status",
        enabled=on,
        connected=[d["name"] for d in devices if d["connected"]],
        paired=[d["name"] for d in devices if d["paired"]],
        others=[d["name"] for d in devices if on and not d["paired"]],
    )


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, permission="BLUETOOTH_CONNECT")
def pair_bluetooth_device(ctx: ToolContext, deviceName: str) -> dict[str, Any]:
    """Pair and connect a Bluetooth device."""
    if ctx.setting("bluetooth", "off") != "on":
        raise conflict("Bluetooth is off")
    devices = ctx.rows("SELECT * FROM bluetooth_devices ORDER BY name")
    device = find_named(devices, "name", deviceName, "Device")
    if device["connected"]:
        return ok("Device already connected", device=device["name"])
    ctx.execute("UPDATE bluetooth_devices SET paired = 1, connected = 1 WHERE name = ?", device["name"])
    return ok("Device connected", device=device["name"])


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE, permission="BLUETOOTH_CONNECT")
def disconnect_bluetooth_device(ctx: ToolContext, deviceName: str) -> dict[str, Any]:
    """Disconnect a Bluetooth device; it stays paired."""
    devices = ctx.rows("SELECT * FROM bluetooth_devices ORDER BY name")
    device = find_named(devices, "name", deviceName, "Device")
    if not device["connected"]:
        return ok("Device already disconnected", device=device["name"])
    ctx.execute("UPDATE bluetooth_devices SET connected = 0 WHERE name = ?", device["name"])
    return ok("Device disconnected", device=device["name"])


def seed_rows(rng: random.Random, world: World, *, wifi: bool, bluetooth: bool) -> bool:
    """Adds networks and devices; returns whether a Wi-Fi network is connected."""
    on_wifi = wifi and rng.random() < 0.7
    for place, names in SSIDS.items():
        ssid = rng.choice(names)
        password = "" if place == "cafe" else f"{rng.choice(('pass', 'key', 'wifi'))}{rng.randrange(10000, 100000)}"
        saved = place == "home" or (place == "office" and rng.random() < 0.7)
        world.add(
            "wifi_networks",
            ssid=ssid,
            password=password,
            saved=int(saved),
            connected=int(on_wifi and place == "home"),
        )
    for kind, names in _DEVICES.items():
        name = rng.choice(names)
        paired = kind == "headphones" or rng.random() < 0.5
        connected = bluetooth and paired and rng.random() < 0.3
        world.add("bluetooth_devices", name=name, kind=kind, paired=int(paired), connected=int(connected))
    return on_wifi
