"""`RemoteEnv` is an environment like any other: same episodes, honest failures, nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import pytest
from server_doubles import (
    TOKEN,
    TRANSPORTS,
    Scripted,
    Stubborn,
    alarm,
    cause_of,
    eventually,
    fail,
    remote,
    sandbox,
    served,
    some_tasks,
)

from qpa.bench import oracle
from qpa.contract import EnvFailure, FailureCause, StopReason, Trajectory, to_json
from qpa.envs import server_messages as m
from qpa.envs.client import RemoteEnv
from qpa.harness import ScriptedModel, benchmark_eta, run_episode, run_tasks, tiny_eta
from qpa.harness.executor import Executor


@pytest.fixture(scope="module")
def server():
    with served(max_sessions=64) as running:
        yield running


def timeless(trajectory: Trajectory) -> bytes:
    """The record without what a clock wrote into it."""
    cost = msgspec.structs.replace(trajectory.cost, wall_s=0.0, model_s=0.0, env_s=0.0)
    return to_json(msgspec.structs.replace(trajectory, cost=cost))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_episodes_are_those_of_the_backend_in_process(server, transport):
    suites = [(some_tasks(), tiny_eta()), (some_tasks("mobile", "test", 12), benchmark_eta())]

    async def play(env) -> list[Trajectory]:
        played = []
        for tasks, eta in suites:
            played += await run_tasks(ScriptedModel(oracle, name="oracle"), env, tasks, eta=eta, concurrency=6)
        return played

    async def both() -> tuple[list[Trajectory], list[Trajectory]]:
        async with remote(server.url, transport=transport) as env:
            await env.connect()
            there, here = await play(env), await play(sandbox())
            assert await env.sessions() == []
            return there, here

    there, here = asyncio.run(both())
    assert sum(trajectory.verdict.success for trajectory in here) > 20
    assert list(map(timeless, there)) == list(map(timeless, here))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_facts_are_fetched_once_with_and_without_connecting(server, transport):
    env = RemoteEnv(server.url, TOKEN, transport=transport)
    assert env.catalog() == sandbox().catalog()
    assert (env.name, env.max_sessions, env.capabilities()) == ("sandbox", 64, sandbox().capabilities())
    elsewhere = msgspec.structs.replace(some_tasks()[0], domain="elsewhere")
    assert [env.supports(t) for t in (some_tasks()[0], elsewhere)] == ["", "not here"]
    before = server.metric('qpa_env_requests_total{cause="ok",operation="supports"}')
    assert env.supports(elsewhere) == "not here"
    assert server.metric('qpa_env_requests_total{cause="ok",operation="supports"}') == before

    async def prefetched() -> str:
        async with remote(server.url, transport=transport) as other:
            await other.connect([elsewhere])
            return other.supports(elsewhere)

    assert asyncio.run(prefetched()) == "not here"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_fork_and_arguments_that_are_not_json(server, transport):
    calls = [alarm("1"), alarm("2", "\ud800"), alarm("3", 10**30), alarm("4", float("nan")), alarm("5", {1, 2})]

    async def main() -> None:
        async with remote(server.url, transport=transport) as env:
            there, here = await env.reset(some_tasks()[0]), await sandbox().reset(some_tasks()[0])
            assert await env.step(there, calls) == await sandbox().step(here, calls)
            assert await env.step(there, []) == []
            twin = await there.fork()
            assert twin.id != there.id and await env.step(twin, calls[:1]) == await sandbox().step(here, calls[:1])
            await env.close(twin)
            await env.close(there)
            await env.close(there)

    asyncio.run(main())


def test_token_ids_and_log_probs_are_not_sent():
    seen: list[Trajectory] = []

    class Judge(Scripted):
        async def verify(self, session, trajectory):
            seen.append(trajectory)
            return await super().verify(session, trajectory)

    async def main(url: str) -> None:
        async with remote(url) as env:
            played = await run_episode(ScriptedModel(oracle, name="o"), env, some_tasks()[0], eta=tiny_eta())
            for step in played.steps:
                step.prompt_ids, step.token_ids, step.log_probs = [1] * 50, [2] * 50, [0.5] * 50
            session = await env.reset(some_tasks()[0])
            await env.verify(session, played)
            assert played.steps[0].token_ids == [2] * 50  # the caller's record keeps them
            await env.close(session)

    with served(Judge()) as server:
        asyncio.run(main(server.url))
    assert not any(s.token_ids or s.prompt_ids or s.log_probs for s in seen[1].steps)
    assert [s.action for s in seen[1].steps] == [s.action for s in seen[0].steps]


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_the_server_refuses_arrives_with_its_cause(transport):
    backend, gate = Scripted(), Stubborn()

    async def main(url: str) -> None:
        async with remote(url, transport=transport, deadlines_s={"step": 0.2}) as env:
            session = await env.reset(some_tasks()[0])
            with pytest.raises(EnvFailure, match="leased") as error:
                await env.reset(some_tasks()[0])
            assert cause_of(error) == "capacity" and error.value.retry_after_s == 1.0
            backend.before = lambda _: fail(EnvFailure("gone", FailureCause.TRANSIENT))
            with pytest.raises(EnvFailure, match="step: gone") as error:
                await env.step(session, [])
            assert cause_of(error) == "transient"
            backend.before = lambda operation: gate.wait() if operation == "step" else None
            with pytest.raises(EnvFailure, match="may or may not") as error:
                await env.step(session, [alarm()])
            assert cause_of(error) == "deadline"
            gate.release()
            await env.close(session)
            with pytest.raises(EnvFailure) as error:
                await env.step(session, [alarm()])
            assert cause_of(error) == "lease"
        async with remote(url, transport=transport, token="wrong" * 6) as env:
            with pytest.raises(EnvFailure, match="token") as error:
                await env.reset(some_tasks()[0])
            assert cause_of(error) == "request"
            with pytest.raises(EnvFailure, match="token"):
                env.catalog()

    with served(backend, max_sessions=1) as server:
        asyncio.run(main(server.url))


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_is_larger_than_the_server_takes_is_a_request_failure(transport):
    async def main(url: str) -> None:
        async with remote(url, transport=transport) as env:
            session = await env.reset(some_tasks()[0])
            with pytest.raises(EnvFailure) as error:
                await env.step(session, [alarm("1", "x" * 200_000)])
            assert cause_of(error) == "request"
            assert (await env.step(session, [alarm("2")]))[0].ok
            await env.close(session)

    with served(max_bytes=100_000) as server:
        asyncio.run(main(server.url))


def test_a_reset_that_nobody_waits_for_leaves_no_session():
    backend, gate = Scripted(), Stubborn()

    async def main(url: str) -> None:
        async with remote(url) as env:
            await env.connect()
            backend.before = lambda operation: gate.wait() if operation == "reset" else None
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(env.reset(some_tasks()[0]), 0.1)
            gate.release()
            async with asyncio.timeout(10):
                while not backend.counts["close"]:
                    await asyncio.sleep(0.01)

    with served(backend) as server:
        asyncio.run(main(server.url))
        eventually(lambda: not backend.open and not len(server.service.leases))


def test_a_reset_that_the_client_gives_up_leaves_no_session(monkeypatch):
    """The server would have granted it a moment later: the answer is fetched from record, and its session closed."""
    backend, gate = Scripted(), Stubborn()

    async def main(url: str) -> None:
        async with remote(url) as env:
            await env.connect()
            backend.before = lambda operation: gate.wait() if operation == "reset" else None
            with monkeypatch.context() as patched, pytest.raises(EnvFailure) as error:
                patched.setattr("qpa.envs.client._GRACE_S", -29.9)
                await env.reset(some_tasks()[0])
            assert cause_of(error) == "deadline"
            gate.release()
            async with asyncio.timeout(10):
                while not backend.counts["close"]:
                    await asyncio.sleep(0.01)

    with served(backend) as server:
        asyncio.run(main(server.url))
        eventually(lambda: not backend.open and not len(server.service.leases))
    assert backend.counts["reset"] == 1


def test_heartbeats_keep_quiet_sessions_and_end_with_them():
    async def main(url: str, reaped: Callable[[], float]) -> None:
        async with remote(url) as env:
            session = await env.reset(some_tasks()[0])
            loop = asyncio.get_running_loop()
            lost = await loop.run_in_executor(None, lambda: RemoteEnv(url, TOKEN))
            silent = await lost._send(m.ResetRequest(request_id="x", task=some_tasks()[0]), m.LeaseAnswer)
            async with asyncio.timeout(10):
                while not reaped():
                    await asyncio.sleep(0.02)
            assert [s.session for s in await env.sessions()] == [session.id] and silent.session != session.id
            assert (await env.step(session, [alarm()]))[0].ok
            await env.close(session)
            heart = env._heart
            async with asyncio.timeout(10):
                while not heart.done():
                    await asyncio.sleep(0.02)
            await lost.disconnect()

    with served(idle_s=0.6) as server:
        asyncio.run(main(server.url, lambda: server.service.metrics.reaped._value.get()))


def test_one_client_serves_one_event_loop_after_the_other(server):
    env = RemoteEnv(server.url, TOKEN)

    async def once() -> bool:
        session = await env.reset(some_tasks()[0])
        done = (await env.step(session, [alarm()]))[0].ok
        await env.close(session)
        return done

    assert asyncio.run(once()) and asyncio.run(once())


def test_a_broken_backend_ends_the_episode_as_invalid_not_as_failed():
    backend = Scripted(lambda operation: fail(EnvFailure("x", FailureCause.TRANSIENT)) if operation == "step" else None)

    async def main(url: str) -> Trajectory:
        async with remote(url) as env:
            return await run_episode(ScriptedModel(oracle, name="o"), env, some_tasks()[0], eta=tiny_eta())

    with served(backend) as server:
        played = asyncio.run(main(server.url))
    assert (played.stop, played.valid, played.verdict) == (StopReason.ENV_FAILURE, False, None)
    assert "EnvFailure/transient" in played.invalid_reason or "Refusal/transient" in played.invalid_reason
    assert not backend.open


def test_an_executor_over_the_network_repeats_no_call(server):
    """The call id is the idempotency key across requests too: a planner's second try is answered from the session."""

    async def main() -> None:
        async with remote(server.url) as env:
            session = await env.reset(some_tasks()[0])
            visible = {tool.name: tool for tool in env.catalog()}
            executor = Executor(env, session)
            first = await executor.execute([alarm("7")], visible, remaining_s=5)
            again = await executor.execute([alarm("7")], visible, remaining_s=5)
            assert first.feedback == again.feedback and first.feedback[0].ok
            await env.close(session)

    asyncio.run(main())


def test_arguments_that_cannot_be_are_refused():
    for wrong, words in (
        ({"url": "ftp://x"}, "http"),
        ({"url": "http://x", "transport": "pigeon"}, "pigeon"),
        ({"url": "http://x", "deadlines_s": {"stp": 1.0}}, "stp"),
        ({"url": "http://x", "deadlines_s": {"step": -1.0}}, "step"),
    ):
        with pytest.raises(ValueError, match=words):
            RemoteEnv(token=TOKEN, **wrong)
