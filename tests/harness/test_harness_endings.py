"""Every StopReason is reached by a real episode, and each leaves a closed session and an honest record."""

from __future__ import annotations

import asyncio

import pytest
from harness_doubles import CREATE, Clock, StubEnv, TextModel, call_text, make_task

from qpa.contract import (
    INFRASTRUCTURE_STOPS,
    CallTools,
    EnvFailure,
    ErrorType,
    Limits,
    ModelFailure,
    Reply,
    StopReason,
    Trajectory,
    from_json,
    to_json,
)
from qpa.harness import GarbageModel, NullModel, bare_eta, run_episode, tiny_eta


def play(model, env, task=None, **options) -> Trajectory:
    return asyncio.run(run_episode(model, env, task or make_task(), eta=options.pop("eta", tiny_eta()), **options))


async def hang() -> str:
    await asyncio.sleep(3600)
    return ""


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("Done.", StopReason.FINISHED),
        ("Which alarm?", StopReason.ASKED),
        ("你想要几点？", StopReason.ASKED),
        ("I can't do that.", StopReason.REFUSED),
        ("抱歉，不行。", StopReason.REFUSED),
    ],
)
def test_replies_end_by_intent(text, stop):
    env = StubEnv()
    trajectory = play(TextModel(CREATE, text), env)
    assert trajectory.stop is stop
    assert isinstance(trajectory.steps[-1].action, Reply)
    assert trajectory.valid and trajectory.verdict.success
    assert (env.opened, env.closed, env.verified) == (1, 1, 1)


def test_verified_stops_at_the_first_success():
    env = StubEnv()
    trajectory = play(TextModel(CREATE), env, stop_when_verified=True)
    assert trajectory.stop is StopReason.VERIFIED
    assert len(trajectory.steps) == 1 and trajectory.verdict.success


def test_unsuccessful_verification_does_not_stop():
    trajectory = play(TextModel(CREATE, "Done."), StubEnv(success=False), stop_when_verified=True)
    assert trajectory.stop is StopReason.FINISHED and not trajectory.verdict.success


def test_turn_limit_counts_assistant_turns():
    trajectory = play(TextModel(CREATE), StubEnv(), make_task(limits=Limits(turns=3)))
    assert trajectory.stop is StopReason.TURN_LIMIT
    assert trajectory.cost.turns == 3 and trajectory.cost.tool_calls == 3
    assert trajectory.valid and trajectory.verdict is not None


def test_token_limit():
    trajectory = play(TextModel(CREATE), StubEnv(), make_task(limits=Limits(output_tokens=30)))
    assert trajectory.stop is StopReason.TOKEN_LIMIT
    assert trajectory.cost.output_tokens >= 30


def test_a_reply_cut_off_at_the_budget_executes_nothing():
    env = StubEnv()
    trajectory = play(TextModel(CREATE, finish="length"), env, make_task(limits=Limits(output_tokens=10)))
    assert trajectory.stop is StopReason.TOKEN_LIMIT
    assert env.stepped == [] and trajectory.steps[0].parse_errors


def test_context_limit_by_size_and_by_the_model():
    small = make_task(limits=Limits(context_tokens=60))
    assert play(TextModel(CREATE), StubEnv(), small).stop is StopReason.CONTEXT_LIMIT
    assert play(TextModel(CREATE, finish="context"), StubEnv()).stop is StopReason.CONTEXT_LIMIT


def test_a_hanging_model_hits_the_deadline():
    env = StubEnv()
    trajectory = play(TextModel(hang), env, make_task(limits=Limits(deadline_s=0.1)), clock=Clock())
    assert trajectory.stop is StopReason.DEADLINE
    assert trajectory.valid and env.closed == 1


def test_a_hanging_tool_becomes_feedback_and_the_episode_goes_on():
    env = StubEnv(lambda call: asyncio.sleep(3600))
    trajectory = play(TextModel(CREATE, "It did not answer."), env, call_timeout_s=0.05)
    (feedback,) = trajectory.steps[0].feedback
    assert feedback.error_type is ErrorType.TIMEOUT and feedback.code == 504
    assert trajectory.stop is StopReason.FINISHED


def test_a_hanging_tool_at_the_deadline_ends_the_episode():
    clock = Clock()

    async def hang(call) -> dict:
        clock.now = 1.0
        await asyncio.sleep(3600)
        return {}

    env = StubEnv(hang)
    trajectory = play(TextModel(CREATE), env, make_task(limits=Limits(deadline_s=0.1)), clock=clock)
    assert trajectory.stop is StopReason.DEADLINE
    assert trajectory.steps[0].feedback[0].error_type is ErrorType.TIMEOUT
    assert env.closed == 1


def test_a_backend_that_ignores_cancellation_is_abandoned():
    clock, finished = Clock(), []

    async def stubborn(call) -> dict:
        clock.now = 1.0
        for _ in range(20):
            try:
                await asyncio.sleep(0.1)
            except asyncio.CancelledError:
                continue
        finished.append(call.id)
        return {}

    async def main() -> Trajectory:
        task = make_task(limits=Limits(deadline_s=0.1))
        episode = run_episode(TextModel(CREATE), StubEnv(stubborn), task, eta=tiny_eta(), clock=clock)
        trajectory = await episode
        assert finished == []  # the episode did not wait for it
        return trajectory

    assert asyncio.run(main()).stop is StopReason.DEADLINE


