"""The same run with more data and more updates: where the curves go when minutes are not the limit.

Command:   python -m launch.loop --config=launch/configs/small.py
Machine:   two CPU cores, 6 GiB of memory, an hour or two
"""

from __future__ import annotations

from qpa.config import BenchConfig, LoopConfig, RLConfig, SFTConfig


def get_config() -> LoopConfig:
    """Longer training on a larger release; model and harness are those of tiny."""
    return LoopConfig(
        name="small",
        run_dir="runs/small",
        bench=BenchConfig(train_tasks=16_000),
        sft=SFTConfig(steps=1500),
        rl=RLConfig(steps=150),
        round2=RLConfig(steps=40),
    )
