"""The verifier: one primary checker per task (tool, state or behaviour) ANDed with the memory and skill gates.

Every check works on observable evidence: calls with their feedback, the database changeset, the final reply. What the
planner says about its own success counts for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from qpa.bench.normalise import masked_row, normalise
from qpa.contract import (
    BehaviorCriteria,
    Check,
    Effect,
    ErrorType,
    Evidence,
    Feedback,
    Intent,
    Reply,
    RowChange,
    StateCriteria,
    StopReason,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolKind,
    ToolSpec,
    ToolStep,
    Trajectory,
    Verdict,
)

_ANSWERED = frozenset({StopReason.FINISHED, StopReason.ASKED, StopReason.REFUSED})
_SEARCH = "search_user_memory"
_LOADER = "skill__"
_LOOKS = frozenset({"read", "search", "sum"})  # actions beside "query"
_SPACED = r"[^\W\u3040-\u30ff\u3400-\u9fff]"  # a letter or digit of a script that puts spaces between words


@dataclass(frozen=True)
class MadeCall:
    """A call with what came back (None when the episode broke before an answer) and whether it can change anything."""

    call: ToolCall
    feedback: Feedback | None
    writes: bool
    saves: bool = False  # by a memory tool

    @property
    def ok(self) -> bool:
        return self.feedback is not None and self.feedback.ok


@dataclass
class _Tally:
    """Checkpoints to reach and violations that must not happen; progress is their balance."""

    checks: list[Check] = field(default_factory=list)
    gates: list[Check] = field(default_factory=list)
    violations: list[Check] = field(default_factory=list)
    leftovers: list[Check] = field(default_factory=list)  # must be undone: no violation yet, but no success either

    def reach(self, name: str, passed: bool, detail: str = "") -> None:
        self.checks.append(Check(name=name, passed=passed, detail="" if passed else detail))

    def forbid(self, name: str, found: Iterable[str]) -> None:
        """One passed check when nothing was found, otherwise one failed check per finding."""
        details = list(found)
        self.violations += [Check(name=name, passed=False, detail=d) for d in details]
        if not details:
            self.violations.append(Check(name=name, passed=True))

    def verdict(self, reply: list[Check]) -> Verdict:
        """A reply is a checkpoint only once everything else is met: a claim of success before that earns nothing."""
        goals = self.checks + self.gates
        met, broken = sum(c.passed for c in goals), sum(not c.passed for c in self.violations)
        if met == len(goals) and not broken:
            met += sum(c.passed for c in reply)
        total = len(goals) + len(reply)
        success = met == total and not broken and not self.leftovers
        # What is left over is undone at the end, so it holds back the last checkpoint only.
        progress = min(1.0, max(0.0, (min(met, total - bool(self.leftovers)) - broken) / total))
        checks = [*self.checks, *self.violations, *self.leftovers, *reply]
        return Verdict(success=success, progress=progress, checks=checks, gates=self.gates)


def only_looks(call: ToolCall) -> bool:
    """Whether the call is the reading action of a tool that can also write."""
    action = str(call.arguments.get("action", ""))
    return action.startswith("query") or action in _LOOKS


class BenchVerifier:
    """Implements `contract.Verifier`: primary checker AND memory gate (Eq. 7-9) AND skill gate (Eq. 10-11).

    `catalog` says which tools can change something; by default the sandbox's.
    """

    def __init__(self, catalog: Iterable[ToolSpec] | None = None) -> None:
        if catalog is None:
            from qpa.envs.sandbox import catalog as sandbox_catalog

            catalog = sandbox_catalog()
        self._specs = {spec.name: spec for spec in catalog}

    def verify(self, task: TaskSpec, evidence: Evidence, trajectory: Trajectory) -> Verdict:
        """Success and progress in [0, 1] of a finished episode; never raises on what a policy did."""
        calls = self._calls(trajectory)
        tally = _Tally()
        criteria = task.criteria
        intent = Intent.FINISH
        if isinstance(criteria, ToolCriteria):
            self._check_tools(criteria, calls, task, tally)
        elif isinstance(criteria, StateCriteria):
            _check_state(criteria, evidence.changes, task.initial.clock, tally)
        else:
            _check_behavior(criteria, calls, evidence.changes, task.initial.clock, tally)
            intent = criteria.intent or intent
        _check_gates(task, calls, tally)
        mentions = criteria.mentions if isinstance(criteria, BehaviorCriteria) else []
        return tally.verdict(_check_reply(trajectory, intent, mentions))

    def _calls(self, trajectory: Trajectory) -> list[MadeCall]:
        made = []
        for step in trajectory.steps:
            if isinstance(step.action, Reply):
                continue
            answers = {f.call_id: f for f in step.feedback}
            made += [self._made(call, answers.get(call.id)) for call in step.action.calls]
        return made

    def _made(self, call: ToolCall, feedback: Feedback | None) -> MadeCall:
        spec = self._specs.get(call.name)
        return MadeCall(call, feedback, self._writes(call), spec is not None and spec.kind is ToolKind.MEMORY)

    def _writes(self, call: ToolCall) -> bool:
        """A tool outside the catalogue is taken to write; `action: query` and the like of a manage tool only read."""
        spec = self._specs.get(call.name)
        if call.name.startswith(_LOADER) or (spec is not None and spec.effect is Effect.READ):
            return False
        return not only_looks(call)

    def _check_tools(self, criteria: ToolCriteria, calls: list[MadeCall], task: TaskSpec, tally: _Tally) -> None:
        """Bucket 1: the annotated calls in order, and no other successful side-effect call.

        Failed calls changed nothing and are skipped; so are reads outside the annotation.
        """
        position, extra = 0, []
        for made in calls:
            if not made.ok:
                continue
            if position < len(criteria.steps) and self._matches(criteria.steps[position], made.call, task):
                position += 1
            elif made.writes:
                extra.append(f"{made.call.name} {_short(made.call.arguments)}")
        for index, step in enumerate(criteria.steps):
            tally.reach(f"call:{index}:{step.name}", index < position, f"not called with {_short(step.arguments)}")
        tally.forbid("no_extra_call", extra)

    def _matches(self, step: ToolStep, call: ToolCall, task: TaskSpec) -> bool:
        return step.name == call.name and self._fields(call.name, step.arguments, task) == self._fields(
            call.name, call.arguments, task
        )

    def _fields(self, name: str, arguments: dict, task: TaskSpec) -> dict[str, Hashable]:
        """Normalised arguments; a null is an omitted field."""
        return {k: normalise(k, v, task.initial.clock) for k, v in arguments.items() if v is not None}


def _check_state(criteria: StateCriteria, changes: list[RowChange], clock: str, tally: _Tally) -> None:
    """Bucket 2: the changeset equals the annotated delta as a multiset of row changes."""
    wanted = [(change, masked_row(change, clock)) for change in criteria.delta]
    left = Counter(row for _, row in wanted if row is not None)
    passing = {masked_row(change, clock) for change in criteria.passing or []}
    unrelated = []
    for change in changes:
        row = masked_row(change, clock)
        if row is None:
            continue
        if left[row] > 0:
            left[row] -= 1
            continue
        where = f"{change.op} {change.table} {_short(change.key)}"
        if row in passing:
            tally.leftovers.append(Check(name="not_undone", passed=False, detail=where))
        else:
            unrelated.append(where)
    for index, (change, row) in enumerate(wanted):
        if row is None:
            continue
        reached = left[row] == 0
        left[row] -= not reached
        tally.reach(f"change:{index}:{change.op}:{change.table}", reached, f"missing {_short(change.new)}")
    tally.forbid("no_unrelated_write", unrelated)


def _check_behavior(
    criteria: BehaviorCriteria, calls: list[MadeCall], changes: list[RowChange], clock: str, tally: _Tally
) -> None:
    """Bucket 3: reads, then one listed route with its payload terms, and no write outside the routes."""
    routed = _route(criteria, calls, clock)
    before = calls if routed is None else calls[:routed]
    for name in criteria.reads:
        tally.reach(
            f"read:{name}", any(m.ok and not m.writes and m.call.name == name for m in before), "not read first"
        )
    if criteria.routes:
        tally.reach("route", routed is not None, "none of " + "|".join(sorted({r.name for r in criteria.routes})))
        # A hand-off may take several calls (start, then execute): its payload is what all accepted ones say together.
        route = None if routed is None else calls[routed]
        parts = [m for m in calls if route is not None and m.call.name == route.call.name and (m.ok or m is route)]
        said = " ".join(_words(m.call.arguments) for m in parts)
        for term in criteria.payload:
            tally.reach(f"payload:{term}", _fold(term) in said, "not in the arguments")
    if criteria.allow_writes:
        written = [m.call.name for m in calls if m.ok and m.writes and not _allowed(criteria, m, clock)]
    else:
        written = [f"{c.op} {c.table} {_short(c.key)}" for c in changes]
    tally.forbid("no_forbidden_write", written)


def _allowed(criteria: BehaviorCriteria, made: MadeCall, clock: str) -> bool:
    """Another call of a hand-off goes on with it; another call of a memory tool changes another record."""
    if made.saves:
        return any(_takes(step, made, clock) for step in criteria.routes)
    return any(step.name == made.call.name for step in criteria.routes)


def _takes(step: ToolStep, made: MadeCall, clock: str) -> bool:
    """The call is of the step's tool and has its arguments."""
    given = made.call.arguments
    return step.name == made.call.name and all(
        k in given and normalise(k, given[k], clock) == normalise(k, v, clock) for k, v in step.arguments.items()
    )


