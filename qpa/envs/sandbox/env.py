"""The sandbox behind the `Env` Protocol."""

from __future__ import annotations

from collections.abc import Sequence

from qpa.contract import (
    ContractError,
    Evidence,
    Feedback,
    Skill,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
    Verifier,
)
from qpa.envs.base import Capabilities
from qpa.envs.sandbox import loaders
from qpa.envs.sandbox.domains import catalog
from qpa.envs.sandbox.session import SandboxSession
from qpa.envs.skills import builtin_skills


class SandboxEnv:
    """Runs any number of independent episodes in one process; nothing is shared between their databases."""

    name = "sandbox"

    def __init__(self, verifier: Verifier | None = None, skills: list[Skill] | None = None) -> None:
        """`verifier` judges episodes; `skills` are the loadable ones (default: those shipped with it)."""
        self._verifier = verifier
        packages = builtin_skills() if skills is None else skills
        self._skills = {loaders.loader_name(skill.name): skill for skill in packages}
        self._started = 0

    def capabilities(self) -> Capabilities:
        """Everything."""
        return Capabilities(backend=self.name, fork=True, deterministic=True, seeding="any")

    def supports(self, task: TaskSpec) -> str:
        """ "": what the sandbox cannot set up is a defect of the task, which `reset` names."""
        return ""

    def catalog(self) -> list[ToolSpec]:
        """Every domain tool, then one loader per skill."""
        return catalog() + [loaders.loader_spec(skill) for skill in self._skills.values()]

    async def reset(self, task: TaskSpec) -> SandboxSession:
        """A fresh session at the task's initial state; raises `EnvFailure` for a task the sandbox cannot set up."""
        self._started += 1
        return SandboxSession(f"sandbox-{self._started}", task, self._skills)

    async def step(self, session: SandboxSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order. A tool's failure is a feedback, never an exception."""
        return await session.step(calls)

    async def verify(self, session: SandboxSession, trajectory: Trajectory) -> Verdict:
        """The injected verifier's judgement of this session's changes and operation log."""
        if self._verifier is None:
            raise ContractError("SandboxEnv has no verifier: construct it as SandboxEnv(verifier=...)")
        return self._verifier.verify(session.task, self.evidence(session), trajectory)

    def evidence(self, session: SandboxSession) -> Evidence:
        """What a verifier may see: net row changes and the operation log."""
        return Evidence(changes=session.changes(), operations=list(session.operations))

    async def close(self, session: SandboxSession) -> None:
        """Frees the session's database."""
        session.close()
