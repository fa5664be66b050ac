"""Versioned data releases: ArrayRecord shards of MessagePack records and a manifest that is written last.

    root/v0001/sft-00000.array_record ... manifest.json

A directory without a manifest was cut short: readers refuse it, the next writer replaces it. A release is frozen
only with an approving decision for exactly its proposal. Damage is contained: a record that cannot be read back is
counted and skipped, the others are read.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from qpa.contract import (
    ContractError,
    TaskSpec,
    Trajectory,
    from_json,
    from_msgpack,
    to_json,
    to_msgpack,
    validation_problem,
)
from qpa.flywheel.curate import Curated, content_digest
from qpa.flywheel.records import Decision, FlywheelError, Manifest, Pool, Proposal, Ruling, Shard, digest, normalised
from qpa.harness.files import write_atomic

MANIFEST = "manifest.json"
SHARD_RECORDS = 2048  # records per shard
_VERSION = re.compile(r"v(\d{4,})")
T = TypeVar("T", Trajectory, TaskSpec)


def releases(root: Path | str) -> list[str]:
    """Versions with a manifest, oldest first; half-written directories are not releases."""
    return sorted((p.name for p in _versions(Path(root)) if (p / MANIFEST).exists()), key=_number)


def next_version(root: Path | str) -> str:
    """The version the next release of this root will have, "v0001" for the first."""
    done = releases(root)
    return f"v{(_number(done[-1]) if done else 0) + 1:04d}"


def freeze(
    root: Path | str,
    records: Sequence[Curated],
    tasks: Sequence[TaskSpec],
    proposal: Proposal,
    decision: Decision,
    *,
    harness_version: str,
    notes: Mapping[str, str] | None = None,
    shard_records: int = SHARD_RECORDS,
) -> Path:
    """Writes the next release and returns its directory.

    `records` are curated trajectories (only admitted ones are stored: verified in the SFT pool, failed in the failure
    pool), `tasks` the resettable RL instances. Raises `FlywheelError` unless `decision` approves exactly `proposal`
    and `proposal` describes exactly `records`; raises it too when another writer holds the root, or the disk fails.
    """
    root = Path(root)
    _check_decision(records, proposal, decision)
    root.mkdir(parents=True, exist_ok=True)
    with _locked(root):
        if proposal.version != next_version(root):
            raise FlywheelError(
                f"{root}: proposal is for {proposal.version}, next is {next_version(root)}: propose again"
            )
        clean(root)
        directory = root / proposal.version
        directory.mkdir()
        try:
            shards = _write_pools(directory, records, tasks, shard_records)
            manifest = _manifest(records, tasks, proposal, decision, shards, harness_version, dict(notes or {}))
            write_atomic(directory / MANIFEST, to_json(manifest))
            _sync(directory)
            _sync(root)
        except (OSError, RuntimeError) as e:
            shutil.rmtree(directory, ignore_errors=True)
            raise FlywheelError(
                f"{directory}: release not written ({e}); free space or fix the path, then retry"
            ) from e
    return directory


def clean(root: Path | str) -> list[str]:
    """Removes directories left by an interrupted release; returns their names."""
    left = [p for p in _versions(Path(root)) if not (p / MANIFEST).exists()]
    for path in left:
        shutil.rmtree(path)
    return sorted(p.name for p in left)


@dataclass
class Release:
    """A release opened for reading. `problems` maps (shard, record) to a reason; record -1 is the shard itself."""

    directory: Path
    manifest: Manifest
    problems: dict[tuple[str, int], str] = field(default_factory=dict)

    def trajectories(self, pool: Pool = Pool.SFT) -> Iterator[Trajectory]:
        """The readable trajectories of a pool in written order."""
        if pool is Pool.TASKS:
            raise FlywheelError("the tasks pool holds tasks, not trajectories: use tasks()")
        return self._read(pool, Trajectory)

    def tasks(self) -> Iterator[TaskSpec]:
        """The resettable task instances for RL."""
        return self._read(Pool.TASKS, TaskSpec)

    @property
    def quarantined(self) -> int:
        """How many records were found unreadable so far."""
        return sum(index >= 0 for _, index in self.problems)

    def _read(self, pool: Pool, type_: type[T]) -> Iterator[T]:
        for shard in self.manifest.shards:
            if shard.pool is not pool:
                continue
            for index, data in _raw_records(self.directory / shard.file, shard.records):
                try:
                    if isinstance(data, Exception):
                        raise ContractError(str(data).partition("\n")[0])
                    yield from_msgpack(data, type_)
                except ContractError as e:
                    self.problems[shard.file, index] = str(e)


def read_release(directory: Path | str) -> Release:
    """Opens a release and checks every shard's SHA-256 (a mismatch is noted in `problems`, reading goes on).

    Raises `FlywheelError` when the directory has no manifest or an unreadable one.
    """
    directory = Path(directory)
    path = directory / MANIFEST
    try:
        manifest = from_json(path.read_bytes(), Manifest)
    except FileNotFoundError:
        raise FlywheelError(f"{directory}: no {MANIFEST}, not a finished release: pick a version or rebuild") from None
    except (ContractError, OSError) as e:
        raise FlywheelError(f"{path}: {e}; restore the file or rebuild the release") from None
    release = Release(directory, manifest)
    for shard in manifest.shards:
        if Path(shard.file).name != shard.file:
            raise FlywheelError(f"{path}: shard name {shard.file!r} leaves the release directory")
        file = directory / shard.file
        if not file.exists():
            release.problems[shard.file, -1] = "missing"
        elif _sha256(file) != shard.sha256:
            release.problems[shard.file, -1] = "SHA-256 differs from the manifest"
    return release


def _raw_records(path: Path, expected: int) -> Iterator[tuple[int, bytes | Exception]]:
    """(index, bytes or what went wrong) for each record the manifest promises."""
    from array_record.python import array_record_module

    try:
        reader = array_record_module.ArrayRecordReader(str(path))
        readable = reader.num_records()
    except Exception as e:  # the binding raises bare RuntimeError and others for damage
        yield from ((i, e) for i in range(expected))
        return
    for index in range(expected):
        if index >= readable:
            yield index, FlywheelError("record lost: the shard is cut or its index is damaged")
            continue
        try:
            yield index, reader.read([index])[0]
        except Exception as e:  # damage inside one chunk must not hide the others
            yield index, e
    with contextlib.suppress(Exception):  # closing a damaged file raises once more
        reader.close()


def _write_pools(
    directory: Path, records: Sequence[Curated], tasks: Sequence[TaskSpec], shard_records: int
) -> list[Shard]:
    pools: dict[Pool, list[bytes]] = {
        pool: [to_msgpack(r.trajectory) for r in records if r.pool is pool] for pool in (Pool.SFT, Pool.FAILURES)
    }
    pools[Pool.TASKS] = [to_msgpack(t) for t in tasks]
    shards = []
    for pool, items in pools.items():
        for number, start in enumerate(range(0, len(items), shard_records)):
            path = directory / f"{pool}-{number:05d}.array_record"
            shards.append(_write_shard(path, pool, items[start : start + shard_records]))
    return shards


def _write_shard(path: Path, pool: Pool, items: Sequence[bytes]) -> Shard:
    """One record per chunk: random access is cheap and damage stays inside one record."""
    from array_record.python import array_record_module

    writer = array_record_module.ArrayRecordWriter(str(path), "group_size:1")
    for item in items:
        writer.write(item)
    writer.close()
    _sync(path)
    # The writer reports some failures only by what is missing: read back before the manifest vouches for the shard.
    for (_, data), item in zip(_raw_records(path, len(items)), items, strict=True):
        if data != item:
            raise OSError(f"{path.name} does not read back: {data if isinstance(data, Exception) else 'differs'}")
    return Shard(file=path.name, pool=pool, records=len(items), sha256=_sha256(path))


def _manifest(
    records: Sequence[Curated],
    tasks: Sequence[TaskSpec],
    proposal: Proposal,
    decision: Decision,
    shards: list[Shard],
    harness_version: str,
    notes: dict[str, str],
) -> Manifest:
    weights = normalised(proposal.weights_after)
    content: list[Any] = [content_digest(records), [digest(t) for t in tasks], weights, decision, harness_version]
    return Manifest(
        version=proposal.version,
        parent=proposal.parent,
        shards=shards,
        counts=_counts(records, tasks),
        weights=weights,
        history=proposal.history,
        decision=decision,
        harness_version=harness_version,
        fingerprint=hashlib.sha256(to_json(content)).hexdigest(),
        quality=proposal.quality,
        notes=notes,
    )


def _counts(records: Sequence[Curated], tasks: Sequence[TaskSpec]) -> dict[str, dict[str, int]]:
    """Family, dimension and source count the SFT pool only: what training will see."""
    stored = [r for r in records if r.pool is not None]
    sft = [r.trajectory for r in stored if r.pool is Pool.SFT]
    axes = {
        "pool": Counter(str(r.pool) for r in stored) + Counter({str(Pool.TASKS): len(tasks)}),
        "decision": Counter(str(r.decision) for r in records),
        "family": Counter(t.task.family for t in sft),
        "dimension": Counter(str(t.task.dimension) for t in sft),
        "source": Counter(t.provenance.source or "unknown" for t in sft),
    }
    return {axis: dict(sorted(counter.items())) for axis, counter in axes.items()}


def _check_decision(records: Sequence[Curated], proposal: Proposal, decision: Decision) -> None:
    if decision.ruling is not Ruling.APPROVE:
        raise FlywheelError(
            f"release {proposal.version}: decision is {decision.ruling}: only an approved one is frozen"
        )
    if decision.proposal != proposal.digest():
        raise FlywheelError(f"release {proposal.version}: decision was given for another proposal: review this one")
    if proposal.content != content_digest(records):
        raise FlywheelError(f"release {proposal.version}: records changed after the proposal: propose again")
    for record in records:
        if record.pool is not None and (problem := validation_problem(record.trajectory)):
            raise FlywheelError(f"release {proposal.version}: record {record.id}: {problem}: curate again")


@contextlib.contextmanager
def _locked(root: Path) -> Iterator[None]:
    """One writer per root; the lock dies with its process."""
    with open(root / ".lock", "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise FlywheelError(f"{root}: another process is writing a release here: wait for it") from None
        yield


def _versions(root: Path) -> list[Path]:
    if not root.is_dir():
        return []
    return [p for p in root.iterdir() if p.is_dir() and _VERSION.fullmatch(p.name)]


def _number(version: str) -> int:
    match = _VERSION.fullmatch(version)
    assert match is not None, version
    return int(match[1])


def _sync(path: Path) -> None:
    """Flushes a file or folder to the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
