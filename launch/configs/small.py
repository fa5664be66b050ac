"""Tiny's run with five times the cold start and six times the RL: where the curves go when minutes are not the limit.

Command:   python -m launch.loop --config=launch/configs/small.py
Machine:   two CPU cores, 6 GiB of memory, an hour
"""

from __future__ import annotations

import dataclasses

from launch.configs import tiny
from qpa.config import DataConfig, LoopConfig, OptimizerConfig, RLConfig, SFTConfig


def get_config() -> LoopConfig:
    """Longer training on a larger release; model, harness and held-out tasks are those of tiny."""
    cfg = tiny.get_config()
    # A cold start of many updates stands larger RL steps than tiny's.
    optimizer = OptimizerConfig(learning_rate=0.01, adam_learning_rate=1e-3, warmup_steps=2, final_fraction=0.5)
    return dataclasses.replace(
        cfg,
        name="small",
        run_dir="runs/small",
        bench=dataclasses.replace(cfg.bench, train_tasks=16_000),
        sft=SFTConfig(steps=1000, save_every=100, data=DataConfig(sequence_length=640, batch_size=8)),
        rl=RLConfig(steps=36, eval_every=6, optimizer=optimizer),
        round2=RLConfig(steps=4, eval_every=4, optimizer=optimizer),
    )
