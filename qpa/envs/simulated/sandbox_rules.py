"""The sandbox's tools, tables, worlds and skills as rules of the simulated backend."""

from __future__ import annotations

import functools

from qpa.envs.sandbox import catalog
from qpa.envs.sandbox.world import read_world, snapshot
from qpa.envs.simulated.rules import SimulatedRules, TableSpec
from qpa.envs.skills import builtin_skills


@functools.cache  # three hundred schemas
def sandbox_rules(*, tables: bool = True) -> SimulatedRules:
    """What a model is held to that plays the sandbox's phone. Without `tables` facts are of free kinds."""
    kinds = {t.name: TableSpec(list(t.columns), list(t.key)) for t in snapshot(1).tables.values()}
    return SimulatedRules(
        tools=catalog(),
        tables=kinds if tables else {},
        world=lambda task: read_world(task.initial.world_seed).rows,
        skills=builtin_skills(),
    )
