"""One constructed episode per failure class of method part A8.5."""

from __future__ import annotations

import pytest
from harness_doubles import CATALOG, make_task

from qpa.contract import (
    BehaviorCriteria,
    CallTools,
    Check,
    ErrorType,
    Feedback,
    Intent,
    Message,
    Reply,
    Role,
    RowChange,
    StateCriteria,
    Step,
    StopReason,
    ToolCall,
    ToolCriteria,
    ToolStep,
    Trajectory,
    Verdict,
)
from qpa.harness.adapter import SKILL_PROTOCOL
from qpa.harness.diagnose import HARNESS_CLASSES, MODEL_CLASSES, Side, diagnose, summarise

CREATE = ToolStep(name="manage_alarm", arguments={"action": "create"})
NOTE = ToolStep(name="manage_note", arguments={"content": "x"})
STATE = StateCriteria(delta=[RowChange(table="alarms", op="insert", new={"time": "07:30"})])
SEARCH = ("search_user_memory", {"query": "x"})


def turn(*calls, unreadable=False):
    return calls, unreadable


def ok(name, arguments, **payload):
    return name, arguments, None, {"success": True, **payload}


def bad(name, arguments, error, text="no"):
    return name, arguments, error, {"success": False, "error": text}


def episode(task, turns, *, failed=(), reply="Done.", stop=StopReason.FINISHED, system="", tools=(), **more):
    steps = []
    for index, (calls, unreadable) in enumerate(turns):
        made, answers = [], []
        for i, (name, arguments, error, payload) in enumerate(calls):
            made.append(ToolCall(id=f"{index}.{i}", name=name, arguments=arguments))
            answers.append(
                Feedback(call_id=f"{index}.{i}", name=name, ok=error is None, payload=payload, error_type=error)
            )
        errors = ["broken"] if unreadable else ["repaired: quotes"]
        steps.append(
            Step(
                index=index,
                observation=[],
                text="",
                action=CallTools(calls=made),
                feedback=answers,
                parse_errors=errors,
            )
        )
    if reply:
        steps.append(Step(index=len(steps), observation=[], text=reply, action=Reply(text=reply, intent=Intent.FINISH)))
    if steps:
        steps[0].observation = [Message(role=Role.SYSTEM, content=system)]
    verdict = Verdict(
        success=not failed, progress=0.5, checks=[Check(name=n, passed=False, detail="d") for n in failed]
    )
    return Trajectory(task=task, steps=steps, stop=stop, verdict=verdict, tools=[*task.resources.tools, *tools], **more)


def both():
    return make_task(tools=["manage_alarm", "manage_note"], criteria=ToolCriteria(steps=[CREATE, NOTE]))


