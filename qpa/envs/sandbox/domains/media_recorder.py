"""Audio & Entertainment: the screen recorder, the voice recorder and its files.

A voice recording is a file of kind audio. Recording sound takes the microphone, which only one app can have.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.media_photos import (
    file_name,
    free_name,
    refuse_busy_microphone,
    save_capture,
    save_file,
    set_recorder,
)
from qpa.envs.sandbox.domains.media_player import NAME, matching, pause_playback, refuse_super_saving
from qpa.envs.sandbox.domains.phone_state import page
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, need, ok, single, tool

RecorderAction = Literal["start", "pause", "resume", "stop", "query"]


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="RECORD_AUDIO")
def control_screen_recorder(
    ctx: ToolContext, action: RecorderAction, audio: Literal["none", "microphone", "device"] | None = None
) -> dict[str, Any]:
    """Record the screen: start, pause, resume, stop, query."""
    if audio is not None and action != "start":
        raise bad("audio only goes with start")
    state, source = ctx.setting("screen_recording", "off"), ctx.setting("screen_recording_audio", "none")
    if action == "query":
        return ok("Screen recorder", state=state, audio=source)
    if action == "start" and state == "off":
        refuse_super_saving(ctx)
        if (audio or source) == "microphone":
            refuse_busy_microphone(ctx)
        ctx.set_setting("screen_recording_audio", audio or source)
    elif audio not in (None, source):
        raise conflict(f"Recording with audio: {source}")
    if not set_recorder(ctx, "screen_recording", action):
        return ok("Screen recorder already so", state=state)
    if action == "stop":
        name = save_capture(ctx, "Screen", "video", album="Screen recordings", mode="screen")
        return ok("Screen recording saved", name=name)
    return ok("Screen recorder", state=ctx.setting("screen_recording"))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="RECORD_AUDIO")
def control_voice_recorder(ctx: ToolContext, action: RecorderAction, title: str | None = None) -> dict[str, Any]:
    """Record sound; title names the file on stop."""
    if title is not None and action != "stop":
        raise bad("title only goes with stop")
    state = ctx.setting("voice_recording", "off")
    if action == "query":
        return ok("Voice recorder", state=state)
    if action == "start" and state == "off":
        refuse_busy_microphone(ctx)
        pause_playback(ctx)
    if not set_recorder(ctx, "voice_recording", action):
        return ok("Voice recorder already so", state=state)
    if action == "stop":
        name = free_name(ctx, "Recording", "wav") if title is None else file_name(ctx, title, "wav")
        save_file(ctx, name, "audio")
        return ok("Recording saved", name=name)
    return ok("Voice recorder", state=ctx.setting("voice_recording"))


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission="READ_MEDIA_AUDIO")
def manage_voice_recording(
    ctx: ToolContext,
    action: Literal["rename", "delete", "query"],
    recording: str | None = None,
    newName: str | None = None,
) -> dict[str, Any]:
    """List, rename or delete sound recordings."""
    if newName is not None and action != "rename":
        raise bad("newName only goes with rename")
    files = ctx.rows("SELECT id, name FROM files WHERE kind = 'audio' ORDER BY id DESC")
    if action == "query":
        names = [row["name"] for row in (files if recording is None else matching(files, recording, "name", "id"))]
        return page(f"{len(names)} recordings", names)
    row = single(matching(files, need(recording, "recording"), "name", "id"), "recording", "name")
    if action == "delete":
        ctx.execute("DELETE FROM files WHERE id = ?", row["id"])
        return ok("Recording deleted", name=row["name"])
    name = file_name(ctx, need(newName, "newName"), row["name"].rpartition(".")[2], row["id"])
    if name == row["name"]:
        return ok("Recording already named so", name=name)
    ctx.execute("UPDATE files SET name = ? WHERE id = ?", name, row["id"])
    return ok("Recording renamed", name=name)


TOOLS = (control_screen_recorder, control_voice_recorder, manage_voice_recording)
