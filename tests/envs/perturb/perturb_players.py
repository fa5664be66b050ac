"""A scripted oracle that copes: it reads the shown schema, tries again, and looks at how long a list should be."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from qpa.bench import oracle
from qpa.chat import render_action
from qpa.contract import Action, CallTools, GenerateReply, GenerateRequest, Role, TaskSpec, ToolCall, ToolSpec
from qpa.envs.sandbox import catalog

PASSING = (409, 503, 504)
TRIES = 4


@dataclass
class _State:
    script: list[Action]
    asked: list[ToolCall] = field(default_factory=list)
    tries: int = 0


class CopingOracle:
    """With `retry` False it plays its script in the shown words and never looks back."""

    family = "compact"

    def __init__(self, *, retry: bool = True, reads_schema: bool = True) -> None:
        self.name = "coping-oracle"
        self._retry, self._reads_schema = retry, reads_schema
        self._known = {spec.name: spec for spec in catalog()}
        self._states: dict[str, _State] = {}

    def begin_episode(self, episode: str, task: TaskSpec) -> None:
        self._states[episode] = _State(list(oracle(task)))

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        state = self._states[request.episode]
        again = self._again(state, request) if self._retry and state.tries < TRIES else []
        if again:
            state.tries, action = state.tries + 1, CallTools(calls=again)
        elif state.script:
            state.tries, action = 0, state.script.pop(0)
        else:
            return GenerateReply(text="Done.")
        state.asked = list(action.calls) if isinstance(action, CallTools) else []
        if isinstance(action, CallTools) and self._reads_schema:
            shown = {spec.name: spec for spec in request.tools}
            action = CallTools(calls=[self._in_shown_words(call, shown) for call in action.calls])
        return GenerateReply(text=render_action(action, self.family))

    def _again(self, state: _State, request: GenerateRequest) -> list[ToolCall]:
        if not state.asked:
            return []
        answers = [m for m in request.messages if m.role is Role.TOOL][-len(state.asked) :]
        return [
            c
            for c, m in zip(state.asked, answers, strict=True)
            if _unsatisfying(c, json.loads(m.content.splitlines()[0]))
        ]

    def _in_shown_words(self, call: ToolCall, shown: Mapping[str, ToolSpec]) -> ToolCall:
        if call.name not in shown or call.name not in self._known:
            return call
        theirs, ours = shown[call.name].parameters["properties"], self._known[call.name].parameters["properties"]
        new = [n for n in theirs if n not in ours and n != "clientNote"]
        made = {}
        for name, value in call.arguments.items():
            there = name if name in theirs or not new else new[0]
            choices = ours.get(name, {}).get("enum")
            made[there] = theirs[there]["enum"][choices.index(value)] if choices else value
        return msgspec.structs.replace(call, arguments=made)


def _unsatisfying(call: ToolCall, payload: Mapping[str, Any]) -> bool:
    if payload.get("code") in PASSING:
        return True
    data: Any = payload.get("data", {})
    if call.name == "control_gui_agent" and "data" not in payload and payload.get("success"):
        return True
    items: Sequence[Any] = data.get("items", ()) if isinstance(data, dict) else ()
    return isinstance(data, dict) and "total" in data and len(items) < data["total"]
