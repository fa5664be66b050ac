"""Devices & Cross-device: casting, sharing, relays, car and watch, and what each of them needs."""

from __future__ import annotations

import pytest
from device_phone import NO_WIFI, start
from phone_rows import changed, message, settings


def test_casting_as_the_published_trace_has_it():
    phone = start()
    answer = phone.data("control_screen_casting", action="start", targetDeviceType="tv", targetDeviceName="salon")
    assert answer == {
        "status": "casting",
        "castDirection": "cast_out",
        "connectionMethod": "wireless",
        "target_device": {"device_id": "device_801", "device_name": "Salon TV", "device_type": "tv"},
    }
    running = settings(casting_device="Salon TV", casting_direction="cast_out", casting_method="wireless")
    assert changed(phone) == running
    second = phone.use("control_screen_casting", action="start", targetDeviceName="attic", targetDeviceType="tv")
    assert second.code == 409 and "Salon TV" in second.payload["error"]
    assert changed(phone) == running
    stopped = phone.data("control_screen_casting", action="stop")
    assert stopped == {"status": "idle", "previous_device": "Salon TV", "previous_direction": "cast_out"}
    assert phone.changes() == []
    assert message(phone, "control_screen_casting", action="stop") == "Casting already stopped"
    both = {"targetDeviceName": "attic", "targetDeviceType": "large_screen"}  # the type tells the two apart
    phone.data("control_screen_casting", action="start", castDirection="cast_out", connectionMethod="wireless", **both)
    assert changed(phone)["settings", "casting_device"] == {"value": "Attic Large Screen"}


@pytest.mark.parametrize(
    "arguments, state, code",
    [
        ({"targetDeviceName": "salon"}, {"wifi": "off"}, 409),
        ({"targetDeviceName": "salon"}, {"battery_mode": "super_saving"}, 409),
        ({"targetDeviceName": "salon"}, {"collaboration_device": "Work Laptop"}, 409),
        ({"targetDeviceName": "salon", "connectionMethod": "trusted_ring"}, {}, 409),
        ({"targetDeviceName": "laptop", "connectionMethod": "trusted_ring"}, {"bluetooth": "off"}, 409),
        ({"targetDeviceName": "laptop", "connectionMethod": "smart_space"}, {}, 400),
        ({"targetDeviceName": "attic"}, {}, 409),
        ({"targetDeviceType": "tv"}, {}, 409),
        ({"targetDeviceName": "moon"}, {}, 404),
        ({"targetDeviceName": "printer"}, {}, 400),
        ({"targetDeviceName": "salon", "castDirection": "cast_in"}, {}, 400),
        ({"targetDeviceType": "phone"}, {}, 400),
        ({"targetDeviceName": "spare", "castDirection": "cast_in"}, {}, 409),
    ],
)
def test_casting_that_cannot_start(arguments, state, code):
    assert start(**state).code("control_screen_casting", action="start", **arguments) == code


def test_casting_methods():
    for method, target in (("trusted_ring", "Work Laptop"), ("smart_space", "Salon TV")):
        phone = start()
        phone.data("control_screen_casting", action="start", connectionMethod=method, targetDeviceName=target)
        assert changed(phone)["settings", "casting_method"] == {"value": method}
    call = {"action": "start", "connectionMethod": "AirView", "targetDeviceName": "Salon TV"}
    assert start({"wifi_networks": NO_WIFI}).code("control_screen_casting", **call) == 409
    assert start({"wifi_networks": [{"ssid": "Den", "connected": 1}]}).use("control_screen_casting", **call).ok
    phone = start()
    phone.data("control_screen_casting", action="start", castDirection="cast_in", targetDeviceName="Zed")
    assert phone.data("control_screen_casting", action="stop")["previous_direction"] == "cast_in"


def test_keyboard_sharing():
    phone = start()
    answer = phone.data(
        "manage_keyboard_mouse_sharing", action="enable", targetDeviceType="phone", sourceDeviceType="laptop"
    )
    assert answer == {
        "target_device": {"device_id": "this_phone", "device_name": "This phone", "device_type": "phone"},
        "source_device": {"device_id": "device_804", "device_name": "Work Laptop", "device_type": "laptop"},
        "connection_status": "connected",
    }
    assert changed(phone) == settings(keyboard_sharing_source="Work Laptop", keyboard_sharing_target="This phone")
    assert message(phone, "manage_keyboard_mouse_sharing", action="enable") == "Keyboard sharing already on"
    assert phone.data("manage_keyboard_mouse_sharing", action="query")["source"] == "Work Laptop"
    call = {"action": "enable", "targetDeviceType": "tablet"}
    assert phone.code("manage_keyboard_mouse_sharing", **call) == 404  # the tablet is not trusted
    phone.data("manage_trusted_devices", action="add", deviceName="Art Tablet")
    phone.data("manage_keyboard_mouse_sharing", **call)
    assert changed(phone)["settings", "keyboard_sharing_target"] == {"value": "Art Tablet"}
    assert phone.code("manage_keyboard_mouse_sharing", **call, sourceDeviceType="tablet") == 400
    phone.data("manage_keyboard_mouse_sharing", action="disable")
    assert "settings" not in {c.table for c in phone.changes()}
    assert message(phone, "manage_keyboard_mouse_sharing", action="disable") == "Keyboard sharing already off"
    assert start(bluetooth="off").code("manage_keyboard_mouse_sharing", action="enable") == 409


