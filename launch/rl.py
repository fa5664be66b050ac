"""RL with CARE (Eq. 5-10) on a release's tasks.

    python -m launch.rl --release=runs/tiny/releases/v0001 --model=runs/tiny/models/sft --run_dir=runs/mine

Resumable; several processes share one run (docs/scaling.md).
Leaves checkpoints in RUN_DIR/rl and the model in RUN_DIR/models/rl.
"""

from __future__ import annotations

import contextlib

from absl import flags

from launch import cli, distributed, where

_CONFIG = cli.config_flag()
flags.adopt_module_key_flags(distributed)
flags.adopt_module_key_flags(where)
_RELEASE = flags.DEFINE_string("release", None, "folder of a release", required=True)
_MODEL = flags.DEFINE_string(
    "model", None, "an exported model or adapter, or a training folder such as runs/tiny/sft", required=True
)
_RUN_DIR = flags.DEFINE_string("run_dir", None, "where the run lives; default: run_dir of the config")
_HARNESS = flags.DEFINE_string("harness", "on", "on, off, or the JSON file of a harness configuration")


def main() -> None:
    """Trains, or finishes the run that is there."""
    processes = distributed.join()

    from launch import stages_train
    from launch.context import open_context
    from launch.planner import computed_as, load_weights
    from launch.players import harness_of
    from qpa.flywheel import read_release

    ctx = open_context(where.apply(_CONFIG.value), _RUN_DIR.value, processes)
    start = computed_as(load_weights(ctx.cfg.base if _MODEL.value == "base" else _MODEL.value), ctx.cfg.model)
    release, eta, out = read_release(_RELEASE.value), harness_of(_HARNESS.value), ctx.model_dir("rl")
    with contextlib.closing(ctx):
        done = stages_train.rl(ctx, ctx.cfg.rl, release, start, eta, ctx.run / "rl", out)
    distributed.say(f"{done.say}\nmodel: {out}")


if __name__ == "__main__":
    cli.run(main)
