"""Cold start (Eq. 4): the negative log-likelihood of the planner's correct turns, averaged over the batch's tokens."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import optax
from flax import nnx
from jax.sharding import Mesh

from qpa.care import masked
from qpa.config import SFTConfig
from qpa.train.checkpoint import Checkpoints
from qpa.train.data import Batches
from qpa.train.forward import (
    Rows,
    accumulate,
    chunk_rows,
    compile_step,
    compute_params,
    slot_scores,
    target_log_probs,
)
from qpa.train.lock import run_lock
from qpa.train.mesh import host_rows, place_chunks
from qpa.train.metrics import Bar, MetricsLog, TrainingError, progress_bar
from qpa.train.optimizer import make_optimizer
from qpa.train.packing import split_rows
from qpa.train.state import TrainState, abstract_state, apply_gradients, create_state
from qpa.train.tuning import make_tuning

log = logging.getLogger(__name__)


def sft_step(
    state: TrainState,
    rows: Rows,
    *,
    graphdef: nnx.GraphDef,
    tx: optax.GradientTransformation,
    compute_dtype: str = "float32",
    loss_chunk: int = 0,
    frozen: tuple[Any, ...] = (),
) -> tuple[TrainState, dict[str, jax.Array]]:
    """One update of Eq. 4 on chunks of packed rows, arrays [M, b, ...]; Z is the token count of the whole batch.

    `frozen` are the parameters that `state` leaves out.
    """

    def score(logits: jax.Array, targets: jax.Array) -> tuple[jax.Array, jax.Array]:
        own = jnp.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
        # The softmax needs the maximum anyway; an argmax would be a pass of its own over the logits.
        return target_log_probs(logits, targets), (own >= logits.max(axis=-1)).astype(jnp.float32)

    def loss_fn(params: Any, chunk: Rows) -> tuple[jax.Array, tuple[Any, Any]]:
        log_probs, hits = slot_scores(graphdef, nnx.merge_state(params, *fixed), chunk, score, loss_chunk)
        sums = {
            "loss": masked.masked_sum(-log_probs, chunk["weights"]),
            "accuracy": masked.masked_sum(hits, chunk["weights"]),
        }
        return sums["loss"].total, (sums, ())

    params, fixed = compute_params((state.params, frozen), compute_dtype)
    grads, sums, _ = accumulate(loss_fn, params, rows, rows["tokens"].shape[0])
    tokens = jnp.maximum(sums["loss"].count, 1.0)
    state, norm = apply_gradients(state, jax.tree.map(lambda g: g / tokens, grads), tx)
    metrics = {name: s.mean() for name, s in sums.items()}
    return state, metrics | {"tokens": sums["loss"].count, "grad_norm": norm}


def run_sft(
    graphdef: nnx.GraphDef,
    params: Any,
    batches: Batches,
    cfg: SFTConfig,
    *,
    mesh: Mesh,
    run_dir: str | Path,
    evaluate: Callable[[Any, int], Mapping[str, float]] | None = None,
    show_progress: bool = False,
) -> TrainState:
    """Trains for `cfg.steps` updates, or finishes a run that `run_dir` already holds; returns the final state.

    With `cfg.lora.rank` > 0 the state is the adapter's, and a run goes on from the same `params` only.
    `evaluate(params, step)` runs before every checkpoint; its numbers go to the metrics. Raises `RunLockedError`,
    `DataError` (resumed on other data), `CheckpointError` (disk, another base) and `TrainingError` (the loss is not
    finite).
    """
    tx = make_optimizer(cfg.optimizer, cfg.steps, mesh)
    size = chunk_rows(cfg.data.batch_size, mesh)
    batches.keep_rows(host_rows(mesh, cfg.data.batch_size, size))
    with run_lock(run_dir), contextlib.closing(Checkpoints(Path(run_dir) / "checkpoints")) as checkpoints:
        tuning = make_tuning(graphdef, params, cfg.lora, mesh, batches.seed)
        found = checkpoints.restore(abstract_state(tuning.params, tx, mesh))
        if found is None:
            start, state = 0, create_state(tuning.params, tx, mesh)
        else:
            tuning.check(found.host, run_dir)
            start, state = found.step, found.state
            batches.set_state(found.host["data"])
            log.info("sft: resumed %s at step %d", run_dir, start)
        step_fn = compile_step(
            sft_step, mesh, state, tuning.frozen, graphdef=tuning.graphdef, tx=tx,
            compute_dtype=cfg.compute_dtype, loss_chunk=cfg.loss_chunk,
        )  # fmt: skip
        with (
            contextlib.closing(MetricsLog(run_dir, step=start)) as metrics,
            progress_bar("SFT", cfg.steps, show=show_progress) as bar,
        ):
            # The order is a contract: evaluate and save what is, take data, step, then read the numbers of the step
            # before, so that the device never waits for the host.
            report = Reporter(metrics, bar, cfg.log_every, cfg.steps)
            for step in range(start, cfg.steps + 1):
                if step > start and (step % cfg.save_every == 0 or step == cfg.steps):
                    report.flush()
                    if evaluate is not None:
                        metrics.write(step, "eval", evaluate(tuning.whole(state.params), step))
                    checkpoints.save(step, state, {"data": batches.get_state()} | tuning.record)
                if step < cfg.steps:
                    rows = place_chunks(mesh, split_rows(next(batches), size))
                    state, values = step_fn(state, rows)
                    report.flush()
                    report.pending = (step + 1, values)
    return state


class Reporter:
    """Writes the numbers of one step late, and ends a run whose loss is not finite."""

    def __init__(self, metrics: MetricsLog, bar: Bar, every: int, last: int):
        self.metrics, self.bar, self.every, self.last = metrics, bar, every, last
        self.pending: tuple[int, dict[str, jax.Array]] | None = None

    def flush(self) -> None:
        if self.pending is None:
            return
        step, values = self.pending
        self.pending = None
        host = {k: float(v) for k, v in jax.device_get(values).items()}
        if not math.isfinite(host["loss"]):
            raise TrainingError(
                f"sft: loss is {host['loss']} at step {step}; the last checkpoint is sound: lower the learning rate"
            )
        if step % self.every == 0 or step == self.last:
            self.metrics.write(step, "train", host)
        self.bar(step, f"loss {host['loss']:.3f}")
