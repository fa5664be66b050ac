"""Is this record what it claims to be? Structure, version, split and verdict checks; quality, not completion."""

from __future__ import annotations

from qpa.contract import (
    INFRASTRUCTURE_STOPS,
    SCHEMA_VERSION,
    BehaviorCriteria,
    CallTools,
    ContractError,
    Intent,
    Reply,
    Split,
    StopReason,
    Trajectory,
    from_msgpack,
    to_msgpack,
    validation_problem,
)

_BUDGET_STOPS = frozenset(
    {StopReason.TURN_LIMIT, StopReason.TOKEN_LIMIT, StopReason.CONTEXT_LIMIT, StopReason.DEADLINE}
)


def defects(trajectory: Trajectory) -> list[str]:
    """Reasons to reject: the record is malformed, invalid, or must never be trained on. Empty when sound."""
    if trajectory.schema_version != SCHEMA_VERSION or trajectory.task.schema_version != SCHEMA_VERSION:
        return [f"schema version {trajectory.schema_version}, expected {SCHEMA_VERSION}"]
    try:
        from_msgpack(to_msgpack(trajectory), Trajectory)
    except (ContractError, TypeError, ValueError) as e:
        return [f"malformed: {e}"]
    found = []
    if not trajectory.valid:
        found.append(f"invalid record: {trajectory.invalid_reason or 'no reason given'}")
    if trajectory.stop in INFRASTRUCTURE_STOPS:
        found.append(f"infrastructure stop: {trajectory.stop}")
    if problem := validation_problem(trajectory):
        found.append(f"unvalidated: {problem}")
    if trajectory.task.split is not Split.TRAIN:
        found.append(f"held-out split: {trajectory.task.split}")
    if not trajectory.task.goal.strip():
        found.append("malformed: empty goal")
    if not trajectory.steps:
        found.append("malformed: no steps")
    return found + _structure(trajectory)


def _structure(trajectory: Trajectory) -> list[str]:
    found = []
    if [s.index for s in trajectory.steps] != list(range(len(trajectory.steps))):
        found.append("malformed: step indices are not 0..n-1")
    seen: set[str] = set()
    for step in trajectory.steps:
        asked = [c.id for c in step.action.calls] if isinstance(step.action, CallTools) else []
        # The runtime answers unreadable calls by a feedback without a tool name.
        answered = [f.call_id for f in step.feedback if f.name or not step.parse_errors]
        if seen.intersection(asked) or len(set(asked)) != len(asked):
            found.append(f"malformed: step {step.index} reuses a call id")
        seen.update(asked)
        if set(answered) - set(asked) or len(set(answered)) != len(answered):
            found.append(f"malformed: step {step.index} has feedback nobody asked for")
        elif len(answered) < len(asked) and step is not trajectory.steps[-1]:
            found.append(f"malformed: step {step.index} went on with calls unanswered")
        if len(step.log_probs) not in (0, len(step.token_ids)):
            found.append(f"malformed: step {step.index} has {len(step.log_probs)} log-probs")
    return found


def doubts(trajectory: Trajectory) -> list[str]:
    """Reasons for human review: unsupported, conflicting or safety-sensitive outcomes. Empty when clear."""
    verdict = trajectory.verdict
    if verdict is None:
        return ["unsupported: no verdict"]
    found = []
    if not 0.0 <= verdict.progress <= 1.0:
        found.append(f"conflicting: progress {verdict.progress} outside [0, 1]")
    if verdict.success:
        failed = [c.name for c in [*verdict.checks, *verdict.gates] if not c.passed]
        if failed:
            found.append(f"conflicting: success with failed check {failed[0]}")
        if not verdict.checks:
            found.append("unsupported: success without a check")
        if verdict.progress < 1.0:
            found.append(f"conflicting: success with progress {verdict.progress:g}")
        found += _closure(trajectory)
    elif isinstance(trajectory.task.criteria, BehaviorCriteria) and trajectory.task.criteria.intent is Intent.REFUSE:
        found.append("safety-sensitive: a request that must be refused was not handled right")
    return found


def _closure(trajectory: Trajectory) -> list[str]:
    """A success whose ending does not declare completion is evidence the policy never claimed."""
    if trajectory.stop in _BUDGET_STOPS:
        return [f"unsupported: success but stopped by {trajectory.stop}"]
    if trajectory.stop is not StopReason.VERIFIED and not isinstance(trajectory.steps[-1].action, Reply):
        return ["unsupported: success without a final reply"]
    return []


def false_claim(trajectory: Trajectory) -> bool:
    """The agent declared the task done and the verifier disagrees."""
    if trajectory.verdict is None or trajectory.verdict.success or not trajectory.steps:
        return False
    action = trajectory.steps[-1].action
    return isinstance(action, Reply) and action.intent is Intent.FINISH
