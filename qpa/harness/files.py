"""Whole files or nothing: what a reader finds is always a complete earlier or later version."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path


def write_atomic(path: str | os.PathLike[str], data: bytes) -> None:
    """Replaces `path` by `data` in one step (temporary name, fsync, rename); creates missing parent folders."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with _names(target), partial.open("wb") as f:
            f.write(data)
            f.flush()
            os.fsync(f.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def append_line(path: str | os.PathLike[str], line: bytes) -> None:
    """Appends one record as one line and syncs it.

    A crash can leave a torn last line; the next append starts on a fresh line, so it never damages a second record.

    Raises:
      ValueError: `line` contains a newline and would read back as two records.
    """
    if b"\n" in line:
        raise ValueError(f"{os.fspath(path)}: a record must be one line; encode newlines before appending")
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    with _names(target), target.open("a+b") as f:
        prefix = b""
        if f.seek(0, os.SEEK_END):
            f.seek(-1, os.SEEK_END)
            prefix = b"" if f.read(1) == b"\n" else b"\n"
        f.write(prefix + line + b"\n")
        f.flush()
        os.fsync(f.fileno())


@contextlib.contextmanager
def _names(target: Path) -> Iterator[None]:
    """A failed write, unlike a failed open, does not know its file."""
    try:
        yield
    except OSError as e:
        if e.errno is not None and e.filename is None:
            e.filename = str(target)
        raise
