"""MCP servers behind the `Env` Protocol."""

from __future__ import annotations

import asyncio
import hashlib
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
from mcp.shared.exceptions import MCPError

from qpa.contract import (
    BehaviorCriteria,
    ContractError,
    Effect,
    EnvFailure,
    ErrorType,
    Evidence,
    FailureCause,
    Feedback,
    Operation,
    RowChange,
    StateCriteria,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
    Verifier,
    to_json,
)
from qpa.envs.base import Capabilities
from qpa.envs.mcp import content
from qpa.envs.mcp.config import McpServer
from qpa.envs.mcp.connection import Connection
from qpa.envs.mcp.lock import Pinned, differences, local_name, read_lock, tool_specs, write_lock
from qpa.envs.mcp.text import clean
from qpa.envs.schemas import SchemaCheck


async def pin(servers: Sequence[McpServer], path: Path | str) -> dict[str, list[str]]:
    """Asks every server for its tools and writes the lock file; returns the tool names by server.

    Raises:
      ContractError: a server's configuration, or a tool that cannot be used.
      EnvFailure: a server cannot be reached.
    """
    _checked(servers)
    found: dict[str, Mapping[str, Pinned]] = {}
    for server in servers:
        connection = await Connection.connect(server)
        try:
            found[server.name] = await connection.tools()
        finally:
            await connection.close()
        tool_specs(server, found[server.name])
    write_lock(path, found)
    return {name: list(tools) for name, tools in found.items()}


class McpSession:
    """Made by `McpEnv.reset`."""

    backend = "mcp"

    def __init__(self, session_id: str, task: TaskSpec, connections: dict[str, Connection], notes: dict[str, str]):
        self.id, self.task, self.notes = session_id, task, notes
        self.connections = connections
        self.operations: list[Operation] = []
        self.answers: dict[str, tuple[bytes, Feedback | None]] = {}  # None: begun, and its outcome is not known
        self.lock = asyncio.Lock()
        self.closed = False


