"""What the environment server and its clients say to each other: records, operations, error body, wire formats.

One operation is one record. Over HTTP it is the body of `POST /v1/OPERATION`, over the WebSocket a frame whose field
`op` names it; a text frame or `application/json` is JSON, a binary frame or `application/msgpack` MessagePack.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from qpa.contract import (
    SCHEMA_VERSION,
    ContractError,
    EnvFailure,
    FailureCause,
    Feedback,
    Record,
    TaskSpec,
    ToolCall,
    ToolSpec,
    Trajectory,
    Verdict,
)
from qpa.envs.base import Capabilities

PROTOCOL = 1  # of these messages; a server of another one is refused
JSON, MSGPACK = "application/json", "application/msgpack"
MAX_BYTES = 8 * 2**20  # of one message, by default

RequestId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
SessionId = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
Epoch = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=86_400)] | None  # what the caller grants; None: the server's own


class ResetRequest(Record, tag_field="op", tag="reset"):
    """Leases a session at the task's initial state."""

    request_id: RequestId
    task: TaskSpec
    deadline_s: Seconds = None


class StepRequest(Record, tag_field="op", tag="step"):
    """Runs one parallel block of calls."""

    request_id: RequestId
    session: SessionId
    epoch: Epoch
    calls: Annotated[list[ToolCall], msgspec.Meta(max_length=256)]
    deadline_s: Seconds = None


class VerifyRequest(Record, tag_field="op", tag="verify"):
    """Judges the session's state and the trajectory."""

    request_id: RequestId
    session: SessionId
    epoch: Epoch
    trajectory: Trajectory
    deadline_s: Seconds = None


class ForkRequest(Record, tag_field="op", tag="fork"):
    """Leases an independent copy of the session."""

    request_id: RequestId
    session: SessionId
    epoch: Epoch
    deadline_s: Seconds = None


class AdoptRequest(Record, tag_field="op", tag="adopt"):
    """Takes an own session over under a new epoch: whoever held it before is refused from now on."""

    request_id: RequestId
    session: SessionId


class CloseRequest(Record, tag_field="op", tag="close"):
    """Ends the session; closing twice is fine."""

    request_id: RequestId
    session: SessionId
    epoch: Epoch
    deadline_s: Seconds = None


class Lease(Record):
    """A session and the epoch under which it is held."""

    session: SessionId
    epoch: Epoch


class HeartbeatRequest(Record, tag_field="op", tag="heartbeat"):
    """Renews many leases at once; every other call renews its own."""

    request_id: RequestId
    leases: Annotated[list[Lease], msgspec.Meta(max_length=10_000)]


class ListRequest(Record, tag_field="op", tag="list"):
    """The caller's own sessions."""

    request_id: RequestId


class CatalogRequest(Record, tag_field="op", tag="catalog"):
    """The backend's tools."""

    request_id: RequestId


class AboutRequest(Record, tag_field="op", tag="about"):
    """What the backend can do and what the server allows."""

    request_id: RequestId


class SupportsRequest(Record, tag_field="op", tag="supports"):
    """Which of these tasks the backend can play."""

    request_id: RequestId
    tasks: Annotated[list[TaskSpec], msgspec.Meta(max_length=1_000)]


class LeaseAnswer(Record):
    """A held session. `backend` is recorded in the trajectory; without any call for `idle_s` the lease ends."""

    session: str
    epoch: int
    backend: str
    idle_s: float


class StepAnswer(Record):
    feedback: list[Feedback]


class VerifyAnswer(Record):
    verdict: Verdict


class CloseAnswer(Record):
    """`closed` is False if there was nothing to close."""

    closed: bool


class HeartbeatAnswer(Record):
    """The sessions that the caller no longer holds."""

    lost: list[str]


class SessionInfo(Record):
    """One own session; `broken` says why it answers no more, in seconds `age_s` and `idle_s`."""

    session: str
    epoch: int
    task: str
    age_s: float
    idle_s: float
    broken: str = ""


class ListAnswer(Record):
    sessions: list[SessionInfo]


class CatalogAnswer(Record):
    tools: list[ToolSpec]


class AboutAnswer(Record):
    """`deadlines_s` is the longest time of each operation."""

    protocol: int
    capabilities: Capabilities
    max_sessions: int
    idle_s: float
    deadlines_s: dict[str, float]


class SupportsAnswer(Record):
    """One reason per task, "" where it can be played."""

    reasons: list[str]


class ErrorBody(Record):
    """The only form of a refusal. `what` is the operation, field or header that it is about."""

    cause: FailureCause
    message: str
    what: str
    retry_after_s: float | None = None


