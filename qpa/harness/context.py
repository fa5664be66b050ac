"""H_eta of Eq. 1: what the planner reads. Pure functions from configuration, task and feedback to messages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from qpa.chat import ParsedReply, render_tool_lines, reply_intent
from qpa.contract import (
    Action,
    CallTools,
    EnvFailure,
    Feedback,
    Message,
    Reply,
    Role,
    Skill,
    TaskSpec,
    ToolCall,
    ToolKind,
    ToolSpec,
)
from qpa.harness.adapter import SKILL_PROTOCOL, Adapter, AdapterError, first_claims
from qpa.harness.eta import HarnessConfig
from qpa.harness.memory import MemoryStore, Owner, evidence_block

LOADER_PREFIX = "skill__"
_RECALLED = 5  # memories shown as evidence


def loader_name(skill: str) -> str:
    """Name of the tool that loads a skill: "alarms-timers" -> "skill__alarms_timers"."""
    return LOADER_PREFIX + skill.replace("-", "_")


def visible_tools(task: TaskSpec, catalog: Sequence[ToolSpec]) -> dict[str, ToolSpec]:
    """A_0: the task's tools, then its skill loaders, by name.

    Raises:
      EnvFailure: the backend lacks one of them, so the task cannot be run there.
    """
    specs = {spec.name: spec for spec in catalog}
    names = [*task.resources.tools, *(loader_name(skill) for skill in task.resources.skills)]
    missing = [name for name in names if name not in specs]
    if missing:
        raise EnvFailure(f"task {task.id} needs {', '.join(missing)}, which the backend's catalog does not have")
    return {name: specs[name] for name in names}


def first_messages(
    task: TaskSpec, eta: HarnessConfig, visible: dict[str, ToolSpec], adapter: Adapter | None, evidence: str
) -> list[Message]:
    """System message (left out when empty), conversation history, and the request."""
    system = system_text(task, eta, visible, adapter, evidence)
    head = [Message(role=Role.SYSTEM, content=system)] if system else []
    return [*head, *task.history, Message(role=Role.USER, content=task.goal)]


def system_text(
    task: TaskSpec, eta: HarnessConfig, visible: dict[str, ToolSpec], adapter: Adapter | None, evidence: str
) -> str:
    """Instructions, instructions of the visible tools' domains, skill guidance, the clock, memory evidence."""
    loaders = any(spec.kind is ToolKind.SKILL for spec in visible.values())
    domains = dict.fromkeys(spec.domain for spec in visible.values())
    parts = [eta.system, *(eta.domain_instructions.get(domain, "") for domain in domains)]
    if loaders:
        parts.append(SKILL_PROTOCOL if eta.skill_protocol else "")
    elif eta.adapter and adapter is not None:
        parts.append(adapter.guidance(visible, False, eta.adapter_max_chars, multi_turn=bool(task.history)))
    if eta.show_clock:
        parts.append(clock_line(task.initial.clock))
    parts.append(evidence)
    return "\n".join(part for part in parts if part)


def clock_line(clock: str) -> str:
    """ "Now 2025-01-15 09:00 Wednesday"; an unreadable clock is shown as it is."""
    try:
        now = datetime.fromisoformat(clock)
    except ValueError:
        return f"Now {clock}"
    return f"Now {now:%Y-%m-%d %H:%M} {_WEEKDAYS[now.weekday()]}"


# Not strftime("%A"), which depends on the machine's locale.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def tool_message(
    feedback: Feedback, *, eta: HarnessConfig, new_tools: Sequence[ToolSpec], family: str | None, notice: str
) -> Message:
    """The result of one call: its envelope as JSON (within eta's limits), schemas of newly loaded tools, a notice.

    `family` None means that the model gets schemas through `GenerateRequest.tools` only.
    """
    lines = [to_text(shown(feedback.payload, frozenset(eta.feedback_omit), eta.feedback_max_items))]
    if new_tools and family is not None:
        lines.append(render_tool_lines(new_tools, family))
    if notice:
        lines.append(notice)
    unreadable = not feedback.name
    return Message(
        role=Role.TOOL,
        content="\n".join(lines),
        call_id=None if unreadable else feedback.call_id,
        name=None if unreadable else feedback.name,
    )


def assistant_message(action: Action, text: str, raw: str) -> Message:
    """The planner's turn as later turns see it; an unreadable turn is shown literally.

    Args:
      action: what was understood.
      text: the reply's words without thought and calls.
      raw: the model's text.
    """
    if isinstance(action, CallTools):
        if not action.calls:
            return Message(role=Role.ASSISTANT, content=raw)
        return Message(role=Role.ASSISTANT, content=text, thought=action.thought, calls=action.calls)
    return Message(role=Role.ASSISTANT, content=action.text, thought=action.thought)


def shown(value: Any, omit: frozenset[str], max_items: int) -> Any:
    """`value` without the omitted keys and with lists cut to `max_items` (0: uncut), at any depth."""
    if isinstance(value, dict):
        return {k: shown(v, omit, max_items) for k, v in value.items() if k not in omit}
    if isinstance(value, list):
        kept = value[:max_items] if max_items else value
        return [shown(v, omit, max_items) for v in kept]
    return value


def to_text(payload: dict[str, Any]) -> str:
    """One-line JSON as the planner reads it: UTF-8 characters as they are, one level of encoding."""
    return json.dumps(payload, ensure_ascii=False)


def retrieved_ids(feedback: Feedback, spec: ToolSpec | None) -> list[str]:
    """Ids of the memory records in a successful memory tool's result."""
    data = feedback.payload.get("data")
    items = data.get("items") if isinstance(data, dict) else None
    if not feedback.ok or spec is None or spec.kind is not ToolKind.MEMORY or not isinstance(items, list):
        return []
    return [str(item["memory_id"]) for item in items if isinstance(item, dict) and "memory_id" in item]


def action_of(parsed: ParsedReply, turn: int) -> Action:
    """The action of a parsed reply, with call ids "<turn>.<index>"; an unreadable reply is a block without calls."""
    if parsed.calls or parsed.failures:
        calls = [ToolCall(id=f"{turn}.{i}", name=c.name, arguments=c.arguments) for i, c in enumerate(parsed.calls)]
        return CallTools(calls=calls, thought=parsed.thought)
    return Reply(text=parsed.text, intent=reply_intent(parsed.text), thought=parsed.thought)


def adapter_for(skills: Sequence[Skill] | Adapter, catalog: Sequence[ToolSpec]) -> Adapter | None:
    """The adapter of plain packages (the first that claims a tool wins), or the given one.

    Raises:
      AdapterError: the given adapter was built for other tool schemas.
    """
    if isinstance(skills, Adapter):
        if not skills.matches(catalog):
            raise AdapterError("the adapter was built for other tool schemas; build it again for this backend")
        return skills
    return Adapter.build(skills, catalog, first_claims(skills, catalog)) if skills else None


def recall(memory: MemoryStore | None, owner: Owner | None, task: TaskSpec) -> str:
    """Evidence lines for the request; a memory that cannot be searched never blocks the task."""
    if memory is None or owner is None:
        return ""
    try:
        return evidence_block(memory.search(owner, task.goal, now=task.initial.clock, limit=_RECALLED))
    except sqlite3.Error as e:
        return f"Memory is unavailable: {type(e).__name__}."


def estimate_tokens(text: str) -> int:
    """Tokens of text whose tokenizer is unknown: four characters each, at least one."""
    return max(1, len(text) // 4)
