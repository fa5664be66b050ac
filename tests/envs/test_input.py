"""Input & Interaction: what the screen shows, how it is read, the buttons; the whole domain."""

from __future__ import annotations

import pytest
from input_phone import start
from phone_rows import changed, message, settings, survives

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.input_interaction import DOMAIN
from qpa.envs.sandbox.domains.input_screen import code_kind


def test_screenshots():
    phone = start()
    shot = phone.data("take_screenshot")
    assert shot == {"id": "file_804", "fileName": "Screenshot_20250115_090000_Notes.png"}
    row = {"id": "file_804", "name": shot["fileName"], "kind": "image", "size_kb": 900}
    assert changed(phone)["files", "file_804"].items() >= row.items() and len(phone.changes()) == 1
    second = phone.data("take_screenshot", mode="scrolling")["fileName"]  # in the same second
    assert second == "Screenshot_20250115_090000_Notes_2.png"
    assert changed(phone)["files", "file_805"]["size_kb"] == 3200
    for name in (shot["fileName"], second):
        assert phone.data("extract_screen_text", source="picture", fileName=name) == {"text": "Gate code 9035"}


def test_screens_that_cannot_be_captured():
    home = start(foreground_app="")
    assert home.code("take_screenshot", mode="scrolling") == 409
    assert home.data("take_screenshot", mode="partial")["fileName"] == "Screenshot_20250115_090000.png"
    for state in ({"foreground_app": "Wallet"}, {"screen_power": "off"}):
        phone = start(**state)
        assert phone.code("take_screenshot") == 409
        assert phone.code("extract_screen_text") == 409
        assert phone.code("scan_qr_code", source="screen") == 409


def test_reading_text():
    phone = start()
    assert phone.data("extract_screen_text") == {"text": "Gate code 9035"}
    assert phone.data("extract_screen_text", source="picture", fileName="flyer") == {"text": "Spring Concert"}
    assert phone.code("extract_screen_text", source="picture") == 400
    assert phone.code("extract_screen_text", source="picture", fileName="novel") == 400
    assert phone.code("extract_screen_text", source="picture", fileName="nope") == 404
    assert phone.code("extract_screen_text", source="picture", fileName="blank") == 404
    assert phone.code("extract_screen_text", fileName="flyer") == 400
    assert start(foreground_app="").code("extract_screen_text") == 404
    assert start(screen_overlay="recents").code("extract_screen_text") == 404
    assert phone.changes() == []


def test_scanning_codes():
    phone = start()
    paid = phone.data("scan_qr_code")
    assert paid == {
        "type": "payment",
        "content": "upi://pay?pn=BlueCup&am=4.50",
        "caution": "payment code; confirm with the user first",
    }
    login = phone.data("scan_qr_code", source="picture", fileName="flyer")
    assert login["type"] == "login" and "confirm" in login["caution"]
    plain = phone.data("scan_qr_code", source="screen")
    assert plain == {"type": "url", "content": "https://a.example/notes"}
    assert phone.code("scan_qr_code", source="picture", fileName="blank") == 404
    assert phone.code("scan_qr_code", source="picture") == 400
    assert phone.code("scan_qr_code", fileName="flyer") == 400
    assert phone.changes() == []
    assert start({"visible_contents": [{"source": "camera", "code": ""}]}).code("scan_qr_code") == 404
    assert start(camera_access="off").code("scan_qr_code") == 409
    assert start(denied=("CAMERA",)).code("scan_qr_code") == 403


@pytest.mark.parametrize(
    "content, kind",
    [
        ("https://www.paypal.com/x", "payment"),
        ("https://qr.alipay.com/x", "payment"),
        ("HTTPS://shop.example/checkout?id=1", "payment"),
        ("bitcoin:1A1z", "payment"),
        ("00020101021126", "payment"),
        ("https://papaya.example/menu", "url"),
        ("https://shop.example/?q=pay", "url"),
        ("https://accounts.example/oauth/device", "login"),
        ("otpauth://totp/Mail?secret=A", "login"),
        ("https://blogin.example", "url"),
        ("WIFI:S:Den;T:WPA;P:x;;", "wifi"),
        ("BEGIN:VCARD\nN:Zed", "contact"),
        ("please log in at the desk", "text"),
        ("", "text"),
    ],
)
def test_kinds_of_codes(content, kind):
    assert code_kind(content) == kind


def test_a_scanned_wifi_code_connects():
    network = {"ssid": "Lobby", "password": "lobby123"}
    phone = start(
        {
            "wifi_networks": [network],
            "visible_contents": [{"source": "camera", "code": "WIFI:S:Lobby;T:WPA;P:lobby123;;"}],
        },
        wifi="on",
    )
    fields = dict(part.split(":") for part in phone.data("scan_qr_code")["content"][5:].split(";") if part)
    assert phone.use("connect_wifi", ssid=fields["S"], password=fields["P"]).ok


def test_navigation_buttons():
    phone = start()
    assert message(phone, "press_system_button", button="recents") == "Opened recents"
    assert message(phone, "press_system_button", button="recents") == "Already showing recents"
    assert changed(phone) == settings(screen_overlay="recents")
    assert message(phone, "press_system_button", button="back") == "Showing Notes"
    assert phone.changes() == []
    assert message(phone, "press_system_button", button="back") == "Showing home"
    assert changed(phone) == settings(foreground_app="")
    assert message(phone, "press_system_button", button="home") == "Already at home"
    phone = start(screen_overlay="power_menu")
    assert message(phone, "press_system_button", button="home") == "Showing home"
    assert changed(phone) == settings(screen_overlay="", foreground_app="")
    assert phone.code("press_system_button", button="home", times=2) == 400


