"""OpenEnv's protocol: by hand over a raw socket, and by the real package's client."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest
from server_doubles import OTHER, TOKEN, Scripted, eventually, fail, served, some_tasks

from qpa.bench import oracle
from qpa.contract import CallTools, EnvFailure, FailureCause, TaskSpec, to_json

# An interpreter that has the package `openenv-core`: the one that `make test` makes, or this one.
MADE = Path(__file__).resolve().parents[3] / ".venv" / "openenv" / "bin" / "python"
PYTHON = os.environ.get("QPA_OPENENV_PYTHON") or (
    str(MADE) if MADE.exists() else sys.executable if find_spec("openenv") else None
)


@pytest.fixture(scope="module")
def server():
    with served(max_sessions=4) as running:
        yield running


class Talk:
    """One OpenEnv connection."""

    def __init__(self, socket) -> None:
        self._socket = socket

    def __call__(self, kind: str, data=None, raw: str | bytes | None = None) -> dict:
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        self._socket.send(raw if raw is not None else msgspec.json.encode(message).decode())
        return json.loads(self._socket.recv(timeout=10))


def expert(task: TaskSpec) -> list[dict]:
    """The expert's actions as OpenEnv actions."""
    return [
        {"calls": [{"name": c.name, "arguments": c.arguments} for c in action.calls]}
        if isinstance(action, CallTools)
        else {"reply": action.text, "intent": action.intent.value}
        for action in oracle(task)
    ]


def test_an_episode_over_the_protocol(server):
    task = some_tasks()[0]
    with server.socket(path="/openenv/ws") as socket:
        talk = Talk(socket)
        first = talk("reset", {"seed": 0, "episode_id": "mine"})
        assert first["type"] == "observation" and (first["data"]["reward"], first["data"]["done"]) == (None, False)
        seen = first["data"]["observation"]
        assert (seen["task_id"], seen["goal"]) == (task.id, task.goal)
        assert [tool["name"] for tool in seen["tools"]][: len(task.resources.tools)] == task.resources.tools
        assert talk("state")["data"] == {"episode_id": "mine", "step_count": 0, "task_id": task.id, "done": False}
        *calls, reply = expert(task)
        for action in calls:
            answer = talk("step", action)["data"]
            assert (answer["reward"], answer["done"]) == (None, False)
            assert all(feedback["ok"] for feedback in answer["observation"]["feedback"])
        end = talk("step", reply)["data"]
        assert (end["reward"], end["done"]) == (1.0, True) and end["observation"]["verdict"]["success"]
        assert talk("state")["data"]["step_count"] == len(calls) + 1
        assert talk("step", reply)["data"]["code"] == "SESSION_ERROR"
        assert talk("reset", {"task_id": task.id})["data"]["observation"]["task_id"] == task.id
        assert talk("step", {"reply": "Done."})["data"]["reward"] == 0.0
        assert talk("reset", {"task": json.loads(to_json(some_tasks()[3]))})["data"]["observation"]["task_id"]
        assert len(server.service.leases) == 1  # the one before was closed
    eventually(lambda: len(server.service.leases) == 0)  # and so is this one, with its connection


def test_every_error_has_the_protocols_code_and_the_connection_goes_on(server):
    with server.socket(path="/openenv/ws") as socket:
        talk = Talk(socket)
        wrong = [
            ("{", "INVALID_JSON"),
            ("[]", "INVALID_JSON"),
            (b"\x81", "INVALID_JSON"),
            ('{"type": "dance"}', "UNKNOWN_TYPE"),
            ('{"type": "step", "data": {"reply": "x"}}', "SESSION_ERROR"),
            ('{"type": "reset", "data": {"sed": 1}}', "VALIDATION_ERROR"),
            ('{"type": "reset", "data": {"seed": -1}}', "VALIDATION_ERROR"),
            ('{"type": "reset", "data": {"task_id": "none"}}', "VALIDATION_ERROR"),
        ]
        for raw, code in wrong:
            answer = talk("", raw=raw)
            assert (answer["type"], answer["data"]["code"]) == ("error", code), raw
        assert talk("reset")["type"] == "observation"
        for action in ({}, {"reply": "x", "tool_name": "y"}, {"calls": []}, {"intent": "finish"}):
            assert talk("step", action)["data"]["code"] == "VALIDATION_ERROR"
        assert talk("step", {"tool_name": "nothing"})["data"]["observation"]["feedback"][0]["code"] == 404
        socket.send('{"type": "close"}')
        eventually(lambda: len(server.service.leases) == 0)


def test_a_broken_backend_and_a_full_server_are_errors_never_rewards():
    backend = Scripted()
    with served(backend, max_sessions=1) as server, server.socket(path="/openenv/ws") as socket:
        talk = Talk(socket)
        assert talk("reset", {"seed": 0})["type"] == "observation"
        with server.socket(OTHER, path="/openenv/ws") as other:
            full = Talk(other)("reset", {})["data"]
            assert (full["code"], full["active_sessions"], full["max_sessions"]) == ("CAPACITY_REACHED", 1, 1)
        backend.before = lambda operation: fail(EnvFailure("gone", FailureCause.CONNECTION))
        for action in ({"tool_name": "x"}, {"reply": "Done."}):
            answer = talk("step", action)
            assert (answer["data"]["code"], answer["data"]["cause"]) == ("EXECUTION_ERROR", "connection")
            assert "reward" not in answer["data"]


def test_the_turn_limit_ends_an_episode(server):
    task = msgspec.structs.replace(some_tasks()[0])
    task.limits = msgspec.structs.replace(task.limits, turns=2)
    with server.socket(path="/openenv/ws") as socket:
        talk = Talk(socket)
        talk("reset", {"task": json.loads(to_json(task))})
        assert not talk("step", {"tool_name": "x"})["data"]["done"]
        end = talk("step", {"tool_name": "x"})["data"]
        assert (end["done"], end["reward"]) == (True, 0.0)


def test_the_http_side_says_what_there_is(server):
    assert server.http.get("/openenv/health").json() == {"status": "healthy"}
    assert server.get("/openenv/metadata").json()["name"] == "qpa-sandbox"
    schema = server.get("/openenv/schema").json()
    assert set(schema) == {"action", "observation", "state"}
    assert "tool_name" in json.dumps(schema["action"])


@pytest.mark.skipif(PYTHON is None, reason="needs openenv-core, here or in the interpreter QPA_OPENENV_PYTHON names")
def test_the_real_packages_client_plays_episodes(server):
    tasks = some_tasks()[:6]
    episodes = [[{"seed": i}, expert(task)] for i, task in enumerate(tasks)]
    episodes.append([{"task_id": tasks[1].id}, [{"reply": "Done."}]])
    script = Path(__file__).with_name("openenv_play.py")
    url = server.url.replace("http://", f"http://qpa:{TOKEN}@") + "/openenv"
    done = subprocess.run(
        [PYTHON, script, url], input=json.dumps(episodes), capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    played = json.loads(done.stdout)
    assert [episode["results"][-1][1:] for episode in played] == [[1.0, True]] * 6 + [[0.0, True]]
    assert [episode["state"]["task_id"] for episode in played[:6]] == [task.id for task in tasks]
    assert all("SESSION_ERROR" in episode["error"] for episode in played)
    eventually(lambda: len(server.service.leases) == 0)
