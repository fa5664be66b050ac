"""Operations over real sockets: leases, exactly once, deadlines, capacity, readiness, metrics, logs, the end."""

from __future__ import annotations

import json
import logging
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import msgspec
import pytest
from server_doubles import OTHER, OWNERS, TOKEN, Scripted, Stubborn, alarm, eventually, fail, served, some_tasks

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.server import EnvServer, Listen
from qpa.envs.server_auth import Tokens
from qpa.envs.server_messages import MSGPACK
from qpa.envs.server_metrics import JsonLines
from qpa.envs.server_service import ServerLimits, Service


def refused(answer: httpx.Response, status: int, cause: str) -> dict:
    """The typed body of a refusal with this status and cause."""
    assert (answer.status_code, answer.json()["cause"]) == (status, cause), answer.text
    assert set(answer.json()) == {"cause", "message", "what", "retry_after_s"}
    return answer.json()


@pytest.fixture(scope="module")
def server():
    with served(max_sessions=64) as running:
        yield running


def test_a_session_lives_from_reset_to_close(server):
    held = server.lease()
    listed = server.post("list").json()["sessions"]
    assert [(s["session"], s["task"], s["broken"]) for s in listed] == [(held["session"], some_tasks()[0].id, "")]
    answer = server.post("step", held | {"calls": [alarm()]})
    assert answer.json()["feedback"][0]["payload"]["message"] == "Alarm created"
    assert server.post("close", held).json() == {"closed": True}
    assert server.post("close", held).json() == {"closed": False}
    refused(server.post("step", held | {"calls": [alarm()]}), 410, "lease")
    assert server.post("list").json() == {"sessions": []}


def test_get_reads_what_needs_no_body(server):
    assert len(server.get("/v1/catalog").json()["tools"]) > 100
    about = server.get("/v1/about").json()
    assert about["capabilities"]["fork"] and about["max_sessions"] == 64
    assert refused(server.get("/v1/step"), 405, "request")["what"] == "path"
    assert refused(server.get("/v1/nothing"), 404, "request")["what"] == "path"
    assert refused(server.get("/nothing"), 404, "request")["what"] == "path"


def test_json_and_messagepack_say_the_same(server):
    held = server.lease()
    body = {"request_id": "m1", **held, "calls": [alarm()]}
    packed = server.post("step", msgspec.msgpack.encode(body), **{"content-type": MSGPACK})
    assert packed.headers["content-type"] == MSGPACK
    assert msgspec.msgpack.decode(packed.content) == server.post("step", body).json()
    server.post("close", held)


def test_an_integer_beyond_messagepack_is_answered_in_json():
    class Big(Scripted):
        async def step(self, session, calls):
            feedback = await super().step(session, calls)
            feedback[0].payload["big"] = 10**30
            return feedback

    with served(Big()) as server:
        body = {"request_id": "b", **server.lease(), "calls": [alarm()]}
        answer = server.post("step", msgspec.msgpack.encode(body), **{"content-type": MSGPACK})
        assert json.loads(answer.content)["feedback"][0]["payload"]["big"] == 10**30
        with server.socket() as socket:
            socket.send(msgspec.msgpack.encode({"op": "step", **body}))
            assert json.loads(socket.recv(timeout=10))["result"]["feedback"][0]["payload"]["big"] == 10**30


def test_a_repeated_request_is_answered_from_record_and_acts_once():
    backend = Scripted()
    with served(backend) as server:
        held = server.lease()
        step = {"request_id": "s1", **held, "calls": [alarm()]}
        first = server.post("step", step)
        assert server.post("step", step | {"deadline_s": 3.0}).content == first.content
        changed = step | {"calls": [alarm("1", "tomorrow 09:00")]}
        assert "already used" in refused(server.post("step", changed), 409, "request")["message"]
        fork = {"request_id": "f1", **held}
        twins = {server.post("fork", fork).json()["session"] for _ in range(3)}
        assert len(twins) == 1 and held["session"] not in twins
        adopted = [server.post("adopt", {"request_id": "a1", "session": held["session"]}).json() for _ in range(2)]
        assert adopted[0] == adopted[1] and adopted[0]["epoch"] == 2
        assert (backend.counts["step"], len(server.service.leases)) == (1, 2)
        assert server.metric("qpa_env_replayed_total") == 3


