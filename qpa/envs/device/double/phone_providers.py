"""What the double's content providers hold: rows of Android's columns made of the sandbox's tables."""

from __future__ import annotations

import mimetypes
import posixpath
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qpa.envs.device.double.phone_profile import has
from qpa.envs.device.double.phone_settings import NAMESPACES, get, names
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

NAME = "vnd.android.cursor.item/name"
PHONE = "vnd.android.cursor.item/phone_v2"
EMAIL = "vnd.android.cursor.item/email_v2"
GROUP = "vnd.android.cursor.item/group_membership"
REMINDERS, ANNIVERSARIES = 1_000_000, 2_000_000  # added to the numbers of these tables' rows among the events
HOUR = 3_600_000  # milliseconds

RAW_CONTACT = (
    "_id",
    "contact_id",
    "account_type",
    "account_name",
    "deleted",
    "starred",
    "custom_ringtone",
    "display_name",
)
CONTACT = ("_id", "lookup", "has_phone_number", "starred", "custom_ringtone", "in_visible_group", "display_name")
DATA = ("_id", "raw_contact_id", "contact_id", "mimetype", "data2", "data4", "starred", "display_name", "data1")
GROUPS = ("_id", "account_type", "account_name", "deleted", "title")
SMS = (
    "_id", "thread_id", "person", "date", "date_sent", "protocol", "read", "status", "type", "seen", "sub_id",
    "address", "body",
)  # fmt: skip
CALLS = ("_id", "date", "duration", "type", "new", "features", "subscription_id", "number", "name")
CALENDARS = ("_id", "visible", "sync_events", "account_type", "ownerAccount", "account_name", "calendar_displayName")
EVENTS = (
    "_id", "calendar_id", "deleted", "hasAlarm", "allDay", "dtstart", "dtend", "eventTimezone", "rrule", "eventStatus",
    "title", "eventLocation", "description",
)  # fmt: skip
REMINDER = ("_id", "event_id", "minutes", "method")
SETTING = ("_id", "name", "value")
WORDS = ("_id", "shortcut", "frequency", "locale", "word")
MEDIA = ("_id", "_size", "date_added", "date_modified", "mime_type", "media_type", "title", "_display_name", "_data")
MEDIA_KINDS = {"image": 1, "audio": 2, "video": 3}  # MediaStore.Files.FileColumns.MEDIA_TYPE_*

Table = tuple[tuple[str, ...], list[Row]]


def groups(phone: SandboxPhone) -> list[str]:
    """Contact groups; a group keeps its number while the episode lasts."""
    known = phone.extras.groups
    for row in phone.rows("SELECT DISTINCT group_name FROM contacts WHERE group_name <> '' ORDER BY group_name"):
        if row["group_name"] not in known:
            known.append(row["group_name"])
    return known


def people(phone: SandboxPhone) -> list[Row]:
    """Every raw contact: those of the sandbox (with their `row_id`) and the unfinished ones."""
    numbers = phone.extras.numbers
    found = [
        {**row, "row_id": row["id"], "number": numbers.of("contacts", row["id"])}
        for row in phone.rows("SELECT * FROM contacts ORDER BY id")
    ]
    found += [
        {"row_id": "", "number": d.number, "name": d.name, "phone": d.phone, "group_name": d.group, "email": d.email,
         "ringtone": ""}
        for d in phone.extras.drafts.values()
    ]  # fmt: skip
    return sorted(found, key=lambda row: row["number"])


def _raw_contacts(phone: SandboxPhone) -> Table:
    rows = [
        {"_id": p["number"], "contact_id": p["number"], "account_type": None, "account_name": None, "deleted": 0,
         "starred": 0, "custom_ringtone": p["ringtone"] or None, "display_name": p["name"] or None}
        for p in people(phone)
    ]  # fmt: skip
    return RAW_CONTACT, rows


def _contacts(phone: SandboxPhone) -> Table:
    rows = [
        {"_id": p["number"], "lookup": f"0r{p['number']}", "has_phone_number": int(bool(p["phone"])), "starred": 0,
         "custom_ringtone": p["ringtone"] or None, "in_visible_group": 1, "display_name": p["name"] or None}
        for p in people(phone)
    ]  # fmt: skip
    return CONTACT, rows


