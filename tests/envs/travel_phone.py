"""World 0's phone as the travel tests want it, and short readings of what a call did."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox import make_world

WORLD = make_world(0).rows
SETTINGS = {
    "airplane_mode": "off",
    "mobile_data": "on",
    "location": "on",
    "current_city": "Testville",
    "temperature_unit": "celsius",
    "weather_alerts": "off",
}
ROWS: dict[str, list[dict[str, Any]]] = {
    "weather": [
        {"city": "Testville", "date": "2025-01-15", "condition": "rain", "low_c": -5, "high_c": 10, "rain_pct": 80},
        {"city": "Testville", "date": "2025-01-16", "condition": "snow", "low_c": -8, "alert": "Heavy snow"},
        {"city": "Port Testa", "date": "2025-01-14", "condition": "storm", "alert": "Thunderstorm"},
    ],
    "places": [
        {"name": "Zoo", "address": "1 Zebra Way", "category": "zoo", "x_m": 3000, "y_m": 0},
        {"name": "Zoo Gate", "address": "2 Zebra Way", "category": "zoo", "x_m": 0, "y_m": -1000},
        {"name": "Far Inn", "address": "9 Long Road", "category": "inn", "x_m": 12000, "y_m": 6000},
    ],
    "payment_accounts": [
        {"name": "Zest Pay", "balance_cents": 100_00, "is_default": 1},
        {"name": "Zero Pay", "balance_cents": 1_00},
        {"name": "Zone Card", "kind": "metro_card", "balance_cents": 990_00},
    ],
    "trips": [
        {
            "code": "Z1", "kind": "train", "origin": "Ayton", "destination": "Beeford", "seats": 3,
            "departs": "2025-01-29T10:00:00", "arrives": "2025-01-29T12:00:00", "price_cents": 30_05,
        },
        {
            "code": "Z2", "kind": "train", "origin": "Ayton", "destination": "Beeford", "seats": 0,
            "departs": "2025-01-29T08:00:00", "arrives": "2025-01-29T10:00:00", "price_cents": 10_00,
        },
        {
            "code": "Z3", "kind": "movie", "title": "Quiet Zebras", "origin": "Zebra Hall", "seats": 9,
            "departs": "2025-01-15T20:00:00", "arrives": "2025-01-15T22:00:00", "price_cents": 9_99,
        },
        {
            "code": "Z4", "kind": "train", "origin": "Ayton", "destination": "Beeford", "seats": 9,
            "departs": "2025-01-15T08:00:00", "arrives": "2025-01-15T10:00:00", "price_cents": 9_99,
        },
    ],
}  # fmt: skip


def start(new_phone: Any, rows: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0 online, with location on, no default account but Zest Pay, and an empty calendar."""
    patch = {
        "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
        "payment_accounts": [{"name": r["name"], "is_default": 0} for r in WORLD["payment_accounts"]],
        "schedules": [{"id": r["id"], "datetime": "2025-06-01T09:00:00"} for r in WORLD["schedules"]],
        "bookings": [{"id": r["id"], "status": "cancelled"} for r in WORLD["bookings"]],
    }
    for extra in (ROWS, rows or {}):
        for table, added in extra.items():
            patch[table] = patch.get(table, []) + added
    return new_phone(patch=patch)


def offline(new_phone: Any) -> Any:
    networks = [{"ssid": r["ssid"], "connected": 0} for r in WORLD["wifi_networks"]]
    return start(new_phone, {"wifi_networks": networks}, mobile_data="off")


def message(phone: Any, tool: str, **arguments: Any) -> str:
    payload = phone.use(tool, **arguments).payload
    return payload["message"] if payload["success"] else payload["error"]
