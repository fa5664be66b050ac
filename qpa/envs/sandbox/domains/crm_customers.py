"""Customer Management, the people: customers, their history with us, owner, tags and summary."""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import read_phone
from qpa.envs.sandbox.domains.crm_world import TEAM
from qpa.envs.sandbox.domains.links import require_online
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

NAME = "Customer Management"

SCHEMA = """
CREATE TABLE crm_customers (
  id TEXT PRIMARY KEY, company TEXT NOT NULL, contact TEXT NOT NULL, email TEXT NOT NULL DEFAULT '',
  phone TEXT NOT NULL DEFAULT '', stage TEXT NOT NULL DEFAULT 'lead', value INTEGER NOT NULL DEFAULT 0,
  owner TEXT NOT NULL DEFAULT 'Me', tags TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_messages (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, channel TEXT NOT NULL, direction TEXT NOT NULL DEFAULT 'in',
  author TEXT NOT NULL DEFAULT '', at TEXT NOT NULL, subject TEXT NOT NULL DEFAULT '', text TEXT NOT NULL
) STRICT, WITHOUT ROWID;
"""  # tags: sorted, joined by ", ". channel: mail | chat, or call | meeting | note that the team logged

ME = TEAM[0]
MAX_VALUE = 10_000_000
MAX_SUMMARY = 600
MAX_TAG = 30

Stage = Literal["lead", "qualified", "proposal", "negotiation", "won", "lost"]


def find_customer(ctx: ToolContext, wanted: str) -> Row:
    """The customer with this id, company or contact name, else the only one with all its words in one of the two.

    Raises:
      ToolError: 404 when nobody matches; 409 that names up to five when several do.
    """
    folded = wanted.casefold()
    rows = ctx.rows("SELECT * FROM crm_customers ORDER BY id")
    found = [row for row in rows if folded in (row["id"], row["company"].casefold(), row["contact"].casefold())]
    words = set(folded.split())
    found = found or [
        row for row in rows if any(words <= set(row[name].casefold().split()) for name in ("company", "contact"))
    ]
    if not found:
        raise missing(f"No customer {wanted[:30]}")
    if len(found) > 1:
        names = [f"{row['id']} {row['contact']} ({row['company']})" for row in found[:SHOWN]]
        raise conflict(f"{len(found)} customers match: {', '.join(names)}")
    return found[0]


def add_entry(ctx: ToolContext, customer: Row, channel: str, text: str, subject: str = "") -> str:
    """Adds an outgoing entry to a customer's history; returns its id."""
    entry = ctx.insert(
        "crm_messages",
        id=ctx.new_id("entry"),
        customer_id=customer["id"],
        channel=channel,
        direction="out",
        author=ME,
        at=ctx.now.isoformat(),
        subject=subject,
        text=text,
    )
    return entry["id"]


def _tags(customer: Row) -> list[str]:
    return customer["tags"].split(", ") if customer["tags"] else []


@tool(domain=NAME, effect=Effect.READ)
def query_customers(
    ctx: ToolContext,
    keyword: str | None = None,
    stage: Stage | None = None,
    tag: str | None = None,
    owner: str | None = None,
) -> dict[str, Any]:
    """List customers by name, stage, tag or owner."""
    member = None if owner is None else _member(owner)
    found = [
        row
        for row in ctx.rows("SELECT * FROM crm_customers ORDER BY id")
        if (keyword or "").casefold() in f"{row['company']} {row['contact']}".casefold()
        and stage in (None, row["stage"])
        and (tag is None or tag.casefold() in _tags(row))
        and member in (None, row["owner"])
    ]
    items = [{name: row[name] for name in ("id", "contact", "company", "stage", "value")} for row in found[:SHOWN]]
    return ok(f"{len(found)} customers", items=items, total=len(found))


