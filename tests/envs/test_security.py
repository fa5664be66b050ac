"""Security & Privacy: secrets that stay secret, alerts that need a yes, and what holds for the whole domain."""

from __future__ import annotations

from typing import Any

import pytest
from hostile_calls import assert_survives
from phone_rows import message
from phone_rows import operations as changed
from security_phone import setting, start

from qpa.contract import Effect
from qpa.envs.sandbox import make_world
from qpa.envs.sandbox.domains.security import DOMAIN
from qpa.envs.sandbox.domains.security_guard import THREATS
from qpa.envs.sandbox.domains.security_lock import SECURE, USES
from qpa.envs.sandbox.domains.security_vault import is_weak

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
