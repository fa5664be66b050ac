"""Closed sets and the strict base record of the contract."""

from __future__ import annotations

import enum

import msgspec

SCHEMA_VERSION = 1


class ContractError(ValueError):
    """A record that does not follow the contract; the message names the JSON path and the reason."""


class Record(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=False):
    """Base of every contract type: unknown fields are errors, JSON and MessagePack."""


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
    """Which pool a task belongs to. The unseen families, tools and apps have no train, dev or evolve instance."""

    TRAIN = "train"
    DEV = "dev"
    EVOLVE = "evolve"
    TEST_UNSEEN_INSTANCE = "test_unseen_instance"
    TEST_UNSEEN_FAMILY = "test_unseen_family"
    TEST_UNSEEN_TOOL = "test_unseen_tool"
    TEST_UNSEEN_APP = "test_unseen_app"


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
