"""When two argument or column values are the same value.

The benchmark compares *normalised* values: `7:30` is `07:30`, `tomorrow 07:30` is the ISO time at the task's clock,
`(138) 1111-2222` is `13811112222`, `Gym ` is `gym`, `30.0` is `30`. Secrets are compared as they are.
Identifiers and timestamps that the backend generated are masked.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from datetime import datetime
from typing import Any

from qpa.contract import RowChange
from qpa.envs.sandbox.context import ToolError
from qpa.envs.sandbox.times import resolve

MASK = "<generated>"
_STAMPS = frozenset({"at", "created_at", "updated_at", "started_at", "ended_at", "sent_at", "timestamp"})
_GENERATED_ID = re.compile(r"[a-z_]+_\d{3,9}")  # what the sandbox's id generator makes, e.g. contact_007
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")
_BOOKKEEPING = frozenset({"gui_sessions"})  # what an agent was told, in whatever words; what it did is elsewhere
_TIMES = frozenset({"time", "datetime", "date", "due", "bedtime", "waketime", "bed_time", "wake_time"})


def normalise(name: str, value: Any, clock: str) -> Hashable:
    """Comparable form of `value` of the argument or column `name`; `clock` (ISO) anchors relative times."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)):
        return _digits(str(value)) if _is_phone(name) else float(value)
    if isinstance(value, (list, tuple)):
        return tuple(normalise(name, v, clock) for v in value)
    if isinstance(value, Mapping):
        return tuple(sorted((str(k), normalise(str(k), v, clock)) for k, v in value.items()))
    text = str(value)
    if "password" in name.casefold() or name == "settingValue":
        return text
    if _is_phone(name):
        return _digits(text)
    text = " ".join(text.split()).casefold()
    if text in ("true", "false"):
        return text == "true"
    if _NUMBER.fullmatch(text):
        return float(text)
    if name.casefold() in _TIMES:
        try:
            return resolve(text, datetime.fromisoformat(clock), "due").replace("T", " ").removesuffix(":00")
        except ToolError:
            return text  # not a time: compared as words
    return text


def masked_row(change: RowChange, clock: str) -> Hashable | None:
    """Comparable form of a row change, or None when only timestamps or an agent's bookkeeping changed.

    An inserted row is known by its content, so its generated `id` is masked; a key such as `contact_id` refers to
    another row and counts. Updated and deleted rows existed before: their key counts, and a deleted row's content is
    implied by it. A saved memory is known by what it says: the title is the assistant's own label, and a final full
    stop says nothing.
    """
    if change.table in _BOOKKEEPING:
        return None
    memory = change.table == "memories"

    def column(name: str, value: Any) -> Hashable:
        if memory and name == "title":
            return MASK
        if memory and name == "content":
            value = str(value).rstrip(" .。")
        own_id = change.op == "insert" and name == "id"
        if name in _STAMPS or (own_id and isinstance(value, str) and _GENERATED_ID.fullmatch(value)):
            return MASK
        # A settings row keeps the meaning of its value in its key: the row of `hotspot_password` holds a secret.
        secret = any("password" in str(k).casefold() for k in change.key.values())
        return normalise("password" if secret else name, value, clock)

    key = tuple(sorted((k, column(k, v)) for k, v in change.key.items()))
    if change.op == "delete":
        return change.table, change.op, key
    new = tuple(sorted((k, v) for k, v in ((k, column(k, v)) for k, v in change.new.items()) if v != MASK))
    return (change.table, change.op, key, new) if new or change.op == "insert" else None


def _is_phone(name: str) -> bool:
    return "phone" in name.casefold()


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)
