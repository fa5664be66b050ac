"""The scripted expert: an oracle's actions as assistant texts, in a persona, now and then with a recovered mistake."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qpa.chat.template import render_action
from qpa.contract import (
    Action,
    CallTools,
    GenerateReply,
    GenerateRequest,
    ModelFailure,
    Reply,
    TaskSpec,
    ToolSpec,
)
from qpa.flywheel.personas import Persona, redundant_read, think, think_read, wordy
from qpa.flywheel.slips import SlipKind, slips_for

READ_RATE = 0.35  # of a careful rollout's blocks that allow one
EXPERT = "scripted:expert"


@dataclass(frozen=True)
class Script:
    """What the expert will say, turn by turn. `slip_turn` is the turn of the injected mistake, -1 without one."""

    texts: tuple[str, ...]
    persona: Persona
    slip: SlipKind | None = None
    slip_turn: int = -1


def write_script(
    task: TaskSpec,
    actions: Sequence[Action],
    specs: Mapping[str, ToolSpec],
    *,
    family: str,
    persona: Persona,
    slip: bool,
    rng: random.Random,
    avoid: frozenset[SlipKind] = frozenset(),
) -> Script:
    """Texts for one rollout. With `slip`, one mistake not in `avoid` comes before a random call, if any fits."""
    at, kind, slip_text = _choose_slip(task, actions, specs, family, rng, avoid) if slip else (-1, None, "")
    faulted = frozenset(f.tool for f in task.initial.faults)
    texts: list[str] = []
    slip_turn = -1
    for turn, action in enumerate(actions):
        if turn == at:
            slip_turn = len(texts)
            texts.append(slip_text)
        elif persona is Persona.CAREFUL and isinstance(action, CallTools):
            read = redundant_read(action, specs, faulted)
            if read and rng.random() < READ_RATE:
                texts.append(render_action(CallTools(calls=[read], thought=think_read(read, rng)), family))
        if persona is Persona.CAREFUL:
            action = _careful(action, task, specs, rng, first=not texts, recovering=turn == at)
        texts.append(render_action(action, family))
    return Script(tuple(texts), persona, kind, slip_turn)


def _careful(
    action: Action, task: TaskSpec, specs: Mapping[str, ToolSpec], rng: random.Random, *, first: bool, recovering: bool
) -> Action:
    if isinstance(action, Reply):
        return wordy(action, rng)
    thought = think(action, task, specs, rng, first=first, recovering=recovering)
    return CallTools(calls=action.calls, thought=thought)


def _choose_slip(
    task: TaskSpec,
    actions: Sequence[Action],
    specs: Mapping[str, ToolSpec],
    family: str,
    rng: random.Random,
    avoid: frozenset[SlipKind],
) -> tuple[int, SlipKind | None, str]:
    turns = [i for i, a in enumerate(actions) if isinstance(a, CallTools)]
    rng.shuffle(turns)
    for turn in turns:
        options = {k: t for k, t in slips_for(task, actions, turn, specs, family, rng).items() if k not in avoid}
        if options:
            kind = rng.choice(sorted(options))
            return turn, kind, options[kind]
    return -1, None, ""


class ExpertModel:
    """A `ChatModel` that reads one script; raises `ModelFailure` when asked beyond its end.

    `family` is the chat family of the script's texts; the runtime formats tool messages accordingly.
    """

    def __init__(self, script: Script, family: str) -> None:
        self.name = EXPERT
        self.family = family
        self._texts = script.texts

    async def generate(self, request: GenerateRequest) -> GenerateReply:
        """The script's text for `request.turn`."""
        if request.turn >= len(self._texts):
            raise ModelFailure(f"the script of {request.episode} ends before turn {request.turn}")
        return GenerateReply(text=self._texts[request.turn])
