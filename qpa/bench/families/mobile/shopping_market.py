"""Shopping: one product in several apps, and the plan that compares them and orders in the right one.

The app with the lowest list price is never the right one: shipping, a coupon, stock or delivery time turn the scale.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from qpa.bench.families.base import Draft, Plan, ask, do, done
from qpa.bench.families.mobile.errands import default_wallet, price
from qpa.bench.families.mobile.shopping import ADDRESSES, Row, calm, day, offer, product
from qpa.bench.families.mobile.shopping_orders import purse
from qpa.bench.families.values import Draw
from qpa.contract import Feedback, Reply
from qpa.envs.sandbox.schema import World


@dataclass(frozen=True)
class Comparison:
    """What is compared, by what, and where it goes."""

    apps: tuple[str, ...]
    name: str
    address: str
    wallet: str
    by: Literal["total", "days"] = "total"
    budget: int | None = None  # cents
    confirm: bool = False  # ask before ordering
    new_address: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Choice:
    """The app chosen from what the tools said."""

    app: str
    coupon: str
    cents: int
    days: int


def _choose(wish: Comparison, offers: list[Feedback], coupons: list[Feedback]) -> Choice:
    """The best app with stock: by the total, then by delivery time, or the other way round."""
    found = []
    for about, vouchers in zip(offers, coupons, strict=True):
        data = about.payload["data"]
        goods, shipping = round(100 * data["price"]), round(100 * data["shipping"])
        usable = [c for c in vouchers.payload["data"]["items"] if round(100 * c["minimum"]) <= goods]
        nothing: dict[str, Any] = {"code": "", "off": 0.0}
        best = max(usable, key=lambda c: c["off"], default=nothing)
        total = goods + shipping - round(100 * best["off"])
        if data["stock"]:
            found.append(Choice(data["app"], best["code"], total, data["deliveryDays"]))
    return min(found, key=lambda c: (c.days, c.cents) if wish.by == "days" else (c.cents, c.days))


def plan_of(wish: Comparison, rng: Draw) -> Callable[[], Plan]:
    """Looks everything up, chooses by what came back, and orders or asks."""
    name, apps = wish.name, wish.apps

    def plan() -> Plan:
        yield [do("search_products", appName=app, query=name) for app in apps]
        offers = yield [do("query_product", appName=app, productName=name) for app in apps]
        coupons = yield [do("query_coupons", appName=app) for app in apps]
        best = _choose(wish, offers, coupons)
        if wish.confirm:
            text = f"{best.app} is best: {price(best.cents)} in all. Shall I order?"
            return ask(rng.say(text, f"{best.app}最划算，一共{price(best.cents)}元，要下单吗？"))
        if wish.budget is not None and best.cents > wish.budget:
            text = f"Even {best.app} takes {price(best.cents)}, over your budget. Order anyway?"
            return ask(rng.say(text, f"最低是{best.app}的{price(best.cents)}元，超预算了，还要买吗？"))
        yield [do("manage_cart", action="add", appName=best.app, productName=name)]
        if best.coupon:
            yield [do("apply_coupon", appName=best.app, code=best.coupon)]
        if wish.new_address:
            yield [do("manage_addresses", action="add", addressName=wish.address, **wish.new_address)]
        yield [do("place_order", appName=best.app, addressName=wish.address, paymentMethod=wish.wallet)]
        return _ordered(best, rng)

    return plan


def _ordered(best: Choice, rng: Draw) -> Reply:
    text = f"Ordered at {best.app} for {price(best.cents)}, delivery time {best.days} d."
    return done(rng.say(text, f"已在{best.app}下单，{price(best.cents)}元，{best.days}天送达。"))


# --- the shops ------------------------------------------------------------------------------------------------------


@dataclass
class Market:
    """Offers of one product in the apps, the right app first, and the coupons."""

    name: str
    offers: list[Row]
    coupons: list[Row] = field(default_factory=list)

    @property
    def right(self) -> str:
        """The app to order in."""
        return self.offers[0]["app"]

    def total(self) -> int:
        """What the right app takes in the end, in cents."""
        row = self.offers[0]
        off = sum(c["off_cents"] for c in self.coupons if c["app"] == row["app"])
        return row["price_cents"] + row["shipping_cents"] - off


def make_market(rng: Draw, apps: tuple[str, ...]) -> Market:
    """The right app has the highest list price but costs least: no shipping fee, or a coupon. Another app's coupon
    needs a larger order."""
    name, category, cents = product(rng)
    order = rng.sample(apps, len(apps))
    gap, fees = 100 * rng.randint(4, 9), [100 * rng.randint(12, 25) for _ in apps]
    rows = [
        offer(app, name, cents - 10 * rng.randint(0, 30), category=category, shipping_cents=fee, delivery_days=days)
        for app, fee, days in zip(order, fees, rng.sample(range(2, 8), len(apps)), strict=True)
    ]
    market = Market(name, rows)
    rows[0]["price_cents"] = cents + gap
    if rng.random() < 0.5:
        rows[0]["shipping_cents"] = 0
        rows[0]["price_cents"] -= gap - 100 * rng.randint(1, 3)
    else:
        market.coupons.append(_voucher(order[0], f"SHOP{rng.randint(10, 99)}", 100 * rng.randint(45, 50), cents // 2))
    market.coupons.append(_voucher(order[1], f"MORE{rng.randint(10, 99)}", 9000, 3 * cents))
    return market


def _voucher(app: str, code: str, off: int, least: int) -> Row:
    return {"app": app, "code": code, "off_cents": off, "min_cents": least, "expires": day(6)}


def comparison_draft(
    rng: Draw,
    world: World,
    market: Market,
    wish: Comparison,
    english: tuple[str, ...],
    chinese: tuple[str, ...],
    **slots: Any,
) -> Draft:
    """The draft of a comparison whose wording has the slots apps, name, address, wallet and `slots`."""
    every = ", ".join(wish.apps[:-1]) + f" and {wish.apps[-1]}"
    about = {"name": wish.name, "address": wish.address, "wallet": wish.wallet}
    return Draft(
        phrasings=english,
        chinese=chinese,
        slots={**about, **slots, "apps": rng.say(every, "、".join(wish.apps[:-1]) + f"和{wish.apps[-1]}")},
        plan=plan_of(wish, rng),
        patch=calm(
            world,
            shop_offers=market.offers,
            coupons=market.coupons,
            payment_accounts=purse(world),
        ),
        shown=("manage_cart", "place_order"),
    )


def comparison(rng: Draw, world: World, market: Market, apps: tuple[str, ...], **more: Any) -> Comparison:
    """A comparison to a saved address, paid by the default wallet."""
    return Comparison(apps, market.name, rng.choice(ADDRESSES), default_wallet(world), **more)
