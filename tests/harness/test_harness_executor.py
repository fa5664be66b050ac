"""Calls are checked before anything runs; whatever happens comes back as feedback."""

from __future__ import annotations

import asyncio

import pytest
from harness_doubles import ALARM, CATALOG, StubEnv

from qpa.contract import ErrorType, ToolCall
from qpa.harness.executor import Executor
from qpa.harness.schema import argument_errors

VISIBLE = {spec.name: spec for spec in CATALOG}


def execute(env, *calls, visible=VISIBLE, remaining_s=5.0, **options):
    executor = Executor(env, None, **options)
    return asyncio.run(executor.execute(calls, visible, remaining_s=remaining_s))


def call(id, name, **arguments):
    return ToolCall(id=id, name=name, arguments=arguments)


def test_invalid_calls_never_reach_the_backend_and_order_is_kept():
    env = StubEnv()
    result = execute(
        env,
        call("0", "manage_alarm", action="destroy"),
        call("1", "manage_note", content="x"),
        call("2", "manage_alrm", action="query"),
        call("3", "manage_alarm", action="query"),
    )
    assert [c.id for c in env.stepped] == ["1", "3"]
    assert [f.call_id for f in result.feedback] == ["0", "1", "2", "3"]
    assert [f.code for f in result.feedback] == [400, 200, 404, 200]
    assert result.feedback[0].payload == {
        "success": False,
        "error": "action must be one of create, query",
        "code": 400,
    }
    assert result.feedback[0].error_type is ErrorType.INVALID_ARGUMENT
    assert result.feedback[2].error_type is ErrorType.UNKNOWN_TOOL
    assert "manage_alarm" in result.feedback[2].payload["error"]


def test_a_known_but_invisible_tool_is_unknown():
    env = StubEnv()
    result = execute(env, call("0", "manage_note", content="x"), visible={"manage_alarm": ALARM})
    assert result.feedback[0].payload["error"] == "no tool manage_note; available: manage_alarm"
    assert env.stepped == []


def test_long_names_are_not_echoed():
    result = execute(StubEnv(), call("0", "x" * 5000), call("1", "manage_alarm", action="query", **{"y" * 5000: 1}))
    assert all(len(feedback.payload["error"]) < 300 for feedback in result.feedback)


def test_one_block_is_one_step():
    class Counting(StubEnv):
        steps = 0

        async def step(self, session, calls):
            self.steps += 1
            return await super().step(session, calls)

    env = Counting()
    execute(env, call("0", "manage_note", content="x"), call("1", "manage_note", content="y"))
    assert env.steps == 1


def test_call_deadline_is_the_smaller_of_both():
    hang = StubEnv(lambda c: asyncio.sleep(3600))
    for options in ({"call_timeout_s": 0.05}, {"remaining_s": 0.05}):
        result = execute(hang, call("0", "manage_note", content="x"), **options)
        assert result.feedback[0].error_type is ErrorType.TIMEOUT
        assert "0.05 s" in result.feedback[0].payload["error"] and not result.failure


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "missing required argument action"),
        ({"action": "query", "color": 1}, "unknown argument color; allowed: action, time, count"),
        ({"action": 3}, "action must be string, not integer"),
        ({"action": "query", "count": True}, "count must be integer, not boolean"),
        ({"action": "query", "count": "3"}, "count must be integer, not string"),
        ({"action": "query", "count": 3.5}, "count must be integer, not number"),
        ({"action": "query", "time": None}, "time must be string, not null"),
        ([], "arguments must be an object, not array"),
    ],
)
def test_schema_errors_name_the_argument(arguments, message):
    assert argument_errors(arguments, ALARM.parameters) == [message]


def test_schema_accepts_what_json_schema_accepts():
    schema = {
        "properties": {
            "city": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "size": {"type": ["integer", "null"]},
            "ratio": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "place": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]},
        }
    }
    good = {"city": None, "size": None, "ratio": 1, "tags": ["a", "b"], "place": {"x": 2.0, "y": 1}, "free": "text"}
    assert argument_errors(good, schema) == []
    bad = {"city": 4, "tags": ["a", "c"], "place": {"x": "1"}}
    assert argument_errors(bad, schema) == [
        "city must be string, not integer",
        "tags[1] must be one of a, b",
        "place.x must be integer, not string",
    ]
    assert argument_errors({"flag": True}, {"properties": {"flag": {"enum": [1]}}}) == ["flag must be one of 1"]
