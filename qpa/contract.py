"""The action-feedback-verification contract that every room of `qpa` speaks.

One vocabulary for collection, RL, evaluation and serving: a `TaskSpec` says *what* is wanted, an `Env` turns
`ToolCall`s into `Feedback`, a `Verifier` turns `Evidence` into a `Verdict`, and a `Trajectory` keeps all of it.
Decoding is strict: unknown fields and wrong types raise `ContractError` with the path of the offending value.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

import msgspec

SCHEMA_VERSION = 1


class ContractError(ValueError):
    """A record that does not follow the contract; the message names the JSON path and the reason."""


class Record(msgspec.Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=False):
    """Base of every contract type: strict, keyword-only, JSON and MessagePack."""


# --- closed sets ---------------------------------------------------------------------------------------------------


class Effect(enum.StrEnum):
    """What calling a tool can change; declared by the tool, trusted by approval and retry policies."""

    READ = "read"
    REVERSIBLE = "reversible"
    IRREVERSIBLE = "irreversible"
    EXTERNAL = "external"


class ToolKind(enum.StrEnum):
    """The four action interfaces of the benchmark protocol (all are function calls)."""

    DIRECT = "direct"
    SUBAGENT = "subagent"
    MEMORY = "memory"
    SKILL = "skill"


class ErrorType(enum.StrEnum):
    """Closed set of reasons why a call failed."""

    INVALID_ARGUMENT = "invalid_argument"
    UNKNOWN_TOOL = "unknown_tool"
    PERMISSION_DENIED = "permission_denied"
    NOT_FOUND = "not_found"
    CONFLICT = "conflict"
    UNAVAILABLE = "unavailable"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


ERROR_CODES: dict[ErrorType, int] = {
    ErrorType.INVALID_ARGUMENT: 400,
    ErrorType.UNKNOWN_TOOL: 404,
    ErrorType.PERMISSION_DENIED: 403,
    ErrorType.NOT_FOUND: 404,
    ErrorType.CONFLICT: 409,
    ErrorType.UNAVAILABLE: 503,
    ErrorType.TIMEOUT: 504,
    ErrorType.INTERNAL: 500,
}


class Intent(enum.StrEnum):
    """Why the planner replied in words instead of calling tools."""

    FINISH = "finish"
    ASK = "ask"
    REFUSE = "refuse"


class Dimension(enum.StrEnum):
    """The four scored dimensions of the benchmark."""

    TOOL = "tool"
    MEMORY = "memory"
    SKILL = "skill"
    SUBAGENT = "subagent"


class Split(enum.StrEnum):
    """Which pool a task belongs to. `test_unseen_family` holds families with no train or dev instance."""

    TRAIN = "train"
    DEV = "dev"
    EVOLVE = "evolve"
    TEST_UNSEEN_INSTANCE = "test_unseen_instance"
    TEST_UNSEEN_FAMILY = "test_unseen_family"


class StopReason(enum.StrEnum):
    """Every way an episode can end. `env_failure` and `model_failure` are infrastructure, never a failed task."""

    FINISHED = "finished"
    ASKED = "asked"
    REFUSED = "refused"
    VERIFIED = "verified"
    TURN_LIMIT = "turn_limit"
    TOKEN_LIMIT = "token_limit"
    CONTEXT_LIMIT = "context_limit"
    DEADLINE = "deadline"
    ENV_FAILURE = "env_failure"
    MODEL_FAILURE = "model_failure"
    CANCELLED = "cancelled"


INFRASTRUCTURE_STOPS = frozenset({StopReason.ENV_FAILURE, StopReason.MODEL_FAILURE, StopReason.CANCELLED})


class Role(enum.StrEnum):
    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


# --- tools, actions, feedback --------------------------------------------------------------------------------------


class ToolSpec(Record):
    """A callable tool as the planner sees it, plus what the harness must know about it."""

    name: str
    description: str
    parameters: dict[str, Any]  # JSON Schema of type object
    domain: str = ""
    kind: ToolKind = ToolKind.DIRECT
    effect: Effect = Effect.READ
    permission: str | None = None  # Android-like permission that must be granted, else 403


class ToolCall(Record):
    """One function call; `id` is unique within its trajectory."""

    id: str
    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class Message(Record):
    """Canonical chat message: what templates render and remote endpoints receive."""

    role: Role
    content: str = ""
    thought: str = ""  # assistant only
    calls: list[ToolCall] = msgspec.field(default_factory=list)  # assistant only
    call_id: str | None = None  # tool only: the call this answers
    name: str | None = None  # tool only


class CallTools(Record, tag_field="type", tag="call_tools"):
    """Several calls form one parallel block; memory, skills and sub-agents are calls too."""

    calls: list[ToolCall]
    thought: str = ""


class Reply(Record, tag_field="type", tag="reply"):
    """A plain message to the person; ends the episode."""

    text: str
    intent: Intent = Intent.FINISH
    thought: str = ""


Action = CallTools | Reply


class Feedback(Record):
    """What came back for one call. `payload` is the published envelope, exactly as rendered to the planner."""

    call_id: str
    name: str
    ok: bool
    payload: dict[str, Any]
    error_type: ErrorType | None = None
    code: int = 200
    latency_ms: float = 0.0
    loaded_tools: list[ToolSpec] = msgspec.field(default_factory=list)  # a skill loader's expansion (Eq. 4 of B2)


# --- tasks and verification ----------------------------------------------------------------------------------------


class Limits(Record):
    """Execution budget of one episode; turns are assistant turns, tokens are generated tokens."""

    turns: int = 15
    output_tokens: int = 1024
    context_tokens: int = 4096
    deadline_s: float = 120.0


class Fault(Record):
    """A scripted runtime error: calls `first..first+count-1` (0-based, per tool) of `tool` fail with `error_type`.

    With `error_type` TIMEOUT and `hang_s` > 0 the backend really sleeps, so the caller's deadline is exercised.
    """

    tool: str
    error_type: ErrorType
    message: str = ""
    first: int = 0
    count: int = 1
    hang_s: float = 0.0


class InitialState(Record):
    """Where an episode starts: a seeded world plus a patch. The clock is the task's own."""

    world_seed: int = 0
    clock: str = "2025-01-15T09:00:00"  # local wall time of the frozen clock, ISO 8601
    patch: dict[str, list[dict[str, Any]]] = msgspec.field(default_factory=dict)  # table -> rows upserted by key
    denied_permissions: list[str] = msgspec.field(default_factory=list)
    faults: list[Fault] = msgspec.field(default_factory=list)


