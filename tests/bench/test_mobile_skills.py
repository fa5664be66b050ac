"""The skill families of the suite "mobile": every package has its use, and a loader suffices for each."""

from __future__ import annotations

import functools

from qpa.bench.rehearsal import SPLIT_OF_UNSEEN
from qpa.bench.suites import families, gold_tools, make_task
from qpa.contract import Dimension, Split, TaskSpec
from qpa.envs.skills import builtin_skills


@functools.cache
def tasks() -> tuple[TaskSpec, ...]:
    """One instance of each kind of each skill family, loaders only."""
    return tuple(
        make_task(f.name, 2 * k, SPLIT_OF_UNSEEN.get(f.unseen, Split.DEV), 15, "en", "sor")
        for f in families("mobile").values()
        if f.dimension is Dimension.SKILL
        for k in range(f.variants)
    )


def test_every_package_is_needed_by_some_family() -> None:
    needed = {skill for task in tasks() for skill in task.required_skills}
    assert {s.name for s in builtin_skills()} - needed == set()


def test_the_demanded_skills_bring_every_tool_of_the_expert_and_each_brings_something() -> None:
    tools = {s.name: set(s.tools) for s in builtin_skills()}
    for task in tasks():
        used = set(gold_tools(task.id))
        brought = set().union(*(tools[skill] for skill in task.required_skills))
        assert used <= brought, task.id
        idle = [s for s in task.required_skills if tools[s] and not tools[s] & used]
        assert not idle, (task.id, idle)
