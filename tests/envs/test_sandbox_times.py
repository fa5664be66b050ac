"""Time words against a table; the clock is a Wednesday, 2025-01-15 09:00."""

from __future__ import annotations

import re
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.envs.sandbox.times import clock_only, resolve
from qpa.envs.sandbox.tool import ToolError

NOW = datetime(2025, 1, 15, 9, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("18:30", "2025-01-15T18:30:00"),
        ("07:30", "2025-01-16T07:30:00"),
        ("09:00", "2025-01-16T09:00:00"),
        ("7:30 pm", "2025-01-15T19:30:00"),
        ("7:30 p.m.", "2025-01-15T19:30:00"),
        ("7pm", "2025-01-15T19:00:00"),
        ("12 am", "2025-01-16T00:00:00"),
        ("12:15 pm", "2025-01-15T12:15:00"),
        ("noon", "2025-01-15T12:00:00"),
        ("2025-02-01 10:05", "2025-02-01T10:05:00"),
        ("2025-02-01T10:05:00", "2025-02-01T10:05:00"),
        ("today 07:30", "2025-01-15T07:30:00"),
        ("Tomorrow  07:30", "2025-01-16T07:30:00"),
        ("tomorrow at 7:30 AM", "2025-01-16T07:30:00"),
        ("07:30 tomorrow", "2025-01-16T07:30:00"),
        ("tonight 8 pm", "2025-01-15T20:00:00"),
        ("the day after tomorrow at noon", "2025-01-17T12:00:00"),
        ("Saturday 18:32", "2025-01-18T18:32:00"),
        ("sat 18:32", "2025-01-18T18:32:00"),
        ("Wednesday 18:00", "2025-01-15T18:00:00"),
        ("Wednesday 08:00", "2025-01-22T08:00:00"),
        ("next Wednesday 18:00", "2025-01-22T18:00:00"),
        ("on Friday, 10:00", "2025-01-17T10:00:00"),
        ("Jan 20 at 9 am", "2025-01-20T09:00:00"),
        ("January 20th, 2026 9:00", "2026-01-20T09:00:00"),
        ("3 of March 10:00", "2025-03-03T10:00:00"),
        ("10 January 10:00", "2026-01-10T10:00:00"),
        ("in 30 minutes", "2025-01-15T09:30:00"),
        ("in half an hour", "2025-01-15T09:30:00"),
        ("in an hour", "2025-01-15T10:00:00"),
        ("in 1 hour and 30 minutes", "2025-01-15T10:30:00"),
        ("in 20 hours", "2025-01-16T05:00:00"),
        ("in 3 days at 10:00", "2025-01-18T10:00:00"),
        ("in a week 10:00", "2025-01-22T10:00:00"),
    ],
)
def test_moments(text: str, expected: str) -> None:
    assert resolve(text, NOW, "datetime") == expected


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("7:30 pm", "time", "19:30"),
        ("tomorrow 06:05", "time", "06:05"),
        ("tomorrow", "date", "2025-01-16"),
        ("Wednesday", "date", "2025-01-22"),
        ("2025-12-24", "date", "2025-12-24"),
        ("2025/12/24", "date", "2025-12-24"),
        ("yesterday", "date", "2025-01-14"),
        ("Jan 15", "date", "2025-01-15"),
        ("in 2 weeks", "date", "2025-01-29"),
        ("Friday", "due", "2025-01-17"),
        ("Friday 17:00", "due", "2025-01-17T17:00:00"),
    ],
)
def test_other_kinds(text: str, kind: str, expected: str) -> None:
    assert resolve(text, NOW, kind) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    ["", "soon", "25:00", "7:61", "13 pm", "0 am", "Blursday", "Feb 30 10:00", "2025-13-01 10:00", "in minutes", "in ",
     "tomorrow", "10000-01-01 10:00", "0001-01-01 10:00", "12:00 13:00", "in 9999 weeks 10:00", "mo 10:00"],
)  # fmt: skip
def test_unreadable_moments_are_a_400(text: str) -> None:
    with pytest.raises(ToolError) as caught:
        resolve(text, NOW, "datetime")
    assert caught.value.error_type == "invalid_argument"


def test_clock_only_tells_bare_times_from_dated_ones() -> None:
    assert clock_only("7:30 pm", NOW) == "19:30"
    assert clock_only("tomorrow 07:30", NOW) is None
    assert clock_only("tomorrow", NOW) is None


VOCABULARY = (
    "in at on next this a an half tomorrow today monday sat 07:30 7 pm am 31 feb january 2025 2025-01-20 "
    "minutes hours days week noon , . : - ٣ ²"
)
WORDS = st.sampled_from(VOCABULARY.split(" "))


@settings(derandomize=True, deadline=None)
@given(st.one_of(st.text(max_size=30), st.lists(WORDS, max_size=6).map(" ".join)), st.sampled_from(("time", "due")))
def test_any_text_gives_iso_or_a_tool_error(text: str, kind: str) -> None:
    try:
        value = resolve(text, NOW, kind)  # type: ignore[arg-type]
    except ToolError:
        return
    pattern = r"[0-9]{2}:[0-9]{2}" if kind == "time" else r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:00)?"
    assert re.fullmatch(pattern, value), value
