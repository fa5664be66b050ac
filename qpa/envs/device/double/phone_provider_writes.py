"""Changes through the double's content providers: by the sandbox's tools where one does the same, else row by row.

Each function returns the Java exception of a refusal, or "".
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from qpa.envs.device.double import phone_provider_contacts as contacts
from qpa.envs.device.double.phone_provider_contacts import REQUIRED, Values, use
from qpa.envs.device.double.phone_providers import ANNIVERSARIES, REMINDERS
from qpa.envs.device.double.phone_settings import put
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone


def _unsupported(authority: str, path: str) -> str:
    return f"java.lang.UnsupportedOperationException: Unsupported URI content://{authority}/{path}"


# --- calendar --------------------------------------------------------------------------------------------------------


def _moment(phone: SandboxPhone, values: Values) -> str:
    """dtstart as local time, ISO 8601; "" for none."""
    millis = values.get("dtstart")
    moment = phone.local(millis) if isinstance(millis, int) else None
    return moment.isoformat() if moment else ""


def _utc_day(millis: Any) -> str:
    try:
        return (datetime(1970, 1, 1) + timedelta(milliseconds=int(millis))).date().isoformat()
    except (TypeError, ValueError, OverflowError):
        return ""


def _new_event(phone: SandboxPhone, values: Values) -> str:
    title, moment = str(values.get("title") or ""), _moment(phone, values)
    if values.get("calendar_id") is None:
        return "java.lang.IllegalArgumentException: New events must specify a calendar id"
    if not moment:
        return "java.lang.IllegalArgumentException: DTSTART cannot be empty."
    if "YEARLY" in str(values.get("rrule") or ""):
        return use(phone, "manage_anniversary", action="create", name=title, date=_utc_day(values["dtstart"]))
    if values.get("hasAlarm"):
        return use(phone, "manage_reminder", action="create", content=title, time=moment)
    place = values.get("eventLocation")
    return use(phone, "manage_schedule", action="create", event=title, datetime=moment, location=place)


def _event_row(phone: SandboxPhone, number: int) -> tuple[str, str | None]:
    """The table and row id behind an event's number."""
    table, base = "schedules", 0
    if number >= ANNIVERSARIES:
        table, base = "anniversaries", ANNIVERSARIES
    elif number >= REMINDERS:
        table, base = "reminders", REMINDERS
    return table, phone.extras.numbers.row(table, number - base)


def _update_events(phone: SandboxPhone, values: Values, rows: list[Row]) -> str:
    for row in rows:
        table, row_id = _event_row(phone, row["_id"])
        if row_id is None:
            continue
        title, moment = values.get("title"), _moment(phone, values)
        if table == "schedules":
            if "eventLocation" in values and not values["eventLocation"]:  # the tool cannot clear a place
                phone.write_row("UPDATE schedules SET location = '' WHERE id = ? AND location <> ''", row_id)
            wanted = {"event": title, "datetime": moment, "location": values.get("eventLocation")}
            same = {"event": row["title"], "datetime": (phone.local(row["dtstart"]) or phone.now).isoformat()}
            changed = {k: v for k, v in wanted.items() if v not in (None, "", same.get(k, row["eventLocation"]))}
            error = use(phone, "manage_schedule", action="update", scheduleId=row_id, **changed) if changed else ""
        else:
            when = moment if table == "reminders" else _utc_day(values.get("dtstart"))
            error = _update_plain(phone, table, row_id, title, when)
        if error:
            return error
    return ""


def _update_plain(phone: SandboxPhone, table: str, row_id: str, title: Any, when: str) -> str:
    """Reminders and anniversaries have no tool that changes them."""
    text, time = {"reminders": ("content", "time"), "anniversaries": ("name", "date")}[table]
    for column, value in ((text, title), (time, when)):
        if value:
            sql = f"UPDATE {table} SET {column} = ?1 WHERE id = ?2 AND {column} <> ?1"
            phone.write_row(sql, str(value), row_id)
    return ""


