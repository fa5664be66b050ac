"""Answers of a real sandbox are never refused; changed ones are, at the rate that is stated here."""

from __future__ import annotations

import asyncio
import json
import random

import msgspec
import pytest
from simulated_doubles import SandboxEcho

from launch.backends import validate
from qpa.bench import BenchVerifier, load_suite, oracle
from qpa.bench.replay import run_actions
from qpa.contract import EnvFailure, Split, ToolCriteria, Trajectory, from_msgpack, to_msgpack, validation_problem
from qpa.envs.simulated import SimulatedEnv, SimulatedLimits, validate_simulated
from qpa.envs.simulated.sandbox_rules import sandbox_rules
from qpa.flywheel.curate import Curated, content_digest, curate
from qpa.flywheel.records import Curation, Decision, FlywheelError, Proposal, Ruling
from qpa.flywheel.release import freeze
from qpa.harness import ScriptedModel, run_tasks, tiny_eta
from qpa.train.rollout import invalid_reason

SUITE = load_suite("core", Split.DEV)


@pytest.fixture(scope="module")
def rules():
    return sandbox_rules()


@pytest.fixture(scope="module")
def played(rules) -> list[Trajectory]:
    """The oracle's episodes over the suite, through the runtime."""
    env = SimulatedEnv(SandboxEcho(SUITE), rules, verifier=BenchVerifier())
    return asyncio.run(run_tasks(ScriptedModel(oracle), env, SUITE, eta=tiny_eta(), concurrency=1))


def test_the_sandbox_s_own_answers_are_never_refused_and_its_episodes_verify(played):
    assert len(played) == 86
    assert [t.invalid_reason for t in played if not t.valid] == []
    assert sum(int(t.provenance.notes["simulator_refused"]) for t in played) == 0
    assert [t.task.id for t in played if not t.verdict.success] == []
    assert {t.backend for t in played} == {"simulated"}


def test_without_declared_tables_they_are_not_refused_either():
    tasks = [msgspec.structs.replace(task, criteria=ToolCriteria(steps=[])) for task in SUITE]
    env = SimulatedEnv(SandboxEcho(tasks), sandbox_rules(tables=False), verifier=BenchVerifier())
    for task in tasks:
        asyncio.run(run_actions(env, task, oracle(task)))


def test_a_record_is_refused_until_it_is_validated_and_again_when_it_is_changed(played, rules):
    for trajectory in played:
        record = from_msgpack(to_msgpack(trajectory), Trajectory)
        assert "not validated" in validation_problem(record) and invalid_reason(record) == "unvalidated"
        assert any(reason.startswith("unvalidated") for reason in curate([record])[0].reasons)
        assert validate_simulated(record, rules) == []
        record = from_msgpack(to_msgpack(record), Trajectory)
        assert validation_problem(record) == "" and invalid_reason(record) == "no_tokens"
        assert not any(reason.startswith("unvalidated") for reason in curate([record])[0].reasons)
        record.steps[0].feedback = [*record.steps[0].feedback, *record.steps[0].feedback]
        changed = bool(record.steps[0].feedback)
        assert ("changed after" in validation_problem(record)) == changed


def test_an_update_validates_what_a_simulated_backend_played(played):
    good, bad = (from_msgpack(to_msgpack(t), Trajectory) for t in played[:2])
    bad.provenance.notes["state_log"] = "[]"
    validate([good, bad])
    assert invalid_reason(good) == "no_tokens"  # the next thing that it lacks: the oracle is a script
    assert invalid_reason(bad) == "unvalidated"


def test_a_lost_note_does_not_make_a_record_trusted(played, rules):
    record = from_msgpack(to_msgpack(played[0]), Trajectory)
    record.provenance.notes.clear()
    assert validation_problem(record) and validate_simulated(record, rules) == [
        "the record has no state log: it cannot be replayed"
    ]
    record.backend = "perturbed:simulated"
    assert validation_problem(record)
    record.backend = "sandbox"
    assert validation_problem(record) == ""


def forge(trajectory: Trajectory, change) -> list[str]:
    record = from_msgpack(to_msgpack(trajectory), Trajectory)
    change(record)
    return validate_simulated(record, sandbox_rules())


def find(played, name, ok=True):
    return next(t for t in played if any(f.name == name and f.ok is ok for s in t.steps for f in s.feedback))


def answer(record, name):
    return next(f for s in record.steps for f in s.feedback if f.name == name)


