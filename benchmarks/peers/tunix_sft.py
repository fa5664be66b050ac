"""The peer of `benchmarks.sft`: tunix's own train step on its Qwen3, float32, AdamW with clipping."""

from __future__ import annotations

import json
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from tunix.models.qwen3 import model as qwen3
from tunix.sft import peft_trainer
from tunix.sft import utils as sft_utils

ROWS, LENGTH, VOCAB = 8, 512, 8192


def probe() -> float:
    """GFLOP/s of a float32 product of 2048 x 2048 matrices, best of five."""
    a = jnp.ones((2048, 2048))
    product = jax.jit(lambda x: x @ x)
    product(a).block_until_ready()
    times = []
    for _ in range(5):
        begin = time.perf_counter()
        product(a).block_until_ready()
        times.append(time.perf_counter() - begin)
    return 2 * 2048**3 / min(times) / 1e9


def model_input(batch: peft_trainer.TrainingInput) -> dict[str, jax.Array]:
    mask = batch.input_mask
    return {
        "input_tokens": batch.input_tokens,
        "input_mask": mask,
        "positions": sft_utils.build_positions_from_mask(mask),
        "attention_mask": sft_utils.make_causal_attn_mask(mask),
    }


def main(steps: int) -> None:
    config = qwen3.ModelConfig(
        num_layers=12, vocab_size=VOCAB, embed_dim=384, hidden_dim=1024, num_heads=6, head_dim=64, num_kv_heads=2,
        rope_theta=1_000_000, norm_eps=1e-6, use_tied_embedding=True,
    )  # fmt: skip
    model = qwen3.Qwen3(config, rngs=nnx.Rngs(0))
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4, b2=0.95))
    trainer = peft_trainer.PeftTrainer(model, optimizer, peft_trainer.TrainingConfig(eval_every_n_steps=10**6))
    trainer = trainer.with_gen_model_input_fn(model_input)
    step, _ = trainer.jit_train_and_eval_step(cache_nnx_graph=True)
    text = np.random.default_rng(0).integers(1, VOCAB, (ROWS, LENGTH)).astype(np.int32)
    batch = peft_trainer.TrainingInput(input_tokens=text, input_mask=np.ones_like(text, bool))
    seconds = []
    before = probe()
    for _ in range(steps + 2):
        begin = time.perf_counter()
        jax.block_until_ready(step(batch))
        jax.block_until_ready(nnx.state(model))
        seconds.append(time.perf_counter() - begin)
    print(json.dumps({"seconds": seconds[2:], "gflops": (before + probe()) / 2}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
