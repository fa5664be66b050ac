"""Seeded worlds and the database snapshots made of them."""

from __future__ import annotations

import copy
import functools
import random
from dataclasses import dataclass
from typing import Any

import apsw

from qpa.envs.sandbox.context import Row, count_id, fetch
from qpa.envs.sandbox.domains import DOMAINS
from qpa.envs.sandbox.schema import CORE_SCHEMA, Table, World, read_tables

_FILES = (
    ("Budget_2025.xlsx", "spreadsheet", 84),
    ("Meeting_Minutes_2025_01_14.docx", "document", 42),
    ("Passport_Scan.pdf", "document", 910),
    ("Trip_Photos.zip", "archive", 5120),
    ("Resume.pdf", "document", 130),
    ("Lecture_Notes.pdf", "document", 660),
    ("Contract_Draft.docx", "document", 58),
    ("Birthday_Video.mp4", "video", 20480),
)
_APPS = (
    ("Camera", "media"),
    ("Clock", "tools"),
    ("File Manager", "tools"),
    ("Gallery", "media"),
    ("Maps", "travel"),
    ("Messages", "communication"),
    ("Music", "media"),
    ("Notes", "tools"),
    ("Wallet", "finance"),
    ("WhatsApp", "communication"),
)


@dataclass(frozen=True)
class Snapshot:
    """A serialized database, ready to be deserialized once per episode, and its id counters."""

    image: bytes
    tables: dict[str, Table]
    counters: dict[str, int]


def make_world(seed: int) -> World:
    """All rows of the world with this seed, complete (defaults filled in) and in primary-key order."""
    return copy.deepcopy(_build(seed)[0])


def read_world(seed: int) -> World:
    """What `make_world` copies, shared by all callers: for reading only."""
    return _build(seed)[0]


def snapshot(seed: int) -> Snapshot:
    """The world's database image; built once per seed and process."""
    return _build(seed)[1]


@functools.lru_cache(maxsize=512)  # the worlds of all splits of a suite at once
def _build(seed: int) -> tuple[World, Snapshot]:
    world = World(seed)
    _seed_core(random.Random(f"world:{seed}:core"), world)
    for domain in DOMAINS:
        # One stream per domain: editing a domain must not reshuffle the others' rows.
        domain.seed_rows(random.Random(f"world:{seed}:{domain.name}"), world)
    db = apsw.Connection(":memory:")
    db.execute(CORE_SCHEMA + "".join(domain.schema for domain in DOMAINS))
    tables = read_tables(db)
    counters = dict(world.counters)
    with db:
        for name, rows in world.rows.items():
            for row in _insert(db, tables[name], rows):
                for key in tables[name].key:
                    count_id(counters, row[key])
    complete = {name: fetch(db, f"SELECT * FROM {name}") for name in tables}
    image = db.serialize("main")
    db.close()
    return World(seed, complete, dict(counters)), Snapshot(image, tables, counters)


def _insert(db: apsw.Connection, table: Table, rows: list[Row]) -> list[Row]:
    """Writes one row per key, a later one's columns over an earlier one's; returns what was written."""
    merged: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        merged.setdefault(tuple(row[k] for k in table.key), {}).update(row)
    alike: dict[tuple[str, ...], list[Row]] = {}
    for row in merged.values():
        alike.setdefault(tuple(row), []).append(row)
    for columns, group in alike.items():  # one statement for many rows: worlds are made while a person waits
        sql = f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        db.executemany(sql, [tuple(row.values()) for row in group])
    return list(merged.values())


def _seed_core(rng: random.Random, world: World) -> None:
    for name, kind, size_kb in sorted(rng.sample(_FILES, 5)):
        world.add("files", id=world.new_id("file"), name=name, kind=kind, size_kb=size_kb)
    for name, category in _APPS:
        world.add("apps", name=name, category=category)
