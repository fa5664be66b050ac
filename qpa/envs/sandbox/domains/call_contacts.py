"""Calls & Communication, first half: contacts, calls and what guards them."""

from __future__ import annotations

import re
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, tool

NAME = "Calls & Communication"

SCHEMA = """
CREATE TABLE contacts (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, phone TEXT NOT NULL, group_name TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '', ringtone TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE calls (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', phone TEXT NOT NULL, direction TEXT NOT NULL,
  call_type TEXT NOT NULL DEFAULT 'voice', at TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'ended'
) STRICT, WITHOUT ROWID;
CREATE TABLE voicemails (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', phone TEXT NOT NULL, at TEXT NOT NULL, text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

RINGTONES = ("Aurora", "Classic Bell", "Marimba", "Silk", "Waves")
SHOWN = 5  # newest log rows a query returns; `total` counts them all

_PHONE = re.compile(r"\+?[0-9][0-9 ().-]{1,22}")


def read_phone(text: str) -> str:
    """A phone number as digits with an optional leading "+"; 400 unless it has 3 to 15 digits."""
    digits = re.sub(r"[^0-9]", "", text)
    if not _PHONE.fullmatch(text) or not 3 <= len(digits) <= 15:
        raise bad(f"Not a phone number: {text[:20]}")
    return ("+" if text.startswith("+") else "") + digits


def match_contacts(ctx: ToolContext, name: str) -> list[Row]:
    """Contacts with this id or full name, else those with all of its words in their name."""
    everyone = ctx.rows("SELECT * FROM contacts ORDER BY id")
    wanted = name.casefold()
    exact = [row for row in everyone if wanted in (row["id"], row["name"].casefold())]
    words = set(wanted.split())
    return exact or [row for row in everyone if words <= set(row["name"].casefold().split())]


def one_contact(ctx: ToolContext, name: str, phone: str | None = None) -> Row:
    """The contact meant by a name (and a number, when namesakes have to be told apart).

    Raises:
      ToolError: 404 when nobody matches; 409 listing name, id or number of each candidate when several do.
    """
    found = match_contacts(ctx, name)
    if phone is not None:
        found = [row for row in found if row["phone"] == phone]
    if not found:
        raise missing(f"No contact named {name[:30]}")
    if len(found) > 1:
        names = {row["name"] for row in found}
        shown = [row["name"] if len(names) == len(found) else f"{row['id']} {row['phone']}" for row in found[:4]]
        raise conflict(f"{len(found)} contacts match: {', '.join(shown)}")
    return found[0]


def recipient(ctx: ToolContext, contact: str | None, number: str | None) -> tuple[str, str]:
    """(name, phone) of whom a call or message goes to; the name of an unsaved number is "".

    Raises:
      ToolError: 400 when neither is given, 404 and 409 as in `one_contact`.
    """
    if contact is not None:
        row = one_contact(ctx, contact, read_phone(number) if number is not None else None)
        return row["name"], row["phone"]
    phone = read_phone(need(number, "contact or phoneNumber"))
    known = ctx.one("SELECT name FROM contacts WHERE phone = ? ORDER BY id", phone)
    return known["name"] if known else "", phone


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def add_contact(ctx: ToolContext, name: str, phoneNumber: str, group: str | None = None) -> dict[str, Any]:
    """Add a contact."""
    phone = read_phone(phoneNumber)
    _refuse_twin(ctx, name, phone, "")
    row = ctx.insert("contacts", id=ctx.new_id("contact"), name=name, phone=phone, group_name=group or "")
    return ok("Contact added", id=row["id"], name=name, phone=phone)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def update_contact(
    ctx: ToolContext,
    name: str,
    phoneNumber: str | None = None,
    newName: str | None = None,
    group: str | None = None,
) -> dict[str, Any]:
    """Change a contact's number, name or group."""
    if phoneNumber is None and newName is None and group is None:
        raise bad("Give phoneNumber, newName or group")
    row = one_contact(ctx, name)
    phone = row["phone"] if phoneNumber is None else read_phone(phoneNumber)
    new = {"name": newName or row["name"], "phone": phone, "group_name": group or row["group_name"]}
    _refuse_twin(ctx, new["name"], phone, row["id"])
    ctx.execute("UPDATE contacts SET name = ?, phone = ?, group_name = ? WHERE id = ?", *new.values(), row["id"])
    return ok("Contact updated", id=row["id"], name=new["name"], phone=phone, group=new["group_name"])


def _refuse_twin(ctx: ToolContext, name: str, phone: str, own_id: str) -> None:
    for row in ctx.rows("SELECT id, name FROM contacts WHERE phone = ? AND id <> ? ORDER BY id", phone, own_id):
        if row["name"].casefold() == name.casefold():
            raise conflict(f"Contact already exists: {row['id']}")


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def delete_contact(ctx: ToolContext, name: str) -> dict[str, Any]:
    """Delete a contact for good."""
    row = one_contact(ctx, name)
    ctx.execute("DELETE FROM contacts WHERE id = ?", row["id"])
    return ok("Contact deleted", id=row["id"], name=row["name"])


@tool(domain=NAME, effect=Effect.READ)
def query_contacts(ctx: ToolContext, name: str | None = None, group: str | None = None) -> dict[str, Any]:
    """Find contacts by name or group."""
    found = match_contacts(ctx, name) if name is not None else ctx.rows("SELECT * FROM contacts ORDER BY id")
    if group is not None:
        found = [row for row in found if row["group_name"].casefold() == group.casefold()]
    items = [{"id": r["id"], "name": r["name"], "phone": r["phone"], "group": r["group_name"]} for r in found]
    return ok(f"{len(items)} contacts", items=items, total=len(items))


