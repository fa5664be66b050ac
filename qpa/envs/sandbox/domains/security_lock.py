"""Security & Privacy, locks: screen lock, biometrics, trusted devices, lockdown mode and SIM lock.

Everything that guards something leans on the screen lock: without a PIN, pattern or password there is no app lock, no
biometrics, no safe folder. Removing it takes biometrics and trusted devices along, and is refused while it still
guards apps or files.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import Switch, find_named
from qpa.envs.sandbox.domains.phone_state import find_app, page
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

NAME = "Security & Privacy"

SCHEMA = """
CREATE TABLE security_rules (
  rule TEXT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (rule, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE biometrics (
  kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
"""  # rule: app_lock | private_space | payment | unknown_sources (apps), safe_folder (files), trusted_device

SECURE = ("pin", "pattern", "password")
TIMEOUTS = (0, 5, 15, 30, 60, 120, 300, 600, 1800)
LIMITS = {"fingerprint": 5, "face": 2}
USES = ("unlock", "app_lock", "payments", "autofill")
_GUARDED = {"app_lock": "App lock", "private_space": "Private space", "safe_folder": "Safe folder"}  # rule -> its name


def rule_items(ctx: ToolContext, rule: str) -> list[str]:
    """What a rule applies to, by name."""
    return [row["item"] for row in ctx.rows("SELECT item FROM security_rules WHERE rule = ? ORDER BY item", rule)]


def set_rule(ctx: ToolContext, rule: str, item: str, on: bool) -> bool:
    """Makes a rule apply to an item or not; returns False when it was so already."""
    if (item in rule_items(ctx, rule)) == on:
        return False
    if on:
        ctx.insert("security_rules", rule=rule, item=item)
    else:
        ctx.execute("DELETE FROM security_rules WHERE rule = ? AND item = ?", rule, item)
    return True


def require_screen_lock(ctx: ToolContext) -> None:
    """409 while no PIN, pattern or password locks the screen."""
    if ctx.setting("screen_lock", "none") not in SECURE:
        raise conflict("No screen lock is set")


def require_confirmation(confirmed: bool | None) -> None:
    """400 unless the person has agreed."""
    if not confirmed:
        raise bad("Ask the person, then set confirmed")


def _check_code(ctx: ToolContext, code: str | None, argument: str) -> None:
    if need(code, argument) != ctx.setting("screen_lock_password"):
        raise bad(f"Wrong {argument}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_screen_lock(
    ctx: ToolContext,
    action: Literal["set", "query"],
    lockType: Literal["none", "swipe", "pin", "pattern", "password"] | None = None,
    code: str | None = None,
    currentCode: str | None = None,
    confirmed: bool | None = None,
) -> dict[str, Any]:
    """Set, change or remove the screen lock, or query it."""
    old = ctx.setting("screen_lock", "none")
    if action == "query":
        return ok("Screen lock status", lockType=old, timeout=int(ctx.setting("lock_timeout", "5")))
    kind = need(lockType, "lockType")
    new_code = _read_code(kind, code)
    if old in SECURE:
        _check_code(ctx, currentCode, "currentCode")
    if kind not in SECURE and old in SECURE:
        _unlock_for_good(ctx, confirmed)
    changed = ctx.set_setting("screen_lock", kind)
    changed = ctx.set_setting("screen_lock_password", new_code) or changed
    return ok("Screen lock set" if changed else "Screen lock already so", lockType=kind)


def _read_code(kind: str, code: str | None) -> str:
    if kind not in SECURE:
        if code is not None:
            raise bad(f"code does not go with {kind}")
        return ""
    text = need(code, "a code")
    digits = text.isascii() and text.isdigit()
    if kind == "pin" and not (digits and 4 <= len(text) <= 16):
        raise bad("A PIN has 4 to 16 digits")
    if kind == "pattern" and not (digits and "0" not in text and 4 <= len(text) == len(set(text))):
        raise bad("A pattern has 4 to 9 different dots, 1-9")
    if kind == "password" and not (4 <= len(text) <= 32 and any(c.isalpha() for c in text)):
        raise bad("A password has 4 to 32 characters with letters")
    return text


def _unlock_for_good(ctx: ToolContext, confirmed: bool | None) -> None:
    guarding = [label for rule, label in _GUARDED.items() if rule_items(ctx, rule)]
    if ctx.setting("payment_protection", "off") == "on":
        guarding.append("Payment protection")
    if guarding:
        raise conflict(f"In use by: {', '.join(guarding)}")
    require_confirmation(confirmed)
    ctx.execute("DELETE FROM biometrics")
    _drop_uses_without_biometrics(ctx)
    ctx.execute("DELETE FROM security_rules WHERE rule = 'trusted_device'")
    if ctx.setting("lockdown_mode", "off") == "on":
        ctx.set_setting("lockdown_mode", "off")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_lock_timeout(ctx: ToolContext, seconds: int) -> dict[str, Any]:
    """Set how soon the phone locks after the screen sleeps."""
    require_screen_lock(ctx)
    if seconds not in TIMEOUTS:
        raise bad(f"seconds must be one of {', '.join(map(str, TIMEOUTS))}")
    changed = ctx.set_setting("lock_timeout", str(seconds))
    return ok("Lock timeout set" if changed else "Lock timeout already so", seconds=seconds)


def switch_app_rule(ctx: ToolContext, rule: str, label: str, on: bool, app_name: str | None) -> dict[str, Any]:
    """Puts one app under a rule or takes it out."""
    app = find_app(ctx, need(app_name, "appName"))
    word = "on" if on else "off"
    changed = set_rule(ctx, rule, app, on)
    return ok(f"{label} {word}" if changed else f"{label} already {word}", appName=app)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_app_lock(ctx: ToolContext, action: Switch, appName: str | None = None) -> dict[str, Any]:
    """Lock an app behind the screen lock, unlock, or query."""
    if action == "query":
        apps = rule_items(ctx, "app_lock")
        return page(f"{len(apps)} locked apps", apps)
    require_screen_lock(ctx)
    return switch_app_rule(ctx, "app_lock", "App lock", action == "enable", appName)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_fingerprint(
    ctx: ToolContext,
    action: Literal["add", "rename", "remove", "query"],
    name: str | None = None,
    newName: str | None = None,
) -> dict[str, Any]:
    """Enrol, rename, remove or list fingerprints."""
    prints = _enrolled(ctx, "fingerprint")
    if action == "query":
        return ok(f"{len(prints)} fingerprints", items=[row["name"] for row in prints])
    wanted = need(name, "a name")
    if action == "add":
        return _enrol(ctx, "fingerprint", wanted)
    old = find_named(prints, "name", wanted, "Fingerprint")["name"]
    if action == "remove":
        return _remove_biometric(ctx, "fingerprint", old)
    new = need(newName, "newName")
    if new == old:
        return ok("Fingerprint already so", name=new)
    _refuse_twin(prints, new, old)
    ctx.execute("UPDATE biometrics SET name = ? WHERE kind = 'fingerprint' AND name = ?", new, old)
    return ok("Fingerprint renamed", name=new)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_face_unlock(
    ctx: ToolContext, action: Literal["add", "remove", "query"], name: str | None = None
) -> dict[str, Any]:
    """Enrol, remove or list faces for unlocking."""
    faces = _enrolled(ctx, "face")
    if action == "query":
        return ok(f"{len(faces)} faces", items=[row["name"] for row in faces])
    wanted = need(name, "a name")
    if action == "remove":
        return _remove_biometric(ctx, "face", find_named(faces, "name", wanted, "Face")["name"])
    if ctx.setting("camera_access", "on") == "off":
        raise conflict("Camera access is off")
    return _enrol(ctx, "face", wanted)


def _enrolled(ctx: ToolContext, kind: str) -> list[Row]:
    return ctx.rows("SELECT name FROM biometrics WHERE kind = ? ORDER BY name", kind)


def _enrol(ctx: ToolContext, kind: str, name: str) -> dict[str, Any]:
    require_screen_lock(ctx)
    _require_no_lockdown(ctx)
    rows = _enrolled(ctx, kind)
    _refuse_twin(rows, name, "")
    if len(rows) >= LIMITS[kind]:
        raise conflict(f"Only {LIMITS[kind]} of kind {kind} fit")
    ctx.insert("biometrics", kind=kind, name=name)
    return ok(f"{kind.capitalize()} added", name=name)


def _refuse_twin(rows: list[Row], name: str, own: str) -> None:
    if any(row["name"].casefold() == name.casefold() and row["name"] != own for row in rows):
        raise conflict(f"Name already used: {name[:30]}")


def _remove_biometric(ctx: ToolContext, kind: str, name: str) -> dict[str, Any]:
    ctx.execute("DELETE FROM biometrics WHERE kind = ? AND name = ?", kind, name)
    _drop_uses_without_biometrics(ctx)
    return ok(f"{kind.capitalize()} removed", name=name)


def _drop_uses_without_biometrics(ctx: ToolContext) -> None:
    """Switches off what no enrolled finger or face can serve any more."""
    for use in USES:
        if ctx.setting(f"biometric_{use}", "off") == "on" and not _servable(ctx, use):
            ctx.set_setting(f"biometric_{use}", "off")


def _servable(ctx: ToolContext, use: str) -> bool:
    """Payments take fingerprints only, as on phones whose face unlock is the camera's."""
    return bool(_enrolled(ctx, "fingerprint") or (use != "payments" and _enrolled(ctx, "face")))


def _require_no_lockdown(ctx: ToolContext) -> None:
    if ctx.setting("lockdown_mode", "off") == "on":
        raise conflict("Lockdown mode is on")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_biometric_use(
    ctx: ToolContext, action: Switch, feature: Literal["unlock", "app_lock", "payments", "autofill"] | None = None
) -> dict[str, Any]:
    """Choose what fingerprint and face may be used for."""
    if action == "query":
        return ok("Biometric use", **{use: ctx.setting(f"biometric_{use}", "off") == "on" for use in USES})
    use = need(feature, "a feature")
    word = "on" if action == "enable" else "off"
    if ctx.setting(f"biometric_{use}", "off") == word:
        return ok(f"Biometrics already {word}", feature=use)
    if action == "enable":
        _require_no_lockdown(ctx)
        if not _servable(ctx, use):
            raise conflict("No fingerprint enrolled" if use == "payments" else "No fingerprint or face enrolled")
    ctx.set_setting(f"biometric_{use}", word)
    return ok(f"Biometrics {word}", feature=use)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_smart_unlock(
    ctx: ToolContext, action: Literal["add", "remove", "query"], deviceName: str | None = None
) -> dict[str, Any]:
    """Keep unlocked near a trusted Bluetooth device, or list."""
    trusted = rule_items(ctx, "trusted_device")
    if action == "query":
        return page(f"{len(trusted)} trusted devices", trusted)
    wanted = need(deviceName, "deviceName")
    if action == "remove":
        device = find_named([{"name": name} for name in trusted], "name", wanted, "Trusted device")["name"]
        set_rule(ctx, "trusted_device", device, False)
        return ok("Device no longer trusted", deviceName=device)
    require_screen_lock(ctx)
    paired = ctx.rows("SELECT name FROM bluetooth_devices WHERE paired = 1 ORDER BY name")
    device = find_named(paired, "name", wanted, "Paired device")["name"]
    changed = set_rule(ctx, "trusted_device", device, True)
    return ok("Device trusted" if changed else "Device already trusted", deviceName=device)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_lockdown_mode(ctx: ToolContext, action: Switch, code: str | None = None) -> dict[str, Any]:
    """Allow only the code to unlock, end it, or query."""
    on = ctx.setting("lockdown_mode", "off") == "on"
    if action == "query":
        return ok("Lockdown mode status", enabled=on)
    wanted = action == "enable"
    if on == wanted:
        return ok(f"Lockdown mode already {'on' if on else 'off'}", enabled=on)
    if wanted:
        require_screen_lock(ctx)
    else:
        _check_code(ctx, code, "code")
    ctx.set_setting("lockdown_mode", "on" if wanted else "off")
    return ok(f"Lockdown mode {'on' if wanted else 'off'}", enabled=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_sim_lock(
    ctx: ToolContext,
    action: Literal["enable", "disable", "change", "query"],
    slot: int,
    pin: str | None = None,
    newPin: str | None = None,
) -> dict[str, Any]:
    """Lock a SIM with its PIN, unlock, or change PIN."""
    sim = ctx.one("SELECT enabled FROM sims WHERE slot = ?", slot)
    if sim is None:
        raise missing(f"No SIM in slot {slot}")
    key, locked = f"sim{slot}_lock", ctx.setting(f"sim{slot}_lock", "off")
    if action == "query":
        return ok("SIM lock status", slot=slot, enabled=locked == "on")
    if not sim["enabled"]:
        raise conflict(f"SIM {slot} is off")
    word = "off" if action == "disable" else "on"
    if action == "change":
        if locked == "off":
            raise conflict("SIM lock is off")
    elif locked == word:
        return ok(f"SIM lock already {word}", slot=slot)
    if need(pin, "a pin") != ctx.setting(f"sim{slot}_pin", "0000"):
        raise bad("Wrong pin")
    if action != "change":
        ctx.set_setting(key, word)
        return ok(f"SIM lock {word}", slot=slot)
    new = need(newPin, "newPin")
    if not (new.isascii() and new.isdigit()):
        raise bad("newPin must be digits")
    in_range("length of newPin", len(new), 4, 8)
    changed = ctx.set_setting(f"sim{slot}_pin", new)
    return ok("SIM PIN changed" if changed else "SIM PIN already so", slot=slot)


TOOLS = (
    manage_screen_lock,
    set_lock_timeout,
    manage_app_lock,
    manage_fingerprint,
    manage_face_unlock,
    manage_biometric_use,
    manage_smart_unlock,
    manage_lockdown_mode,
    manage_sim_lock,
)
