"""The shipped base model: present, listed and unaltered, or one clear line."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import random
import tomllib
from pathlib import Path

import msgspec
import pytest
from tiny import GRAPHDEF

import qpa
from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.chat import ChatFormat, train_sentencepiece
from qpa.config import EngineConfig, ModelConfig
from qpa.contract import Limits, Split
from qpa.envs.skills import builtin_skills
from qpa.harness import ScriptedModel, run_tasks, tiny_eta
from qpa.models import Engine, load_base, save_hf
from qpa.models.transformer import create, param_count

PACKAGE = Path(qpa.__file__).parent
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


# --- the one that ships --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped():
    return load_base()


def test_the_shipped_base_is_whole_small_and_of_the_default_shape(shipped):
    _, params, cfg, tokenizer = shipped
    assert dataclasses.replace(cfg, attention_blocks=ModelConfig().attention_blocks) == ModelConfig()
    assert 2_000_000 <= param_count(params) <= 5_000_000
    assert tokenizer.vocab_size == cfg.vocab_size
    for text in ('{"name": "x", "arguments": {"time": "07:30"}}', "把闹钟设到 07:30 🙂\n\n  three   spaces\t"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert sum(f.stat().st_size for f in (PACKAGE / "models" / "base").iterdir()) < 20 * 2**20


def test_the_shipped_base_goes_into_a_wheel():
    pyproject = PACKAGE.parent / "pyproject.toml"
    if not pyproject.is_file():
        pytest.skip("the package is installed apart from its sources")
    globs = tomllib.loads(pyproject.read_text())["tool"]["setuptools"]["package-data"]["qpa"]
    packed = {path for pattern in globs for path in PACKAGE.glob(pattern)}
    assert [name for name in (*FILES, "SHA256SUMS") if PACKAGE / "models" / "base" / name not in packed] == []


def test_the_base_alone_solves_nothing(shipped):
    """It brings copying and the shape of a call; what to do on this phone is left for the cold start."""
    graphdef, params, cfg, tokenizer = shipped
    limits = Limits(turns=4, output_tokens=96, context_tokens=768, deadline_s=600.0)
    tasks = load_suite("core", Split.TEST_UNSEEN_INSTANCE)[::4]
    tasks = [msgspec.structs.replace(task, limits=limits) for task in tasks]
    assert len(tasks) >= 60 and len({task.family for task in tasks}) > 40
    engine_cfg = EngineConfig(slots=64, context=768, decode_chunk=16, prefill_buckets=(256,))

    def solved(model) -> list[str]:
        played = asyncio.run(
            run_tasks(
                model,
                make_env(BenchVerifier()),
                tasks,
                eta=tiny_eta(),
                skills=builtin_skills(),
                temperature=0.0,
                concurrency=64,
            )
        )
        assert all(t.valid and t.verdict is not None for t in played)
        assert sum(t.cost.output_tokens for t in played) > 10 * len(tasks)
        return [t.task.id for t in played if t.verdict.success]

    assert (
        solved(Engine(graphdef, params, cfg, engine_cfg, ChatFormat(tokenizer, family="compact", thinking=True))) == []
    )
    assert len(solved(ScriptedModel(oracle))) > len(tasks) / 2  # the limits leave room for it
