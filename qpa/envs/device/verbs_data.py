"""Verbs over Android's data: the settings provider by an allow-list, and content providers by an allow-list of URIs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qpa.contract import Effect
from qpa.envs.device import grammar as g
from qpa.envs.device.android import SETTINGS
from qpa.envs.device.grammar import Facts, wrong
from qpa.envs.device.verbs import Verb, read

# (namespace, name) that may be read: how the sandbox's settings stand, and what a session must restore.
READABLE: frozenset[tuple[str, str]] = frozenset(
    {
        ("global", "wifi_on"),
        ("global", "bluetooth_on"),
        ("global", "mobile_data"),
        ("global", "airplane_mode_on"),
        ("global", "zen_mode"),
        ("global", "mode_ringer"),
        ("secure", "location_mode"),
        ("secure", "default_input_method"),
    }
    | {(key.namespace, key.name) for key in SETTINGS.values()}
)
WRITABLE: frozenset[tuple[str, str]] = frozenset(
    (key.namespace, key.name) for key in SETTINGS.values() if not key.locked
)


@dataclass(frozen=True)
class Uri:
    """A provider's table: which columns may be read, which bound (with their `content` type), and which selected on."""

    uri: str
    columns: frozenset[str]
    binds: Mapping[str, str]
    selects: frozenset[str] = frozenset({"_id"})
    deletable: bool = False


URIS: Mapping[str, Uri] = {
    "raw_contacts": Uri(
        "content://com.android.contacts/raw_contacts",
        frozenset({"_id", "deleted", "display_name"}),
        {"account_type": "n", "account_name": "n"},
        deletable=True,
    ),
    "contact_data": Uri(
        "content://com.android.contacts/data",
        frozenset({"_id", "raw_contact_id", "mimetype", "data1"}),
        {"raw_contact_id": "i", "mimetype": "s", "data1": "s", "data2": "i"},
        selects=frozenset({"_id", "raw_contact_id", "mimetype"}),
        deletable=True,
    ),
    "contact_groups": Uri(
        "content://com.android.contacts/groups",
        frozenset({"_id", "title"}),
        {"title": "s", "account_type": "n", "account_name": "n"},
        deletable=True,
    ),
    "calendars": Uri("content://com.android.calendar/calendars", frozenset({"_id", "visible", "account_name"}), {}),
    "events": Uri(
        "content://com.android.calendar/events",
        frozenset({"_id", "deleted", "hasAlarm", "allDay", "dtstart", "rrule", "title", "eventLocation"}),
        {
            **{"calendar_id": "i", "title": "s", "eventLocation": "s", "dtstart": "l", "dtend": "l"},
            **{"eventTimezone": "s", "hasAlarm": "i"},
        },
        deletable=True,
    ),
    "reminders": Uri(
        "content://com.android.calendar/reminders",
        frozenset({"_id", "event_id"}),
        {"event_id": "i", "minutes": "i", "method": "i"},
    ),
    "sms": Uri("content://sms", frozenset({"_id", "type", "read", "date", "address", "body"}), {}),
    "call_log": Uri("content://call_log/calls", frozenset({"_id", "type", "features", "date", "number", "name"}), {}),
}


_column = g.matching(re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), "a column")


def _uri(value: Any, facts: Facts) -> str:
    return g.one_of(*URIS)(value, facts)


def _names(value: Any, facts: Facts) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or not value or not all(isinstance(name, str) for name in value):
        raise wrong("want column names")
    return tuple(value)


def _values(value: Any, facts: Facts) -> dict[str, str | int | None]:
    """Column -> text, integer or None; which columns there are is the URI's to say."""
    if not isinstance(value, dict):
        raise wrong("want columns with their values")
    clean: dict[str, str | int | None] = {}
    for name, item in value.items():
        _column(name, facts)
        if item is None:
            clean[name] = None
        elif isinstance(item, int) and not isinstance(item, bool):
            clean[name] = g.integer(-(2**53), 2**53)(item, facts)
        else:
            clean[name] = g.text(item, facts)
    return clean