@tool(domain=NAME, effect=Effect.EXTERNAL, permission="CALL_PHONE")
def make_call(
    ctx: ToolContext,
    contact: str | None = None,
    phoneNumber: str | None = None,
    callType: Literal["voice", "video"] | None = None,
) -> dict[str, Any]:
    """Call a contact or a number."""
    name, phone = recipient(ctx, contact, phoneNumber)
    require_radio(ctx)
    if ctx.one("SELECT id FROM calls WHERE status = 'active'"):
        raise conflict("A call is already active")
    row = ctx.insert(
        "calls",
        id=ctx.new_id("call"),
        name=name,
        phone=phone,
        direction="outgoing",
        call_type=callType or "voice",
        at=ctx.now.isoformat(),
        status="active",
    )
    return ok("Calling", id=row["id"], name=name, phone=phone, callType=row["call_type"])


def require_radio(ctx: ToolContext) -> None:
    """409 while airplane mode keeps calls and texts from leaving the phone."""
    if ctx.setting("airplane_mode", "off") == "on":
        raise conflict("Airplane mode is on")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def end_call(ctx: ToolContext) -> dict[str, Any]:
    """End the active call."""
    row = ctx.one("SELECT id FROM calls WHERE status = 'active' ORDER BY id")
    if row is None:
        raise conflict("No call is active")
    ctx.execute("UPDATE calls SET status = 'ended' WHERE id = ?", row["id"])
    return ok("Call ended", id=row["id"])


@tool(domain=NAME, effect=Effect.READ)
def query_call_log(
    ctx: ToolContext,
    callType: Literal["missed", "incoming", "outgoing"] | None = None,
    contact: str | None = None,
) -> dict[str, Any]:
    """List recent calls, newest first."""
    sql = "SELECT id, name, phone, direction, call_type, at FROM calls WHERE ?1 IS NULL OR direction = ?1"
    found = ctx.rows(sql + " ORDER BY at DESC, id DESC", callType)
    if contact is not None:
        phones = {row["phone"] for row in match_contacts(ctx, contact)}
        found = [row for row in found if row["phone"] in phones]
    return ok(f"{len(found)} calls", items=found[:SHOWN], total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_interception(
    ctx: ToolContext,
    action: Literal["enable", "disable", "query"],
    rule: Literal["unknown_numbers", "international", "telemarketing"] | None = None,
) -> dict[str, Any]:
    """Switch or read call interception rules."""
    if action == "query":
        rules = [rule] if rule else ["unknown_numbers", "international", "telemarketing"]
        return ok("Interception rules", **{name: ctx.setting(f"intercept_{name}", "off") for name in rules})
    name = need(rule, "a rule")
    changed = ctx.set_setting(f"intercept_{name}", "on" if action == "enable" else "off")
    return ok(f"Rule {action}d" if changed else f"Rule already {action}d", rule=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_call_forwarding(
    ctx: ToolContext, action: Literal["enable", "disable", "query"], phoneNumber: str | None = None
) -> dict[str, Any]:
    """Forward calls to a number, stop it, or read the setting."""
    if action == "enable":
        ctx.set_setting("call_forwarding_number", read_phone(need(phoneNumber, "phoneNumber")))
    if action != "query":
        ctx.set_setting("call_forwarding", "on" if action == "enable" else "off")
    enabled = ctx.setting("call_forwarding", "off") == "on"
    phone = ctx.setting("call_forwarding_number") if enabled else ""
    return ok("Call forwarding" if action == "query" else f"Forwarding {action}d", enabled=enabled, phone=phone)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_voicemail(
    ctx: ToolContext, action: Literal["enable", "disable", "query", "delete"], voicemailId: str | None = None
) -> dict[str, Any]:
    """Switch voicemail, list messages, or delete one."""
    if action == "delete":
        wanted = need(voicemailId, "voicemailId")
        if not ctx.execute("DELETE FROM voicemails WHERE id = ?", wanted):
            raise missing(f"No voicemail {wanted[:30]}")
        return ok("Voicemail deleted", id=wanted)
    if action != "query":
        ctx.set_setting("voicemail", "on" if action == "enable" else "off")
        return ok(f"Voicemail {action}d")
    sql = "SELECT * FROM voicemails WHERE ?1 IS NULL OR id = ?1 ORDER BY at DESC, id DESC"
    found = ctx.rows(sql, voicemailId)
    enabled = ctx.setting("voicemail", "off") == "on"
    return ok(f"{len(found)} voicemails", enabled=enabled, items=found[:SHOWN], total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def set_ringtone(ctx: ToolContext, ringtone: str, contact: str | None = None) -> dict[str, Any]:
    """Set the ringtone, for everyone or one contact."""
    name = next((known for known in RINGTONES if known.casefold() == ringtone.casefold()), None)
    if name is None:
        raise missing(f"Unknown ringtone; try {', '.join(RINGTONES)}")
    if contact is None:
        ctx.set_setting("ringtone", name)
        return ok("Ringtone set", ringtone=name)
    row = one_contact(ctx, contact)
    ctx.execute("UPDATE contacts SET ringtone = ? WHERE id = ?", name, row["id"])
    return ok("Ringtone set", ringtone=name, contact=row["name"])


TOOLS = (
    add_contact,
    update_contact,
    delete_contact,
    query_contacts,
    make_call,
    end_call,
    query_call_log,
    manage_interception,
    manage_call_forwarding,
    manage_voicemail,
    set_ringtone,
)
