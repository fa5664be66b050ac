"""Network & Connectivity: settings that depend on each other, and links that need their radio."""

from __future__ import annotations

from typing import Any

import pytest
from phone_rows import changed

from qpa.envs.sandbox import make_world

OFF = {key: "off" for key in ("wifi", "bluetooth", "mobile_data", "hotspot", "nfc", "airplane_mode", "data_saver")} | {
    "nfc_mode": "read_write",
    "hotspot_name": "MyPhone",
    "hotspot_password": "secret99",
    "hotspot_band": "5GHz",
}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **switches: str) -> Any:
    """World 0 with every radio off and nothing connected, then the given switches and rows."""
    world = make_world(0).rows
    patch: dict[str, list[dict[str, Any]]] = {
        "settings": [{"key": k, "value": v} for k, v in (OFF | switches).items()],
        "wifi_networks": [{"ssid": r["ssid"], "connected": 0} for r in world["wifi_networks"]]
        + [
            {"ssid": "Den", "password": "denpass1", "saved": 1},
            {"ssid": "Den_Upstairs", "password": "denpass2"},
            {"ssid": "Lobby", "password": "lobby123"},
            {"ssid": "Plaza"},
        ],
        "bluetooth_devices": [{"name": r["name"], "connected": 0} for r in world["bluetooth_devices"]]
        + [{"name": "Red Buds", "paired": 1}, {"name": "Red Speaker"}],
        "vpn_profiles": [{"name": r["name"], "connected": 0} for r in world["vpn_profiles"]],
        "sims": [{"slot": 1, "enabled": 1, "is_data": 1}, {"slot": 2, "enabled": 1, "is_data": 0}],
    }
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return new_phone(patch=patch)


@pytest.mark.parametrize(
    "tool, key, label",
    [
        ("manage_wifi", "wifi", "Wi-Fi"),
        ("manage_bluetooth", "bluetooth", "Bluetooth"),
        ("manage_mobile_data", "mobile_data", "Mobile data"),
        ("manage_nfc", "nfc", "NFC"),
        ("manage_airplane_mode", "airplane_mode", "Airplane mode"),
        ("manage_data_saver", "data_saver", "Data saver"),
    ],
)
def test_a_switch_changes_one_row_and_repeating_it_changes_nothing(new_phone, tool, key, label):
    phone = start(new_phone)
    assert phone.data(tool, action="query")["enabled"] is False
    assert phone.use(tool, action="disable").payload["message"] == f"{label} already off"
    assert phone.changes() == []
    assert phone.data(tool, action="enable")["enabled"] is True
    assert changed(phone) == {("settings", key): {"value": "on"}}
    again = phone.use(tool, action="enable")
    assert again.ok and again.payload["message"] == f"{label} already on"
    assert phone.data(tool, action="query")["enabled"] is True
    phone.use(tool, action="disable")
    assert phone.changes() == []


def test_airplane_mode_drops_every_link_and_leaving_it_restores_nothing(new_phone):
    phone = start(
        new_phone,
        {
            "wifi_networks": [{"ssid": "Den", "connected": 1}],
            "bluetooth_devices": [{"name": "Red Buds", "connected": 1}],
            "vpn_profiles": [{"name": "Home VPN", "connected": 1}],
        },
        wifi="on",
        bluetooth="on",
        mobile_data="on",
        hotspot="on",
        nfc="on",
    )
    phone.data("manage_airplane_mode", action="enable")
    dropped = {
        ("settings", "wifi"): {"value": "off"},
        ("settings", "bluetooth"): {"value": "off"},
        ("settings", "mobile_data"): {"value": "off"},
        ("settings", "hotspot"): {"value": "off"},
        ("wifi_networks", "Den"): {"connected": 0},
        ("bluetooth_devices", "Red Buds"): {"connected": 0},
        ("vpn_profiles", "Home VPN"): {"connected": 0},
    }
    assert changed(phone) == {("settings", "airplane_mode"): {"value": "on"}} | dropped
    phone.data("manage_airplane_mode", action="disable")
    assert changed(phone) == dropped


def test_airplane_mode_first_then_bluetooth_again(new_phone):
    phone = start(new_phone, bluetooth="on")
    phone.data("manage_airplane_mode", action="enable")
    assert phone.code("manage_mobile_data", action="enable") == 409
    phone.data("manage_bluetooth", action="enable")
    phone.data("pair_bluetooth_device", deviceName="Red Buds")
    repeated = phone.use("manage_airplane_mode", action="enable")
    assert repeated.payload["message"] == "Airplane mode already on"
    assert changed(phone) == {
        ("settings", "airplane_mode"): {"value": "on"},
        ("bluetooth_devices", "Red Buds"): {"connected": 1},
    }