def _delete_events(phone: SandboxPhone, rows: list[Row]) -> str:
    tools = {"schedules": ("manage_schedule", "scheduleId"), "reminders": ("manage_reminder", "reminderId")}
    for row in rows:
        table, row_id = _event_row(phone, row["_id"])
        if row_id is None:
            continue
        if table in tools:
            tool, argument = tools[table]
            error = use(phone, tool, action="delete", **{argument: row_id})
        else:
            phone.write_row("DELETE FROM anniversaries WHERE id = ?", row_id)
            error = ""
        if error:
            return error
        kept = [r for r in phone.extras.event_reminders if r["event_id"] != row["_id"]]
        phone.extras.event_reminders[:] = kept
    return ""


def _new_reminder(phone: SandboxPhone, values: Values) -> str:
    number = values.get("event_id")
    if not isinstance(number, int):
        return REQUIRED.format("event_id")
    if number < REMINDERS:  # the alarm of a sandbox reminder is there with its event
        made: Row = {"_id": len(phone.extras.event_reminders) + 1, "event_id": number}
        phone.extras.event_reminders.append(
            made | {"minutes": values.get("minutes", 0), "method": values.get("method", 1)}
        )
    return ""


# --- messages, calls, words, files, settings -------------------------------------------------------------------------


def _name_of(phone: SandboxPhone, number: str) -> str:
    found = phone.rows("SELECT name FROM contacts WHERE phone = ? ORDER BY id", number)
    return found[0]["name"] if found else ""


def _new_sms(phone: SandboxPhone, values: Values, box: str = "") -> str:
    """Ignored without a word unless the shell may write messages, as since Android 4.4."""
    if phone.extras.appops.get(("com.android.shell", "WRITE_SMS")) != "allow":
        return ""
    number, kind = str(values.get("address") or ""), values.get("type")
    sent = box == "sent" or kind == 2
    when = phone.local(values["date"]) if isinstance(values.get("date"), int) else phone.now
    phone.insert_row(
        "messages",
        "msg",
        name=_name_of(phone, number),
        phone=number,
        direction="out" if sent else "in",
        content=str(values.get("body") or ""),
        at=(when or phone.now).isoformat(),
        unread=int(not sent and not values.get("read", 0)),
    )
    return ""


def _update_sms(phone: SandboxPhone, values: Values, rows: list[Row]) -> str:
    for row in rows:
        row_id = phone.extras.numbers.row("messages", row["_id"])
        if row_id is not None and isinstance(values.get("read"), int):
            sql = "UPDATE messages SET unread = ?1 WHERE id = ?2 AND unread <> ?1"
            phone.write_row(sql, int(not values["read"]), row_id)
    return ""


def _delete_from(table: str) -> Callable[[SandboxPhone, list[Row]], str]:
    def run(phone: SandboxPhone, rows: list[Row]) -> str:
        for row in rows:
            row_id = phone.extras.numbers.row(table, row["_id"])
            if row_id is not None:
                phone.write_row(f"DELETE FROM {table} WHERE id = ?", row_id)
        return ""

    return run


def _new_call(phone: SandboxPhone, values: Values) -> str:
    number = str(values.get("number") or "")
    when = phone.local(values["date"]) if isinstance(values.get("date"), int) else phone.now
    kinds = {1: "incoming", 2: "outgoing", 3: "missed"}
    phone.insert_row(
        "calls",
        "call",
        name=str(values.get("name") or _name_of(phone, number)),
        phone=number,
        direction=kinds.get(values.get("type", 1), "incoming"),
        call_type="video" if values.get("features") == 1 else "voice",
        at=(when or phone.now).isoformat(),
    )
    return ""


def _new_word(phone: SandboxPhone, values: Values) -> str:
    shortcut, phrase = values.get("shortcut"), values.get("word")
    return use(phone, "manage_text_shortcuts", action="add", shortcut=shortcut, phrase=phrase)


