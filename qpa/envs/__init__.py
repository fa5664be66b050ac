"""Backends behind the `Env` Protocol. Light on import: names load on first use."""

from __future__ import annotations

from typing import Any

__all__ = ["SandboxEnv"]


def __getattr__(name: str) -> Any:
    if name == "SandboxEnv":
        from qpa.envs.sandbox.env import SandboxEnv

        return SandboxEnv
    raise AttributeError(f"module 'qpa.envs' has no attribute {name!r}")
