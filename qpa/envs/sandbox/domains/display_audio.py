"""Display & Sound: volumes, sound mode, vibration and how sound comes out.

* A volume that becomes 0, by whatever call, keeps its old level in `<stream>_volume_before_mute`, for unmuting.
* The ring volume is 0 exactly when the sound mode is not normal: setting it to 0 means vibrate, raising it means
  normal, and leaving normal mode sets it to 0. Notifications share the fate of the ring volume but keep their level.
* The media volume never passes an enabled volume limit; a call cannot be muted.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

from qpa.contract import Effect
from qpa.envs.sandbox.domains.display_common import NAME, choose, number, only_with, stepped, switch, switch_one
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import is_on
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, in_range, missing, need, ok, tool

Stream = Literal["media", "ring", "notification", "call"]
STREAMS = get_args(Stream)
Vibration = Literal["calls", "notifications", "touch", "keyboard"]
SystemSound = Literal["keyboard", "touch", "dial_pad", "screen_lock", "charging"]
NOTIFICATION_SOUNDS = ("None", "Bamboo", "Chime", "Dewdrop", "Pebble", "Twinkle")
DEFAULT_VOLUME = 50  # of a stream that was muted before anybody set it
QUIETEST_CALL = 10
QUIETEST_LIMIT = 10


def volume(ctx: ToolContext, stream: str) -> int:
    """What the stream's slider shows, 0 to 100."""
    if stream in ("ring", "notification") and ctx.setting("sound_mode", "normal") != "normal":
        return 0
    return number(ctx, f"{stream}_volume", DEFAULT_VOLUME)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_volume(
    ctx: ToolContext,
    action: Literal["set", "increase", "decrease", "mute", "unmute", "query"],
    stream: Stream | None = None,
    level: int | None = None,
    step: int | None = None,
) -> dict[str, Any]:
    """Set, step, mute or query volume 0-100; media by default."""
    only_with(action, ("set",), level=level)
    only_with(action, ("increase", "decrease"), step=step)
    if action == "query":
        shown = STREAMS if stream is None else (stream,)
        return ok("Volumes", **{each: volume(ctx, each) for each in shown})
    name = stream or "media"
    old = volume(ctx, name)
    new = _wanted(ctx, name, action, old, level, step)
    label = f"{name.capitalize()} volume"
    if new == old:
        return ok(f"{label} already {new}", level=new)
    mode = ctx.setting("sound_mode", "normal")
    if name == "notification" and mode != "normal":
        raise conflict(f"Sound mode is {mode}")
    _store(ctx, name, new)
    if name == "ring" and (new > 0) != (mode == "normal"):
        mode = "normal" if new else "vibrate"
        ctx.set_setting("sound_mode", mode)
        return ok(f"{label} set to {new}, sound mode {mode}", level=new)
    return ok(f"{label} set to {new}", level=new)


def _wanted(ctx: ToolContext, stream: str, action: str, old: int, level: int | None, step: int | None) -> int:
    """The level that the call asks for; 400 or 409 when it may not be."""
    lowest = QUIETEST_CALL if stream == "call" else 0
    limit = _limit(ctx) if stream == "media" else 100
    if action == "mute":
        if lowest:
            raise bad("Call volume cannot be muted")
        return 0
    if action == "unmute":
        return old or min(_level_before_mute(ctx, stream), limit)
    if action == "set":
        new = in_range("level", need(level, "level"), lowest, 100)
        if new > limit:
            raise conflict(f"Volume limit is {limit}")
        return new
    new = stepped(action, old, step, lowest, limit)
    if action == "increase" and limit < 100 and old >= limit:
        raise conflict(f"Volume limit is {limit}")
    return new


def _limit(ctx: ToolContext) -> int:
    return number(ctx, "volume_limit_level", 100) if is_on(ctx, "volume_limit") else 100


def _level_before_mute(ctx: ToolContext, stream: str) -> int:
    return number(ctx, f"{stream}_volume_before_mute", DEFAULT_VOLUME)


