"""The seams: environments, models and verifiers are Protocols, handed in by `launch`."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from qpa.contract.actions import Feedback, Message, ToolCall, ToolSpec
from qpa.contract.base import Record
from qpa.contract.tasks import Evidence, TaskSpec, Verdict
from qpa.contract.trajectory import Trajectory


class GenerateRequest(Record):
    """One model call. Token-native models read `prompt_ids` (the whole context); others read `messages` and `tools`.

    `episode` keys KV-cache reuse and the random stream: same (`episode`, `turn`, `seed`) gives the same tokens.
    The fields after `time_left_s` are for token-native models; remote ones pass on the three limits only.
    """

    episode: str
    turn: int
    messages: list[Message]
    tools: list[ToolSpec]
    prompt_ids: list[int] = msgspec.field(default_factory=list)
    max_tokens: int = 256
    temperature: float = 1.0
    seed: int = 0
    time_left_s: float | None = None  # until the episode's deadline; None: no limit
    top_p: float = 1.0  # smallest set of likeliest ids that has this probability; 1: all
    top_k: int = 0  # that many likeliest ids; 0: all
    min_p: float = 0.0  # ids at least this likely, as a share of the likeliest; 0: all
    stop_ids: list[list[int]] = msgspec.field(
        default_factory=list
    )  # id sequences that end the reply, as stop tokens do
    raw_log_probs: bool = False  # also report log-probs at temperature 1 without limits
    constrain: str = ""  # "tools": every tool call names one of `tools`, with arguments that fit its schema


class GenerateDelta(Record):
    """What a stream has newly sampled. The ids of all deltas are the reply's, and so is their text.

    Text comes when it is certain: whole characters, whole special tokens, and no beginning of a stop sequence.
    """

    token_ids: list[int]
    text: str


class GenerateReply(Record):
    """What a model answered. Scripted and remote models leave the token fields empty.

    `log_probs` are those of the distribution sampled from, after temperature, limits and constraint.

    A model that counts tokens elsewhere (an endpoint's usage) says so in `output_tokens`, which include
    `thinking_tokens`; None means not reported.
    """

    text: str
    token_ids: list[int] = msgspec.field(default_factory=list)
    log_probs: list[float] = msgspec.field(default_factory=list)
    finish: str = "stop"  # stop | length | context
    policy_version: int = 0
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    raw_log_probs: list[float] = msgspec.field(default_factory=list)  # of log_softmax(logits), if asked for


class Session(Protocol):
    """A live episode.

    Two further attributes may be there: `backend`, the name to record where an environment has several, and `notes`
    (text by key), what the backend wants the record's provenance to say.
    """

    id: str
    task: TaskSpec


class Env(Protocol):
    """A backend. All methods may raise `EnvFailure`; a tool's own error is a `Feedback`, never an exception."""

    def catalog(self) -> list[ToolSpec]: ...

    async def reset(self, task: TaskSpec) -> Any: ...

    async def step(self, session: Any, calls: Sequence[ToolCall]) -> list[Feedback]: ...

    async def verify(self, session: Any, trajectory: Trajectory) -> Verdict: ...

    async def close(self, session: Any) -> None: ...


class ChatModel(Protocol):
    """Answers one request; implementations batch across callers, call a remote endpoint, or are scripted."""

    name: str

    async def generate(self, request: GenerateRequest) -> GenerateReply: ...


class Verifier(Protocol):
    """Pure function of task, evidence and trajectory."""

    def verify(self, task: TaskSpec, evidence: Evidence, trajectory: Trajectory) -> Verdict: ...


class FailureCause(enum.StrEnum):
    """Why a backend could not serve an episode; decides whether another try, or another place, can help."""

    BACKEND = "backend"  # it broke; the same request may break it again
    TRANSIENT = "transient"  # a later try may succeed
    CAPACITY = "capacity"  # no free place now
    DEADLINE = "deadline"  # no answer in time; a step may or may not have run
    CONNECTION = "connection"  # the server or device is gone
    LEASE = "lease"  # the session is closed, expired, or another holder's
    UNSUPPORTED = "unsupported"  # this backend cannot play this task
    REQUEST = "request"  # the other side did not accept what was sent


class EnvFailure(RuntimeError):  # noqa: N818 - a named ending, mirrored by StopReason.ENV_FAILURE
    """The backend itself broke; the episode is invalid, never a failed task."""

    def __init__(self, message: str, cause: FailureCause = FailureCause.BACKEND):
        super().__init__(message)
        self.cause = cause


class ModelFailure(RuntimeError):  # noqa: N818 - a named ending, mirrored by StopReason.MODEL_FAILURE
    """The model service broke; the episode is invalid, never a failed task."""
