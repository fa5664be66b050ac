"""A planner behind a real HTTP server: what is sent, what is read, what is repeated, what is infrastructure."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest
from endpoint_double import THOUGHT, Answer, call, completion, endpoint
from harness_doubles import StubEnv, make_task

from qpa.contract import GenerateRequest, Limits, StopReason
from qpa.harness import RemoteModel, bare_eta, run_episode, run_tasks
from qpa.harness.remote import list_models

pytest.importorskip("openai", reason='needs the extra "endpoint"')

DONE = completion({"content": "Done."})
ARGUMENTS = {"action": "create", "time": "07:30"}


def play(answer, *, env=None, task=None, fields=None, retries=0, timeout_s=30.0):
    """One episode against `answer`; gives the trajectory and the endpoint."""
    with endpoint(answer) as served:

        async def run():
            model = RemoteModel(served.url, "m", api_key="k", fields=fields, retries=retries, timeout_s=timeout_s)
            try:
                return await run_episode(model, env or StubEnv(), task or make_task(), eta=bare_eta(), temperature=0.0)
            finally:
                await model.aclose()

        return asyncio.run(run()), served


def in_turn(*answers):
    """Plays answers one after the other, the last one for ever."""
    left = list(answers)
    return lambda request: left.pop(0) if len(left) > 1 else left[0]


def slowly(request):
    """Answers long after every time limit of these tests."""
    time.sleep(4)
    return DONE


def test_a_request_holds_tools_messages_and_sampling_and_the_key_goes_into_the_header():
    _, served = play(lambda request: DONE, fields={"seed": None, "reasoning_effort": "low"})
    (request,) = served.requests
    assert request["model"] == "m" and request["temperature"] == 0.0 and request["max_tokens"] == 1024
    assert "seed" not in request and request["reasoning_effort"] == "low"
    assert not {"top_p", "top_k", "min_p"} & request.keys()
    assert request["messages"][-1] == {"role": "user", "content": "Set an alarm at 07:30."}
    assert [tool["function"]["name"] for tool in request["tools"]] == ["manage_alarm"]
    assert served.keys == ["Bearer k"]


def test_limits_on_sampling_are_passed_on():
    with endpoint(lambda request: DONE) as served:

        async def ask():
            model = RemoteModel(served.url, "m")
            fields = {"top_p": 0.9, "top_k": 5, "min_p": 0.1}
            await model.generate(GenerateRequest(episode="e", turn=0, messages=[], tools=[], **fields))
            await model.aclose()
            return fields

        assert asyncio.run(ask()).items() <= served.requests[0].items()


@pytest.mark.parametrize("arguments", [json.dumps(ARGUMENTS), ARGUMENTS])
@pytest.mark.parametrize("more", [{}, {"id": None}, {"type": None}])
def test_a_call_runs_with_arguments_as_text_or_object_and_without_an_id(arguments, more):
    env = StubEnv()
    trajectory, served = play(in_turn(completion(call("manage_alarm", arguments, **more)), DONE), env=env)
    assert [(c.name, c.arguments) for c in env.stepped] == [("manage_alarm", ARGUMENTS)]
    assert trajectory.stop is StopReason.FINISHED and trajectory.steps[0].parse_errors == []
    assert [message["role"] for message in served.requests[1]["messages"]] == ["user", "assistant", "tool"]


def test_parallel_calls_are_answered_one_by_one():
    two = call("manage_alarm", ARGUMENTS)["tool_calls"] + call("manage_alarm", '{"action": "query"}')["tool_calls"]
    env = StubEnv()
    _, served = play(in_turn(completion({"content": "both", "tool_calls": two}), DONE), env=env)
    assert [c.arguments["action"] for c in env.stepped] == ["create", "query"]
    _, turn, first, second = served.requests[1]["messages"]
    assert turn["content"] == "both"
    assert [c["id"] for c in turn["tool_calls"]] == [first["tool_call_id"], second["tool_call_id"]]


def test_malformed_arguments_are_told_to_the_planner_and_nothing_runs():
    env = StubEnv()
    trajectory, served = play(in_turn(completion(call("manage_alarm", '{"action": ')), DONE), env=env)
    assert env.stepped == [] and trajectory.stop is StopReason.FINISHED
    told = served.requests[1]["messages"][-1]
    assert (
        told["role"] == "user" and "invalid tool call" in told["content"] and "must be a JSON object" in told["content"]
    )


def test_an_empty_reply_is_told_to_the_planner():
    trajectory, served = play(in_turn(completion({"content": ""}), DONE))
    assert trajectory.stop is StopReason.FINISHED and trajectory.cost.turns == 2
    assert "empty reply" in served.requests[1]["messages"][-1]["content"]


def test_thinking_is_recorded_and_counted_but_never_sent_back():
    usage = {"completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 12}}
    first = completion(call("manage_alarm", ARGUMENTS) | {"reasoning_content": THOUGHT}, usage=usage)
    trajectory, served = play(in_turn(first, completion({"content": "", "reasoning": THOUGHT}), DONE))
    assert trajectory.steps[0].action.thought == THOUGHT
    assert len(served.requests) == 3 and THOUGHT not in json.dumps(served.requests)


@pytest.mark.parametrize(
    ("usage", "output", "thinking"),
    [
        ({"completion_tokens": 30, "completion_tokens_details": {"reasoning_tokens": 12}}, 30, 12),
        ({"completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 12}}, 17, 12),
        ({"completion_tokens": 30, "completion_tokens_details": None}, 30, len(THOUGHT) // 4),
        ({"completion_tokens": 3}, 3, 3),
        ({"completion_tokens": True}, None, len(THOUGHT) // 4),
        (None, None, len(THOUGHT) // 4),
    ],
)
def test_tokens_are_what_usage_says_else_estimated(usage, output, thinking):
    trajectory, _ = play(lambda request: completion({"content": "Done.", "reasoning_content": THOUGHT}, usage=usage))
    estimate = len(trajectory.steps[0].text) // 4
    assert (trajectory.cost.output_tokens, trajectory.cost.thinking_tokens) == (output or estimate, thinking)


def test_a_cut_off_reply_runs_nothing():
    env = StubEnv()
    play(in_turn(completion(call("manage_alarm", ARGUMENTS), finish="length"), DONE), env=env)
    assert env.stepped == []


def test_too_many_requests_are_repeated_after_what_the_endpoint_asks_for():
    busy = Answer({"error": {"message": "slow down"}}, 429, {"Retry-After": "2"})
    started = time.monotonic()
    trajectory, served = play(in_turn(busy, DONE), retries=1)
    assert trajectory.stop is StopReason.FINISHED and len(served.requests) == 2
    assert time.monotonic() - started >= 2


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_passing_trouble_is_repeated_and_then_named(status):
    trajectory, served = play(lambda request: Answer({"error": {"message": "no\nluck"}}, status), retries=1)
    assert trajectory.stop is StopReason.MODEL_FAILURE and not trajectory.valid and len(served.requests) == 2
    assert trajectory.invalid_reason.endswith(f"HTTP {status}: no luck")


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "no model m", "code": 404}},
        {"message": "no model m"},
        {"detail": "no model m"},
        {"error": "no model m"},
        "no model\n m",
    ],
)
def test_a_refusal_is_not_repeated_and_says_the_endpoints_own_words(body):
    trajectory, served = play(lambda request: Answer(body, 404), retries=3)
    assert trajectory.stop is StopReason.MODEL_FAILURE and len(served.requests) == 1
    assert trajectory.invalid_reason.endswith("HTTP 404: no model m")


def test_a_request_longer_than_the_models_context_is_a_failed_task():
    body = {"error": {"message": "This model's maximum context length is 9 tokens", "code": 400}}
    trajectory, _ = play(lambda request: Answer(body, 400))
    assert trajectory.stop is StopReason.CONTEXT_LIMIT and trajectory.valid


@pytest.mark.parametrize(
    "body", ["<html>hello</html>", "[]", "{}", '{"choices": []}', '{"choices": [{"message": 1}]}', ""]
)
def test_a_body_that_is_no_completion_is_infrastructure(body):
    trajectory, _ = play(lambda request: Answer(body))
    assert trajectory.stop is StopReason.MODEL_FAILURE and "not a chat completion" in trajectory.invalid_reason


def test_an_attempt_that_takes_too_long_is_repeated_and_then_infrastructure():
    trajectory, served = play(slowly, retries=1, timeout_s=0.3)
    assert trajectory.stop is StopReason.MODEL_FAILURE and "timed out" in trajectory.invalid_reason
    assert len(served.requests) == 2


def test_an_endpoint_that_holds_out_until_the_deadline_is_infrastructure_not_a_failed_task():
    task = make_task(limits=Limits(deadline_s=2.0))
    trajectory, _ = play(slowly, task=task, retries=5)
    assert trajectory.stop is StopReason.MODEL_FAILURE and "deadline" in trajectory.invalid_reason


def test_nobody_listening_is_infrastructure():
    with endpoint(lambda request: DONE) as served:
        url = served.url

    async def run():
        return await run_episode(RemoteModel(url, "m", retries=0), StubEnv(), make_task(), eta=bare_eta())

    trajectory = asyncio.run(run())
    assert trajectory.stop is StopReason.MODEL_FAILURE and "Connection error" in trajectory.invalid_reason


def test_episodes_overlap_at_the_endpoint_up_to_the_concurrency():
    together = threading.Barrier(4, timeout=20)

    def answer(request):
        together.wait()
        return DONE

    with endpoint(answer) as served:

        async def run():
            model = RemoteModel(served.url, "m", retries=0)
            tasks = [make_task(f"t{i}") for i in range(8)]
            return await run_tasks(model, StubEnv(), tasks, eta=bare_eta(), concurrency=4)

        assert {t.stop for t in asyncio.run(run())} == {StopReason.FINISHED}
        assert served.most_in_flight == 4


def test_an_endpoint_says_which_models_it_has():
    with endpoint(lambda request: DONE) as served:
        assert list_models(served.url) == ["planner-1"]
