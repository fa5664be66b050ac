"""Network & Connectivity: radios, hotspot, VPN and SIM cards. Wi-Fi and Bluetooth links live in `links`.

Radios are `settings` rows ("on" | "off") that depend on each other the way a phone's do:

* airplane mode switches Wi-Fi, Bluetooth, mobile data and the hotspot off; Wi-Fi and Bluetooth may be switched on
  again during it, mobile data may not; leaving it restores nothing;
* switching a radio off drops what it carries: Wi-Fi and Bluetooth connections, the hotspot over mobile data, and the
  VPN once neither a Wi-Fi network nor mobile data is left;
* asking for the state a switch already has succeeds and writes nothing.
"""

from __future__ import annotations

import random
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import links
from qpa.envs.sandbox.domains.links import DOMAIN_NAME, Switch, drop, find_named, set_switch
from qpa.envs.sandbox.schema import Domain, World
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, missing, ok, tool

SCHEMA = """
CREATE TABLE vpn_profiles (
  name TEXT PRIMARY KEY, server TEXT NOT NULL DEFAULT '', connected INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE sims (
  slot INTEGER PRIMARY KEY, carrier TEXT NOT NULL DEFAULT '', enabled INTEGER NOT NULL DEFAULT 1,
  is_data INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE data_usage (period TEXT PRIMARY KEY, used_mb INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
"""

