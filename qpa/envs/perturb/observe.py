"""Stale and partial observations of reads."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from qpa.contract import Feedback, ToolCall
from qpa.envs.perturb.config import StaleConfig
from qpa.envs.perturb.draws import Draws


class Observer:
    """Remembers what was read; now and then shows that again, or the first part of a list."""

    def __init__(self, config: StaleConfig, draws: Draws) -> None:
        self._config = config
        self._draws = draws
        self._before: dict[bytes, Feedback] = {}
        self._cut: set[bytes] = set()

    def look(self, call: ToolCall, answer: Feedback, number: int) -> tuple[Feedback, str]:
        """What the planner sees of a successful read, and what was done to it ("" for nothing)."""
        key = msgspec.json.encode([call.name, call.arguments], order="sorted")
        earlier, self._before[key] = self._before.get(key), answer
        stale = self._draws.hit(self._config.stale_rate, "stale", call.name, number)
        if stale and earlier is not None and earlier.payload != answer.payload:
            self._before[key] = earlier  # it stays as old as it is until it is read afresh
            return msgspec.structs.replace(answer, payload=earlier.payload), "stale"
        if key not in self._cut and self._draws.hit(self._config.partial_rate, "partial", call.name, number):
            payload, lost = self._shorten(answer.payload)
            if lost:
                self._cut.add(key)
                return msgspec.structs.replace(answer, payload=payload), f"partial -{lost}"
        return answer, ""

    def _shorten(self, payload: dict[str, Any]) -> tuple[dict[str, Any], int]:
        """A copy whose lists of two and more are cut, and how many entries went; totals stay as they were."""
        data = payload.get("data")
        holder = data if isinstance(data, dict) else payload
        cut, lost = dict(holder), 0
        for name, value in holder.items():
            if isinstance(value, list) and len(value) > 1:
                kept = max(1, math.ceil(len(value) * self._config.keep))
                cut[name] = value[:kept]
                lost += len(value) - kept
        return (cut if holder is payload else payload | {"data": cut}), lost
