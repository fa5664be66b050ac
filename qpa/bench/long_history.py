"""Long dialogues with facts that change, and questions about them: a test of memory from 10k to a million tokens.

A history is planned first (who says what when) and its text made turn by turn, so that a million tokens take seconds
and no more memory than the plan. Sizes are counted in characters / 4, a proxy that needs no tokenizer; Chinese text
has more real tokens than that.

    history = make_history(seed=0, tokens=100_000, language="en")
    for turn in history.turns: ...                 # read, remember
    answers = [answer(q.text) for q in history.questions]
    score_answers(history.questions, answers)      # {"all": 0.7, "single": 0.9, ...}
"""

from __future__ import annotations

import random
import re
import string
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from qpa.bench.long_history_words import (
    ATTRIBUTES,
    CHATTER,
    CHATTER_VALUES,
    NAMES,
    QUESTIONS,
    RELATION,
    UNKNOWN,
    Attribute,
    Pair,
)

LANGUAGES = ("en", "zh")
KINDS = tuple(QUESTIONS)
FEWEST_TOKENS, MOST_TOKENS = 10_000, 1_000_000
CHARS_PER_TOKEN = 4
PER_KIND = 10  # questions
SESSION_TURNS = 24  # user and assistant by turns
_SESSION_TOKENS = {"en": 600, "zh": 300}  # turns of two to four sentences
_FACTS_PER_SESSION = 4
_FIRST_DAY, _SPAN_DAYS = date(2023, 1, 2), 720
_HALF_SENTENCE = (20, 7)  # characters
_VERSIONS = (1, 1, 1, 2, 2, 3)  # how often a fact is told with a new value
_Subject = Pair | None  # a name, or None for the user


@dataclass(frozen=True)
class Turn:
    """One utterance. `number` counts from 0; `day` is its session's date."""

    number: int
    day: str
    speaker: str  # user | assistant
    text: str


