"""Presets are sound and share nothing with the held-out one; what makes no sense is refused by name."""

from __future__ import annotations

import pytest

from qpa.contract import ContractError
from qpa.envs.perturb import PerturbConfig, profile
from qpa.envs.perturb.config import PROFILES, AgentFaultConfig, DriftConfig, InterruptConfig, LatencyConfig, check
from qpa.envs.perturb.draws import Draws


def test_the_presets_are_valid_and_the_held_out_variants_are_disjoint():
    for name in PROFILES:
        check(profile(name))
    held = profile("heldout")
    for name in ("mild", "standard"):
        seen = profile(name)
        assert not set(held.drift.versions) & set(seen.drift.versions)
        assert not set(held.locale.locales) & set(seen.locale.locales)
        for variants in ("popups", "notices", "outages"):
            assert not set(getattr(held.interrupts, variants)) & set(getattr(seen.interrupts, variants))
    with pytest.raises(ContractError, match="'wild': there is mild, standard, heldout"):
        profile("wild")


@pytest.mark.parametrize(
    ("config", "where"),
    [
        (PerturbConfig(clean_fraction=1.5), r"perturb\.clean_fraction is 1\.5"),
        (PerturbConfig(draw="each"), r"perturb\.draw"),
        (PerturbConfig(interrupts=InterruptConfig(popups=("spam",))), r"perturb\.interrupts\.popups.*spam"),
        (PerturbConfig(interrupts=InterruptConfig(androids=(4,))), r"perturb\.interrupts\.androids"),
        (PerturbConfig(interrupts=InterruptConfig(patience=0)), "patience"),
        (PerturbConfig(drift=DriftConfig(versions=())), r"perturb\.drift\.versions: empty"),
        (PerturbConfig(latency=LatencyConfig(deadline_ms=-1)), r"perturb\.latency\.deadline_ms"),
        (PerturbConfig(agents=AgentFaultConfig(no_op=0.9, partial=0.9)), "more than 1"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(config, where):
    with pytest.raises(ContractError, match=where):
        check(config)


def test_a_mistyped_key_is_an_error():
    with pytest.raises(TypeError):
        LatencyConfig(simga=1.0)
    with pytest.raises(AttributeError):
        LatencyConfig().simga = 1.0


def test_draws_are_uniform_named_and_independent_of_one_another():
    draws = Draws(0, "task", 1)
    many = [draws.uniform("x", i) for i in range(4000)]
    assert abs(sum(many) / 4000 - 0.5) < 0.02 and sum(u < 0.1 for u in many) == pytest.approx(400, abs=80)
    assert draws.uniform("x", 7) == many[7] == Draws(0, "task", 1).uniform("x", 7)
    assert draws.uniform("y", 7) != many[7] != Draws(0, "task", 2).uniform("x", 7)
    normal = [draws.normal(i) for i in range(4000)]
    assert abs(sum(normal) / 4000) < 0.06 and sum(n * n for n in normal) / 4000 == pytest.approx(1, abs=0.1)
