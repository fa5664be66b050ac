"""A base of a few thousand parameters for the shrunk loop of `launch_shrunk`."""

from __future__ import annotations

import shutil
from pathlib import Path

import launch_shrunk
import pytest
from launch_shrunk import SHAPE


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


@pytest.fixture
def loop_args(base) -> list[str]:
    """Flags of a shrunk loop."""
    return [f"--config={launch_shrunk.__file__}", f"--config.base={base}"]
