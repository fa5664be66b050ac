"""The benchmark: task families, suites, checkers, scoring, retrieval of tools. Light: names load on first use."""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "BenchVerifier": "checkers",
    "SuiteScore": "scoring",
    "ToolIndex": "retrieval",
    "find_leaks": "leaks",
    "load_suite": "suites",
    "make_env": "suites",
    "make_task": "suites",
    "non_inferior": "stats",
    "oracle": "suites",
    "paired_difference": "stats",
    "request_text": "retrieval",
    "read_tasks": "files",
    "run_actions": "replay",
    "score": "scoring",
    "tool_index": "retrieval",
    "train_tasks": "suites",
    "wilson": "stats",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"qpa.bench.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'qpa.bench' has no attribute {name!r}")