def _route(criteria: BehaviorCriteria, calls: list[MadeCall], clock: str) -> int | None:
    """Index of the first call that takes a listed route.

    A hand-off must be accepted; when the wanted ending is a question or a refusal, running into the error is the point.
    A rejected argument or an unknown tool is no route either way.
    """
    for index, made in enumerate(calls):
        if made.feedback is None or made.feedback.error_type in (ErrorType.INVALID_ARGUMENT, ErrorType.UNKNOWN_TOOL):
            continue
        if not made.ok and (criteria.intent or Intent.FINISH) is Intent.FINISH:
            continue
        if any(_takes(step, made, clock) for step in criteria.routes):
            return index
    return None


def _check_gates(task: TaskSpec, calls: list[MadeCall], tally: _Tally) -> None:
    """Eq. 7-8: M* within the ids of successful searches. Eq. 10-11: s* within the loaded skills."""
    if task.required_memories:
        seen = retrieved_memories([m.feedback for m in calls if m.feedback is not None])
        for memory in task.required_memories:
            tally.gates.append(Check(name=f"memory:{memory}", passed=memory in seen))
    if task.required_skills:
        loaded = {m.call.name for m in calls if m.ok and m.call.name.startswith(_LOADER)}
        for skill in task.required_skills:
            tally.gates.append(Check(name=f"skill:{skill}", passed=_LOADER + skill.replace("-", "_") in loaded))