def test_connecting_wifi(new_phone):
    assert start(new_phone).code("connect_wifi", ssid="Den") == 409
    phone = start(new_phone, wifi="on")
    assert phone.code("connect_wifi", ssid="Nowhere") == 404
    assert phone.code("connect_wifi", ssid="Lobby") == 400
    assert phone.code("connect_wifi", ssid="Lobby", password="wrong") == 400
    phone.data("connect_wifi", ssid="den")
    assert changed(phone) == {("wifi_networks", "Den"): {"connected": 1}}
    assert phone.use("connect_wifi", ssid="Den").payload["message"] == "Wi-Fi already connected"
    phone.data("connect_wifi", ssid="Lobby", password="lobby123")
    assert changed(phone) == {("wifi_networks", "Lobby"): {"connected": 1, "saved": 1}}
    phone.data("connect_wifi", ssid="Plaza")  # open
    status = phone.data("manage_wifi", action="query")
    assert status["connected"] == "Plaza" and {"Den", "Lobby", "Plaza"} <= set(status["saved"])
    assert not set(status["saved"]) & set(status["others"])


def test_no_answer_shows_a_password_of_a_network(new_phone):
    phone = start(new_phone, wifi="on")
    for feedback in (phone.use("manage_wifi", action="query"), phone.use("connect_wifi", ssid="Den")):
        assert "denpass1" not in str(feedback.payload)


def test_forgetting_wifi(new_phone):
    phone = start(new_phone, {"wifi_networks": [{"ssid": "Den", "connected": 1}]}, wifi="on")
    assert phone.code("forget_wifi", ssid="Lobby") == 404  # never saved
    phone.data("manage_vpn", action="connect", profile="Home VPN")
    phone.data("forget_wifi", ssid="Den")
    assert changed(phone) == {("wifi_networks", "Den"): {"saved": 0, "connected": 0}}  # the VPN fell with it
    assert phone.code("connect_wifi", ssid="Den") == 400


def test_bluetooth_devices(new_phone):
    assert start(new_phone).code("pair_bluetooth_device", deviceName="Red Buds") == 409
    phone = start(new_phone, bluetooth="on")
    assert phone.code("pair_bluetooth_device", deviceName="Toaster") == 404
    assert phone.code("disconnect_bluetooth_device", deviceName="Toaster") == 404
    ambiguous = phone.use("pair_bluetooth_device", deviceName="red")
    assert ambiguous.code == 409 and "Red Buds, Red Speaker" in ambiguous.payload["error"]
    phone.data("pair_bluetooth_device", deviceName="red speaker")
    assert changed(phone) == {("bluetooth_devices", "Red Speaker"): {"paired": 1, "connected": 1}}
    assert phone.use("pair_bluetooth_device", deviceName="Red Speaker").payload["message"] == "Device already connected"
    phone.data("disconnect_bluetooth_device", deviceName="Red Speaker")
    assert changed(phone) == {("bluetooth_devices", "Red Speaker"): {"paired": 1}}
    again = phone.use("disconnect_bluetooth_device", deviceName="Red Speaker")
    assert again.payload["message"] == "Device already disconnected"
    assert "Red Speaker" in phone.data("manage_bluetooth", action="query")["paired"]


def test_pairing_needs_its_permission(new_phone):
    phone = new_phone(denied_permissions=["BLUETOOTH_CONNECT"])
    assert phone.code("pair_bluetooth_device", deviceName="x") == 403


