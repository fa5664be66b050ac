"""The README's run: one turn of the loop with the shipped base.

Command:   make loop   (python -m launch.loop --config=launch/configs/tiny.py)
Machine:   two CPU cores, 6 GiB of memory
"""

from __future__ import annotations

from qpa.config import LoopConfig


def get_config() -> LoopConfig:
    """The defaults of `qpa.config` are this run."""
    return LoopConfig(name="tiny", run_dir="runs/tiny")
