"""Small files: a bad one gets one clear line, and a reader finds a complete earlier or later version."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_object(file: Path) -> dict[str, Any]:
    """The JSON object in `file`. Raises FileNotFoundError, or ValueError naming the file and what is wrong."""
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file")
    try:
        raw = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as e:
        raise ValueError(f"{file}: not JSON: {e}") from None
    if not isinstance(raw, dict):
        raise ValueError(f"{file}: expected an object, got {type(raw).__name__}")
    return raw


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Replaces `path` by `data` in one step (temporary name, fsync, rename); creates missing parent folders."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with named(target), partial.open("wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def named(target: Path) -> Iterator[None]:
    """A failed write, unlike a failed open, does not know its file."""
    try:
        yield
    except OSError as e:
        if e.errno is not None and e.filename is None:
            e.filename = str(target)
        raise
