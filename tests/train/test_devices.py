"""1 device = 8 = any mesh = 2 processes, for both steps, to float32 rounding; checkpoints go from one to the other."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve()
MESHES = [(8, 1, 1), (2, 2, 2), (1, 8, 1), (4, 1, 2)]
PAIR = (1, 2, 2)  # two processes of two devices: rows and parameters are split between the processes


class Stop(BaseException):
    pass


def measure(sizes, steps=("sft", "rl")):
    """{step: numbers that summarise metrics and new parameters} on this mesh."""
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
    mesh = make_mesh(MeshConfig(*sizes), devices=jax.devices()[: int(np.prod(sizes))])
    rows = place_chunks(mesh, split_rows(batch, chunk_rows(len(batch["tokens"]), mesh)))
    rl = {"eps_low": 0.2, "eps_high": 0.28, "temperature": 1.0}
    calls = {
        "sft": (sft_step, (), {}),
        "rl": (rl_step, (np.int32(rows["tokens"].shape[0]), np.float32(len(examples))), rl),
    }
    out = {}
    for name in steps:
        step, args, static = calls[name]
        state = create_state(params, tx, mesh)
        spread = max(len({str(s.index) for s in x.addressable_shards}) for x in jax.tree.leaves(state.params))
        state, metrics = compile_step(step, mesh, state, graphdef=graphdef, tx=tx, **static)(state, rows, *args)
        metrics = {k: float(v) for k, v in metrics.items()}
        total = jax.jit(lambda p: [abs(x).sum() for x in jax.tree.leaves(p)], out_shardings=replicated(mesh))
        sums = [float(x) for x in total(state.params)]
        out[name] = {"metrics": metrics, "sums": sums, "spread": spread}
    return out


def train(sizes, run_dir, stop=None):
    """Four SFT steps, a checkpoint every two; with `stop`, up to that step's checkpoint, which is not written."""
    import jax
    from train_samples import random_examples, tiny_planner

    from qpa.config import DataConfig, MeshConfig, OptimizerConfig, SFTConfig
    from qpa.train.data import Batches
    from qpa.train.mesh import make_mesh
    from qpa.train.processes import host_copy
    from qpa.train.sft import run_sft

    def evaluate(_, step):
        if step == stop:
            raise Stop
        return {}

    optimizer = OptimizerConfig(name="adamw", adam_learning_rate=1e-3, warmup_steps=1)
    cfg = SFTConfig(4, log_every=1, save_every=2, data=DataConfig(32, batch_size=6), optimizer=optimizer)
    mesh = make_mesh(MeshConfig(*sizes), devices=jax.devices()[: int(np.prod(sizes))])
    batches = Batches(random_examples(23), cfg.data, seed=0)
    state = run_sft(*tiny_planner(), batches, cfg, mesh=mesh, run_dir=run_dir, evaluate=evaluate)
    return [float(np.abs(x).sum()) for x in jax.tree.leaves(host_copy(state.params))]


def play():
    """What every process gets of one call of a shared actor, and how many episodes it played itself."""
    from fake_actor import make_task, make_trajectory

    from qpa.train.processes import SharedActor

    class Actor:
        played = 0

        def run(self, tasks, seed):
            self.played += len(tasks)
            counts = {t.id: 0 for t in tasks}
            out = []
            for t in tasks:
                counts[t.id] += 1
                ids = np.random.default_rng([seed, int(t.id), counts[t.id]]).integers(1, 64, 3 + int(t.id)).tolist()
                out.append(make_trajectory(t, ids, [-0.5] * len(ids), success=True))
            return out

    actor = Actor()
    tasks = [make_task(name) for name in "2 2 0 0 1 1 2 2".split()]
    got = SharedActor(actor).run(tasks, seed=7)
    return {"played": actor.played, "tokens": [[t.task.id, *t.steps[0].token_ids] for t in got]}


def own_rows():
    """Per batch of an epoch: the records this process builds, and its supervised tokens."""
    import jax
    from train_samples import random_examples

    from qpa.config import DataConfig, MeshConfig
    from qpa.train.data import Batches
    from qpa.train.mesh import host_rows, make_mesh

    batches = Batches(random_examples(23), DataConfig(32, batch_size=6), seed=0)
    if jax.process_count() > 1:  # one process alone builds the whole batch, which is what the parts must add up to
        batches.keep_rows(host_rows(make_mesh(MeshConfig(*PAIR)), 6, 6))
    out = []
    for batch in [next(batches) for _ in range(batches.batches_per_epoch)]:
        ids = [t[s == k].tolist() for t, s in zip(batch["tokens"], batch["segments"]) for k in range(1, s.max() + 1)]
        out.append([ids, float(batch["weights"].sum())])
    return out