def test_a_repeated_reset_leases_once():
    backend = Scripted()
    with served(backend) as server:
        body = {"request_id": "r1", "task": some_tasks()[0]}
        answers = {server.post("reset", body).json()["session"] for _ in range(3)}
        assert len(answers) == 1 and backend.counts["reset"] == 1
        refused(server.post("reset", {"request_id": "r1", "task": some_tasks()[1]}), 409, "request")
        assert server.post("reset", body, token=OTHER).json()["session"] not in answers  # ids are per owner


def test_concurrent_repeats_wait_for_the_one_that_acts():
    backend, gate = Scripted(), Stubborn()
    with served(backend) as server, ThreadPoolExecutor(8) as threads:
        held = server.lease()
        backend.before = lambda operation: gate.wait() if operation == "step" else None
        step = {"request_id": "s1", **held, "calls": [alarm()]}
        running = [threads.submit(server.post, "step", step) for _ in range(8)]
        eventually(lambda: server.service.metrics.replayed._value.get() == 7)
        gate.release()
        assert len({answer.result(20).content for answer in running}) == 1
        assert list(backend.executed.values()) == [1]


def test_an_answer_too_old_to_be_kept_is_refused_not_acted_on():
    backend = Scripted()
    with served(backend) as server:
        held = server.lease()
        for number in range(12):
            server.post("step", {"request_id": f"s{number}", **held, "calls": [alarm(f"{number}")]})
        again = server.post("step", {"request_id": "s0", **held, "calls": [alarm("0")]})
        assert "did not act again" in refused(again, 409, "request")["message"]
        assert backend.counts["step"] == 12


def test_a_hung_step_costs_its_deadline_and_its_session_only():
    backend, gate = Scripted(), Stubborn()
    with served(backend) as server:
        hung, other = server.lease(), server.lease()
        backend.before = lambda operation: gate.wait() if operation == "step" and backend.counts["step"] == 1 else None
        body = hung | {"calls": [alarm()], "deadline_s": 0.2}
        assert "may or may not have run" in refused(server.post("step", body), 504, "deadline")["message"]
        assert server.post("step", other | {"calls": [alarm()]}).status_code == 200
        told = refused(server.post("step", hung | {"calls": [alarm("2")]}), 504, "deadline")
        assert "broken" in told["message"]
        assert "no answer" in next(s["broken"] for s in server.post("list").json()["sessions"] if s["broken"])
        eventually(lambda: len(backend.open) == 1)  # its backend session is closed at once
        assert server.metric("qpa_env_lingering") == 1
        gate.release()
        eventually(lambda: server.metric("qpa_env_lingering") == 0)
        assert server.metric("qpa_env_abandoned_total") == 1
        assert server.post("close", hung).json() == {"closed": True}
        assert backend.counts["close"] == 1


def test_a_call_that_only_waited_breaks_nothing():
    backend, gate = Scripted(), Stubborn()
    with served(backend) as server, ThreadPoolExecutor(1) as threads:
        held = server.lease()
        backend.before = lambda operation: gate.wait() if operation == "step" else None
        slow = threads.submit(server.post, "step", held | {"calls": [alarm()]})
        eventually(lambda: backend.counts["step"] == 1)
        told = refused(server.post("step", held | {"calls": [alarm("2")], "deadline_s": 0.1}), 504, "deadline")
        assert "did not run" in told["message"]
        gate.release()
        assert slow.result(20).status_code == 200
        assert server.post("step", held | {"calls": [alarm("3")]}).status_code == 200
        assert [call for _, call in backend.executed] == ["1", "3"]


