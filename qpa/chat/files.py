"""Small files of this room: read with one clear line for a bad one, written whole or not at all."""

from __future__ import annotations

import json
import os
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


def write_atomically(path: Path, data: bytes) -> None:
    """Writes `data` under a temporary name, then renames; makes the folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as f:
        f.write(data)
        f.flush()
        os.fsync(f.fileno())
    partial.replace(path)
