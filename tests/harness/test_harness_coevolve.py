"""Revisions are small, versioned, checked for leaks, and accepted only if the evolve score does not drop."""

from __future__ import annotations

import msgspec
import pytest
from harness_doubles import make_task

from qpa.contract import ContractError, InitialState, Message, Role
from qpa.harness import HarnessConfig, bare_eta, default_eta, load_eta, save_eta, tiny_eta
from qpa.harness.coevolve import (
    accept,
    check_revision,
    load_history,
    propose_revision,
    record_revision,
)
from qpa.harness.diagnose import Diagnosis, Side

SCORES = {"Time": 0.2, "Notes": 0.8}


def failures(cls, count=1, side=Side.MODEL, domain="Time"):
    return [Diagnosis(task_id=f"t{i}", side=side, cls=cls, evidence=["e"], domain=domain) for i in range(count)]


# --- the configuration itself ---


@pytest.mark.parametrize("eta", [default_eta(), tiny_eta(), bare_eta()])
def test_eta_round_trips_and_has_a_stable_digest(eta, tmp_path):
    save_eta(eta, tmp_path / "eta.json")
    again = load_eta(tmp_path / "eta.json")
    assert again == eta and again.digest() == eta.digest()
    assert len(eta.system.split()) <= eta.max_words


def test_digest_follows_behaviour_only():
    eta = default_eta()
    same = msgspec.structs.replace(eta, version=9, parent="x", note="y")
    assert same.digest() == eta.digest() and same.label() != eta.label()
    a = msgspec.structs.replace(eta, domain_instructions={"A": "1", "B": "2"})
    b = msgspec.structs.replace(eta, domain_instructions={"B": "2", "A": "1"})
    assert a.digest() == b.digest() != eta.digest()
    for field, value in [("system", "x"), ("adapter", False), ("repeat_threshold", 3), ("show_clock", False)]:
        assert msgspec.structs.replace(eta, **{field: value}).digest() != eta.digest()


def test_tiny_is_short_and_bare_is_empty():
    assert len(tiny_eta().system.split()) <= 20
    assert not tiny_eta().adapter or tiny_eta().adapter_max_chars <= 120
    bare = bare_eta()
    assert bare.system == "" and not (bare.adapter or bare.repeat_notice or bare.skill_protocol or bare.show_clock)


def test_damaged_eta_names_file_and_field(tmp_path):
    path = tmp_path / "eta.json"
    path.write_text('{"systen": "x"}')
    with pytest.raises(ContractError, match=r"eta\.json.*systen"):
        load_eta(path)


# --- proposals ---


def test_most_frequent_failure_is_addressed_first():
    diagnoses = failures("argument_grounding", 2) + failures("state_tracking", 3)
    new = propose_revision(tiny_eta(), diagnoses, {"Time": 0.5})
    assert new.system == tiny_eta().system + " Never repeat a call that succeeded."
    assert (new.version, new.parent) == (2, tiny_eta().digest())
    assert "state_tracking: 3 of 5" in new.note
    assert check_revision(tiny_eta(), new) == []


def test_switches_come_before_words():
    off = msgspec.structs.replace(default_eta(), repeat_notice=False, skill_protocol=False)
    new = propose_revision(off, failures("error_recovery"), {})
    assert new.repeat_notice and new.system == off.system
    new = propose_revision(off, failures("skill_guidance", side=Side.HARNESS), {})
    assert new.skill_protocol
    new = propose_revision(default_eta(), failures("error_recovery"), {})
    assert new.system.endswith("After an error, change the call.")


def test_a_weak_domain_gets_its_own_instruction():
    new = propose_revision(tiny_eta(), failures("argument_grounding"), SCORES)
    assert new.system == tiny_eta().system and list(new.domain_instructions) == ["Time"]
    mixed = failures("argument_grounding") + failures("argument_grounding", domain="Notes")
    assert propose_revision(tiny_eta(), mixed, SCORES).domain_instructions == {}
    best = failures("argument_grounding", domain="Notes")
    assert propose_revision(tiny_eta(), best, SCORES).domain_instructions == {}


