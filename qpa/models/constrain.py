"""Tool calls that cannot be wrong in form: which ids may come next, from a grammar made of the visible tools.

The `llguidance` package (extra "constrain") keeps the automaton and computes the masks; it is loaded when a request
first asks for a constraint. Free text, thoughts and any number of calls may follow each other. A call stands between
its two special tokens as the family's template writes it: `{"name": ..., "arguments": {...}}`, or a `<function=...>`
block.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from qpa.chat.families import check_family
from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, IM_END, SPECIALS, THINK_CLOSE, THINK_OPEN
from qpa.chat.xml_calls import XML_FAMILIES
from qpa.contract import ToolSpec
from qpa.models.constrain_xml import call_rules

KINDS = ("tools",)
_CACHED = 256  # tool sets whose compiled grammar is kept
_LARGEST = 2**53 - 1  # beyond, readers of JSON round a number or refuse it
_VALUES = {"enum", "const", "default", "examples"}  # keywords of JSON Schema with data, not schemas,
_NAMED = {"properties", "patternProperties", "$defs", "definitions"}  # and with schemas by name
_SPACING = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}
# Special tokens are no text, but text may spell their names, and a parser reads text: calls and thoughts cannot be
# opened or closed that way.
_TEXT = r"/(.|\n)+/ & ~/(.|\n)*<\/?(tool_call|think)>(.|\n)*/"


class ToolGrammars:
    """Makes constraints for one tokenizer.

    Args:
      tokenizer: has `token_bytes`, `encode`, `special_id`, `plain_markers` and `eos_id`.
      vocab_size: the model's; ids that the tokenizer lacks are never allowed.
      family: the chat family, which says how calls are written.
      in_thought: replies begin inside a thought, which the prompt opened, and close it first.

    Raises:
      RuntimeError: the `llguidance` package is missing.
      ValueError: the tokenizer does not tell its tokens' bytes, or there is no such family.
    """

    def __init__(self, tokenizer: Any, vocab_size: int, family: str, in_thought: bool = False) -> None:
        check_family(family)
        if not hasattr(tokenizer, "token_bytes"):
            raise ValueError(f"constrain: {type(tokenizer).__name__} has no token_bytes, so its ids cannot be masked")
        self._package, self._family, self._in_thought = _package(), family, in_thought
        self._specials = {name: tokenizer.special_id(name) for name in _markers(tokenizer)}
        self._tokenizer = self._package.LLTokenizer(_Vocabulary(tokenizer, vocab_size))
        self._compiled = functools.lru_cache(_CACHED)(self._compile)

    def start(self, kind: str, tools: Sequence[ToolSpec]) -> ToolConstraint:
        """A constraint at the beginning of a reply; compiles the grammar of a set of tools once.

        Raises:
          ValueError: unknown kind, or a tool's schema that `llguidance` cannot follow.
        """
        if kind not in KINDS:
            raise ValueError(f"constrain is {kind!r}; use one of {', '.join(KINDS)}")
        key = json.dumps([[tool.name, tool.parameters] for tool in tools], ensure_ascii=False)
        return ToolConstraint(self._compiled(key).deep_copy())

    def _compile(self, key: str) -> Any:
        matcher = self._package.LLMatcher(self._tokenizer, self._grammar(json.loads(key)), log_level=0)
        if matcher.is_error():
            names = ", ".join(name for name, _ in json.loads(key))
            raise ValueError(f"constrain: no grammar for the tools {names}: {_first_line(matcher)}")
        return matcher

    def _grammar(self, tools: list[tuple[str, dict[str, Any]]]) -> str:
        """In llguidance's dialect of Lark; `<[7]>` is the token with id 7."""
        open_call, close_call, open_thought, close_thought = (
            f"<[{self._specials[name]}]>" for name in (CALL_OPEN, CALL_CLOSE, THINK_OPEN, THINK_CLOSE)
        )
        begin = f"TEXT? {close_thought} " if self._in_thought else ""
        lines = [
            "%llguidance {}",
            f"start: {begin}TEXT? (({'thought | call' if tools else 'thought'}) TEXT?)*",
            f"thought: {open_thought} TEXT? {close_thought}",
            f"TEXT: {_TEXT}",
        ]
        if tools:
            lines.append(f"call: {open_call} ({' | '.join(f'call_{i}' for i in range(len(tools)))}) {close_call}")
        for i, (name, schema) in enumerate(tools):
            whole = _closed({"type": "object", "properties": {}} | schema)
            if self._family in XML_FAMILIES:
                lines += call_rules(i, name, whole, self._family, _SPACING)
            else:
                lines += _json_rules(i, name, whole)
        return "\n".join(lines) + "\n"


