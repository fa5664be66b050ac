"""What several processes of one run (`jax.distributed`) tell each other; with a single process all of it is free.

Every function here is a meeting: all processes must come to it, in the same order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import jax
import numpy as np
from jax.experimental import multihost_utils

from qpa.contract import TaskSpec, Trajectory, from_msgpack, to_msgpack

if TYPE_CHECKING:
    from qpa.train.rollout import Actor


def all_agree(ok: bool) -> bool:
    """Whether `ok` is true in every process."""
    return ok if jax.process_count() == 1 else bool(np.all(multihost_utils.process_allgather(np.array(ok))))


def wait_for_all(name: str) -> None:
    """Returns once every process has arrived here."""
    if jax.process_count() > 1:
        multihost_utils.sync_global_devices(name)


def host_copy(tree: Any) -> Any:
    """`tree` as arrays this process can read alone: itself, or whole NumPy copies, made one array at a time."""
    if jax.process_count() == 1:
        return tree

    def whole(x: jax.Array) -> np.ndarray:
        seen = x.is_fully_addressable or x.is_fully_replicated
        return np.asarray(x if seen else multihost_utils.process_allgather(x, tiled=True))

    return jax.tree.map(whole, tree)


def exchange(data: bytes) -> list[bytes]:
    """The `data` of every process, in the order of their numbers."""
    sizes = np.atleast_1d(multihost_utils.process_allgather(np.array(len(data), np.int32)))
    mine = np.zeros(int(sizes.max()), np.uint8)
    mine[: len(data)] = np.frombuffer(data, np.uint8)
    rows = np.asarray(multihost_utils.process_allgather(mine)).reshape(len(sizes), -1)
    return [row[:size].tobytes() for row, size in zip(rows, sizes)]


class SharedActor:
    """An `Actor` whose episodes are shared out among the processes; all of them get all trajectories.

    Occurrences of one task stay together: an episode's seed counts them, so the episodes are those of one process.
    """

    def __init__(self, actor: Actor):
        self.actor = actor

    def publish(self, params: Any, version: int) -> None:
        self.actor.publish(host_copy(params), version)

    def run(self, tasks: Sequence[TaskSpec], seed: int) -> list[Trajectory]:
        """See `Actor.run`; every process passes the same `tasks` and `seed`."""
        if jax.process_count() == 1:
            return self.actor.run(tasks, seed)
        number = {name: i for i, name in enumerate(dict.fromkeys(t.id for t in tasks))}
        places: list[list[int]] = [[] for _ in range(jax.process_count())]
        for i, task in enumerate(tasks):
            places[number[task.id] % len(places)].append(i)
        own = self.actor.run([tasks[i] for i in places[jax.process_index()]], seed)
        found: dict[int, Trajectory] = {}
        for theirs, data in zip(places, exchange(to_msgpack(own)), strict=True):
            found |= dict(zip(theirs, from_msgpack(data, list[Trajectory]), strict=True))
        return [found[i] for i in range(len(tasks))]

    def stats(self) -> Mapping[str, float]:
        return self.actor.stats()
