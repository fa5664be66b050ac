"""One round of the data flywheel: construct -> collect -> curate -> gate -> release.

    python -m launch.flywheel --out=runs/data/releases --tasks=400 [--gate=manual]

A first round draws every seen family equally, a later one uses the weights of the newest release there. With
--gate=manual the first call stops at a proposal for a person to decide; the same call then goes on.
"""

from __future__ import annotations

from absl import flags

from launch import cli

_CONFIG = cli.config_flag()
_OUT = flags.DEFINE_string("out", None, "folder of the releases; default: releases in run_dir of the config")
_TASKS = flags.DEFINE_integer("tasks", None, "tasks to construct; default: bench.train_tasks", lower_bound=1)
_GATE = flags.DEFINE_enum("gate", None, ["auto", "manual"], "who decides; default: flywheel.gate of the config")
_REASON = flags.DEFINE_string("reason", "more of the same", "why a later round is made; goes into its history")


def main() -> int:
    """Makes the next release, or says what a person has to decide first."""
    import asyncio
    import dataclasses

    from qpa.bench import BenchVerifier, make_env
    from qpa.bench.suites import families
    from qpa.envs.skills import builtin_skills
    from qpa.flywheel import read_release, releases, run_round, uniform_plan
    from qpa.flywheel.records import HistoryEntry, Plan
    from qpa.harness import tiny_eta

    cfg = _CONFIG.value
    root, count = _OUT.value or f"{cfg.run_dir}/releases", _TASKS.value or cfg.bench.train_tasks
    done = releases(root)
    plan = uniform_plan(count, [f.name for f in families().values() if not f.unseen])
    if done:
        plan = Plan(count=count, weights=read_release(f"{root}/{done[-1]}").manifest.weights)
    release = asyncio.run(
        run_round(
            make_env(BenchVerifier()),
            plan,
            dataclasses.replace(cfg.flywheel, gate=_GATE.value or cfg.flywheel.gate),
            root,
            cfg.seed + len(done),
            eta=tiny_eta(),
            candidates=cfg.bench.candidates,
            skills=builtin_skills(),
            concurrency=cfg.concurrency,
            history=[HistoryEntry(gap="as asked", update=_REASON.value)] if done else [],
        )
    )
    pools = release.manifest.counts["pool"]
    print(f"{release.directory}: {pools.get('sft', 0)} trajectories, {pools.get('tasks', 0)} tasks")
    print(f"gate: {release.manifest.decision.ruling.value} by {release.manifest.decision.reviewer}")
    return 0


if __name__ == "__main__":
    cli.run(main)
