"""`content`: rows as Android prints them, selections, and changes that are the sandbox tools' own."""

from __future__ import annotations

import pytest
from double_phone import Handset

CONTACTS = {
    "contacts": [
        {"id": "contact_001", "name": "Mom", "phone": "5550101", "group_name": "family", "email": ""},
        {
            "id": "contact_002",
            "name": "Zoë O'Neil, PhD",
            "phone": "5550102",
            "group_name": "",
            "email": "z@example.com",
        },
    ]
}
DATA = "content://com.android.contacts/data"
RAW = "content://com.android.contacts/raw_contacts"
EVENTS = "content://com.android.calendar/events"


@pytest.fixture
def hand() -> Handset:
    return Handset()


def people(hand: Handset) -> Handset:
    """Only the two contacts above."""
    hand.phone.write_row("DELETE FROM contacts")
    for row in CONTACTS["contacts"]:
        hand.phone.session.write(lambda ctx, row=row: ctx.insert("contacts", **row))
    return hand


def query(hand: Handset, uri: str, columns: str, where: str = "", sort: str = "") -> list[str]:
    more = (["--where", where] if where else []) + (["--sort", sort] if sort else [])
    return hand.sh("content", "query", "--uri", uri, "--projection", columns, *more).splitlines()


def test_rows_are_printed_unquoted_and_null_is_NULL(hand: Handset):  # noqa: N802
    people(hand)
    assert query(hand, DATA, "raw_contact_id:mimetype:data1", "raw_contact_id=2") == [
        "Row: 0 raw_contact_id=2, mimetype=vnd.android.cursor.item/name, data1=Zoë O'Neil, PhD",
        "Row: 1 raw_contact_id=2, mimetype=vnd.android.cursor.item/phone_v2, data1=5550102",
        "Row: 2 raw_contact_id=2, mimetype=vnd.android.cursor.item/email_v2, data1=z@example.com",
    ]
    assert query(hand, RAW, "_id:deleted:custom_ringtone:display_name", sort="_id DESC") == [
        "Row: 0 _id=2, deleted=0, custom_ringtone=NULL, display_name=Zoë O'Neil, PhD",
        "Row: 1 _id=1, deleted=0, custom_ringtone=NULL, display_name=Mom",
    ]
    assert query(hand, "content://com.android.contacts/phone_lookup/5550101", "display_name") == [
        "Row: 0 display_name=Mom"
    ]


def test_selections_are_sql_of_the_view_alone(hand: Handset):
    people(hand)
    assert query(hand, RAW, "_id", "display_name='Zoë O''Neil, PhD'") == ["Row: 0 _id=2"]
    assert query(hand, RAW, "_id", "display_name LIKE 'M%' AND _id IN (1, 2)") == ["Row: 0 _id=1"]
    assert hand.sh("content", "query", "--uri", RAW, "--where", "_id=77") == "No result found.\n"
    for where in (
        "1=1); DROP TABLE rows_; --",
        "nothing=1",
        "_id=",
        "1 IN (SELECT 1 FROM sqlite_master, contacts)",
        "load_extension('x')",
        "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c)",
    ):
        out, err, code = hand.all("content", "query", "--uri", RAW, "--where", where)
        assert (out, code) == ("", 0), where
        assert err.startswith(
            "Error while accessing provider:com.android.contacts\nandroid.database.sqlite.SQLiteException"
        )
    assert len(query(hand, RAW, "_id")) == 2


def test_failures_end_with_0(hand: Handset):
    assert hand.all("content", "query", "--uri", RAW, "--projection", "_id:nope")[1].splitlines()[:2] == [
        "Error while accessing provider:com.android.contacts",
        "java.lang.IllegalArgumentException: Invalid column nope",
    ]
    out, err, code = hand.all("content", "query", "--uri", "content://no.such/x")
    assert (out, code) == ("", 0) and "Could not find provider: no.such" in err
    assert hand.all("content", "query")[1].startswith("[ERROR] Content provider URI not specified.")
    assert hand.all("content", "query", "--uri", "http://x/y")[1].startswith("[ERROR] Invalid URI")
    assert hand.all("content", "insert", "--uri", RAW)[1].startswith("[ERROR] Bindings not specified")
    assert hand.all("content", "insert", "--uri", RAW, "--bind", "a:z:1")[1].startswith("[ERROR] Unsupported type: z")
    assert hand.all("content", "frob", "--uri", RAW)[1].startswith("[ERROR] Unsupported command: frob")


