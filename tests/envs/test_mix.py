"""The mix: who plays what, full backends, broken ones, slow ones, and groups that stay together."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import Any

import msgspec
import pytest

from qpa.contract import (
    EPISODE,
    CallTools,
    Dimension,
    EnvFailure,
    FailureCause,
    Feedback,
    Resources,
    Split,
    StopReason,
    TaskSpec,
    ToolCall,
    ToolCriteria,
    ToolSpec,
    Verdict,
)
from qpa.envs.base import Capabilities
from qpa.envs.mix import HybridEnv, Member
from qpa.harness import NullModel, ScriptedModel, bare_eta, run_tasks
from qpa.harness.runner import RESAMPLED

PARAMETERS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def make_task(id: str, *tools: str) -> TaskSpec:
    return TaskSpec(
        id=id, goal="g", criteria=ToolCriteria(steps=[]), dimension=Dimension.TOOL, domain="d", family="f",
        split=Split.DEV, resources=Resources(tools=list(tools)),
    )  # fmt: skip


class Session:
    def __init__(self, id: str, task: TaskSpec) -> None:
        self.id, self.task = id, task


class Place:
    """A backend with so many places; `gate` holds up its steps, `broken` fails its resets."""

    def __init__(self, name: str, *, places: int = 10**6, tools: tuple[str, ...] = (), **caps: Any) -> None:
        self.name, self.places, self.tools = name, places, ("look", *tools)
        self.caps = caps
        self.live = self.most = self.opened = 0
        self.broken: FailureCause | None = None
        self.gate: asyncio.Event | None = None

    def capabilities(self) -> Capabilities:
        return Capabilities(backend=self.name, **self.caps)

    def supports(self, task: TaskSpec) -> str:
        missing = [t for t in task.resources.tools if t not in self.tools]
        return f"no {missing[0]}" if missing else ""

    def catalog(self) -> list[ToolSpec]:
        return [ToolSpec(name=t, description=f"{t} of {self.name}", parameters=PARAMETERS) for t in self.tools]

    async def reset(self, task: TaskSpec) -> Session:
        await asyncio.sleep(0)
        if self.broken is not None:
            raise EnvFailure(f"{self.name} is broken", self.broken)
        if self.live >= self.places:
            raise EnvFailure(f"{self.name} is full", FailureCause.CAPACITY)
        self.live += 1
        self.most, self.opened = max(self.most, self.live), self.opened + 1
        return Session(f"{self.name}-{self.opened}", task)

    async def step(self, session, calls):
        if self.gate is not None:
            await self.gate.wait()
        await asyncio.sleep(0)
        return [Feedback(call_id=c.id, name=c.name, ok=True, payload={"success": True}) for c in calls]

    async def verify(self, session, trajectory) -> Verdict:
        return Verdict(success=True, progress=1.0)

    async def close(self, session) -> None:
        self.live -= 1


LOOKING = ScriptedModel(lambda task: [_look()])


def _look() -> CallTools:
    return CallTools(calls=[ToolCall(id="", name="look")])


def play(env, tasks, model=None, **options):
    options = {"eta": bare_eta(), "concurrency": 64} | options
    return asyncio.run(run_tasks(model or LOOKING, env, tasks, **options))


def groups(count, size):
    return [make_task(f"t{i}", "look") for i in range(count) for _ in range(size)]


def backends(trajectories):
    return Counter(t.backend for t in trajectories)


def by_group(trajectories):
    found: dict[str, set[str]] = {}
    for t in trajectories:
        found.setdefault(t.task.id, set()).add(t.backend)
    return found


def test_the_first_that_can_play_it_does_and_the_last_gets_what_no_other_can():
    sandbox, device, simulated = (
        Place("sandbox", tools=("a",)),
        Place("device", tools=("b",)),
        Place("sim", tools=("a", "b", "c")),
    )
    env = HybridEnv([Member(sandbox), Member(device), Member(simulated)])
    tasks = [make_task("1", "a"), make_task("2", "b"), make_task("3", "c"), make_task("4", "look")]
    assert [t.backend for t in play(env, tasks)] == ["sandbox", "device", "sim", "sandbox"]
    assert env.supports(make_task("5", "z")) == "sandbox: no z; device: no z; sim: no z" and not env.supports(tasks[2])
    with pytest.raises(EnvFailure, match="no z") as caught:
        asyncio.run(env.reset(make_task("5", "z")))
    assert caught.value.cause is FailureCause.UNSUPPORTED


def test_catalogue_and_capabilities_are_those_of_all_and_a_session_has_its_own():
    sandbox = Place("sandbox", deterministic=True, seeding="any", fork=True)
    env = HybridEnv([Member(sandbox), Member(Place("device", tools=("b",), seeding="listed", trusted=False))])
    assert {s.name: s.description for s in env.catalog()} == {"look": "look of sandbox", "b": "b of device"}
    assert env.capabilities() == Capabilities(backend="hybrid", seeding="listed", trusted=False)
    session = asyncio.run(env.reset(make_task("1", "b")))
    assert {s.name: s.description for s in session.catalog} == {"look": "look of device", "b": "b of device"}


def test_a_share_of_the_groups_goes_to_the_device_and_each_group_stays_together():
    def mix(seed=0):
        return HybridEnv([Member(Place("sandbox")), Member(Place("device"), share=0.25)], group_size=4, seed=seed)

    ends = play(mix(), groups(80, 4), seed=1)
    assert all(len(found) == 1 for found in by_group(ends).values())
    assert 40 <= backends(ends)["device"] <= 128
    placed = {task: found for task, found in by_group(ends).items()}
    assert placed == by_group(play(mix(), groups(80, 4), seed=1, concurrency=3))  # not a matter of timing
    assert placed != by_group(play(mix(), groups(80, 4), seed=2)) and placed != by_group(
        play(mix(5), groups(80, 4), seed=1)
    )


def test_by_episode_a_group_is_spread():
    env = HybridEnv([Member(Place("sandbox")), Member(Place("device"), share=0.5)], place="episode")
    assert all(len(found) == 2 for found in by_group(play(env, groups(4, 16))).values())


def test_a_budget_is_of_an_update_and_holds_whole_groups():
    device = Place("device")
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=1.0, budget=10)], group_size=4)
    for step in range(3):
        ends = play(env, groups(10, 4), seed=step)
        assert backends(ends) == {"device": 8, "sandbox": 32}  # a third group of four would be over the ten
        assert all(len(found) == 1 for found in by_group(ends).values())
    assert env.counts["device"]["sessions"] == 24 and env.counts["device"]["over_budget"] == 24
    one = HybridEnv([Member(Place("only"), budget=2)])
    ends = play(one, groups(3, 1))
    assert [t.stop for t in ends].count(StopReason.ENV_FAILURE) == 1 and "EnvFailure/capacity" in ends[2].invalid_reason


def test_a_full_backend_is_passed_over_and_counted():
    full = Place("device", places=0)
    env = HybridEnv([Member(Place("sandbox")), Member(full, share=1.0)], group_size=2)
    ends = play(env, groups(5, 2))
    assert backends(ends) == {"sandbox": 10} and all(t.valid for t in ends)
    assert env.counts["device"]["moved"] == 5 and env.counts["device"]["capacity"] >= 5
    assert env.counts["sandbox"]["sessions"] == 10


def test_a_group_that_has_begun_on_a_backend_is_not_moved_when_it_fills_up():
    env = HybridEnv([Member(Place("sandbox")), Member(Place("device", places=1), share=1.0)], group_size=3)
    ends = play(env, groups(4, 3), concurrency=12)
    for task, found in by_group([t for t in ends if t.valid]).items():
        assert len(found) == 1, task
    failed = [t for t in ends if not t.valid]
    assert all("EnvFailure/capacity" in t.invalid_reason for t in failed) and 0 < len(failed) < 3
    again = play(env, groups(4, 3), concurrency=12, seed=1, resample=9)
    assert all(t.valid for t in again) and any(RESAMPLED in t.provenance.notes for t in again)
    assert all(len(found) == 1 for found in by_group(again).values())


def test_a_session_that_opens_after_its_group_was_moved_follows_it():
    class Uneven(Place):
        async def reset(self, task):
            if self.gate is None:
                self.gate = asyncio.Event()
                await self.gate.wait()
                return await super().reset(task)
            raise EnvFailure("full", FailureCause.CAPACITY)

    device = Uneven("device")
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=1.0)], group_size=2)

    async def race():
        EPISODE.set((0, 0))
        early = asyncio.create_task(env.reset(make_task("t", "look")))
        await asyncio.sleep(0)
        late = await env.reset(make_task("t", "look"))
        device.gate.set()
        return (await early).backend, late.backend

    assert asyncio.run(race()) == ("sandbox", "sandbox") and device.opened == 1 and device.live == 0


def test_a_group_that_is_moved_gives_its_budget_back():
    device = Place("device", places=0)
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=1.0, budget=2)], group_size=2)

    async def one_after_the_other():
        EPISODE.set((0, 0))
        first = await env.reset(make_task("a", "look"))
        device.places = 9
        second = await env.reset(make_task("b", "look"))
        third = await env.reset(make_task("c", "look"))
        return [session.backend for session in (first, second, third)]

    assert asyncio.run(one_after_the_other()) == ["sandbox", "device", "sandbox"]


@pytest.mark.parametrize("cause", [FailureCause.BACKEND, FailureCause.CONNECTION, FailureCause.TRANSIENT])
def test_a_broken_backend_is_a_failure_and_never_played_elsewhere(cause):
    device = Place("device")
    device.broken = cause
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=1.0)])
    (end,) = play(env, groups(1, 1))
    assert end.stop is StopReason.ENV_FAILURE and f"EnvFailure/{cause.value}" in end.invalid_reason
    assert env.counts["sandbox"]["sessions"] == 0 and env.counts["device"][cause.value] == 2  # the runtime tries twice


def test_at_most_so_many_sessions_at_a_time_and_the_rest_is_not_held_up():
    device = Place("device")
    finished: list[str] = []
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=0.3, concurrency=2)], group_size=1)
    for step in range(2):  # places belong to an event loop: a second update has its own

        async def slowly(step=step):
            device.gate = asyncio.Event()

            def done(trajectory):
                finished.append(trajectory.backend)
                if finished.count("sandbox") == sandboxes:
                    device.gate.set()  # every sandbox episode is through before any of the device's

            tasks = groups(40, 1)
            sandboxes = sum(_drawn(env, step, t.id) == "sandbox" for t in tasks)
            return await run_tasks(LOOKING, env, tasks, eta=bare_eta(), concurrency=40, seed=step, on_done=done)

        finished.clear()
        ends = asyncio.run(slowly())
        assert all(t.valid for t in ends) and backends(ends)["device"] > 5 and device.most == 2
        assert "sandbox" not in finished[backends(ends)["sandbox"] :]


def _drawn(env, run, task_id):
    return "device" if random.Random(f"0/{run}/{(task_id, 0)}").random() < 0.3 else "sandbox"


def test_no_place_in_time_is_no_capacity():
    device = Place("device")
    env = HybridEnv([Member(device, concurrency=1, wait_s=0.01)])

    async def two():
        first = await env.reset(make_task("a", "look"))
        with pytest.raises(EnvFailure, match="no place within") as caught:
            await env.reset(make_task("b", "look"))
        await env.close(first)
        second = await env.reset(make_task("b", "look"))
        await env.close(second)
        return caught.value.cause

    assert asyncio.run(two()) is FailureCause.CAPACITY and device.live == 0


def test_a_straggler_is_cut_off_and_masked_and_the_next_update_starts_afresh():
    device = Place("device")
    env = HybridEnv([Member(Place("sandbox")), Member(device, share=0.4, seconds=0.2)])

    async def hanging(seed):
        device.gate = asyncio.Event()
        return await run_tasks(LOOKING, env, groups(20, 1), eta=bare_eta(), concurrency=20, seed=seed, resample=1)

    ends = asyncio.run(hanging(0))
    cut = [t for t in ends if not t.valid]
    assert cut and {t.backend for t in cut} <= {"device", "hybrid"} and all(t.verdict is None for t in cut)
    assert all("EnvFailure/deadline" in t.invalid_reason and "of this update are over" in t.invalid_reason for t in cut)
    assert backends([t for t in ends if t.valid]) == {"sandbox": 20 - len(cut)}
    device.gate = None
    assert all(t.valid for t in play(env, groups(20, 1), seed=1)) and device.live == 0


def test_a_member_that_never_waits_is_cut_off_too():
    class Instant(Place):
        async def reset(self, task):
            return Session("s", task)

        async def step(self, session, calls):
            return []

    now = [0.0]
    env = HybridEnv([Member(Instant("sandbox"), seconds=1.0)], clock=lambda: now[0])

    async def late():
        session = await env.reset(make_task("a", "look"))
        assert await env.step(session, []) == []
        now[0] = 1.0
        for work in (env.step(session, []), env.reset(make_task("b", "look"))):
            with pytest.raises(EnvFailure, match="of this update are over") as caught:
                await work
            assert caught.value.cause is FailureCause.DEADLINE

    asyncio.run(late())


def test_a_planner_that_needs_no_step_still_closes_its_session():
    sandbox = Place("sandbox")
    assert all(t.valid for t in play(HybridEnv([Member(sandbox)]), groups(3, 2), NullModel()))
    assert (sandbox.live, sandbox.opened) == (0, 6)


@pytest.mark.parametrize(
    ("members", "options", "message"),
    [
        ([], {}, "one or more"),
        ([Member(Place("a")), Member(Place("a"))], {}, "a name of its own"),
        ([Member(Place("a"))], {"place": "task"}, "'task'"),
        ([Member(Place("a"))], {"group_size": 0}, "group_size 0"),
        ([Member(Place("a")), Member(Place("b"), share=0.7), Member(Place("c"), share=0.7)], {}, "shares"),
        ([Member(Place("a"), concurrency=0)], {}, "no session may run"),
        ([Member(Place("a"), seconds=-1)], {}, "negative"),
    ],
)
def test_settings_that_no_mix_can_have(members, options, message):
    with pytest.raises(ValueError, match=message):
        HybridEnv(members, **options)


def test_a_failed_reset_gives_its_place_back():
    device = Place("device")
    device.broken = FailureCause.BACKEND
    env = HybridEnv([Member(device, concurrency=1)])

    async def thrice():
        for _ in range(3):
            with pytest.raises(EnvFailure, match="is broken"):
                await asyncio.wait_for(env.reset(make_task("a", "look")), 5)

    asyncio.run(thrice())
    assert msgspec.to_builtins(dict(env.counts["device"])) == {"backend": 3}
