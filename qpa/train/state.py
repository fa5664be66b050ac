"""What one optimiser update reads and writes."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh

from qpa.train.mesh import place_tree, tree_shardings


class TrainState(NamedTuple):
    """Parameters, optimiser state and the number of optimiser updates done (int32 scalar). No PRNG key: the updates
    draw nothing, and every rollout derives its own stream from (seed, step, task, rollout)."""

    params: Any
    opt_state: Any
    step: jax.Array


def create_state(params: Any, tx: optax.GradientTransformation, mesh: Mesh) -> TrainState:
    """A fresh float32 state on `mesh`. The parameters are copied, because training donates its state."""
    host = jax.device_get(params)  # wherever they live now: another mesh, or each process's own copy
    shardings = jax.tree.map(lambda x: x.sharding, abstract_state(host, tx, mesh))
    # Placed one by one first: no device ever holds more than its part.
    return jax.jit(partial(_init, tx=tx), out_shardings=shardings)(place_tree(mesh, host))


def abstract_state(params: Any, tx: optax.GradientTransformation, mesh: Mesh) -> TrainState:
    """Shapes, types and places of `create_state(params, ...)`; `params` may be shapes too."""
    shapes = jax.eval_shape(partial(_init, tx=tx), params)
    return jax.tree.map(
        lambda x, s: jax.ShapeDtypeStruct(x.shape, x.dtype, sharding=s), shapes, tree_shardings(mesh, shapes)
    )


def _init(params: Any, *, tx: optax.GradientTransformation) -> TrainState:
    params = jax.tree.map(lambda x: jnp.array(x, jnp.float32, copy=True), params)
    return TrainState(params, tx.init(params), jnp.zeros((), jnp.int32))


def apply_gradients(state: TrainState, grads: Any, tx: optax.GradientTransformation) -> tuple[TrainState, jax.Array]:
    """One optimiser update -> (new state, global gradient norm before clipping)."""
    updates, opt_state = tx.update(grads, state.opt_state, state.params)
    params = optax.apply_updates(state.params, updates)
    return TrainState(params, opt_state, state.step + 1), optax.tree.norm(grads)
