"""What every tool and every table of the sandbox owes, whichever domain it is in."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sandbox_phone import Phone

from qpa.contract import Effect, ErrorType, ToolCall, ToolKind, ToolSpec, to_json
from qpa.envs.sandbox import DOMAINS, SandboxEnv, catalog, make_world
from qpa.envs.sandbox.schema import CORE_SCHEMA, read_tables

SPECS = catalog()
BY_NAME = {spec.name: spec for spec in SPECS}
named = pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name)


def minimal(spec: ToolSpec) -> dict[str, Any]:
    """Well-typed values for the required arguments; their meaning need not exist."""
    fill = {"string": "x", "integer": 1, "number": 1.0, "boolean": True, "array": []}
    properties = spec.parameters["properties"]
    return {n: properties[n].get("enum", [fill[properties[n]["type"]]])[0] for n in spec.parameters["required"]}


def test_the_catalogue_is_complete_and_stable() -> None:
    assert len(SPECS) >= 56
    assert [domain.name for domain in DOMAINS][:2] == ["Time Management", "Calls & Communication"]
    assert to_json(catalog()) == to_json(SPECS)
    assert {spec.kind for spec in SPECS} == {ToolKind.DIRECT, ToolKind.SUBAGENT, ToolKind.MEMORY}
    counts = {domain.name: len(domain.tools) for domain in DOMAINS}
    assert counts["Time Management"] == 17 and counts["Calls & Communication"] == 16


def test_the_environment_adds_one_loader_per_skill() -> None:
    extra = SandboxEnv().catalog()[len(SPECS) :]
    assert {spec.kind for spec in extra} == {ToolKind.SKILL}
    assert "skill__alarms_timers" in [spec.name for spec in extra]
    assert SandboxEnv(skills=[]).catalog() == SPECS


@named
def test_face(spec: ToolSpec) -> None:
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", spec.name)
    assert spec.domain in {domain.name for domain in DOMAINS}
    assert 2 <= len(spec.description.split()) <= 16 and spec.description.endswith(".")
    parameters = spec.parameters
    assert set(parameters) == {"type", "properties", "required", "additionalProperties"}
    assert parameters["additionalProperties"] is False
    assert set(parameters["required"]) <= set(parameters["properties"])
    for name in parameters["properties"]:
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name)
    if "action" in parameters["properties"]:
        assert "action" in parameters["required"]


@named
def test_every_enum_is_closed(spec: ToolSpec, new_phone: Any) -> None:
    phone = new_phone(tools=[spec.name])
    for name, schema in spec.parameters["properties"].items():
        if "enum" not in schema:
            continue
        for value in ("no such value", schema["enum"][0].upper(), 3, None):
            feedback = phone.use(spec.name, **(minimal(spec) | {name: value}))
            assert (feedback.code, feedback.error_type) == (400, ErrorType.INVALID_ARGUMENT)
            assert "|".join(schema["enum"]) in feedback.payload["error"]
    assert phone.changes() == []


@named
def test_wrong_shapes_are_refused_before_any_code_runs(
    spec: ToolSpec, new_phone: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: Any, **__: Any) -> Any:
        raise AssertionError("the tool's code ran")

    phone = new_phone(tools=[spec.name])
    monkeypatch.setattr("qpa.envs.sandbox.session.SandboxSession._act", never)
    good = minimal(spec)
    assert phone.code(spec.name, **good, nope=1) == 400
    for name in spec.parameters["required"]:
        assert phone.code(spec.name, **{k: v for k, v in good.items() if k != name}) == 400
    for name, schema in spec.parameters["properties"].items():
        wrong = [] if schema["type"] != "array" else "x"
        assert phone.code(spec.name, **(good | {name: wrong})) == 400


@pytest.mark.parametrize("spec", [s for s in SPECS if s.permission], ids=lambda spec: spec.name)
def test_permission_is_enforced(spec: ToolSpec, new_phone: Any) -> None:
    phone = new_phone(tools=[spec.name], denied_permissions=[spec.permission])
    assert phone.code(spec.name, **minimal(spec)) == 403


# --- arbitrary use --------------------------------------------------------------------------------------------------

_WORLD = make_world(0)
_TEXTS = sorted({str(v) for rows in _WORLD.rows.values() for row in rows for v in row.values() if v != ""})
_TIMES = ["07:30", "tomorrow 07:30", "Saturday", "in 30 minutes", "2025-02-30", "9999-12-31 23:59", "2100-12-31 23:59"]
_ODD = [
    "x",
    "",
    "  ",
    "'; DROP TABLE contacts; --",
    "%",
    "_",
    "名字",
    "a\x00",
    "\ud800",
    "🙂" * 40,
    "5550199",
    "a@b.co",
]
TEXT = st.one_of(st.sampled_from(_TEXTS), st.sampled_from(_TIMES), st.sampled_from(_ODD), st.text(max_size=12))
JUNK = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT, st.lists(TEXT, max_size=2), st.just({}))


def values(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    kind = schema["type"]
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if kind == "integer":
        return st.one_of(st.integers(-2, 150), st.integers())
    return {"string": TEXT, "boolean": st.booleans(), "number": st.floats(), "array": st.lists(TEXT, max_size=3)}[kind]


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    spec = draw(st.sampled_from(SPECS))
    properties, required = spec.parameters["properties"], spec.parameters["required"]
    arguments = {}
    for name, schema in properties.items():
        if name in required or draw(st.booleans()):
            arguments[name] = draw(values(schema))
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(st.sampled_from([*properties, "nope"]))] = draw(JUNK)
    return spec.name, arguments


@settings(max_examples=50, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(calls(), min_size=1, max_size=12))
def test_no_call_can_break_an_episode(script: list[tuple[str, dict[str, Any]]]) -> None:
    runs = []
    for _ in range(2):
        phone, answers = Phone(), []
        for name, arguments in script:
            before = phone.changes()
            feedback = phone.use(name, **arguments)
            assert feedback.error_type is not ErrorType.INTERNAL, (name, arguments, feedback.payload)
            if not feedback.ok:
                assert phone.changes() == before
                assert feedback.payload["success"] is False and feedback.payload["code"] == feedback.code
            elif BY_NAME[name].effect is Effect.READ or arguments.get("action") == "query":
                assert phone.changes() == before
            answers.append(feedback)
        runs.append(to_json([answers, phone.changes(), phone.session.operations]))
        twin = phone.session.fork()
        assert to_json(twin.changes()) == to_json(phone.changes())
    assert runs[0] == runs[1]


# --- tables and worlds ----------------------------------------------------------------------------------------------


def test_every_table_has_a_key_and_one_row_order() -> None:
    db = apsw.Connection(":memory:")
    db.execute(CORE_SCHEMA + "".join(domain.schema for domain in DOMAINS))
    for table in read_tables(db).values():
        assert table.key, table.name
        wr, strict = db.execute(f"SELECT wr, strict FROM pragma_table_list('{table.name}')").fetchone()
        assert (wr, strict) == (1, 1), table.name


def test_worlds_are_seeded_coherent_and_private() -> None:
    assert make_world(5) == make_world(5) and make_world(5).rows != make_world(6).rows
    make_world(5).rows["contacts"].clear()
    for seed in range(20):
        rows = make_world(seed).rows
        names = [row["name"] for row in rows["contacts"]]
        assert "Mom" in names and len(set(names)) == len(names) - 1  # exactly one pair of full namesakes
        phones = {row["phone"]: row["name"] for row in rows["contacts"]}
        assert len(phones) == len(names)
        for row in rows["messages"] + rows["calls"] + rows["voicemails"]:
            assert phones[row["phone"]] == row["name"]
            assert row["at"] < "2025-01-15T09:00:00"
        assert all(row["time"] > "2025-01-15T09:00:00" for row in rows["alarms"] + rows["reminders"])
        assert all(row["datetime"] > "2025-01-15T09:00:00" for row in rows["schedules"])


def test_worlds_do_not_depend_on_the_hash_seed() -> None:
    code = "import sys; from qpa.contract import to_json; from qpa.envs.sandbox import make_world\n"
    code += "assert 'jax' not in sys.modules; sys.stdout.buffer.write(to_json(make_world(3).rows))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {to_json(make_world(3).rows)}


def test_parallel_calls_are_answered_in_order(phone: Any) -> None:
    made = [ToolCall(id=str(i), name="manage_todo", arguments={"action": "create", "content": str(i)}) for i in (1, 2)]
    answers = phone.step(*made)
    assert [a.call_id for a in answers] == ["1", "2"]
    assert answers[0].payload["data"]["id"] < answers[1].payload["data"]["id"]
