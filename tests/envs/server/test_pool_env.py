"""The pool: placement, waiting for room, dead servers, resampled resets, counted causes."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import msgspec
import pytest
from server_doubles import TOKEN, sandbox, served, server_process, some_tasks

from qpa.bench import oracle
from qpa.contract import EnvFailure, FailureCause, StopReason
from qpa.envs.client import RemoteEnv
from qpa.envs.pool import Breaker, EnvPool
from qpa.harness import ScriptedModel, run_tasks, tiny_eta

TASK = some_tasks()[0]


class Fake:
    """A member without a network; `trouble` is raised by the operation it is under."""

    name = "fake"

    def __init__(self, places: int = 2, tools: list | None = None) -> None:
        self.max_sessions, self.tools = places, tools if tools is not None else sandbox().catalog()[:3]
        self.trouble: dict[str, FailureCause] = {}
        self.live, self.resets = 0, 0

    def _meet(self, operation: str) -> None:
        if operation in self.trouble:
            raise EnvFailure("trouble", self.trouble[operation])

    def catalog(self):
        self._meet("catalog")
        return self.tools

    def capabilities(self):
        self._meet("catalog")
        return sandbox().capabilities()

    def supports(self, task):
        self._meet("catalog")
        return ""

    async def reset(self, task):
        self.resets += 1
        self._meet("reset")
        self.live += 1
        return SimpleNamespace(id=f"s{self.resets}", task=task)

    async def step(self, session, calls):
        self._meet("step")
        return []

    async def verify(self, session, trajectory):
        self._meet("verify")

    async def close(self, session):
        self._meet("close")
        self.live -= 1


class Clock:
    """Seconds that pass when a test says so."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def play(work):
    """Runs a test's coroutine within a bounded time."""
    return asyncio.run(asyncio.wait_for(work, 20))


def test_sessions_go_where_the_smallest_share_is_taken():
    async def main() -> None:
        small, large = Fake(2), Fake(6)
        pool = EnvPool([small, large])
        sessions = [await pool.reset(TASK) for _ in range(4)]
        assert (small.live, large.live) == (1, 3)
        sessions += [await pool.reset(TASK) for _ in range(4)]
        assert (small.live, large.live) == (2, 6)
        assert [s.backend for s in sessions] == ["fake"] * 8
        for session in sessions[:4]:
            await pool.close(session)
            await pool.close(session)
        again = [await pool.reset(TASK) for _ in range(4)]
        assert (small.live, large.live) == (2, 6) and len(again) == 4

    play(main())


def test_a_reset_waits_for_room_first_come_first_served():
    async def main() -> None:
        pool = EnvPool([Fake(1)])
        held, order = await pool.reset(TASK), []

        async def wait(number: int) -> None:
            session = await pool.reset(TASK)
            order.append(number)
            await pool.close(session)

        waiting = []
        for number in range(5):
            waiting.append(asyncio.create_task(wait(number)))
            await asyncio.sleep(0)
        waiting[1].cancel()
        await pool.close(held)
        await asyncio.gather(*waiting, return_exceptions=True)
        assert order == [0, 2, 3, 4] and pool.members[0].live == 0

    play(main())


def test_without_room_a_reset_gives_up_with_cause_capacity():
    async def main() -> None:
        pool = EnvPool([Fake(1)], wait_s=0.05)
        await pool.reset(TASK)
        with pytest.raises(EnvFailure, match="1 of 1") as error:
            await pool.reset(TASK)
        assert error.value.cause is FailureCause.CAPACITY

    play(main())


@pytest.mark.parametrize("cause", ["connection", "transient", "deadline", "backend", "capacity"])
def test_a_failed_reset_is_tried_elsewhere_and_counted(cause):
    async def main() -> None:
        bad, good = Fake(100), Fake(100)
        bad.trouble["reset"] = FailureCause(cause)
        pool = EnvPool([bad, good])
        for _ in range(10):
            await pool.reset(TASK)
        assert good.live == 10 and pool.members[0].live == 0
        assert pool.failures == {("reset", cause): bad.resets} == pool.members[0].failures
        assert pool.members[1].failures == {}

    play(main())


@pytest.mark.parametrize("cause", ["unsupported", "request", "lease"])
def test_what_no_other_server_can_help_is_raised_at_once(cause):
    async def main() -> None:
        members = Fake(), Fake()
        for member in members:
            member.trouble["reset"] = FailureCause(cause)
        with pytest.raises(EnvFailure) as error:
            await EnvPool(members).reset(TASK)
        assert error.value.cause == cause and members[0].resets + members[1].resets == 1

    play(main())


def test_when_every_server_fails_the_last_cause_is_told():
    async def main() -> None:
        members = [Fake(), Fake()]
        for member in members:
            member.trouble["reset"] = FailureCause.BACKEND
        pool = EnvPool(members, wait_s=0.1)
        with pytest.raises(EnvFailure) as error:
            await pool.reset(TASK)
        assert error.value.cause is FailureCause.BACKEND and pool.failures["reset", "backend"] == 2
        for member in members:
            member.trouble["reset"] = FailureCause.CONNECTION
        for _ in range(3):
            with pytest.raises(EnvFailure) as error:
                await pool.reset(TASK)
            assert error.value.cause is FailureCause.CONNECTION
        assert [member.resets for member in members] == [2, 2]  # then both were left alone

    play(main())