def test_screen_collaboration():
    phone = start()
    assert phone.code("manage_screen_collaboration", action="start") == 409  # laptop or tablet?
    assert phone.code("manage_screen_collaboration", action="start", deviceName="Art Tablet") == 409  # not trusted
    assert phone.data("manage_screen_collaboration", action="start", deviceName="laptop")["mode"] == "mirror"
    phone.data("manage_screen_collaboration", action="start", deviceName="laptop", mode="extend")
    assert changed(phone) == settings(collaboration_device="Work Laptop", collaboration_mode="extend")
    again = message(phone, "manage_screen_collaboration", action="start", deviceName="laptop")
    assert again == "Collaboration already on"
    assert phone.code("control_screen_casting", action="start", targetDeviceName="salon") == 409
    assert phone.data("manage_screen_collaboration", action="query") == {"device": "Work Laptop", "mode": "extend"}
    phone.data("manage_screen_collaboration", action="stop")
    assert phone.changes() == []
    assert message(phone, "manage_screen_collaboration", action="stop") == "Collaboration already stopped"
    for state in ({"casting_device": "Salon TV"}, {"wifi": "off"}, {"battery_mode": "super_saving"}):
        assert start(**state).code("manage_screen_collaboration", action="start", deviceName="laptop") == 409


def test_clipboard_sharing():
    phone = start()
    assert phone.data("manage_clipboard_sharing", action="query") == {"enabled": False, "devices": []}
    enabled = phone.data("manage_clipboard_sharing", action="enable")
    assert enabled == {"enabled": True, "devices": ["Work Laptop"]}
    assert changed(phone) == settings(clipboard_sharing="on")
    assert message(phone, "manage_clipboard_sharing", action="enable") == "Clipboard sharing already on"
    assert start(bluetooth="off").code("manage_clipboard_sharing", action="enable") == 409
    alone = start({"devices": [{"id": "device_804", "trusted": 0}]})
    assert alone.code("manage_clipboard_sharing", action="enable") == 409


def test_relays():
    phone = start()
    assert phone.code("manage_device_relay", action="enable") == 400
    assert phone.code("manage_device_relay", action="enable", content="calls") == 409  # watch or laptop?
    assert phone.code("manage_device_relay", action="enable", content="calls", deviceName="Salon TV") == 400
    assert phone.code("manage_device_relay", action="enable", content="calls", deviceName="Art Tablet") == 409
    phone.data("manage_device_relay", action="enable", content="notifications", deviceName="watch")
    assert changed(phone) == {("devices", "device_806"): {"relay_notifications": 1}}
    again = message(phone, "manage_device_relay", action="enable", content="notifications", deviceName="watch")
    assert again == "Relay already on"
    assert phone.data("manage_device_relay", action="query") == {"calls": [], "notifications": ["Run Watch"]}
    phone.data("manage_device_relay", action="disable", content="notifications")  # only one relays
    assert phone.changes() == []
    call = {"action": "enable", "content": "calls", "deviceName": "watch"}
    assert start(bluetooth="off").code("manage_device_relay", **call) == 409


def test_car_link():
    phone = start()
    phone.data("manage_car_link", action="start")
    assert changed(phone) == settings(car_link="Blue Car", car_link_method="wireless")
    assert message(phone, "manage_car_link", action="start") == "Car link already on"
    phone.data("manage_car_link", action="start", connectionMethod="usb")
    assert phone.data("manage_car_link", action="query") == {"car": "Blue Car", "connectionMethod": "usb"}
    phone.data("manage_car_link", action="stop")
    assert phone.changes() == []
    assert message(phone, "manage_car_link", action="stop") == "Car link already stopped"
    phone = start(bluetooth="off")
    assert phone.code("manage_car_link", action="start") == 409
    assert phone.use("manage_car_link", action="start", connectionMethod="usb").ok
    away = start({"devices": [{"id": "device_809", "nearby": 0}]})
    assert away.code("manage_car_link", action="start", carName="Blue Car") == 409
    assert away.code("manage_car_link", action="start") == 404


def test_watch_settings():
    phone = start()
    phone.data("manage_wearable_settings", action="set", settingItem="watch_face", settingValue="fitness")
    phone.data("manage_wearable_settings", action="set", settingItem="step_goal", settingValue="12000")
    assert changed(phone) == settings(wearable_watch_face="Fitness", wearable_step_goal="12000")
    call = {"action": "set", "settingItem": "step_goal", "settingValue": "12000"}
    assert message(phone, "manage_wearable_settings", **call) == "Watch setting already so"
    assert phone.data("manage_wearable_settings", action="query", settingItem="step_goal") == {"step_goal": "12000"}
    assert len(phone.data("manage_wearable_settings", action="query")) == 7
    for item, value in (("step_goal", "999"), ("step_goal", "٣٠٠٠"), ("step_goal", "9" * 2000), ("vibration", "huge")):
        assert phone.code("manage_wearable_settings", action="set", settingItem=item, settingValue=value) == 400
    assert phone.code("manage_wearable_settings", action="set", settingItem="vibration") == 400
    assert start(bluetooth="off").code("manage_wearable_settings", **call) == 409
    lost = start({"bluetooth_devices": [{"name": "Run Watch", "connected": 0}]})
    assert lost.code("manage_wearable_settings", **call) == 409
