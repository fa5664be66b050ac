"""Online RL with CARE: draw tasks, play groups, score, update (Eq. 5-10), and let the controller set phi (Eq. 6)."""

from __future__ import annotations

import contextlib
import logging
import math
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh

from qpa import care
from qpa.config import RLConfig
from qpa.train.checkpoint import Checkpoints
from qpa.train.compile_clock import compile_seconds
from qpa.train.data import DataError, Tokenize
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
from qpa.train.mesh import place_chunks
from qpa.train.metrics import MetricsLog, TrainingError, progress_bar
from qpa.train.optimizer import make_optimizer
from qpa.train.processes import SharedActor
from qpa.train.rl_batch import Scored, minibatches, score_groups
from qpa.train.rollout import Actor, Rollouts, TaskSampler, collect
from qpa.train.state import TrainState, abstract_state, apply_gradients, create_state
from qpa.train.tuning import Tuning, make_tuning

log = logging.getLogger(__name__)

Evaluate = Callable[[int], Mapping[str, float]]
"""Dev evaluation of the published policy at a step -> at least `success`, `tasks` and `cost`."""


def rl_step(
    state: TrainState,
    rows: Rows,
    used: jax.Array,
    rollouts: jax.Array,
    *,
    graphdef: nnx.GraphDef,
    tx: optax.GradientTransformation,
    eps_low: float,
    eps_high: float,
    temperature: float,
    compute_dtype: str = "float32",
    loss_chunk: int = 0,
    frozen: tuple[Any, ...] = (),
) -> tuple[TrainState, dict[str, jax.Array]]:
    """One update of Eq. 10 on the first `used` chunks of rows [M, b, ...].

    The mean is over all `rollouts` of the step; those of skipped groups count, since their term of Eq. 10 is 0.
    `frozen` are the parameters that `state` leaves out.
    """

    def loss_fn(params: Any, chunk: Rows) -> tuple[jax.Array, tuple[Any, Any]]:
        whole = nnx.merge_state(params, *fixed)
        sums, ratio_max = care.policy_loss_sums(
            slot_scores(graphdef, whole, chunk, partial(target_log_probs, temperature=temperature), loss_chunk),
            chunk["old_log_probs"],
            chunk["advantages"],
            chunk["weights"] > 0,
            eps_low=eps_low,
            eps_high=eps_high,
            weights=chunk["weights"],
        )
        return sums["loss"].total, (sums, ratio_max)

    params, fixed = compute_params((state.params, frozen), compute_dtype)
    grads, sums, ratio_max = accumulate(loss_fn, params, rows, used)
    state, norm = apply_gradients(state, jax.tree.map(lambda g: g / rollouts, grads), tx)
    metrics = {name: s.mean() for name, s in sums.items() if name != "loss"}
    loss = sums["loss"].total / rollouts
    return state, metrics | {"loss": loss, "ratio_max": ratio_max, "grad_norm": norm}


class RLResult(NamedTuple):
    """What a run ends with."""

    state: TrainState
    phi: care.Phi


@dataclass
class Journal:
    """The host's part of a checkpoint beside the sampler: phi, and what the controller has seen. Plain JSON."""

    phi: dict[str, float]
    harness_version: str
    policy_version: int = 0
    dev: list[dict[str, Any]] = field(default_factory=list)  # evaluations, oldest first
    window: list[dict[str, list]] = field(default_factory=list)  # group statistics since the last decision

    def train_summary(self) -> dict[str, float]:
        """S^train of Eq. 6 over the window; ragged groups are padded with invalid members."""
        columns: dict[str, list] = {k: [g for w in self.window for g in w[k]] for k in _COLUMNS}
        width = max((len(g) for g in columns["success"]), default=1)
        padded = {
            k: np.array([g + [np.nan] * (width - len(g)) for g in columns[k]]).reshape(-1, width) for k in _COLUMNS[:3]
        }
        return care.summarise_groups(**padded, regime=np.array(columns["regime"], int))


_COLUMNS = ("success", "progress", "cost", "regime")