def _data(phone: SandboxPhone) -> Table:
    rows: list[Row] = []
    titles = groups(phone)
    for person in people(phone):
        group = titles.index(person["group_name"]) + 1 if person["group_name"] in titles else None
        kinds: tuple[tuple[str, Any, Any], ...] = (
            (NAME, person["name"], None), (PHONE, person["phone"], 2), (EMAIL, person["email"], 1),
            (GROUP, group, None),
        )  # fmt: skip
        for place, (mimetype, value, kind) in enumerate(kinds):
            if value:
                rows.append({
                    "_id": person["number"] * 10 + place, "raw_contact_id": person["number"],
                    "contact_id": person["number"], "mimetype": mimetype, "data2": kind,
                    "data4": value if mimetype == PHONE else None, "starred": 0,
                    "display_name": person["name"] or None, "data1": value,
                })  # fmt: skip
    return DATA, rows


def _data_of(mimetype: str) -> Callable[[SandboxPhone], Table]:
    def read(phone: SandboxPhone) -> Table:
        columns, rows = _data(phone)
        return columns, [row for row in rows if row["mimetype"] == mimetype]

    return read


def _groups(phone: SandboxPhone) -> Table:
    rows = [
        {"_id": i, "account_type": None, "account_name": None, "deleted": 0, "title": title}
        for i, title in enumerate(groups(phone), 1)
    ]
    return GROUPS, rows


def _sms(phone: SandboxPhone) -> Table:
    found = phone.rows("SELECT * FROM messages ORDER BY at DESC, id DESC")
    threads = {phone_: i for i, phone_ in enumerate(dict.fromkeys(row["phone"] for row in reversed(found)), 1)}
    rows = [
        {"_id": phone.extras.numbers.of("messages", row["id"]), "thread_id": threads[row["phone"]], "person": None,
         "date": phone.millis(row["at"]), "date_sent": phone.millis(row["at"]), "protocol": None,
         "read": int(not row["unread"]), "status": -1, "type": 2 if row["direction"] == "out" else 1, "seen": 1,
         "sub_id": 1, "address": row["phone"], "body": row["content"]}
        for row in found
    ]  # fmt: skip
    return SMS, rows


def _sms_of(kind: int) -> Callable[[SandboxPhone], Table]:
    def read(phone: SandboxPhone) -> Table:
        columns, rows = _sms(phone)
        return columns, [row for row in rows if row["type"] == kind]

    return read


def _calls(phone: SandboxPhone) -> Table:
    """The log; a call that is still active comes into it when it ends."""
    kinds = {"incoming": 1, "outgoing": 2, "missed": 3}
    rows = [
        {"_id": phone.extras.numbers.of("calls", row["id"]), "date": phone.millis(row["at"]),
         "duration": 0 if row["direction"] == "missed" else 60, "type": kinds.get(row["direction"], 1),
         "new": int(row["direction"] == "missed"), "features": int(row["call_type"] == "video"), "subscription_id": "1",
         "number": row["phone"], "name": row["name"] or None}
        for row in phone.rows("SELECT * FROM calls WHERE status <> 'active' ORDER BY at DESC, id DESC")
    ]  # fmt: skip
    return CALLS, rows


def _calendars(phone: SandboxPhone) -> Table:
    account = next((row["name"] for row in phone.rows("SELECT name FROM accounts ORDER BY name")), "Phone")
    row = {"_id": 1, "visible": 1, "sync_events": 1, "account_type": "LOCAL", "ownerAccount": account,
           "account_name": account, "calendar_displayName": "My calendar"}  # fmt: skip
    return CALENDARS, [row]


def _event(phone: SandboxPhone, number: int, title: str, start: int, **more: Any) -> Row:
    row = {"_id": number, "calendar_id": 1, "deleted": 0, "hasAlarm": 0, "allDay": 0, "dtstart": start,
           "dtend": start + HOUR, "eventTimezone": phone.zone, "rrule": None, "eventStatus": 1, "title": title,
           "eventLocation": None, "description": None}  # fmt: skip
    return row | more


def _events(phone: SandboxPhone) -> Table:
    """Schedules; reminders as events with an alarm; anniversaries as yearly all-day events."""
    number = phone.extras.numbers.of
    rows = []
    for row in phone.rows("SELECT * FROM schedules ORDER BY id"):
        start, place = phone.millis(row["datetime"]), row["location"] or None
        rows.append(_event(phone, number("schedules", row["id"]), row["event"], start, eventLocation=place))
    for row in phone.rows("SELECT * FROM reminders ORDER BY id"):
        start, i = phone.millis(row["time"]), REMINDERS + number("reminders", row["id"])
        rows.append(_event(phone, i, row["content"], start, dtend=start, hasAlarm=1))
    for row in phone.rows("SELECT * FROM anniversaries ORDER BY id"):
        start, i = utc_millis(row["date"]), ANNIVERSARIES + number("anniversaries", row["id"])
        more = {"allDay": 1, "dtend": start + 24 * HOUR, "eventTimezone": "UTC", "rrule": "FREQ=YEARLY"}
        rows.append(_event(phone, i, row["name"], start, **more))
    return EVENTS, rows


