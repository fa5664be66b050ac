"""Security & Privacy: locks that lean on the screen lock, secrets that stay secret, alerts that need a yes."""

from __future__ import annotations

from typing import Any

import pytest
from hostile_calls import assert_survives

from qpa.contract import Effect
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.security import DOMAIN
from qpa.envs.sandbox.domains.security_guard import THREATS
from qpa.envs.sandbox.domains.security_lock import SECURE, USES
from qpa.envs.sandbox.domains.security_vault import is_weak

PLAIN = {
    "airplane_mode": "off",
    "camera_access": "on",
    "last_security_scan": "",
    "location": "off",
    "lock_timeout": "5",
    "lockdown_mode": "off",
    "medical_allergies": "",
    "microphone_access": "on",
    "payment_protection": "off",
    "screen_lock": "pin",
    "screen_lock_password": "4821",
    "sim1_lock": "off",
    "sim1_pin": "1111",
} | {f"biometric_{use}": "off" for use in USES}
ROWS: dict[str, list[dict[str, Any]]] = {
    "passwords": [
        {"id": "password_801", "site": "tickets.test", "username": "ann", "password": "Gr3en-Kettle"},
        {"id": "password_802", "site": "tickets.test", "username": "bob", "password": "abc"},
        {"id": "password_803", "site": "wiki.test", "username": "ann", "password": "Gr3en-Kettle"},
    ],
    "contacts": [
        {"id": "contact_801", "name": "Zoe Quill", "phone": "5559001"},
        {"id": "contact_802", "name": "Yan Quill", "phone": "5559002"},
    ],
    "apps": [{"name": "PiggyBank", "category": "finance"}, {"name": "PiggyShop"}],
    "files": [{"id": "file_801", "name": "Secret_Plan.pdf"}, {"id": "file_802", "name": "Free_Movies.apk"}],
    "sims": [{"slot": 1, "enabled": 1, "is_data": 1}, {"slot": 2, "enabled": 0, "is_data": 0}],
    "bluetooth_devices": [{"name": "Green Watch", "paired": 1}, {"name": "Green Car", "paired": 0}],
}


def start(new_phone: Any, tables: dict[str, list[dict[str, Any]]] | None = None, **settings: str) -> Any:
    """World 0, whose phone has no lock and nothing enrolled, with PIN 4821; then the given settings and rows."""
    patch = {name: list(rows) for name, rows in ROWS.items()}
    patch["settings"] = [{"key": key, "value": value} for key, value in (PLAIN | settings).items()]
    for table, rows in (tables or {}).items():
        patch[table] = patch.get(table, []) + rows
    return new_phone(patch=patch)


def changed(phone: Any) -> dict[tuple[Any, ...], tuple[str, dict[str, Any]]]:
    return {(c.table, *c.key.values()): (c.op, c.new) for c in phone.changes()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]


def setting(key: str, value: str) -> dict[tuple[Any, ...], tuple[str, dict[str, Any]]]:
    return {("settings", key): ("update", {"value": value})}


# --- locks ----------------------------------------------------------------------------------------------------------


def test_the_world_these_tests_patch_is_bare():
    rows = make_world(0).rows
    assert not rows["biometrics"] and {r["rule"] for r in rows["security_rules"]} <= {"unknown_sources"}


def test_changing_the_screen_lock_needs_the_old_code(new_phone):
    phone = start(new_phone)
    new = {"action": "set", "lockType": "pattern", "code": "14789"}
    assert phone.code("manage_screen_lock", **new) == 400
    assert phone.code("manage_screen_lock", **new, currentCode="0000") == 400
    phone.data("manage_screen_lock", **new, currentCode="4821")
    assert changed(phone) == setting("screen_lock", "pattern") | setting("screen_lock_password", "14789")
    assert message(phone, "manage_screen_lock", **new, currentCode="14789") == "Screen lock already so"
    assert phone.data("manage_screen_lock", action="query") == {"lockType": "pattern", "timeout": 5}
    assert "14789" not in str(phone.use("manage_screen_lock", action="query").payload)


