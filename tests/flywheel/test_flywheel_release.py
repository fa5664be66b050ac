"""Releases on disk: round trip, crashes, damage, full disk, competing writers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import msgspec
import pytest
from flywheel_samples import BAD, call, many, step, task, trajectory

from qpa.contract import TaskSpec, Trajectory
from qpa.flywheel.curate import curate
from qpa.flywheel.gate import propose, review
from qpa.flywheel.records import FlywheelError, HistoryEntry, Plan, Pool, Ruling
from qpa.flywheel.release import MANIFEST, clean, freeze, next_version, read_release, releases

PLAN = Plan(count=4, weights={"alarm": 1.0})


def _freeze(root, count=6, *, tasks=(), version="v0001", parent=None, shard_records=4, extra=(), **decision_changes):
    records = curate([*many(count), *extra])
    history = [HistoryEntry(gap="wifi fails", update="repair set")] if parent else []
    proposal = propose(records, PLAN, version=version, parent=parent, history=history)
    decision = msgspec.structs.replace(review(proposal, root / f"gate-{version}"), **decision_changes)
    return freeze(root, records, tasks, proposal, decision, harness_version="v1-ab", shard_records=shard_records)


def _read(directory, pool=Pool.SFT) -> tuple[list[Trajectory], int]:
    release = read_release(directory)
    found = list(release.trajectories(pool))
    return found, release.quarantined


def test_round_trip_keeps_every_record_in_order(tmp_path):
    failed = trajectory(step(0, call(0, x="1")), verdict=BAD)
    directory = _freeze(tmp_path, tasks=[task(number=n) for n in range(3)], extra=[failed])
    release = read_release(directory)
    assert list(release.trajectories()) == many(6)
    assert list(release.trajectories(Pool.FAILURES)) == [failed]
    assert [t.id for t in release.tasks()] == [task(number=n).id for n in range(3)]
    assert release.problems == {}
    manifest = release.manifest
    assert [(s.file, s.records) for s in manifest.shards[:2]] == [
        ("sft-00000.array_record", 4),
        ("sft-00001.array_record", 2),
    ]
    assert manifest.counts["pool"] == {"failures": 1, "sft": 6, "tasks": 3}
    assert manifest.counts["family"] == {"alarm": 6}
    assert manifest.counts["decision"] == {"approve": 7}
    assert manifest.decision.reviewer == "auto-gate"
    with pytest.raises(FlywheelError, match="tasks"):
        release.trajectories(Pool.TASKS)


def test_equal_content_gives_equal_bytes_and_fingerprints(tmp_path):
    one, two = (read_release(_freeze(tmp_path / name)).manifest for name in "ab")
    other = read_release(_freeze(tmp_path / "c", count=5)).manifest
    assert one == two
    assert one.fingerprint != other.fingerprint


def test_versions_count_up_and_name_their_parent(tmp_path):
    _freeze(tmp_path)
    second = _freeze(tmp_path, count=5, version="v0002", parent="v0001")
    assert releases(tmp_path) == ["v0001", "v0002"]
    assert next_version(tmp_path) == "v0003"
    manifest = read_release(second).manifest
    assert (manifest.parent, manifest.history[0].gap) == ("v0001", "wifi fails")
    with pytest.raises(FlywheelError, match="next is v0003"):
        _freeze(tmp_path, version="v0002")


def test_only_an_approved_unchanged_bundle_is_frozen(tmp_path):
    with pytest.raises(FlywheelError, match="only an approved"):
        _freeze(tmp_path, ruling=Ruling.REJECT)
    with pytest.raises(FlywheelError, match="another proposal"):
        _freeze(tmp_path, proposal="0" * 64)
    records = curate(many(3))
    proposal = propose(records, PLAN, version="v0001")
    decision = review(proposal, tmp_path / "gate")
    with pytest.raises(FlywheelError, match="records changed"):
        freeze(tmp_path, records[:2], [], proposal, decision, harness_version="v1")
    assert releases(tmp_path) == []


_CHILD = """
    import os, resource, sys
    from pathlib import Path
    sys.path.insert(0, {here!r})
    import qpa.flywheel.release as release
    import test_flywheel_release as test
    {before}
    try:
        test._freeze(Path({root!r}), count=40)
    except release.FlywheelError as e:
        print(e)
        sys.exit(3)
