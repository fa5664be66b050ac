"""Redaction follows checksums and can be undone with its mapping; traces survive torn writes and corrupt lines."""

from __future__ import annotations

import asyncio

import pytest
from harness_doubles import CREATE, StubEnv, TextModel, call_text, make_task
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.contract import Message, Role, Trajectory, from_json, to_json
from qpa.harness import run_episode, tiny_eta
from qpa.harness.files import append_line, write_atomic
from qpa.harness.privacy import Redactor, chinese_id_ok, iban_ok, luhn_ok
from qpa.harness.trace import (
    append_trace,
    export_markdown,
    export_traces,
    read_traces,
    redacted,
    transcript,
    write_traces,
)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("EMAIL", "ann.lee+x@mail.example.org"),
        ("PHONE", "138-1111-2222"),
        ("PHONE", "13811112222"),
        ("PHONE", "+86 138 1111 2222"),
        ("PHONE", "+1 (415) 555-0101"),
        ("PHONE", "415-555-0101"),
        ("PHONE", "555-0101"),
        ("PHONE", "010-12345678"),
        ("CARD", "4111 1111 1111 1111"),
        ("CARD", "378282246310005"),
        ("ID", "11010519491231002X"),
        ("IP", "192.168.0.12"),
        ("IP", "2001:db8::8a2e:370:7334"),
        ("IBAN", "DE89 3704 0044 0532 0130 00"),
        ("IBAN", "GB82WEST12345698765432"),
    ],
)
def test_found_in_context_and_restored(kind, value):
    for text in (value, f"Send it to {value}, please.", f"号码是{value}。", f'{{"v": "{value}"}}'):
        redactor = Redactor()
        hidden = redactor.text(text)
        assert value not in hidden and f"[{kind}_1]" in hidden
        assert redactor.restore(hidden) == text


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-15T09:00:00",
        "2025-01-15 09:00",
        "at 07:30 in 30 minutes",
        "4111 1111 1111 1112",  # Luhn fails
        "110105194912310021",  # ID checksum fails, Luhn fails
        "110105199913310021",
        "DE88 3704 0044 0532 0130 00",  # mod 97 fails
        "999.168.0.12",
        "msg_20260909T103033539960",
        "contact_002 mem_v05_0254",
        "70 * 2.2046226218 = 154.32",
        "device_001, code 200, id hd_weight_20250115_001",
    ],
)
def test_look_alikes_are_left_alone(text):
    assert Redactor().text(text) == text


def test_checksums_reject_each_single_wrong_digit():
    for check, good in (
        (luhn_ok, "4111111111111111"),
        (chinese_id_ok, "11010519491231002X"),
        (iban_ok, "GB82WEST12345698765432"),
    ):
        assert check(good)
        for i, c in enumerate(good):
            if c.isdigit():
                assert not check(good[:i] + str((int(c) + 1) % 10) + good[i + 1 :]), (check, i)
    assert not luhn_ok("0" * 16)


def test_equal_values_share_a_token_within_one_redactor():
    redactor = Redactor()
    assert redactor.text("a@b.org c@d.org a@b.org") == "[EMAIL_1] [EMAIL_2] [EMAIL_1]"
    assert redactor.value({"a@b.org": ["c@d.org", 13811112222, 7, True, None]}) == {
        "[EMAIL_1]": ["[EMAIL_2]", "[PHONE_1]", 7, True, None]
    }


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(["[PHONE_1]", "[LITERAL_1]", "555-0101", "a@b.org", " ", "x", "1", "[", "]", "👋"])))
def test_round_trip_even_for_text_that_looks_like_tokens(parts):
    text = "".join(parts)
    redactor = Redactor()
    assert redactor.restore(redactor.text(text)) == text


def episode(**more) -> Trajectory:
    task = make_task(goal="Call Ann at 555-0101 | `now`", tools=["manage_alarm", "manage_note"], **more)
    model = TextModel(
        "<think>\nAnn <b>\n</think>\n\n" + CREATE,
        "<tool_call>broken</tool_call>",
        call_text("manage_note", '{"content": "ann@x.org"}'),
        "Done: 555-0101.",
    )
    return asyncio.run(run_episode(model, StubEnv(), task, eta=tiny_eta(), run_id="test"))


def test_exported_traces_hold_no_personal_data_and_no_token_ids(tmp_path):
    trajectory = episode(history=[Message(role=Role.USER, content="mail ann@x.org")])
    trajectory.steps[0].token_ids = [1, 2]
    trajectory.steps[0].log_probs = [0.0, 0.0]
    trajectory.steps[0].prompt_ids = [3]
    redactor = Redactor()
    copy = redacted(trajectory, redactor)
    assert b"555-0101" not in to_json(copy) and b"ann@x.org" not in to_json(copy)
    assert copy.steps[0].token_ids == copy.steps[0].prompt_ids == [] == copy.steps[0].log_probs
    assert redactor.restore(copy.task.goal) == trajectory.task.goal
    assert trajectory.steps[0].token_ids == [1, 2]  # the original is untouched
    export_traces(tmp_path / "x.jsonl", [trajectory])
    export_markdown(tmp_path / "x.md", trajectory)
    for file in ("x.jsonl", "x.md"):
        assert "555-0101" not in (tmp_path / file).read_text()


def test_transcript_shows_every_turn_and_neutralises_markup():
    text = transcript(episode())
    assert "## Turn 4" in text and "**finish**" in text and "unreadable" in text and "> Ann &lt;b>" in text
    assert "\\`now\\`" in text and "success, stop `finished`" in text
    assert '- `manage_note` `` {"content": "ann@x.org"} ``\n  - ok:' in text


def test_traces_round_trip_and_corrupt_lines_are_counted(tmp_path):
    path = tmp_path / "a" / "t.jsonl"
    trajectory = episode()
    write_traces(path, [trajectory])
    append_trace(path, trajectory)
    append_line(path, b'{"task": 1}')
    with path.open("ab") as file:
        file.write(to_json(trajectory)[:50])  # a torn append
    append_trace(path, trajectory)
    found = read_traces(path)
    assert found.trajectories == [trajectory] * 3
    assert [bad.line for bad in found.bad] == [3, 4]
    assert "$.task" in found.bad[0].reason


def test_records_are_single_lines(tmp_path):
    with pytest.raises(ValueError, match="one line"):
        append_line(tmp_path / "x", b"a\nb")
    assert not (tmp_path / "x").exists()


def test_failed_atomic_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x"
    write_atomic(path, b"old")
    monkeypatch.setattr("os.fsync", lambda fd: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old" and [p.name for p in tmp_path.iterdir()] == ["x"]


def test_contract_round_trip_of_a_redacted_trace():
    copy = redacted(episode())
    assert from_json(to_json(copy), Trajectory) == copy
