"""Many episodes at once, and suites that survive a restart."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
from collections import Counter, deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from qpa.contract import (
    EPISODE,
    ChatModel,
    Env,
    FailureCause,
    Provenance,
    Record,
    Skill,
    StopReason,
    TaskSpec,
    Trajectory,
    from_json,
    to_json,
)
from qpa.harness.adapter import Adapter
from qpa.harness.context import adapter_for
from qpa.harness.eta import HarnessConfig
from qpa.harness.executor import failure_cause
from qpa.harness.files import write_atomic
from qpa.harness.runtime import run_episode
from qpa.harness.trace import BadLine, append_trace, read_traces

_ROLLOUT, RESAMPLED = "rollout", "resampled"  # keys in the provenance notes
# Causes that another try can help; a backend that broke, or cannot play the task, stays as it is.
_ANOTHER_TRY = frozenset(
    cause.value
    for cause in (
        FailureCause.TRANSIENT,
        FailureCause.CAPACITY,
        FailureCause.CONNECTION,
        FailureCause.DEADLINE,
        FailureCause.LEASE,
    )
)


def episode_seed(seed: int, task_id: str, rollout: int) -> int:
    """The seed of one episode: independent of the order, the concurrency and the other tasks."""
    return random.Random(f"{seed}/{task_id}/{rollout}").getrandbits(31)


def fingerprint(model: str, eta: HarnessConfig, tasks: Sequence[TaskSpec], settings: str = "") -> str:
    """16 hex digits that say what a suite run is: model, harness behaviour, tasks in order, other settings."""
    digest = hashlib.sha256(f"{model}\n{eta.digest()}\n{settings}".encode())
    for task in tasks:
        digest.update(b"\n" + to_json(task))
    return digest.hexdigest()[:16]


class _Run(Record):
    fingerprint: str
    model: str
    harness: str


class EvalStore:
    """One suite run on disk: `run.json` says what it is, `episodes.jsonl` has one exact record per finished episode.

    Opening an existing folder continues it. Invalid episodes (infrastructure) and corrupt lines are run again.

    Args:
      folder: where the run lives; made if absent.
      model, eta, tasks, settings: what the run is, see `fingerprint`.

    Raises:
      ValueError: the folder holds a run of something else, or a damaged `run.json`.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        model: str,
        eta: HarnessConfig,
        tasks: Sequence[TaskSpec],
        settings: str = "",
    ) -> None:
        self._folder = Path(folder)
        self._episodes = self._folder / "episodes.jsonl"
        mine = _Run(fingerprint=fingerprint(model, eta, tasks, settings), model=model, harness=eta.label())
        header = self._folder / "run.json"
        if header.exists():
            try:
                found = from_json(header.read_bytes(), _Run)
            except ValueError as e:
                raise ValueError(f"{header}: {e}; move the folder away to start over") from None
            if found.fingerprint != mine.fingerprint:
                raise ValueError(
                    f"{header}: holds model {found.model}, harness {found.harness}, fingerprint {found.fingerprint}; "
                    f"this run is {mine.model}, {mine.harness}, {mine.fingerprint}: use another folder"
                )
        else:
            write_atomic(header, to_json(mine) + b"\n")
        self.bad: list[BadLine] = []
        self._done: dict[tuple[str, int], Trajectory] = {}
        if self._episodes.exists():
            traces = read_traces(self._episodes)
            self.bad = traces.bad
            for trajectory in traces.trajectories:
                if trajectory.valid:
                    self._done[_key(trajectory)] = trajectory

    def __len__(self) -> int:
        return len(self._done)

    def get(self, task_id: str, rollout: int) -> Trajectory | None:
        """The finished episode, or None."""
        return self._done.get((task_id, rollout))

    def add(self, trajectory: Trajectory) -> None:
        """Appends one episode of `run_tasks`; synced before it returns."""
        append_trace(self._episodes, trajectory)
        if trajectory.valid:
            self._done[_key(trajectory)] = trajectory


