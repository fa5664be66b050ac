"""The harness: the runtime loop around the planner, and everything that improves between runs without training.

The function `diagnose` is imported from its module, `qpa.harness.diagnose`, whose name it shares.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qpa.harness.adapter import Adapter
    from qpa.harness.diagnose import Diagnosis, summarise
    from qpa.harness.eta import HarnessConfig, bare_eta, benchmark_eta, default_eta, load_eta, save_eta, tiny_eta
    from qpa.harness.memory import MemoryStore, Owner
    from qpa.harness.remote import RemoteModel
    from qpa.harness.runner import EvalStore, run_tasks
    from qpa.harness.runtime import run_episode
    from qpa.harness.scripted import GarbageModel, NullModel, RandomModel, ScriptedModel

__all__ = [
    "Adapter",
    "Diagnosis",
    "EvalStore",
    "GarbageModel",
    "HarnessConfig",
    "MemoryStore",
    "NullModel",
    "Owner",
    "RandomModel",
    "RemoteModel",
    "ScriptedModel",
    "bare_eta",
    "benchmark_eta",
    "default_eta",
    "load_eta",
    "run_episode",
    "run_tasks",
    "save_eta",
    "summarise",
    "tiny_eta",
]

_HOMES = {
    "adapter": ("Adapter",),
    "diagnose": ("Diagnosis", "summarise"),
    "eta": ("HarnessConfig", "bare_eta", "benchmark_eta", "default_eta", "load_eta", "save_eta", "tiny_eta"),
    "memory": ("MemoryStore", "Owner"),
    "remote": ("RemoteModel",),
    "runner": ("EvalStore", "run_tasks"),
    "runtime": ("run_episode",),
    "scripted": ("GarbageModel", "NullModel", "RandomModel", "ScriptedModel"),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    # Loaded on first use: a process that only reads a configuration needs no tokenizer and no database.
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'qpa.harness' has no attribute {name!r}")
    return getattr(importlib.import_module(f"qpa.harness.{_MODULE_OF[name]}"), name)
