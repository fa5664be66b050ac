"""From a family and a seed to a task: the draft, one run of its expert, and the criteria taken from that run.

A task id carries everything it is made of: `family[.en|.zh[.mtsr|.sor]]-split-seed`. Ids without a language are of
the suite "core" (English, four domains); the others of "mobile", whose skill tasks run in both routing settings on
the same instance.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Hashable
from dataclasses import dataclass

from msgspec import UNSET

from qpa.bench.families.base import Call, Draft, Family, Plan
from qpa.bench.families.values import Draw
from qpa.bench.normalise import masked_row
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
    Split.TEST_UNSEEN_TOOL: (5000, 40),
    Split.TEST_UNSEEN_APP: (6000, 40),
}
TEST_SPLITS = frozenset(s for s in Split if s.value.startswith("test"))
SPLIT_OF_UNSEEN = {
    "family": Split.TEST_UNSEEN_FAMILY,
    "tool": Split.TEST_UNSEEN_TOOL,
    "app": Split.TEST_UNSEEN_APP,
}
# The domains whose tools the suite "core" is made of, distractors included.
CORE_DOMAINS = frozenset({"Time Management", "Calls & Communication", "Network & Connectivity", "AI Assistant"})
SEEDS = 1_000_000  # seeds fit the six digits of an id
_LANGUAGES, _ROUTINGS = ("en", "zh"), ("mtsr", "sor")


@dataclass(frozen=True)
class Instance:
    """What a task id says."""

    family: str
    split: Split
    seed: int
    language: str = ""  # "" is the suite "core"
    routing: str = ""  # skill tasks of the suite "mobile"

    @property
    def id(self) -> str:
        name = ".".join(filter(None, (self.family, self.language, self.routing)))
        return f"{name}-{self.split.value}-{self.seed:06d}"


def parse_id(task_id: str) -> Instance:
    """The instance with this id. Raises ValueError for an id that no suite makes."""
    parts = task_id.rsplit("-", 2)
    name, _, tags = parts[0].partition(".")
    language, _, routing = tags.partition(".")
    known = language in ("", *_LANGUAGES) and routing in ("", *_ROUTINGS)
    if len(parts) != 3 or not (len(parts[2]) == 6 and parts[2].isdigit()) or parts[1] not in set(Split) or not known:
        raise ValueError(
            f"task id {task_id!r} is not of this suite (want family-split-000000 or family.language-split-000000)"
        )
    return Instance(name, Split(parts[1]), int(parts[2]), language, routing)


def language_of(task: TaskSpec) -> str:
    """ "en" or "zh"; tasks that no suite made count as English."""
    try:
        return parse_id(task.id).language or "en"
    except ValueError:
        return "en"


def make_env(verifier: Verifier | None = None) -> SandboxEnv:
    """A sandbox with the built-in skills, as every task of the suites expects."""
    return SandboxEnv(verifier=verifier, skills=list(builtin_skills()))


@functools.cache
def skills_of(language: str) -> tuple[Skill, ...]:
    """The skills an instance may be shown; in the suite "core" those of its domains and those without tools."""
    shown = domains_of(language)
    return tuple(s for s in builtin_skills() if language or not s.tools or not shown.keys().isdisjoint(s.tools))


@functools.cache
def domains_of(language: str) -> dict[str, str]:
    """Domain by name of every tool an instance may be shown."""
    return {spec.name: spec.domain for spec in catalog() if language or spec.domain in CORE_DOMAINS}


@dataclass(frozen=True)
class Rehearsal:
    """A task before its tools are chosen, and what the expert did; encoded, so that no caller shares an object."""

    task: bytes
    actions: bytes
    alternatives: bytes
    gold: tuple[str, ...]  # tools that must be visible
    hidden: tuple[str, ...]
    skills: tuple[str, ...]
    routing: str

    def take_task(self) -> TaskSpec:
        """A fresh task, everything of its suite visible."""
        return from_msgpack(self.task, TaskSpec)

    def take_actions(self) -> list[Action]:
        """The expert's actions."""
        return from_msgpack(self.actions, list[Action])

    def take_alternatives(self) -> list[list[Action]]:
        """Other right courses of action that the family names."""
        return from_msgpack(self.alternatives, list[list[Action]])


def rehearse(instance: Instance, family: Family) -> Rehearsal:
    """The instance's task and expert, cached. Raises ValueError when the family has no such instance."""
    if not 0 <= instance.seed < SEEDS:
        raise ValueError(f"task seed {instance.seed} must lie in 0..{SEEDS - 1}")
    if SPLIT_OF_UNSEEN.get(family.unseen, instance.split) is not instance.split or (
        not family.unseen and instance.split in SPLIT_OF_UNSEEN.values()
    ):
        kind = f"of an unseen {family.unseen}" if family.unseen else "seen in training"
        raise ValueError(f"family {family.name!r} is {kind} and has no tasks in split {instance.split.value}")
    return _rehearsed(instance, family)


