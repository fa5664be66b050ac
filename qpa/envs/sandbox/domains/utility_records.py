"""Utilities & Productivity, records: checklists, expenses and habits.

A habit's `done` is its sorted days, joined by commas.
"""

from __future__ import annotations

from datetime import date as day_type
from datetime import timedelta
from decimal import Decimal
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.utility_convert import NAME
from qpa.envs.sandbox.domains.utility_documents import find_file
from qpa.envs.sandbox.times import resolve
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, need, ok, single, tool

SCHEMA = """
CREATE TABLE list_items (
  list_name TEXT NOT NULL, item TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (list_name, item)
) STRICT, WITHOUT ROWID;
CREATE TABLE expenses (
  id TEXT PRIMARY KEY, date TEXT NOT NULL, cents INTEGER NOT NULL, category TEXT NOT NULL DEFAULT 'other',
  note TEXT NOT NULL DEFAULT '', receipt TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE habits (
  name TEXT PRIMARY KEY, per_week INTEGER NOT NULL DEFAULT 7, done TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

LISTED = 10  # items of a checklist; a person needs to see more of one than of a log
MAX_ITEMS = 20  # of one call


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_checklist(
    ctx: ToolContext,
    action: Literal["add", "check", "uncheck", "remove", "clear_checked", "query"],
    listName: str | None = None,
    items: list[str] | None = None,
) -> dict[str, Any]:
    """Keep named checklists such as groceries or packing."""
    everything = ctx.rows("SELECT * FROM list_items ORDER BY list_name, item")
    names = list(dict.fromkeys(row["list_name"] for row in everything))
    if action == "query" and listName is None:
        return ok(f"{len(names)} lists", lists=names[:SHOWN], total=len(names))
    wanted = need(listName, "listName")
    if action == "add":
        return _add_items(ctx, everything, names, wanted, _given(items))
    name = find_named([{"name": n} for n in names], "name", wanted, "List")["name"]
    rows = [row for row in everything if row["list_name"] == name]
    if action == "query":
        open_items = [row["item"] for row in rows if not row["done"]]
        checked = [row["item"] for row in rows if row["done"]]
        return ok(f"{len(open_items)} open items", listName=name, open=open_items[:LISTED], checked=checked[:LISTED])
    if action == "clear_checked":
        count = ctx.execute("DELETE FROM list_items WHERE list_name = ? AND done = 1", name)
        return ok(f"{count} items cleared", listName=name)
    found = [find_named(rows, "item", item, "Item") for item in _given(items)]
    for row in found:
        if action == "remove":
            ctx.execute("DELETE FROM list_items WHERE list_name = ? AND item = ?", name, row["item"])
        else:
            sql = "UPDATE list_items SET done = ? WHERE list_name = ? AND item = ?"
            ctx.execute(sql, int(action == "check"), name, row["item"])
    word = {"check": "checked", "uncheck": "unchecked", "remove": "removed"}[action]
    if action != "remove" and all(row["done"] == (action == "check") for row in found):
        word = f"already {word}"
    return ok(f"Items {word}", listName=name, items=[row["item"] for row in found])


def _given(items: list[str] | None) -> list[str]:
    given = need(items, "items")
    in_range("number of items", len(given), 1, MAX_ITEMS)
    return given


def _add_items(
    ctx: ToolContext, everything: list[Row], names: list[str], wanted: str, items: list[str]
) -> dict[str, Any]:
    name = next((n for n in names if n.casefold() == wanted.casefold()), wanted)
    there = {row["item"].casefold() for row in everything if row["list_name"] == name}
    for item in items:
        if item.casefold() in there:
            raise conflict(f"Already on the list: {item[:30]}")
        there.add(item.casefold())
        ctx.insert("list_items", list_name=name, item=item, done=0)
    return ok("Items added", listName=name, items=items)


Category = Literal["food", "transport", "shopping", "housing", "health", "leisure", "travel", "other"]


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_expense(
    ctx: ToolContext,
    action: Literal["add", "update", "delete", "query"],
    amount: float | None = None,
    category: Category | None = None,
    note: str | None = None,
    date: str | None = None,
    receipt: str | None = None,
    expenseId: str | None = None,
    period: Literal["today", "week", "month", "year", "all"] = "month",
) -> dict[str, Any]:
    """Record, correct, delete or total expenses, with receipts."""
    if action == "query":
        return _expenses(ctx, category, note, period)
    changes: dict[str, Any] = {
        "date": None if date is None else _past_day(ctx, date),
        "cents": None if amount is None else _cents(amount),
        "category": category,
        "receipt": None if receipt is None else find_file(ctx, receipt)["name"],
    }
    if action == "add":
        cents = need(changes["cents"], "an amount")
        day = changes["date"] or ctx.now.date().isoformat()
        given = {"category": category or "other", "note": note or "", "receipt": changes["receipt"] or ""}
        row = ctx.insert("expenses", id=ctx.new_id("expense"), date=day, cents=cents, **given)
        return ok("Expense added", id=row["id"], date=day, amount=cents / 100, category=given["category"])
    found = ctx.rows("SELECT * FROM expenses ORDER BY id")
    if expenseId is None:
        wanted = need(note, "expenseId or note").casefold()
        found = [row for row in found if wanted in row["note"].casefold()]
    else:
        found = [row for row in found if row["id"] == expenseId]
        changes["note"] = note
    row = single(found, "expense")
    if action == "delete":
        ctx.execute("DELETE FROM expenses WHERE id = ?", row["id"])
        return ok("Expense deleted", id=row["id"])
    if all(value is None for value in changes.values()):
        raise bad("Nothing to update")
    new = {name: value for name, value in changes.items() if value is not None and value != row[name]}
    if not new:
        return ok("Expense already so", id=row["id"])
    ctx.execute(f"UPDATE expenses SET {', '.join(f'{c} = ?' for c in new)} WHERE id = ?", *new.values(), row["id"])
    return ok("Expense updated", id=row["id"])


def _expenses(ctx: ToolContext, category: str | None, note: str | None, period: str) -> dict[str, Any]:
    today = ctx.now.date()
    start = {
        "today": today.isoformat(),
        "week": (today - timedelta(days=today.weekday())).isoformat(),
        "month": today.strftime("%Y-%m"),
        "year": today.strftime("%Y"),
        "all": "",
    }[period]
    found = [
        row
        for row in ctx.rows("SELECT * FROM expenses WHERE date >= ? ORDER BY date DESC, id DESC", start)
        if category in (None, row["category"]) and (note or "").casefold() in row["note"].casefold()
    ]
    items = [
        {"id": r["id"], "date": r["date"], "amount": r["cents"] / 100, "category": r["category"], "note": r["note"]}
        for r in found[:SHOWN]
    ]
    spent = sum(row["cents"] for row in found) / 100
    return ok(f"{len(found)} expenses", spent=spent, items=items, total=len(found))


def _cents(amount: float) -> int:
    exact = Decimal(repr(amount)) * 100
    if exact != exact.to_integral_value():
        raise bad("amount has at most two decimals")
    if not 1 <= exact <= 100_000_000:
        raise bad("amount must be 0.01 to 1000000")
    return int(exact)


def _past_day(ctx: ToolContext, text: str) -> str:
    day = resolve(text, ctx.now, "date")
    if day > ctx.now.date().isoformat():
        raise bad("Date is in the future")
    return day


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_habit(
    ctx: ToolContext,
    action: Literal["create", "log", "undo", "delete", "query"],
    name: str | None = None,
    perWeek: int | None = None,
    date: str | None = None,
) -> dict[str, Any]:
    """Track habits: create, tick off a day, undo, query."""
    habits = ctx.rows("SELECT * FROM habits ORDER BY name")
    if action == "query":
        found = habits if name is None else [find_named(habits, "name", name, "Habit")]
        return ok(f"{len(found)} habits", items=[_progress(ctx, habit) for habit in found[:SHOWN]], total=len(found))
    wanted = need(name, "a name")
    if action == "create":
        if any(habit["name"].casefold() == wanted.casefold() for habit in habits):
            raise conflict(f"Habit already exists: {wanted[:30]}")
        goal = 7 if perWeek is None else in_range("perWeek", perWeek, 1, 7)
        ctx.insert("habits", name=wanted, per_week=goal, done="")
        return ok("Habit created", name=wanted, perWeek=goal)
    habit = find_named(habits, "name", wanted, "Habit")
    if action == "delete":
        ctx.execute("DELETE FROM habits WHERE name = ?", habit["name"])
        return ok("Habit deleted", name=habit["name"])
    day = _past_day(ctx, date or "today")
    days = set(filter(None, habit["done"].split(",")))
    if (day in days) == (action == "log"):
        return ok("Day already logged" if action == "log" else "Day was not logged", name=habit["name"], date=day)
    habit["done"] = ",".join(sorted(days ^ {day}))
    ctx.execute("UPDATE habits SET done = ? WHERE name = ?", habit["done"], habit["name"])
    return ok("Day logged" if action == "log" else "Day removed", **_progress(ctx, habit))


def _progress(ctx: ToolContext, habit: Row) -> dict[str, Any]:
    """This week's count since Monday, and the run of days up to today, or yesterday when today is still open."""
    today = ctx.now.date()
    days = set(habit["done"].split(","))
    monday = (today - timedelta(days=today.weekday())).isoformat()
    return {
        "name": habit["name"],
        "perWeek": habit["per_week"],
        "thisWeek": sum(monday <= day <= today.isoformat() for day in days),
        "streak": _streak(days, today),
    }


def _streak(days: set[str], today: day_type) -> int:
    day = today if today.isoformat() in days else today - timedelta(days=1)
    count = 0
    while day.isoformat() in days:
        count, day = count + 1, day - timedelta(days=1)
    return count


TOOLS = (manage_checklist, manage_expense, manage_habit)
