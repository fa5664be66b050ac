"""Whatever comes over HTTP or the WebSocket: a 4xx with the typed body, never a 500, never a session left behind."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from server_doubles import TOKEN, alarm, served, some_tasks

from qpa.envs import server_messages as m

FAST = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), database=None)
TASK = msgspec.to_builtins(some_tasks()[0])
NASTY = ("", "\x00", "x" * 5000, "../..", "\u202e", "用户", "'; DROP TABLE x; --", "-0", "NaN", "null")

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=20), st.sampled_from(NASTY)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
operations = st.sampled_from(m.OPERATIONS)


def valid(operation: str) -> dict:
    """A well-formed request of a session that does not exist."""
    more = {
        "reset": {"task": TASK},
        "step": {"session": "s", "epoch": 1, "calls": [msgspec.to_builtins(alarm())]},
        "verify": {"session": "s", "epoch": 1, "trajectory": {"task": TASK, "steps": [], "stop": "finished"}},
        "fork": {"session": "s", "epoch": 1},
        "adopt": {"session": "s"},
        "close": {"session": "s", "epoch": 1},
        "heartbeat": {"leases": [{"session": "s", "epoch": 1}]},
        "supports": {"tasks": [TASK]},
    }
    return {"request_id": "r"} | more.get(operation, {})


@st.composite
def mangled(draw) -> tuple[str, dict]:
    """A well-formed request with some fields replaced, added or gone, at any depth."""
    operation = draw(operations)
    request = json.loads(json.dumps(valid(operation)))
    for _ in range(draw(st.integers(1, 3))):
        node = request
        while True:
            key = draw(st.sampled_from(sorted(node)) if node else st.text(max_size=5))
            child = node.get(key)
            if isinstance(child, list) and child and isinstance(child[0], dict):
                child = child[0]
            if not isinstance(child, dict) or not child or draw(st.booleans()):
                break
            node = child
        match draw(st.sampled_from(("replace", "remove", "add"))):
            case "replace":
                node[key] = draw(values)
            case "remove":
                node.pop(key, None)
            case "add":
                node[draw(st.text(min_size=1, max_size=8))] = draw(values)
    return operation, request


DEEP = 100_000
BODIES = st.one_of(
    st.binary(max_size=200),
    values.map(lambda value: json.dumps(value).encode("utf-8", "surrogatepass")),
    st.sampled_from(
        [
            b"",
            b"null",
            b"[" * DEEP,
            b'{"a":' * DEEP,
            b'{"request_id": "r", "calls": ' + b"[" * DEEP + b"]" * DEEP + b"}",
            b'{"request_id": NaN}',
            b'{"request_id": "\xff\xfe"}',
            b'{"request_id": "\\ud800"}',
            b'{"request_id": "r", "request_id": "r"',
            b'{"request_id": "' + b"r" * 1000 + b'"}',
            b"\x91" * DEEP,
            b"\xdf\xff\xff\xff\xff",
            b"\xc9\xff\xff\xff\xff\x01",
        ]
    ),
)


@pytest.fixture(scope="module")
def server():
    with served(max_sessions=500, max_bytes=1_000_000) as running:
        yield running
    assert running.service.backend.open == set()


def typed(status: int, body: bytes) -> None:
    """A 4xx with exactly the error body."""
    assert 400 <= status < 500, (status, body)
    m.CODECS[m.JSON].decode(body, m.ErrorBody)


def clean(server, granted: dict) -> None:
    """Ends a session that a fuzzed request happened to be good enough for."""
    server.post("close", {"session": granted["session"], "epoch": granted["epoch"]})


@FAST
@given(operation=operations, body=BODIES, packed=st.booleans())
def test_bytes_that_are_no_request(server, operation, body, packed):
    kind = m.MSGPACK if packed else m.JSON
    answer = server.post(operation, body, **{"content-type": kind})
    if answer.status_code != 200:
        typed(answer.status_code, answer.content)
    assert len(server.service.leases) == 0


@FAST
@given(request=mangled(), packed=st.booleans())
def test_requests_that_are_almost_right(server, request, packed):
    operation, body = request
    try:
        data = msgspec.msgpack.encode(body) if packed else json.dumps(body).encode()
    except (OverflowError, UnicodeEncodeError):
        data = json.dumps(body).encode()
        packed = False
    answer = server.post(operation, data, **{"content-type": m.MSGPACK if packed else m.JSON})
    if answer.status_code == 200 and operation == "reset":
        clean(server, m.CODECS[m.MSGPACK if packed else m.JSON].decode(answer.content, dict))
    elif answer.status_code == 502:  # a task that the sandbox itself says it cannot set up
        assert operation == "reset" and m.CODECS[m.JSON].decode(answer.content, m.ErrorBody).cause == "backend"
    elif answer.status_code != 200:
        typed(answer.status_code, answer.content)
    assert len(server.service.leases) == 0


@FAST
@given(arguments=st.dictionaries(st.text(max_size=10), values, max_size=4), name=st.text(max_size=20))
def test_tool_calls_of_any_content_get_feedback(server, arguments, name):
    held = server.lease()
    calls = [{"id": "1", "name": name, "arguments": arguments}, {"id": "2", "name": "manage_alarm"}]
    body = json.dumps({"request_id": "x", **held, "calls": calls}).encode()
    answer = server.post("step", body)
    if answer.status_code == 200:
        assert [feedback["call_id"] for feedback in answer.json()["feedback"]] == ["1", "2"]
    else:
        typed(answer.status_code, answer.content)
    clean(server, held)
    assert len(server.service.leases) == 0


@FAST
@given(
    frames=st.lists(st.one_of(BODIES, mangled().map(lambda r: json.dumps({"op": r[0], **r[1]}).encode())), max_size=6)
)
def test_frames_of_any_content_are_answered_and_the_connection_goes_on(server, frames):
    with server.socket(max_size=None) as socket:
        for number, frame in enumerate(frames):
            try:
                socket.send(frame.decode() if number % 2 else frame)
            except UnicodeDecodeError:
                socket.send(frame)
            answer = socket.recv(timeout=20)
            decoded = m.CODECS[m.JSON if isinstance(answer, str) else m.MSGPACK].decode(answer, m.AnswerFrame)
            if decoded.error is None and b'"reset"' in frame:
                codec = m.CODECS[m.JSON if isinstance(answer, str) else m.MSGPACK]
                clean(server, codec.decode(bytes(decoded.result), dict))
            elif decoded.error is not None:
                assert decoded.error.cause in ("request", "lease", "unsupported", "backend")
        socket.send(json.dumps({"op": "list", "request_id": "last"}))
        last = m.CODECS[m.JSON].decode(socket.recv(timeout=20), m.AnswerFrame)
        assert (last.request_id, last.error) == ("last", None)
    assert len(server.service.leases) == 0


@FAST
@given(messages=st.lists(st.one_of(st.text(max_size=100), values.map(json.dumps)), max_size=6))
def test_openenv_messages_of_any_content_are_answered(server, messages):
    with server.socket(path="/openenv/ws") as socket:
        for message in messages:
            socket.send(message.encode("utf-8", "replace").decode())
            assert json.loads(socket.recv(timeout=20))["type"] == "error"
        for data in messages:
            socket.send(json.dumps({"type": "step", "data": data}))
            assert json.loads(socket.recv(timeout=20))["type"] == "error"
    assert len(server.service.leases) == 0


@FAST
@given(
    path=st.text("abcdefg/%.?#0\u00e9", max_size=30),
    method=st.sampled_from(["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"]),
)
def test_any_path_and_method(server, path, method):
    answer = server.http.request(method, "/v1/" + path, headers={"authorization": f"Bearer {TOKEN}"})
    typed(answer.status_code, answer.content)


def test_the_server_is_as_it_was(server):
    """Runs last: no bug was logged as a server failure, the phone still answers."""
    assert server.get("/ready").status_code == 200
    counted = re.findall(
        r'qpa_env_requests_total\{cause="(\w+)",operation="\w+"\} ([\d.]+)', server.get("/metrics").text
    )
    unexpected = {cause for cause, count in counted if float(count)} - {
        "ok",
        "request",
        "lease",
        "unsupported",
        "backend",
    }
    assert len(counted) == 99 and not unexpected
