"""What SFT and RL share: log-probabilities at the supervised slots, and gradients summed over chunks of rows.

Parameters, gradients, norm statistics, softmax and losses are float32 whatever `compute_dtype` is; it is the type of
activations and of the factors of matrix products.

Legend: M chunks, b rows of one chunk, T row length, K supervised slots (see `qpa.train.packing`), V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import Mesh

from qpa.models.layers import compute_type
from qpa.models.transformer import packed_mask
from qpa.train.mesh import batch_shards, path_names, replicated, tree_shardings
from qpa.train.state import TrainState

CHUNK_ROWS = 8  # rows whose activations are alive at once

Rows = Mapping[str, jax.Array]


def compute_params(params: Any, compute_dtype: str) -> Any:
    """`params` with the layers' matrices in `compute_dtype`; with "float32" `params` itself.

    Embedding and head stay float32 and are cast where they are used: their gradients are sums over many tokens.
    Raises ValueError for another type than float32 or bfloat16.
    """
    dtype = compute_type(compute_dtype)
    if dtype == jnp.float32:
        return params

    def cast(path: tuple[Any, ...], x: jax.Array) -> jax.Array:
        return x.astype(dtype) if "layers" in path_names(path) and x.ndim > 1 else x

    return jax.tree_util.tree_map_with_path(cast, params)


def slot_scores(
    graphdef: nnx.GraphDef, params: Any, rows: Rows, score: Callable[[jax.Array, jax.Array], Any], loss_chunk: int = 0
) -> Any:
    """`score(logits [b, k, V], targets [b, k])`, a tree of [b, k] arrays, at all supervised slots [b, K].

    With `loss_chunk` > 0 the head is applied to that many slots at a time, and again in the backward pass: the logits
    of a large vocabulary are never there at once.
    """
    if loss_chunk <= 0:
        return score(slot_logits(graphdef, params, rows), rows["targets"])
    model = nnx.merge(graphdef, params)
    hidden_BKD, targets_BK = _slot_hidden(model, rows), rows["targets"]
    b, k = targets_BK.shape
    width = min(k, max(1, loss_chunk // b))  # pieces of the slot axis: the row axis is split over devices

    def pieces(x: jax.Array) -> jax.Array:
        padded = jnp.pad(x, [(0, 0), (0, -k % width), *[(0, 0)] * (x.ndim - 2)])
        return jnp.moveaxis(padded.reshape(b, -1, width, *x.shape[2:]), 1, 0)

    @jax.checkpoint
    def one(piece: tuple[jax.Array, jax.Array]) -> Any:
        return score(model.logits(piece[0]), piece[1])

    scores = jax.lax.map(one, (pieces(hidden_BKD), pieces(targets_BK)))
    return jax.tree.map(lambda x: jnp.moveaxis(x, 0, 1).reshape(b, -1)[:, :k], scores)


def slot_logits(graphdef: nnx.GraphDef, params: Any, rows: Rows) -> jax.Array:
    """float32 logits [b, K, V] at the supervised slots only: the head is never applied to context tokens."""
    model = nnx.merge(graphdef, params)
    return model.logits(_slot_hidden(model, rows))


def _slot_hidden(model: Any, rows: Rows) -> jax.Array:
    return model.hidden_at(rows["tokens"], rows["positions"], packed_mask(rows["segments"]), rows["index"])


def target_log_probs(logits_BKV: jax.Array, targets_BK: jax.Array, temperature: float = 1.0) -> jax.Array:
    """log softmax(logits / temperature) at the targets, [b, K] float32."""
    scaled = logits_BKV / temperature
    picked = jnp.take_along_axis(scaled, targets_BK[..., None], axis=-1)[..., 0]
    return picked - jax.nn.logsumexp(scaled, axis=-1)


def accumulate(
    loss_fn: Callable[[Any, Rows], tuple[jax.Array, tuple[Any, Any]]], params: Any, rows: Rows, used: int | jax.Array
) -> tuple[Any, Any, Any]:
    """Gradients of a *summed* loss over the first `used` of M chunks -> (grads, sums, maxima).

    `loss_fn(params, chunk) -> (sum, (sums, maxima))`. The caller divides once, by a count taken over all chunks, so
    chunks of unequal content weigh by their content; the sums are float32, whatever the type of `params`. `used` may be
    traced: empty chunks then cost nothing and need no second compilation.
    """
    grad_fn = jax.grad(loss_fn, has_aux=True)

    def chunk(i: int | jax.Array) -> Rows:
        return {k: jax.lax.dynamic_index_in_dim(v, i, keepdims=False) for k, v in rows.items()}

    def body(i: jax.Array, carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        grads, (sums, maxima) = grad_fn(params, chunk(i))
        added = jax.tree.map(jnp.add, carry[:2], (grads, sums))
        return *added, jax.tree.map(jnp.maximum, carry[2], maxima)

    grads, (sums, maxima) = jax.eval_shape(grad_fn, params, chunk(0))
    wide = partial(jnp.promote_types, jnp.float32)
    zeros = jax.tree.map(lambda x: jnp.zeros(x.shape, wide(x.dtype)), (grads, sums, maxima))
    return jax.lax.fori_loop(0, used, body, zeros)


def chunk_rows(rows: int, mesh: Mesh) -> int:
    """Rows per chunk for batches of up to `rows`: about `CHUNK_ROWS`, and a multiple of the number of shards."""
    shards = batch_shards(mesh)
    return -(-min(CHUNK_ROWS, rows) // shards) * shards


def compile_step(
    step: Callable[..., Any], mesh: Mesh, state: TrainState, frozen: tuple[Any, ...] = (), **static: Any
) -> Callable[..., Any]:
    """Jits `step(state, ...) -> (state, metrics)`: the state is donated and stays where `state_sharding` wants it.

    `frozen` parameters are handed to every call, and only read.
    """
    shardings = tree_shardings(mesh, state), replicated(mesh)
    compiled = jax.jit(partial(step, **static), donate_argnums=0, out_shardings=shardings)
    return partial(compiled, frozen=frozen) if frozen else compiled
