"""Values that mean the same are equal, values that do not are not."""

from __future__ import annotations

from typing import Any

import pytest

from qpa.bench.normalise import masked_row, normalise
from qpa.contract import RowChange

CLOCK = "2025-01-15T09:00:00"  # a Wednesday


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("time", "7:30 pm", "19:30"),
        ("time", "tomorrow 07:30", "2025-01-16T07:30:00"),
        ("datetime", "Saturday 18:32", "2025-01-18 18:32"),
        ("time", "in 30 minutes", "09:30"),
        ("due", "tomorrow", "2025-01-16"),
        ("phoneNumber", "138-1111-2222", "13811112222"),
        ("phoneNumber", "138 1111 2222", 13811112222),
        ("title", "  Gym   class", "gym class"),
        ("minutes", 30, "30"),
        ("minutes", 30.0, 30),
        ("enabled", "true", True),
        ("tags", ["A", "b "], ["a", "B"]),
        ("data", {"x": 1, "y": "A"}, {"y": "a", "x": 1.0}),
    ],
)
def test_equal(name: str, a: Any, b: Any) -> None:
    assert normalise(name, a, CLOCK) == normalise(name, b, CLOCK)


@pytest.mark.parametrize(
    ("name", "a", "b"),
    [
        ("time", "7:30 pm", "07:30"),
        ("time", "tomorrow 07:30", "07:35"),
        ("title", "tomorrow", "2025-01-16"),  # no time: words stay words
        ("password", "Sunny1234", "sunny1234"),
        ("settingValue", "A", "a"),
        ("phoneNumber", "13811112222", "13811112223"),
        ("code", "007", "7"),
        ("minutes", 30, 31),
        ("enabled", True, False),
        ("tags", ["a"], ["a", "b"]),
    ],
)
def test_different(name: str, a: Any, b: Any) -> None:
    assert normalise(name, a, CLOCK) != normalise(name, b, CLOCK)


def test_what_an_agent_was_told_is_no_result() -> None:
    told = {"id": "gui_agent_001", "app": "Maps", "instruction": "pin Zoe", "status": "active"}
    assert masked_row(RowChange(table="gui_sessions", op="insert", key={"id": told["id"]}, new=told), CLOCK) is None
    sent = {"id": "app_msg_001", "app": "WhatsApp", "recipient": "Zoe", "content": "hi"}
    assert masked_row(RowChange(table="app_messages", op="insert", key={"id": sent["id"]}, new=sent), CLOCK) is not None


@pytest.mark.parametrize(("table", "column", "same"), [("contacts", "id", True), ("dnd_contacts", "contact_id", False)])
def test_only_the_own_id_of_an_inserted_row_is_masked(table: str, column: str, same: bool) -> None:
    """A key that refers to another row is what the call was about."""
    rows = [
        masked_row(RowChange(table=table, op="insert", key={column: key}, new={column: key}), CLOCK)
        for key in ("contact_001", "contact_002")
    ]
    assert (rows[0] == rows[1]) == same
