"""Audio & Entertainment: the camera and its options.

Options are settings that stay between shots. The front camera has no flash and no panorama and zooms to 2 only;
filters exist in some modes. Shooting needs no open viewfinder and leaves it as it is.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.media_photos import (
    refuse_busy_camera,
    refuse_busy_microphone,
    save_capture,
    set_recorder,
)
from qpa.envs.sandbox.domains.media_player import NAME, pause_playback, store
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, in_range, ok, tool

Facing = Literal["front", "rear"]
Mode = Literal["photo", "portrait", "night", "panorama", "video", "slow_motion"]
Item = Literal["grid", "aspect_ratio", "video_resolution", "shutter_sound", "location_tags"]

_VIDEO_MODES = ("video", "slow_motion")
_FILTER_MODES = ("photo", "portrait", "video")
_TIMERS = (0, 3, 5, 10)
_MAX_ZOOM = {"front": 2, "rear": 10}
_LOW_BATTERY = 5  # percent at which phones switch the flash off
_OPTIONS = {
    "grid": ("on", "off"),
    "aspect_ratio": ("4:3", "16:9", "1:1", "full"),
    "video_resolution": ("720p", "1080p", "4k"),
    "shutter_sound": ("on", "off"),
    "location_tags": ("on", "off"),
}


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="CAMERA")
def control_camera(ctx: ToolContext, action: Literal["open", "close", "query"]) -> dict[str, Any]:
    """Open or close the camera, or query its options."""
    if action == "query":
        names = ("open", "facing", "mode", "flash", "timer", "filter", "zoom")
        recording = ctx.setting("video_recording", "off")
        return ok("Camera", **{name: ctx.setting(f"camera_{name}") for name in names}, recording=recording)
    if action == "close":
        _refuse_while_recording(ctx)
    else:
        refuse_busy_camera(ctx)
    changed = ctx.set_setting("camera_open", "on" if action == "open" else "off")
    return ok(f"Camera {'' if changed else 'already '}{'open' if action == 'open' else 'closed'}")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="CAMERA")
def take_photo(ctx: ToolContext, count: int | None = None, facing: Facing | None = None) -> dict[str, Any]:
    """Take photos with the set options, one by default."""
    shots = in_range("count", 1 if count is None else count, 1, 10)
    mode, camera = ctx.setting("camera_mode", "photo"), facing or ctx.setting("camera_facing", "rear")
    if mode in _VIDEO_MODES:
        raise conflict(f"Camera is in {mode} mode")
    _refuse_pair(camera, mode)
    refuse_busy_camera(ctx)
    _refuse_while_recording(ctx)
    look = _filter(ctx, mode)
    names = [
        save_capture(ctx, "IMG", "image", album="Camera", camera=camera, mode=mode, filter=look) for _ in range(shots)
    ]
    return ok("Photo taken" if shots == 1 else f"{shots} photos taken", names=names)


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="CAMERA")
def record_video(ctx: ToolContext, action: Literal["start", "pause", "resume", "stop", "query"]) -> dict[str, Any]:
    """Record a camera video: start, pause, resume, stop, query."""
    state = ctx.setting("video_recording", "off")
    if action == "query":
        return ok("Video recording", state=state)
    if action == "start" and state == "off":
        refuse_busy_camera(ctx)
        refuse_busy_microphone(ctx)
        pause_playback(ctx)
    if not set_recorder(ctx, "video_recording", action):
        return ok("Video recording already so", state=state)
    if action != "stop":
        return ok("Video recording", state=ctx.setting("video_recording"))
    mode = "slow_motion" if ctx.setting("camera_mode") == "slow_motion" else "video"
    camera, look = ctx.setting("camera_facing", "rear"), _filter(ctx, mode)
    return ok(
        "Video saved", name=save_capture(ctx, "VID", "video", album="Camera", camera=camera, mode=mode, filter=look)
    )


def _filter(ctx: ToolContext, mode: str) -> str:
    return ctx.setting("camera_filter", "none") if mode in _FILTER_MODES else "none"


def _refuse_pair(camera: str, mode: str) -> None:
    if camera == "front" and mode == "panorama":
        raise conflict("Front camera has no panorama")


def _refuse_while_recording(ctx: ToolContext) -> None:
    if ctx.setting("video_recording", "off") != "off":
        raise conflict("A video is being recorded")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_camera_mode(ctx: ToolContext, mode: Mode) -> dict[str, Any]:
    """Set the camera's shooting mode."""
    _refuse_while_recording(ctx)
    _refuse_pair(ctx.setting("camera_facing", "rear"), mode)
    return store(ctx, "camera_mode", mode, "Camera mode")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def switch_camera(ctx: ToolContext, facing: Facing) -> dict[str, Any]:
    """Switch to the front or rear camera."""
    _refuse_while_recording(ctx)
    _refuse_pair(facing, ctx.setting("camera_mode", "photo"))
    if ctx.setting("camera_facing", "rear") != facing:
        ctx.set_setting("camera_zoom", "1")  # each lens starts at its own 1x
    return store(ctx, "camera_facing", facing, "Camera")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_camera_flash(ctx: ToolContext, flash: Literal["auto", "on", "off"]) -> dict[str, Any]:
    """Set the camera flash."""
    if flash == "on" and ctx.setting("camera_facing", "rear") == "front":
        raise conflict("Front camera has no flash")
    if flash == "on" and int(ctx.setting("battery_level", "100")) <= _LOW_BATTERY:
        raise conflict("Battery too low for flash")
    return store(ctx, "camera_flash", flash, "Flash")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_camera_timer(ctx: ToolContext, seconds: int) -> dict[str, Any]:
    """Set the self-timer: 0, 3, 5 or 10 seconds."""
    if seconds not in _TIMERS:
        raise bad("seconds must be 0, 3, 5 or 10")
    return store(ctx, "camera_timer", str(seconds), "Self-timer")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_camera_filter(
    ctx: ToolContext, filter: Literal["none", "mono", "sepia", "vivid", "warm", "cool"]
) -> dict[str, Any]:
    """Set the filter for new photos and videos."""
    mode = ctx.setting("camera_mode", "photo")
    if filter != "none" and mode not in _FILTER_MODES:
        raise conflict(f"No filters in {mode} mode")
    return store(ctx, "camera_filter", filter, "Filter")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_camera_zoom(ctx: ToolContext, zoom: float) -> dict[str, Any]:
    """Set the camera zoom, 0.5 to 10."""
    facing = ctx.setting("camera_facing", "rear")
    low = 1 if facing == "front" else 0.5
    if not low <= zoom <= _MAX_ZOOM[facing]:
        raise bad(f"zoom must be {low} to {_MAX_ZOOM[facing]}")
    return store(ctx, "camera_zoom", f"{round(zoom, 1):g}", "Zoom")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def configure_camera(ctx: ToolContext, settingItem: Item, settingValue: str) -> dict[str, Any]:
    """Change grid, aspect ratio, resolution, shutter sound or location tags."""
    allowed = _OPTIONS[settingItem]
    value = settingValue.casefold()
    if value not in allowed:
        raise bad(f"{settingItem} must be {'|'.join(allowed)}")
    if settingItem == "video_resolution":
        _refuse_while_recording(ctx)
    if (settingItem, value) == ("location_tags", "on") and ctx.setting("location", "on") == "off":
        raise conflict("Location is off")
    return store(ctx, f"camera_{settingItem}", value, settingItem.replace("_", " ").capitalize())


TOOLS = (
    control_camera,
    take_photo,
    record_video,
    set_camera_mode,
    switch_camera,
    set_camera_flash,
    set_camera_timer,
    set_camera_filter,
    set_camera_zoom,
    configure_camera,
)
