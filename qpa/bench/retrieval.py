"""Tool retrieval: R_N of the benchmark's protocol, the first N tools of the catalogue for a request.

Okapi BM25 over one bag of terms per tool: the words of its name, description, argument names and choices, and what
people say when they need it (`tool_keywords.json`). English words are stemmed; Chinese, which is written without
spaces, is searched as single characters and as pairs.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import apsw
import msgspec
import numpy as np

from qpa.contract import Record, Role, TaskSpec, ToolSpec
from qpa.envs.sandbox import catalog

KEYWORDS_FILE = Path(__file__).parent / "tool_keywords.json"

# The customary constants. On the dev tasks k1 from 0.6 to 3, b from 0.3 to 0.9, and weighting names, descriptions,
# arguments or keywords against each other found nothing more at 15 tools.
_K1 = 1.2
_B = 0.75

_CHINESE = re.compile(r"[㐀-鿿]+")
_HYPHENATED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class Keywords(Record):
    """What a person may say when needing a tool, in English and in Chinese."""

    en: list[str]
    zh: list[str]


class ToolIndex:
    """A search index of tools, built once; safe to share between threads.

    Raises ValueError where a tool has no keywords, or keywords belong to no tool.
    """

    def __init__(self, specs: Sequence[ToolSpec], keywords: Mapping[str, Keywords]) -> None:
        self._names = [spec.name for spec in specs]
        self._row = {name: i for i, name in enumerate(self._names)}
        if absent := [name for name in self._names if name not in keywords]:
            raise ValueError(f"tool keywords: none for {', '.join(absent)}")
        if unknown := [name for name in keywords if name not in self._row]:
            raise ValueError(f"tool keywords: no such tool: {', '.join(unknown)}")
        self._scores = _bm25([Counter(terms(_text(spec, keywords[spec.name]))) for spec in specs])

    def recall(self, query: str, n: int = 15, within: Collection[str] | None = None) -> list[str]:
        """The `n` tools that match `query` best, best first; all when there are fewer.

        Equal scores, no match included, keep the order of the catalogue. Raises ValueError for a negative `n` or an
        unknown tool.

        Args:
          query: English, Chinese or both.
          n: how many tools.
          within: the tools to choose from; all by default.
        """
        if n < 0:
            raise ValueError(f"recall: n is {n}, must be at least 0")
        rows = np.arange(len(self._names)) if within is None else self._rows(within)
        found = [self._scores[term] for term in dict.fromkeys(terms(query)) if term in self._scores]
        scores = np.sum(found, axis=0) if found else np.zeros(len(self._names))
        best = rows[np.argsort(-scores[rows], kind="stable")[:n]]
        return [self._names[row] for row in best]

    def _rows(self, names: Collection[str]) -> np.ndarray:
        if unknown := sorted(set(names) - self._row.keys()):
            raise ValueError(f"recall: no such tool: {', '.join(unknown)}")
        return np.array(sorted(self._row[name] for name in set(names)), dtype=int)


@functools.cache
def tool_index() -> ToolIndex:
    """The index of the whole catalogue."""
    return ToolIndex(catalog(), read_keywords())


def read_keywords(path: Path = KEYWORDS_FILE) -> dict[str, Keywords]:
    """The keywords by tool. Raises ValueError naming file, tool and reason for anything malformed."""
    try:
        entries = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: {error}") from None
    return {name: _keywords(f"{path}: {name}", entry) for name, entry in entries.items()}


def request_text(task: TaskSpec) -> str:
    """What is searched for a task: what the person said in the dialogue so far, and the goal."""
    said = [message.content for message in task.history if message.role is Role.USER]
    return "\n".join([*said, task.goal])


def terms(text: str) -> list[str]:
    """Index terms of `text`: stems of its words, characters and pairs of its Chinese; no function words."""
    plain = unicodedata.normalize("NFKC", text).lower()
    plain = _HYPHENATED.sub(lambda m: f"{m[0]} {m[0].replace('-', '')}", plain)  # "Wi-Fi" is found by "wifi"
    plain = _CHINESE.sub(lambda m: f" {' '.join(_characters_and_pairs(m[0]))} ", plain)
    return [stem for stem in _stems(plain) if stem not in _function_words()]


def _characters_and_pairs(run: str) -> list[str]:
    return [*run, *(run[i : i + 2] for i in range(len(run) - 1))]


@functools.cache
def _tokenizer() -> apsw.FTS5Tokenizer:
    return apsw.Connection(":memory:").fts5_tokenizer("porter", ["unicode61"])


def _stems(text: str) -> list[str]:
    """SQLite's full-text search has a Porter stemmer, which can be called without a table."""
    reason = apsw.FTS5_TOKENIZE_DOCUMENT
    found = _tokenizer()(text.encode(), reason, None, include_offsets=False, include_colocated=False)
    return [str(stem) for stem in found]


@functools.cache
def _function_words() -> frozenset[str]:
    """Rare in the terse descriptions, so their weight would be high; they say nothing about the tool."""
    return frozenset(
        _stems(
            "a an the i me my we our you your it its this that these those is am are was be been do does did can could "
            "will would should have has had and or but if of to in at for from with by as so then please just let "
            "s m re ve ll t d don"
        )
    )


def _text(spec: ToolSpec, keywords: Keywords) -> str:
    parts = [spec.name, spec.description]
    for argument, schema in spec.parameters.get("properties", {}).items():
        choices = [*schema.get("enum", ()), *schema.get("items", {}).get("enum", ())]
        parts += [_CAMEL_HUMP.sub(" ", argument), *(str(choice) for choice in choices)]
    return "\n".join([*parts, *keywords.en, *keywords.zh])


def _bm25(bags: Sequence[Counter[str]]) -> dict[str, np.ndarray]:
    """For every term its BM25 score in each bag."""
    lengths = np.array([bag.total() for bag in bags], dtype=float)
    damping = _K1 * (1 - _B + _B * lengths / lengths.mean())
    counts: dict[str, np.ndarray] = {}
    for row, bag in enumerate(bags):
        for term, count in bag.items():
            counts.setdefault(term, np.zeros(len(bags)))[row] = count
    return {term: _rarity(count) * count * (_K1 + 1) / (count + damping) for term, count in counts.items()}


def _rarity(counts: np.ndarray) -> float:
    """Inverse document frequency, in the form that is never negative."""
    holders = np.count_nonzero(counts)
    return math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))


def _keywords(where: str, entry: Any) -> Keywords:
    try:
        found = msgspec.convert(entry, Keywords)
    except msgspec.ValidationError as error:
        raise ValueError(f"{where}: {error}") from None
    for language, words in (("en", found.en), ("zh", found.zh)):
        if not words or not all(word.strip() for word in words) or len(set(words)) < len(words):
            raise ValueError(f"{where}: {language}: want distinct, non-empty words, got {words}")
    return found
