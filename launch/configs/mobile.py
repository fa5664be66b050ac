"""Evaluation on the benchmark "mobile": its protocol's limits, and an engine that can hold its prompts.

Command:   python -m launch.eval --config=launch/configs/mobile.py --split=test --model=MODEL --out=runs/eval/NAME
Machine:   two CPU cores for a remote or scripted model; 15 tool schemas make prompts of 2,000 to 4,000 tokens
"""

from __future__ import annotations

from qpa.config import BenchConfig, EngineConfig, LoopConfig


def get_config() -> LoopConfig:
    """T_max = 15 turns and N = 15 recalled tools are the published protocol's."""
    return LoopConfig(
        name="mobile",
        run_dir="runs/mobile",
        concurrency=16,
        bench=BenchConfig(suite="mobile", candidates=15, limit_per_family=1000, turns=15, output_tokens=8192),
        engine=EngineConfig(slots=8, context=16_384, prefill_buckets=(128, 512, 2048)),
    )
