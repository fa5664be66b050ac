"""One simulated episode: its log, and the asking, judging and asking again behind each answer."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from qpa.contract import (
    ERROR_CODES,
    NEEDED,
    VALIDATION,
    ChatModel,
    EnvFailure,
    ErrorType,
    FailureCause,
    Feedback,
    GenerateRequest,
    ModelFailure,
    Operation,
    TaskSpec,
    ToolCall,
    to_json,
)
from qpa.envs.sandbox.loaders import load, loader_name
from qpa.envs.simulated import prompt
from qpa.envs.simulated.checks import judge
from qpa.envs.simulated.log import StateLog, request_key
from qpa.envs.simulated.records import Answer, Objection, SimulatedLimits, error_type, parse_answer
from qpa.envs.simulated.rules import SimulatedRules
from qpa.envs.simulated.validate import STATE_LOG, FaultPlan, Recorded


class SimulatedSession:
    """Made by `SimulatedEnv.reset`. `notes` go into the record's provenance."""

    backend = "simulated"

    def __init__(
        self, session_id: str, task: TaskSpec, rules: SimulatedRules, model: ChatModel, limits: SimulatedLimits
    ) -> None:
        self.id, self.task = session_id, task
        self.log = StateLog.of(task, rules)
        self.operations: list[Operation] = []
        self.refused: list[Objection] = []  # every objection of the episode, those that a retry answered included
        self.closed = False
        self._rules, self._model, self._limits = rules, model, limits
        self._callable = {*task.resources.tools, *(loader_name(skill) for skill in task.resources.skills)}
        self._loaded: set[str] = set()
        self._faults = FaultPlan(task)
        self._recorded: list[Recorded] = []
        self._answers: dict[str, tuple[bytes, Feedback]] = {}
        self._lock = asyncio.Lock()
        self._step_ends = 0.0

    @property
    def notes(self) -> dict[str, str]:
        """Provenance: that the record needs validation, who simulated it, and the facts that validation replays."""
        return {
            VALIDATION: NEEDED,
            "simulator": self._model.name,
            "simulator_refused": str(len(self.refused)),
            STATE_LOG: to_json(self._recorded).decode(),
        }

    async def step(self, calls: Sequence[ToolCall]) -> list[Feedback]:
        """Answers a parallel block in order; a repeated call id replays its stored answer."""
        async with self._lock:
            self._step_ends = time.monotonic() + self._limits.step_s
            try:
                return [await self._answer(call) for call in calls]
            finally:
                self._callable |= self._loaded  # what a loader brings is callable from the next step on
                self._loaded.clear()

    async def _answer(self, call: ToolCall) -> Feedback:
        if self.closed:
            raise EnvFailure(f"simulated session {self.id} is closed; reset the task for a new one", FailureCause.LEASE)
        try:
            request = request_key(call)
        except Exception:  # whatever the encoder makes of arguments that never were JSON
            return _error(call, ErrorType.INVALID_ARGUMENT, "Arguments are not valid JSON")
        if call.id in self._answers:
            asked, stored = self._answers[call.id]
            return stored if asked == request else _error(call, ErrorType.CONFLICT, "Call id already used")
        call = msgspec.convert(msgspec.to_builtins(call), ToolCall)  # a copy that the caller cannot reach
        feedback = await self._run(call)  # a call that is cancelled in here has changed nothing
        self._answers[call.id] = (request, feedback)
        operation = Operation(
            index=len(self.operations),
            call_id=call.id,
            tool=call.name,
            arguments=call.arguments,
            ok=feedback.ok,
            code=feedback.code,
            at=self.task.initial.clock,
        )
        self.operations.append(operation)
        return feedback

    async def _run(self, call: ToolCall) -> Feedback:
        if call.name not in self._callable:
            return _error(call, ErrorType.UNKNOWN_TOOL, f"Unknown tool {call.name[:40]}")
        if call.name in self._rules.loaders:
            payload, specs = load(self._rules.loaders[call.name], self._rules.specs)
            self._loaded.update(spec.name for spec in specs)
            return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload, loaded_tools=specs)
        if problem := self._rules.argument_checks[call.name].problem(call.arguments):
            return _error(call, ErrorType.INVALID_ARGUMENT, problem)
        permission = self._rules.specs[call.name].permission
        if permission in self.task.initial.denied_permissions:
            return _error(call, ErrorType.PERMISSION_DENIED, f"Permission denied: {permission}")
        fault = self._faults.next(call.name)
        if fault is not None:
            if fault.hang_s > 0:
                await asyncio.sleep(fault.hang_s)
                self._step_ends += fault.hang_s
            return _error(call, fault.error_type, fault.message or f"Failed: {fault.error_type.value}")
        return await self._simulate(call)

    async def _simulate(self, call: ToolCall) -> Feedback:
        """Asks until an answer passes, at most `attempts` times; each objection goes into the next prompt."""
        objections: list[Objection] = []
        for attempt in range(self._limits.attempts):
            answer = parse_answer(await self._ask(call, attempt, objections), self._limits)
            if isinstance(answer, Objection):
                objections = [answer]
            else:
                log, objections = judge(self.log, self._rules, self.task, call, answer)
                if not objections:
                    self.log = log
                    self._recorded.append(Recorded(call.id, answer.facts))
                    return _feedback(call, answer)
            self.refused += objections
        reasons = "; ".join(str(o) for o in objections)
        raise EnvFailure(
            f"{self._model.name}: {self._limits.attempts} answers to {call.name} refused, the last because {reasons}"
        )

    async def _ask(self, call: ToolCall, attempt: int, objections: Sequence[Objection]) -> str:
        messages = prompt.messages(self.log, self._rules, self.task, call, objections)
        length = sum(len(m.content) for m in messages)
        if length > self._limits.prompt_chars:
            most = self._limits.prompt_chars
            raise EnvFailure(f"the log of {self.task.id} makes a prompt of {length} characters, more than {most}")
        number, left = len(self.log.entries), max(0.0, self._step_ends - time.monotonic())
        request = GenerateRequest(
            episode=f"{self.task.id}/{number}/{attempt}",
            turn=0,
            messages=messages,
            tools=[],
            max_tokens=self._limits.answer_tokens,
            temperature=0.0,
            seed=_seed(self.task.id, number, attempt),
            time_left_s=left,
        )
        try:
            async with asyncio.timeout(left):
                reply = await self._model.generate(request)
        except TimeoutError:
            text = f"{self._model.name}: no acceptable answer within the block's {self._limits.step_s:g} s"
            raise EnvFailure(text, FailureCause.DEADLINE) from None
        except ModelFailure as e:
            raise EnvFailure(f"{self._model.name}: {e}", FailureCause.TRANSIENT) from e
        except Exception as e:
            raise EnvFailure(f"{self._model.name}: {type(e).__name__}: {e}") from e
        if reply.finish != "stop":
            return f"[cut off by {reply.finish}]"  # not JSON, so it is refused as malformed with this as its text
        return reply.text


def _seed(task_id: str, number: int, attempt: int) -> int:
    digest = hashlib.sha256(f"simulated/{task_id}/{number}/{attempt}".encode()).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _feedback(call: ToolCall, answer: Answer) -> Feedback:
    error = None if answer.ok else error_type(answer.code)
    return Feedback(
        call_id=call.id, name=call.name, ok=answer.ok, payload=answer.payload, error_type=error, code=answer.code
    )


def _error(call: ToolCall, error: ErrorType, text: str) -> Feedback:
    payload: dict[str, Any] = {"success": False, "error": text, "code": ERROR_CODES[error]}
    return Feedback(
        call_id=call.id, name=call.name, ok=False, payload=payload, error_type=error, code=ERROR_CODES[error]
    )
