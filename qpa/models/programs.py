"""The engine's device programs: fixed shapes, compiled ahead of time, KV cache donated.

Legend: B slots, R rows of one prefill call, T tokens per row, C tokens of one decode call, S cache length.
"""

from __future__ import annotations

import functools
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.sampling import sample, uniforms
from qpa.models.transformer import LayerCache

Cache = list[LayerCache]
Form = tuple[tuple[str, tuple[int, ...], str], ...]
COPIES = 8  # slot pairs per `copy` call
MIN_PREFILL_TOKENS = 128  # per call; small matrix products take another kernel, whose last bits differ


def prefill(graphdef: nnx.GraphDef, params: nnx.State, cache: Cache, slots_R, tokens_RT, positions_RT) -> Cache:
    """Writes keys and values of `tokens` into rows `slots`. Filler rows have slot B, filler tokens position S."""
    rows = [LayerCache(x.k[slots_R], x.v[slots_R]) for x in cache]
    _, rows = nnx.merge(graphdef, params).extend(tokens_RT, positions_RT, rows)
    return [
        LayerCache(x.k.at[slots_R].set(r.k, mode="drop"), x.v.at[slots_R].set(r.v, mode="drop"))
        for x, r in zip(cache, rows, strict=True)
    ]


def decode(
    graphdef: nnx.GraphDef, chunk: int, params: nnx.State, cache: Cache, ints_3B, keys_B2, temperature_B, stops_V
) -> tuple[Cache, jax.Array, jax.Array]:
    """Up to `chunk` tokens for every live row -> (cache, ids [C, B], log-probs [C, B]).

    Args:
      ints_3B: each row's last token, that token's position, and how many tokens it may still get (0: not live).
      keys_B2: random streams; temperature_B: 0 is greedy; stops_V: bool, ids that end a row once sampled.
    """
    model = nnx.merge(graphdef, params)
    b, s = ints_3B.shape[1], cache[0].k.shape[2]

    def step(state):
        i, cache, token, position, left, ids, log_probs = state
        live = left > 0
        hidden, cache = model.extend(token[:, None], jnp.where(live, position, s)[:, None], cache)
        drawn, log_prob = sample(model.logits(hidden)[:, 0], temperature_B, uniforms(keys_B2, position + 1))
        left = jnp.where(live & ~stops_V[drawn], left - 1, 0)
        return i + 1, cache, drawn, position + 1, left, ids.at[i].set(drawn), log_probs.at[i].set(log_prob)

    state = (0, cache, *ints_3B, jnp.zeros((chunk, b), jnp.int32), jnp.zeros((chunk, b), jnp.float32))
    out = jax.lax.while_loop(lambda state: (state[0] < chunk) & (state[4] > 0).any(), step, state)
    return out[1], out[5], out[6]


def copy(cache: Cache, source_R, target_R) -> Cache:
    """Copies whole rows; all reads come before all writes. Filler pairs have target B."""
    return jax.tree.map(lambda x: x.at[target_R].set(x[source_R], mode="drop"), cache)


def resize(cache: Cache, length: int) -> Cache:
    """The cache with room for `length` >= S positions."""
    return jax.tree.map(lambda x: jnp.pad(x, ((0, 0), (0, 0), (0, length - x.shape[2]), (0, 0))), cache)


@functools.cache
def _compiled(model: str, params_form: Form) -> dict[tuple, Any]:
    """Compiled programs by name and shapes, shared by all engines of a process that run the same `model`."""
    return {}


def form(params: nnx.State) -> Form:
    """Structure, shapes and dtypes of the weights: what compiled programs depend on."""
    return tuple((str(keys), x.shape, str(x.dtype)) for keys, x in jax.tree_util.tree_leaves_with_path(params))


class Programs:
    """Runs the programs of one engine, compiling each once per shape, and counts what that costs."""

    def __init__(self, graphdef: nnx.GraphDef, cfg: ModelConfig, chunk: int, params_form: Form) -> None:
        self._functions: dict[str, Any] = {
            "prefill": jax.jit(functools.partial(prefill, graphdef), donate_argnums=1),
            "decode": jax.jit(functools.partial(decode, graphdef, chunk), donate_argnums=1),
            "copy": jax.jit(copy, donate_argnums=0),
            "resize": jax.jit(resize, static_argnums=1),
        }
        self._compiled = _compiled(repr(cfg), params_form)
        self._chunk = chunk
        self._used: set[tuple] = set()
        self.compile_seconds = 0.0
        self.device_seconds = 0.0

    @property
    def count(self) -> int:
        """Different programs used so far; constant in steady state."""
        return len(self._used)

    def run(self, name: str, *args: Any) -> Any:
        """Runs a program and waits for it; one of `args` is the cache.

        A compiled program accepts exactly the shapes and devices it was made for, so nothing recompiles unnoticed.
        """
        cache = next(a for a in args if isinstance(a, list))[0].k
        static = [a for a in args if isinstance(a, int)] if name != "decode" else [self._chunk]
        key = (name, cache.shape, *static, *(a.shape for a in args if isinstance(a, np.ndarray)))
        if key not in self._compiled:
            start = time.perf_counter()
            self._compiled[key] = self._functions[name].lower(*args).compile()
            self.compile_seconds += time.perf_counter() - start
        self._used.add(key)
        start = time.perf_counter()
        out = jax.block_until_ready(self._compiled[key](*(a for a in args if not isinstance(a, int))))
        self.device_seconds += time.perf_counter() - start
        return out
