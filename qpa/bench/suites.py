"""Suites: named, deterministic sets of tasks made from families and seeds.

"core" is the curriculum of small planners: English, four domains, gold tools always among few candidates (the
*oracle_tools* setting). "mobile" is the benchmark (see `qpa.bench.mobile`). The task id carries suite, family, split
and seed, so a task and its expert can always be made again. Splits use disjoint world seeds, and test instances partly
use values (names, titles, cities...) that training never shows.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Callable, Mapping

from qpa.bench.families import FAMILIES, MOBILE_FAMILIES
from qpa.bench.families.base import Family
from qpa.bench.families.values import Draw
from qpa.bench.rehearsal import (
    CORE_DOMAINS,
    SEEDS,
    WORLDS,
    Instance,
    Rehearsal,
    domains_of,
    make_env,
    parse_id,
    rehearse,
    skills_of,
)
from qpa.bench.unseen import UNSEEN_TOOLS
from qpa.contract import Action, Resources, Split, TaskSpec

__all__ = [
    "CORE_DOMAINS",
    "PER_FAMILY",
    "WORLDS",
    "alternatives",
    "families",
    "gold_tools",
    "load_suite",
    "make_env",
    "make_task",
    "oracle",
    "remake",
    "train_tasks",
]

PER_FAMILY: dict[Split, int] = {
    Split.DEV: 2,
    Split.EVOLVE: 2,
    Split.TEST_UNSEEN_INSTANCE: 6,
    Split.TEST_UNSEEN_FAMILY: 8,
}
SUITES = ("core", "mobile", "mobile_oracle_tools", "mobile_robust", "use_case_shopping", "use_case_crm")
_CANDIDATES = 4
# One cannot be played with loaders alone, one asks for much that a whole phone can do (a taxi, a vacuum robot).
_CORE_ONLY = frozenset({"skill_order", "refuse_unsupported"})
_SKILL_CHOICES = 3  # loaders shown in a skill task, gold included
_MOBILE_SKILL_CHOICES = 8  # a phone of 43 skills, its recalled ones


@functools.cache
def families(suite: str = "core") -> dict[str, Family]:
    """The families of a suite by name; "mobile" has nearly all of "core". Raises ValueError for an unknown suite."""
    if suite not in SUITES:
        raise ValueError(f"unknown suite {suite!r}; there is: {', '.join(SUITES)}")
    shared = [f for f in FAMILIES if suite == "core" or f.name not in _CORE_ONLY]
    members = shared if suite == "core" else [*shared, *MOBILE_FAMILIES]
    found = {family.name: family for family in members}
    if len(found) != len(members):
        raise ValueError("two task families share a name")
    return found


def make_task(
    family: str, seed: int, split: Split | str, candidates: int = _CANDIDATES, language: str = "", routing: str = ""
) -> TaskSpec:
    """The task of `family` with this seed; `candidates` is the number of visible direct tools (gold ones included).

    Only the visible tools depend on `candidates`. `language` "en" or "zh" makes a task of the suite "mobile", where
    `routing` "mtsr" or "sor" holds for skill families. Raises ValueError for an unknown family, a seed that does not
    fit the id, or a split the family is not in.
    """
    return make_instance(Instance(family, Split(split), seed, language, routing), candidates)


def remake(task_id: str, candidates: int = _CANDIDATES) -> TaskSpec:
    """The task with this id, gold tools among the candidates. Raises ValueError for an id that no suite makes."""
    return make_instance(parse_id(task_id), candidates)


def oracle(task: TaskSpec) -> list[Action]:
    """The scripted expert's concrete actions, made again from the task id. Raises ValueError for a foreign id."""
    return _rehearsal(parse_id(task.id)).take_actions()


def alternatives(task: TaskSpec) -> list[list[Action]]:
    """Other right courses of action that the task's family names; same errors as `oracle`."""
    return _rehearsal(parse_id(task.id)).take_alternatives()


def gold_tools(task_id: str) -> list[str]:
    """The direct tools that the task with this id needs to be visible, without the loaders; same errors as `oracle`."""
    return list(_rehearsal(parse_id(task_id)).gold)


