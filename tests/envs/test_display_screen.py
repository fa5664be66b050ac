"""Display & Sound: the screen, its light, looks and sleep, the flashlight and scheduled power."""

from __future__ import annotations

import pytest
from display_phone import changed, said, start


def test_brightness_steps_stop_at_the_ends():
    phone = start()
    levels = [
        phone.data("manage_brightness", **arguments)["level"]
        for arguments in (
            {"action": "increase"},
            {"action": "increase", "step": 100},
            {"action": "decrease", "step": 15},
            {"action": "decrease", "step": 100},
            {"action": "max"},
            {"action": "min"},
            {"action": "set", "level": 70},
        )
    ]
    assert levels == [60, 100, 85, 1, 100, 1, 70]
    assert changed(phone) == {"brightness": "70"}
    assert said(phone, "manage_brightness", action="set", level=70) == "Brightness already 70"
    assert phone.data("manage_brightness", action="query") == {"level": 70, "auto": False}


def test_auto_brightness_forbids_setting_by_hand():
    phone = start(auto_brightness="on")
    for arguments in ({"action": "set", "level": 70}, {"action": "increase"}, {"action": "min"}):
        assert phone.code("manage_brightness", **arguments) == 409
    assert phone.data("manage_brightness", action="query") == {"level": 50, "auto": True}
    phone.data("manage_auto_brightness", action="disable")
    phone.data("manage_brightness", action="set", level=70)
    assert changed(phone) == {"auto_brightness": "off", "brightness": "70"}


@pytest.mark.parametrize(
    "clock, first, last, state",
    [
        ("09:00", "22:00", "07:00", "off"),
        ("06:59", "22:00", "07:00", "on"),
        ("07:00", "22:00", "07:00", "off"),
        ("22:00", "22:00", "07:00", "on"),
        ("12:00", "11:30", "12:00", "off"),
        ("11:59", "11:30", "12:00", "on"),
    ],
)
def test_a_daily_schedule_takes_effect_at_once(clock, first, last, state):
    phone = start(clock=f"2025-01-15T{clock}:00")
    expected = {}
    for key in ("dark_mode", "eye_comfort"):
        made = phone.data(f"manage_{key}", action="schedule", startTime=first, endTime=last)
        assert made == {"schedule": f"{first}-{last}", "enabled": state == "on"}
        expected |= {f"{key}_schedule": f"{first}-{last}"} | ({key: "on"} if state == "on" else {})
    assert changed(phone) == expected


def test_a_switch_by_hand_and_its_schedule_do_not_disturb_each_other():
    phone = start(dark_mode="on")
    phone.data("manage_dark_mode", action="schedule", startTime="22:00", endTime="07:00")
    assert changed(phone) == {"dark_mode": "off", "dark_mode_schedule": "22:00-07:00"}
    phone.data("manage_dark_mode", action="enable")
    again = said(phone, "manage_dark_mode", action="schedule", startTime="22:00", endTime="07:00")
    assert again == "Dark mode already scheduled"
    assert changed(phone) == {"dark_mode_schedule": "22:00-07:00"}
    assert phone.data("manage_dark_mode", action="query") == {"enabled": True, "schedule": "22:00-07:00"}
    assert said(phone, "manage_dark_mode", action="unschedule") == "Dark mode schedule off"
    assert said(phone, "manage_dark_mode", action="unschedule") == "Dark mode schedule already off"
    assert changed(phone) == {}


def test_sunset_needs_the_location():
    assert start(location="off").code("manage_dark_mode", action="follow_sunset") == 409
    phone = start(clock="2025-01-15T19:00:00")
    assert phone.data("manage_eye_comfort", action="follow_sunset") == {"schedule": "sunset", "enabled": True}
    assert changed(phone) == {"eye_comfort": "on", "eye_comfort_schedule": "sunset"}


def test_eye_comfort_level():
    phone = start()
    assert phone.data("manage_eye_comfort", action="enable", level=70) == {"enabled": True, "level": 70}
    assert said(phone, "manage_eye_comfort", action="enable", level=30) == "Eye comfort on, level 30"
    assert said(phone, "manage_eye_comfort", action="enable", level=30) == "Eye comfort already on"
    assert changed(phone) == {"eye_comfort": "on", "eye_comfort_level": "30"}
    assert phone.data("manage_eye_comfort", action="query") == {"enabled": True, "schedule": "off", "level": 30}


def test_reading_mode_takes_the_colours_away():
    phone = start(eye_comfort="on")
    assert said(phone, "manage_reading_mode", action="enable") == "Reading mode on, eye comfort off"
    for action, more in (
        ("enable", {}),
        ("schedule", {"startTime": "8:00", "endTime": "10:00"}),
        ("follow_sunset", {}),
    ):
        assert phone.code("manage_eye_comfort", action=action, **more) == 409
    assert phone.code("set_color_mode", mode="vivid") == 409
    assert phone.use("set_color_mode", mode="natural").ok  # nothing to change
    phone.data("manage_reading_mode", action="disable")
    assert changed(phone) == {"eye_comfort": "off"}  # leaving it brings nothing back


