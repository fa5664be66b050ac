"""The README's run: one turn of the loop with the shipped base.

Command:   make loop   (python -m launch.loop --config=launch/configs/tiny.py)
Machine:   two CPU cores, 6 GiB of memory
"""

from __future__ import annotations

from qpa.config import BenchConfig, CareConfig, DataConfig, LoopConfig, RLConfig, SFTConfig


def get_config() -> LoopConfig:
    """The defaults of `qpa.config`, cut to minutes."""
    return LoopConfig(
        name="tiny",
        run_dir="runs/tiny",
        bench=BenchConfig(candidates=3, train_tasks=4000, turns=8, output_tokens=224),
        sft=SFTConfig(steps=210, save_every=42, data=DataConfig(sequence_length=640, batch_size=8)),
        rl=RLConfig(steps=6, eval_every=3, care=CareConfig(controller_every=3)),
        round2=RLConfig(steps=2, eval_every=2),
    )
