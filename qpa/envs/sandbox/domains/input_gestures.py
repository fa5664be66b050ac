"""Input & Interaction, second part: gestures, keys and the aids that lie over or beside the screen."""

from __future__ import annotations

from typing import Any, Literal, get_args

from qpa.contract import Effect
from qpa.envs.sandbox.domains.input_screen import NAME, split_apps
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import find_app, is_on, refuse_super_saving, set_switch, store
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, in_range, missing, need, ok, tool

AirGesture = Literal["scroll", "screenshot", "answer_call", "pause_media"]
MotionGesture = Literal["flip_to_mute", "pick_up_to_quiet", "raise_to_answer", "cover_to_sleep", "pocket_mode"]
ShortcutGesture = Literal[
    "double_tap_back", "triple_tap_back", "three_finger_swipe", "knuckle_double_tap", "knuckle_letter_s"
]
SIDE_KEY = {  # press -> what it may do
    "double": ("camera", "flashlight", "wallet", "open_app", "off"),
    "long": ("power_menu", "voice_assistant", "off"),
}
MAX_SIDEBAR_APPS = 8
_NO_AOD = ("power_saving", "super_saving")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_air_gestures(ctx: ToolContext, action: Switch, gesture: AirGesture | None = None) -> dict[str, Any]:
    """Switch touchless hand gestures, one or all, or query."""
    shown = get_args(AirGesture) if gesture is None else (gesture,)
    if action == "enable":
        refuse_super_saving(ctx)
    return _switch_gestures(ctx, "air_gesture_", "Air gesture", action, shown)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_motion_gestures(ctx: ToolContext, action: Switch, gesture: MotionGesture | None = None) -> dict[str, Any]:
    """Switch a motion gesture such as flip to mute."""
    if action != "query":
        need(gesture, "gesture")
    shown = get_args(MotionGesture) if gesture is None else (gesture,)
    return _switch_gestures(ctx, "motion_", "Motion gesture", action, shown)


def _switch_gestures(
    ctx: ToolContext, prefix: str, label: str, action: str, gestures: tuple[str, ...]
) -> dict[str, Any]:
    message = f"{label} status"
    if action != "query":
        word = "on" if action == "enable" else "off"
        changed = store(ctx, {prefix + name: word for name in gestures if is_on(ctx, prefix + name) != (word == "on")})
        message = f"{label} {'' if changed else 'already '}{word}"
    return ok(message, **{name: is_on(ctx, prefix + name) for name in gestures})


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_gesture_shortcuts(
    ctx: ToolContext,
    action: Literal["set", "clear", "query"],
    gesture: ShortcutGesture | None = None,
    function: Literal[
        "screenshot",
        "scrolling_screenshot",
        "screen_recorder",
        "flashlight",
        "camera",
        "scan_code",
        "split_screen",
        "voice_assistant",
        "open_app",
    ]
    | None = None,
    appName: str | None = None,
) -> dict[str, Any]:
    """Choose what back taps, knuckles and swipes launch."""
    if action == "query":
        shown = get_args(ShortcutGesture) if gesture is None else (gesture,)
        return ok("Gesture shortcuts", **{name: ctx.setting(f"gesture_{name}", "off") for name in shown})
    key = f"gesture_{need(gesture, 'gesture')}"
    if action == "clear":
        if function is not None or appName is not None:
            raise bad("function and appName only go with set")
        value = "off"
    else:
        value = _function(ctx, need(function, "function"), appName)
    if ctx.setting(key, "off") == value:
        return ok(f"Gesture already {value}", gesture=gesture, function=value)
    ctx.set_setting(key, value)
    return ok("Gesture set" if value != "off" else "Gesture off", gesture=gesture, function=value)