def test_the_first_screen_lock_needs_no_old_code(new_phone):
    phone = start(new_phone, screen_lock="swipe", screen_lock_password="")
    phone.data("manage_screen_lock", action="set", lockType="pin", code="0077")
    assert changed(phone) == setting("screen_lock", "pin") | setting("screen_lock_password", "0077")


@pytest.mark.parametrize(
    "kind, code",
    [
        ("pin", "123"), ("pin", "1" * 17), ("pin", "12a4"), ("pin", "١٢٣٤"), ("pin", None), ("pattern", "1123"),
        ("pattern", "147"), ("pattern", "0147"), ("password", "12345"), ("password", "abc"), ("password", "a" * 33),
        ("none", "1234"), (None, "1234"),
    ],
)  # fmt: skip
def test_bad_codes(new_phone, kind, code):
    phone = start(new_phone, screen_lock="none", screen_lock_password="")
    given = {name: value for name, value in {"lockType": kind, "code": code}.items() if value is not None}
    assert phone.code("manage_screen_lock", action="set", **given) == 400


def test_removing_the_lock_takes_biometrics_along_once_confirmed(new_phone):
    rows = {
        "biometrics": [{"kind": "fingerprint", "name": "Thumb"}],
        "security_rules": [{"rule": "trusted_device", "item": "Green Watch"}],
    }
    phone = start(new_phone, rows, biometric_unlock="on", lockdown_mode="on")
    off = {"action": "set", "lockType": "none", "currentCode": "4821"}
    assert phone.code("manage_screen_lock", **off) == 400
    phone.data("manage_screen_lock", **off, confirmed=True)
    assert changed(phone) == (
        setting("screen_lock", "none")
        | setting("screen_lock_password", "")
        | setting("biometric_unlock", "off")
        | setting("lockdown_mode", "off")
        | {
            ("biometrics", "fingerprint", "Thumb"): ("delete", {}),
            ("security_rules", "trusted_device", "Green Watch"): ("delete", {}),
        }
    )


@pytest.mark.parametrize("rule", ["app_lock", "private_space", "safe_folder", "payments"])
def test_a_lock_that_guards_something_stays(new_phone, rule):
    rules = [] if rule == "payments" else [{"rule": rule, "item": "PiggyBank"}]
    protection = "on" if rule == "payments" else "off"
    phone = start(new_phone, {"security_rules": rules}, payment_protection=protection)
    off = {"action": "set", "lockType": "swipe", "currentCode": "4821", "confirmed": True}
    assert phone.code("manage_screen_lock", **off) == 409


def test_lock_timeout(new_phone):
    phone = start(new_phone)
    phone.data("set_lock_timeout", seconds=60)
    assert changed(phone) == setting("lock_timeout", "60")
    assert message(phone, "set_lock_timeout", seconds=60) == "Lock timeout already so"
    assert phone.code("set_lock_timeout", seconds=61) == 400
    assert start(new_phone, screen_lock="swipe").code("set_lock_timeout", seconds=60) == 409


@pytest.mark.parametrize(
    "tool, on, off, rule",
    [
        ("manage_app_lock", "enable", "disable", "app_lock"),
        ("manage_private_space", "hide", "show", "private_space"),
        ("manage_payment_protection", "enable", "disable", "payment"),
        ("manage_unknown_sources", "allow", "block", "unknown_sources"),
    ],
)
def test_apps_under_a_rule(new_phone, tool, on, off, rule):
    phone = start(new_phone, payment_protection="on")
    phone.data(tool, action=on, appName="piggybank")
    row = {"rule": rule, "item": "PiggyBank"}
    assert changed(phone) == {("security_rules", rule, "PiggyBank"): ("insert", row)}
    assert "already on" in message(phone, tool, action=on, appName="PiggyBank")
    assert "PiggyBank" in phone.data(tool, action="query")["items"]
    phone.data(tool, action=off, appName="PiggyBank")
    assert "already off" in message(phone, tool, action=off, appName="PiggyBank")
    assert phone.changes() == []
    assert phone.code(tool, action=on, appName="Piggy") == 409  # two of them
    assert phone.code(tool, action=on, appName="Nothing") == 404
    if rule in ("app_lock", "private_space", "payment"):
        assert start(new_phone, screen_lock="none").code(tool, action=on, appName="PiggyBank") == 409


