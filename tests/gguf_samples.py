"""Tiny GGUF files with random weights, written by the `gguf` package from models of the transformers package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, quants
from transformers import LlamaConfig, LlamaForCausalLM, Qwen3Config, Qwen3ForCausalLM

SHAPE = {
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "intermediate_size": 64, "rms_norm_eps": 1e-5, "max_position_embeddings": 128,
}  # fmt: skip
_IN_LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm", "post_attention_layernorm": "ffn_norm", "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}  # fmt: skip
_OUTSIDE = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def reference(arch: str, vocab_size: int, tied: bool) -> Any:
    """A random float32 model of that architecture."""
    torch.manual_seed(0)
    config, model = {"llama": (LlamaConfig, LlamaForCausalLM), "qwen3": (Qwen3Config, Qwen3ForCausalLM)}[arch]
    made = model(config(**SHAPE, vocab_size=vocab_size, tie_word_embeddings=tied, rope_theta=1e5)).eval()
    for p in made.parameters():  # norms and logits that a wrong order of rows would change
        p.data += 0.2 * torch.randn(p.shape)
    return made


def tensors(model: Any, arch: str) -> dict[str, np.ndarray]:
    """The model's tensors under GGUF names, q and k rows interleaved as the format wants them for Llama."""
    out = {}
    for name, value in model.state_dict().items():
        stem, array = name.removesuffix(".weight"), value.numpy()
        if stem in _OUTSIDE:
            if stem != "lm_head" or not model.config.tie_word_embeddings:
                out[f"{_OUTSIDE[stem]}.weight"] = array
            continue
        _, _, layer, inner = stem.split(".", 3)
        if arch == "llama" and inner in ("self_attn.q_proj", "self_attn.k_proj"):
            heads = array.shape[0] // SHAPE["head_dim"]
            array = np.concatenate([np.stack(np.split(head, 2), 1).reshape(8, -1) for head in np.split(array, heads)])
        out[f"blk.{layer}.{_IN_LAYER[inner]}.weight"] = np.ascontiguousarray(array)
    return out


def metadata(arch: str, tokenizer: Path) -> dict[str, Any]:
    """The fields of the file; the tokenizer's tables are those of a `tokenizer.json` with SmolLM2's special tokens."""
    raw = json.loads((tokenizer / "tokenizer.json").read_text())
    vocab = raw["model"]["vocab"]
    tokens = sorted(vocab, key=vocab.__getitem__)
    special = {entry["content"] for entry in raw["added_tokens"]}
    fields = {
        "block_count": 2, "embedding_length": 32, "feed_forward_length": 64, "attention.head_count": 4,
        "attention.head_count_kv": 2, "attention.layer_norm_rms_epsilon": 1e-5, "rope.freq_base": 1e5,
        "attention.key_length": 8,
    }  # fmt: skip
    return {f"{arch}.{name}": value for name, value in fields.items()} | {
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "smollm",
        "tokenizer.ggml.tokens": tokens,
        "tokenizer.ggml.token_type": [3 if token in special else 1 for token in tokens],
        "tokenizer.ggml.merges": [" ".join(pair) for pair in raw["model"]["merges"]],
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.padding_token_id": 2,
        "tokenizer.chat_template": "{{ messages }}",
    }


def write(path: Path, arch: str, fields: dict[str, Any], arrays: dict[str, np.ndarray], quantised=()) -> Path:
    """The file; tensors whose names are in `quantised` are stored as Q8_0."""
    writer = GGUFWriter(path, arch)
    for key, value in fields.items():
        if isinstance(value, list):
            writer.add_array(key, value)
        elif isinstance(value, str):
            writer.add_string(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        else:
            writer.add_float32(key, value)
    for name, array in arrays.items():
        if name in quantised:
            kind = GGMLQuantizationType.Q8_0
            writer.add_tensor(name, quants.quantize(array, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
