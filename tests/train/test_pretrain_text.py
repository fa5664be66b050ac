"""The pretraining text: a function of the seed, about nothing the benchmark asks, supervised where it follows."""

from __future__ import annotations

import collections
import hashlib
import json
import os
import re
import subprocess
import sys

import pytest

from qpa.bench import load_suite
from qpa.bench.families.values import Draw
from qpa.bench.suites import WORLDS, families
from qpa.chat.markers import SPECIALS
from qpa.contract import Split
from qpa.envs.sandbox import catalog, make_world
from qpa.train.pretrain import documents, frames
from qpa.train.pretrain import words as w
from qpa.train.pretrain.documents import document, made_up_tool
from qpa.train.pretrain.frames import frame

REAL = frozenset(spec.name for spec in catalog())
FRAMES = [maker for maker, _ in frames.MIXTURE]
KINDS = [maker for maker, _ in documents.MIXTURE]


def text(doc) -> str:
    return "".join(span.text for span in doc)


def make(maker, seed, banned=REAL):
    rng = w.Source(f"{maker.__name__}/{seed}")
    takes_names = maker in FRAMES or maker is documents.signature_call
    return maker(rng, banned) if takes_names else maker(rng)


@pytest.fixture(scope="module")
def sample() -> list:
    """400 documents of each mixture."""
    return [make_one(w.Source(f"sample/{i}"), REAL) for i in range(400) for make_one in (document, frame)]


def test_both_mixtures_are_shares_of_every_kind():
    for mixture in (documents.MIXTURE, frames.MIXTURE):
        assert sum(weight for _, weight in mixture) == pytest.approx(1.0)
    seen = collections.Counter()
    for maker in (*FRAMES, *KINDS):
        seen[maker.__name__] += len({text(make(maker, seed)) for seed in range(20)})
    assert set(seen.values()) == {20}  # no kind repeats itself


DIGEST = """
import hashlib
from qpa.train.pretrain.documents import document
from qpa.train.pretrain.frames import frame
from qpa.train.pretrain.words import Source
rng, digest = Source("s"), hashlib.sha256()
for make in (document, frame) * 60:
    digest.update(repr(make(rng, frozenset({"manage_alarm"}))).encode())
print(digest.hexdigest())
"""


