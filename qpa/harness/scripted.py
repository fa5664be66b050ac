"""Models without weights: an expert that plays a script, one that gives up at once, one that talks garbage, and one
that calls random tools.

They are product code: collection uses the expert, every loop is tried against the others, and what they score is the
floor of a benchmark.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from qpa.chat import render_action
from qpa.contract import Action, CallTools, GenerateReply, GenerateRequest, ModelFailure, Role, TaskSpec, ToolCall

_FRAGMENTS = (
    "<tool_call>",
    "</tool_call>",
    '{"name": "',
    '"arguments": {',
    "}}",
    "<think>",
    "</think>",
    "<|im_end|>",
    "[[[",
    "\\ud800",
    "闹钟",
    "\x00",
    "null",
    " \n",
)
_MAX_TURNS = 4  # with calls, of the random model
_MAX_PHRASE = 4  # words in a random string
_MAX_ITEMS = 2  # in a random list
_MAX_NUMBER = 60  # where a schema sets no maximum


class ScriptedModel:
    """Plays `actions_for(task)` one action per turn, rendered in the family's format; after the last one: "Done.".

    Args:
      actions_for: the script of a task; asked once per episode.
      family: chat family of the texts, so that a recorded episode trains a model of that family.
    """

    def __init__(
        self, actions_for: Callable[[TaskSpec], Sequence[Action]], *, name: str = "scripted", family: str = "compact"
    ) -> None:
        self.name = name
        self.family = family
        self._actions_for = actions_for
        self._scripts: dict[str, Sequence[Action]] = {}

    def begin_episode(self, episode: str, task: TaskSpec) -> None:
        """Called by the runtime before the first turn."""
        self._scripts[episode] = self._actions_for(task)

    def release(self, episode: str) -> None:
        """Called by the runtime after the episode."""
        self._scripts.pop(episode, None)

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """The scripted action of this turn; raises ModelFailure outside of an episode."""
        script = self._scripts.get(request.episode)
        if script is None:
            raise ModelFailure(f"no script for episode {request.episode}: call begin_episode first")
        if request.turn >= len(script):
            return GenerateReply(text="Done.")
        return GenerateReply(text=render_action(script[request.turn], self.family))


class NullModel:
    """Claims success at once: the lower bound that no benchmark may reward."""

    def __init__(self, *, family: str = "compact") -> None:
        self.name = "null"
        self.family = family

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        return GenerateReply(text="Done.")


class GarbageModel:
    """Broken tags, broken JSON and broken Unicode for ever; the same (seed, episode, turn) gives the same garbage."""

    def __init__(self, seed: int = 0, *, family: str = "compact") -> None:
        self.name = f"garbage-{seed}"
        self.family = family
        self._seed = seed

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        rng = random.Random(f"{self._seed}/{request.seed}/{request.episode}/{request.turn}")
        noise = "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x110000)))) for _ in range(8))
        return GenerateReply(text="<tool_call>" + "".join(rng.choices(_FRAGMENTS, k=rng.randrange(1, 12))) + noise)


class RandomModel:
    """Calls one random visible tool a turn, with random arguments that its schema allows, for one to four turns.

    Strings are runs of words of the request. The same (seed, episode, turn) gives the same call.
    """

    def __init__(self, seed: int = 0, *, family: str = "compact") -> None:
        self.name = f"random-{seed}"
        self.family = family
        self._seed = seed

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        key = f"{self._seed}/{request.seed}/{request.episode}"
        if not request.tools or request.turn >= random.Random(key).randint(1, _MAX_TURNS):
            return GenerateReply(text="Done.")
        rng = random.Random(f"{key}/{request.turn}")
        spec = rng.choice(request.tools)
        said = [message.content for message in request.messages if message.role is Role.USER]
        arguments = _random_object(spec.parameters, rng, " ".join(said[-1:]).split() or ["it"])
        call = ToolCall(id="", name=spec.name, arguments=arguments)
        return GenerateReply(text=render_action(CallTools(calls=[call]), self.family))


def _random_object(schema: Mapping[str, Any], rng: random.Random, words: Sequence[str]) -> dict[str, Any]:
    required = schema.get("required", ())
    properties = schema.get("properties", {})
    return {
        name: _random_value(value, rng, words)
        for name, value in properties.items()
        if name in required or rng.random() < 0.5
    }


def _random_value(schema: Mapping[str, Any], rng: random.Random, words: Sequence[str]) -> Any:
    if "enum" in schema:
        return rng.choice(schema["enum"])
    low = schema.get("minimum", min(0, schema.get("maximum", 0)))
    high = schema.get("maximum", max(low, _MAX_NUMBER))
    match schema.get("type"):
        case "integer":
            return rng.randint(low, high)
        case "number":
            return round(rng.uniform(low, high), 2)
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [_random_value(schema.get("items", {}), rng, words) for _ in range(rng.randint(1, _MAX_ITEMS))]
        case "object":
            return _random_object(schema, rng, words)
    start = rng.randrange(len(words))
    return " ".join(words[start : start + rng.randint(1, _MAX_PHRASE)])
