"""Trajectories: one finished episode, with the exact tokens the policy saw."""

from __future__ import annotations

import msgspec

from qpa.contract.actions import Action, Feedback, Message
from qpa.contract.base import SCHEMA_VERSION, Record, StopReason
from qpa.contract.tasks import TaskSpec, Verdict


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
