"""Why an answer cannot be true, given the log. Each check has a named reason; none of them asks a model.

What is checked is what can be: ids, values that were stated, permissions, planned faults. A plausible invention about
something that nobody stated passes; that is why simulated records are second to those of real backends.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from qpa.contract import ErrorType, TaskSpec, ToolCall
from qpa.envs.simulated.log import SETTING, Entry, StateLog, identity, ids, is_id, objects, request_key
from qpa.envs.simulated.records import Answer, Fact, FactOp, Objection, Reason
from qpa.envs.simulated.rules import SimulatedRules

_STATE_CODES = (400, 404, 409)  # what a simulated tool may answer by itself
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_TIME = re.compile(r"(?:\d{4}-\d\d-\d\d)?[T ]?(?:\d\d:\d\d(?::\d\d)?)?")
_WRITING_VERBS = {"create", "add", "send", "book", "place", "delete", "remove"}
_SHOWN = 60  # characters of a value in an objection


def judge(
    log: StateLog,
    rules: SimulatedRules,
    task: TaskSpec,
    call: ToolCall,
    answer: Answer,
    planned: ErrorType | None = None,
) -> tuple[StateLog, list[Objection]]:
    """The log with the answer in it, and every reason against it (then that log must not be used).

    `planned` is the error that the task's permissions or fault plan give this call.
    """
    after = log.copy()
    if answer.ok:
        found = _success(log, after, rules, task, call, answer, planned)
        if not found:
            after.observe(answer.payload)
    else:
        found = _failure(task, rules, call, answer, planned)
    after.record(Entry(call, answer.payload, answer.facts), reading=rules.reads(call))
    return after, found


def _failure(
    task: TaskSpec, rules: SimulatedRules, call: ToolCall, answer: Answer, planned: ErrorType | None
) -> list[Objection]:
    found = []
    if answer.facts:
        found.append(Objection(Reason.FAILED_WROTE, "a failed call changes nothing: `facts` must be empty"))
    if planned is None and answer.code not in _STATE_CODES:
        text = f"the task plans no fault and no denial here: code {answer.code} is not possible, use 400, 404 or 409"
        found.append(Objection(Reason.UNPLANNED_FAULT, text))
    return found


def _success(
    before: StateLog,
    after: StateLog,
    rules: SimulatedRules,
    task: TaskSpec,
    call: ToolCall,
    answer: Answer,
    planned: ErrorType | None,
) -> list[Objection]:
    found = list(_impossible(before, task, rules, call, planned))
    if rules.reads(call) and answer.facts:
        found.append(Objection(Reason.READ_WROTE, f"{call.name} only reads here: `facts` must be empty"))
    for fact in answer.facts:
        problem = _fact_problem(after, rules, fact)
        if problem is not None:
            return [*found, problem]  # later facts stand on this one
        after.apply(fact)
    data = answer.payload.get("data", {})
    if call.name in rules.result_checks and (text := rules.result_checks[call.name].problem(data)):
        found.append(Objection(Reason.SCHEMA, f"data: {text}"))
    if not rules.reads(call):
        found += _arguments_kept(before, call, answer)
        found += _silent(call, answer)
    found += _unknown_ids(before, after, rules, call, answer)
    found += _contradictions(after, data)
    earlier = before.reads.get(request_key(call), msgspec.UNSET)
    if earlier is not msgspec.UNSET and not same(earlier, answer.payload.get("data")):
        text = "the same call was answered with other data before, and nothing has changed since"
        found.append(Objection(Reason.CONTRADICTION, text))
    return found


def _impossible(
    log: StateLog, task: TaskSpec, rules: SimulatedRules, call: ToolCall, planned: ErrorType | None
) -> Iterator[Objection]:
    permission = rules.specs[call.name].permission
    if permission is not None and permission in task.initial.denied_permissions:
        yield Objection(Reason.IMPOSSIBLE_SUCCESS, f"permission {permission} is denied")
    elif planned is not None:
        yield Objection(Reason.IMPOSSIBLE_SUCCESS, f"the task plans the fault {planned.value} for this call")
    if request_key(call) in log.not_found:
        text = "the same call found nothing before, and nothing has changed since"
        yield Objection(Reason.IMPOSSIBLE_SUCCESS, text)
    for item in objects(call.arguments):
        for name, id_ in ids(item):
            if log.deleted(id_):
                yield Objection(Reason.RESURRECTED, f"{name} {_shown(id_)} was deleted; the answer is a 404")
            elif not log.known(id_):
                text = f"nothing has the {name} {_shown(id_)}; the answer is a 404"
                yield Objection(Reason.IMPOSSIBLE_SUCCESS, text)


def _fact_problem(log: StateLog, rules: SimulatedRules, fact: Fact) -> Objection | None:
    """Why the next fact cannot hold after those before it."""
    where = f"fact {fact.op.value} {_shown(fact.kind)} {_shown(fact.id)}"
    if rules.tables and (text := _table_problem(rules, fact)):
        return Objection(Reason.SCHEMA, f"{where}: {text}")
    old = log.thing(fact.kind, fact.id)
    if fact.op is FactOp.CREATE:
        known = old is not None if rules.tables else log.known(fact.id) and log.only(fact.id) is not None
        gone = old is not None and not old.alive if rules.tables else log.deleted(fact.id)
        if gone:
            return Objection(Reason.RESURRECTED, f"{where}: it was deleted; a new thing gets a new id")
        return Objection(Reason.STALE_ID, f"{where}: the id is taken; a new thing gets a new id") if known else None
    if old is None and not rules.tables and fact.kind != SETTING:
        old = log.only(fact.id) if log.thing("", fact.id) is not None else None
    if old is not None:
        return None if old.alive else Objection(Reason.RESURRECTED, f"{where}: it was deleted")
    if fact.kind == SETTING and fact.op is FactOp.UPDATE and not rules.tables:
        return None
    return Objection(Reason.IMPOSSIBLE_SUCCESS, f"{where}: there is no such thing of that kind")


def _table_problem(rules: SimulatedRules, fact: Fact) -> str:
    table = rules.tables.get(fact.kind)
    if table is None:
        return f"no such table; there is {', '.join(sorted(rules.tables))}"
    unknown = [name for name in fact.values if name not in table.columns]
    if unknown:
        return f"no column {_shown(unknown[0])}; there is {', '.join(table.columns)}"
    if fact.op is FactOp.CREATE:
        absent = [name for name in table.columns if name not in fact.values]
        if absent:
            return f"a new row needs every column; {', '.join(absent)} missing"
        if rules.row_id(fact.kind, fact.values) != fact.id:
            return f"its id must be its key, {'/'.join(table.key)}"
    elif set(fact.values) & set(table.key):
        return "the key of a row does not change"
    return ""


def _arguments_kept(before: StateLog, call: ToolCall, answer: Answer) -> Iterator[Objection]:
    """What the call asked to be stored is what its one fact stores, where both use one name for it.

    An argument that is what the changed thing had before selects it (a rename); it is not stored. Answers may repeat
    arguments in other words (an address for a name), so they are not held to them.
    """
    if len(answer.facts) != 1:
        return
    fact = answer.facts[0]
    old = before.thing(fact.kind, fact.id)
    for name, value in fact.values.items():
        given = call.arguments.get(name)
        plain = isinstance(given, str | int | float) and isinstance(value, str | int | float)
        selects = old is not None and name in old.values and same(old.values[name], given)
        if plain and not selects and not is_id(name) and not _stored(given, value):
            text = f"{name} was given as {_shown(given)}, the fact says {_shown(value)}"
            yield Objection(Reason.CONTRADICTION, text)


def _silent(call: ToolCall, answer: Answer) -> Iterator[Objection]:
    """A call that makes or removes something changes something; others may find the world as it should be."""
    verbs = {str(call.arguments.get("action", "")).partition("_")[0], call.name.partition("_")[0]}
    if not answer.facts and not verbs.isdisjoint(_WRITING_VERBS):
        text = f"{call.name} succeeded without a fact: say what was created or deleted"
        yield Objection(Reason.SILENT_WRITE, text)


def _unknown_ids(
    before: StateLog, after: StateLog, rules: SimulatedRules, call: ToolCall, answer: Answer
) -> Iterator[Objection]:
    made = {fact.id for fact in answer.facts if fact.op is FactOp.CREATE}
    removed = {fact.id for fact in answer.facts if fact.op is FactOp.DELETE}
    may_reveal = call.name in rules.reveals and rules.reads(call)
    for item in objects(answer.payload.get("data")):
        own = identity(item)
        for name, id_ in ids(item):
            if id_ == own and after.deleted(id_) and id_ not in removed:
                yield Objection(Reason.RESURRECTED, f"{name} {_shown(id_)} was deleted")
            elif not (before.known(id_) or id_ in made or may_reveal):
                text = f"nothing has the {name} {_shown(id_)}, and no `create` fact of this call makes it"
                yield Objection(Reason.INVENTED_ID, text)


def _contradictions(after: StateLog, data: Any) -> Iterator[Objection]:
    for item in objects(data):
        id_ = identity(item)
        thing = after.only(id_) if id_ is not None else None
        if thing is None:
            continue
        for name, value in item.items():
            holds = msgspec.UNSET if is_id(name) else thing.value(name)
            if holds is not msgspec.UNSET and not same(holds, value):
                text = f"{name} of {_shown(thing.id)} is {_shown(holds)}, the answer says {_shown(value)}"
                yield Objection(Reason.CONTRADICTION, text)


def same(one: Any, other: Any) -> bool:
    """Whether two JSON values say the same: 1 and true, "7" and 7, "a b" and ["a", "b"], a time and its date."""
    one, other = _plain(one), _plain(other)
    if isinstance(one, str) and isinstance(other, str):
        short, long = sorted((one, other), key=len)
        return short == long or (bool(_DATE.fullmatch(short)) and long.startswith(short + " "))
    if {type(one), type(other)} == {list, dict}:
        return True  # two views of one collection: which says what is not ours to know
    if isinstance(one, list) and isinstance(other, str):
        one, other = other, one
    if isinstance(one, str) and isinstance(other, list) and all(isinstance(item, str) for item in other):
        return re.split(r"[\s,;]+", one) == [word for item in other for word in re.split(r"[\s,;]+", item)]
    return bool(one == other)


def _plain(value: Any) -> Any:
    if value is None or value == "" or value == [] or value == {}:
        return None
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return float(value) if math.isfinite(value) and abs(value) < 2**53 else str(value)
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    text = " ".join(str(value).split())
    if _STAMP.fullmatch(text):
        return text.replace("T", " ")[:16] + (text[16:] if text[16:] != ":00" else "")
    if text[:1] in ("[", "{") or re.fullmatch(r"-?\d+(\.\d+)?", text):
        try:
            decoded = msgspec.json.decode(text)
        except (msgspec.MsgspecError, RecursionError):
            return text
        return text if isinstance(decoded, str) else _plain(decoded)
    return text


def _stored(given: Any, value: Any) -> bool:
    """Whether a stored value can be what was given; a time in words ("tomorrow at nine") is not judged."""
    if not (isinstance(given, str) and isinstance(value, str)):
        return isinstance(given, str) or isinstance(value, str) or same(given, value)
    one, other = _letters(given), _letters(value)
    if _TIME.fullmatch(value.strip()):
        one, other = one.replace("t", ""), other.replace("t", "")
        return not one.isdigit() or one.lstrip("0") in other
    return one in other or other in one


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _shown(value: Any) -> str:
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…")
