"""Shopping: what the shop apps offer, and what a person keeps about an offer: cart, wishlist and review.

An offer is one product in one app. The person's own cart quantity, wish and review are columns of the offer.
Comparing apps is left to whoever shops: a search sees one app and no shipping fee.
"""

from __future__ import annotations

import random
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.travel_base import money, require_online
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

NAME = "Shopping"

SCHEMA = """
CREATE TABLE shop_offers (
  app TEXT, name TEXT, category TEXT NOT NULL DEFAULT '', seller TEXT NOT NULL DEFAULT '',
  price_cents INTEGER NOT NULL DEFAULT 0, shipping_cents INTEGER NOT NULL DEFAULT 0, stock INTEGER NOT NULL DEFAULT 0,
  rating REAL NOT NULL DEFAULT 0, delivery_days INTEGER NOT NULL DEFAULT 0, in_cart INTEGER NOT NULL DEFAULT 0,
  wished INTEGER NOT NULL DEFAULT 0, my_rating INTEGER NOT NULL DEFAULT 0, my_review TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (app, name)
) STRICT, WITHOUT ROWID;
"""

SHOPS = ("Amazon", "JD", "Taobao")
FOOD_APPS = ("Ele.me", "Meituan")
FOOD = "food"  # the category of dishes; they arrive the same day
_PRODUCTS = (  # name, category, usual price in cents
    ("Sony WH-1000XM5", "headphones", 229900),
    ("AirPods Pro 2", "earbuds headphones", 169900),
    ("Kindle Paperwhite", "e-reader", 106800),
    ("Anker Power Bank 10000mAh", "charger", 9900),
    ("Anker Power Bank 20000mAh", "charger", 15900),
    ("Logitech MX Master 3S", "mouse", 64900),
    ("Nike Pegasus 41", "running shoes", 79900),
    ("LEGO Flower Bouquet", "toy", 39900),
    ("Philips Sonicare Toothbrush", "health", 29900),
    ("Nescafe Gold Coffee", "coffee", 8900),
    ("Stanley Quencher Tumbler", "cup", 24900),
    ("Xiaomi Desk Lamp", "light", 16900),
)
_DISHES = (  # name, restaurant, usual price in cents
    ("Margherita Pizza", "Napoli Kitchen", 4800),
    ("Tiramisu", "Napoli Kitchen", 2800),
    ("Beef Noodles", "Golden Bowl", 2900),
    ("Pork Dumplings", "Golden Bowl", 2600),
    ("Chicken Burger", "Burger Corner", 3200),
    ("Caesar Salad", "Green Fork", 3500),
)


def find_app(ctx: ToolContext, name: str) -> str:
    """The shop app with this name; 404 for an unknown one, 409 when it is not installed or there is no network."""
    app = find_named(ctx.rows("SELECT DISTINCT app FROM shop_offers ORDER BY app"), "app", name, "Shop app")["app"]
    if ctx.one("SELECT 1 AS x FROM apps WHERE name = ?", app) is None:
        raise conflict(f"{app} is not installed")
    require_online(ctx)
    return app


def find_offer(ctx: ToolContext, app: str, product: str) -> Row:
    """The app's product with this name, or the only one that contains the text; else 404 or 409."""
    offers = ctx.rows("SELECT * FROM shop_offers WHERE app = ? ORDER BY name", app)
    return find_named(offers, "name", product, "Product")


def set_offer(ctx: ToolContext, offer: Row, column: str, value: int | str) -> None:
    """Writes one column of an offer; the column's name is the programmer's."""
    sql = f"UPDATE shop_offers SET {column} = ? WHERE app = ? AND name = ?"
    ctx.execute(sql, value, offer["app"], offer["name"])


@tool(domain=NAME, effect=Effect.READ)
def search_products(
    ctx: ToolContext,
    appName: str,
    query: str,
    maxPrice: float | None = None,
    sortBy: Literal["price", "rating"] | None = None,
) -> dict[str, Any]:
    """Search one shop or food app for products or dishes."""
    app = find_app(ctx, appName)
    if maxPrice is not None and maxPrice < 0:
        raise bad("maxPrice must not be negative")
    words = [word.removesuffix("s") for word in query.casefold().split()]
    found = [
        row
        for row in ctx.rows("SELECT * FROM shop_offers WHERE app = ? ORDER BY name", app)
        if all(word in f"{row['name']} {row['category']} {row['seller']}".casefold() for word in words)
        if maxPrice is None or row["price_cents"] <= round(maxPrice * 100)
    ]
    if sortBy == "price":
        found.sort(key=lambda row: row["price_cents"])
    elif sortBy == "rating":
        found.sort(key=lambda row: -row["rating"])
    items = [{"name": r["name"], "price": money(r["price_cents"]), "rating": r["rating"]} for r in found[:SHOWN]]
    return ok(f"{len(found)} products in {app}", items=items, total=len(found))


