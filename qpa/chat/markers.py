"""The special strings of the ChatML / Hermes frame: reserved tokens that are emitted by id and never come from text."""

from __future__ import annotations

IM_START = "<|im_start|>"
IM_END = "<|im_end|>"
END_OF_TEXT = "<|endoftext|>"
CALL_OPEN = "<tool_call>"
CALL_CLOSE = "</tool_call>"
RESPONSE_OPEN = "<tool_response>"
RESPONSE_CLOSE = "</tool_response>"
THINK_OPEN = "<think>"
THINK_CLOSE = "</think>"
TOOLS_OPEN = "<tools>"
TOOLS_CLOSE = "</tools>"

SPECIALS: tuple[str, ...] = (
    IM_START,
    IM_END,
    END_OF_TEXT,
    CALL_OPEN,
    CALL_CLOSE,
    RESPONSE_OPEN,
    RESPONSE_CLOSE,
    THINK_OPEN,
    THINK_CLOSE,
    TOOLS_OPEN,
    TOOLS_CLOSE,
)
