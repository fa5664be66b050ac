"""What one optimiser update reads and writes."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh

from qpa.train.mesh import tree_shardings


class TrainState(NamedTuple):
    """Parameters, optimiser state and the number of optimiser updates done (int32 scalar). No PRNG key: the updates
    draw nothing, and every rollout derives its own stream from (seed, step, task, rollout)."""

    params: Any
    opt_state: Any
    step: jax.Array


def create_state(params: Any, tx: optax.GradientTransformation, mesh: Mesh) -> TrainState:
    """A fresh float32 state on `mesh`. The parameters are copied, because training donates its state."""

    def init(params: Any) -> TrainState:
        params = jax.tree.map(lambda x: jnp.array(x, jnp.float32, copy=True), params)
        return TrainState(params, tx.init(params), jnp.zeros((), jnp.int32))

    host = jax.device_get(params)  # wherever they live now: another mesh, or each process's own copy
    shardings = tree_shardings(mesh, jax.eval_shape(init, host))
    return jax.jit(init, out_shardings=shardings)(host)


def apply_gradients(state: TrainState, grads: Any, tx: optax.GradientTransformation) -> tuple[TrainState, jax.Array]:
    """One optimiser update -> (new state, global gradient norm before clipping)."""
    updates, opt_state = tx.update(grads, state.opt_state, state.params)
    params = optax.apply_updates(state.params, updates)
    return TrainState(params, opt_state, state.step + 1), optax.tree.norm(grads)
