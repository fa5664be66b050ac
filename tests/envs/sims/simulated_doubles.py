"""Scripted simulators: one that answers from a list, and one that echoes a real sandbox session."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

import apsw
import msgspec

from qpa.bench import make_env
from qpa.bench.replay import run_now
from qpa.contract import (
    Effect,
    GenerateReply,
    GenerateRequest,
    InitialState,
    Resources,
    Split,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolSpec,
)
from qpa.envs.sandbox import catalog
from qpa.envs.sandbox.context import fetch
from qpa.envs.sandbox.world import read_world, snapshot
from qpa.envs.simulated import SimulatedRules, TableSpec
from qpa.envs.skills import builtin_skills


class Lines:
    """Answers with the next of its replies; keeps every request."""

    name = "lines"

    def __init__(self, *replies: Any) -> None:
        self.replies, self.requests = list(replies), []

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        self.requests.append(request)
        reply = self.replies[min(len(self.requests), len(self.replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return GenerateReply(text=reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False))

    def documents(self) -> list[dict[str, Any]]:
        """What each request's user message says."""
        return [json.loads(request.messages[1].content) for request in self.requests]


def told(message: str = "Done", facts: Sequence[Any] = (), /, **data: Any) -> dict[str, Any]:
    return {"answer": {"success": True, "message": message, "data": data}, "facts": list(facts)}


def failed(code: int = 404, error: str = "No such thing", facts: Sequence[Any] = ()) -> dict[str, Any]:
    return {"answer": {"success": False, "error": error, "code": code}, "facts": list(facts)}


def fact(op: str, id_: str, kind: str = "lamp", /, **values: Any) -> dict[str, Any]:
    return {"op": op, "kind": kind, "id": id_, "values": values}


def tool(name: str, effect: Effect = Effect.READ, permission: str | None = None, /, **properties: str) -> ToolSpec:
    schema = {"type": "object", "properties": {k: {"type": v} for k, v in properties.items()}}
    return ToolSpec(name=name, description=f"The {name} tool", parameters=schema, effect=effect, permission=permission)


TOOLS = [
    tool("list_lamps", room="string"),
    tool("get_lamp", lamp_id="string"),
    tool("search_shop", words="string"),
    tool("add_lamp", Effect.REVERSIBLE, name="string", room="string"),
    tool("set_lamp", Effect.REVERSIBLE, lamp_id="string", level="integer", name="string"),
    tool("remove_lamp", Effect.IRREVERSIBLE, lamp_id="string"),
    tool("call_home", Effect.EXTERNAL, "CALL_PHONE", words="string"),
    tool("set_volume", Effect.REVERSIBLE, level="integer"),
]
LAMPS = [
    {"id": "lamp_1", "name": "Desk", "room": "study", "level": 40},
    {"id": "lamp_2", "name": "Door", "room": "hall", "level": 0},
]


def lamp_task(**more: Any) -> TaskSpec:
    fields: dict[str, Any] = {
        "id": "lamp-task",
        "goal": "Dim the desk lamp.",
        "criteria": ToolCriteria(steps=[]),
        "dimension": "tool",
        "domain": "Home",
        "family": "lamps",
        "split": Split.TRAIN,
        "resources": Resources(tools=[spec.name for spec in TOOLS]),
        "initial": InitialState(patch={"lamp": LAMPS}),
    } | more
    return msgspec.convert({key: msgspec.to_builtins(value) for key, value in fields.items()}, TaskSpec)


@functools.cache  # three hundred schemas
def sandbox_rules(*, tables: bool = True) -> SimulatedRules:
    """The sandbox's tools, skills and worlds, declared to the simulated backend."""
    db = apsw.Connection(":memory:")
    db.deserialize("main", snapshot(1).image)
    kinds = {}
    for t in snapshot(1).tables.values():
        given = [c for c in fetch(db, f'PRAGMA table_info("{t.name}")') if c["dflt_value"] is not None]
        defaults = {c["name"]: fetch(db, f"SELECT {c['dflt_value']} AS value")[0]["value"] for c in given}
        kinds[t.name] = TableSpec(list(t.columns), list(t.key), defaults)
    return SimulatedRules(
        tools=catalog(),
        tables=kinds if tables else {},
        world=lambda task: read_world(task.initial.world_seed).rows,
        skills=builtin_skills(),
    )


@functools.cache
def _sandbox() -> Any:
    return make_env()


class SandboxEcho:
    """Answers each call as the sandbox does, with the row changes as facts. `tamper` may change the answers."""

    name = "sandbox-echo"

    def __init__(self, tasks: Sequence[TaskSpec], tamper: Callable[[dict[str, Any], int], Any] | None = None) -> None:
        self._tasks = {task.id: task for task in tasks}
        self._env = _sandbox()
        self._sessions: dict[str, Any] = {}
        self._tamper = tamper
        self.calls = 0

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        task_id, number, _ = request.episode.rsplit("/", 2)
        if number == "0":
            self._sessions[task_id] = run_now(self._env.reset(_plain(self._tasks[task_id])))
        session = self._sessions[task_id]
        wanted = json.loads(request.messages[1].content)["call"]
        before = _rows(session)
        call = ToolCall(id=f"echo_{self.calls}", name=wanted["name"], arguments=wanted["arguments"])
        self.calls += 1
        feedback = run_now(self._env.step(session, [call]))[0]
        reply = {"answer": _envelope(feedback.payload, feedback.ok), "facts": _facts(session, before, _rows(session))}
        if self._tamper is not None:
            reply = self._tamper(reply, int(number))
        return GenerateReply(text=reply if isinstance(reply, str) else json.dumps(reply))


def _plain(task: TaskSpec) -> TaskSpec:
    """The task without what the simulated environment answers by itself, and with every tool callable."""
    task = msgspec.convert(msgspec.to_builtins(task), TaskSpec)
    task.initial.faults, task.initial.denied_permissions = [], []
    task.resources.tools = [spec.name for spec in catalog()]
    return task


def _rows(session: Any) -> dict[tuple[str, str], dict[str, Any]]:
    found = {}
    for table in snapshot(1).tables.values():
        for row in fetch(session._db, f"SELECT * FROM {table.name}"):
            found[table.name, "/".join(str(row[k]) for k in table.key)] = row
    return found


def _facts(session: Any, before: dict, after: dict) -> list[dict[str, Any]]:
    facts = [fact("delete", id_, kind) for kind, id_ in before if (kind, id_) not in after]
    for (kind, id_), row in after.items():
        old = before.get((kind, id_))
        if old is None:
            facts.append(fact("create", id_, kind, **row))
        elif changed := {name: value for name, value in row.items() if value != old[name]}:
            facts.append(fact("update", id_, kind, **changed))
    return facts


def _envelope(payload: dict[str, Any], ok: bool) -> dict[str, Any]:
    if not ok:
        return {"success": False, "error": payload["error"], "code": payload["code"]}
    rest = {k: v for k, v in payload.items() if k not in ("success", "status", "message", "code", "data")}
    data = payload.get("data", {})
    return {
        "success": True,
        "message": payload.get("message", ""),
        "data": {**(data if isinstance(data, dict) else {}), **rest},
    }
