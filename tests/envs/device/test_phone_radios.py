"""Radios, services, time zone and properties of the double: `svc`, `cmd`, `getprop`, `wm`."""

from __future__ import annotations

import pytest
from double_phone import Handset


def wifi_hand(android: int = 13) -> Handset:
    networks = [
        {"ssid": "CafeLibre", "password": "", "saved": 0, "connected": 0},
        {"ssid": "HomeNet_5G", "password": "secret123", "saved": 1, "connected": 1},
        {"ssid": "Office", "password": "office123", "saved": 0, "connected": 0},
    ]
    hand = Handset(android, patch={"settings": [{"key": "wifi", "value": "on"}]})
    hand.phone.write_row("DELETE FROM wifi_networks")
    for row in networks:
        hand.phone.session.write(lambda ctx, row=row: ctx.insert("wifi_networks", **row))
    return hand


def test_wifi():
    hand = wifi_hand()
    status = ("cmd", "wifi", "status")
    assert hand.sh("cmd", "wifi", "list-networks").splitlines() == [
        "Network Id      SSID                         Security type",
        "1            HomeNet_5G                       wpa2-psk",
    ]
    rows = hand.sh("cmd", "wifi", "list-scan-results").splitlines()[1:]
    assert [(row.split()[4], row.split()[5]) for row in rows] == [
        ("CafeLibre", "[ESS]"),
        ("HomeNet_5G", "[WPA2-PSK-CCMP][ESS]"),
        ("Office", "[WPA2-PSK-CCMP][ESS]"),
    ]
    assert 'Wifi is connected to "HomeNet_5G"\n' in hand.sh(*status)
    assert hand.sh("cmd", "wifi", "connect-network", "Office", "wpa2", "wrong-one") == "Connection initiated \n"
    assert 'Wifi is connected to "HomeNet_5G"\n' in hand.sh(*status)  # a wrong password only shows here
    hand.sh("cmd", "wifi", "connect-network", "CafeLibre", "open")
    assert 'Wifi is connected to "CafeLibre"\n' in hand.sh(*status)
    assert hand.sh("cmd", "wifi", "forget-network", "1") == "Forget successful\n"
    assert hand.all("cmd", "wifi", "forget-network", "1")[2] == 1
    hand.sh("cmd", "-w", "wifi", "set-wifi-enabled", "disabled")
    assert (
        hand.sh(*status).startswith("Wifi is disabled\n")
        and hand.sh("cmd", "wifi", "list-scan-results") == "No scan results\n"
    )
    assert wifi_hand(10).all(*status)[2] == 255


def test_switches_of_services():
    off = ("bluetooth", "nfc", "mobile_data", "airplane_mode", "data_saver", "dark_mode", "dnd", "location")
    hand = Handset(14, patch={"settings": [{"key": key, "value": "off"} for key in off]})
    for words in (
        "svc bluetooth enable",
        "svc nfc enable",
        "svc data enable",
        "cmd netpolicy set restrict-background true",
        "cmd uimode night yes",
        "cmd notification set_dnd on",
        "cmd location set-location-enabled true",
    ):
        assert hand.line(words)[1:] == ("", 0)
    assert all(hand.phone.is_on(key) for key in off if key != "airplane_mode")
    assert hand.sh("dumpsys", "nfc").startswith("mState=on\n")
    assert hand.sh("cmd", "netpolicy", "get", "restrict-background") == "Restrict background status: enabled\n"
    assert hand.sh("cmd", "uimode", "night") == "Night mode: yes\n"
    assert hand.sh("cmd", "location", "is-location-enabled") == "true\n"
    hand.sh("cmd", "connectivity", "airplane-mode", "enable")
    _, err, code = hand.line("svc data enable")
    assert code == 255 and err.startswith("java.lang.IllegalStateException: Airplane mode is on")


@pytest.mark.parametrize(
    ("android", "command"), [(10, ("service", "call", "alarm", "3", "s16")), (12, ("cmd", "alarm", "set-timezone"))]
)
def test_time_zone(android: int, command: tuple[str, ...]):
    hand = Handset(android, patch={"settings": [{"key": "time_zone", "value": "Shanghai"}]})
    hand.sh(*command, "Asia/Tokyo")
    assert hand.phone.setting("time_zone") == "Tokyo" and hand.sh("getprop", "persist.sys.timezone") == "Asia/Tokyo\n"
    hand.sh(*command, "Mars/Olympus")
    assert hand.phone.setting("time_zone") == "Tokyo"


def test_properties_and_sizes():
    hand = Handset(13, patch={"settings": [{"key": "device_model", "value": "Pixel 9"}]})
    shown = hand.sh("getprop").splitlines()
    assert {
        "[ro.build.version.release]: [13]",
        "[ro.build.version.sdk]: [33]",
        "[sys.boot_completed]: [1]",
        "[ro.product.model]: [Pixel 9]",
        "[init.svc.bootanim]: [stopped]",
    } <= set(shown)
    assert hand.sh("getprop", "nothing") == "\n"
    assert hand.sh("wm", "size") == "Physical size: 1080x2340\n"
    hand.sh("wm", "size", "720x1600")
    assert hand.sh("wm", "size") == "Physical size: 1080x2340\nOverride size: 720x1600\n"
    assert hand.tree()[0]["bounds"] == "[0,0][720,1600]"
    hand.sh("wm", "size", "reset")
    assert hand.sh("wm", "density") == "Physical density: 420\n" and hand.all("wm", "size", "0x0")[2] == 1
