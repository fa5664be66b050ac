"""Collection: the scripted expert plays tasks through the one runtime loop and leaves ordinary trajectories.

Mistakes are proposed, not trusted: a rollout with a slip is kept only if the slip came back as an error and the end was
verified; otherwise another slip is tried, then none. The clock stands still, so records are bit-identical on replay.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from qpa.bench import oracle as bench_oracle
from qpa.config import FlywheelConfig
from qpa.contract import (
    Action,
    Env,
    EnvFailure,
    Provenance,
    Skill,
    StopReason,
    TaskSpec,
    ToolSpec,
    Trajectory,
)
from qpa.flywheel.construct import repair_class
from qpa.flywheel.expert import EXPERT, ExpertModel, Script, write_script
from qpa.flywheel.mistakes import Oracle, erroneous_turns
from qpa.flywheel.personas import Persona
from qpa.flywheel.records import RepairClass
from qpa.flywheel.slips import SlipKind
from qpa.harness import Adapter, HarnessConfig, run_episode
from qpa.harness.adapter import first_claims

_SLIP_TRIES = 3


@dataclass(frozen=True)
class _Studio:
    """What every rollout shares."""

    env: Env
    eta: HarnessConfig
    skills: Sequence[Skill] | Adapter
    specs: Mapping[str, ToolSpec]
    oracle: Oracle
    family: str
    cfg: FlywheelConfig
    seed: int


async def collect(
    env: Env,
    tasks: Sequence[TaskSpec],
    cfg: FlywheelConfig,
    seed: int,
    concurrency: int = 64,
    *,
    eta: HarnessConfig,
    family: str = "compact",
    skills: Sequence[Skill] | Adapter = (),
    oracle: Oracle = bench_oracle,
    on_done: Callable[[Trajectory], None] | None = None,
) -> list[Trajectory]:
    """One expert rollout per task, in task order; a repeated task gets a different rollout.

    Personas, slips and wording depend only on (`seed`, task id, repetition). Tasks of a recovery repair set always get
    a slip. A task whose oracle fails becomes an invalid record. Raises ValueError for `concurrency` below 1 and an
    unknown chat family, and `EnvFailure` when the environment has no catalogue.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}: use 1 or more")
    catalog = _catalog(env)
    if eta.adapter and skills and not isinstance(skills, Adapter):
        skills = Adapter.build(skills, catalog, first_claims(skills, catalog))  # once, not once per episode
    studio = _Studio(env, eta, skills, {s.name: s for s in catalog}, oracle, family, cfg, seed)
    seen: Counter[str] = Counter()
    jobs = []
    for index, task in enumerate(tasks):
        jobs.append((index, task, seen[task.id]))
        seen[task.id] += 1
    found: dict[int, Trajectory] = {}
    waiting = iter(jobs)

    async def work() -> None:
        for index, task, repetition in waiting:  # a shared iterator: each job is taken once
            found[index] = await _rollout(studio, task, repetition)
            if on_done is not None:
                on_done(found[index])

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(jobs))):
            group.create_task(work())
    return [found[index] for index in range(len(jobs))]


def _catalog(env: Env) -> list[ToolSpec]:
    catalog = env.catalog()
    if not catalog:
        raise EnvFailure("the environment offers no tools: nothing can be collected")
    return catalog


async def _rollout(studio: _Studio, task: TaskSpec, repetition: int) -> Trajectory:
    """The first acceptable rollout; slips are given up before the persona is."""
    rng = random.Random(f"collect:{studio.seed}:{task.id}:{repetition}")
    persona = Persona.CAREFUL if rng.random() < studio.cfg.verbose_rate else Persona.CONCISE
    slipping = rng.random() < studio.cfg.mistake_rate or repair_class(task) is RepairClass.RECOVERY
    try:
        actions = studio.oracle(task)
    except Exception as e:  # an oracle is family code: one broken task must not end the collection
        return _invalid(studio, task, repetition, f"oracle: {type(e).__name__}: {e}")
    tried: set[SlipKind] = set()
    attempts = [(persona, True)] * (_SLIP_TRIES if slipping else 0) + [(persona, False), (Persona.CONCISE, False)]
    for number, (style, slip) in enumerate(attempts):
        script = write_script(
            task,
            actions,
            studio.specs,
            family=studio.family,
            persona=style,
            slip=slip,
            rng=random.Random(f"script:{studio.seed}:{task.id}:{repetition}:{number}"),
            avoid=frozenset(tried),
        )
        if slip and script.slip is None:
            continue
        trajectory = await _play(studio, task, script, repetition)
        if _acceptable(trajectory, script, actions):
            break
        if script.slip is not None:
            tried.add(script.slip)
    return trajectory


async def _play(studio: _Studio, task: TaskSpec, script: Script, repetition: int) -> Trajectory:
    trajectory = await run_episode(
        ExpertModel(script, studio.family),
        studio.env,
        task,
        eta=studio.eta,
        skills=studio.skills,
        seed=repetition,
        run_id=EXPERT,
        clock=_frozen,
    )
    notes = {"persona": str(script.persona)}
    if script.slip is not None:
        notes |= {"slip": str(script.slip), "slip_turn": str(script.slip_turn)}
    trajectory.provenance.notes.update(notes)
    return trajectory


def _acceptable(trajectory: Trajectory, script: Script, actions: Sequence[Action]) -> bool:
    """Verified, and a slip is seen for what it is by the detector that curation will use."""
    if trajectory.verdict is None or not trajectory.verdict.success:
        return False
    return script.slip is None or script.slip_turn in erroneous_turns(trajectory, lambda _: actions)


def _invalid(studio: _Studio, task: TaskSpec, repetition: int, reason: str) -> Trajectory:
    return Trajectory(
        task=task,
        steps=[],
        stop=StopReason.MODEL_FAILURE,
        policy=EXPERT,
        harness_version=studio.eta.label(),
        valid=False,
        invalid_reason=reason,
        provenance=Provenance(source=EXPERT, seed=repetition),
    )


def _frozen() -> float:
    return 0.0
