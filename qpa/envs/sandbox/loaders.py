"""Skill loaders: `skill__<snake>(reason)` returns instructions and expands the callable tools (method B2, Eq. 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qpa.contract import Effect, Skill, ToolKind, ToolSpec


def loader_name(skill: str) -> str:
    """The loader's function name, e.g. "alarms-timers" -> "skill__alarms_timers"."""
    return "skill__" + skill.replace("-", "_")


def loader_spec(skill: Skill) -> ToolSpec:
    """The loader as the planner sees it."""
    return ToolSpec(
        name=loader_name(skill.name),
        description=skill.description,
        parameters={
            "type": "object",
            "properties": {"reason": {"type": "string"}},
            "required": ["reason"],
            "additionalProperties": False,
        },
        domain="Skills",
        kind=ToolKind.SKILL,
        effect=Effect.READ,
    )


def load(skill: Skill, catalog: Mapping[str, ToolSpec]) -> tuple[dict[str, Any], list[ToolSpec]]:
    """The loader's payload (method B8, shape 8) and the specs it makes callable."""
    loaded = [name for name in skill.tools if name in catalog]
    payload = {
        "status": "loaded",
        "skill": skill.name,
        "loaded_tools": loaded,
        "unknown_tools": [name for name in skill.tools if name not in catalog],
        "instructions": skill.instructions,
    }
    return payload, [catalog[name] for name in loaded]
