"""How well the project's memory store finds the evidence in long dialogues, and how long that takes.

    python -m benchmarks.long_history [tokens ...]

Every turn is stored as it was said, one record each; every question is searched as it was asked. Nothing is summed up
or superseded, so this is the floor that any smarter use of the store has to beat.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from qpa.bench.long_history import KINDS, LANGUAGES, LongHistory, Question, evidence_recall, make_history
from qpa.harness.memory import Layer, MemoryStore, Owner, Tier

SIZES = (10_000, 100_000, 1_000_000)
DEPTHS = (5, 10)
OWNER = Owner(workspace="bench", user="user", agent="planner")
TIERS = {"user": Tier.USER, "assistant": Tier.AGENT}


def ingest(store: MemoryStore, history: LongHistory) -> str:
    """Stores every turn; returns the last one's day."""
    day = ""
    for turn in history.turns:
        day = turn.day
        store.write(
            OWNER,
            turn.text,
            layer=Layer.EPISODIC,
            tier=TIERS[turn.speaker],
            now=f"{day}T09:00:00",
            sources=[str(turn.number)],
        )
    return day


def find(store: MemoryStore, questions: Sequence[Question], day: str) -> list[list[int]]:
    """Turn numbers that a search for each question finds, best first."""
    now = f"{day}T09:00:00"
    return [
        [int(hit.record.sources[0]) for hit in store.search(OWNER, q.text, now=now, limit=max(DEPTHS))]
        for q in questions
    ]


def measure(tokens: int, language: str) -> str:
    """One row of the table."""
    history = make_history(0, tokens, language)
    begin = time.perf_counter()
    turns = sum(1 for _ in history.turns)
    made = time.perf_counter()
    with MemoryStore() as store:
        day = ingest(store, history)
        stored = time.perf_counter()
        found = find(store, history.questions, day)
        searched = time.perf_counter()
    seconds = f"{made - begin:7.1f} {stored - made:9.1f} {1000 * (searched - stored) / len(found):10.1f}"
    recalls = [evidence_recall(history.questions, found, k) for k in DEPTHS]
    shares = "  ".join("/".join(f"{100 * r[kind]:3.0f}" for r in recalls) for kind in ("all", *KINDS[:-1]))
    return f"{language} {tokens:9,} {turns:7,} {seconds}   {shares}"


def main() -> None:
    kinds = "  ".join(f"{kind[:7]:>7}" for kind in ("all", *KINDS[:-1]))
    print(f"evidence recall@{'/'.join(map(str, DEPTHS))} in percent; seconds to make and to store, ms per search")
    print(f"       tokens   turns  make s   store s  search ms   {kinds}")
    for tokens in [int(a) for a in sys.argv[1:]] or SIZES:
        for language in LANGUAGES:
            print(measure(tokens, language), flush=True)


if __name__ == "__main__":
    main()
