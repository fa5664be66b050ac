"""Models without weights: an expert that plays a script, one that gives up at once, and one that talks garbage.

They are product code: collection uses the expert, and every loop is tried against the other two.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from qpa.chat import render_action
from qpa.contract import Action, GenerateReply, GenerateRequest, ModelFailure, TaskSpec

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
