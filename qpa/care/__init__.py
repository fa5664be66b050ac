"""CARE as arithmetic (Eq. 5-10): arrays in, arrays out. Imports nothing else of `qpa`. Names load on first use."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Regime": "schedule",
    "execution_cost": "schedule",
    "regimes": "schedule",
    "shaped_rewards": "schedule",
    "anchor": "advantages",
    "group_advantages": "advantages",
    "policy_loss": "objective",
    "policy_loss_sums": "objective",
    "MaskedSum": "masked",
    "Controller": "controller",
    "Decision": "controller",
    "Phi": "controller",
    "RuleController": "controller",
    "apply_proposal": "controller",
    "decide": "controller",
    "validate": "controller",
    "summarise_groups": "summary",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'qpa.care' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"qpa.care.{_HOME[name]}"), name)
    globals()[name] = value
    return value