def test_payment_protection_is_a_switch_too(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_payment_protection", action="enable", appName="PiggyBank") == 409
    phone.data("manage_payment_protection", action="enable")
    assert changed(phone) == setting("payment_protection", "on")
    assert message(phone, "manage_payment_protection", action="enable") == "Payment protection already on"
    phone.data("manage_payment_protection", action="disable")
    assert phone.changes() == []
    assert phone.code("manage_app_lock", action="enable") == 400


def test_fingerprints(new_phone):
    phone = start(new_phone)
    for name in ("A", "B", "C", "D", "E"):
        phone.data("manage_fingerprint", action="add", name=name)
    assert phone.code("manage_fingerprint", action="add", name="F") == 409
    phone.data("manage_fingerprint", action="remove", name="E")
    assert phone.code("manage_fingerprint", action="add", name="a") == 409
    phone.data("manage_fingerprint", action="rename", name="A", newName="Thumb")
    assert message(phone, "manage_fingerprint", action="rename", name="Thumb", newName="Thumb").endswith("already so")
    assert phone.code("manage_fingerprint", action="rename", name="B", newName="thumb") == 409
    assert phone.code("manage_fingerprint", action="rename", name="B") == 400
    assert phone.code("manage_fingerprint", action="remove", name="Toe") == 404
    assert phone.data("manage_fingerprint", action="query") == {"items": ["B", "C", "D", "Thumb"]}
    assert set(changed(phone)) == {("biometrics", "fingerprint", name) for name in ("B", "C", "D", "Thumb")}
    assert start(new_phone, screen_lock="none").code("manage_fingerprint", action="add", name="A") == 409
    assert start(new_phone, lockdown_mode="on").code("manage_fingerprint", action="add", name="A") == 409


def test_faces(new_phone):
    phone = start(new_phone)
    phone.data("manage_face_unlock", action="add", name="Me")
    assert changed(phone) == {("biometrics", "face", "Me"): ("insert", {"kind": "face", "name": "Me"})}
    phone.data("manage_face_unlock", action="add", name="Me in winter")
    assert phone.code("manage_face_unlock", action="add", name="You") == 409
    assert phone.code("manage_face_unlock", action="remove", name="You") == 404
    assert phone.data("manage_face_unlock", action="query") == {"items": ["Me", "Me in winter"]}
    phone.data("manage_face_unlock", action="remove", name="Me")
    assert len(phone.changes()) == 1
    assert start(new_phone, camera_access="off").code("manage_face_unlock", action="add", name="Me") == 409


def test_biometrics_are_used_for_what_they_can_serve(new_phone):
    phone = start(new_phone, {"biometrics": [{"kind": "face", "name": "Me"}]})
    assert phone.code("manage_biometric_use", action="enable", feature="payments") == 409
    phone.data("manage_biometric_use", action="enable", feature="unlock")
    assert message(phone, "manage_biometric_use", action="enable", feature="unlock") == "Biometrics already on"
    assert changed(phone) == setting("biometric_unlock", "on")
    phone.data("manage_fingerprint", action="add", name="Thumb")
    phone.data("manage_biometric_use", action="enable", feature="payments")
    phone.data("manage_fingerprint", action="remove", name="Thumb")  # the face serves unlocking only
    assert changed(phone) == setting("biometric_unlock", "on")
    phone.data("manage_face_unlock", action="remove", name="Me")
    assert changed(phone) == {("biometrics", "face", "Me"): ("delete", {})}
    assert phone.code("manage_biometric_use", action="enable", feature="unlock") == 409
    assert phone.code("manage_biometric_use", action="enable") == 400
    assert set(phone.data("manage_biometric_use", action="query").values()) == {False}


def test_trusted_devices(new_phone):
    phone = start(new_phone)
    phone.data("manage_smart_unlock", action="add", deviceName="green watch")
    row = {"rule": "trusted_device", "item": "Green Watch"}
    assert changed(phone) == {("security_rules", "trusted_device", "Green Watch"): ("insert", row)}
    assert message(phone, "manage_smart_unlock", action="add", deviceName="Green Watch") == "Device already trusted"
    assert phone.data("manage_smart_unlock", action="query") == {"items": ["Green Watch"], "total": 1}
    assert phone.code("manage_smart_unlock", action="add", deviceName="Green Car") == 404  # not paired
    phone.data("manage_smart_unlock", action="remove", deviceName="Green Watch")
    assert phone.changes() == []
    assert phone.code("manage_smart_unlock", action="remove", deviceName="Green Watch") == 404
    assert start(new_phone, screen_lock="none").code("manage_smart_unlock", action="add", deviceName="x") == 409


def test_lockdown_mode(new_phone):
    phone = start(new_phone, {"biometrics": [{"kind": "face", "name": "Me"}]})
    phone.data("manage_lockdown_mode", action="enable")
    assert changed(phone) == setting("lockdown_mode", "on")
    assert message(phone, "manage_lockdown_mode", action="enable") == "Lockdown mode already on"
    assert phone.code("manage_biometric_use", action="enable", feature="unlock") == 409
    assert phone.code("manage_lockdown_mode", action="disable") == 400
    assert phone.code("manage_lockdown_mode", action="disable", code="1234") == 400
    phone.data("manage_lockdown_mode", action="disable", code="4821")
    assert phone.changes() == []
    assert phone.data("manage_lockdown_mode", action="query") == {"enabled": False}
    assert start(new_phone, screen_lock="none").code("manage_lockdown_mode", action="enable") == 409


def test_sim_lock(new_phone):
    phone = start(new_phone)
    assert phone.code("manage_sim_lock", action="change", slot=1, pin="1111", newPin="2222") == 409
    assert phone.code("manage_sim_lock", action="enable", slot=1) == 400
    assert phone.code("manage_sim_lock", action="enable", slot=1, pin="9999") == 400
    phone.data("manage_sim_lock", action="enable", slot=1, pin="1111")
    assert message(phone, "manage_sim_lock", action="enable", slot=1) == "SIM lock already on"
    for new in ("123", "123456789", "12a4"):
        assert phone.code("manage_sim_lock", action="change", slot=1, pin="1111", newPin=new) == 400
    phone.data("manage_sim_lock", action="change", slot=1, pin="1111", newPin="2222")
    assert changed(phone) == setting("sim1_lock", "on") | setting("sim1_pin", "2222")
    phone.data("manage_sim_lock", action="disable", slot=1, pin="2222")
    assert phone.data("manage_sim_lock", action="query", slot=1) == {"slot": 1, "enabled": False}
    assert phone.code("manage_sim_lock", action="enable", slot=2, pin="1111") == 409
    assert phone.code("manage_sim_lock", action="enable", slot=3, pin="1111") == 404


# --- secrets --------------------------------------------------------------------------------------------------------


def test_passwords_are_listed_without_themselves(new_phone):
    phone = start(new_phone)
    found = phone.data("manage_password", action="query", site="tickets")
    assert found == {
        "items": [
            {"site": "tickets.test", "username": "ann", "strength": "strong"},
            {"site": "tickets.test", "username": "bob", "strength": "weak"},
        ],
        "total": 2,
    }
    saved = phone.use("manage_password", action="save", site="new.test", username="cy", password="Tall-4-Trees")
    changed_one = phone.use("manage_password", action="update", site="wiki.test", password="Tall-5-Trees")
    assert "Tall" not in str(saved.payload) + str(changed_one.payload)
    row = {"site": "new.test", "username": "cy", "password": "Tall-4-Trees", "updated_at": "2025-01-15T09:00:00"}
    assert changed(phone) == {
        ("passwords", "password_803"): (
            "update",
            {"password": "Tall-5-Trees", "updated_at": "2025-01-15T09:00:00"},
        ),
        ("passwords", "password_804"): ("insert", {"id": "password_804"} | row),
    }
    again = message(phone, "manage_password", action="update", site="wiki.test", password="Tall-5-Trees")
    assert again == "Password already so"
    assert phone.code("manage_password", action="save", site="NEW.test", username="Cy", password="x") == 409
    assert phone.code("manage_password", action="update", site="tickets", password="x") == 409
    assert phone.code("manage_password", action="update", site="moon.test", password="x") == 404
    assert phone.code("manage_password", action="save", site="moon.test", password="x") == 400
    assert phone.code("manage_password", action="update", site="wiki.test", password="x" * 65) == 400


def test_generated_passwords_are_strong_and_repeatable(new_phone):
    def generate(phone: Any, **more: Any) -> str:
        payload = phone.use("generate_password", site="new.test", username="cy", **more).payload
        (row,) = [c.new for c in phone.changes() if c.table == "passwords"]
        assert row["password"] not in str(payload)
        return row["password"]

    phone, twin = start(new_phone), start(new_phone)
    first = generate(phone)
    assert first == generate(twin) and len(first) == 16 and not is_weak(first)
    assert generate(phone) != first  # replaced by another one
    assert len(phone.changes()) == 1
    assert len(generate(start(new_phone), length=64)) == 64
    assert phone.code("generate_password", site="a", username="b", length=7) == 400


def test_showing_a_password_needs_a_yes(new_phone):
    phone = start(new_phone)
    assert phone.code("show_password", site="tickets", username="bob") == 400
    assert phone.code("show_password", site="tickets", username="bob", confirmed=False) == 400
    assert phone.code("show_password", site="tickets", confirmed=True) == 409
    assert phone.code("show_password", site="moon.test", confirmed=True) == 404
    shown = phone.data("show_password", site="tickets", username="bob", confirmed=True)
    assert shown == {"site": "tickets.test", "username": "bob", "password": "abc"}
    assert phone.changes() == []


def test_deleting_a_password_needs_a_yes(new_phone):
    phone = start(new_phone)
    assert phone.code("delete_password", site="wiki.test", confirmed=False) == 400
    phone.data("delete_password", site="wiki.test", confirmed=True)
    assert changed(phone) == {("passwords", "password_803"): ("delete", {})}
    assert phone.code("delete_password", site="wiki.test", confirmed=True) == 404


def test_safe_folder(new_phone):
    phone = start(new_phone)
    phone.data("manage_safe_folder", action="move_in", fileName="secret_plan")
    row = {"rule": "safe_folder", "item": "Secret_Plan.pdf"}
    assert changed(phone) == {("security_rules", "safe_folder", "Secret_Plan.pdf"): ("insert", row)}
    assert message(phone, "manage_safe_folder", action="move_in", fileName="Secret_Plan.pdf") == "File already inside"
    assert phone.data("manage_safe_folder", action="query") == {"items": ["Secret_Plan.pdf"], "total": 1}
    phone.data("manage_safe_folder", action="move_out", fileName="secret")
    assert phone.changes() == []
    assert phone.code("manage_safe_folder", action="move_out", fileName="secret") == 404
    assert phone.code("manage_safe_folder", action="move_in", fileName="None.pdf") == 404
    assert start(new_phone, screen_lock="none").code("manage_safe_folder", action="move_in", fileName="x") == 409


# --- watching over --------------------------------------------------------------------------------------------------


def test_an_sos_reaches_every_emergency_contact(new_phone):
    world = make_world(0).rows["emergency_contacts"]
    phone = start(new_phone)
    phone.data("manage_emergency_contact", action="add", contact="Zoe Quill")
    row = {"contact_id": "contact_801", "name": "Zoe Quill", "phone": "5559001"}
    assert changed(phone) == {("emergency_contacts", "contact_801"): ("insert", row)}
    again = message(phone, "manage_emergency_contact", action="add", contact="Zoe Quill")
    assert again == "Already an emergency contact"
    assert phone.code("manage_emergency_contact", action="add", contact="Quill") == 409
    assert phone.code("manage_emergency_contact", action="add", contact="Nobody") == 404
    assert phone.code("send_sos_alert", confirmed=False) == 400
    sent = phone.data("send_sos_alert", confirmed=True, message="Fell on the stairs.")
    assert sent["sentTo"][-1] == "Zoe Quill" and len(sent["sentTo"]) == len(world) + 1
    texts = [c.new for c in phone.changes() if c.table == "messages"]
    assert {t["content"] for t in texts} == {"SOS! Fell on the stairs."} and texts[-1]["phone"] == "5559001"
    assert {t["direction"] for t in texts} == {"out"}


def test_an_sos_needs_people_and_a_radio(new_phone):
    rows = {"emergency_contacts": [{"contact_id": "contact_801", "name": "Zoe Quill", "phone": "5559001"}]}
    phone = start(new_phone, rows, location="on")
    assert phone.use("send_sos_alert", confirmed=True).payload["data"]["location"] is True
    assert phone.changes()[-1].new["content"] == "SOS! I need help. My location is attached."
    assert start(new_phone, rows, airplane_mode="on").code("send_sos_alert", confirmed=True) == 409
    for row in phone.data("manage_emergency_contact", action="query")["items"]:
        phone.data("manage_emergency_contact", action="remove", contact=row["name"])
    assert phone.code("send_sos_alert", confirmed=True) == 409
    assert phone.code("manage_emergency_contact", action="remove", contact="Zoe Quill") == 404
    assert new_phone(denied_permissions=["SEND_SMS"]).code("send_sos_alert", confirmed=True) == 403


def test_five_emergency_contacts_fit(new_phone):
    people = [
        {"id": f"contact_81{i}", "name": f"Helper {word}", "phone": f"555910{i}"} for i, word in enumerate("ABCDEF")
    ]
    phone = start(new_phone, {"contacts": people})
    codes = [phone.use("manage_emergency_contact", action="add", contact=row["name"]).code for row in people]
    assert codes[-1] == 409 and phone.data("manage_emergency_contact", action="query")["total"] == 5
    phone.data("manage_emergency_contact", action="remove", contact="contact_810")


def test_medical_information(new_phone):
    phone = start(new_phone, medical_blood_type="", medical_organ_donor="")
    phone.data("manage_medical_info", action="set", item="blood_type", value="ab +")
    phone.data("manage_medical_info", action="set", item="organ_donor", value="Yes")
    assert changed(phone) == setting("medical_blood_type", "AB+") | setting("medical_organ_donor", "yes")
    again = message(phone, "manage_medical_info", action="set", item="blood_type", value="AB+")
    assert again == "Medical information already so"
    assert phone.data("manage_medical_info", action="query", item="blood_type") == {"blood_type": "AB+"}
    assert phone.code("manage_medical_info", action="set", item="blood_type", value="C+") == 400
    assert phone.code("manage_medical_info", action="set", item="organ_donor", value="maybe") == 400
    assert phone.code("manage_medical_info", action="set", item="allergies", value="x" * 101) == 400
    assert phone.code("manage_medical_info", action="set", item="allergies") == 400
    phone.data("manage_medical_info", action="clear", item="blood_type")
    assert changed(phone) == setting("medical_organ_donor", "yes")


def test_permission_usage(new_phone):
    rows = [
        {"id": "usage_801", "app": "PiggyBank", "permission": "camera", "at": "2025-01-15T08:59:00"},
        {"id": "usage_802", "app": "PiggyBank", "permission": "location", "at": "2025-01-15T08:58:00"},
    ]
    phone = start(new_phone, {"permission_usage": rows})
    found = phone.data("query_permission_usage", permission="camera", appName="piggybank")
    assert found["items"] == [{"app": "PiggyBank", "permission": "camera", "at": "2025-01-15T08:59:00"}]
    everything = phone.data("query_permission_usage")
    assert everything["total"] == 9 and len(everything["items"]) == 5
    assert [item["at"] for item in everything["items"]][:2] == ["2025-01-15T08:59:00", "2025-01-15T08:58:00"]
    assert phone.code("query_permission_usage", appName="Nothing") == 404


@pytest.mark.parametrize("sensor", ["camera", "microphone"])
def test_sensors(new_phone, sensor):
    phone = start(new_phone)
    phone.data("manage_sensor_access", action="disable", sensor=sensor)
    assert changed(phone) == setting(f"{sensor}_access", "off")
    assert message(phone, "manage_sensor_access", action="disable", sensor=sensor) == "Access already off"
    assert phone.data("manage_sensor_access", action="query")[sensor] is False
    assert phone.code("manage_sensor_access", action="disable") == 400
    phone.data("manage_sensor_access", action="enable", sensor=sensor)
    assert phone.changes() == []


def test_a_scan_finds_what_is_weak_and_its_threats_can_be_removed(new_phone):
    own = {"passwords": [{"id": r["id"], "password": f"Long-{r['id']}"} for r in make_world(0).rows["passwords"]]}
    phone = start(new_phone, own, screen_lock="none")
    assert phone.code("remove_threat", fileName="Free_Movies.apk", confirmed=True) == 409  # nothing scanned yet
    found = phone.data("run_security_scan")
    threats = [item for item in found["items"] if item.startswith("Threat")]
    assert "Threat: Free_Movies.apk (trojan)" in threats
    assert {"No screen lock", "Payment protection is off"} <= set(found["items"])
    rules = len([r for r in make_world(0).rows["security_rules"] if r["rule"] == "unknown_sources"])
    assert found["total"] == len(threats) + 2 + rules + 1 + 2  # one weak password, one used twice
    assert changed(phone) == setting("last_security_scan", "2025-01-15T09:00:00")
    assert phone.code("remove_threat", fileName="Free_Movies.apk", confirmed=False) == 400
    assert phone.code("remove_threat", fileName="Secret_Plan.pdf", confirmed=True) == 404
    phone.data("remove_threat", fileName="free_movies", confirmed=True)
    assert ("files", "file_802") in changed(phone)


# --- all of it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [tool.spec for tool in DOMAIN.tools], ids=lambda spec: spec.name)
def test_odd_values_never_break_a_tool(new_phone, spec):
    assert len(spec.description.split()) <= 10
    assert_survives(start(new_phone), spec)


def test_the_domain_is_as_large_as_published():
    effects = {tool.spec.name: tool.spec.effect for tool in DOMAIN.tools}
    assert len(effects) >= 10 and "manage_app_lock" in effects
    assert {name for name, effect in effects.items() if effect is Effect.IRREVERSIBLE} == {
        "send_sos_alert",
        "delete_password",
        "remove_threat",
    }


@pytest.mark.parametrize("seed", range(30))
def test_seeded_locks_agree_with_each_other(seed):
    rows = make_world(seed).rows
    settings = {row["key"]: row["value"] for row in rows["settings"]}
    rules = {row["rule"] for row in rows["security_rules"]}
    locked = settings["screen_lock"] in SECURE
    assert bool(settings["screen_lock_password"]) == locked
    assert locked or not (rows["biometrics"] or rules & {"app_lock", "payment"})
    assert locked or settings["payment_protection"] == "off"
    assert rows["biometrics"] or all(settings[f"biometric_{use}"] == "off" for use in USES)
    accounts = [(row["site"], row["username"]) for row in rows["passwords"]]
    assert len(set(accounts)) == len(accounts) and any(is_weak(row["password"]) for row in rows["passwords"])
    apps = {row["name"] for row in rows["apps"]}
    assert {row["item"] for row in rows["security_rules"]} | {row["app"] for row in rows["permission_usage"]} <= apps
    people = {row["id"]: row["name"] for row in rows["contacts"]}
    assert all(people[row["contact_id"]] == row["name"] for row in rows["emergency_contacts"])
    assert sum(row["name"] in THREATS for row in rows["files"]) <= 1


def test_worlds_differ():
    assert make_world(1).rows["passwords"] != make_world(2).rows["passwords"]
    assert make_world(1).rows["passwords"] == make_world(1).rows["passwords"]
