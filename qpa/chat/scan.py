"""Cuts an assistant's reply into thoughts, tool calls and text, without trusting any of it.

A call's extent is found by reading it from its open tag, so tags inside its strings are data. JSON is read here,
function blocks in `qpa.chat.xml_calls`. The cost is linear in the reply: at most `MAX_CALLS` open tags are read, and
every other search moves forward only.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, END_OF_TEXT, IM_END, IM_START, THINK_CLOSE, THINK_OPEN

MAX_CALLS = 64
MAX_DEPTH = 32
MAX_LOOSE = 16384  # characters of a call that is repaired; longer ones must be JSON

_STRUCTURE = re.compile(
    "|".join(map(re.escape, (THINK_OPEN, THINK_CLOSE, CALL_OPEN, CALL_CLOSE, IM_END, IM_START, END_OF_TEXT)))
)
_QUOTE_OR_TAG = re.compile('"|' + re.escape(CALL_OPEN) + "|" + re.escape(CALL_CLOSE))
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SPACE = re.compile(r"\s*")
_LOOSE_TOKEN = re.compile(
    r"""\s+|"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|[{}\[\]:,]|[^\s{}\[\]:,"'<]++""",
    re.DOTALL,
)
_PYTHON_NAMES = {"True": "true", "False": "false", "None": "null"}


class CallBody(NamedTuple):
    """What stands behind one open tag: JSON values (usually one), or the reason why there is none."""

    end: int  # index in the reply where the body stops
    values: list[Any]
    problem: str = ""
    repairs: tuple[str, ...] = ()
    typed: bool = True  # False: values are {"name": ..., "arguments": {...}} with every argument still text


class Piece(NamedTuple):
    """A stretch of the reply; the texts of all pieces join to the reply.

    Kinds: "text", "thought", "call" (with `body`), "tag" (an expected marker), "stray" (a close tag without its open
    tag), "unclosed" (a thought that never ends), "stop" (an end-of-turn marker and all that follows).
    """

    kind: str
    text: str
    body: CallBody | None = None


def valid_unicode(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, so that it can be encoded and stored."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def scan(
    text: str, reader: Callable[[str, int], CallBody] | None = None, *, in_thought: bool = False
) -> Iterator[Piece]:
    """Yields the pieces of a reply in order.

    Args:
      text: the reply.
      reader: reads the call behind an open tag that ends at an index; None reads JSON (`read_call`).
      in_thought: the prompt has opened a thought already; a reply that opens one itself is read as usual.
    """
    reader = reader or read_call
    position, calls = 0, 0
    if in_thought and not text.lstrip().startswith(THINK_OPEN):
        close = text.find(THINK_CLOSE)
        if close < 0:
            thought = text.removesuffix(IM_END)
            yield Piece("unclosed", thought)
            yield Piece("stop", text[len(thought) :])
            return
        yield Piece("thought", text[:close])
        yield Piece("tag", THINK_CLOSE)
        position = close + len(THINK_CLOSE)
    while match := _STRUCTURE.search(text, position):
        if match.start() > position:
            yield Piece("text", text[position : match.start()])
        tag, start = match.group(), match.end()
        position = start
        if tag == THINK_OPEN:
            yield Piece("tag", tag)
            close = text.find(THINK_CLOSE, start)
            if close < 0:
                yield Piece("unclosed", text[start:])
                return
            yield Piece("thought", text[start:close])
            yield Piece("tag", THINK_CLOSE)
            position = close + len(THINK_CLOSE)
        elif tag == CALL_OPEN:
            calls += 1
            body = reader(text, start) if calls <= MAX_CALLS else CallBody(len(text), [], f"over {MAX_CALLS} calls")
            yield Piece("tag", tag)
            yield Piece("call", text[start : body.end], body)
            position = body.end
            if text.startswith(CALL_CLOSE, position):
                yield Piece("tag", CALL_CLOSE)
                position += len(CALL_CLOSE)
        elif tag in (THINK_CLOSE, CALL_CLOSE):
            yield Piece("stray", tag)
        else:
            yield Piece("stop", text[match.start() :])
            return
    if position < len(text):
        yield Piece("text", text[position:])