def test_auto_rotate_and_the_locked_orientation():
    phone = start()
    assert phone.data("manage_auto_rotate", action="query") == {"enabled": True}
    assert phone.data("manage_auto_rotate", action="disable") == {"enabled": False, "orientation": "portrait"}
    assert changed(phone) == {"auto_rotate": "off"}
    assert said(phone, "manage_auto_rotate", action="disable") == "Auto-rotate already off"
    phone.data("manage_auto_rotate", action="disable", orientation="landscape")
    assert changed(phone) == {"auto_rotate": "off", "locked_orientation": "landscape"}
    assert phone.data("manage_auto_rotate", action="enable") == {"enabled": True}
    assert changed(phone) == {"locked_orientation": "landscape"}


@pytest.mark.parametrize("battery, works", [("5", False), ("6", True), ("", True)])
def test_flashlight_needs_some_battery(battery, works):
    phone = start(battery_level=battery)
    if not works:
        assert (
            phone.use("control_flashlight", action="enable", level=2).payload["error"] == f"Battery too low: {battery}%"
        )
        assert changed(phone) == {}
        return
    assert phone.data("control_flashlight", action="enable") == {"enabled": True, "level": 3}
    phone.data("control_flashlight", action="enable", level=5)
    assert changed(phone) == {"flashlight": "on", "flashlight_level": "5"}


def test_a_low_battery_does_not_forbid_what_is_already_so():
    phone = start(battery_level="2", flashlight="on")
    assert said(phone, "control_flashlight", action="enable") == "Flashlight already on"
    assert phone.data("control_flashlight", action="disable") == {"enabled": False}


@pytest.mark.parametrize("mode", ["power_saving", "super_saving"])
def test_battery_saving_forbids_what_costs_power(mode):
    phone = start(battery_mode=mode)
    assert phone.code("set_refresh_rate", rate="120Hz") == 409
    assert phone.code("set_refresh_rate", rate="dynamic") == 409
    assert phone.code("manage_screen_attention", action="enable") == 409
    assert phone.code("manage_wallpaper", action="set", name="Koi Pond") == 409
    assert phone.use("set_refresh_rate", rate="60Hz").ok
    assert phone.use("manage_screen_attention", action="disable").ok
    assert phone.use("manage_wallpaper", action="set", name="Old Barn").ok
    busy = start(battery_mode=mode, refresh_rate="120Hz", screen_attention="on")
    assert said(busy, "set_refresh_rate", rate="120Hz") == "Refresh rate already 120Hz"
    assert said(busy, "manage_screen_attention", action="enable") == "Screen attention already on"


def test_font_size_steps():
    phone = start(font_size="extra_large")
    assert phone.data("manage_font_size", action="increase") == {"font_size": "huge"}
    assert said(phone, "manage_font_size", action="increase") == "Font size already huge"
    assert changed(phone) == {"font_size": "huge"}
    phone.data("manage_font_size", action="decrease")
    assert phone.data("manage_font_size", action="query") == {"font_size": "extra_large"}
    assert start(font_size="small").data("manage_font_size", action="decrease") == {"font_size": "small"}


def test_wallpapers():
    phone = start()
    several = phone.use("manage_wallpaper", action="set", name="old")
    assert several.code == 409 and "Old Barn, Old Beach" in several.payload["error"]
    assert phone.data("manage_wallpaper", action="set", name="old barn", screen="lock")["name"] == "Old Barn"
    assert changed(phone) == {"wallpaper_lock": "Old Barn"}
    phone.data("manage_wallpaper", action="set", name="garden")  # a picture of one's own
    assert changed(phone) == {"wallpaper_home": "Garden_2024.jpg", "wallpaper_lock": "Garden_2024.jpg"}
    assert said(phone, "manage_wallpaper", action="set", name="Garden_2024.jpg") == "Wallpaper already set"
    state = phone.data("manage_wallpaper", action="query")
    assert (state["home"], state["lock"]) == ("Garden_2024.jpg", "Garden_2024.jpg")
    assert len(state["items"]) == 5 < state["total"] == 8


def test_scheduled_power():
    phone = start()
    made = phone.data("manage_scheduled_power", action="set", powerOffTime="11:30 pm", repeat="weekdays")
    assert made == {"power_off": {"time": "23:30", "repeat": "weekdays", "enabled": True}}
    assert [(c.key, c.new) for c in phone.changes()] == [
        ({"kind": "power_off"}, {"time": "23:30", "repeat": "weekdays", "enabled": 1})
    ]
    assert phone.code("manage_scheduled_power", action="set", powerOnTime="23:30") == 409
    assert said(phone, "manage_scheduled_power", action="set", powerOffTime="23:30") == "Scheduled power already set"
    phone.data("manage_scheduled_power", action="enable")
    assert phone.data("manage_scheduled_power", action="query")["power_on"]["enabled"] is True
    phone.data("manage_scheduled_power", action="disable", target="power_on")
    again = said(phone, "manage_scheduled_power", action="disable", target="power_on")
    assert again == "Scheduled power already disabled"
    assert [c.key for c in phone.changes()] == [{"kind": "power_off"}]


def test_enabling_power_times_that_meet_is_refused():
    phone = start()
    phone.data("manage_scheduled_power", action="set", powerOnTime="23:00")
    assert phone.code("manage_scheduled_power", action="enable", target="power_off") == 409


def test_display_settings_are_read():
    phone = start(screen_timeout="2min")
    assert phone.data("query_display_settings") == {
        "screen_timeout": "2min",
        "refresh_rate": "60Hz",
        "screen_resolution": "FHD+",
        "display_size": "default",
        "color_mode": "natural",
        "color_temperature": "standard",
    }
    assert phone.data("query_display_settings", item="refresh_rate") == {"refresh_rate": "60Hz"}