class Refusal(EnvFailure):
    """An `EnvFailure` with everything that the error body says, and the HTTP status where the cause's is too coarse."""

    def __init__(
        self,
        message: str,
        cause: FailureCause,
        what: str,
        *,
        retry_after_s: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message, cause)
        self.what = what
        self.retry_after_s = retry_after_s
        self.status = status or STATUS[cause]

    def body(self) -> ErrorBody:
        """As it is sent."""
        return ErrorBody(cause=self.cause, message=str(self), what=self.what, retry_after_s=self.retry_after_s)


STATUS: dict[FailureCause, int] = {
    FailureCause.BACKEND: 502,
    FailureCause.TRANSIENT: 503,
    FailureCause.CAPACITY: 503,
    FailureCause.DEADLINE: 504,
    FailureCause.CONNECTION: 502,
    FailureCause.LEASE: 410,
    FailureCause.UNSUPPORTED: 422,
    FailureCause.REQUEST: 400,
}

SessionRequest = StepRequest | VerifyRequest | ForkRequest
Request = (
    ResetRequest
    | StepRequest
    | VerifyRequest
    | ForkRequest
    | AdoptRequest
    | CloseRequest
    | HeartbeatRequest
    | ListRequest
    | CatalogRequest
    | AboutRequest
    | SupportsRequest
)
REQUESTS: dict[str, Any] = {
    "reset": ResetRequest,
    "step": StepRequest,
    "verify": VerifyRequest,
    "fork": ForkRequest,
    "adopt": AdoptRequest,
    "close": CloseRequest,
    "heartbeat": HeartbeatRequest,
    "list": ListRequest,
    "catalog": CatalogRequest,
    "about": AboutRequest,
    "supports": SupportsRequest,
}
OPERATIONS = tuple(REQUESTS)
OPERATION_OF: dict[type, str] = {kind: name for name, kind in REQUESTS.items()}


class AnswerFrame(Record):
    """One answer on the WebSocket: `result` of the operation, or `error`. A frame without id names no known request."""

    request_id: str
    result: msgspec.Raw = msgspec.Raw(b"")
    error: ErrorBody | None = None


class RequestHead(msgspec.Struct):
    """What can still be read of a frame that is not a request."""

    request_id: RequestId = ""


class Codec:
    """One wire format, with reused encoders and decoders."""

    def __init__(self, media_type: str) -> None:
        self.media_type = media_type
        self.is_text = media_type == JSON
        self._library: Any = msgspec.json if self.is_text else msgspec.msgpack
        self.encode: Callable[[Any], bytes] = self._library.Encoder().encode
        self._null = self.encode(None)

    @functools.cache  # noqa: B019 - the two codecs live as long as the process
    def decoder(self, kind: Any) -> Any:
        """The decoder of one type."""
        return self._library.Decoder(kind)

    def decode(self, data: bytes | str, kind: Any) -> Any:
        """A checked record. Raises `ContractError` naming the path of what is wrong."""
        try:
            value = self.decoder(kind).decode(data)
        except msgspec.MsgspecError as e:
            raise ContractError(str(e)) from None
        except (UnicodeError, RecursionError) as e:
            raise ContractError(f"{type(e).__name__}: {e}") from None
        for field in ("task", "trajectory"):
            version = getattr(getattr(value, field, None), "schema_version", SCHEMA_VERSION)
            if version != SCHEMA_VERSION:
                raise ContractError(f"schema_version {version}, want {SCHEMA_VERSION} - at `$.{field}.schema_version`")
        return value

    def answer(self, request_id: str, result: Any = None, error: ErrorBody | None = None) -> bytes:
        """An encoded `AnswerFrame`."""
        raw = msgspec.Raw(self._null if result is None else self.encode(result))
        return self.encode(AnswerFrame(request_id=request_id, result=raw, error=error))


CODECS: dict[str, Codec] = {JSON: Codec(JSON), MSGPACK: Codec(MSGPACK)}


def fingerprint(request: Any) -> bytes:
    """16 bytes that tell requests of different content apart, whatever the wire format and the time granted."""
    parts = [getattr(request, name) for name in request.__struct_fields__ if name != "deadline_s"]
    try:
        encoded = msgspec.json.encode([OPERATION_OF[type(request)], *parts])
    except (TypeError, ValueError, OverflowError, RecursionError) as e:
        raise Refusal(f"not JSON-like: {e}", FailureCause.REQUEST, OPERATION_OF[type(request)]) from None
    return hashlib.blake2b(encoded, digest_size=16).digest()


def without_tokens(trajectory: Trajectory) -> Trajectory:
    """The trajectory as a verifier reads it: token ids and log-probs, most of its bytes, stay with the caller."""
    steps = [msgspec.structs.replace(s, prompt_ids=[], token_ids=[], log_probs=[]) for s in trajectory.steps]
    return msgspec.structs.replace(trajectory, steps=steps)
