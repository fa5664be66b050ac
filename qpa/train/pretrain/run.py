"""Pretraining of the base: one loop, resumable, warmup-stable-decay, two or more data-parallel devices.

Legend: B rows, T tokens, P supervised positions kept per device, V vocabulary.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

from qpa.config import ModelConfig
from qpa.models.transformer import create, packed_mask
from qpa.train.optimizer import partition_labels

_SHIFT_CAPACITY = 0.45  # supervised share of a batch that gets logits; the mixture supervises about a third


def make_optimizer(peak: float, adam_peak: float, steps: int, decay_from: float) -> optax.GradientTransformation:
    """Muon + AdamW with warm-up, plateau, and a linear decay to zero over the last `1 - decay_from` of the run."""

    def schedule(top: float) -> optax.Schedule:
        cut = int(steps * decay_from)
        return optax.join_schedules(
            [
                optax.linear_schedule(0.1 * top, top, 30),
                optax.constant_schedule(top),
                optax.linear_schedule(top, 0.0, steps - cut),
            ],
            [30, cut],
        )

    parts = {
        "muon": optax.contrib.muon(schedule(peak)),
        "adam": optax.adamw(schedule(adam_peak), b2=0.95, weight_decay=0.0),
    }
    return optax.chain(optax.clip_by_global_norm(1.0), optax.partition(parts, partition_labels))


def local_loss(
    graphdef: nnx.GraphDef, params: Any, batch: dict[str, jax.Array]
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """(sum of negative log-likelihood, count, correct) over the supervised next tokens of this device's rows."""
    model = nnx.merge(graphdef, params)
    tokens_BT, segments_BT = batch["tokens"], batch["segments"]
    hidden, _ = model.hidden(tokens_BT, batch["positions"], packed_mask(segments_BT))
    # Row-end and segment-start targets have no predecessor in their document, so they never count.
    follows = segments_BT[:, 1:] == segments_BT[:, :-1]
    mask = jnp.pad(batch["mask"][:, 1:] & follows, ((0, 0), (0, 1)))
    targets = jnp.pad(tokens_BT[:, 1:], ((0, 0), (0, 1)))
    capacity = int(mask.size * _SHIFT_CAPACITY)
    (where,) = jnp.nonzero(mask.reshape(-1), size=capacity, fill_value=0)
    weight = jnp.arange(capacity) < mask.sum()
    logits = model.logits(hidden.reshape(-1, hidden.shape[-1])[where])
    target = targets.reshape(-1)[where]
    nll = optax.softmax_cross_entropy_with_integer_labels(logits, target)
    correct = (logits.argmax(-1) == target) & weight
    return (nll * weight).sum(), weight.sum(), correct.sum()


def make_step(graphdef: nnx.GraphDef, tx: optax.GradientTransformation, mesh: jax.sharding.Mesh):
    """jitted (params, opt_state, batch) -> (params, opt_state, metrics), data-parallel over `mesh`."""

    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data")), out_specs=P())
    def total(params: Any, batch: dict[str, jax.Array]):
        # Every device differentiates by a copy of its own: hand-written backward passes need not know of devices.
        params = jax.lax.pcast(params, "data", to="varying")
        return jax.lax.psum(local_loss(graphdef, params, batch), "data")

    def loss_fn(params: Any, batch: dict[str, jax.Array]):
        nll, count, correct = total(params, batch)
        return nll / count, (count, correct)

    @partial(jax.jit, donate_argnums=(0, 1))
    def step(params: Any, opt_state: Any, batch: dict[str, jax.Array]):
        (loss, (count, correct)), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, batch)
        updates, opt_state = tx.update(grads, opt_state, params)
        return (
            optax.apply_updates(params, updates),
            opt_state,
            {"loss": loss, "count": count, "accuracy": correct / count},
        )

    return step


def _skip(stages: Sequence[Stage], steps: int) -> None:
    """Draws what the first `steps` updates drew, so that a resumed run sees the same text."""
    begin = 0
    for stage in stages:
        for _ in range(max(0, min(steps, stage.until) - begin) * stage.rows):
            next(stage.stream)
        begin = stage.until


def _save(path: Path, tree: Any, step: int) -> None:
    partial_path = path.with_suffix(".partial.npz")
    arrays: dict[str, Any] = {f"{i}": np.asarray(x) for i, x in enumerate(jax.tree.leaves(tree))}
    np.savez(partial_path, step=step, **arrays)
    partial_path.replace(path)


def _restore(path: Path, tree: Any) -> tuple[Any, int]:
    with np.load(path) as saved:
        leaves, treedef = jax.tree.flatten(tree)
        return jax.tree.unflatten(treedef, [jnp.asarray(saved[f"{i}"]) for i in range(len(leaves))]), int(saved["step"])


class Stage(NamedTuple):
    """Updates up to (not including) step `until` take `rows` rows each from `stream`."""

    until: int
    stream: Iterator[dict[str, np.ndarray]]
    rows: int


def pretrain(
    cfg: ModelConfig,
    stages: Sequence[Stage],
    *,
    run_dir: Path,
    peak: float,
    adam_peak: float,
    decay_from: float = 0.75,
    seed: int = 0,
    log_every: int = 20,
    save_every: int = 100,
    start_from: Any = None,
) -> Any:
    """Trains `cfg` through `stages`, with its own warm-up and decay; returns the parameters.

    Starts from `run_dir/state.npz` if there is one, else from the parameters `start_from`, else from scratch.
    """
    steps = stages[-1].until
    mesh = jax.make_mesh((jax.device_count(),), ("data",), axis_types=(AxisType.Auto,))
    graphdef, params = create(cfg, seed)
    params = params if start_from is None else start_from
    tx = make_optimizer(peak, adam_peak, steps, decay_from)
    opt_state = tx.init(params)
    run_dir.mkdir(parents=True, exist_ok=True)
    state_path, start = run_dir / "state.npz", 0
    if state_path.exists():
        (params, opt_state), start = _restore(state_path, (params, opt_state))
        if start >= steps:
            return params
        _skip(stages, start)
    params, opt_state = jax.device_put((params, opt_state), NamedSharding(mesh, P()))
    step_fn = make_step(graphdef, tx, mesh)
    began, tokens = time.perf_counter(), 0
    with (run_dir / "pretrain.jsonl").open("a") as log:
        for step in range(start, steps):
            stage = next(s for s in stages if step < s.until)
            rows = [next(stage.stream) for _ in range(stage.rows)]
            batch = {k: jax.device_put(np.stack([r[k] for r in rows]), NamedSharding(mesh, P("data"))) for k in rows[0]}
            params, opt_state, metrics = step_fn(params, opt_state, batch)
            tokens += batch["tokens"].size
            if (step + 1) % log_every == 0 or step + 1 == steps:
                line = {"step": step + 1, **{k: round(float(v), 4) for k, v in metrics.items()}}
                line["tokens_per_s"] = round(tokens / (time.perf_counter() - began))
                log.write(json.dumps(line) + "\n")
                log.flush()
                print(line, flush=True)
            if (step + 1) % save_every == 0 or step + 1 == steps:
                _save(state_path, (params, opt_state), step + 1)
    return params