"""


def _child(root: Path, before: str) -> subprocess.CompletedProcess:
    source = textwrap.dedent(_CHILD).format(here=str(Path(__file__).parent), root=str(root), before=before)
    return subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)


def test_a_crash_between_shards_and_manifest_leaves_no_release(tmp_path):
    kill = "real = release.write_atomic; release.write_atomic = lambda p, d: os.kill(os.getpid(), 9)"
    assert _child(tmp_path, kill).returncode == -9
    half = tmp_path / "v0001"
    assert list(half.glob("*.array_record")) and not (half / MANIFEST).exists()
    assert releases(tmp_path) == [] and next_version(tmp_path) == "v0001"
    with pytest.raises(FlywheelError, match="not a finished release"):
        read_release(half)
    directory = _freeze(tmp_path, count=2)  # the next writer replaces it, and the dead process holds no lock
    assert len(_read(directory)[0]) == 2
    assert len(list(directory.glob("sft-*"))) == 1


@pytest.mark.parametrize("room", [1000, 70_000, 200_000])
def test_a_full_disk_leaves_no_release(tmp_path, room):
    result = _child(tmp_path, f"resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}))")
    if room < 132_000:  # one shard is at least two blocks of 64 KiB
        assert result.returncode == 3, result.stderr
        assert "not written" in result.stdout
        assert not (tmp_path / "v0001").exists()
    else:
        assert result.returncode == 0, result.stderr


def test_a_shard_that_does_not_read_back_is_no_release(tmp_path, monkeypatch):
    from array_record.python import array_record_module

    real = array_record_module.ArrayRecordWriter

    class Forgetful:
        """Loses every second record without a word."""

        def __init__(self, *args):
            self.writer, self.count = real(*args), 0

        def write(self, item):
            self.count += 1
            if self.count % 2:
                self.writer.write(item)

        def close(self):
            self.writer.close()

    monkeypatch.setattr(array_record_module, "ArrayRecordWriter", Forgetful)
    with pytest.raises(FlywheelError, match="does not read back"):
        _freeze(tmp_path)
    assert not (tmp_path / "v0001").exists()


def test_a_second_writer_is_turned_away(tmp_path):
    import fcntl

    with open(tmp_path / ".lock", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(FlywheelError, match="another process"):
            _freeze(tmp_path)


def test_clean_removes_only_half_written_versions(tmp_path):
    _freeze(tmp_path)
    (tmp_path / "v0002").mkdir()
    (tmp_path / "notes").mkdir()
    assert clean(tmp_path) == ["v0002"]
    assert releases(tmp_path) == ["v0001"] and (tmp_path / "notes").exists()
    assert clean(tmp_path / "absent") == [] and next_version(tmp_path / "absent") == "v0001"


def test_damage_inside_one_record_costs_that_record_only(tmp_path):
    # Incompressible text, so that a flipped bit meets the record and not a compressed neighbour.
    noisy = [trajectory(step(0, call(n)), step(1, _reply(n)), spec=task(number=n)) for n in range(6)]
    records = curate(noisy)
    proposal = propose(records, PLAN, version="v0001")
    directory = freeze(tmp_path, records, [], proposal, review(proposal, tmp_path / "g"), harness_version="v1")
    shard = directory / "sft-00000.array_record"
    data = bytearray(shard.read_bytes())
    quarter = len(shard.read_bytes().rstrip(b"\0")) // 40
    data[quarter * 2] ^= 0xFF
    shard.write_bytes(bytes(data))
    release = read_release(directory)
    assert "SHA-256" in release.problems[shard.name, -1]
    found = list(release.trajectories())
    assert len(found) == 5 and release.quarantined == 1
    assert all(t in noisy for t in found)
    assert len(list(release.trajectories())) == 5 and release.quarantined == 1  # counted once


def _reply(n):
    import random

    from qpa.contract import Reply

    return Reply(text=random.Random(n).randbytes(400).hex())


@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "gone"])
def test_a_ruined_shard_costs_its_records_and_no_other(tmp_path, damage):
    directory = _freeze(tmp_path)
    shard = directory / "sft-00000.array_record"
    if damage == "gone":
        shard.unlink()
    else:
        data = shard.read_bytes()
        shard.write_bytes({"cut": data[: len(data) // 2], "empty": b"", "garbage": b"\x07" * len(data)}[damage])
    found, lost = _read(directory)
    assert (len(found), lost) == (2, 4)
    assert found == many(6)[4:]


def test_a_record_that_is_no_trajectory_is_counted(tmp_path):
    from array_record.python import array_record_module

    directory = _freeze(tmp_path, count=2)
    shard = directory / "sft-00000.array_record"
    writer = array_record_module.ArrayRecordWriter(str(shard), "group_size:1")
    writer.write(msgspec.msgpack.encode({"task": 1}))
    writer.write(msgspec.msgpack.encode(many(2)[1]))
    writer.close()
    release = read_release(directory)
    assert list(release.trajectories()) == [many(2)[1]]
    assert "$.task" in release.problems[shard.name, 0]


@pytest.mark.parametrize("change", [{"counts": 3}, {"schema_version": 7}, {"surprise": 1}, None])
def test_a_bad_manifest_is_one_clear_error(tmp_path, change):
    directory = _freeze(tmp_path)
    path = directory / MANIFEST
    path.write_text("{" if change is None else json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FlywheelError, match=MANIFEST):
        read_release(directory)


def test_a_manifest_cannot_point_outside(tmp_path):
    directory = _freeze(tmp_path)
    path = directory / MANIFEST
    manifest = json.loads(path.read_text())
    manifest["shards"][0]["file"] = "../../etc/passwd"
    path.write_text(json.dumps(manifest))
    with pytest.raises(FlywheelError, match="leaves the release"):
        read_release(directory)


def test_the_format_needs_no_jax():
    code = "import sys; import qpa.flywheel.release as r; from array_record.python import array_record_module; "
    code += "sys.exit(any(m in sys.modules for m in ('jax', 'grain', 'orbax', 'flax', 'optax', 'chex')))"
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, timeout=60).returncode == 0


def test_tasks_are_strict_too(tmp_path):
    directory = _freeze(tmp_path, tasks=[task()])
    assert all(isinstance(t, TaskSpec) for t in read_release(directory).tasks())
