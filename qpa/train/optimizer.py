"""Muon on the matrices inside the layers, AdamW on embeddings, head and norm scales; one cosine schedule for both.

The schedule counts optimiser updates, never microbatches. Everything is float32.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax.sharding import Mesh
from optax import contrib

from qpa.config import OptimizerConfig
from qpa.train.mesh import path_names, stack_sharding

ADAM_B2 = 0.95  # short runs: a long second-moment memory would still be warming up at the end
# Far above the gradients of pieces that no target holds: the softmax only ever pushes these away, and Adam would make
# full steps of it, until the planner could no longer say a word that its training text lacked.
ADAM_EPS = 3e-5


def make_schedule(peak: float, cfg: OptimizerConfig, total_steps: int) -> optax.Schedule:
    """Linear warm-up, then cosine to `peak * final_fraction`, which the last of `total_steps` updates uses."""
    last = max(total_steps - 1, 1)
    warmup = min(cfg.warmup_steps, last - 1)
    # Starts above zero: the first update of a run of 30 should not be wasted.
    return optax.warmup_cosine_decay_schedule(
        init_value=peak / (warmup + 1),
        peak_value=peak,
        warmup_steps=warmup,
        decay_steps=last,
        end_value=peak * cfg.final_fraction,
    )


def is_layer_matrix(path: tuple[Any, ...], leaf: jax.Array) -> bool:
    """True for the 2-D weights below `layers`: the ones Muon orthogonalises."""
    return "layers" in path_names(path) and leaf.ndim == 2


def partition_labels(params: Any) -> Any:
    """A tree like `params` with "muon" or "adam" at every leaf."""
    return jax.tree_util.tree_map_with_path(lambda p, x: "muon" if is_layer_matrix(p, x) else "adam", params)


def stacked_muon(rate: optax.Schedule, weight_decay: float, mesh: Mesh | None) -> optax.GradientTransformation:
    """`optax.contrib.muon` on matrices of one shape at a time, each device orthogonalising its share of them.

    Left alone, every device would orthogonalise every matrix: that was an eighth of an update of the small planner.
    The momentum is kept stacked, [matrices, rows, columns].
    """
    dims = contrib.MuonDimensionNumbers((1,), (2,))
    inner = contrib.muon(
        rate,
        weight_decay=weight_decay,
        muon_weight_dimension_numbers=lambda stacks: jax.tree.map(lambda _: dims, stacks),
    )

    def spread(stack: jax.Array) -> jax.Array:
        return stack if mesh is None else jax.lax.with_sharding_constraint(stack, stack_sharding(mesh, stack.shape))

    def init(params: Any) -> Any:
        return inner.init(_stack(params))

    def update(updates: Any, state: Any, params: Any = None) -> tuple[Any, Any]:
        stacks, state = inner.update(jax.tree.map(spread, _stack(updates)), state, _stack(params))
        return _unstack(stacks, updates), state

    return optax.GradientTransformation(init, update)


def _stack(tree: Any) -> dict[str, jax.Array]:
    """All matrices of one shape as one array, in the tree's order."""
    groups: dict[str, list[jax.Array]] = {}
    for leaf in jax.tree.leaves(tree):
        groups.setdefault(f"{leaf.shape[0]}x{leaf.shape[1]}", []).append(leaf)
    return {name: jnp.stack(leaves) for name, leaves in groups.items()}


def _unstack(stacks: dict[str, jax.Array], like: Any) -> Any:
    """A tree like `like` of the stacked matrices."""
    parts = {name: iter(stack) for name, stack in stacks.items()}
    return jax.tree.map(lambda leaf: next(parts[f"{leaf.shape[0]}x{leaf.shape[1]}"]), like)


def make_optimizer(cfg: OptimizerConfig, total_steps: int, mesh: Mesh | None = None) -> optax.GradientTransformation:
    """Global-norm clipping, then Muon/AdamW (or AdamW alone) over `total_steps` optimiser updates.

    Weight decay acts on layer matrices only; `mesh` spreads Muon's work over its devices.

    Raises ValueError for an unknown `cfg.name` or `total_steps` < 1.
    """
    if total_steps < 1:
        raise ValueError(f"optimizer: total_steps must be >= 1, got {total_steps}")
    adam_rate = make_schedule(cfg.adam_learning_rate, cfg, total_steps)
    rest = optax.adamw(adam_rate, b2=ADAM_B2, eps=ADAM_EPS, weight_decay=0.0)
    if cfg.name == "muon":
        rate = make_schedule(cfg.learning_rate, cfg, total_steps)
        matrices = stacked_muon(rate, cfg.weight_decay, mesh)
    elif cfg.name == "adamw":
        matrices = optax.adamw(adam_rate, b2=ADAM_B2, weight_decay=cfg.weight_decay)
    else:
        raise ValueError(f"optimizer.name must be 'muon' or 'adamw', got {cfg.name!r}")
    parts = optax.partition({"muon": matrices, "adam": rest}, partition_labels)
    return optax.chain(optax.clip_by_global_norm(cfg.clip_norm), parts)
