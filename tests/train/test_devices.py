"""1 device = 2 = 8 = a mesh with sharded parameters = 2 processes, for both steps, to float32 rounding."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve()


def measure(meshes):
    """{mesh: {step: [numbers that summarise metrics and new parameters]}} on this process's devices."""
    import jax
    import optax
    from train_samples import random_examples, tiny_planner

    from qpa.config import MeshConfig
    from qpa.train.forward import chunk_rows, compile_step
    from qpa.train.mesh import make_mesh, place_chunks, replicated
    from qpa.train.packing import build_rows, plan_rows, split_rows
    from qpa.train.rl import rl_step
    from qpa.train.sft import sft_step
    from qpa.train.state import create_state

    graphdef, params = tiny_planner()
    examples = random_examples(40, rl=True)
    plan = plan_rows(examples, 32, 32)
    batch = build_rows(examples, plan, 32, 32, rl=True, pad_to=-(-len(plan) // 8) * 8)
    tx = optax.sgd(0.1)  # linear: rounding cannot flip a sign
    out = {}
    for sizes in meshes:
        count = int(np.prod(sizes))
        mesh = make_mesh(MeshConfig(*sizes), devices=jax.devices()[:count])
        rows = place_chunks(mesh, split_rows(batch, chunk_rows(len(batch["tokens"]), mesh)))
        used = np.int32(rows["tokens"].shape[0])
        options = {"eps_low": 0.2, "eps_high": 0.28, "temperature": 1.0}
        for name, step, args, static in (
            ("sft", sft_step, (), {}),
            ("rl", rl_step, (used, np.float32(len(examples))), options),
        ):
            state = create_state(params, tx, mesh)
            spread = max(len({str(s.index) for s in x.addressable_shards}) for x in jax.tree.leaves(state.params))
            state, metrics = compile_step(step, mesh, state, graphdef=graphdef, tx=tx, **static)(state, rows, *args)
            metrics = {k: float(v) for k, v in metrics.items()}
            total = jax.jit(lambda p: [abs(x).sum() for x in jax.tree.leaves(p)], out_shardings=replicated(mesh))
            sums = [float(x) for x in total(state.params)]
            out[f"{sizes} {name}"] = {"metrics": metrics, "sums": sums, "spread": spread}
    return out


def child(*args, compiled, env=None):
    command = [sys.executable, str(HERE), *map(str, args)]
    cheap = {
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "JAX_COMPILATION_CACHE_DIR": str(compiled),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    }
    return subprocess.Popen(command, env=os.environ | cheap | (env or {}), stdout=subprocess.PIPE, text=True)


def answer(process):
    out, _ = process.communicate()
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


def assert_close(got, want):
    for name, value in want["metrics"].items():
        assert got["metrics"][name] == pytest.approx(value, rel=2e-5, abs=1e-6), name
    np.testing.assert_allclose(got["sums"], want["sums"], rtol=2e-6)


@pytest.fixture(scope="module")
def one():
    return measure([(1, 1, 1)])


def test_any_mesh_gives_the_numbers_of_one_device(one, compiled):
    got = answer(child("mesh", compiled=compiled, env={"XLA_FLAGS": "--xla_force_host_platform_device_count=8"}))
    assert set(got) == {f"{s} {n}" for s in [(2, 1, 1), (8, 1, 1), (2, 2, 2)] for n in ("sft", "rl")}
    for name, value in got.items():
        assert_close(value, one[f"(1, 1, 1) {name.split()[-1]}"])
    assert one["(1, 1, 1) sft"]["metrics"]["tokens"] > 0 and one["(1, 1, 1) rl"]["metrics"]["grad_norm"] > 0
    assert got["(8, 1, 1) sft"]["spread"] == 1 and got["(2, 2, 2) sft"]["spread"] == 4  # parameters really are sharded


def test_two_processes_give_the_numbers_of_one(one, compiled):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{s.getsockname()[1]}"
    for got in map(answer, [child("process", address, i, compiled=compiled) for i in range(2)]):
        assert_close(got["(2, 1, 1) sft"], one["(1, 1, 1) sft"])
        assert_close(got["(2, 1, 1) rl"], one["(1, 1, 1) rl"])


if __name__ == "__main__":
    if sys.argv[1] == "process":
        import jax

        jax.distributed.initialize(sys.argv[2], num_processes=2, process_id=int(sys.argv[3]))
        assert (jax.device_count(), jax.local_device_count()) == (2, 1)
        print(json.dumps(measure([(2, 1, 1)])))
    else:
        print(json.dumps(measure([(2, 1, 1), (8, 1, 1), (2, 2, 2)])))
