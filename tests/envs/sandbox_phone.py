"""A phone in a test's hand: one sandbox session, driven synchronously."""

from __future__ import annotations

import asyncio
from typing import Any

from qpa.contract import (
    Dimension,
    Feedback,
    InitialState,
    Resources,
    RowChange,
    Split,
    StateCriteria,
    TaskSpec,
    ToolCall,
)
from qpa.envs.sandbox import SandboxEnv, catalog

LOOP = asyncio.new_event_loop()  # one for all: a loop per call would cost more than the call


class Phone:
    """`phone.use("tool", argument=..)` calls a tool; every tool is callable unless `tools` says otherwise."""

    def __init__(self, tools: list[str] | None = None, skills: list[str] | None = None, **initial: Any) -> None:
        names = [spec.name for spec in catalog()] if tools is None else tools
        self.task = TaskSpec(
            id="t",
            goal="g",
            criteria=StateCriteria(delta=[]),
            dimension=Dimension.TOOL,
            domain="any",
            family="any",
            split=Split.TRAIN,
            resources=Resources(tools=names, skills=skills or []),
            initial=InitialState(**initial),
        )
        self.env = SandboxEnv()
        self.session = LOOP.run_until_complete(self.env.reset(self.task))
        self.made = 0

    def step(self, *calls: ToolCall) -> list[Feedback]:
        return LOOP.run_until_complete(self.env.step(self.session, calls))

    def use(self, tool: str, **arguments: Any) -> Feedback:
        self.made += 1
        return self.step(ToolCall(id=f"c{self.made}", name=tool, arguments=arguments))[0]

    def data(self, tool: str, **arguments: Any) -> dict[str, Any]:
        feedback = self.use(tool, **arguments)
        assert feedback.ok, feedback.payload
        return feedback.payload["data"]

    def code(self, tool: str, **arguments: Any) -> int:
        """The error code of a call that must fail and must leave no trace in the database."""
        before = self.session.changes()
        feedback = self.use(tool, **arguments)
        assert not feedback.ok, feedback.payload
        assert feedback.payload == {"success": False, "error": feedback.payload["error"], "code": feedback.code}
        assert self.session.changes() == before
        return feedback.code

    def changes(self) -> list[RowChange]:
        return self.session.changes()
