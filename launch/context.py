"""What the stages of one run share: config, folders, tasks, the environment, harness configuration, and the engine."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
from rich.console import Console

from launch.backends import make_sandbox, open_backend
from launch.budget import Budget
from launch.console import make_console, progress_to
from launch.evaluation import Evaluation, evaluate
from launch.planner import Planners, Weights, load_weights
from launch.rundir import RunDir
from launch.tasksets import split_tasks
from qpa.config import LoopConfig, as_dict
from qpa.contract import ChatModel, Skill, Split, TaskSpec, ToolSpec
from qpa.envs.base import Backend
from qpa.envs.skills import builtin_skills
from qpa.harness import HarnessConfig
from qpa.train.mesh import configure_host_devices, enable_compilation_cache, make_mesh
from qpa.train.processes import wait_for_all


@dataclass
class Context:
    """One process at work on one run directory. Everything heavy is made on first use."""

    cfg: LoopConfig
    run: RunDir
    console: Console
    budget: Budget = field(default_factory=Budget)
    _tasks: dict[Split, list[TaskSpec]] = field(default_factory=dict)
    _open: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)

    @functools.cached_property
    def env(self) -> Backend:
        """Where evaluations and RL play: `config.env`. Open until `close`."""
        group = self.cfg.rl.group_size
        return self._open.enter_context(
            open_backend(self.cfg.env, self.run / "env", group_size=group, seed=self.cfg.seed)
        )

    @functools.cached_property
    def sandbox(self) -> Backend:
        """Where data is made: the sandbox with the benchmark's verifier, in this process."""
        return make_sandbox()

    @functools.cached_property
    def catalog(self) -> list[ToolSpec]:
        """Every tool of the sandbox."""
        return self.sandbox.catalog()

    def close(self) -> None:
        """Ends the processes that `env` has started."""
        self._open.close()

    @functools.cached_property
    def skills(self) -> Sequence[Skill]:
        """Packages for the Scenario Adapter; used once a revision of eta switches it on."""
        return builtin_skills()

    @functools.cached_property
    def mesh(self) -> Any:
        """The device mesh of the config. Raises ValueError when the machine does not have it."""
        return make_mesh(self.cfg.mesh)

    @functools.cached_property
    def planners(self) -> Planners:
        """The one engine, compiled once; weights are swapped in."""
        return Planners(self.cfg)

    def weights(self, name: str) -> Weights:
        """ "base", or an exported model of this run: "sft", "rl", "round2"."""
        return load_weights(self.cfg.base if name == "base" else self.model_dir(name), self.cfg.model)

    def model_dir(self, name: str) -> Path:
        """Where the weights of a training stage are exported to."""
        return self.run / "models" / name

    def tasks(self, split: Split) -> list[TaskSpec]:
        """A held-out split."""
        if split not in self._tasks:
            self._tasks[split] = split_tasks(self.cfg, split)
        return self._tasks[split]

    def planner(self, name: str) -> tuple[ChatModel, str]:
        """The engine with the weights of `name`, and the identity of these weights."""
        weights = self.weights(name)
        return self.planners.use(weights, name), f"{name}:{weights.digest}"

    def evaluate(self, model: ChatModel, identity: str, system: str, split: Split, eta: HarnessConfig) -> Evaluation:
        """Evaluates `model` as `system` on a split, resuming what is there; time is booked to the budget."""
        tasks = self.tasks(split)
        folder = self.run / "eval" / f"{system}-{split.value}"
        engine = model if hasattr(model, "stats") else None
        booked = self.budget.span("environment", engine)  # type: ignore[arg-type]
        with self.progress(f"      {system} on {split.value}", len(tasks)) as advance, booked:
            return evaluate(
                model,
                self.env,
                tasks,
                folder,
                identity=identity,
                eta=eta,
                skills=self.skills,
                concurrency=self.cfg.concurrency,
                seed=self.cfg.seed,
                resample=self.cfg.env.resample,
                on_done=lambda t: advance(),
            )

    def progress(self, title: str, total: int) -> contextlib.AbstractContextManager[Callable[[], None]]:
        """See `progress_to`."""
        return progress_to(self.console, title, total)


def open_context(cfg: LoopConfig, run_dir: str | None, processes: int | None = 1) -> Context:
    """A context for one training script, on its own run directory; prepares JAX, so call it first.

    `processes` work on it together (see `launch.distributed.join`). Raises `ConfigError` when the directory holds
    another run.
    """
    cfg.run_dir = run_dir or cfg.run_dir
    prepare_jax(cfg, processes)
    run = RunDir(cfg.run_dir)
    if jax.process_index() == 0:
        run.claim(settings(cfg))
    wait_for_all("run directory claimed")
    return Context(cfg, run, make_console(stderr=True))


def prepare_jax(cfg: LoopConfig, processes: int | None = 1) -> None:
    """The config's devices, and compiled programs kept in the run directory.

    A CPU is split into this process's share of the mesh, unless only the machine knows how many `processes` there are.
    """
    if processes is not None:
        configure_host_devices(cfg.mesh.data * cfg.mesh.fsdp * cfg.mesh.tensor // processes)
    enable_compilation_cache(f"{cfg.run_dir}/compiled")


def settings(cfg: LoopConfig) -> dict[str, Any]:
    """What identifies a run: everything but where it lives, since a run may be moved."""
    return {key: value for key, value in as_dict(cfg).items() if key != "run_dir"}