def test_the_text_depends_on_the_seed_alone():
    runs = [
        subprocess.run(
            [sys.executable, "-c", DIGEST], capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1] and len(runs[0].strip()) == len(hashlib.sha256().hexdigest())
    assert document(w.Source("a"), REAL) != document(w.Source("b"), REAL)


def test_no_tool_of_the_catalogue_is_ever_named(sample):
    names = {name for doc in sample for name in re.findall(r"[A-Za-z0-9_]+", text(doc))}
    assert len(names) > 2000 and not names & REAL
    assert not set(w.PHONE_WORDS + w.GLUE) & REAL  # nor does the tokenizer's vocabulary hold one whole


@pytest.mark.parametrize("maker", [documents.signature_call, *FRAMES])
def test_a_banned_name_is_replaced_wherever_a_name_is_made(maker):
    for seed in range(15):
        named = frozenset(re.findall(r"\b([a-z]+_[a-z_]+)\(", text(make(maker, seed, frozenset()))))
        banned = frozenset(n for n in named if not n.startswith("kit__"))
        again = set(re.findall(r"\b([a-z]+_[a-z_]+)\(", text(make(maker, seed, banned))))
        assert banned and again and not again & banned


def test_rare_words_are_made_of_the_given_pieces_and_stand_wherever_values_do():
    pieces = ["qua", "zo", "Xi"]
    word = r"(?i:qua|zo|xi){1,3}"
    for maker in (w.name, w.city, w.pseudo_word, w.phrase):
        assert re.fullmatch(rf"{word}( {word})*", maker(w.Source("s", pieces, 1.0)))
    made = [text(make_one(w.Source(f"r{i}", pieces, 0.4), REAL)) for i in range(100) for make_one in (document, frame)]
    assert sum(bool(re.search(r"(?i)quazo|zoqua|zozo", t)) for t in made) > 60
    assert not any(re.search(r"(?i)quazo|zoqua|zozo", text(make(maker, 0))) for maker in (*FRAMES, *KINDS))
    with pytest.raises(ValueError, match="needs pieces"):
        w.Source("s", rare=0.1)


def test_made_up_names_meet_the_ban():
    first = made_up_tool(w.Source("x"), frozenset())
    assert made_up_tool(w.Source("x"), frozenset({first.name})).name != first.name


def test_nobody_acts_in_it(sample):
    specials = {span.text for doc in sample for span in doc if span.special}
    assert specials <= set(SPECIALS) - {"<tool_call>", "</tool_call>", "<think>", "</think>"}
    assert not any("tool_call" in text(doc) for doc in sample)
    forged = [span.text for doc in sample for span in doc if not span.special and any(s in span.text for s in SPECIALS)]
    assert forged == []


def letters(line: str) -> str:
    return "".join(c for c in line.casefold() if c.isalnum())


def test_no_goal_of_the_benchmark_occurs(sample):
    held_out = [load_suite("core", s, limit) for s, limit in ((Split.TEST_UNSEEN_INSTANCE, 82), ("dev", 41))]
    goals = {letters(task.goal) for tasks in held_out for task in tasks}
    goals |= {letters(task.goal) for task in load_suite("core", Split.TEST_UNSEEN_FAMILY, 14)}
    goals = {goal for goal in goals if len(goal) >= 12}
    everything = "\n".join(letters(text(doc)) for doc in sample)
    assert len(goals) > 100 and [goal for goal in goals if goal in everything] == []


def phrasings() -> set[str]:
    """Every way in which a family words a goal, with its slots open, for two worlds."""
    found = set()
    for name, family in families().items():
        split = Split.TEST_UNSEEN_FAMILY if family.unseen else Split.TRAIN
        for seed in range(2):
            draft = family.generate(Draw(f"{name}:{split}:{seed}", seed), make_world(WORLDS[split][0] + seed))
            found.update(draft.phrasings)
    return found


def occurrences(phrasing: str, lines: list[str]) -> list[str]:
    parts = [part.casefold() for part in re.split(r"\{[^}]*\}", phrasing)]
    key = max(parts, key=len)
    pattern = re.compile(".{1,60}?".join(re.escape(part) for part in parts))
    return [line for line in lines if key in line and pattern.search(line)]


def test_no_phrasing_of_any_family_occurs_with_its_slots_filled(sample):
    lines = [line.casefold() for doc in sample for line in text(doc).split("\n")]
    worded = {p for p in phrasings() if len(re.findall(r"[a-z]+", re.sub(r"\{[^}]*\}", "", p.casefold()))) >= 3}
    assert len(worded) > 100  # those of one or two fixed words ("Call {name}.") are English, not the benchmark's
    assert {p: found[0] for p in worded if (found := occurrences(p, lines))} == {}
    planted = [next(iter(worded)).casefold().replace("{", "").replace("}", "")]
    assert occurrences(next(iter(worded)), planted)


# --- what is supervised --------------------------------------------------------------------------------------------


def test_every_document_asks_and_then_supervises(sample):
    for doc in sample:
        assert any(span.supervised for span in doc)
        if doc[0].supervised:  # prose alone has nothing to follow from
            assert len(doc) == 1
    assert sum(doc[0].supervised for doc in sample) < 0.05 * len(sample)


@pytest.mark.parametrize("maker", [documents.chat_echo, *FRAMES])
def test_in_a_chat_only_the_assistant_is_supervised(maker):
    for seed in range(20):
        role, inside = "", []
        for span in make(maker, seed):
            if span.text == "<|im_start|>":
                role = ""
            elif not role:
                role = span.text
                assert role.startswith(("system\n", "user\n", "assistant\n")) and not span.supervised
            elif span.text != "\n":
                inside.append((role, span.supervised))
        assert {role for role, supervised in inside if supervised} == {"assistant\n"}
        assert all(supervised for role, supervised in inside if role == "assistant\n")


@pytest.mark.parametrize("maker", [documents.signature_call, *FRAMES])
def test_what_a_supervised_object_holds_stands_before_it(maker):
    objects = 0
    for seed in range(30):
        before = ""
        for span in make(maker, seed):
            for line in span.text.splitlines() if span.supervised else ():
                if line.startswith("{"):
                    made = json.loads(line)
                    objects += 1
                    assert f"{made['name']}(" in before
                    assert all(str(value) in before and key in before for key, value in made["arguments"].items())
            before += span.text
    assert objects >= 30


@pytest.mark.parametrize("maker", [documents.copy_text, documents.json_recall, documents.pick_item, documents.slots])
def test_a_recalled_value_stands_before_it(maker):
    for seed in range(40):
        before = ""
        for span in make(maker, seed):
            assert not span.supervised or span.text.strip() in before
            before += span.text


def test_an_object_is_made_of_the_lines_above_it():
    for seed in range(40):
        asked, answer = make(documents.text_to_json, seed)
        *lines, keys, _ = asked.text.split("\n")
        values = dict(line.split(" = ", 1) for line in lines)
        assert {k: str(v) for k, v in json.loads(answer.text).items()} == {k: values[k] for k in keys.split(", ")}
