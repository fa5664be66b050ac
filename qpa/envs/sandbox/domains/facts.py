"""What the question-answering agent knows. Anything else gets "no entry": it never guesses."""

from __future__ import annotations

import re
from dataclasses import dataclass

_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Fact:
    """`question` is a phrasing that finds it; each of `keys` (alternatives joined by "|") must be in the query."""

    question: str
    keys: tuple[str, ...]
    answer: str


def _fact(question: str, keys: str, answer: str) -> Fact:
    return Fact(question, tuple(keys.split()), answer)


FACTS: tuple[Fact, ...] = (
    _fact("What is the capital of France?", "capital france", "Paris"),
    _fact("What is the capital of Japan?", "capital japan", "Tokyo"),
    _fact("What is the capital of Australia?", "capital australia", "Canberra"),
    _fact("What is the capital of Canada?", "capital canada", "Ottawa"),
    _fact("What is the capital of Brazil?", "capital brazil", "Brasilia"),
    _fact("What is the capital of Egypt?", "capital egypt", "Cairo"),
    _fact("What is the highest mountain?", "highest|tallest mountain", "Mount Everest"),
    _fact("What is the largest ocean?", "largest|biggest ocean", "The Pacific Ocean"),
    _fact("What is the largest planet?", "largest|biggest planet", "Jupiter"),
    _fact("Which planet is closest to the sun?", "closest|nearest planet sun", "Mercury"),
    _fact("What is the longest river?", "longest river", "The Nile"),
    _fact("What is the fastest land animal?", "fastest animal", "The cheetah"),
    _fact("What is the largest mammal?", "largest|biggest mammal|animal", "The blue whale"),
    _fact("At what temperature does water boil?", "water boil|boils|boiling", "100 degrees Celsius at sea level"),
    _fact("At what temperature does water freeze?", "water freeze|freezes|freezing", "0 degrees Celsius"),
    _fact("What is the chemical symbol of gold?", "symbol gold", "Au"),
    _fact("What is the chemical symbol of iron?", "symbol iron", "Fe"),
    _fact("What is the speed of light?", "speed light", "299,792 kilometers per second"),
    _fact("How many bones does an adult have?", "how many bones", "206"),
    _fact("How many continents are there?", "how many continents", "Seven"),
    _fact("How many days are in a leap year?", "days leap year", "366"),
    _fact("How many minutes are in a day?", "minutes in|per day", "1440"),
    _fact("How many keys does a piano have?", "keys piano", "88"),
    _fact("How many players are in a soccer team?", "players soccer|football team", "Eleven"),
    _fact("How long is a marathon?", "long|length|distance marathon", "42.195 kilometers"),
    _fact("Who wrote Hamlet?", "wrote|author hamlet", "William Shakespeare"),
    _fact("Who painted the Mona Lisa?", "painted|painter mona lisa", "Leonardo da Vinci"),
    _fact("Who wrote Pride and Prejudice?", "wrote|author pride prejudice", "Jane Austen"),
    _fact("Who developed the theory of relativity?", "who relativity", "Albert Einstein"),
    _fact("Who was the first person on the Moon?", "who first moon", "Neil Armstrong"),
    _fact("When did the first Moon landing happen?", "when|year moon", "July 20, 1969"),
    _fact("When did the Berlin Wall fall?", "when|year berlin wall", "November 9, 1989"),
    _fact("What is the currency of Japan?", "currency japan", "The yen"),
    _fact("What is the currency of Switzerland?", "currency switzerland", "The Swiss franc"),
    _fact("What is the value of pi?", "value pi", "About 3.14159"),
    _fact("What is the square root of 144?", "square root 144", "12"),
    _fact("What gas do plants absorb?", "gas plants", "Carbon dioxide"),
    _fact("Which vitamin does sunlight provide?", "vitamin sun|sunlight", "Vitamin D"),
    _fact("What is the emergency number in Europe?", "emergency number europe", "112"),
    _fact("Which language is most spoken in Brazil?", "language brazil", "Portuguese"),
)


def answer(query: str) -> str | None:
    """The answer of the most specific fact whose keys are all in the query, or None."""
    words = {w.casefold() for w in _WORD.findall(query)}
    found = [f for f in FACTS if all(words & set(key.split("|")) for key in f.keys)]
    return max(found, key=lambda f: len(f.keys)).answer if found else None
