"""`settings`, volumes and keyboards of the double against the sandbox's settings."""

from __future__ import annotations

import pytest
from double_phone import Handset

from qpa.envs.device.android import SETTINGS
from qpa.envs.device.double.phone import SandboxPhone


def hand_with(android: int = 14, **settings: str) -> Handset:
    return Handset(android, patch={"settings": [{"key": k, "value": v} for k, v in settings.items()]})


def test_every_shared_setting_reads_and_writes_through():
    calm = {"auto_brightness": "off", "reading_mode": "off", "battery_mode": "normal", "developer_options": "on"}
    for name, spec in SETTINGS.items():
        words = list(spec.values or {}) or (["1", "37", "100"] if spec.full else ["20", "25"])
        for word in words:
            hand = hand_with(**calm)
            code = spec.encode(word)
            assert code is not None
            before = hand.phone.setting(name)
            hand.sh("settings", "put", spec.namespace, spec.name, code)
            assert hand.sh("settings", "get", spec.namespace, spec.name).strip() == code, name
            assert hand.phone.setting(name) == (before if spec.locked else word), name


@pytest.mark.parametrize("percent", range(1, 101))
def test_brightness_percent_survives_its_255_steps(percent: int):
    spec = SETTINGS["brightness"]
    code = spec.encode(str(percent))
    assert code is not None and spec.decode(code) == str(percent)


def test_what_the_tool_refuses_changes_nothing():
    hand = hand_with(auto_brightness="on", brightness="40")
    hand.sh("settings", "put", "system", "screen_brightness", "255")
    assert hand.sh("settings", "get", "system", "screen_brightness") == "102\n" and hand.changed() == {}


def test_missing_bad_and_foreign_keys():
    hand = Handset()
    assert hand.sh("settings", "get", "global", "nothing") == "null\n"
    assert hand.sh("settings", "get", "--user", "0", "secure", "nothing") == "null\n"
    assert hand.all("settings", "get", "wrong", "x") == ("", "Invalid namespace 'wrong'\n", 255)
    assert hand.all("settings", "put", "global", "x") == ("", "Bad arguments\n", 255)
    hand.sh("settings", "put", "global", "x", "a b=c")
    assert hand.sh("settings", "get", "global", "x") == "a b=c\n"
    assert "x=a b=c\n" in hand.sh("settings", "list", "global")
    assert hand.sh("settings", "delete", "global", "x") == "Deleted 1 rows\n"
    assert hand.sh("settings", "get", "global", "x") == "null\n" and hand.changed() == {}


def test_a_record_is_stored_and_switches_nothing():
    hand = hand_with(airplane_mode="off", wifi="on")
    hand.sh("settings", "put", "global", "airplane_mode_on", "1")
    assert hand.sh("settings", "get", "global", "airplane_mode_on") == "1\n" and hand.changed() == {}
    hand.sh("cmd", "connectivity", "airplane-mode", "enable")
    hand.sh("cmd", "connectivity", "airplane-mode", "disable")
    assert hand.sh("settings", "get", "global", "airplane_mode_on") == "1\n"  # the base is as when it was written
    hand.sh("cmd", "connectivity", "airplane-mode", "enable")
    hand.sh("settings", "put", "global", "airplane_mode_on", "0")
    hand.sh("cmd", "connectivity", "airplane-mode", "disable")
    assert hand.sh("settings", "get", "global", "airplane_mode_on") == "0\n"


def test_wifi_on_tells_airplane_mode():
    hand = hand_with(airplane_mode="off", wifi="on")
    assert hand.sh("settings", "get", "global", "wifi_on") == "1\n"
    hand.sh("cmd", "connectivity", "airplane-mode", "enable")
    assert hand.sh("settings", "get", "global", "wifi_on") == "3\n"
    hand.sh("svc", "wifi", "enable")
    assert hand.sh("settings", "get", "global", "wifi_on") == "2\n"


@pytest.mark.parametrize(("android", "works"), [(8, True), (11, True), (12, False), (16, False)])
def test_location_mode_lost_its_effect_with_android_12(android: int, works: bool):
    hand = hand_with(android, location="off")
    hand.sh("settings", "put", "secure", "location_mode", "3")
    assert hand.phone.is_on("location") == works
    assert (hand.all("cmd", "location", "set-location-enabled", "true")[2] == 0) == (not works)
    assert hand.phone.is_on("location")


@pytest.mark.parametrize("android", [8, 10, 11, 14])
def test_volumes(android: int):
    hand = hand_with(android, volume_limit="off", sound_mode="normal", media_volume="50", alarm_volume="40")
    verb = ("cmd", "media_session") if android >= 11 else ("media",)
    assert "[v] volume is 50 in range [0..100]\n" in hand.sh(*verb, "volume", "--stream", "3", "--get")
    hand.sh(*verb, "volume", "--stream", "3", "--set", "35")
    hand.sh(*verb, "volume", "--stream", "4", "--set", "70")
    assert hand.changed() == {
        ("settings", "media_volume"): {"value": "35"},
        ("settings", "alarm_volume"): {"value": "70"},
    }
    assert hand.all(*verb, "volume", "--stream", "3", "--set", "101")[2] == 255
    assert hand.all(*verb, "volume", "--stream", "77", "--get")[2] == 255
    if android < 11:
        assert hand.all("cmd", "media_session", "volume", "--get")[2] == 255


def test_keyboards():
    hand = hand_with(input_method="Gboard", input_methods_enabled="Gboard, Voice Typing")
    gboard = "com.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME"
    adb = "com.android.adbkeyboard/.AdbIME"
    assert hand.sh("ime", "list", "-s").splitlines() == [
        gboard,
        "com.google.android.tts/.voiceime.VoiceInputMethodService",
    ]
    assert adb in hand.sh("ime", "list", "-s", "-a").splitlines()
    assert hand.all("ime", "set", adb)[2] == 1  # not enabled yet
    assert hand.sh("ime", "enable", adb) == f"Input method {adb}: now enabled for user #0\n"
    assert hand.sh("ime", "set", adb) == f"Input method {adb} selected for user #0\n"
    assert hand.sh("settings", "get", "secure", "default_input_method") == f"{adb}\n"
    assert hand.changed() == {}
    hand.sh("ime", "set", gboard)
    assert hand.sh("settings", "get", "secure", "default_input_method") == f"{gboard}\n"
    hand.sh("ime", "set", "com.google.android.tts/.voiceime.VoiceInputMethodService")
    assert hand.changed() == {("settings", "input_method"): {"value": "Voice Typing"}}
    assert hand.all("ime", "enable", "a.b/.C")[1] == "Unknown input method a.b/.C cannot be enabled for user #0\n"


def test_only_known_releases_are_doubled():
    with pytest.raises(ValueError, match="android 7: the double knows the releases 8, 9"):
        SandboxPhone(7)
