"""Tasks and verification: what is wanted, where it starts, what counts as done."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from qpa.contract.actions import Message
from qpa.contract.base import SCHEMA_VERSION, Dimension, ErrorType, Intent, Record, Split


class Limits(Record):
    """Execution budget of one episode; turns are assistant turns, tokens are generated tokens."""

    turns: int = 15
    output_tokens: int = 1024
    context_tokens: int = 4096
    deadline_s: float = 120.0


class FaultMode(enum.StrEnum):
    """How a sub-agent fails while it answers "done"."""

    NO_OP = "no_op"  # nothing is done, and the answer carries no data
    PARTIAL = "partial"  # only the first clause of the instruction is done
    WRONG_ITEM = "wrong_item"  # done to another file or contact than the first one named
    FALSE_DONE = "false_done"  # nothing is done, and the answer tells of it as if it had been


class Fault(Record):
    """A scripted runtime fault: calls `first..first+count-1` (0-based, per tool) of `tool` fail with `error_type`.

    With a `mode` they succeed instead, but the sub-agent fails in that way. With a `rate` below 1 each of them is hit
    with that probability, drawn from task id, tool and call number: a replay is hit alike. With `hang_s` > 0 the
    backend really sleeps first, so the caller's deadline is exercised.
    """

    tool: str
    error_type: ErrorType = ErrorType.UNAVAILABLE
    message: str = ""
    first: int = 0
    count: int = 1
    hang_s: float = 0.0
    # Left out of the encoding where not set, so that tasks without them keep their bytes.
    mode: FaultMode | msgspec.UnsetType = msgspec.UNSET
    rate: float | msgspec.UnsetType = msgspec.UNSET


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
    """Bucket 2: the changeset equals `delta` (generated ids and timestamps masked), and nothing else was written.

    `passing` are changes that a right course may make on its way and must undo: a cart that the order empties.
    """

    delta: list[RowChange]
    passing: list[RowChange] | msgspec.UnsetType = msgspec.UNSET  # left out of the encoding where there are none


class BehaviorCriteria(Record, tag_field="checker", tag="behavior"):
    """Bucket 3: deterministic predicates over the observable trajectory.

    `routes`: at least one listed call was made; its arguments must contain (case-folded) each of `payload` terms.
    `intent`: the final reply must have this intent; `mentions`: each group needs one of its terms in the reply.
    `reads`: tools that must have been called successfully; `allow_writes` false: no row may have changed.
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
