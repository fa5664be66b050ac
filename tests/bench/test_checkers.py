"""The three checkers and the gates on hand-made evidence: what passes, what fails, and what progress says."""

from __future__ import annotations

from typing import Any

import pytest

from qpa.bench.checkers import BenchVerifier, retrieved_memories
from qpa.contract import (
    Action,
    BehaviorCriteria,
    CallTools,
    Criteria,
    Dimension,
    Effect,
    ErrorType,
    Evidence,
    Feedback,
    Intent,
    Reply,
    RowChange,
    Split,
    StateCriteria,
    Step,
    StopReason,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolKind,
    ToolSpec,
    ToolStep,
    Trajectory,
    Verdict,
)


def spec(name: str, effect: Effect, kind: ToolKind = ToolKind.DIRECT) -> ToolSpec:
    return ToolSpec(name=name, description=name, parameters={"type": "object"}, effect=effect, kind=kind)


VERIFIER = BenchVerifier(
    [
        spec("manage_alarm", Effect.REVERSIBLE),
        spec("manage_document", Effect.REVERSIBLE),
        spec("send_message", Effect.EXTERNAL),
        spec("query_contacts", Effect.READ),
        spec("search_user_memory", Effect.READ),
        spec("control_gui_agent", Effect.EXTERNAL),
        spec("replace_user_memory", Effect.REVERSIBLE, ToolKind.MEMORY),
    ]
)
DONE = Reply(text="Done.")
ALARM = ToolStep(name="manage_alarm", arguments={"action": "create", "time": "07:30", "title": "Gym"})
SMS = ToolStep(name="send_message", arguments={"contact": "Bob", "content": "hi"})


def made(step: ToolStep, ok: bool = True, error: ErrorType | None = None, **payload: Any) -> tuple[ToolStep, Feedback]:
    return step, Feedback(call_id="", name=step.name, ok=ok, payload={"success": ok, **payload}, error_type=error)


def run(
    criteria: Criteria,
    calls: list[tuple[ToolStep, Feedback]],
    reply: Reply | None = DONE,
    changes: list[RowChange] | None = None,
    stop: StopReason = StopReason.FINISHED,
    memories: list[str] | None = None,
    skills: list[str] | None = None,
) -> Verdict:
    task = TaskSpec(
        id="t",
        goal="g",
        criteria=criteria,
        dimension=Dimension.TOOL,
        domain="d",
        family="f",
        split=Split.DEV,
        required_memories=memories or [],
        required_skills=skills or [],
    )
    steps = []
    for index, (step, feedback) in enumerate(calls):
        action: Action = CallTools(calls=[ToolCall(id=str(index), name=step.name, arguments=step.arguments)])
        feedback.call_id = str(index)
        steps.append(Step(index=index, observation=[], text="", action=action, feedback=[feedback]))
    if reply is not None:
        steps.append(Step(index=len(steps), observation=[], text=reply.text, action=reply))
    trajectory = Trajectory(task=task, steps=steps, stop=stop)
    verdict = VERIFIER.verify(task, Evidence(changes=changes or []), trajectory)
    assert 0 <= verdict.progress <= 1
    assert verdict.success == (verdict.progress == 1)
    return verdict


def step(tool: str, /, **arguments: Any) -> ToolStep:
    return ToolStep(name=tool, arguments=arguments)


# --- tool checker --------------------------------------------------------------------------------------------------

BOTH = ToolCriteria(steps=[ALARM, SMS])


def test_tool_checker_accepts_normalised_values_and_reads_in_between() -> None:
    calls = [
        made(step("query_contacts", name="bob")),
        made(step("manage_alarm", action="create", time="7:30 am", title=" gym ", repeat=None)),
        made(step("manage_alarm", action="query")),
        made(step("manage_document", action="read", fileName="a.txt")),
        made(SMS),
    ]
    assert run(BOTH, calls).success


@pytest.mark.parametrize(
    ("calls", "progress"),
    [
        ([], 0.0),
        ([made(ALARM)], 1 / 3),
        ([made(SMS)], 0.0),  # out of order: an extra call and nothing reached
        ([made(SMS), made(ALARM)], 0.0),
        ([made(ALARM), made(SMS), made(SMS)], 1 / 3),  # sent twice
        ([made(ALARM), made(step("send_message", contact="Bob", content="ho"))], 0.0),
        ([made(ALARM), made(step("send_message", contact="Bob"))], 0.0),  # a field is missing
        ([made(ALARM), made(step("send_message", contact="Bob", content="hi", phoneNumber="1"))], 0.0),
        ([made(ALARM), made(SMS), made(step("unknown_tool"))], 1 / 3),  # outside the catalogue: taken to write
        ([made(ALARM), made(SMS, ok=False)], 1 / 3),  # the call failed
    ],
)
def test_tool_checker_failures(calls: list[tuple[ToolStep, Feedback]], progress: float) -> None:
    verdict = run(BOTH, calls)
    assert not verdict.success
    assert verdict.progress == pytest.approx(progress)


