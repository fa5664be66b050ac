"""Shopping: coupons, addresses, and orders from payment to refund.

An order buys everything in one app's cart. It can be cancelled until it is shipped, which undoes it; once delivered,
a refund can be requested and is decided by the shop.
"""

from __future__ import annotations

import json
import random
from datetime import date, timedelta
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.call_contacts import read_phone
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, page
from qpa.envs.sandbox.domains.shopping_catalog import FOOD_APPS, NAME, SHOPS, bill, find_app
from qpa.envs.sandbox.domains.travel_base import add_money, charge, find_wallet, money, require_online
from qpa.envs.sandbox.schema import WORLD_CLOCK, World
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, need, ok, single, tool

SCHEMA = """
CREATE TABLE shop_orders (
  id TEXT PRIMARY KEY, app TEXT NOT NULL, items TEXT NOT NULL, total_cents INTEGER NOT NULL,
  coupon TEXT NOT NULL DEFAULT '', address TEXT NOT NULL DEFAULT '', paid_with TEXT NOT NULL DEFAULT '',
  note TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'placed', placed_on TEXT NOT NULL,
  deliver_on TEXT NOT NULL, tracking TEXT NOT NULL DEFAULT '', refund_reason TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE TABLE coupons (
  app TEXT, code TEXT, off_cents INTEGER NOT NULL, min_cents INTEGER NOT NULL DEFAULT 0, expires TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'available', PRIMARY KEY (app, code)
) STRICT, WITHOUT ROWID;
CREATE TABLE addresses (
  name TEXT PRIMARY KEY, recipient TEXT NOT NULL DEFAULT '', phone TEXT NOT NULL DEFAULT '',
  address TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
"""

RETURN_DAYS = {"no longer needed": 7}  # after delivery
RETURN_DAYS_FAULTY = 30
_CARRIERS = ("SF Express", "YTO Express", "DHL")


# --- coupons and addresses ------------------------------------------------------------------------------------------


@tool(domain=NAME, effect=Effect.READ)
def query_coupons(ctx: ToolContext, appName: str) -> dict[str, Any]:
    """List an app's unused coupons."""
    app = find_app(ctx, appName)
    found = ctx.rows("SELECT * FROM coupons WHERE app = ? AND status <> 'used' ORDER BY code", app)
    items = [
        {
            "code": row["code"],
            "off": money(row["off_cents"]),
            "minimum": money(row["min_cents"]),
            "expires": row["expires"],
        }
        | ({"applied": True} if row["status"] == "applied" else {})
        for row in found[:SHOWN]
    ]
    return ok(f"{len(found)} coupons", items=items, total=len(found))


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def apply_coupon(ctx: ToolContext, appName: str, code: str, remove: bool = False) -> dict[str, Any]:
    """Apply a coupon to an app's cart, or remove it."""
    app = find_app(ctx, appName)
    coupon = single(ctx.rows("SELECT * FROM coupons WHERE app = ? AND upper(code) = upper(?)", app, code), "coupon")
    if remove:
        if coupon["status"] != "applied":
            return ok("Coupon already off", code=coupon["code"])
        _set_coupon(ctx, app, coupon["code"], "available")
        return ok("Coupon taken off", code=coupon["code"], cartTotal=money(bill(ctx, app)["total"]))
    if coupon["status"] == "applied":
        return ok("Coupon already applied", code=coupon["code"])
    if coupon["status"] == "used":
        raise conflict("Coupon is used")
    _require_valid(ctx, coupon, bill(ctx, app)["goods"])
    ctx.execute("UPDATE coupons SET status = 'available' WHERE app = ? AND status = 'applied'", app)
    _set_coupon(ctx, app, coupon["code"], "applied")
    due = bill(ctx, app)
    return ok("Coupon applied", code=coupon["code"], discount=money(due["discount"]), cartTotal=money(due["total"]))


def _set_coupon(ctx: ToolContext, app: str, code: str, status: str) -> None:
    ctx.execute("UPDATE coupons SET status = ? WHERE app = ? AND code = ?", status, app, code)