@tool(domain=NAME, effect=Effect.READ)
def view_customer(ctx: ToolContext, customer: str) -> dict[str, Any]:
    """Show one customer's card with summary and open work."""
    row = find_customer(ctx, customer)
    counted = {
        "openFollowUps": "SELECT count(*) AS n FROM crm_follow_ups WHERE customer_id = ? AND done = 0",
        "openDeals": "SELECT count(*) AS n FROM crm_deals WHERE customer_id = ? AND status = 'open'",
        "messages": "SELECT count(*) AS n FROM crm_messages WHERE customer_id = ?",
    }
    counts = {name: ctx.rows(sql, row["id"])[0]["n"] for name, sql in counted.items()}
    return ok("Customer found", **row | {"tags": _tags(row)}, **counts)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def add_customer(
    ctx: ToolContext,
    company: str,
    contactName: str,
    email: str | None = None,
    phone: str | None = None,
    value: int | None = None,
) -> dict[str, Any]:
    """Add a customer as a new lead of mine."""
    _refuse_twin(ctx, company, contactName, "")
    row = ctx.insert(
        "crm_customers",
        id=ctx.new_id("customer"),
        company=company,
        contact=contactName,
        email=_address(email),
        phone=read_phone(phone) if phone else "",
        value=in_range("value", value or 0, 0, MAX_VALUE),
    )
    return ok("Customer added", id=row["id"], company=company, contact=contactName, stage="lead")


def _refuse_twin(ctx: ToolContext, company: str, contact: str, own_id: str) -> None:
    wanted = (company.casefold(), contact.casefold())
    for row in ctx.rows("SELECT id, company, contact FROM crm_customers ORDER BY id"):
        if (row["company"].casefold(), row["contact"].casefold()) == wanted and row["id"] != own_id:
            raise conflict(f"Customer already exists: {row['id']}")


def _address(email: str | None) -> str:
    if email is not None and (email.count("@") != 1 or email[0] == "@" or "." not in email.split("@")[1]):
        raise bad(f"Not an email address: {email[:30]}")
    return email or ""


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def update_customer(
    ctx: ToolContext,
    customer: str,
    company: str | None = None,
    contactName: str | None = None,
    email: str | None = None,
    phone: str | None = None,
    value: int | None = None,
) -> dict[str, Any]:
    """Change a customer's company, contact, email, phone or value."""
    row = find_customer(ctx, customer)
    given = {
        "company": company,
        "contact": contactName,
        "email": None if email is None else _address(email),
        "phone": None if phone is None else read_phone(phone),
        "value": None if value is None else in_range("value", value, 0, MAX_VALUE),
    }
    if all(new is None for new in given.values()):
        raise bad("Give what to change")
    new = {name: value for name, value in given.items() if value is not None and value != row[name]}
    if not new:
        return ok("Customer already so", id=row["id"])
    _refuse_twin(ctx, company or row["company"], contactName or row["contact"], row["id"])
    columns = ", ".join(f"{name} = ?" for name in new)
    ctx.execute(f"UPDATE crm_customers SET {columns} WHERE id = ?", *new.values(), row["id"])
    return ok("Customer updated", id=row["id"], **new)


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def delete_customer(ctx: ToolContext, customer: str, confirmed: bool) -> dict[str, Any]:
    """Delete a customer with all history, for good."""
    row = find_customer(ctx, customer)
    if not confirmed:
        raise bad("Ask the person, then set confirmed")
    for table in ("crm_messages", "crm_follow_ups", "crm_deals", "crm_quotes"):
        ctx.execute(f"DELETE FROM {table} WHERE customer_id = ?", row["id"])
    ctx.execute("DELETE FROM crm_customers WHERE id = ?", row["id"])
    return ok("Customer deleted", id=row["id"], contact=row["contact"])


