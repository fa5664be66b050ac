"""Devices & Cross-device: what needs radio, trust and nearness, and what each call changes."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from qpa.contract import ErrorType
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.device_transfer import MIGRATION_MB, MIGRATION_RATE
from qpa.envs.sandbox.domains.devices import DOMAIN

AT = "2025-01-15T09:00:00"
SETTINGS = {
    "wifi": "on", "bluetooth": "on", "mobile_data": "on", "airplane_mode": "off", "battery_mode": "normal",
    "battery_level": "80", "casting_device": "", "casting_direction": "", "casting_method": "",
    "collaboration_device": "", "collaboration_mode": "", "keyboard_sharing_source": "", "keyboard_sharing_target": "",
    "car_link": "", "car_link_method": "", "clipboard_sharing": "off", "nearby_visibility": "contacts",
    "migration_contents": "contacts,photos", "migration_started_at": "", "wearable_step_goal": "8000",
    "wearable_watch_face": "Analog",
}  # fmt: skip
DEVICES = [
    {"id": "device_801", "name": "Salon TV", "kind": "tv"},
    {"id": "device_802", "name": "Attic TV", "kind": "tv"},
    {"id": "device_803", "name": "Attic Large Screen", "kind": "large_screen"},
    {"id": "device_804", "name": "Work Laptop", "kind": "laptop", "trusted": 1, "owned": 1, "place": "Home"},
    {"id": "device_805", "name": "Art Tablet", "kind": "tablet", "owned": 1, "place": "Home"},
    {"id": "device_806", "name": "Run Watch", "kind": "watch", "trusted": 1, "owned": 1, "place": "Home"},
    {"id": "device_807", "name": "Spare Phone", "kind": "phone", "owned": 1, "nearby": 0, "online": 0,
     "place": "Gym", "seen_at": "2025-01-14T20:00:00"},
    {"id": "device_808", "name": "Zed's Phone", "kind": "phone"},
    {"id": "device_809", "name": "Blue Car", "kind": "car"},
    {"id": "device_810", "name": "Ink Printer", "kind": "printer"},
]  # fmt: skip
HOME = [
    {"name": "Desk Light", "kind": "light", "room": "Den", "power": 0, "level": 50, "mode": "warm"},
    {"name": "Shelf Light", "kind": "light", "room": "Den", "power": 1, "level": 80, "mode": "cool"},
    {"name": "Porch Light", "kind": "light", "room": "Porch", "power": 1, "level": 30, "mode": "warm", "online": 0},
    {"name": "Kettle Plug", "kind": "plug", "room": "Den"},
    {"name": "Den Thermostat", "kind": "thermostat", "room": "Den", "power": 0, "level": 19, "mode": "heat"},
    {"name": "Dusty", "kind": "vacuum", "room": "Den", "level": 2, "mode": "docked"},
    {"name": "Den Curtain", "kind": "curtain", "room": "Den", "level": 0},
    {"name": "Porch Curtain", "kind": "curtain", "room": "Porch", "level": 100},
]
NO_WIFI = [{"ssid": row["ssid"], "connected": 0} for row in make_world(0).rows["wifi_networks"]]
FILES = [
    {"id": "file_801", "name": "Poem.pdf", "kind": "document", "size_kb": 10},
    {"id": "file_802", "name": "Clip.mp4", "kind": "video", "size_kb": 10},
]


@pytest.fixture
def start(new_phone: Any) -> Any:
    """A phone with the rows above instead of the world's own devices, and the given settings and rows."""

    def make(
        tables: dict[str, list[dict[str, Any]]] | None = None, denied: tuple[str, ...] = (), **settings: str
    ) -> Any:
        world = make_world(0).rows
        patch: dict[str, list[dict[str, Any]]] = {
            "settings": [{"key": k, "value": v} for k, v in (SETTINGS | settings).items()],
            "devices": [{"id": r["id"], "kind": "other", "nearby": 0, "trusted": 0} for r in world["devices"]]
            + DEVICES,
            "home_devices": [{"name": r["name"], "kind": "other", "room": ""} for r in world["home_devices"]] + HOME,
            "home_scenes": [{"name": "Den Night", "steps": "Desk Light=20; Den Curtain=close; Dusty=dock"}],
            "bluetooth_devices": [{"name": r["name"], "connected": 0} for r in world["bluetooth_devices"]]
            + [{"name": "Run Watch", "kind": "watch", "paired": 1, "connected": 1}],
            "files": FILES,
            "print_jobs": [{"id": "print_001", "file": "Novel.pdf"}],
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


# --- nearby, trust, finding -----------------------------------------------------------------------------------------


def test_nearby_devices(start):
    phone = start(casting_device="Salon TV")
    found = phone.data("query_nearby_devices", deviceType="tv")
    tvs = [{"name": n, "type": "tv", "trusted": False} for n in ("Attic TV", "Salon TV")]
    assert found == {"items": tvs, "total": 2, "visibility": "contacts", "casting": "Salon TV"}
    everything = phone.data("query_nearby_devices")
    assert everything["total"] == 9 and len(everything["items"]) == 5
    assert start(bluetooth="off").use("query_nearby_devices").ok
    assert start(wifi="off", bluetooth="off").code("query_nearby_devices") == 409
    assert start(denied=("NEARBY_WIFI_DEVICES",)).code("query_nearby_devices") == 403


def test_visibility(start):
    phone = start()
    assert message(phone, "set_nearby_visibility", visibility="contacts") == "Visibility already contacts"
    assert phone.changes() == []
    phone.data("set_nearby_visibility", visibility="everyone")
    assert changed(phone) == settings(nearby_visibility="everyone")
    phone = start(bluetooth="off")
    assert phone.code("set_nearby_visibility", visibility="everyone") == 409
    assert phone.use("set_nearby_visibility", visibility="hidden").ok


def test_trusting_a_device_is_logged(start):
    phone = start()
    assert phone.data("manage_trusted_devices", action="add", deviceName="art tablet") == {"device": "Art Tablet"}
    assert changed(phone)["devices", "device_805"] == {"trusted": 1}
    log = [c.new for c in phone.changes() if c.table == "pairing_log"]
    assert [(e["device"], e["event"], e["method"], e["at"]) for e in log] == [("Art Tablet", "paired", "bluetooth", AT)]
    assert len(phone.changes()) == 2
    assert message(phone, "manage_trusted_devices", action="add", deviceName="Art Tablet") == "Device already trusted"
    assert len(phone.changes()) == 2
    names = [d["name"] for d in phone.data("manage_trusted_devices", action="query")["items"]]
    assert names == ["Art Tablet", "Run Watch", "Work Laptop"]
    newest = phone.data("query_pairing_log", deviceName="tablet", date="today")["items"]
    assert newest == [{"device": "Art Tablet", "event": "paired", "method": "bluetooth", "at": AT}]


def test_what_cannot_be_trusted(start):
    phone = start()
    assert phone.code("manage_trusted_devices", action="add") == 400
    assert phone.code("manage_trusted_devices", action="add", deviceName="Ink Printer") == 400
    assert phone.code("manage_trusted_devices", action="add", deviceName="Toaster") == 404
    assert phone.code("manage_trusted_devices", action="add", deviceName="Spare Phone") == 409  # not nearby
    ambiguous = phone.use("manage_trusted_devices", action="add", deviceName="attic")
    assert ambiguous.code == 409 and "Attic Large Screen, Attic TV" in ambiguous.payload["error"]
    assert start(bluetooth="off").code("manage_trusted_devices", action="add", deviceName="Art Tablet") == 409


def test_removing_trust_ends_what_builds_on_it(start):
    phone = start(
        {"devices": [{"id": "device_804", "relay_calls": 1, "relay_notifications": 1}]},
        keyboard_sharing_source="Work Laptop",
        keyboard_sharing_target="This phone",
        collaboration_device="Work Laptop",
        collaboration_mode="extend",
        casting_device="Salon TV",
    )
    phone.data("manage_trusted_devices", action="remove", deviceName="Work Laptop")
    rest = {key: new for key, new in changed(phone).items() if key[0] != "pairing_log"}
    assert rest == {("devices", "device_804"): {"trusted": 0, "relay_calls": 0, "relay_notifications": 0}} | settings(
        keyboard_sharing_source="", keyboard_sharing_target="", collaboration_device="", collaboration_mode=""
    )
    assert message(phone, "manage_trusted_devices", action="remove", deviceName="Work Laptop").endswith("not trusted")


def test_pairing_log_filters(start):
    rows = [
        {"id": "pairing_801", "device": "Old Band", "event": "failed", "at": "2025-01-10T08:00:00"},
        {"id": "pairing_802", "device": "Old Band", "event": "paired", "at": "2025-01-11T08:00:00"},
    ]
    phone = start({"pairing_log": rows})
    find = lambda **q: [e["at"][:10] for e in phone.data("query_pairing_log", deviceName="band", **q)["items"]]  # noqa: E731
    assert find() == ["2025-01-11", "2025-01-10"]
    assert find(event="failed") == ["2025-01-10"]
    assert find(date="2025-01-11") == ["2025-01-11"]
    assert find(date="yesterday") == []
    assert phone.code("query_pairing_log", date="someday") == 400


def test_finding_own_devices(start):
    phone = start()
    spot = phone.data("find_my_device", action="locate", deviceName="Spare Phone")
    assert spot == {"device": "Spare Phone", "place": "Gym", "seenAt": "2025-01-14T20:00:00"}
    assert phone.data("find_my_device", action="locate", deviceName="Art Tablet")["seenAt"] == AT
    assert phone.code("find_my_device", action="ring", deviceName="Spare Phone") == 409  # offline
    assert phone.code("find_my_device", action="ring", deviceName="Zed's Phone") == 409  # not one's own
    assert phone.code("find_my_device", action="ring", deviceName="Toaster") == 404
    assert phone.changes() == []
    phone.data("find_my_device", action="ring", deviceName="tablet")
    assert changed(phone) == {("devices", "device_805"): {"ringing": 1}}
    assert message(phone, "find_my_device", action="ring", deviceName="tablet") == "Device already ringing"
    phone.data("find_my_device", action="stop_ringing", deviceName="tablet")
    assert phone.changes() == []
    offline = start({"wifi_networks": NO_WIFI}, mobile_data="off")
    assert offline.code("find_my_device", action="locate", deviceName="Art Tablet") == 409
    assert start(denied=("ACCESS_FINE_LOCATION",)).code("find_my_device", action="ring", deviceName="x") == 403


def test_locking_a_lost_device(start):
    phone = start()
    assert phone.code("lock_lost_device", deviceName="Salon TV") == 400
    assert phone.code("lock_lost_device", deviceName="Spare Phone") == 409
    phone.data("lock_lost_device", deviceName="Art Tablet", message="Call 5550101")
    assert changed(phone) == {("devices", "device_805"): {"locked": 1, "lock_message": "Call 5550101"}}
    assert message(phone, "lock_lost_device", deviceName="Art Tablet") == "Device already locked"
    assert len(phone.changes()) == 1


# --- casting and the other links ------------------------------------------------------------------------------------


def test_casting_as_the_published_trace_has_it(start):
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
def test_casting_that_cannot_start(start, arguments, state, code):
    assert start(**state).code("control_screen_casting", action="start", **arguments) == code


def test_casting_methods(start):
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


def test_keyboard_sharing(start):
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


def test_screen_collaboration(start):
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


def test_clipboard_sharing(start):
    phone = start()
    assert phone.data("manage_clipboard_sharing", action="query") == {"enabled": False, "devices": []}
    enabled = phone.data("manage_clipboard_sharing", action="enable")
    assert enabled == {"enabled": True, "devices": ["Work Laptop"]}
    assert changed(phone) == settings(clipboard_sharing="on")
    assert message(phone, "manage_clipboard_sharing", action="enable") == "Clipboard sharing already on"
    assert start(bluetooth="off").code("manage_clipboard_sharing", action="enable") == 409
    alone = start({"devices": [{"id": "device_804", "trusted": 0}]})
    assert alone.code("manage_clipboard_sharing", action="enable") == 409


def test_relays(start):
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


def test_car_link(start):
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


def test_watch_settings(start):
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


# --- files and migration --------------------------------------------------------------------------------------------


def test_sharing_a_file(start):
    phone = start()
    answer = phone.data("share_file_nearby", fileName="poem", deviceName="zed")
    assert answer == {"id": "transfer_001", "fileName": "Poem.pdf", "device": "Zed's Phone"}
    row = {"id": "transfer_001", "file_id": "file_801", "recipient": "Zed's Phone", "method": "nearby", "at": AT}
    assert changed(phone) == {("sent_files", "transfer_001"): row}
    assert phone.code("share_file_nearby", fileName="no such", deviceName="zed") == 404
    assert phone.code("share_file_nearby", fileName="poem", deviceName="Spare Phone") == 409
    assert phone.code("share_file_nearby", fileName="poem", deviceName="Run Watch") == 400
    for state in ({"wifi": "off"}, {"bluetooth": "off"}):
        assert start(**state).code("share_file_nearby", fileName="poem", deviceName="zed") == 409


def test_printing(start):
    phone = start()
    job = phone.data("print_file", fileName="poem", copies=2, color=True, doubleSided=True)
    assert job == {"jobId": "print_002", "file": "Poem.pdf", "printer": "Ink Printer", "copies": 2}
    row = {"id": "print_002", "file": "Poem.pdf", "printer": "Ink Printer", "copies": 2, "color": 1, "double_sided": 1}
    assert changed(phone) == {("print_jobs", "print_002"): row | {"at": AT}}
    assert phone.data("manage_print_jobs", action="query")["total"] == 2
    assert phone.data("manage_print_jobs", action="query", fileName="poem")["items"] == [job]
    assert phone.code("manage_print_jobs", action="cancel") == 400
    assert phone.code("manage_print_jobs", action="cancel", jobId="print_999") == 404
    assert phone.code("manage_print_jobs", action="cancel", fileName="o") == 409
    phone.data("manage_print_jobs", action="cancel", fileName="poem")
    assert phone.changes() == []
    assert phone.code("print_file", fileName="clip") == 400
    assert phone.code("print_file", fileName="poem", copies=100) == 400
    assert phone.code("print_file", fileName="poem", printerName="Salon TV") == 400
    assert start(wifi="off").code("print_file", fileName="poem") == 409


def test_migration(start):
    phone = start()
    chosen = phone.data("manage_phone_migration", action="choose_contents", contents=["Photos", "call log", "photos"])
    assert chosen == {"contents": ["call_log", "photos"], "sizeMb": MIGRATION_MB["call_log"] + MIGRATION_MB["photos"]}
    started = phone.data("start_phone_migration", direction="send", deviceName="zed")
    assert started == {"device": "Zed's Phone", "direction": "send", "contents": ["call_log", "photos"]}
    assert changed(phone) == settings(
        migration_contents="call_log,photos",
        migration_device="Zed's Phone",
        migration_direction="send",
        migration_started_at=AT,
    )
    assert phone.code("start_phone_migration", direction="send", deviceName="zed") == 409
    assert phone.code("manage_phone_migration", action="choose_contents", contents=["apps"]) == 409
    assert phone.data("manage_phone_migration", action="query")["percent"] == 0
    phone.data("manage_phone_migration", action="cancel")
    assert changed(phone) == settings(migration_contents="call_log,photos")
    assert message(phone, "manage_phone_migration", action="cancel") == "Migration already stopped"


@pytest.mark.parametrize(
    "minutes, percent, left, status",
    [(0, 0, 16, "running"), (10, 66, 6, "running"), (59, 100, 0, "finished")],
)
def test_migration_progress_follows_the_clock(start, minutes, percent, left, status):
    at = f"2025-01-15T08:{60 - minutes:02d}:00" if minutes else AT
    phone = start(migration_started_at=at, migration_device="Zed's Phone", migration_direction="receive")
    size = MIGRATION_MB["contacts"] + MIGRATION_MB["photos"]
    assert percent == min(100, 100 * minutes * MIGRATION_RATE // size)
    assert phone.data("manage_phone_migration", action="query") == {
        "contents": ["contacts", "photos"],
        "status": status,
        "device": "Zed's Phone",
        "direction": "receive",
        "percent": percent,
        "minutesLeft": left,
    }
    assert phone.use("start_phone_migration", direction="send", deviceName="zed").ok == (status == "finished")


def test_migration_that_cannot_start(start):
    call = {"direction": "send", "deviceName": "zed"}
    for state in ({"wifi": "off"}, {"battery_level": "29"}, {"migration_contents": ""}):
        assert start(**state).code("start_phone_migration", **call) == 409
    assert start().code("start_phone_migration", direction="send", deviceName="Spare Phone") == 409
    assert start().code("start_phone_migration", direction="send", deviceName="Art Tablet") == 400
    for contents in ([], ["secrets"], None):
        given = {} if contents is None else {"contents": contents}
        assert start().code("manage_phone_migration", action="choose_contents", **given) == 400


# --- smart home -----------------------------------------------------------------------------------------------------


def test_lights(start):
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


def test_lights_of_a_room_and_of_the_home(start):
    phone = start()
    assert phone.data("control_light", action="off", room="den") == {
        "devices": ["Desk Light", "Shelf Light"],
        "total": 2,
    }
    assert changed(phone) == {("home_devices", "Shelf Light"): {"power": 0}}
    everywhere = phone.data("control_light", action="on", room="all")
    assert everywhere["total"] == 2 and everywhere["offline"] == ["Porch Light"]


def test_the_smart_home_needs_a_network(start):
    phone = start({"wifi_networks": NO_WIFI}, mobile_data="off")
    assert phone.code("control_light", action="on", deviceName="desk") == 409
    assert phone.use("query_home_devices").ok


def test_plugs_and_curtains(start):
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


def test_thermostat(start):
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


def test_vacuum(start):
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


def test_home_devices_show_what_matters_of_their_kind(start):
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


def test_running_a_scene(start):
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


def test_scenes_are_made_and_deleted(start):
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
def test_bad_scene_steps(start, steps, code):
    assert start().code("manage_home_scene", action="create", sceneName="New", steps=steps) == code


# --- the whole domain -----------------------------------------------------------------------------------------------

HOSTILE = ("'; DROP TABLE devices; --", "名字🙂", "=" * 50, "1" * 2000, "2025-02-30")


@pytest.mark.parametrize("item", DOMAIN.tools, ids=lambda t: t.spec.name)
def test_hostile_arguments_are_refused_or_harmless(start, item):
    phone = start()
    properties = item.spec.parameters["properties"]
    actions = properties.get("action", {}).get("enum", [None])
    numbers = {"integer": (-1, 10**9), "boolean": (True, False)}
    for action in actions:
        for turn, text in enumerate((*HOSTILE, "", "\x00")):
            given: dict[str, Any] = {} if action is None else {"action": action}
            for name, schema in properties.items():
                if name != "action":
                    kind = schema["type"]
                    options = (
                        schema.get("enum")
                        or numbers.get(kind)
                        or ([[text], [text] * 30] if kind == "array" else [text])
                    )
                    given[name] = options[turn % len(options)]
            before = phone.changes()
            feedback = phone.use(item.spec.name, **given)
            assert feedback.error_type is not ErrorType.INTERNAL, (given, feedback.payload)
            if not feedback.ok or action == "query":
                assert phone.changes() == before


@pytest.mark.parametrize("seed", range(8))
def test_seeded_homes_and_devices(seed):
    rows = make_world(seed).rows
    assert rows == make_world(seed).rows
    names = [r["name"] for r in rows["devices"]]
    assert len(set(n.casefold() for n in names)) == len(names) <= 12
    assert not any(a != b and a.casefold() in b.casefold() for a in names for b in names)
    assert Counter(r["kind"] for r in rows["devices"])["tv"] == 2
    devices = {r["name"]: r for r in rows["devices"]}
    for row in rows["bluetooth_devices"]:
        if row["kind"] in ("laptop", "watch", "car"):
            assert devices[row["name"]]["trusted"] == row["paired"]
            assert devices[row["name"]]["nearby"] or not row["connected"]
    paired = {e["device"] for e in rows["pairing_log"] if e["event"] == "paired"}
    assert paired == {r["name"] for r in rows["devices"] if r["trusted"]}
    assert all(e["at"] < AT for e in rows["pairing_log"])
    assert rows["print_jobs"][0]["printer"] in devices
    assert rows["print_jobs"][0]["file"] in {f["name"] for f in rows["files"]}
    home = {r["name"] for r in rows["home_devices"]}
    assert all(step.split("=")[0] in home for r in rows["home_scenes"] for step in r["steps"].split("; "))


def test_worlds_differ():
    for table in ("devices", "home_devices", "home_scenes", "pairing_log"):
        assert len({str(make_world(seed).rows[table]) for seed in range(6)}) > 3, table
