"""The contract: strict decoding with paths, schema version, and round trips of everything it can hold."""

from __future__ import annotations

import json
import typing
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import qpa.contract as contract
from qpa.contract import (
    CallTools,
    ContractError,
    Reply,
    TaskSpec,
    ToolCall,
    from_json,
    from_msgpack,
    to_json,
    to_msgpack,
)

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXT, inner, max_size=2),
    max_leaves=4,
)
RECORDS = [
    value
    for value in (getattr(contract, name) for name in contract.__all__)
    if isinstance(value, type) and issubclass(value, msgspec.Struct) and value is not contract.Record
]


def strategy(type_: Any) -> st.SearchStrategy:
    """Values of a contract type, from the annotations alone."""
    origin, args = typing.get_origin(type_), typing.get_args(type_)
    if type_ is Any:
        return JSON
    if type_ in (str, int, float, bool):
        return {str: TEXT, int: st.integers(-(2**53), 2**53), float: NUMBERS, bool: st.booleans()}[type_]
    if type_ is type(None):
        return st.none()
    if type_ is msgspec.UnsetType:
        return st.just(msgspec.UNSET)
    if origin is list:
        return st.lists(strategy(args[0]), max_size=2)
    if origin is dict:
        return st.dictionaries(TEXT, strategy(args[1]), max_size=2)
    if args:  # a union
        return st.one_of([strategy(a) for a in args])
    if issubclass(type_, msgspec.Struct):
        hints = typing.get_type_hints(type_)
        fields = {name: strategy(hint) for name, hint in hints.items() if name != "schema_version"}
        return st.builds(type_, **fields)
    return st.sampled_from(list(type_))


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.__name__)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
@given(data=st.data())
def test_round_trips(record, data):
    value = data.draw(strategy(record))
    assert from_json(to_json(value), record) == value
    assert from_msgpack(to_msgpack(value), record) == value
    json.loads(to_json(value))


TASK = to_json(
    TaskSpec(
        id="t",
        goal="g",
        criteria=contract.ToolCriteria(steps=[]),
        dimension=contract.Dimension.TOOL,
        domain="d",
        family="f",
        split=contract.Split.TRAIN,
    )
)


def changed(path: list[Any], value: Any) -> bytes:
    """TASK with one value replaced or added."""
    task = json.loads(TASK)
    at = task
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return json.dumps(task).encode()


@pytest.mark.parametrize(
    "path, value, where",
    [
        (["goal"], 5, "$.goal"),
        (["initial", "world_seed"], "one", "$.initial.world_seed"),
        (["resources", "tools"], ["a", 3], "$.resources.tools[1]"),
        (["criteria", "checker"], "vibes", "$.criteria.checker"),
        (["dimension"], "smell", "$.dimension"),
        (["limits", "turnz"], 3, "$.limits"),
        (["surprise"], True, "surprise"),
    ],
)
def test_errors_name_the_path(path, value, where):
    data = changed(path, value)
    with pytest.raises(ContractError) as e:
        from_json(data, TaskSpec)
    assert where in str(e.value) and "TaskSpec" in str(e.value)
    with pytest.raises(ContractError):
        from_msgpack(msgspec.msgpack.encode(json.loads(data)), TaskSpec)


def test_missing_fields_and_broken_bytes_are_errors():
    for data in (b"", b"{", b"[]", b'{"id": "x"}', b"\xff", b'{"id": "\xff"}', TASK[:-1], b"[" * 100_000):
        with pytest.raises(ContractError):
            from_json(data, TaskSpec)
    for data in (b"", b"\xc1", to_msgpack(from_json(TASK, TaskSpec))[:-1], b"\x91" * 100_000):
        with pytest.raises(ContractError):
            from_msgpack(data, TaskSpec)


def test_another_schema_version_is_refused():
    with pytest.raises(ContractError, match=r"schema_version 99.*\$\.schema_version"):
        from_json(changed(["schema_version"], 99), TaskSpec)


def test_actions_are_told_apart_by_their_tag():
    call = CallTools(calls=[ToolCall(id="0.0", name="f", arguments={"a": 1})])
    for action in (call, Reply(text="Done.")):
        assert msgspec.json.decode(to_json(action), type=contract.Action) == action
    assert json.loads(to_json(call))["type"] == "call_tools"


def test_every_error_type_has_a_published_code():
    assert set(contract.ERROR_CODES) == set(contract.ErrorType)
    assert {contract.ERROR_CODES[e] for e in ("invalid_argument", "permission_denied", "not_found", "conflict")} == {
        400,
        403,
        404,
        409,
    }


def test_defaults_are_not_shared():
    one, two = ToolCall(id="1", name="f"), ToolCall(id="2", name="f")
    one.arguments["x"] = 1
    assert two.arguments == {}


def test_infrastructure_endings_are_the_three_that_never_become_a_reward():
    assert {s.value for s in contract.INFRASTRUCTURE_STOPS} == {"env_failure", "model_failure", "cancelled"}
