"""The engine's device programs: fixed shapes, compiled ahead of time, KV cache donated.

Legend: B slots, R rows of one call, T tokens per row, C tokens of one decode call, S cache length, L <= S positions
that a call reads, W words of 32 ids. A call copies its rows out of the cache, cut to L: attention costs what it reads.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import ModelConfig
from qpa.models.sampling import sample, sample_limited, uniforms
from qpa.models.transformer import LayerCache

Cache = list[LayerCache]
Form = tuple[tuple[str, tuple[int, ...], str], ...]
COPIES = 8  # slot pairs per `copy` call
MIN_PREFILL_TOKENS = 128  # per call; small matrix products take another kernel, whose last bits differ


def prefill(graphdef: nnx.GraphDef, length: int, params: nnx.State, cache: Cache, slots_R, tokens_RT, positions_RT):
    """Writes keys and values of `tokens` into rows `slots` -> cache. Filler: rows of slot B, tokens at position L."""
    _, rows = nnx.merge(graphdef, params).extend(tokens_RT, positions_RT, _take(cache, slots_R, length))
    return _put_back(cache, rows, slots_R, positions_RT)


def _take(cache: Cache, slots_R: jax.Array, length: int) -> Cache:
    """The rows of a call, cut to `length` positions."""
    # Cut before the rows are chosen: the other way round XLA's CPU code takes three times as long.
    return [
        LayerCache(*(jnp.take(part, slots_R, axis=0, mode="clip") for part in (x.k[..., :length], x.v[:, :, :length])))
        for x in cache
    ]


def _put_back(cache: Cache, rows: Cache, slots_R: jax.Array, positions_RT: jax.Array) -> Cache:
    """Writes what `rows` hold at these positions into the cache; positions behind their length are left out."""
    length, size = rows[0].v.shape[2], cache[0].v.shape[2]
    at_RT, read_RT = jnp.where(positions_RT < length, positions_RT, size), jnp.minimum(positions_RT, length - 1)
    slots_R1 = slots_R[:, None]

    def back(full: LayerCache, part: LayerCache) -> LayerCache:
        keys = jnp.take_along_axis(part.k, read_RT[:, None, None, :], axis=3).transpose(0, 3, 1, 2)
        values = jnp.take_along_axis(part.v, read_RT[:, None, :, None], axis=2).swapaxes(1, 2)
        return LayerCache(
            full.k.at[slots_R1, :, :, at_RT].set(keys, mode="drop"),
            full.v.at[slots_R1, :, at_RT].set(values, mode="drop"),
        )

    return [back(full, part) for full, part in zip(cache, rows, strict=True)]


def decode(
    graphdef: nnx.GraphDef,
    chunk: int,
    length: int,
    params: nnx.State,
    cache: Cache,
    slots_R,
    ints_3R,
    keys_R2,
    temperature_R,
    stops_V,
    limits_3R=None,
    allowed_RW=None,
) -> tuple[Cache, jax.Array, jax.Array]:
    """Up to `chunk` tokens for every live row -> (cache, ids [C, R], log-probs [C, R]; with limits [C, R, 2]).

    Without limits this is the program of almost all calls: it draws from the whole vocabulary and computes no more.

    Args:
      slots_R: which rows of the cache; filler rows have slot B.
      ints_3R: each row's last token, that token's position, and how many tokens it may still get (0: not live).
      keys_R2: random streams; temperature_R: 0 is greedy; stops_V: bool, ids that end a row once sampled.
      limits_3R: top-k, top-p, min-p (`sample_limited`). allowed_RW: int32 bits of the allowed ids, for a chunk of 1.
    """
    model = nnx.merge(graphdef, params)
    begin = ints_3R[1]
    allowed_RV = None if allowed_RW is None else _unpack(allowed_RW, len(stops_V))

    def draw(logits_RV: jax.Array, uniform_R: jax.Array) -> tuple[jax.Array, jax.Array]:
        if limits_3R is None:
            return sample(logits_RV, temperature_R, uniform_R)
        return sample_limited(logits_RV, temperature_R, uniform_R, limits_3R, allowed_RV)

    def step(state):
        i, rows, token, position, left, ids, log_probs = state
        live = left > 0
        hidden, rows = model.extend(token[:, None], jnp.where(live, position, length)[:, None], rows)
        drawn, log_prob = draw(model.logits(hidden)[:, 0], uniforms(keys_R2, position + 1))
        left = jnp.where(live & ~stops_V[drawn], left - 1, 0)
        return i + 1, rows, drawn, position + 1, left, ids.at[i].set(drawn), log_probs.at[i].set(log_prob)

    shape = chunk, len(begin)
    log_probs = jnp.zeros(shape if limits_3R is None else (*shape, 2), jnp.float32)
    state = (0, _take(cache, slots_R, length), *ints_3R, jnp.zeros(shape, jnp.int32), log_probs)
    out = jax.lax.while_loop(lambda state: (state[0] < chunk) & (state[4] > 0).any(), step, state)

    written_RC = begin[:, None] + jnp.arange(chunk)  # at most: what a row did not reach is written back as it was
    return _put_back(cache, out[1], slots_R, written_RC), out[5], out[6]


def _unpack(words_RW: jax.Array, size: int) -> jax.Array:
    """bool [R, size] of bits, the lowest of each word first."""
    bits = (words_RW[:, :, None] >> jnp.arange(32)) & 1
    return bits.reshape(len(words_RW), -1)[:, :size] == 1


def copy(cache: Cache, source_R, target_R) -> Cache:
    """Copies whole rows; all reads come before all writes. Filler pairs have target B."""
    return jax.tree.map(lambda x: x.at[target_R].set(x[source_R], mode="drop"), cache)


@functools.cache
def _compiled(model: str, params_form: Form, device: Any) -> dict[tuple, Any]:
    """Compiled programs by name and shapes, shared by all engines of a process that run the same `model`."""
    return {}


def form(params: nnx.State) -> Form:
    """Structure, shapes and dtypes of the weights: what compiled programs depend on."""
    return tuple((str(keys), x.shape, str(x.dtype)) for keys, x in jax.tree_util.tree_leaves_with_path(params))


class Programs:
    """The programs of one engine on one device, each compiled once per shape.

    A compiled program accepts exactly the shapes and the device it was made for, so nothing recompiles unnoticed.
    """

    def __init__(self, graphdef: nnx.GraphDef, cfg: ModelConfig, chunk: int, params_form: Form, device: Any) -> None:
        self._functions: dict[str, Callable[..., Any]] = {
            "prefill": lambda length: jax.jit(functools.partial(prefill, graphdef, length), donate_argnums=1),
            "decode": lambda length: jax.jit(functools.partial(decode, graphdef, chunk, length), donate_argnums=1),
            "limited": lambda length: jax.jit(functools.partial(decode, graphdef, chunk, length), donate_argnums=1),
            "constrained": lambda length: jax.jit(functools.partial(decode, graphdef, 1, length), donate_argnums=1),
            "copy": lambda _: jax.jit(copy, donate_argnums=0),
        }
        self._compiled = _compiled(repr(cfg), params_form, device)
        self._chunk = chunk
        self.used: set[tuple] = set()

    def _key(self, name: str, length: int, args: tuple[Any, ...]) -> tuple:
        """One of `args` is the cache."""
        cache = next(a for a in args if isinstance(a, list))[0].k
        chunk = self._chunk if name in ("decode", "limited") else 0
        return (name, cache.shape, chunk, length, *(a.shape for a in args if isinstance(a, np.ndarray)))

    def find(self, name: str, length: int, args: tuple[Any, ...]) -> Any:
        """The compiled program, or None: it has to be compiled first."""
        key = self._key(name, length, args)
        self.used.add(key)
        return self._compiled.get(key)

    def compile(self, name: str, length: int, args: tuple[Any, ...]) -> Any:
        """Makes the program for `args`; takes seconds."""
        made = self._functions[name](length).lower(*args).compile()
        return self._compiled.setdefault(self._key(name, length, args), made)
