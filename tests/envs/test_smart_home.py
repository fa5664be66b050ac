"""Devices & Cross-device: the smart home, device by device, room by room and by scenes."""

from __future__ import annotations

import pytest
from device_phone import NO_WIFI, start
from phone_rows import changed, message


def test_lights():
    phone = start()
    phone.data("control_light", action="on", deviceName="desk", brightness=30, color="neutral")
    assert changed(phone) == {("home_devices", "Desk Light"): {"power": 1, "level": 30, "mode": "neutral"}}
    assert message(phone, "control_light", action="on", deviceName="desk") == "Light already on"
    assert phone.code("control_light", action="off", deviceName="desk", brightness=5) == 400
    for brightness in (0, 101, -(10**9)):
        assert phone.code("control_light", action="on", deviceName="desk", brightness=brightness) == 400
    assert phone.code("control_light", action="on", deviceName="Dusty") == 404
    assert phone.code("control_light", action="on", deviceName="Porch Light") == 409  # offline
    assert phone.code("control_light", action="on") == 409  # which one?
    assert phone.code("control_light", action="on", deviceName="desk", room="Den") == 400
    assert phone.code("control_light", action="on", room="Cellar") == 404
    assert phone.code("control_light", action="on", room="porch") == 409


def test_lights_of_a_room_and_of_the_home():
    phone = start()
    assert phone.data("control_light", action="off", room="den") == {
        "devices": ["Desk Light", "Shelf Light"],
        "total": 2,
    }
    assert changed(phone) == {("home_devices", "Shelf Light"): {"power": 0}}
    everywhere = phone.data("control_light", action="on", room="all")
    assert everywhere["total"] == 2 and everywhere["offline"] == ["Porch Light"]


def test_the_smart_home_needs_a_network():
    phone = start({"wifi_networks": NO_WIFI}, mobile_data="off")
    assert phone.code("control_light", action="on", deviceName="desk") == 409
    assert phone.use("query_home_devices").ok


def test_plugs_and_curtains():
    phone = start()
    phone.data("control_smart_plug", action="on")
    assert message(phone, "control_smart_plug", action="on", deviceName="kettle") == "Plug already on"
    phone.data("control_curtain", action="set", deviceName="den", position=40)
    assert changed(phone) == {
        ("home_devices", "Kettle Plug"): {"power": 1},
        ("home_devices", "Den Curtain"): {"level": 40},
    }
    assert message(phone, "control_curtain", action="close", room="all") == "Curtain closed"
    assert message(phone, "control_curtain", action="close", room="all") == "Curtain already closed"
    assert changed(phone)["home_devices", "Porch Curtain"] == {"level": 0}
    assert phone.code("control_curtain", action="set", deviceName="den") == 400
    assert phone.code("control_curtain", action="set", deviceName="den", position=101) == 400
    assert phone.code("control_curtain", action="open", deviceName="den", position=50) == 400
    assert phone.code("control_smart_plug", action="on", deviceName="x") == 404


def test_thermostat():
    phone = start()
    assert phone.code("set_thermostat") == 400
    assert phone.code("set_thermostat", temperature=21) == 409  # it is off: heat or cool?
    assert phone.data("set_thermostat", temperature=21, mode="cool") == {
        "name": "Den Thermostat", "on": True, "temperature": 21, "mode": "cool"
    }  # fmt: skip
    assert changed(phone) == {("home_devices", "Den Thermostat"): {"power": 1, "level": 21, "mode": "cool"}}
    assert phone.data("set_thermostat", temperature=68, unit="fahrenheit")["temperature"] == 20
    assert message(phone, "set_thermostat", temperature=20) == "Thermostat already so"
    for temperature, unit in ((15, "celsius"), (31, "celsius"), (60, "fahrenheit"), (87, "fahrenheit")):
        assert phone.code("set_thermostat", temperature=temperature, unit=unit) == 400
    assert phone.code("set_thermostat", temperature=20, mode="off") == 400
    assert phone.data("set_thermostat", mode="off") == {"name": "Den Thermostat", "on": False}


