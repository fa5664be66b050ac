"""What `launch.eval` does: play, score, show, compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from launch.backends import open_backend, where
from launch.compare import compare
from launch.console import make_console, progress_to
from launch.evaluation import OUTCOMES, Evaluation, evaluate, failures, load_outcomes
from launch.players import harness_of, player_of
from launch.retention import show_retention
from launch.table import interval
from launch.tasksets import limited, split_tasks
from qpa.bench import read_tasks
from qpa.bench.scoring import Rate
from qpa.config import LoopConfig
from qpa.contract import TaskSpec
from qpa.envs.base import Backend
from qpa.envs.skills import builtin_skills

_REASONS = 3  # shown of why episodes were invalid, the most frequent ones


def evaluate_model(
    cfg: LoopConfig,
    *,
    model: str,
    split: str,
    file: str | None = None,
    limit: int | None,
    harness: str,
    out: str,
    price: float | None,
    request_fields: str | None = None,
) -> Evaluation:
    """Runs or continues one evaluation, of a split or of the tasks in a file.

    Known errors (`launch.cli.describe`) are one clear line.
    """
    tasks = (split_tasks(cfg, split) if file is None else limited(read_tasks(file), cfg))[:limit]
    with open_backend(cfg.env, Path(out), seed=cfg.seed) as env:
        return play(
            env,
            cfg,
            tasks,
            model=model,
            title=f"{model} on {split}",
            harness=harness,
            out=out,
            price=price,
            request_fields=request_fields,
            backend=where(cfg.env),
        )


def play(
    env: Backend,
    cfg: LoopConfig,
    tasks: Sequence[TaskSpec],
    *,
    model: str,
    title: str,
    harness: str,
    out: str,
    price: float | None = None,
    request_fields: str | None = None,
    backend: str = "",
) -> Evaluation:
    """Runs or continues one evaluation on a live backend; `backend` tells its results apart, see `evaluate`."""
    eta = harness_of(harness)
    player, identity = player_of(model, cfg, request_fields)
    with progress_to(make_console(stderr=True), title, len(tasks)) as advance:
        return evaluate(
            player,
            env,
            tasks,
            Path(out),
            identity=identity,
            eta=eta,
            skills=builtin_skills(),
            concurrency=cfg.concurrency,
            seed=cfg.seed,
            price=price,
            resample=cfg.env.resample,
            where=backend,
            on_done=lambda t: advance(),
        )


def show(model: str, result: Evaluation) -> None:
    """Prints rates, costs, endings and failure classes."""
    score, console = result.score, make_console()
    table = Table("", "success in % [95 % Wilson interval]", "tasks", title=model, title_justify="left")
    rows: dict[str, Rate] = {"all": score.success, **score.by_dimension}
    for name, rate in rows.items():
        cell = interval({"rate": rate.rate, "low": rate.low, "high": rate.high})
        table.add_row(name, cell.replace("[", r"\["), str(rate.total))
    console.print(table)
    if score.overall is not None:
        console.print(f"overall (Eq. 12 of the benchmark): {score.overall:.3f}", highlight=False)
    per_success = score.output_tokens_per_success
    if per_success is not None:
        line = f"per success: {per_success:.1f} output tokens, {score.tool_calls_per_success:.1f} calls"
        console.print(line, highlight=False)
    if score.thinking_tokens:
        line = f"per task: {score.output_tokens:.1f} output tokens, {score.thinking_tokens:.1f} of them thinking"
        console.print(line, highlight=False)
    if score.cost_per_1000_tasks is not None:
        line = f"cost per 1,000 tasks: {score.cost_per_1000_tasks:.4f} USD with thinking"
        console.print(f"{line}, {score.cost_per_1000_tasks_without_thinking:.4f} USD without", highlight=False)
    for name, counts in failures(result).items():
        console.print(f"{name}: " + (", ".join(f"{k} {n}" for k, n in counts.items()) or "none"), highlight=False)
    if score.infrastructure or score.invalid or result.unreadable:
        console.print(
            f"infrastructure {score.infrastructure}, invalid {score.invalid}, unreadable records {result.unreadable}; "
            "run the same command again to retry them",
            highlight=False,
        )
    reasons = Counter(t.invalid_reason for t in result.trajectories if not t.valid)
    for reason, count in reasons.most_common(_REASONS):
        console.print(f"  {count} x {reason}", highlight=False, markup=False)


def show_comparison(ours: str, theirs: str) -> None:
    """Prints paired differences of two result folders. Raises FileNotFoundError for one that is not finished."""
    for folder in (ours, theirs):
        if not (Path(folder) / OUTCOMES).exists():
            raise FileNotFoundError(2, "no finished evaluation here", folder)
    c = compare(ours, load_outcomes(Path(ours)), theirs, load_outcomes(Path(theirs)))
    mean, low, high = (100 * x for x in c.success)
    inferior = "non-inferior" if c.non_inferior else "non-inferiority not shown"
    print(f"{c.a} minus {c.b}, {c.tasks} tasks, 95 % intervals:")
    print(f"  success {mean:+.1f} points [{low:+.1f}, {high:+.1f}], {inferior}")
    if c.token_ratio is not None:
        print("  output tokens per success: ratio {:.2f} [{:.2f}, {:.2f}]".format(*c.token_ratio))
    print("  tool calls per task {:+.2f} [{:+.2f}, {:+.2f}]".format(*c.calls))


def show_kept(before: str, out: str) -> None:
    """Prints, and leaves in `out`, how much of what the policy does in the folder `before` it does in `out`."""
    show_retention(Path(before), Path(out), (Path(before).name, Path(out).name), Path(out))
