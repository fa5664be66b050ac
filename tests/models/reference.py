"""Small random checkpoints as transformers writes them; parity tests are skipped where it is not installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()

SHAPE = {
    "vocab_size": 61, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "intermediate_size": 48, "max_position_embeddings": 256, "pad_token_id": None, "bos_token_id": None,
    "eos_token_id": None,
}  # fmt: skip
EXPERTS = {"num_experts": 8, "num_experts_per_tok": 3, "moe_intermediate_size": 16, "router_aux_loss_coef": 0.0}
CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "qwen3": ("Qwen3", {"tie_word_embeddings": True}),
    "qwen3-untied": ("Qwen3", {"tie_word_embeddings": False}),
    "moe": ("Qwen3Moe", EXPERTS | {"norm_topk_prob": True}),
    "moe-raw": ("Qwen3Moe", EXPERTS | {"norm_topk_prob": False}),
    "llama": ("Llama", {"tie_word_embeddings": True, "rms_norm_eps": 1e-5}),
    "llama-untied": ("Llama", {"tie_word_embeddings": False}),
}
ROPES: dict[str, dict[str, Any]] = {
    "linear": {"rope_type": "linear", "factor": 3.0},
    "llama3": {
        "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64},
    "yarn-set": {
        "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64, "beta_fast": 8.0, "beta_slow": 2.0,
        "mscale": 0.7, "mscale_all_dim": 0.4, "truncate": False,
    },
}  # fmt: skip


def make(case: str, rope: dict[str, Any] | None = None, theta: float = 1e3) -> Any:
    """A transformers model with weights large enough that every part of it shows in the logits."""
    family, fields = CASES[case]
    rope = {"rope_theta": theta, "rope_type": "default"} | (rope or {})
    config = getattr(transformers, f"{family}Config")(**SHAPE | fields, rope_parameters=rope)
    torch.manual_seed(0)
    model = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            scale = 0.5 if "embed" in name else 1.5  # a tied model with loud embeddings says the same word for ever
            noise = torch.randn_like(p)
            p.copy_(1 + 0.3 * noise if "norm" in name else noise * scale * p.shape[-1] ** -0.5)
    return model


def save(model: Any, path: Path, **options: Any) -> Path:
    """The checkpoint directory that transformers writes."""
    model.save_pretrained(path, **options)
    return path


def greedy(model: Any, ids: list[int], count: int) -> list[int]:
    """`generate` without sampling, end or penalty."""
    with torch.no_grad():
        out = model.generate(torch.tensor([ids]), max_new_tokens=count, do_sample=False, pad_token_id=0)
    return out[0, len(ids) :].tolist()


def tensors(model: Any) -> dict[str, np.ndarray]:
    """Gradients by the names in which checkpoints are published: experts one by one."""
    out = {}
    for name, p in model.named_parameters():
        grad = p.grad.numpy()
        if name.endswith("experts.gate_up_proj"):
            stem = name.removesuffix("gate_up_proj")
            for i, both in enumerate(grad):
                gate, up = np.split(both, 2)
                out |= {f"{stem}{i}.gate_proj.weight": gate, f"{stem}{i}.up_proj.weight": up}
        elif name.endswith("experts.down_proj"):
            out |= {f"{name.removesuffix('down_proj')}{i}.down_proj.weight": g for i, g in enumerate(grad)}
        else:
            out[name] = grad
    return out
