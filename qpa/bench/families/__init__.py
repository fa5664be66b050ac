"""All task families, by dimension."""

from __future__ import annotations

from qpa.bench.families import memory, skill, subagent, tool_calls, tool_network, tool_time
from qpa.bench.families.base import Draft, Family

__all__ = ["FAMILIES", "Draft", "Family"]

FAMILIES: tuple[Family, ...] = (
    *tool_time.FAMILIES,
    *tool_network.FAMILIES,
    *tool_calls.FAMILIES,
    *memory.FAMILIES,
    *skill.FAMILIES,
    *subagent.FAMILIES,
)
