"""Input & Interaction, first part: what is on the screen, how it is captured and read, and the buttons beside it.

`foreground_app` is the app in front ("" is the home screen), `screen_overlay` what lies over it ("", "recents" or
"power_menu") and `screen_power` whether the display is lit. `visible_contents` holds what can be read: its `source` is
an app's name, a file's id or "camera". A screenshot is a file whose name carries its app, as Samsung phones write it,
so that reading the picture later finds the app's text.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.phone_state import find_app, find_file, is_on, page
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

NAME = "Input & Interaction"

SCHEMA = """
CREATE TABLE visible_contents (
  source TEXT PRIMARY KEY, text TEXT NOT NULL DEFAULT '', code TEXT NOT NULL DEFAULT '',
  protected INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE app_windows (app TEXT PRIMARY KEY, place TEXT NOT NULL DEFAULT 'floating') STRICT, WITHOUT ROWID;
"""

SCREENSHOT_KB = {"full": 900, "scrolling": 3200, "partial": 350}
VOLUME_STEP = 10
MAX_FLOATING = 2
_SCREENSHOT = re.compile(r"Screenshot_\d{8}_\d{6}_(?P<app>[^_.]+)")
_PAYMENT = re.compile(  # wallet links, EMVCo and EPC codes, web addresses of a payment host or page
    r"(?:upi|pay|alipays?|weixin)://|(?:bitcoin|ethereum|lightning):|000201|BCD\s"
    r"|https?://(?:[^/?#]*\.)?(?:pay[^./?#]*|[^./?#]*pay)(?:[./:?#]|$)|https?://[^?#]*/(?:pay|payment|checkout)\b",
    re.IGNORECASE,
)
_LOGIN = re.compile(r"(?:otpauth|tg)://|fido:|https?://.*\b(?:log-?in|sign-?in|o?auth|sso)\b", re.IGNORECASE)
_PREFIXES = {"wifi:": "wifi", "begin:vcard": "contact", "mecard:": "contact", "http://": "url", "https://": "url"}


def require_lit(ctx: ToolContext) -> None:
    """409 while the display is off."""
    if ctx.setting("screen_power", "on") == "off":
        raise conflict("Screen is off")


def _contents(ctx: ToolContext, source: str) -> Row:
    row = ctx.one("SELECT * FROM visible_contents WHERE source = ?", source)
    return row or {"source": source, "text": "", "code": "", "protected": 0}


def _on_screen(ctx: ToolContext) -> Row:
    """What the lit screen shows; 409 when its app forbids capturing it."""
    require_lit(ctx)
    app = "" if ctx.setting("screen_overlay") else ctx.setting("foreground_app")
    shown = _contents(ctx, app)
    if shown["protected"]:
        raise conflict(f"{app} forbids capturing its screen")
    return shown


def _in_picture(ctx: ToolContext, name: str) -> tuple[str, Row]:
    """The picture's name and what it shows."""
    file = find_file(ctx, name)
    if file["kind"] != "image":
        raise bad(f"{file['name']} is not a picture")
    shot = _SCREENSHOT.match(file["name"])
    return file["name"], _contents(ctx, shot["app"] if shot else file["id"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def take_screenshot(ctx: ToolContext, mode: Literal["full", "scrolling", "partial"] = "full") -> dict[str, Any]:
    """Capture the screen, a whole scrolled page or a part."""
    app = _on_screen(ctx)["source"]
    if mode == "scrolling" and not app:
        raise conflict("This screen does not scroll")
    stem = f"Screenshot_{ctx.now:%Y%m%d_%H%M%S}" + (f"_{app}" if app else "")
    taken = {row["name"] for row in ctx.rows("SELECT name FROM files WHERE kind = 'image'")}
    name, number = f"{stem}.png", 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}.png"
    row_id = ctx.new_id("file")
    ctx.insert("files", id=row_id, name=name, kind="image", size_kb=SCREENSHOT_KB[mode])
    return ok("Screenshot saved", id=row_id, fileName=name)


@tool(domain=NAME, effect=Effect.READ)
def extract_screen_text(
    ctx: ToolContext, source: Literal["screen", "picture"] = "screen", fileName: str | None = None
) -> dict[str, Any]:
    """Read the text on the screen or in a picture."""
    if source == "screen":
        if fileName is not None:
            raise bad("fileName only goes with picture")
        where, shown = "the screen", _on_screen(ctx)
    else:
        where, shown = _in_picture(ctx, need(fileName, "fileName"))
    if not shown["text"]:
        raise missing(f"No text on {where[:40]}")
    return ok("Text found", text=shown["text"])


@tool(domain=NAME, effect=Effect.READ, permission="CAMERA")
def scan_qr_code(
    ctx: ToolContext, source: Literal["camera", "screen", "picture"] = "camera", fileName: str | None = None
) -> dict[str, Any]:
    """Scan a QR code by camera, screen or picture."""
    if source != "picture" and fileName is not None:
        raise bad("fileName only goes with picture")
    if source == "camera":
        if ctx.setting("camera_access", "on") == "off":
            raise conflict("Camera access is off")
        shown = _contents(ctx, "camera")
    else:
        shown = _on_screen(ctx) if source == "screen" else _in_picture(ctx, need(fileName, "fileName"))[1]
    if not shown["code"]:
        raise missing("No code found")
    kind = code_kind(shown["code"])
    # Scanning only reads; these two kinds act for the person as soon as anyone follows them.
    caution = {"caution": f"{kind} code; confirm with the user first"} if kind in ("payment", "login") else {}
    return ok(f"Code found: {kind}", type=kind, content=shown["code"], **caution)


def code_kind(content: str) -> str:
    """What a code's content is: payment, login, wifi, contact, url or text."""
    if _PAYMENT.match(content):
        return "payment"
    if _LOGIN.match(content):
        return "login"
    return next((kind for start, kind in _PREFIXES.items() if content.casefold().startswith(start)), "text")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def press_system_button(
    ctx: ToolContext,
    button: Literal["home", "back", "recents", "volume_up", "volume_down", "power", "power_menu"],
    times: int = 1,
) -> dict[str, Any]:
    """Press a system button; volume buttons also several times."""
    in_range("times", times, 1, 10)
    if button in ("volume_up", "volume_down"):
        return _press_volume(ctx, VOLUME_STEP * times * (1 if button == "volume_up" else -1))
    if times != 1:
        raise bad("times only goes with volume buttons")
    if button == "power":
        lit = ctx.setting("screen_power", "on") == "off"
        ctx.set_setting("screen_power", "on" if lit else "off")
        return ok(f"Screen {'on' if lit else 'off'}")
    require_lit(ctx)
    overlay, app = ctx.setting("screen_overlay"), ctx.setting("foreground_app")
    if button in ("recents", "power_menu"):
        changed = ctx.set_setting("screen_overlay", button)
        return ok(f"{'Opened' if changed else 'Already showing'} {button.replace('_', ' ')}")
    if not overlay and not app:
        return ok("Already at home")
    if overlay:
        ctx.set_setting("screen_overlay", "")
    if app and (button == "home" or not overlay):
        ctx.set_setting("foreground_app", "")
        app = ""
    return ok(f"Showing {app or 'home'}")


def _press_volume(ctx: ToolContext, change: int) -> dict[str, Any]:
    """The media volume, as the buttons move it outside a call; never past an enabled volume limit."""
    old = int(ctx.setting("media_volume", "50"))
    limit = int(ctx.setting("volume_limit_level", "100")) if is_on(ctx, "volume_limit") else 100
    level = max(0, min(old + change, max(limit, old)))
    if level == old:
        return ok(f"Media volume already {level}", level=level)
    # Display & Sound keeps the level before silence, for unmuting.
    if level == 0 or ctx.setting("media_volume_before_mute"):
        ctx.set_setting("media_volume_before_mute", "" if level else str(old))
    ctx.set_setting("media_volume", str(level))
    return ok(f"Media volume {level}", level=level)


def _windows(ctx: ToolContext) -> dict[str, str]:
    """Where each app stands that has a window of its own: floating, top or bottom."""
    return {row["app"]: row["place"] for row in ctx.rows("SELECT * FROM app_windows")}


def split_apps(ctx: ToolContext) -> list[str]:
    """The two apps of the split screen, top first; empty when the screen is not split."""
    places = {place: app for app, place in _windows(ctx).items()}
    return [places[place] for place in ("top", "bottom") if place in places]


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="SYSTEM_ALERT_WINDOW")
def manage_floating_window(
    ctx: ToolContext, action: Literal["open", "close", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Open or close an app's floating window, or list them."""
    windows = _windows(ctx)
    floating = [app for app, place in windows.items() if place == "floating"]
    if action == "query":
        return page(f"{len(floating)} floating windows", [{"app": app} for app in floating])
    app = find_app(ctx, need(appName, "appName"))
    if (app in floating) == (action == "open"):
        return ok(f"Floating window already {'open' if action == 'open' else 'closed'}", app=app)
    if action == "close":
        ctx.execute("DELETE FROM app_windows WHERE app = ?", app)
        return ok("Floating window closed", app=app)
    require_lit(ctx)
    if app in windows:
        raise conflict(f"{app} is in the split screen")
    if len(floating) >= MAX_FLOATING:
        raise conflict(f"Floating already: {', '.join(floating)}")
    ctx.insert("app_windows", app=app, place="floating")
    return ok("Floating window open", app=app)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_split_screen(
    ctx: ToolContext,
    action: Literal["start", "swap", "exit", "query"],
    topApp: str | None = None,
    bottomApp: str | None = None,
) -> dict[str, Any]:
    """Show two apps at once, swap, exit, or query."""
    current = split_apps(ctx)
    if action == "query":
        return ok("Split screen status", apps=current)
    if action == "exit":
        ctx.execute("DELETE FROM app_windows WHERE place IN ('top', 'bottom')")
        return ok("Split screen off" if current else "Split screen already off", apps=current)
    if action == "swap":
        if not current:
            raise conflict("Split screen is off")
        current.reverse()
    else:
        first = topApp or ctx.setting("foreground_app") or None
        wanted = [find_app(ctx, need(first, "topApp")), find_app(ctx, need(bottomApp, "bottomApp"))]
        if wanted[0] == wanted[1]:
            raise bad("topApp and bottomApp must differ")
        if wanted == current:
            return ok("Split screen already on", apps=current)
        require_lit(ctx)
        if is_on(ctx, "one_handed_mode"):
            raise conflict("One-handed mode is on")
        if current:
            raise conflict(f"Split already: {' and '.join(current)}; exit first")
        current = wanted
    for app, place in zip(current, ("top", "bottom"), strict=True):
        sql = "INSERT INTO app_windows (app, place) VALUES (?1, ?2) ON CONFLICT (app) DO UPDATE SET place = ?2"
        ctx.execute(sql, app, place)
    return ok("Split screen on" if action == "start" else "Apps swapped", apps=current)


TOOLS = (
    take_screenshot,
    extract_screen_text,
    scan_qr_code,
    press_system_button,
    manage_floating_window,
    manage_split_screen,
)
