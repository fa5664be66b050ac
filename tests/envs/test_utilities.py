"""Utilities & Productivity: sound arithmetic, and records that change one row at a time."""

from __future__ import annotations

from typing import Any

import pytest
from hostile_calls import assert_survives
from phone_rows import message

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import phrases
from qpa.envs.sandbox.domains.utilities import DOMAIN
from qpa.envs.sandbox.domains.utility_data import PAGES, RATES, UNITS

OFFLINE = {"mobile_data": "off", "wifi": "off", "translation_target": "German", "data_saver": "off"}
PACKS = {f"translation_pack_{name.casefold()}": "off" for name in phrases.LANGUAGES if name != "English"}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0 on mobile data alone, without packs; then the given settings and rows."""
    world = make_world(0).rows
    values = OFFLINE | PACKS | {"mobile_data": "on"} | settings
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": key, "value": value} for key, value in values.items()],
        "wifi_networks": [{"ssid": row["ssid"], "connected": 0} for row in world["wifi_networks"]],
    }
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return new_phone(patch=patch)


def ops(phone: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [(c.table, c.op, c.new) for c in phone.changes()]


# --- arithmetic -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expression, result",
    [
        ("70 * 2.2046226218", 154.323583526),
        ("0.1 + 0.2", 0.3),
        ("2 + 3 × (4 − 1) ÷ 2", 6.5),
        ("2^10", 1024),
        ("-2^2", -4),
        ("1,250 + 1,750.5", 3000.5),
        ("15% of 80", 12),
        ("200 + 10%", 220),
        ("200 - 10%", 180),
        ("50 * 10%", 5),
        ("-7 % 3", 2),
        ("sqrt(2)^2", 2),
        ("SIN(30) + cos(60) + tan(45)", 2),
        ("min(3, 2, 5) + max(1, 4)", 6),
        ("round(2.5) + floor(-0.5) + ceil(0.1)", 3),
        ("log(1000) + ln(e)", 4),
        ("10 / 4 =", 2.5),
        ("2 * pi", 6.2831853072),
        ("1000000 * 1000000000000", 10**18),
    ],
)
def test_calculator(phone, expression, result):
    assert phone.data("calculate_expression", expression=expression)["result"] == result


def test_calculator_rounds_half_up_to_the_places_asked_for(phone):
    assert phone.data("calculate_expression", expression="70 * 2.2046226218", precision=2) == {
        "result": 154.32,
        "precision": 2,
    }
    assert phone.data("calculate_expression", expression="2.5", precision=0)["result"] == 3
    assert phone.data("calculate_expression", expression="1.005", precision=2)["result"] == 1.01
    assert phone.code("calculate_expression", expression="1", precision=16) == 400
    assert phone.changes() == []


@pytest.mark.parametrize(
    "expression",
    [
        "1/0", "0/0", "0^0", "9^9^9", "9^999", "1^1001", "10^1001", "sqrt(-1)", "ln(0)", "tan(90)", "2 +", "two",
        "sqrt()", "1j", "__import__('os').system('ls')", "(1).real", "[1, 2]", "1 if 1 else 2", "x = 3", "1 == 1",
        "'a' * 9", "True", "sqrt(x=4)", "1e999", "1 // 2", "2(3)", "9" * 201, "-" * 199 + "1)", "abs",
    ],
)  # fmt: skip
def test_calculator_refuses_what_is_no_number(phone, expression):
    assert phone.code("calculate_expression", expression=expression) == 400


@pytest.mark.parametrize(
    "category, source, target, value, result",
    [
        ("weight", "kilograms", "pounds", 70, 154.3235835),
        ("weight", "kg", "lbs", 70, 154.3235835),
        ("length", "mi", "km", 26.2, 42.1648128),
        ("length", "Feet", "m", 6, 1.8288),
        ("temperature", "celsius", "F", 100, 212),
        ("temperature", "F", "C", -40, -40),
        ("temperature", "°C", "K", 0, 273.15),
        ("area", "m²", "sqft", 1, 10.76391042),
        ("volume", "cups", "ml", 2, 473.176473),
        ("speed", "km/h", "mph", 100, 62.13711922),
        ("time", "week", "hours", 1, 168),
        ("data", "gb", "MB", 1.5, 1500),
        ("data", "GiB", "MiB", 1, 1024),
        ("energy", "kcal", "kJ", 250, 1046),
        ("pressure", "psi", "bar", 32, 2.206322334),
    ],
)
def test_units(phone, category, source, target, value, result):
    found = phone.data("convert_unit", category=category, fromUnit=source, toUnit=target, value=value)
    assert found["result"] == result


def test_units_are_refused_by_name(phone):
    refused = phone.use("convert_unit", category="weight", fromUnit="km", toUnit="lb", value=1)
    assert refused.code == 400 and refused.payload["error"] == "No unit km; allowed: mg, g, kg, t, oz, lb, st, jin"
    assert phone.code("convert_unit", category="temperature", fromUnit="C", toUnit="K", value=-274) == 400
    assert phone.code("convert_unit", category="hope", fromUnit="C", toUnit="K", value=1) == 400


@pytest.mark.parametrize("category", UNITS)
def test_every_unit_name_means_one_unit_and_leads_back(phone, category):
    names = [name for symbol, (_, more) in UNITS[category].items() for name in (symbol, *more)]
    assert len({name.casefold() for name in names}) == len(names)
    base = next(symbol for symbol, (size, _) in UNITS[category].items() if size == "1")
    for name in names:
        there = phone.data("convert_unit", category=category, fromUnit=name, toUnit=base, value=0.0008)["result"]
        back = phone.data("convert_unit", category=category, fromUnit=base, toUnit=name, value=there)["result"]
        assert back == pytest.approx(0.0008, rel=1e-8)


def test_currencies(phone):
    assert phone.data("convert_currency", amount=100, fromCurrency="usd", toCurrency="euros") == {
        "result": 97.16,
        "currency": "EUR",
        "rate": 0.9716,
        "date": "2025-01-15",
    }
    assert phone.data("convert_currency", amount=100, fromCurrency="€", toCurrency="JPY")["result"] == 16105
    assert phone.data("convert_currency", amount=12.5, fromCurrency="GBP", toCurrency="GBP")["result"] == 12.5
    assert phone.code("convert_currency", amount=-1, fromCurrency="USD", toCurrency="EUR") == 400
    refused = phone.use("convert_currency", amount=1, fromCurrency="doubloon", toCurrency="EUR")
    assert refused.code == 400 and ", ".join(RATES) in refused.payload["error"]


@pytest.mark.parametrize(
    "arguments, answer",
    [
        ({"action": "add", "date": "today", "amount": 45}, {"date": "2025-03-01", "weekday": "Saturday"}),
        (
            {"action": "add", "date": "Jan 31", "amount": 1, "unit": "months"},
            {"date": "2025-02-28", "weekday": "Friday"},
        ),
        (
            {"action": "subtract", "date": "2024-02-29", "amount": 1, "unit": "years"},
            {"date": "2023-02-28", "weekday": "Tuesday"},
        ),
        (
            {"action": "difference", "date": "today", "endDate": "2025-02-14"},
            {"days": 30, "weeks": 4, "restDays": 2},
        ),
        ({"action": "workdays", "date": "2025-01-17", "endDate": "2025-01-20"}, {"workdays": 2}),
        ({"action": "workdays", "date": "2025-01-18", "endDate": "2025-01-19"}, {"workdays": 0}),
        ({"action": "workdays", "date": "2025-01-01", "endDate": "2025-01-31"}, {"workdays": 23}),
    ],
)
def test_dates(phone, arguments, answer):
    assert phone.data("calculate_date", **arguments) == answer


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "add", "date": "today"},
        {"action": "add", "date": "today", "amount": 10_001},
        {"action": "add", "date": "today", "amount": 10_000, "unit": "years"},
        {"action": "subtract", "date": "today", "amount": 10_000, "unit": "months"},
        {"action": "difference", "date": "today"},
        {"action": "difference", "date": "today", "endDate": "yesterday"},
        {"action": "add", "date": "someday", "amount": 1},
    ],
)
def test_dates_are_refused(phone, arguments):
    assert phone.code("calculate_date", **arguments) == 400


# --- the web and languages ------------------------------------------------------------------------------------------


def test_a_page_is_opened_once(new_phone):
    phone = start(new_phone)
    closed = next(url for url in PAGES if url not in {r["url"] for r in make_world(0).rows["browser_entries"]})
    title, text = PAGES[closed]
    assert phone.data("browser_service", action="open", page=f"https://www.{closed}/") == {
        "url": closed,
        "title": title,
        "text": text,
    }
    row = {"url": closed, "title": title, "at": "2025-01-15T09:00:00"}
    assert ops(phone) == [
        ("browser_entries", "insert", {"id": "tab_003", "kind": "tab"} | row),
        ("browser_entries", "insert", {"id": "visit_006", "kind": "visit"} | row),
    ]
    assert message(phone, "browser_service", action="open", page=title) == "Tab already open"
    assert phone.data("browser_service", action="query")["total"] == 3
    phone.data("browser_service", action="close_tab", page=title)
    assert [new["kind"] for _, _, new in ops(phone)] == ["visit"]
    assert phone.code("browser_service", action="close_tab", page=title) == 404
    assert message(phone, "browser_service", action="close_all") == "2 tabs closed"
    assert message(phone, "browser_service", action="close_all") == "Tabs already closed"


def test_pages_are_searched_by_their_words(new_phone):
    phone = start(new_phone)
    found = phone.data("browser_service", action="search", keyword="museum tickets")
    assert found["items"][0] == {"url": "museum.example", "title": "City Art Museum"}
    assert phone.data("browser_service", action="search", keyword="qqqq") == {"items": [], "total": 0}
    assert phone.changes() == []
    assert phone.code("browser_service", action="search") == 400
    assert phone.code("browser_service", action="open", page="nowhere.example") == 404
    assert phone.code("browser_service", action="open", page="recipe") == 409  # two of them
    offline = start(new_phone, mobile_data="off")
    assert offline.code("browser_service", action="open", page="news.example") == 409
    assert offline.code("browser_service", action="search", keyword="news") == 409


def test_bookmarks(new_phone):
    phone = start(new_phone)
    kept = [r for r in make_world(0).rows["browser_entries"] if r["kind"] == "bookmark"]
    assert message(phone, "manage_bookmark", action="add", page=kept[0]["url"]) == "Already bookmarked"
    assert phone.changes() == []
    phone.data("manage_bookmark", action="add", page="Daily News")
    phone.data("manage_bookmark", action="remove", page=kept[0]["title"])
    assert [(c.op, c.key["id"]) for c in phone.changes()] == [("delete", kept[0]["id"]), ("insert", "bookmark_004")]
    assert phone.code("manage_bookmark", action="remove", page=kept[0]["title"]) == 404
    assert phone.data("manage_bookmark", action="query")["items"][0]["url"] == "news.example"


def test_history(new_phone):
    rows = [
        {"id": "visit_801", "kind": "visit", "url": "a.example", "title": "Alpha", "at": "2025-01-15T08:30:00"},
        {"id": "visit_802", "kind": "visit", "url": "b.example", "title": "Beta", "at": "2025-01-15T01:30:00"},
    ]
    phone = start(new_phone, {"browser_entries": rows})
    assert phone.data("manage_browser_history", action="query", period="last_hour") == {
        "items": [{"url": "a.example", "title": "Alpha", "at": "2025-01-15T08:30:00"}],
        "total": 1,
    }
    assert (
        message(phone, "manage_browser_history", action="clear", period="today", keyword="beta") == "1 visits cleared"
    )
    assert [(c.op, c.key["id"]) for c in phone.changes()] == [("delete", "visit_802")]
    assert message(phone, "manage_browser_history", action="clear") == "6 visits cleared"
    assert message(phone, "manage_browser_history", action="clear") == "History already clear"
    assert {c.old["kind"] for c in phone.changes()} == {"visit"}  # tabs and bookmarks stay


def test_translation(new_phone):
    phone = start(new_phone)
    assert phone.data("text_translate", text="Good morning!", targetLanguage="spanish") == {
        "translation": "buenos días",
        "language": "Spanish",
    }
    assert phone.data("text_translate", text="thank you") == {"translation": "danke", "language": "German"}
    assert phone.data("text_translate", text="谢谢", targetLanguage="English")["translation"] == "thank you"
    assert phone.data("text_translate", text="blue tin", targetLanguage="French")["translation"] == "[French] blue tin"
    assert phone.code("text_translate", text="hello", targetLanguage="Elvish") == 404
    for language in phrases.LANGUAGES:
        assert phrases.translate(phrases.translate("thank you", language), "English") == "thank you"
    assert phone.changes() == []


def test_language_packs(new_phone):
    phone = start(new_phone, data_saver="on")
    assert phone.code("manage_translation", action="download_pack", language="French") == 409
    phone = start(new_phone, mobile_data="off", translation_pack_french="on")
    assert phone.code("manage_translation", action="download_pack", language="German") == 409
    assert phone.code("text_translate", text="hello") == 409
    assert phone.data("text_translate", text="hello", targetLanguage="French")["translation"] == "bonjour"
    assert phone.data("text_translate", text="hola", targetLanguage="English")["translation"] == "hello"
    assert message(phone, "manage_translation", action="set_target", language="french") == "Target language set"
    again = message(phone, "manage_translation", action="set_target", language="French")
    assert again == "Target language already set"
    assert [(c.key, c.new) for c in phone.changes()] == [({"key": "translation_target"}, {"value": "French"})]
    assert phone.data("manage_translation", action="query") == {"target": "French", "packs": ["English", "French"]}
    assert phone.code("manage_translation", action="remove_pack", language="English") == 409
    phone = start(new_phone)
    phone.data("manage_translation", action="download_pack", language="French")
    assert [(c.key, c.new) for c in phone.changes()] == [({"key": "translation_pack_french"}, {"value": "on"})]
    message_again = message(phone, "manage_translation", action="download_pack", language="French")
    assert message_again == "Pack already downloaded"
    phone.data("manage_translation", action="remove_pack", language="French")
    assert phone.changes() == []
    assert phone.code("manage_translation", action="set_target") == 400


def test_dictionary(phone):
    assert phone.data("query_dictionary", word="Frugal") == {
        "word": "frugal",
        "kind": "adjective",
        "meaning": "careful with money",
        "synonym": "thrifty",
    }
    refused = phone.use("query_dictionary", word="frugall")
    assert refused.code == 404 and refused.payload["error"] == "No entry for frugall; similar: frugal"


# --- all of it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [tool.spec for tool in DOMAIN.tools], ids=lambda spec: spec.name)
def test_odd_values_never_break_a_tool(new_phone, spec):
    assert len(spec.description.split()) <= 10
    assert_survives(new_phone(tools=[spec.name]), spec)


def test_the_domain_is_as_large_as_published():
    names = {tool.spec.name for tool in DOMAIN.tools}
    published = ("calculate_expression", "convert_unit", "convert_currency", "browser_service", "text_translate")
    assert len(names) >= 11 and {*published, "manage_translation"} <= names


@pytest.mark.parametrize("seed", range(20))
def test_seeded_rows_agree_with_each_other(seed):
    rows = make_world(seed).rows
    files = {row["id"]: row for row in rows["files"]}
    assert len({row["name"].casefold() for row in rows["files"]}) == len(files)
    assert {row["file_id"] for row in rows["document_lines"]} <= set(files)
    assert sum(row["kind"] == "spreadsheet" for row in files.values()) >= 1
    for row in rows["browser_entries"]:
        assert PAGES[row["url"]][0] == row["title"] and row["at"] < "2025-01-15T09:00:00"
    for kind in ("tab", "bookmark", "visit"):
        urls = [row["url"] for row in rows["browser_entries"] if row["kind"] == kind]
        assert len(set(urls)) == len(urls)
    notes = [row["note"] for row in rows["expenses"]]
    assert len(set(notes)) == len(notes) and all(row["date"] <= "2025-01-15" for row in rows["expenses"])
    assert all(day < "2025-01-15" for row in rows["habits"] for day in row["done"].split(","))


def test_worlds_differ():
    assert make_world(1).rows["expenses"] != make_world(2).rows["expenses"]
    assert make_world(1).rows["expenses"] == make_world(1).rows["expenses"]
