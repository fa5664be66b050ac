"""What `launch.tasks` prints, checks, exports and plays."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from launch import task_checks, task_play, task_views
from launch.cli import UsageError
from qpa.bench.audit import Audit
from qpa.contract import Reply


def test_lists_families_and_exports_what_it_lists(tmp_path, capsys):
    assert task_views.list_families("core", None) == 0
    assert "alarm_create" in capsys.readouterr().out
    tasks = task_views.select("core", "dev", "alarm_create", None, 4, 0)
    assert {t.family for t in tasks} == {"alarm_create"} and len(tasks[0].resources.tools) == 4
    task_views.export(tasks, str(tmp_path / "dev.jsonl"))
    lines = (tmp_path / "dev.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in lines] == [t.id for t in tasks]
    tools = json.loads((tmp_path / "dev.jsonl.tools.json").read_bytes())
    assert "manage_alarm" in {t["function"]["name"] for t in tools} and len(tools) > 300
    assert all(t["function"]["parameters"]["type"] == "object" for t in tools)


def test_shows_one_and_lets_the_oracle_verify(capsys):
    assert task_views.show("alarm_create-dev-000000", 4) == 0
    assert "manage_alarm" in capsys.readouterr().out
    assert task_checks.verify(task_views.select("core", "dev", None, 3, 4, 0)) == 0
    assert "solves 3 of 3" in capsys.readouterr().out


def test_verify_fails_loudly_when_an_oracle_fails(monkeypatch, capsys):
    monkeypatch.setattr(task_checks, "oracle", lambda task: [])
    assert task_checks.verify(task_views.select("core", "dev", None, 1, 4, 0)) == 1
    assert "FAILED alarm" in capsys.readouterr().out


def test_audit_reports_what_it_tried_and_fails_on_an_exception(monkeypatch, capsys):
    tasks = task_views.select("core", "dev", "alarm_create", 2, 4, 0)
    assert task_checks.audit_tasks(tasks) == 0
    assert "2 tasks" in (said := capsys.readouterr().out) and "0 false accepts" in said and "0 false rejects" in said
    monkeypatch.setattr(Audit, "clean", False)
    assert task_checks.audit_tasks(tasks) == 1


def test_a_sample_reads_like_a_dialogue(capsys):
    assert task_views.sample(task_views.select("core", "dev", None, 20, 4, 0), 5, seed=1) == 0
    said = capsys.readouterr().out
    assert said.count("## ") == 5 and said.count("   user: ") >= 5 and "     -> finish: " in said


def test_the_train_split_is_endless_but_bounded_here():
    assert len(task_views.select("core", "train", "alarm_create", None, 4, 0)) == 100


@pytest.mark.parametrize("bad", ["alarm_crate", "nothing_like_it"])
def test_an_unknown_family_is_refused(bad):
    with pytest.raises(UsageError, match=f"unknown task family '{bad}'"):
        task_views.select("core", "dev", bad, None, 4, 0)
    with pytest.raises(UsageError, match="unknown task family"):
        task_views.show(f"{bad}-dev-000000", 4)
    with pytest.raises(UsageError, match="a task id looks like"):
        task_views.show(f"{bad}-0", 4)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    given: Iterator[str] = iter(lines)

    def answer(prompt: str) -> str:
        try:
            return next(given)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", answer)


def test_a_person_solves_a_task_by_hand(monkeypatch, capsys):
    call = task_views.oracle(task_views.checked_task("alarm_create-dev-000000", 4))[0].calls[0]
    words = " ".join(f"{k}={json.dumps(v)}" if " " not in str(v) else f"'{k}={v}'" for k, v in call.arguments.items())
    typed(monkeypatch, "tools alarm", "show manage_alarm", f"{call.name} {words}", "say Done.")
    assert task_play.play("alarm_create-dev-000000", 4) == 0
    said = capsys.readouterr().out
    assert "manage_alarm: " in said and '"action"' in said and said.endswith("solved\n")


def test_a_person_may_fail_mistype_and_leave(monkeypatch, capsys):
    typed(monkeypatch, "manage_alarm nonsense", 'manage_alarm {"action": "fly"}', "show nothing", "say Done.")
    assert task_play.play("alarm_create-dev-000000", 4) == 1
    said = capsys.readouterr().out
    assert "arguments are written key=value" in said and "400" in said and "not solved" in said
    typed(monkeypatch)
    assert task_play.play("alarm_create-dev-000000", 4) == 1
    typed(monkeypatch, "quit")
    assert task_play.play("alarm_create-dev-000000", 4) == 1


def test_typed_arguments_are_json_or_words():
    assert task_play.arguments_of('a=1 b=true c=07:30 d="two words"') == {
        "a": 1,
        "b": True,
        "c": "07:30",
        "d": "two words",
    }
    assert task_play.arguments_of('{"a": [1, 2]}') == {"a": [1, 2]} and task_play.arguments_of("") == {}
    with pytest.raises(ValueError, match="JSON object"):
        task_play.arguments_of("{")


def test_the_oracle_ends_with_a_reply():
    assert isinstance(task_views.oracle(task_views.checked_task("alarm_create-dev-000001", 4))[-1], Reply)
