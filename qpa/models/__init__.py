"""The planner model: transformer, generation engine, Hugging Face checkpoints. Names load on first use."""

from __future__ import annotations

import importlib
from typing import Any

_HOME = {
    "Engine": "engine",
    "load_adapter": "peft",
    "load_base": "base",
    "load_hf": "hf",
    "save_adapter": "peft",
    "save_hf": "hf",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'qpa.models' has no attribute {name!r}")
    return getattr(importlib.import_module(f"qpa.models.{_HOME[name]}"), name)