@dataclass(frozen=True)
class Question:
    """Asked after the last turn. An answer is right when it contains one of `answers` and none of `wrong`.

    `evidence` are the numbers of the turns that together hold the answer; empty for what was never said.
    """

    kind: str
    text: str
    answers: tuple[str, ...]
    evidence: tuple[int, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Fact:
    """`subject`'s attribute takes this value at this turn."""

    turn: int
    subject: _Subject
    attribute: Attribute
    value: Pair


@dataclass(frozen=True)
class LongHistory:
    """`turns` can be iterated over again and again; each time the text is made anew."""

    turns: Turns
    questions: tuple[Question, ...]


class Turns:
    """The turns of a history, made while they are read."""

    def __init__(self, key: str, tokens: int, language: str, facts: Sequence[_Fact], people: Sequence[Pair]) -> None:
        self._key, self._chars, self._side = key, tokens * CHARS_PER_TOKEN, LANGUAGES.index(language)
        self._facts = {fact.turn: fact for fact in facts}
        self._names = tuple(pair[self._side] for pair in people)
        self._sessions = _sessions(tokens, language)

    def __len__(self) -> int:
        return self._sessions * SESSION_TURNS

    def __iter__(self) -> Iterator[Turn]:
        spent, total = 0, len(self)
        for session in range(self._sessions):
            rng = random.Random(f"{self._key}:{session}")
            day = session_day(session, self._sessions)
            for offset in range(SESSION_TURNS):
                number = session * SESSION_TURNS + offset
                speaker = "assistant" if offset % 2 else "user"
                text = self._text(rng, number, speaker, self._chars * (number + 1) // total - spent)
                spent += len(text)
                yield Turn(number, day, speaker, text)

    def _text(self, rng: random.Random, number: int, speaker: str, room: int) -> str:
        """Chatter of about `room` characters, around the turn's fact if it has one."""
        fact = self._facts.get(number)
        sentences = [] if fact is None else [_statement(rng, fact, self._side)]
        size = sum(map(len, sentences))
        templates = _CHATTER[speaker][self._side]
        for text, slots in rng.sample(templates, len(templates)):  # nobody says the same thing twice in a row
            if sentences and size >= room - _HALF_SENTENCE[self._side]:
                break
            sentence = self._chatter(rng, text, slots)
            sentences.append(sentence)
            size += len(sentence) + 1
        if fact is not None and rng.random() < 0.5:  # not always the first thing said
            sentences.append(sentences.pop(0))
        return ("" if self._side else " ").join(sentences)

    def _chatter(self, rng: random.Random, text: str, slots: Sequence[str]) -> str:
        values = {s: rng.choice(self._names) if s == "name" else rng.choice(_VALUES[s][self._side]) for s in slots}
        return text.format(**values)


def make_history(seed: int, tokens: int, language: str) -> LongHistory:
    """The history with this seed. Raises ValueError for a size or language that there is not."""
    if not FEWEST_TOKENS <= tokens <= MOST_TOKENS:
        raise ValueError(f"make_history: tokens={tokens}, want {FEWEST_TOKENS} to {MOST_TOKENS}")
    if language not in LANGUAGES:
        raise ValueError(f"make_history: language={language!r}, want one of {', '.join(LANGUAGES)}")
    key = f"long-history:{language}:{tokens}:{seed}"
    rng = random.Random(key)
    told, people = _schedule(rng, _sessions(tokens, language))
    facts = [fact for versions in told.values() for fact in versions]
    side = LANGUAGES.index(language)
    return LongHistory(Turns(key, tokens, language, facts, people), tuple(_questions(rng, told, side)))


def session_day(session: int, sessions: int) -> str:
    """The date of a session, YYYY-MM-DD."""
    return (_FIRST_DAY + timedelta(days=session * _SPAN_DAYS // sessions)).isoformat()


# --- scoring --------------------------------------------------------------------------------------------------------


def score_answers(questions: Sequence[Question], answers: Sequence[str]) -> dict[str, float]:
    """Share of right answers, over "all" and of each kind. Raises ValueError unless there is one answer each."""
    if len(answers) != len(questions):
        raise ValueError(f"score_answers: {len(answers)} answers to {len(questions)} questions")
    return _by_kind(questions, [float(is_right(q, a)) for q, a in zip(questions, answers, strict=True)])


def is_right(question: Question, answer: str) -> bool:
    """Whether the answer says one of the accepted forms, whole words only, and none of the wrong ones."""
    said = normalise_answer(answer)
    if question.kind == "temporal":  # a letter: naming both events is no answer
        return said in question.answers
    return any(_says(said, form) for form in question.answers) and not any(_says(said, form) for form in question.wrong)


def normalise_answer(text: str) -> str:
    """Lower case, single spaces, no punctuation, no articles."""
    plain = re.sub(r"[^\w]+", " ", unicodedata.normalize("NFKC", text).casefold())
    words = plain.split()
    return " ".join(words if len(words) == 1 else [w for w in words if w not in ("a", "an", "the")])


def evidence_recall(questions: Sequence[Question], found: Sequence[Sequence[int]], k: int) -> dict[str, float]:
    """Mean share of a question's evidence among its first `k` found turn numbers, over "all" and of each kind.

    What was never said has no evidence and is left out. Raises ValueError unless there is one list each.
    """
    if len(found) != len(questions):
        raise ValueError(f"evidence_recall: {len(found)} lists for {len(questions)} questions")
    pairs = [(q, turns) for q, turns in zip(questions, found, strict=True) if q.evidence]
    shares = [len(set(q.evidence) & set(turns[:k])) / len(q.evidence) for q, turns in pairs]
    return _by_kind([q for q, _ in pairs], shares)


def _says(said: str, form: str) -> bool:
    wanted = normalise_answer(form)
    if re.search(r"[\u3400-\u9fff]", wanted):
        return wanted.replace(" ", "") in said.replace(" ", "")
    return f" {wanted} " in f" {said} "


def _by_kind(questions: Sequence[Question], values: Sequence[float]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for question, value in zip(questions, values, strict=True):
        groups["all"].append(value)
        groups[question.kind].append(value)
    return {kind: sum(group) / len(group) for kind, group in groups.items()}


# --- the plan -------------------------------------------------------------------------------------------------------

_Told = dict[tuple[_Subject, str], list[_Fact]]  # versions of each (subject, attribute), in time order


def _sessions(tokens: int, language: str) -> int:
    return tokens // _SESSION_TOKENS[language]


def _schedule(rng: random.Random, sessions: int) -> tuple[_Told, list[Pair]]:
    """What is told when, and whom it is about besides the user."""
    slots = [
        session * SESSION_TURNS + 2 * place
        for session in range(sessions)
        for place in rng.sample(range(SESSION_TURNS // 2), _FACTS_PER_SESSION)
    ]
    rng.shuffle(slots)
    people = rng.sample(NAMES, min(len(NAMES), max(3, len(slots) // 14)))
    told: _Told = {}
    for subject in (None, *people):
        others = [a for a in ATTRIBUTES if a.key != RELATION]
        chosen = rng.sample(others, rng.randint(5, 8) if subject else len(others) - 2)
        for attribute in (*chosen, next(a for a in ATTRIBUTES if a.key == RELATION)):
            versions = 1 if attribute.key == RELATION else rng.choice(_VERSIONS)
            if len(slots) < versions:
                return told, people
            turns = sorted(slots.pop() for _ in range(versions))
            values = rng.sample(_choices(attribute, subject, people), versions)
            told[subject, attribute.key] = [_Fact(t, subject, attribute, v) for t, v in zip(turns, values, strict=True)]
    return told, people


def _choices(attribute: Attribute, subject: _Subject, people: Sequence[Pair]) -> Sequence[Pair]:
    if attribute.key == RELATION:
        return [other for other in people if other != subject]
    return attribute.values


# --- questions ------------------------------------------------------------------------------------------------------


def _questions(rng: random.Random, told: _Told, side: int) -> Iterator[Question]:
    """Up to `PER_KIND` of each kind, fewer where a small history has no more."""
    plain = {k: v for k, v in told.items() if k[1] != RELATION}
    once = [v for v in plain.values() if len(v) == 1]
    changed = [v for v in plain.values() if len(v) > 1]
    for facts in _some(rng, once):
        yield _about("single", facts, 0, (facts[0].turn,), side)
    for facts in _some(rng, changed):
        yield _about("latest", facts, -1, (facts[-1].turn,), side)
    for facts in _some(rng, changed):
        yield _about("history", facts, -2, (facts[-2].turn, facts[-1].turn), side)
    yield from _compositions(rng, told, side)
    yield from _temporals(rng, list(plain.values()), side)
    subjects = dict.fromkeys(subject for subject, _ in told)
    missing = [(s, a) for s in subjects for a in ATTRIBUTES if (s, a.key) not in told and a.key != RELATION]
    for subject, attribute in _some(rng, missing):
        yield Question("abstention", _ask("abstention", side, subject, attribute), UNKNOWN)


def _some(rng: random.Random, items: Sequence) -> list:
    return rng.sample(items, min(PER_KIND, len(items)))


def _about(kind: str, facts: Sequence[_Fact], index: int, evidence: tuple[int, ...], side: int) -> Question:
    """A question for one version of a fact; naming another version is wrong."""
    fact = facts[index]
    others = tuple(f.value[side] for f in facts if f.value != fact.value)
    return Question(kind, _ask(kind, side, fact.subject, fact.attribute), _forms(fact, side), evidence, others)


def _compositions(rng: random.Random, told: _Told, side: int) -> Iterator[Question]:
    found = []
    for (subject, key), facts in told.items():
        if key == RELATION:
            partner = facts[0].value
            found += [(subject, facts[0], told[partner, a.key][-1]) for a in ATTRIBUTES if (partner, a.key) in told]
    known = [item for item in found if item[2].attribute.key != RELATION]
    for subject, link, fact in _some(rng, known):
        text = _ask("composition", side, subject, fact.attribute)
        yield Question("composition", text, _forms(fact, side), (link.turn, fact.turn))


def _temporals(rng: random.Random, versions: Sequence[Sequence[_Fact]], side: int) -> Iterator[Question]:
    for _ in range(PER_KIND):
        a, b = (rng.choice(facts) for facts in rng.sample(versions, 2))
        text = _ask("temporal", side, a.subject, a.attribute, v=a.value[side], other=b)
        yield Question("temporal", text, ("a" if a.turn < b.turn else "b",), (a.turn, b.turn))


def _ask(kind: str, side: int, subject: _Subject, attribute: Attribute, v: str = "", other: _Fact | None = None) -> str:
    values = {**_subject(subject, side), "noun": attribute.noun[side], "v": v}
    if other is not None:
        second = {f"{k}2": text for k, text in _subject(other.subject, side).items()}
        values |= {**second, "noun2": other.attribute.noun[side], "v2": other.value[side]}
    return QUESTIONS[kind][side].format(**values)


def _forms(fact: _Fact, side: int) -> tuple[str, ...]:
    value = fact.value[side]
    return (value, value.replace("-", "")) if "-" in value else (value,)


def _subject(subject: _Subject, side: int) -> dict[str, str]:
    """How a sentence names the subject: {s} as such, {p} as owner."""
    if subject is None:
        return {"s": ("I", "我")[side], "p": ("my", "我的")[side]}
    name = subject[side]
    return {"s": name, "p": (f"{name}'s", f"{name}的")[side]}


def _statement(rng: random.Random, fact: _Fact, side: int) -> str:
    text = rng.choice(fact.attribute.told)[side].format(**_subject(fact.subject, side), v=fact.value[side])
    return text[:1].upper() + text[1:]


def _slots(text: str) -> tuple[str, ...]:
    return tuple(slot for _, slot, _, _ in string.Formatter().parse(text) if slot)


_CHATTER = {
    speaker: tuple(tuple((pair[side], _slots(pair[side])) for pair in pairs) for side in range(len(LANGUAGES)))
    for speaker, pairs in CHATTER.items()
}
_VALUES = {
    slot: tuple(tuple(pair[side] for pair in pairs) for side in range(len(LANGUAGES)))
    for slot, pairs in CHATTER_VALUES.items()
}
