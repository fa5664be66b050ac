"""The soak of `benchmarks/env_soak.py`, short: faults of every kind, one server killed, nothing lost or doubled."""

from __future__ import annotations

from server_doubles import ROOT, TOKEN


def test_no_episode_is_lost_doubled_or_scored_for_a_fault(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))
    monkeypatch.setenv("QPA_ENV_TOKEN", TOKEN)
    from benchmarks.env_soak import problems, soak

    found = soak(tmp_path, episodes=60, rate=0.4, seed=0, kill=True, kinds=6, concurrency=16, step_s=1.0)
    assert problems(found) == []
    causes = {cause for _, cause in found["failures"]}
    assert len(found["faults"]) > 1 and found["cuts"] > 0  # which, and where, depends on who is placed where
    assert "connection" in causes and len(causes) > 2
    assert sum(not x.valid for tries in found["tries"] for x in tries) > 5
    broken = found | {"tries": [[], *found["tries"][1:]], "doubled": [["s", "1"]], "left_open": 1}
    assert [problem.split(":")[0] for problem in problems(broken)] == ["lost", "acted twice", "1 sessions left open"]