def test_a_hung_reset_gives_its_place_back_and_its_late_session_is_closed():
    backend, gate = Scripted(), Stubborn()
    with served(backend, max_sessions=1) as server:
        backend.before = lambda operation: (
            gate.wait() if operation == "reset" and backend.counts["reset"] == 1 else None
        )
        refused(server.post("reset", {"task": some_tasks()[0], "deadline_s": 0.1}), 504, "deadline")
        assert len(server.service.leases) == 0
        gate.release()
        eventually(lambda: backend.counts["close"] == 1 and not backend.open)
        server.lease()


def test_capacity_is_503_with_retry_after_until_a_session_ends():
    with served(max_sessions=2) as server:
        held = [server.lease(), server.lease()]
        full = server.post("reset", {"task": some_tasks()[0]})
        refused(full, 503, "capacity")
        assert full.headers["retry-after"] == "1"
        refused(server.post("fork", held[0]), 503, "capacity")
        refused(server.get("/ready"), 503, "capacity")
        server.post("close", held[0])
        server.lease()
        assert server.metric("qpa_env_sessions") == 2


def test_silent_sessions_are_reaped_and_heard_ones_stay():
    backend = Scripted()
    with served(backend, idle_s=0.4) as server:
        silent, heard = server.lease(), server.lease()

        def gone() -> bool:
            beat = server.post("heartbeat", {"leases": [heard, {"session": "never", "epoch": 1}]})
            assert beat.json() == {"lost": ["never"]}
            return server.metric("qpa_env_reaped_total") == 1

        eventually(gone)
        refused(server.post("step", silent | {"calls": [alarm()]}), 410, "lease")
        assert server.post("step", heard | {"calls": [alarm()]}).status_code == 200
        assert len(backend.open) == 1


def test_a_session_taken_over_refuses_its_former_holder():
    with served() as server:
        held = server.lease()
        new = server.post("adopt", {"session": held["session"]}).json()
        assert "taken over" in refused(server.post("step", held | {"calls": [alarm()]}), 410, "lease")["message"]
        assert server.post("close", held).json() == {"closed": False}
        assert server.post("heartbeat", {"leases": [held]}).json() == {"lost": [held["session"]]}
        assert server.post("step", held | {"epoch": new["epoch"], "calls": [alarm()]}).status_code == 200


def test_another_owners_session_looks_like_none():
    with served() as server:
        held = server.lease()
        unknown = server.post("step", {"session": "no", "epoch": 1, "calls": []}, token=OTHER)
        stolen = server.post("step", held | {"calls": [alarm()]}, token=OTHER)
        assert refused(stolen, 410, "lease") == refused(unknown, 410, "lease")
        refused(server.post("adopt", {"session": held["session"]}, token=OTHER), 410, "lease")
        assert server.post("close", held, token=OTHER).json() == {"closed": False}
        assert server.post("list", token=OTHER).json() == {"sessions": []}
        assert server.post("heartbeat", {"leases": [held]}, token=OTHER).json() == {"lost": [held["session"]]}
        assert server.post("step", held | {"calls": [alarm()]}).status_code == 200


def test_a_fork_goes_its_own_way():
    with served() as server:
        held = server.lease()
        twin = server.post("fork", held).json()
        twin = {"session": twin["session"], "epoch": twin["epoch"]}
        first = server.post("step", held | {"calls": [alarm()]}).json()["feedback"][0]["payload"]
        again = server.post("step", twin | {"calls": [alarm()]}).json()["feedback"][0]["payload"]
        assert first == again  # the same id: neither saw the other's alarm
        server.post("close", held)
        assert server.post("step", twin | {"calls": [alarm("2")]}).status_code == 200