def utc_millis(day: str) -> int:
    """Midnight UTC of a day, as all-day events have it; 0 for what is no date."""
    from datetime import datetime

    try:
        return round((datetime.fromisoformat(day) - datetime(1970, 1, 1)).total_seconds()) * 1000
    except ValueError:
        return 0


def _reminders(phone: SandboxPhone) -> Table:
    own = [
        {"_id": row["_id"], "event_id": row["_id"], "minutes": 0, "method": 1}
        for row in _events(phone)[1]
        if row["hasAlarm"]
    ]
    return REMINDER, own + phone.extras.event_reminders


def _setting(namespace: str) -> Callable[[SandboxPhone], Table]:
    def read(phone: SandboxPhone) -> Table:
        found = [(name, get(phone, namespace, name)) for name in names(phone, namespace)]
        return SETTING, [{"_id": i, "name": name, "value": value} for i, (name, value) in enumerate(found, 1)]

    return read


def _words(phone: SandboxPhone) -> Table:
    found = phone.rows("SELECT * FROM text_shortcuts ORDER BY shortcut")
    rows = [
        {"_id": i, "shortcut": row["shortcut"], "frequency": 250, "locale": None, "word": row["phrase"]}
        for i, row in enumerate(found, 1)
    ]
    return WORDS, rows


def _media(kind: str) -> Callable[[SandboxPhone], Table]:
    def read(phone: SandboxPhone) -> Table:
        rows: list[Row] = []
        for path, file in phone.files.rows().items():
            if kind and file["kind"] != kind:
                continue
            changed = phone.files.stat(path).mtime
            row = {
                "_id": phone.extras.numbers.of("files", file["id"]), "_size": file["size_kb"] * 1024,
                "date_added": changed, "date_modified": changed, "mime_type": mimetypes.guess_type(path)[0],
                "media_type": MEDIA_KINDS.get(file["kind"], 0), "title": posixpath.splitext(file["name"])[0],
                "_display_name": file["name"], "_data": path.replace("/sdcard/", "/storage/emulated/0/", 1),
            }  # fmt: skip
            if has(phone.api, "scoped_storage"):
                row |= {"relative_path": f"{file['folder']}/"}
            rows.append(row)
        return (*MEDIA, *(("relative_path",) if has(phone.api, "scoped_storage") else ())), rows

    return read


_SOURCES: dict[tuple[str, str], Callable[[SandboxPhone], Table]] = {
    ("com.android.contacts", "raw_contacts"): _raw_contacts,
    ("com.android.contacts", "contacts"): _contacts,
    ("com.android.contacts", "data"): _data,
    ("com.android.contacts", "data/phones"): _data_of(PHONE),
    ("com.android.contacts", "data/emails"): _data_of(EMAIL),
    ("com.android.contacts", "groups"): _groups,
    ("com.android.calendar", "calendars"): _calendars,
    ("com.android.calendar", "events"): _events,
    ("com.android.calendar", "reminders"): _reminders,
    ("sms", ""): _sms,
    ("sms", "inbox"): _sms_of(1),
    ("sms", "sent"): _sms_of(2),
    ("sms", "draft"): _sms_of(3),
    ("call_log", "calls"): _calls,
    ("user_dictionary", "words"): _words,
    ("media", "external/file"): _media(""),
    ("media", "external/images/media"): _media("image"),
    ("media", "external/video/media"): _media("video"),
    ("media", "external/audio/media"): _media("audio"),
    **{("settings", namespace): _setting(namespace) for namespace in NAMESPACES},
}
AUTHORITIES = frozenset(authority for authority, _ in _SOURCES) | {"contacts"}


def table(phone: SandboxPhone, authority: str, path: str) -> Table | None:
    """The rows that a URI names, by its last part alone if that is a number; None for a URI nobody knows."""
    authority = "com.android.contacts" if authority == "contacts" else authority
    plain = path.strip("/")
    if (authority, plain) in _SOURCES:
        return _SOURCES[authority, plain](phone)
    if authority == "com.android.contacts" and plain.startswith("phone_lookup/"):
        columns, rows = _data_of(PHONE)(phone)
        return columns, [row for row in rows if row["data1"] == plain.partition("/")[2]]
    above, _, last = plain.rpartition("/")
    if (authority, above) not in _SOURCES:
        return None
    columns, rows = _SOURCES[authority, above](phone)
    if authority == "settings":
        return columns, [row for row in rows if row["name"] == last]
    return (columns, [row for row in rows if str(row["_id"]) == last]) if last.isascii() and last.isdigit() else None
