"""Numbers of a run: `metrics.jsonl` (an object per step and kind) and TensorBoard, without duplicates after resume."""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import jax
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from qpa.harness.files import write_atomic

METRICS_FILE = "metrics.jsonl"


class TrainingError(RuntimeError):
    """Training cannot go on; the message says where it stopped and what is safe."""


class MetricsLog:
    """Appends records; opened at a restored step, it first drops what came after that step."""

    def __init__(self, run_dir: str | Path, *, step: int = 0, tensorboard: bool = True):
        self.path = Path(run_dir) / METRICS_FILE
        self._writer = None
        if jax.process_index() != 0:
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        _truncate(self.path, step)
        self._file = open(self.path, "a", encoding="utf-8")  # noqa: SIM115 - closed by close()
        if tensorboard:
            from tensorboardX import SummaryWriter

            self._writer = SummaryWriter(str(self.path.parent / "tensorboard"), purge_step=step + 1 if step else None)

    def write(self, step: int, kind: str, values: Mapping[str, Any]) -> None:
        """One record `{"step", "kind", ...}`. Numbers also go to TensorBoard; a non-finite one is null in JSON.

        Raises `TrainingError` if the disk refuses.
        """
        if jax.process_index() != 0:
            return
        try:
            self._append(step, kind, values)
        except OSError as e:
            reason = e.strerror or e
            raise TrainingError(
                f"{self.path}: step {step} not written, {reason}; free space and rerun: the last checkpoint is sound"
            ) from e

    def _append(self, step: int, kind: str, values: Mapping[str, Any]) -> None:
        plain = {k: _plain(v) for k, v in values.items()}
        self._file.write(json.dumps({"step": step, "kind": kind, **plain}, ensure_ascii=False) + "\n")
        self._file.flush()
        if self._writer is not None:
            for name, value in plain.items():
                if isinstance(value, (int, float)) and not isinstance(value, bool):
                    self._writer.add_scalar(f"{kind}/{name}", value, step)

    def close(self) -> None:
        if jax.process_index() == 0:
            self._file.close()
        if self._writer is not None:
            self._writer.close()


def read_metrics(run_dir: str | Path, kind: str | None = None) -> list[dict[str, Any]]:
    """The records of a run in written order, optionally of one kind; a torn last line is skipped."""
    path = Path(run_dir) / METRICS_FILE
    records = _records(path) if path.exists() else []
    return [r for r in records if kind is None or r["kind"] == kind]


def _truncate(path: Path, step: int) -> None:
    if not path.exists():
        return
    kept = [r for r in _records(path) if r["step"] <= step] if step else []
    write_atomic(path, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in kept).encode())


def _records(path: Path) -> list[dict[str, Any]]:
    records = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError):  # a line torn by a crash
            records.append(json.loads(line))
    return [r for r in records if isinstance(r, dict) and isinstance(r.get("step"), int) and "kind" in r]


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Bar(Protocol):
    """Shows how far a run is."""

    def __call__(self, step: int, note: str, /) -> None: ...


@contextlib.contextmanager
def progress_bar(title: str, total: int, *, show: bool) -> Iterator[Bar]:
    """A rich progress bar on stderr; with `show` False, or without a terminal, it shows nothing."""
    columns = (
        TextColumn(title),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[text]}"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, disable=not (show and console.is_terminal)) as bar:
        task = bar.add_task("", total=total, text="")
        yield lambda step, note: bar.update(task, completed=step, text=note)