def test_a_forged_record_is_not_validated(played):
    def success_of(name):
        def change(record):
            feedback = answer(record, name)
            feedback.ok, feedback.code, feedback.error_type = True, 200, None
            feedback.payload = {"success": True, "message": "Done", "data": {}}

        return change

    def other_time(record):
        answer(record, "manage_alarm").payload["data"]["title"] = "Something else"

    def no_facts(record):
        record.provenance.notes["state_log"] = "[]"

    def foreign_facts(record):
        log = json.loads(record.provenance.notes["state_log"])
        record.provenance.notes["state_log"] = json.dumps([*log, {"call_id": "zz", "facts": []}])

    denied, faulted = find(played, "make_call", False), find(played, "pair_bluetooth_device", False)
    alarm = find(played, "manage_alarm")
    assert "impossible_success" in forge(denied, success_of("make_call"))[0]
    assert "impossible_success" in forge(faulted, success_of("pair_bluetooth_device"))[0]
    assert any("contradiction" in problem for problem in forge(alarm, other_time))
    assert "unrecorded" in forge(alarm, no_facts)[0]
    assert "zz" in forge(alarm, foreign_facts)[0]
    assert "state log" in forge(alarm, lambda record: record.provenance.notes.update(state_log="{"))[0]


# --- how many changed answers are caught ---


def places(value, path=()):
    if isinstance(value, dict):
        for name, item in value.items():
            yield from places(item, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))
    elif value not in (None, ""):
        yield path, value


def put(value, path, new):
    for part in path[:-1]:
        value = value[part]
    value[path[-1]] = new


def is_id(path):
    return str(path[-1]) == "id" or str(path[-1]).endswith(("_id", "Id"))


def mutant(reply: dict, kind: str, rng: random.Random) -> dict | None:
    """The answer with one thing changed; None where it has nothing of the kind."""
    reply = json.loads(json.dumps(reply))
    answer, data = reply["answer"], reply["answer"].get("data")
    if kind == "id":
        found = [path for path, _ in places(data) if is_id(path)]
        if not found:
            return None
        put(data, rng.choice(found), f"thing_{rng.randrange(500, 999)}")
    elif kind == "value":
        found = [(path, v) for path, v in places(data) if not is_id(path)]
        if not found:
            return None
        path, old = rng.choice(found)
        put(
            data, path, (not old) if isinstance(old, bool) else old + 7 if isinstance(old, int | float) else f"{old} xx"
        )
    elif kind == "fact":
        found = [
            (fact, name) for fact in reply["facts"] for name, v in fact["values"].items() if v not in (None, "", [])
        ]
        if not found:
            return None
        fact, name = rng.choice(found)
        old = fact["values"][name]
        fact["values"][name] = old + 7 if isinstance(old, int | float) else f"{old} xx"
    elif kind == "forgotten":
        if not reply["facts"]:
            return None
        reply["facts"] = []
    elif kind == "success":
        if answer["success"]:
            return None
        reply["answer"] = {"success": True, "message": "Done", "data": {}}
    return reply


def caught(rules, tasks, kind: str) -> tuple[int, int]:
    """How many episodes with one changed answer were refused, of how many there are."""
    hits = total = 0
    for task in tasks:
        calls = []
        echo = SandboxEcho([task], lambda reply, number, calls=calls: calls.append((number, reply)) or reply)
        asyncio.run(run_actions(SimulatedEnv(echo, rules, BenchVerifier()), task, oracle(task)))
        for number, reply in calls:
            rng = random.Random(f"{task.id}:{number}:{kind}")
            changed = mutant(reply, kind, rng)
            if changed is None:
                continue
            total += 1
            tampering = SandboxEcho([task], lambda r, n, number=number, changed=changed: changed if n == number else r)
            env = SimulatedEnv(tampering, rules, BenchVerifier(), limits=SimulatedLimits(attempts=1))
            try:
                asyncio.run(run_actions(env, task, oracle(task)))
            except EnvFailure:
                hits += 1
    return hits, total


# Fewer are caught than this only by a change of the checks; the whole suite's figures are in the documentation.
LEAST = {"id": 1.0, "value": 0.45, "fact": 0.5, "forgotten": 0.6}


@pytest.mark.parametrize("kind", list(LEAST))
def test_changed_answers_are_caught_at_a_known_rate(rules, kind):
    hits, total = caught(rules, SUITE[::5], kind)
    assert total >= 12 and hits / total >= LEAST[kind], (hits, total)


def test_a_release_refuses_what_was_not_validated(played, tmp_path):
    bad = Curated(id="x", trajectory=played[0], decision=Curation.APPROVE)
    proposal = Proposal(version="v0001", additions={}, content=content_digest([bad]))
    decision = Decision(proposal=proposal.digest(), ruling=Ruling.APPROVE, reviewer="a person", reason="looks good")
    with pytest.raises(FlywheelError, match="not validated"):
        freeze(tmp_path, [bad], [], proposal, decision, harness_version="h")