@tool(domain=NAME, effect=Effect.READ)
def query_customer_messages(
    ctx: ToolContext,
    customer: str | None = None,
    channel: Literal["mail", "chat", "call", "meeting", "note"] | None = None,
    direction: Literal["in", "out"] | None = None,
    keyword: str | None = None,
    maxResults: int | None = None,
) -> dict[str, Any]:
    """Read or search customer mails, chats and notes, newest first."""
    limit = SHOWN if maxResults is None else in_range("maxResults", maxResults, 1, SHOWN)
    who = None if customer is None else find_customer(ctx, customer)["id"]
    found = [
        row
        for row in ctx.rows("SELECT * FROM crm_messages ORDER BY at DESC, id DESC")
        if who in (None, row["customer_id"])
        and channel in (None, row["channel"])
        and direction in (None, row["direction"])
        and (keyword or "").casefold() in f"{row['subject']} {row['text']}".casefold()
    ]
    items = [{name: row[name] for name in ("channel", "author", "at", "text")} for row in found[:limit]]
    return ok(f"{len(found)} messages", items=items, total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def log_customer_activity(
    ctx: ToolContext, customer: str, activity: Literal["call", "meeting", "note"], text: str
) -> dict[str, Any]:
    """Log a call, meeting or note in a customer's history."""
    row = find_customer(ctx, customer)
    return ok("Activity logged", id=add_entry(ctx, row, activity, text), customer=row["contact"])


@tool(domain=NAME, effect=Effect.EXTERNAL)
def send_customer_message(
    ctx: ToolContext, customer: str, channel: Literal["mail", "chat"], text: str, subject: str | None = None
) -> dict[str, Any]:
    """Send a customer a mail or chat from the CRM."""
    row = find_customer(ctx, customer)
    require_online(ctx)
    if channel == "mail" and not row["email"]:
        raise conflict(f"No email address for {row['contact'][:30]}")
    if channel == "chat" and subject is not None:
        raise bad("subject only goes with mail")
    entry = add_entry(ctx, row, channel, text, subject or "")
    return ok("Message sent", id=entry, customer=row["contact"])


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def assign_customer(ctx: ToolContext, customer: str, owner: str) -> dict[str, Any]:
    """Assign a customer to a team member."""
    row, member = find_customer(ctx, customer), _member(owner)
    if row["owner"] == member:
        return ok("Already assigned", customer=row["contact"], owner=member)
    ctx.execute("UPDATE crm_customers SET owner = ? WHERE id = ?", member, row["id"])
    return ok("Customer assigned", customer=row["contact"], owner=member)


def _member(name: str) -> str:
    """The team member with this name or with this word in it."""
    folded = name.casefold()
    for member in TEAM:
        if folded == member.casefold() or folded in member.casefold().split():
            return member
    raise missing(f"No team member {name[:20]}; there are {', '.join(TEAM)}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_customer_tag(
    ctx: ToolContext, action: Literal["add", "remove", "query"], customer: str, tag: str | None = None
) -> dict[str, Any]:
    """Tag a customer, remove a tag, or list tags."""
    row = find_customer(ctx, customer)
    tags = _tags(row)
    if action == "query":
        return ok(f"{len(tags)} tags", customer=row["contact"], tags=tags)
    name = need(tag, "a tag").casefold()
    if "," in name or len(name) > MAX_TAG:
        raise bad(f"A tag has up to {MAX_TAG} characters, no comma")
    if (name in tags) == (action == "add"):
        return ok("Already tagged" if action == "add" else "Tag already absent", customer=row["contact"], tags=tags)
    new = sorted({*tags, name} if action == "add" else set(tags) - {name})
    ctx.execute("UPDATE crm_customers SET tags = ? WHERE id = ?", ", ".join(new), row["id"])
    return ok("Tag added" if action == "add" else "Tag removed", customer=row["contact"], tags=new)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def save_customer_summary(ctx: ToolContext, customer: str, summary: str) -> dict[str, Any]:
    """Save your own summary on a customer's card."""
    row = find_customer(ctx, customer)
    in_range("length of summary", len(summary), 1, MAX_SUMMARY)
    if row["summary"] == summary:
        return ok("Summary already so", customer=row["contact"])
    ctx.execute("UPDATE crm_customers SET summary = ? WHERE id = ?", summary, row["id"])
    return ok("Summary saved", customer=row["contact"])


TOOLS = (
    query_customers,
    view_customer,
    add_customer,
    update_customer,
    delete_customer,
    query_customer_messages,
    log_customer_activity,
    send_customer_message,
    assign_customer,
    manage_customer_tag,
    save_customer_summary,
)
