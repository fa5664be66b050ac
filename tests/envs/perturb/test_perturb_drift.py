"""Other app versions: what is shown is what is taken, it means the same, and every task can still be solved."""

from __future__ import annotations

import msgspec
import pytest
from perturb_phone import Phone, env_of, task_with

from qpa.contract import ErrorType, Resources, ToolCall, ToolCriteria, ToolSpec, ToolStep
from qpa.envs.perturb.config import VERSIONS, DriftConfig
from qpa.envs.perturb.drift import Draws, Drift, canonical, edit_of
from qpa.envs.sandbox import catalog
from qpa.harness.schema import argument_errors

SPECS = {spec.name: spec for spec in catalog()}
ALARM = {"action": "create", "time": "15:35", "title": "Choir"}


def drifted(version, *tools):
    return Phone(env_of(drift=DriftConfig(on=True, rate=1.0, versions=(version,))), task_with(*tools))


@pytest.mark.parametrize(
    ("version", "shown"),
    [
        (1, {"action": "create", "clockTime": "15:35", "title": "Choir"}),
        (2, {"action": "new", "time": "15:35", "title": "Choir", "clientNote": "for the log"}),
        (3, {"action": "make", "moment": "15:35", "title": "Choir"}),
    ],
)
def test_a_version_takes_its_own_words_and_refuses_the_old_ones(version, shown):
    p = drifted(version, "manage_alarm")
    old = p.call("manage_alarm", **ALARM)
    assert old.error_type is ErrorType.INVALID_ARGUMENT and p.changed() == []
    assert "allowed: " in old.payload["error"] or "must be one of" in old.payload["error"]
    answer = p.call("manage_alarm", **shown)
    assert answer.ok and answer.payload["data"]["title"] == "Choir" and p.changed() == ["alarms"]
    (spec,) = [s for s in p.session.catalog if s.name == "manage_alarm"]
    assert argument_errors(shown, spec.parameters) == [] != argument_errors(ALARM, spec.parameters)
    assert spec.description != SPECS["manage_alarm"].description
    assert p.kinds() == [f"app Time Management v{version}", f"refused v{version}"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_schema_need_not_list_parameters_or_what_is_required(version):
    bare = edit_of(ToolSpec(name="ping", description="Ping", parameters={"type": "object"}), version)
    assert bare.problem({}) == "" and bare.inner({}) == {}
    assert bare.problem({"x": 1}).startswith("Unknown argument x")
    assert (bare.problem({"clientNote": "a"}) == "") == (version == 2)


@pytest.mark.parametrize("version", VERSIONS)
def test_every_tool_of_the_catalogue_maps_back_to_its_own_schema(version):
    renamed = dropped = reworded = 0
    for spec in SPECS.values():
        edit = edit_of(spec, version)
        shown, own = edit.spec.parameters["properties"], spec.parameters["properties"]
        everything = {name: schema["enum"][0] if "enum" in schema else "x" for name, schema in shown.items()}
        assert edit.problem(everything) == ""
        inner = edit.inner(everything)
        assert set(inner) <= set(own) and set(spec.parameters["required"]) <= set(inner)
        assert all(inner[name] in own[name]["enum"] for name in inner if "enum" in own[name])
        assert edit.spec.parameters["required"] == spec.parameters["required"]
        renamed += bool(edit.names or edit.values)
        dropped += len(own) > len(inner)
        reworded += edit.spec.description != spec.description
    assert renamed > 100 and reworded == len(SPECS) and (dropped > 5) == (version == 3)
    assert edit_of(SPECS["manage_alarm"], 1).spec != edit_of(SPECS["manage_alarm"], 3).spec


def test_the_held_out_version_shares_no_words_with_the_others():
    def words(version):
        edits = [edit_of(spec, version) for spec in SPECS.values()]
        values = {w for e in edits for choice in e.values.values() for w in choice}
        return {w for e in edits for w in e.names} | values

    assert len(words(3)) > 20
    assert len(words(3) & (words(1) | words(2))) <= 2  # "day" and "at" are common words


def test_a_filter_that_the_criteria_name_is_kept():
    plain = edit_of(SPECS["query_messages"], 3)
    assert "unreadOnly" not in plain.spec.parameters["properties"]
    task = task_with("query_messages")
    criteria = ToolCriteria(steps=[ToolStep(name="query_messages", arguments={"unreadOnly": True})])
    task = msgspec.structs.replace(task, criteria=criteria)
    kept = Drift(DriftConfig(rate=1.0, versions=(3,)), Draws(0), catalog(), task).edits["query_messages"]
    assert "unreadOnly" in kept.spec.parameters["properties"]


def test_drift_is_by_app_and_loaded_tools_drift_too():
    drift = Drift(DriftConfig(rate=0.5, versions=(1, 2)), Draws(3), catalog(), task_with())
    apps: dict[str, set[int]] = {}
    for spec in SPECS.values():
        versions = apps.setdefault(spec.domain, set())
        if spec.name in drift.edits:
            versions.add(drift.edits[spec.name].version)
    assert {len(versions) for versions in apps.values()} == {0, 1}
    skill = msgspec.structs.replace(task_with(), resources=Resources(skills=["alarms-timers"]))
    p = Phone(env_of(drift=DriftConfig(on=True, rate=1.0, versions=(1,))), skill)
    loaded = {s.name: s for s in p.call("skill__alarms_timers", reason="alarm").loaded_tools}
    assert "clockTime" in loaded["manage_alarm"].parameters["properties"]
    assert p.call("manage_alarm", action="create", clockTime="15:35").ok


def test_a_canonical_call_without_drift_is_the_call():
    call = ToolCall(id="a", name="manage_alarm", arguments=ALARM)
    assert canonical(None, call) is call
    with pytest.raises(ValueError, match="app version 4"):
        edit_of(SPECS["manage_alarm"], 4)