@pytest.mark.parametrize("error", [EnvFailure("gone"), RuntimeError("bug"), TimeoutError("theirs")])
def test_env_failure_in_step(error):
    def fail(call):
        raise error

    env = StubEnv(fail)
    trajectory = play(TextModel(CREATE), env)
    assert trajectory.stop is StopReason.ENV_FAILURE
    assert not trajectory.valid and trajectory.invalid_reason.startswith("step: ")
    assert trajectory.verdict is None and env.verified == 0 and env.closed == 1


def test_env_that_answers_too_little_is_a_failure():
    class Forgetful(StubEnv):
        async def step(self, session, calls):
            return []

    trajectory = play(TextModel(CREATE), Forgetful())
    assert trajectory.stop is StopReason.ENV_FAILURE and "0 results for 1 calls" in trajectory.invalid_reason


def test_reset_is_retried_once():
    env = StubEnv()
    env.reset_errors = [EnvFailure("cold")]
    trajectory = play(TextModel("Done."), env)
    assert trajectory.stop is StopReason.FINISHED
    assert "cold" in trajectory.provenance.notes["reset_retried"]
    env = StubEnv()
    env.reset_errors = [EnvFailure("cold"), EnvFailure("dead"), EnvFailure("never asked")]
    trajectory = play(TextModel("Done."), env)
    assert trajectory.stop is StopReason.ENV_FAILURE and "dead" in trajectory.invalid_reason
    assert len(env.reset_errors) == 1


def test_env_failure_in_verify_invalidates():
    env = StubEnv()
    env.verify_error = RuntimeError("no database")
    trajectory = play(TextModel("Done."), env)
    assert trajectory.stop is StopReason.ENV_FAILURE
    assert not trajectory.valid and trajectory.verdict is None and env.closed == 1


def test_a_tool_the_backend_lacks_is_an_env_failure():
    trajectory = play(TextModel("Done."), StubEnv(), make_task(tools=["manage_alarm", "nope"]))
    assert trajectory.stop is StopReason.ENV_FAILURE and "nope" in trajectory.invalid_reason


@pytest.mark.parametrize("error", [ModelFailure("down"), ValueError("bug"), TimeoutError("theirs")])
def test_model_failure(error):
    env = StubEnv()
    trajectory = play(TextModel(CREATE, error), env)
    assert trajectory.stop is StopReason.MODEL_FAILURE
    assert not trajectory.valid and str(error) in trajectory.invalid_reason
    assert len(trajectory.steps) == 1 and env.closed == 1


def test_cancel_event_ends_a_waiting_episode():
    async def main() -> tuple[Trajectory, StubEnv]:
        env, cancel = StubEnv(), asyncio.Event()
        running = asyncio.create_task(run_episode(TextModel(hang), env, make_task(), eta=tiny_eta(), cancel=cancel))
        await asyncio.sleep(0.05)
        cancel.set()
        return await running, env

    trajectory, env = asyncio.run(main())
    assert trajectory.stop is StopReason.CANCELLED and not trajectory.valid
    assert env.closed == 1 and env.verified == 0


def test_cancelling_the_asyncio_task_closes_the_session():
    async def main() -> StubEnv:
        env = StubEnv()
        running = asyncio.create_task(run_episode(TextModel(hang), env, make_task(), eta=tiny_eta()))
        await asyncio.sleep(0.05)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return env

    assert asyncio.run(main()).closed == 1


def test_a_session_that_cannot_close_does_not_hide_the_result():
    class Sticky(StubEnv):
        async def close(self, session):
            raise OSError("locked")

    trajectory = play(TextModel("Done."), Sticky())
    assert trajectory.stop is StopReason.FINISHED and "locked" in trajectory.provenance.notes["close_failed"]


def test_null_model_finishes_and_garbage_never_crashes():
    assert play(NullModel(), StubEnv()).stop is StopReason.FINISHED
    for seed in range(40):
        trajectory = play(GarbageModel(seed), StubEnv(), make_task(limits=Limits(turns=5)))
        assert trajectory.stop not in INFRASTRUCTURE_STOPS
        assert from_json(to_json(trajectory), Trajectory) == trajectory


def test_bare_harness_adds_nothing():
    trajectory = play(TextModel("Done."), StubEnv(), eta=bare_eta())
    assert [message.role.value for message in trajectory.steps[0].observation] == ["user"]


def test_cost_is_filled():
    text = (
        "<think>\nlet me think about this\n</think>\n\n" + CREATE + "\n" + call_text("manage_note", '{"content": "x"}')
    )
    task = make_task(tools=["manage_alarm", "manage_note"])
    cost = play(TextModel(text, "Done."), StubEnv(), task).cost
    assert (cost.turns, cost.tool_calls) == (2, 2)
    assert cost.by_tool == {"manage_alarm": 1, "manage_note": 1}
    assert 0 < cost.thinking_tokens < cost.output_tokens
    assert cost.prompt_tokens > 0 and cost.wall_s >= cost.env_s >= 0 and cost.model_s >= 0


def test_clock_is_injected():
    ticks = iter(range(1000))
    cost = play(TextModel("Done."), StubEnv(), make_task(limits=Limits(deadline_s=500)), clock=lambda: next(ticks)).cost
    # A real clock would give fractions of a second; every reading of this one is a whole one later.
    assert cost.model_s >= 1 and cost.wall_s == int(cost.wall_s) > cost.model_s + cost.env_s


def test_unreadable_turn_is_an_empty_block():
    trajectory = play(TextModel('<tool_call>\n{"name": "manage_alarm", "arg', "Done."), StubEnv())
    assert trajectory.steps[0].action == CallTools(calls=[])
