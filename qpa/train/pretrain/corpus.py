"""Pretraining rows: documents encoded, masked and packed; an endless stream that is a pure function of the seed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from qpa.chat.markers import SPECIALS
from qpa.chat.tokenizer import SentencePieceTokenizer, train_sentencepiece
from qpa.train.pretrain import words as w
from qpa.train.pretrain.documents import Document, document
from qpa.train.pretrain.frames import frame

_POOL = 24  # documents among which the next one that fits a row is looked for
_NOISE_COPY = 0.12  # share of documents that repeat random ids: the fastest teacher of induction


def make_tokenizer(out: Path, vocab_size: int, seed: int, banned: frozenset[str], documents: int = 30_000) -> None:
    """Trains the shipped tokenizer on the pretraining text plus the phone domain's words; deterministic."""
    rng = w.Source(f"tokenizer/{seed}")

    def lines() -> Iterator[str]:
        for _ in range(documents):
            yield "".join(span.text for span in document(rng, banned) if not span.special)
        for bank in (w.PHONE_WORDS, w.NOUNS, w.VERBS, w.ADJECTIVES, w.FUNCTION, w.NAMES, w.CITIES, w.CHINESE):
            for _ in range(120):
                yield "\n".join(bank)

    train_sentencepiece(lines(), vocab_size, out, user_symbols=w.GLUE)


def encode(doc: Document, tokenizer: SentencePieceTokenizer) -> tuple[list[int], list[bool]]:
    """(ids, supervised) of a document."""
    ids: list[int] = []
    mask: list[bool] = []
    for span in doc:
        new = [tokenizer.special_id(span.text)] if span.special else tokenizer.encode(span.text)
        ids += new
        mask += [span.supervised] * len(new)
    return ids, mask


def _noise_copy(rng: w.Source, tokenizer: SentencePieceTokenizer, longest: int) -> tuple[list[int], list[bool]]:
    low = len(SPECIALS) + 2
    n = rng.randrange(4, longest)
    piece = [rng.randrange(low, tokenizer.vocab_size) for _ in range(n)]
    repeats = rng.choice((2, 2, 3))
    return piece * repeats, [False] * n + [True] * (n * (repeats - 1))


def _segment(
    rng: w.Source, tokenizer: SentencePieceTokenizer, banned: frozenset[str], frames: float
) -> tuple[list[int], list[bool]]:
    """One to three documents that attend to each other, so that long positions and distractors occur."""
    if frames and rng.random() < frames:
        return encode(frame(rng, banned), tokenizer)
    if rng.random() < _NOISE_COPY:
        return _noise_copy(rng, tokenizer, 40)
    ids: list[int] = []
    mask: list[bool] = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        more, supervised = encode(document(rng, banned), tokenizer)
        ids, mask = ids + more, mask + supervised
    return ids, mask


def _word_pieces(tokenizer: SentencePieceTokenizer) -> list[str]:
    """The tokenizer's pieces of ASCII letters, as long as a syllable or a short word."""
    pieces = (tokenizer.decode([i]) for i in range(tokenizer.vocab_size))
    return sorted({p for p in pieces if p.isascii() and p.isalpha() and len(p) <= 7})


def rows(
    tokenizer: SentencePieceTokenizer,
    length: int,
    seed: int,
    banned: frozenset[str],
    frames: float = 0.0,
    rare: float = 0.0,
) -> Iterator[dict[str, np.ndarray]]:
    """Packed rows: tokens, positions, segments (0 = padding) int32 [T]; mask bool [T], the supervised tokens.

    `frames` is the share of chat-frame documents, `rare` that of values made of random pieces (`words.Source`).
    """
    name = f"pretrain/{seed}/{length}"
    rng = w.Source(f"{name}/{rare}", _word_pieces(tokenizer), rare) if rare else w.Source(name)
    pool: list[tuple[list[int], list[bool]]] = []
    while True:
        tokens = np.full(length, tokenizer.pad_id, np.int32)
        positions, segments, mask = np.zeros(length, np.int32), np.zeros(length, np.int32), np.zeros(length, bool)
        at, segment = 0, 1
        while True:
            while len(pool) < _POOL:
                made = _segment(rng, tokenizer, banned, frames)
                if len(made[0]) <= length:
                    pool.append(made)
            fits = next((i for i, (ids, _) in enumerate(pool) if at + len(ids) <= length), None)
            if fits is None:
                break
            ids, supervised = pool.pop(fits)
            stop = at + len(ids)
            tokens[at:stop], positions[at:stop], segments[at:stop] = ids, np.arange(len(ids)), segment
            mask[at:stop] = supervised
            at, segment = stop, segment + 1
        yield {"tokens": tokens, "positions": positions, "segments": segments, "mask": mask}
