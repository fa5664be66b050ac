"""One live episode: its database, operation log, id counters and what it may call."""

from __future__ import annotations

import asyncio
import difflib
import random
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import apsw
import msgspec

from qpa.contract import (
    ERROR_CODES,
    EnvFailure,
    ErrorType,
    Fault,
    FaultMode,
    Feedback,
    Operation,
    RowChange,
    Skill,
    TaskSpec,
    ToolCall,
    ToolKind,
    ToolSpec,
)
from qpa.envs.sandbox import loaders
from qpa.envs.sandbox.changes import row_changes
from qpa.envs.sandbox.context import Row, ToolContext, ToolError, bad, conflict, count_id
from qpa.envs.sandbox.domains import specs_by_name, tools_by_name
from qpa.envs.sandbox.schema import Table, upsert, upsert_all
from qpa.envs.sandbox.tool import printable, validate
from qpa.envs.sandbox.world import Snapshot, snapshot

T = TypeVar("T")
_FAULT_MESSAGES = {
    ErrorType.UNAVAILABLE: "Service temporarily unavailable",
    ErrorType.TIMEOUT: "Tool timed out",
    ErrorType.INTERNAL: "Internal error",
    ErrorType.PERMISSION_DENIED: "Permission denied",
}


class _PretenceError(Exception):
    """Undoes a call whose sub-agent only says that it was done."""

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__()
        self.payload = payload


