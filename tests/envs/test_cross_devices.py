"""Devices & Cross-device: what is around, trusted, found; files, printing, migration; the whole domain."""

from __future__ import annotations

from collections import Counter

import pytest
from device_phone import AT, NO_WIFI, start
from phone_rows import changed, message, settings, survives

from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.device_transfer import MIGRATION_MB, MIGRATION_RATE
from qpa.envs.sandbox.domains.devices import DOMAIN


def test_nearby_devices():
    phone = start(casting_device="Salon TV")
    found = phone.data("query_nearby_devices", deviceType="tv")
    tvs = [{"name": n, "type": "tv", "trusted": False} for n in ("Attic TV", "Salon TV")]
    assert found == {"items": tvs, "total": 2, "visibility": "contacts", "casting": "Salon TV"}
    everything = phone.data("query_nearby_devices")
    assert everything["total"] == 9 and len(everything["items"]) == 5
    assert start(bluetooth="off").use("query_nearby_devices").ok
    assert start(wifi="off", bluetooth="off").code("query_nearby_devices") == 409
    assert start(denied=("NEARBY_WIFI_DEVICES",)).code("query_nearby_devices") == 403


def test_visibility():
    phone = start()
    assert message(phone, "set_nearby_visibility", visibility="contacts") == "Visibility already contacts"
    assert phone.changes() == []
    phone.data("set_nearby_visibility", visibility="everyone")
    assert changed(phone) == settings(nearby_visibility="everyone")
    phone = start(bluetooth="off")
    assert phone.code("set_nearby_visibility", visibility="everyone") == 409
    assert phone.use("set_nearby_visibility", visibility="hidden").ok


def test_trusting_a_device_is_logged():
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


def test_what_cannot_be_trusted():
    phone = start()
    assert phone.code("manage_trusted_devices", action="add") == 400
    assert phone.code("manage_trusted_devices", action="add", deviceName="Ink Printer") == 400
    assert phone.code("manage_trusted_devices", action="add", deviceName="Toaster") == 404
    assert phone.code("manage_trusted_devices", action="add", deviceName="Spare Phone") == 409  # not nearby
    ambiguous = phone.use("manage_trusted_devices", action="add", deviceName="attic")
    assert ambiguous.code == 409 and "Attic Large Screen, Attic TV" in ambiguous.payload["error"]
    assert start(bluetooth="off").code("manage_trusted_devices", action="add", deviceName="Art Tablet") == 409


def test_removing_trust_ends_what_builds_on_it():
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


def test_pairing_log_filters():
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


def test_finding_own_devices():
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


def test_locking_a_lost_device():
    phone = start()
    assert phone.code("lock_lost_device", deviceName="Salon TV") == 400
    assert phone.code("lock_lost_device", deviceName="Spare Phone") == 409
    phone.data("lock_lost_device", deviceName="Art Tablet", message="Call 5550101")
    assert changed(phone) == {("devices", "device_805"): {"locked": 1, "lock_message": "Call 5550101"}}
    assert message(phone, "lock_lost_device", deviceName="Art Tablet") == "Device already locked"
    assert len(phone.changes()) == 1


def test_sharing_a_file():
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


def test_printing():
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
    assert phone.code("print_file", fileName="clip.mp4") == 400
    assert phone.code("print_file", fileName="poem", copies=100) == 400
    assert phone.code("print_file", fileName="poem", printerName="Salon TV") == 400
    assert start(wifi="off").code("print_file", fileName="poem") == 409


def test_migration():
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
def test_migration_progress_follows_the_clock(minutes, percent, left, status):
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


def test_migration_that_cannot_start():
    call = {"direction": "send", "deviceName": "zed"}
    for state in ({"wifi": "off"}, {"battery_level": "29"}, {"migration_contents": ""}):
        assert start(**state).code("start_phone_migration", **call) == 409
    assert start().code("start_phone_migration", direction="send", deviceName="Spare Phone") == 409
    assert start().code("start_phone_migration", direction="send", deviceName="Art Tablet") == 400
    for contents in ([], ["secrets"], None):
        given = {} if contents is None else {"contents": contents}
        assert start().code("manage_phone_migration", action="choose_contents", **given) == 400


HOSTILE = ("'; DROP TABLE devices; --", "名字🙂", "=" * 50, "1" * 2000, "2025-02-30")


@pytest.mark.parametrize("item", DOMAIN.tools, ids=lambda t: t.spec.name)
def test_hostile_arguments_are_refused_or_harmless(item):
    survives(start(), item.spec, HOSTILE)


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
