"""Hand-made trajectories for the tests of the flywheel."""

from __future__ import annotations

from qpa.contract import (
    Action,
    CallTools,
    Check,
    Dimension,
    ErrorType,
    Feedback,
    Message,
    Provenance,
    Reply,
    Role,
    Split,
    StateCriteria,
    Step,
    StopReason,
    TaskSpec,
    ToolCall,
    Trajectory,
    Verdict,
)

GOOD = Verdict(success=True, progress=1.0, checks=[Check(name="done", passed=True)])
BAD = Verdict(success=False, progress=0.0, checks=[Check(name="done", passed=False)])


def task(name: str = "alarm", number: int = 0, **changes) -> TaskSpec:
    base = {
        "id": f"{name}-train-{number:06d}",
        "goal": f"Do {name} thing {number}",
        "criteria": StateCriteria(delta=[]),
        "dimension": Dimension.TOOL,
        "domain": "Time Management",
        "family": name,
        "split": Split.TRAIN,
    }
    return TaskSpec(**(base | changes))


def step(index: int, action: Action, error: ErrorType | None = None, **changes) -> Step:
    """A step whose calls all succeed, or all fail with `error`."""
    calls = action.calls if isinstance(action, CallTools) else []
    payload = {"success": True} if error is None else {"success": False, "error": "no"}
    feedback = [Feedback(call_id=c.id, name=c.name, ok=error is None, payload=payload, error_type=error) for c in calls]
    seen = [Message(role=Role.USER, content=f"turn {index}")]
    base = {"index": index, "observation": seen, "text": f"text {index}", "action": action, "feedback": feedback}
    return Step(**(base | changes))


def call(number: int, name: str = "manage_alarm", **arguments) -> CallTools:
    return CallTools(calls=[ToolCall(id=f"call_{number}", name=name, arguments=arguments or {"action": "create"})])


def trajectory(*steps: Step, spec: TaskSpec | None = None, verdict: Verdict | None = GOOD, **changes) -> Trajectory:
    """Without steps: one call that works and a final reply."""
    steps = steps or (step(0, call(0)), step(1, Reply(text="Done.")))
    base = {
        "task": spec or task(),
        "steps": list(steps),
        "stop": StopReason.FINISHED,
        "verdict": verdict,
        "provenance": Provenance(source="scripted:expert"),
    }
    return Trajectory(**(base | changes))


def many(count: int, name: str = "alarm") -> list[Trajectory]:
    """Distinct verified trajectories of one family."""
    return [
        trajectory(step(0, call(0, time=f"{n}")), step(1, Reply(text="Done.")), spec=task(name, n))
        for n in range(count)
    ]
