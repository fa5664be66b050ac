"""Tasks under a run's limits, the weighted sampler of RL, and who plays under which harness."""

from __future__ import annotations

import pytest

from launch.cli import UsageError
from launch.players import harness_of, player_of
from launch.sampler import WeightedSampler, family_rates
from launch.tasksets import limited, seen_families, split_tasks
from qpa.bench import load_suite, train_tasks
from qpa.config import LoopConfig
from qpa.contract import ContractError, Split
from qpa.harness import bare_eta, save_eta, tiny_eta


def _config(**bench) -> LoopConfig:
    cfg = LoopConfig()
    for name, value in bench.items():
        setattr(cfg.bench, name, value)
    return cfg


def test_a_split_has_its_tasks_limited_per_family_and_per_episode():
    cfg = _config(limit_per_family=1, turns=3, output_tokens=77)
    tasks = split_tasks(cfg, Split.DEV)
    assert sorted(t.family for t in tasks) == sorted(seen_families())
    assert {(t.limits.turns, t.limits.output_tokens, t.limits.context_tokens) for t in tasks} == {(3, 77, 768)}
    assert len(split_tasks(_config(limit_per_family=2), Split.DEV)) == 2 * len(tasks)


def test_candidates_change_only_the_visible_tools():
    few, many = (split_tasks(_config(limit_per_family=1, candidates=n), Split.DEV) for n in (2, 8))
    assert [t.goal for t in few] == [t.goal for t in many]
    assert sum(len(t.resources.tools) for t in few) < sum(len(t.resources.tools) for t in many)


def test_limits_leave_the_suite_itself_alone():
    before = load_suite("core", "dev", 1)[0].limits.turns
    limited(load_suite("core", "dev", 1), _config(turns=1))
    assert load_suite("core", "dev", 1)[0].limits.turns == before


def test_a_family_without_a_share_is_never_drawn_and_a_large_share_is_drawn_more():
    tasks = train_tasks(0, 60)
    first, second, third = sorted({t.family for t in tasks})[:3]
    sampler = WeightedSampler(tasks, {first: 0.9, second: 0.1}, seed=0)
    drawn = [t.family for step in range(20) for t in sampler.draw(step, 20)]
    assert set(drawn) == {first, second} and third not in drawn
    assert drawn.count(first) > 4 * drawn.count(second)
    with pytest.raises(ValueError, match="no task of a family with a weight"):
        WeightedSampler(tasks, {"other": 1.0}, seed=0)


def test_rates_forget_the_start_at_one_half():
    tasks = train_tasks(0, 41)
    sampler = WeightedSampler(tasks, dict.fromkeys(sampler_families(tasks), 1.0), seed=0)
    family = sampler.draw(0, 1)[0].family
    sampler.update(family, 1.0)
    assert family_rates(sampler) == {family: {"rate": 1.0, "groups": 1}}


def sampler_families(tasks) -> list[str]:
    return sorted({t.family for t in tasks})


def test_harness_by_name_and_by_file(tmp_path):
    assert harness_of("on").digest() == tiny_eta().digest() and harness_of("off").digest() == bare_eta().digest()
    save_eta(bare_eta(), tmp_path / "eta.json")
    assert harness_of(str(tmp_path / "eta.json")).digest() == bare_eta().digest()
    (tmp_path / "eta.json").write_text("{}x")
    with pytest.raises(ContractError, match=r"eta\.json"):
        harness_of(str(tmp_path / "eta.json"))


def test_players_by_name():
    assert player_of("scripted:null", LoopConfig())[1] == "scripted:null"
    with pytest.raises(UsageError, match="no such directory"):
        player_of("somewhere", LoopConfig())
