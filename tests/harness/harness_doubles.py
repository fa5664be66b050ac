"""Small doubles that obey the contract: a backend with four tools and a model that plays texts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from qpa.contract import (
    Dimension,
    Effect,
    Feedback,
    GenerateReply,
    GenerateRequest,
    Limits,
    Resources,
    Split,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolKind,
    ToolSpec,
    ToolStep,
    Trajectory,
    Verdict,
)


def spec(name: str, properties: dict[str, Any] | None = None, required: Sequence[str] = (), **more: Any) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": properties or {},
        "required": list(required),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, description=f"{name}.", parameters=parameters, **more)


ALARM = spec(
    "manage_alarm",
    {
        "action": {"type": "string", "enum": ["create", "query"]},
        "time": {"type": "string"},
        "count": {"type": "integer"},
    },
    ["action"],
    domain="Time",
    effect=Effect.REVERSIBLE,
)
NOTE = spec("manage_note", {"content": {"type": "string"}}, domain="Notes", effect=Effect.REVERSIBLE)
SEARCH = spec("search_user_memory", {"query": {"type": "string"}}, ["query"], domain="AI", kind=ToolKind.MEMORY)
LOADER = spec("skill__time_planning", {"reason": {"type": "string"}}, kind=ToolKind.SKILL)
CATALOG = [ALARM, NOTE, SEARCH, LOADER]


def make_task(id: str = "t1", tools: Sequence[str] = ("manage_alarm",), **more: Any) -> TaskSpec:
    limits = more.pop("limits", Limits())
    skills = more.pop("skills", ())
    fields: dict[str, Any] = {
        "goal": "Set an alarm at 07:30.",
        "criteria": ToolCriteria(steps=[ToolStep(name="manage_alarm", arguments={"action": "create"})]),
        "dimension": Dimension.TOOL,
        "domain": "Time",
        "family": "alarm",
        "split": Split.DEV,
    } | more
    return TaskSpec(id=id, resources=Resources(tools=list(tools), skills=list(skills)), limits=limits, **fields)


class Clock:
    """Time that stands still until a test moves it, so that a busy machine cannot use up an episode's deadline."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class StubEnv:
    """Records what reaches it. `answer(call)` may raise, or return a coroutine that is awaited."""

    def __init__(self, answer: Callable[[ToolCall], Any] | None = None, *, success: bool = True) -> None:
        self.answer = answer
        self.success = success
        self.opened = self.closed = self.verified = 0
        self.stepped: list[ToolCall] = []
        self.reset_errors: list[BaseException] = []
        self.verify_error: Exception | None = None

    def catalog(self) -> list[ToolSpec]:
        return list(CATALOG)

    async def reset(self, task: TaskSpec) -> Any:
        if self.reset_errors:
            raise self.reset_errors.pop(0)
        self.opened += 1
        return task

    async def step(self, session: Any, calls: Sequence[ToolCall]) -> list[Feedback]:
        self.stepped += calls
        return [await self._one(call) for call in calls]

    async def _one(self, call: ToolCall) -> Feedback:
        payload: Any = {"success": True, "message": "ok", "data": {}}
        if self.answer is not None:
            payload = self.answer(call)
            if asyncio.iscoroutine(payload):
                payload = await payload
        if isinstance(payload, Feedback):
            return payload
        return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload)

    async def verify(self, session: Any, trajectory: Trajectory) -> Verdict:
        self.verified += 1
        if self.verify_error is not None:
            raise self.verify_error
        return Verdict(success=self.success, progress=float(self.success))

    async def close(self, session: Any) -> None:
        self.closed += 1


class TextModel:
    """Plays texts; keeps the requests. An entry may be an exception (raised) or a coroutine function (awaited)."""

    def __init__(self, *texts: Any, family: str = "compact", finish: str = "stop") -> None:
        self.name = "text"
        self.family = family
        self.texts = texts
        self.finish = finish
        self.requests: list[GenerateRequest] = []

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        self.requests.append(request)
        text = self.texts[min(request.turn, len(self.texts) - 1)]
        if isinstance(text, Exception):
            raise text
        if callable(text):
            text = await text()
        return GenerateReply(text=text, finish=self.finish)


def call_text(name: str, arguments: str = "{}") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


CREATE = call_text("manage_alarm", '{"action": "create", "time": "07:30"}')