def _store(ctx: ToolContext, stream: str, level: int) -> None:
    key, kept = f"{stream}_volume", f"{stream}_volume_before_mute"
    old = number(ctx, key, DEFAULT_VOLUME)
    if level == 0 and old > 0:
        ctx.set_setting(kept, str(old))
    elif level > 0 and ctx.setting(kept):
        ctx.set_setting(kept, "")
    ctx.set_setting(key, str(level))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_sound_mode(ctx: ToolContext, mode: Literal["normal", "vibrate", "silent"]) -> dict[str, Any]:
    """Set the phone to ring, vibrate or stay silent."""
    if ctx.setting("sound_mode", "normal") == mode:
        return ok(f"Sound mode already {mode}", sound_mode=mode)
    if mode != "normal":
        _store(ctx, "ring", 0)
    elif number(ctx, "ring_volume", DEFAULT_VOLUME) == 0:
        _store(ctx, "ring", _level_before_mute(ctx, "ring"))
    return choose(ctx, "sound_mode", "Sound mode", mode)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_volume_limit(ctx: ToolContext, action: Switch, limit: int | None = None) -> dict[str, Any]:
    """Limit the media volume to protect hearing, or query it."""
    only_with(action, ("enable",), limit=limit)
    if limit is not None:
        in_range("limit", limit, QUIETEST_LIMIT, 100)
    answer = switch(ctx, "volume_limit", "Volume limit", action)
    if limit is not None and ctx.set_setting("volume_limit_level", str(limit)):
        answer["message"] = f"Volume limit on, {limit}"
    if action == "enable" and volume(ctx, "media") > _limit(ctx):
        _store(ctx, "media", _limit(ctx))
        answer["message"] += ", media volume lowered"
    return ok(answer["message"], **answer["data"], limit=number(ctx, "volume_limit_level", 100))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_vibration(ctx: ToolContext, action: Switch, type: Vibration | None = None) -> dict[str, Any]:
    """Switch or query vibration for calls, notifications, touch, keyboard."""
    return switch_one(ctx, "vibrate_", "Vibration", get_args(Vibration), type, action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_vibration_strength(ctx: ToolContext, strength: Literal["light", "medium", "strong"]) -> dict[str, Any]:
    """Set how strongly the phone vibrates."""
    return choose(ctx, "vibration_strength", "Vibration strength", strength)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_system_sounds(ctx: ToolContext, action: Switch, sound: SystemSound | None = None) -> dict[str, Any]:
    """Switch or query keyboard, touch and other system sounds."""
    return switch_one(ctx, "sound_", "System sound", get_args(SystemSound), sound, action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_notification_sound(ctx: ToolContext, sound: str) -> dict[str, Any]:
    """Choose the default notification sound, or None."""
    name = next((known for known in NOTIFICATION_SOUNDS if known.casefold() == sound.casefold()), None)
    if name is None:
        raise missing(f"Unknown sound; try {', '.join(NOTIFICATION_SOUNDS)}")
    return choose(ctx, "notification_sound", "Notification sound", name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_sound_effect(
    ctx: ToolContext, action: Switch, profile: Literal["smart", "music", "movie", "game", "voice"] | None = None
) -> dict[str, Any]:
    """Switch or query Dolby sound, with a profile."""
    only_with(action, ("enable",), profile=profile)
    answer = switch(ctx, "sound_effect", "Sound effect", action)
    if profile is not None and ctx.set_setting("sound_effect_profile", profile):
        answer["message"] = f"Sound effect on, profile {profile}"
    return ok(answer["message"], **answer["data"], profile=ctx.setting("sound_effect_profile", "smart"))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_mono_audio(ctx: ToolContext, action: Switch) -> dict[str, Any]:
    """Turn mono audio on or off, or query it."""
    return switch(ctx, "mono_audio", "Mono audio", action)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_audio_balance(ctx: ToolContext, balance: int) -> dict[str, Any]:
    """Balance sound from -100 (left) to 100 (right)."""
    return choose(ctx, "audio_balance", "Audio balance", str(in_range("balance", balance, -100, 100)))


@tool(domain=NAME, effect=Effect.READ)
def query_sound_settings(ctx: ToolContext) -> dict[str, Any]:
    """Read sound mode, notification sound, vibration strength and balance."""
    keys = ("sound_mode", "notification_sound", "vibration_strength", "audio_balance")
    return ok("Sound settings", **{key: ctx.setting(key) for key in keys})


TOOLS = (
    manage_volume,
    set_sound_mode,
    manage_volume_limit,
    manage_vibration,
    set_vibration_strength,
    manage_system_sounds,
    set_notification_sound,
    manage_sound_effect,
    manage_mono_audio,
    set_audio_balance,
    query_sound_settings,
)
