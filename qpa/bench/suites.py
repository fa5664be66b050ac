"""Suites: named, deterministic sets of tasks made from families and seeds.

Every task of the suite "core" shows its gold tools among the candidates (the *oracle_tools* setting): retrieval of
tools is evaluated elsewhere, so a failure here is the planner's. The task id carries family, split and seed, so a task
and its expert can always be made again. Splits use disjoint world seeds, and test instances partly use values (names,
titles, cities...) that training never shows.
"""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass

from qpa.bench.families import FAMILIES
from qpa.bench.families.base import Call, Draft, Family
from qpa.bench.families.values import Draw
from qpa.bench.replay import run_now
from qpa.contract import (
    Action,
    BehaviorCriteria,
    CallTools,
    Criteria,
    Feedback,
    InitialState,
    Resources,
    RowChange,
    Skill,
    Split,
    StateCriteria,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolStep,
    Verifier,
    from_msgpack,
    to_msgpack,
)
from qpa.envs.sandbox import SandboxEnv, catalog
from qpa.envs.sandbox.world import read_world
from qpa.envs.skills import builtin_skills

# First world seed and number of worlds of each split: disjoint ranges, so no test phone was ever seen in training.
WORLDS: dict[Split, tuple[int, int]] = {
    Split.TRAIN: (0, 96),
    Split.DEV: (1000, 40),
    Split.EVOLVE: (2000, 40),
    Split.TEST_UNSEEN_INSTANCE: (3000, 80),
    Split.TEST_UNSEEN_FAMILY: (4000, 40),
}
PER_FAMILY: dict[Split, int] = {
    Split.DEV: 2,
    Split.EVOLVE: 2,
    Split.TEST_UNSEEN_INSTANCE: 6,
    Split.TEST_UNSEEN_FAMILY: 8,
}
_HELD_OUT_SPLITS = frozenset({Split.TEST_UNSEEN_INSTANCE, Split.TEST_UNSEEN_FAMILY})
_SEEDS = 1_000_000  # seeds fit the six digits of an id
_SKILL_CHOICES = 3  # loaders shown in a skill task, gold included
# The domains whose tools the suite "core" is made of, distractors included.
CORE_DOMAINS = frozenset({"Time Management", "Calls & Communication", "Network & Connectivity", "AI Assistant"})


@functools.cache
def families() -> dict[str, Family]:
    """Every family by name."""
    found = {family.name: family for family in FAMILIES}
    if len(found) != len(FAMILIES):
        raise ValueError("two task families share a name")
    return found


def make_env(verifier: Verifier | None = None) -> SandboxEnv:
    """A sandbox with the built-in skills, as every task of this suite expects."""
    return SandboxEnv(verifier=verifier, skills=list(_skills()))


def make_task(family: str, seed: int, split: Split | str, candidates: int = 4) -> TaskSpec:
    """The task of `family` with this seed; `candidates` is the number of visible direct tools (gold ones included).

    Only the visible tools depend on `candidates`. Raises ValueError for an unknown family, a seed that does not fit
    the id, or a split the family is not in.
    """
    rehearsal = _rehearsed(*_checked(family, seed, Split(split)))
    task = from_msgpack(rehearsal.task, TaskSpec)
    task.resources = _resources(rehearsal, candidates, Draw(f"{task.id}:tools"))
    return task


def oracle(task: TaskSpec) -> list[Action]:
    """The scripted expert's concrete actions, made again from the task id. Raises ValueError for a foreign id."""
    parts = task.id.rsplit("-", 2)
    if len(parts) != 3 or not parts[2].isdigit() or parts[1] not in set(Split):
        raise ValueError(f"task id {task.id!r} is not of this suite (want family-split-000000)")
    return from_msgpack(_rehearsed(*_checked(parts[0], int(parts[2]), Split(parts[1]))).actions, list[Action])


