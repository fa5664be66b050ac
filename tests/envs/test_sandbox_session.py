"""Sessions: rollback, faults, permissions, idempotency, forks, changesets, replay."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from qpa.contract import (
    ContractError,
    EnvFailure,
    ErrorType,
    Evidence,
    Fault,
    Operation,
    RowChange,
    StopReason,
    TaskSpec,
    ToolCall,
    Trajectory,
    Verdict,
    to_json,
)
from qpa.envs.sandbox import SandboxEnv
from qpa.envs.sandbox.domains import tools_by_name
from qpa.envs.sandbox.tool import Tool, ToolContext, bad

SCRIPT = (
    ToolCall(id="a", name="manage_alarm", arguments={"action": "create", "time": "10:10", "title": "Tea"}),
    ToolCall(id="b", name="add_contact", arguments={"name": "Zoe Quill", "phoneNumber": "555-9999"}),
    ToolCall(id="c", name="manage_alarm", arguments={"action": "create", "time": "nonsense"}),
    ToolCall(id="d", name="send_message", arguments={"content": "hi", "contact": "Zoe"}),
    ToolCall(id="e", name="delete_contact", arguments={"name": "Mom"}),
    ToolCall(id="f", name="update_contact", arguments={"name": "Zoe", "group": "work"}),
)


def broken(monkeypatch: pytest.MonkeyPatch, function: Any) -> None:
    """Puts other code behind `set_time_format`."""
    monkeypatch.setitem(tools_by_name(), "set_time_format", Tool(tools_by_name()["set_time_format"].spec, function))


# --- errors and rollback --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ZeroDivisionError("secret path"), bad("No")])
def test_a_failed_call_changes_nothing(new_phone: Any, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def crash(ctx: ToolContext, format: str) -> dict[str, Any]:
        ctx.set_setting("time_format", format)
        ctx.insert("todos", id=ctx.new_id("todo"), content="x")
        raise error

    broken(monkeypatch, crash)
    phone = new_phone()
    next_id = new_phone().data("manage_todo", action="create", content="x")["id"]
    feedback = phone.use("set_time_format", format="12h")
    expected = ErrorType.INVALID_ARGUMENT if feedback.code == 400 else ErrorType.INTERNAL
    assert feedback.error_type is expected
    assert "secret" not in str(feedback.payload)
    assert phone.changes() == []
    assert phone.data("manage_todo", action="create", content="x")["id"] == next_id  # the id was given back


def test_an_answer_that_is_not_json_is_rolled_back(phone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def odd(ctx: ToolContext, format: str) -> dict[str, Any]:
        ctx.set_setting("time_format", format)
        return {"success": True, "data": object()}

    broken(monkeypatch, odd)
    assert phone.code("set_time_format", format="12h") == 500
    assert phone.use("manage_stopwatch", action="query").ok  # the episode goes on


def test_cancellation_inside_a_tool_rolls_back(phone: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(ctx: ToolContext, format: str) -> dict[str, Any]:
        ctx.set_setting("time_format", format)
        raise KeyboardInterrupt

    broken(monkeypatch, interrupted)
    with pytest.raises(KeyboardInterrupt):
        phone.use("set_time_format", format="12h")
    assert phone.changes() == []


def test_unknown_and_unlisted_tools_are_404_with_near_names(new_phone: Any) -> None:
    phone = new_phone(tools=["manage_alarm", "manage_todo"])
    feedback = phone.use("manage_alarms", action="query")
    assert (feedback.code, feedback.error_type) == (404, ErrorType.UNKNOWN_TOOL)
    assert feedback.payload["error"] == "Unknown tool manage_alarms; similar: manage_alarm, manage_todo"
    assert phone.code("end_call") == 404  # exists, but this task does not offer it
    assert phone.code("zzz\ud800") == 400


def test_arguments_that_are_no_json_are_a_400(phone: Any) -> None:
    assert phone.code("manage_alarm", action="query", title="\ud800") == 400
    assert phone.code("manage_alarm", action="query", title=object()) == 400
    assert [o.ok for o in phone.session.operations] == [False, False]
    to_json(phone.session.operations)


def test_a_device_that_is_off_answers_nothing(new_phone: Any) -> None:
    phone = new_phone(skills=["alarms-timers"])
    alarm = ToolCall(id="late", name="manage_alarm", arguments={"action": "query"})
    off = ToolCall(id="off", name="control_device_power", arguments={"action": "power_off"})
    early = ToolCall(id="early", name="manage_alarm", arguments={"action": "query"})
    answers = phone.step(early, off, alarm)
    assert [a.ok for a in answers] == [True, True, False]
    assert answers[2].payload == {"success": False, "error": "Device is off", "code": 409}
    for name, arguments in (
        ("control_device_power", {"action": "restart"}),
        ("skill__alarms_timers", {"reason": "plan"}),
        ("no_such_tool", {}),
    ):
        assert phone.code(name, **arguments) == 409
    assert [(c.key, c.new) for c in phone.changes()] == [({"key": "device_power"}, {"value": "off"})]
    assert phone.step(early)[0].ok  # answered before: replayed
    twin = asyncio.run(phone.env.step(phone.session.fork(), [ToolCall(id="twin", name="end_call")]))
    assert twin[0].payload["error"] == "Device is off"


def test_a_restart_leaves_the_device_on(phone: Any) -> None:
    assert phone.use("control_device_power", action="restart").ok
    assert phone.use("manage_alarm", action="query").ok


# --- permissions and faults -----------------------------------------------------------------------------------------


def test_denied_permission_is_named(new_phone: Any) -> None:
    phone = new_phone(denied_permissions=["SEND_SMS"])
    feedback = phone.use("send_message", contact="Mom", content="hi")
    assert (feedback.code, feedback.error_type) == (403, ErrorType.PERMISSION_DENIED)
    assert "SEND_SMS" in feedback.payload["error"]
    assert phone.changes() == []
    assert phone.use("make_call", contact="Mom").ok


def test_fault_plan_counts_valid_calls_per_tool(new_phone: Any) -> None:
    fault = Fault(tool="manage_todo", error_type=ErrorType.UNAVAILABLE, first=1, count=2)
    phone = new_phone(faults=[fault])
    codes = []
    for content in ("a", "b", "b", "b"):
        codes.append(phone.use("manage_todo", action="create", content=content).code)
        assert phone.code("manage_todo", action="nope") == 400  # does not count
        assert phone.use("manage_stopwatch", action="query").ok  # another tool's count
    assert codes == [200, 503, 503, 200]
    assert [c.new["content"] for c in phone.changes()] == ["a", "b"]


def test_a_hanging_tool_is_cancelled_by_the_callers_deadline(new_phone: Any) -> None:
    fault = Fault(tool="manage_todo", error_type=ErrorType.TIMEOUT, hang_s=60.0)
    phone = new_phone(faults=[fault])
    first = ToolCall(id="x", name="manage_stopwatch", arguments={"action": "start"})
    hung = ToolCall(id="y", name="manage_todo", arguments={"action": "create", "content": "a"})

    async def scenario() -> list[Any]:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(phone.env.step(phone.session, [first, hung]), 0.05)
        assert [c.table for c in phone.changes()] == ["settings"]
        return await asyncio.wait_for(phone.env.step(phone.session, [first, hung]), 30)

    answers = asyncio.run(scenario())  # the retry replays the first call and gets past the fault
    assert [f.ok for f in answers] == [True, True]
    assert [o.call_id for o in phone.session.operations] == ["x", "y"]


def test_a_short_hang_ends_in_504(new_phone: Any) -> None:
    fault = Fault(tool="manage_todo", error_type=ErrorType.TIMEOUT, hang_s=0.001)
    assert new_phone(faults=[fault]).code("manage_todo", action="create", content="a") == 504


def test_concurrent_steps_of_one_session_do_not_interleave(new_phone: Any) -> None:
    phone = new_phone(faults=[Fault(tool="manage_todo", error_type=ErrorType.TIMEOUT, hang_s=0.02)])
    slow = ToolCall(id="s", name="manage_todo", arguments={"action": "query"})

    async def scenario() -> list[Any]:
        return await asyncio.gather(phone.env.step(phone.session, [slow]), phone.env.step(phone.session, [slow]))

    (one,), (two,) = asyncio.run(scenario())
    assert to_json(one) == to_json(two)  # a retry of a call in flight waits for it, then replays it
    assert len(phone.session.operations) == 1


# --- idempotency, replay, fork --------------------------------------------------------------------------------------


def test_a_repeated_call_id_replays_and_does_not_act_twice(phone: Any) -> None:
    call = ToolCall(id="k", name="manage_todo", arguments={"action": "create", "content": "once"})
    first = phone.step(call)
    first[0].payload["data"].clear()  # what the caller does with an answer must not reach the stored one
    again = phone.step(call, call)
    assert again[0].ok and again[0].payload["data"]["content"] == "once"
    assert again[0] == again[1]
    assert len(phone.changes()) == len(phone.session.operations) == 1
    other = ToolCall(id="k", name="manage_todo", arguments={"action": "create", "content": "twice"})
    assert phone.step(other)[0].code == 409
    assert len(phone.changes()) == 1


def test_replay_is_bit_identical(new_phone: Any) -> None:
    runs = []
    for _ in range(2):
        phone = new_phone(world_seed=7)
        answers = [phone.step(SCRIPT[0]), phone.step(*SCRIPT[1:4]), phone.step(*SCRIPT[4:])]
        runs.append((to_json(answers), to_json(phone.changes()), to_json(phone.session.operations)))
    assert runs[0] == runs[1]
    assert b'"ok":false' in runs[0][0]


def test_fork_is_independent_and_complete(new_phone: Any) -> None:
    phone = new_phone(world_seed=7, faults=[Fault(tool="end_call", error_type=ErrorType.UNAVAILABLE, first=1)])
    phone.step(*SCRIPT[:3], ToolCall(id="x", name="end_call"))
    twin = phone.session.fork()
    assert to_json(twin.changes()) == to_json(phone.changes())
    assert twin.operations == phone.session.operations

    def finish(session: Any) -> bytes:
        rest = [*SCRIPT[3:], ToolCall(id="y", name="end_call"), SCRIPT[1]]
        answers = asyncio.run(phone.env.step(session, rest))
        assert [a.code for a in answers] == [200, 200, 200, 503, 200]  # fault counts and stored answers came along
        return to_json([answers, session.changes(), session.operations])

    before = to_json(phone.changes())
    twin_end = finish(twin)
    assert to_json(phone.changes()) == before and len(phone.session.operations) == 4
    assert finish(phone.session) == twin_end
    twin.close()
    assert phone.use("manage_stopwatch", action="query").ok


def test_sessions_do_not_share_anything(new_phone: Any) -> None:
    one, two = new_phone(), new_phone()
    one.use("delete_contact", name="Mom")
    assert two.changes() == [] and two.data("query_contacts", name="Mom")["total"] == 1


# --- changesets -----------------------------------------------------------------------------------------------------


def test_changeset_is_exact_for_insert_update_delete(new_phone: Any) -> None:
    todo = {"id": "todo_001", "content": "Milk", "due": "", "done": 0}
    reminder = {"id": "reminder_050", "content": "Post", "time": "2025-01-16T08:00:00"}
    phone = new_phone(patch={"todos": [todo], "reminders": [reminder]})
    phone.data("manage_todo", action="complete", todoId="todo_001")
    phone.data("manage_reminder", action="delete", content="Post")
    phone.data("manage_reminder", action="create", content="Bank", time="tomorrow 08:15")
    assert phone.changes() == [
        RowChange(
            table="reminders",
            op="delete",
            key={"id": "reminder_050"},
            old=reminder,
        ),
        RowChange(
            table="reminders",
            op="insert",
            key={"id": "reminder_051"},
            new={"id": "reminder_051", "content": "Bank", "time": "2025-01-16T08:15:00"},
        ),
        RowChange(table="todos", op="update", key={"id": "todo_001"}, old={"done": 0}, new={"done": 1}),
    ]


def test_changes_that_cancel_out_vanish(phone: Any) -> None:
    made = phone.data("manage_todo", action="create", content="x")
    phone.data("manage_todo", action="delete", todoId=made["id"])
    phone.data("set_time_format", format="12h")
    phone.data("set_time_format", format="24h")
    assert phone.changes() == []
    assert len(phone.session.operations) == 4


def test_operations_are_logged_in_order_with_the_frozen_clock(phone: Any) -> None:
    phone.step(*SCRIPT[:3])
    assert phone.session.operations[2] == Operation(
        index=2,
        call_id="c",
        tool="manage_alarm",
        arguments={"action": "create", "time": "nonsense"},
        ok=False,
        code=400,
        at="2025-01-15T09:00:00",
    )


# --- initial state --------------------------------------------------------------------------------------------------


def test_patch_updates_by_key_inserts_and_moves_counters(new_phone: Any) -> None:
    rows = [{"id": "contact_001", "phone": "5550000"}, {"id": "contact_040", "name": "Zoe", "phone": "5551111"}]
    phone = new_phone(patch={"contacts": rows})
    assert phone.changes() == []  # the patch belongs to the initial state
    assert phone.data("query_contacts", name="Mom")["items"][0]["phone"] == "5550000"
    assert phone.data("add_contact", name="Yan", phoneNumber="5552222")["id"] == "contact_041"


def test_complete_and_partial_rows_of_a_patch_are_written_in_turn(new_phone: Any) -> None:
    todos = [
        {"id": "todo_800", "content": "call"},
        {"id": "todo_800", "content": "call Ann", "due": "", "done": 0},
        {"id": "todo_801", "content": "walk", "due": "2025-02-01", "done": 0},
        {"id": "todo_800", "due": "2025-02-02"},
    ]
    phone = new_phone(patch={"todos": todos})
    assert phone.changes() == []
    items = {row["id"]: row for row in phone.data("manage_todo", action="query")["items"]}
    assert (items["todo_800"]["content"], items["todo_800"]["due"]) == ("call Ann", "2025-02-02")
    assert items["todo_801"]["due"] == "2025-02-01"


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ({"tools": ["nope"]}, "resources.tools names 'nope'"),
        ({"skills": ["nope"]}, "resources.skills names 'nope'"),
        ({"clock": "noon"}, "initial.clock 'noon'"),
        ({"patch": {"nope": []}}, "initial.patch names table 'nope'"),
        ({"patch": {"todos": [{"id": "t", "content": "a", "nope": 1}]}}, r"initial.patch.todos\[0\]: .*'nope'"),
        ({"patch": {"todos": [{"content": "a"}]}}, r"todos\[0\]: .*key column 'id'"),
        ({"patch": {"todos": [{"id": "todo_900"}]}}, r"todos\[0\]: .*NOT NULL"),
        ({"patch": {"todos": [{"id": "t", "content": ["a"]}]}}, r"initial.patch.todos\[0\]"),
        (
            {"patch": {"todos": [dict(zip(("id", "content", "due", "done"), ("t", c, "", 0))) for c in ("a", None)]}},
            r"initial.patch.todos\[1\]: .*NOT NULL",
        ),
        ({"faults": [Fault(tool="nope", error_type=ErrorType.TIMEOUT)]}, "initial.faults names 'nope'"),
    ],
)
def test_a_task_that_cannot_be_set_up_is_an_env_failure(new_phone: Any, task: dict[str, Any], words: str) -> None:
    with pytest.raises(EnvFailure, match=f"task t: .*{words}" if "initial.patch" not in words else words):
        new_phone(**task)


def test_clock_is_the_tasks(new_phone: Any) -> None:
    phone = new_phone(clock="2026-03-02T22:00:00")
    assert phone.data("manage_alarm", action="create", time="07:30")["time"] == "2026-03-03T07:30:00"


# --- skills and verification ----------------------------------------------------------------------------------------


def test_a_loader_makes_its_tools_callable_from_the_next_step(new_phone: Any) -> None:
    phone = new_phone(tools=["manage_note"] if "manage_note" in tools_by_name() else [], skills=["alarms-timers"])
    load = ToolCall(id="l", name="skill__alarms_timers", arguments={"reason": "plan"})
    alarm = ToolCall(id="m", name="manage_alarm", arguments={"action": "query"})
    loaded, early = phone.step(load, alarm)
    assert loaded.ok and early.code == 404
    assert loaded.payload["status"] == "loaded" and loaded.payload["skill"] == "alarms-timers"
    assert loaded.payload["unknown_tools"] == []
    assert loaded.payload["loaded_tools"] == [spec.name for spec in loaded.loaded_tools]
    assert "manage_alarm" in loaded.payload["loaded_tools"] and loaded.payload["instructions"]
    for spec in loaded.loaded_tools:
        spec.parameters.clear()  # an answer is the caller's own: the catalogue must not share it
    assert phone.use("manage_alarm", action="query").ok
    assert phone.session.fork().callable.keys() == phone.session.callable.keys()
    assert phone.code("skill__alarms_timers") == 400
    assert phone.code("skill__messages_mail", reason="x") == 404
    assert phone.changes() == []


def test_verify_hands_the_evidence_to_the_injected_verifier(new_phone: Any) -> None:
    phone = new_phone()
    phone.step(*SCRIPT[:2])
    trajectory = Trajectory(task=phone.task, steps=[], stop=StopReason.FINISHED)

    class Recorder:
        def verify(self, task: TaskSpec, evidence: Evidence, trajectory: Trajectory) -> Verdict:
            assert [c.table for c in evidence.changes] == ["alarms", "contacts"]
            assert [o.tool for o in evidence.operations] == ["manage_alarm", "add_contact"]
            return Verdict(success=True, progress=1.0)

    assert asyncio.run(SandboxEnv(Recorder()).verify(phone.session, trajectory)).success
    with pytest.raises(ContractError, match="no verifier"):
        asyncio.run(phone.env.verify(phone.session, trajectory))


def test_a_closed_session_says_so(phone: Any) -> None:
    asyncio.run(phone.env.close(phone.session))
    asyncio.run(phone.env.close(phone.session))
    with pytest.raises(EnvFailure, match="is closed"):
        phone.use("end_call")
    with pytest.raises(EnvFailure, match="is closed"):
        phone.session.fork()