def test_a_dead_server_is_left_alone_probed_once_and_taken_back():
    async def main() -> None:
        clock, dead, alive = Clock(), Fake(100), Fake(100)
        pool = EnvPool([dead, alive], clock=clock)
        dead.trouble = {"reset": FailureCause.CONNECTION}
        for _ in range(5):
            await pool.reset(TASK)
        assert (dead.resets, pool.members[0].breaker.state) == (1, "open")
        clock.now += 1.1
        assert pool.members[0].breaker.state == "half_open"
        for _ in range(3):
            await pool.reset(TASK)
        assert dead.resets == 2  # one probe, and twice the pause
        clock.now += 1.1
        await pool.reset(TASK)
        assert dead.resets == 2
        clock.now += 1.0
        dead.trouble = {}
        for _ in range(4):
            await pool.reset(TASK)
        assert dead.live > 0 and pool.members[0].breaker.state == "closed"

    play(main())


def test_a_lost_step_counts_against_the_server_a_tools_trouble_does_not():
    async def main() -> None:
        member = Fake(10)
        pool = EnvPool([member])
        session = await pool.reset(TASK)
        for cause, state in (("backend", "closed"), ("lease", "closed"), ("connection", "open")):
            member.trouble = {"step": FailureCause(cause)}
            with pytest.raises(EnvFailure):
                await pool.step(session, [])
            assert (pool.members[0].breaker.state, pool.failures["step", cause]) == (state, 1)
        member.trouble = {"close": FailureCause.CONNECTION}
        with pytest.raises(EnvFailure):
            await pool.close(session)
        assert pool.members[0].live == 0

    play(main())


def test_a_breaker_needs_failures_in_a_row():
    clock = Clock()
    breaker = Breaker(threshold=3, clock=clock)
    for _ in range(5):
        breaker.failed(FailureCause.DEADLINE)
        breaker.failed(FailureCause.DEADLINE)
        breaker.worked()
    assert breaker.state == "closed" and breaker.opened == 0
    for _ in range(3):
        breaker.failed(FailureCause.DEADLINE)
    assert (breaker.state, breaker.admits(), breaker.waits_s()) == ("open", False, 1.0)
    breaker.failed(FailureCause.CONNECTION)  # a call that was under way when it opened
    assert breaker.waits_s() == 1.0
    clock.now += 1
    assert breaker.admits()
    breaker.begin()
    assert not breaker.admits()  # one probe at a time
    breaker.failed(FailureCause.DEADLINE)
    assert (breaker.state, breaker.waits_s()) == ("open", 2.0)


def test_servers_of_a_pool_have_the_same_tools_and_facts_come_from_a_living_one():
    async def main() -> None:
        with pytest.raises(EnvFailure, match="other tools"):
            await EnvPool([Fake(), Fake(tools=sandbox().catalog()[:2])]).connect()
        dead, alive = Fake(), Fake()
        dead.trouble = {"catalog": FailureCause.CONNECTION, "reset": FailureCause.CONNECTION}
        pool = await EnvPool([dead, alive]).connect()
        assert pool.catalog() == alive.tools and pool.capabilities() == sandbox().capabilities()
        assert (pool.name, pool.supports(TASK)) == ("sandbox", "")
        alive.trouble = dead.trouble
        with pytest.raises(EnvFailure, match="no server answers"):
            await EnvPool([dead, alive]).connect()
        with pytest.raises(ValueError, match="at least one"):
            EnvPool([])

    play(main())


def test_a_server_that_was_dead_at_first_is_checked_before_it_is_used():
    async def main() -> None:
        clock, late = Clock(), Fake(tools=sandbox().catalog()[:1])
        late.trouble = {"catalog": FailureCause.CONNECTION}
        pool = await EnvPool([late, Fake(1)], clock=clock).connect()
        await pool.reset(TASK)
        late.trouble, clock.now = {}, clock.now + 5
        with pytest.raises(EnvFailure, match="other tools"):
            await pool.reset(TASK)

    play(main())


def test_episodes_over_two_real_servers_while_one_is_killed(tmp_path):
    """The killed server's sessions are invalid episodes with a cause, never failures; the rest goes on elsewhere."""
    tasks = [msgspec.structs.replace(t) for t in some_tasks(limit=12) * 10]

    async def main(urls: list[str], kill) -> tuple[list, EnvPool]:
        pool = await EnvPool([RemoteEnv(url, TOKEN, patience_s=0.2) for url in urls]).connect()
        done = 0

        def on_done(trajectory) -> None:
            nonlocal done
            done += 1
            if done == 40:
                kill()

        model = ScriptedModel(oracle, name="oracle")
        played = await run_tasks(model, pool, tasks, eta=tiny_eta(), concurrency=8, on_done=on_done)
        await pool.disconnect()
        return played, pool

    with served() as kept, server_process(tmp_path) as (url, process):
        played, pool = play(main([kept.url, url], process.kill))
    invalid = [t for t in played if not t.valid]
    assert all(t.verdict.success for t in played if t.valid)
    assert all(t.stop is StopReason.ENV_FAILURE and "connection" in t.invalid_reason for t in invalid)
    assert len(invalid) <= 8 and pool.members[0].placed > 60 and pool.members[1].placed > 0
    # Its sessions may all have been at a reset or a close, which costs no episode.
    assert pool.members[1].breaker.state != "closed" and sum(pool.failures.values()) >= max(1, len(invalid))


def test_a_reset_that_failed_elsewhere_does_not_wait_for_a_dead_server():
    async def main() -> None:
        well, dead = Fake(), Fake()
        dead.trouble["reset"] = FailureCause.CONNECTION
        pool = EnvPool([dead, well], clock=Clock(), wait_s=60.0)
        await pool.reset(TASK)  # meets the dead one first, and opens its breaker
        assert [m.breaker.state for m in pool.members] == ["open", "closed"]
        well.trouble["reset"] = FailureCause.TRANSIENT
        with pytest.raises(EnvFailure, match="trouble") as failure:
            await pool.reset(TASK)
        assert failure.value.cause is FailureCause.TRANSIENT and dead.resets == 1

    play(main())
