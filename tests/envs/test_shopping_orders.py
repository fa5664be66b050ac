"""Shopping, second half: orders from payment to refund."""

from __future__ import annotations

from typing import Any

from phone_rows import changed
from shop_phone import ORDERS, SHOES, buy, fill, offer, start
from travel_phone import message


def test_placing_and_cancelling_an_order(new_phone: Any) -> None:
    phone = start(new_phone)
    fill(phone, quantity=2)
    fill(phone, "Zip Socks")
    phone.data("apply_coupon", appName="Zalo Shop", code="TEN")
    made = buy(phone, note="Ring twice")
    assert made == {
        "id": "order_005", "app": "Zalo Shop", "items": [f"{SHOES} x2", "Zip Socks x1"], "total": 211.79,
        "status": "placed", "placedOn": "2025-01-15", "deliverOn": "2025-01-18", "address": "Zoo House",
        "paidWith": "Zest Pay",
    }  # fmt: skip
    row = {
        "id": "order_005", "app": "Zalo Shop", "items": f'{{"{SHOES}": 2, "Zip Socks": 1}}', "total_cents": 211_79,
        "coupon": "TEN", "address": "Zoo House", "paid_with": "Zest Pay", "note": "Ring twice", "status": "placed",
        "placed_on": "2025-01-15", "deliver_on": "2025-01-18", "tracking": "", "refund_reason": "",
    }  # fmt: skip
    assert changed(phone) == {
        ("shop_orders", "order_005"): row,
        ("shop_offers", "Zalo Shop", SHOES): {"stock": 3},
        ("shop_offers", "Zalo Shop", "Zip Socks"): {"stock": 4},
        ("coupons", "Zalo Shop", "TEN"): {"status": "used"},
        ("payment_accounts", "Zest Pay"): {"balance_cents": 288_21},
    }
    back = phone.data("cancel_order", orderId="order_005")
    assert back == {"id": "order_005", "refund": 211.79, "refundedTo": "Zest Pay"}
    assert changed(phone) == {("shop_orders", "order_005"): row | {"status": "cancelled"}}
    assert message(phone, "cancel_order", orderId="order_005") == "Order already cancelled"
    assert phone.code("track_parcel", orderId="order_005") == 409


def test_orders_that_cannot_be_placed(new_phone: Any) -> None:
    phone = start(new_phone, {"shop_offers": [offer("Zen Mart", SHOES, 105_00, stock=1, in_cart=2)]})
    order = {"appName": "Zalo Shop", "addressName": "Zoo House", "paymentMethod": "Zest Pay"}
    assert message(phone, "place_order", **order) == "Cart is empty"
    assert message(phone, "place_order", **(order | {"appName": "Zen Mart"})) == f"Only 1 left: {SHOES}"
    fill(phone)
    for wrong, code in (
        ({"paymentMethod": "Zero Pay"}, 409),  # 1.00 in it
        ({"paymentMethod": "Gold"}, 404),
        ({"addressName": "zoo"}, 409),  # two
        ({"addressName": "Mars"}, 404),
    ):
        assert phone.code("place_order", **(order | wrong)) == code
    assert phone.code("place_order", appName="Zalo Shop", addressName="Zoo House") == 400
    assert phone.use("place_order", **(order | {"paymentMethod": "zero"})).payload["error"] == (
        "Zero Pay has 1.00, needs 111.90"
    )


def test_finding_orders(new_phone: Any) -> None:
    phone = start(new_phone, {"shop_orders": ORDERS})
    found = phone.data("query_orders", appName="Zalo Shop", status="delivered")
    assert [item["id"] for item in found["items"]] == ["order_105", "order_104", "order_103"]
    assert phone.data("query_orders", productName="zither")["items"][0]["items"] == ["Zip Cap x1", "Zither x1"]
    assert phone.data("query_orders", productName="piano")["total"] == 0
    everything = phone.data("query_orders")
    assert len(everything["items"]) == 5 and everything["total"] == 10
    assert phone.code("query_orders", appName="Nowhere") == 404
    assert phone.code("query_orders", status="lost") == 400


def test_cancelling_is_over_once_it_is_shipped(new_phone: Any) -> None:
    phone = start(new_phone, {"shop_orders": ORDERS})
    assert phone.code("cancel_order") == 400
    assert phone.code("cancel_order", orderId="order_999") == 404
    assert message(phone, "cancel_order", productName="socks") == "Order is shipped"
    assert phone.use("cancel_order", productName="zip cap").payload["error"] == "2 orders match: order_103, order_104"
    phone.data("cancel_order", productName="runner")
    assert changed(phone) == {
        ("shop_orders", "order_101"): {"status": "cancelled"},
        ("shop_offers", "Zalo Shop", SHOES): {"stock": 6},
        ("payment_accounts", "Zest Pay"): {"balance_cents": 550_00},
    }


def test_refunds(new_phone: Any) -> None:
    phone = start(new_phone, {"shop_orders": ORDERS})
    phone.data("request_refund", orderId="order_103", reason="no longer needed")
    assert changed(phone) == {
        ("shop_orders", "order_103"): {"status": "refund_requested", "refund_reason": "no longer needed"}
    }
    again = message(phone, "request_refund", orderId="order_103", reason="damaged")
    assert again == "Refund already requested"
    assert phone.code("request_refund", orderId="order_104", reason="no longer needed") == 409  # a day late
    assert phone.use("request_refund", productName="zither", reason="damaged").ok
    assert phone.code("request_refund", orderId="order_105", reason="damaged") == 409  # 31 days
    assert phone.code("request_refund", orderId="order_102", reason="damaged") == 409
    assert phone.code("request_refund", orderId="order_106", reason="no longer needed") == 409  # food
    assert phone.use("request_refund", orderId="order_106", reason="wrong item").ok
    assert phone.code("request_refund", orderId="order_103", reason="bored") == 400
    assert phone.code("request_refund", reason="damaged") == 400


def test_tracking(new_phone: Any) -> None:
    phone = start(new_phone, {"shop_orders": ORDERS})
    way = {"id": "order_102", "tracking": "Zap Express 778899", "deliverOn": "2025-01-12"}
    assert phone.data("track_parcel", productName="socks") == way
    assert phone.data("track_parcel", trackingNumber="778899") == way
    assert message(phone, "track_parcel", orderId="order_101") == "Not shipped yet"
    assert phone.code("track_parcel", trackingNumber="000000") == 404
    assert phone.code("track_parcel") == 400
    assert phone.changes() == []