def test_the_power_button():
    phone = start()
    assert message(phone, "press_system_button", button="power") == "Screen off"
    assert changed(phone) == settings(screen_power="off")
    assert phone.code("press_system_button", button="home") == 409
    assert phone.use("press_system_button", button="volume_up").ok
    phone.use("press_system_button", button="power")
    assert ("settings", "screen_power") not in changed(phone)


def test_volume_buttons():
    phone = start()
    assert phone.use("press_system_button", button="volume_up", times=3).payload["data"] == {"level": 80}
    assert changed(phone) == settings(media_volume="80")
    assert phone.use("press_system_button", button="volume_down", times=10).payload["data"] == {"level": 0}
    assert changed(phone) == settings(media_volume="0", media_volume_before_mute="80")
    assert message(phone, "press_system_button", button="volume_down") == "Media volume already 0"
    phone.use("press_system_button", button="volume_up", times=5)
    assert phone.changes() == []
    for times in (0, 11, -5):
        assert phone.code("press_system_button", button="volume_up", times=times) == 400
    limited = start(volume_limit="on", volume_limit_level="55")
    assert limited.use("press_system_button", button="volume_up").payload["data"] == {"level": 55}


def test_floating_windows():
    phone = start()
    phone.data("manage_floating_window", action="open", appName="maps")
    assert changed(phone) == {("app_windows", "Maps"): {"app": "Maps", "place": "floating"}}
    assert message(phone, "manage_floating_window", action="open", appName="Maps") == "Floating window already open"
    assert phone.code("manage_floating_window", action="open", appName="No Such") == 404
    assert phone.code("manage_floating_window", action="open") == 400
    phone.data("manage_floating_window", action="open", appName="Clock")
    assert phone.code("manage_floating_window", action="open", appName="Music") == 409
    assert phone.data("manage_floating_window", action="query")["items"] == [{"app": "Clock"}, {"app": "Maps"}]
    phone.data("manage_floating_window", action="close", appName="Maps")
    phone.data("manage_floating_window", action="close", appName="Clock")
    assert phone.changes() == []
    assert message(phone, "manage_floating_window", action="close", appName="Maps") == "Floating window already closed"
    split = start({"app_windows": [{"app": "Maps", "place": "top"}, {"app": "Notes", "place": "bottom"}]})
    assert split.code("manage_floating_window", action="open", appName="Maps") == 409
    assert message(split, "manage_floating_window", action="close", appName="Maps").endswith("already closed")
    denied = start(denied=("SYSTEM_ALERT_WINDOW",))
    assert denied.code("manage_floating_window", action="open", appName="Maps") == 403


def test_split_screen():
    phone = start({"app_windows": [{"app": "Maps", "place": "floating"}]})
    assert phone.data("manage_split_screen", action="query") == {"apps": []}
    assert phone.code("manage_split_screen", action="swap") == 409
    assert phone.code("manage_split_screen", action="start", topApp="Maps") == 400
    assert phone.code("manage_split_screen", action="start", topApp="Maps", bottomApp="maps") == 400
    assert phone.data("manage_split_screen", action="start", bottomApp="Maps") == {"apps": ["Notes", "Maps"]}
    notes = {"app": "Notes", "place": "top"}
    assert changed(phone) == {("app_windows", "Notes"): notes, ("app_windows", "Maps"): {"place": "bottom"}}
    again = message(phone, "manage_split_screen", action="start", topApp="notes", bottomApp="maps")
    assert again == "Split screen already on"
    assert phone.code("manage_split_screen", action="start", topApp="Clock", bottomApp="Maps") == 409
    assert phone.data("manage_split_screen", action="swap") == {"apps": ["Maps", "Notes"]}
    assert phone.code("manage_one_handed_mode", action="enable") == 409
    phone.data("manage_split_screen", action="exit")
    assert message(phone, "manage_split_screen", action="exit") == "Split screen already off"
    call = {"action": "start", "topApp": "Clock", "bottomApp": "Music"}
    assert start(one_handed_mode="on").code("manage_split_screen", **call) == 409
    assert start(screen_power="off").code("manage_split_screen", **call) == 409


HOSTILE = ("'; DROP TABLE files; --", "名字🙂", "%", "1" * 2000, "2025-02-30")


@pytest.mark.parametrize("item", DOMAIN.tools, ids=lambda t: t.spec.name)
def test_hostile_arguments_are_refused_or_harmless(item):
    survives(start(), item.spec, HOSTILE)


@pytest.mark.parametrize("seed", range(8))
def test_seeded_screens_and_codes(seed):
    rows = make_world(seed).rows
    assert rows == make_world(seed).rows
    files = {row["id"]: row for row in rows["files"]}
    assert len({row["name"].casefold() for row in files.values()}) == len(files)
    known = {row["name"] for row in rows["apps"]} | set(files) | {"camera"}
    assert {row["source"] for row in rows["visible_contents"]} <= known
    on = {row["key"]: row["value"] for row in rows["settings"]}
    assert on["foreground_app"] in {"", *known}
    assert set(on["sidebar_apps"].split(", ")) <= known
    camera = next(row["code"] for row in rows["visible_contents"] if row["source"] == "camera")
    if code_kind(camera) == "wifi":
        fields = dict(part.split(":") for part in camera[5:].split(";") if part)
        network = next(row for row in rows["wifi_networks"] if row["ssid"] == fields["S"])
        assert (network["password"], network["saved"]) == (fields["P"], 0)


def test_worlds_differ():
    for table in ("visible_contents", "clipboard_items", "text_shortcuts"):
        assert len({str(make_world(seed).rows[table]) for seed in range(6)}) > 2, table
    cameras = {
        str(r) for seed in range(12) for r in make_world(seed).rows["visible_contents"] if r["source"] == "camera"
    }
    assert len(cameras) > 3
