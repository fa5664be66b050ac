"""The gate's states, its rule checks, and the strictness of decision files."""

from __future__ import annotations

import json

import msgspec
import pytest
from flywheel_samples import many, trajectory

from qpa.contract import to_json
from qpa.flywheel.curate import curate
from qpa.flywheel.gate import (
    AUTO_REVIEWER,
    DECISION,
    PROPOSAL,
    TEMPLATE,
    GatePending,
    propose,
    review,
    revise,
    rule_checks,
)
from qpa.flywheel.records import Curation, Decision, FlywheelError, HistoryEntry, Plan, Pool, Ruling

PLAN = Plan(count=6, weights={"alarm": 0.5, "wifi": 0.5})


def _bundle(**changes):
    records = curate([*many(4), *many(4, "wifi")])
    return records, propose(records, PLAN, version="v0001", **changes)


def _decide(folder, proposal, **changes):
    base = {"proposal": proposal.digest(), "ruling": Ruling.APPROVE, "reviewer": "Ada", "reason": "looked at ten"}
    decision = Decision(**(base | changes))
    (folder / DECISION).write_bytes(to_json(decision))
    return decision


def test_auto_approves_a_clean_bundle_and_says_who_and_why(tmp_path):
    _, proposal = _bundle()
    decision = review(proposal, tmp_path)
    assert (decision.ruling, decision.reviewer) == (Ruling.APPROVE, AUTO_REVIEWER)
    assert decision.proposal == proposal.digest()
    assert json.loads((tmp_path / PROPOSAL).read_text())["additions"] == {"alarm": 4, "wifi": 4}
    assert json.loads((tmp_path / DECISION).read_text())["reason"] == "all rule checks passed"


def _with(proposal, **changes):
    return msgspec.structs.replace(proposal, **changes)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda p: {"additions": {}}, "no training record"),
        (lambda p: {"quality": p.quality | {"sft_verified": 0.99}}, "unverified records"),
        (lambda p: {"quality": p.quality | {"quarantined": 0.2}}, "20% quarantined"),
        (lambda p: {"quality": p.quality | {"sft_yield": 0.3}}, "only 30% usable"),
        (lambda p: {"weights_after": {"alarm": 0.5, "wifi": 0.4, "new": 0.1}}, "family new has weight but no record"),
        (lambda p: {"weights_before": {"alarm": 0.01, "wifi": 0.99}}, "weight of alarm changes 50 times"),
        (
            lambda p: {"weights_before": {"alarm": 0.5, "wifi": 0.5}, "weights_after": {"alarm": 0.02, "wifi": 0.98}},
            "0.04",
        ),
        (lambda p: {"weights_after": {"alarm": 1.0}}, "family wifi has records but no weight"),
        (lambda p: {"parent": "v0000"}, "without a history entry"),
    ],
)
def test_auto_rejects_with_a_reason(tmp_path, change, reason):
    _, proposal = _bundle()
    decision = review(_with(proposal, **change(proposal)), tmp_path)
    assert decision.ruling is Ruling.REJECT
    assert reason in decision.reason


def test_an_update_with_history_passes():
    _, proposal = _bundle(parent="v0000", history=[HistoryEntry(gap="g", update="u")])
    assert rule_checks(proposal) == []


def test_manual_waits_then_takes_the_person_s_decision(tmp_path):
    _, proposal = _bundle()
    with pytest.raises(GatePending) as pending:
        review(proposal, tmp_path, "manual")
    assert "\n" not in str(pending.value) and DECISION in str(pending.value)
    template = json.loads((tmp_path / TEMPLATE).read_text())
    assert template["proposal"] == proposal.digest()
    decision = _decide(tmp_path, proposal)
    assert review(proposal, tmp_path, "manual") == decision
    assert review(proposal, tmp_path, "auto") == decision  # a person's decision outranks the rules


def test_the_unedited_template_is_no_decision(tmp_path):
    _, proposal = _bundle()
    with pytest.raises(GatePending):
        review(proposal, tmp_path, "manual")
    (tmp_path / TEMPLATE).rename(tmp_path / DECISION)
    with pytest.raises(FlywheelError, match="ruling"):
        review(proposal, tmp_path, "manual")


def test_a_decision_for_another_bundle_does_not_count(tmp_path):
    records, proposal = _bundle()
    _decide(tmp_path, proposal)
    changed = propose(records[:-1], PLAN, version="v0001")
    with pytest.raises(GatePending, match="earlier bundle"):
        review(changed, tmp_path, "manual")
    assert review(changed, tmp_path, "auto").reviewer == AUTO_REVIEWER


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"reviewer": " "}, "reviewer is not filled in"),
        ({"reason": "<fill in>"}, "reason is not filled in"),
        ({"reviewer": AUTO_REVIEWER}, "needs a person"),
        ({"drop": ["x"]}, "go with ruling revise"),
        ({"ruling": Ruling.REVISE}, "needs drop or weights"),
    ],
)
def test_bad_decisions_are_refused(tmp_path, change, message):
    _, proposal = _bundle()
    _decide(tmp_path, proposal, **change)
    with pytest.raises(FlywheelError, match=message):
        review(proposal, tmp_path, "manual")


@pytest.mark.parametrize("text", [b"", b"{", b'{"ruling": "approve"}', b'{"proposal":"x","ruling":"maybe"}', b"\xff"])
def test_malformed_decision_files_name_the_file(tmp_path, text):
    _, proposal = _bundle()
    (tmp_path / DECISION).write_bytes(text)
    with pytest.raises(FlywheelError, match=DECISION):
        review(proposal, tmp_path, "auto")


def test_unknown_mode_and_weights_are_errors(tmp_path):
    records, proposal = _bundle()
    with pytest.raises(FlywheelError, match="auto or manual"):
        review(proposal, tmp_path, "off")
    for weights in ({"alarm": float("nan")}, {"alarm": -1.0}, {"alarm": 0.0}, {}):
        with pytest.raises(FlywheelError, match="weight"):
            propose(records, Plan(count=1, weights=weights), version="v0001")


def test_a_revision_makes_a_new_bundle_that_needs_its_own_decision(tmp_path):
    records, proposal = _bundle()
    decision = _decide(tmp_path, proposal, ruling=Ruling.REVISE, drop=[records[0].id], weights={"alarm": 1.5})
    kept, plan, revised = revise(records, PLAN, proposal, review(proposal, tmp_path, "manual"))
    assert kept[0].decision is Curation.REJECT and "Ada" in kept[0].reasons[-1]
    assert plan.weights == {"alarm": 0.75, "wifi": 0.25}
    assert revised.additions == {"alarm": 3, "wifi": 4}
    assert revised.digest() != proposal.digest()
    with pytest.raises(GatePending):
        review(revised, tmp_path, "manual")
    with pytest.raises(FlywheelError, match="not in the bundle"):
        revise(records, PLAN, proposal, msgspec.structs.replace(decision, drop=["nope"]))
    with pytest.raises(FlywheelError, match="not a revision"):
        revise(records, PLAN, revised, decision)


def test_the_bundle_lists_what_was_kept_out():
    records = curate([*many(2), trajectory(verdict=None), trajectory(valid=False)])
    proposal = propose(records, Plan(count=1, weights={"alarm": 1.0}), version="v0001")
    assert [r.reasons[0][:11] for r in proposal.quarantine] == ["unsupported"]
    assert [r.reasons[0][:7] for r in proposal.removals] == ["invalid"]
    assert proposal.quality["sft_yield"] == 0.5
    assert sum(r.pool is Pool.SFT for r in records) == 2
