"""Competence, bounded weights, repair sets."""

from __future__ import annotations

import pytest
from flywheel_samples import BAD, call, step, task, trajectory
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.contract import ErrorType, Reply, StopReason
from qpa.flywheel import balance
from qpa.flywheel.balance import Status, Tally, competence, failure_counts, new_weights, tally, update_plan
from qpa.flywheel.records import FlywheelError, Plan, RepairClass
from qpa.harness.diagnose import MODEL_CLASSES

FAMILIES = st.sampled_from([f"f{n}" for n in range(8)])
WEIGHTS = st.dictionaries(FAMILIES, st.floats(0.001, 10), min_size=1)
TALLIES = st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: Tally(min(p), max(p)))
FRACTIONS = st.floats(0.05, 1.0)


def test_tally_counts_tasks_not_breakdowns():
    runs = [
        trajectory(),
        trajectory(verdict=BAD),
        trajectory(verdict=None),
        trajectory(valid=False),
        trajectory(stop=StopReason.ENV_FAILURE),
        trajectory(spec=task("wifi")),
    ]
    assert tally(runs) == {"alarm": Tally(1, 2), "wifi": Tally(1, 1)}


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        (Tally(0, 0), Status.UNKNOWN),
        (Tally(6, 6), Status.MASTERED),
        (Tally(1, 1), Status.UNSTABLE),  # one success proves nothing
        (Tally(10, 20), Status.UNSTABLE),
        (Tally(0, 1), Status.UNSTABLE),
        (Tally(0, 6), Status.FAILING),
    ],
)
def test_status_needs_evidence(counts, status):
    assert competence({"f": counts})["f"].status is status


def test_held_out_results_outweigh_on_policy_ones():
    found = competence({"f": Tally(0, 6)}, {"f": Tally(600, 600), "g": Tally(30, 30)})
    assert found["f"].status is Status.UNSTABLE
    assert (found["f"].rate, found["f"].trials) == (0.5, 12)
    assert found["g"].status is Status.MASTERED


def test_impossible_tallies_are_errors():
    with pytest.raises(ValueError, match="3 successes of 2"):
        Tally(3, 2)


@settings(max_examples=60, deadline=None)
@given(WEIGHTS, st.dictionaries(FAMILIES, TALLIES), FRACTIONS)
def test_weights_stay_a_distribution_with_bounded_changes(weights, counts, fraction):
    found = competence(counts)
    new = new_weights(weights, found, fraction)
    assert set(new) == set(weights)
    assert sum(new.values()) == pytest.approx(1)
    assert all(w > 0 for w in new.values())
    changes = {f: new[f] / weights[f] for f in new}
    assert max(changes.values()) / min(changes.values()) <= balance.UNSTABLE_FACTOR / fraction * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(WEIGHTS, st.dictionaries(FAMILIES, TALLIES), FRACTIONS)
def test_a_mastered_family_never_gains_on_another(weights, counts, fraction):
    found = competence(counts)
    new = new_weights(weights, found, fraction)
    change = {f: new[f] / weights[f] for f in new}
    for mastered in (f for f in new if f in found and found[f].status is Status.MASTERED):
        others = [f for f in new if f not in found or found[f].status is not Status.MASTERED]
        assert all(change[mastered] <= change[other] * (1 + 1e-9) for other in others)


@settings(max_examples=60, deadline=None)
@given(FRACTIONS, st.integers(1, 30))
def test_the_preservation_set_survives_any_number_of_rounds(fraction, rounds):
    weights = {f"f{n}": 1.0 for n in range(5)}
    found = competence({"f0": Tally(50, 50), "f1": Tally(10, 20)})
    for _ in range(rounds):
        weights = new_weights(weights, found, fraction)
    # The floor is a share of the uniform weight; normalising can shrink it by at most the growth of the others.
    assert weights["f0"] >= fraction / 5 / (balance.MAX_SHARE + 1) ** 2


def test_weights_in_numbers():
    found = competence({"a": Tally(20, 20), "b": Tally(10, 20), "c": Tally(0, 20)})
    new = new_weights({"a": 1, "b": 1, "c": 1, "d": 1}, found, 0.25)
    total = 0.25 + 2 + 1.5 + 1
    assert new == pytest.approx({"a": 0.25 / total, "b": 2 / total, "c": 1.5 / total, "d": 1 / total})


def test_a_switched_off_family_stays_off_and_bad_input_is_named():
    assert new_weights({"a": 1.0, "b": 0.0}, {}, 0.5) == {"a": 1.0, "b": 0.0}
    with pytest.raises(ValueError, match="preserve_fraction"):
        new_weights({"a": 1.0}, {}, 0.0)
    with pytest.raises(FlywheelError, match="weight of a"):
        new_weights({"a": float("inf")}, {}, 0.5)


def test_every_model_side_class_has_a_repair_class():
    assert set(balance._REPAIR_OF) == set(MODEL_CLASSES)
    assert set(balance._REPAIR_OF.values()) == set(RepairClass)


def test_failures_are_counted_by_repair_class():
    unknown = trajectory(step(0, call(0), ErrorType.UNKNOWN_TOOL), step(1, Reply(text="x")), verdict=BAD)
    idle = trajectory(step(0, Reply(text="Done.")), spec=task("wifi"), verdict=BAD)
    counts = failure_counts([unknown, idle, idle, trajectory(), trajectory(valid=False)])
    assert counts == {RepairClass.PREMATURE_TERMINATION: {"wifi": 2}, RepairClass.TOOL_ROUTING: {"alarm": 1}}


def test_the_plan_links_gaps_to_updates():
    plan = Plan(count=100, weights={"a": 1, "b": 1, "c": 1})
    found = competence({"a": Tally(20, 20), "b": Tally(10, 20), "c": Tally(0, 20)})
    failures = {
        RepairClass.TOOL_ROUTING: {"b": 2, "c": 4},
        RepairClass.RECOVERY: {"c": 2, "gone": 9},
        RepairClass.STATE_TRACKING: {"gone": 5},
    }
    updated, history = update_plan(plan, found, failures, preserve_fraction=0.25, repair_count=40)
    assert updated.count == 100 and updated.preserve == ["a"]
    assert [(r.kind, r.families, r.count) for r in updated.repairs] == [
        (RepairClass.TOOL_ROUTING, ["b", "c"], 30),
        (RepairClass.RECOVERY, ["c"], 10),
    ]
    assert [h.families for h in history] == [["a"], ["b"], ["c"], ["b", "c"], ["c"]]
    assert history[1].evidence == "b 50% of 20"
    assert "30 new tasks" in history[3].update
    assert plan.weights == {"a": 1, "b": 1, "c": 1}  # the old plan is not edited


def test_without_findings_the_plan_only_gets_normalised():
    plan, history = update_plan(Plan(count=1, weights={"a": 2, "b": 2}), {}, {}, preserve_fraction=0.25, repair_count=9)
    assert (plan.weights, plan.repairs, history) == ({"a": 0.5, "b": 0.5}, [], [])