def load_suite(name: str, split: Split | str, limit: int | None = None) -> list[TaskSpec]:
    """The tasks of a split, families interleaved: a `limit` keeps the mix of as many families as it counts.

    The only suite is "core"; training tasks are unlimited, see `train_tasks`. Raises ValueError otherwise.
    """
    if name != "core":
        raise ValueError(f"unknown suite {name!r}; there is: core")
    where = Split(split)
    if where not in PER_FAMILY:
        raise ValueError("the train split has no end; use train_tasks(seed, n)")
    members = [f for f in families().values() if f.unseen == (where is Split.TEST_UNSEEN_FAMILY)]
    wanted = [(f.name, seed) for seed in range(PER_FAMILY[where]) for f in members]
    return [make_task(family, seed, where) for family, seed in wanted[:limit]]


def train_tasks(seed: int, n: int, weights: Mapping[str, float] | None = None, candidates: int = 4) -> list[TaskSpec]:
    """`n` distinct training tasks in a seeded order.

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
    for name, count in _apportion(shares, n).items():
        picked += [(name, s) for s in rng.sample(range(_SEEDS), count)]
    rng.shuffle(picked)
    return [make_task(name, s, Split.TRAIN, candidates) for name, s in picked]


def _apportion(shares: Mapping[str, float], n: int) -> dict[str, int]:
    """Largest-remainder split of `n`; ties go to the earlier family."""
    total = sum(shares.values())
    if n < 0 or total <= 0:
        raise ValueError(f"train_tasks: cannot draw {n} tasks with total weight {total}")
    exact = {name: n * share / total for name, share in shares.items()}
    counts = {name: int(value) for name, value in exact.items()}
    rest = sorted(exact, key=lambda name: counts[name] - exact[name])
    for name in rest[: n - sum(counts.values())]:
        counts[name] += 1
    return counts


def _checked(family: str, seed: int, split: Split) -> tuple[str, int, Split]:
    if family not in families():
        raise ValueError(f"unknown task family {family!r}; see qpa.bench.suites.families()")
    if not 0 <= seed < _SEEDS:
        raise ValueError(f"task seed {seed} must lie in 0..{_SEEDS - 1}")
    unseen = families()[family].unseen
    if unseen != (split is Split.TEST_UNSEEN_FAMILY):
        kind = "unseen" if unseen else "seen"
        raise ValueError(f"family {family!r} is {kind} and has no tasks in split {split.value}")
    return family, seed, split


@functools.cache
def _skills() -> tuple[Skill, ...]:
    """The packages that concern the core domains; those without tools concern all."""
    return tuple(s for s in builtin_skills() if not s.tools or not _domains().keys().isdisjoint(s.tools))


@functools.cache
def _domains() -> dict[str, str]:
    return {spec.name: spec.domain for spec in catalog() if spec.domain in CORE_DOMAINS}


@dataclass(frozen=True)
class _Rehearsal:
    """A task before its tools are chosen, and what the expert did; encoded, so that no caller shares an object."""

    task: bytes
    actions: bytes
    gold: tuple[str, ...]  # tools that must be visible
    hidden: tuple[str, ...]
    skills: tuple[str, ...]
    routing: str


@functools.lru_cache(maxsize=16_384)
def _rehearsed(name: str, seed: int, split: Split) -> _Rehearsal:
    """Draft, expert run and criteria; the only place where a `TaskSpec` is made."""
    family = families()[name]
    rng = Draw(f"{name}:{split.value}:{seed}", seed, held_out=split in _HELD_OUT_SPLITS, coined=split is Split.TRAIN)
    first, count = WORLDS[split]
    world_seed = first + rng.randrange(count)
    draft = family.generate(rng, read_world(world_seed))
    task = TaskSpec(
        id=f"{name}-{split.value}-{seed:06d}",
        goal=rng.choice(draft.phrasings).format(**draft.slots),
        criteria=ToolCriteria(steps=[]),
        dimension=family.dimension,
        domain=family.domain,
        family=name,
        split=split,
        history=draft.history,
        resources=Resources(tools=list(_domains()), skills=[s.name for s in _skills()]),
        initial=InitialState(
            world_seed=world_seed,
            patch=draft.patch,
            denied_permissions=list(draft.denied),
            faults=list(draft.faults),
        ),
        capabilities=list(family.capabilities),
        required_memories=list(draft.memories),
        required_skills=list(draft.skills),
    )
    actions, steps, delta = _rehearse(task, draft)
    task.criteria = _criteria(draft, steps, delta)
    task.difficulty = max(1, len(steps))
    used = [s.name for s in steps if s.name in _domains()]
    gold = tuple(dict.fromkeys([*used, *draft.shown]))
    return _Rehearsal(to_msgpack(task), to_msgpack(actions), gold, draft.hidden, draft.skills, draft.routing)


def _rehearse(task: TaskSpec, draft: Draft) -> tuple[list[Action], list[ToolStep], list[RowChange]]:
    """Runs the expert once, everything callable: its actions, its calls, and what they changed."""
    env = make_env()
    session = run_now(env.reset(task))
    actions: list[Action] = []
    steps: list[ToolStep] = []
    feedback: list[Feedback] | None = None
    plan = draft.plan()
    try:
        while True:
            calls: list[Call] = plan.send(feedback)  # type: ignore[arg-type]
            block = [ToolCall(id=f"call_{len(steps) + i}", name=n, arguments=a) for i, (n, a) in enumerate(calls)]
            actions.append(CallTools(calls=block))
            steps += [ToolStep(name=n, arguments=a) for n, a in calls]
            feedback = run_now(env.step(session, block))
    except StopIteration as finished:
        actions.append(finished.value)
    delta = session.changes()
    run_now(env.close(session))
    if not isinstance(draft.criteria, BehaviorCriteria) and not (feedback and all(f.ok for f in feedback)):
        raise RuntimeError(f"{task.id}: the expert's last block failed, so its final state is no annotation")
    return actions, steps, delta


def _criteria(draft: Draft, steps: list[ToolStep], delta: list[RowChange]) -> Criteria:
    if draft.criteria == "state":
        if not delta:
            raise RuntimeError(f"the expert changed nothing, so doing nothing would pass: {draft.slots}")
        return StateCriteria(delta=delta)
    if draft.criteria == "tool":
        return ToolCriteria(steps=[s for s in steps if s.name in draft.annotated or not draft.annotated])
    return draft.criteria


def _resources(rehearsal: _Rehearsal, candidates: int, rng: Draw) -> Resources:
    """Gold tools, then distractors: three in four from the gold tools' domains, as a retriever would confuse them."""
    skills = _shown_skills(rehearsal, rng)
    if rehearsal.routing == "sor":
        return Resources(tools=[], skills=skills)
    domains, gold = _domains(), list(rehearsal.gold)
    home = {domains[name] for name in gold}
    spare = [n for n in domains if n not in gold and n not in rehearsal.hidden]
    near, far = [n for n in spare if domains[n] in home], [n for n in spare if domains[n] not in home]
    rng.shuffle(near)
    rng.shuffle(far)
    for _ in range(min(candidates - len(gold), len(spare))):
        gold.append(far.pop() if far and (not near or rng.random() < 0.25) else near.pop())
    rng.shuffle(gold)
    return Resources(tools=gold, skills=skills)


def _shown_skills(rehearsal: _Rehearsal, rng: Draw) -> list[str]:
    if rehearsal.routing == "none":
        return []
    others = [s.name for s in _skills() if s.name not in rehearsal.skills]
    rng.shuffle(others)
    shown = [*rehearsal.skills, *others[: max(0, _SKILL_CHOICES - len(rehearsal.skills))]]
    rng.shuffle(shown)
    return shown