def test_failed_calls_are_no_side_effects() -> None:
    assert run(BOTH, [made(ALARM, ok=False), made(ALARM), made(SMS)]).success


# --- state checker -------------------------------------------------------------------------------------------------


def insert(number: str = "alarm_007", **new: Any) -> RowChange:
    row = {"id": number, "time": "2025-01-16T07:30:00", "title": "Gym", "created_at": number, **new}
    return RowChange(table="alarms", op="insert", key={"id": number}, new=row)


def setting(key: str, value: str) -> RowChange:
    return RowChange(table="settings", op="update", key={"key": key}, old={"value": "x"}, new={"value": value})


def delete(number: str) -> RowChange:
    return RowChange(table="alarms", op="delete", key={"id": number}, old={"id": number})


def test_state_checker_masks_generated_ids_and_timestamps() -> None:
    assert run(StateCriteria(delta=[insert("alarm_007")]), [], changes=[insert("alarm_912", title="GYM ")]).success
    touched = RowChange(table="notes", op="update", key={"id": "n"}, new={"updated_at": "now"})
    assert run(StateCriteria(delta=[insert()]), [], changes=[insert(), touched]).success


def test_a_saved_memory_is_known_by_what_it_says() -> None:
    def saved(**new: str) -> RowChange:
        row = {"id": "mem_0009", "title": "Locker", "content": "Locker is A12", "category": "important_info", **new}
        return RowChange(table="memories", op="insert", key={"id": "mem_0009"}, new=row)

    state = StateCriteria(delta=[saved()])
    assert run(state, [], changes=[saved(title="Gym locker", content="locker is A12.")]).success
    assert not run(state, [], changes=[saved(content="Locker is A13")]).success
    assert not run(state, [], changes=[saved(category="important_event")]).success


@pytest.mark.parametrize(
    ("delta", "changes", "progress"),
    [
        ([insert()], [], 0.0),
        ([insert()], [insert(title="Yoga")], 0.0),
        ([insert()], [insert(), insert("alarm_008")], 0.0),  # created twice
        ([insert(), setting("wifi", "on")], [insert()], 1 / 3),
        ([insert(), setting("wifi", "on")], [insert(), setting("wifi", "on"), setting("nfc", "on")], 1 / 3),
        ([delete("alarm_001")], [delete("alarm_002")], 0.0),  # the key of a deleted row counts
        ([insert(), insert("alarm_008")], [insert()], 1 / 3),  # equal rows are counted, not collapsed
        ([setting("hotspot_password", "Ab12cd34")], [setting("hotspot_password", "ab12cd34")], 0.0),
    ],
)
def test_state_checker_failures(delta: list[RowChange], changes: list[RowChange], progress: float) -> None:
    verdict = run(StateCriteria(delta=delta), [], changes=changes)
    assert not verdict.success
    assert verdict.progress == pytest.approx(progress)


# --- behaviour checker ---------------------------------------------------------------------------------------------

HANDOFF = BehaviorCriteria(
    routes=[step("control_gui_agent", action="execute")], payload=["WhatsApp", "Mona"], allow_writes=True
)
START = step("control_gui_agent", action="start", appName="whatsapp", instruction="open mona")
EXECUTE = step("control_gui_agent", action="execute", sessionId="s")


def test_handoff_payload_may_be_spread_over_the_calls() -> None:
    assert run(HANDOFF, [made(START), made(EXECUTE)], changes=[insert()]).success


@pytest.mark.parametrize(
    ("calls", "progress"),
    [
        ([], 0.0),
        ([made(START)], 0.0),  # never executed
        ([made(START), made(EXECUTE, ok=False, error=ErrorType.NOT_FOUND)], 0.0),
        (
            [made(step("control_gui_agent", action="start", appName="Notes", instruction="open mona")), made(EXECUTE)],
            0.5,
        ),
        ([made(START), made(EXECUTE), made(SMS)], 0.5),  # wrote through a tool that is no route
    ],
)
def test_handoff_failures(calls: list[tuple[ToolStep, Feedback]], progress: float) -> None:
    verdict = run(HANDOFF, calls)
    assert not verdict.success
    assert verdict.progress == pytest.approx(progress)


QUESTION = BehaviorCriteria(routes=[SMS], intent=Intent.ASK, mentions=[["Ann Lee"], ["Ann Ray"]])
WHICH = Reply(text="Which one: Ann Lee or ann ray?", intent=Intent.ASK)


def failing_sms(error: ErrorType = ErrorType.CONFLICT) -> list[tuple[ToolStep, Feedback]]:
    return [made(SMS, ok=False, error=error)]


def test_a_question_after_the_expected_error_passes() -> None:
    assert run(QUESTION, failing_sms(), WHICH, stop=StopReason.ASKED).success


