"""Long dialogues: the same for the same seed, of the size asked for, and every question answered by its evidence."""

from __future__ import annotations

import itertools
import re

import pytest

from qpa.bench.long_history import (
    KINDS,
    LANGUAGES,
    PER_KIND,
    LongHistory,
    Question,
    evidence_recall,
    is_right,
    make_history,
    normalise_answer,
    score_answers,
)
from qpa.bench.long_history_words import ATTRIBUTES, NAMES, QUESTIONS

SMALL = 10_000


@pytest.fixture(params=LANGUAGES)
def history(request: pytest.FixtureRequest) -> LongHistory:
    return make_history(3, SMALL, request.param)


def texts(history: LongHistory) -> dict[int, str]:
    return {turn.number: turn.text for turn in history.turns}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_seed_decides(language: str) -> None:
    one, same, other = (make_history(seed, SMALL, language) for seed in (5, 5, 6))
    assert one.questions == same.questions and list(one.turns) == list(same.turns)
    assert list(one.turns) == list(one.turns)  # read twice
    assert one.questions != other.questions


@pytest.mark.parametrize(("tokens", "language"), [*itertools.product((SMALL, 60_000), LANGUAGES)])
def test_size_and_order(tokens: int, language: str) -> None:
    turns = list(make_history(0, tokens, language).turns)
    assert sum(len(t.text) for t in turns) / 4 == pytest.approx(tokens, rel=0.01)
    assert [t.number for t in turns] == list(range(len(turns)))
    assert [t.day for t in turns] == sorted(t.day for t in turns) and len({t.day for t in turns}) > 10
    assert all(t.speaker == ("assistant" if t.number % 2 else "user") and t.text for t in turns)


def test_a_million_tokens_start_at_once() -> None:
    """Nothing but the plan is made before a turn is asked for."""
    history = make_history(0, 1_000_000, "en")
    assert len(history.turns) > 30_000
    assert next(iter(history.turns)).number == 0


def test_every_kind_is_asked(history: LongHistory) -> None:
    assert {kind: sum(q.kind == kind for q in history.questions) for kind in KINDS} == dict.fromkeys(KINDS, PER_KIND)


def test_evidence_holds_the_answer(history: LongHistory) -> None:
    said = texts(history)
    for question in history.questions:
        evidence = [said[number] for number in question.evidence]
        if question.kind in ("single", "latest", "composition"):
            assert question.answers[0] in evidence[-1], question
        elif question.kind == "history":
            before, now = evidence
            assert question.answers[0] in before and any(w in now for w in question.wrong)
            assert question.evidence[0] < question.evidence[1]
        elif question.kind == "temporal":
            assert question.answers == ("a" if question.evidence[0] < question.evidence[1] else "b",)
        else:
            assert not evidence


def statements(question: Question, value: str) -> list[re.Pattern[str]]:
    """How the user would say that what the question asks for is `value` (a pattern)."""
    side = int(bool(re.search(r"[\u4e00-\u9fff]", question.text)))
    people = [{"s": n[side], "p": (f"{n[0]}'s", f"{n[1]}的")[side]} for n in NAMES]
    for who in [{"s": ("I", "我")[side], "p": ("my", "我的")[side]}, *people]:
        for attribute in ATTRIBUTES:
            if QUESTIONS[question.kind][side].format(**who, noun=attribute.noun[side]) == question.text:
                said = [pair[side].format(**who, v="VALUE") for pair in attribute.told]
                return [re.compile(re.escape(text).replace("VALUE", value), re.IGNORECASE) for text in said]
    raise AssertionError(f"nobody asks {question.text!r}")


def test_what_is_not_known_was_never_said(history: LongHistory) -> None:
    said = "\n".join(texts(history).values())
    for question in history.questions:
        found = [p for p in statements(question, ".+?") if p.search(said)] if question.kind == "abstention" else []
        assert not found, question.text


def test_nothing_newer_contradicts_the_latest(history: LongHistory) -> None:
    turns = texts(history)
    for question in (q for q in history.questions if q.kind == "latest"):
        patterns = statements(question, ".+?")
        newest = max(n for n, text in turns.items() if any(p.search(text) for p in patterns))
        assert (newest,) == question.evidence, question.text


def test_right_and_wrong_answers() -> None:
    latest = Question("latest", "?", ("blue Volvo",), (4,), ("red Fiat",))
    assert is_right(latest, "It's a Blue  volvo.") and not is_right(latest, "a red Fiat")
    assert not is_right(latest, "first a red Fiat, then a blue Volvo")  # naming every value is no answer
    assert not is_right(latest, "blue Volvos") and not is_right(latest, "")
    phone = Question("single", "?", ("555-1234", "5551234"), (1,))
    assert is_right(phone, "555 1234") and is_right(phone, "5551234") and not is_right(phone, "555-12345")
    chinese = Question("single", "?", ("奥斯陆",), (1,))
    assert is_right(chinese, "现在住在奥斯陆。") and not is_right(chinese, "奥斯")
    order = Question("temporal", "?", ("a",), (1, 2))
    assert is_right(order, "A.") and not is_right(order, "B") and not is_right(order, "A or B")
    assert normalise_answer("The  Café, is open!") == "café is open"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("answer", ["I don't know.", "That was never mentioned", "不知道", "您没有提到过"])
def test_abstaining(language: str, answer: str) -> None:
    questions = [q for q in make_history(1, SMALL, language).questions if q.kind in ("abstention", "single")]
    scores = score_answers(questions, [answer] * len(questions))
    assert scores["abstention"] == 1 and scores["single"] == 0 and scores["all"] == pytest.approx(0.5)


def test_perfect_answers_score_one(history: LongHistory) -> None:
    scores = score_answers(history.questions, [q.answers[0] for q in history.questions])
    assert scores == dict.fromkeys(("all", *KINDS), 1.0)


def test_evidence_recall_counts_the_first_k() -> None:
    questions = [
        Question("single", "?", ("x",), (7,)),
        Question("history", "?", ("y",), (1, 2)),
        Question("abstention", "?", ("z",)),
    ]
    found = [[3, 7], [2, 9, 1], [5]]
    assert evidence_recall(questions, found, 1) == {"all": 0.25, "single": 0.0, "history": 0.5}
    assert evidence_recall(questions, found, 3) == {"all": 1.0, "single": 1.0, "history": 1.0}


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="tokens=9"):
        make_history(0, 9, "en")
    with pytest.raises(ValueError, match="language='fr'"):
        make_history(0, SMALL, "fr")
    with pytest.raises(ValueError, match="1 answers to 60 questions"):
        score_answers(make_history(0, SMALL, "en").questions, ["x"])
    with pytest.raises(ValueError, match="0 lists for 60 questions"):
        evidence_recall(make_history(0, SMALL, "en").questions, [], 5)