@tool(domain=NAME, effect=Effect.READ)
def query_product(ctx: ToolContext, appName: str, productName: str) -> dict[str, Any]:
    """Read a product's price, shipping fee, stock and delivery time."""
    row = find_offer(ctx, find_app(ctx, appName), productName)
    return ok(
        "Product",
        app=row["app"],
        name=row["name"],
        seller=row["seller"],
        price=money(row["price_cents"]),
        shipping=money(row["shipping_cents"]),
        stock=row["stock"],
        rating=row["rating"],
        deliveryDays=row["delivery_days"],
    )


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_wishlist(
    ctx: ToolContext,
    action: Literal["add", "remove", "query"],
    appName: str | None = None,
    productName: str | None = None,
) -> dict[str, Any]:
    """Add, remove or list wished products."""
    if action == "query":
        app = None if appName is None else find_app(ctx, appName)
        sql = "SELECT app, name, price_cents FROM shop_offers WHERE wished = 1 AND (?1 IS NULL OR app = ?1)"
        found = ctx.rows(sql + " ORDER BY app, name", app)
        items = [{"app": r["app"], "name": r["name"], "price": money(r["price_cents"])} for r in found[:SHOWN]]
        return ok(f"{len(found)} wishes", items=items, total=len(found))
    offer = find_offer(ctx, find_app(ctx, need(appName, "an app")), need(productName, "a product"))
    wished = int(action == "add")
    if offer["wished"] == wished:
        return ok("Already on the wishlist" if wished else "Already off the wishlist", name=offer["name"])
    set_offer(ctx, offer, "wished", wished)
    return ok("Added to the wishlist" if wished else "Removed from the wishlist", app=offer["app"], name=offer["name"])


@tool(domain=NAME, effect=Effect.EXTERNAL)
def write_review(
    ctx: ToolContext, appName: str, productName: str, rating: int, text: str | None = None
) -> dict[str, Any]:
    """Publish or change a review of a delivered product."""
    offer = find_offer(ctx, find_app(ctx, appName), productName)
    stars = in_range("rating", rating, 1, 5)
    sql = "SELECT 1 AS x FROM shop_orders, json_each(items) WHERE app = ? AND status = 'delivered' AND key = ?"
    if ctx.one(sql, offer["app"], offer["name"]) is None:
        raise conflict("Only delivered products can be reviewed")
    review = offer["my_review"] if text is None else text
    if (offer["my_rating"], offer["my_review"]) == (stars, review):
        return ok("Review already so", name=offer["name"], rating=stars)
    set_offer(ctx, offer, "my_rating", stars)
    set_offer(ctx, offer, "my_review", review)
    word = "changed" if offer["my_rating"] else "published"
    return ok(f"Review {word}", app=offer["app"], name=offer["name"], rating=stars)


# --- the cart -------------------------------------------------------------------------------------------------------


def bill(ctx: ToolContext, app: str) -> dict[str, Any]:
    """What the cart of an app costs in cents. A cart is one parcel: it costs its lines' highest shipping fee.

    Returns `lines` (offers), `goods`, `shipping`, `coupon` (the applied row or None), `discount` (0 while the goods
    are below the coupon's minimum) and `total`.
    """
    lines = ctx.rows("SELECT * FROM shop_offers WHERE app = ? AND in_cart > 0 ORDER BY name", app)
    goods = sum(row["price_cents"] * row["in_cart"] for row in lines)
    shipping = max((row["shipping_cents"] for row in lines), default=0)
    coupon = ctx.one("SELECT * FROM coupons WHERE app = ? AND status = 'applied' ORDER BY code", app)
    valid = coupon is not None and goods >= coupon["min_cents"]
    discount = min(coupon["off_cents"], goods) if coupon is not None and valid else 0
    return {
        "lines": lines,
        "goods": goods,
        "shipping": shipping,
        "coupon": coupon,
        "discount": discount,
        "total": goods + shipping - discount,
    }


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_cart(
    ctx: ToolContext,
    action: Literal["add", "update", "remove", "query"],
    appName: str,
    productName: str | None = None,
    quantity: int | None = None,
) -> dict[str, Any]:
    """Add, change or remove products in an app's cart."""
    app = find_app(ctx, appName)
    if action == "query":
        return _cart_view(ctx, app)
    offer = find_offer(ctx, app, need(productName, "a product"))
    held = offer["in_cart"]
    if action != "add" and held == 0:
        raise missing(f"Not in the cart: {offer['name'][:30]}")
    if action == "remove":
        count = 0
    elif action == "add":
        count = held + in_range("quantity", 1 if quantity is None else quantity, 1, 99)
    else:
        count = in_range("quantity", need(quantity, "a quantity"), 1, 99)
    if count > max(held, offer["stock"]):
        raise conflict(f"Only {offer['stock']} in stock" if offer["stock"] else "Out of stock")
    if action == "add":
        _refuse_second_restaurant(ctx, offer)
    if count == held:
        return ok(f"Cart already holds {count}", name=offer["name"])
    set_offer(ctx, offer, "in_cart", count)
    total = money(bill(ctx, app)["total"])
    return ok("Cart updated", app=app, name=offer["name"], quantity=count, cartTotal=total)


