"""Customer Management, the selling: pipeline stages, follow-ups, deals and quotes.

A customer moves one stage at a time, forward only as far as the quotes carry: a quote for "proposal", a sent one for
"negotiation", an accepted one for "won". "lost" is reached from every open stage, and left for "lead".
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.crm_customers import MAX_VALUE, NAME, Stage, add_entry, find_customer
from qpa.envs.sandbox.domains.links import require_online
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

SCHEMA = """
CREATE TABLE crm_follow_ups (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, kind TEXT NOT NULL, due TEXT NOT NULL,
  note TEXT NOT NULL DEFAULT '', done INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_deals (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, title TEXT NOT NULL, amount INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'open', close_date TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE crm_quotes (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, product TEXT NOT NULL, amount INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'draft', valid_until TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

MOVES = {  # stage -> stages it may be moved to
    "lead": ("qualified", "lost"),
    "qualified": ("proposal", "lead", "lost"),
    "proposal": ("negotiation", "qualified", "lost"),
    "negotiation": ("won", "proposal", "lost"),
    "won": (),
    "lost": ("lead",),
}
STAGES = tuple(MOVES)
_QUOTE_MOVES = {"send": ("draft", "sent"), "accept": ("sent", "accepted"), "reject": ("sent", "rejected")}
_QUOTES_FOR = {  # stage moved forward to -> quote states one of which it needs
    "proposal": ("draft", "sent", "accepted"),
    "negotiation": ("sent", "accepted"),
    "won": ("accepted",),
}


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def move_customer_stage(ctx: ToolContext, customer: str, stage: Stage, reason: str | None = None) -> dict[str, Any]:
    """Move a customer in the pipeline; lost needs a reason."""
    row = find_customer(ctx, customer)
    old = row["stage"]
    if stage == old:
        return ok(f"Already in {stage}", customer=row["contact"], stage=stage)
    if stage not in MOVES[old]:
        raise conflict(f"From {old} only to {', '.join(MOVES[old]) or 'nowhere'}")
    if STAGES.index(stage) > STAGES.index(old) and stage in _QUOTES_FOR:
        states = {quote["status"] for quote in _owned(ctx, "crm_quotes", row)}
        if states.isdisjoint(_QUOTES_FOR[stage]):
            raise conflict(f"Needs a quote: {' or '.join(_QUOTES_FOR[stage])}")
    if stage == "lost":
        add_entry(ctx, row, "note", f"Lost: {need(reason, 'a reason')}")
    elif reason is not None:
        raise bad("reason only goes with lost")
    ctx.execute("UPDATE crm_customers SET stage = ? WHERE id = ?", stage, row["id"])
    return ok("Customer moved", customer=row["contact"], stage=stage, previous=old)


@tool(domain=NAME, effect=Effect.READ)
def query_pipeline(ctx: ToolContext) -> dict[str, Any]:
    """Count customers and their value by stage."""
    rows = ctx.rows("SELECT stage, count(*) AS customers, sum(value) AS value FROM crm_customers GROUP BY stage")
    found = {row.pop("stage"): row for row in rows}
    return ok("Pipeline", **{stage: found.get(stage, {"customers": 0, "value": 0}) for stage in STAGES})


def _owned(ctx: ToolContext, table: str, customer: Row | None) -> list[Row]:
    """The rows of this customer, or of all, each with the customer's name under "customer"."""
    sql = f"SELECT t.*, c.contact AS customer FROM {table} t JOIN crm_customers c ON c.id = t.customer_id"
    rows = ctx.rows(sql + " ORDER BY t.id")
    return [row for row in rows if customer is None or row["customer_id"] == customer["id"]]


def _chosen(ctx: ToolContext, table: str, noun: str, row_id: str | None, customer: str | None) -> list[Row]:
    """The row with this id, else all rows of the customer; 400 when neither is given."""
    if row_id is not None:
        return [single([row for row in _owned(ctx, table, None) if row["id"] == row_id], noun)]
    return _owned(ctx, table, find_customer(ctx, need(customer, f"{noun}Id or customer")))


def _page(rows: list[Row], noun: str, *columns: str) -> dict[str, Any]:
    items = [{name: row[name] for name in ("id", "customer", *columns)} for row in rows[:SHOWN]]
    return ok(f"{len(rows)} {noun}", items=items, total=len(rows))


def _coming(ctx: ToolContext, text: str, kind: Literal["date", "due"]) -> str:
    """A day from today on, or a later moment."""
    when = resolve(text, ctx.now, kind)
    if when < ctx.now.date().isoformat() or ("T" in when and when <= ctx.now.isoformat()):
        raise bad("Time is in the past")
    return when


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_follow_up(
    ctx: ToolContext,
    action: Literal["create", "complete", "reschedule", "delete", "query"],
    customer: str | None = None,
    kind: Literal["call", "mail", "meeting", "demo", "quote"] | None = None,
    due: str | None = None,
    note: str | None = None,
    followUpId: str | None = None,
    status: Literal["open", "overdue", "done"] = "open",
) -> dict[str, Any]:
    """Plan, finish, move, delete or list customer follow-ups."""
    if action == "query":
        return _query_follow_ups(ctx, customer, kind, due, status)
    if action == "create":
        row = find_customer(ctx, need(customer, "a customer"))
        sort, when = need(kind, "a kind"), _coming(ctx, need(due, "due"), "due")
        for other in _owned(ctx, "crm_follow_ups", row):
            if (other["kind"], other["due"], other["done"]) == (sort, when, 0):
                raise conflict(f"Follow-up already exists: {other['id']}")
        values = {"customer_id": row["id"], "kind": sort, "due": when, "note": note or ""}
        made = ctx.insert("crm_follow_ups", id=ctx.new_id("follow_up"), **values)
        return ok("Follow-up created", id=made["id"], customer=row["contact"], kind=sort, due=when)
    found = _chosen(ctx, "crm_follow_ups", "followUp", followUpId, customer)
    if followUpId is None:
        found = [row for row in found if not row["done"] and kind in (None, row["kind"])]
    row = single(found, "open follow-up")
    if action == "delete":
        ctx.execute("DELETE FROM crm_follow_ups WHERE id = ?", row["id"])
        return ok("Follow-up deleted", id=row["id"])
    if action == "complete":
        if row["done"]:
            return ok("Follow-up already done", id=row["id"])
        ctx.execute("UPDATE crm_follow_ups SET done = 1 WHERE id = ?", row["id"])
        return ok("Follow-up done", id=row["id"])
    if row["done"]:
        raise conflict("Follow-up is done")
    when = _coming(ctx, need(due, "due"), "due")
    if when == row["due"]:
        return ok("Follow-up already so", id=row["id"], due=when)
    ctx.execute("UPDATE crm_follow_ups SET due = ? WHERE id = ?", when, row["id"])
    return ok("Follow-up moved", id=row["id"], due=when)


def _query_follow_ups(
    ctx: ToolContext, customer: str | None, kind: str | None, due: str | None, status: str
) -> dict[str, Any]:
    """Soonest first; overdue is what was due before now, or before today when it names no time."""
    rows = _owned(ctx, "crm_follow_ups", None if customer is None else find_customer(ctx, customer))
    day = "" if due is None else resolve(due, ctx.now, "due")
    now = ctx.now.isoformat()
    found = [
        row
        for row in rows
        if row["done"] == (status == "done")
        and kind in (None, row["kind"])
        and row["due"].startswith(day)
        and (status != "overdue" or row["due"] < (now if "T" in row["due"] else now[:10]))
    ]
    found.sort(key=lambda row: (row["due"], row["id"]))
    return _page(found, f"{status} follow-ups", "kind", "due", "note")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_deal(
    ctx: ToolContext,
    action: Literal["create", "update", "win", "lose", "query"],
    customer: str | None = None,
    title: str | None = None,
    amount: int | None = None,
    closeDate: str | None = None,
    dealId: str | None = None,
) -> dict[str, Any]:
    """Create, change, win, lose or list deals."""
    if action == "query":
        rows = _owned(ctx, "crm_deals", None if customer is None else find_customer(ctx, customer))
        return _page(_titled(rows, title), "deals", "title", "amount", "status", "close_date")
    money = None if amount is None else in_range("amount", amount, 1, MAX_VALUE)
    day = None if closeDate is None else _coming(ctx, closeDate, "date")
    if action == "create":
        row, name = find_customer(ctx, need(customer, "a customer")), need(title, "a title")
        if any(d["title"].casefold() == name.casefold() for d in _owned(ctx, "crm_deals", row)):
            raise conflict(f"Deal already exists: {name[:30]}")
        values = {"customer_id": row["id"], "title": name, "amount": need(money, "an amount"), "close_date": day or ""}
        made = ctx.insert("crm_deals", id=ctx.new_id("deal"), **values)
        return ok("Deal created", id=made["id"], customer=row["contact"], title=name)
    found = _chosen(ctx, "crm_deals", "deal", dealId, customer)
    if dealId is None:
        found = _titled(found, title)
        found = [row for row in found if row["status"] == "open"] or found
    row = single(found, "deal")
    status = {"win": "won", "lose": "lost"}.get(action)
    if status == row["status"]:
        return ok(f"Deal already {status}", id=row["id"])
    if row["status"] != "open":
        raise conflict(f"Deal is {row['status']}")
    given = {"status": status} if status else {"amount": money, "close_date": day}
    new = {name: value for name, value in given.items() if value is not None}
    if not new:
        raise bad("Give amount or closeDate")
    if all(row[name] == value for name, value in new.items()):
        return ok("Deal already so", id=row["id"])
    ctx.execute(f"UPDATE crm_deals SET {', '.join(f'{n} = ?' for n in new)} WHERE id = ?", *new.values(), row["id"])
    return ok(f"Deal {status or 'updated'}", id=row["id"], title=row["title"])


def _titled(rows: list[Row], title: str | None) -> list[Row]:
    return [row for row in rows if title is None or title.casefold() in row["title"].casefold()]


@tool(domain=NAME, effect=Effect.EXTERNAL)
def manage_quote(
    ctx: ToolContext,
    action: Literal["create", "send", "accept", "reject", "query"],
    customer: str | None = None,
    product: str | None = None,
    amount: int | None = None,
    validUntil: str | None = None,
    quoteId: str | None = None,
) -> dict[str, Any]:
    """Draft and send quotes, record the answer, or list."""
    if action == "query":
        rows = _owned(ctx, "crm_quotes", None if customer is None else find_customer(ctx, customer))
        return _page(rows, "quotes", "product", "amount", "status", "valid_until")
    if action == "create":
        row = find_customer(ctx, need(customer, "a customer"))
        if row["stage"] in ("won", "lost"):
            raise conflict(f"Customer is {row['stage']}")
        values = {
            "product": need(product, "a product"),
            "amount": in_range("amount", need(amount, "an amount"), 1, MAX_VALUE),
            "valid_until": _coming(ctx, validUntil or "in 30 days", "date"),
        }
        made = ctx.insert("crm_quotes", id=ctx.new_id("quote"), customer_id=row["id"], status="draft", **values)
        return ok("Quote drafted", id=made["id"], customer=row["contact"], amount=values["amount"])
    before, after = _QUOTE_MOVES[action]
    found = _chosen(ctx, "crm_quotes", "quote", quoteId, customer)
    if quoteId is None:
        found = [row for row in found if (product or "").casefold() in row["product"].casefold()]
        found = [row for row in found if row["status"] == before] or found
    quote = single(found, "quote")
    if quote["status"] == after:
        return ok(f"Quote already {after}", id=quote["id"])
    if quote["status"] != before:
        raise conflict(f"Quote is {quote['status']}")
    if action != "reject" and quote["valid_until"] < ctx.now.date().isoformat():
        raise conflict("Quote has expired")
    if action == "send":
        require_online(ctx)
    ctx.execute("UPDATE crm_quotes SET status = ? WHERE id = ?", after, quote["id"])
    return ok(f"Quote {after}", id=quote["id"], customer=quote["customer"], amount=quote["amount"])


TOOLS = (move_customer_stage, query_pipeline, manage_follow_up, manage_deal, manage_quote)
