"""The driver of scripted actions."""

from __future__ import annotations

import asyncio

import pytest

from qpa.bench import BenchVerifier, make_env, make_task, oracle, run_actions
from qpa.bench.replay import run_now
from qpa.contract import ErrorType, Fault, StopReason


def test_the_trajectory_records_what_happened() -> None:
    task = make_task("memory_alarm", 3, "train")
    got = asyncio.run(run_actions(make_env(BenchVerifier()), task, oracle(task), source="scripted:expert"))
    assert got.verdict is not None and got.verdict.success and got.stop is StopReason.FINISHED
    assert [s.observation[-1].role for s in got.steps] == ["user", "tool", "tool"]
    assert got.cost.by_tool == {"manage_alarm": 1, "search_user_memory": 1} and got.cost.tool_calls == 2
    assert got.provenance.source == "scripted:expert" and got.steps[0].feedback[0].ok


def test_without_a_reply_the_turns_run_out() -> None:
    task = make_task("memory_alarm", 3, "train")
    env = make_env(BenchVerifier())
    assert run_now(run_actions(env, task, oracle(task)[:-1])).stop is StopReason.TURN_LIMIT
    task.limits.turns = 1
    assert len(run_now(run_actions(env, task, oracle(task))).steps) == 1


def test_waiting_needs_an_event_loop() -> None:
    task = make_task("alarm_create", 0, "train")
    task.initial.faults = [Fault(tool="manage_alarm", error_type=ErrorType.TIMEOUT, hang_s=0.01)]
    with pytest.raises(RuntimeError, match="event loop"):
        run_now(run_actions(make_env(BenchVerifier()), task, oracle(task)))
    got = asyncio.run(run_actions(make_env(BenchVerifier()), task, oracle(task)))
    assert got.steps[0].feedback[0].error_type is ErrorType.TIMEOUT
    assert got.verdict is not None and not got.verdict.success
