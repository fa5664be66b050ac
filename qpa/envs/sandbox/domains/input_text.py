"""Input & Interaction, third part: clipboard, keyboard feel, text shortcuts and voice typing.

Which keyboards and languages there are, and what they correct, belongs to System Settings.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains import phrases
from qpa.envs.sandbox.domains.input_screen import NAME
from qpa.envs.sandbox.domains.links import Switch
from qpa.envs.sandbox.domains.phone_state import is_on, page, set_switch, store
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, single, tool

SCHEMA = """
CREATE TABLE clipboard_items (
  id TEXT PRIMARY KEY, text TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE text_shortcuts (shortcut TEXT PRIMARY KEY, phrase TEXT NOT NULL) STRICT, WITHOUT ROWID;
"""

KEYBOARD_SETTINGS: dict[str, tuple[str, ...]] = {
    "haptic_strength": ("light", "medium", "strong"),
    "height": ("short", "normal", "tall"),
    "form": ("standard", "one_handed_left", "one_handed_right", "floating", "split"),
    "number_row": ("on", "off"),
    "incognito": ("on", "off"),
}
MAX_SHORTCUT = 20  # characters
_CUT = 80  # characters of a clipboard text in an answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_clipboard(
    ctx: ToolContext,
    action: Literal["copy", "pin", "unpin", "delete", "clear", "query"],
    text: str | None = None,
    itemId: str | None = None,
) -> dict[str, Any]:
    """Copy text, and pin, delete, clear or list clipboard history."""
    # Numbers grow past three digits, so the id's text does not order them.
    items = ctx.rows("SELECT * FROM clipboard_items ORDER BY length(id) DESC, id DESC")
    if action == "copy":
        if itemId is not None:
            raise bad("copy takes text only")
        return _copy(ctx, items, need(text, "text"))
    found = [
        item for item in items if itemId in (None, item["id"]) and (text or "").casefold() in item["text"].casefold()
    ]
    if action == "query":
        return page(f"{len(found)} clipboard items", [_item_view(item) for item in found])
    if action == "clear":
        if text is not None or itemId is not None:
            raise bad("clear takes no text or itemId; use delete")
        cleared = ctx.execute("DELETE FROM clipboard_items WHERE pinned = 0")
        return ok(f"{cleared} items cleared, pinned kept" if cleared else "Clipboard already clear")
    if text is None and itemId is None:
        raise bad("Give text or itemId")
    item = single(found, "clipboard item")
    if action == "delete":
        ctx.execute("DELETE FROM clipboard_items WHERE id = ?", item["id"])
        return ok("Clipboard item deleted", itemId=item["id"])
    pinned = int(action == "pin")
    if item["pinned"] == pinned:
        return ok(f"Clipboard item already {action}ned", itemId=item["id"])
    ctx.execute("UPDATE clipboard_items SET pinned = ? WHERE id = ?", pinned, item["id"])
    return ok(f"Clipboard item {action}ned", itemId=item["id"])


def _copy(ctx: ToolContext, items: list[Row], text: str) -> dict[str, Any]:
    """Puts the text on top; a text that is in the history moves there and stays pinned."""
    if items and items[0]["text"] == text:
        return ok("Already on the clipboard", itemId=items[0]["id"])
    old = next((item for item in items if item["text"] == text), None)
    if old:
        ctx.execute("DELETE FROM clipboard_items WHERE id = ?", old["id"])
    row_id = ctx.new_id("clip")
    ctx.insert("clipboard_items", id=row_id, text=text, pinned=old["pinned"] if old else 0)
    return ok("Copied", itemId=row_id)


def _item_view(item: Row) -> dict[str, Any]:
    text = item["text"] if len(item["text"]) <= _CUT else item["text"][: _CUT - 1] + "…"
    return {"itemId": item["id"], "text": text, "pinned": bool(item["pinned"])}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_keyboard_settings(
    ctx: ToolContext,
    action: Literal["set", "query"],
    settingItem: Literal["haptic_strength", "height", "form", "number_row", "incognito"] | None = None,
    settingValue: str | None = None,
) -> dict[str, Any]:
    """Set keyboard haptic strength, height, form, number row or incognito."""
    if action == "query":
        shown = KEYBOARD_SETTINGS if settingItem is None else (settingItem,)
        return ok("Keyboard settings", **{item: ctx.setting(f"keyboard_{item}") for item in shown})
    item, text = need(settingItem, "settingItem"), need(settingValue, "settingValue")
    allowed = KEYBOARD_SETTINGS[item]
    value = text.casefold().replace(" ", "_").replace("-", "_")
    if value not in allowed:
        raise bad(f"{item} must be {'|'.join(allowed)}")
    if item == "haptic_strength" and ctx.setting("vibrate_keyboard", "on") == "off":
        raise conflict("Key vibration is off")
    changed = ctx.set_setting(f"keyboard_{item}", value)
    return ok("Keyboard setting changed" if changed else "Keyboard setting already so", **{item: value})


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_text_shortcuts(
    ctx: ToolContext,
    action: Literal["add", "remove", "query"],
    shortcut: str | None = None,
    phrase: str | None = None,
) -> dict[str, Any]:
    """Add, remove or list typing shortcuts that expand to phrases."""
    known = ctx.rows("SELECT * FROM text_shortcuts ORDER BY shortcut")
    wanted = (shortcut or "").casefold()
    if action == "query":
        found = [row for row in known if wanted in row["shortcut"].casefold()]
        return page(f"{len(found)} shortcuts", found)
    short = need(shortcut, "shortcut")
    if len(short) > MAX_SHORTCUT or len(short.split()) > 1:
        raise bad(f"shortcut is one word of at most {MAX_SHORTCUT}")
    old = next((row for row in known if row["shortcut"].casefold() == wanted), None)
    if action == "remove":
        if old is None:
            raise missing(f"No shortcut {short}")
        ctx.execute("DELETE FROM text_shortcuts WHERE shortcut = ?", old["shortcut"])
        return ok("Shortcut removed", shortcut=old["shortcut"])
    full = need(phrase, "phrase")
    if old is None:
        return ok("Shortcut added", **ctx.insert("text_shortcuts", shortcut=short, phrase=full))
    if old["phrase"] == full:
        return ok("Shortcut already so", **old)
    raise conflict(f"{old['shortcut']} already stands for: {old['phrase'][:30]}")


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="RECORD_AUDIO")
def manage_voice_typing(
    ctx: ToolContext, action: Switch, language: str | None = None, autoPunctuation: bool | None = None
) -> dict[str, Any]:
    """Switch typing by voice, its language and automatic punctuation."""
    if action != "enable" and (language is not None or autoPunctuation is not None):
        raise bad("language and autoPunctuation only go with enable")
    message = "Voice typing status"
    if action != "query":
        spoken = None if language is None else phrases.language(language)
        if action == "enable" and ctx.setting("microphone_access", "on") == "off":
            raise conflict("Microphone access is off")
        message = set_switch(ctx, "voice_typing", "Voice typing", action)
        punctuation = None if autoPunctuation is None else ("on" if autoPunctuation else "off")
        changed = store(ctx, {"voice_typing_language": spoken, "voice_typing_punctuation": punctuation})
        if changed and "already" in message:
            message = "Voice typing changed"
    return ok(
        message,
        enabled=is_on(ctx, "voice_typing"),
        language=ctx.setting("voice_typing_language", "English"),
        autoPunctuation=is_on(ctx, "voice_typing_punctuation"),
    )


TOOLS = (manage_clipboard, manage_keyboard_settings, manage_text_shortcuts, manage_voice_typing)
