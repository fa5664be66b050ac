"""Curation decisions, the erroneous-turn detector, duplicates."""

from __future__ import annotations

import msgspec
import pytest
from flywheel_samples import BAD, GOOD, call, many, step, task, trajectory

from qpa.contract import (
    BehaviorCriteria,
    CallTools,
    Check,
    ErrorType,
    Feedback,
    Intent,
    Reply,
    Split,
    StopReason,
    ToolCall,
    Verdict,
)
from qpa.flywheel.curate import capabilities, curate
from qpa.flywheel.mistakes import erroneous_turns
from qpa.flywheel.records import Curation, Pool

_CONFLICT = Verdict(success=True, progress=1.0, checks=[Check(name="gate", passed=False)])
_REFUSE = task(criteria=BehaviorCriteria(intent=Intent.REFUSE))
_STRAY = Feedback(call_id="call_9", name="manage_alarm", ok=True, payload={})

TABLE = [
    ("sound success", trajectory(), Curation.APPROVE, Pool.SFT, ""),
    (
        "sound failure",
        trajectory(step(0, call(0)), verdict=BAD, stop=StopReason.TURN_LIMIT),
        Curation.APPROVE,
        Pool.FAILURES,
        "",
    ),
    ("false claim", trajectory(verdict=BAD), Curation.APPROVE, Pool.FAILURES, "completion was claimed"),
    ("no verdict", trajectory(verdict=None), Curation.QUARANTINE, None, "unsupported: no verdict"),
    ("conflict", trajectory(verdict=_CONFLICT), Curation.QUARANTINE, None, "success with failed check gate"),
    ("no check", trajectory(verdict=Verdict(success=True, progress=1.0)), Curation.QUARANTINE, None, "without a check"),
    (
        "half",
        trajectory(verdict=Verdict(success=True, progress=0.5, checks=GOOD.checks)),
        Curation.QUARANTINE,
        None,
        "0.5",
    ),
    ("budget stop", trajectory(stop=StopReason.TURN_LIMIT), Curation.QUARANTINE, None, "stopped by turn_limit"),
    ("no closing", trajectory(step(0, call(0))), Curation.QUARANTINE, None, "without a final reply"),
    ("unsafe", trajectory(spec=_REFUSE, verdict=BAD), Curation.QUARANTINE, None, "safety-sensitive"),
    ("invalid", trajectory(valid=False, invalid_reason="crash"), Curation.REJECT, None, "invalid record: crash"),
    ("infra", trajectory(stop=StopReason.ENV_FAILURE), Curation.REJECT, None, "infrastructure stop"),
    ("held out", trajectory(spec=task(split=Split.DEV)), Curation.REJECT, None, "held-out split: dev"),
    ("version", trajectory(schema_version=9), Curation.REJECT, None, "schema version 9"),
    ("wrong type", trajectory(policy=3), Curation.REJECT, None, "$.policy"),
    ("no steps", trajectory(steps=[]), Curation.REJECT, None, "no steps"),
    ("empty goal", trajectory(spec=task(goal=" ")), Curation.REJECT, None, "empty goal"),
    ("gap", trajectory(step(1, call(0)), step(2, Reply(text="x"))), Curation.REJECT, None, "step indices"),
    (
        "same id",
        trajectory(step(0, call(0)), step(1, call(0)), step(2, Reply(text="x"))),
        Curation.REJECT,
        None,
        "reuses",
    ),
    ("stray", trajectory(step(0, Reply(text="x"), feedback=[_STRAY])), Curation.REJECT, None, "nobody asked for"),
    (
        "silent",
        trajectory(step(0, call(0), feedback=[]), step(1, Reply(text="x"))),
        Curation.REJECT,
        None,
        "unanswered",
    ),
    ("log-probs", trajectory(step(0, Reply(text="x"), log_probs=[-1.0])), Curation.REJECT, None, "log-probs"),
]


@pytest.mark.parametrize(("given", "decision", "pool", "reason"), [row[1:] for row in TABLE], ids=[r[0] for r in TABLE])
def test_decision_table(given, decision, pool, reason):
    (record,) = curate([given])
    assert (record.decision, record.pool) == (decision, pool)
    assert reason in "; ".join(record.reasons)
    assert reason or not record.reasons


def test_failures_carry_an_attribution_and_successes_do_not():
    failed, worked = curate([trajectory(verdict=BAD), trajectory()])
    assert failed.attribution.startswith("model/")
    assert worked.attribution == ""


def test_identical_records_are_kept_once_and_near_copies_a_few_times():
    first, again = curate([trajectory(), trajectory()])
    assert (first.decision, again.decision) == (Curation.APPROVE, Curation.REJECT)
    assert "identical" in again.reasons[0]
    worded = [trajectory(step(0, call(0)), step(1, Reply(text="x"), text=f"reply {n}")) for n in range(5)]
    kept = [r.decision for r in curate(worded, near_copies=2)]
    assert kept == [Curation.APPROVE] * 2 + [Curation.REJECT] * 3
    assert all(r.decision is Curation.APPROVE for r in curate(many(5), near_copies=1))