def retrieved_memories(feedback: Iterable[Feedback]) -> set[str]:
    """M_hat of Eq. 7: the memory ids in the feedback of *successful* `search_user_memory` calls."""
    found = set()
    for answer in feedback:
        if answer.name != _SEARCH or not answer.ok:
            continue
        data = answer.payload.get("data")
        items = data.get("items") if isinstance(data, dict) else None
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict) and "memory_id" in item:
                found.add(str(item["memory_id"]))
    return found


def _check_reply(trajectory: Trajectory, intent: Intent, mentions: list[list[str]]) -> list[Check]:
    """The episode ended by a reply of the wanted intent; its content counts only then."""
    last = trajectory.steps[-1].action if trajectory.steps else None
    if trajectory.stop not in _ANSWERED or not isinstance(last, Reply):
        right, detail = False, f"stopped by {trajectory.stop.value}"
    else:
        right, detail = last.intent is intent, f"replied with {last.intent.value}"
    checks = [Check(name=f"reply:{intent.value}", passed=right, detail="" if right else detail)]
    text = _fold(last.text) if isinstance(last, Reply) else ""
    for group in mentions:
        said = right and any(_mentions(text, term) for term in group)
        checks.append(Check(name="mentions:" + "|".join(group), passed=said))
    return checks


def _mentions(text: str, term: str) -> bool:
    """Whole words only: `7` is not mentioned by `17`. Chinese has no spaces, so its words may touch others."""
    folded = _fold(term)
    before = f"(?<!{_SPACED})" if re.match(_SPACED, folded) else ""
    after = f"(?!{_SPACED})" if re.search(f"{_SPACED}$", folded) else ""
    return re.search(before + re.escape(folded) + after, text) is not None


def _fold(text: str) -> str:
    return " ".join(text.split()).casefold()


def _words(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(_words(v) for v in value.values())
    if isinstance(value, list):
        return " ".join(_words(v) for v in value)
    return _fold(str(value))


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 80 else text[:77] + "..."
