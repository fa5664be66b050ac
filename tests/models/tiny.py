"""A tiny planner and the least a chat format needs, for the model tests."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import numpy as np
from flax import nnx

from qpa.config import EngineConfig, ModelConfig
from qpa.contract import GenerateRequest
from qpa.models.engine import Engine
from qpa.models.transformer import Planner, create

CFG = ModelConfig(vocab_size=64, d_model=32, n_layers=2, n_heads=4, n_kv_heads=2, head_dim=8, d_ff=64)
MOE = dataclasses.replace(CFG, n_experts=8, experts_per_token=3, d_expert=16)
SPECIAL = {"<|im_end|>": 1, "<|im_start|>": 2, "<|endoftext|>": 3}


class Tokenizer:
    def special_id(self, name: str) -> int:
        return SPECIAL[name]

    def decode(self, ids: Sequence[int]) -> str:
        return "".join(chr(40 + i) for i in ids)


@dataclasses.dataclass
class Format:
    tokenizer: Tokenizer = dataclasses.field(default_factory=Tokenizer)
    family: str = "compact"


def planner(seed: int = 0, scale: float = 12.0):
    """(graphdef, params) with logits of unit order, so that a wrong context changes the sampled tokens."""
    graphdef, params = create(CFG, seed)
    params["embed_tokens"].set_value(params["embed_tokens"].get_value() * scale)
    return graphdef, params


def abstract(cfg: ModelConfig) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef, shapes of the params)."""
    return nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)


def random_params(cfg: ModelConfig, seed: int = 0):
    """Params of another shape than `CFG`, without compiling their initialisation."""
    rng = np.random.default_rng(seed)
    shapes = abstract(cfg)[1]
    return jax.tree.map(lambda x: jax.device_put(rng.normal(1.0, 0.3, x.shape).astype(np.float32) / 4), shapes)


GRAPHDEF, PARAMS = planner()
ENGINE = EngineConfig(slots=4, context=96, decode_chunk=4, prefill_buckets=(32, 64))


def engine(params=PARAMS, devices=None, **changes) -> Engine:
    return Engine(GRAPHDEF, params, CFG, dataclasses.replace(ENGINE, **changes), Format(), devices=devices)


def prompt(seed: int, length: int) -> list[int]:
    return np.random.default_rng(seed).integers(4, 64, length).tolist()


def request(episode: str, ids: Sequence[int], turn: int = 0, **fields) -> GenerateRequest:
    options = {"max_tokens": 12, "temperature": 1.0, "seed": 0} | fields
    return GenerateRequest(episode=episode, turn=turn, messages=[], tools=[], prompt_ids=list(ids), **options)


@jax.jit
def packed_logits(params, tokens, positions, segments):
    """The training forward, [B, T, V]."""
    return nnx.merge(GRAPHDEF, params)(tokens, positions, segments)


def full_logits(params, ids: Sequence[int]) -> np.ndarray:
    """The training forward over one sequence, [T, V]; padded, so that it compiles once."""
    tokens, segments = np.zeros((2, 1, 128), np.int32)
    tokens[0, : len(ids)], segments[0, : len(ids)] = ids, 1
    return np.asarray(packed_logits(params, tokens, np.arange(128)[None], segments))[0, : len(ids)]


def log_softmax(x) -> np.ndarray:
    return np.asarray(jax.nn.log_softmax(x, axis=-1))