def test_whatever_a_backend_raises_has_a_cause_and_is_counted():
    backend = Scripted()
    with served(backend) as server:
        held = server.lease()
        for cause, status in (("transient", 503), ("connection", 502), ("backend", 502), ("unsupported", 422)):
            backend.before = lambda _, c=cause: fail(EnvFailure("broken", FailureCause(c)))
            assert refused(server.post("step", held | {"calls": []}), status, cause)["message"] == "broken"
            line = f'qpa_env_requests_total{{cause="{cause}",operation="step"}}'
            assert server.metric(line) == 1
        backend.before = lambda operation: {}[operation]  # a bug
        assert "KeyError" in refused(server.post("step", held | {"calls": []}), 502, "backend")["message"]
        elsewhere = msgspec.structs.replace(some_tasks()[0], domain="elsewhere")
        assert server.post("supports", {"tasks": [some_tasks()[0], elsewhere]}).json() == {"reasons": ["", "not here"]}
        backend.before = None
        assert refused(server.post("reset", {"task": elsewhere}), 422, "unsupported")["message"] == "not here"
        assert server.metric('qpa_env_requests_total{cause="ok",operation="reset"}') == 2  # the probe's and ours
        assert len(server.service.leases) == 1


def test_ready_is_a_round_trip_and_health_is_not():
    backend = Scripted()
    with served(backend) as server:
        assert server.metric('qpa_env_requests_total{cause="ok",operation="step"}') == 1  # the warm-up
        assert [server.get("/ready").status_code for _ in range(20)] == [200] * 20
        assert backend.counts["step"] == 0  # answered from the warm-up, a moment ago
    backend.before = lambda operation: fail(EnvFailure("unplugged", FailureCause.CONNECTION))
    with served(backend) as server:
        assert refused(server.get("/ready"), 503, "connection")["message"] == "unplugged"
        assert server.get("/health").status_code == 200


def test_logs_are_json_lines_without_secrets(caplog):
    caplog.set_level(logging.DEBUG, logger="qpa.envs.server")
    with served() as server:
        held = server.lease()
        server.post("step", held | {"calls": [alarm()]})
        server.post("step", held | {"epoch": 9, "calls": []})
        server.post("list", token="x" * 30)
    lines = [JsonLines().format(record) for record in caplog.records if record.name == "qpa.envs.server"]
    parsed = [json.loads(line) for line in lines]
    assert {"serving", "session", "refused", "session ended", "stopped"} <= {line["event"] for line in parsed}
    assert next(line for line in parsed if line["event"] == "refused")["cause"] == "lease"
    text = "\n".join(lines)
    assert not any(secret in text for secret in (TOKEN, held["session"], some_tasks()[0].goal, "Alarm"))


def test_the_end_lets_calls_finish_fails_those_that_hang_and_closes_sessions():
    backend, quick, never = Scripted(), Stubborn(), Stubborn()
    answers: dict[str, httpx.Response] = {}
    with served(backend, listen=Listen(grace_s=1.0)) as server:
        held = {"quick": server.lease(), "never": server.lease()}
        gates = iter((quick, never))
        backend.before = lambda operation: next(gates).wait() if operation == "step" else None

        def step(name: str) -> None:
            body = msgspec.json.encode({"request_id": name, **held[name], "calls": [alarm()]})
            headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
            answers[name] = httpx.post(f"{server.url}/v1/step", content=body, headers=headers, timeout=30)

        threads = []
        for number, name in enumerate(held):
            threads.append(threading.Thread(target=step, args=(name,)))
            threads[-1].start()
            eventually(lambda n=number: backend.counts["step"] == n + 1)
        threading.Thread(target=lambda: (eventually(lambda: server.service.closing), quick.release())).start()
        ender = server
    for thread in threads:
        thread.join(20)
    assert answers["quick"].status_code == 200
    assert refused(answers["never"], 503, "transient")["message"] == "the server is stopping"
    assert not backend.open and len(ender.service.leases) == 0
    never.release()


def test_the_listener_names_its_protocol():
    """asyncio sets TCP_NODELAY only then; without it an HTTP answer waits 40 ms for an acknowledgement."""
    service = Service(Scripted(), ServerLimits())
    server = EnvServer(service, Tokens(OWNERS))
    assert server._socket.proto == socket.IPPROTO_TCP
    server._socket.close()


def test_limits_that_cannot_be_are_refused():
    for wrong in ({"max_sessions": 0}, {"idle_s": -1.0}, {"deadlines_s": {"step": 1.0}}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ServerLimits(**wrong)
