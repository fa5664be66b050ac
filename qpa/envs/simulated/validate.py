"""Validation of a finished record: the log is replayed from the record alone, by the same checks that admitted it."""

from __future__ import annotations

import random
from collections.abc import Mapping

import msgspec

from qpa.contract import (
    CallTools,
    ContractError,
    ErrorType,
    Fault,
    FaultMode,
    Feedback,
    Record,
    TaskSpec,
    ToolCall,
    Trajectory,
    from_json,
    mark_validated,
)
from qpa.envs.simulated.checks import judge
from qpa.envs.simulated.log import StateLog
from qpa.envs.simulated.records import Answer, Fact, Objection, Reason, envelope_problem
from qpa.envs.simulated.rules import SimulatedRules

STATE_LOG = "state_log"  # key of the provenance note that holds the facts, call by call


class Recorded(Record):
    """The facts of one accepted answer."""

    call_id: str
    facts: list[Fact]


class FaultPlan:
    """Which calls the task's fault plan hits; counted per tool, as in the sandbox."""

    def __init__(self, task: TaskSpec) -> None:
        self._task = task
        self._calls: dict[str, int] = {}

    def next(self, tool: str) -> Fault | None:
        """Counts one call of `tool` and returns the fault that hits it."""
        number = self._calls.get(tool, 0)
        self._calls[tool] = number + 1
        for index, fault in enumerate(self._task.initial.faults):
            if fault.tool == tool and fault.first <= number < fault.first + fault.count:
                key = f"{self._task.id}:{index}:{tool}:{number}"
                if fault.rate is msgspec.UNSET or random.Random(key).random() < fault.rate:
                    return fault
        return None


def planned_faults_problem(task: TaskSpec, rules: SimulatedRules) -> str:
    """Why the fault plan cannot be played; "" if it can."""
    for fault in task.initial.faults:
        if fault.tool not in rules.specs:
            return f"its fault plan names {fault.tool!r}, which is no declared tool"
        if isinstance(fault.mode, FaultMode):
            return f"a sub-agent that only pretends ({fault.mode.value}) cannot be told from a lying model"
    return ""


def validate_simulated(trajectory: Trajectory, rules: SimulatedRules) -> list[str]:
    """Every reason why a simulated record must not be trained on; marks it as validated if there is none.

    The record must be of the rules' world: the same tools, tables and initial rows. Never raises on a bad record.
    """
    problems = _problems(trajectory, rules)
    if not problems:
        mark_validated(trajectory)
    return problems


def _problems(trajectory: Trajectory, rules: SimulatedRules) -> list[str]:
    note = trajectory.provenance.notes.get(STATE_LOG)
    if note is None:
        return ["the record has no state log: it cannot be replayed"]
    try:
        recorded = {entry.call_id: entry.facts for entry in from_json(note, list[Recorded])}
        log = StateLog.of(trajectory.task, rules)
    except ContractError as e:
        return [f"state log: {e}"]
    faults = FaultPlan(trajectory.task)
    found: list[str] = []
    answered: set[str] = set()
    for step in trajectory.steps:
        calls = step.action.calls if isinstance(step.action, CallTools) else []
        by_id = {call.id: call for call in calls}
        for feedback in step.feedback:
            call = by_id.get(feedback.call_id)
            where = f"step {step.index}, call {feedback.call_id}"
            if call is None:
                if feedback.ok:
                    found.append(f"{where}: an answer to no call")
                continue
            answered.add(call.id)
            log, objections = _replay(log, rules, trajectory.task, call, feedback, recorded, faults)
            found += [f"{where}: {objection}" for objection in objections]
    found += [f"state log: facts for call {id_}, which the record does not have" for id_ in set(recorded) - answered]
    return found


def _replay(
    log: StateLog,
    rules: SimulatedRules,
    task: TaskSpec,
    call: ToolCall,
    feedback: Feedback,
    recorded: Mapping[str, list[Fact]],
    faults: FaultPlan,
) -> tuple[StateLog, list[Objection]]:
    if call.name in rules.loaders:
        return log, []
    unknown = feedback.error_type is ErrorType.UNKNOWN_TOOL  # then it did not reach the fault plan
    planned = None if unknown else _planned(task, rules, call, faults)
    if call.id not in recorded:
        # Answered by the environment or the harness itself: such answers are failures, and change nothing.
        lone = Objection(Reason.UNRECORDED, f"{call.name} succeeded, and no model's answer is recorded for it")
        if feedback.ok and planned is not None:
            lone = Objection(Reason.IMPOSSIBLE_SUCCESS, f"{call.name} succeeded, the task plans {planned.value}")
        return log, [lone] if feedback.ok else []
    problem = envelope_problem(feedback.payload)
    answer = Answer(payload=feedback.payload, facts=recorded[call.id])
    if not problem and (feedback.ok, feedback.code) != (answer.ok, answer.code):
        problem = f"status {feedback.ok}/{feedback.code} beside an envelope of {answer.ok}/{answer.code}"
    if problem:
        return log, [Objection(Reason.ENVELOPE, problem)]
    after, objections = judge(log, rules, task, call, answer, planned)
    return (log if objections else after), objections


def _planned(task: TaskSpec, rules: SimulatedRules, call: ToolCall, faults: FaultPlan) -> ErrorType | None:
    """The error that permissions or the fault plan give this call; counts it if it reaches the fault plan."""
    spec = rules.specs.get(call.name)
    if spec is None or rules.argument_checks[call.name].problem(call.arguments):
        return None
    if spec.permission in task.initial.denied_permissions:
        return ErrorType.PERMISSION_DENIED
    fault = faults.next(call.name)
    return fault.error_type if fault is not None else None
