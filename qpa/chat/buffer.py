"""Token-in-token-out: the exact ids a model saw and sampled, with the mask of what it may be trained on.

Sampled ids are kept as sampled and only appended to; new environment messages are the only thing that is rendered and
encoded. Position i of every list belongs to the token `ids[i]` itself (not to the prediction made there), so a trainer
shifts ids, mask and log-probs together.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from qpa.chat.markers import IM_END
from qpa.chat.template import Special, check_family, reply_segments, segments
from qpa.contract import Message, ToolSpec, Trajectory

if TYPE_CHECKING:
    from qpa.chat.tokenizer import Tokenizer

ENVIRONMENT = -1  # the version of tokens that no policy sampled


@dataclasses.dataclass(frozen=True)
class ChatFormat:
    """How messages become ids: a tokenizer, a family, and whether thoughts are kept.

    Raises:
      ValueError: unknown family, or a tokenizer whose pad equals its end of turn (a real end would look like filler).
    """

    tokenizer: Tokenizer
    family: str = "qwen3"
    thinking: bool = True

    def __post_init__(self) -> None:
        check_family(self.family)
        if self.tokenizer.pad_id == self.tokenizer.eos_id:
            raise ValueError(
                f"pad and end of turn are both id {self.tokenizer.eos_id}; use a tokenizer with its own pad"
            )

    def encode_messages(
        self, messages: Sequence[Message], tools: Sequence[ToolSpec] = (), *, add_generation_prompt: bool = False
    ) -> list[int]:
        """Ids of `render(messages, tools, ...)`; no text in a message can become a special token."""
        return self._encode(
            segments(
                messages,
                tools,
                self.family,
                thinking=self.thinking,
                add_generation_prompt=add_generation_prompt,
            )
        )

    def encode_reply(self, text: str) -> list[int]:
        """Ids a model would have sampled for an assistant's text, without the end of turn."""
        return self._encode(reply_segments(text, thinking=self.thinking))

    def _encode(self, parts: Sequence[str]) -> list[int]:
        ids: list[int] = []
        for part in _as_text(parts, self.tokenizer.plain_markers):
            if isinstance(part, Special):
                ids.append(self.tokenizer.special_id(part))
            else:
                ids += self.tokenizer.encode(part)
        return ids


def _as_text(parts: Sequence[str], markers: frozenset[str]) -> Sequence[str]:
    """The parts with `markers` as ordinary text, joined to their neighbours as one text, as the model was trained."""
    if not markers:
        return parts
    out: list[str] = []
    joins = False  # the last part was a marker
    for part in parts:
        plain = part in markers if isinstance(part, Special) else True
        if plain and out and not isinstance(out[-1], Special) and (joins or isinstance(part, Special)):
            out[-1] += str(part)
        else:
            out.append(str(part) if plain else part)
        joins = plain and isinstance(part, Special)
    return out


