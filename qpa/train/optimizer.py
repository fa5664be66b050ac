"""Muon on the matrices inside the layers, AdamW on embeddings, head and norm scales; one cosine schedule for both.

The schedule counts optimiser updates, never microbatches. Everything is float32.
"""

from __future__ import annotations

from typing import Any

import jax
import optax
from optax import contrib

from qpa.config import OptimizerConfig
from qpa.train.mesh import path_names

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


def make_optimizer(cfg: OptimizerConfig, total_steps: int) -> optax.GradientTransformation:
    """Global-norm clipping, then Muon/AdamW (or AdamW alone) over `total_steps` optimiser updates.

    Weight decay acts on layer matrices only. Raises ValueError for an unknown `cfg.name` or `total_steps` < 1.
    """
    if total_steps < 1:
        raise ValueError(f"optimizer: total_steps must be >= 1, got {total_steps}")
    adam_rate = make_schedule(cfg.adam_learning_rate, cfg, total_steps)
    rest = optax.adamw(adam_rate, b2=ADAM_B2, eps=ADAM_EPS, weight_decay=0.0)
    if cfg.name == "muon":
        rate = make_schedule(cfg.learning_rate, cfg, total_steps)
        matrices = contrib.muon(rate, weight_decay=cfg.weight_decay)
    elif cfg.name == "adamw":
        matrices = optax.adamw(adam_rate, b2=ADAM_B2, weight_decay=cfg.weight_decay)
    else:
        raise ValueError(f"optimizer.name must be 'muon' or 'adamw', got {cfg.name!r}")
    parts = optax.partition({"muon": matrices, "adam": rest}, partition_labels)
    return optax.chain(optax.clip_by_global_norm(cfg.clip_norm), parts)
