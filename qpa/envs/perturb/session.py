"""One perturbed episode: decides call by call what reaches the inner session and what the planner sees of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from qpa.contract import (
    ErrorType,
    Fault,
    Feedback,
    Record,
    Reply,
    Step,
    TaskSpec,
    ToolCall,
    ToolKind,
    ToolSpec,
    Trajectory,
    error_feedback,
)
from qpa.envs.perturb.calls import only_reads
from qpa.envs.perturb.config import PerturbConfig
from qpa.envs.perturb.draws import Draws
from qpa.envs.perturb.drift import Drift, canonical
from qpa.envs.perturb.interrupts import Interrupts
from qpa.envs.perturb.latency import sample_ms
from qpa.envs.perturb.locale import Locale
from qpa.envs.perturb.observe import Observer


class Event(Record):
    """One line of a session's log. `turn` -1: before the first block; `call` "" : of no single call."""

    turn: int
    kind: str
    call: str = ""
    tool: str = ""


@dataclass
class Plan:
    """What is to become of one call: `answer` instead of running it, or the `inner` call to run.

    With `late` the planner hears only that no answer came, whatever the inner call answers.
    """

    call: ToolCall
    answer: Feedback | None = None
    inner: ToolCall | None = None
    number: int = 0  # of this tool's calls in the episode, from 0
    latency_ms: float = 0.0
    late: bool = False


