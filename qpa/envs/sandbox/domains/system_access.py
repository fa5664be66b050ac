"""System Settings: accessibility, language and region, typing, navigation.

`language` is the language in use; `language_list` and `input_methods_enabled` hold names joined with ", ".
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.system_common import NAME, Change, adjust, names_in, on_off, pick, store_names, switch
from qpa.envs.sandbox.tool import ToolContext, conflict, need, ok, tool

LANGUAGES = (
    "Arabic", "Chinese (Simplified)", "Chinese (Traditional)", "Dutch", "English", "French", "German", "Hindi",
    "Indonesian", "Italian", "Japanese", "Korean", "Polish", "Portuguese", "Russian", "Spanish", "Thai", "Turkish",
    "Ukrainian", "Vietnamese",
)  # fmt: skip
REGIONS = (
    "Australia", "Brazil", "Canada", "China", "Egypt", "France", "Germany", "India", "Indonesia", "Italy", "Japan",
    "Mexico", "Netherlands", "Singapore", "South Korea", "Spain", "Thailand", "Turkey", "United Arab Emirates",
    "United Kingdom", "United States", "Vietnam",
)  # fmt: skip
INPUT_METHODS = ("Gboard", "Grammarly", "Microsoft SwiftKey", "Sogou Pinyin", "Voice Typing")


# How each reading aid speaks, as the factory set it; a phone's own choice is a row "<aid>_<name>" of `settings`.
VOICES = {
    "talkback": {"pitch": "1.0", "sound_feedback": "true", "speech_rate": "1.0", "vibration_feedback": "true"},
    "select_to_speak": {
        "highlight_color": "blue", "language": "en-US", "read_in_background": "false", "speech_rate": "1.0",
    },
}  # fmt: skip


def _reading_aid(ctx: ToolContext, key: str, label: str, action: Switch) -> dict[str, Any]:
    """The switch; a query also tells how the aid speaks."""
    answer = switch(ctx, key, label, action)
    if action == "query":
        voice = {name: ctx.setting(f"{key}_{name}", factory) for name, factory in VOICES[key].items()}
        answer["data"]["settings"] = {name: _typed(value) for name, value in voice.items()}
    return answer


def _typed(value: str) -> str | float | bool:
    """A stored setting as the number or truth value it stands for."""
    if value in ("true", "false"):
        return value == "true"
    return float(value) if value.replace(".", "", 1).isdigit() else value


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_talkback(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn the TalkBack screen reader on or off, or query."""
    return _reading_aid(ctx, "talkback", "TalkBack", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_select_to_speak(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn Select to Speak on or off, or query."""
    return _reading_aid(ctx, "select_to_speak", "Select to Speak", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_magnification(
    ctx: ToolContext, action: Switch, area: Literal["full_screen", "partial", "both"] | None = None
) -> dict[str, Any]:
    """Turn screen magnification on or off, with its area."""
    return switch(ctx, "magnification", "Magnification", action, area=("magnification_area", area))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_color_correction(
    ctx: ToolContext,
    action: Switch,
    mode: Literal["deuteranomaly", "protanomaly", "tritanomaly", "grayscale"] | None = None,
) -> dict[str, Any]:
    """Turn color correction on or off for a color weakness."""
    return switch(ctx, "color_correction", "Color correction", action, mode=("color_correction_mode", mode))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_caption_preference(
    ctx: ToolContext,
    action: Switch,
    textSize: Literal["small", "medium", "large", "very_large"] | None = None,
    style: Literal["default", "white_on_black", "black_on_white", "yellow_on_black"] | None = None,
) -> dict[str, Any]:
    """Turn video captions on or off, with size and style."""
    return switch(
        ctx,
        "captions",
        "Captions",
        action,
        textSize=("captions_text_size", textSize),
        style=("captions_style", style),
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_touch_hold_delay(
    ctx: ToolContext, action: Change, delay: Literal["short", "medium", "long"] | None = None
) -> dict[str, Any]:
    """Set or query how long a touch and hold takes."""
    return adjust(ctx, "Touch and hold delay", action, delay=("touch_hold_delay", delay))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_navigation_mode(
    ctx: ToolContext,
    action: Change,
    mode: Literal["gestures", "three_buttons"] | None = None,
    swapButtons: bool | None = None,
) -> dict[str, Any]:
    """Choose gesture or button navigation, or query."""
    if swapButtons is not None and (mode or ctx.setting("navigation_mode", "gestures")) == "gestures":
        raise conflict("Gesture navigation has no buttons")
    return adjust(
        ctx,
        "Navigation mode",
        action,
        mode=("navigation_mode", mode),
        swapButtons=("navigation_swap_buttons", on_off(swapButtons)),
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_language(
    ctx: ToolContext, action: Literal["set", "add", "remove", "query"], language: str | None = None
) -> dict[str, Any]:
    """Set the system language, or add, remove, list languages."""
    current, known = ctx.setting("language", "English"), names_in(ctx, "language_list")
    if action == "query":
        return ok("Languages", language=current, added=known[:SHOWN], total=len(known))
    name = pick(LANGUAGES, need(language, "language"), "Language")
    if action == "remove":
        if name == current:
            raise conflict(f"{name} is the system language")
        if name not in known:
            return ok(f"{name} already removed", language=current)
        store_names(ctx, "language_list", [n for n in known if n != name])
        return ok(f"{name} removed", language=current)
    if name not in known:
        store_names(ctx, "language_list", [*known, name])
    elif action == "add":
        return ok(f"{name} already added", language=current)
    if action == "add":
        return ok(f"{name} added", language=current)
    word = "set" if ctx.set_setting("language", name) else "already set"
    return ok(f"System language {word}", language=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_regional_preferences(
    ctx: ToolContext,
    action: Change,
    region: str | None = None,
    temperatureUnit: Literal["celsius", "fahrenheit"] | None = None,
    firstDayOfWeek: Literal["monday", "saturday", "sunday"] | None = None,
    measurementSystem: Literal["metric", "imperial"] | None = None,
) -> dict[str, Any]:
    """Set or query region, units and first day of week."""
    return adjust(
        ctx,
        "Regional preferences",
        action,
        region=("region", None if region is None else pick(REGIONS, region, "Region")),
        temperatureUnit=("temperature_unit", temperatureUnit),
        firstDayOfWeek=("first_day_of_week", firstDayOfWeek),
        measurementSystem=("measurement_system", measurementSystem),
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_input_method(
    ctx: ToolContext, action: Literal["set", "enable", "disable", "query"], inputMethod: str | None = None
) -> dict[str, Any]:
    """Choose, enable, disable or list keyboards."""
    current, enabled = ctx.setting("input_method", "Gboard"), names_in(ctx, "input_methods_enabled")
    if action == "query":
        others = [name for name in INPUT_METHODS if name not in enabled]
        return ok("Keyboards", inputMethod=current, enabled=enabled, others=others)
    name = pick(INPUT_METHODS, need(inputMethod, "inputMethod"), "Keyboard")
    if action == "set":
        if name not in enabled:
            raise conflict(f"{name} is not enabled")
        word = "set" if ctx.set_setting("input_method", name) else "already set"
        return ok(f"Keyboard {word}", inputMethod=name)
    if action == "disable" and name == current:
        raise conflict(f"{name} is in use")
    if (name in enabled) == (action == "enable"):
        return ok(f"{name} already {action}d", inputMethod=current)
    store_names(
        ctx,
        "input_methods_enabled",
        [*enabled, name] if action == "enable" else [n for n in enabled if n != name],
    )
    return ok(f"{name} {action}d", inputMethod=current)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_keyboard_option(
    ctx: ToolContext,
    action: Switch,
    option: Literal["auto_correction", "suggestions", "glide_typing"],
) -> dict[str, Any]:
    """Turn one typing option on or off, or query it."""
    if option == "glide_typing" and action == "enable" and ctx.setting("input_method", "Gboard") == "Voice Typing":
        raise conflict("Voice Typing has no keys")
    return switch(ctx, f"keyboard_{option}", option.replace("_", " ").capitalize(), action)


TOOLS = (
    manage_talkback,
    manage_select_to_speak,
    manage_magnification,
    manage_color_correction,
    manage_caption_preference,
    manage_touch_hold_delay,
    manage_navigation_mode,
    manage_language,
    manage_regional_preferences,
    manage_input_method,
    manage_keyboard_option,
)
