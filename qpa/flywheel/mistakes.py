"""Finds the erroneous turns of a trajectory (E_i of Eq. 4) from feedback alone.

A turn is erroneous when nothing in it worked, the fault was the policy's own, and a later turn recovered. Faults of
the environment (503, 504, 500, 403) are not the policy's: the turn that met them stays supervised.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from qpa.contract import Action, CallTools, ErrorType, Step, TaskSpec, Trajectory

Oracle = Callable[[TaskSpec], Sequence[Action]]
_OWN_FAULT = frozenset({ErrorType.INVALID_ARGUMENT, ErrorType.UNKNOWN_TOOL, ErrorType.NOT_FOUND, ErrorType.CONFLICT})


def erroneous_turns(trajectory: Trajectory, oracle: Oracle | None = None) -> list[int]:
    """Indices into `steps` that must not be supervised; empty for a trajectory that was not verified.

    Some tasks are *about* meeting an error (a 409 that names two candidates, then a question). With `oracle`, a
    failing turn that makes exactly the next annotated calls is therefore kept.
    """
    if trajectory.verdict is None or not trajectory.verdict.success:
        return []
    planned = _planned(trajectory, oracle) if oracle else set()
    steps = trajectory.steps
    return [
        position
        for position, step in enumerate(steps)
        if position not in planned and _failed(step) and any(_worked(s) for s in steps[position + 1 :])
    ]


def _failed(step: Step) -> bool:
    """Nothing in the turn worked, and it was the policy's fault."""
    if not isinstance(step.action, CallTools) or any(f.ok for f in step.feedback):
        return False
    return bool(step.feedback) and all(f.error_type in _OWN_FAULT for f in step.feedback)


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
