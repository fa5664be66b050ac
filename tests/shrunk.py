"""The shrunk loop as a config file, a base of its shape, and launch scripts run as a person runs them."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

from launch.configs import tiny
from qpa.config import EngineConfig, LoopConfig, ModelConfig

ROOT = Path(__file__).resolve().parents[1]
CONFIG = f"--config={__file__}"
SHAPE = ModelConfig(vocab_size=1024, d_model=32, n_layers=1, n_heads=2, n_kv_heads=1, head_dim=16, d_ff=64)


def get_config() -> LoopConfig:
    """A few tasks, two SFT updates with a checkpoint after each, one RL step of two tasks with two rollouts."""
    cfg = tiny.get_config()
    cfg.model = dataclasses.replace(SHAPE)
    cfg.bench.train_tasks, cfg.bench.limit_per_family = 82, 1
    cfg.engine = EngineConfig(slots=64, context=768, decode_chunk=16, prefill_buckets=(256,))
    cfg.sft.steps, cfg.sft.save_every, cfg.sft.log_every = 2, 1, 1
    cfg.sft.data.batch_size, cfg.sft.data.sequence_length = 4, 768
    for rl in (cfg.rl, cfg.round2):
        rl.steps, rl.tasks_per_step, rl.group_size, rl.row_length = 1, 2, 2, 768
        rl.save_every, rl.eval_every = 1, 1
    return cfg


def make_base(folder: Path) -> Path:
    """An untrained base of this shape with a tokenizer of its own."""
    from qpa.bench import load_suite
    from qpa.chat import compact_signature, train_sentencepiece
    from qpa.envs.sandbox import catalog
    from qpa.models.base import TOKENIZER
    from qpa.models.hf import save_hf
    from qpa.models.transformer import create
    from qpa.train.pretrain.words import GLUE

    corpus = [compact_signature(spec) for spec in catalog()] + [t.goal for t in load_suite("core", "dev", 60)]
    made = folder.with_suffix(".model")
    tokenizer = train_sentencepiece(corpus, SHAPE.vocab_size, made, user_symbols=GLUE)
    _, params = create(SHAPE, 0)
    rows = params["embed_tokens"].get_value()
    # A loud end of turn: greedy episodes end after a few tokens, some sooner than others.
    params["embed_tokens"].set_value(rows.at[tokenizer.eos_id].multiply(8.0))
    save_hf(folder, params, SHAPE)
    shutil.move(made, folder / TOKENIZER)
    return folder


def command(script: str, *args: str) -> list[str]:
    """A launch script as a person starts it."""
    return [sys.executable, "-m", f"launch.{script}", *args]


def run(
    script: str, *args: str, before: tuple[str, ...] = (), timeout: float = 1500, **extra_env: str
) -> subprocess.CompletedProcess[str]:
    """Runs a launch script to its end, quietly, behind the words of `before`."""
    whole = [*before, *command(script, *args)]
    env = os.environ | extra_env
    return subprocess.run(whole, capture_output=True, text=True, cwd=ROOT, env=env, timeout=timeout, check=False)