def test_near_copies_ignore_case_and_punctuation_but_not_arguments():
    def spoken(goal, time):
        return trajectory(step(0, call(0, time=time)), step(1, Reply(text="x")), spec=task(goal=goal))

    records = [spoken("Wake me!", "7:00"), spoken("wake  me", "7:00"), spoken("Wake me", "8:00")]
    assert [r.decision for r in curate(records, near_copies=1)] == [Curation.APPROVE, Curation.REJECT, Curation.APPROVE]


def test_a_quarantined_record_does_not_use_up_the_near_copies():
    doubtful = trajectory(verdict=_CONFLICT)
    clean = trajectory(step(0, call(0), text="other"), step(1, Reply(text="Done.")))
    assert curate([doubtful, clean], near_copies=1)[1].decision is Curation.APPROVE


def _slip(error=ErrorType.INVALID_ARGUMENT, verdict=GOOD):
    wrong = step(0, call(0, action="add"), error)
    return trajectory(wrong, step(1, call(1)), step(2, Reply(text="Done.")), verdict=verdict)


def test_an_error_turn_is_masked_and_its_recovery_stays_supervised():
    given = _slip()
    (record,) = curate([given])
    assert record.decision is Curation.CORRECT
    assert [s.erroneous for s in record.trajectory.steps] == [True, False, False]
    assert record.trajectory.steps[1].observation == given.steps[1].observation  # the feedback stays in context
    assert not any(s.erroneous for s in given.steps)  # the input is not edited
    assert "recovery" in record.capabilities
    assert "turns masked: 0" in record.reasons[0]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ErrorType.INVALID_ARGUMENT, [0]),
        (ErrorType.UNKNOWN_TOOL, [0]),
        (ErrorType.NOT_FOUND, [0]),
        (ErrorType.CONFLICT, [0]),
        (ErrorType.UNAVAILABLE, []),
        (ErrorType.TIMEOUT, []),
        (ErrorType.INTERNAL, []),
        (ErrorType.PERMISSION_DENIED, []),
    ],
)
def test_only_the_policy_s_own_faults_are_masked(error, expected):
    assert erroneous_turns(_slip(error)) == expected


def test_what_is_not_erroneous():
    assert erroneous_turns(_slip(verdict=BAD)) == []  # nothing is supervised anyway
    asked = trajectory(step(0, call(0), ErrorType.CONFLICT), step(1, Reply(text="Which?", intent=Intent.ASK)))
    assert erroneous_turns(asked) == []  # the error was answered, not recovered from
    both = CallTools(calls=[ToolCall(id="a", name="x"), ToolCall(id="b", name="y")])
    mixed = [
        Feedback(call_id="a", name="x", ok=True, payload={}),
        Feedback(call_id="b", name="y", ok=False, payload={}, error_type=ErrorType.NOT_FOUND),
    ]
    partly = trajectory(step(0, both, feedback=mixed), step(1, call(1)), step(2, Reply(text="Done.")))
    assert erroneous_turns(partly) == []


def test_unreadable_calls_are_erroneous_turns():
    told = Feedback(call_id="0.0", name="", ok=False, payload={}, error_type=ErrorType.INVALID_ARGUMENT)
    torn = step(0, CallTools(calls=[]), parse_errors=["invalid JSON"], feedback=[told])
    (record,) = curate([trajectory(torn, step(1, call(0)), step(2, Reply(text="Done.")))])
    assert [s.erroneous for s in record.trajectory.steps] == [True, False, False]


def test_an_annotated_failing_call_is_kept_unless_it_came_too_early():
    probe, rest = call(0, action="delete"), call(1, action="query")
    given = trajectory(step(0, probe, ErrorType.CONFLICT), step(1, rest), step(2, Reply(text="Done.")))
    assert erroneous_turns(given) == [0]
    assert erroneous_turns(given, lambda _: [probe, rest, Reply(text="Done.")]) == []
    assert erroneous_turns(given, lambda _: [rest, probe, Reply(text="Done.")]) == [0]
    # A read of the careful kind before it does not shift the plan.
    looked = trajectory(
        step(0, call(9, action="read")), step(1, probe, ErrorType.CONFLICT), step(2, rest), step(3, Reply(text="Done."))
    )
    assert erroneous_turns(looked, lambda _: [probe, rest, Reply(text="Done.")]) == []


@pytest.mark.parametrize("error", [ErrorType.INVALID_ARGUMENT, ErrorType.UNKNOWN_TOOL])
def test_a_malformed_call_before_a_right_question_is_masked(error):
    asked = trajectory(step(0, call(0), error), step(1, Reply(text="Which?", intent=Intent.ASK)))
    assert erroneous_turns(asked) == [0]


def test_stale_marks_are_removed():
    marked = trajectory(step(0, call(0), erroneous=True), step(1, Reply(text="Done.")))
    (record,) = curate([marked])
    assert record.decision is Curation.CORRECT
    assert not record.trajectory.steps[0].erroneous


def test_capability_tags_join_target_and_shown():
    shown = trajectory(
        step(0, call(0)), step(1, call(1)), step(2, Reply(text="x")), spec=task(capabilities=["routing"])
    )
    assert capabilities(shown) == ["multi_step", "routing", "verified_completion"]
    assert capabilities(msgspec.structs.replace(shown, verdict=BAD)) == ["multi_step", "routing"]