async def run_tasks(
    model: ChatModel,
    env: Env,
    tasks: Sequence[TaskSpec],
    *,
    eta: HarnessConfig,
    concurrency: int = 8,
    seed: int = 0,
    temperature: float = 1.0,
    on_done: Callable[[Trajectory], None] | None = None,
    store: EvalStore | None = None,
    skills: Sequence[Skill] | Adapter = (),
    run_id: str = "",
    resample: int = 0,
    **episode: Any,
) -> list[Trajectory]:
    """Runs every task once and returns the trajectories in task order.

    A task that occurs several times (a group) is several rollouts with seeds of their own. One failing or hanging
    episode never holds up the others: it ends as a record like any other.

    Args:
      concurrency: most episodes at a time, at least 1.
      on_done: called with each episode as it finishes (not for those found in `store`).
      store: finished episodes are taken from here and new ones added.
      resample: an episode that the environment could not serve, for a cause that another try can help, is played again
        up to so many times, after the waiting ones and with the same seed. The causes are in the provenance note
        `RESAMPLED`. What still fails then stays an infrastructure failure.
      episode: further arguments of `run_episode` (memory, owner, verify, cancel, ...).

    Raises:
      ValueError: concurrency below 1, or resample below 0.
      Exception: what `on_done` or `store` raised; the remaining episodes are cancelled and their sessions closed.
    """
    if concurrency < 1 or resample < 0:
        raise ValueError(f"concurrency is {concurrency}, resample {resample}; use at least 1 and 0")
    if skills and eta.adapter:
        skills = adapter_for(skills, env.catalog()) or ()  # built once, not once per episode
    occurrences: Counter[str] = Counter()
    jobs: deque[tuple[int, TaskSpec, int, list[str]]] = deque()  # the last: causes of earlier tries
    results: list[Trajectory | None] = []
    for index, task in enumerate(tasks):
        rollout = occurrences[task.id]
        occurrences[task.id] += 1
        known = store.get(task.id, rollout) if store is not None else None
        results.append(known)
        if known is None:
            jobs.append((index, task, rollout, []))

    async def work() -> None:
        while jobs:  # shared: each job is taken once
            index, task, rollout, causes = jobs.popleft()
            EPISODE.set((seed, rollout))
            trajectory = await _one(
                model,
                env,
                task,
                eta=eta,
                seed=episode_seed(seed, task.id, rollout),
                temperature=temperature,
                skills=skills,
                run_id=run_id,
                **episode,
            )
            if len(causes) < resample and (cause := _passing(trajectory)):
                jobs.append((index, task, rollout, [*causes, cause]))
                continue
            trajectory.provenance.notes[_ROLLOUT] = str(rollout)
            if causes:
                trajectory.provenance.notes[RESAMPLED] = " ".join(causes)
            results[index] = trajectory
            if store is not None:
                store.add(trajectory)
            if on_done is not None:
                on_done(trajectory)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(concurrency, len(jobs))):
            group.create_task(work())
    return [trajectory for trajectory in results if trajectory is not None]


async def _one(
    model: ChatModel, env: Env, task: TaskSpec, *, eta: HarnessConfig, seed: int, run_id: str, **rest: Any
) -> Trajectory:
    try:
        return await run_episode(model, env, task, eta=eta, seed=seed, run_id=run_id, **rest)
    except Exception as e:
        # The runtime turns failures into endings; what still escapes must not take the other episodes with it.
        return Trajectory(
            task=task,
            steps=[],
            stop=StopReason.ENV_FAILURE,
            policy=model.name,
            harness_version=eta.label(),
            valid=False,
            invalid_reason=f"harness: {type(e).__name__}: {e}",
            provenance=Provenance(source=run_id, seed=seed),
        )


def _passing(trajectory: Trajectory) -> str:
    """The cause of an environment failure that may be gone the next time, else ""."""
    cause = failure_cause(trajectory.invalid_reason) if trajectory.stop is StopReason.ENV_FAILURE else ""
    return cause if cause in _ANOTHER_TRY else ""


def _key(trajectory: Trajectory) -> tuple[str, int]:
    return trajectory.task.id, int(trajectory.provenance.notes.get(_ROLLOUT, "0"))
