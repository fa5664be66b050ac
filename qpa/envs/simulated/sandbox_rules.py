"""The sandbox's tools, tables, worlds and skills as rules of the simulated backend."""

from __future__ import annotations

import functools

import apsw

from qpa.envs.sandbox import catalog
from qpa.envs.sandbox.context import fetch
from qpa.envs.sandbox.world import read_world, snapshot
from qpa.envs.simulated.rules import SimulatedRules, TableSpec
from qpa.envs.skills import builtin_skills


@functools.cache  # three hundred schemas
def sandbox_rules(*, tables: bool = True) -> SimulatedRules:
    """What a model is held to that plays the sandbox's phone. Without `tables` facts are of free kinds."""
    return SimulatedRules(
        tools=catalog(),
        tables=_tables() if tables else {},
        world=lambda task: read_world(task.initial.world_seed).rows,
        skills=builtin_skills(),
    )


def _tables() -> dict[str, TableSpec]:
    """Columns, keys and default values of every table."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", snapshot(1).image)
    found = {}
    for table in snapshot(1).tables.values():
        given = [c for c in fetch(db, f'PRAGMA table_info("{table.name}")') if c["dflt_value"] is not None]
        defaults = {c["name"]: fetch(db, f"SELECT {c['dflt_value']} AS value")[0]["value"] for c in given}
        found[table.name] = TableSpec(list(table.columns), list(table.key), defaults)
    db.close()
    return found