def run_rl(
    graphdef: nnx.GraphDef,
    params: Any,
    cfg: RLConfig,
    *,
    mesh: Mesh,
    run_dir: str | Path,
    sampler: TaskSampler,
    actor: Actor,
    tokenize: Tokenize,
    seed: int,
    harness_version: str = "",
    controller: care.Controller | None = None,
    evaluate: Evaluate | None = None,
    show_progress: bool = False,
) -> RLResult:
    """Runs `cfg.steps` steps, or finishes a run that `run_dir` already holds.

    Before a step: publish the weights, evaluate on the dev set and let the controller decide where these are due, save.
    With `cfg.lora.rank` > 0 the state is the adapter's, the actor gets merged weights, and a run goes on from the same
    `params` only. `controller` None keeps phi. `tokenize` gives (ids, mask, log_probs) of a trajectory as the policy
    saw it.
    Raises `RunLockedError`, `DataError` (resumed on other tasks or another harness), `CheckpointError` (disk, another
    base) and `TrainingError` (the loss is not finite).
    """
    tx = make_optimizer(cfg.optimizer, cfg.steps * cfg.epochs * cfg.minibatches, mesh)
    with run_lock(run_dir), contextlib.closing(Checkpoints(Path(run_dir) / "checkpoints")) as checkpoints:
        phi = care.Phi(cfg.care.lambda_prog, cfg.care.lambda_eff, cfg.care.p_low, cfg.care.p_high)
        tuning = make_tuning(graphdef, params, cfg.lora, mesh, seed)
        journal = Journal(phi.as_dict(), harness_version)
        run = _Run(cfg, mesh, seed, sampler, SharedActor(actor), tokenize, journal, tuning)
        start, state = run.resume(checkpoints, tx)
        step_fn = compile_step(
            rl_step, mesh, state, tuning.frozen, graphdef=tuning.graphdef, tx=tx, temperature=cfg.temperature,
            eps_low=cfg.care.eps_low, eps_high=cfg.care.eps_high,
            compute_dtype=cfg.compute_dtype, loss_chunk=cfg.loss_chunk,
        )  # fmt: skip
        with (
            contextlib.closing(MetricsLog(run_dir, step=start)) as metrics,
            progress_bar("RL", cfg.steps, show=show_progress) as bar,
        ):
            for step in range(start, cfg.steps + 1):
                run.publish(state, step)  # restored weights are published before the first rollout
                if step > start or step == 0:
                    run.boundary(step, evaluate, controller, metrics)
                    if step > 0 and (step % cfg.save_every == 0 or step == cfg.steps):
                        checkpoints.save(step, state, run.host_state())
                if step < cfg.steps:
                    state, values = run.step(step, state, step_fn)
                    metrics.write(step + 1, "train", values)
                    bar(step + 1, f"success {values['success']:.2f}")
    return RLResult(state, care.Phi(**run.journal.phi))


