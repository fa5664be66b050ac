"""The simulated backend behind the `Env` Protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qpa.contract import (
    ChatModel,
    ContractError,
    EnvFailure,
    Evidence,
    FailureCause,
    Feedback,
    StateCriteria,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
    Verifier,
)
from qpa.envs.base import Capabilities
from qpa.envs.sandbox.loaders import loader_name
from qpa.envs.simulated.records import SimulatedLimits
from qpa.envs.simulated.rules import SimulatedRules
from qpa.envs.simulated.session import SimulatedSession
from qpa.envs.simulated.validate import planned_faults_problem


class SimulatedEnv:
    """Plays tools that exist as schemas only. Sessions share the model and nothing else.

    Args:
      model: writes the answers: an OpenAI-compatible endpoint (`qpa.harness.RemoteModel`), a local engine, a script.
      rules: what is declared about the world.
      verifier: judges finished episodes; tool and behaviour criteria, and state criteria over declared tables.
      limits: bounds of a session.
    """

    name = "simulated"

    def __init__(
        self,
        model: ChatModel,
        rules: SimulatedRules,
        verifier: Verifier | None = None,
        limits: SimulatedLimits | None = None,
    ) -> None:
        self._model, self._rules, self._verifier = model, rules, verifier
        self._limits = limits or SimulatedLimits()
        self._started = 0

    def capabilities(self) -> Capabilities:
        """Seeds what a task lists (patch, permissions, faults); not trusted: a record needs `validate_simulated`."""
        return Capabilities(backend=self.name, seeding="listed", trusted=False)

    def supports(self, task: TaskSpec) -> str:
        """Why the task cannot be played: an unknown tool, an unplayable fault, or rows that nobody declared."""
        wanted = [*task.resources.tools, *(loader_name(skill) for skill in task.resources.skills)]
        missing = [name for name in wanted if name not in self._rules.specs]
        if missing:
            return f"no tool {missing[0]!r} is declared"
        if problem := planned_faults_problem(task, self._rules):
            return problem
        try:
            rows = self._rules.initial_rows(task)
        except ContractError as e:
            return str(e)
        return self._inexact(task.criteria, rows) if isinstance(task.criteria, StateCriteria) else ""

    def _inexact(self, criteria: StateCriteria, rows: Mapping[str, list[dict[str, Any]]]) -> str:
        """Why asserted facts would not be exact changes of the rows that the criteria compare; "" if they are."""
        for name in sorted({change.table for change in [*criteria.delta, *(criteria.passing or [])]}):
            if name not in self._rules.tables:
                return f"its state criteria compare rows of {name!r}, which is no declared table"
            for row in rows.get(name, ()):
                absent = [column for column in self._rules.tables[name].columns if column not in row]
                if absent:
                    return f"its state criteria compare rows of {name!r}, and one is given without {absent[0]!r}"
        return ""

    def catalog(self) -> list[ToolSpec]:
        """The declared tools, then one loader per skill."""
        return list(self._rules.specs.values())

    async def reset(self, task: TaskSpec) -> SimulatedSession:
        """A session whose log holds what the task gives; raises `EnvFailure` for a task it does not support."""
        if reason := self.supports(task):
            raise EnvFailure(f"task {task.id}: {reason}", FailureCause.UNSUPPORTED)
        self._started += 1
        return SimulatedSession(f"simulated-{self._started}", task, self._rules, self._model, self._limits)

    async def step(self, session: SimulatedSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order.

        Raises:
          EnvFailure: no answer of the model was acceptable (backend), the model broke (transient) or took too long
            (deadline). The session is unusable from then on.
        """
        return await session.step(calls)

    async def verify(self, session: SimulatedSession, trajectory: Trajectory) -> Verdict:
        """The injected verifier's judgement of the asserted changes and the operation log."""
        if self._verifier is None:
            raise ContractError("SimulatedEnv has no verifier: construct it as SimulatedEnv(..., verifier=...)")
        return self._verifier.verify(session.task, self.evidence(session), trajectory)

    def evidence(self, session: SimulatedSession) -> Evidence:
        """What a verifier may see: net asserted changes of declared tables, and the operation log."""
        return Evidence(changes=session.log.changes(self._rules), operations=list(session.operations))

    async def close(self, session: SimulatedSession) -> None:
        """Ends the session; closing twice is fine."""
        session.closed = True
