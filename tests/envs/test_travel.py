"""Travel & Lifestyle: what is asked of a city, a map, a line, a wallet, a ticket and a body, and what is refused."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from sandbox_phone import Phone

from qpa.contract import Effect, ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import travel
from qpa.envs.sandbox.domains.travel_health import FOODS
from qpa.envs.sandbox.domains.travel_transit import LINES

WORLD = make_world(0).rows
TOOLS = [item.spec for item in travel.DOMAIN.tools]
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


def changed(phone: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(c.table, *c.key.values()): c.new for c in phone.changes()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    payload = phone.use(tool, **arguments).payload
    return payload["message"] if payload["success"] else payload["error"]


def test_the_domain_has_its_tools() -> None:
    assert len(TOOLS) == 21
    assert all(len(spec.description.split()) <= 10 for spec in TOOLS)


# --- weather --------------------------------------------------------------------------------------------------------


def test_weather(new_phone: Any) -> None:
    phone = start(new_phone)
    today = {"date": "2025-01-15", "condition": "rain", "low": -5, "high": 10, "rainPercent": 80}
    assert phone.data("query_weather") == {"city": "Testville", "unit": "celsius", "items": [today], "total": 1}
    both = phone.data("query_weather", city="testville", date="today", days=5)
    assert [item["condition"] for item in both["items"]] == ["rain", "snow"]
    assert phone.code("query_weather", city="Atlantis") == 404
    assert phone.code("query_weather", city="test") == 409  # two cities
    assert phone.code("query_weather", date="2025-02-20") == 404
    assert phone.code("query_weather", days=6) == 400
    assert phone.code("query_weather", date="whenever") == 400
    assert offline(new_phone).code("query_weather") == 409


def test_weather_here_needs_location(new_phone: Any) -> None:
    phone = start(new_phone, location="off")
    assert phone.code("query_weather") == 409
    assert phone.data("query_weather", city="Testville")["total"] == 1


def test_temperature_unit(new_phone: Any) -> None:
    phone = start(new_phone)
    phone.data("set_temperature_unit", unit="fahrenheit")
    assert changed(phone) == {("settings", "temperature_unit"): {"value": "fahrenheit"}}
    item = phone.data("query_weather")["items"][0]
    assert (item["low"], item["high"]) == (23, 50)
    assert message(phone, "set_temperature_unit", unit="fahrenheit") == "Temperature unit already fahrenheit"
    assert phone.code("set_temperature_unit", unit="kelvin") == 400


def test_weather_warnings(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("manage_weather_alerts", action="query", city="Testville")
    assert found["items"] == [{"city": "Testville", "date": "2025-01-16", "alert": "Heavy snow"}]
    assert phone.data("manage_weather_alerts", action="query", city="Port Testa")["total"] == 0  # it was yesterday
    assert message(phone, "manage_weather_alerts", action="disable") == "Weather warnings already off"
    phone.data("manage_weather_alerts", action="enable")
    assert changed(phone) == {("settings", "weather_alerts"): {"value": "on"}}
    assert message(phone, "manage_weather_alerts", action="enable") == "Weather warnings already on"
    assert phone.code("manage_weather_alerts", action="query", city="Atlantis") == 404


# --- maps -----------------------------------------------------------------------------------------------------------


def test_routes(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("query_route", destination="zoo")  # exact before "Zoo Gate"
    assert found["items"] == [
        {"mode": "drive", "minutes": 6, "km": 3.0},
        {"mode": "transit", "minutes": 16, "km": 3.0},
        {"mode": "walk", "minutes": 38, "km": 3.0},
        {"mode": "cycle", "minutes": 12, "km": 3.0},
    ]
    drive = {"mode": "drive", "km": 18.0}
    assert phone.data("query_route", destination="Far Inn", mode="drive")["items"] == [
        drive | {"minutes": 20, "toll": 9.0}
    ]
    free = phone.data("query_route", destination="Far Inn", mode="drive", avoidTolls=True)
    assert free["items"] == [drive | {"minutes": 30}]
    assert phone.data("query_route", destination="2 Zebra Way", origin="Zoo", mode="walk")["items"][0]["km"] == 4.0
    assert phone.code("query_route", destination="Atlantis") == 404
    assert phone.use("query_route", destination="zo").payload["error"] == "Several match: Zoo, Zoo Gate"
    away = start(new_phone, location="off")
    assert away.code("query_route", destination="Zoo") == 409
    assert away.data("query_route", destination="Zoo", origin="Zoo Gate", mode="walk")["total"] == 1


def test_navigation(new_phone: Any) -> None:
    phone = start(new_phone)
    assert message(phone, "control_navigation", action="stop") == "Navigation already stopped"
    assert phone.code("control_navigation", action="update", mode="walk") == 409
    begun = phone.data("control_navigation", action="start", destination="Far Inn", waypoints=["Zoo"], avoidTolls=True)
    assert begun == {
        "destination": "Far Inn", "mode": "drive", "minutes": 30, "km": 18.0, "arrives": "09:30", "waypoints": ["Zoo"],
    }  # fmt: skip
    route = {
        ("settings", "nav_destination"): {"value": "Far Inn"},
        ("settings", "nav_mode"): {"value": "drive"},
        ("settings", "nav_waypoints"): {"value": "Zoo"},
        ("settings", "nav_avoid_tolls"): {"value": "on"},
    }
    assert changed(phone) == route
    again = {"destination": "far inn", "waypoints": ["Zoo"], "avoidTolls": True}
    assert message(phone, "control_navigation", action="start", **again) == "Navigation already running"
    assert phone.code("control_navigation", action="start", destination="Zoo Gate") == 409
    assert phone.code("control_navigation", action="update") == 400
    assert phone.code("control_navigation", action="update", destination="Zoo") == 400  # it is a waypoint
    assert phone.code("control_navigation", action="update", mode="transit") == 400  # has waypoints
    phone.data("control_navigation", action="update", mode="cycle", waypoints=["Zoo Gate", "Zoo"])
    assert changed(phone) == {
        ("settings", "nav_destination"): {"value": "Far Inn"},
        ("settings", "nav_mode"): {"value": "cycle"},
        ("settings", "nav_waypoints"): {"value": "Zoo Gate; Zoo"},
    }
    assert phone.data("control_navigation", action="query")["waypoints"] == ["Zoo Gate", "Zoo"]
    phone.data("control_navigation", action="stop")
    assert phone.changes() == []


def test_navigation_refusals(new_phone: Any) -> None:
    phone = start(new_phone)
    assert phone.code("control_navigation", action="start") == 400
    assert phone.code("control_navigation", action="start", destination="Zoo", mode="walk", avoidTolls=True) == 400
    assert phone.code("control_navigation", action="start", destination="Zoo", waypoints=["Zoo"]) == 400
    assert phone.code("control_navigation", action="start", destination="Zoo", waypoints=["Zoo Gate"] * 6) == 400
    assert phone.code("control_navigation", action="start", destination="Zoo", waypoints=["Atlantis"]) == 404
    assert start(new_phone, location="off").code("control_navigation", action="start", destination="Zoo") == 409
    assert offline(new_phone).code("control_navigation", action="start", destination="Zoo") == 409
    denied = new_phone(denied_permissions=["ACCESS_FINE_LOCATION"])
    assert denied.code("control_navigation", action="start", destination="Zoo") == 403


def test_sharing_the_arrival_time(new_phone: Any) -> None:
    mom = next(r["id"] for r in WORLD["contacts"] if r["name"] == "Mom")
    friend = {"id": "contact_101", "name": "Zoe Quill", "phone": "5559001"}
    phone = start(new_phone, {"contacts": [friend]})
    assert phone.code("share_eta", action="start", contact="Mom") == 409
    phone.data("control_navigation", action="start", destination="Zoo")
    assert phone.code("share_eta", action="start") == 400
    assert phone.code("share_eta", action="start", contact="Nobody") == 404
    phone.data("share_eta", action="start", contact="Mom")
    phone.data("share_eta", action="start", contact="Zoe")
    key = ("settings", "nav_shared_with")
    assert changed(phone)[key] == {"value": f"{mom}; contact_101"}
    assert message(phone, "share_eta", action="start", contact="Mom") == "Sharing already on"
    phone.data("share_eta", action="stop", contact="Mom")
    assert changed(phone)[key] == {"value": "contact_101"}
    assert message(phone, "share_eta", action="stop", contact="Mom") == "Sharing already stopped"
    phone.data("control_navigation", action="stop")
    assert phone.changes() == []


def test_nearby_places(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("search_places", query="zoo")
    assert found["items"][0] == {"name": "Zoo Gate", "address": "2 Zebra Way", "category": "zoo", "km": 1.0}
    assert [item["name"] for item in found["items"]] == ["Zoo Gate", "Zoo"]
    assert phone.data("search_places", query="volcano")["total"] == 0
    assert start(new_phone, location="off").code("search_places", query="zoo") == 409


def test_saved_places(new_phone: Any) -> None:
    phone = start(new_phone)
    home = next(r["name"] for r in WORLD["places"] if r["label"] == "Home")
    phone.data("manage_saved_places", action="save", place="Zoo", label="home")
    assert changed(phone) == {("places", home): {"label": ""}, ("places", "Zoo"): {"label": "Home"}}
    assert phone.data("query_route", destination="Home", mode="walk")["destination"] == "Zoo"
    assert message(phone, "manage_saved_places", action="save", place="Zoo", label="Home") == "Already saved as Home"
    assert phone.code("manage_saved_places", action="save", place="Zoo", label="Pets") == 409
    phone.data("manage_saved_places", action="save", place="Far Inn", label="Pets")
    assert phone.code("manage_saved_places", action="save", place="Zoo Gate", label="pets") == 409
    assert phone.code("manage_saved_places", action="save", place="Zoo Gate", label="far inn") == 409
    assert phone.code("manage_saved_places", action="save", place="Zoo Gate", label="x" * 31) == 400
    assert phone.code("manage_saved_places", action="save") == 400
    assert phone.code("manage_saved_places", action="remove", place="Zoo Gate") == 404
    phone.data("manage_saved_places", action="remove", place="Pets")
    phone.data("manage_saved_places", action="save", place=home, label="Home")
    assert phone.changes() == []
    labels = [item["label"] for item in phone.data("manage_saved_places", action="query")["items"]]
    assert {"Home", "Work"} <= set(labels)


# --- transit and payment --------------------------------------------------------------------------------------------


def test_transit_routes(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("query_transit_routes", origin="city airport", destination="Stadium", time="09:01")
    assert found["items"][0] == {
        "lines": ["Metro Line 1", "Metro Line 2"], "departs": "09:06", "arrives": "09:26", "stops": 5, "fare": 7.0,
        "changeAt": "Central Station",
    }  # fmt: skip
    direct = phone.data("query_transit_routes", origin="City Airport", destination="Central Station", time="09:00")
    assert [item["lines"] for item in direct["items"]] == [["Metro Line 1"], ["Airport Express"]]
    assert phone.code("query_transit_routes", origin="Museum", destination="Atlantis") == 404
    assert phone.code("query_transit_routes", origin="Museum", destination="Museum") == 400
    assert phone.code("query_transit_routes", origin="Museum", destination="Harbor", time="02:00 at noon") == 400
    assert phone.data("query_transit_routes", origin="Museum", destination="Harbor", time="02:00")["total"] == 1
    assert phone.code("query_transit_routes", origin="Museum", destination="Old Town", time="23:50") == 404
    assert offline(new_phone).code("query_transit_routes", origin="Museum", destination="Harbor") == 409


def test_every_route_rides_its_lines(new_phone: Any) -> None:
    phone = start(new_phone)
    stops = {line.name: line.stops for line in LINES}
    ends = sorted({stop for line in LINES for stop in line.stops})
    for begin, end in list(product(ends, ends))[::7]:
        if begin == end or "Airport" in begin + end:
            continue
        feedback = phone.use("query_transit_routes", origin=begin, destination=end)
        for item in feedback.payload["data"]["items"] if feedback.ok else ():
            change = [item["changeAt"]] if "changeAt" in item else []
            way = [begin, *change, end]
            assert len(item["lines"]) == len(way) - 1
            for line, leg in zip(item["lines"], pairwise(way), strict=True):
                assert set(leg) <= set(stops[line])
            assert "09:00" <= item["departs"] < item["arrives"]


def test_departures(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("query_departures", stop="Old Town", line="Bus 48", time="09:00")
    assert found["items"][:3] == [
        {"line": "Bus 48", "towards": "South Gate", "departs": "09:05"},
        {"line": "Bus 48", "towards": "Museum", "departs": "09:10"},
        {"line": "Bus 48", "towards": "South Gate", "departs": "09:25"},
    ]
    assert len(found["items"]) == 5 and found["total"] == 6
    assert {item["towards"] for item in phone.data("query_departures", stop="Harbor")["items"]} == {"City Airport"}
    assert phone.data("query_departures", stop="Harbor", time="23:59")["items"] == []
    assert phone.code("query_departures", stop="Harbor", line="Bus 48") == 404
    assert phone.code("query_departures", stop="Gate") == 409


def test_transit_cards(new_phone: Any) -> None:
    phone = start(new_phone)
    made = phone.data("manage_transit_card", action="top_up", cardName="zone", amount=9.99)
    assert made == {"card": "Zone Card", "balance": 999.99, "paidWith": "Zest Pay"}
    assert changed(phone) == {
        ("payment_accounts", "Zone Card"): {"balance_cents": 999_99},
        ("payment_accounts", "Zest Pay"): {"balance_cents": 90_01},
    }
    assert phone.code("manage_transit_card", action="top_up", cardName="zone", amount=5) == 409  # full
    bus = "City Bus Card"
    assert phone.code("manage_transit_card", action="top_up", cardName=bus, amount=95) == 409  # too poor
    assert phone.code("manage_transit_card", action="top_up", cardName=bus, amount=5, paymentMethod="Zero") == 409
    assert phone.code("manage_transit_card", action="top_up", cardName=bus, amount=0.5) == 400
    assert phone.code("manage_transit_card", action="top_up", cardName=bus, amount=5.001) == 400
    assert phone.code("manage_transit_card", action="top_up", cardName=bus) == 400
    assert phone.code("manage_transit_card", action="top_up", cardName="Zest Pay", amount=5) == 404  # not a card
    assert phone.code("manage_transit_card", action="top_up", cardName="city", amount=5) == 409  # two cards
    phone = start(new_phone)
    phone.data("manage_transit_card", action="set_default", cardName=bus)
    assert changed(phone) == {("payment_accounts", bus): {"is_default": 1}}
    assert "already" in message(phone, "manage_transit_card", action="set_default", cardName=bus)
    assert phone.data("manage_transit_card", action="query", cardName="zone")["items"] == [
        {"name": "Zone Card", "balance": 990.0}
    ]


def test_wallets(new_phone: Any) -> None:
    phone = start(new_phone)
    assert phone.data("manage_wallets", action="query", walletApp="zest") == {
        "name": "Zest Pay", "balance": 100.0, "default": True,
    }  # fmt: skip
    assert phone.data("manage_wallets", action="query")["total"] == 5
    phone.data("manage_wallets", action="set_default", walletApp="Zero Pay")
    assert changed(phone) == {
        ("payment_accounts", "Zest Pay"): {"is_default": 0},
        ("payment_accounts", "Zero Pay"): {"is_default": 1},
    }
    assert message(phone, "manage_wallets", action="set_default", walletApp="zero") == "Zero Pay is already the default"
    assert phone.code("manage_wallets", action="set_default") == 400
    assert phone.code("manage_wallets", action="set_default", walletApp="Zone Card") == 404


def test_payment_codes(new_phone: Any) -> None:
    phone = start(new_phone)
    assert message(phone, "manage_payment_code", action="hide") == "Payment code already hidden"
    phone.data("manage_payment_code", action="show")
    pay = {
        ("settings", "payment_code"): {"value": "Zest Pay"},
        ("settings", "payment_code_type"): {"value": "pay"},
    }
    assert changed(phone) == pay
    assert message(phone, "manage_payment_code", action="show", walletApp="zest") == "Payment code already shown"
    phone.data("manage_payment_code", action="show", walletApp="Zero Pay", codeType="receive")
    assert phone.data("manage_payment_code", action="query") == {"walletApp": "Zero Pay", "codeType": "receive"}
    phone.data("manage_payment_code", action="hide")
    assert phone.changes() == []
    assert phone.code("manage_payment_code", action="show", walletApp="Zone Card") == 404
    assert start(new_phone, screen_lock="locked").code("manage_payment_code", action="show") == 409
    assert offline(new_phone).code("manage_payment_code", action="show") == 409


# --- tickets and rides ----------------------------------------------------------------------------------------------


def test_searching_tickets(new_phone: Any) -> None:
    phone = start(new_phone)
    found = phone.data("search_tickets", kind="train", origin="ayton", date="Jan 29")
    assert [item["code"] for item in found["items"]] == ["Z2", "Z1"]  # by departure; Z4 has left
    assert found["items"][1] == {
        "code": "Z1", "origin": "Ayton", "destination": "Beeford", "departs": "2025-01-29T10:00",
        "arrives": "2025-01-29T12:00", "price": 30.05, "seatsLeft": 3,
    }  # fmt: skip
    assert phone.data("search_tickets", kind="movie", title="zebra")["items"][0]["code"] == "Z3"
    assert phone.data("search_tickets", kind="flight", destination="Atlantis")["total"] == 0
    assert phone.code("search_tickets", kind="boat") == 400


def test_booking_a_ticket(new_phone: Any) -> None:
    phone = start(new_phone)
    made = phone.data("book_ticket", ticketCode="z1", quantity=2, seat="quiet car")
    assert made == {"id": made["id"], "title": "Z1 Ayton - Beeford", "total": 60.1, "paidWith": "Zest Pay"}
    booked = changed(phone)
    assert booked[("trips", "Z1")] == {"seats": 1}
    assert booked[("payment_accounts", "Zest Pay")] == {"balance_cents": 39_90}
    row = booked[("bookings", made["id"])]
    assert (row["code"], row["quantity"], row["seat"], row["total_cents"], row["status"]) == (
        "Z1", 2, "quiet car", 60_10, "booked",
    )  # fmt: skip
    assert len(booked) == 3
    twin = phone.use("book_ticket", ticketCode="Z1")
    assert twin.code == 409 and made["id"] in twin.payload["error"]
    back = phone.data("cancel_booking", booking=made["id"])
    assert back["refund"] == 60.1
    assert list(changed(phone)) == [("bookings", made["id"])]
    assert changed(phone)[("bookings", made["id"])]["status"] == "cancelled"
    assert message(phone, "cancel_booking", booking="Z1") == "Already cancelled"


def test_tickets_that_cannot_be_booked(new_phone: Any) -> None:
    phone = start(new_phone)
    assert message(phone, "book_ticket", ticketCode="Z2") == "Sold out"
    assert message(phone, "book_ticket", ticketCode="Z1", quantity=4) == "Only 3 seats left"
    assert message(phone, "book_ticket", ticketCode="Z4") == "Already departed"
    assert phone.code("book_ticket", ticketCode="Z2") == 409
    assert phone.code("book_ticket", ticketCode="Z9") == 404
    assert phone.code("book_ticket", ticketCode="Z1", quantity=0) == 400
    assert phone.code("book_ticket", ticketCode="Z1", seat="front") == 400
    assert phone.code("book_ticket", ticketCode="Z3", seat="aisle") == 400
    assert phone.code("book_ticket", ticketCode="Z1", paymentMethod="Zero Pay") == 409
    assert phone.code("book_ticket", ticketCode="Z1", paymentMethod="Gold") == 404
    assert offline(new_phone).code("book_ticket", ticketCode="Z1") == 409


def test_clashing_times_are_a_warning(new_phone: Any) -> None:
    event = {"id": "schedule_101", "event": "Lecture", "datetime": "2025-01-15T21:00:00"}
    other = {
        "id": "booking_101", "kind": "movie", "title": "Loud Zebras", "departs": "2025-01-15T19:30:00",
        "arrives": "2025-01-15T20:30:00",
    }  # fmt: skip
    after = other | {"id": "booking_102", "departs": "2025-01-15T22:00:00", "arrives": "2025-01-15T23:00:00"}
    phone = start(new_phone, {"schedules": [event], "bookings": [other, after]})
    feedback = phone.use("book_ticket", ticketCode="Z3")
    assert feedback.payload["message"] == "Booked, but times clash"
    assert feedback.payload["data"]["clashesWith"] == ["Loud Zebras", "Lecture"]
    assert phone.data("cancel_booking", booking="quiet")["refund"] == 5.0  # 9.99, less than a day ahead


def test_cancelling_bookings(new_phone: Any) -> None:
    past = {"id": "booking_101", "kind": "train", "code": "Z4", "departs": "2025-01-15T08:00:00", "arrives": "x"}
    phone = start(new_phone, {"bookings": [past, past | {"id": "booking_102", "code": "Z5"}]})
    assert phone.code("cancel_booking", booking="booking_101") == 409
    assert phone.code("cancel_booking", booking="Z9") == 404
    phone.data("manage_ride", action="request", destination="Zoo")
    assert phone.code("cancel_booking", booking="ride_001") == 404  # rides have a tool of their own
    listed = phone.data("query_bookings", status="booked")
    assert [item["id"] for item in listed["items"]] == ["ride_001", "booking_101", "booking_102"]
    assert phone.data("query_bookings", kind="ride", date="today")["total"] == 1
    assert phone.code("query_bookings", kind="boat") == 400


def test_rides(new_phone: Any) -> None:
    phone = start(new_phone)
    fares = phone.data("manage_ride", action="estimate", destination="Zoo")["items"]
    assert fares[0] == {"rideType": "economy", "fare": 15.2, "waitMinutes": 4}
    made = phone.data("manage_ride", action="request", destination="zoo", rideType="comfort")
    assert made == {
        "id": "ride_001", "route": "Current location - Zoo", "rideType": "comfort", "pickupAt": "2025-01-15T09:06",
        "fare": 21.9, "paidWith": "Zest Pay",
    }  # fmt: skip
    booked = changed(phone)
    assert booked[("payment_accounts", "Zest Pay")] == {"balance_cents": 78_10}
    assert booked[("bookings", "ride_001")]["arrives"] == "2025-01-15T09:12:00" and len(booked) == 2
    assert phone.code("manage_ride", action="request", destination="Zoo Gate") == 409
    later = {"destination": "Zoo Gate", "pickup": "Zoo", "time": "tomorrow 08:00"}
    assert phone.data("manage_ride", action="request", **later)["pickupAt"] == "2025-01-16T08:00"
    assert phone.data("manage_ride", action="query")["total"] == 2
    assert phone.code("manage_ride", action="cancel") == 409  # which
    assert phone.data("manage_ride", action="cancel", rideId="ride_002")["refund"] == 17.6
    assert phone.data("manage_ride", action="cancel")["id"] == "ride_001"
    assert message(phone, "manage_ride", action="cancel", rideId="ride_001") == "Ride already cancelled"
    assert {key[0] for key in changed(phone)} == {"bookings"}


def test_rides_refused(new_phone: Any) -> None:
    phone = start(new_phone)
    assert phone.code("manage_ride", action="request") == 400
    assert phone.code("manage_ride", action="request", destination="Zoo", pickup="Zoo") == 400
    assert phone.code("manage_ride", action="request", destination="Zoo", time="2025-01-14 10:00") == 400
    assert phone.code("manage_ride", action="request", destination="Zoo", time="Feb 20 at 9 am") == 400
    assert phone.code("manage_ride", action="request", destination="Zoo", paymentMethod="Zero Pay") == 409
    assert phone.code("manage_ride", action="cancel") == 404
    away = start(new_phone, location="off")
    assert away.code("manage_ride", action="request", destination="Zoo") == 409
    assert away.data("manage_ride", action="request", destination="Zoo", pickup="Zoo Gate")["id"] == "ride_001"
    assert offline(new_phone).code("manage_ride", action="query") == 409


# --- health ---------------------------------------------------------------------------------------------------------


def records(kind: str, *values: tuple[str, float, str]) -> dict[str, list[dict[str, Any]]]:
    old = [{"id": r["id"], "data_type": "none"} for r in WORLD["health_records"]]
    new = [
        {"id": f"hd_{i}", "data_type": kind, "at": at, "value": value, "source_app": source}
        for i, (at, value, source) in enumerate(values)
    ]
    return {"health_records": old + new}


def test_health_data(new_phone: Any) -> None:
    rows = records(
        "steps",
        ("2025-01-15T08:00:00", 900.0, "HealthKit"),
        ("2025-01-15T08:00:00", 1000.0, "Fit Watch"),
        ("2025-01-10T08:00:00", 5000.0, "Fit Watch"),
        ("2024-12-20T08:00:00", 7000.0, "Fit Watch"),
    )
    phone = start(new_phone, rows)
    one = phone.data("query_health_data", dataType="steps", date="today", sourceApp="healthkit")
    assert one == {
        "unit": "steps", "total": 1,
        "items": [{"id": "hd_0", "date": "2025-01-15", "value": 900, "sourceApp": "HealthKit"}],
    }  # fmt: skip
    assert phone.data("query_health_data", dataType="steps")["sum"] == {"HealthKit": 900, "Fit Watch": 1000}
    week = phone.data("query_health_data", dataType="steps", period="week", sourceApp="Fit Watch")
    assert week["sum"] == {"Fit Watch": 6000}
    assert phone.data("query_health_data", dataType="steps", period="month")["total"] == 4
    assert phone.data("query_health_data", dataType="steps", date="yesterday")["total"] == 0
    assert phone.code("query_health_data", dataType="mood") == 400
    assert phone.code("query_health_data", dataType="steps", date="someday") == 400
    assert new_phone(denied_permissions=["BODY_SENSORS"]).code("query_health_data", dataType="steps") == 403


def test_averages(new_phone: Any) -> None:
    rows = records("weight", ("2025-01-15T07:00:00", 70.0, "HealthKit"), ("2025-01-12T07:00:00", 71.5, "HealthKit"))
    week = start(new_phone, rows).data("query_health_data", dataType="weight", period="week")
    assert week["average"] == {"HealthKit": 70.75} and week["unit"] == "kilograms"


def test_logging_health(new_phone: Any) -> None:
    phone = start(new_phone)
    made = phone.data("manage_health_log", action="add", dataType="weight", value=154.32, unit="pounds")
    assert made == {"id": "hd_weight_20250115_002", "value": 70, "unit": "kilograms", "date": "2025-01-15"}
    entry = {
        "id": made["id"],
        "data_type": "weight",
        "value": 70.0,
        "source_app": "Manual",
        "at": "2025-01-15T09:00:00",
    }
    assert changed(phone) == {("health_records", made["id"]): entry}
    phone.data("manage_health_log", action="delete", recordId=made["id"])
    assert phone.changes() == []
    past = phone.data("manage_health_log", action="add", dataType="water", value=0.5, unit="liters", date="yesterday")
    assert past == {"id": "hd_water_20250114_001", "value": 500, "unit": "milliliters", "date": "2025-01-14"}
    bad = {"dataType": "weight", "value": 70.0}
    for wrong in ({"unit": "cups"}, {"value": 7000.0}, {"value": -1.0}, {"date": "tomorrow"}):
        assert phone.code("manage_health_log", action="add", **(bad | wrong)) == 400
    assert phone.code("manage_health_log", action="add", value=70.0) == 400
    assert phone.code("manage_health_log", action="delete", recordId="hd_none") == 404
    assert phone.code("manage_health_log", action="delete", recordId="hd_weight_20250115_001") == 409  # measured


def test_food_calories(new_phone: Any) -> None:
    phone = start(new_phone)
    assert phone.data("identify_food_calories", foodName="Rice") == {"food": "rice", "grams": 200, "kilocalories": 260}
    assert phone.data("identify_food_calories", foodName="pizza", grams=50)["kilocalories"] == 133
    assert phone.code("identify_food_calories", foodName="chicken") == 409
    assert phone.code("identify_food_calories", foodName="granite") == 404
    assert phone.code("identify_food_calories", foodName="rice", grams=0) == 400
    assert phone.changes() == []


# --- any input, any world -------------------------------------------------------------------------------------------

_TEXTS = ("x", "🙂" * 300, "'; DROP TABLE places; --", "%", "-1", "2100-12-31 23:59", "Zoo", "名字")
_VALUES = {"string": _TEXTS, "integer": (-(10**9), 0, 10**9), "number": (-1.0, 0.001, 1e9), "boolean": (True, False)}


def hostile(spec: Any) -> list[dict[str, Any]]:
    """Calls that give every argument an odd value, for each value of the tool's enums."""
    properties = spec.parameters["properties"]
    calls = []
    for action in properties.get("action", {"enum": [None]})["enum"]:
        for index in range(len(_TEXTS)):
            call = {} if action is None else {"action": action}
            for name, schema in properties.items():
                if name != "action":
                    values = schema.get("enum") or _VALUES.get(schema["type"], ([], ["Zoo", "x"], ["x"] * 1000))
                    call[name] = values[index % len(values)]
            calls.append(call)
    return calls


