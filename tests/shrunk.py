"""A config file for end-to-end tests: the tiny run at a few thousand parameters, and a base of that shape."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

from launch.configs import tiny
from qpa.config import EngineConfig, LoopConfig, ModelConfig

SHAPE = ModelConfig(vocab_size=1024, d_model=32, n_layers=1, n_heads=2, n_kv_heads=1, head_dim=16, d_ff=64)


def get_config() -> LoopConfig:
    """Two SFT updates with a checkpoint after each, one device."""
    cfg = tiny.get_config()
    cfg.model, cfg.mesh.data = dataclasses.replace(SHAPE), 1
    cfg.engine = EngineConfig(slots=8, context=768, decode_chunk=16, prefill_buckets=(256,))
    cfg.sft.steps, cfg.sft.save_every, cfg.sft.log_every = 2, 1, 1
    cfg.sft.data.batch_size, cfg.sft.data.sequence_length = 2, 768
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

    corpus = [compact_signature(s) for s in catalog()] + [t.goal for t in load_suite("core", "dev", 60)]
    made = folder.with_suffix(".model")
    train_sentencepiece(corpus, SHAPE.vocab_size, made, user_symbols=GLUE)
    save_hf(folder, create(SHAPE, 0)[1], SHAPE)
    shutil.move(made, folder / TOKENIZER)
    return folder
