"""One episode on a phone: the sandbox's tools over the phone's state, and what they change done to the phone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import apsw

from qpa.contract import (
    ERROR_CODES,
    EnvFailure,
    ErrorType,
    FailureCause,
    Feedback,
    RowChange,
    Skill,
    TaskSpec,
    ToolCall,
)
from qpa.envs.device.bindings import BINDINGS, GUI_AGENT, HOST, Binding, why_not
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.gui import GuiAgent
from qpa.envs.device.hand import UnknownOutcome
from qpa.envs.device.handset import Handset
from qpa.envs.device.mirror import Change, Mirror
from qpa.envs.device.parsers import ParseError
from qpa.envs.sandbox.changes import row_changes
from qpa.envs.sandbox.context import Row, ToolError
from qpa.envs.sandbox.schema import upsert
from qpa.envs.sandbox.session import SandboxSession
from qpa.envs.sandbox.tool import validate

_PREFIXES = {"contacts": "contact", "calls": "call", "messages": "msg", "countdowns": "timer", "alarms": "alarm"}
_PREFIXES |= {"schedules": "schedule", "reminders": "reminder", "notes": "note", "notifications": "notice"}


@dataclass(frozen=True)
class Lease:
    """The right to one phone. A session whose lease is not the phone's newest is refused."""

    serial: str
    epoch: int
    valid: Callable[[], bool]


