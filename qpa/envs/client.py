"""An environment on another host, as if it were here.

env = RemoteEnv("http://phone-host:8700", token)
await env.connect(tasks)                      # what the server has, and which tasks it can play
trajectory = await run_episode(model, env, task, eta=eta)
"""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from qpa.contract import (
    ERROR_CODES,
    ContractError,
    EnvFailure,
    ErrorType,
    FailureCause,
    Feedback,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
)
from qpa.envs import server_messages as m
from qpa.envs.base import Capabilities
from qpa.envs.client_transport import Address, HttpTransport, SocketTransport, Transport, get_now
from qpa.envs.server_messages import CODECS, JSON, MSGPACK, Codec, fingerprint

T = TypeVar("T")
_GRACE_S = 2.0  # longer than the server's own deadline, which says more when it strikes
_FACTS_S = 10.0
_KEPT_REASONS = 100_000


class RemoteSession:
    """A leased session. `backend` is the one that plays it, for the trajectory."""

    __slots__ = ("_env", "backend", "epoch", "id", "task")

    def __init__(self, env: RemoteEnv, task: TaskSpec, lease: m.LeaseAnswer) -> None:
        self._env, self.task = env, task
        self.id, self.epoch, self.backend = lease.session, lease.epoch, lease.backend

    async def fork(self) -> RemoteSession:
        """An independent copy on the same server; `EnvFailure` with cause UNSUPPORTED where the backend cannot."""
        return await self._env.fork(self)