def read_call(text: str, start: int) -> CallBody:
    """Reads the JSON behind an open tag that ends at `start`."""
    position = skip_space(text, start)
    values: list[Any] = []
    repairs: list[str] = []
    while not values or text.startswith("{", position):
        if not text.startswith(("{", "["), position):
            return CallBody(resync(text, start), [], 'expected {"name": ..., "arguments": {...}}')
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            loose = read_loose(text, position)
            if loose is None:
                return CallBody(resync(text, start), [], _reason(error, position))
            value, end = loose
            repairs.append("quotes or literals were not JSON")
        if _too_deep(value):
            return CallBody(resync(text, start), [], "nested too deeply")
        values.append(value)
        position = skip_space(text, end)
    return closed(text, end, values, repairs)


def closed(text: str, end: int, values: list[Any], repairs: Sequence[str], what: str = "JSON") -> CallBody:
    """The body whose values were read up to `end`: its close tag should follow, spaces aside."""
    position = skip_space(text, end)
    if text.startswith(CALL_CLOSE, position):
        return CallBody(position, values, repairs=tuple(repairs))
    match = _STRUCTURE.search(text, position)
    if match and match.group() == CALL_CLOSE:
        return CallBody(match.start(), values, repairs=(*repairs, f"ignored text after the {what}"))
    return CallBody(end, values, repairs=(*repairs, f"missing {CALL_CLOSE}"))


def read_loose(text: str, start: int) -> tuple[Any, int] | None:
    """Reads a Python-style literal (single quotes, True/None, trailing comma, raw newlines) as JSON.

    Returns the value and its end, or None if it is not one. Nothing is evaluated: tokens are rewritten one by one.
    """
    out: list[str] = []
    depth, position, comma = 0, start, -1  # `comma`: index in `out` of a comma that may turn out to be trailing
    while match := _LOOSE_TOKEN.match(text, position):
        token = match.group()
        position = match.end()
        if token in ("}", "]") and comma >= 0:
            out[comma] = " "
        if not token.isspace():
            comma = len(out) if token == "," else -1
        out.append(_double_quoted(token) if token[0] in "\"'" else _PYTHON_NAMES.get(token, token))
        depth += (token in ("{", "[")) - (token in ("}", "]"))
        if depth == 0 or depth > MAX_DEPTH or position - start > MAX_LOOSE:
            break
    if depth or not out:
        return None
    try:
        return _LENIENT.decode("".join(out)), position
    except (ValueError, RecursionError):
        return None


def decode_object_text(text: str) -> Any:
    """Strictly decodes a JSON document that was sent as a string; raises ValueError with a short reason."""
    try:
        value = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if _too_deep(value):
        raise ValueError("nested too deeply")
    return value


# --- helpers -------------------------------------------------------------------------------------------------------


# Well-formed JSON whose meaning is unclear or unsafe is refused; the repair obeys the same rules.


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        seen: set[str] = set()
        duplicate = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ValueError(f"duplicate key {duplicate[:40]!r}")
    return out


def _constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"number {digits[:20]} is too large")
    return value


def _int(digits: str) -> int:
    if len(digits) > 20 or not -(2**63) <= int(digits) < 2**63:
        raise ValueError(f"number {digits[:20]} is too large")
    return int(digits)


_RULES: dict[str, Any] = {
    "object_pairs_hook": _pairs,
    "parse_constant": _constant,
    "parse_float": _float,
    "parse_int": _int,
}
_DECODER = json.JSONDecoder(**_RULES)
_LENIENT = json.JSONDecoder(strict=False, **_RULES)


def _reason(error: Exception, start: int) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON at character {error.pos - start}: {error.msg}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def skip_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _double_quoted(token: str) -> str:
    inner = re.sub(r"\\(.)|\"", lambda m: {"'": "'", None: '\\"'}.get(m.group(1), m.group()), token[1:-1], flags=re.S)
    return f'"{inner}"'


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in _children(node)]
        if not level:
            return False
    return True


def _children(node: Any) -> list[Any]:
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return [value for value in values if isinstance(value, (dict, list))]


def resync(text: str, start: int) -> int:
    """Where reading goes on after an unreadable call: its close tag, or the next open tag, outside double quotes."""
    position, quotes = start, True
    while match := _QUOTE_OR_TAG.search(text, position):
        if match.group() != '"':
            return match.start()
        string = _STRING.match(text, match.start()) if quotes else None
        quotes = string is not None  # after an unclosed quote no later one can open a string: all follow tags count
        position = string.end() if string else match.end()
    return len(text)