class DeviceSession(SandboxSession):
    """Made by `DeviceEnv.reset`; the companion sandbox and the phone in one.

    A tool of the host runs in the companion alone. A tool of the phone first reads what it needs from the phone into
    the companion, runs there, and what it changed is sent to the phone and read back.
    """

    backend = "device"

    def __init__(
        self, session_id: str, task: TaskSpec, skills: Mapping[str, Skill], phone: Handset, lease: Lease
    ) -> None:
        """Opens the companion at the task's initial state; the phone is `DeviceEnv.reset`'s to set up."""
        super().__init__(session_id, task, skills)
        self.phone = phone
        self.lease = lease
        self.mirror = Mirror(phone, self)
        self.by_host: set[tuple[str, str]] = set()  # (table, key) of rows that tools of the host wrote
        self.by_tool: set[tuple[str, str]] = set()  # of rows that tools of the phone set out to write
        self.baseline: dict[str, list[Row]] = {}  # what a phone showed at the start
        self.watch: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # tables and settings of that reading
        self.follows_clock = False  # a phone's clock goes on; a double's stands
        phone.rows = self.table_rows
        phone.now = self._context.now

    # --- the companion's database, as `Mirror` sees it --------------------------------------------------------------

    def table_rows(self, table: str) -> list[Row]:
        """All rows of a table, by key."""
        return self._context.rows(f"SELECT * FROM {self._tables[table].name}")

    def replace(self, table: str, key: str, rows: Sequence[Row]) -> None:
        """Makes these the table's rows, in one transaction."""
        known = self._tables[table]
        wanted = {row[key] for row in rows}
        with self._db:
            for row in self.table_rows(table):
                if row[key] not in wanted:
                    self._db.execute(f"DELETE FROM {known.name} WHERE {key} = ?", (row[key],))
            for row in rows:
                upsert(self._db, known, row)

    def new_id(self, table: str) -> str:
        """A generated key of the table."""
        return self._context.new_id(_PREFIXES[table])

    def set(self, key: str, word: str) -> None:
        """A setting as the phone has it."""
        self._context.set_setting(key, word)

    def forget(self, keep: Callable[[str, Row], bool]) -> None:
        """Empties the companion of what only the task's made-up world knows, but for the rows to keep."""
        with self._db:
            for name, table in self._tables.items():
                for row in self.table_rows(name):
                    if not keep(name, row):
                        where = " AND ".join(f"{column} = ?" for column in table.key)
                        self._db.execute(f"DELETE FROM {name} WHERE {where}", [row[c] for c in table.key])
        self._context.known.clear()

    def offered_skills(self) -> list[Skill]:
        """The skills whose loaders the task shows."""
        return [skill for name, skill in self._skills.items() if name in self.callable]

    def fork(self) -> SandboxSession:
        """Raises `EnvFailure`: there is one phone."""
        raise EnvFailure(f"device session {self.id} cannot be forked")

    # --- calls --------------------------------------------------------------------------------------------------------

    async def _run(self, call: ToolCall, given: dict[str, Any]) -> Feedback:
        if not self.lease.valid():
            raise EnvFailure(f"{self.lease.serial}: lease {self.lease.epoch} is over", FailureCause.LEASE)
        try:
            arguments = validate(self._find(call.name), given)
        except ToolError:
            return await super()._run(call, given)  # says what is wrong, in the sandbox's words
        if call.name in HOST or call.name in self._skills:
            return await self._on_host(call, given)
        try:
            if call.name == GUI_AGENT:
                return await self._delegate(call, given, arguments)
            binding = BINDINGS.get(call.name)
            refusal = binding.refusal(arguments) if binding else f"Not on a phone: {why_not(call.name)}"
            if binding is None or refusal:
                raise unavailable(refusal)
            return await self._on_phone(call, given, binding, arguments)
        except VerbError as error:
            return _refused(call, error)
        except ParseError as error:
            raise EnvFailure(f"{self.lease.serial}: {error}") from error

    async def _on_host(self, call: ToolCall, given: dict[str, Any]) -> Feedback:
        feedback, changes, _ = await self._attempt(call, given)
        self.by_host |= {row_name(change) for change in changes}
        return feedback

    async def _attempt(self, call: ToolCall, given: dict[str, Any]) -> tuple[Feedback, list[RowChange], bytes]:
        """The sandbox's own answer, with the rows that this call changed."""
        recorder = apsw.Session(self._db, "main")
        try:
            recorder.attach()
            feedback = await super()._run(call, given)
            changeset = recorder.changeset()
        finally:
            recorder.close()
        return feedback, row_changes(changeset, self._tables), changeset

    def _take_back(self, changeset: bytes) -> None:
        """Undoes a call in the companion; a row that was read from the phone since is the phone's word and stays."""
        inverse = apsw.Changeset.invert(changeset)
        apsw.Changeset.apply(inverse, self._db, conflict=lambda *_: apsw.SQLITE_CHANGESET_OMIT)
        self._context.known.clear()

    async def _on_phone(
        self, call: ToolCall, given: dict[str, Any], binding: Binding, arguments: dict[str, Any]
    ) -> Feedback:
        if self.follows_clock:
            await self.phone.read_clock()
            self._context.now = self.phone.now
        tables = binding.needed(arguments)
        await self.mirror.refresh(tables, binding.settings)
        feedback, changes, changeset = await self._attempt(call, given)
        if not feedback.ok or not changes:
            return feedback
        try:
            planned = self.mirror.plan(changes, binding)
            self.by_tool |= {row_name(change) for change in changes}
            await self.mirror.push(planned)
            missing = await self.mirror.confirm(planned)
            if missing:
                raise unavailable(f"The phone does not show it: {', '.join(missing)}")
        except VerbError:
            self._take_back(changeset)
            await self.mirror.refresh(tables, binding.settings)
            raise
        except UnknownOutcome:
            return await self._unknown(call, planned)
        return feedback

    async def _unknown(self, call: ToolCall, planned: Sequence[Change]) -> Feedback:
        """The answer after a deadline: what one look at the phone shows; sent again is nothing.

        Raises `EnvFailure` when the phone cannot be looked at either.
        """
        missing = await self.mirror.confirm(planned, looks=1)
        payload = {
            "success": False,
            "error": "Phone did not answer in time",
            "code": 504,
            "outcome": "unknown",
            "observed": not missing,
        }
        return Feedback(
            call_id=call.id, name=call.name, ok=False, payload=payload, error_type=ErrorType.TIMEOUT, code=504
        )

    async def _delegate(self, call: ToolCall, given: dict[str, Any], arguments: dict[str, Any]) -> Feedback:
        """The GUI agent: its sessions are the host's books, what it executes is done on the screen."""
        if arguments["action"] != "execute":
            await self.mirror.refresh(("apps",), ())
            return await self._on_host(call, given)
        session_id = arguments.get("sessionId", "")
        found = [row for row in self.table_rows("gui_sessions") if row["id"] == session_id]
        if not found or found[0]["execution_status"] == "completed":
            return await self._on_host(call, given)
        row = found[0]
        agent = GuiAgent(self.phone)
        results = await agent.run(row["app"], row["instruction"])
        done = row | {"status": "completed", "execution_status": "completed"}
        self.replace("gui_sessions", "id", [*(r for r in self.table_rows("gui_sessions") if r is not row), done])
        self.by_host.add(("gui_sessions", session_id))
        data = {"sessionId": session_id, "appName": row["app"], "status": "completed"}
        data |= {"execution_status": "completed"}
        steps = [{"step": n, "action": s, "status": "completed"} for n, s in enumerate(agent.steps, start=1)]
        payload = {"success": True, "message": "GUI task completed"}
        payload["data"] = {**data, "results": results, "steps": steps}
        return Feedback(call_id=call.id, name=call.name, ok=True, payload=payload)

    def host_changes(self) -> list[RowChange]:
        """Net changes of rows that only the host knows."""
        return [change for change in self.changes() if row_name(change) in self.by_host]


def row_name(change: RowChange) -> tuple[str, str]:
    """A row's table and key."""
    return change.table, "/".join(str(value) for value in change.key.values())


def _refused(call: ToolCall, error: VerbError) -> Feedback:
    code = ERROR_CODES[error.error_type]
    payload = {"success": False, "error": error.message, "code": code}
    return Feedback(call_id=call.id, name=call.name, ok=False, payload=payload, error_type=error.error_type, code=code)