class McpEnv:
    """The pinned tools of one or several servers.

    A server keeps whatever state it has: nothing is set up before an episode and nothing is undone after it, so tasks
    must not depend on where an earlier one left it. Without `shared`, a stdio server at least starts afresh.

    Args:
      servers: where the tools are. lock: the file of `pin`.
      verifier: judges tool and behaviour criteria. Rows of a server cannot be compared.

    Raises:
      ContractError: a configuration or lock file with an error, or two tools of one name.
    """

    name = "mcp"

    def __init__(self, servers: Sequence[McpServer], lock: Path | str, verifier: Verifier | None = None) -> None:
        _checked(servers)
        self._servers = {server.name: server for server in servers}
        self._lock = read_lock(lock, servers)
        self._lock_digest = hashlib.sha256(to_json(self._lock.servers)).hexdigest()
        self._verifier = verifier
        self._specs: dict[str, ToolSpec] = {}
        self._homes: dict[str, tuple[str, str]] = {}  # the planner's name -> server, the server's name
        for server in servers:
            specs = tool_specs(server, self._lock.servers[server.name])
            clash = [name for name in specs if name in self._specs]
            if clash:
                raise ContractError(f"mcp: two servers have a tool {clash[0]!r}; give one a prefix")
            self._specs |= specs
            self._homes |= {local_name(server, t): (server.name, t) for t in self._lock.servers[server.name]}
        self._argument_checks = {name: SchemaCheck(spec.parameters) for name, spec in self._specs.items()}
        # An event loop's connections end with it: each loop that plays episodes has its own shared ones.
        self._shared: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _Shared] = weakref.WeakKeyDictionary()
        self._started = 0

    def capabilities(self) -> Capabilities:
        """Nothing can be set up, and the same call may be answered otherwise next time."""
        return Capabilities(backend=self.name, deterministic=False, seeding="none")

    def supports(self, task: TaskSpec) -> str:
        """Why the task cannot be played: unknown tools, a state to set up, or criteria that nothing here can judge."""
        missing = [name for name in task.resources.tools if name not in self._specs]
        if missing or task.resources.skills:
            return f"no tool {missing[0]!r}" if missing else "MCP servers have no skill loaders"
        initial = task.initial
        for what, given in (("patch", initial.patch), ("permissions", initial.denied_permissions)):
            if given:
                return f"an MCP server cannot be given a state to start from (initial.{what})"
        if initial.faults:
            return "an MCP server has no fault plan"
        if isinstance(task.criteria, StateCriteria):
            return "state criteria compare rows, and an MCP server shows none"
        if isinstance(task.criteria, BehaviorCriteria) and not task.criteria.allow_writes:
            unsure = [name for name in task.resources.tools if not self._effect_is_known(name)]
            if unsure:
                return f"its criteria forbid changes, and nothing trusted says whether {unsure[0]!r} makes any"
        return ""

    def catalog(self) -> list[ToolSpec]:
        """The pinned tools; no server is asked."""
        return list(self._specs.values())

    async def reset(self, task: TaskSpec) -> McpSession:
        """Connects to the servers whose tools the task has, and compares their definitions with the pinned ones.

        Raises:
          EnvFailure: the task is not supported, a server cannot be reached, or its tools are not the pinned ones.
        """
        if reason := self.supports(task):
            raise EnvFailure(f"task {task.id}: {reason}", FailureCause.UNSUPPORTED)
        needed = {self._homes[name][0] for name in task.resources.tools}
        connections: dict[str, Connection] = {}
        self._started += 1
        notes = {"mcp_lock": self._lock_digest}
        session = McpSession(f"mcp-{self._started}", task, connections, notes)
        try:
            for name in sorted(needed):
                server = self._servers[name]
                connections[name] = await (self._share(server) if server.shared else Connection.connect(server))
                await self._check_pin(connections[name])
        except BaseException:
            await self.close(session)
            raise
        return session

    async def step(self, session: McpSession, calls: Sequence[ToolCall]) -> list[Feedback]:
        """One feedback per call, in order; a repeated call id replays its answer.

        Calls run one after the other; at once only if all of them are known to read. No call is ever repeated.

        Raises:
          EnvFailure: a server is gone, hangs, breaks the protocol, or has changed its tools.
        """
        async with session.lock:
            if session.closed:
                raise EnvFailure(f"mcp session {session.id} is closed", FailureCause.LEASE)
            for connection in session.connections.values():
                if connection.stale:
                    await self._check_pin(connection)
            if all(self._only_reads(call) for call in calls) and len({call.id for call in calls}) == len(calls):
                done = await asyncio.gather(*(self._answer(session, call) for call in calls), return_exceptions=True)
                for one in done:
                    if isinstance(one, BaseException):
                        raise one
                answers = [one for one in done if isinstance(one, Feedback)]
            else:
                answers = [await self._answer(session, call) for call in calls]
            for connection in session.connections.values():
                if connection.stale:  # changed while the block ran: what it answered is not what was reviewed
                    await self._check_pin(connection)
            return answers

    async def verify(self, session: McpSession, trajectory: Trajectory) -> Verdict:
        """The injected verifier's judgement of the calls; raises ContractError without one."""
        if self._verifier is None:
            raise ContractError("McpEnv has no verifier: construct it as McpEnv(..., verifier=...)")
        return self._verifier.verify(session.task, self.evidence(session), trajectory)

    def evidence(self, session: McpSession) -> Evidence:
        """The operation log; as changes, one row per successful call of a tool that may change something."""
        changes = [
            RowChange(table=f"mcp:{op.tool}", op="update", key={"call": op.call_id}, new=op.arguments)
            for op in session.operations
            if op.ok and self._specs[op.tool].effect is not Effect.READ
        ]
        return Evidence(changes=changes, operations=list(session.operations))

    async def close(self, session: McpSession) -> None:
        """Ends the session's own connections and their processes; closing twice is fine."""
        session.closed = True
        own = [c for c in session.connections.values() if not c.server.shared]
        session.connections.clear()
        await asyncio.gather(*(connection.close() for connection in own))

    async def aclose(self) -> None:
        """Ends the shared connections of the running loop."""
        shared = self._shared.pop(asyncio.get_running_loop(), None)
        if shared is not None:
            await asyncio.gather(*(connection.close() for connection in shared.connections.values()))

    async def _share(self, server: McpServer) -> Connection:
        shared = self._shared.setdefault(asyncio.get_running_loop(), _Shared())
        async with shared.lock:
            connection = shared.connections.get(server.name)
            if connection is None or not connection.alive:
                connection = shared.connections[server.name] = await Connection.connect(server)
            return connection

    async def _check_pin(self, connection: Connection) -> None:
        name = connection.server.name
        found = differences(self._lock.servers[name], await connection.tools())
        if found:
            connection.stale = True  # also for whoever comes next
            text = clean("; ".join(found[:10]), 500)
            raise EnvFailure(f"mcp server {name}: its tools are not the pinned ones: {text}; review them and pin again")

    async def _answer(self, session: McpSession, call: ToolCall) -> Feedback:
        try:
            request = msgspec.json.encode([call.name, call.arguments], order="deterministic")
            arguments = msgspec.json.decode(request)[1]
        except Exception:  # whatever the encoder makes of arguments that never were JSON
            return content.failure(call, ErrorType.INVALID_ARGUMENT, "Arguments are not valid JSON")
        if call.id in session.answers:
            asked, stored = session.answers[call.id]
            if asked != request:
                return content.failure(call, ErrorType.CONFLICT, "Call id already used by another call")
            if stored is None:
                text = (
                    f"call {call.id} of {call.name} was begun before and its outcome is not known; it is not repeated"
                )
                raise EnvFailure(text, FailureCause.DEADLINE)
            return stored
        if call.name not in session.task.resources.tools:
            return content.failure(call, ErrorType.UNKNOWN_TOOL, f"Unknown tool {clean(call.name, 40)}")
        if problem := self._argument_checks[call.name].problem(arguments):
            return content.failure(call, ErrorType.INVALID_ARGUMENT, problem)
        session.answers[call.id] = (request, None)
        feedback = await self._run(session, call, arguments)
        session.answers[call.id] = (request, feedback)
        operation = Operation(
            index=len(session.operations),
            call_id=call.id,
            tool=call.name,
            arguments=arguments,
            ok=feedback.ok,
            code=feedback.code,
        )
        session.operations.append(operation)
        return feedback

    async def _run(self, session: McpSession, call: ToolCall, arguments: dict) -> Feedback:
        home, tool = self._homes[call.name]
        limits = self._servers[home].limits
        started = asyncio.get_running_loop().time()
        try:
            result = await session.connections[home].call(tool, arguments)
        except MCPError as e:
            return content.failure(call, ErrorType.INVALID_ARGUMENT, clean(e.message, limits.text_chars))
        if result is None:
            text = "the tool asks for input from a person or a model, which it cannot have here"
            return content.failure(call, ErrorType.UNAVAILABLE, text)
        feedback = content.feedback(call, result, limits)
        feedback.latency_ms = (asyncio.get_running_loop().time() - started) * 1000
        return feedback

    def _only_reads(self, call: ToolCall) -> bool:
        spec = self._specs.get(call.name)
        return spec is not None and spec.effect is Effect.READ

    def _effect_is_known(self, name: str) -> bool:
        home, tool = self._homes[name]
        return self._servers[home].trust_annotations or tool in self._servers[home].effects


class _Shared:
    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.connections: dict[str, Connection] = {}


def _checked(servers: Sequence[McpServer]) -> None:
    names = [server.name for server in servers]
    if len(set(names)) != len(names):
        raise ContractError("mcp: two servers have one name")
    for server in servers:
        server.check()
