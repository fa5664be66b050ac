"""Travel & Lifestyle, second half: lines, wallets, tickets and rides."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

from phone_rows import changed
from travel_phone import message, offline, start

from qpa.envs.sandbox.domains.travel_transit import LINES

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