def new_contact(hand: Handset, *rows: tuple[str, ...]) -> int:
    hand.sh("content", "insert", "--uri", RAW, "--bind", "account_type:n:", "--bind", "account_name:n:")
    number = int(query(hand, RAW, "_id", sort="_id DESC")[0].partition("=")[2])
    for kind, value in rows:
        binds = [f"raw_contact_id:i:{number}", f"mimetype:s:vnd.android.cursor.item/{kind}", f"data1:{value}"]
        hand.sh("content", "insert", "--uri", DATA, *(x for b in binds for x in ("--bind", b)))
    return number


def test_a_contact_appears_with_its_name_and_number(hand: Handset):
    title = "a:b, 'c' \"d\""
    number = new_contact(hand, ("name", f"s:{title}"))
    assert hand.changed() == {} and query(hand, DATA, "data1", f"raw_contact_id={number}") == [f"Row: 0 data1={title}"]
    row_id = f"contact_{number:03d}"
    new_contact(hand)  # a second one that stays empty
    binds = [
        f"raw_contact_id:i:{number}",
        "mimetype:s:vnd.android.cursor.item/phone_v2",
        "data1:s:5550123",
        "data2:i:2",
    ]
    hand.sh("content", "insert", "--uri", DATA, *(x for b in binds for x in ("--bind", b)))
    row = {"id": row_id, "name": title, "phone": "5550123", "group_name": "", "email": "", "ringtone": ""}
    assert hand.changed() == {("contacts", row_id): row}
    assert [(o.tool, o.ok) for o in hand.evidence().operations] == [("add_contact", True)]


def test_groups_are_numbers(hand: Handset):
    uri = "content://com.android.contacts/groups"
    known = query(hand, uri, "_id:title")
    hand.sh("content", "insert", "--uri", uri, "--bind", "title:s:chess")
    assert query(hand, uri, "_id:title") == [*known, f"Row: {len(known)} _id={len(known) + 1}, title=chess"]
    number = new_contact(
        hand, ("name", "s:Ivo"), ("phone_v2", "s:5550177"), ("group_membership", f"i:{len(known) + 1}")
    )
    assert hand.changed()[("contacts", f"contact_{number:03d}")]["group_name"] == "chess"


def test_a_refusal_is_a_java_exception(hand: Handset):
    people(hand)
    number = new_contact(hand, ("name", "s:Mom"))
    binds = [f"raw_contact_id:i:{number}", "mimetype:s:vnd.android.cursor.item/phone_v2", "data1:s:5550101"]
    out, err, code = hand.all("content", "insert", "--uri", DATA, *(x for b in binds for x in ("--bind", b)))
    assert (out, code) == ("", 0)
    assert err.startswith(
        "Error while accessing provider:com.android.contacts\n"
        "java.lang.IllegalStateException: Contact already exists: contact_001\n"
    )


def test_contacts_change_and_go(hand: Handset):
    people(hand)
    where = "raw_contact_id=1 AND mimetype='vnd.android.cursor.item/{}'"
    for kind, value in (("phone_v2", "5550999"), ("name", "Mum"), ("group_membership", "work")):
        if kind != "group_membership":
            hand.sh("content", "update", "--uri", DATA, "--bind", f"data1:s:{value}", "--where", where.format(kind))
    assert hand.phone.rows("SELECT name, phone FROM contacts WHERE id = 'contact_001'") == [
        {"name": "Mum", "phone": "5550999"}
    ]
    hand.sh("content", "delete", "--uri", RAW, "--where", "_id=2")
    assert [row["id"] for row in hand.phone.rows("SELECT id FROM contacts")] == ["contact_001"]
    assert query(hand, RAW, "_id") == ["Row: 0 _id=1"]


def test_events(hand: Handset):
    hand.sh(
        "content",
        "insert",
        "--uri",
        EVENTS,
        "--bind",
        "calendar_id:i:1",
        "--bind",
        "title:s:Demo: part 2",
        "--bind",
        "dtstart:l:1737012600000",
        "--bind",
        "dtend:l:1737016200000",
        "--bind",
        "eventTimezone:s:Asia/Shanghai",
        "--bind",
        "eventLocation:s:Room 7",
        "--bind",
        "hasAlarm:i:0",
    )
    row = {"id": "schedule_005", "event": "Demo: part 2", "datetime": "2025-01-16T15:30:00", "location": "Room 7"}
    assert hand.changed() == {("schedules", "schedule_005"): row}
    assert query(hand, EVENTS, "_id:hasAlarm:dtstart:rrule:title", "_id=5") == [
        "Row: 0 _id=5, hasAlarm=0, dtstart=1737012600000, rrule=NULL, title=Demo: part 2"
    ]
    hand.sh("content", "update", "--uri", EVENTS, "--bind", "dtstart:l:1737016200000", "--where", "_id=5")
    hand.sh("content", "update", "--uri", EVENTS, "--bind", "eventLocation:s:", "--where", "_id=5")
    assert hand.changed()[("schedules", "schedule_005")] == row | {"datetime": "2025-01-16T16:30:00", "location": ""}
    hand.sh("content", "delete", "--uri", EVENTS, "--where", "_id=5")
    assert hand.changed() == {}
    bad = hand.all("content", "insert", "--uri", EVENTS, "--bind", "title:s:x", "--bind", "dtstart:l:1")
    assert "New events must specify a calendar id" in bad[1]


