"""Eq. 6: what is admissible, what is refused, and the rule-based controller's decisions."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.care import Phi, RuleController, apply_proposal, decide, summarise_groups, validate
from qpa.care.controller import MIN_GAP, RANGES

PHI = Phi()
DEV = {"success": 0.8, "tasks": 100, "cost": 0.4, "history": [{"success": 0.8, "cost": 0.4}]}


def proposal(**changes):
    return PHI.as_dict() | changes


def test_accepts_a_bounded_step_as_dict_or_json():
    raw = proposal(lambda_eff=0.15, p_high=0.9, p_low=0.15, lambda_prog=0.25)
    for form in (raw, json.dumps(raw)):
        phi, accepted, reasons = apply_proposal(form, PHI)
        assert accepted and not reasons and phi == Phi(**raw)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (proposal(lambda_eff=0.31), "outside"),
        (proposal(lambda_eff=0.16), "moves by"),
        (proposal(p_high=0.69), "moves by"),
        (proposal(lambda_prog=float("nan")), "finite number"),
        (proposal(lambda_prog=True), "finite number"),
        (proposal(lambda_prog="0.5"), "finite number"),
        (proposal(lambda_prog=None), "finite number"),
        (proposal(extra=1), "'extra' is not a parameter"),
        ({"lambda_eff": 0.1}, "lambda_prog is missing"),
        ([0.5], "expected a JSON object"),
        (None, "expected a JSON object"),
        ("3", "expected a JSON object"),
        ('{"lambda_eff": NaN}', "NaN is not a JSON number"),
        (json.dumps(proposal())[:-1], "not strict JSON"),
        ("```json\n" + json.dumps(proposal()) + "\n```", "not strict JSON"),
        (json.dumps(proposal())[:-1] + ', "p_low": 0.3}', "a key is repeated"),
        ("[" * 100_000, "not strict JSON"),
        ("1" * 10_000, "not strict JSON"),
        (proposal(lambda_prog=10**400), "too large"),
        (b"\xff\xfe", "not strict JSON"),
    ],
)
def test_refused_proposals_keep_phi(raw, reason):
    phi, accepted, reasons = apply_proposal(raw, PHI)
    assert phi is PHI and not accepted and reason in "; ".join(reasons)


def test_the_outcome_regime_never_vanishes():
    near = Phi(p_low=0.45, p_high=0.6)
    assert validate(near.as_dict() | {"p_low": 0.5}, near) == []
    assert "less than p_low" in validate(near.as_dict() | {"p_low": 0.5, "p_high": 0.59}, near)[0]


def test_every_reason_is_reported():
    assert len(validate(proposal(lambda_eff=9, p_low=-1), PHI)) == 4  # two ranges, two steps


def test_a_start_outside_the_ranges_can_come_back():
    assert apply_proposal(proposal(lambda_eff=0.3), Phi(lambda_eff=0.9)).accepted
    assert not apply_proposal(proposal(lambda_eff=0.2), Phi(lambda_eff=0.9)).accepted


def test_phi_itself_must_satisfy_eq_5():
    for bad in ({"p_low": 0.8}, {"p_high": 1.0}, {"lambda_eff": -0.1}, {"p_low": float("nan")}):
        with pytest.raises(ValueError, match="phi needs"):
            Phi(**bad)


numbers = st.one_of(st.floats(allow_nan=True, allow_infinity=True), st.integers(), st.text(max_size=3), st.none())


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from([*RANGES, "x"]), st.one_of(numbers, st.floats(0, 1))), st.booleans())
def test_whatever_is_proposed_phi_stays_admissible(raw, as_text):
    phi, accepted, reasons = apply_proposal(json.dumps(raw) if as_text else raw, PHI)
    assert accepted == (not reasons) and (accepted or phi is PHI)
    assert all(low <= getattr(phi, n) <= high for n, (low, high) in RANGES.items())
    assert phi.p_high - phi.p_low >= MIN_GAP - 1e-9


def test_rule_1_a_drop_beyond_noise_lowers_the_pressure():
    out = RuleController().propose({"efficiency_share": 1.0}, DEV | {"success": 0.6}, PHI)
    assert (out["lambda_eff"], out["p_high"]) == (0.05, 0.85)
    within = RuleController().propose({}, DEV | {"success": 0.76}, PHI)  # one standard error is .058
    assert within == PHI.as_dict()


def test_rule_2_failing_groups_get_more_progress():
    out = RuleController().propose({"progress_share": 0.6, "efficiency_share": 0.4}, DEV, PHI)
    assert out == proposal(lambda_prog=0.6)


def test_rule_3_mastered_groups_raise_the_pressure_slightly():
    assert RuleController().propose({"efficiency_share": 0.3}, DEV, PHI) == proposal(lambda_eff=0.12)
    assert RuleController().propose({"efficiency_share": 0.2}, DEV, PHI) == PHI.as_dict()


def test_rule_4_holds_without_a_reference():
    for dev in ({"success": 0.1, "tasks": 100, "history": []}, DEV | {"tasks": 0}, {}):
        assert RuleController().propose({"efficiency_share": 1.0}, dev, PHI) == PHI.as_dict()


def test_the_reference_is_recent():
    history = [{"success": 1.0}] * 5 + [{"success": 0.8}] * 3
    assert RuleController().propose({}, DEV | {"history": history}, PHI) == PHI.as_dict()


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_rules_never_propose_the_inadmissible(success, before, failing, mastered):
    phi = PHI
    for _ in range(20):
        dev = {"success": success, "tasks": 20, "history": [{"success": before}]}
        train = {"progress_share": failing, "efficiency_share": mastered}
        decision = decide(RuleController(), train, dev, phi, update=0)
        assert decision.accepted, decision.reasons
        phi = decision.phi


def test_decisions_are_logged_and_a_raising_controller_changes_nothing():
    class Broken:
        def propose(self, train_summary, dev_summary, phi):
            raise RuntimeError("no answer")

    class Wordy:
        def propose(self, train_summary, dev_summary, phi):
            return "I suggest " + "x" * 10_000

    for controller, reason in ((Broken(), "controller failed: RuntimeError: no answer"), (Wordy(), "not strict JSON")):
        d = decide(controller, {"groups": 1.0}, DEV, PHI, update=20)
        assert d.phi is PHI and not d.accepted and reason in d.reasons[0] and d.update == 20
        assert len(json.dumps(d.as_dict())) < 2000
    good = decide(RuleController(), {"efficiency_share": 1.0}, DEV, PHI, update=30).as_dict()
    assert good["accepted"] and good["proposal"]["lambda_eff"] == 0.12 and good["before"]["lambda_eff"] == 0.1


def test_train_summary_counts_valid_members_only():
    s = np.array([[1, 1, 1, 0], [0, 0, 0, 0], [1, 0, 0, 0.0]])
    valid = np.array([[1, 1, 1, 0], [1, 1, 1, 1], [0, 0, 0, 0]])
    out = summarise_groups(s, s / 2, s / 4, np.array([2, 0, 1]), valid)
    assert out["groups"] == 2 and abs(out["success"] - 3 / 7) < 1e-12 and out["cost_of_successes"] == 0.25
    assert (out["progress_share"], out["outcome_share"], out["efficiency_share"]) == (0.5, 0.0, 0.5)
    empty = summarise_groups(s, s, s, np.array([2, 0, 1]), np.zeros_like(s))
    assert set(empty.values()) == {0.0}
