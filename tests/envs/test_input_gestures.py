"""Input & Interaction: gestures, keys, aids beside the screen, and typing."""

from __future__ import annotations

import pytest
from input_phone import start
from phone_rows import changed, message, settings

from qpa.envs.sandbox.domains import input_text


@pytest.mark.parametrize(
    "tool, prefix, gesture, label",
    [
        ("manage_air_gestures", "air_gesture_", "screenshot", "Air gesture"),
        ("manage_motion_gestures", "motion_", "flip_to_mute", "Motion gesture"),
    ],
)
def test_gesture_switches(tool, prefix, gesture, label):
    phone = start()
    assert phone.data(tool, action="enable", gesture=gesture) == {gesture: True}
    assert changed(phone) == settings(**{prefix + gesture: "on"})
    assert message(phone, tool, action="enable", gesture=gesture) == f"{label} already on"
    shown = phone.data(tool, action="query")
    assert shown[gesture] is True and sum(shown.values()) == 1
    phone.data(tool, action="disable", gesture=gesture)
    assert phone.changes() == []
    assert message(phone, tool, action="disable", gesture=gesture) == f"{label} already off"


def test_air_gestures_all_at_once():
    phone = start(air_gesture_scroll="on")
    phone.data("manage_air_gestures", action="enable")
    assert len(phone.changes()) == 3
    saving = start(battery_mode="super_saving")
    assert saving.code("manage_air_gestures", action="enable") == 409
    assert saving.use("manage_air_gestures", action="disable").ok
    assert phone.code("manage_motion_gestures", action="enable") == 400


def test_gesture_shortcuts():
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


def test_side_key():
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


def test_always_on_display():
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


def test_one_handed_mode():
    phone = start()
    assert phone.data("manage_one_handed_mode", action="enable", side="left") == {"enabled": True, "side": "left"}
    assert changed(phone) == settings(one_handed_mode="on", one_handed_side="left")
    assert message(phone, "manage_one_handed_mode", action="enable", side="left") == "One-handed mode already on"
    assert phone.code("manage_one_handed_mode", action="disable", side="left") == 400
    phone.data("manage_one_handed_mode", action="disable")
    assert phone.data("manage_one_handed_mode", action="query") == {"enabled": False, "side": "left"}


def test_floating_ball():
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


def test_sidebar():
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


def test_touch_sensitivity():
    phone = start()
    phone.data("manage_touch_sensitivity", action="set", level="glove")
    assert changed(phone) == settings(touch_sensitivity="glove")
    repeated = message(phone, "manage_touch_sensitivity", action="set", level="glove")
    assert repeated == "Touch sensitivity already glove"
    assert phone.data("manage_touch_sensitivity", action="query") == {"level": "glove"}
    assert phone.code("manage_touch_sensitivity", action="set") == 400


def test_clipboard():
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


def test_long_clipboard_texts_are_cut_in_answers_only():
    phone = start()
    phone.data("manage_clipboard", action="copy", text="x" * 500)
    assert len(phone.data("manage_clipboard", action="query")["items"][0]["text"]) == 80
    assert len(phone.changes()[0].new["text"]) == 500


def test_clipboard_order_outlives_three_digits():
    phone = start({"clipboard_items": [{"id": "clip_999", "text": "old"}]})
    phone.data("manage_clipboard", action="copy", text="new")
    assert [i["itemId"] for i in phone.data("manage_clipboard", action="query")["items"]][:2] == [
        "clip_1000",
        "clip_999",
    ]


def test_keyboard():
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
    assert start(vibrate_keyboard="off").code("manage_keyboard_settings", **strong) == 409


def test_text_shortcuts():
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


def test_voice_typing():
    phone = start()
    on = phone.data("manage_voice_typing", action="enable", language="french", autoPunctuation=True)
    assert on == {"enabled": True, "language": "French", "autoPunctuation": True}
    changes = settings(voice_typing="on", voice_typing_language="French", voice_typing_punctuation="on")
    assert changed(phone) == changes
    assert message(phone, "manage_voice_typing", action="enable") == "Voice typing already on"
    assert message(phone, "manage_voice_typing", action="enable", language="German") == "Voice typing changed"
    refused = phone.use("manage_voice_typing", action="enable", language="Klingon")
    assert refused.code == 404 and "Chinese, English, French" in refused.payload["error"]
    assert phone.code("manage_voice_typing", action="disable", language="French") == 400
    assert start(microphone_access="off").code("manage_voice_typing", action="enable") == 409
    assert start(denied=("RECORD_AUDIO",)).code("manage_voice_typing", action="query") == 403
