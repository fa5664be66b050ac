"""Curation: one decision per record, with reasons, before anything is trained on (method A5.3).

Completion (the verdict) and quality (the decision) are separate: a failed episode can be a sound record, and lands in
the failure pool; a verified one can be a duplicate, and is dropped.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec

from qpa.contract import CallTools, Record, ToolSpec, Trajectory, to_json
from qpa.flywheel.evidence import defects, doubts, false_claim
from qpa.flywheel.mistakes import Oracle, erroneous_turns
from qpa.flywheel.records import Curation, Pool, Removal
from qpa.harness.diagnose import diagnose

NEAR_COPIES = 4  # records with the same goal words and the same actions that are worth keeping
_NOT_WORD = re.compile(r"[\W_]+")


class Curated(Record):
    """A record with its curation decision. `attribution` is the diagnosed side/class of an unverified record."""

    id: str
    trajectory: Trajectory
    decision: Curation
    reasons: list[str] = msgspec.field(default_factory=list)
    capabilities: list[str] = msgspec.field(default_factory=list)
    attribution: str = ""

    @property
    def pool(self) -> Pool | None:
        """Where the record is stored; None when it is kept out."""
        if self.decision not in (Curation.APPROVE, Curation.CORRECT):
            return None
        verdict = self.trajectory.verdict
        return Pool.SFT if verdict is not None and verdict.success else Pool.FAILURES


def curate(
    trajectories: Iterable[Trajectory],
    *,
    oracle: Oracle | None = None,
    catalog: Sequence[ToolSpec] = (),
    near_copies: int = NEAR_COPIES,
) -> list[Curated]:
    """Decides about every record, in order; never raises on a bad one and never edits the input.

    `oracle` gives a task's annotated actions (see `erroneous_turns`); `catalog` the tools' effects, for attribution.
    Of identical records the first is kept, of near copies the first `near_copies`.
    """
    exact: set[str] = set()
    near: Counter[str] = Counter()
    return [_decide(t, exact, near, oracle, catalog, near_copies) for t in trajectories]


def _decide(
    trajectory: Trajectory,
    exact: set[str],
    near: Counter[str],
    oracle: Oracle | None,
    catalog: Sequence[ToolSpec],
    near_copies: int,
) -> Curated:
    found = defects(trajectory)
    if found:
        return Curated(id=record_id(trajectory, found), trajectory=trajectory, decision=Curation.REJECT, reasons=found)
    key = exact_key(trajectory)
    record = Curated(id=f"{trajectory.task.id}#{key[:8]}", trajectory=trajectory, decision=Curation.APPROVE)
    if key in exact:
        return msgspec.structs.replace(record, decision=Curation.REJECT, reasons=["duplicate: identical record"])
    exact.add(key)
    record.reasons = doubts(trajectory)
    verified = trajectory.verdict is not None and trajectory.verdict.success
    if not verified:
        cause = diagnose(trajectory, trajectory.task, catalog)
        record.attribution = f"{cause.side}/{cause.cls}"
    if record.reasons:
        record.decision = Curation.QUARANTINE
        return record
    signature = near_key(trajectory)
    near[signature] += 1
    if near[signature] > near_copies:
        record.decision, record.reasons = Curation.REJECT, [f"duplicate: {near_copies} near copies already kept"]
        return record
    _mark(record, erroneous_turns(trajectory, oracle))
    record.capabilities = capabilities(record.trajectory)
    if false_claim(trajectory):
        record.reasons.append("completion was claimed and not verified")
    return record


def _mark(record: Curated, turns: Sequence[int]) -> None:
    """Sets `erroneous` on exactly `turns`; a record whose marks changed counts as corrected."""
    steps = record.trajectory.steps
    marks = [position in turns for position in range(len(steps))]
    if marks == [s.erroneous for s in steps]:
        return
    marked = [msgspec.structs.replace(s, erroneous=mark) for s, mark in zip(steps, marks, strict=True)]
    record.trajectory = msgspec.structs.replace(record.trajectory, steps=marked)
    record.decision = Curation.CORRECT
    record.reasons.append(f"erroneous turns masked: {', '.join(map(str, turns)) or 'none'}")


def capabilities(trajectory: Trajectory) -> list[str]:
    """The task's target capabilities plus those the record demonstrates (capability axis of method A5.1)."""
    tags = set(trajectory.task.capabilities)
    worked = [s for s in trajectory.steps if any(f.ok for f in s.feedback)]
    if len(worked) > 1:
        tags.add("multi_step")
    if trajectory.verdict is not None and trajectory.verdict.success:
        tags.add("verified_completion")
        if any(s.erroneous for s in trajectory.steps):
            tags.add("recovery")
    return sorted(tags)


def exact_key(trajectory: Trajectory) -> str:
    """Digest of everything the model reads and writes; two records with one key teach exactly the same."""
    seen = [[m for s in trajectory.steps for m in s.observation], [s.text for s in trajectory.steps]]
    outcome = trajectory.verdict.success if trajectory.verdict else None
    return _digest([trajectory.task.goal, sorted(trajectory.tools), seen, outcome])


def near_key(trajectory: Trajectory) -> str:
    """Digest of the goal's words and of what was done, whatever was thought or said around it."""
    calls = [
        [c.name, sorted((k, _words(str(v))) for k, v in c.arguments.items())]
        for s in trajectory.steps
        if isinstance(s.action, CallTools)
        for c in s.action.calls
    ]
    success = trajectory.verdict is not None and trajectory.verdict.success
    return _digest([_words(trajectory.task.goal), [_words(m.content) for m in trajectory.task.history], calls, success])


def record_id(trajectory: Trajectory, reasons: Sequence[str]) -> str:
    """An id for a record too broken to have a key of its own."""
    return f"{trajectory.task.id}!{_digest([trajectory.task.id, list(reasons)])[:8]}"


def content_digest(records: Sequence[Curated]) -> str:
    """SHA-256 over every record's identity, decision and masks: what a proposal is about."""
    lines = [[r.id, r.decision, [s.erroneous for s in r.trajectory.steps]] for r in records]
    return hashlib.sha256(to_json(lines)).hexdigest()


def removal(record: Curated) -> Removal:
    """A kept-out record as the reviewer sees it."""
    return Removal(id=record.id, family=record.trajectory.task.family, reasons=record.reasons)


def _words(text: str) -> str:
    return _NOT_WORD.sub(" ", text.casefold()).strip()


def _digest(value: object) -> str:
    return hashlib.sha256(to_json(value)).hexdigest()