@functools.lru_cache(maxsize=16_384)
def _rehearsed(instance: Instance, family: Family) -> Rehearsal:
    """Draft, expert run and criteria; the only place where a `TaskSpec` is made."""
    split, language, rng = instance.split, instance.language, _draw(instance, family)
    first, count = WORLDS[split]
    world_seed = first + rng.randrange(count)
    draft = family.generate(rng, read_world(world_seed))
    if instance.routing:
        draft.routing = instance.routing  # type: ignore[assignment]
    task = TaskSpec(
        id=instance.id,
        goal=_phrasing(rng, draft, instance).format(**draft.slots),
        criteria=ToolCriteria(steps=[]),
        dimension=family.dimension,
        domain=family.domain,
        family=family.name,
        split=split,
        history=draft.history,
        resources=Resources(tools=list(domains_of(language)), skills=[s.name for s in skills_of(language)]),
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
    played = _play(task, draft.plan)
    task.criteria = _criteria(task, draft, played)
    task.difficulty = max(1, len(played.steps))
    used = [s.name for s in played.steps if s.name in domains_of(language)]
    gold = tuple(dict.fromkeys([*used, *draft.shown]))
    others = [_play(task, plan).actions for plan in draft.alternatives]
    return Rehearsal(
        to_msgpack(task),
        to_msgpack(played.actions),
        to_msgpack(others),
        gold,
        draft.hidden,
        draft.skills,
        draft.routing,
    )


def _draw(instance: Instance, family: Family) -> Draw:
    """The instance's own random stream."""
    split, language = instance.split, instance.language
    rng = Draw(
        ":".join(filter(None, (family.name, language, split.value, str(instance.seed)))),
        instance.seed,
        held_out=split in TEST_SPLITS,
        coined=split is Split.TRAIN,
        chinese=language == "zh",
    )
    if language == "zh":
        # Half a round behind the English tasks, so that few tests meet all kinds of instances.
        rng.turn += (family.variants + 1) // 2
    return rng


def _phrasing(rng: Draw, draft: Draft, instance: Instance) -> str:
    """How the request is put. In "mobile" the last phrasing of each language is never trained; half of tests use it."""
    if not instance.language:
        return rng.choice(draft.phrasings)
    phrasings = draft.chinese if instance.language == "zh" else draft.phrasings
    if len(phrasings) < 3:
        raise RuntimeError(f"{instance.id}: {len(phrasings)} phrasings, want at least 3 in each language")
    reserved = instance.split in TEST_SPLITS and rng.random() < 0.5
    return phrasings[-1] if reserved else rng.choice(phrasings[:-1])


@dataclass
class _Played:
    """One run of a plan with everything callable."""

    actions: list[Action]
    steps: list[ToolStep]
    changes: list[list[RowChange]]  # since the start, after each block
    last_ok: bool  # whether every call of the last block succeeded


@functools.cache
def _stage() -> SandboxEnv:
    """The environment of all rehearsals: making one copies every skill, which took a third of a task's time."""
    return make_env()


def _play(task: TaskSpec, plan_of: Callable[[], Plan]) -> _Played:
    env = _stage()
    session = run_now(env.reset(task))
    played = _Played([], [], [], False)
    feedback: list[Feedback] | None = None
    plan = plan_of()
    try:
        while True:
            calls: list[Call] = plan.send(feedback)  # type: ignore[arg-type]
            made = len(played.steps)
            block = [ToolCall(id=f"call_{made + i}", name=n, arguments=a) for i, (n, a) in enumerate(calls)]
            played.actions.append(CallTools(calls=block))
            played.steps += [ToolStep(name=n, arguments=a) for n, a in calls]
            feedback = run_now(env.step(session, block))
            played.changes.append(session.changes())
            played.last_ok = all(f.ok for f in feedback)
    except StopIteration as finished:
        played.actions.append(finished.value)
    run_now(env.close(session))
    return played


def _criteria(task: TaskSpec, draft: Draft, played: _Played) -> Criteria:
    if isinstance(draft.criteria, BehaviorCriteria):
        return draft.criteria
    if not played.last_ok:
        raise RuntimeError(f"{task.id}: the expert's last block failed, so its final state is no annotation")
    if draft.criteria == "tool":
        return ToolCriteria(steps=[s for s in played.steps if s.name in draft.annotated or not draft.annotated])
    delta = played.changes[-1]
    if not delta:
        raise RuntimeError(f"{task.id}: the expert changed nothing, so doing nothing would pass")
    kept = {masked_row(change, task.initial.clock) for change in delta}
    passing: dict[Hashable, RowChange] = {}
    for change in itertools.chain(*played.changes[:-1]):
        if (row := masked_row(change, task.initial.clock)) not in kept:
            passing.setdefault(row, change)
    return StateCriteria(delta=delta, passing=list(passing.values()) or UNSET)