class RemoteEnv:
    """A `Backend` served by `qpa.envs.server`. Sessions are kept alive by heartbeats while they are open.

    Belongs to the event loop that uses it; on a new loop it connects again.
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        transport: str = "socket",
        deadlines_s: Mapping[str, float] | None = None,
        ca_file: str | None = None,
        patience_s: float = 2.0,
        keepalive_s: float | None = 20.0,
    ) -> None:
        """`transport` is "socket" or "http"; `deadlines_s` asks for less than the server grants, by operation.

        Raises ValueError for another transport, operation or scheme.
        """
        if transport not in ("socket", "http"):
            raise ValueError(f"transport {transport!r}: want socket or http")
        for operation, seconds in (deadlines_s or {}).items():
            if operation not in ("reset", "step", "verify", "fork", "close") or not seconds > 0:
                raise ValueError(f"deadlines_s: {operation}: {seconds}; want reset, step, verify, fork, close: seconds")
        self.url = url
        self.failures_of_heartbeat = 0
        self._address = Address(url, token, ca_file, patience_s, keepalive_s)
        self._kind = transport
        self._asked = dict(deadlines_s or {})
        self._loop: asyncio.AbstractEventLoop | None = None
        self._transport: Transport | None = None
        self._about: m.AboutAnswer | None = None
        self._tools: list[ToolSpec] | None = None
        self._reasons: dict[bytes, str] = {}
        self._open: dict[str, RemoteSession] = {}
        self._heart: asyncio.Task[None] | None = None
        self._idle_s = 600.0
        self._background: set[asyncio.Task[Any]] = set()

    # --- facts ---

    async def connect(self, tasks: Sequence[TaskSpec] = ()) -> RemoteEnv:
        """Fetches what `catalog`, `capabilities` and, for these tasks, `supports` answer, without blocking the loop.

        Without it each of them asks the server itself, once, and blocks meanwhile.
        """
        if self._about is None:
            self._about = _same_protocol(await self._send(m.AboutRequest(request_id=_new_id()), m.AboutAnswer))
        if self._tools is None:
            self._tools = (await self._send(m.CatalogRequest(request_id=_new_id()), m.CatalogAnswer)).tools
        for start in range(0, len(tasks), 100):
            some = list(tasks[start : start + 100])
            answer = await self._send(m.SupportsRequest(request_id=_new_id(), tasks=some), m.SupportsAnswer)
            self._remember(some, answer.reasons)
        return self

    def catalog(self) -> list[ToolSpec]:
        """The backend's tools, fetched once."""
        if self._tools is None:
            self._tools = self._now("catalog", m.CatalogRequest(request_id=_new_id()), m.CatalogAnswer).tools
        return list(self._tools)

    def about(self) -> m.AboutAnswer:
        """Capabilities and limits, fetched once."""
        if self._about is None:
            self._about = _same_protocol(self._now("about", m.AboutRequest(request_id=_new_id()), m.AboutAnswer))
        return self._about

    def capabilities(self) -> Capabilities:
        """The backend's."""
        return self.about().capabilities

    @property
    def name(self) -> str:
        """The backend's."""
        return self.capabilities().backend

    @property
    def max_sessions(self) -> int:
        """How many the server leases at a time, to all its callers."""
        return self.about().max_sessions

    def supports(self, task: TaskSpec) -> str:
        """The backend's answer, asked once per task."""
        key = _key(task)
        if key not in self._reasons:
            request = m.SupportsRequest(request_id=_new_id(), tasks=[task])
            self._remember([task], self._now("supports", request, m.SupportsAnswer).reasons)
        return self._reasons[key]

    def _remember(self, tasks: Sequence[TaskSpec], reasons: Sequence[str]) -> None:
        if len(self._reasons) + len(tasks) > _KEPT_REASONS:
            self._reasons.clear()
        self._reasons.update(zip(map(_key, tasks), reasons))

    # --- Env ---

    async def reset(self, task: TaskSpec) -> RemoteSession:
        """A leased session. A caller that stops waiting leaves none behind."""
        request = m.ResetRequest(request_id=_new_id(), task=task, deadline_s=self._asked.get("reset"))
        return await self._leased(request, task)

    async def fork(self, session: RemoteSession) -> RemoteSession:
        """An independent copy of a session."""
        request = m.ForkRequest(
            request_id=_new_id(), session=session.id, epoch=session.epoch, deadline_s=self._asked.get("fork")
        )
        return await self._leased(request, session.task)

    async def step(self, session: RemoteSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order. Arguments that are not JSON get the sandbox's answer to them, here."""
        sent, refused = _sendable(calls)
        answers: list[Feedback] = []
        if sent or not calls:
            request = m.StepRequest(
                request_id=_new_id(),
                session=session.id,
                epoch=session.epoch,
                calls=sent,
                deadline_s=self._asked.get("step"),
            )
            answers = (await self._send(request, m.StepAnswer)).feedback
        if not refused:
            return answers
        rest = iter(answers)
        return [refused[i] if i in refused else next(rest) for i in range(len(sent) + len(refused))]

    async def verify(self, session: RemoteSession, trajectory: Trajectory) -> Verdict:
        """The server's verdict; token ids and log-probs are not sent."""
        request = m.VerifyRequest(
            request_id=_new_id(),
            session=session.id,
            epoch=session.epoch,
            trajectory=m.without_tokens(trajectory),
            deadline_s=self._asked.get("verify"),
        )
        return (await self._send(request, m.VerifyAnswer)).verdict

    async def close(self, session: RemoteSession) -> None:
        """Ends the session; one that is gone already is fine."""
        self._open.pop(session.id, None)
        request = m.CloseRequest(
            request_id=_new_id(), session=session.id, epoch=session.epoch, deadline_s=self._asked.get("close")
        )
        await self._send(request, m.CloseAnswer)

    async def adopt(self, session: str, task: TaskSpec) -> RemoteSession:
        """Takes over an own session that an earlier process left; see `sessions`."""
        lease = await self._send(m.AdoptRequest(request_id=_new_id(), session=session), m.LeaseAnswer)
        return self._held(lease, task)

    async def sessions(self) -> list[m.SessionInfo]:
        """The owner's sessions on the server."""
        return (await self._send(m.ListRequest(request_id=_new_id()), m.ListAnswer)).sessions

    async def disconnect(self) -> None:
        """Closes the connection and stops the heartbeat; open sessions end when the server finds them idle."""
        transport, self._transport, self._loop = self._transport, None, None
        self._stop_heart()
        if transport is not None:
            await transport.close()

    # --- sending ---

    def _connection(self) -> Transport:
        loop = asyncio.get_running_loop()
        if self._transport is None or self._loop is not loop:
            self._loop, self._heart = loop, None
            self._background.clear()
            self._transport = (SocketTransport if self._kind == "socket" else HttpTransport)(self._address)
        return self._transport

    async def _send(self, request: Any, answer: type[T]) -> T:
        operation = m.OPERATION_OF[type(request)]
        codec = CODECS[MSGPACK]
        try:
            body = codec.encode(request)
        except OverflowError:  # an integer that only JSON can say
            codec = CODECS[JSON]
            body = codec.encode(request)
        seconds = self._patience(operation)
        try:
            async with asyncio.timeout(seconds):
                answered, result = await self._connection().call(operation, request.request_id, codec, body)
        except TimeoutError:
            text = f"{self.url}: {operation}: no answer in {seconds:.3g} s; it may or may not have run"
            raise EnvFailure(text, FailureCause.DEADLINE) from None
        return _read(answered, result, answer, self.url)

    def _now(self, operation: str, request: Any, answer: type[T]) -> T:
        codec, result = get_now(self._address, operation, request, _FACTS_S)
        return _read(codec, result, answer, self.url)

    def _patience(self, operation: str) -> float:
        granted = self._about.deadlines_s.get(operation, _FACTS_S) if self._about is not None else 60.0
        return min(self._asked.get(operation, granted), granted) + _GRACE_S

    # --- leases ---

    async def _leased(self, request: m.ResetRequest | m.ForkRequest, task: TaskSpec) -> RemoteSession:
        try:
            return self._held(await self._send(request, m.LeaseAnswer), task)
        except asyncio.CancelledError:
            self._spawn(self._discard(request, task))
            raise
        except EnvFailure as e:
            if e.cause is FailureCause.DEADLINE and not isinstance(e, m.Refusal):  # we gave up, the server did not
                self._spawn(self._discard(request, task))
            raise

    async def _discard(self, request: m.ResetRequest | m.ForkRequest, task: TaskSpec) -> None:
        """Closes the session of a request whose answer nobody waited for: asked again, it is answered from record."""
        with contextlib.suppress(EnvFailure):  # nothing was leased, or it is gone with the server
            await self.close(RemoteSession(self, task, await self._send(request, m.LeaseAnswer)))

    def _held(self, lease: m.LeaseAnswer, task: TaskSpec) -> RemoteSession:
        session = self._open[lease.session] = RemoteSession(self, task, lease)
        self._idle_s = lease.idle_s
        if self._heart is None or self._heart.done():
            self._heart = self._spawn(self._beat())
        return session

    async def _beat(self) -> None:
        """Renews every open lease while there is one."""
        while self._open:
            await asyncio.sleep(self._idle_s / 4)
            held = [m.Lease(session=s.id, epoch=s.epoch) for s in self._open.values()]
            for start in range(0, len(held), 5_000):
                some = held[start : start + 5_000]
                try:
                    request = m.HeartbeatRequest(request_id=_new_id(), leases=some)
                    lost = (await self._send(request, m.HeartbeatAnswer)).lost
                except EnvFailure:
                    self.failures_of_heartbeat += 1  # the sessions' own calls will say what is wrong
                    continue
                for session in lost:
                    self._open.pop(session, None)

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def _stop_heart(self) -> None:
        heart, self._heart = self._heart, None
        if heart is not None and not heart.get_loop().is_closed():
            heart.cancel()


def _read(codec: Codec, result: bytes, answer: type[T], url: str) -> T:
    try:
        return codec.decode(result, answer)
    except ContractError as e:
        raise EnvFailure(f"{url}: unreadable answer: {e}", FailureCause.BACKEND) from None


def _sendable(calls: Sequence[ToolCall]) -> tuple[list[ToolCall], dict[int, Feedback]]:
    """The calls that can be encoded, and the feedback of the others by position."""
    try:
        CODECS[JSON].encode(calls)
        return list(calls), {}
    except Exception:  # whatever the encoder makes of arguments that never were JSON
        pass
    sent: list[ToolCall] = []
    refused: dict[int, Feedback] = {}
    for index, call in enumerate(calls):
        try:
            CODECS[JSON].encode(call)
            sent.append(call)
        except Exception:
            code = ERROR_CODES[ErrorType.INVALID_ARGUMENT]
            payload = {"success": False, "error": "Arguments are not valid JSON", "code": code}
            refused[index] = Feedback(
                call_id=call.id,
                name=call.name,
                ok=False,
                payload=payload,
                error_type=ErrorType.INVALID_ARGUMENT,
                code=code,
            )
    return sent, refused


def _same_protocol(about: m.AboutAnswer) -> m.AboutAnswer:
    if about.protocol != m.PROTOCOL:
        text = f"the server speaks protocol {about.protocol}, this client {m.PROTOCOL}"
        raise EnvFailure(text, FailureCause.REQUEST)
    return about


def _key(task: TaskSpec) -> bytes:
    return fingerprint(m.SupportsRequest(request_id="-", tasks=[task]))


def _new_id() -> str:
    return uuid.uuid4().hex