def _delete_words(phone: SandboxPhone, rows: list[Row]) -> str:
    for row in rows:
        if error := use(phone, "manage_text_shortcuts", action="remove", shortcut=row["shortcut"]):
            return error
    return ""


def _rename_media(phone: SandboxPhone, values: Values, rows: list[Row]) -> str:
    for row in rows:
        name = values.get("_display_name")
        if name and (error := use(phone, "rename_file", fileName=row["_display_name"], newName=str(name))):
            return error
    return ""


def _delete_media(phone: SandboxPhone, rows: list[Row]) -> str:
    for row in rows:
        phone.files.remove(row["_data"])
    return ""


# --- the table -------------------------------------------------------------------------------------------------------

_CONTACTS = "com.android.contacts"
_INSERTS: dict[tuple[str, str], Callable[[SandboxPhone, Values], str]] = {
    (_CONTACTS, "raw_contacts"): contacts.new_raw_contact,
    (_CONTACTS, "data"): contacts.new_data,
    (_CONTACTS, "groups"): contacts.new_group,
    ("com.android.calendar", "events"): _new_event,
    ("com.android.calendar", "reminders"): _new_reminder,
    ("sms", ""): _new_sms,
    ("sms", "inbox"): _new_sms,
    ("sms", "sent"): lambda phone, values: _new_sms(phone, values, "sent"),
    ("call_log", "calls"): _new_call,
    ("user_dictionary", "words"): _new_word,
}
_UPDATES: dict[str, dict[str, Callable[[SandboxPhone, Values, list[Row]], str]]] = {
    _CONTACTS: {
        "data": contacts.update_data,
        "contacts": contacts.update_contacts,
        "raw_contacts": contacts.update_contacts,
    },
    "com.android.calendar": {"events": _update_events},
    "sms": {"": _update_sms, "inbox": _update_sms, "sent": _update_sms},
    "media": {"external": _rename_media},
}
_DELETES: dict[str, dict[str, Callable[[SandboxPhone, list[Row]], str]]] = {
    _CONTACTS: {
        "raw_contacts": contacts.delete_contacts,
        "contacts": contacts.delete_contacts,
        "data": contacts.delete_data,
    },
    "com.android.calendar": {"events": _delete_events},
    "sms": {"": _delete_from("messages"), "inbox": _delete_from("messages"), "sent": _delete_from("messages")},
    "call_log": {"calls": _delete_from("calls")},
    "user_dictionary": {"words": _delete_words},
    "media": {"external": _delete_media},
}


def _known(authority: str, path: str) -> tuple[str, str]:
    head = path.split("/")[0]
    return _CONTACTS if authority == "contacts" else authority, "" if head.isdigit() else head


def insert(phone: SandboxPhone, authority: str, path: str, values: Values) -> str:
    """A new row of a provider."""
    if authority == "settings":
        name = values.get("name")
        if not name:
            return REQUIRED.format("name")
        put(phone, path.split("/")[0], str(name), str(values.get("value")))
        return ""
    act = _INSERTS.get((_known(authority, path)[0], path))
    return act(phone, values) if act else _unsupported(authority, path)


def update(phone: SandboxPhone, authority: str, path: str, values: Values, rows: list[Row]) -> str:
    """New values for the rows selected."""
    provider, head = _known(authority, path)
    act = _UPDATES.get(provider, {}).get(head)
    return act(phone, values, rows) if act else _unsupported(authority, path)


def delete(phone: SandboxPhone, authority: str, path: str, rows: list[Row]) -> str:
    """Removes the rows selected."""
    if authority == "settings":
        for row in rows:
            phone.extras.settings.pop((path.split("/")[0], row["name"]), None)
        return ""
    provider, head = _known(authority, path)
    act = _DELETES.get(provider, {}).get(head)
    return act(phone, rows) if act else _unsupported(authority, path)