def _require_valid(ctx: ToolContext, coupon: Row, goods: int) -> None:
    if coupon["expires"] < ctx.now.date().isoformat():
        raise conflict(f"Coupon expired on {coupon['expires']}")
    if goods < coupon["min_cents"]:
        raise conflict(f"Coupon needs goods for {money(coupon['min_cents']):.2f}")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_addresses(
    ctx: ToolContext,
    action: Literal["add", "update", "delete", "query"],
    addressName: str | None = None,
    recipient: str | None = None,
    phoneNumber: str | None = None,
    address: str | None = None,
) -> dict[str, Any]:
    """Add, change, delete or list delivery addresses."""
    known = ctx.rows("SELECT * FROM addresses ORDER BY name")
    if action == "query":
        return page(f"{len(known)} addresses", known)
    name = need(addressName, "an addressName")
    phone = None if phoneNumber is None else read_phone(phoneNumber)
    if action == "add":
        if any(row["name"].casefold() == name.casefold() for row in known):
            raise conflict(f"Address already exists: {name[:30]}")
        row = {
            "name": name,
            "recipient": need(recipient, "a recipient"),
            "phone": need(phone, "a phoneNumber"),
            "address": need(address, "an address"),
        }
        return ok("Address added", **ctx.insert("addresses", **row))
    old = find_named(known, "name", name, "Address")
    if action == "delete":
        ctx.execute("DELETE FROM addresses WHERE name = ?", old["name"])
        return ok("Address deleted", name=old["name"])
    if recipient is None and phone is None and address is None:
        raise bad("Give recipient, phoneNumber or address")
    new = {
        "recipient": recipient or old["recipient"],
        "phone": phone or old["phone"],
        "address": address or old["address"],
    }
    if all(old[key] == value for key, value in new.items()):
        return ok("Address already so", name=old["name"])
    sql = "UPDATE addresses SET recipient = ?, phone = ?, address = ? WHERE name = ?"
    ctx.execute(sql, *new.values(), old["name"])
    return ok("Address updated", name=old["name"], **new)


# --- orders ---------------------------------------------------------------------------------------------------------


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def place_order(
    ctx: ToolContext, appName: str, addressName: str, paymentMethod: str, note: str | None = None
) -> dict[str, Any]:
    """Buy and pay everything in an app's cart."""
    app = find_app(ctx, appName)
    due = bill(ctx, app)
    if not due["lines"]:
        raise conflict("Cart is empty")
    for row in due["lines"]:
        if row["stock"] < row["in_cart"]:
            left = f"Only {row['stock']} left" if row["stock"] else "Out of stock"
            raise conflict(f"{left}: {row['name'][:40]}")
    coupon = due["coupon"]
    if coupon is not None:
        _require_valid(ctx, coupon, due["goods"])
    address = find_named(ctx.rows("SELECT * FROM addresses ORDER BY name"), "name", addressName, "Address")
    wallet = find_wallet(ctx, paymentMethod)
    charge(ctx, wallet, due["total"])
    if coupon is not None:
        _set_coupon(ctx, app, coupon["code"], "used")
    ctx.execute("UPDATE shop_offers SET stock = stock - in_cart, in_cart = 0 WHERE app = ? AND in_cart > 0", app)
    today = ctx.now.date()
    order = ctx.insert(
        "shop_orders",
        id=ctx.new_id("order"),
        app=app,
        items=_write_items({row["name"]: row["in_cart"] for row in due["lines"]}),
        total_cents=due["total"],
        coupon="" if coupon is None else coupon["code"],
        address=address["name"],
        paid_with=wallet["name"],
        note=note or "",
        status="placed",
        placed_on=today.isoformat(),
        deliver_on=(today + timedelta(days=max(row["delivery_days"] for row in due["lines"]))).isoformat(),
    )
    return ok("Order placed", **_order_view(order), address=address["name"], paidWith=wallet["name"])