def test_reminders_and_anniversaries_are_events_too(hand: Handset):
    base = ("content", "insert", "--uri", EVENTS, "--bind", "calendar_id:i:1")
    hand.sh(*base, "--bind", "title:s:Pills", "--bind", "dtstart:l:1737012600000", "--bind", "hasAlarm:i:1")
    hand.sh(*base, "--bind", "title:s:Our day", "--bind", "dtstart:l:1740787200000", "--bind", "rrule:s:FREQ=YEARLY")
    assert hand.changed() == {
        ("reminders", "reminder_003"): {"id": "reminder_003", "content": "Pills", "time": "2025-01-16T15:30:00"},
        ("anniversaries", "anniversary_003"): {"id": "anniversary_003", "name": "Our day", "date": "2025-03-01"},
    }
    shown = query(hand, EVENTS, "_id:allDay:title", "_id IN (1000003, 2000003)")
    assert shown == ["Row: 0 _id=1000003, allDay=0, title=Pills", "Row: 1 _id=2000003, allDay=1, title=Our day"]
    hand.sh("content", "update", "--uri", EVENTS, "--bind", "title:s:Vitamins", "--where", "_id=1000003")
    assert hand.changed()[("reminders", "reminder_003")]["content"] == "Vitamins"
    hand.sh("content", "delete", "--uri", EVENTS, "--where", "_id IN (1000003, 2000003)")
    assert hand.changed() == {}


def test_messages_and_calls(hand: Handset):
    count = len(hand.phone.rows("SELECT id FROM messages"))
    assert len(query(hand, "content://sms", "_id:type:read:date:address")) == count
    assert len(query(hand, "content://sms/inbox", "_id")) + len(query(hand, "content://sms/sent", "_id")) == count
    insert = (
        "content",
        "insert",
        "--uri",
        "content://sms/sent",
        "--bind",
        "address:s:5550123",
        "--bind",
        "body:s:hi; there",
    )
    hand.sh(*insert)
    assert hand.changed() == {}  # silently ignored, as for every app but the default one
    hand.sh("appops", "set", "com.android.shell", "WRITE_SMS", "allow")
    hand.sh(*insert)
    ((key, row),) = hand.changed().items()
    assert key == ("messages", "msg_007") and (row["phone"], row["content"], row["direction"]) == (
        "5550123",
        "hi; there",
        "out",
    )
    assert query(hand, "content://sms", "_id:type:address:body", "_id=7") == [
        "Row: 0 _id=7, type=2, address=5550123, body=hi; there"
    ]
    hand.sh("content", "delete", "--uri", "content://sms", "--where", "_id=7")
    assert hand.changed() == {}
    logged = query(hand, "content://call_log/calls", "_id:type:features:date:number")
    assert len(logged) == len(hand.phone.rows("SELECT id FROM calls"))
    hand.sh("am", "start", "-a", "android.intent.action.CALL", "-d", "tel:5550123")
    assert len(query(hand, "content://call_log/calls", "_id")) == len(logged)  # a running call is not in the log yet
    assert "  mCallState=2\n" in hand.sh("dumpsys", "telephony.registry")
    hand.sh("input", "keyevent", "KEYCODE_ENDCALL")
    assert "  mCallState=0\n" in hand.sh("dumpsys", "telephony.registry")
    assert len(query(hand, "content://call_log/calls", "_id")) == len(logged) + 1


def test_media_words_and_settings(hand: Handset):
    names = {
        row["name"] for row in hand.phone.rows("SELECT name FROM files WHERE kind = 'image' AND storage = 'phone'")
    }
    shown = query(hand, "content://media/external/images/media", "_display_name")
    assert {line.partition("=")[2] for line in shown} == names
    hand.sh(
        "content",
        "insert",
        "--uri",
        "content://user_dictionary/words",
        "--bind",
        "shortcut:s:omw",
        "--bind",
        "word:s:On my way",
    )
    assert hand.changed() == {("text_shortcuts", "omw"): {"shortcut": "omw", "phrase": "On my way"}}
    uri = "content://settings/system"
    hand.sh("content", "insert", "--uri", uri, "--bind", "name:s:time_12_24", "--bind", "value:s:12")
    assert hand.phone.setting("time_format") == "12h"
    assert query(hand, f"{uri}/time_12_24", "name:value") == ["Row: 0 name=time_12_24, value=12"]