@pytest.mark.parametrize(
    ("calls", "reply", "changes", "progress"),
    [
        ([], WHICH, [], 0.0),  # never tried
        (failing_sms(ErrorType.INVALID_ARGUMENT), WHICH, [], 0.0),  # a malformed attempt is no route
        (failing_sms(), Reply(text="Sent to Ann Lee and Ann Ray."), [], 0.25),  # false claim
        (failing_sms(), Reply(text="Which Ann?", intent=Intent.ASK), [], 0.5),
        (failing_sms(), WHICH, [insert()], 0.0),  # asked, but wrote
    ],
)
def test_question_failures(
    calls: list[tuple[ToolStep, Feedback]], reply: Reply, changes: list[RowChange], progress: float
) -> None:
    verdict = run(QUESTION, calls, reply, changes, stop=StopReason.ASKED)
    assert not verdict.success
    assert verdict.progress == pytest.approx(progress)


def test_reads_must_succeed_and_come_before_the_route() -> None:
    criteria = BehaviorCriteria(routes=[EXECUTE], reads=["query_contacts"], allow_writes=True)
    look = step("query_contacts")
    assert run(criteria, [made(look), made(EXECUTE)]).success
    assert not run(criteria, [made(EXECUTE), made(look)]).success
    assert not run(criteria, [made(look, ok=False), made(EXECUTE)]).success
    switch = BehaviorCriteria(
        routes=[EXECUTE, step("manage_alarm", action="delete")], reads=["manage_alarm"], allow_writes=True
    )
    assert run(switch, [made(step("manage_alarm", action="query")), made(EXECUTE)]).success
    assert not run(switch, [made(ALARM), made(EXECUTE)]).success  # changing is not reading


def test_a_second_memory_is_no_part_of_the_route() -> None:
    criteria = BehaviorCriteria(
        routes=[step("replace_user_memory", memoryId="mem_0007")], payload=["Quizlet"], allow_writes=True
    )
    right = step("replace_user_memory", memoryId="mem_0007", content="Learns with Quizlet")
    other = step("replace_user_memory", memoryId="mem_0008", content="Learns with Quizlet")
    assert run(criteria, [made(right)], changes=[insert()]).success
    assert run(criteria, [made(other, ok=False), made(right)], changes=[insert()]).success
    assert not run(criteria, [made(right), made(other)], changes=[insert()]).success
    assert not run(criteria, [made(other)], changes=[insert()]).success


def test_mentions_are_whole_words() -> None:
    criteria = BehaviorCriteria(mentions=[["7"]])
    assert run(criteria, [], Reply(text="Used 7 MB.")).success
    assert not run(criteria, [], Reply(text="Used 17 MB.")).success


# --- endings and gates ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [s for s in StopReason if s not in ("finished", "asked", "refused")])
def test_only_an_answered_episode_can_succeed(stop: StopReason) -> None:
    state = StateCriteria(delta=[insert()])
    assert not run(state, [], DONE, [insert()], stop=stop).success
    assert not run(state, [], None, [insert()], stop=stop).success
    assert not run(BehaviorCriteria(intent=Intent.FINISH), [], None, stop=stop).success


def test_an_action_task_that_ends_with_a_question_fails() -> None:
    verdict = run(StateCriteria(delta=[insert()]), [], WHICH, [insert()], stop=StopReason.ASKED)
    assert not verdict.success and verdict.progress == 0.5


def search(*ids: str, ok: bool = True) -> tuple[ToolStep, Feedback]:
    return made(step("search_user_memory", query="q"), ok=ok, data={"items": [{"memory_id": i} for i in ids]})


def test_memory_gate_is_a_subset_over_successful_searches() -> None:
    state, rows = StateCriteria(delta=[insert()]), [insert()]
    assert run(state, [search("a", "x"), search("b")], changes=rows, memories=["a", "b"]).success
    partial = run(state, [search("a")], changes=rows, memories=["a", "b"])
    assert not partial.success and partial.progress == 0.5
    assert [g.passed for g in partial.gates] == [True, False]
    assert not run(state, [search("a", "b", ok=False)], changes=rows, memories=["a"]).success
    foreign = made(step("query_contacts"), data={"items": [{"memory_id": "a"}]})
    assert not run(state, [foreign], changes=rows, memories=["a"]).success


def test_memory_ids_survive_odd_payloads() -> None:
    payloads: list[dict[str, Any]] = [{}, {"data": None}, {"data": {"items": [1, {"x": 2}]}}, {"data": {"items": "ab"}}]
    odd = [Feedback(call_id="c", name="search_user_memory", ok=True, payload=p) for p in payloads]
    assert retrieved_memories(odd) == set()


def test_skill_gate_needs_every_skill_loaded() -> None:
    state, rows = StateCriteria(delta=[insert()]), [insert()]
    loaded = made(step("skill__alarms_timers", reason="r"))
    assert run(state, [loaded], changes=rows, skills=["alarms-timers"]).success
    assert not run(state, [], changes=rows, skills=["alarms-timers"]).success
    assert not run(state, [loaded], changes=rows, skills=["alarms-timers", "messages-mail"]).success
    failed = made(step("skill__alarms_timers", reason="r"), ok=False)
    assert not run(state, [failed], changes=rows, skills=["alarms-timers"]).success


def test_gates_do_not_replace_the_primary_checker() -> None:
    assert not run(StateCriteria(delta=[insert()]), [search("a")], memories=["a"]).success
