"""Whole files or nothing: what a reader finds is always a complete earlier or later version."""

from __future__ import annotations

import os
from pathlib import Path

from qpa.chat.files import named, write_atomic

__all__ = ["append_line", "write_atomic"]


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
    with named(target), target.open("a+b") as f:
        prefix = b""
        if f.seek(0, os.SEEK_END):
            f.seek(-1, os.SEEK_END)
            prefix = b"" if f.read(1) == b"\n" else b"\n"
        f.write(prefix + line + b"\n")
        f.flush()
        os.fsync(f.fileno())
