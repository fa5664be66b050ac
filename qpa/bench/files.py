"""Task files: JSON lines, one `TaskSpec` each, as `launch.tasks --export` writes them."""

from __future__ import annotations

import os
from pathlib import Path

from qpa.contract import ContractError, TaskSpec, from_json


def read_tasks(path: str | os.PathLike[str]) -> list[TaskSpec]:
    """The tasks of a file, in its order; blank lines are skipped.

    Raises OSError when it cannot be read, and ContractError naming file, line and JSON path for a line that is no
    task, for an id that occurs twice, and for a file without tasks.
    """
    tasks: dict[str, TaskSpec] = {}
    for number, line in enumerate(Path(path).read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        where = f"{os.fspath(path)}:{number}"
        try:
            task = from_json(line, TaskSpec)
        except ContractError as e:
            raise ContractError(f"{where}: {e}") from None
        if task.id in tasks:
            raise ContractError(f"{where}: task id {task.id!r} occurs twice - `$.id`")
        tasks[task.id] = task
    if not tasks:
        raise ContractError(f"{os.fspath(path)}: no tasks in this file")
    return list(tasks.values())
