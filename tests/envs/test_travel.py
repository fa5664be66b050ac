"""Travel & Lifestyle: weather, maps and health, and what holds for any input and any world."""

from __future__ import annotations

from typing import Any

import pytest
from phone_rows import changed
from sandbox_phone import Phone
from travel_phone import WORLD, message, offline, start

from qpa.contract import Effect, ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import travel
from qpa.envs.sandbox.domains.travel_health import FOODS

TOOLS = [item.spec for item in travel.DOMAIN.tools]


def test_the_domain_has_its_tools() -> None:
    assert len(TOOLS) == 20
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


def test_weather_is_told_in_the_phone_s_unit(new_phone: Any) -> None:
    item = start(new_phone, temperature_unit="fahrenheit").data("query_weather")["items"][0]
    assert (item["low"], item["high"]) == (23, 50)


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
