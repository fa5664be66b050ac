"""Stages that train: the cold start, RL with CARE, and the short second round."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from launch.backends import validate
from launch.context import Context
from launch.pipeline import Outcome
from launch.planner import Weights, adapter_dir, save_trained
from launch.sampler import WeightedSampler, family_rates
from launch.tasksets import limited
from qpa import care
from qpa.chat import trajectory_tokens
from qpa.config import CareConfig, RLConfig
from qpa.contract import Split, TaskSpec, Trajectory
from qpa.flywheel import Pool, Release
from qpa.harness import HarnessConfig
from qpa.harness.context import visible_tools
from qpa.train.data import Batches, Tokenize, tokenize_all
from qpa.train.metrics import read_metrics
from qpa.train.processes import SharedActor
from qpa.train.rl import run_rl
from qpa.train.rl_batch import execution_cost
from qpa.train.rollout import HarnessActor
from qpa.train.sft import run_sft


def tokenizer_of(ctx: Context, weights: Weights) -> Tokenize:
    """(ids, mask, log_probs) of a trajectory as a planner with these weights sees it."""
    specs = ctx.catalog

    def tokenize(trajectory: Trajectory) -> tuple[list[int], list[int], list[float]]:
        return trajectory_tokens(trajectory, weights.chat_format, list(visible_tools(trajectory.task, specs).values()))

    return tokenize


def sft(ctx: Context, release: Release, weights: Weights, folder: Path, out: Path) -> Outcome:
    """Cold start on a release (Eq. 4), resumable; exports the result to `out`."""
    cfg = ctx.cfg.sft
    data = tokenize_all(release.trajectories(Pool.SFT), tokenizer_of(ctx, weights), cfg.data.sequence_length)
    batches = Batches(data.examples, cfg.data, seed=ctx.cfg.seed, weights=release.manifest.weights)
    with ctx.budget.span("training"):
        state = run_sft(
            weights.graphdef,
            weights.params,
            batches,
            cfg,
            mesh=ctx.mesh,
            run_dir=folder,
            show_progress=ctx.console.is_terminal,
        )
    digest = save_trained(out, weights, state.params, cfg.lora)
    lines = read_metrics(folder)
    last: dict[str, Any] = next((r for r in reversed(lines) if r["kind"] == "train"), {})
    results = {
        "steps": cfg.steps,
        "examples": len(data.examples),
        "left_out": {"too_long": data.too_long, "unsupervised": data.unsupervised, "unreadable": data.unreadable},
        "quarantined_records": release.quarantined,
        "batches_per_epoch": batches.batches_per_epoch,
        "loss": last.get("loss"),
        "accuracy": last.get("accuracy"),
        "digest": digest,
    }
    say = f"loss {last.get('loss', float('nan')):.3f} after {cfg.steps} updates on {len(data.examples)} trajectories"
    if lost := release.quarantined:
        say += f"; {lost} damaged records of {release.directory} left out"
    if cfg.lora.rank:
        say += f"; adapter: {adapter_dir(out)}"
    return Outcome(results, lines, say)


class _Actor(HarnessActor):
    """The engine in the runtime loop, with its time booked to the budget."""

    def __init__(self, ctx: Context, engine: Any, eta: HarnessConfig, temperature: float):
        super().__init__(
            engine,
            ctx.env,
            eta,
            concurrency=ctx.cfg.concurrency,
            temperature=temperature,
            resample=ctx.cfg.env.resample,
            skills=ctx.skills,
        )
        self._budget = ctx.budget

    def run(self, tasks: Sequence[TaskSpec], seed: int) -> list[Trajectory]:
        with self._budget.span("environment", self.engine):
            played = super().run(tasks, seed)
        validate(played)
        return played


def rl(
    ctx: Context, cfg: RLConfig, release: Release, weights: Weights, eta: HarnessConfig, folder: Path, out: Path
) -> Outcome:
    """RL with CARE on a release's tasks (Eq. 5-10), phi steered by dev; resumable; exports the result to `out`."""
    engine = ctx.planners.use(weights, out.name)
    sampler = WeightedSampler(limited(release.tasks(), ctx.cfg), release.manifest.weights, seed=ctx.cfg.seed)
    greedy = SharedActor(_Actor(ctx, engine, eta, 0.0))
    with ctx.budget.span("training"):
        result = run_rl(
            weights.graphdef,
            weights.params,
            cfg,
            mesh=ctx.mesh,
            run_dir=folder,
            sampler=sampler,
            actor=_Actor(ctx, engine, eta, cfg.temperature),
            tokenize=tokenizer_of(ctx, weights),
            seed=ctx.cfg.seed,
            harness_version=eta.label(),
            controller=care.RuleController(),
            evaluate=lambda step: _dev(ctx, greedy, cfg.care),
            show_progress=ctx.console.is_terminal,
        )
    digest = save_trained(out, weights, result.state.params, cfg.lora)
    lines = read_metrics(folder)
    train = [r for r in lines if r["kind"] == "train"]
    split = {k: sum(r[k] for r in train) for k in _SECONDS}
    results = {
        "steps": cfg.steps,
        "tasks": sum(len(own) for own in sampler.tasks.values()),
        "phi": result.phi.as_dict(),
        "families": family_rates(sampler),
        "seconds_of_steps": split,  # all steps, those of earlier processes included
        "digest": digest,
    }
    share = split["environment_s"] / max(1e-9, split["step_s"])
    last = train[-1] if train else {}
    say = f"rollouts succeed {last.get('success', 0):.0%}; environment and harness {share:.0%} of the step time"
    if cfg.lora.rank:
        say += f"; adapter: {adapter_dir(out)}"
    return Outcome(results, lines, say)


def _dev(ctx: Context, actor: SharedActor, cfg: CareConfig) -> dict[str, float]:
    """M^val of Eq. 6: the published policy on dev, greedy. A task without a verdict is not solved."""
    played = actor.run(ctx.tasks(Split.DEV), ctx.cfg.seed)
    solved = sum(t.verdict is not None and t.verdict.success for t in played)
    tokens = sum(t.cost.output_tokens for t in played)
    found = {
        "success": solved / max(1, len(played)),
        "tasks": len(played),
        "cost": sum(execution_cost(t, cfg) for t in played) / max(1, len(played)),
    }
    return found | ({"tokens_per_success": tokens / solved} if solved else {})


_SECONDS = ("generation_s", "environment_s", "training_s", "compile_s", "rest_s", "step_s")
