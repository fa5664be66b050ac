"""The peer of `benchmarks.sft`: tunix's own train step on its Qwen3, float32, AdamW with clipping."""

from __future__ import annotations

import json
import sys

import jax
import numpy as np
import optax
from flax import nnx
from tunix.sft import peft_trainer
from tunix.sft import utils as sft_utils

from benchmarks.peers.tunix_engine import model
from benchmarks.probe import gflops
from benchmarks.workloads import LENGTH, ROWS, SHAPE, timed_updates


def model_input(batch: peft_trainer.TrainingInput) -> dict[str, jax.Array]:
    mask = batch.input_mask
    return {
        "input_tokens": batch.input_tokens,
        "input_mask": mask,
        "positions": sft_utils.build_positions_from_mask(mask),
        "attention_mask": sft_utils.make_causal_attn_mask(mask),
    }


def main(steps: int) -> None:
    net = model()
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4, b2=0.95))
    trainer = peft_trainer.PeftTrainer(net, optimizer, peft_trainer.TrainingConfig(eval_every_n_steps=10**6))
    trainer = trainer.with_gen_model_input_fn(model_input)
    step, _ = trainer.jit_train_and_eval_step(cache_nnx_graph=True)
    text = np.random.default_rng(0).integers(1, SHAPE["vocab_size"], (ROWS, LENGTH)).astype(np.int32)
    batch = peft_trainer.TrainingInput(input_tokens=text, input_mask=np.ones_like(text, bool))

    def update() -> None:
        jax.block_until_ready(step(batch))
        jax.block_until_ready(nnx.state(net))

    print(json.dumps(timed_updates(update, steps, gflops)))


if __name__ == "__main__":
    main(int(sys.argv[1]))