def _write_items(items: dict[str, int]) -> str:
    return json.dumps(items, ensure_ascii=False, sort_keys=True)


def _order_view(row: Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "app": row["app"],
        "items": [f"{name} x{count}" for name, count in json.loads(row["items"]).items()],
        "total": money(row["total_cents"]),
        "status": row["status"],
        "placedOn": row["placed_on"],
        "deliverOn": row["deliver_on"],
    }


def _orders_with(rows: list[Row], product: str) -> list[Row]:
    """The orders that hold a product with this text in its name."""
    wanted = product.casefold()
    return [row for row in rows if any(wanted in name.casefold() for name in json.loads(row["items"]))]


def _find_order(ctx: ToolContext, order_id: str | None, product: str | None) -> Row:
    require_online(ctx)
    found = ctx.rows("SELECT * FROM shop_orders ORDER BY id")
    if order_id is None and product is None:
        raise bad("Give orderId or productName")
    if order_id is not None:
        found = [row for row in found if row["id"] == order_id]
    if product is not None:
        found = _orders_with(found, product)
    return single(found, "order")


@tool(domain=NAME, effect=Effect.READ)
def query_orders(
    ctx: ToolContext,
    appName: str | None = None,
    status: Literal["placed", "shipped", "delivered", "cancelled", "refund_requested"] | None = None,
    productName: str | None = None,
) -> dict[str, Any]:
    """List orders by app, status or product, newest first."""
    require_online(ctx)
    app = None if appName is None else find_app(ctx, appName)
    sql = "SELECT * FROM shop_orders WHERE (?1 IS NULL OR app = ?1) AND (?2 IS NULL OR status = ?2)"
    found = ctx.rows(sql + " ORDER BY placed_on DESC, id DESC", app, status)
    if productName is not None:
        found = _orders_with(found, productName)
    return ok(f"{len(found)} orders", items=[_order_view(row) for row in found[:SHOWN]], total=len(found))


@tool(domain=NAME, effect=Effect.IRREVERSIBLE)
def cancel_order(ctx: ToolContext, orderId: str | None = None, productName: str | None = None) -> dict[str, Any]:
    """Cancel an order that is not shipped yet."""
    order = _find_order(ctx, orderId, productName)
    if order["status"] == "cancelled":
        return ok("Order already cancelled", id=order["id"])
    if order["status"] != "placed":
        raise conflict(f"Order is {order['status'].replace('_', ' ')}")
    ctx.execute("UPDATE shop_orders SET status = 'cancelled' WHERE id = ?", order["id"])
    for name, count in json.loads(order["items"]).items():
        ctx.execute("UPDATE shop_offers SET stock = stock + ? WHERE app = ? AND name = ?", count, order["app"], name)
    if order["coupon"]:
        _set_coupon(ctx, order["app"], order["coupon"], "available")
    add_money(ctx, order["paid_with"], order["total_cents"])
    return ok("Order cancelled", id=order["id"], refund=money(order["total_cents"]), refundedTo=order["paid_with"])


@tool(domain=NAME, effect=Effect.EXTERNAL)
def request_refund(
    ctx: ToolContext,
    reason: Literal["damaged", "wrong item", "not as described", "no longer needed"],
    orderId: str | None = None,
    productName: str | None = None,
) -> dict[str, Any]:
    """Ask the shop to refund a delivered order."""
    order = _find_order(ctx, orderId, productName)
    if order["status"] == "refund_requested":
        return ok("Refund already requested", id=order["id"])
    if order["status"] != "delivered":
        raise conflict(f"Order is {order['status']}, not delivered")
    if reason in RETURN_DAYS and order["app"] in FOOD_APPS:
        raise conflict("Food cannot be returned")
    days = RETURN_DAYS.get(reason, RETURN_DAYS_FAULTY)
    if ctx.now.date() > date.fromisoformat(order["deliver_on"]) + timedelta(days=days):
        raise conflict(f"Refund is possible within {days} days only")
    sql = "UPDATE shop_orders SET status = 'refund_requested', refund_reason = ? WHERE id = ?"
    ctx.execute(sql, reason, order["id"])
    return ok("Refund requested", id=order["id"], amount=money(order["total_cents"]))


