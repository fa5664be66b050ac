"""A server's text is data from a stranger: no terminal sequences, no invisible characters, no more than fits."""

from __future__ import annotations

import re
from typing import Any

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])|\x9b[0-?]*[ -/]*[@-~]")
# Control characters but tab and newline; zero-width space and joins, direction overrides, tags: all unseen by a reader.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]"
)


def clean(text: str, limit: int) -> str:
    """`text` without what a reader would not see, cut to `limit` characters with a note of how many are missing."""
    kept = _UNSEEN.sub("", _ANSI.sub("", text.replace("\r\n", "\n")))
    return kept if len(kept) <= limit else f"{kept[:limit]}… [{len(kept) - limit} characters cut]"


def clean_value(value: Any, limit: int) -> Any:
    """`clean` for every text and member name of a JSON value."""
    if isinstance(value, str):
        return clean(value, limit)
    if isinstance(value, dict):
        return {clean(str(name), limit): clean_value(item, limit) for name, item in value.items()}
    if isinstance(value, list):
        return [clean_value(item, limit) for item in value]
    return value