@pytest.fixture(scope="module")
def worn_phone() -> Phone:
    """One phone for all hostile calls: what the last ones left is hostile to the next."""
    return start(Phone)


@pytest.mark.parametrize("spec", TOOLS, ids=lambda spec: spec.name)
def test_hostile_input(worn_phone: Phone, spec: Any) -> None:
    phone = worn_phone
    for call in hostile(spec):
        before = phone.changes()
        feedback = phone.use(spec.name, **call)
        assert feedback.error_type is not ErrorType.INTERNAL, (call, feedback.payload)
        if not feedback.ok or spec.effect is Effect.READ or call.get("action") == "query":
            assert phone.changes() == before


@pytest.mark.parametrize("seed", range(12))
def test_seeded_worlds(seed: int) -> None:
    rows = make_world(seed).rows
    places, accounts, trips = rows["places"], rows["payment_accounts"], rows["trips"]
    labels = [r["label"] for r in places if r["label"]]
    assert {"Home", "Work"} <= set(labels) and len(set(labels)) == len(labels) == 3
    assert len({r["name"].casefold() for r in places}) == len(places) == 12
    assert len({(r["x_m"], r["y_m"]) for r in places}) == 12
    assert [sum(r["is_default"] for r in accounts if (r["kind"] == "wallet") is w) for w in (True, False)] == [1, 1]
    assert len(trips) == 12 and sum(not r["seats"] for r in trips) == 1
    assert all(r["departs"] < r["arrives"] and r["price_cents"] > 0 and r["departs"] > "2025-01-15T09" for r in trips)
    assert len(rows["weather"]) == 35 and all(r["low_c"] < r["high_c"] for r in rows["weather"])
    here = next(r["value"] for r in rows["settings"] if r["key"] == "current_city")
    assert here in {r["city"] for r in rows["weather"]}
    assert all(r["condition"] != "snow" or r["low_c"] < 0 for r in rows["weather"])
    assert all(r["at"] < "2025-01-15T09" for r in rows["health_records"])
    assert all(r["total_cents"] > 0 for r in rows["bookings"])


def test_seeds_differ_and_names_are_unambiguous(new_phone: Any) -> None:
    for table in ("weather", "places", "payment_accounts", "trips", "bookings", "health_records"):
        assert make_world(3).rows[table] == make_world(3).rows[table] != make_world(4).rows[table]
    phone = new_phone(patch={"settings": [{"key": "mobile_data", "value": "on"}, {"key": "location", "value": "on"}]})
    for row in WORLD["places"]:
        assert phone.data("query_route", destination=row["name"], mode="walk")["destination"] == row["name"]
    for row in WORLD["payment_accounts"]:
        tool, key = ("manage_wallets", "walletApp") if row["kind"] == "wallet" else ("manage_transit_card", "cardName")
        assert phone.use(tool, action="query", **{key: row["name"]}).ok
    for food in FOODS:
        assert phone.data("identify_food_calories", foodName=food)["food"] == food
    for city in {r["city"] for r in WORLD["weather"]}:
        assert phone.data("query_weather", city=city)["total"] == 1
