"""A perturbed sandbox with one kind switched on, and calls on it."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from qpa.bench import BenchVerifier, make_env, make_task
from qpa.contract import Feedback, InitialState, Resources, TaskSpec, ToolCall
from qpa.envs.perturb import PerturbConfig, PerturbedEnv, PerturbedSession


def env_of(seed: int = 0, **kinds: Any) -> PerturbedEnv:
    """Nothing but the given kinds, on every episode."""
    kinds = {"clean_fraction": 0.0, "name": "test"} | kinds
    return PerturbedEnv(make_env(BenchVerifier()), PerturbConfig(**kinds), seed)


def task_with(*tools: str, **initial: Any) -> TaskSpec:
    task = make_task("alarm_create", 0, "dev")
    return msgspec.structs.replace(task, resources=Resources(tools=list(tools)), initial=InitialState(**initial))


class Phone:
    """One session, driven call by call."""

    def __init__(self, env: PerturbedEnv, task: TaskSpec) -> None:
        self.env = env
        self.session: PerturbedSession = asyncio.run(env.reset(task))
        self.number = 0

    def block(self, *calls: tuple[str, dict[str, Any]]) -> list[Feedback]:
        made = [ToolCall(id=f"c{self.number + i}", name=name, arguments=a) for i, (name, a) in enumerate(calls)]
        self.number += len(made)
        return asyncio.run(self.env.step(self.session, made))

    def call(self, name: str, **arguments: Any) -> Feedback:
        return self.block((name, arguments))[0]

    def kinds(self) -> list[str]:
        return [event.kind for event in self.session.log]

    def changed(self) -> list[str]:
        return [change.table for change in self.session.inner.changes()]
