"""Security & Privacy, locks: everything that guards leans on the screen lock."""

from __future__ import annotations

import pytest
from phone_rows import message
from phone_rows import operations as changed
from security_phone import setting, start

from qpa.envs.sandbox import make_world


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
