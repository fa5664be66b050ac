"""Which tasks a step plays, who plays them, and the groups of valid trajectories that come back.

Randomness is derived, never carried: tasks from (seed, step), an episode from (seed, step, task, rollout). So a resumed
run needs only the sampler's counts.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import time
from collections import Counter, defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from qpa.contract import INFRASTRUCTURE_STOPS, Env, StopReason, TaskSpec, Trajectory, validation_problem
from qpa.harness.executor import failure_cause
from qpa.harness.runner import RESAMPLED
from qpa.train.data import DataError

T = TypeVar("T")

FLOOR = 0.25  # weight of a family that is always, or never, solved, relative to one solved half of the time
MOMENTUM = 0.8  # of a family's running success rate, per group


class TaskSampler:
    """Draws tasks: families by how much their groups can teach, tasks within a family in shuffled passes.

    A family of running success rate p weighs FLOOR + (1 - FLOOR) 4 p (1 - p): outcomes differ most at p = 1/2, and the
    floor keeps mastered families in play for efficiency and failing ones for progress. All state is plain JSON.
    """

    def __init__(self, tasks: Sequence[TaskSpec], *, seed: int):
        if not tasks:
            raise DataError("rl: no task to train on; check the release's tasks")
        self.seed = seed
        by_family: dict[str, list[TaskSpec]] = defaultdict(list)
        for task in tasks:
            by_family[task.family].append(task)
        self.tasks = {f: sorted(own, key=lambda t: t.id) for f, own in sorted(by_family.items())}
        ids = "\n".join(t.id for own in self.tasks.values() for t in own)
        self.fingerprint = hashlib.sha256(f"{seed}\n{ids}".encode()).hexdigest()
        self.success = dict.fromkeys(self.tasks, 0.5)
        self.drawn = dict.fromkeys(self.tasks, 0)

    def weights(self) -> dict[str, float]:
        """Unnormalised weight of each family."""
        return {f: FLOOR + (1 - FLOOR) * 4 * p * (1 - p) for f, p in self.success.items()}

    def draw(self, step: int, count: int) -> list[TaskSpec]:
        """The `count` tasks of a step."""
        rng = random.Random(f"{self.seed}:{step}:draw")
        weights = self.weights()
        return [self._next(f) for f in rng.choices(list(weights), list(weights.values()), k=count)]

    def update(self, family: str, success_rate: float) -> None:
        """Takes in one group's success rate."""
        self.success[family] = MOMENTUM * self.success[family] + (1 - MOMENTUM) * success_rate

    def get_state(self) -> dict[str, Any]:
        return {"success": dict(self.success), "drawn": dict(self.drawn), "fingerprint": self.fingerprint}

    def set_state(self, state: Mapping[str, Any]) -> None:
        """Raises `DataError` if the state is of other tasks."""
        if state["fingerprint"] != self.fingerprint:
            raise DataError("rl: the checkpoint was trained on other tasks or another seed; use a new run_dir")
        self.success, self.drawn = dict(state["success"]), dict(state["drawn"])

    def _next(self, family: str) -> TaskSpec:
        own = self.tasks[family]
        passes, at = divmod(self.drawn[family], len(own))
        self.drawn[family] += 1
        order = random.Random(f"{self.seed}:{family}:{passes}").sample(range(len(own)), len(own))
        return own[order[at]]


class Actor(Protocol):
    """Plays tasks with the current policy."""

    def publish(self, params: Any, version: int) -> None:
        """From now on play with these weights; they must be copied, the trainer donates them."""
        ...

    def run(self, tasks: Sequence[TaskSpec], seed: int) -> list[Trajectory]:
        """One trajectory per entry, in order; a task listed G times is a group of G rollouts."""
        ...

    def stats(self) -> Mapping[str, float]:
        """Running totals `device_seconds` and `compile_seconds` of generation."""
        ...


class HarnessActor:
    """The real actor: the generation engine inside the one runtime loop (`qpa.harness.run_tasks`)."""

    def __init__(self, engine: Any, env: Env, eta: Any, *, concurrency: int, temperature: float, **episode: Any):
        self.engine, self.env, self.eta = engine, env, eta
        self._settings = {"concurrency": concurrency, "temperature": temperature, "run_id": "rl", **episode}

    def publish(self, params: Any, version: int) -> None:
        self.engine.update_params(params, version)

    def run(self, tasks: Sequence[TaskSpec], seed: int) -> list[Trajectory]:
        from qpa.harness import run_tasks

        return run_sync(run_tasks(self.engine, self.env, tasks, eta=self.eta, seed=seed, **self._settings))

    def stats(self) -> Mapping[str, float]:
        return self.engine.stats()


def run_sync(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine to its end, also from within a notebook, whose own loop is already running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


@dataclass
class Group:
    """The valid rollouts of one task of a step."""

    task: TaskSpec
    trajectories: list[Trajectory]


@dataclass
class Rollouts:
    """One step's episodes. `invalid` counts those left out by reason; they are never failed tasks.

    `resampled` counts by cause the tries that the environment could not serve and that were played again.
    """

    groups: list[Group]
    invalid: Counter[str] = field(default_factory=Counter)
    resampled: Counter[str] = field(default_factory=Counter)
    wall_s: float = 0.0
    generation_s: float = 0.0
    compile_s: float = 0.0


def collect(actor: Actor, tasks: Sequence[TaskSpec], group_size: int, *, seed: int, step: int) -> Rollouts:
    """Plays every task `group_size` times and keeps the valid trajectories, grouped by draw."""
    before, start = dict(actor.stats()), time.monotonic()
    step_seed = random.Random(f"{seed}:{step}:rollouts").getrandbits(31)
    played = actor.run([task for task in tasks for _ in range(group_size)], step_seed)
    wall, after = time.monotonic() - start, actor.stats()
    invalid: Counter[str] = Counter()
    resampled: Counter[str] = Counter(
        cause for trajectory in played for cause in trajectory.provenance.notes.get(RESAMPLED, "").split()
    )
    groups = []
    for i, task in enumerate(tasks):
        kept = []
        for trajectory in played[i * group_size : (i + 1) * group_size]:
            if reason := invalid_reason(trajectory):
                invalid[reason] += 1
            else:
                kept.append(trajectory)
        groups.append(Group(task, kept))
    spent = {k: after[k] - before[k] for k in ("device_seconds", "compile_seconds")}
    return Rollouts(groups, invalid, resampled, wall, spent["device_seconds"], spent["compile_seconds"])


def invalid_reason(trajectory: Trajectory) -> str:
    """Why a trajectory must not become a reward; "" if it may. An environment's failure carries its cause, if known."""
    if trajectory.stop in INFRASTRUCTURE_STOPS:
        cause = failure_cause(trajectory.invalid_reason) if trajectory.stop is StopReason.ENV_FAILURE else ""
        return f"{trajectory.stop}_{cause}" if cause else str(trajectory.stop)
    if not trajectory.valid:
        return "invalid_record"
    if validation_problem(trajectory):
        return "unvalidated"
    if trajectory.verdict is None:
        return "unverified"
    if any(len(s.token_ids) != len(s.log_probs) for s in trajectory.steps) or not any(
        s.token_ids for s in trajectory.steps
    ):
        return "no_tokens"
    return ""
