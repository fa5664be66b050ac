"""The memory store: one SQLite database, every statement scoped to an owner.

Changing facts are superseded, not overwritten. Deleting removes a memory, its earlier versions and whatever was
derived from it, from the table, the index and the file; only a tombstone with id and time stays.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from qpa.contract import Record
from qpa.harness.memory.evidence import is_recalled
from qpa.harness.memory.records import TRUST, Layer, MemoryRecord, MemoryRefused, Owner, Tier
from qpa.harness.memory.search import Hit, match_expression, rank, terms

RECALLED_LAYERS = (Layer.USER_MODEL, Layer.EPISODIC, Layer.LONG_TERM)
_MINE = "workspace = ? AND user = ? AND agent = ?"
_CANDIDATES = 200  # keyword matches that are ranked
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  workspace TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL,
  layer TEXT NOT NULL, superseded_by TEXT NOT NULL DEFAULT '', record BLOB NOT NULL);
CREATE INDEX IF NOT EXISTS memory_owner ON memory (workspace, user, agent, layer);
CREATE TABLE IF NOT EXISTS tombstone (
  id TEXT PRIMARY KEY, workspace TEXT NOT NULL, user TEXT NOT NULL, agent TEXT NOT NULL, deleted_at TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS memory_index USING fts5 (terms);
"""


class DeletionReport(Record):
    """What a deletion did, measured after it: `remaining` counts traces found by probing table and index again."""

    deleted: list[str]
    remaining: int


