"""Concurrency changes nothing but time; a suite continues where it stopped and refuses to be mixed."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import ClassVar

import msgspec
import pytest
from harness_doubles import CREATE, StubEnv, TextModel, make_task

from qpa.contract import (
    EPISODE,
    CallTools,
    EnvFailure,
    FailureCause,
    GenerateReply,
    GenerateRequest,
    Limits,
    ModelFailure,
    Reply,
    StopReason,
    ToolCall,
    to_json,
)
from qpa.envs.server_messages import Refusal
from qpa.harness import EvalStore, GarbageModel, NullModel, ScriptedModel, run_tasks, tiny_eta
from qpa.harness.executor import failure_cause, failure_reason
from qpa.harness.notices import RepeatNotice, is_empty
from qpa.harness.runner import RESAMPLED, episode_seed, fingerprint

TASKS = [make_task(f"t{i}") for i in range(6)]


def play(model, env, tasks, **options):
    return asyncio.run(run_tasks(model, env, tasks, eta=options.pop("eta", tiny_eta()), **options))


def without_times(trajectory):
    trajectory.cost.wall_s = trajectory.cost.model_s = trajectory.cost.env_s = 0.0
    return to_json(trajectory)


def test_results_come_in_task_order_whatever_finishes_first():
    class Slow(TextModel):
        async def generate(self, request):
            await asyncio.sleep(0.05 if "/t0/" in request.episode else 0)
            return await super().generate(request)

    finished = []
    results = play(Slow("Done."), StubEnv(), TASKS, concurrency=6, on_done=lambda t: finished.append(t.task.id))
    assert [t.task.id for t in results] == [task.id for task in TASKS]
    assert sorted(finished) == sorted(task.id for task in TASKS) and finished[-1] == "t0"


def test_concurrency_is_bounded():
    class Counting(TextModel):
        now = most = 0

        async def generate(self, request):
            self.now += 1
            self.most = max(self.most, self.now)
            await asyncio.sleep(0.005)
            self.now -= 1
            return await super().generate(request)

    model = Counting("Done.")
    play(model, StubEnv(), TASKS, concurrency=2)
    assert model.most == 2
    with pytest.raises(ValueError, match="concurrency is 0"):
        play(model, StubEnv(), TASKS, concurrency=0)


def test_seeds_depend_on_seed_task_and_rollout_only():
    group = [TASKS[0], TASKS[1], TASKS[0], TASKS[0]]
    one = play(GarbageModel(), StubEnv(), group, concurrency=1, seed=5)
    two = play(GarbageModel(), StubEnv(), group, concurrency=4, seed=5)
    assert [without_times(t) for t in one] == [without_times(t) for t in two]
    seeds = [t.provenance.seed for t in one]
    assert seeds == [
        episode_seed(5, "t0", 0),
        episode_seed(5, "t1", 0),
        episode_seed(5, "t0", 1),
        episode_seed(5, "t0", 2),
    ]
    assert len(set(seeds)) == 4
    assert [t.provenance.notes["rollout"] for t in one] == ["0", "0", "1", "2"]
    assert one[0].steps[0].text != one[2].steps[0].text
    assert play(GarbageModel(), StubEnv(), group[:1], seed=6)[0].provenance.seed != seeds[0]


def test_one_hanging_and_one_failing_episode_do_not_hold_up_the_others():
    class Uneven(StubEnv):
        async def reset(self, task):
            if task.id == "t1":
                raise EnvFailure("no such world")
            return await super().reset(task)

        async def step(self, session, calls):
            if session.id == "t2":
                await asyncio.sleep(3600)
            return await super().step(session, calls)

    env = Uneven()
    tasks = [*TASKS[:2], msgspec.structs.replace(TASKS[2], limits=Limits(deadline_s=0.2)), TASKS[3]]
    results = play(TextModel(CREATE, "Done."), env, tasks, concurrency=4)
    stops = [t.stop for t in results]
    assert stops == [StopReason.FINISHED, StopReason.ENV_FAILURE, StopReason.DEADLINE, StopReason.FINISHED]
    assert env.opened == env.closed == 3


def test_what_escapes_the_runtime_is_contained(monkeypatch):
    async def broken(model, env, task, **_):
        raise ZeroDivisionError("bug")

    monkeypatch.setattr("qpa.harness.runner.run_episode", broken)
    results = play(NullModel(), StubEnv(), TASKS[:2])
    assert [(t.valid, t.invalid_reason) for t in results] == [(False, "harness: ZeroDivisionError: bug")] * 2


def test_cancel_event_ends_all():
    async def main():
        cancel = asyncio.Event()

        def stop(_):
            cancel.set()

        return await run_tasks(
            TextModel("Done."), StubEnv(), TASKS, eta=tiny_eta(), concurrency=1, on_done=stop, cancel=cancel
        )

    stops = [t.stop for t in asyncio.run(main())]
    assert stops == [StopReason.FINISHED] + [StopReason.CANCELLED] * 5


# --- episodes that the environment could not serve ---


class Failing(StubEnv):
    """Fails the first `times` resets of each task (the runtime makes two a try)."""

    def __init__(self, times, cause):
        super().__init__()
        self.times, self.cause, self.seen = times, cause, Counter()

    async def reset(self, task):
        self.seen[task.id] += 1
        if self.seen[task.id] <= self.times:
            raise EnvFailure("not now", self.cause)
        return await super().reset(task)


@pytest.mark.parametrize(
    "cause",
    [
        FailureCause.TRANSIENT,
        FailureCause.CAPACITY,
        FailureCause.CONNECTION,
        FailureCause.DEADLINE,
        FailureCause.LEASE,
    ],
)
def test_an_episode_that_could_not_be_served_is_played_again(cause):
    finished = []
    results = play(
        TextModel("Done."), Failing(4, cause), TASKS[:3], resample=2, seed=7, on_done=lambda t: finished.append(t.valid)
    )
    assert [t.valid for t in results] == finished == [True] * 3
    assert [t.provenance.notes[RESAMPLED] for t in results] == [f"{cause.value} {cause.value}"] * 3
    assert [t.provenance.seed for t in results] == [episode_seed(7, t.id, 0) for t in TASKS[:3]]
    assert [t.provenance.notes["rollout"] for t in results] == ["0"] * 3


def test_what_still_fails_stays_an_infrastructure_failure(tmp_path):
    kept = store(tmp_path)
    (result,) = play(TextModel("Done."), Failing(99, FailureCause.CAPACITY), TASKS[:1], resample=2, store=kept)
    assert (result.stop, result.valid, result.verdict) == (StopReason.ENV_FAILURE, False, None)
    assert result.provenance.notes[RESAMPLED] == "capacity capacity"
    assert len((tmp_path / "episodes.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("cause", [FailureCause.BACKEND, FailureCause.UNSUPPORTED, FailureCause.REQUEST])
def test_a_cause_that_another_try_cannot_help_is_not_tried_again(cause):
    env = Failing(99, cause)
    (result,) = play(TextModel("Done."), env, TASKS[:1], resample=3)
    assert env.seen["t0"] == 2 and RESAMPLED not in result.provenance.notes
    broken = play(TextModel(ModelFailure("down")), StubEnv(), TASKS[:1], resample=3)
    assert broken[0].stop is StopReason.MODEL_FAILURE and RESAMPLED not in broken[0].provenance.notes


def test_an_episode_played_again_waits_behind_the_others():
    env, finished = Failing(2, FailureCause.CAPACITY), []
    env.seen = Counter(t1=2, t2=2)  # only the first task fails
    play(TextModel("Done."), env, TASKS[:3], resample=1, concurrency=1, on_done=lambda t: finished.append(t.task.id))
    assert finished == ["t1", "t2", "t0"]
    with pytest.raises(ValueError, match="resample -1"):
        play(NullModel(), StubEnv(), TASKS, resample=-1)


def test_a_backend_knows_which_rollout_it_serves():
    class Watching(StubEnv):
        seen: ClassVar[list] = []

        async def reset(self, task):
            self.seen.append((task.id, EPISODE.get()))
            return await super().reset(task)

    play(TextModel("Done."), Watching(), [TASKS[0], TASKS[1], TASKS[0]], seed=5, concurrency=3)
    assert Watching.seen == [("t0", (5, 0)), ("t1", (5, 0)), ("t0", (5, 1))] and EPISODE.get() is None


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        (failure_reason("reset", EnvFailure("full", FailureCause.CAPACITY)), "capacity"),
        (failure_reason("reset", Refusal("full", FailureCause.CAPACITY, "reset")), "capacity"),
        (failure_reason("step", EnvFailure("a: b/c: d", FailureCause.LEASE)), "lease"),
        (failure_reason("reset", TimeoutError("no answer within 3 s")), "deadline"),
        (failure_reason("step", KeyError("x/y")), ""),
        ("step: 2 results for 1 calls (missing: a/capacity)", ""),
        ("reset: EnvFailure/nonsense: x", ""),
        ("", ""),
    ],
)
def test_the_cause_is_read_back_from_the_reason(reason, cause):
    assert failure_cause(reason) == cause


# --- resumable suites ---


def store(folder, tasks=TASKS, **changes):
    return EvalStore(folder, **({"model": "text", "eta": tiny_eta(), "tasks": tasks} | changes))


def test_a_suite_continues_after_an_interruption(tmp_path):
    class InterruptedSuiteError(Exception):
        pass

    def after_three(_, count=[]):  # noqa: B006
        count.append(1)
        if len(count) == 3:
            raise InterruptedSuiteError

    with pytest.raises(ExceptionGroup):
        play(TextModel("Done."), StubEnv(), TASKS, concurrency=1, on_done=after_three, store=store(tmp_path))
    with (tmp_path / "episodes.jsonl").open("ab") as file:
        file.write(b'{"task": {"id": "t3"')  # the process died while writing
    again = store(tmp_path)
    assert len(again) == 3 and [bad.line for bad in again.bad] == [4]
    model = TextModel("Done.")
    results = play(model, StubEnv(), TASKS, store=again)
    assert [t.task.id for t in results] == [task.id for task in TASKS]
    assert len(model.requests) == 3
    idle = TextModel("Done.")
    once_more = play(idle, StubEnv(), TASKS, store=store(tmp_path))
    assert idle.requests == [] and once_more == results


def test_invalid_episodes_run_again(tmp_path):
    results = play(TextModel(ModelFailure("down")), StubEnv(), TASKS[:1], store=store(tmp_path))
    assert not results[0].valid
    results = play(TextModel("Done."), StubEnv(), TASKS[:1], store=store(tmp_path))
    assert results[0].valid and len(store(tmp_path)) == 1


def test_groups_are_told_apart(tmp_path):
    group = [TASKS[0]] * 3
    first = play(GarbageModel(), StubEnv(), group, store=store(tmp_path))
    again = store(tmp_path)
    assert len(again) == 3 and [again.get("t0", i) for i in range(3)] == first


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "other"},
        {"eta": msgspec.structs.replace(tiny_eta(), system="Other.")},
        {"tasks": TASKS[:5]},
        {"settings": "temperature=0"},
    ],
)
def test_another_run_is_refused(tmp_path, changes):
    store(tmp_path)
    with pytest.raises(ValueError, match="use another folder"):
        store(tmp_path, **changes)


def test_damaged_header_is_named(tmp_path):
    store(tmp_path)
    (tmp_path / "run.json").write_bytes(b"{}")
    with pytest.raises(ValueError, match=r"run\.json.*move the folder away"):
        store(tmp_path)
    assert fingerprint("a", tiny_eta(), TASKS) != fingerprint("b", tiny_eta(), TASKS)


# --- scripted models ---


def test_scripted_model_plays_the_tasks_own_script():
    def script(task):
        call = ToolCall(id="x", name="manage_alarm", arguments={"action": "create", "time": task.id})
        return [CallTools(calls=[call], thought="wake"), Reply(text=f"Set {task.id}.")]

    env = StubEnv()
    model = ScriptedModel(script)
    results = play(model, env, TASKS[:3], concurrency=3)
    assert sorted(call.arguments["time"] for call in env.stepped) == ["t0", "t1", "t2"]
    assert [t.steps[-1].action.text for t in results] == ["Set t0.", "Set t1.", "Set t2."]
    assert results[0].steps[0].action.thought == "wake"
    request = GenerateRequest(episode=f"/t0/{results[0].provenance.seed}", turn=0, messages=[], tools=[])
    with pytest.raises(ModelFailure, match="begin_episode"):  # nothing is kept after an episode
        asyncio.run(model.generate(request))


def test_a_short_script_is_closed_and_a_broken_one_is_a_model_failure():
    call = ToolCall(id="x", name="manage_alarm", arguments={"action": "query"})
    (result,) = play(ScriptedModel(lambda task: [CallTools(calls=[call])]), StubEnv(), TASKS[:1])
    assert result.steps[-1].action == Reply(text="Done.")
    (result,) = play(ScriptedModel(lambda task: 1 / 0), StubEnv(), TASKS[:1])
    assert result.stop is StopReason.MODEL_FAILURE and "ZeroDivisionError" in result.invalid_reason


def test_garbage_is_deterministic_and_varied():
    def text(model, turn):
        request = GenerateRequest(episode="e", turn=turn, messages=[], tools=[], seed=1)
        reply: GenerateReply = asyncio.run(model.generate(request))
        return reply.text

    texts = [text(GarbageModel(1), turn) for turn in range(20)]
    assert texts == [text(GarbageModel(1), turn) for turn in range(20)] and len(set(texts)) == 20


# --- notices ---


@pytest.mark.parametrize(
    ("payload", "empty"),
    [
        ({"success": True, "message": "ok", "data": {}}, False),
        ({"success": True, "message": "ok"}, False),
        ({"success": True, "data": {"items": [], "total": 0}}, True),
        ({"success": True, "data": {"items": [1], "total": 1}}, False),
        ({"success": True, "data": {"total": 0}}, True),
        ({"success": True, "data": []}, True),
        ({"status": "success", "items": []}, True),
        ({"status": "loaded", "loaded_tools": []}, False),
    ],
)
def test_empty_results(payload, empty):
    assert is_empty(payload) is empty


def test_notice_counts_per_tool_and_is_not_reset_by_a_success():
    from qpa.contract import Feedback

    def feedback(name, ok=False, **data):
        return Feedback(call_id="c", name=name, ok=ok, payload={"success": ok, "data": data})

    notice = RepeatNotice()
    assert notice.observe(feedback("a")) is None
    assert notice.observe(feedback("b")) is None
    assert notice.observe(feedback("a", ok=True, x=1)) is None
    text = notice.observe(feedback("a", ok=True, items=[]))
    assert "a gave nothing 2 times" in text and len(text.split()) <= 20
    assert "3 times" in notice.observe(feedback("a"))
    assert RepeatNotice(1).observe(feedback("a"))
    with pytest.raises(ValueError, match="repeat_threshold"):
        RepeatNotice(0)
