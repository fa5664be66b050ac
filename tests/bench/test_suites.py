"""Suites are deterministic, disjoint and shaped as promised."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from qpa.bench import leaks, load_suite, make_task, oracle, train_tasks
from qpa.bench.families.values import NAMES, NETWORKS, TITLES, Draw
from qpa.bench.suites import CORE_DOMAINS, PER_FAMILY, WORLDS, families
from qpa.contract import CallTools, Split, TaskSpec, ToolKind, to_json
from qpa.envs.sandbox import catalog

SEEN = [f.name for f in families().values() if not f.unseen]
UNSEEN = [f.name for f in families().values() if f.unseen]
SUITES = {split: load_suite("core", split) for split in PER_FAMILY}
TRAIN = train_tasks(0, 6 * len(SEEN))

_DIGEST = """
import hashlib
from qpa.bench import load_suite, oracle, train_tasks
from qpa.contract import to_json
tasks = load_suite("core", "dev", 41) + load_suite("core", "test_unseen_family", 5) + train_tasks(3, 12)
text = b"".join(to_json(t) + to_json(oracle(t)) for t in tasks)
print(hashlib.sha256(text).hexdigest())
"""


def test_same_bytes_in_every_process() -> None:
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _DIGEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    digests = [run.communicate(timeout=120)[0] for run in runs]
    assert len(digests[0]) == 65 and digests[0] == digests[1]


def test_callers_do_not_share_objects() -> None:
    first = make_task("alarm_create", 5, Split.TRAIN)
    before = to_json(first)
    first.goal = "changed"
    first.resources.tools.clear()
    action = oracle(first)[0]
    assert isinstance(action, CallTools)
    action.calls.clear()
    assert to_json(make_task("alarm_create", 5, Split.TRAIN)) == before
    assert oracle(make_task("alarm_create", 5, Split.TRAIN))[0].calls  # type: ignore[union-attr]


def test_splits_hold_their_families_and_numbers() -> None:
    for split, per_family in PER_FAMILY.items():
        names = UNSEEN if split is Split.TEST_UNSEEN_FAMILY else SEEN
        assert Counter(t.family for t in SUITES[split]) == dict.fromkeys(names, per_family)
        assert {t.split for t in SUITES[split]} == {split}
        assert len({t.id for t in SUITES[split]}) == len(SUITES[split])


def test_a_limit_keeps_the_mix_of_families() -> None:
    limited = load_suite("core", "dev", limit=len(SEEN))
    assert [t.family for t in limited] == SEEN
    assert load_suite("core", "dev", limit=0) == []


def test_worlds_of_the_splits_are_disjoint() -> None:
    ranges = [set(range(first, first + count)) for first, count in WORLDS.values()]
    assert len(set.union(*ranges)) == sum(map(len, ranges))
    for split, tasks in {**SUITES, Split.TRAIN: TRAIN}.items():
        first, count = WORLDS[split]
        assert all(first <= t.initial.world_seed < first + count for t in tasks)


def test_nothing_held_out_occurs_in_train() -> None:
    held_out = [t for tasks in SUITES.values() for t in tasks]
    assert leaks.find_leaks(TRAIN, held_out) == []
    assert not {t.family for t in TRAIN} & set(UNSEEN)


def test_leaks_are_found() -> None:
    test = SUITES[Split.TEST_UNSEEN_INSTANCE][0]
    copied = TaskSpec(**{f: getattr(test, f) for f in test.__struct_fields__})
    assert "this very task" in leaks.find_leaks([copied], [test])[0]
    copied.id, copied.goal = "other", "  " + test.goal.upper().replace(".", " !")
    assert "same goal and world" in leaks.find_leaks([copied], [test])[0]
    copied.initial.world_seed += 1  # shares the object: compare against a fresh test task
    assert leaks.find_leaks([copied], load_suite("core", Split.TEST_UNSEEN_INSTANCE, 1)) == []
    unseen = SUITES[Split.TEST_UNSEEN_FAMILY][0]
    trained = TaskSpec(**{f: getattr(TRAIN[0], f) for f in unseen.__struct_fields__})
    trained.family = unseen.family
    assert "family" in leaks.find_leaks([trained], [unseen])[0]


def test_shared_wording_is_measured() -> None:
    assert leaks.shared_goals(TRAIN, TRAIN) == 1.0
    assert leaks.shared_goals([], TRAIN) == 0.0
    assert leaks.shared_goals(TRAIN, SUITES[Split.TEST_UNSEEN_INSTANCE]) < 0.2


def test_held_out_values_appear_only_in_tests() -> None:
    border = len(TITLES) - len(TITLES) // 5
    train, test = Draw("a"), Draw("a", held_out=True)
    assert {train.pick(TITLES) for _ in range(2000)} == set(TITLES[:border])
    share = sum(test.pick(TITLES) in TITLES[border:] for _ in range(2000)) / 2000
    assert 0.45 < share < 0.55
    secret = set(NAMES[len(NAMES) - len(NAMES) // 5 :]) | set(NETWORKS[len(NETWORKS) - len(NETWORKS) // 5 :])
    words = {w.strip('.,:?"') for t in TRAIN if t.family in ("message_send", "wifi_connect") for w in t.goal.split()}
    assert not words & secret


def test_training_coins_values_in_the_likeness_of_a_pool() -> None:
    draw, border = Draw("a", coined=True), len(TITLES) - len(TITLES) // 5
    made = [draw.pick(TITLES) for _ in range(2000)]
    coined = [v for v in made if v not in TITLES]
    assert 0.45 < len(coined) / 2000 < 0.55 and len(set(coined)) > 0.9 * len(coined)
    assert set(made) - set(coined) == set(TITLES[:border])
    assert all(word[0].isupper() for value in coined for word in value.split()[:1])
    secret = {w.lower() for v in TITLES[border:] for w in v.split()} - {
        w.lower() for v in TITLES[:border] for w in v.split()
    }
    assert not secret & {w.lower() for v in coined for w in v.split()}
    assert {draw.pick(("on", "off")) for _ in range(50)} == {"on", "off"}  # only where any value will do
    goals = [t.goal for t in train_tasks(5, 300)]
    assert sum(not any(v in g for v in TITLES) for g in goals if "alarm" in g.lower()) >= 5


def test_gold_tools_are_always_visible_among_the_candidates() -> None:
    kinds = {s.name: s.kind for s in catalog()}
    for tasks in (*SUITES.values(), TRAIN):
        for task in tasks:
            used = {c.name for a in oracle(task) if isinstance(a, CallTools) for c in a.calls if c.name in kinds}
            tools = task.resources.tools
            assert len(tools) == len(set(tools))
            if task.dimension != "skill":
                assert used <= set(tools) and task.resources.skills == [] and len(tools) >= 4
                assert all(kinds[t] is not ToolKind.SKILL for t in tools)
            else:
                assert set(task.required_skills) <= set(task.resources.skills) and len(set(task.resources.skills)) == 3
                assert tools == [] or used <= set(tools)


def test_skill_families_run_in_both_routings() -> None:
    routed = {seed: make_task("skill_alarm", seed, Split.TRAIN).resources.tools for seed in range(6)}
    assert [bool(routed[s]) for s in range(6)] == [True, False, True, False, True, False]


def test_candidates_change_only_the_visible_tools() -> None:
    few, many = make_task("alarm_create", 1, Split.TRAIN, 2), make_task("alarm_create", 1, Split.TRAIN, 15)
    assert len(few.resources.tools) == 2 and len(many.resources.tools) == 15
    many.resources = few.resources
    assert many == few
    positions = {make_task("alarm_create", s, Split.TRAIN).resources.tools.index("manage_alarm") for s in range(30)}
    assert positions == {0, 1, 2, 3}
    everything = make_task("alarm_create", 1, Split.TRAIN, 500).resources.tools
    assert sorted(everything) == sorted(s.name for s in catalog() if s.domain in CORE_DOMAINS)


def test_train_shares_are_exact_and_seeded() -> None:
    assert Counter(t.family for t in TRAIN) == dict.fromkeys(SEEN, 6)
    assert [t.id for t in train_tasks(0, 20)] == [t.id for t in train_tasks(0, 20)]
    assert [t.id for t in train_tasks(0, 20)] != [t.id for t in train_tasks(1, 20)]
    weighted = Counter(t.family for t in train_tasks(0, 10, {"alarm_create": 3, "message_send": 1}))
    assert weighted == {"alarm_create": 8, "message_send": 2} or weighted == {"alarm_create": 7, "message_send": 3}
    assert len({t.id for t in train_tasks(4, 300, {"alarm_missing_time": 1})}) == 300


def test_goals_vary_enough_not_to_be_memorised() -> None:
    for name in SEEN:
        goals = [make_task(name, seed, Split.TRAIN).goal for seed in range(40)]
        assert len(set(goals)) >= 20, name


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: make_task("nope", 0, "train"), "unknown task family"),
        (lambda: make_task("alarm_create", -1, "train"), "seed"),
        (lambda: make_task(UNSEEN[0], 0, "train"), "is of an unseen family and has no tasks in split train"),
        (lambda: make_task("alarm_create", 0, "test_unseen_family"), "is seen"),
        (lambda: load_suite("other", "dev"), "unknown suite"),
        (lambda: load_suite("core", "train"), "train_tasks"),
        (lambda: train_tasks(0, 3, {UNSEEN[0]: 1.0}), "want seen families"),
        (lambda: train_tasks(0, 3, {"alarm_create": 0.0}), "total weight"),
        (lambda: oracle(TaskSpec(**{**_fields(TRAIN[0]), "id": "x-y-z"})), "not of this suite"),
    ],
)
def test_bad_requests_name_the_problem(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()


def _fields(task: TaskSpec) -> dict[str, object]:
    return {f: getattr(task, f) for f in task.__struct_fields__}
