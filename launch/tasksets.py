"""The tasks of a run: splits of its suite at its number of visible tools, under its episode limits. JAX-free."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from qpa.bench import load_suite
from qpa.bench.suites import families
from qpa.config import LoopConfig
from qpa.contract import Limits, Split, TaskSpec

TEST_SPLITS = (Split.TEST_UNSEEN_INSTANCE, Split.TEST_UNSEEN_FAMILY)
_DEADLINE_S = 600.0  # a guard against hanging, far from deciding an outcome: that must not depend on the machine


def seen_families() -> list[str]:
    """Names of the families that may be trained on."""
    return [f.name for f in families().values() if not f.unseen]


def split_tasks(cfg: LoopConfig, split: str) -> list[TaskSpec]:
    """A held-out split, at most `cfg.bench.limit_per_family` tasks of each family.

    Raises ValueError for an unknown suite and for a split that it does not have.
    """
    wanted: dict[str, int] = {}
    kept = []
    for task in load_suite(cfg.bench.suite, split, candidates=cfg.bench.candidates):
        wanted[task.family] = wanted.get(task.family, 0) + 1
        if wanted[task.family] <= cfg.bench.limit_per_family:
            kept.append(task)
    return limited(kept, cfg)


def limited(tasks: Iterable[TaskSpec], cfg: LoopConfig) -> list[TaskSpec]:
    """The same tasks under the run's limits: turns and tokens of the config, context of the engine."""
    limits = Limits(
        turns=cfg.bench.turns,
        output_tokens=cfg.bench.output_tokens,
        context_tokens=cfg.engine.context,
        deadline_s=_DEADLINE_S,
    )
    return [msgspec.structs.replace(task, limits=limits) for task in tasks]
