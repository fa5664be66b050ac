"""Tools, actions and feedback: what the planner may do and what comes back."""

from __future__ import annotations

from typing import Any

import msgspec

from qpa.contract.base import ERROR_CODES, Effect, ErrorType, Intent, Record, Role, ToolKind


class ToolSpec(Record):
    """A callable tool as the planner sees it, plus what the harness must know about it."""

    name: str
    description: str
    parameters: dict[str, Any]  # JSON Schema of type object
    domain: str = ""
    kind: ToolKind = ToolKind.DIRECT
    effect: Effect = Effect.READ
    permission: str | None = None  # Android-like permission that must be granted, else 403


class ToolCall(Record):
    """One function call; `id` is unique within its trajectory."""

    id: str
    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class Message(Record):
    """Canonical chat message: what templates render and remote endpoints receive."""

    role: Role
    content: str = ""
    thought: str = ""  # assistant only
    calls: list[ToolCall] = msgspec.field(default_factory=list)  # assistant only
    call_id: str | None = None  # tool only: the call this answers
    name: str | None = None  # tool only


class CallTools(Record, tag_field="type", tag="call_tools"):
    """Several calls form one parallel block; memory, skills and sub-agents are calls too."""

    calls: list[ToolCall]
    thought: str = ""


class Reply(Record, tag_field="type", tag="reply"):
    """A plain message to the person; ends the episode."""

    text: str
    intent: Intent = Intent.FINISH
    thought: str = ""


Action = CallTools | Reply


class Feedback(Record):
    """What came back for one call. `payload` is the published envelope, exactly as rendered to the planner."""

    call_id: str
    name: str
    ok: bool
    payload: dict[str, Any]
    error_type: ErrorType | None = None
    code: int = 200
    latency_ms: float = 0.0
    loaded_tools: list[ToolSpec] = msgspec.field(default_factory=list)  # a skill loader's expansion (Eq. 4 of B2)


def error_feedback(call_id: str, name: str, error: ErrorType, text: str) -> Feedback:
    """A failed result in the published envelope `{"success": false, "error": ..., "code": ...}`."""
    code = ERROR_CODES[error]
    payload = {"success": False, "error": text, "code": code}
    return Feedback(call_id=call_id, name=name, ok=False, payload=payload, error_type=error, code=code)