BANDS = {"2.4": "2.4GHz", "2.4g": "2.4GHz", "2.4ghz": "2.4GHz", "5": "5GHz", "5g": "5GHz", "5ghz": "5GHz"}
MAX_HOTSPOT_DEVICES = 10
MIN_PASSWORD = 8  # WPA2
_CARRIERS = ("China Mobile", "T-Mobile", "Vodafone", "Orange", "Unicom")
_VPNS = (("Office VPN", "vpn.office.example"), ("Home VPN", "home.example"), ("Travel VPN", "travel.example"))


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_mobile_data(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn mobile data on or off, or query it."""
    if action == "query":
        carrier = ctx.one("SELECT carrier FROM sims WHERE is_data = 1")
        on = ctx.setting("mobile_data", "off") == "on"
        return ok("Mobile data status", enabled=on, carrier=carrier["carrier"] if carrier else "")
    if action == "enable" and ctx.setting("airplane_mode", "off") == "on":
        raise conflict("Airplane mode is on")
    return set_switch(ctx, "mobile_data", "Mobile data", action)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_airplane_mode(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn airplane mode on or off, or query it."""
    if action == "query":
        return ok("Airplane mode status", enabled=ctx.setting("airplane_mode", "off") == "on")
    if action == "enable" and ctx.setting("airplane_mode", "off") == "off":
        for radio in ("wifi", "bluetooth", "mobile_data", "hotspot"):
            drop(ctx, radio)
    return set_switch(ctx, "airplane_mode", "Airplane mode", action)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_hotspot(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn the personal hotspot on or off, or query it."""
    message = "Hotspot status"
    if action != "query":
        if action == "enable" and ctx.setting("mobile_data", "off") != "on":
            raise conflict("Mobile data is off")
        message = set_switch(ctx, "hotspot", "Hotspot", action)["message"]
    status = {
        "enabled": ctx.setting("hotspot", "off") == "on",
        "ssid": ctx.setting("hotspot_name"),
        "password": ctx.setting("hotspot_password"),
    }
    return {"success": True, "action": action, "message": message, "hotspot_status": status}


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def configure_hotspot(
    ctx: ToolContext, settingItem: Literal["hotspot_name", "password", "band", "max_devices"], settingValue: str
) -> dict[str, Any]:
    """Change one hotspot setting."""
    key = settingItem if settingItem.startswith("hotspot") else f"hotspot_{settingItem}"
    value = _hotspot_value(settingItem, settingValue)
    old = ctx.setting(key)
    changed = ctx.set_setting(key, value)
    return {
        "status": "success",
        "message": "Hotspot setting changed" if changed else "Hotspot setting already so",
        "settingItem": settingItem,
        "old_value": old,
        "new_value": value,
        "code": 200,
    }


def _hotspot_value(item: str, value: str) -> str:
    if item == "hotspot_name" and len(value.encode()) > 32:
        raise bad("hotspot_name is longer than 32 bytes")
    if item == "password" and not MIN_PASSWORD <= len(value) <= 63:
        raise bad("password needs 8 to 63 characters")
    if item == "band":
        band = BANDS.get(value.casefold().replace(" ", ""))
        if band is None:
            raise bad("band must be 2.4GHz or 5GHz")
        return band
    if item == "max_devices":
        if not (value.isascii() and value.isdigit() and 1 <= int(value[:4]) <= MAX_HOTSPOT_DEVICES):
            raise bad(f"max_devices must be 1 to {MAX_HOTSPOT_DEVICES}")
        return str(int(value))
    return value


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_nfc(
    ctx: ToolContext, action: Switch, mode: Literal["tap_to_pay", "read_write", "card_emulation"] | None = None
) -> dict[str, Any]:
    """Turn NFC on or off with an optional mode, or query it."""
    if action != "enable" and mode is not None:
        raise bad("mode only goes with enable")
    message = "NFC status"
    if action != "query":
        message = set_switch(ctx, "nfc", "NFC", action)["message"]
        if mode is not None and ctx.set_setting("nfc_mode", mode):
            message = f"NFC on, mode {mode}"
    return ok(message, enabled=ctx.setting("nfc", "off") == "on", mode=ctx.setting("nfc_mode"))


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_vpn(
    ctx: ToolContext, action: Literal["connect", "disconnect", "query"], profile: str | None = None
) -> dict[str, Any]:
    """Connect or disconnect a VPN profile, or query profiles."""
    profiles = ctx.rows("SELECT * FROM vpn_profiles ORDER BY name")
    active = next((p["name"] for p in profiles if p["connected"]), "")
    if action == "query":
        return ok("VPN status", connected=active, profiles=[p["name"] for p in profiles])
    wanted = "" if profile is None else find_named(profiles, "name", profile, "VPN profile")["name"]
    if action == "disconnect":
        if not active or wanted not in ("", active):
            return ok("VPN already disconnected", connected=active)
        ctx.execute("UPDATE vpn_profiles SET connected = 0 WHERE connected = 1")
        return ok("VPN disconnected", connected="")
    if not wanted:
        if len(profiles) != 1:
            raise bad("Give profile")
        wanted = profiles[0]["name"]
    if not links.online(ctx):
        raise conflict("No network for VPN")
    if wanted == active:
        return ok("VPN already connected", connected=wanted)
    ctx.execute("UPDATE vpn_profiles SET connected = 0 WHERE connected = 1")
    ctx.execute("UPDATE vpn_profiles SET connected = 1 WHERE name = ?", wanted)
    return ok("VPN connected", connected=wanted)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_data_saver(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn data saver on or off, or query it."""
    if action == "query":
        return ok("Data saver status", enabled=ctx.setting("data_saver", "off") == "on")
    return set_switch(ctx, "data_saver", "Data saver", action)


@tool(domain=DOMAIN_NAME, effect=Effect.READ)
def query_data_usage(ctx: ToolContext, period: Literal["today", "week", "month"] = "month") -> dict[str, Any]:
    """Query used mobile data and the monthly plan."""
    row = ctx.one("SELECT used_mb FROM data_usage WHERE period = ?", period)
    return ok(
        "Data usage",
        period=period,
        used_mb=row["used_mb"] if row else 0,
        plan_mb=int(ctx.setting("data_plan_mb", "0")),
    )


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_sim(
    ctx: ToolContext, action: Literal["switch", "enable", "disable", "query"], slot: int | None = None
) -> dict[str, Any]:
    """Switch the data SIM, turn a SIM on or off, or query."""
    sims = ctx.rows("SELECT * FROM sims ORDER BY slot")
    if action == "query":
        return ok(
            "SIM status",
            items=[
                {"slot": s["slot"], "carrier": s["carrier"], "enabled": bool(s["enabled"]), "data": bool(s["is_data"])}
                for s in sims
            ],
        )
    if slot is None:
        found = [s for s in sims if not s["is_data"]]
        if action != "switch" or len(found) != 1:
            raise bad("Give slot")
    else:
        found = [s for s in sims if s["slot"] == slot]
        if not found:
            raise missing(f"No SIM in slot {slot}")
    return _set_sim(ctx, action, found[0])


def _set_sim(ctx: ToolContext, action: str, sim: dict[str, Any]) -> dict[str, Any]:
    slot = sim["slot"]
    if action == "switch":
        if not sim["enabled"]:
            raise conflict(f"SIM {slot} is off")
        if sim["is_data"]:
            return ok(f"SIM {slot} already used for data", slot=slot)
        _use_for_data(ctx, slot)
        return ok(f"SIM {slot} used for data", slot=slot)
    word = "on" if action == "enable" else "off"
    if bool(sim["enabled"]) == (action == "enable"):
        return ok(f"SIM {slot} already {word}", slot=slot)
    if action == "disable":
        other = ctx.one("SELECT slot FROM sims WHERE enabled = 1 AND slot <> ? ORDER BY slot", slot)
        if other is None:
            raise conflict(f"SIM {slot} is the only active one")
        if sim["is_data"]:
            _use_for_data(ctx, other["slot"])
    ctx.execute("UPDATE sims SET enabled = ? WHERE slot = ?", int(action == "enable"), slot)
    return ok(f"SIM {slot} {word}", slot=slot)


def _use_for_data(ctx: ToolContext, slot: int) -> None:
    ctx.execute("UPDATE sims SET is_data = 0 WHERE is_data = 1")
    ctx.execute("UPDATE sims SET is_data = 1 WHERE slot = ?", slot)


def seed_rows(rng: random.Random, world: World) -> None:
    """Fills radios, networks, devices, profiles and SIMs; the switch states respect the dependencies above."""
    airplane = rng.random() < 0.08
    wifi, bluetooth, data = (not airplane and rng.random() < p for p in (0.75, 0.6, 0.8))
    hotspot = data and rng.random() < 0.15
    on_wifi = links.seed_rows(rng, world, wifi=wifi, bluetooth=bluetooth)
    switches = {
        "wifi": wifi,
        "bluetooth": bluetooth,
        "mobile_data": data,
        "hotspot": hotspot,
        "nfc": rng.random() < 0.5,
        "airplane_mode": airplane,
        "data_saver": rng.random() < 0.3,
    }
    for key, on in switches.items():
        world.add("settings", key=key, value="on" if on else "off")
    for key, value in {
        "nfc_mode": rng.choice(("tap_to_pay", "read_write", "card_emulation")),
        "hotspot_name": rng.choice(("MyPhone_Hotspot", "Pixel_Share", "Pocket_Net", "Redmi_AP")),
        "hotspot_password": f"{rng.choice(('share', 'pocket', 'guest'))}{rng.randrange(1000, 10000)}",
        "hotspot_band": rng.choice(("2.4GHz", "5GHz")),
        "hotspot_max_devices": str(rng.choice((4, 6, 8))),
        "data_plan_mb": str(rng.choice((5000, 10000, 20000))),
    }.items():
        world.add("settings", key=key, value=value)
    active = rng.choice(_VPNS)[0] if (on_wifi or data) and rng.random() < 0.25 else ""
    for name, server in _VPNS:
        world.add("vpn_profiles", name=name, server=server, connected=int(name == active))
    data_slot = rng.choice((1, 2))
    for slot, carrier in enumerate(rng.sample(_CARRIERS, 2), start=1):
        world.add("sims", slot=slot, carrier=carrier, enabled=1, is_data=int(slot == data_slot))
    today = rng.randrange(20, 600)
    week = today + rng.randrange(300, 2000)
    for period, used in (("today", today), ("week", week), ("month", week + rng.randrange(500, 4000))):
        world.add("data_usage", period=period, used_mb=used)


DOMAIN = Domain(
    name=DOMAIN_NAME,
    schema=SCHEMA + links.SCHEMA,
    tools=(
        links.manage_wifi,
        links.connect_wifi,
        links.forget_wifi,
        links.manage_bluetooth,
        links.pair_bluetooth_device,
        links.disconnect_bluetooth_device,
        manage_mobile_data,
        manage_hotspot,
        configure_hotspot,
        manage_nfc,
        manage_airplane_mode,
        manage_vpn,
        manage_data_saver,
        query_data_usage,
        manage_sim,
    ),
    seed_rows=seed_rows,
)
