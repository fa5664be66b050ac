"""AI Assistant: notes, personal search, perception, captions and the voice assistant.

User memory lives in `memory` (its seeded records in `memory_world`), sub-agents in `subagents`.
"""

from __future__ import annotations

import random
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import memory, memory_world, phrases, subagents
from qpa.envs.sandbox.domains.memory import DOMAIN_NAME
from qpa.envs.sandbox.schema import WORLD_CLOCK, Domain, World
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, single, tool

SCHEMA = """
CREATE TABLE notes (
  id TEXT PRIMARY KEY, content TEXT NOT NULL, created_at TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

Switch = Literal["enable", "disable", "query"]
SOURCES = ("contacts", "notes", "messages", "schedules")  # tables that personal search reads
FEATURES = ("smart_stay", "gaze_wake", "noise_detection")
MAX_FOUND = 10
_NOTES = (
    "Meet at the east entrance at 8",
    "Buy printer paper",
    "Ideas for the spring trip",
    "Ask about the gym contract",
    "Book list for summer",
    "Return the red umbrella",
)
_APPS = (("Browser", "tools"), ("Calendar", "tools"), ("Email", "communication"), ("Telegram", "communication"))


@tool(domain=DOMAIN_NAME, effect=Effect.READ)
def search_personal_information(
    ctx: ToolContext, keyword: str, source: Literal["contacts", "notes", "messages", "schedules"] | None = None
) -> dict[str, Any]:
    """Search contacts, notes, messages and schedules."""
    wanted = keyword.casefold()
    items = []
    for table in SOURCES if source is None else (source,):
        for row in ctx.rows(f"SELECT * FROM {table}"):
            text = ", ".join(v for c, v in row.items() if isinstance(v, str) and v and c != "id")
            if wanted in text.casefold():
                items.append({"source": table, "id": row["id"], "text": text})
    return ok(f"Found {len(items)} entries", items=items[:MAX_FOUND], total=len(items))


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_smart_perception(
    ctx: ToolContext, action: Switch, feature: Literal["smart_stay", "gaze_wake", "noise_detection"] | None = None
) -> dict[str, Any]:
    """Turn a perception feature on or off, or query."""
    if action == "query":
        shown = FEATURES if feature is None else (feature,)
        return ok("Perception status", **{f: ctx.setting(f, "off") == "on" for f in shown})
    return _switch(ctx, need(feature, "feature"), (feature or "").replace("_", " ").capitalize(), action)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_ai_caption(ctx: ToolContext, action: Switch, language: str | None = None) -> dict[str, Any]:
    """Turn live captions on or off in a language, or query."""
    if action != "enable" and language is not None:
        raise bad("language only goes with enable")
    message = "AI caption status"
    if action != "query":
        message = _switch(ctx, "ai_caption", "AI caption", action)["message"]
        if language is not None and ctx.set_setting("ai_caption_language", phrases.language(language)):
            message = f"AI caption on in {phrases.language(language)}"
    on = ctx.setting("ai_caption", "off") == "on"
    return ok(message, enabled=on, language=ctx.setting("ai_caption_language"))


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_voice_assistant(ctx: ToolContext, action: Switch, wakeWord: str | None = None) -> dict[str, Any]:
    """Turn the voice assistant on or off, or query."""
    if action != "enable" and wakeWord is not None:
        raise bad("wakeWord only goes with enable")
    message = "Voice assistant status"
    if action != "query":
        message = _switch(ctx, "voice_assistant", "Voice assistant", action)["message"]
        if action == "disable":
            ctx.set_setting("voice_session", "off")
        if wakeWord is not None and ctx.set_setting("wake_word", wakeWord):
            message = "Voice assistant on, wake word set"
    on = ctx.setting("voice_assistant", "off") == "on"
    return ok(message, enabled=on, wakeWord=ctx.setting("wake_word"), session=ctx.setting("voice_session", "off"))


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def display_avatar_expression(
    ctx: ToolContext, expression: Literal["smile", "wave", "think", "sleep"]
) -> dict[str, Any]:
    """Show an expression on the assistant's avatar."""
    changed = ctx.set_setting("avatar_expression", expression)
    return ok("Expression shown" if changed else "Expression already shown", expression=expression)


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def close_voice_assistant_session(ctx: ToolContext) -> dict[str, Any]:
    """Close the running voice assistant session."""
    closed = ctx.setting("voice_session", "off") == "on" and ctx.set_setting("voice_session", "off")
    return ok("Voice session closed" if closed else "Voice session already closed")


