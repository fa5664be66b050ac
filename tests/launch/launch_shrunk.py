"""The shrunk loop as a config file, and launch scripts run as a person runs them."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

from launch.configs import tiny
from qpa.config import EngineConfig, LoopConfig, ModelConfig

ROOT = Path(__file__).resolve().parents[2]
SHAPE = ModelConfig(vocab_size=1024, d_model=32, n_layers=1, n_heads=2, n_kv_heads=1, head_dim=16, d_ff=64)


def shrink(cfg: LoopConfig) -> LoopConfig:
    """A few tasks, two SFT updates, one RL step of two tasks with two rollouts."""
    cfg.model = dataclasses.replace(SHAPE)
    cfg.bench.train_tasks, cfg.bench.limit_per_family = 82, 1
    cfg.engine = EngineConfig(slots=64, context=768, decode_chunk=16, prefill_buckets=(256,))
    cfg.sft.steps, cfg.sft.save_every, cfg.sft.log_every = 2, 1, 1
    cfg.sft.data.batch_size, cfg.sft.data.sequence_length = 4, 768
    for rl in (cfg.rl, cfg.round2):
        rl.steps, rl.tasks_per_step, rl.group_size, rl.row_length = 1, 2, 2, 768
        rl.save_every, rl.eval_every = 1, 1
    return cfg


def get_config() -> LoopConfig:
    """This file is also a config file: the tests run the real scripts on it."""
    return shrink(tiny.get_config())


def command(script: str, *args: str) -> list[str]:
    """A launch script as a person starts it."""
    return [sys.executable, "-m", f"launch.{script}", *args]


def run(script: str, *args: str, timeout: float = 280, **extra_env: str) -> subprocess.CompletedProcess[str]:
    """Runs a launch script to its end, quietly."""
    env = os.environ | extra_env
    return subprocess.run(
        command(script, *args), capture_output=True, text=True, cwd=ROOT, env=env, timeout=timeout, check=False
    )