MEMORY = make_task(tools=["manage_alarm", "search_user_memory"], required_memories=["m1"])
SKILL = make_task(skills=["time-planning"], required_skills=["time-planning"])
ALARM_OK = ok("manage_alarm", {"action": "create"})
CASES = {
    "harness/tool_exposure": [
        (make_task(tools=["manage_note"]), [turn(ok("manage_note", {"content": "x"}))], {"failed": ["call:0:x"]}),
        (make_task(required_skills=["time-planning"]), [], {"failed": ["reply:finish"]}),
        (
            make_task(tools=["manage_note"], criteria=BehaviorCriteria(routes=[CREATE])),
            [],
            {"failed": ["route"]},
        ),
    ],
    "harness/retrieval": [
        (MEMORY, [turn(ok(*SEARCH, data={"items": [{"memory_id": "m2"}]}))], {"failed": ["call:0:x"]})
    ],
    "harness/stale_memory": [
        (
            MEMORY,
            [turn(ok(*SEARCH, data={"items": [{"memory_id": "m1", "superseded_by": "m2"}]}))],
            {"failed": ["call:0:x"], "retrieved_memories": ["m1"]},
        )
    ],
    "harness/skill_guidance": [
        (SKILL, [turn(ALARM_OK)], {"failed": ["reply:finish"]}),
        (
            SKILL,
            [turn(ok("skill__time_planning", {}, status="loaded", unknown_tools=["gone"]))],
            {"failed": ["reply:finish"], "loaded_skills": ["time-planning"]},
        ),
    ],
    "harness/feedback_format": [
        (make_task(), [turn(bad("manage_alarm", {}, ErrorType.CONFLICT, text=""))], {"failed": ["call:0:x"]})
    ],
    "model/route_selection": [
        (MEMORY, [turn(ALARM_OK)], {"failed": ["call:0:x"]}),
        (SKILL, [turn(ALARM_OK)], {"failed": ["reply:finish"], "system": SKILL_PROTOCOL}),
        (make_task(), [turn(bad("set_alarm", {}, ErrorType.UNKNOWN_TOOL))], {"failed": ["call:0:x"]}),
        (make_task(tools=["manage_alarm", "manage_note"]), [turn(ok("manage_note", {}))], {"failed": ["call:0:x"]}),
    ],
    "model/argument_grounding": [
        (make_task(), [turn(bad("manage_alarm", {}, ErrorType.NOT_FOUND))], {"failed": ["call:0:x"]}),
        (make_task(), [turn(ALARM_OK)], {"failed": ["call:0:x", "no_extra_call"]}),
        (make_task(criteria=STATE), [turn(ALARM_OK)], {"failed": ["change:0:insert:alarms", "no_unrelated_write"]}),
        (make_task(), [turn(unreadable=True)], {"failed": ["call:0:x"]}),
    ],
    "model/state_tracking": [
        (make_task(), [turn(ALARM_OK), turn(ALARM_OK)], {"failed": ["reply:finish"]}),
        (make_task(criteria=STATE), [turn(ALARM_OK)], {"failed": ["no_unrelated_write"]}),
    ],
    "model/error_recovery": [
        (
            make_task(),
            [turn(bad("manage_alarm", {}, ErrorType.CONFLICT)), turn(bad("manage_alarm", {}, ErrorType.CONFLICT))],
            {"failed": ["call:0:x"]},
        ),
        (make_task(), [turn(unreadable=True), turn(unreadable=True)], {"failed": ["call:0:x"]}),
        (make_task(), [turn(bad("manage_alarm", {}, ErrorType.UNAVAILABLE))], {"failed": ["call:0:x"]}),
    ],
    "model/task_decomposition": [
        (both(), [turn(ALARM_OK)], {"failed": ["call:1:manage_note"]}),
        (make_task(criteria=STATE), [turn(ALARM_OK)], {"failed": ["change:0:insert:alarms"]}),
    ],
    "model/task_closure": [
        (make_task(), [], {"failed": ["call:0:x"]}),
        (make_task(), [turn(ALARM_OK)], {"failed": ["reply:ask"]}),
        (make_task(), [turn(ALARM_OK)], {"failed": ["reply:finish"], "reply": "", "stop": StopReason.TURN_LIMIT}),
    ],
    "none/success": [(make_task(), [turn(ALARM_OK)], {})],
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name, cases in CASES.items() for case in cases])
def test_each_class_is_found(name, case):
    task, turns, options = case
    found = diagnose(episode(task, turns, **options), task, CATALOG)
    assert f"{found.side.value}/{found.cls}" == name, found.evidence
    assert found.evidence and found.task_id == task.id and found.domain == task.domain


def test_all_classes_of_the_method_are_covered():
    named = {name for name in CASES if not name.startswith("none/")}
    assert named == {f"model/{c}" for c in MODEL_CLASSES} | {f"harness/{c}" for c in HARNESS_CLASSES}


def test_infrastructure_is_never_the_models_fault():
    task = make_task()
    for stop in (StopReason.ENV_FAILURE, StopReason.MODEL_FAILURE, StopReason.CANCELLED):
        broken = Trajectory(task=task, steps=[], stop=stop, valid=False, invalid_reason="gone")
        found = diagnose(broken, task)
        assert (found.side, found.cls, found.evidence) == (Side.ENVIRONMENT, stop.value, ["gone"])
    unverified = Trajectory(task=task, steps=[], stop=StopReason.FINISHED)
    assert diagnose(unverified, task).cls == "unverified"


def test_reads_repeated_are_no_state_error():
    task = make_task()
    look = ok("manage_alarm", {"action": "query"})
    found = diagnose(episode(task, [turn(look), turn(look)], failed=["reply:ask"]), task, CATALOG)
    assert found.cls == "task_closure"


def test_summary_counts_most_frequent_first():
    task = make_task()
    diagnoses = [diagnose(episode(task, turns, **more), task) for turns, more in [
        ([], {"failed": ["call:0:x"]}),
        ([turn(ALARM_OK)], {}),
        ([], {"failed": ["call:0:x"]}),
    ]]  # fmt: skip
    assert list(summarise(diagnoses).items()) == [("model/task_closure", 2), ("none/success", 1)]
