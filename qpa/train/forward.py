"""What SFT and RL share: log-probabilities at the supervised slots, and gradients summed over chunks of rows.

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

from qpa.models.transformer import packed_mask
from qpa.train.mesh import batch_shards, replicated, tree_shardings
from qpa.train.state import TrainState

CHUNK_ROWS = 8  # rows whose activations are alive at once

Rows = Mapping[str, jax.Array]


def slot_logits(graphdef: nnx.GraphDef, params: Any, rows: Rows, frozen: tuple[Any, ...] = ()) -> jax.Array:
    """float32 logits [b, K, V] at the supervised slots only: the head is never applied to context tokens.

    `frozen` are the parameters beside `params`, if only some are trained.
    """
    model = nnx.merge(graphdef, params, *frozen)
    hidden_BTD, _ = model.hidden(rows["tokens"], rows["positions"], packed_mask(rows["segments"]))
    return model.logits(jnp.take_along_axis(hidden_BTD, rows["index"][..., None], axis=1))


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
    chunks of unequal content weigh by their content. `used` may be traced: empty chunks then cost nothing and need no
    second compilation.
    """
    grad_fn = jax.grad(loss_fn, has_aux=True)

    def chunk(i: int | jax.Array) -> Rows:
        return {k: jax.lax.dynamic_index_in_dim(v, i, keepdims=False) for k, v in rows.items()}

    def body(i: jax.Array, carry: tuple[Any, Any, Any]) -> tuple[Any, Any, Any]:
        grads, (sums, maxima) = grad_fn(params, chunk(i))
        added = jax.tree.map(jnp.add, carry[:2], (grads, sums))
        return *added, jax.tree.map(jnp.maximum, carry[2], maxima)

    grads, (sums, maxima) = jax.eval_shape(grad_fn, params, chunk(0))
    zeros = jax.tree.map(lambda x: jnp.zeros(x.shape, x.dtype), (grads, sums, maxima))
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
