"""What every backend says about itself, beside being a `contract.Env`."""

from __future__ import annotations

from typing import Protocol

from qpa.contract import Env, Record, TaskSpec


class Capabilities(Record):
    """What a backend can do; a caller asks instead of trying.

    Attributes:
      fork: its sessions have `fork()`.
      deterministic: the same task and calls give the same feedback.
      seeding: "any" initial state can be set up, only "listed" parts of it (see `supports`), or "none".
      trusted: False means that its trajectories must be validated before they train anything.
    """

    backend: str
    fork: bool = False
    deterministic: bool = False
    seeding: str = "none"
    trusted: bool = True


class Backend(Env, Protocol):
    """An environment that can be served, pooled, mixed and perturbed."""

    @property
    def name(self) -> str:
        """Recorded as the trajectory's backend."""
        ...

    def capabilities(self) -> Capabilities: ...

    def supports(self, task: TaskSpec) -> str:
        """Why the task cannot be played here, in one line; "" if it can."""
        ...
