"""Security & Privacy, watching over: emergencies, permission usage, sensors, scans, payments, app sources."""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import one_contact, require_radio
from qpa.envs.sandbox.domains.links import Switch, find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.domains.security_lock import (
    NAME,
    SECURE,
    find_app,
    require_confirmation,
    require_screen_lock,
    rule_items,
    switch_app_rule,
)
from qpa.envs.sandbox.domains.security_vault import is_weak
from qpa.envs.sandbox.tool import ToolContext, bad, conflict, need, ok, tool

SCHEMA = """
CREATE TABLE emergency_contacts (
  contact_id TEXT PRIMARY KEY, name TEXT NOT NULL, phone TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE permission_usage (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, permission TEXT NOT NULL, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

MAX_EMERGENCY_CONTACTS = 5
BLOOD_TYPES = ("A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-")
MEDICAL = ("blood_type", "allergies", "medication", "conditions", "organ_donor")
MAX_MEDICAL = 100
THREATS = {  # files that a scan knows as harmful
    "Battery_Booster.apk": "adware",
    "Free_Movies.apk": "trojan",
    "Prize_Claim.apk": "spyware",
}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_emergency_contact(
    ctx: ToolContext, action: Literal["add", "remove", "query"], contact: str | None = None
) -> dict[str, Any]:
    """Choose who is alerted in an emergency, or list."""
    chosen = ctx.rows("SELECT * FROM emergency_contacts ORDER BY contact_id")
    if action == "query":
        items = [{"name": row["name"], "phone": row["phone"]} for row in chosen]
        return ok(f"{len(items)} emergency contacts", items=items, total=len(items))
    wanted = need(contact, "a contact")
    if action == "remove":
        by_id = [row for row in chosen if row["contact_id"] == wanted]
        row = by_id[0] if by_id else find_named(chosen, "name", wanted, "Emergency contact")
        ctx.execute("DELETE FROM emergency_contacts WHERE contact_id = ?", row["contact_id"])
        return ok("Emergency contact removed", name=row["name"])
    person = one_contact(ctx, wanted)
    if any(row["contact_id"] == person["id"] for row in chosen):
        return ok("Already an emergency contact", name=person["name"])
    if len(chosen) >= MAX_EMERGENCY_CONTACTS:
        raise conflict(f"Only {MAX_EMERGENCY_CONTACTS} emergency contacts fit")
    ctx.insert("emergency_contacts", contact_id=person["id"], name=person["name"], phone=person["phone"])
    return ok("Emergency contact added", name=person["name"], phone=person["phone"])


@tool(domain=NAME, effect=Effect.IRREVERSIBLE, permission="SEND_SMS")
def send_sos_alert(ctx: ToolContext, confirmed: bool, message: str | None = None) -> dict[str, Any]:
    """Text all emergency contacts for help; cannot be undone."""
    require_confirmation(confirmed)
    require_radio(ctx)
    chosen = ctx.rows("SELECT * FROM emergency_contacts ORDER BY contact_id")
    if not chosen:
        raise conflict("No emergency contact is set")
    located = ctx.setting("location", "on") == "on"
    content = f"SOS! {message or 'I need help.'}" + (" My location is attached." if located else "")
    at = ctx.now.isoformat()
    for row in chosen:
        sent = {"name": row["name"], "phone": row["phone"], "direction": "out", "content": content, "at": at}
        ctx.insert("messages", id=ctx.new_id("msg"), **sent)
    return ok("SOS sent", sentTo=[row["name"] for row in chosen], location=located)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_medical_info(
    ctx: ToolContext,
    action: Literal["set", "clear", "query"],
    item: Literal["blood_type", "allergies", "medication", "conditions", "organ_donor"] | None = None,
    value: str | None = None,
) -> dict[str, Any]:
    """Keep medical facts that helpers see while locked."""
    if action == "query":
        kept = {name: ctx.setting(f"medical_{name}") for name in MEDICAL if item in (None, name)}
        return ok("Medical information", **kept)
    name = need(item, "an item")
    text = "" if action == "clear" else _medical(name, need(value, "a value"))
    if ctx.setting(f"medical_{name}") == text:
        return ok("Medical information already so", item=name, value=text)
    ctx.set_setting(f"medical_{name}", text)
    return ok("Medical information saved", item=name, value=text)


def _medical(item: str, value: str) -> str:
    if item == "blood_type":
        text = value.upper().replace("−", "-").replace(" ", "")
        if text not in BLOOD_TYPES:
            raise bad(f"blood_type must be one of {', '.join(BLOOD_TYPES)}")
        return text
    if item == "organ_donor" and value.casefold() not in ("yes", "no"):
        raise bad("organ_donor must be yes or no")
    if len(value) > MAX_MEDICAL:
        raise bad(f"value is longer than {MAX_MEDICAL} characters")
    return value.casefold() if item == "organ_donor" else value


@tool(domain=NAME, effect=Effect.READ)
def query_permission_usage(
    ctx: ToolContext,
    permission: Literal["location", "camera", "microphone", "contacts"] | None = None,
    appName: str | None = None,
) -> dict[str, Any]:
    """See which apps used which permission lately."""
    app = None if appName is None else find_app(ctx, appName)
    found = [
        row
        for row in ctx.rows("SELECT app, permission, at FROM permission_usage ORDER BY at DESC, id DESC")
        if permission in (None, row["permission"]) and app in (None, row["app"])
    ]
    return page(f"{len(found)} uses", found)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_sensor_access(
    ctx: ToolContext, action: Switch, sensor: Literal["camera", "microphone"] | None = None
) -> dict[str, Any]:
    """Allow or cut all apps' camera or microphone access."""
    if action == "query":
        return ok("Sensor access", **{s: ctx.setting(f"{s}_access", "on") == "on" for s in ("camera", "microphone")})
    name = need(sensor, "a sensor")
    word = "on" if action == "enable" else "off"
    if ctx.setting(f"{name}_access", "on") == word:
        return ok(f"Access already {word}", sensor=name)
    ctx.set_setting(f"{name}_access", word)
    return ok(f"Access {word}", sensor=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def run_security_scan(ctx: ToolContext) -> dict[str, Any]:
    """Scan the phone for harmful files and weak spots."""
    found = [f"Threat: {name} ({THREATS[name]})" for name in _threats(ctx)]
    if ctx.setting("screen_lock", "none") not in SECURE:
        found.append("No screen lock")
    if ctx.setting("payment_protection", "off") == "off":
        found.append("Payment protection is off")
    found += [f"May install unknown apps: {app}" for app in rule_items(ctx, "unknown_sources")]
    saved = ctx.rows("SELECT site, password FROM passwords ORDER BY id")
    found += [f"Weak password: {row['site']}" for row in saved if is_weak(row["password"])]
    secrets = [row["password"] for row in saved]
    found += [f"Reused password: {row['site']}" for row in saved if secrets.count(row["password"]) > 1]
    ctx.set_setting("last_security_scan", ctx.now.isoformat())
    return page(f"{len(found)} findings", found)


def _threats(ctx: ToolContext) -> list[str]:
    return [row["name"] for row in ctx.rows("SELECT name FROM files ORDER BY name") if row["name"] in THREATS]


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def remove_threat(ctx: ToolContext, fileName: str, confirmed: bool) -> dict[str, Any]:
    """Delete a harmful file that a scan found."""
    if not ctx.setting("last_security_scan"):
        raise conflict("Run a security scan first")
    name = find_named([{"name": name} for name in _threats(ctx)], "name", fileName, "Threat")["name"]
    require_confirmation(confirmed)
    ctx.execute("DELETE FROM files WHERE name = ?", name)
    ctx.execute("DELETE FROM file_folders WHERE file = ?", name)
    return ok("Threat removed", fileName=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_payment_protection(ctx: ToolContext, action: Switch, appName: str | None = None) -> dict[str, Any]:
    """Protect payments: switch it, or cover one app."""
    on = ctx.setting("payment_protection", "off") == "on"
    if action == "query":
        apps = rule_items(ctx, "payment")
        return ok("Payment protection status", enabled=on, items=apps[:SHOWN], total=len(apps))
    wanted = action == "enable"
    if wanted:
        require_screen_lock(ctx)
    if appName is not None:
        if not on:
            raise conflict("Payment protection is off")
        return switch_app_rule(ctx, "payment", "Protection", wanted, appName)
    word = "on" if wanted else "off"
    if on == wanted:
        return ok(f"Payment protection already {word}", enabled=on)
    ctx.set_setting("payment_protection", word)
    return ok(f"Payment protection {word}", enabled=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_unknown_sources(
    ctx: ToolContext, action: Literal["allow", "block", "query"], appName: str | None = None
) -> dict[str, Any]:
    """Let an app install unknown apps, block it, or list."""
    if action == "query":
        apps = rule_items(ctx, "unknown_sources")
        return page(f"{len(apps)} apps may install", apps)
    return switch_app_rule(ctx, "unknown_sources", "Installing", action == "allow", appName)


TOOLS = (
    manage_emergency_contact,
    send_sos_alert,
    manage_medical_info,
    query_permission_usage,
    manage_sensor_access,
    run_security_scan,
    remove_threat,
    manage_payment_protection,
    manage_unknown_sources,
)