class Resources(Record):
    """What the planner may use: direct tools, skill loaders (ids in kebab case)."""

    tools: list[str] = msgspec.field(default_factory=list)
    skills: list[str] = msgspec.field(default_factory=list)


class RowChange(Record):
    """One row-level difference between the final and the initial state.

    `key` holds the primary key columns, `old`/`new` the changed columns (whole row for insert and delete).
    """

    table: str
    op: str  # insert | update | delete
    key: dict[str, Any] = msgspec.field(default_factory=dict)
    old: dict[str, Any] = msgspec.field(default_factory=dict)
    new: dict[str, Any] = msgspec.field(default_factory=dict)


class Operation(Record):
    """One line of the operation log O_t (audit trail of the sandbox)."""

    index: int
    call_id: str
    tool: str
    arguments: dict[str, Any]
    ok: bool
    code: int = 200
    at: str = ""


class ToolStep(Record):
    """An annotated call of the tool checker. `arguments` values are compared after normalisation."""

    name: str
    arguments: dict[str, Any] = msgspec.field(default_factory=dict)


class ToolCriteria(Record, tag_field="checker", tag="tool"):
    """Bucket 1: names, order, argument fields and normalised values; extraneous side-effect calls fail."""

    steps: list[ToolStep]


class StateCriteria(Record, tag_field="checker", tag="state"):
    """Bucket 2: the changeset equals `delta` (generated ids and timestamps masked), and nothing else was written."""

    delta: list[RowChange]


