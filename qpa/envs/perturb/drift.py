"""Other versions of the phone's apps: what a tool is called with changes, what it does stays.

An app is a domain of the catalogue. Version 1 renames an optional parameter; version 2 renames the values of a choice
and takes a further optional parameter; version 3 renames both with other words and drops a filter. Each rewords the
description. What a version looks like depends on the tool alone, so a held-out version stays unseen.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from qpa.contract import BehaviorCriteria, Effect, TaskSpec, ToolCall, ToolCriteria, ToolKind, ToolSpec
from qpa.envs.perturb.config import VERSIONS, DriftConfig
from qpa.envs.perturb.draws import Draws

# Parameter -> its names in versions 1 and 3. Parameters without an entry keep their name.
_NAMES: dict[str, tuple[str, str]] = {
    "alarmId": ("alarm", "alarmKey"), "amount": ("sum", "total"), "appName": ("app", "application"),
    "body": ("text", "mailText"), "callType": ("type", "callMode"), "category": ("section", "group"),
    "city": ("town", "place"), "contact": ("person", "recipientName"), "content": ("text", "words"),
    "customer": ("client", "account"), "date": ("day", "onDate"), "datetime": ("startsAt", "when"),
    "deviceName": ("device", "gadget"), "due": ("deadline", "dueBy"), "event": ("subject", "eventName"),
    "fileName": ("file", "document"), "folder": ("directory", "location"), "group": ("label", "circle"),
    "item": ("entry", "field"), "keyword": ("term", "searchText"), "kind": ("type", "sort"),
    "label": ("title", "caption"), "language": ("lang", "tongue"), "level": ("strength", "degree"),
    "location": ("venue", "at"), "method": ("via", "channel"), "minutes": ("durationMin", "lengthMin"),
    "mode": ("setting", "option"), "name": ("fullName", "called"), "newName": ("renameTo", "freshName"),
    "noteId": ("note", "noteKey"), "password": ("passphrase", "networkKey"), "period": ("range", "span"),
    "phoneNumber": ("number", "tel"), "productName": ("product", "article"), "prompt": ("picture", "idea"),
    "reminderId": ("reminder", "reminderKey"), "repeat": ("recurrence", "cycle"), "room": ("area", "zone"),
    "rule": ("ruleName", "filter"), "scheduleId": ("eventId", "eventKey"), "sessionId": ("session", "sessionKey"),
    "source": ("origin", "from"), "task": ("activity", "work"), "time": ("clockTime", "moment"),
    "title": ("name", "heading"), "todoId": ("todo", "todoKey"), "topic": ("theme", "about"),
    "unit": ("measure", "dimension"), "value": ("newValue", "amount"),
}  # fmt: skip
# Value of a choice -> its names in versions 2 and 3.
_VALUES: dict[str, tuple[str, str]] = {
    "add": ("insert", "put"), "cancel": ("abort", "call_off"), "create": ("new", "make"), "daily": ("every_day", "day"),
    "delete": ("erase", "discard"), "disable": ("turn_off", "deactivate"), "enable": ("turn_on", "activate"),
    "execute": ("perform", "carry_out"), "generate": ("produce", "draw"), "month": ("this_month", "monthly"),
    "pause": ("hold", "suspend"), "query": ("list", "show_all"), "remove": ("take_out", "drop"),
    "resume": ("continue", "go_on"), "set": ("assign", "apply"), "start": ("begin", "launch"),
    "stop": ("end", "finish"), "today": ("this_day", "day"), "update": ("modify", "edit_entry"),
    "video": ("with_video", "camera"), "voice": ("audio", "sound"), "week": ("this_week", "weekly"),
}  # fmt: skip
# Filters of reads: without them the answer has more in it, never less.
_DROPPABLE = (
    "sortBy", "searchMode", "unreadOnly", "favoritesOnly", "minSizeMb", "withinDays", "maxPrice", "status", "group",
)  # fmt: skip
_EXTRA = "clientNote"  # the further optional parameter; it is for the app's own log


@dataclass(frozen=True)
class Edit:
    """One tool in one version. The maps go from the words shown to the inner ones."""

    spec: ToolSpec
    version: int
    names: dict[str, str] = field(default_factory=dict)
    values: dict[str, dict[str, str]] = field(default_factory=dict)  # inner parameter -> shown value -> inner value
    extra: tuple[str, ...] = ()

    def inner(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the inner backend takes them."""
        made = {}
        for shown, value in arguments.items():
            if shown in self.extra:
                continue
            name = self.names.get(shown, shown)
            choices = self.values.get(name, {})
            made[name] = choices.get(value, value) if isinstance(value, str) else value
        return made

    def problem(self, arguments: Mapping[str, Any]) -> str:
        """Why this version does not take the arguments, "" if it does. Types are left to the inner backend."""
        properties = self.spec.parameters.get("properties", {})
        for name, value in arguments.items():
            if name not in properties:
                return f"Unknown argument {name[:40]}; allowed: {'|'.join(properties)}"
            choices = properties[name].get("enum")
            if choices and value not in choices:
                return f"{name} must be one of {'|'.join(choices)}"
        absent = [name for name in self.spec.parameters.get("required", ()) if name not in arguments]
        return f"Missing argument: {', '.join(absent)}" if absent else ""


