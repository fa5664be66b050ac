"""Cold start (Eq. 4) on a data release.

    python -m launch.sft --release=runs/data/releases/v0001 --run_dir=runs/mine [--model=base] [--config.sft.steps=100]

Resumable; several processes share one run (docs/scaling.md).
Leaves checkpoints in RUN_DIR/sft and the model in RUN_DIR/models/sft; with --config.sft.lora.rank=8 an adapter is
trained, the model is the merged one, and the adapter alone, in PEFT's layout, is in RUN_DIR/models/sft-adapter.
"""

from __future__ import annotations

from absl import flags

from launch import cli, distributed

_CONFIG = cli.config_flag()
flags.adopt_module_key_flags(distributed)
_RELEASE = flags.DEFINE_string("release", None, "folder of a release", required=True)
_RUN_DIR = flags.DEFINE_string("run_dir", None, "where the run lives; default: run_dir of the config")
_MODEL = flags.DEFINE_string(
    "model", "base", "base, an exported model or adapter, or a training folder such as runs/tiny/sft"
)


def main() -> None:
    """Trains, or finishes the run that is there."""
    processes = distributed.join()

    from launch import stages_train
    from launch.context import open_context
    from launch.planner import computed_as, load_weights
    from qpa.flywheel import read_release

    ctx = open_context(_CONFIG.value, _RUN_DIR.value, processes)
    start = computed_as(load_weights(ctx.cfg.base if _MODEL.value == "base" else _MODEL.value), ctx.cfg.model)
    release, out = read_release(_RELEASE.value), ctx.model_dir("sft")
    done = stages_train.sft(ctx, release, start, ctx.run / "sft", out)
    distributed.say(f"{done.say}\nmodel: {out}")


if __name__ == "__main__":
    cli.run(main)