class MemoryStore:
    """Open with a file path, or without one for a store in memory. Close it, or use it as a context manager.

    Raises:
      MemoryRefused: any operation on a record that the given owner does not have.
    """

    def __init__(self, path: str | os.PathLike[str] = ":memory:") -> None:
        self._file = os.fspath(path) != ":memory:"
        self._db = sqlite3.connect(os.fspath(path), isolation_level=None)
        self._db.execute("PRAGMA secure_delete = ON")
        # Digests of what each owner's layers say now, by id: a write must not read everything stored before it.
        self._said: dict[tuple[Owner, Layer], dict[bytes, str]] = {}
        self._version = -1  # of the database when `_said` was read; others may write to the same file
        if self._file:
            self._db.execute("PRAGMA journal_mode = WAL")
        self._db.executescript(_SCHEMA)
        try:
            self._db.execute("INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1)")
            self._index_forgets = True
        except sqlite3.Error:  # SQLite before 3.42: the index keeps deleted terms until it is rebuilt
            self._index_forgets = False

    def __enter__(self) -> MemoryStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the database; closing twice is fine."""
        self._db.close()

    # --- writing ---

    def write(
        self,
        owner: Owner,
        text: str,
        *,
        layer: Layer,
        tier: Tier,
        now: str,
        sources: Sequence[str] = (),
        original: str = "",
        importance: float = 0.5,
        expires_at: str = "",
        condition: str = "",
    ) -> MemoryRecord:
        """Stores a memory and returns it; an equal current one of the same layer is returned instead.

        Args:
          tier: the channel it came by, decided by the caller; text that claims another tier changes nothing.

        Raises:
          MemoryRefused: empty text, recalled evidence, or a tier that the layer does not accept.
        """
        text = text.strip()
        _check_write(text, layer, tier, importance)
        said = self._digests(owner, layer)
        if known := said.get(_digest(text)):
            return self.get(owner, known)
        record = MemoryRecord(
            id="",
            owner=owner,
            layer=layer,
            tier=tier,
            text=text,
            created_at=now,
            sources=list(sources),
            original=original,
            importance=importance,
            expires_at=expires_at,
            condition=condition,
        )
        with self._transaction():
            record = self._insert(record)
        said[_digest(text)] = record.id
        return record

    def supersede(self, owner: Owner, memory_id: str, text: str, *, tier: Tier, now: str) -> MemoryRecord:
        """Stores the new version of a changed fact; the old one stays, marked `superseded_by`.

        Raises:
          MemoryRefused: `tier` is trusted less than the old record's, or the old one is superseded already.
        """
        old = self.get(owner, memory_id)
        text = text.strip()
        _check_write(text, old.layer, tier, old.importance)
        if old.superseded_by:
            raise MemoryRefused(f"{memory_id} was superseded by {old.superseded_by}; update that one")
        if TRUST[tier] < TRUST[old.tier]:
            raise MemoryRefused(f"{memory_id} comes from {old.tier.value}; a {tier.value} source cannot replace it")
        fresh = msgspec.structs.replace(
            old, id="", text=text, tier=tier, created_at=now, sources=[memory_id], original="", done=False
        )
        with self._transaction():
            fresh = self._insert(fresh)
            self._replace(msgspec.structs.replace(old, superseded_by=fresh.id))
        self._said.clear()
        return fresh

    def complete(self, owner: Owner, memory_id: str) -> MemoryRecord:
        """Marks a prospective memory as done."""
        record = self.get(owner, memory_id)
        if record.layer is not Layer.PROSPECTIVE:
            raise MemoryRefused(f"{memory_id} is {record.layer.value}; only prospective memories can be completed")
        done = msgspec.structs.replace(record, done=True)
        with self._transaction():
            self._replace(done)
        return done

    # --- reading ---

    def get(self, owner: Owner, memory_id: str) -> MemoryRecord:
        """The record, current or superseded."""
        row = self._db.execute(
            f"SELECT record FROM memory WHERE number = ? AND {_MINE}", (_number(memory_id), *_key(owner))
        ).fetchone()
        if row is None:
            raise MemoryRefused(f"no memory {memory_id} for this owner")
        return _decode(row[0])

    def records(
        self, owner: Owner, *, layers: Collection[Layer] = tuple(Layer), include_superseded: bool = False
    ) -> list[MemoryRecord]:
        """The owner's records in the order they were stored."""
        rows = self._db.execute(
            f"SELECT record FROM memory WHERE {_MINE} AND layer IN ({_marks(layers)}) "
            "AND (? OR superseded_by = '') ORDER BY number",
            (*_key(owner), *(layer.value for layer in layers), include_superseded),
        )
        return [_decode(row[0]) for row in rows]

    def search(
        self,
        owner: Owner,
        query: str,
        *,
        now: str = "",
        limit: int = 5,
        layers: Collection[Layer] = RECALLED_LAYERS,
        include_superseded: bool = False,
    ) -> list[Hit]:
        """Best matches of the owner's current, unexpired memories. Review records are never found.

        Args:
          now: ISO time for expiry and recency; "" ignores both.
        """
        wanted = [layer for layer in layers if layer is not Layer.REVIEW]
        expression = match_expression(query)
        if not expression or not wanted:
            return []
        rows = self._db.execute(
            "SELECT memory.record, bm25(memory_index) FROM memory_index "
            "JOIN memory ON memory.number = memory_index.rowid "
            f"WHERE memory_index MATCH ? AND {_MINE} AND layer IN ({_marks(wanted)}) "
            "AND (? OR superseded_by = '') ORDER BY bm25(memory_index) LIMIT ?",
            (expression, *_key(owner), *(layer.value for layer in wanted), include_superseded, _CANDIDATES),
        )
        found = [(_decode(record), max(-score, 1e-6)) for record, score in rows]
        return rank([(r, s) for r, s in found if not _expired(r, now)], now, limit)

    def due(self, owner: Owner, now: str) -> list[MemoryRecord]:
        """Open prospective memories that have not expired; whether `condition` holds is the planner's judgement."""
        intentions = self.records(owner, layers=[Layer.PROSPECTIVE])
        return [record for record in intentions if not record.done and not _expired(record, now)]

    def export(self, owner: Owner) -> bytes:
        """Everything stored about the owner, as JSON: records with all versions, and tombstones."""
        tombstones = self._db.execute(f"SELECT id, deleted_at FROM tombstone WHERE {_MINE} ORDER BY id", _key(owner))
        return msgspec.json.encode(
            {
                "owner": owner,
                "records": self.records(owner, include_superseded=True),
                "tombstones": [{"id": id_, "deleted_at": at} for id_, at in tombstones],
            }
        )

    # --- deleting ---

    def delete(self, owner: Owner, memory_id: str, *, now: str) -> DeletionReport:
        """Deletes a memory with its other versions and everything derived from any of them."""
        self.get(owner, memory_id)
        return self._delete(owner, _family(self.records(owner, include_superseded=True), memory_id), now)

    def delete_all(self, owner: Owner, *, now: str) -> DeletionReport:
        """Deletes everything of this owner and nothing of anyone else."""
        return self._delete(owner, {record.id for record in self.records(owner, include_superseded=True)}, now)

    def _delete(self, owner: Owner, ids: set[str], now: str) -> DeletionReport:
        ordered = sorted(ids, key=_number)
        self._said.clear()
        with self._transaction():
            for memory_id in ordered:
                number = _number(memory_id)
                removed = self._db.execute(f"DELETE FROM memory WHERE number = ? AND {_MINE}", (number, *_key(owner)))
                if removed.rowcount:
                    self._db.execute("DELETE FROM memory_index WHERE rowid = ?", (number,))
                    self._db.execute(
                        "INSERT OR IGNORE INTO tombstone VALUES (?, ?, ?, ?, ?)", (memory_id, *_key(owner), now)
                    )
            if not self._index_forgets:
                self._db.execute("INSERT INTO memory_index (memory_index) VALUES ('rebuild')")
        if self._file:
            self._db.execute("PRAGMA wal_checkpoint (TRUNCATE)")
        return DeletionReport(deleted=ordered, remaining=sum(self._traces(memory_id) for memory_id in ordered))

    def _traces(self, memory_id: str) -> int:
        number = _number(memory_id)
        (rows,) = self._db.execute("SELECT count(*) FROM memory WHERE number = ?", (number,)).fetchone()
        (indexed,) = self._db.execute("SELECT count(*) FROM memory_index WHERE rowid = ?", (number,)).fetchone()
        return rows + indexed

    # --- rows ---

    def _digests(self, owner: Owner, layer: Layer) -> dict[bytes, str]:
        """Id by digest of what the owner's current records of a layer say; the earliest where two say the same."""
        (version,) = self._db.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._said.clear()
            self._version = version
        if (owner, layer) not in self._said:
            said: dict[bytes, str] = {}
            for record in self.records(owner, layers=[layer]):
                said.setdefault(_digest(record.text), record.id)
            self._said[owner, layer] = said
        return self._said[owner, layer]

    def _insert(self, record: MemoryRecord) -> MemoryRecord:
        row = self._db.execute(
            "INSERT INTO memory (workspace, user, agent, layer, record) VALUES (?, ?, ?, ?, '')",
            (*_key(record.owner), record.layer.value),
        )
        stored = msgspec.structs.replace(record, id=f"m{row.lastrowid}")
        self._replace(stored)
        self._db.execute(
            "INSERT INTO memory_index (rowid, terms) VALUES (?, ?)", (row.lastrowid, " ".join(terms(record.text)))
        )
        return stored

    def _replace(self, record: MemoryRecord) -> None:
        self._db.execute(
            f"UPDATE memory SET record = ?, superseded_by = ? WHERE number = ? AND {_MINE}",
            (msgspec.json.encode(record), record.superseded_by, _number(record.id), *_key(record.owner)),
        )

    @contextlib.contextmanager
    def _transaction(self) -> Any:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _check_write(text: str, layer: Layer, tier: Tier, importance: float) -> None:
    if not text:
        raise MemoryRefused("an empty memory is an ingestion failure; nothing was stored")
    if is_recalled(text):
        raise MemoryRefused("this text quotes recalled memory evidence; it is not a new observation")
    if layer is Layer.USER_MODEL and tier is not Tier.USER:
        raise MemoryRefused(f"the user model holds what the user said; {tier.value} content belongs in episodic")
    if not 0.0 <= importance <= 1.0:
        raise MemoryRefused(f"importance is {importance}; use 0 to 1")


def _family(records: Sequence[MemoryRecord], memory_id: str) -> set[str]:
    """`memory_id`, its older and newer versions (a newer one names the older as its source), and what was derived."""
    family = {memory_id}
    grown = True
    while grown:
        more = {r.id for r in records if r.superseded_by in family or family.intersection(r.sources)}
        grown = not more <= family
        family |= more
    return family


def _expired(record: MemoryRecord, now: str) -> bool:
    return bool(record.expires_at and now and record.expires_at <= now)


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.lower().encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _key(owner: Owner) -> tuple[str, str, str]:
    return owner.workspace, owner.user, owner.agent


def _number(memory_id: str) -> int:
    digits = memory_id[1:]
    return int(digits) if memory_id[:1] == "m" and digits.isascii() and digits.isdigit() and len(digits) < 18 else -1


def _marks(values: Collection[Any]) -> str:
    return ", ".join("?" for _ in values)


def _decode(data: bytes | str) -> MemoryRecord:
    return msgspec.json.decode(data, type=MemoryRecord)
