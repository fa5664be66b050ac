"""The shipped base model: present, listed and unaltered, or one clear line."""

from __future__ import annotations

import hashlib
import random

import pytest
from tiny import GRAPHDEF

from qpa.chat import train_sentencepiece
from qpa.config import ModelConfig
from qpa.models import load_base, save_hf
from qpa.models.transformer import create

FILES = ("config.json", "model.safetensors", "tokenizer.model")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("made") / "base"
    cfg = ModelConfig(vocab_size=512, d_model=16, n_layers=1, n_heads=2, n_kv_heads=1, head_dim=8, d_ff=16)
    save_hf(path, create(cfg, 0)[1], cfg, store_dtype="bfloat16")
    rng = random.Random("base")
    text = [" ".join("".join(rng.choices("abcdefgh", k=4)) for _ in range(8)) for _ in range(200)]
    train_sentencepiece(text, 420, path / "tokenizer.model")
    return path


@pytest.fixture
def base(made, tmp_path):
    lines = []
    for name in FILES:
        data = (made / name).read_bytes()
        (tmp_path / name).write_bytes(data)
        lines.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
    (tmp_path / "SHA256SUMS").write_text("".join(lines))
    return tmp_path


def test_loads(base):
    graphdef, params, cfg, tokenizer = load_base(base)
    assert cfg.vocab_size == 512 and tokenizer.vocab_size == 420 and type(graphdef) is type(GRAPHDEF)
    assert params["embed_tokens"].get_value().dtype == "float32"


@pytest.mark.parametrize("name", [*FILES, "SHA256SUMS"])
def test_an_absent_file(base, name):
    (base / name).unlink()
    with pytest.raises(FileNotFoundError, match=rf"{name}: the base model is not in this installation"):
        load_base(base)


@pytest.mark.parametrize("name", FILES)
def test_an_altered_file(base, name):
    data = bytearray((base / name).read_bytes())
    data[len(data) // 2] ^= 1
    (base / name).write_bytes(bytes(data))
    with pytest.raises(ValueError, match=rf"{name}: SHA-256 is"):
        load_base(base)


def test_an_unlisted_file(base):
    lines = (base / "SHA256SUMS").read_text().splitlines()
    (base / "SHA256SUMS").write_text("\n".join(lines[:-1]) + "\n")
    with pytest.raises(ValueError, match=r"no line for tokenizer\.model"):
        load_base(base)