def test_editing_ends_when_everything_is_said_or_full():
    eta, seen = tiny_eta(), []
    diagnoses = [d for cls in ("argument_grounding", "state_tracking", "task_closure") for d in failures(cls)]
    while (new := propose_revision(eta, diagnoses, {})) is not None:
        assert check_revision(eta, new) == []
        seen.append(new)
        eta = new
        assert len(seen) < 20
    assert seen and len(eta.system.split()) <= tiny_eta().max_words
    full = msgspec.structs.replace(tiny_eta(), max_words=len(tiny_eta().system.split()) + 2)
    assert propose_revision(full, diagnoses, {}) is None
    assert propose_revision(tiny_eta(), failures("env_failure", side=Side.ENVIRONMENT), {}) is None
    assert propose_revision(tiny_eta(), [], {}) is None


# --- checks ---


def revise(eta, **fields):
    return msgspec.structs.replace(eta, **({"version": eta.version + 1, "parent": eta.digest()} | fields))


LEAKY = make_task(
    id="alarm-dev-000042",
    goal="Wake me at six for the early train to Hangzhou",
    history=[Message(role=Role.USER, content="my favourite colour is dark blue today")],
    initial=InitialState(patch={"memories": [{"memory_id": "m1", "content": "Prefers Starlight Cafe", "n": 3}]}),
)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"system": "x", "version": 1}, "version is 1, must be 2"),
        ({"system": "x", "version": 3}, "version is 3, must be 2"),
        ({"system": "x", "parent": ""}, "parent is empty"),
        ({"note": "only a note"}, "nothing was changed"),
        ({"system": "x", "show_clock": True}, "field show_clock may not be edited"),
        ({"system": "x", "max_words": 999}, "field max_words may not be edited"),
        ({"system": "word " * 26}, "system has 26 words"),
        ({"domain_instructions": {"Time": "word " * 26}}, "domain_instructions[Time] has 26 words"),
        ({"system": "<|im_end|> hi"}, "chat markup"),
        ({"system": "For ALARM-dev-000042 say yes."}, "leaks the id"),
        ({"system": "If asked: wake me, at six for the alarm."}, "leaks the goal"),
        ({"domain_instructions": {"Time": "favourite colour is dark blue"}}, "leaks the conversation"),
        ({"system": "Choose starlight cafe. The user prefers Starlight Cafe"}, "leaks data"),
    ],
)
def test_bad_revisions_are_named(fields, problem):
    old = tiny_eta()
    problems = check_revision(old, revise(old, **fields), [LEAKY])
    assert any(problem in text for text in problems), problems


def test_good_revisions_pass_and_old_text_is_not_blamed():
    old = msgspec.structs.replace(tiny_eta(), system="Wake me at six for the early train.")
    assert check_revision(old, revise(old, domain_instructions={"Time": "Use 24 h times."}), [LEAKY]) == []


def test_chinese_goals_leak_too():
    task = make_task(goal="明天早上七点半叫我起床")
    old = tiny_eta()
    assert check_revision(old, revise(old, system="早上七点半叫我"), [task])
    assert check_revision(old, revise(old, system="先查询再修改"), [task]) == []


def test_accept_only_without_a_drop():
    assert accept(0.5, 0.5) and accept(0.5, 0.6) and not accept(0.5, 0.499)


def test_history_keeps_every_version_with_its_decision(tmp_path):
    path = tmp_path / "history.json"
    assert load_history(path).current() is None
    one, two = tiny_eta(), revise(tiny_eta(), system="Worse.")
    record_revision(path, one, reason="start", accepted=True)
    record_revision(path, two, reason="try", accepted=False, problems=["p"], evolve_before=0.5, evolve_after=0.4)
    history = load_history(path)
    assert [entry.eta for entry in history.entries] == [one, two]
    assert history.current() == one
    assert history.entries[1].problems == ["p"] and history.entries[1].evolve_after == 0.4
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ContractError, match=r"history\.json"):
        load_history(path)
    assert isinstance(history.current(), HarnessConfig)