_KEPT = 8192
_EDITS: dict[tuple[str, int, frozenset[str]], tuple[ToolSpec, Edit]] = {}


class Drift:
    """The versions of one episode's tools."""

    def __init__(self, config: DriftConfig, draws: Draws, catalog: Iterable[ToolSpec], task: TaskSpec) -> None:
        """`task` protects the filters that its criteria ask for."""
        wanted = _named(task)
        self.edits: dict[str, Edit] = {}
        versions: dict[str, int] = {}  # of each app; 0: as it is
        for spec in catalog:
            app = spec.domain
            if app not in versions:
                drifts = draws.hit(config.rate, "drift", app)
                versions[app] = draws.choice(config.versions, "version", app) if drifts else 0
            if versions[app] and spec.kind is not ToolKind.SKILL:
                self.edits[spec.name] = edit_of(spec, versions[app], frozenset(wanted.get(spec.name, ())))

    def shown(self, specs: Iterable[ToolSpec]) -> list[ToolSpec]:
        """The specs as this episode's planner sees them."""
        return [self.edits[spec.name].spec if spec.name in self.edits else spec for spec in specs]


def edit_of(spec: ToolSpec, version: int, wanted: frozenset[str] = frozenset()) -> Edit:
    """The tool in a version (1 to 3); a parameter in `wanted` is not dropped. Raises ValueError for another version."""
    if version not in VERSIONS:
        raise ValueError(f"app version {version}: there is {', '.join(map(str, VERSIONS))}")
    # Every episode has a catalogue, each of few different specs: mostly the very same objects.
    key = spec.name, version, wanted
    known = _EDITS.get(key)
    if known is None or (known[0] is not spec and known[0] != spec):
        if len(_EDITS) >= _KEPT:
            _EDITS.clear()
        known = _EDITS[key] = spec, _edit(spec, version, wanted)
    return known[1]


def _edit(spec: ToolSpec, version: int, wanted: frozenset[str]) -> Edit:
    parameters = copy.deepcopy(spec.parameters)
    properties = parameters.setdefault("properties", {})
    required = list(parameters.get("required", ()))
    optional = [name for name in properties if name not in required]
    names: dict[str, str] = {}
    values: dict[str, dict[str, str]] = {}
    extra: tuple[str, ...] = ()
    if version != 1:
        values = _renamed_values(properties, 0 if version == 2 else 1)
    if version == 2 and _EXTRA not in properties:
        properties[_EXTRA] = {"type": "string"}
        extra = (_EXTRA,)
    if version == 3 and spec.effect is Effect.READ:
        dropped = next((n for n in _DROPPABLE if n in optional and n not in wanted), None)
        if dropped is not None:
            del properties[dropped]
            values.pop(dropped, None)
            optional.remove(dropped)
    if version != 2:
        names = _renamed(properties, optional, 0 if version == 1 else 1)
        back = {inner: shown for shown, inner in names.items()}
        parameters["properties"] = {back.get(name, name): schema for name, schema in properties.items()}
    shown = msgspec.structs.replace(spec, parameters=parameters, description=_reworded(spec, version))
    return Edit(shown, version, names, values, extra)


def _renamed(properties: Mapping[str, Any], optional: list[str], column: int) -> dict[str, str]:
    """Shown name -> inner name of the first optional parameter that has another word."""
    for name in optional:
        other = _NAMES.get(name, ("", ""))[column]
        if other and other not in properties:
            return {other: name}
    return {}


def _renamed_values(properties: dict[str, Any], column: int) -> dict[str, dict[str, str]]:
    """Renames the values of the first choice that has other words, in place; returns shown -> inner by parameter."""
    for name, schema in properties.items():
        choices = schema.get("enum") or []
        new = [_VALUES[v][column] if v in _VALUES else v for v in choices]
        if new != choices and len(set(new)) == len(new):
            schema["enum"] = new
            return {name: {shown: inner for shown, inner in zip(new, choices, strict=True) if shown != inner}}
    return {}


def _reworded(spec: ToolSpec, version: int) -> str:
    text = spec.description
    lower = text[:1].lower() + text[1:]
    return {1: f"Use this to {lower}", 2: f"{text} See the choices.", 3: f"{spec.domain or 'Phone'}: {lower}"}[version]


def _named(task: TaskSpec) -> dict[str, set[str]]:
    """Tool -> parameters that the task's criteria name."""
    criteria = task.criteria
    steps = (
        criteria.steps
        if isinstance(criteria, ToolCriteria)
        else criteria.routes
        if isinstance(criteria, BehaviorCriteria)
        else []
    )
    found: dict[str, set[str]] = {}
    for step in steps:
        found.setdefault(step.name, set()).update(step.arguments)
    return found


def canonical(edit: Edit | None, call: ToolCall) -> ToolCall:
    """The call in the inner backend's words."""
    return call if edit is None else ToolCall(id=call.id, name=call.name, arguments=edit.inner(call.arguments))