def load_suite(name: str, split: Split | str, limit: int | None = None, candidates: int = 0) -> list[TaskSpec]:
    """The tasks of a split, families interleaved: a `limit` keeps the mix of as many families as it counts.

    `candidates` is the number of visible tools, 0 the suite's own: 4 in "core", 15 in "mobile".

    The suites are "core", "mobile" (tools recalled by the retriever), "mobile_oracle_tools" (gold tools always visible)
    and "mobile_robust" (the same on a phone whose tools and sub-agents fail now and then), and two end-to-end use cases
    of long tasks, "use_case_shopping" and "use_case_crm", with the split "test" only. Split "test" is all test
    splits of "mobile"; training tasks are unlimited, see `train_tasks`. Raises ValueError otherwise.
    """
    if name not in SUITES:
        raise ValueError(f"unknown suite {name!r}; there is: {', '.join(SUITES)}")
    if name != "core":
        from qpa.bench.mobile import CANDIDATES, TEST, USE_CASES, load_mobile, load_use_case, with_faults

        if name in USE_CASES:
            if split != TEST:
                raise ValueError(f"suite {name} has only the split test")
            return load_use_case(name)[:limit]
        tasks = load_mobile(split, limit, recall=name == "mobile", candidates=candidates or CANDIDATES)
        return [with_faults(task) for task in tasks] if name == "mobile_robust" else tasks
    where = Split(split)
    if where not in PER_FAMILY:
        raise ValueError(f"suite core has no list of split {where.value} (for train use train_tasks(seed, n))")
    members = [f for f in families().values() if bool(f.unseen) == (where is Split.TEST_UNSEEN_FAMILY)]
    wanted = [(f.name, seed) for seed in range(PER_FAMILY[where]) for f in members]
    return [make_task(family, seed, where, candidates or _CANDIDATES) for family, seed in wanted[:limit]]


def train_tasks(
    seed: int, n: int, weights: Mapping[str, float] | None = None, candidates: int = _CANDIDATES
) -> list[TaskSpec]:
    """`n` distinct training tasks of the suite "core" in a seeded order.

    `weights` gives families a share (default: all seen families equally; absent families get none). Shares are exact
    up to rounding, so that no family is starved by chance. Raises ValueError for unknown, unseen or negative entries.
    """
    names = [f.name for f in families().values() if not f.unseen]
    shares = dict.fromkeys(names, 1.0) if weights is None else dict(weights)
    for name, share in shares.items():
        if name not in names or share < 0 or not math.isfinite(share):
            raise ValueError(f"train_tasks: weight {share} of {name!r} (want seen families and weights >= 0)")
    rng = random.Random(f"train:{seed}")
    picked = []
    for name, count in apportion(shares, n).items():
        picked += [(name, s) for s in rng.sample(range(SEEDS), count)]
    rng.shuffle(picked)
    return [make_task(name, s, Split.TRAIN, candidates) for name, s in picked]


def apportion(shares: Mapping[str, float], n: int) -> dict[str, int]:
    """Largest-remainder split of `n`; ties go to the earlier family. Raises ValueError without a positive share."""
    total = sum(shares.values())
    if n < 0 or total <= 0:
        raise ValueError(f"train_tasks: cannot draw {n} tasks with total weight {total}")
    exact = {name: n * share / total for name, share in shares.items()}
    counts = {name: int(value) for name, value in exact.items()}
    rest = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in rest[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


def _rehearsal(instance: Instance) -> Rehearsal:
    suite = "mobile" if instance.language else "core"
    if instance.family not in families(suite):
        raise ValueError(f"unknown task family {instance.family!r} of suite {suite}; see qpa.bench.suites.families()")
    return rehearse(instance, families(suite)[instance.family])


def make_instance(
    instance: Instance, candidates: int, choose: Callable[[TaskSpec], list[str]] | None = None
) -> TaskSpec:
    """The task of an instance. `choose` names its visible tools; without, gold tools and drawn distractors are."""
    rehearsal, rng = _rehearsal(instance), Draw(f"{instance.id}:tools")
    task = rehearsal.take_task()
    skills = _shown_skills(instance, rehearsal, rng)
    if rehearsal.routing == "sor":
        tools = []
    else:
        tools = choose(task) if choose else _drawn_tools(instance, rehearsal, candidates, rng)
    task.resources = Resources(tools=tools, skills=skills)
    return task


def _drawn_tools(instance: Instance, rehearsal: Rehearsal, candidates: int, rng: Draw) -> list[str]:
    """Gold tools, then distractors: three in four from the gold tools' domains, as a retriever would confuse them."""
    domains, gold = domains_of(instance.language), list(rehearsal.gold)
    home = {domains[name] for name in gold}
    unseen = UNSEEN_TOOLS if instance.split is Split.TRAIN else frozenset()
    spare = [n for n in domains if n not in gold and n not in rehearsal.hidden and n not in unseen]
    near, far = [n for n in spare if domains[n] in home], [n for n in spare if domains[n] not in home]
    rng.shuffle(near)
    rng.shuffle(far)
    for _ in range(min(candidates - len(gold), len(spare))):
        gold.append(far.pop() if far and (not near or rng.random() < 0.25) else near.pop())
    rng.shuffle(gold)
    return gold


def _shown_skills(instance: Instance, rehearsal: Rehearsal, rng: Draw) -> list[str]:
    if rehearsal.routing == "none":
        return []
    others = [s.name for s in skills_of(instance.language) if s.name not in rehearsal.skills]
    rng.shuffle(others)
    count = _MOBILE_SKILL_CHOICES if instance.language else _SKILL_CHOICES
    shown = [*rehearsal.skills, *others[: max(0, count - len(rehearsal.skills))]]
    rng.shuffle(shown)
    return shown