def _refuse_second_restaurant(ctx: ToolContext, offer: Row) -> None:
    sql = "SELECT seller FROM shop_offers WHERE app = ? AND category = ? AND in_cart > 0 AND seller <> ?"
    other = ctx.one(sql, offer["app"], FOOD, offer["seller"])
    if other is not None and offer["category"] == FOOD:
        raise conflict(f"Cart holds food from {other['seller'][:30]}")


def _cart_view(ctx: ToolContext, app: str) -> dict[str, Any]:
    due = bill(ctx, app)
    items = [
        {"name": row["name"], "quantity": row["in_cart"], "price": money(row["price_cents"])} for row in due["lines"]
    ]
    sums = {name: money(due[name]) for name in ("goods", "shipping", "discount", "total")}
    return ok(f"Cart of {app}", items=items[:SHOWN], count=len(items), **sums)


# --- seeds ----------------------------------------------------------------------------------------------------------


def seed_rows(rng: random.Random, world: World) -> None:
    """Five products in two or three shops each, three dishes in both food apps; the totals of a product all differ."""
    for index, (name, category, price) in enumerate(rng.sample(_PRODUCTS, 5)):
        shops = SHOPS if index < 3 else sorted(rng.sample(SHOPS, 2))
        prices = _prices(rng, len(shops), price, (0, 0, 600, 1200, 1800))
        sold_out = rng.choice(shops) if rng.random() < 0.3 else ""
        for app, (price_cents, shipping) in zip(shops, prices, strict=True):
            stock = 0 if app == sold_out else rng.randint(3, 60)
            _add(rng, world, app, name, category, rng.choice(("Official Store", f"{app} Direct")), stock)
            world.rows["shop_offers"][-1] |= {
                "price_cents": price_cents,
                "shipping_cents": shipping,
                "delivery_days": rng.randint(1, 6),
            }
    restaurant = rng.choice(("Napoli Kitchen", "Golden Bowl"))
    dishes = [dish for dish in _DISHES if dish[1] == restaurant]
    dishes.append(rng.choice([dish for dish in _DISHES if dish[1] != restaurant]))
    for name, seller, price in dishes:
        prices = _prices(rng, 2, price, (0, 300, 500, 800))
        for app, (price_cents, shipping) in zip(FOOD_APPS, prices, strict=True):
            _add(rng, world, app, name, FOOD, seller, rng.randint(5, 30))
            world.rows["shop_offers"][-1] |= {"price_cents": price_cents, "shipping_cents": shipping}
    wished, carted = rng.sample([row for row in world.rows["shop_offers"] if row["stock"]], 2)
    wished["wished"] = 1
    if rng.random() < 0.3:
        carted["in_cart"] = 1


def _prices(rng: random.Random, count: int, usual: int, fees: tuple[int, ...]) -> list[tuple[int, int]]:
    """(price, shipping fee) pairs around the usual price, no two with the same sum."""
    while True:
        prices = [100 * round(usual * rng.uniform(0.9, 1.12) / 100) - rng.choice((0, 10, 50)) for _ in range(count)]
        pairs = [(price, rng.choice(fees)) for price in prices]
        if len({price + fee for price, fee in pairs}) == count:
            return pairs


def _add(rng: random.Random, world: World, app: str, name: str, category: str, seller: str, stock: int) -> None:
    rating = rng.randint(39, 50) / 10
    world.add("shop_offers", app=app, name=name, category=category, seller=seller, stock=stock, rating=rating)


TOOLS = (search_products, query_product, manage_cart, manage_wishlist, write_review)
