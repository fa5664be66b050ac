"""A shrunk loop: the real tiny config with a model of a few thousand parameters, for a base made here."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.fixture(scope="session")
def base(tmp_path_factory) -> Path:
    """The directory of an untrained base with a tokenizer of its own."""
    from qpa.bench import load_suite
    from qpa.chat import compact_signature, train_sentencepiece
    from qpa.envs.sandbox import catalog
    from qpa.models.base import TOKENIZER
    from qpa.models.hf import save_hf
    from qpa.models.transformer import create

    folder = tmp_path_factory.mktemp("base") / "base"
    corpus = [compact_signature(spec) for spec in catalog()] + [t.goal for t in load_suite("core", "dev", 60)]
    glue = ['{"name": "', '"arguments": {']
    tokenizer = train_sentencepiece(corpus, SHAPE.vocab_size, folder.with_name(TOKENIZER), user_symbols=glue)
    _, params = create(SHAPE, 0)
    rows = params["embed_tokens"].get_value()
    # A loud end of turn: greedy episodes end after a few tokens, some sooner than others.
    params["embed_tokens"].set_value(rows.at[tokenizer.eos_id].multiply(8.0))
    save_hf(folder, params, SHAPE)
    shutil.copy(folder.with_name(TOKENIZER), folder / TOKENIZER)
    return folder


def command(script: str, *args: str) -> list[str]:
    """A launch script as a person starts it."""
    return [sys.executable, "-m", f"launch.{script}", *args]


def run(script: str, *args: str, timeout: float = 280, **extra_env: str) -> subprocess.CompletedProcess[str]:
    """Runs a launch script to its end, quietly."""
    env = os.environ | extra_env
    return subprocess.run(
        command(script, *args), capture_output=True, text=True, cwd=ROOT, env=env, timeout=timeout, check=False
    )


@pytest.fixture
def loop_args(base) -> list[str]:
    """Flags of a shrunk loop."""
    return [f"--config={Path(__file__)}", f"--config.base={base}"]
