"""The chat families: their names, and what the reader of a reply has to know about each.

All share the ChatML frame, the think tags and the tool tags of `qpa.chat.markers`.

* "qwen3": Qwen3 (and Hermes): calls are JSON objects, tools are JSON schemas.
* "compact": ours, for small models: calls as in "qwen3", one signature line per tool, no empty think blocks.
* "qwen3_5", "qwen3_6", "qwen3_8": the releases that write calls as `<function=...>` blocks (`qpa.chat.xml_calls`),
  strip every text and let the prompt open the thought. They differ in two places: "qwen3_5" writes a scalar argument as
  Python does (`True`, `None`), and "qwen3_8", when it thinks, names its (default, "xhigh") reasoning effort first.
"""

from __future__ import annotations

from collections.abc import Iterator

from qpa.chat import scan, xml_calls

FAMILIES = ("qwen3", "compact", *xml_calls.XML_FAMILIES)


def check_family(family: str) -> None:
    """Raises ValueError unless `family` is one of `FAMILIES`."""
    if family not in FAMILIES:
        raise ValueError(f"chat family is {family!r}; use one of {', '.join(FAMILIES)}")


def prompt_opens_thought(family: str, thinking: bool) -> bool:
    """Whether the generation prompt ends inside a thought, so that a reply has `</think>` but no `<think>`."""
    return thinking and family in xml_calls.XML_FAMILIES


def scan_reply(text: str, family: str, *, in_thought: bool = False) -> Iterator[scan.Piece]:
    """`qpa.chat.scan.scan` with the family's way to read a call."""
    reader = xml_calls.read_call if family in xml_calls.XML_FAMILIES else scan.read_call
    return scan.scan(text, reader, in_thought=in_thought)
