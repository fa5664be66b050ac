"""How far the engine's log-probabilities are from the trainer's, by type: what an RL ratio sees before any update.

    python -m benchmarks.precision

The shipped base continues pretraining text, one reply per prompt at temperature 1, and the trainer reads the same
tokens again. Besides the difference: the mean ratio exp(trainer - engine), which is 1 without a bias.
"""

from __future__ import annotations

import asyncio
from typing import Any

import jax
import numpy as np
from absl import app, flags
from flax import nnx

from benchmarks.workloads import NEW, PROMPT
from qpa.chat import ChatFormat
from qpa.config import EngineConfig
from qpa.contract import GenerateReply, GenerateRequest
from qpa.models.base import load_base
from qpa.models.engine import Engine
from qpa.train.forward import compute_params, target_log_probs
from qpa.train.pretrain import words
from qpa.train.pretrain.corpus import encode
from qpa.train.pretrain.documents import document

_REPLIES = flags.DEFINE_integer("replies", 64, "prompts, each continued once", lower_bound=1)
_PAIRS = (("float32", "float32"), ("bfloat16", "bfloat16"), ("float32", "bfloat16"), ("bfloat16", "float32"))


def prompts(tokenizer: Any, count: int) -> list[list[int]]:
    """Documents one after the other, cut to `PROMPT` ids."""
    source, out = words.Source("precision/0"), []
    for _ in range(count):
        ids: list[int] = []
        while len(ids) < PROMPT:
            ids += encode(document(source, frozenset()), tokenizer)[0]
        out.append(ids[:PROMPT])
    return out


def generate(base: Any, contexts: list[list[int]], dtype: str) -> list[GenerateReply]:
    graphdef, params, cfg, tokenizer = base
    sizes = EngineConfig(slots=16, decode_rows=16, context=PROMPT + NEW, prefill_buckets=(PROMPT,), compute_dtype=dtype)
    engine = Engine(graphdef, params, cfg, sizes, ChatFormat(tokenizer, family="compact", thinking=True))
    requests = [
        GenerateRequest(episode=f"p{i}", turn=0, messages=[], tools=[], prompt_ids=ids, max_tokens=NEW)
        for i, ids in enumerate(contexts)
    ]

    async def main() -> list[GenerateReply]:
        return await asyncio.gather(*map(engine.generate, requests))

    return asyncio.run(main())


def read_again(base: Any, contexts: list[list[int]], replies: list[GenerateReply], dtype: str) -> np.ndarray:
    """The trainer's log-probs of all sampled ids, one reply after the other."""
    ids = np.zeros((len(contexts), PROMPT + NEW), np.int32)
    for row, context, reply in zip(ids, contexts, replies, strict=True):
        row[: len(context) + len(reply.token_ids)] = context + reply.token_ids
    positions = np.broadcast_to(np.arange(ids.shape[1]), ids.shape)

    @jax.jit
    def run(params: Any) -> jax.Array:
        logits = nnx.merge(base[0], compute_params(params, dtype))(ids, positions, np.ones_like(ids))
        return target_log_probs(logits[:, PROMPT - 1 : -1], ids[:, PROMPT:])

    return np.concatenate([x[: len(r.token_ids)] for x, r in zip(np.asarray(run(base[1])), replies, strict=True)])


def main(_: list[str]) -> None:
    base = load_base()
    contexts = prompts(base[3], _REPLIES.value)
    print(f"{'engine':9} {'trainer':9} {'tokens':>6}  |difference|: mean    99 %     most   mean ratio")
    for engine_dtype, trainer_dtype in _PAIRS:
        replies = generate(base, contexts, engine_dtype)
        sampled = np.concatenate([r.log_probs for r in replies])
        gap = read_again(base, contexts, replies, trainer_dtype) - sampled
        far = f"{np.abs(gap).mean():18.6f} {np.quantile(np.abs(gap), 0.99):9.6f} {np.abs(gap).max():8.5f}"
        print(f"{engine_dtype:9} {trainer_dtype:9} {len(gap):6} {far} {np.exp(gap).mean():11.5f}", flush=True)


if __name__ == "__main__":
    app.run(main)
