"""World 0's phone as the shopping tests want it: shops, wallets and addresses of their own."""

from __future__ import annotations

import json
from typing import Any

from qpa.envs.sandbox import make_world

WORLD = make_world(0).rows
SHOES = "Zip Runner Shoes"


def offer(app: str, name: str, price: int, **columns: Any) -> dict[str, Any]:
    return {"app": app, "name": name, "price_cents": price, "stock": 5, "rating": 4.5} | columns


def order(number: int, items: dict[str, int], **columns: Any) -> dict[str, Any]:
    base = {"id": f"order_10{number}", "app": "Zalo Shop", "items": json.dumps(items), "total_cents": 50_00}
    return base | {"paid_with": "Zest Pay", "placed_on": "2025-01-10", "deliver_on": "2025-01-12"} | columns


ROWS: dict[str, list[dict[str, Any]]] = {
    "apps": [{"name": name} for name in ("Zalo Shop", "Zen Mart", "Zup Food")],
    "shop_offers": [
        offer("Zalo Shop", SHOES, 99_90, shipping_cents=12_00, delivery_days=3, category="running", seller="Zip"),
        offer("Zalo Shop", "Zip Socks", 9_99, shipping_cents=5_00, delivery_days=1, rating=4.9),
        offer("Zalo Shop", "Zip Cap", 20_00, stock=0),
        offer("Zen Mart", SHOES, 105_00, delivery_days=6),
        offer("Zup Food", "Zucchini Soup", 8_00, category="food", seller="Green Zebra", shipping_cents=2_00),
        offer("Zup Food", "Ziti", 9_00, category="food", seller="Pasta Zoo"),
        offer("Zed Store", SHOES, 1_00),
    ],
    "coupons": [
        {"app": "Zalo Shop", "code": "TEN", "off_cents": 10_00, "min_cents": 50_00, "expires": "2025-01-15"},
        {"app": "Zalo Shop", "code": "HUGE", "off_cents": 900_00, "expires": "2025-02-01"},
        {"app": "Zalo Shop", "code": "PAST", "off_cents": 10_00, "expires": "2025-01-14"},
        {"app": "Zalo Shop", "code": "GONE", "off_cents": 10_00, "expires": "2025-02-01", "status": "used"},
    ],
    "payment_accounts": [
        {"name": "Zest Pay", "balance_cents": 500_00, "is_default": 1},
        {"name": "Zero Pay", "balance_cents": 1_00},
    ],
    "addresses": [
        {"name": "Zoo House", "recipient": "Me", "phone": "5550001", "address": "1 Zebra Way"},
        {"name": "Zoo Office", "recipient": "Me", "phone": "5550001", "address": "2 Zebra Way"},
    ],
}


def start(new_phone: Any, rows: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0 online, with the test's own shops, wallets and addresses, and no seeded wish."""
    switches = {"airplane_mode": "off", "mobile_data": "on"} | settings
    patch = {
        "settings": [{"key": key, "value": value} for key, value in switches.items()],
        "payment_accounts": [{"name": r["name"], "is_default": 0} for r in WORLD["payment_accounts"]],
        "shop_offers": [{"app": r["app"], "name": r["name"], "wished": 0, "in_cart": 0} for r in WORLD["shop_offers"]],
    }
    for extra in (ROWS, rows or {}):
        for table, added in extra.items():
            patch[table] = patch.get(table, []) + added
    return new_phone(patch=patch)


def fill(phone: Any, name: str = SHOES, quantity: int = 1, app: str = "Zalo Shop") -> None:
    phone.data("manage_cart", action="add", appName=app, productName=name, quantity=quantity)


def buy(phone: Any, app: str = "Zalo Shop", **more: Any) -> dict[str, Any]:
    given = {"appName": app, "addressName": "Zoo House", "paymentMethod": "Zest Pay"} | more
    return phone.data("place_order", **given)


ORDERS = [
    order(1, {SHOES: 1}, status="placed"),
    order(2, {"Zip Socks": 2}, status="shipped", tracking="Zap Express 778899"),
    order(3, {"Zip Cap": 1}, status="delivered", deliver_on="2025-01-08"),  # a week ago
    order(4, {"Zip Cap": 1, "Zither": 1}, status="delivered", deliver_on="2025-01-07"),
    order(5, {"Zonk": 1}, status="delivered", deliver_on="2024-12-15"),
    order(6, {"Ziti": 1}, app="Meituan", status="delivered", deliver_on="2025-01-15"),
]
