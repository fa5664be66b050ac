"""The peer of `benchmarks.sft`: Hugging Face Transformers on torch, sdpa attention, fused AdamW, clipping."""

from __future__ import annotations

import json
import sys

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

from benchmarks.workloads import LENGTH, PROBE, ROWS, SHAPE, best_gflops, timed_updates


def gflops() -> float:
    """The probe, by torch."""
    a = torch.ones(PROBE, PROBE)
    return best_gflops(lambda: a @ a)


def main(steps: int) -> None:
    torch.manual_seed(0)
    model = Qwen3ForCausalLM(
        Qwen3Config(
            vocab_size=SHAPE["vocab_size"],
            hidden_size=SHAPE["d_model"],
            num_hidden_layers=SHAPE["n_layers"],
            num_attention_heads=SHAPE["n_heads"],
            num_key_value_heads=SHAPE["n_kv_heads"],
            head_dim=SHAPE["head_dim"],
            intermediate_size=SHAPE["d_ff"],
            tie_word_embeddings=True,
            attn_implementation="sdpa",
            use_cache=False,
        )
    )
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.95), fused=True)
    ids = torch.randint(1, SHAPE["vocab_size"], (ROWS, LENGTH + 1))

    def update() -> None:
        logits = model(input_ids=ids[:, :-1]).logits
        loss = torch.nn.functional.cross_entropy(
            logits.reshape(-1, SHAPE["vocab_size"]).float(), ids[:, 1:].reshape(-1)
        )
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()

    print(json.dumps(timed_updates(update, steps, gflops)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