def test_vacuum():
    phone = start()
    assert phone.code("control_vacuum", action="pause") == 409
    assert message(phone, "control_vacuum", action="dock") == "Vacuum already docked"
    assert phone.data("control_vacuum", action="start", room="porch", suction="max") == {
        "device": "Dusty",
        "area": "Porch",
    }
    assert changed(phone) == {("home_devices", "Dusty"): {"level": 3, "mode": "cleaning", "area": "Porch"}}
    phone.data("control_vacuum", action="pause")
    assert phone.data("control_vacuum", action="start")["area"] == "Porch"  # resumes
    phone.data("control_vacuum", action="dock")
    assert changed(phone) == {("home_devices", "Dusty"): {"level": 3}}
    assert phone.code("control_vacuum", action="start", room="Cellar") == 404
    assert phone.code("control_vacuum", action="dock", suction="max") == 400


def test_home_devices_show_what_matters_of_their_kind():
    phone = start()
    assert phone.data("query_home_devices", room="den", deviceType="light") == {
        "items": [
            {"name": "Desk Light", "type": "light", "room": "Den", "on": False},
            {"name": "Shelf Light", "type": "light", "room": "Den", "on": True, "brightness": 80, "color": "cool"},
        ],
        "total": 2,
    }
    shown = {d["name"]: d for d in phone.data("query_home_devices", room="Porch")["items"]}
    assert shown["Porch Light"] == {"name": "Porch Light", "type": "light", "room": "Porch", "offline": True}
    assert shown["Porch Curtain"]["open"] == 100
    vacuum = phone.data("query_home_devices", deviceName="dusty")["items"][0]
    assert (vacuum["state"], vacuum["suction"]) == ("docked", "standard")
    assert len(phone.data("query_home_devices")["items"]) == 5


def test_running_a_scene():
    phone = start({"home_devices": [{"name": "Den Curtain", "level": 70}]})
    assert phone.data("manage_home_scene", action="run", sceneName="den") == {"scene": "Den Night", "devices": 3}
    assert changed(phone) == {
        ("home_devices", "Desk Light"): {"power": 1, "level": 20},
        ("home_devices", "Den Curtain"): {"level": 0},
    }
    assert message(phone, "manage_home_scene", action="run", sceneName="den") == "Scene already so"
    assert phone.code("manage_home_scene", action="run", sceneName="Nope") == 404
    assert phone.code("manage_home_scene", action="run") == 400
    phone = start({"home_devices": [{"name": "Dusty", "online": 0}]})
    assert phone.data("manage_home_scene", action="run", sceneName="den")["offline"] == ["Dusty"]


def test_scenes_are_made_and_deleted():
    phone = start()
    steps = ["desk = OFF", "Den Thermostat=22", "Den Curtain=open"]
    kept = ["Desk Light=off", "Den Thermostat=22", "Den Curtain=open"]
    made = phone.data("manage_home_scene", action="create", sceneName="Tea", steps=steps)
    assert made == {"scene": "Tea", "steps": kept}
    assert changed(phone) == {("home_scenes", "Tea"): {"name": "Tea", "steps": "; ".join(kept)}}
    assert phone.data("manage_home_scene", action="query", sceneName="tea")["items"] == [{"name": "Tea", "steps": kept}]
    phone.data("manage_home_scene", action="run", sceneName="Tea")
    assert changed(phone)["home_devices", "Den Thermostat"] == {"power": 1, "level": 22}
    assert phone.code("manage_home_scene", action="create", sceneName="TEA", steps=steps) == 409
    phone.data("manage_home_scene", action="delete", sceneName="tea")
    assert ("home_scenes", "Tea") not in changed(phone)


@pytest.mark.parametrize(
    "steps, code",
    [
        ([], 400),
        (["Desk Light"], 400),
        (["=on"], 400),
        (["Desk Light="], 400),
        (["Desk Light=0"], 400),
        (["Desk Light=101"], 400),
        (["Desk Light=٣"], 400),
        (["Kettle Plug=40"], 400),
        (["Dusty=open"], 400),
        (["Den Thermostat=40"], 400),
        (["Desk Light=on", "desk=off"], 400),
        (["Moon Lamp=on"], 404),
        (["Desk Light=on"] * 11, 400),
    ],
)
def test_bad_scene_steps(steps, code):
    assert start().code("manage_home_scene", action="create", sceneName="New", steps=steps) == code
