"""Every family of the benchmark, in both languages: solvable, and no mutated course of action passes."""

from __future__ import annotations

import re

import pytest

from qpa.bench.audit import audit
from qpa.bench.rehearsal import SPLIT_OF_UNSEEN
from qpa.bench.suites import families, make_task, oracle
from qpa.bench.unseen import UNSEEN_APP_DOMAINS, UNSEEN_APPS, UNSEEN_TOOLS
from qpa.chat import reply_intent
from qpa.contract import CallTools, Dimension, Reply, Split, TaskSpec, to_json
from qpa.envs.sandbox import catalog

FAMILIES = families("mobile")
DOMAIN_OF = {spec.name: spec.domain for spec in catalog()}
CHINESE = re.compile(r"[\u4e00-\u9fff]")
LEAST = 4  # instances of a family in each language


def tasks_of(name: str, language: str) -> list[TaskSpec]:
    family = FAMILIES[name]
    splits = [SPLIT_OF_UNSEEN[family.unseen]] if family.unseen else [Split.TRAIN, Split.TEST_UNSEEN_INSTANCE]
    routings = ("mtsr", "sor") if family.dimension is Dimension.SKILL else ("",)
    parity = 0 if language == "en" else 1  # as the suite has it
    count = max(LEAST, family.variants + 1) // 2  # each kind of instance once: the languages are half a round apart
    return [
        make_task(name, 2 * k + parity, splits[k % len(splits)], 15, language, routings[k // 2 % len(routings)])
        for k in range(count)
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_family(name: str, language: str) -> None:
    tasks = tasks_of(name, language)
    found = audit(tasks)
    assert not found.false_rejects, "\n".join(found.false_rejects[:3])
    assert not found.false_accepts, "\n".join(found.false_accepts[:3])
    assert not found.progress_drops, found.progress_drops
    assert found.fewest_wrong >= 5
    for task in tasks:
        check_wording(task, language)
        check_marks(task)


def check_wording(task: TaskSpec, language: str) -> None:
    reply = oracle(task)[-1]
    assert isinstance(reply, Reply) and reply_intent(reply.text) is reply.intent, reply.text
    said = [task.goal, reply.text, *(m.content for m in task.history if m.role == "user")]
    for text in said:
        assert "{" not in text and "  " not in text and text == text.strip(), text
        assert bool(CHINESE.search(text)) == (language == "zh"), text


def check_marks(task: TaskSpec) -> None:
    """A family that calls an unseen tool or names an unseen app says so, and nothing else does."""
    called = {c.name for a in oracle(task) if isinstance(a, CallTools) for c in a.calls}
    text = task.goal + to_json(oracle(task)).decode() + "".join(m.content for m in task.history)
    app = any(a in text for a in UNSEEN_APPS) or any(DOMAIN_OF.get(n) in UNSEEN_APP_DOMAINS for n in called)
    unseen = FAMILIES[task.family].unseen
    assert bool(called & UNSEEN_TOOLS) == (unseen == "tool"), called & UNSEEN_TOOLS
    assert app == (unseen == "app") or unseen == "family"


@pytest.mark.parametrize("name", sorted(FAMILIES))
def test_goals_vary(name: str) -> None:
    """Not one sentence told again and again: what the user says differs among seeds and languages."""
    family = FAMILIES[name]
    split = SPLIT_OF_UNSEEN.get(family.unseen, Split.TRAIN)
    tasks = [make_task(name, seed, split, 15, language) for seed in range(10) for language in ("en", "zh")]
    assert len({task.goal + "".join(m.content for m in task.history) for task in tasks}) >= 10
