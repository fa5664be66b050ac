"""Where the seconds of a process go, and how much memory it took at most."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from qpa.train.compile_clock import compile_seconds

KINDS = ("generation", "environment", "training", "compile", "rest")


class Counted(Protocol):
    """Something that counts its own `device_seconds`: the generation engine."""

    def stats(self) -> Mapping[str, Any]: ...


class Budget:
    """Seconds by kind. Spans nest and are exclusive: an inner span's time is not the outer one's, and time spent
    compiling is always `compile`, whoever caused it."""

    def __init__(self) -> None:
        self.spent = dict.fromkeys(KINDS, 0.0)
        self._inner: list[list[float]] = [[0.0, 0.0]]  # per open span: wall and compile seconds of spans inside it

    @contextlib.contextmanager
    def span(self, kind: str, engine: Counted | None = None) -> Iterator[None]:
        """Counts the block as `kind`; what `engine` spends on its device within is `generation`."""
        wall, compiled, device = time.monotonic(), compile_seconds(), _device(engine)
        self._inner.append([0.0, 0.0])
        try:
            yield
        finally:
            total, compiling = time.monotonic() - wall, compile_seconds() - compiled
            inner_total, inner_compiling = self._inner.pop()
            generating = _device(engine) - device
            self.spent["generation"] += generating
            self.spent["compile"] += compiling - inner_compiling
            self.spent[kind] += max(0.0, total - inner_total - (compiling - inner_compiling) - generating)
            self._inner[-1][0] += total
            self._inner[-1][1] += compiling


def _device(engine: Counted | None) -> float:
    return float(engine.stats()["device_seconds"]) if engine is not None else 0.0


def peak_mib() -> float:
    """Largest resident memory of this process, plus that of its largest child, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024  # bytes there, KiB here
    own, children = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return (own + children) * unit / 2**20