def _function(ctx: ToolContext, function: str, app: str | None) -> str:
    """The function as a setting keeps it, with the app it opens: "open_app: Maps"."""
    if (function == "open_app") != (app is not None):
        raise bad("Give appName with open_app, and only then")
    if function == "voice_assistant" and not is_on(ctx, "voice_assistant"):
        raise conflict("Voice assistant is off")
    return f"open_app: {find_app(ctx, app)}" if app is not None else function


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_side_key(
    ctx: ToolContext,
    action: Literal["set", "query"],
    press: Literal["double", "long"] | None = None,
    function: Literal["camera", "flashlight", "wallet", "open_app", "power_menu", "voice_assistant", "off"]
    | None = None,
    appName: str | None = None,
) -> dict[str, Any]:
    """Choose what a double or long side-key press does."""
    if action == "set":
        key, wanted = need(press, "press"), need(function, "function")
        if wanted not in SIDE_KEY[key]:
            raise bad(f"function for {key} must be {'|'.join(SIDE_KEY[key])}")
        changed = ctx.set_setting(f"side_key_{key}", _function(ctx, wanted, appName))
        message = "Side key set" if changed else "Side key already so"
    else:
        message = "Side key"
    shown = SIDE_KEY if press is None else (press,)
    return ok(message, **{key: ctx.setting(f"side_key_{key}", "off") for key in shown})


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_always_on_display(
    ctx: ToolContext,
    action: Switch,
    mode: Literal["always", "tap", "scheduled"] | None = None,
    startTime: str | None = None,
    endTime: str | None = None,
    style: Literal["digital", "analog", "picture"] | None = None,
) -> dict[str, Any]:
    """Switch the always-on display, when and how it shows."""
    keys = {"mode": "aod_mode", "startTime": "aod_start", "endTime": "aod_end", "style": "aod_style"}
    message = "Always-on display status"
    if action != "enable" and any((mode, startTime, endTime, style)):
        raise bad("Options only go with enable")
    if action == "enable":
        if ctx.setting("battery_mode") in _NO_AOD:
            raise conflict("Power saving is on")
        times = [None if text is None else resolve(text, ctx.now, "time") for text in (startTime, endTime)]
        if any(times) and (mode or ctx.setting("aod_mode")) != "scheduled":
            raise bad("Times only go with mode scheduled")
        message = set_switch(ctx, "always_on_display", "Always-on display", action)
        if store(ctx, dict(zip(keys.values(), (mode, *times, style), strict=True))) and "already" in message:
            message = "Always-on display changed"
        if ctx.setting("aod_start") == ctx.setting("aod_end") and ctx.setting("aod_mode") == "scheduled":
            raise bad("startTime and endTime must differ")
    elif action == "disable":
        message = set_switch(ctx, "always_on_display", "Always-on display", action)
    shown = {name: ctx.setting(key) for name, key in keys.items()}
    if shown["mode"] != "scheduled":
        del shown["startTime"], shown["endTime"]
    return ok(message, enabled=is_on(ctx, "always_on_display"), **shown)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_one_handed_mode(
    ctx: ToolContext, action: Switch, side: Literal["left", "right"] | None = None
) -> dict[str, Any]:
    """Shrink the screen to one side, restore it, or query."""
    if action != "enable" and side is not None:
        raise bad("side only goes with enable")
    message = "One-handed mode status"
    if action != "query":
        if action == "enable" and split_apps(ctx):
            raise conflict("Split screen is on")
        message = set_switch(ctx, "one_handed_mode", "One-handed mode", action)
        if store(ctx, {"one_handed_side": side}):
            message = f"One-handed mode on, {side}"
    return ok(message, enabled=is_on(ctx, "one_handed_mode"), side=ctx.setting("one_handed_side", "right"))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="SYSTEM_ALERT_WINDOW")
def manage_floating_ball(
    ctx: ToolContext,
    action: Switch,
    tapAction: Literal["menu", "back", "home", "screenshot", "lock_screen"] | None = None,
    opacity: int | None = None,
) -> dict[str, Any]:
    """Switch the floating shortcut ball and its tap action."""
    if action != "enable" and (tapAction is not None or opacity is not None):
        raise bad("tapAction and opacity only go with enable")
    message = "Floating ball status"
    if action != "query":
        wanted = None if opacity is None else str(in_range("opacity", opacity, 10, 100))
        message = set_switch(ctx, "floating_ball", "Floating ball", action)
        changed = store(ctx, {"floating_ball_tap": tapAction, "floating_ball_opacity": wanted})
        if changed and "already" in message:
            message = "Floating ball changed"
    return ok(
        message,
        enabled=is_on(ctx, "floating_ball"),
        tapAction=ctx.setting("floating_ball_tap", "menu"),
        opacity=int(ctx.setting("floating_ball_opacity", "60")),
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_smart_sidebar(
    ctx: ToolContext,
    action: Literal["enable", "disable", "add_app", "remove_app", "query"],
    appName: str | None = None,
    side: Literal["left", "right"] | None = None,
) -> dict[str, Any]:
    """Switch the edge sidebar, add or remove its apps."""
    if action != "enable" and side is not None:
        raise bad("side only goes with enable")
    apps = [app for app in ctx.setting("sidebar_apps").split(", ") if app]
    message = "Sidebar status"
    if action in ("enable", "disable"):
        message = set_switch(ctx, "smart_sidebar", "Sidebar", action)
        if store(ctx, {"sidebar_side": side}):
            message = f"Sidebar on, {side}"
    elif action != "query":
        message = _change_apps(ctx, apps, action, need(appName, "appName"))
        ctx.set_setting("sidebar_apps", ", ".join(apps))
    on = is_on(ctx, "smart_sidebar")
    return ok(message, enabled=on, side=ctx.setting("sidebar_side", "right"), apps=apps)


def _change_apps(ctx: ToolContext, apps: list[str], action: str, name: str) -> str:
    app = find_app(ctx, name)
    if action == "add_app":
        if app in apps:
            return f"{app} already in the sidebar"
        if len(apps) >= MAX_SIDEBAR_APPS:
            raise conflict(f"Sidebar is full ({MAX_SIDEBAR_APPS} apps)")
        apps.append(app)
        return f"{app} added"
    if app not in apps:
        raise missing(f"{app} is not in the sidebar")
    apps.remove(app)
    return f"{app} removed"


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_touch_sensitivity(
    ctx: ToolContext,
    action: Literal["set", "query"],
    level: Literal["standard", "screen_protector", "glove"] | None = None,
) -> dict[str, Any]:
    """Set touch sensitivity for bare fingers, screen protectors or gloves."""
    current = ctx.setting("touch_sensitivity", "standard")
    if action == "query":
        return ok("Touch sensitivity", level=current)
    wanted = need(level, "level")
    if wanted == current:
        return ok(f"Touch sensitivity already {wanted}", level=wanted)
    ctx.set_setting("touch_sensitivity", wanted)
    return ok(f"Touch sensitivity {wanted}", level=wanted)


TOOLS = (
    manage_air_gestures,
    manage_motion_gestures,
    manage_gesture_shortcuts,
    manage_side_key,
    manage_always_on_display,
    manage_one_handed_mode,
    manage_floating_ball,
    manage_smart_sidebar,
    manage_touch_sensitivity,
)