@dataclass
class _Run:
    """The moving parts of one run."""

    cfg: RLConfig
    mesh: Mesh
    seed: int
    sampler: TaskSampler
    actor: Actor
    tokenize: Tokenize
    journal: Journal
    tuning: Tuning

    def host_state(self) -> dict[str, Any]:
        own = {"journal": asdict(self.journal), "sampler": self.sampler.get_state(), "seed": self.seed}
        return own | self.tuning.record

    def resume(self, checkpoints: Checkpoints, tx: optax.GradientTransformation) -> tuple[int, TrainState]:
        """(step, state) of the newest checkpoint, with the host's part taken in; a fresh state if there is none."""
        params, mesh = self.tuning.params, self.mesh
        if (found := checkpoints.restore(abstract_state(params, tx, mesh))) is None:
            return 0, create_state(params, tx, mesh)
        host, wanted = found.host, self.journal.harness_version
        self.tuning.check(host, checkpoints.directory.parent)
        self.journal = Journal(**host["journal"])
        if (self.journal.harness_version, host["seed"]) != (wanted, self.seed):
            raise DataError(
                f"rl: the checkpoint is of harness {self.journal.harness_version!r}, seed {host['seed']}; this run has "
                f"{wanted!r}, {self.seed}: use the same, or a new run_dir"
            )
        self.sampler.set_state(host["sampler"])
        log.info("rl: resumed %s at step %d", checkpoints.directory, found.step)
        return found.step, found.state

    def publish(self, state: TrainState, version: int) -> None:
        self.journal.policy_version = version
        self.actor.publish(self.tuning.whole(state.params), version)

    def boundary(
        self, step: int, evaluate: Evaluate | None, controller: care.Controller | None, metrics: MetricsLog
    ) -> None:
        """Dev evaluation (M^val), then the controller's decision (Eq. 6), where due."""
        cfg, journal = self.cfg, self.journal
        if evaluate is not None and (step % cfg.eval_every == 0 or step == cfg.steps):
            journal.dev.append({k: _number(v) for k, v in evaluate(step).items()})
            metrics.write(step, "dev", journal.dev[-1])
        if controller is None or not journal.dev or step % cfg.care.controller_every or not 0 < step < cfg.steps:
            return
        dev = journal.dev[-1] | {"history": journal.dev[:-1]}
        decision = care.decide(controller, journal.train_summary(), dev, care.Phi(**journal.phi), update=step)
        journal.phi, journal.window = decision.phi.as_dict(), []
        if not decision.accepted:
            log.warning("rl: step %d: proposal for phi refused: %s", step, "; ".join(decision.reasons))
        record = decision.as_dict()
        metrics.write(step, "phi", {k: record[k] for k in ("accepted", "reasons", "proposal", "before", "phi")})

    def step(self, step: int, state: TrainState, step_fn: Callable[..., Any]) -> tuple[TrainState, dict[str, Any]]:
        """Rollouts and updates of one step -> (state, metrics)."""
        cfg, start, compiled = self.cfg, time.monotonic(), compile_seconds()
        tasks = self.sampler.draw(step, cfg.tasks_per_step)
        rollouts = collect(self.actor, tasks, cfg.group_size, seed=self.seed, step=step)
        phi = care.Phi(**self.journal.phi)
        scored = score_groups(rollouts, self.tokenize, phi, cfg.care, cfg.row_length)
        for family, success in zip(scored.families, scored.success, strict=True):
            self.sampler.update(family, float(np.mean(success)))
        self.journal.window.append({k: getattr(scored, k) for k in _COLUMNS})
        del self.journal.window[: -cfg.care.controller_every]
        begin = time.monotonic()
        in_rollouts = compile_seconds() - compiled
        state, values = self._update(step, state, scored, step_fn)
        trained = time.monotonic() - begin
        compile_s = min(trained, compile_seconds() - compiled - in_rollouts)  # nested traces are reported twice
        times = {
            "generation_s": rollouts.generation_s,
            "environment_s": max(0.0, rollouts.wall_s - rollouts.generation_s - rollouts.compile_s),
            "training_s": trained - compile_s,
            "compile_s": rollouts.compile_s + compile_s,
        }
        wall = time.monotonic() - start
        times |= {"rest_s": max(0.0, wall - sum(times.values())), "step_s": wall}
        return state, values | summarise(rollouts, scored, step) | self.journal.phi | times

    def _update(
        self, step: int, state: TrainState, scored: Scored, step_fn: Callable[..., Any]
    ) -> tuple[TrainState, dict[str, float]]:
        cfg = self.cfg
        parts = cfg.minibatches
        capacity = -(-cfg.tasks_per_step * cfg.group_size // parts)
        chunk = chunk_rows(capacity, self.mesh)
        values: dict[str, jax.Array] = {}
        for epoch in range(cfg.epochs):
            order = f"{self.seed}:{step}:{epoch}"
            for rows, used in minibatches(scored.examples, cfg.row_length, chunk, capacity, parts, seed=order):
                share = np.float32(scored.rollouts / parts)
                state, values = step_fn(state, place_chunks(self.mesh, rows), np.int32(used), share)
        host = {k: float(v) for k, v in jax.device_get(values).items()}
        if not math.isfinite(host.get("loss", 0.0)):
            raise TrainingError(
                f"rl: loss is {host['loss']} at step {step + 1}; the last checkpoint is sound: lower the learning rate"
            )
        return state, host


def summarise(rollouts: Rollouts, scored: Scored, version: int) -> dict[str, Any]:
    """What a step's rollouts were like; means are over valid, comparable rollouts."""
    trajectories = [t for g in rollouts.groups for t in g.trajectories]
    solved = [t for t in trajectories if t.verdict is not None and t.verdict.success]
    regimes = np.bincount(scored.regime, minlength=3) / max(len(scored.regime), 1)
    steps = [s for t in trajectories for s in t.steps]
    return {
        "success": _mean(x for group in scored.success for x in group),
        "progress": _mean(x for group in scored.progress for x in group),
        "cost": _mean(x for group in scored.cost for x in group),
        **{f"{r.name.lower()}_share": float(regimes[r]) for r in care.Regime},
        "output_tokens": _mean(t.cost.output_tokens for t in trajectories),
        "tokens_per_success": _mean(t.cost.output_tokens for t in solved),
        "tool_calls": _mean(t.cost.tool_calls for t in trajectories),
        "turns": _mean(t.cost.turns for t in trajectories),
        "sampled_entropy": _mean(-x for s in steps for x in s.log_probs),
        "staleness": max((version - s.policy_version for s in steps), default=0),
        "rollouts": scored.rollouts,
        **{f"played_{backend}": n for backend, n in sorted(Counter(t.backend for t in trajectories).items())},
        "groups": len(scored.regime),
        "groups_skipped": scored.skipped,
        "groups_empty": scored.empty,
        "overlong": scored.overlong,
        "invalid": sum(rollouts.invalid.values()),
        **{f"invalid_{reason}": n for reason, n in sorted(rollouts.invalid.items())},
        **{f"resampled_{cause}": n for cause, n in sorted(rollouts.resampled.items())},
    }


def _mean(values: Any) -> float:
    items = list(values)
    return float(sum(items) / len(items)) if items else 0.0


def _number(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value
