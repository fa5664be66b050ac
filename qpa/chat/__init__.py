"""Canonical messages <-> model text and tokens: templates, the reply parser, tokenizers, the token buffer."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from qpa.chat.buffer import ChatFormat, TokenBuffer, trajectory_tokens
    from qpa.chat.hf_tokenizer import HFTokenizer
    from qpa.chat.parser import ParsedReply, parse_reply, reply_intent
    from qpa.chat.template import FAMILIES, compact_signature, render, render_action, render_tool_lines
    from qpa.chat.tokenizer import SentencePieceTokenizer, Tokenizer, load_tokenizer, train_sentencepiece

__all__ = [
    "FAMILIES",
    "ChatFormat",
    "HFTokenizer",
    "ParsedReply",
    "SentencePieceTokenizer",
    "TokenBuffer",
    "Tokenizer",
    "compact_signature",
    "load_tokenizer",
    "parse_reply",
    "render",
    "render_action",
    "render_tool_lines",
    "reply_intent",
    "train_sentencepiece",
    "trajectory_tokens",
]

# Loaded on first use: SentencePiece is a compiled library that text-only users of this room do not need.
_HOMES = {
    "buffer": ("ChatFormat", "TokenBuffer", "trajectory_tokens"),
    "hf_tokenizer": ("HFTokenizer",),
    "parser": ("ParsedReply", "parse_reply", "reply_intent"),
    "template": ("FAMILIES", "compact_signature", "render", "render_action", "render_tool_lines"),
    "tokenizer": ("SentencePieceTokenizer", "Tokenizer", "load_tokenizer", "train_sentencepiece"),
}
_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'qpa.chat' has no attribute {name!r}")
    return getattr(importlib.import_module(f"qpa.chat.{_MODULE_OF[name]}"), name)
