"""Stages without weights: the suites, the first release, and the reference policies."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any

from launch.context import Context
from launch.evaluation import summary
from launch.pipeline import Outcome
from launch.tasksets import TEST_SPLITS, seen_families
from qpa.bench import find_leaks, oracle, train_tasks
from qpa.bench.suites import families
from qpa.contract import ChatModel, Split, TaskSpec, to_json
from qpa.flywheel import Release, read_release, releases, run_round, uniform_plan
from qpa.flywheel.records import HistoryEntry, Plan
from qpa.harness import HarnessConfig, NullModel, ScriptedModel, run_tasks, tiny_eta
from qpa.harness.files import write_atomic

HELD_OUT = (Split.DEV, Split.EVOLVE, *TEST_SPLITS)
_SAMPLE_PER_FAMILY = 1  # training tasks that the oracle is tried on


class LoopError(RuntimeError):
    """The loop cannot go on; the message says what is wrong."""


def tasks_stage(ctx: Context) -> Outcome:
    """Builds the suites, writes them as JSON lines, and lets the oracle prove a sample solvable."""
    names = seen_families()
    sample = train_tasks(ctx.cfg.seed, _SAMPLE_PER_FAMILY * len(names), None, ctx.cfg.bench.candidates)
    held_out = [task for split in HELD_OUT for task in ctx.tasks(split)]
    for split in HELD_OUT:
        lines = b"".join(to_json(task) + b"\n" for task in ctx.tasks(split))
        write_atomic(ctx.run / "tasks" / f"{split.value}.jsonl", lines)
    if leaks := find_leaks(sample, held_out):
        raise LoopError(f"{len(leaks)} held-out tasks are in training, e.g. {leaks[0]}")
    checked = [*sample, *ctx.tasks(Split.DEV)]
    _check_oracle(ctx, checked)
    sizes = {split.value: len(ctx.tasks(split)) for split in HELD_OUT}
    results = {
        "sizes": sizes,
        "families": len(families()),
        "unseen_families": len(families()) - len(names),
        "dimensions": dict(Counter(f.dimension.value for f in families().values())),
        "tools": len(ctx.catalog),
        "oracle_checked": len(checked),
    }
    say = f"{len(families())} families, {len(held_out)} held-out tasks, the oracle solves all {len(checked)} tried"
    return Outcome(results, [{"step": 0, "kind": "tasks", **sizes}], say)


def _check_oracle(ctx: Context, tasks: Sequence[TaskSpec]) -> None:
    with ctx.progress("      oracle", len(tasks)) as advance, ctx.budget.span("environment"):
        played = asyncio.run(
            run_tasks(
                ScriptedModel(oracle, name="oracle"),
                ctx.sandbox,
                tasks,
                eta=tiny_eta(),
                concurrency=ctx.cfg.concurrency,
                temperature=0.0,
                on_done=lambda t: advance(),
            )
        )
    for t in played:
        if t.verdict is None or not t.verdict.success:
            failed = [f"{c.name} {c.detail}" for c in (t.verdict.checks if t.verdict else []) if not c.passed]
            raise LoopError(f"task {t.task.id} is not solvable by its own oracle: {t.stop.value}, {'; '.join(failed)}")


def flywheel_stage(ctx: Context) -> Outcome:
    """Round 1 of the flywheel: every seen family equally."""
    plan = uniform_plan(ctx.cfg.bench.train_tasks, seen_families())
    release = make_release(ctx, "v0001", plan, tiny_eta())
    return release_outcome(release)


def make_release(
    ctx: Context, version: str, plan: Plan, eta: HarnessConfig, history: Sequence[HistoryEntry] = ()
) -> Release:
    """The release `version` of this run: read if it is there, made otherwise. Raises `FlywheelError`."""
    root = ctx.run / "releases"
    if version in releases(root):
        return read_release(root / version)
    total = plan.count + sum(r.count for r in plan.repairs)
    with ctx.progress("      expert rollouts", total) as advance, ctx.budget.span("environment"):
        return asyncio.run(
            run_round(
                ctx.sandbox,
                plan,
                ctx.cfg.flywheel,
                root,
                ctx.cfg.seed + int(version[1:]) - 1,
                eta=eta,
                candidates=ctx.cfg.bench.candidates,
                skills=ctx.skills,
                concurrency=ctx.cfg.concurrency,
                history=history,
                on_done=lambda t: advance(),
            )
        )


def release_outcome(release: Release) -> Outcome:
    """What a report says about a release."""
    manifest = release.manifest
    pools = manifest.counts.get("pool", {})
    results: dict[str, Any] = {
        "version": manifest.version,
        "parent": manifest.parent,
        "counts": manifest.counts,
        "weights": manifest.weights,
        "quality": manifest.quality,
        "history": [{"gap": h.gap, "update": h.update, "families": h.families, "evidence": h.evidence}
                    for h in manifest.history],
        "decision": {"ruling": manifest.decision.ruling.value, "reviewer": manifest.decision.reviewer,
                     "reason": manifest.decision.reason},
        "fingerprint": manifest.fingerprint,
        "quarantined_records": len(release.problems),
    }  # fmt: skip
    metrics = [{"step": int(manifest.version[1:]), "kind": "release", **pools, **manifest.quality}]
    say = f"release {manifest.version}: {pools.get('sft', 0)} trajectories, gate: {manifest.decision.reviewer}"
    return Outcome(results, metrics, say)


def references_stage(ctx: Context) -> Outcome:
    """Scores the expert, a policy that claims success at once, and the base: the bounds of every later number."""
    base, identity = ctx.planner("base")
    players: dict[str, tuple[ChatModel, str]] = {
        "oracle": (ScriptedModel(oracle, name="scripted:oracle"), "scripted:oracle"),
        "null": (NullModel(), "scripted:null"),
        "base": (base, identity),
    }
    scores: dict[str, dict[str, Any]] = {}
    for system, (model, who) in players.items():
        scores[system] = {s.value: summary(ctx.evaluate(model, who, system, s, tiny_eta())) for s in TEST_SPLITS}
    rate = scores["base"][Split.TEST_UNSEEN_INSTANCE.value]["success"]["rate"]
    results = {"scores": scores, "base": identity}
    return Outcome(results, score_metrics(scores), f"the base alone solves {rate:.0%} of the unseen instances")


def score_metrics(scores: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """One `metrics.jsonl` line per system and split."""
    return [
        {
            "step": 0,
            "kind": "score",
            "system": system,
            "split": split,
            "success": s["success"]["rate"],
            "overall": s["overall"],
            **{f"success_{name}": rate["rate"] for name, rate in s["by_dimension"].items()},
            "output_tokens": s["output_tokens"],
            "output_tokens_per_success": s["output_tokens_per_success"],
            "tool_calls_per_success": s["tool_calls_per_success"],
        }
        for system, by_split in scores.items()
        for split, s in by_split.items()
    ]
