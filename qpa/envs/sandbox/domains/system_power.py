"""System Settings: device power, battery, cooling and games.

* Powering off is final for an episode: the session then answers every call 409.
* A restart ends the call, hotspot, VPN and Bluetooth links to unpaired devices; `last_restart` is the row it leaves.
* A battery saver takes games out of performance mode; super saving also stops the fan, and both stay so after it.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import SHOWN, is_on
from qpa.envs.sandbox.domains.system_common import NAME, battery_allows, battery_level, on_off, switch, turn_off
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, in_range, ok, tool

SCHEMA = """
CREATE TABLE battery_usage (app TEXT PRIMARY KEY, percent INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
"""

SAVERS = ("power_saving", "super_saving")
PERFORMANCE_PERCENT = 20  # charge below which performance mode is refused
CHARGING_LIMITS = (80, 85, 90, 95)
_FULL_HOURS = {"normal": 20, "performance": 14, "power_saving": 30, "super_saving": 60}  # a full charge lasts


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def control_device_power(ctx: ToolContext, action: Literal["power_off", "restart", "safe_mode"]) -> dict[str, Any]:
    """Power off or restart the phone, also into safe mode."""
    if action == "power_off":
        ctx.set_setting("device_power", "off")
        return {"success": True, "action": action, "message": "Device powered off"}
    restart(ctx, safe_mode=action == "safe_mode")
    message = "Device restarted in safe mode" if action == "safe_mode" else "Device restarted"
    return {"success": True, "action": action, "message": message}


def restart(ctx: ToolContext, *, safe_mode: bool = False) -> None:
    """Restarts the phone: what lives in memory only ends."""
    ctx.set_setting("last_restart", ctx.now.isoformat())
    if is_on(ctx, "safe_mode") != safe_mode:
        ctx.set_setting("safe_mode", "on" if safe_mode else "off")
    turn_off(ctx, "hotspot")
    ctx.execute("UPDATE calls SET status = 'ended' WHERE status = 'active'")
    ctx.execute("UPDATE vpn_profiles SET connected = 0 WHERE connected = 1")
    ctx.execute("UPDATE bluetooth_devices SET connected = 0 WHERE connected = 1 AND paired = 0")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_battery(
    ctx: ToolContext, mode: Literal["normal", "performance", "power_saving", "super_saving"]
) -> dict[str, Any]:
    """Set the battery mode, from performance to super saving."""
    if mode == ctx.setting("battery_mode", "normal"):
        return ok(f"Battery mode already {mode}", mode=mode)
    if mode == "performance" and not battery_allows(ctx, PERFORMANCE_PERCENT):
        raise conflict("Battery too low for performance")
    _enter(ctx, mode)
    return ok(f"Battery mode {mode}", mode=mode)


def _enter(ctx: ToolContext, mode: str) -> None:
    ctx.set_setting("battery_mode", mode)
    if mode in SAVERS and ctx.setting("game_mode") == "performance":
        ctx.set_setting("game_mode", "balanced")
    if mode == "super_saving":
        turn_off(ctx, "cooling_fan")


@tool(domain=NAME, effect=Effect.READ)
def query_battery(ctx: ToolContext, item: Literal["status", "health", "app_usage"] = "status") -> dict[str, Any]:
    """Query battery level and mode, health, or use by app."""
    if item == "health":
        health = {name: int(ctx.setting(f"battery_{name}", "0")) for name in ("health", "cycles", "temperature")}
        return ok("Battery health", percent=health["health"], cycles=health["cycles"], celsius=health["temperature"])
    if item == "app_usage":
        apps = ctx.rows("SELECT app, percent FROM battery_usage ORDER BY percent DESC, app")
        return ok("Battery use by app", items=apps[:SHOWN], total=len(apps))
    level, mode, charging = battery_level(ctx), ctx.setting("battery_mode", "normal"), is_on(ctx, "charging")
    left = {} if charging else {"hours_left": round(level * _FULL_HOURS.get(mode, 20) / 100, 1)}
    return ok("Battery status", level=level, mode=mode, charging=charging, **left)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_battery_saver_schedule(ctx: ToolContext, action: Switch, threshold: int | None = None) -> dict[str, Any]:
    """Turn power saving on automatically below a battery percentage."""
    wanted = None if threshold is None else str(in_range("threshold", threshold, 5, 75))
    keys = ("battery_saver_schedule", "battery_saver_threshold")
    before = [ctx.setting(key) for key in keys]
    answer = switch(ctx, keys[0], "Battery saver schedule", action, threshold=(keys[1], wanted))
    limit = answer["data"]["threshold"] = int(ctx.setting(keys[1], "20"))
    fresh = action == "enable" and before != [ctx.setting(key) for key in keys]
    # As on a phone, a schedule that is set while the charge is already below it takes hold at once.
    if fresh and not battery_allows(ctx, limit + 1) and ctx.setting("battery_mode", "normal") not in SAVERS:
        _enter(ctx, "power_saving")
        answer["message"] += "; power saving on now"
    return answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_charging_protection(ctx: ToolContext, action: Switch, limit: int | None = None) -> dict[str, Any]:
    """Stop charging at 80, 85, 90 or 95 percent."""
    if limit is not None and limit not in CHARGING_LIMITS:
        raise bad(f"limit must be {'|'.join(map(str, CHARGING_LIMITS))}")
    wanted = None if limit is None else str(limit)
    answer = switch(ctx, "charging_protection", "Charging protection", action, limit=("charging_limit", wanted))
    answer["data"]["limit"] = int(ctx.setting("charging_limit", "80"))
    return answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def control_cooling_fan(
    ctx: ToolContext, action: Switch, speed: Literal["auto", "low", "medium", "high"] | None = None
) -> dict[str, Any]:
    """Turn the cooling fan on or off, with its speed."""
    if action == "enable" and ctx.setting("battery_mode", "normal") == "super_saving":
        raise conflict("Super saving is on")
    return switch(ctx, "cooling_fan", "Cooling fan", action, speed=("cooling_fan_speed", speed))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_game_manager(
    ctx: ToolContext,
    action: Switch,
    gameMode: Literal["balanced", "performance", "power_saving"] | None = None,
    blockNotifications: bool | None = None,
) -> dict[str, Any]:
    """Turn the game manager on or off, with its mode."""
    if gameMode == "performance" and ctx.setting("battery_mode", "normal") in SAVERS:
        raise conflict("Battery saver is on")
    return switch(
        ctx,
        "game_manager",
        "Game manager",
        action,
        gameMode=("game_mode", gameMode),
        blockNotifications=("game_block_notifications", on_off(blockNotifications)),
    )


TOOLS = (
    control_device_power,
    manage_battery,
    query_battery,
    manage_battery_saver_schedule,
    manage_charging_protection,
    control_cooling_fan,
    manage_game_manager,
)