class BehaviorCriteria(Record, tag_field="checker", tag="behavior"):
    """Bucket 3: deterministic predicates over the observable trajectory.

    `routes`: at least one listed call was made; its arguments must contain (case-folded) each of `payload` terms.
    `intent`: the final reply must have this intent; `mentions`: each group needs one of its terms in the reply.
    `forbidden`: effects that must not have happened (`write` = any row change).
    """

    routes: list[ToolStep] = msgspec.field(default_factory=list)
    payload: list[str] = msgspec.field(default_factory=list)
    intent: Intent | None = None
    mentions: list[list[str]] = msgspec.field(default_factory=list)
    reads: list[str] = msgspec.field(default_factory=list)  # tools that must have been called successfully first
    allow_writes: bool = False


Criteria = ToolCriteria | StateCriteria | BehaviorCriteria


class TaskSpec(Record):
    """An executable task: what is wanted, where it starts, what counts as done. Never one reference trajectory."""

    id: str
    goal: str
    criteria: Criteria
    dimension: Dimension
    domain: str
    family: str
    split: Split
    history: list[Message] = msgspec.field(default_factory=list)
    resources: Resources = msgspec.field(default_factory=Resources)
    initial: InitialState = msgspec.field(default_factory=InitialState)
    capabilities: list[str] = msgspec.field(default_factory=list)
    required_memories: list[str] = msgspec.field(default_factory=list)  # M*_q of Eq. 8; empty = no gate
    required_skills: list[str] = msgspec.field(default_factory=list)  # s*_q of Eq. 11; empty = no gate
    difficulty: int = 1  # gold calls, 1 = a single call
    limits: Limits = msgspec.field(default_factory=Limits)
    schema_version: int = SCHEMA_VERSION


class Check(Record):
    """One named predicate of a verdict."""

    name: str
    passed: bool
    detail: str = ""


class Verdict(Record):
    """Outcome of verification. `progress` in [0, 1] is CARE's verified progress R_prog."""

    success: bool
    progress: float
    checks: list[Check] = msgspec.field(default_factory=list)
    gates: list[Check] = msgspec.field(default_factory=list)


class Evidence(Record):
    """xi of Eq. 3: backend records the verifier may see and the policy need not."""

    changes: list[RowChange] = msgspec.field(default_factory=list)
    operations: list[Operation] = msgspec.field(default_factory=list)


# --- trajectories --------------------------------------------------------------------------------------------------


class Cost(Record):
    """Execution cost. `output_tokens` includes thinking; `thinking_tokens` is its part inside <think>."""

    output_tokens: int = 0
    thinking_tokens: int = 0
    prompt_tokens: int = 0
    tool_calls: int = 0
    turns: int = 0
    wall_s: float = 0.0
    model_s: float = 0.0
    env_s: float = 0.0
    by_tool: dict[str, int] = msgspec.field(default_factory=dict)


class Step(Record):
    """One assistant turn: what was added to the context, what was sampled, what came back.

    `prompt_ids` are the environment tokens appended before this turn (mask 0), `token_ids` the sampled ones (mask 1,
    with `log_probs` under the behaviour policy). Concatenated over steps they are the exact model context.
    """

    index: int
    observation: list[Message]
    text: str
    action: Action
    feedback: list[Feedback] = msgspec.field(default_factory=list)
    parse_errors: list[str] = msgspec.field(default_factory=list)
    notices: list[str] = msgspec.field(default_factory=list)
    prompt_ids: list[int] = msgspec.field(default_factory=list)
    token_ids: list[int] = msgspec.field(default_factory=list)
    log_probs: list[float] = msgspec.field(default_factory=list)
    policy_version: int = 0
    erroneous: bool = False  # in E_i of Eq. 4: stays in context, not supervised


class Provenance(Record):
    """Where a record came from."""

    source: str = ""  # e.g. scripted:expert, rl, eval
    seed: int = 0
    created_at: str = ""
    notes: dict[str, str] = msgspec.field(default_factory=dict)


