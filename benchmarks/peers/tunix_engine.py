"""tunix's sampler on the engine's workloads, run by `benchmarks.engine` in an interpreter that has tunix.

    PEER_PYTHON -m benchmarks.peers.tunix_engine '{"layers": 12, "batches": [8], "tasks": 0, "repeats": 1}'

Prints one JSON object: seconds by workload. Weights are random, as time does not depend on them.
"""

from __future__ import annotations

import json
import sys

import jax
import jax.numpy as jnp
from flax import nnx
from tunix.generate.sampler import CacheConfig, Sampler
from tunix.models.qwen3.model import ModelConfig, Qwen3

from benchmarks.workloads import NEW, PROMPT, SHAPE, agent_episodes, decode_prompts, in_batches, median_seconds

_STEP = 128  # prompt lengths are padded to a multiple: without it every turn would compile anew


class Ids:
    """A tokenizer for texts that are ids already."""

    def encode(self, text: str) -> list[int]:
        return [int(word) for word in text.split()]

    def decode(self, ids: list[int]) -> str:
        return ""

    def bos_id(self) -> None:
        return None

    def eos_id(self) -> int:
        return SHAPE["vocab_size"] + 1  # never sampled

    def pad_id(self) -> int:
        return 0


def model() -> Qwen3:
    """The workloads' shape with random weights, float32."""
    cfg = ModelConfig(
        num_layers=SHAPE["n_layers"],
        vocab_size=SHAPE["vocab_size"],
        embed_dim=SHAPE["d_model"],
        hidden_dim=SHAPE["d_ff"],
        num_heads=SHAPE["n_heads"],
        head_dim=SHAPE["head_dim"],
        num_kv_heads=SHAPE["n_kv_heads"],
        rope_theta=1_000_000,
        norm_eps=1e-6,
        use_tied_embedding=True,
        dtype=jnp.float32,
    )
    return Qwen3(cfg, rngs=nnx.Rngs(0))


def sampler(cache: int) -> Sampler:
    return Sampler(model(), Ids(), CacheConfig(cache, SHAPE["n_layers"], SHAPE["n_kv_heads"], SHAPE["head_dim"]))


def main() -> None:
    job = json.loads(sys.argv[1])
    SHAPE["n_layers"] = job["layers"]
    seconds = {}
    for batch in job["batches"]:
        decode = sampler(PROMPT + NEW)
        texts = [" ".join(map(str, ids)) for ids in decode_prompts(batch)]
        seconds[f"decode {batch}"] = median_seconds(
            lambda s=decode, t=texts: s(
                t, NEW, max_prompt_length=PROMPT, temperature=1.0, seed=0, return_logprobs=True
            ),
            job["repeats"],
        )
    if job["tasks"]:
        episodes = agent_episodes(job["tasks"], job["group"], job["turns"])
        agent = sampler(max(e.total for e in episodes) + 2 * _STEP)

        def generate(contexts: list[list[int]], count: int) -> list[list[int]]:
            length = -(-max(map(len, contexts)) // _STEP) * _STEP
            out = agent([" ".join(map(str, ids)) for ids in contexts], count, max_prompt_length=length)
            return [tokens.tolist() for tokens in out.tokens]

        batch = job["batch"]
        seconds["agent"] = median_seconds(
            lambda: in_batches(episodes, batch, generate),
            job["repeats"],
            lambda: in_batches(episodes[:batch], batch, generate),
        )
    print(json.dumps({"seconds": seconds, "jax": jax.__version__}))


if __name__ == "__main__":
    main()
