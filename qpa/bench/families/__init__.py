"""All task families: those of the suite "core" by dimension, and those that only the suite "mobile" has."""

from __future__ import annotations

from qpa.bench.families import memory, skill, subagent, tool_calls, tool_network, tool_time
from qpa.bench.families.base import Draft, Family
from qpa.bench.families.mobile import MOBILE_FAMILIES

__all__ = ["FAMILIES", "MOBILE_FAMILIES", "Draft", "Family"]

FAMILIES: tuple[Family, ...] = (
    *tool_time.FAMILIES,
    *tool_network.FAMILIES,
    *tool_calls.FAMILIES,
    *memory.FAMILIES,
    *skill.FAMILIES,
    *subagent.FAMILIES,
)
