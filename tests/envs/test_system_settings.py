"""System Settings behaves as a phone's settings do. The clock is Wednesday, 2025-01-15 09:00."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from phone_rows import changed_or_gone as changed
from phone_rows import message
from system_phone import APPS, NOW, SETTINGS, WORLD, start, values

from qpa.contract import Effect, ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import system_settings
from qpa.envs.sandbox.domains.system_accounts import BACKED_UP

TABLES = ("accounts", "backups", "battery_usage", "desktop_items", "user_profiles")
VPNS = ("Home", "Office", "Travel")


def test_the_catalogue_of_the_domain() -> None:
    specs = {item.spec.name: item.spec for item in system_settings.DOMAIN.tools}
    assert len(specs) == len(system_settings.DOMAIN.tools) >= 22
    for spec in specs.values():
        assert spec.domain == "System Settings" and len(spec.description.split()) <= 10, spec.name
    hard = {name for name, spec in specs.items() if spec.effect is Effect.IRREVERSIBLE}
    assert hard == {"control_device_power", "manage_system_update", "reset_settings", "factory_reset"}


@pytest.mark.parametrize(
    "tool, extra, key",
    [
        ("manage_talkback", {}, "talkback"),
        ("manage_select_to_speak", {}, "select_to_speak"),
        ("manage_magnification", {}, "magnification"),
        ("manage_color_correction", {}, "color_correction"),
        ("manage_caption_preference", {}, "captions"),
        ("manage_location", {}, "location"),
        ("manage_developer_options", {}, "developer_options"),
        ("manage_auto_date_time", {}, "auto_time"),
        ("manage_auto_date_time", {"item": "time_zone"}, "auto_time_zone"),
        ("manage_status_bar_display", {"item": "battery_percentage"}, "status_bar_battery_percentage"),
        ("manage_keyboard_option", {"option": "suggestions"}, "keyboard_suggestions"),
        ("manage_battery_saver_schedule", {}, "battery_saver_schedule"),
        ("manage_charging_protection", {}, "charging_protection"),
        ("control_cooling_fan", {}, "cooling_fan"),
        ("manage_game_manager", {}, "game_manager"),
    ],
)
def test_a_switch_changes_one_row_and_repeating_it_changes_nothing(new_phone, tool, extra, key):
    phone = start(new_phone)
    assert phone.data(tool, action="query", **extra)["enabled"] is False
    assert message(phone, tool, action="disable", **extra).endswith("already off")
    assert phone.changes() == []
    assert phone.data(tool, action="enable", **extra)["enabled"] is True
    assert values(phone) == {key: "on"}
    assert message(phone, tool, action="enable", **extra).endswith("already on")
    assert phone.data(tool, action="query", **extra)["enabled"] is True
    assert message(phone, tool, action="disable", **extra).endswith(" off")
    assert phone.changes() == []


@pytest.mark.parametrize(
    "tool, options, expected",
    [
        ("manage_magnification", {"area": "both"}, {"magnification_area": "both"}),
        ("manage_color_correction", {"mode": "tritanomaly"}, {"color_correction_mode": "tritanomaly"}),
        (
            "manage_caption_preference",
            {"textSize": "large", "style": "yellow_on_black"},
            {"captions_text_size": "large", "captions_style": "yellow_on_black"},
        ),
        ("manage_location", {"mode": "device_only"}, {"location_mode": "device_only"}),
        ("manage_charging_protection", {"limit": 90}, {"charging_limit": "90"}),
        ("manage_battery_saver_schedule", {"threshold": 35}, {"battery_saver_threshold": "35"}),
        ("control_cooling_fan", {"speed": "high"}, {"cooling_fan_speed": "high"}),
        (
            "manage_game_manager",
            {"gameMode": "performance", "blockNotifications": True},
            {"game_mode": "performance", "game_block_notifications": "on"},
        ),
    ],
)
def test_options_go_with_enabling_a_switch(new_phone, tool, options, expected):
    phone = start(new_phone)
    for action in ("disable", "query"):
        assert phone.code(tool, action=action, **options) == 400
    phone.data(tool, action="enable")
    assert message(phone, tool, action="enable", **options).endswith(" on")
    assert expected.items() < values(phone).items() and len(values(phone)) == len(expected) + 1
    data = phone.data(tool, action="query")
    assert all(str(data[name]).lower() in ("on", str(value).lower()) for name, value in options.items())
    assert message(phone, tool, action="enable", **options).endswith("already on")


# --- power ------------------------------------------------------------------------------------------------------------


def test_powering_off_ends_the_episode(new_phone):
    phone = start(new_phone)
    feedback = phone.use("control_device_power", action="power_off")
    assert feedback.payload == {"success": True, "action": "power_off", "message": "Device powered off"}
    assert values(phone) == {"device_power": "off"}
    assert phone.code("control_device_power", action="restart") == 409
    assert phone.code("query_battery") == 409


def test_a_restart_ends_what_lives_in_memory(new_phone):
    phone = start(
        new_phone,
        {
            "bluetooth_devices": [
                {"name": "Old Buds", "paired": 0, "connected": 1},
                {"name": "Own Buds", "paired": 1, "connected": 1},
            ],
            "vpn_profiles": [{"name": f"{place} VPN", "connected": int(place == "Home")} for place in VPNS],
            "calls": [
                {
                    "id": "call_900",
                    "name": "Mom",
                    "phone": "1",
                    "direction": "outgoing",
                    "at": NOW,
                    "status": "active",
                }
            ],
        },
        mobile_data="on",
        hotspot="on",
        last_restart="2025-01-10T08:00:00",
    )
    assert phone.use("control_device_power", action="restart").payload["message"] == "Device restarted"
    assert changed(phone) == {
        ("settings", "last_restart"): {"value": NOW},
        ("settings", "hotspot"): {"value": "off"},
        ("bluetooth_devices", "Old Buds"): {"connected": 0},
        ("vpn_profiles", "Home VPN"): {"connected": 0},
        ("calls", "call_900"): {"status": "ended"},
    }
    assert phone.data("manage_device_info", action="query", item="last_restart") == {"last_restart": NOW}


def test_safe_mode_lasts_until_the_next_restart(new_phone):
    phone = start(new_phone, last_restart=NOW)
    phone.use("control_device_power", action="safe_mode")
    assert values(phone) == {"safe_mode": "on"}
    phone.use("control_device_power", action="restart")
    assert phone.changes() == []


def test_battery_modes(new_phone):
    phone = start(new_phone, cooling_fan="on", game_mode="performance")
    assert message(phone, "manage_battery", mode="normal") == "Battery mode already normal"
    assert phone.changes() == []
    phone.data("manage_battery", mode="super_saving")
    assert values(phone) == {"battery_mode": "super_saving", "cooling_fan": "off", "game_mode": "balanced"}
    assert phone.code("control_cooling_fan", action="enable") == 409
    assert phone.code("manage_game_manager", action="enable", gameMode="performance") == 409
    phone.data("manage_battery", mode="performance")
    assert phone.data("control_cooling_fan", action="enable")["enabled"] is True
    assert start(new_phone, battery_level="19").code("manage_battery", mode="performance") == 409
    start(new_phone, battery_level="19", charging="on").data("manage_battery", mode="performance")


def test_power_saving_keeps_the_fan(new_phone):
    phone = start(new_phone, cooling_fan="on")
    phone.data("manage_battery", mode="power_saving")
    assert values(phone) == {"battery_mode": "power_saving"}


def test_battery_queries(new_phone):
    usage = [{"app": app["name"], "percent": 90 - i} for i, app in enumerate(APPS)]
    phone = start(new_phone, {"battery_usage": usage})
    status = {"level": 50, "mode": "normal", "charging": False, "hours_left": 10.0}
    assert phone.data("query_battery") == status
    assert phone.data("query_battery", item="health") == {"percent": 93, "cycles": 210, "celsius": 29}
    top = phone.data("query_battery", item="app_usage")
    assert top["items"][:3] == usage and len(top["items"]) == 5 and top["total"] > 5
    assert phone.code("query_battery", item="capacity") == 400
    assert "hours_left" not in start(new_phone, charging="on").data("query_battery")


def test_a_saver_schedule_above_the_charge_takes_hold_at_once(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_battery_saver_schedule", action="enable", threshold=4) == 400
    assert phone.code("manage_battery_saver_schedule", action="enable", threshold=76) == 400
    schedule = {"action": "enable", "threshold": 50}
    assert message(phone, "manage_battery_saver_schedule", **schedule).endswith("power saving on now")
    schedule_on = {"battery_saver_schedule": "on", "battery_saver_threshold": "50"}
    assert values(phone) == schedule_on | {"battery_mode": "power_saving"}
    phone.data("manage_battery", mode="normal")
    phone.data("manage_battery_saver_schedule", **schedule)  # already so: the user's own choice stays
    assert values(phone) == schedule_on
    charging = start(new_phone, charging="on")
    charging.data("manage_battery_saver_schedule", **schedule)
    assert values(charging) == schedule_on


def test_charging_limits_are_listed(new_phone):
    feedback = start(new_phone).use("manage_charging_protection", action="enable", limit=70)
    assert feedback.code == 400 and "80|85|90|95" in feedback.payload["error"]


# --- device -----------------------------------------------------------------------------------------------------------


def test_device_info(new_phone):
    phone = start(new_phone)
    expected = {"name": "Test Phone", "model": "Pixel 9", "system_version": "15.0.1"}
    assert phone.data("manage_device_info", action="query") == expected
    assert phone.code("manage_device_info", action="query", deviceName="x") == 400
    assert phone.code("manage_device_info", action="rename") == 400
    assert phone.code("manage_device_info", action="rename", deviceName="x" * 33) == 400
    phone.data("manage_device_info", action="rename", deviceName="Reading phone")
    assert values(phone) == {"device_name": "Reading phone"}
    again = message(phone, "manage_device_info", action="rename", deviceName="Reading phone")
    assert again == "Device already named so"


def test_an_update_is_checked_downloaded_and_installed(new_phone):
    phone = start(new_phone, last_restart=NOW)
    assert phone.code("manage_system_update", action="check") == 409  # offline
    phone.data("manage_mobile_data", action="enable")
    assert "new_version" not in phone.data("manage_system_update", action="query")
    assert phone.code("manage_system_update", action="download") == 409  # not checked
    found = phone.data("manage_system_update", action="check")
    assert found == {"state": "available", "version": "15.0.1", "new_version": "15.0.2"}
    assert phone.code("manage_system_update", action="install") == 409
    assert phone.code("manage_system_update", action="download") == 409  # no Wi-Fi
    phone.data("manage_system_update", action="download", useMobileData=True)
    done = message(phone, "manage_system_update", action="download")
    assert done == "Update already downloaded"
    phone.data("manage_system_update", action="install")
    expected = {"mobile_data": "on", "system_version": "15.0.2", "update_offered": "", "update_state": "up_to_date"}
    assert values(phone) == expected
    assert phone.code("manage_system_update", action="download", useMobileData=True) == 409
    assert phone.data("manage_system_update", action="check")["state"] == "up_to_date"


def test_update_limits(new_phone):
    wifi = {"wifi_networks": [{"ssid": "Den", "connected": 1}]}
    phone = start(new_phone, wifi, update_state="available", battery_level="29")
    assert phone.code("manage_system_update", action="check", useMobileData=True) == 400
    phone.data("manage_system_update", action="download")
    assert phone.data("manage_system_update", action="check")["state"] == "downloaded"
    assert phone.code("manage_system_update", action="install") == 409  # battery
    assert values(phone) == {"update_state": "downloaded"}
    assert phone.data("manage_system_update", action="enable_auto")["enabled"] is True
    assert message(phone, "manage_system_update", action="enable_auto") == "Automatic updates already on"
    phone.data("manage_system_update", action="disable_auto")
    assert values(phone) == {"update_state": "downloaded"}


def test_usb_debugging_needs_developer_options(new_phone):
    phone = start(new_phone)
    assert phone.data("manage_usb_debug", action="query")["usb_debug_enabled"] is False
    assert message(phone, "manage_usb_debug", action="disable") == "USB debugging already off"
    assert phone.code("manage_usb_debug", action="enable") == 409
    assert phone.code("manage_developer_options", action="enable", option="stay_awake") == 409
    phone.data("manage_developer_options", action="enable")
    phone.data("manage_developer_options", action="enable", option="stay_awake")
    phone.data("manage_usb_debug", action="enable")
    assert values(phone) == {"developer_options": "on", "developer_stay_awake": "on", "usb_debug": "on"}
    assert message(phone, "manage_usb_debug", action="enable") == "USB debugging already on"
    assert phone.data("manage_developer_options", action="query") == {"enabled": True, "options": ["stay_awake"]}
    phone.data("manage_developer_options", action="disable")
    assert phone.changes() == []  # what depends on them went off too


def test_resetting_settings(new_phone):
    phone = start(
        new_phone,
        {
            "wifi_networks": [{"ssid": r["ssid"], "saved": 0} for r in WORLD["wifi_networks"]]
            + [{"ssid": "Den", "saved": 1, "connected": 1}],
            "bluetooth_devices": [{"name": r["name"], "paired": 0, "connected": 0} for r in WORLD["bluetooth_devices"]]
            + [{"name": "Buds", "paired": 1}],
            "vpn_profiles": [{"name": r["name"], "connected": 0} for r in WORLD["vpn_profiles"]],
        },
        talkback="on",
        desktop_lock="on",
        desktop_app_names="on",
    )
    phone.data("reset_settings", scope="network")
    assert changed(phone) == {
        ("wifi_networks", "Den"): {"saved": 0, "connected": 0},
        ("bluetooth_devices", "Buds"): {"paired": 0},
    }
    before = len(phone.changes())
    phone.data("reset_settings", scope="accessibility")
    phone.data("reset_settings", scope="desktop")
    reset = {
        ("settings", "talkback"): "off",
        ("settings", "touch_hold_delay"): "short",
        ("settings", "desktop_lock"): "off",
    }
    found = changed(phone)
    assert {key: found[key]["value"] for key in reset} == reset and len(found) == before + 3
    for scope in ("network", "accessibility", "desktop"):
        assert message(phone, "reset_settings", scope=scope).endswith("already at their defaults")
    assert phone.code("reset_settings", scope="everything") == 400


def test_a_factory_reset_wants_confirmation_and_charge(new_phone):
    phone = start(new_phone)
    assert phone.code("factory_reset") == 400
    assert phone.code("factory_reset", confirm=False) == 400
    assert start(new_phone, battery_level="29").code("factory_reset", confirm=True) == 409
    phone.data("factory_reset", confirm=True)
    assert changed(phone) == {
        ("settings", "device_power"): {"value": "off"},
        ("settings", "factory_reset_at"): {"key": "factory_reset_at", "value": NOW},
    }
    assert phone.code("manage_device_info", action="query") == 409


# --- all tools, all worlds --------------------------------------------------------------------------------------------

HOSTILE = {
    "string": ["", "  ", "x" * 5000, "🙂" * 40, "'; DROP TABLE settings; --", "%", "a\x00", "名字", 7, None, []],
    "integer": [-1, 0, 10**9, 10**30, -(10**30), "1", 1.5, None, True],
    "boolean": ["yes", 1, None],
    "array": [[""], ["x" * 3000], [3], "x", None, ["名字"] * 500],
}


@pytest.mark.parametrize("item", system_settings.DOMAIN.tools, ids=lambda item: item.spec.name)
def test_hostile_arguments_are_refused_or_harmless(new_phone, item):
    spec = item.spec
    phone = start(new_phone, mobile_data="on")
    properties = spec.parameters["properties"]
    usual = {"string": "Wi-Fi", "integer": 1, "boolean": False, "array": ["Wi-Fi"]}
    base = {name: schema.get("enum", [usual[schema["type"]]])[-1] for name, schema in properties.items()}
    for action in properties.get("action", {}).get("enum", [None]):
        if action is not None:
            base["action"] = action
        for name, schema in properties.items():
            for value in HOSTILE[schema["type"]] if "enum" not in schema else ["", None, 3]:
                before = phone.changes() if action == "query" else None
                given = {n: base[n] for n in base if n == name or n in spec.parameters["required"]}
                feedback = phone.use(spec.name, **(given | {name: value}))
                assert feedback.error_type is not ErrorType.INTERNAL, (action, name, value, feedback.payload)
                assert before is None or phone.changes() == before


def seeded(seed: int) -> dict[str, Any]:
    world = make_world(seed).rows
    keys = {row["key"] for row in WORLD["settings"]} & set(SETTINGS) | set(BACKED_UP)
    settings = {row["key"]: row["value"] for row in world["settings"] if row["key"] in keys}
    return {"settings": settings} | {table: world[table] for table in TABLES}


def test_worlds_are_seeded_varied_and_unambiguous():
    worlds = [seeded(seed) for seed in range(5)]
    assert worlds[3] == seeded(3)
    assert all(one != other for one, other in itertools.pairwise(worlds))
    for world in worlds:
        settings = world["settings"]
        for table in TABLES:
            names = [row.get("name", row.get("app")).casefold() for row in world[table]]
            kinds = [row.get("kind") for row in world[table]]
            assert 2 <= len(names) <= 12 and len(set(zip(names, kinds))) == len(names), table
        assert settings["device_power"] == "on" and settings["language"] in settings["language_list"].split(", ")
        assert settings["input_method"] in settings["input_methods_enabled"].split(", ")
        assert [row["name"] for row in world["user_profiles"] if row["active"]] == ["Owner"]
        assert all(row["page"] <= int(settings["desktop_pages"]) for row in world["desktop_items"])
        assert sum(row["percent"] for row in world["battery_usage"]) <= 100
        assert settings["developer_options"] == "on" or settings["usb_debug"] == "off"
        if settings["battery_mode"] != "normal":
            assert settings["game_mode"] != "performance"
