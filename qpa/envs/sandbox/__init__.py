"""The mobile sandbox: one in-memory SQLite database per episode, and typed tools over it.

`catalog()` lists every tool, `make_world(seed)` is the data an episode starts from, `SandboxEnv` runs episodes.
How to write a tool or a domain: see `qpa.envs.sandbox.tool`.
"""

from __future__ import annotations

from qpa.envs.sandbox.domains import DOMAINS, catalog
from qpa.envs.sandbox.env import SandboxEnv
from qpa.envs.sandbox.schema import World
from qpa.envs.sandbox.session import SandboxSession
from qpa.envs.sandbox.world import make_world

__all__ = ["DOMAINS", "SandboxEnv", "SandboxSession", "World", "catalog", "make_world"]
