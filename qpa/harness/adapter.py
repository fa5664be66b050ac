"""Scenario Adapter: procedural guidance for the tools that are already visible (method part A8.2).

It never discovers tools, executes anything or keeps device state. When the request exposes skill loaders it gives only
a generic protocol, so that it neither reveals nor bypasses the planner's own choice of skills.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence

from qpa.contract import Skill, ToolKind, ToolSpec, to_json

SKILL_PROTOCOL = "Load every skill the task needs with skill__ tools first; then use the tools they list."

_HEADING = re.compile(r"^#+\s*(.*?)\s*$")
_BULLET = re.compile(r"^(\s*[-*]\s+)(?:(.*?):\s+)?(.*)$")
_FAMILIES = "tool families"
_MULTI_TURN = "multi-turn"


class AdapterError(ValueError):
    """The tool-to-skill mapping is incomplete or ambiguous; the message lists the tools and what to do."""


class Adapter:
    """A built tool-to-skill index. Make it with `Adapter.build`; it is immutable and can serve many episodes."""

    def __init__(self, skills: Sequence[Skill], index: Mapping[str, str], catalog: Sequence[ToolSpec]) -> None:
        self._skills = {skill.name: skill for skill in skills}
        self._names = {spec.name for spec in catalog}
        self.index = dict(index)
        self.digest = schema_digest(catalog)

    @classmethod
    def build(
        cls,
        skills: Sequence[Skill],
        catalog: Sequence[ToolSpec],
        overrides: Mapping[str, str | None] | None = None,
    ) -> Adapter:
        """Maps every deployed tool to one skill.

        Args:
          skills: parsed packages; `Skill.tools` claims tools.
          catalog: the deployed tools; skill loaders in it need no skill.
          overrides: tool -> skill name, which decides ambiguous claims, or None for a tool without guidance on purpose.

        Raises:
          AdapterError: a tool is claimed by no skill or by several, or an override names an unknown tool or skill.
        """
        overrides = overrides or {}
        tools = [spec.name for spec in catalog if spec.kind is not ToolKind.SKILL]
        names = {skill.name for skill in skills}
        for tool, chosen in overrides.items():
            if tool not in tools or (chosen is not None and chosen not in names):
                raise AdapterError(f"override {tool} -> {chosen}: no such tool or skill; remove or correct it")
        claims = {tool: [skill.name for skill in skills if tool in skill.tools] for tool in tools}
        index: dict[str, str] = {}
        problems = []
        for tool, claimed in claims.items():
            if tool in overrides:
                if (chosen := overrides[tool]) is not None:
                    index[tool] = chosen
            elif len(claimed) == 1:
                index[tool] = claimed[0]
            else:
                problems.append(f"{tool} ({', '.join(claimed) or 'no skill'})")
        if problems:
            raise AdapterError(f"not mapped to one skill: {'; '.join(problems)}; add overrides (None: no skill)")
        return cls(skills, index, catalog)

    def matches(self, catalog: Sequence[ToolSpec]) -> bool:
        """Whether `catalog` still has the tool schemas this adapter was built for."""
        return self.digest == schema_digest(catalog)

    def guidance(
        self, visible_tools: Collection[str], loaders_exposed: bool, max_chars: int, *, multi_turn: bool = False
    ) -> str:
        """Guidance for the visible tools, at most `max_chars` characters, cut between lines and never inside one.

        Args:
          visible_tools: names the planner can already call; nothing else is named.
          loaders_exposed: skill loaders are visible, so only the generic protocol is given.
          max_chars: limit of the text.
          multi_turn: there is a conversation before this request, so sections titled "Multi-turn" apply.
        """
        if loaders_exposed:
            return SKILL_PROTOCOL if len(SKILL_PROTOCOL) <= max_chars else ""
        wanted = {self.index[tool] for tool in visible_tools if tool in self.index}
        if wanted:
            # A skill that claims no tool holds global execution rules.
            wanted |= {skill.name for skill in self._skills.values() if not skill.tools}
        lines: list[str] = []
        for name in self._skills:
            if name in wanted:
                body = self._filtered(self._skills[name], set(visible_tools), multi_turn)
                lines += [f"[{name}]", *body] if body else []
        return _cut(lines, max_chars)

    def _filtered(self, skill: Skill, visible: set[str], multi_turn: bool) -> list[str]:
        kept: list[str] = []
        section = ""
        for line in skill.instructions.splitlines():
            if heading := _HEADING.match(line):
                section = heading[1].lower()
                continue
            if not line.strip() or (section == _MULTI_TURN and not multi_turn):
                continue
            filtered = self._family(line, visible) if section == _FAMILIES else self._rule(line, visible)
            if filtered:
                kept.append(filtered)
        return kept

    def _family(self, line: str, visible: set[str]) -> str:
        """The line with its list of tools cut down to visible ones; empty when none is left."""
        tools = [tool for tool in self._mentioned(line) if tool in visible]
        if not tools:
            return ""
        match = _BULLET.match(line)
        title = f"{match[2]}: " if match and match[2] else ""
        return f"- {title}{', '.join(tools)}"

    def _rule(self, line: str, visible: set[str]) -> str:
        """The line, unless every tool it speaks about is unavailable."""
        tools = self._mentioned(line)
        return "" if tools and not visible.intersection(tools) else line.rstrip()

    def _mentioned(self, line: str) -> list[str]:
        return [word for word in dict.fromkeys(re.findall(r"\w+", line)) if word in self._names]


def first_claims(skills: Sequence[Skill], catalog: Sequence[ToolSpec]) -> dict[str, str | None]:
    """Overrides that let the first skill win an ambiguous tool and leave unclaimed tools without guidance."""
    tools = [spec.name for spec in catalog if spec.kind is not ToolKind.SKILL]
    return {tool: next((skill.name for skill in skills if tool in skill.tools), None) for tool in tools}


def schema_digest(catalog: Sequence[ToolSpec]) -> str:
    """16 hex digits over the tool schemas, independent of their order."""
    encoded = sorted(to_json(spec) for spec in catalog)
    return hashlib.sha256(b"\n".join(encoded)).hexdigest()[:16]


def _cut(lines: Sequence[str], max_chars: int) -> str:
    kept: list[str] = []
    left = max_chars
    for line in lines:
        left -= len(line) + bool(kept)
        if left < 0:
            break
        kept.append(line)
    if kept and kept[-1].startswith("["):
        kept.pop()  # a title without a line under it says nothing
    return "\n".join(kept)
