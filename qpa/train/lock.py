"""One process per run directory."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import jax

LOCK_FILE = "run.lock"


class RunLockedError(RuntimeError):
    """Another live process writes this run directory."""


@contextlib.contextmanager
def run_lock(run_dir: str | Path) -> Iterator[None]:
    """Holds `run_dir` for this process; creates it if needed. Raises `RunLockedError` naming the holder.

    The kernel drops the lock with its process, so a file left by a dead one is simply taken over; its text only tells
    people who holds the directory. In a group of processes the first one holds it for all.
    """
    if jax.process_index() != 0:
        yield
        return
    path = Path(run_dir) / LOCK_FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            raise RunLockedError(
                f"{path.parent}: {_holder(file.read())} is already running here; wait for it, stop it, "
                "or choose another run_dir"
            ) from None
        file.truncate(0)
        file.write(json.dumps({"pid": os.getpid(), "host": socket.gethostname()}))
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)  # not removed: a waiting process may have the same file open


def _holder(text: str) -> str:
    try:
        holder = json.loads(text)
        return f"process {holder['pid']} on {holder['host']}"
    except (ValueError, KeyError, TypeError):
        return "another process"
