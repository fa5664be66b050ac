"""System Settings: device information, updates, developer options, date and location services, resets.

* An update goes unchecked -> available -> downloaded -> installed; `update_offered` is what the server has, which the
  phone learns by a check. Installing restarts the phone.
* A factory reset does not delete row by row: it leaves the phone off, so nothing can read what it erased.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import Switch, require_online
from qpa.envs.sandbox.domains.phone_state import is_on
from qpa.envs.sandbox.domains.system_common import NAME, battery_allows, require_owner, switch, turn_off
from qpa.envs.sandbox.domains.system_power import restart
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, need, ok, tool

INSTALL_PERCENT = 30  # charge an update or a factory reset needs, unless the phone charges
MAX_NAME = 32
DEVELOPER_OPTIONS = ("oem_unlocking", "show_touches", "stay_awake")
ACCESS_DEFAULTS = {
    "talkback": "off",
    "select_to_speak": "off",
    "magnification": "off",
    "color_correction": "off",
    "captions": "off",
    "touch_hold_delay": "short",
}
DESKTOP_DEFAULTS = {
    "desktop_icon_size": "medium",
    "desktop_app_names": "on",
    "desktop_lock": "off",
    "desktop_main_page": "1",
}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_device_info(
    ctx: ToolContext,
    action: Literal["query", "rename"],
    item: Literal["name", "model", "system_version", "serial_number", "memory", "last_restart"] | None = None,
    deviceName: str | None = None,
) -> dict[str, Any]:
    """Query device facts such as model, or rename it."""
    if action == "rename":
        name = need(deviceName, "deviceName")
        if len(name) > MAX_NAME:
            raise bad(f"deviceName is longer than {MAX_NAME} characters")
        word = "renamed" if ctx.set_setting("device_name", name) else "already named so"
        return ok(f"Device {word}", name=name)
    if deviceName is not None:
        raise bad("deviceName only goes with rename")
    facts = {
        "name": ctx.setting("device_name"),
        "model": ctx.setting("device_model"),
        "system_version": ctx.setting("system_version"),
        "serial_number": ctx.setting("device_serial"),
        "memory": f"{ctx.setting('device_memory_gb')} GB",
        "last_restart": ctx.setting("last_restart"),
    }
    chosen = ("name", "model", "system_version") if item is None else (item,)
    return ok("Device info", **{name: facts[name] for name in chosen})


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def manage_system_update(
    ctx: ToolContext,
    action: Literal["check", "download", "install", "enable_auto", "disable_auto", "query"],
    useMobileData: bool | None = None,
) -> dict[str, Any]:
    """Check, download or install system updates, also automatically."""
    if useMobileData is not None and action != "download":
        raise bad("useMobileData only goes with download")
    if action.endswith("auto"):
        return switch(ctx, "auto_update", "Automatic updates", action.removesuffix("_auto"))
    state = ctx.setting("update_state", "unchecked")
    if action == "query":
        return ok("System update", **_update_view(ctx, state), automatic=is_on(ctx, "auto_update"))
    if action == "install":
        return _install_update(ctx, state)
    require_online(ctx)
    if action == "check":
        if state != "downloaded":
            state = "available" if ctx.setting("update_offered") else "up_to_date"
            ctx.set_setting("update_state", state)
        return ok("System update", **_update_view(ctx, state))
    return _download_update(ctx, state, bool(useMobileData))


def _update_view(ctx: ToolContext, state: str) -> dict[str, str]:
    new = {"new_version": ctx.setting("update_offered")} if state in ("available", "downloaded") else {}
    return {"state": state, "version": ctx.setting("system_version"), **new}


def _download_update(ctx: ToolContext, state: str, mobile: bool) -> dict[str, Any]:
    if state == "downloaded":
        return ok("Update already downloaded", **_update_view(ctx, state))
    if state == "unchecked":
        raise conflict("Check for updates first")
    if state == "up_to_date":
        raise conflict("System is up to date")
    if not mobile and ctx.one("SELECT ssid FROM wifi_networks WHERE connected = 1") is None:
        raise conflict("Not on Wi-Fi; useMobileData is needed")
    ctx.set_setting("update_state", "downloaded")
    return ok("Update downloaded", **_update_view(ctx, "downloaded"))


def _install_update(ctx: ToolContext, state: str) -> dict[str, Any]:
    if state != "downloaded":
        raise conflict("No update is downloaded")
    _need_charge(ctx)
    version = ctx.setting("update_offered")
    ctx.set_setting("system_version", version)
    ctx.set_setting("update_offered", "")
    ctx.set_setting("update_state", "up_to_date")
    restart(ctx)
    return ok("Update installed, device restarted", version=version)


def _need_charge(ctx: ToolContext) -> None:
    if not battery_allows(ctx, INSTALL_PERCENT):
        raise conflict(f"Battery below {INSTALL_PERCENT}%; charge first")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_developer_options(
    ctx: ToolContext, action: Switch, option: Literal["oem_unlocking", "show_touches", "stay_awake"] | None = None
) -> dict[str, Any]:
    """Turn developer options, or one of them, on or off."""
    if action == "query" and option is None:
        shown = [name for name in DEVELOPER_OPTIONS if is_on(ctx, f"developer_{name}")]
        return ok("Developer options", enabled=is_on(ctx, "developer_options"), options=shown)
    if option is not None:
        if action == "enable":
            _need_developer(ctx)
        return switch(ctx, f"developer_{option}", option.replace("_", " ").capitalize(), action)
    if action == "enable":
        require_owner(ctx)
    else:
        for key in ("usb_debug", *(f"developer_{name}" for name in DEVELOPER_OPTIONS)):
            turn_off(ctx, key)
    return switch(ctx, "developer_options", "Developer options", action)


def _need_developer(ctx: ToolContext) -> None:
    if not is_on(ctx, "developer_options"):
        raise conflict("Developer options are off")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_usb_debug(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn USB debugging on or off, or query it."""
    if action == "enable":
        _need_developer(ctx)
    answer = switch(ctx, "usb_debug", "USB debugging", action)
    enabled = answer["data"]["enabled"]
    return ok(
        answer["message"],
        usb_debug_enabled=enabled,
        developer_options_enabled=is_on(ctx, "developer_options"),
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_auto_date_time(
    ctx: ToolContext, action: Switch, item: Literal["time", "time_zone"] = "time"
) -> dict[str, Any]:
    """Turn automatic time or time zone on or off."""
    label = "Automatic date and time" if item == "time" else "Automatic time zone"
    return switch(ctx, f"auto_{item}", label, action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_location(
    ctx: ToolContext, action: Switch, mode: Literal["high_accuracy", "battery_saving", "device_only"] | None = None
) -> dict[str, Any]:
    """Turn location on or off, with its accuracy mode."""
    return switch(ctx, "location", "Location", action, mode=("location_mode", mode))


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def reset_settings(ctx: ToolContext, scope: Literal["network", "accessibility", "desktop"]) -> dict[str, Any]:
    """Reset network, accessibility or desktop settings to their defaults."""
    if scope == "network":
        changed = _reset_network(ctx)
    else:
        defaults = ACCESS_DEFAULTS if scope == "accessibility" else DESKTOP_DEFAULTS
        wrong = [key for key, value in defaults.items() if ctx.setting(key, value) != value]
        changed = bool(wrong)
        for key in wrong:
            ctx.set_setting(key, defaults[key])
    word = "reset" if changed else "already at their defaults"
    return ok(f"{scope.capitalize()} settings {word}", scope=scope)


def _reset_network(ctx: ToolContext) -> bool:
    """Forgets saved networks and paired devices, as Android's network reset does; radios stay as they are."""
    require_owner(ctx)
    counts = [
        ctx.execute("UPDATE wifi_networks SET saved = 0, connected = 0 WHERE saved = 1 OR connected = 1"),
        ctx.execute("UPDATE bluetooth_devices SET paired = 0, connected = 0 WHERE paired = 1 OR connected = 1"),
        ctx.execute("UPDATE vpn_profiles SET connected = 0 WHERE connected = 1"),
    ]
    return any(counts)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def factory_reset(ctx: ToolContext, confirm: bool) -> dict[str, Any]:
    """Erase everything on the phone; needs confirm true."""
    if not confirm:
        raise bad("confirm must be true")
    require_owner(ctx)
    _need_charge(ctx)
    ctx.set_setting("factory_reset_at", ctx.now.isoformat())
    ctx.set_setting("device_power", "off")
    return ok("Phone erased; set it up anew")


TOOLS = (
    manage_device_info,
    manage_system_update,
    manage_developer_options,
    manage_usb_debug,
    manage_auto_date_time,
    manage_location,
    reset_settings,
    factory_reset,
)
