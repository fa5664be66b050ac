"""Which tasks RL plays: learnability, as `TaskSampler` sees it, times the shares that a data release asks for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qpa.contract import TaskSpec
from qpa.train.rollout import MOMENTUM, TaskSampler


class WeightedSampler(TaskSampler):
    """A `TaskSampler` whose families also weigh by the shares of a data release."""

    def __init__(self, tasks: Sequence[TaskSpec], shares: Mapping[str, float], *, seed: int):
        super().__init__(tasks, seed=seed)
        self.shares = {family: shares.get(family, 0.0) for family in self.tasks}
        if sum(self.shares.values()) <= 0:
            raise ValueError("rl: no task of a family with a weight; check the release's weights")

    def weights(self) -> dict[str, float]:
        """Learnability times share, unnormalised."""
        return {family: w * self.shares[family] for family, w in super().weights().items()}


def family_rates(sampler: TaskSampler) -> dict[str, dict[str, Any]]:
    """On-policy success rate and groups played of each family; the running mean without its start at one half."""
    found = {}
    for family, n in sampler.drawn.items():
        if n:
            start = MOMENTUM**n
            rate = (sampler.success[family] - 0.5 * start) / (1 - start)
            found[family] = {"rate": min(max(rate, 0.0), 1.0), "groups": n}
    return found