class SandboxSession:
    """Made by `SandboxEnv.reset`. Calls run one after the other; `fork` branches between two steps.

    Once a tool has set `device_power` to "off", every later call is refused with 409.
    """

    def __init__(self, session_id: str, task: TaskSpec, skills: Mapping[str, Skill]) -> None:
        """Opens the task's initial state.

        Raises:
          EnvFailure: the task names a tool, skill, table, column or clock that does not exist.
        """
        self.id = session_id
        self.task = task
        self._skills = skills  # loader name -> skill, for every skill of the environment
        self._specs = specs_by_name()
        self.callable: dict[str, ToolSpec] = _callable(task, self._specs, skills)
        base = snapshot(task.initial.world_seed)
        self._db = apsw.Connection(":memory:")
        self._db.deserialize("main", base.image)
        with self._db:
            counters = _patch(self._db, task, base)
        self._context = ToolContext(self._db, _clock(task), counters)
        self._at = self._context.now.isoformat()  # of every operation: the clock stands still
        self._tables = base.tables
        self._recorder = apsw.Session(self._db, "main")
        self._recorder.attach()
        self.operations: list[Operation] = []
        self._calls: dict[str, int] = {}  # tool -> valid calls so far, for the fault plan
        self._answers: dict[str, tuple[bytes, bytes]] = {}  # call id -> (request, feedback), both encoded
        self._loaded: dict[str, ToolSpec] = {}  # by skill loaders during the current step
        self._lock = asyncio.Lock()
        self._forks = 0
        # The first statement reads the schema of all tables (half a millisecond): here, not in the first call.
        self._off = self._read_off()
        self.closed = False

    async def step(self, calls: Sequence[ToolCall]) -> list[Feedback]:
        """Runs a parallel block in order; a repeated call id replays its stored answer.

        Raises:
          EnvFailure: the session is closed.
        """
        async with self._lock:
            try:
                return [await self._answer(call) for call in calls]
            finally:
                # A_{t+1} = A_t u G(s): what a loader brings is callable from the next step on.
                self.callable.update(self._loaded)
                self._loaded.clear()

    def changes(self) -> list[RowChange]:
        """Net row changes since the initial state, sorted by table and key; the operation log is not part of it."""
        return row_changes(self._recorder.changeset(), self._tables)

    @property
    def now(self) -> datetime:
        """The episode's frozen clock, local wall time."""
        return self._context.now

    def rows(self, sql: str, *params: Any) -> list[Row]:
        """What the tables hold, for a reader beside the tools; raises `EnvFailure` on a closed session."""
        if self.closed:
            raise EnvFailure(f"sandbox session {self.id} is closed; reset the task for a new one")
        return self._context.rows(sql, *params)

    def write(self, change: Callable[[ToolContext], T]) -> T:
        """A change from outside the tools, as a device's own shell makes: in the row changes, in no operation log.

        Whatever `change` raises is passed on and undoes it, ids it took included.
        """
        before = dict(self._context.counters)
        try:
            with self._db:
                result = change(self._context)
            return result
        except BaseException:
            self._context.counters.clear()
            self._context.counters.update(before)
            self._context.known.clear()
            raise

    def fork(self) -> SandboxSession:
        """An independent copy: database, changes so far, counters, log, fault counts and stored answers."""
        if self.closed:
            raise EnvFailure(f"sandbox session {self.id} is closed; it cannot be forked")
        self._forks += 1
        twin = SandboxSession(f"{self.id}.{self._forks}", self.task, self._skills)
        # Replayed into the twin's own recorder, so that the twin's changes too are counted from the initial state.
        apsw.Changeset.apply(self._recorder.changeset(), twin._db)
        twin._context.known.clear()
        twin._off = twin._read_off()
        twin.callable = dict(self.callable)
        twin._context.counters.clear()
        twin._context.counters.update(self._context.counters)
        twin.operations = list(self.operations)
        twin._calls = dict(self._calls)
        twin._answers = dict(self._answers)
        return twin

    def close(self) -> None:
        """Frees the database; closing twice is fine."""
        if not self.closed:
            self.closed = True
            self._recorder.close()
            self._db.close()

    async def _answer(self, call: ToolCall) -> Feedback:
        if self.closed:
            raise EnvFailure(f"sandbox session {self.id} is closed; reset the task for a new one")
        try:
            request = msgspec.json.encode([call.name, call.arguments], order="sorted")
            arguments = msgspec.json.decode(request)[1]  # a copy that later mutation of the call cannot reach
        except Exception:  # whatever the encoder makes of arguments that never were JSON
            call = ToolCall(id=printable(call.id), name=printable(call.name))
            return self._record(call, {}, _error(call, bad("Arguments are not valid JSON")))
        if call.id in self._answers:
            asked, stored = self._answers[call.id]
            if asked == request:
                return msgspec.json.decode(stored, type=Feedback)
            return _error(call, conflict("Call id already used by another call"))
        feedback = self._record(call, arguments, await self._run(call, arguments))
        encoded = msgspec.json.encode(feedback)
        self._answers[call.id] = (request, encoded)
        return msgspec.json.decode(encoded, type=Feedback)

    def _record(self, call: ToolCall, arguments: dict[str, Any], feedback: Feedback) -> Feedback:
        self.operations.append(
            Operation(
                index=len(self.operations),
                call_id=call.id,
                tool=call.name,
                arguments=arguments,
                ok=feedback.ok,
                code=feedback.code,
                at=self._at,
            )
        )
        return feedback

    async def _run(self, call: ToolCall, given: dict[str, Any]) -> Feedback:
        try:
            if self._is_off():
                raise conflict("Device is off")
            spec = self._find(call.name)
            arguments = validate(spec, given)
            if spec.permission in self.task.initial.denied_permissions:
                raise ToolError(ErrorType.PERMISSION_DENIED, f"Permission denied: {spec.permission}")
            return self._act(call, arguments, await self._misbehave(call.name))
        except ToolError as error:
            return _error(call, error)

    def _is_off(self) -> bool:
        """Whether the phone is switched off; read again only after a tool wrote it: one query less on every call."""
        if self._context.power_written:
            self._off = self._read_off()
            self._context.power_written = False
        return self._off

    def _read_off(self) -> bool:
        return self._context.setting("device_power", "on") == "off"

    def _find(self, name: str) -> ToolSpec:
        if name in self.callable:
            return self.callable[name]
        near = difflib.get_close_matches(name, list(self.callable), n=3, cutoff=0.5)
        hint = f"; similar: {', '.join(near)}" if near else ""
        raise ToolError(ErrorType.UNKNOWN_TOOL, f"Unknown tool {printable(name)}{hint}")

    async def _misbehave(self, name: str) -> FaultMode | None:
        """Plays the task's fault plan. The call counts before it sleeps: a caller's retry is the next call."""
        number = self._calls.get(name, 0)
        self._calls[name] = number + 1
        for index, fault in enumerate(self.task.initial.faults):
            if fault.tool == name and fault.first <= number < fault.first + fault.count:
                key = f"{self.task.id}:{index}:{name}:{number}"
                if fault.rate is not msgspec.UNSET and random.Random(key).random() >= fault.rate:
                    continue
                if fault.hang_s > 0:
                    await asyncio.sleep(fault.hang_s)
                if fault.mode is not msgspec.UNSET:
                    return fault.mode
                raise ToolError(fault.error_type, fault.message or _fault_message(fault))
        return None

    def _act(self, call: ToolCall, arguments: dict[str, Any], fault: FaultMode | None) -> Feedback:
        if call.name in self._skills:
            payload, specs = loaders.load(self._skills[call.name], self._specs)
            self._loaded.update((spec.name, spec) for spec in specs)
            return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload, loaded_tools=specs)
        before = dict(self._context.counters)
        self._context.fault = fault
        try:
            with self._db:  # a savepoint: a failed call changes nothing
                payload = tools_by_name()[call.name](self._context, **arguments)
                msgspec.json.encode(payload)  # inside: an answer that cannot be sent must not leave its writes behind
                if fault in (FaultMode.NO_OP, FaultMode.FALSE_DONE):
                    raise _PretenceError(payload if fault is FaultMode.FALSE_DONE else _without_data(payload))
        except BaseException as error:
            self._context.counters.clear()
            self._context.counters.update(before)
            self._context.known.clear()
            if isinstance(error, _PretenceError):
                return Feedback(call_id=call.id, name=call.name, ok=True, payload=error.payload)
            if isinstance(error, ToolError) or not isinstance(error, Exception):
                raise
            raise ToolError(ErrorType.INTERNAL, f"Internal error: {type(error).__name__}") from error
        return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload)


