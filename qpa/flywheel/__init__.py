"""The data flywheel: task construction, expert collection, curation, the gate, releases, feedback.

Light on import: names load on first use. `collect`, `construct` and `curate` are modules as well as functions: import
those functions from their modules.
"""

from __future__ import annotations

import importlib
from typing import Any

_HOMES = {
    "FlywheelError": "records",
    "GatePending": "gate",
    "Plan": "records",
    "Pool": "records",
    "Release": "release",
    "Tally": "balance",
    "competence": "balance",
    "coverage": "construct",
    "failure_counts": "balance",
    "freeze": "release",
    "propose": "gate",
    "read_release": "release",
    "releases": "release",
    "review": "gate",
    "run_round": "round",
    "tally": "balance",
    "uniform_plan": "construct",
    "update_plan": "balance",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"qpa.flywheel.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'qpa.flywheel' has no attribute {name!r}")
