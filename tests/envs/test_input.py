"""Input & Interaction: what the screen shows, what the buttons and gestures do, and what typing remembers."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from qpa.contract import ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains import input_gestures, input_text
from qpa.envs.sandbox.domains.input_interaction import DOMAIN
from qpa.envs.sandbox.domains.input_screen import code_kind

SETTINGS = {
    "foreground_app": "Notes", "screen_overlay": "", "screen_power": "on", "battery_mode": "normal",
    "media_volume": "50", "media_volume_before_mute": "", "volume_limit": "off", "voice_assistant": "on",
    "always_on_display": "off", "aod_mode": "tap", "aod_start": "08:00", "aod_end": "22:00", "aod_style": "analog",
    "one_handed_mode": "off", "one_handed_side": "right", "floating_ball": "off", "floating_ball_tap": "menu",
    "floating_ball_opacity": "60", "smart_sidebar": "off", "sidebar_side": "right", "sidebar_apps": "Maps, Notes",
    "touch_sensitivity": "standard", "side_key_double": "off", "side_key_long": "power_menu",
    "keyboard_height": "normal", "keyboard_haptic_strength": "light", "keyboard_key_vibration": "on",
    "voice_typing": "off", "voice_typing_language": "English", "voice_typing_punctuation": "off",
    **{f"air_gesture_{name}": "off" for name in get_args(input_gestures.AirGesture)},
    **{f"motion_{name}": "off" for name in get_args(input_gestures.MotionGesture)},
    **{f"gesture_{name}": "off" for name in get_args(input_gestures.ShortcutGesture)},
}  # fmt: skip
CONTENTS = [
    {"source": "Notes", "text": "Gate code 9035", "code": "https://a.example/notes"},
    {"source": "Wallet", "text": "Card 4471", "protected": 1},
    {"source": "camera", "code": "upi://pay?pn=BlueCup&am=4.50"},
    {"source": "file_801", "text": "Spring Concert", "code": "https://login.example/s/1"},
]
FILES = [
    {"id": "file_801", "name": "Flyer.jpg", "kind": "image"},
    {"id": "file_802", "name": "Blank.png", "kind": "image"},
    {"id": "file_803", "name": "Novel.pdf", "kind": "document"},
]


@pytest.fixture
def start(new_phone: Any) -> Any:
    """A phone with the settings above, some readable contents, and the given settings and rows."""

    def make(
        tables: dict[str, list[dict[str, Any]]] | None = None, denied: tuple[str, ...] = (), **settings: str
    ) -> Any:
        patch: dict[str, list[dict[str, Any]]] = {
            "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
            "visible_contents": CONTENTS,
            "files": FILES,
        }
        for table, rows in (tables or {}).items():
            patch[table] = patch.get(table, []) + rows
        return new_phone(patch=patch, denied_permissions=list(denied))

    return make


def changed(phone: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(c.table, *c.key.values()): c.new for c in phone.changes()}


def settings(**values: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {("settings", key): {"value": value} for key, value in values.items()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]


# --- screen ---------------------------------------------------------------------------------------------------------


def test_screenshots(start):
    phone = start()
    shot = phone.data("take_screenshot")
    assert shot == {"id": "file_804", "fileName": "Screenshot_20250115_090000_Notes.png"}
    row = {"id": "file_804", "name": shot["fileName"], "kind": "image", "size_kb": 900}
    assert changed(phone) == {("files", "file_804"): row}
    second = phone.data("take_screenshot", mode="scrolling")["fileName"]  # in the same second
    assert second == "Screenshot_20250115_090000_Notes_2.png"
    assert changed(phone)["files", "file_805"]["size_kb"] == 3200
    for name in (shot["fileName"], second):
        assert phone.data("extract_screen_text", source="picture", fileName=name) == {"text": "Gate code 9035"}


def test_screens_that_cannot_be_captured(start):
    home = start(foreground_app="")
    assert home.code("take_screenshot", mode="scrolling") == 409
    assert home.data("take_screenshot", mode="partial")["fileName"] == "Screenshot_20250115_090000.png"
    for state in ({"foreground_app": "Wallet"}, {"screen_power": "off"}):
        phone = start(**state)
        assert phone.code("take_screenshot") == 409
        assert phone.code("extract_screen_text") == 409
        assert phone.code("scan_qr_code", source="screen") == 409


def test_reading_text(start):
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


def test_scanning_codes(start):
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


def test_a_scanned_wifi_code_connects(start):
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


def test_navigation_buttons(start):
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


def test_the_power_button(start):
    phone = start()
    assert message(phone, "press_system_button", button="power") == "Screen off"
    assert changed(phone) == settings(screen_power="off")
    assert phone.code("press_system_button", button="home") == 409
    assert phone.use("press_system_button", button="volume_up").ok
    phone.use("press_system_button", button="power")
    assert ("settings", "screen_power") not in changed(phone)


def test_volume_buttons(start):
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


def test_floating_windows(start):
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


def test_split_screen(start):
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


# --- gestures, keys, aids -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tool, prefix, gesture, label",
    [
        ("manage_air_gestures", "air_gesture_", "screenshot", "Air gesture"),
        ("manage_motion_gestures", "motion_", "flip_to_mute", "Motion gesture"),
    ],
)
def test_gesture_switches(start, tool, prefix, gesture, label):
    phone = start()
    assert phone.data(tool, action="enable", gesture=gesture) == {gesture: True}
    assert changed(phone) == settings(**{prefix + gesture: "on"})
    assert message(phone, tool, action="enable", gesture=gesture) == f"{label} already on"
    shown = phone.data(tool, action="query")
    assert shown[gesture] is True and sum(shown.values()) == 1
    phone.data(tool, action="disable", gesture=gesture)
    assert phone.changes() == []
    assert message(phone, tool, action="disable", gesture=gesture) == f"{label} already off"


def test_air_gestures_all_at_once(start):
    phone = start(air_gesture_scroll="on")
    phone.data("manage_air_gestures", action="enable")
    assert len(phone.changes()) == 3
    saving = start(battery_mode="super_saving")
    assert saving.code("manage_air_gestures", action="enable") == 409
    assert saving.use("manage_air_gestures", action="disable").ok
    assert phone.code("manage_motion_gestures", action="enable") == 400


def test_gesture_shortcuts(start):
    phone = start()
    call = {"action": "set", "gesture": "double_tap_back"}
    phone.data("manage_gesture_shortcuts", **call, function="flashlight")
    assert changed(phone) == settings(gesture_double_tap_back="flashlight")
    assert message(phone, "manage_gesture_shortcuts", **call, function="flashlight") == "Gesture already flashlight"
    set_app = phone.data("manage_gesture_shortcuts", **call, function="open_app", appName="maps")
    assert set_app["function"] == "open_app: Maps"
    assert phone.data("manage_gesture_shortcuts", action="query", gesture="double_tap_back") == {
        "double_tap_back": "open_app: Maps"
    }
    assert phone.code("manage_gesture_shortcuts", **call) == 400
    assert phone.code("manage_gesture_shortcuts", **call, function="open_app") == 400
    assert phone.code("manage_gesture_shortcuts", **call, function="camera", appName="Maps") == 400
    assert phone.code("manage_gesture_shortcuts", **call, function="open_app", appName="Nope") == 404
    assert phone.code("manage_gesture_shortcuts", action="clear") == 400
    phone.data("manage_gesture_shortcuts", action="clear", gesture="double_tap_back")
    assert phone.changes() == []
    silent = start(voice_assistant="off")
    assert silent.code("manage_gesture_shortcuts", **call, function="voice_assistant") == 409


def test_side_key(start):
    phone = start()
    answer = phone.data("manage_side_key", action="set", press="long", function="voice_assistant")
    assert answer == {"long": "voice_assistant"}
    phone.data("manage_side_key", action="set", press="double", function="open_app", appName="clock")
    assert changed(phone) == settings(side_key_long="voice_assistant", side_key_double="open_app: Clock")
    again = message(phone, "manage_side_key", action="set", press="long", function="voice_assistant")
    assert again == "Side key already so"
    assert phone.data("manage_side_key", action="query") == {"double": "open_app: Clock", "long": "voice_assistant"}
    assert phone.code("manage_side_key", action="set", press="double", function="power_menu") == 400
    assert phone.code("manage_side_key", action="set", press="long") == 400
    silent = start(voice_assistant="off")
    assert silent.code("manage_side_key", action="set", press="long", function="voice_assistant") == 409


def test_always_on_display(start):
    phone = start()
    assert phone.data("manage_always_on_display", action="enable") == {
        "enabled": True,
        "mode": "tap",
        "style": "analog",
    }
    assert message(phone, "manage_always_on_display", action="enable") == "Always-on display already on"
    call = {"action": "enable", "mode": "scheduled", "startTime": "7 am", "endTime": "23:30", "style": "picture"}
    assert message(phone, "manage_always_on_display", **call) == "Always-on display changed"
    assert changed(phone) == settings(
        always_on_display="on", aod_mode="scheduled", aod_start="07:00", aod_end="23:30", aod_style="picture"
    )
    assert phone.data("manage_always_on_display", action="query")["startTime"] == "07:00"
    assert phone.code("manage_always_on_display", **(call | {"endTime": "07:00"})) == 400
    assert phone.code("manage_always_on_display", **(call | {"endTime": "whenever"})) == 400
    assert phone.code("manage_always_on_display", action="disable", style="digital") == 400
    phone.data("manage_always_on_display", action="disable")
    assert message(phone, "manage_always_on_display", action="disable") == "Always-on display already off"
    assert start().code("manage_always_on_display", action="enable", startTime="7 am") == 400
    for mode in ("power_saving", "super_saving"):
        assert start(battery_mode=mode).code("manage_always_on_display", action="enable") == 409


def test_one_handed_mode(start):
    phone = start()
    assert phone.data("manage_one_handed_mode", action="enable", side="left") == {"enabled": True, "side": "left"}
    assert changed(phone) == settings(one_handed_mode="on", one_handed_side="left")
    assert message(phone, "manage_one_handed_mode", action="enable", side="left") == "One-handed mode already on"
    assert phone.code("manage_one_handed_mode", action="disable", side="left") == 400
    phone.data("manage_one_handed_mode", action="disable")
    assert phone.data("manage_one_handed_mode", action="query") == {"enabled": False, "side": "left"}


def test_floating_ball(start):
    phone = start()
    ball = phone.data("manage_floating_ball", action="enable", tapAction="screenshot", opacity=40)
    assert ball == {"enabled": True, "tapAction": "screenshot", "opacity": 40}
    on = settings(floating_ball="on", floating_ball_tap="screenshot", floating_ball_opacity="40")
    assert changed(phone) == on
    assert message(phone, "manage_floating_ball", action="enable") == "Floating ball already on"
    assert message(phone, "manage_floating_ball", action="enable", opacity=50) == "Floating ball changed"
    for opacity in (9, 101):
        assert phone.code("manage_floating_ball", action="enable", opacity=opacity) == 400
    assert phone.code("manage_floating_ball", action="disable", opacity=50) == 400
    assert start(denied=("SYSTEM_ALERT_WINDOW",)).code("manage_floating_ball", action="enable") == 403


def test_sidebar(start):
    phone = start()
    phone.data("manage_smart_sidebar", action="enable", side="left")
    assert phone.data("manage_smart_sidebar", action="add_app", appName="clock")["apps"] == ["Maps", "Notes", "Clock"]
    assert changed(phone) == settings(smart_sidebar="on", sidebar_side="left", sidebar_apps="Maps, Notes, Clock")
    assert message(phone, "manage_smart_sidebar", action="enable") == "Sidebar already on"
    again = message(phone, "manage_smart_sidebar", action="add_app", appName="Clock")
    assert again == "Clock already in the sidebar"
    assert phone.data("manage_smart_sidebar", action="remove_app", appName="Maps")["apps"] == ["Notes", "Clock"]
    assert phone.code("manage_smart_sidebar", action="remove_app", appName="Maps") == 404
    assert phone.code("manage_smart_sidebar", action="add_app", appName="Nope") == 404
    assert phone.code("manage_smart_sidebar", action="add_app") == 400
    assert phone.code("manage_smart_sidebar", action="disable", side="left") == 400
    full = start(sidebar_apps=", ".join("ABCDEFGH"))
    assert full.code("manage_smart_sidebar", action="add_app", appName="Maps") == 409


def test_touch_sensitivity(start):
    phone = start()
    phone.data("manage_touch_sensitivity", action="set", level="glove")
    assert changed(phone) == settings(touch_sensitivity="glove")
    repeated = message(phone, "manage_touch_sensitivity", action="set", level="glove")
    assert repeated == "Touch sensitivity already glove"
    assert phone.data("manage_touch_sensitivity", action="query") == {"level": "glove"}
    assert phone.code("manage_touch_sensitivity", action="set") == 400


# --- typing ---------------------------------------------------------------------------------------------------------


def test_clipboard(start):
    phone = start({"clipboard_items": [{"id": "clip_801", "text": "Blue door", "pinned": 1}]})
    assert phone.data("manage_clipboard", action="copy", text="Red door") == {"itemId": "clip_802"}
    assert changed(phone) == {("clipboard_items", "clip_802"): {"id": "clip_802", "text": "Red door", "pinned": 0}}
    assert message(phone, "manage_clipboard", action="copy", text="Red door") == "Already on the clipboard"
    assert phone.data("manage_clipboard", action="copy", text="Blue door") == {"itemId": "clip_803"}
    newest = phone.data("manage_clipboard", action="query")["items"][0]
    assert newest == {"itemId": "clip_803", "text": "Blue door", "pinned": True}
    assert phone.code("manage_clipboard", action="pin", text="door") == 409
    assert phone.code("manage_clipboard", action="pin", text="window") == 404
    assert phone.code("manage_clipboard", action="delete") == 400
    assert phone.code("manage_clipboard", action="clear", text="Red") == 400
    assert message(phone, "manage_clipboard", action="pin", text="red") == "Clipboard item pinned"
    assert message(phone, "manage_clipboard", action="pin", itemId="clip_802") == "Clipboard item already pinned"
    phone.data("manage_clipboard", action="unpin", text="red")
    phone.data("manage_clipboard", action="delete", itemId="clip_803")
    phone.use("manage_clipboard", action="clear")
    assert message(phone, "manage_clipboard", action="clear") == "Clipboard already clear"
    assert all(item["pinned"] for item in phone.data("manage_clipboard", action="query")["items"])


def test_long_clipboard_texts_are_cut_in_answers_only(start):
    phone = start()
    phone.data("manage_clipboard", action="copy", text="x" * 500)
    assert len(phone.data("manage_clipboard", action="query")["items"][0]["text"]) == 80
    assert len(phone.changes()[0].new["text"]) == 500


def test_clipboard_order_outlives_three_digits(start):
    phone = start({"clipboard_items": [{"id": "clip_999", "text": "old"}]})
    phone.data("manage_clipboard", action="copy", text="new")
    assert [i["itemId"] for i in phone.data("manage_clipboard", action="query")["items"]][:2] == [
        "clip_1000",
        "clip_999",
    ]


def test_keyboard(start):
    phone = start()
    call = {"action": "set", "settingItem": "height", "settingValue": "Tall"}
    assert phone.data("manage_keyboard_settings", **call) == {"height": "tall"}
    assert changed(phone) == settings(keyboard_height="tall")
    assert message(phone, "manage_keyboard_settings", **call) == "Keyboard setting already so"
    assert phone.data("manage_keyboard_settings", action="query", settingItem="height") == {"height": "tall"}
    assert set(phone.data("manage_keyboard_settings", action="query")) == set(input_text.KEYBOARD_SETTINGS)
    phone.data("manage_keyboard_settings", action="set", settingItem="form", settingValue="one-handed left")
    assert changed(phone)["settings", "keyboard_form"] == {"value": "one_handed_left"}
    assert phone.code("manage_keyboard_settings", action="set", settingItem="height", settingValue="giant") == 400
    assert phone.code("manage_keyboard_settings", action="set", settingItem="height") == 400
    strong = {"action": "set", "settingItem": "haptic_strength", "settingValue": "strong"}
    assert phone.use("manage_keyboard_settings", **strong).ok
    assert start(keyboard_key_vibration="off").code("manage_keyboard_settings", **strong) == 409


def test_text_shortcuts(start):
    phone = start({"text_shortcuts": [{"shortcut": "hq", "phrase": "Head office"}]})
    added = phone.data("manage_text_shortcuts", action="add", shortcut="zz", phrase="Good night")
    assert added == {"shortcut": "zz", "phrase": "Good night"}
    assert changed(phone) == {("text_shortcuts", "zz"): added}
    repeated = message(phone, "manage_text_shortcuts", action="add", shortcut="HQ", phrase="Head office")
    assert repeated == "Shortcut already so"
    assert phone.code("manage_text_shortcuts", action="add", shortcut="HQ", phrase="Other") == 409
    assert phone.code("manage_text_shortcuts", action="add", shortcut="two words", phrase="x") == 400
    assert phone.code("manage_text_shortcuts", action="add", shortcut="y" * 21, phrase="x") == 400
    assert phone.code("manage_text_shortcuts", action="add", shortcut="y") == 400
    assert phone.code("manage_text_shortcuts", action="remove", shortcut="nope") == 404
    phone.data("manage_text_shortcuts", action="remove", shortcut="ZZ")
    assert phone.changes() == []
    assert phone.data("manage_text_shortcuts", action="query", shortcut="hq")["items"][0]["phrase"] == "Head office"


def test_voice_typing(start):
    phone = start()
    on = phone.data("manage_voice_typing", action="enable", language="french", autoPunctuation=True)
    assert on == {"enabled": True, "language": "French", "autoPunctuation": True}
    changes = settings(voice_typing="on", voice_typing_language="French", voice_typing_punctuation="on")
    assert changed(phone) == changes
    assert message(phone, "manage_voice_typing", action="enable") == "Voice typing already on"
    assert message(phone, "manage_voice_typing", action="enable", language="German") == "Voice typing changed"
    refused = phone.use("manage_voice_typing", action="enable", language="Klingon")
    assert refused.code == 400 and "Chinese|English|French" in refused.payload["error"]
    assert phone.code("manage_voice_typing", action="disable", language="French") == 400
    assert start(microphone_access="off").code("manage_voice_typing", action="enable") == 409
    assert start(denied=("RECORD_AUDIO",)).code("manage_voice_typing", action="query") == 403


# --- the whole domain -----------------------------------------------------------------------------------------------

HOSTILE = ("'; DROP TABLE files; --", "名字🙂", "%", "1" * 2000, "2025-02-30")


@pytest.mark.parametrize("item", DOMAIN.tools, ids=lambda t: t.spec.name)
def test_hostile_arguments_are_refused_or_harmless(start, item):
    phone = start()
    properties = item.spec.parameters["properties"]
    for action in properties.get("action", {}).get("enum", [None]):
        for turn, text in enumerate((*HOSTILE, "", "\x00")):
            given: dict[str, Any] = {} if action is None else {"action": action}
            for name, schema in properties.items():
                if name != "action":
                    fallback = {"integer": (-1, 10**9), "boolean": (True, False)}.get(schema["type"], (text,))
                    options = schema.get("enum", fallback)
                    given[name] = options[turn % len(options)]
            before = phone.changes()
            feedback = phone.use(item.spec.name, **given)
            assert feedback.error_type is not ErrorType.INTERNAL, (given, feedback.payload)
            if not feedback.ok or action == "query":
                assert phone.changes() == before


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
