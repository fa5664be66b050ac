"""One turn of the closed loop: flywheel -> cold start -> RL with CARE -> harness -> evaluation -> flywheel.

    python -m launch.loop --config=launch/configs/tiny.py [--config.rl.steps=20] [--run_dir=runs/mine]

The same command goes on where it stopped, also after Ctrl-C or a kill.
"""

from __future__ import annotations

from absl import flags

from launch import cli, where

_CONFIG = cli.config_flag()
flags.adopt_module_key_flags(where)
_RUN_DIR = flags.DEFINE_string("run_dir", None, "where the run lives; default: run_dir of the config")


def main() -> None:
    """Prepares the process, then runs the stages under the run's lock and renders the report."""
    cfg = where.apply(_CONFIG.value)
    cfg.run_dir = _RUN_DIR.value or cfg.run_dir

    from launch.context import prepare_jax
    from launch.loop_stages import run_loop
    from qpa.train.lock import run_lock

    prepare_jax(cfg)
    with run_lock(cfg.run_dir):
        run_loop(cfg)


if __name__ == "__main__":
    cli.run(main)