def child(*args, compiled, devices):
    command = [sys.executable, str(HERE), *map(str, args)]
    cheap = {
        "JAX_DISABLE_MOST_OPTIMIZATIONS": "1",
        "JAX_COMPILATION_CACHE_DIR": str(compiled),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "XLA_FLAGS": f"--xla_force_host_platform_device_count={devices}",
    }
    return subprocess.Popen(command, env=os.environ | cheap, stdout=subprocess.PIPE, text=True)


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
    return measure((1, 1, 1))


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """(run directory, final sums) of the run on one device."""
    run_dir = tmp_path_factory.mktemp("straight")
    return run_dir, train((1, 1, 1), run_dir)


@pytest.fixture(scope="module")
def pair(tmp_path_factory, compiled):
    """What two processes answer, and their two run directories: one begun by them, one begun by a single process."""
    theirs, ours = tmp_path_factory.mktemp("theirs"), tmp_path_factory.mktemp("ours")
    with pytest.raises(Stop):
        train((1, 1, 1), ours, stop=4)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{s.getsockname()[1]}"
    processes = [child("pair", address, i, theirs, ours, compiled=compiled, devices=2) for i in range(2)]
    return [answer(p) for p in processes], theirs, ours


def test_any_mesh_gives_the_numbers_of_one_device(one, compiled):
    got = answer(child("meshes", compiled=compiled, devices=8))
    for values in got:
        for name in ("sft", "rl"):
            assert_close(values[name], one[name])
    assert one["sft"]["metrics"]["tokens"] > 0 and one["rl"]["metrics"]["grad_norm"] > 0
    assert [v["sft"]["spread"] for v in got] == [1, 4, 8, 2]  # parameters really are sharded


def test_two_processes_give_the_rl_step_of_one(one, pair):
    for got in pair[0]:
        assert_close(got["rl"], one["rl"])
        assert got["rl"]["spread"] == 2


def test_every_process_builds_its_own_rows_and_together_they_are_the_batch(pair):
    first, second = (got["rows"] for got in pair[0])
    for a, b, whole in zip(first, second, own_rows(), strict=True):
        assert sorted(a[0] + b[0]) == sorted(whole[0])
        assert a[1] + b[1] == whole[1]
    assert any(
        a[1] != b[1] and a[1] and b[1] for a, b in zip(first, second)
    )  # a mean of the processes' means would be wrong


def assert_same_training(run_dir, sums, straight):
    from qpa.train.metrics import read_metrics

    got, want = read_metrics(run_dir, "train"), read_metrics(straight[0], "train")
    assert [r["step"] for r in got] == [1, 2, 3, 4] and len({r["tokens"] for r in got}) > 1
    for name in ("loss", "accuracy", "tokens", "grad_norm"):
        assert [r[name] for r in got] == pytest.approx([r[name] for r in want], rel=5e-5, abs=1e-6), name
    np.testing.assert_allclose(sums, straight[1], rtol=2e-5)


def test_two_processes_go_on_from_a_checkpoint_of_one(pair, straight):
    for got in pair[0]:
        assert_same_training(pair[2], got["sums"], straight)
    assert_same_training(pair[2], train((1, 1, 1), pair[2], stop=4), straight)  # their last step, read by one process


def test_one_process_goes_on_from_a_checkpoint_of_two(pair, straight):
    from qpa.train.metrics import read_metrics

    theirs = pair[1]
    assert [p.name for p in (theirs / "checkpoints").iterdir()] == ["2"]
    assert [r["step"] for r in read_metrics(theirs, "train")] == [1, 2, 3, 4]
    assert_same_training(theirs, train((1, 1, 1), theirs), straight)
    assert not (theirs / "checkpoints-damaged").exists() and not (pair[2] / "checkpoints-damaged").exists()


def test_episodes_are_shared_out_and_every_process_gets_all_of_them(pair):
    alone = play()
    assert alone["played"] == 8
    assert [got["play"]["played"] for got in pair[0]] == [6, 2]  # occurrences of a task stay together
    assert all(got["play"]["tokens"] == alone["tokens"] for got in pair[0])


def two_processes(address, number, theirs, ours):
    import jax

    jax.distributed.initialize(address, num_processes=2, process_id=int(number))
    assert (jax.device_count(), jax.local_device_count()) == (4, 2)
    out = {"rows": own_rows(), "play": play(), "rl": measure(PAIR, ("rl",))["rl"]}
    try:
        train(PAIR, theirs, stop=4)
    except Stop:
        out["sums"] = train(PAIR, ours)
    return out


def test_a_busy_machine_is_waited_for(monkeypatch):
    """XLA's own patience with a device that is late is 40 seconds; whoever sets it otherwise keeps their setting."""
    import jax

    from qpa.train.mesh import configure_host_devices

    flag = "--xla_cpu_collective_call_terminate_timeout_seconds"
    for before, after in (("", f"{flag}=3600"), ("--a=1", f"--a=1 {flag}=3600"), (f"{flag}=7", f"{flag}=7")):
        monkeypatch.setenv("XLA_FLAGS", before)
        configure_host_devices(jax.device_count("cpu"))
        assert os.environ["XLA_FLAGS"] == after


if __name__ == "__main__":
    mode, *arguments = sys.argv[1:]
    print(json.dumps(two_processes(*arguments) if mode == "pair" else [measure(sizes) for sizes in MESHES]))
