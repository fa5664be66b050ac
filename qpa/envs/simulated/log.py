"""The state log of a session: what was there, what was asked and answered, and what holds now.

Copying is cheap (things are replaced, never edited), so an answer is judged on a copy that has its facts applied.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from qpa.contract import RowChange, TaskSpec, ToolCall
from qpa.envs.simulated.records import Fact, FactOp
from qpa.envs.simulated.rules import SimulatedRules

SETTING = "setting"  # the kind of named values of the device, which need not have been seen to be set
_ID_NAME = re.compile(r"(?:id|ids|.*(?:_id|_ids|Id|Ids))")
_WORD = re.compile(r"[\w.-]+")
_RELATIVE = re.compile(r".*(?:score|rank|relevance|distance|similarity)(?:_\w+)?")  # of a query, not of a thing


@dataclass(frozen=True)
class Thing:
    """An entity: `values` hold until a fact changes them, `seen` ones (of answers) until a fact touches the thing."""

    kind: str  # "" for what only answers told of
    id: str
    values: Mapping[str, Any]
    seen: Mapping[str, Any] = field(default_factory=dict)
    alive: bool = True
    initial: Mapping[str, Any] | None = None  # the row at the start; None for what came later

    def value(self, name: str) -> Any:
        """The value that must hold, or `msgspec.UNSET`."""
        if name in self.values:
            return self.values[name]
        return msgspec.UNSET if _RELATIVE.fullmatch(name) else self.seen.get(name, msgspec.UNSET)


class Entry(msgspec.Struct):
    """One accepted call."""

    call: ToolCall
    payload: dict[str, Any]
    facts: list[Fact]


class StateLog:
    """Starts from a task; grows by accepted answers only."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.reads: dict[bytes, Any] = {}  # reading call -> its data, since the last write
        self.not_found: set[bytes] = set()  # calls that found nothing, since the last write
        self._things: dict[tuple[str, str], Thing] = {}
        self._by_id: dict[str, list[tuple[str, str]]] = {}
        self._words: set[str] = set()

    @classmethod
    def of(cls, task: TaskSpec, rules: SimulatedRules) -> StateLog:
        """The log before the first call: rows given, and every word of goal, history and rows as a possible id."""
        log = cls()
        texts = [task.goal, *(message.content for message in task.history)]
        for message in task.history:
            texts += [text for call in message.calls for text in _texts(call.arguments)]
        for kind, rows in rules.initial_rows(task).items():
            for row in rows:
                log._put(Thing(kind, rules.row_id(kind, row), row, initial=row))
                texts += _texts(row)
        for text in texts:
            log._words.update(_WORD.findall(text))
        return log

    def copy(self) -> StateLog:
        twin = StateLog()
        twin.entries, twin.reads, twin.not_found = list(self.entries), dict(self.reads), set(self.not_found)
        twin._things, twin._words = dict(self._things), set(self._words)
        twin._by_id = {key: list(value) for key, value in self._by_id.items()}
        return twin

    # --- what holds ---

    def known(self, id_: str) -> bool:
        """Whether the id was ever named by the task, a given row, a fact or an accepted answer."""
        return id_ in self._by_id or id_ in self._words

    def deleted(self, id_: str) -> bool:
        """Whether everything of this id is gone."""
        found = self._by_id.get(id_)
        return bool(found) and not any(self._things[key].alive for key in found or ())

    def thing(self, kind: str, id_: str) -> Thing | None:
        return self._things.get((kind, id_))

    def only(self, id_: str) -> Thing | None:
        """The one living thing of this id; None if there is none, or several kinds of them."""
        found = [self._things[key] for key in self._by_id.get(id_, ()) if self._things[key].alive]
        return found[0] if len(found) == 1 else None

    def things(self) -> Iterator[Thing]:
        yield from self._things.values()

    # --- what an accepted answer does ---

    def apply(self, fact: Fact) -> None:
        """Makes one checked fact true."""
        old = self._things.get((fact.kind, fact.id)) or self._adopted(fact)
        if fact.op is FactOp.DELETE:
            assert old is not None
            self._put(replace(old, alive=False))
        elif fact.op is FactOp.CREATE or old is None:
            self._put(Thing(fact.kind, fact.id, dict(fact.values)))
        else:
            self._put(replace(old, values={**old.values, **fact.values}, seen={}))

    def observe(self, payload: Mapping[str, Any]) -> None:
        """Keeps what a successful answer told of things, and the ids it named."""
        for item in objects(payload.get("data")):
            self._words.update(value for _, value in ids(item))
            id_ = identity(item)
            if id_ is None:
                continue
            thing = self.only(id_) if id_ in self._by_id else Thing("", id_, {})
            if thing is not None:
                told = {name: value for name, value in item.items() if not _ID_NAME.fullmatch(name)}
                self._put(replace(thing, seen={**thing.seen, **told}))

    def record(self, entry: Entry, *, reading: bool) -> None:
        """Appends an accepted call; a write ends what earlier reads promised."""
        self.entries.append(entry)
        if entry.facts:
            self.reads.clear()
            self.not_found.clear()
        key = request_key(entry.call)
        if entry.payload.get("code") == 404:
            self.not_found.add(key)
        elif reading and entry.payload.get("success") is True:
            self.reads[key] = entry.payload.get("data")

    def changes(self, rules: SimulatedRules) -> list[RowChange]:
        """Net row changes of the declared tables, sorted, in the sandbox's form: see `RowChange`."""
        found = []
        for thing in self._things.values():
            table = rules.tables.get(thing.kind)
            if table is None:
                continue
            whole = thing.values if thing.alive else thing.initial
            if whole is None or (thing.alive and thing.initial == thing.values):
                continue
            key = {name: whole[name] for name in table.key}
            old, new = dict(thing.initial or {}), dict(thing.values) if thing.alive else {}
            op = "insert" if thing.initial is None else "update" if thing.alive else "delete"
            if op == "update":
                names = [name for name in new if new[name] != old.get(name, msgspec.UNSET)]
                old, new = {n: old[n] for n in names if n in old}, {n: new[n] for n in names}
            found.append(RowChange(table=thing.kind, op=op, key=key, old=old, new=new))
        return sorted(found, key=lambda c: (c.table, [str(v) for v in c.key.values()], c.op))

    def _adopted(self, fact: Fact) -> Thing | None:
        """What answers told of before it had a kind."""
        thing = self._things.pop(("", fact.id), None)
        if thing is not None:
            self._by_id[fact.id].remove(("", fact.id))
            thing = replace(thing, kind=fact.kind)
        return thing

    def _put(self, thing: Thing) -> None:
        key = (thing.kind, thing.id)
        self._things[key] = thing
        places = self._by_id.setdefault(thing.id, [])
        if key not in places:
            places.append(key)


def request_key(call: ToolCall) -> bytes:
    """Equal for calls of the same tool with the same arguments."""
    return msgspec.json.encode([call.name, call.arguments], order="deterministic")


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Every JSON object within `value`, itself included."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            yield item
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item


def ids(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The members of an object whose names say that they are ids, lists of them one by one; empty ones left out."""
    for name, value in item.items():
        if _ID_NAME.fullmatch(name):
            for one in value if isinstance(value, list) else [value]:
                if one and isinstance(one, str | int) and not isinstance(one, bool):
                    yield name, str(one)


def identity(item: Mapping[str, Any]) -> str | None:
    """The id of what an object tells about: its `id`, else its first member if that is an id. None if unclear."""
    name = "id" if "id" in item else next(iter(item), "")
    value = item.get(name)
    plain = isinstance(value, str | int) and not isinstance(value, bool)
    return str(value) if value and plain and _ID_NAME.fullmatch(name) else None


def is_id(name: str) -> bool:
    """Whether a member of this name holds ids."""
    return _ID_NAME.fullmatch(name) is not None


def _texts(value: Any) -> Sequence[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, Mapping):
        return [text for item in value.values() for text in _texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in _texts(item)]
    return []
