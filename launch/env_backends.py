"""The backends that `launch.env_server` serves, by name."""

from __future__ import annotations

from launch.cli import UsageError
from qpa.contract import TaskSpec
from qpa.envs.base import Backend

BACKENDS = ("sandbox",)


def make_backend(name: str) -> Backend:
    """A backend that judges episodes with the benchmark's verifier. Raises `UsageError` for an unknown name."""
    if name == "sandbox":
        from qpa.bench import BenchVerifier, make_env

        return make_env(BenchVerifier())
    raise UsageError(f"--backend={name}: the backends are {', '.join(BACKENDS)}")


def make_tasks(suite: str, split: str) -> list[TaskSpec]:
    """The tasks that an OpenEnv client may name or number. Raises ValueError for an unknown suite or split."""
    from qpa.bench import load_suite

    return load_suite(suite, split)
