"""Keyword search that works for English and Chinese, and the ranking of what it finds.

SQLite's default tokenizer keeps a run of Chinese characters as one word, so text is split before it is indexed:
words as they are, Chinese characters one by one and as pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from qpa.contract import Record
from qpa.harness.memory.records import MemoryRecord

_WORD = re.compile(r"[㐀-鿿]+|[^\W_㐀-鿿]+")
_HALF_LIFE_DAYS = 90.0
_MAX_QUERY_TERMS = 64
_SAME = 0.8  # Jaccard similarity above which two hits tell the same thing


class Hit(Record):
    """A search result; `score` is comparable within one result list only."""

    record: MemoryRecord
    score: float


def terms(text: str) -> list[str]:
    """Index terms of `text`, lower case, in order, with repeats."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        if "㐀" <= word[0] <= "鿿":
            found += list(word) + [word[i : i + 2] for i in range(len(word) - 1)]
        else:
            found.append(word)
    return found


def match_expression(query: str) -> str:
    """FTS5 expression that matches any term of `query`; "" when it has none. Quoted terms hold no operators."""
    distinct = list(dict.fromkeys(terms(query)))[:_MAX_QUERY_TERMS]
    return " OR ".join(f'"{term}"' for term in distinct)


def rank(found: Sequence[tuple[MemoryRecord, float]], now: str, limit: int) -> list[Hit]:
    """Orders by relevance, then recency and importance; near duplicates of a better hit are left out.

    Args:
      found: records with their keyword relevance (larger is better, > 0).
      now: ISO time that recency is measured from; "" switches recency off.
      limit: most hits returned.
    """
    best = max((relevance for _, relevance in found), default=0.0) or 1.0
    hits = [
        Hit(record=record, score=relevance / best + 0.2 * _recency(record, now) + 0.2 * record.importance)
        for record, relevance in found
    ]
    hits.sort(key=lambda hit: (-hit.score, hit.record.id))
    kept: list[Hit] = []
    for hit in hits:
        if len(kept) < limit and not any(_same(hit.record, other.record) for other in kept):
            kept.append(hit)
    return kept


def _recency(record: MemoryRecord, now: str) -> float:
    if not now:
        return 0.0
    try:
        age = datetime.fromisoformat(now) - datetime.fromisoformat(record.created_at)
    except (ValueError, TypeError):  # free-form or mixed-zone time: no recency bonus
        return 0.0
    return 0.5 ** (max(age.total_seconds(), 0.0) / 86400 / _HALF_LIFE_DAYS)


def _same(one: MemoryRecord, other: MemoryRecord) -> bool:
    a, b = set(terms(one.text)), set(terms(other.text))
    return bool(a or b) and len(a & b) / len(a | b) > _SAME
