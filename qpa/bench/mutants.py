"""Wrong and differently right courses of action, made from an expert's: they verify the verifier.

A wrong one must fail and a right one must pass, whatever the task; `qpa.bench.audit` counts the exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from qpa.bench.checkers import only_looks
from qpa.contract import (
    Action,
    CallTools,
    Effect,
    Intent,
    Reply,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolSpec,
)

Named = tuple[str, list[Action]]
Rows = Mapping[str, Sequence[Mapping[str, Any]]]
# Unrelated writes and a harmless read that any phone accepts: (tool, arguments).
EXTRA_WRITES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("manage_todo", {"action": "create", "content": "zzz extra"}),
    ("set_alarm_volume", {"level": 3}),
    ("add_contact", {"name": "Zzz", "phoneNumber": "5550000"}),
)
HARMLESS_READ = ("manage_world_clock", {"action": "query"})
NEEDED_TOOLS = (*(name for name, _ in EXTRA_WRITES), HARMLESS_READ[0])
_GATED = ("skill__", "search_user_memory")
_SECRETS = ("password", "pin", "code")


def wrong(
    task: TaskSpec, actions: Sequence[Action], needed: Collection[str], specs: Mapping[str, ToolSpec], rows: Rows
) -> Iterator[Named]:
    """Named courses of action that do not fulfil the task.

    Args:
      actions: the expert's.
      needed: ids of the expert's calls whose arguments matter: a rejected try that he corrects himself does not.
      specs: the catalogue by tool name.
      rows: the initial database, table -> rows, where the other records come from.
    """
    reply = actions[-1]
    assert isinstance(reply, Reply)
    yield "claims without acting", [Reply(text="Done.")]
    yield "asks at once", [Reply(text="What exactly do you want?", intent=Intent.ASK)]
    if reply.intent is not Intent.REFUSE:
        yield "refuses", [Reply(text="I can't do that.", intent=Intent.REFUSE)]
    if reply.intent is not Intent.FINISH:
        yield "claims at the end", [*actions[:-1], Reply(text="Done.")]
    yield "never replies", list(actions[:-1])
    yield "asks at the end", [*actions[:-1], Reply(text="Shall I go on?", intent=Intent.ASK)]
    extra = _extra_write(*(c.name for a in actions if isinstance(a, CallTools) for c in a.calls))
    # Before the rest: a phone that the task switches off refuses what comes after.
    yield "one write too many", [CallTools(calls=[extra]), *actions]
    blocks = [i for i, a in enumerate(actions) if isinstance(a, CallTools)]
    if blocks:
        yield "last step missing", [a for i, a in enumerate(actions) if i != blocks[-1]]
    yield from _gate_skipped(task, actions)
    yield from _wrong_values(task, actions, needed, specs, rows)
    yield from _wrong_order(task, actions)


def right(task: TaskSpec, actions: Sequence[Action], specs: Mapping[str, ToolSpec]) -> Iterator[Named]:
    """Named courses of action that fulfil the task in another way than the expert."""
    calls = [c for a in actions if isinstance(a, CallTools) for c in a.calls]
    reply = actions[-1]
    assert isinstance(reply, Reply)
    yield "one call at a time", [*(CallTools(calls=[c]) for c in calls), reply]
    name, arguments = HARMLESS_READ
    look = CallTools(calls=[ToolCall(id="look", name=name, arguments=dict(arguments))])
    yield "looks around first", [look, *actions]
    bad = CallTools(calls=[ToolCall(id="bad", name=name, arguments={"action": "explode"})])
    yield "recovers from a bad call", [bad, *actions]
    yield "more words in the reply", [*actions[:-1], _reworded(reply)]
    respelled = [_respelled(a) for a in actions]
    if respelled != list(actions):
        yield "times spelled differently", respelled


def writes(call: ToolCall, specs: Mapping[str, ToolSpec]) -> bool:
    """True unless the call only reads."""
    if call.name.startswith("skill__") or specs[call.name].effect is Effect.READ:
        return False
    return not only_looks(call)


def _gate_skipped(task: TaskSpec, actions: Sequence[Action]) -> Iterator[Named]:
    if not (task.required_memories or task.required_skills):
        return

    def gated(action: Action) -> bool:
        return isinstance(action, CallTools) and any(c.name.startswith(_GATED) for c in action.calls)

    yield "gate skipped", [a for a in actions if not gated(a)]


def _wrong_values(
    task: TaskSpec, actions: Sequence[Action], needed: Collection[str], specs: Mapping[str, ToolSpec], rows: Rows
) -> Iterator[Named]:
    """Each argument of each needed writing call, wrong one at a time: another value, and another existing record.

    A change that only repeats another call of the expert is left out: his course may have had a step to spare.
    """
    made = [(c.name, c.arguments) for a in actions if isinstance(a, CallTools) for c in a.calls]
    annotated = {s.name for s in task.criteria.steps} if isinstance(task.criteria, ToolCriteria) else None
    for index, action in enumerate(actions):
        if not isinstance(action, CallTools):
            continue
        for position, call in enumerate(action.calls):
            skipped = annotated is not None and call.name not in annotated
            if skipped or call.id not in needed or not writes(call, specs):
                continue
            other_tool = _extra_write(call.name)
            yield "wrong tool", [*actions[:index], _with(action, position, other_tool), *actions[index + 1 :]]
            for key, value in call.arguments.items():
                for kind, other in _others(call.name, key, value, specs, rows):
                    changed = ToolCall(id=call.id, name=call.name, arguments={**call.arguments, key: other})
                    if (changed.name, changed.arguments) in made:
                        continue
                    course = [*actions[:index], _with(action, position, changed), *actions[index + 1 :]]
                    yield f"{kind}: {call.name}.{key}", course


def _with(block: CallTools, position: int, call: ToolCall) -> CallTools:
    return CallTools(calls=[*block.calls[:position], call, *block.calls[position + 1 :]])


def _extra_write(*taken: str) -> ToolCall:
    """The first unrelated write by a tool that is not taken."""
    name, arguments = next((write for write in EXTRA_WRITES if write[0] not in taken), EXTRA_WRITES[-1])
    return ToolCall(id="extra", name=name, arguments=dict(arguments))


def _others(name: str, key: str, value: Any, specs: Mapping[str, ToolSpec], rows: Rows) -> Iterator[tuple[str, Any]]:
    schema = specs[name].parameters["properties"][key]
    if "enum" in schema:
        other = next((v for v in schema["enum"] if v != value and not str(v).startswith("query")), None)
        if other is not None:
            yield "wrong value", other
        return
    if isinstance(value, bool):
        yield "wrong value", not value
    elif isinstance(value, (int, float)):
        yield "wrong value", value + 1
    elif isinstance(value, str):
        yield "wrong value", "2025-04-02 03:33" if re.search(r"\d:\d\d|\d{4}-\d\d", value) else "Zzz other"
        if (record := _other_record(value, rows)) is not None:
            yield "wrong record", record
    elif isinstance(value, list) and value:
        yield "wrong value", value[1:] or ["Zzz other"]


def _other_record(value: str, rows: Rows) -> str | None:
    """Another value of the first column that holds `value`."""
    for table in rows.values():
        for row in table:
            for column, cell in row.items():
                if cell == value:
                    return next((r[column] for r in table if column in r and r[column] not in (value, "")), None)
    return None


def _wrong_order(task: TaskSpec, actions: Sequence[Action]) -> Iterator[Named]:
    """The annotated calls backwards; only the tool checker judges order."""
    if not isinstance(task.criteria, ToolCriteria):
        return
    calls = [c for a in actions if isinstance(a, CallTools) for c in a.calls]
    annotated = [c for c in calls if any(c.name == s.name for s in task.criteria.steps)]
    if len({str((c.name, c.arguments)) for c in annotated}) > 1:
        backwards = iter(reversed(annotated))
        swapped = [next(backwards) if any(c is a for a in annotated) else c for c in calls]
        yield "wrong order", [*(CallTools(calls=[c]) for c in swapped), actions[-1]]


def _reworded(reply: Reply) -> Reply:
    """The same message in more words; it keeps its ending, which carries the intent."""
    if reply.intent is Intent.REFUSE:
        return Reply(text=f"{reply.text} Sorry about that.", intent=reply.intent)
    return Reply(text=f"Right. {reply.text}", intent=reply.intent)


def _respelled(action: Action) -> Action:
    """`07:30` as `7:30`, where the argument is a time and no secret."""
    if not isinstance(action, CallTools):
        return action

    def spell(key: str, value: Any) -> Any:
        plain = (
            isinstance(value, str) and key in ("time", "datetime") and not any(s in key.casefold() for s in _SECRETS)
        )
        return re.sub(r"(^|\s)0(\d:\d\d)", r"\1\2", value) if plain else value

    return CallTools(
        calls=[
            ToolCall(id=c.id, name=c.name, arguments={k: spell(k, v) for k, v in c.arguments.items()})
            for c in action.calls
        ]
    )