def _error(call: ToolCall, error: ToolError) -> Feedback:
    code = ERROR_CODES[error.error_type]
    payload = {"success": False, "error": error.message, "code": code}
    return Feedback(call_id=call.id, name=call.name, ok=False, payload=payload, error_type=error.error_type, code=code)


def _without_data(payload: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in payload.items() if key != "data"}


def _fault_message(fault: Fault) -> str:
    return _FAULT_MESSAGES.get(fault.error_type, f"Failed: {fault.error_type.value}")


def _clock(task: TaskSpec) -> datetime:
    try:
        clock = datetime.fromisoformat(task.initial.clock)
    except ValueError:
        raise EnvFailure(f"task {task.id}: initial.clock {task.initial.clock!r} is not ISO 8601 local time") from None
    return clock.replace(tzinfo=None, microsecond=0)


def _callable(task: TaskSpec, specs: Mapping[str, ToolSpec], skills: Mapping[str, Skill]) -> dict[str, ToolSpec]:
    visible = {}
    for name in task.resources.tools:
        if name not in specs:
            raise EnvFailure(f"task {task.id}: resources.tools names {name!r}, which the sandbox does not have")
        visible[name] = specs[name]
    for skill in task.resources.skills:
        name = loaders.loader_name(skill)
        if name not in skills:
            raise EnvFailure(f"task {task.id}: resources.skills names {skill!r}, which the sandbox does not have")
        visible[name] = loaders.loader_spec(skills[name])
    for fault in task.initial.faults:
        if fault.tool not in specs and fault.tool not in skills:
            raise EnvFailure(f"task {task.id}: initial.faults names {fault.tool!r}, which the sandbox does not have")
        kind = specs[fault.tool].kind if fault.tool in specs else ToolKind.SKILL
        if fault.mode is not msgspec.UNSET and kind is not ToolKind.SUBAGENT:
            raise EnvFailure(f"task {task.id}: initial.faults: {fault.tool} is no sub-agent, so not {fault.mode.value}")
        if fault.rate is not msgspec.UNSET and not 0.0 <= fault.rate <= 1.0:
            raise EnvFailure(f"task {task.id}: initial.faults: rate {fault.rate} of {fault.tool} (want 0 to 1)")
    return visible


def _patch(db: apsw.Connection, task: TaskSpec, base: Snapshot) -> dict[str, int]:
    """Upserts the task's rows; returns the id counters, moved past the patch's own ids."""
    counters = dict(base.counters)
    for name, rows in task.initial.patch.items():
        if name not in base.tables:
            raise EnvFailure(f"task {task.id}: initial.patch names table {name!r}, which the sandbox does not have")
        try:
            upsert_all(db, base.tables[name], rows)
        except (ValueError, TypeError, apsw.Error):
            _upsert_each(db, task, base.tables[name], rows)
        for row in rows:
            for key in base.tables[name].key:
                count_id(counters, row[key])
    return counters


def _upsert_each(db: apsw.Connection, task: TaskSpec, table: Table, rows: Sequence[Row]) -> None:
    """Row by row, to say which one is wrong."""
    for index, row in enumerate(rows):
        try:
            upsert(db, table, row)
        except (ValueError, TypeError, apsw.Error) as error:
            raise EnvFailure(f"task {task.id}: initial.patch.{table.name}[{index}]: {error}") from None