def test_hotspot_needs_mobile_data(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_hotspot", action="enable") == 409
    phone.data("manage_mobile_data", action="enable")
    payload = phone.use("manage_hotspot", action="enable").payload
    assert payload == {
        "success": True,
        "action": "enable",
        "message": "Hotspot on",
        "hotspot_status": {"enabled": True, "ssid": "MyPhone", "password": "secret99"},
    }
    assert phone.use("manage_hotspot", action="enable").payload["message"] == "Hotspot already on"
    phone.data("manage_mobile_data", action="disable")
    assert phone.use("manage_hotspot", action="query").payload["hotspot_status"]["enabled"] is False
    assert phone.changes() == []


def test_hotspot_settings(new_phone):
    phone = start(new_phone)
    payload = phone.use("configure_hotspot", settingItem="hotspot_name", settingValue="GuestOnly").payload
    assert payload == {
        "status": "success",
        "message": "Hotspot setting changed",
        "settingItem": "hotspot_name",
        "old_value": "MyPhone",
        "new_value": "GuestOnly",
        "code": 200,
    }
    phone.use("configure_hotspot", settingItem="band", settingValue="2.4 ghz")
    phone.use("configure_hotspot", settingItem="password", settingValue="longenough")
    phone.use("configure_hotspot", settingItem="max_devices", settingValue="3")
    assert changed(phone) == {
        ("settings", "hotspot_name"): {"value": "GuestOnly"},
        ("settings", "hotspot_band"): {"value": "2.4GHz"},
        ("settings", "hotspot_password"): {"value": "longenough"},
        ("settings", "hotspot_max_devices"): {"value": "3"},
    }


@pytest.mark.parametrize(
    "item, value",
    [
        ("hotspot_name", "x" * 33),
        ("password", "short77"),
        ("password", "x" * 64),
        ("band", "6GHz"),
        ("max_devices", "0"),
        ("max_devices", "11"),
        ("max_devices", "many"),
        ("max_devices", "٣"),
        ("max_devices", "1" * 2000),
    ],
)
def test_bad_hotspot_values(new_phone, item, value):
    assert start(new_phone).code("configure_hotspot", settingItem=item, settingValue=value) == 400


def test_nfc_modes(new_phone):
    phone = start(new_phone)
    assert phone.data("manage_nfc", action="enable", mode="tap_to_pay") == {"enabled": True, "mode": "tap_to_pay"}
    assert changed(phone) == {
        ("settings", "nfc"): {"value": "on"},
        ("settings", "nfc_mode"): {"value": "tap_to_pay"},
    }
    assert phone.use("manage_nfc", action="enable", mode="tap_to_pay").payload["message"] == "NFC already on"
    assert phone.code("manage_nfc", action="disable", mode="tap_to_pay") == 400


def test_vpn(new_phone):
    assert start(new_phone).code("manage_vpn", action="connect", profile="Home VPN") == 409  # nothing carries it
    phone = start(new_phone, mobile_data="on")
    assert phone.code("manage_vpn", action="connect") == 400
    assert phone.code("manage_vpn", action="connect", profile="School VPN") == 404
    phone.data("manage_vpn", action="connect", profile="home vpn")
    phone.data("manage_vpn", action="connect", profile="Office VPN")
    assert changed(phone) == {("vpn_profiles", "Office VPN"): {"connected": 1}}
    assert phone.use("manage_vpn", action="connect", profile="Office VPN").payload["message"] == "VPN already connected"
    phone.data("manage_vpn", action="disconnect", profile="Home VPN")  # not the active one
    assert phone.data("manage_vpn", action="query")["connected"] == "Office VPN"
    phone.data("manage_vpn", action="disconnect")
    assert phone.changes() == []
    assert phone.use("manage_vpn", action="disconnect").payload["message"] == "VPN already disconnected"


def test_the_vpn_survives_while_another_network_is_left(new_phone):
    phone = start(new_phone, {"wifi_networks": [{"ssid": "Den", "connected": 1}]}, wifi="on", mobile_data="on")
    phone.data("manage_vpn", action="connect", profile="Home VPN")
    phone.data("manage_wifi", action="disable")
    assert phone.data("manage_vpn", action="query")["connected"] == "Home VPN"
    phone.data("manage_mobile_data", action="disable")
    assert phone.data("manage_vpn", action="query")["connected"] == ""


def test_sims(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_sim", action="enable") == 400
    assert phone.code("manage_sim", action="switch", slot=3) == 404
    phone.data("manage_sim", action="switch")
    assert changed(phone) == {("sims", 1): {"is_data": 0}, ("sims", 2): {"is_data": 1}}
    assert phone.use("manage_sim", action="switch", slot=2).payload["message"] == "SIM 2 already used for data"
    phone.data("manage_sim", action="disable", slot=2)  # data moves to the SIM that is left
    assert changed(phone) == {("sims", 2): {"enabled": 0}}
    assert phone.code("manage_sim", action="disable", slot=1) == 409
    assert phone.code("manage_sim", action="switch", slot=2) == 409
    assert phone.use("manage_sim", action="disable", slot=2).payload["message"] == "SIM 2 already off"
    assert [s["data"] for s in phone.data("manage_sim", action="query")["items"]] == [True, False]


def test_data_usage_grows_with_its_period(phone):
    used = [phone.data("query_data_usage", period=p)["used_mb"] for p in ("today", "week", "month")]
    assert used == sorted(used) and used[0] > 0
    assert phone.data("query_data_usage") == phone.data("query_data_usage", period="month")
    assert phone.data("query_data_usage")["plan_mb"] > 0


@pytest.mark.parametrize("seed", range(40))
def test_seeded_states_respect_the_dependencies(seed):
    rows = make_world(seed).rows
    on = {r["key"]: r["value"] == "on" for r in rows["settings"]}
    wifi = [r for r in rows["wifi_networks"] if r["connected"]]
    bluetooth = [r for r in rows["bluetooth_devices"] if r["connected"]]
    assert len(wifi) <= 1 and all(r["saved"] for r in wifi) and all(r["paired"] for r in bluetooth)
    assert on["wifi"] or not wifi
    assert on["bluetooth"] or not bluetooth
    assert on["mobile_data"] or not on["hotspot"]
    assert not on["airplane_mode"] or not (on["wifi"] or on["bluetooth"] or on["mobile_data"])
    assert wifi or on["mobile_data"] or not any(r["connected"] for r in rows["vpn_profiles"])
    assert [r["is_data"] for r in rows["sims"]] in ([0, 1], [1, 0])
