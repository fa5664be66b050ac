"""Plays one task by hand in the terminal: what a planner sees, its tools, and the verdict at the end. JAX-free."""

from __future__ import annotations

import json
import shlex
from typing import Any

import msgspec

from launch.cli import UsageError
from launch.task_views import checked_task
from qpa.bench import BenchVerifier, make_env, run_actions
from qpa.bench.replay import run_now
from qpa.chat.parser import reply_intent
from qpa.contract import Action, CallTools, Reply, Role, TaskSpec, ToolCall, ToolSpec
from qpa.envs.sandbox import SandboxEnv

_HELP = """\
  TOOL key=value ...   call a tool; values are JSON or plain words: manage_alarm action=create time=07:30 title="Gym"
  TOOL {json}          the same with a JSON object
  tools [word]         visible tools;  show TOOL: its arguments
  say TEXT             reply to the user, which ends the task; a question mark at the end asks, "I can't" refuses
  quit"""


def play(task_id: str, candidates: int) -> int:
    """Reads commands until a reply, then prints the verdict; 1 if the task was not solved."""
    task = checked_task(task_id, candidates)
    env = make_env(BenchVerifier())
    session = run_now(env.reset(task))
    for message in task.history:
        if message.content:
            print(f"{message.role.value}: {message.content}")
    print(f"{Role.USER.value}: {task.goal}\n\n{_HELP}\n")
    actions: list[Action] = []
    while True:
        try:
            line = input("> ").strip()
        except EOFError:
            return 1
        verb, _, rest = line.partition(" ")
        visible = session.callable
        if verb == "quit":
            return 1
        if verb == "say":
            actions.append(Reply(text=rest, intent=reply_intent(rest)))
            break
        if verb == "tools":
            print("\n".join(f"  {s.name}: {s.description}" for s in visible.values() if rest in s.name + s.description))
        elif verb == "show":
            print(_signature(visible.get(rest)))
        elif verb:
            _call(env, session, verb, rest, actions)
    return _verdict(env, task, actions)


def _call(env: SandboxEnv, session: Any, name: str, text: str, actions: list[Action]) -> None:
    try:
        arguments = arguments_of(text)
    except ValueError as error:
        print(f"  {error}")
        return
    call = ToolCall(id=f"call_{len(actions)}", name=name, arguments=arguments)
    actions.append(CallTools(calls=[call]))
    for feedback in run_now(env.step(session, [call])):
        print(msgspec.json.format(msgspec.json.encode(feedback.payload), indent=2).decode())


def arguments_of(text: str) -> dict[str, Any]:
    """The arguments of a typed call: a JSON object, or words key=value. Raises ValueError naming the word."""
    text = text.strip()
    if text.startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError as error:
            raise ValueError(f"arguments must be a JSON object: {error}") from None
    arguments = {}
    for word in shlex.split(text):
        key, equals, value = word.partition("=")
        if not (key and equals):
            raise ValueError(f"{word!r}: arguments are written key=value")
        try:
            arguments[key] = json.loads(value)
        except ValueError:
            arguments[key] = value
    return arguments


def _signature(spec: ToolSpec | None) -> str:
    if spec is None:
        return "  no such visible tool"
    schema = msgspec.json.format(msgspec.json.encode(spec.parameters), indent=2).decode()
    return f"  {spec.name}: {spec.description}\n{schema}"


def _verdict(env: SandboxEnv, task: TaskSpec, actions: list[Action]) -> int:
    """Plays the actions again from the start: what is judged is what the benchmark would see."""
    verdict = run_now(run_actions(env, task, actions, source="person")).verdict
    if verdict is None:
        raise UsageError(f"{task.id}: no verdict")
    for check in (*verdict.checks, *verdict.gates):
        print(f"  {'ok  ' if check.passed else 'FAIL'} {check.name} {check.detail}".rstrip())
    print("solved" if verdict.success else f"not solved, progress {verdict.progress:.2f}")
    return 0 if verdict.success else 1
