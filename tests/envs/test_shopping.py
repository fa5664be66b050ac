"""Shopping: prices that differ by app, carts, coupons and addresses; any input and any world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from phone_rows import changed
from sandbox_phone import Phone
from shop_phone import ORDERS, SHOES, WORLD, buy, fill, offer, order, start
from travel_phone import message

from qpa.contract import Effect, ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import shopping

TOOLS = [item.spec for item in shopping.DOMAIN.tools]


def test_the_domain_has_its_tools() -> None:
    assert len(TOOLS) == 13
    assert all(len(spec.description.split()) <= 10 for spec in TOOLS)


# --- offers ---------------------------------------------------------------------------------------------------------


def test_search(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("search_products", appName="zalo shop", query="zip", sortBy="price")
    assert found == {
        "items": [
            {"name": "Zip Socks", "price": 9.99, "rating": 4.9},
            {"name": "Zip Cap", "price": 20.0, "rating": 4.5},
            {"name": SHOES, "price": 99.9, "rating": 4.5},
        ],
        "total": 3,
    }
    best = phone.data("search_products", appName="Zalo Shop", query="zip", sortBy="rating", maxPrice=20)["items"]
    assert [item["name"] for item in best] == ["Zip Socks", "Zip Cap"]
    assert phone.data("search_products", appName="Zalo Shop", query="running shoe")["total"] == 1
    assert phone.data("search_products", appName="Zalo Shop", query="piano")["items"] == []
    assert phone.code("search_products", appName="Nowhere", query="x") == 404
    assert phone.code("search_products", appName="Zed Store", query="x") == 409  # not installed
    assert phone.code("search_products", appName="Zalo Shop", query="x", maxPrice=-1) == 400
    networks = [{"ssid": r["ssid"], "connected": 0} for r in WORLD["wifi_networks"]]
    offline = start(new_phone, {"wifi_networks": networks}, mobile_data="off")
    assert offline.code("search_products", appName="Zalo Shop", query="x") == 409


def test_a_product_tells_what_a_search_does_not(new_phone: Any) -> None:
    phone = start(new_phone)
    assert phone.data("query_product", appName="zalo", productName="runner") == {
        "app": "Zalo Shop", "name": SHOES, "seller": "Zip", "price": 99.9, "shipping": 12.0, "stock": 5, "rating": 4.5,
        "deliveryDays": 3,
    }  # fmt: skip
    assert phone.code("query_product", appName="Zalo Shop", productName="Piano") == 404
    twin = phone.use("query_product", appName="Zalo Shop", productName="zip")
    assert twin.code == 409 and "Zip Cap" in twin.payload["error"]


def test_comparing_three_apps_ends_in_the_cheapest_order(new_phone: Any) -> None:
    third = {"apps": [{"name": "Zed Store"}], "shop_offers": [offer("Zed Store", SHOES, 95_00, stock=0)]}
    phone = start(new_phone, third)
    seen = [
        phone.data("query_product", appName=app, productName=SHOES) for app in ("Zalo Shop", "Zen Mart", "Zed Store")
    ]
    cheapest = min((row for row in seen if row["stock"]), key=lambda row: row["price"] + row["shipping"])
    assert cheapest["app"] == "Zen Mart"  # dearer than both others, but for shipping and stock
    fill(phone, app="Zen Mart")
    assert buy(phone, "Zen Mart")["total"] == 105.0


def test_wishlist(new_phone: Any) -> None:
    phone = start(new_phone)
    phone.data("manage_wishlist", action="add", appName="Zen Mart", productName="runner")
    assert changed(phone) == {("shop_offers", "Zen Mart", SHOES): {"wished": 1}}
    again = {"appName": "Zen Mart", "productName": SHOES}
    assert message(phone, "manage_wishlist", action="add", **again) == "Already on the wishlist"
    assert phone.data("manage_wishlist", action="query") == {
        "items": [{"app": "Zen Mart", "name": SHOES, "price": 105.0}], "total": 1,
    }  # fmt: skip
    assert phone.data("manage_wishlist", action="query", appName="Zalo Shop")["total"] == 0
    phone.data("manage_wishlist", action="remove", **again)
    assert message(phone, "manage_wishlist", action="remove", **again) == "Already off the wishlist"
    assert phone.changes() == []
    assert phone.code("manage_wishlist", action="add", productName=SHOES) == 400
    assert phone.code("manage_wishlist", action="add", appName="Zen Mart", productName="Zip Cap") == 404


def test_reviews_need_a_delivery(new_phone: Any) -> None:
    orders = [order(1, {SHOES: 1}, status="delivered"), order(2, {"Zip Socks": 1}, status="shipped")]
    phone = start(new_phone, {"shop_orders": orders})
    shoes = {"appName": "Zalo Shop", "productName": SHOES}
    phone.data("write_review", **shoes, rating=5, text="Light")
    key = ("shop_offers", "Zalo Shop", SHOES)
    assert changed(phone) == {key: {"my_rating": 5, "my_review": "Light"}}
    assert message(phone, "write_review", **shoes, rating=5) == "Review already so"
    assert message(phone, "write_review", **shoes, rating=4) == "Review changed"
    assert changed(phone) == {key: {"my_rating": 4, "my_review": "Light"}}
    assert phone.code("write_review", **shoes, rating=6) == 400
    assert phone.code("write_review", appName="Zalo Shop", productName="Zip Socks", rating=5) == 409
    assert phone.code("write_review", appName="Zen Mart", productName=SHOES, rating=5) == 409  # bought elsewhere


# --- cart and coupons -----------------------------------------------------------------------------------------------


def test_cart(new_phone: Any) -> None:
    phone = start(new_phone)
    made = phone.data("manage_cart", action="add", appName="Zalo Shop", productName=SHOES)
    assert made == {"app": "Zalo Shop", "name": SHOES, "quantity": 1, "cartTotal": 111.9}
    fill(phone, "Zip Socks", 2)
    assert changed(phone) == {
        ("shop_offers", "Zalo Shop", SHOES): {"in_cart": 1},
        ("shop_offers", "Zalo Shop", "Zip Socks"): {"in_cart": 2},
    }
    cart = phone.data("manage_cart", action="query", appName="Zalo Shop")
    assert cart == {
        "items": [{"name": SHOES, "quantity": 1, "price": 99.9}, {"name": "Zip Socks", "quantity": 2, "price": 9.99}],
        "count": 2, "goods": 119.88, "shipping": 12.0, "discount": 0.0, "total": 131.88,
    }  # fmt: skip
    fill(phone, "Zip Socks", 1)  # adds to the two
    socks = {"appName": "Zalo Shop", "productName": "Zip Socks"}
    assert message(phone, "manage_cart", action="update", **socks, quantity=3) == "Cart already holds 3"
    assert message(phone, "manage_cart", action="update", **socks, quantity=6) == "Only 5 in stock"
    assert phone.code("manage_cart", action="add", **socks, quantity=3) == 409
    assert phone.code("manage_cart", action="update", **socks) == 400
    assert phone.code("manage_cart", action="update", **socks, quantity=0) == 400
    phone.data("manage_cart", action="remove", **socks)
    assert phone.code("manage_cart", action="remove", **socks) == 404
    phone.data("manage_cart", action="remove", appName="Zalo Shop", productName=SHOES)
    assert phone.changes() == []
    assert message(phone, "manage_cart", action="add", appName="Zalo Shop", productName="Zip Cap") == "Out of stock"
    assert phone.code("manage_cart", action="add", appName="Zalo Shop") == 400


def test_one_restaurant_a_cart(new_phone: Any) -> None:
    phone = start(new_phone)
    fill(phone, "Ziti", app="Zup Food")
    refused = phone.use("manage_cart", action="add", appName="Zup Food", productName="Soup")
    assert refused.code == 409 and "Pasta Zoo" in refused.payload["error"]
    assert buy(phone, "Zup Food", note="No cheese")["deliverOn"] == "2025-01-15"
    fill(phone, "Soup", app="Zup Food")


def test_coupons(new_phone: Any) -> None:
    phone = start(new_phone)
    codes = {item["code"]: item for item in phone.data("query_coupons", appName="Zalo Shop")["items"]}
    assert set(codes) == {"HUGE", "PAST", "TEN"}
    assert codes["TEN"] == {"code": "TEN", "off": 10.0, "minimum": 50.0, "expires": "2025-01-15"}
    assert message(phone, "apply_coupon", appName="Zalo Shop", code="TEN") == "Coupon needs goods for 50.00"
    fill(phone)
    made = phone.data("apply_coupon", appName="Zalo Shop", code="ten")
    assert made == {"code": "TEN", "discount": 10.0, "cartTotal": 101.9}
    assert message(phone, "apply_coupon", appName="Zalo Shop", code="TEN") == "Coupon already applied"
    assert phone.code("apply_coupon", appName="Zalo Shop", code="PAST") == 409
    assert phone.code("apply_coupon", appName="Zalo Shop", code="GONE") == 409
    assert phone.code("apply_coupon", appName="Zen Mart", code="TEN") == 404
    huge = phone.data("apply_coupon", appName="Zalo Shop", code="HUGE")  # takes the place of the other
    assert huge == {"code": "HUGE", "discount": 99.9, "cartTotal": 12.0}  # goods are free, shipping is not
    assert changed(phone)[("coupons", "Zalo Shop", "HUGE")] == {"status": "applied"} and len(changed(phone)) == 2
    phone.data("apply_coupon", appName="Zalo Shop", code="HUGE", remove=True)
    assert message(phone, "apply_coupon", appName="Zalo Shop", code="HUGE", remove=True) == "Coupon already off"
    assert {key[0] for key in changed(phone)} == {"shop_offers"}


def test_a_cart_that_shrank_below_its_coupon(new_phone: Any) -> None:
    phone = start(new_phone)
    fill(phone)
    phone.data("apply_coupon", appName="Zalo Shop", code="TEN")
    fill(phone, "Zip Socks")
    phone.data("manage_cart", action="remove", appName="Zalo Shop", productName=SHOES)
    assert phone.data("manage_cart", action="query", appName="Zalo Shop")["discount"] == 0.0
    order = {"appName": "Zalo Shop", "addressName": "Zoo House", "paymentMethod": "Zest Pay"}
    assert phone.code("place_order", **order) == 409
    phone.data("apply_coupon", appName="Zalo Shop", code="TEN", remove=True)
    assert buy(phone)["total"] == 14.99


def test_addresses(new_phone: Any) -> None:
    phone = start(new_phone)
    new = {"addressName": "Zinnia", "recipient": "Zoe", "phoneNumber": "555-0042", "address": "3 Zebra Way"}
    phone.data("manage_addresses", action="add", **new)
    row = {"name": "Zinnia", "recipient": "Zoe", "phone": "5550042", "address": "3 Zebra Way"}
    assert changed(phone) == {("addresses", "Zinnia"): row}
    assert phone.code("manage_addresses", action="add", **(new | {"addressName": "zinnia"})) == 409
    assert phone.code("manage_addresses", action="add", addressName="Zed", recipient="Zoe") == 400
    assert phone.code("manage_addresses", action="add", **(new | {"addressName": "Zed", "phoneNumber": "call"})) == 400
    phone.data("manage_addresses", action="update", addressName="zinnia", recipient="Zed")
    assert changed(phone)[("addresses", "Zinnia")]["recipient"] == "Zed"
    assert message(phone, "manage_addresses", action="update", addressName="Zinnia", recipient="Zed") == (
        "Address already so"
    )
    assert phone.code("manage_addresses", action="update", addressName="Zinnia") == 400
    assert phone.code("manage_addresses", action="delete", addressName="zoo") == 409
    assert phone.code("manage_addresses", action="delete", addressName="Mars") == 404
    phone.data("manage_addresses", action="delete", addressName="Zinnia")
    assert phone.changes() == []
    assert phone.data("manage_addresses", action="query")["total"] == 5


# --- any input, any world -------------------------------------------------------------------------------------------

_TEXTS = ("x", "🙂" * 300, "'; DROP TABLE coupons; --", "%", "-1", "Zalo Shop", "TEN", SHOES, "555-0001", "名字")
_VALUES: dict[str, tuple[Any, ...]] = {
    "string": _TEXTS,
    "integer": (-(10**9), 0, 1, 10**9),
    "number": (-1.0, 0.001, 1e9),
    "boolean": (True, False),
}


@pytest.fixture(scope="module")
def worn_phone() -> Phone:
    """One phone for all hostile calls: what the last ones left is hostile to the next."""
    return start(Phone, {"shop_orders": ORDERS})


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
@pytest.mark.parametrize("app", ["Zalo Shop", "%"])
def test_hostile_input(worn_phone: Phone, app: str, spec: Any) -> None:
    properties = spec.parameters["properties"]
    for index in range(2 * len(_TEXTS)):
        call = {}
        for place, (name, schema) in enumerate(properties.items()):
            values = schema.get("enum") or _VALUES[schema["type"]]
            call[name] = app if name == "appName" else values[(index + place) % len(values)]
        before = worn_phone.changes()
        feedback = worn_phone.use(spec.name, **call)
        assert feedback.error_type is not ErrorType.INTERNAL, (call, feedback.payload)
        if not feedback.ok or spec.effect is Effect.READ or call.get("action") == "query":
            assert worn_phone.changes() == before


@pytest.mark.parametrize("seed", range(12))
def test_seeded_worlds(seed: int) -> None:
    rows = make_world(seed).rows
    offers = rows["shop_offers"]
    by_product: dict[str, list[dict[str, Any]]] = {}
    for row in offers:
        by_product.setdefault(row["name"], []).append(row)
    shops = {name: {r["app"] for r in some} for name, some in by_product.items() if some[0]["category"] != "food"}
    assert sum(len(apps) == 3 for apps in shops.values()) == 3 and len(shops) == 5
    for some in by_product.values():
        assert len({r["price_cents"] + r["shipping_cents"] for r in some}) == len(some) > 1
        assert any(r["stock"] for r in some) and all(r["price_cents"] > 0 for r in some)
    installed = {r["name"] for r in rows["apps"]}
    assert {r["app"] for r in offers} <= installed
    wallets = {r["name"] for r in rows["payment_accounts"]}
    places = {r["name"] for r in rows["addresses"]}
    bought = [next(iter(json.loads(r["items"]))) for r in rows["shop_orders"]]
    assert len(set(bought)) == 4
    for row, name in zip(rows["shop_orders"], bought, strict=True):
        assert row["paid_with"] in wallets and row["address"] in places
        assert row["app"] in {r["app"] for r in by_product[name]}
        assert bool(row["tracking"]) == (row["status"] in ("shipped", "delivered"))
    assert sum(r["expires"] < "2025-01-15" for r in rows["coupons"]) == 1
    assert sum(r["in_cart"] for r in offers) <= 1 and sum(r["wished"] for r in offers) == 1


def test_seeds_differ_and_names_are_unambiguous(new_phone: Any) -> None:
    for table in ("shop_offers", "shop_orders", "coupons", "addresses"):
        assert make_world(3).rows[table] == make_world(3).rows[table] != make_world(4).rows[table]
    phone = start(new_phone)
    for row in WORLD["shop_offers"]:
        assert phone.data("query_product", appName=row["app"], productName=row["name"])["name"] == row["name"]
