"""One update of supervised training, side by side with the peers: tokens per second on this machine's CPU.

    python -m benchmarks.sft [--rounds=2] [--steps=4] [--peer_python=PATH]

The 22M-parameter Qwen3 shape (12 layers, width 384, 6/2 heads, MLP 1,024, vocabulary 8,192, tied), 8 rows of 512 tokens
that are all supervised, float32, AdamW with clipping. Every trainer runs in a process of its own, one after the other,
round by round; next to each a matrix product tells how fast the machine was just then. Hugging Face takes part when
torch and transformers are installed here, tunix when another interpreter has it.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections import defaultdict

from absl import app, flags

from benchmarks.workloads import LENGTH, ROWS, SHAPE, timed_updates

FLOPS_PER_TOKEN = 6 * 22.03e6  # 6 N: what an update has to multiply, attention left out

_ROUNDS = flags.DEFINE_integer("rounds", 2, "how often each trainer is started", lower_bound=1)
_STEPS = flags.DEFINE_integer("steps", 4, "timed updates of each start", lower_bound=1)
_PEER_PYTHON = flags.DEFINE_string("peer_python", None, "interpreter that has tunix; not given: tunix is left out")
_WORKER = flags.DEFINE_integer("worker", 0, "used by the benchmark itself: train on so many CPU devices")


def main(argv: list[str]) -> None:
    del argv
    if _WORKER.value:
        print(json.dumps(train(_WORKER.value, _STEPS.value)))
        return
    ours = [sys.executable, "-m", "benchmarks.sft", f"--steps={_STEPS.value}"]
    commands = {
        "qpa, 1 device": [*ours, "--worker=1"],
        "qpa, 2 devices": [*ours, "--worker=2"],
        "Hugging Face": [sys.executable, "-m", "benchmarks.peers.hf_sft", str(_STEPS.value)],
    }
    if _PEER_PYTHON.value:
        commands["tunix"] = [_PEER_PYTHON.value, "-m", "benchmarks.peers.tunix_sft", str(_STEPS.value)]
    rates, probes = defaultdict(list), defaultdict(list)
    for _ in range(_ROUNDS.value):
        for name, command in commands.items():
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: not measured: {done.stderr.strip().splitlines()[-1]}")
                continue
            result = json.loads(done.stdout.strip().splitlines()[-1])
            rates[name] += [ROWS * LENGTH / s for s in result["seconds"]]
            probes[name].append(result["gflops"])
            print(f"{name}: {', '.join(f'{s:.1f}' for s in result['seconds'])} s", file=sys.stderr, flush=True)
    report(rates, probes)


def report(rates: dict[str, list[float]], probes: dict[str, list[float]]) -> None:
    """A line per trainer: median tokens per second, share of the probe's speed, ratio to each peer."""
    medians = {name: statistics.median(values) for name, values in rates.items()}
    print(f"{'trainer':<16} tokens/s  [slowest, fastest]  probe GFLOP/s  share of probe  ratios")
    for name, median in medians.items():
        probe = statistics.median(probes[name])
        share = median * FLOPS_PER_TOKEN / (probe * 1e9)
        ratios = ", ".join(f"{median / medians[p]:.2f} x {p}" for p in ("tunix", "Hugging Face") if p in medians)
        values = rates[name]
        print(
            f"{name:<16} {median:8.0f}  [{min(values):.0f}, {max(values):.0f}]  {probe:13.0f}  {share:14.2f}  {ratios}"
        )


def train(devices: int, steps: int) -> dict[str, object]:
    """Seconds of each timed update, and the probe's speed just before and after."""
    from qpa.train.mesh import configure_host_devices

    configure_host_devices(devices)
    import jax
    import numpy as np

    from benchmarks.probe import gflops
    from qpa.config import MeshConfig, ModelConfig, OptimizerConfig
    from qpa.models.transformer import create
    from qpa.train.forward import chunk_rows, compile_step
    from qpa.train.mesh import make_mesh, place_chunks
    from qpa.train.optimizer import make_optimizer
    from qpa.train.packing import split_rows
    from qpa.train.sft import sft_step
    from qpa.train.state import create_state

    mesh = make_mesh(MeshConfig(data=devices))
    graphdef, params = create(ModelConfig(**SHAPE))
    tx = make_optimizer(OptimizerConfig(name="adamw", learning_rate=1e-4), 1000, mesh)
    state = create_state(params, tx, mesh)
    step = compile_step(sft_step, mesh, state, graphdef=graphdef, tx=tx)
    rng = np.random.default_rng(0)
    whole = np.broadcast_to(np.arange(LENGTH, dtype=np.int32), (ROWS, LENGTH))
    text = rng.integers(1, SHAPE["vocab_size"], (ROWS, LENGTH + 1)).astype(np.int32)
    batch = {
        "tokens": text[:, :-1], "targets": text[:, 1:], "segments": np.ones_like(whole), "positions": whole,
        "index": whole, "weights": np.ones((ROWS, LENGTH), np.float32),
    }  # fmt: skip
    rows = place_chunks(mesh, split_rows(batch, chunk_rows(ROWS, mesh)))

    def update() -> None:
        nonlocal state
        state, values = step(state, rows)
        jax.block_until_ready(values)

    return timed_updates(update, steps, gflops)


if __name__ == "__main__":
    app.run(main)
