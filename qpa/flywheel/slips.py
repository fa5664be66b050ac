"""Plausible mistakes for the scripted expert: each provokes an error that the next, right turn recovers from.

A slip must change nothing. That is not assumed here: collection keeps the episode only if the mistake came back as an
error and the verifier accepted the end.
"""

from __future__ import annotations

import enum
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qpa.chat.parser import parse_reply
from qpa.chat.template import render_action
from qpa.contract import Action, CallTools, TaskSpec, ToolCall, ToolSpec


class SlipKind(enum.StrEnum):
    WRONG_ENUM = "wrong_enum"  # 400
    MISSING_ARGUMENT = "missing_argument"  # 400
    UNKNOWN_TOOL = "unknown_tool"  # 404
    WRONG_ENTITY = "wrong_entity"  # 404 or 409
    PREMATURE_CALL = "premature_call"  # 404 or 409: a step before its precondition
    MALFORMED_JSON = "malformed_json"  # no call at all


_SYNONYMS = {
    "create": ("add", "new", "set"),
    "delete": ("remove", "cancel"),
    "enable": ("on", "activate"),
    "disable": ("off", "deactivate"),
    "query": ("list", "get", "show"),
    "update": ("edit", "change"),
    "set": ("change", "update"),
    "start": ("begin", "run"),
    "stop": ("end", "finish"),
    "complete": ("done", "finish"),
    "cancel": ("stop", "delete"),
    "connect": ("join", "on"),
    "disconnect": ("leave", "off"),
    "weekdays": ("workdays", "monday-friday"),
    "weekends": ("weekend",),
    "voice": ("audio", "phone"),
}
_VERBS = ("set", "create", "manage", "update", "open", "query", "add", "get", "change")
_ID = re.compile(r"(.+_)\d+")
# Arguments that name something which has to exist, so that a wrong value finds nothing.
_ENTITIES = frozenset({"contact", "ssid", "deviceName", "profile", "fileName", "appName"})
_NAMED = frozenset({"name", "title", "event", "content", "city"})
_NEEDS_EXISTING = ("delete", "remove", "enable", "disable", "update", "complete", "cancel")


def slips_for(
    task: TaskSpec, actions: Sequence[Action], turn: int, specs: Mapping[str, ToolSpec], family: str, rng: random.Random
) -> dict[SlipKind, str]:
    """Assistant texts of the mistakes that fit the calls of `actions[turn]`; one single-call turn each.

    Mistakes that reach the backend are left out for tools with a scripted fault, whose schedule counts calls.
    """
    action = actions[turn]
    if not isinstance(action, CallTools) or not action.calls:
        return {}
    call = rng.choice(action.calls)
    faulted = {f.tool for f in task.initial.faults}
    makers: list[tuple[SlipKind, Callable[[], ToolCall | None]]] = [
        (SlipKind.WRONG_ENUM, lambda: _wrong_enum(call, specs, rng)),
        (SlipKind.MISSING_ARGUMENT, lambda: _missing_argument(call, specs, rng)),
        (SlipKind.UNKNOWN_TOOL, lambda: _unknown_tool(call, specs, rng)),
    ]
    if call.name not in faulted:
        makers.append((SlipKind.WRONG_ENTITY, lambda: _wrong_entity(call, rng)))
    follower = actions[turn + 1] if turn + 1 < len(actions) else None
    if isinstance(follower, CallTools) and follower.calls and follower.calls[0].name not in faulted:
        makers.append((SlipKind.PREMATURE_CALL, lambda: _premature(follower.calls[0], action)))
    found = {kind: render_action(CallTools(calls=[slip]), family) for kind, make in makers if (slip := make())}
    text = render_action(CallTools(calls=[call]), family)
    if malformed := _malformed(text, family, rng):
        found[SlipKind.MALFORMED_JSON] = malformed
    return found


def _wrong_enum(call: ToolCall, specs: Mapping[str, ToolSpec], rng: random.Random) -> ToolCall | None:
    properties = _properties(specs, call.name)
    choices = [(k, v) for k, v in call.arguments.items() if isinstance(v, str) and properties.get(k, {}).get("enum")]
    if not choices:
        return None
    name, value = rng.choice(choices)
    wrong = [*_SYNONYMS.get(value, ()), value.upper(), f"{value}s"]
    wrong = [w for w in wrong if w not in properties[name]["enum"]]
    return _changed(call, name, rng.choice(wrong)) if wrong else None


def _missing_argument(call: ToolCall, specs: Mapping[str, ToolSpec], rng: random.Random) -> ToolCall | None:
    spec = specs.get(call.name)
    required = [n for n in (spec.parameters.get("required", []) if spec else []) if n in call.arguments]
    if not required:
        return None
    gone = rng.choice(required)
    return ToolCall(id=call.id, name=call.name, arguments={k: v for k, v in call.arguments.items() if k != gone})


def _unknown_tool(call: ToolCall, specs: Mapping[str, ToolSpec], rng: random.Random) -> ToolCall | None:
    head, _, rest = call.name.partition("_")
    rest = rest.lstrip("_")  # skill loaders have two underscores
    others = [f"{verb}_{rest}" for verb in _VERBS if verb != head] + [rest] if rest else []
    others = [name for name in others if name not in specs]
    return ToolCall(id=call.id, name=rng.choice(others), arguments=call.arguments) if others else None


def _wrong_entity(call: ToolCall, rng: random.Random) -> ToolCall | None:
    needs_existing = str(call.arguments.get("action", call.name)).startswith(_NEEDS_EXISTING)
    choices = []
    for name, value in call.arguments.items():
        if not isinstance(value, str):
            continue
        if match := _ID.fullmatch(value):
            choices.append((name, f"{match[1]}{rng.randint(900, 999)}"))
        elif len(value) > 3 and (name in _ENTITIES or (name in _NAMED and needs_existing)):
            choices.append((name, _typo(value, rng)))
    return _changed(call, *rng.choice(choices)) if choices else None


def _typo(value: str, rng: random.Random) -> str:
    """One letter dropped or doubled, never the first: a misread name."""
    at = rng.randrange(1, len(value))
    return value[:at] + (value[at] * 2 if rng.random() < 0.5 else "") + value[at + 1 :]


def _premature(late: ToolCall, due: CallTools) -> ToolCall | None:
    same = any(c.name == late.name and c.arguments == late.arguments for c in due.calls)
    return None if same else late


def _malformed(text: str, family: str, rng: random.Random) -> str | None:
    """A call whose JSON is broken beyond repair: what the parser would mend is no mistake."""
    broken = [text.replace("}\n</tool_call>", "\n</tool_call>"), text.replace('"arguments": {', '"arguments": '), text]
    broken[-1] = text.replace('": "', '": ', 1)
    rng.shuffle(broken)
    for candidate in broken:
        reply = parse_reply(candidate, None, family)
        if candidate != text and reply.failures and not reply.calls:
            return candidate
    return None


def _changed(call: ToolCall, name: str, value: Any) -> ToolCall:
    return ToolCall(id=call.id, name=call.name, arguments={**call.arguments, name: value})


def _properties(specs: Mapping[str, ToolSpec], name: str) -> dict[str, Any]:
    return specs[name].parameters.get("properties", {}) if name in specs else {}