class Trajectory(Record):
    """One finished episode. `valid=False` marks an invalid record, which is not a failed task."""

    task: TaskSpec
    steps: list[Step]
    stop: StopReason
    backend: str = "sandbox"
    policy: str = ""
    policy_versions: list[int] = msgspec.field(default_factory=list)
    harness_version: str = ""
    tools: list[str] = msgspec.field(default_factory=list)  # visible at the end
    verdict: Verdict | None = None
    cost: Cost = msgspec.field(default_factory=Cost)
    valid: bool = True
    invalid_reason: str = ""
    retrieved_memories: list[str] = msgspec.field(default_factory=list)
    loaded_skills: list[str] = msgspec.field(default_factory=list)
    provenance: Provenance = msgspec.field(default_factory=Provenance)
    schema_version: int = SCHEMA_VERSION


class Skill(Record):
    """A parsed SKILL.md package (agentskills.io fields; versions live in `metadata`)."""

    name: str
    description: str
    instructions: str
    tools: list[str] = msgspec.field(default_factory=list)
    version: str = "1.0"
    metadata: dict[str, str] = msgspec.field(default_factory=dict)


# --- Protocols -----------------------------------------------------------------------------------------------------


class GenerateRequest(Record):
    """One model call. Token-native models read `prompt_ids` (the whole context); others read `messages` and `tools`.

    `episode` keys KV-cache reuse and the random stream: same (`episode`, `turn`, `seed`) gives the same tokens.
    """

    episode: str
    turn: int
    messages: list[Message]
    tools: list[ToolSpec]
    prompt_ids: list[int] = msgspec.field(default_factory=list)
    max_tokens: int = 256
    temperature: float = 1.0
    seed: int = 0


class GenerateReply(Record):
    """What a model answered. Scripted and remote models leave the token fields empty."""

    text: str
    token_ids: list[int] = msgspec.field(default_factory=list)
    log_probs: list[float] = msgspec.field(default_factory=list)
    finish: str = "stop"  # stop | length | context
    policy_version: int = 0


class Session(Protocol):
    """A live episode on a backend."""

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


class EnvFailure(RuntimeError):  # noqa: N818 - a named ending, mirrored by StopReason.ENV_FAILURE
    """The backend itself broke; the episode is invalid, never a failed task."""


class ModelFailure(RuntimeError):  # noqa: N818 - a named ending, mirrored by StopReason.MODEL_FAILURE
    """The model service broke; the episode is invalid, never a failed task."""


# --- strict encoding and decoding ----------------------------------------------------------------------------------

T = TypeVar("T")


def to_json(value: Any) -> bytes:
    """JSON bytes of a contract value (UTF-8, stable field order)."""
    return msgspec.json.encode(value)


def to_msgpack(value: Any) -> bytes:
    """MessagePack bytes of a contract value."""
    return msgspec.msgpack.encode(value)


def from_json(data: bytes | str, type_: type[T]) -> T:
    """Strictly decodes JSON; raises `ContractError` naming the path, e.g. "... - at `$.task.goal`"."""
    try:
        value = msgspec.json.decode(data, type=type_)
    except msgspec.MsgspecError as e:
        raise ContractError(f"not a valid {_name(type_)}: {e}") from None
    except (UnicodeDecodeError, RecursionError) as e:
        raise ContractError(f"not a valid {_name(type_)}: {type(e).__name__}: {e}") from None
    return _check_version(value, type_)


def from_msgpack(data: bytes, type_: type[T]) -> T:
    """Strictly decodes MessagePack; raises `ContractError` naming the path."""
    try:
        value = msgspec.msgpack.decode(data, type=type_)
    except msgspec.MsgspecError as e:
        raise ContractError(f"not a valid {_name(type_)}: {e}") from None
    except (UnicodeDecodeError, RecursionError) as e:
        raise ContractError(f"not a valid {_name(type_)}: {type(e).__name__}: {e}") from None
    return _check_version(value, type_)


def _check_version(value: T, type_: type[T]) -> T:
    version = getattr(value, "schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise ContractError(
            f"{_name(type_)} has schema_version {version}, this code reads {SCHEMA_VERSION} - at `$.schema_version`"
        )
    return value


def _name(type_: Any) -> str:
    return getattr(type_, "__name__", str(type_))