def _only(table: Uri, names: Mapping[str, Any] | tuple[str, ...], allowed: frozenset[str], what: str) -> None:
    odd = [name for name in names if name not in allowed]
    if odd:
        raise wrong(f"{what} {odd[0]!r} is not allowed on {table.uri}")


def _where(table: Uri, selects: Mapping[str, str | int | None]) -> str:
    """SQL of typed equalities; text is quoted for SQL here, and for the device's shell once by the link."""
    _only(table, selects, table.selects, "condition on")
    if not selects:
        raise wrong("a change needs a condition")
    parts = []
    for name, value in selects.items():
        if value is None:
            raise wrong("a condition needs a value")
        parts.append(f"{name}={value}" if isinstance(value, int) else "{}='{}'".format(name, value.replace("'", "''")))
    return " AND ".join(parts)


def _binds(table: Uri, values: Mapping[str, str | int | None]) -> list[str]:
    _only(table, values, frozenset(table.binds), "column")
    argv = []
    for name, value in values.items():
        kind = "n" if value is None else table.binds[name]
        if kind in ("i", "l") and not isinstance(value, int):
            raise wrong(f"column {name} wants an integer")
        argv += ["--bind", f"{name}:{kind}:{'' if value is None else value}"]
    return argv


def _query(facts: Facts, a: dict[str, Any]) -> list[str]:
    table = URIS[a["table"]]
    _only(table, a["columns"], table.columns, "column")
    return ["content", "query", "--uri", table.uri, "--projection", ":".join(a["columns"])]


def _insert(facts: Facts, a: dict[str, Any]) -> list[str]:
    table = URIS[a["table"]]
    if not table.binds:
        raise wrong(f"nothing may be inserted into {table.uri}")
    return ["content", "insert", "--uri", table.uri, *_binds(table, a["values"])]


def _update(facts: Facts, a: dict[str, Any]) -> list[str]:
    table = URIS[a["table"]]
    return ["content", "update", "--uri", table.uri, *_binds(table, a["values"]), "--where", _where(table, a["where"])]


def _delete(facts: Facts, a: dict[str, Any]) -> list[str]:
    table = URIS[a["table"]]
    if not table.deletable:
        raise wrong(f"nothing may be deleted from {table.uri}")
    return ["content", "delete", "--uri", table.uri, "--where", _where(table, a["where"])]


def _setting_in(allowed: frozenset[tuple[str, str]]) -> g.Check:
    def check(value: Any, facts: Facts) -> str:
        if not isinstance(value, str) or tuple(value.split("/")) not in allowed:
            raise wrong(f"setting {str(value)[:60]!r} is not allowed")
        return value

    return check


def _change(argv: Any, **arguments: g.Check) -> Verb:
    return Verb(Effect.REVERSIBLE, argv, {"table": _uri, **arguments})


DATA: dict[str, Verb] = {
    "get_setting": read(
        lambda facts, a: ["settings", "get", *a["setting"].split("/")],
        {"setting": _setting_in(READABLE)},
        free=True,
    ),
    "put_setting": Verb(
        Effect.REVERSIBLE,
        lambda facts, a: ["settings", "put", *a["setting"].split("/"), a["value"]],
        {"setting": _setting_in(WRITABLE), "value": g.line},
        repeatable=True,
    ),
    "delete_setting": Verb(
        Effect.REVERSIBLE,
        lambda facts, a: ["settings", "delete", *a["setting"].split("/")],
        {"setting": _setting_in(WRITABLE)},
        repeatable=True,
    ),
    "query": read(_query, {"table": _uri, "columns": _names}, rows=True),
    "insert": _change(_insert, values=_values),
    "update": _change(_update, values=_values, where=_values),
    "delete": _change(_delete, where=_values),
}
