"""The repeated-failure notice: after a tool came back empty or failed twice, guessing again only costs money.

One counter per user task. The notice informs; it never blocks a call, because planning stays with the planner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from qpa.contract import Feedback

_LIST_KEYS = ("items", "results", "records")


class RepeatNotice:
    """Counts empty or failed results per tool within one user task.

    Args:
      threshold: result number at which the notice first appears; it comes back with every further miss.
    """

    def __init__(self, threshold: int = 2) -> None:
        if threshold < 1:
            raise ValueError(f"repeat_threshold is {threshold}; use 1 or more")
        self._threshold = threshold
        self._misses: Counter[str] = Counter()

    def observe(self, feedback: Feedback) -> str | None:
        """Records one result; returns the notice text (at most 20 words) or None."""
        if feedback.ok and not is_empty(feedback.payload):
            return None
        self._misses[feedback.name] += 1
        count = self._misses[feedback.name]
        if count < self._threshold:
            return None
        name = feedback.name or "unreadable call"
        return f"Notice: {name} gave nothing {count} times. Do not guess again; use new evidence or another step."


def is_empty(payload: Mapping[str, Any]) -> bool:
    """Whether a successful envelope carries a result list without entries. A plain confirmation is not empty."""
    data = payload.get("data", payload)
    if isinstance(data, list):
        return not data
    if not isinstance(data, Mapping):
        return False
    lists = [data[key] for key in _LIST_KEYS if isinstance(data.get(key), list)]
    if lists:
        return not any(lists)
    return data.get("total") == 0
