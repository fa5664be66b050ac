"""Task files: what is exported is read back; a bad line is named by file, line and field."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qpa.bench import load_suite
from qpa.bench.files import read_tasks
from qpa.contract import ContractError, to_json

TASKS = load_suite("core", "dev", 5)


def write(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"\n".join(lines))
    return path


def test_round_trip(tmp_path):
    file = write(tmp_path / "t.jsonl", *(to_json(t) for t in TASKS), b"", b"  ")
    assert read_tasks(file) == TASKS


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: {**t, "dimension": "sport"}, r"t\.jsonl:2: .*\$\.dimension"),
        (lambda t: {**t, "surprise": 1}, r"t\.jsonl:2: .*surprise"),
        (lambda t: {k: v for k, v in t.items() if k != "goal"}, r"t\.jsonl:2: .*goal"),
        (lambda t: {**t, "initial": {"world_seed": "x"}}, r"t\.jsonl:2: .*\$\.initial\.world_seed"),
        (lambda t: {**t, "criteria": {"checker": "mood"}}, r"t\.jsonl:2: .*mood"),
        (lambda t: [t], r"t\.jsonl:2: "),
    ],
)
def test_a_malformed_line_is_named(tmp_path, change, said):
    bad = json.dumps(change(json.loads(to_json(TASKS[1])))).encode()
    with pytest.raises(ContractError, match=said):
        read_tasks(write(tmp_path / "t.jsonl", to_json(TASKS[0]), bad))


def test_broken_json_doubles_and_nothing(tmp_path):
    with pytest.raises(ContractError, match=r"t\.jsonl:1: "):
        read_tasks(write(tmp_path / "t.jsonl", b'{"id": '))
    with pytest.raises(ContractError, match=r"t\.jsonl:3: task id '.*' occurs twice"):
        read_tasks(write(tmp_path / "t.jsonl", *(to_json(TASKS[i]) for i in (0, 1, 0))))
    with pytest.raises(ContractError, match="no tasks in this file"):
        read_tasks(write(tmp_path / "t.jsonl", b""))
    with pytest.raises(FileNotFoundError):
        read_tasks(tmp_path / "absent.jsonl")
