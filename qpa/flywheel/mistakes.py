"""Finds the erroneous turns of a trajectory (E_i of Eq. 4) from feedback alone.

A turn is erroneous when nothing in it worked, the fault was the policy's own, and a later turn recovered. Faults of
the environment (503, 504, 500, 403) are not the policy's: the turn that met them stays supervised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qpa.contract import Action, CallTools, ErrorType, Step, TaskSpec, Trajectory

Oracle = Callable[[TaskSpec], Sequence[Action]]
_MALFORMED = frozenset({ErrorType.INVALID_ARGUMENT, ErrorType.UNKNOWN_TOOL})  # never a way to learn something
_MISTAKEN = frozenset({ErrorType.NOT_FOUND, ErrorType.CONFLICT})  # may be a probe whose answer was needed


def erroneous_turns(trajectory: Trajectory, oracle: Oracle | None = None) -> list[int]:
    """Indices into `steps` that must not be supervised; empty for a trajectory that was not verified.

    A malformed turn (400, unknown tool) is erroneous whatever follows it. A 404 or 409 is so only when later calls
    worked: some tasks are *about* meeting one (two candidates, then a question). With `oracle`, a failing turn that
    makes exactly the next annotated calls is kept, and an annotated later turn counts as recovery even if it fails.
    """
    if trajectory.verdict is None or not trajectory.verdict.success:
        return []
    steps = trajectory.steps
    failed = [i for i, step in enumerate(steps[:-1]) if _failed(step, _MALFORMED | _MISTAKEN)]
    planned = _planned(trajectory, oracle) if oracle and failed else set()  # an oracle may have to rebuild its world
    working = planned.union(i for i, step in enumerate(steps) if _worked(step))
    last = max(working, default=-1)
    return [i for i in failed if i not in planned and (i < last or _failed(steps[i], _MALFORMED))]


def _failed(step: Step, kinds: frozenset[ErrorType]) -> bool:
    """Nothing in the turn worked, and every failure is of these kinds."""
    if not isinstance(step.action, CallTools) or not step.feedback:
        return False
    return all(not f.ok and f.error_type in kinds for f in step.feedback)


def _worked(step: Step) -> bool:
    return any(f.ok for f in step.feedback)


def _planned(trajectory: Trajectory, oracle: Oracle) -> set[int]:
    """Turns that make the annotated calls in the annotated order; a right call made too early does not count."""
    plan = [_signature(a) for a in oracle(trajectory.task) if isinstance(a, CallTools)]
    found: set[int] = set()
    for position, step in enumerate(trajectory.steps):
        due = len(found)
        if due < len(plan) and isinstance(step.action, CallTools) and _signature(step.action) == plan[due]:
            found.add(position)
    return found


def _signature(action: CallTools) -> list[tuple[str, dict]]:
    return [(c.name, c.arguments) for c in action.calls]
