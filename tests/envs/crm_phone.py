"""A phone for the tests of Customer Management: world 0 and three more customers with known papers."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox import make_world

CUSTOMERS = [
    {"id": "customer_801", "company": "Zenith Toys", "contact": "Uma Quist", "email": "uma@zenith.test", "value": 9000},
    {"id": "customer_802", "company": "Yonder Travel", "contact": "Uma Reyes", "stage": "proposal", "value": 5000},
    {"id": "customer_803", "company": "Zenith Books", "contact": "Xaver Quist", "stage": "negotiation"},
]
ROWS: dict[str, list[dict[str, Any]]] = {
    "crm_customers": CUSTOMERS,
    "crm_messages": [
        {"id": "entry_801", "customer_id": "customer_801", "channel": "mail", "author": "Uma Quist",
         "at": "2025-01-14T10:00:00", "text": "Our budget is 12,000 euros."},
        {"id": "entry_802", "customer_id": "customer_801", "channel": "chat", "author": "Uma Quist",
         "at": "2025-01-14T11:00:00", "text": "Please call me on January 22 at 10:30."},
        {"id": "entry_803", "customer_id": "customer_802", "channel": "call", "direction": "out", "author": "Me",
         "at": "2025-01-14T12:00:00", "text": "Wants a demo."},
    ],
    "crm_quotes": [
        {"id": "quote_801", "customer_id": "customer_802", "product": "tents", "amount": 5000, "status": "sent",
         "valid_until": "2025-02-01"},
        {"id": "quote_802", "customer_id": "customer_803", "product": "shelves", "amount": 700,
         "valid_until": "2025-01-10"},
    ],
    "crm_deals": [
        {"id": "deal_801", "customer_id": "customer_801", "title": "Spring toys", "amount": 4000},
        {"id": "deal_802", "customer_id": "customer_801", "title": "Summer toys", "amount": 6000, "status": "won"},
    ],
    "crm_follow_ups": [
        {"id": "follow_up_801", "customer_id": "customer_801", "kind": "call", "due": "2025-01-15T08:00:00"},
        {"id": "follow_up_802", "customer_id": "customer_801", "kind": "mail", "due": "2025-01-15"},
        {"id": "follow_up_803", "customer_id": "customer_802", "kind": "demo", "due": "2025-01-10", "done": 1},
    ],
}  # fmt: skip


def start(new_phone: Any, online: bool = True) -> Any:
    world = make_world(0).rows
    patch = ROWS | {
        "settings": [{"key": "mobile_data", "value": "on" if online else "off"}],
        "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world["wifi_networks"]],
    }
    return new_phone(patch=patch)