@tool(domain=DOMAIN_NAME, effect=Effect.REVERSIBLE)
def manage_note(
    ctx: ToolContext,
    action: Literal["create", "delete", "query"],
    content: str | None = None,
    noteId: str | None = None,
) -> dict[str, Any]:
    """Create, delete or query notes."""
    notes = ctx.rows("SELECT * FROM notes ORDER BY id")
    if action == "create":
        if noteId is not None:
            raise bad("noteId does not go with create")
        return _create_note(ctx, notes, need(content, "content"))
    if action == "delete" and content is None and noteId is None:
        raise bad("Give noteId or content")
    found = [
        n
        for n in notes
        if noteId in (None, n["id"]) and (content is None or content.casefold() in n["content"].casefold())
    ]
    if action == "query":
        return ok(f"{len(found)} notes", items=[{"noteId": n["id"], "content": n["content"]} for n in found])
    note = single(found, "note")
    ctx.execute("DELETE FROM notes WHERE id = ?", note["id"])
    return ok("Note deleted", noteId=note["id"])


def _create_note(ctx: ToolContext, notes: list[Row], content: str) -> dict[str, Any]:
    same = next((n["id"] for n in notes if n["content"].casefold() == content.casefold()), None)
    if same is not None:
        raise conflict(f"Note already exists: {same}")
    note = ctx.insert("notes", id=ctx.new_id("note"), content=content, created_at=ctx.now.isoformat())
    return ok("Note saved", noteId=note["id"], content=content)


def _switch(ctx: ToolContext, key: str, label: str, action: str) -> dict[str, Any]:
    word = "on" if action == "enable" else "off"
    if ctx.setting(key, "off") == word:
        return ok(f"{label} already {word}", enabled=word == "on")
    ctx.set_setting(key, word)
    return ok(f"{label} {word}", enabled=word == "on")


def seed_rows(rng: random.Random, world: World) -> None:
    """Notes, images, assistant switches, a few more apps, and the person's memories."""
    for content in rng.sample(_NOTES, rng.randint(2, 4)):
        at = WORLD_CLOCK.replace(month=1, day=rng.randint(2, 14), hour=rng.randint(8, 20))
        world.add("notes", id=world.new_id("note"), content=content, created_at=at.isoformat())
    for prompt in rng.sample(("a red bicycle", "a quiet lake", "a birthday card"), rng.randint(0, 2)):
        world.add("images", id=world.new_id("image"), prompt=prompt, created_at="2025-01-10T18:00:00")
    voice = rng.random() < 0.6
    settings = {feature: rng.random() < 0.4 for feature in FEATURES}
    settings |= {
        "ai_caption": rng.random() < 0.3,
        "voice_assistant": voice,
        "voice_session": voice and rng.random() < 0.4,
    }
    for key, on in settings.items():
        world.add("settings", key=key, value="on" if on else "off")
    world.add("settings", key="ai_caption_language", value=rng.choice(phrases.LANGUAGES))
    world.add("settings", key="wake_word", value=rng.choice(("Hey Nova", "Hello Qiu", "Hi Pixie")))
    world.add("settings", key="avatar_expression", value="smile")
    for name, category in _APPS:
        world.add("apps", name=name, category=category)
    memory_world.seed_memories(world)


DOMAIN = Domain(
    name=DOMAIN_NAME,
    schema=SCHEMA + memory.SCHEMA + subagents.SCHEMA,
    tools=(
        *memory.TOOLS,
        *subagents.TOOLS,
        search_personal_information,
        manage_smart_perception,
        manage_ai_caption,
        manage_voice_assistant,
        display_avatar_expression,
        close_voice_assistant_session,
        manage_note,
    ),
    seed_rows=seed_rows,
)