class PerturbedSession:
    """Made by `PerturbedEnv.reset`.

    Attributes:
      inner: the inner backend's session.
      infra: what breaks in this try of the rollout `member`.
      catalog: the tools as this episode's apps declare them.
      log: what was done, in order; the planner never sees it.
      virtual_ms: time the calls would have taken.
    """

    def __init__(
        self,
        session_id: str,
        task: TaskSpec,
        inner: Any,
        *,
        backend: str,
        config: PerturbConfig,
        draws: Draws | None,
        infra: Draws,
        member: tuple[object, ...],
        catalog: Sequence[ToolSpec],
        faults: Sequence[Fault] = (),
    ) -> None:
        """`draws` None leaves the episode clean."""
        self.id, self.task, self.inner, self.backend = session_id, task, inner, backend
        self.infra, self.member = infra, member
        self.catalog = list(catalog)
        self.log: list[Event] = []
        self.virtual_ms = 0.0
        self.turn = -1
        self.lock = asyncio.Lock()
        self._config = config
        self._draws = draws
        self._specs = {spec.name: spec for spec in catalog}
        self._calls: Counter[str] = Counter()
        self._answers: dict[str, tuple[ToolCall, Feedback]] = {}
        self._judged: dict[str, tuple[ToolCall, Feedback] | None] = {}  # None: not shown to the verifier
        self._drift: Drift | None = None
        self._locale: Locale | None = None
        self._interrupts: Interrupts | None = None
        self._observer: Observer | None = None
        if draws is not None:
            self._set_up(draws)
            self._log_faults(faults)

    @property
    def clean(self) -> bool:
        """Whether this episode is left alone."""
        return self._draws is None

    @property
    def notes(self) -> dict[str, str]:
        """For the trajectory's provenance: what was done, counted, and the virtual time."""
        counts = Counter(event.kind for event in self.log)
        said = ", ".join(kind if n == 1 else f"{kind} x{n}" for kind, n in counts.items())
        note = "clean" if self.clean else f"{self._config.name}: {said or 'nothing'}"
        return {"perturbation": note, "virtual_ms": f"{self.virtual_ms:.0f}"}

    def plan(self, call: ToolCall) -> Plan:
        """Decides on one call; the calls of a block are asked for in order."""
        if call.id in self._answers and self._answers[call.id][0] == call:
            return Plan(call, answer=self._answers[call.id][1])
        spec, number = self._specs.get(call.name), self._calls[call.name]
        self._calls[call.name] += 1
        edit = self._drift.edits.get(call.name) if self._drift is not None else None
        if edit is not None and (problem := edit.problem(call.arguments)):
            self._note(f"refused v{edit.version}", call)
            return self._instead(call, error_feedback(call.id, call.name, ErrorType.INVALID_ARGUMENT, problem))
        inner = canonical(edit, call)
        if self._locale is not None:
            inner = ToolCall(id=call.id, name=call.name, arguments=self._locale.arguments(inner.arguments))
        if self._interrupts is not None and (found := self._interrupts.before(inner, spec, self.turn)):
            self._note(found[1], call)
            return self._instead(call, found[0])
        return self._timed(Plan(call, inner=inner, number=number), spec)

    def finish(self, plan: Plan, answer: Feedback) -> Feedback:
        """What the planner sees of the inner backend's `answer`; also what the verifier is to see is kept."""
        assert plan.inner is not None
        spec = self._specs.get(plan.call.name)
        reads = only_reads(plan.inner, spec)
        answer = msgspec.structs.replace(answer, latency_ms=answer.latency_ms + plan.latency_ms)
        if plan.late:
            # A read that told nobody anything was not read; a write that ran has run.
            self._judged[plan.call.id] = None if reads else (plan.inner, answer)
            return self._keep(plan.call, self._timeout(plan.call))
        loads = spec is not None and spec.kind is ToolKind.SKILL
        if self._observer is not None and answer.ok and reads and not loads:
            answer, done = self._observer.look(plan.inner, answer, plan.number)
            if done:
                self._note(done, plan.call)
        self._judged[plan.call.id] = (plan.inner, answer)
        shown = msgspec.structs.replace(answer)
        if self._interrupts is not None and not loads:
            shown, notice = self._interrupts.after(shown)
            if notice:
                self._note(notice, plan.call)
        if self._locale is not None and not loads:
            shown.payload = self._locale.payload(shown.payload)
        if self._drift is not None and shown.loaded_tools:
            shown.loaded_tools = self._drift.shown(shown.loaded_tools)
        return self._keep(plan.call, shown)

    def canonical(self, trajectory: Trajectory) -> Trajectory:
        """The episode as the inner backend lived it, for its verifier.

        Calls in the inner words; calls that never reached it are left out; a reply's shown dates and times turned back.
        """
        steps = [self._canonical_step(step) for step in trajectory.steps]
        return msgspec.structs.replace(trajectory, steps=steps)

    # --- details ---

    def _set_up(self, draws: Draws) -> None:
        config = self._config
        if config.drift.on:
            self._drift = Drift(config.drift, draws, self.catalog, self.task)
            self.catalog = self._drift.shown(self.catalog)
            apps = {edit.spec.domain: edit.version for edit in self._drift.edits.values()}
            mine = {self._specs[name].domain for name in self.task.resources.tools if name in self._specs}
            self.log += [Event(-1, f"app {name} v{v}") for name, v in apps.items() if name in mine]
        name = "en"
        if config.locale.on and draws.hit(config.locale.rate, "locale"):
            name = draws.choice(config.locale.locales, "locale", "name")
            self._locale = Locale(name)
            self.log.append(Event(-1, f"locale {name}"))
        if config.interrupts.on:
            self._interrupts = Interrupts(config.interrupts, draws, self.task, name)
        if config.stale.on:
            self._observer = Observer(config.stale, draws)

    def _log_faults(self, faults: Sequence[Fault]) -> None:
        for fault in faults:
            if self.task.resources.skills or fault.tool in self.task.resources.tools:
                self.log.append(Event(-1, f"agent {fault.mode} at call {fault.first}", tool=fault.tool))

    def _timed(self, plan: Plan, spec: ToolSpec | None) -> Plan:
        config = self._config.latency
        if not config.on or self._draws is None:
            return plan
        assert plan.inner is not None
        plan.latency_ms = sample_ms(config, self._draws, plan.inner, spec, plan.number)
        ran = True
        if config.deadline_ms and plan.latency_ms > config.deadline_ms:
            plan.latency_ms, plan.late = config.deadline_ms, True
            ran = self._draws.hit(config.ran_rate, "ran", plan.call.name, plan.number)
            self._note("timeout, ran" if ran else "timeout, lost", plan.call)
        self.virtual_ms += plan.latency_ms
        return plan if ran else self._instead(plan.call, self._timeout(plan.call))

    def _timeout(self, call: ToolCall) -> Feedback:
        seconds = self._config.latency.deadline_ms / 1000
        text = f"no answer in {seconds:.3g} s; it may or may not have run"
        answer = error_feedback(call.id, call.name, ErrorType.TIMEOUT, text)
        answer.latency_ms = self._config.latency.deadline_ms
        return answer

    def _instead(self, call: ToolCall, answer: Feedback) -> Plan:
        self._judged[call.id] = None
        return Plan(call, answer=self._keep(call, answer))

    def _keep(self, call: ToolCall, answer: Feedback) -> Feedback:
        self._answers.setdefault(call.id, (call, answer))
        return answer

    def _note(self, kind: str, call: ToolCall) -> None:
        self.log.append(Event(self.turn, kind, call.id, call.name))

    def _canonical_step(self, step: Step) -> Step:
        if isinstance(step.action, Reply):
            if self._locale is None:
                return step
            reply = msgspec.structs.replace(step.action, text=self._locale.reply(step.action.text))
            return msgspec.structs.replace(step, action=reply)
        known = self._judged  # a call that this session never answered is not in it and stays as it is
        calls = [asked[0] for c in step.action.calls if (asked := known.get(c.id, (c, None)))]
        feedback = [heard[1] for f in step.feedback if (heard := known.get(f.call_id, (None, f)))]
        action = msgspec.structs.replace(step.action, calls=calls)
        return msgspec.structs.replace(step, action=action, feedback=feedback)
