"""OpenEnv's protocol on the same server, so that its clients drive our environments. Needs no package of it.

    client = GenericEnvClient(base_url=f"http://qpa:{token}@127.0.0.1:8700/openenv")
    await client.reset(seed=3)                                     # task 3 of the server's list; or task_id=, task=
    await client.step({"tool_name": "manage_alarm", "arguments": {...}})
    await client.step({"reply": "Done.", "intent": "finish"})      # ends the episode: reward 1 or 0

One WebSocket is one session at a time, under the server's own leases: owned, bounded, ended when idle. Broken
infrastructure is an error (EXECUTION_ERROR), never a reward. Over HTTP there are /health, /metadata and /schema; the
protocol's HTTP /reset and /step keep no state between requests and are not served.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import uuid
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket

from qpa.contract import (
    Action,
    CallTools,
    ContractError,
    Cost,
    FailureCause,
    Feedback,
    Intent,
    Message,
    Record,
    Reply,
    Step,
    StopReason,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
)
from qpa.envs import server_messages as m
from qpa.envs.sandbox.loaders import loader_name
from qpa.envs.server_messages import CODECS, JSON, Refusal
from qpa.envs.server_service import Service

PREFIX = "/openenv"
_STOPS = {Intent.FINISH: StopReason.FINISHED, Intent.ASK: StopReason.ASKED, Intent.REFUSE: StopReason.REFUSED}
_CODES = {
    FailureCause.CAPACITY: "CAPACITY_REACHED",
    FailureCause.LEASE: "SESSION_ERROR",
    FailureCause.REQUEST: "VALIDATION_ERROR",
    FailureCause.UNSUPPORTED: "VALIDATION_ERROR",
}


class ResetData(Record):
    """Which task: a whole one, one of the server's by id or number (`seed`), or the next one."""

    seed: Annotated[int, msgspec.Meta(ge=0)] | None = None
    episode_id: Annotated[str, msgspec.Meta(max_length=255)] | None = None
    task_id: str | None = None
    task: TaskSpec | None = None


class NamedCall(Record):
    """One tool call."""

    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class OpenEnvAction(Record):
    """Exactly one of `calls` (a parallel block), `tool_name` with `arguments`, and `reply` with `intent`.

    `type` and `metadata` are what OpenEnv's own actions carry.
    """

    calls: Annotated[list[NamedCall], msgspec.Meta(max_length=256)] = msgspec.field(default_factory=list)
    tool_name: str | None = None
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)
    reply: str | None = None
    intent: Intent = Intent.FINISH
    type: str = "call_tool"
    metadata: dict[str, Any] = msgspec.field(default_factory=dict)

    def action(self, turn: int) -> Action:
        """The contract's action. Raises `Refusal` for none or several."""
        if bool(self.calls) + (self.tool_name is not None) + (self.reply is not None) != 1:
            raise _invalid("want exactly one of calls, tool_name, reply - at `$.data`")
        if self.reply is not None:
            return Reply(text=self.reply, intent=self.intent)
        calls = self.calls or [NamedCall(name=self.tool_name or "", arguments=self.arguments)]
        return CallTools([ToolCall(id=f"{turn}.{i}", name=c.name, arguments=c.arguments) for i, c in enumerate(calls)])


class OpenEnvObservation(Record):
    """What is seen: the task at reset, then the feedback; `tools` are new ones, `verdict` comes at the end."""

    task_id: str
    goal: str = ""
    history: list[Message] = msgspec.field(default_factory=list)
    tools: list[ToolSpec] = msgspec.field(default_factory=list)
    feedback: list[Feedback] = msgspec.field(default_factory=list)
    verdict: Verdict | None = None


class OpenEnvState(Record):
    """Where the episode stands."""

    episode_id: str | None = None
    step_count: int = 0
    task_id: str | None = None
    done: bool = False


class _Envelope(msgspec.Struct):
    type: str = ""
    data: msgspec.Raw = msgspec.Raw(b"{}")


def routes(service: Service, tasks: Callable[[], Sequence[TaskSpec]]) -> list[BaseRoute]:
    """Routes under `PREFIX`; `tasks` makes those that a client may choose by number or id, when the first one does."""
    listed = functools.cache(tasks)

    async def health(request: Request) -> Response:
        return _json({"status": "healthy"})

    async def metadata(request: Request) -> Response:
        text = "A phone: tools are called by name, a reply in words ends the episode"
        return _json({"name": f"qpa-{service.backend.name}", "description": text, "version": str(m.PROTOCOL)})

    async def schema(request: Request) -> Response:
        kinds = {"action": OpenEnvAction, "observation": OpenEnvObservation, "state": OpenEnvState}
        return _json({name: msgspec.json.schema(kind) for name, kind in kinds.items()})

    async def socket(ws: WebSocket) -> None:
        await _Episodes(service, listed, ws).run()

    return [
        Route(f"{PREFIX}/health", health, methods=["GET"]),
        Route(f"{PREFIX}/metadata", metadata, methods=["GET"]),
        Route(f"{PREFIX}/schema", schema, methods=["GET"]),
        WebSocketRoute(f"{PREFIX}/ws", socket),
    ]


