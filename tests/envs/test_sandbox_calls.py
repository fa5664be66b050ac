"""Calls & Communication: who is meant, what may be sent, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

CONTACTS = [
    {"id": "contact_101", "name": "Zoe Quill", "phone": "5559001", "group_name": "work", "email": "zoe@example.com"},
    {"id": "contact_102", "name": "Zoe Quartz", "phone": "5559002", "group_name": "friends"},
    {"id": "contact_103", "name": "Uma Vale", "phone": "5559003", "group_name": "work"},
    {"id": "contact_104", "name": "Uma Vale", "phone": "5559004", "group_name": "friends"},
]
FILES = [
    {"id": "file_101", "name": "Zebra_plan.pdf"},
    {"id": "file_102", "name": "Zebra_plan_v2.pdf"},
]


@pytest.fixture
def office(new_phone: Any) -> Any:
    settings = [{"key": "bluetooth", "value": "on"}, {"key": "airplane_mode", "value": "off"}]
    return new_phone(patch={"contacts": CONTACTS, "files": FILES, "settings": settings})


def test_add_contact(phone: Any) -> None:
    made = phone.data("add_contact", name="Yan Moss", phoneNumber="+86 (138) 0000-1111", group="work")
    assert made == {"id": "contact_010", "name": "Yan Moss", "phone": "+8613800001111"}
    assert phone.code("add_contact", name="yan moss", phoneNumber="+8613800001111") == 409
    phone.data("add_contact", name="Yan Moss", phoneNumber="5550000")  # a namesake is fine
    for number in ("12", "call me", "555-CALL", "1" * 16, "+"):
        assert phone.code("add_contact", name="Bad", phoneNumber=number) == 400


def test_ambiguous_names_list_candidates(office: Any) -> None:
    similar = office.use("delete_contact", name="zoe")
    assert similar.code == 409 and "Zoe Quill, Zoe Quartz" in similar.payload["error"]
    same = office.use("delete_contact", name="Uma Vale")
    assert same.code == 409
    assert "contact_103 5559003, contact_104 5559004" in same.payload["error"]
    assert office.code("delete_contact", name="Nobody Here") == 404
    assert office.code("delete_contact", name="Zo") == 404  # half a word names nobody
    assert office.data("delete_contact", name="contact_104")["id"] == "contact_104"
    assert office.data("delete_contact", name="UMA")["id"] == "contact_103"
    assert [c.op for c in office.changes()] == ["delete", "delete"]


def test_update_contact(office: Any) -> None:
    office.data("update_contact", name="Zoe Quill", phoneNumber="555 7777", newName="Zoe Quince")
    assert office.changes()[0].new == {"name": "Zoe Quince", "phone": "5557777"}
    assert office.code("update_contact", name="Zoe Quartz") == 400
    assert office.code("update_contact", name="contact_103", phoneNumber="5559004") == 409


def test_query_contacts(office: Any) -> None:
    assert office.data("query_contacts", name="zoe")["total"] == 2
    assert office.data("query_contacts", name="Uma Vale", group="Work")["items"] == [
        {"id": "contact_103", "name": "Uma Vale", "phone": "5559003", "group": "work"}
    ]
    assert office.data("query_contacts", name="Nobody Here")["total"] == 0


def test_calls(office: Any) -> None:
    assert office.code("end_call") == 409
    assert office.code("make_call") == 400
    assert office.code("make_call", contact="Uma") == 409
    made = office.data("make_call", contact="Uma Vale", phoneNumber="555-9004", callType="video")
    assert (made["phone"], made["callType"]) == ("5559004", "video")
    assert office.code("make_call", phoneNumber="5551234") == 409
    assert office.data("end_call")["id"] == made["id"]
    assert office.data("make_call", phoneNumber="5559001")["name"] == "Zoe Quill"
    office.data("end_call")
    assert office.data("make_call", phoneNumber="5551234")["name"] == ""
    assert office.code("make_call", contact="Zoe Quill", phoneNumber="5551234") == 404
    newest = office.data("query_call_log", callType="outgoing")["items"][0]
    assert newest["phone"] == "5551234"


def test_call_log_filters(phone: Any) -> None:
    everything = phone.data("query_call_log")
    missed = phone.data("query_call_log", callType="missed")
    assert everything["total"] == 7 and len(everything["items"]) == 5
    assert {row["direction"] for row in missed["items"]} == {"missed"}
    who = missed["items"][0]["name"]
    assert {row["name"] for row in phone.data("query_call_log", contact=who)["items"]} == {who}


def test_send_message(office: Any) -> None:
    sent = office.data("send_message", contact="Zoe Quill", content="On my way")
    assert sent == {"id": "msg_007", "phone": "5559001", "name": "Zoe Quill", "messageType": "text"}
    assert office.code("send_message", contact="Zoe", content="hi") == 409
    assert office.code("send_message", content="hi") == 400
    assert office.data("send_message", contact="Uma", phoneNumber="5559003", content="hi")["phone"] == "5559003"
    assert office.data("send_message", phoneNumber="10086", content="hi")["name"] == ""
    assert [c.new["direction"] for c in office.changes()] == ["out"] * 3
    assert office.data("query_messages", contact="Zoe Quill")["items"][0]["content"] == "On my way"


def test_airplane_mode_stops_radio_but_not_email(new_phone: Any) -> None:
    phone = new_phone(patch={"settings": [{"key": "airplane_mode", "value": "on"}]})
    assert phone.code("send_message", contact="Mom", content="hi") == 409
    assert phone.code("make_call", contact="Mom") == 409
    assert phone.use("send_email", to="Mom", subject="Hi").ok


def test_unread_filters_do_not_mark_as_read(phone: Any) -> None:
    for tool, total in (("query_messages", 2), ("query_emails", 2)):
        for _ in range(2):
            found = phone.data(tool, unreadOnly=True)
            assert found["total"] == total and all(row["unread"] is True for row in found["items"])
        assert phone.data(tool, unreadOnly=False)["total"] == phone.data(tool)["total"] > total


def test_email(office: Any) -> None:
    assert office.data("send_email", to="Zoe Quill", subject="Plan")["to"] == "zoe@example.com"
    assert office.data("send_email", to="bo@firm.org", subject="Plan", body="See you")["to"] == "bo@firm.org"
    assert office.code("send_email", to="Zoe Quartz", subject="Plan") == 404  # has no address
    assert office.code("send_email", to="bo@", subject="Plan") == 400
    assert all(row["sender"] != "me@example.com" for row in office.data("query_emails")["items"])
    sender = office.data("query_emails")["items"][0]["sender"]
    assert office.data("query_emails", sender=sender)["total"] >= 1


def test_send_file(office: Any) -> None:
    assert office.code("send_file", fileName="zebra", contact="Zoe Quill") == 409
    assert office.code("send_file", fileName="nope.txt", contact="Zoe Quill") == 404
    assert office.code("send_file", fileName="Zebra_plan.pdf") == 400
    sent = office.data("send_file", fileName="zebra_plan.pdf", contact="Zoe Quill")
    assert (sent["method"], sent["recipient"]) == ("message", "5559001")
    assert office.data("send_file", fileName="plan_v2", contact="Zoe Quill", method="email")["recipient"] == (
        "zoe@example.com"
    )
    near = office.data("send_file", fileName="plan_v2", contact="MacBook Pro", method="bluetooth")
    assert near["recipient"] == "MacBook Pro"


def test_bluetooth_must_be_on_to_send(new_phone: Any) -> None:
    phone = new_phone(patch={"settings": [{"key": "bluetooth", "value": "off"}], "files": FILES})
    assert phone.code("send_file", fileName="Zebra_plan.pdf", contact="MacBook Pro", method="bluetooth") == 409


def test_interception_and_forwarding(phone: Any) -> None:
    phone.data("manage_interception", action="enable", rule="international")
    assert phone.code("manage_interception", action="enable") == 400
    rules = phone.data("manage_interception", action="query")
    assert rules["international"] == "on" and len(rules) == 3
    assert phone.code("manage_call_forwarding", action="enable") == 400
    assert phone.code("manage_call_forwarding", action="enable", phoneNumber="x") == 400
    state = phone.data("manage_call_forwarding", action="enable", phoneNumber="555-1234")
    assert state == {"enabled": True, "phone": "5551234"}
    assert phone.data("manage_call_forwarding", action="disable") == {"enabled": False, "phone": ""}


def test_voicemail(phone: Any) -> None:
    listed = phone.data("manage_voicemail", action="query")
    assert listed["total"] == 2
    phone.data("manage_voicemail", action="delete", voicemailId=listed["items"][0]["id"])
    assert phone.code("manage_voicemail", action="delete", voicemailId=listed["items"][0]["id"]) == 404
    assert phone.code("manage_voicemail", action="delete") == 400
    phone.use("manage_voicemail", action="enable")
    assert phone.data("manage_voicemail", action="query")["enabled"] is True


def test_ringtone(office: Any) -> None:
    assert office.data("set_ringtone", ringtone="marimba", contact="Zoe Quill")["ringtone"] == "Marimba"
    assert office.changes()[0].new == {"ringtone": "Marimba"}
    unknown = office.use("set_ringtone", ringtone="Kazoo")
    assert unknown.code == 404 and "Silk" in unknown.payload["error"]
