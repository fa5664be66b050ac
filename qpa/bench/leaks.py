"""Proof that nothing a policy is judged on was in its training data."""

from __future__ import annotations

from collections.abc import Iterable

from qpa.contract import Split, TaskSpec


def find_leaks(train: Iterable[TaskSpec], held_out: Iterable[TaskSpec]) -> list[str]:
    """One line per leak of a held-out (dev, evolve, test) task into `train`; empty means clean.

    A leak is the same task id, the same goal text in the same world, or a family of `test_unseen_family` in training.
    Goals are compared without case, spacing and punctuation, so that a reworded copy of a goal counts too.
    """
    train = list(train)
    ids = {t.id for t in train}
    scenes = {_scene(t): t.id for t in train}
    trained = {t.family for t in train}
    leaks = []
    for task in held_out:
        if task.id in ids:
            leaks.append(f"{task.id}: this very task is in train")
        elif _scene(task) in scenes:
            leaks.append(f"{task.id}: same goal and world as {scenes[_scene(task)]}")
        if task.split is Split.TEST_UNSEEN_FAMILY and task.family in trained:
            leaks.append(f"{task.id}: family {task.family} is in train")
    return leaks


def shared_goals(train: Iterable[TaskSpec], held_out: Iterable[TaskSpec]) -> float:
    """Share of held-out tasks whose goal text alone occurs in `train` (another world): how much is mere wording."""
    goals = {_goal(t) for t in train}
    tasks = list(held_out)
    return sum(_goal(t) in goals for t in tasks) / len(tasks) if tasks else 0.0


def _goal(task: TaskSpec) -> str:
    return "".join(c for c in task.goal.casefold() if c.isalnum())


def _scene(task: TaskSpec) -> tuple[str, int]:
    return _goal(task), task.initial.world_seed
