"""A backend over any backend that makes an episode less tidy than the sandbox is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from qpa.contract import (
    EPISODE,
    EnvFailure,
    FailureCause,
    Fault,
    Feedback,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
)
from qpa.envs.base import Backend, Capabilities
from qpa.envs.perturb.agents import with_agent_faults
from qpa.envs.perturb.config import PerturbConfig, check
from qpa.envs.perturb.draws import Draws
from qpa.envs.perturb.session import PerturbedSession


class PerturbedEnv:
    """Domain randomisation: latency, stale reads, interruptions, other app versions, other locales, failing sub-agents.

    What hits an episode is a function of (`seed`, the run's seed, task id, rollout), see `qpa.contract.EPISODE`, and of
    the calls made: another policy with the same calls meets the same. A session's `catalog` is what its apps declare;
    its `log` says what was done. Verdicts are the inner backend's, on the episode in the inner backend's words.
    """

    def __init__(self, inner: Backend, config: PerturbConfig, seed: int = 0) -> None:
        """Raises ContractError for a config that no perturbation can have."""
        check(config)
        self.inner, self.config, self.seed = inner, config, seed
        self.name = f"perturbed-{inner.name}"
        self._opened: Counter[str] = Counter()  # plain resets of a task, outside of any run
        self._attempts: Counter[tuple[object, ...]] = Counter()  # of episodes not verified yet

    def capabilities(self) -> Capabilities:
        """The inner backend's, without forks."""
        return msgspec.structs.replace(self.inner.capabilities(), backend=self.name, fork=False)

    def supports(self, task: TaskSpec) -> str:
        """What the inner backend says."""
        return self.inner.supports(task)

    def catalog(self) -> list[ToolSpec]:
        """The inner backend's; with drift on, a session's own `catalog` may differ."""
        return self.inner.catalog()

    async def reset(self, task: TaskSpec) -> PerturbedSession:
        """A session of the inner backend, perturbed or clean. Raises `EnvFailure` as the inner does, or if drawn."""
        key, member = self._key(task)
        infra = Draws(*member, self._attempts[member])
        drawn = Draws(*key)
        draws = None if drawn.hit(self.config.clean_fraction, "clean") else drawn
        if draws is not None and self.config.infra.on:
            self._attempts[member] += 1
            if infra.hit(self.config.infra.reset_rate, "reset"):
                cause = infra.choice((FailureCause.TRANSIENT, FailureCause.CAPACITY), "reset", "cause")
                raise EnvFailure("perturbed: the reset failed", cause)
        catalog = self.inner.catalog()
        given, faults = task, list[Fault]()
        if draws is not None and self.config.agents.on and self.inner.capabilities().seeding != "none":
            given, faults = with_agent_faults(task, self.config.agents, draws, catalog)
            if faults and self.inner.supports(given):
                given, faults = task, []
        inner = await self.inner.reset(given)
        backend = getattr(inner, "backend", "") or self.inner.name
        return PerturbedSession(
            f"perturbed-{inner.id}",
            task,
            inner,
            backend=f"perturbed-{backend}",
            config=self.config,
            draws=draws,
            infra=infra,
            member=member,
            catalog=getattr(inner, "catalog", None) or catalog,
            faults=faults,
        )

    async def step(self, session: PerturbedSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order; calls that are let through go to the inner backend as one block."""
        if session.clean:
            return await self.inner.step(session.inner, calls)
        async with session.lock:
            session.turn += 1
            broken = self.config.infra.on and self._draw(session, self.config.infra.disconnect_rate, "disconnect")
            if broken and not self._draw(session, 0.5, "ran"):
                raise EnvFailure("perturbed: connection lost before the step", FailureCause.CONNECTION)
            plans = [session.plan(call) for call in calls]
            through = [plan.inner for plan in plans if plan.inner is not None]
            answers = {}
            if through:
                answers = {a.call_id: a for a in await self.inner.step(session.inner, through)}
            if broken:
                raise EnvFailure("perturbed: connection lost after the step", FailureCause.CONNECTION)
            missing = [call.id for call in through if call.id not in answers]
            if missing:
                raise EnvFailure(f"{self.inner.name}: no result for call {missing[0]}")
            # A kept answer is complete; what ran is finished now.
            return [
                plan.answer if plan.answer is not None else session.finish(plan, answers[plan.call.id])
                for plan in plans
            ]

    async def verify(self, session: PerturbedSession, trajectory: Trajectory) -> Verdict:
        """The inner backend's verdict on the episode as it lived it."""
        if not session.clean and self.config.infra.on and self._draw(session, self.config.infra.judge_rate, "judge"):
            raise EnvFailure("perturbed: the judge did not answer", FailureCause.DEADLINE)
        verdict = await self.inner.verify(session.inner, session.canonical(trajectory))
        self._attempts.pop(session.member, None)  # judged, so nobody plays it again
        return verdict

    async def close(self, session: PerturbedSession) -> None:
        """Closes the inner session."""
        await self.inner.close(session.inner)

    def _key(self, task: TaskSpec) -> tuple[tuple[object, ...], tuple[object, ...]]:
        """What an episode's draws hang on, and what its own rollout is."""
        episode = EPISODE.get()
        if episode is None:
            number = self._opened[task.id]
            self._opened[task.id] += 1
            return (self.seed, task.id, number), (self.seed, task.id, number)
        run, rollout = episode
        member = (self.seed, run, task.id, rollout)
        return ((self.seed, run, task.id) if self.config.draw == "group" else member), member

    def _draw(self, session: PerturbedSession, rate: float, what: str) -> bool:
        return session.infra.hit(rate, what, session.turn)