class _Episodes:
    """One connection: one episode after the other, messages answered in order."""

    def __init__(self, service: Service, tasks: Callable[[], Sequence[TaskSpec]], ws: WebSocket) -> None:
        self._service, self._tasks, self._ws = service, tasks, ws
        self._owner: str = ws.scope["owner"]
        self._lease: m.LeaseAnswer | None = None
        self._task: TaskSpec | None = None
        self._steps: list[Step] = []
        self._state = OpenEnvState()
        self._next = 0

    async def run(self) -> None:
        """Serves until the client leaves or says close; the session ends with the connection."""
        await self._ws.accept()
        try:
            while True:
                message = await self._ws.receive()
                if message["type"] == "websocket.disconnect":
                    return
                kind, data = await self._answer(message.get("text"))
                if kind == "close":
                    return await self._ws.close()
                await self._ws.send({"type": "websocket.send", "text": _encode({"type": kind, "data": data}).decode()})
        finally:
            await self._end()

    async def _answer(self, text: str | None) -> tuple[str, Any]:
        try:
            envelope = CODECS[JSON].decode(text if text is not None else "", _Envelope)
        except ContractError as e:
            return "error", {"message": f"Invalid JSON: {e}", "code": "INVALID_JSON"}
        try:
            if envelope.type == "reset":
                return "observation", await self._reset(_data(envelope, ResetData))
            if envelope.type == "step":
                return "observation", await self._step(_data(envelope, OpenEnvAction))
            if envelope.type == "state":
                return "state", self._state
            if envelope.type == "close":
                return "close", None
        except Refusal as e:
            return "error", self._error(e)
        return "error", {"message": f"Unknown message type: {envelope.type[:100]}", "code": "UNKNOWN_TYPE"}

    def _error(self, failure: Refusal) -> dict[str, Any]:
        code = _CODES.get(failure.cause, "EXECUTION_ERROR")
        error: dict[str, Any] = {"message": str(failure), "code": code, "cause": failure.cause, "what": failure.what}
        if failure.cause is FailureCause.CAPACITY:
            leases = self._service.leases
            error |= {"active_sessions": len(leases), "max_sessions": leases.max_sessions}
        return error

    async def _reset(self, data: ResetData) -> dict[str, Any]:
        task = await self._choose(data)
        await self._end()
        request = m.ResetRequest(request_id=_new_id(), task=task)
        self._lease = await self._service.handle(self._owner, request)
        self._task, self._steps = task, []
        self._state = OpenEnvState(episode_id=data.episode_id or uuid.uuid4().hex, task_id=task.id)
        catalog = {tool.name: tool for tool in self._service.backend.catalog()}
        loaders = [loader_name(skill) for skill in task.resources.skills]
        tools = [catalog[name] for name in [*task.resources.tools, *loaders] if name in catalog]
        seen = OpenEnvObservation(task_id=task.id, goal=task.goal, history=task.history, tools=tools)
        return _observed(seen)

    async def _choose(self, data: ResetData) -> TaskSpec:
        if data.task is not None:
            return data.task
        tasks = await asyncio.to_thread(self._tasks)
        if data.task_id is not None:
            for task in tasks:
                if task.id == data.task_id:
                    return task
            raise _invalid(f"no task {data.task_id[:100]!r} - at `$.data.task_id`")
        if not tasks:
            raise _invalid("this server has no tasks of its own: send one - at `$.data.task`")
        number = self._next if data.seed is None else data.seed
        self._next = number + 1
        return tasks[number % len(tasks)]

    async def _step(self, data: OpenEnvAction) -> dict[str, Any]:
        if self._lease is None or self._task is None or self._state.done:
            raise Refusal("no episode is under way: reset first", FailureCause.LEASE, "step")
        action = data.action(len(self._steps))
        step = Step(index=len(self._steps), observation=[], text=data.reply or "", action=action)
        seen = OpenEnvObservation(task_id=self._task.id)
        if isinstance(action, CallTools):
            request = m.StepRequest(request_id=_new_id(), calls=action.calls, **self._held(self._lease))
            step.feedback = seen.feedback = (await self._service.handle(self._owner, request)).feedback
            seen.tools = [tool for answer in step.feedback for tool in answer.loaded_tools]
        self._steps.append(step)
        self._state.step_count += 1
        stop = _STOPS[action.intent] if isinstance(action, Reply) else StopReason.TURN_LIMIT
        if isinstance(action, Reply) or len(self._steps) >= self._task.limits.turns:
            seen.verdict = await self._verify(self._task, self._lease, stop)
            self._state.done = True
        return _observed(seen)

    async def _verify(self, task: TaskSpec, lease: m.LeaseAnswer, stop: StopReason) -> Verdict:
        trajectory = Trajectory(
            task=task, steps=self._steps, stop=stop, backend=lease.backend, cost=Cost(turns=len(self._steps))
        )
        request = m.VerifyRequest(request_id=_new_id(), trajectory=trajectory, **self._held(lease))
        return (await self._service.handle(self._owner, request)).verdict

    def _held(self, lease: m.LeaseAnswer) -> dict[str, Any]:
        return {"session": lease.session, "epoch": lease.epoch}

    async def _end(self) -> None:
        lease, self._lease = self._lease, None
        if lease is not None:
            with contextlib.suppress(Refusal):  # the server is stopping and closes it itself
                request = m.CloseRequest(request_id=_new_id(), **self._held(lease))
                await self._service.handle(self._owner, request)


def _observed(seen: OpenEnvObservation) -> dict[str, Any]:
    reward = None if seen.verdict is None else float(seen.verdict.success)
    return {"observation": seen, "reward": reward, "done": seen.verdict is not None}


def _data(envelope: _Envelope, kind: Any) -> Any:
    try:
        return CODECS[JSON].decode(bytes(envelope.data), kind)
    except ContractError as e:
        raise _invalid(f"{e} (in `data`)") from None


def _invalid(text: str) -> Refusal:
    return Refusal(text, FailureCause.REQUEST, "message")


def _encode(value: Any) -> bytes:
    return CODECS[JSON].encode(value)


def _json(value: Any) -> Response:
    return Response(_encode(value), media_type=JSON)


def _new_id() -> str:
    return uuid.uuid4().hex