class ToolConstraint:
    """Follows one reply (`qpa.models.jobs.Constraint`)."""

    def __init__(self, matcher: Any) -> None:
        self._matcher = matcher

    def fill(self, words_W: np.ndarray) -> None:
        self._matcher.unsafe_compute_mask_ptr(words_W.ctypes.data, words_W.nbytes)
        self._check()

    def advance(self, token: int) -> None:
        self._matcher.consume_token(token)

    def _check(self) -> None:
        if self._matcher.is_error():
            raise RuntimeError(f"constrain: {_first_line(self._matcher)}")


class _Vocabulary:
    """What llguidance asks of a tokenizer."""

    is_tokenizer_wrapper = True
    bos_token_id = None

    def __init__(self, tokenizer: Any, vocab_size: int) -> None:
        known = tokenizer.token_bytes()
        self.tokens = [*known, *[b""] * (vocab_size - len(known))]
        self.eos_token_id = tokenizer.special_id(IM_END)
        self.special_token_ids = [tokenizer.special_id(name) for name in _markers(tokenizer)]
        self._encode = tokenizer.encode

    def __call__(self, text: str | bytes) -> list[int]:
        return self._encode(text if isinstance(text, str) else text.decode("utf-8", "replace"))


def _markers(tokenizer: Any) -> list[str]:
    """The markers that are one token each."""
    return [name for name in SPECIALS if name not in tokenizer.plain_markers]


def _json_rules(index: int, name: str, schema: dict[str, Any]) -> list[str]:
    """The rule `call_{index}` of a call that is one JSON object."""
    begin = f'\n{{"name": {json.dumps(name, ensure_ascii=False)}, "arguments": '
    arguments = json.dumps(schema | {"x-guidance": _SPACING}, ensure_ascii=False)
    return [
        f"call_{index}: {json.dumps(begin, ensure_ascii=False)} arguments_{index} {json.dumps('}' + chr(10))}",
        f"arguments_{index}: %json {arguments}",
    ]


def _closed(schema: Any) -> Any:
    """The schema, with objects that list their properties closed to others, and numbers bounded."""
    if isinstance(schema, list):
        return [_closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: value if key in _VALUES | _NAMED else _closed(value) for key, value in schema.items()}
    for key in _NAMED & schema.keys():  # names of a person's own choice, such as "type"
        if isinstance(schema[key], dict):
            closed[key] = {name: _closed(part) for name, part in schema[key].items()}
    if isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    kind = schema.get("type")
    if kind in ("integer", "number") or (isinstance(kind, list) and {"integer", "number"} & set(kind)):
        if not {"maximum", "exclusiveMaximum"} & schema.keys():
            closed["maximum"] = _LARGEST
        if not {"minimum", "exclusiveMinimum"} & schema.keys():
            closed["minimum"] = -_LARGEST
    return closed


def _first_line(matcher: Any) -> str:
    return " ".join(matcher.get_error().split())[:200]


def _package() -> Any:
    try:
        import llguidance
    except ImportError:
        raise RuntimeError('constrained tool calls need llguidance: pip install -e ".[constrain]"') from None
    return llguidance
