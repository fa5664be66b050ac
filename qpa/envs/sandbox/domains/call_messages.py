"""Calls & Communication, second half: text messages, email and file sending."""

from __future__ import annotations

import re
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import NAME, SHOWN, match_contacts, one_contact, recipient, require_radio
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, need, ok, single, tool

SCHEMA = """
CREATE TABLE messages (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', phone TEXT NOT NULL, direction TEXT NOT NULL DEFAULT 'in',
  content TEXT NOT NULL, at TEXT NOT NULL, unread INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE emails (
  id TEXT PRIMARY KEY, sender TEXT NOT NULL, recipient TEXT NOT NULL, subject TEXT NOT NULL,
  body TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, unread INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE sent_files (
  id TEXT PRIMARY KEY, file_id TEXT NOT NULL, recipient TEXT NOT NULL DEFAULT '', method TEXT NOT NULL, at TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""

OWN_ADDRESS = "me@example.com"
_ADDRESS = re.compile(r"[^@\s]{1,64}@[^@\s]+\.[^@\s]{2,}")


@tool(domain=NAME, effect=Effect.EXTERNAL, permission="SEND_SMS")
def send_message(
    ctx: ToolContext, content: str, contact: str | None = None, phoneNumber: str | None = None
) -> dict[str, Any]:
    """Send a text message to a contact or a number."""
    name, phone = recipient(ctx, contact, phoneNumber)
    require_radio(ctx)
    row_id = ctx.new_id("msg")
    at = ctx.now.isoformat()
    ctx.insert("messages", id=row_id, name=name, phone=phone, direction="out", content=content, at=at)
    return ok("Message sent", id=row_id, phone=phone, name=name, messageType="text")


@tool(domain=NAME, effect=Effect.READ)
def query_messages(ctx: ToolContext, contact: str | None = None, unreadOnly: bool | None = None) -> dict[str, Any]:
    """List text messages, newest first."""
    found = ctx.rows("SELECT id, name, phone, direction, content, at, unread FROM messages ORDER BY at DESC, id DESC")
    if contact is not None:
        phones = {row["phone"] for row in match_contacts(ctx, contact)}
        found = [row for row in found if row["phone"] in phones]
    return _page(found, unreadOnly, "messages")


def _page(found: list[Row], unread_only: bool | None, noun: str) -> dict[str, Any]:
    kept = [row | {"unread": bool(row["unread"])} for row in found if row["unread"] or not unread_only]
    return ok(f"{len(kept)} {noun}", items=kept[:SHOWN], total=len(kept))


def _email_address(ctx: ToolContext, text: str) -> str:
    """An address as it stands, or the address of the contact named."""
    if "@" in text:
        if not _ADDRESS.fullmatch(text):
            raise bad(f"Not an email address: {text[:30]}")
        return text
    row = one_contact(ctx, text)
    if not row["email"]:
        raise missing(f"No email address for {row['name'][:30]}")
    return row["email"]


@tool(domain=NAME, effect=Effect.EXTERNAL)
def send_email(ctx: ToolContext, to: str, subject: str, body: str | None = None) -> dict[str, Any]:
    """Send an email to an address or a contact."""
    address = _email_address(ctx, to)
    row_id = ctx.new_id("email")
    ctx.insert(
        "emails",
        id=row_id,
        sender=OWN_ADDRESS,
        recipient=address,
        subject=subject,
        body=body or "",
        at=ctx.now.isoformat(),
    )
    return ok("Email sent", id=row_id, to=address, subject=subject)


@tool(domain=NAME, effect=Effect.READ)
def query_emails(ctx: ToolContext, sender: str | None = None, unreadOnly: bool | None = None) -> dict[str, Any]:
    """List received emails, newest first."""
    sql = "SELECT id, sender, subject, body, at, unread FROM emails WHERE sender <> ? ORDER BY at DESC, id DESC"
    found = ctx.rows(sql, OWN_ADDRESS)
    if sender is not None:
        addresses = {row["email"] for row in match_contacts(ctx, sender) if row["email"]}
        wanted = sender.casefold()
        found = [row for row in found if row["sender"] in addresses or wanted in row["sender"].casefold()]
    return _page(found, unreadOnly, "emails")


@tool(domain=NAME, effect=Effect.EXTERNAL)
def send_file(
    ctx: ToolContext,
    fileName: str,
    contact: str | None = None,
    method: Literal["message", "bluetooth", "email"] | None = None,
) -> dict[str, Any]:
    """Send a file by message, Bluetooth or email."""
    file = _find_file(ctx, fileName)
    way = method or "message"
    if way == "bluetooth":
        # The receiver is a nearby device as often as a person, so the name is kept as given.
        if ctx.setting("bluetooth", "off") != "on":
            raise conflict("Bluetooth is off")
        target = contact or ""
    elif way == "email":
        target = _email_address(ctx, need(contact, "a contact"))
    else:
        require_radio(ctx)
        target = one_contact(ctx, need(contact, "a contact"))["phone"]
    row_id = ctx.new_id("transfer")
    at = ctx.now.isoformat()
    ctx.insert("sent_files", id=row_id, file_id=file["id"], recipient=target, method=way, at=at)
    return ok("File sent", id=row_id, fileName=file["name"], method=way, recipient=target)


def _find_file(ctx: ToolContext, name: str) -> Row:
    files = ctx.rows("SELECT * FROM files ORDER BY id")
    wanted = name.casefold()
    exact = [row for row in files if row["name"].casefold() == wanted]
    return single(exact or [row for row in files if wanted in row["name"].casefold()], "file", "name")


TOOLS = (send_message, query_messages, send_email, query_emails, send_file)
