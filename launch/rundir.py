"""A run directory: which config it belongs to, which stages are done, and every number as JSON lines.

config.json           what the run is; another config is refused
stages/4-sft.json     written when a stage is finished, with its results: the done-marker
metrics.jsonl         the numbers of all finished stages, in order; rewritten whole, so nothing is ever there twice
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from qpa.config import LoopConfig, as_dict
from qpa.contract import Record, from_json, to_json
from qpa.harness.files import write_atomic

CONFIG, METRICS, STAGES = "config.json", "metrics.jsonl", "stages"
_NOTHING = (CONFIG, "compiled")


class ConfigError(ValueError):
    """The run directory belongs to another configuration."""


class StageRecord(Record):
    """What a finished stage leaves.

    `results` is JSON a report can be made from; `metrics` are objects with `step` and `kind`; `seconds` splits the wall
    time of the process that finished the stage; `starts` counts the processes that worked on it.
    """

    stage: str
    results: dict[str, Any]
    metrics: list[dict[str, Any]] = msgspec.field(default_factory=list)
    seconds: dict[str, float] = msgspec.field(default_factory=dict)
    peak_mib: float = 0.0
    starts: int = 1


class RunDir:
    """One run on disk; `path` is made if absent."""

    def __init__(self, path: str | Path):
        self.path = Path(path)

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def claim(self, config: Mapping[str, Any]) -> None:
        """Records `config` (plain JSON), or checks that the run was started with the same one.

        A run that has made nothing yet takes the new one: its first start had a wrong value. Raises `ConfigError`
        naming the first differing key.
        """
        file = self.path / CONFIG
        mine = json.loads(json.dumps(config))
        if not file.exists() or not self._made():
            write_atomic(file, json.dumps(mine, indent=2).encode() + b"\n")
            return
        try:
            found = json.loads(file.read_bytes())
        except ValueError as e:
            raise ConfigError(f"{file}: not JSON ({e}); move the run directory away to start over") from None
        defaults = json.loads(json.dumps(as_dict(LoopConfig())))
        for key, old, new in _differences(_completed(found, mine, defaults), mine):
            raise ConfigError(
                f"{self.path}: this run was started with {key}={old}, now it is {new}: "
                "use the old value, or another --run_dir"
            )

    def _made(self) -> bool:
        """Whether there is anything that took work."""
        return any(p.name not in _NOTHING and not p.name.endswith((".lock", ".partial")) for p in self.path.iterdir())

    def config(self) -> dict[str, Any]:
        """The recorded configuration."""
        return json.loads((self.path / CONFIG).read_bytes())

    def begin(self, stage: str) -> int:
        """Counts one more process that works on `stage`; returns how many there were, this one included."""
        file = self.path / STAGES / f".{stage}.starts"
        starts = (len(file.read_bytes()) if file.exists() else 0) + 1
        write_atomic(file, b"." * starts)
        return starts

    def done(self, stage: str) -> StageRecord | None:
        """The record of a finished stage, else None. Raises `ContractError` for a damaged one."""
        file = self.path / STAGES / f"{stage}.json"
        if not file.exists():
            return None
        try:
            return from_json(file.read_bytes(), StageRecord)
        except ValueError as e:
            raise type(e)(f"{file}: {e}; delete the file to run this stage again") from None

    def finish(self, record: StageRecord) -> None:
        """Writes the done-marker of a stage, then `metrics.jsonl`."""
        write_atomic(self.path / STAGES / f"{record.stage}.json", msgspec.json.format(to_json(record)) + b"\n")
        self.write_metrics()

    def records(self) -> list[StageRecord]:
        """All finished stages in order."""
        names = [p.stem for p in (self.path / STAGES).glob("[0-9]*-*.json")]
        found = [self.done(name) for name in sorted(names, key=lambda n: int(n.partition("-")[0]))]
        return [record for record in found if record is not None]

    def write_metrics(self) -> None:
        """Rewrites `metrics.jsonl` from the finished stages."""
        lines = [
            json.dumps({"stage": r.stage, **m}, ensure_ascii=False).encode() for r in self.records() for m in r.metrics
        ]
        write_atomic(self.path / METRICS, b"".join(line + b"\n" for line in lines))

    def metrics(self) -> list[dict[str, Any]]:
        """The lines of `metrics.jsonl`."""
        file = self.path / METRICS
        return [json.loads(line) for line in file.read_bytes().splitlines()] if file.exists() else []


def _completed(old: Any, new: Any, default: Any) -> Any:
    """`old` with the fields of `new` that are younger than it, at their defaults."""
    if not (isinstance(old, dict) and isinstance(new, dict) and isinstance(default, dict)):
        return old
    known = {n: _completed(value, new.get(n), default.get(n)) for n, value in old.items()}
    return known | {n: default[n] for n in new if n not in old and n in default}


def _differences(old: Any, new: Any, key: str = "config") -> list[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict):
        names = dict.fromkeys([*old, *new])
        return [d for n in names for d in _differences(old.get(n, "absent"), new.get(n, "absent"), f"{key}.{n}")]
    return [] if old == new else [(key, old, new)]
