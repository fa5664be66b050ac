"""Verifies the verifier: on every task the expert and its variations must pass, and every mutated course must fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec

from qpa.bench import mutants
from qpa.bench.checkers import BenchVerifier
from qpa.bench.rehearsal import make_env
from qpa.bench.replay import run_actions, run_now
from qpa.bench.suites import alternatives, oracle
from qpa.contract import Action, CallTools, TaskSpec, ToolKind, Trajectory, to_json
from qpa.envs.sandbox import catalog
from qpa.envs.sandbox.world import read_world


@dataclass
class Audit:
    """What was tried and what came out wrong; the lists must stay empty."""

    tasks: int = 0
    wrong_tried: Counter[str] = field(default_factory=Counter)  # by kind
    right_tried: Counter[str] = field(default_factory=Counter)
    fewest_wrong: int = 10**9  # the least number of wrong courses any task had
    false_accepts: list[str] = field(default_factory=list)
    false_rejects: list[str] = field(default_factory=list)
    progress_drops: list[str] = field(default_factory=list)  # progress fell along the expert's path, or was 1 too early

    @property
    def clean(self) -> bool:
        """No exception found."""
        return not (self.false_accepts or self.false_rejects or self.progress_drops)


def audit(tasks: Iterable[TaskSpec]) -> Audit:
    """Plays everything against `tasks`; each task is given the tools it needs, whatever its candidates were."""
    auditor = Auditor()
    for task in tasks:
        auditor.check(task)
    return auditor.found


class Auditor:
    """An audit in progress: `check` the tasks, then read `found`."""

    def __init__(self) -> None:
        self.found = Audit()
        self.specs = {s.name: s for s in catalog() if s.kind is not ToolKind.SKILL}
        self.env = make_env(BenchVerifier())

    def check(self, original: TaskSpec) -> None:
        """Plays everything against one task."""
        actions = oracle(original)
        task = msgspec.structs.replace(original)
        used = [c.name for a in actions if isinstance(a, CallTools) for c in a.calls if c.name in self.specs]
        self.found.tasks += 1
        # Skill-only tasks keep their empty list of tools: a loader is the only way to them.
        if task.resources.tools:
            tools = list(dict.fromkeys([*task.resources.tools, *used, *mutants.NEEDED_TOOLS]))
            task.resources = msgspec.structs.replace(task.resources, tools=tools)
        self._right(task, "the expert", actions)
        for number, other in enumerate(alternatives(original), start=1):
            self._right(task, f"alternative {number}", other)
        for kind, course in mutants.right(task, actions, self.specs):
            if task.resources.tools or kind in ("one call at a time", "more words in the reply"):
                self._right(task, kind, course)
        self._wrong(task, actions)
        self._progress(task, actions)

    def _right(self, task: TaskSpec, kind: str, course: list[Action]) -> None:
        self.found.right_tried[kind] += 1
        trajectory = self._play(task, course)
        assert trajectory.verdict is not None
        if not trajectory.verdict.success:
            verdict = trajectory.verdict
            why = "; ".join(f"{c.name} {c.detail}".strip() for c in verdict.checks + verdict.gates if not c.passed)
            self.found.false_rejects.append(f"{task.id}: {kind}: {why}")

    def _wrong(self, task: TaskSpec, actions: list[Action]) -> None:
        tried = 0
        rows = {**read_world(task.initial.world_seed).rows}
        for table, patched in task.initial.patch.items():
            rows[table] = [*patched, *rows.get(table, [])]
        for kind, course in mutants.wrong(task, actions, self._needed(task, actions), self.specs, rows):
            if course == actions:
                continue
            trajectory = self._play(task, course)
            assert trajectory.verdict is not None
            if kind == "one write too many" and not _accepted(trajectory, "extra"):
                continue  # the tool is not visible, or the phone is off: nothing was written
            tried += 1
            self.found.wrong_tried[kind.partition(":")[0]] += 1
            if trajectory.verdict.success:
                self.found.false_accepts.append(f"{task.id}: {kind}: {to_json(course).decode()}")
        self.found.fewest_wrong = min(self.found.fewest_wrong, tried)

    def _progress(self, task: TaskSpec, actions: list[Action]) -> None:
        """Along the expert's path progress never falls, and is 1 at the end only."""
        verdicts = [self._play(task, actions[:n]).verdict for n in range(1, len(actions) + 1)]
        path = [v.progress for v in verdicts if v is not None]
        if path != sorted(path) or any(p == 1 for p in path[:-1]):
            self.found.progress_drops.append(f"{task.id}: {[round(p, 2) for p in path]}")

    def _needed(self, task: TaskSpec, actions: list[Action]) -> set[str]:
        """Calls that succeed, and those of the last block: there running into an error may be the point.

        Of equal calls the last one: the expert repeats what did not work.
        """
        steps = [s for s in self._play(task, actions).steps if isinstance(s.action, CallTools)]
        last = {to_json((c.name, c.arguments)): c.id for s in steps for c in s.action.calls}  # type: ignore[union-attr]
        succeeded = {f.call_id for s in steps for f in s.feedback if f.ok} & set(last.values())
        return succeeded | {c.id for s in steps[-1:] for c in s.action.calls}  # type: ignore[union-attr]

    def _play(self, task: TaskSpec, course: list[Action]) -> Trajectory:
        return run_now(run_actions(self.env, task, course))


def _accepted(trajectory: Trajectory, call_id: str) -> bool:
    return any(f.ok for step in trajectory.steps for f in step.feedback if f.call_id == call_id)
