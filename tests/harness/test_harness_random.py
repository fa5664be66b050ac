"""The random planner: a floor that follows every schema, ends by itself, and plays the same game twice."""

from __future__ import annotations

import asyncio
import random

import pytest
from harness_doubles import StubEnv, make_task

from qpa.chat import parse_reply
from qpa.contract import GenerateRequest, Message, Role, StopReason
from qpa.envs.sandbox import catalog
from qpa.harness import RandomModel, bare_eta, run_episode
from qpa.harness.schema import argument_errors
from qpa.harness.scripted import _random_value

GOAL = "Move my 7:30 alarm to eight"


def _ask(tools, turn=0, seed=0, episode="e"):
    messages = [Message(role=Role.USER, content=GOAL)]
    request = GenerateRequest(episode=episode, turn=turn, messages=messages, tools=tools, seed=seed)
    return parse_reply(asyncio.run(RandomModel().generate(request)).text, tools)


@pytest.mark.parametrize("seed", range(3))
def test_arguments_follow_the_schema_of_every_tool(seed):
    for spec in catalog():
        (call,) = _ask([spec], seed=seed).calls
        assert call.name == spec.name and argument_errors(call.arguments, spec.parameters) == []


def test_strings_come_from_the_request_and_numbers_stay_in_range():
    rng, words = random.Random(0), GOAL.split()
    for _ in range(50):
        assert _random_value({"type": "string"}, rng, words) in GOAL
        assert 3 <= _random_value({"type": "integer", "minimum": 3, "maximum": 5}, rng, words) <= 5
        assert _random_value({"type": "integer", "maximum": -2}, rng, words) == -2
        assert _random_value({"type": "number", "minimum": 100}, rng, words) >= 100
        assert _random_value({"enum": ["a", 2]}, rng, words) in ("a", 2)


def test_it_uses_different_tools_and_optional_arguments():
    tools = catalog()[:8]
    calls = [_ask(tools, episode=f"e{i}").calls[0] for i in range(60)]
    assert len({call.name for call in calls}) == 8
    assert len({tuple(call.arguments) for call in calls if call.name == calls[0].name}) > 1


def test_it_ends_after_one_to_four_turns_and_plays_the_same_game_twice():
    def play(seed):
        trajectory = asyncio.run(run_episode(RandomModel(), StubEnv(), make_task(), eta=bare_eta(), seed=seed))
        assert trajectory.stop is StopReason.FINISHED
        return [step.text for step in trajectory.steps]

    games = [play(seed) for seed in range(20)]
    assert {len(game) - 1 for game in games} == {1, 2, 3, 4}
    assert games == [play(seed) for seed in range(20)]
    assert len({tuple(game) for game in games}) > 10


def test_without_tools_it_only_replies():
    assert _ask([]).text == "Done."
