"""The records of the data flywheel: plan, proposal, decision, manifest. Strict JSON, like every contract type."""

from __future__ import annotations

import enum
import hashlib
import math
from typing import Any

import msgspec

from qpa.contract import SCHEMA_VERSION, Record, to_json


class FlywheelError(RuntimeError):
    """A data release cannot go on; the message names what, where and what to do."""


class Curation(enum.StrEnum):
    """The four curation states (method A5.3). A decision about *quality*; completion is the verdict's business."""

    APPROVE = "approve"
    CORRECT = "correct"
    REJECT = "reject"
    QUARANTINE = "quarantine"


class Pool(enum.StrEnum):
    """Where an admitted record lives: training asset, failures for diagnosis, or resettable tasks for RL."""

    SFT = "sft"
    FAILURES = "failures"
    TASKS = "tasks"


class RepairClass(enum.StrEnum):
    """The failure classes that get targeted repair sets (method A5.4)."""

    TOOL_ROUTING = "tool_routing"
    ARGUMENT_GROUNDING = "argument_grounding"
    STATE_TRACKING = "state_tracking"
    RECOVERY = "recovery"
    PREMATURE_TERMINATION = "premature_termination"


class HistoryEntry(Record):
    """One link of the release history: the observed gap, and the data update that answers it."""

    gap: str
    update: str
    families: list[str] = msgspec.field(default_factory=list)
    evidence: str = ""


class Repair(Record):
    """A targeted repair set: `count` fresh tasks of the named families, aimed at one failure class."""

    kind: RepairClass
    families: list[str]
    count: int


class Plan(Record):
    """What the next round should hold.

    `weights` (family -> share, sums to 1) steer both task construction and SFT sampling; `count` is the number of
    tasks drawn by weight; repairs come on top. `preserve` names the mastered families kept as a preservation set.
    """

    count: int
    weights: dict[str, float]
    repairs: list[Repair] = msgspec.field(default_factory=list)
    preserve: list[str] = msgspec.field(default_factory=list)


class Removal(Record):
    """A record that curation kept out, and why."""

    id: str
    family: str
    reasons: list[str]


class Proposal(Record):
    """The bundle a reviewer sees before a release (`proposal.json`)."""

    version: str
    additions: dict[str, int]  # family -> approved or corrected SFT records
    removals: list[Removal] = msgspec.field(default_factory=list)
    quarantine: list[Removal] = msgspec.field(default_factory=list)
    weights_before: dict[str, float] = msgspec.field(default_factory=dict)
    weights_after: dict[str, float] = msgspec.field(default_factory=dict)
    repairs: list[Repair] = msgspec.field(default_factory=list)
    quality: dict[str, float] = msgspec.field(default_factory=dict)
    history: list[HistoryEntry] = msgspec.field(default_factory=list)
    content: str = ""  # digest of the records this bundle is about
    parent: str | None = None
    schema_version: int = SCHEMA_VERSION

    def digest(self) -> str:
        """SHA-256 that ties a decision to exactly this bundle."""
        return digest(self)


class Ruling(enum.StrEnum):
    """What a reviewer can answer."""

    APPROVE = "approve"
    REVISE = "revise"
    REJECT = "reject"


class Decision(Record):
    """A reviewer's answer (`decision.json`). `proposal` is the digest of the bundle it was given for.

    With `revise`, `drop` names record ids to leave out and `weights` overrides sampling weights; the revised bundle
    is a new proposal and needs its own decision.
    """

    proposal: str
    ruling: Ruling
    reviewer: str
    reason: str
    drop: list[str] = msgspec.field(default_factory=list)
    weights: dict[str, float] = msgspec.field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION


class Shard(Record):
    """One ArrayRecord file of a release."""

    file: str
    pool: Pool
    records: int
    sha256: str


class Manifest(Record):
    """The last file written of a release; a directory without it is not a release."""

    version: str
    parent: str | None
    shards: list[Shard]
    counts: dict[str, dict[str, int]]  # axis (pool, family, dimension, decision, source) -> value -> records
    weights: dict[str, float]
    history: list[HistoryEntry]
    decision: Decision
    harness_version: str
    fingerprint: str  # of the content: equal records, weights and decision give equal fingerprints
    quality: dict[str, float] = msgspec.field(default_factory=dict)
    notes: dict[str, str] = msgspec.field(default_factory=dict)
    schema_version: int = SCHEMA_VERSION


def digest(value: Any) -> str:
    """SHA-256 of the canonical JSON (sorted keys) of a record or plain value."""
    return hashlib.sha256(msgspec.json.encode(msgspec.json.decode(to_json(value)), order="deterministic")).hexdigest()


def normalised(weights: dict[str, float]) -> dict[str, float]:
    """Weights as shares that sum to 1; raises `FlywheelError` naming the first family with an impossible weight."""
    for family, weight in weights.items():
        if not math.isfinite(weight) or weight < 0:
            raise FlywheelError(f"sampling weight of {family} is {weight}: use a finite number >= 0")
    total = sum(weights.values())
    if total <= 0:
        raise FlywheelError("sampling weights sum to 0: give at least one family a positive weight")
    return {family: weight / total for family, weight in sorted(weights.items())}
