"""What the perturbations must know of a call: whether it only reads, whether it needs the network or the screen."""

from __future__ import annotations

from qpa.contract import Effect, ToolCall, ToolKind, ToolSpec

_LOOKS = frozenset({"read", "search", "sum"})  # reading actions of tools that can also write, beside "query..."
_NETWORKED_DOMAINS = frozenset({"Travel & Lifestyle", "Shopping", "Customer Management"})
_NETWORKED = frozenset(
    {
        "general_qa_agent", "control_ai_image_agent", "send_email", "query_emails", "search_app_store",
        "convert_currency", "text_translate", "query_lyrics", "recognize_music",
    }
)  # fmt: skip


def only_reads(call: ToolCall, spec: ToolSpec | None) -> bool:
    """Whether the call can change nothing, as far as its declaration and its action say."""
    action = str(call.arguments.get("action", ""))
    return (spec is not None and spec.effect is Effect.READ) or action.startswith("query") or action in _LOOKS


def needs_network(spec: ToolSpec) -> bool:
    """Whether the tool talks to a service beyond the phone."""
    return spec.domain in _NETWORKED_DOMAINS or spec.name in _NETWORKED


def needs_screen(call: ToolCall, spec: ToolSpec) -> bool:
    """Whether a dialog on top is in the call's way: what acts through an app, not what only reads or remembers."""
    return spec.kind in (ToolKind.DIRECT, ToolKind.SUBAGENT) and not only_reads(call, spec)