class TokenBuffer:
    """The context of one episode as equal-length lists `ids`, `mask`, `log_probs`, `versions`.

    `mask` is 1 for tokens sampled by a policy under exactly this prefix. Environment tokens have mask 0, log-prob 0.0
    and version `ENVIRONMENT`. One mask serves the policy gradient, KL, ratios and the length T_i = sum(mask).
    """

    def __init__(self, format: ChatFormat) -> None:
        self.format = format
        self.ids: list[int] = []
        self.mask: list[int] = []
        self.log_probs: list[float] = []
        self.versions: list[int] = []
        self._turn_start: int | None = None  # where the open assistant turn's own tokens begin

    def extend(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec] | None = None,
        add_generation_prompt: bool = True,
    ) -> list[int]:
        """Appends new environment messages (mask 0) and returns the ids appended.

        An open assistant turn is closed first: `<|im_end|>` if it was not sampled, then always the newline.

        Args:
          messages: only what is new. A run of tool messages must come in one call, it is one turn.
          tools: initially visible tools, only in the first call.
          add_generation_prompt: open the next assistant turn.

        Raises:
          ValueError: tools after the first call (the system block cannot change under sampled tokens).
        """
        if tools and self.ids:
            raise ValueError("tools are rendered once, in the first call; add later ones inside a tool message")
        new = self._closing()
        new += self.format.encode_messages(messages, tools or (), add_generation_prompt=add_generation_prompt)
        self.append_environment(new)
        self._turn_start = len(self.ids) if add_generation_prompt else None
        return new

    def append_environment(self, ids: Sequence[int]) -> None:
        """Appends ids that were recorded as a prompt (closing of the last turn and generation prompt included)."""
        self._append(ids, [0] * len(ids), [0.0] * len(ids), ENVIRONMENT)
        self._turn_start = len(self.ids)

    def sampled(self, ids: Sequence[int], log_probs: Sequence[float], version: int = 0) -> None:
        """Appends what a policy sampled; a resumed turn may come in several calls.

        Ids after the first end of turn are filler of a finished row: they stay in place with mask 0.

        Args:
          ids: sampled ids, with the end of turn if it was sampled.
          log_probs: one per id, in nats, under the sampling policy; empty if it has none (a scripted expert).
          version: the policy's version.

        Raises:
          ValueError: the lengths differ.
        """
        log_probs = log_probs or [0.0] * len(ids)
        if len(log_probs) != len(ids):
            raise ValueError(f"{len(ids)} sampled ids but {len(log_probs)} log-probs; give one per id")
        if self._turn_start is None:
            self._turn_start = len(self.ids)
        eos = self.format.tokenizer.eos_id
        ended = eos in self.ids[self._turn_start :]
        own = 0 if ended else list(ids).index(eos) + 1 if eos in ids else len(ids)
        self._append(ids, [1] * own + [0] * (len(ids) - own), log_probs, version)

    def rewrite(self, ids: Sequence[int]) -> None:
        """Replaces the context, e.g. after old turns were summarised away.

        A token keeps its mask, log-prob and version only inside the common prefix: a log-prob that was computed under
        another prefix is worth nothing.
        """
        same = 0
        while same < min(len(ids), len(self.ids)) and ids[same] == self.ids[same]:
            same += 1
        for column in (self.ids, self.mask, self.log_probs, self.versions):
            del column[same:]
        self.append_environment(ids[same:])

    def unmask_from(self, start: int) -> None:
        """Excludes all tokens from position `start` on from training; they stay in the context."""
        self.mask[start:] = [0] * (len(self.mask) - start)

    def _closing(self) -> list[int]:
        if self._turn_start is None:
            return []
        eos = self.format.tokenizer.eos_id
        end = [] if eos in self.ids[self._turn_start :] else [self.format.tokenizer.special_id(IM_END)]
        return end + self.format.tokenizer.encode("\n")

    def _append(self, ids: Sequence[int], mask: Sequence[int], log_probs: Sequence[float], version: int) -> None:
        self.ids += ids
        self.mask += mask
        self.log_probs += log_probs
        self.versions += [version] * len(ids)


def trajectory_tokens(
    trajectory: Trajectory, format: ChatFormat, tools: Sequence[ToolSpec]
) -> tuple[list[int], list[int], list[float]]:
    """Ids, mask and log-probs of a finished episode, for SFT and RL alike (equal lengths).

    Steps with recorded tokens are concatenated exactly. Scripted steps are rendered, and yield the ids that a model
    which generates their texts would have been conditioned on and would have sampled, end of turn included. Turns in
    E_i of Eq. 4 (`step.erroneous`) stay in the context with mask 0.

    Args:
      trajectory: the episode; step 0 observes the system message and the goal.
      format: tokenizer, family and thinking mode.
      tools: initially visible tools; used only if step 0 has no recorded tokens.
    """
    buffer = TokenBuffer(format)
    eos = format.tokenizer.eos_id
    for i, step in enumerate(trajectory.steps):
        if step.token_ids or step.prompt_ids:
            buffer.append_environment(step.prompt_ids)
            start = len(buffer.ids)
            buffer.sampled(step.token_ids, step.log_probs, step.policy_version)
        else:
            buffer.extend(step.observation, tools if i == 0 else None)
            start = len(buffer.ids)
            buffer.sampled([*format.encode_reply(step.text), eos], [], step.policy_version)
        if step.erroneous:
            buffer.unmask_from(start)
    return buffer.ids, buffer.mask, buffer.log_probs