@tool(domain=NAME, effect=Effect.READ)
def track_parcel(
    ctx: ToolContext, orderId: str | None = None, productName: str | None = None, trackingNumber: str | None = None
) -> dict[str, Any]:
    """Track a parcel by order, product or tracking number."""
    if trackingNumber is None:
        order = _find_order(ctx, orderId, productName)
    else:
        require_online(ctx)
        wanted = trackingNumber.casefold()
        found = ctx.rows("SELECT * FROM shop_orders WHERE tracking <> '' ORDER BY id")
        order = single([row for row in found if row["tracking"].casefold().endswith(wanted)], "parcel")
    if order["status"] == "cancelled":
        raise conflict("Order is cancelled")
    if not order["tracking"]:
        return ok("Not shipped yet", id=order["id"], deliverOn=order["deliver_on"])
    status = "On the way" if order["status"] == "shipped" else "Delivered"
    return ok(status, id=order["id"], tracking=order["tracking"], deliverOn=order["deliver_on"])


# --- seeds ----------------------------------------------------------------------------------------------------------


def seed_rows(rng: random.Random, world: World) -> None:
    """Four orders in every state, of different products; five coupons, one expired; three addresses."""
    offers = world.rows["shop_offers"]
    wallet = next(row["name"] for row in world.rows["payment_accounts"] if row["is_default"])
    names = rng.sample(sorted({row["name"] for row in offers if row["app"] not in FOOD_APPS}), 4)
    states = (("delivered", 45, -40), ("delivered", 9, -rng.randint(2, 5)), ("shipped", 2, 1), ("placed", 0, 2))
    for name, (status, days_ago, arrives_in) in zip(names, states, strict=True):
        offer = rng.choice([row for row in offers if row["name"] == name])
        count = rng.choice((1, 1, 2))
        tracking = "" if status == "placed" else f"{rng.choice(_CARRIERS)} {rng.randrange(10**7, 10**8)}"
        world.add(
            "shop_orders",
            id=world.new_id("order"),
            app=offer["app"],
            items=_write_items({name: count}),
            total_cents=offer["price_cents"] * count + offer["shipping_cents"],
            address=rng.choice(("Home", "Office")),
            paid_with=wallet,
            status=status,
            placed_on=_day(-days_ago),
            deliver_on=_day(arrives_in),
            tracking=tracking,
        )
    coupons = (("SAVE20", 2000, 20000), ("NEW10", 1000, 0), ("BIG100", 10000, 100000), ("MEAL5", 500, 3000))
    for (code, off, least), app in zip(coupons, (*rng.sample(SHOPS, 3), rng.choice(FOOD_APPS)), strict=True):
        world.add("coupons", app=app, code=code, off_cents=off, min_cents=least, expires=_day(rng.randint(1, 20)))
    world.add("coupons", app=rng.choice(SHOPS), code="OLD30", off_cents=3000, min_cents=0, expires=_day(-3))
    places = {row["label"]: row["address"] for row in world.rows["places"] if row["label"]}
    mom = next((row["phone"] for row in world.rows.get("contacts", []) if row["name"] == "Mom"), "5550000")
    flat = rng.randint(2, 30) * 100 + rng.randint(1, 8)
    for name, recipient, phone, address in (
        ("Home", "Me", "5550188", f"{places['Home']}, flat {flat}"),
        ("Office", "Me", "5550188", f"{places['Work']}, reception"),
        ("Parents", "Mom", mom, "7 Orchard Street"),
    ):
        world.add("addresses", name=name, recipient=recipient, phone=phone, address=address)


def _day(offset: int) -> str:
    return (WORLD_CLOCK.date() + timedelta(days=offset)).isoformat()


TOOLS = (
    query_coupons,
    apply_coupon,
    manage_addresses,
    place_order,
    query_orders,
    cancel_order,
    request_refund,
    track_parcel,
)
