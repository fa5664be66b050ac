"""The loop as a list of stages, in the order of the method."""

from __future__ import annotations

import contextlib

from rich.console import Console

from launch import report, stages_data, stages_eval, stages_train, table
from launch.console import make_console
from launch.context import Context, settings
from launch.pipeline import Outcome, Stage, run_stages
from launch.rundir import RunDir
from qpa.config import LoopConfig
from qpa.flywheel import read_release
from qpa.harness import tiny_eta


def loop_stages(ctx: Context) -> list[Stage]:
    """Ten stages; each reads what the earlier ones left on disk."""

    def sft() -> Outcome:
        release = read_release(ctx.run / "releases" / "v0001")
        return stages_train.sft(ctx, release, ctx.weights("base"), ctx.run / "sft", ctx.model_dir("sft"))

    def rl() -> Outcome:
        release = read_release(ctx.run / "releases" / "v0001")
        start = ctx.weights("sft")
        return stages_train.rl(ctx, ctx.cfg.rl, release, start, tiny_eta(), ctx.run / "rl", ctx.model_dir("rl"))

    def show() -> None:
        ctx.console.print(table.score_table(ctx.run.records()))

    return [
        Stage("tasks", "tasks: suites, oracle", lambda: stages_data.tasks_stage(ctx)),
        Stage(
            "flywheel",
            "flywheel: expert rollouts, curation, gate, release v0001",
            lambda: stages_data.flywheel_stage(ctx),
        ),
        Stage("references", "references: oracle, null, base", lambda: stages_data.references_stage(ctx), show),
        Stage("sft", "sft: cold start on v0001", sft),
        Stage("eval-sft", "evaluation of the cold start", lambda: stages_eval.evaluate_stage(ctx, "sft"), show),
        Stage("rl", "rl: CARE from the cold start", rl),
        Stage("eval-rl", "evaluation after RL", lambda: stages_eval.evaluate_stage(ctx, "rl"), show),
        Stage("harness", "harness: off against on, revision of eta", lambda: stages_eval.harness_stage(ctx)),
        Stage("round2", "round 2: feedback, release v0002, RL", lambda: stages_eval.round2_stage(ctx)),
        Stage("report", "comparisons", lambda: stages_eval.report_stage(ctx)),
    ]


def run_loop(cfg: LoopConfig, console: Console | None = None) -> RunDir:
    """Runs or continues the loop in `cfg.run_dir`; ends with the final table and `report.html`.

    Raises `ConfigError` when the directory holds another run. The caller holds the directory's lock.
    """
    console = console or make_console(stderr=True)
    run = RunDir(cfg.run_dir)
    run.claim(settings(cfg))
    with contextlib.closing(Context(cfg, run, console)) as ctx:
        run_stages(run, loop_stages(ctx), ctx.budget, console)
    page = report.write_report(run)
    out = make_console()
    for item in table.final_tables(run.records()):
        out.print(item)
    console.print(f"report: {page}", highlight=False)
    return run
