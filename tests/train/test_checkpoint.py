"""A checkpoint is whole or absent; a damaged one is set aside; a full disk costs one clear line, not the run."""

import contextlib
import errno
import logging
import os
import random
import signal
import subprocess
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qpa.config import OptimizerConfig
from qpa.train.checkpoint import CheckpointError, Checkpoints
from qpa.train.lock import RunLockedError, run_lock
from qpa.train.metrics import MetricsLog, TrainingError, read_metrics
from qpa.train.optimizer import make_optimizer
from qpa.train.state import create_state


@pytest.fixture(scope="module")
def state(tiny, mesh):
    return create_state(tiny[1], make_optimizer(OptimizerConfig(name="adamw"), 10), mesh)


def bumped(state, by):
    return jax.tree.map(lambda x: jax.device_put(np.asarray(x) + np.asarray(by, x.dtype)), state)


def write(directory, step, state, host=None):
    with contextlib.closing(Checkpoints(directory)) as store:
        store.save(step, state, host or {})


def assert_same(a, b):
    jax.tree.map(np.testing.assert_array_equal, a, b)


def test_round_trip_restores_arrays_and_host_state(tmp_path, state):
    saved = bumped(state, 1)
    host = {"data": {"epoch": 1}, "phi": {"p_low": 0.1}, "text": "é"}
    store = Checkpoints(tmp_path / "c")
    assert store.restore(state) is None
    store.save(3, saved, host)
    store.close()
    found = Checkpoints(tmp_path / "c").restore(state)
    assert found.step == 3 and found.host == host
    assert_same(found.state, saved)
    assert jax.tree.structure(found.state) == jax.tree.structure(state)


def test_only_the_newest_steps_are_kept(tmp_path, state):
    store = Checkpoints(tmp_path / "c", keep=2)
    for step in (1, 2, 3):
        store.save(step, state, {})
    assert store.steps() == [2, 3]


def damage_truncate(step_dir):
    for p in step_dir.rglob("*"):
        if p.is_file():
            p.write_bytes(p.read_bytes()[: p.stat().st_size // 2])


def damage_flip(step_dir):
    """One bit in the middle of the largest array file."""
    path = max((p for p in (step_dir / "state").rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 4
    path.write_bytes(bytes(data))


def damage_host(step_dir):
    path = next(p for p in (step_dir / "host").rglob("*") if p.is_file() and b'"epoch"' in p.read_bytes())
    path.write_bytes(path.read_bytes().replace(b'"epoch": 2', b'"epoch": 7'))


def damage_empty(step_dir):
    for p in sorted(step_dir.rglob("*"), reverse=True):
        p.unlink() if p.is_file() else p.rmdir()


@pytest.mark.parametrize("damage", [damage_truncate, damage_flip, damage_host, damage_empty])
def test_a_damaged_newest_step_is_set_aside_and_the_previous_used(tmp_path, state, damage, caplog):
    store = Checkpoints(tmp_path / "c")
    store.save(1, bumped(state, 1), {"epoch": 1})
    store.save(2, bumped(state, 2), {"epoch": 2})
    store.close()
    damage(tmp_path / "c" / "2")
    with caplog.at_level(logging.WARNING, logger="qpa.train.checkpoint"):
        found = Checkpoints(tmp_path / "c").restore(state)
    assert found.step == 1 and found.host == {"epoch": 1}
    assert_same(found.state, bumped(state, 1))
    lines = [r.getMessage() for r in caplog.records if r.name == "qpa.train.checkpoint"]
    assert len(lines) == 1 and "step 2 is damaged" in lines[0] and "using step 1" in lines[0] and "\n" not in lines[0]
    assert (tmp_path / "c-damaged" / "2.0").is_dir()
    again = Checkpoints(tmp_path / "c")
    again.save(2, state, {})  # the same step can be written anew
    assert again.steps() == [1, 2]


def test_all_damaged_starts_from_the_beginning(tmp_path, state):
    write(tmp_path / "c", 1, state)
    damage_truncate(tmp_path / "c" / "1")
    assert Checkpoints(tmp_path / "c").restore(state) is None


def test_another_models_checkpoint_is_refused_and_kept(tmp_path, state):
    write(tmp_path / "c", 1, {"w": jnp.ones((2, 3))})
    store = Checkpoints(tmp_path / "c")
    with pytest.raises(CheckpointError, match=r"w is float32\[2, 3\].*this run has float32\[2, 2\]"):
        store.restore({"w": jnp.ones((2, 2))})
    with pytest.raises(CheckpointError, match="another model or optimizer"):
        store.restore({"w": jnp.ones((2, 3)), "v": jnp.ones(2)})
    assert store.steps() == [1]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), "no space left"),
        (ValueError("RESOURCE_EXHAUSTED: Error writing local file: No space left on device"), "no space left"),
        (PermissionError(errno.EACCES, os.strerror(errno.EACCES)), "Permission denied"),
    ],
)
def test_a_refusing_disk_is_one_clear_line_and_the_previous_step_is_intact(
    tmp_path, state, monkeypatch, caplog, error, words
):
    store = Checkpoints(tmp_path / "c")
    store.save(1, bumped(state, 1), {})

    def refuse(*_, **__):
        logging.getLogger("absl").error("a traceback from a storage thread")
        (tmp_path / "c" / "2.orbax-checkpoint-tmp-7").mkdir()
        raise RuntimeError("save failed") from error

    monkeypatch.setattr(store._manager, "save", refuse)
    with pytest.raises(CheckpointError, match=f"step 2 not written, {words}.*step 1 is intact") as caught:
        store.save(2, state, {})
    assert "\n" not in str(caught.value) and "traceback" not in caplog.text
    monkeypatch.undo()
    assert [p.name for p in (tmp_path / "c").iterdir()] == ["1"]
    assert_same(store.restore(state).state, bumped(state, 1))
    store.save(2, state, {})


def test_an_error_while_writing_in_the_background_is_the_same_line(tmp_path, state, monkeypatch):
    store = Checkpoints(tmp_path / "c")
    store.save(1, state, {})
    store.wait()
    store.save(2, state, {})
    waited = store._manager.wait_until_finished

    def refuse():
        waited()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as m:
        m.setattr(store._manager, "wait_until_finished", refuse)
        with pytest.raises(CheckpointError, match=r"step 2 not written, no space left.*intact"):
            store.save(3, state, {})
    store.save(3, state, {})
    store.close()
    assert 3 in Checkpoints(tmp_path / "c").steps()


def test_a_bug_is_not_reported_as_a_full_disk(tmp_path, state, monkeypatch):
    store = Checkpoints(tmp_path / "c")
    monkeypatch.setattr(store._manager, "save", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        store.save(1, state, {})


# --- in the background ------------------------------------------------------------------------------------------------


def test_a_step_that_donates_the_state_right_after_a_save_changes_nothing_in_it(tmp_path):
    step = jax.jit(lambda tree: jax.tree.map(lambda x: x * 2 + 1, tree), donate_argnums=0)
    tree = {f"w{i}": jnp.full((256, 1024), float(i)) for i in range(4)}
    store = Checkpoints(tmp_path / "c")
    for n in range(3):
        want = jax.tree.map(lambda x: np.array(x, copy=True), tree)
        addresses = {x.unsafe_buffer_pointer() for x in tree.values()}
        store.save(n, tree, {"n": n})
        reused = set()
        for _ in range(4):
            before, tree = tree, step(tree)
            jax.block_until_ready(tree)
            assert all(x.is_deleted() for x in before.values())  # donated, not copied aside by the runtime
            reused |= {x.unsafe_buffer_pointer() for x in tree.values()}
        assert addresses & reused
        found = store.restore(tree)
        assert found.step == n and found.host == {"n": n}
        assert_same(found.state, want)
    store.close()


WRITE = """
import sys
import jax.numpy as jnp
from qpa.train.checkpoint import Checkpoints
store = Checkpoints(sys.argv[1], keep=2)
found = store.restore({"w": jnp.zeros((1024, 1024)), "v": jnp.zeros((512, 1024))})
step = found.step if found else 0
while True:
    step += 1
    store.save(step, {"w": jnp.full((1024, 1024), float(step)), "v": jnp.full((512, 1024), float(step))}, {"n": step})
    print("begun", step, flush=True)
    store.wait()
    print("done", step, flush=True)
"""


def test_kill_during_a_save_leaves_the_previous_step_whole(tmp_path):
    rng, like = random.Random(0), {"w": jnp.zeros((1024, 1024)), "v": jnp.zeros((512, 1024))}
    done = torn = 0
    for _ in range(3):
        child = subprocess.Popen([sys.executable, "-c", WRITE, str(tmp_path / "c")], stdout=subprocess.PIPE, text=True)
        lines = [child.stdout.readline() for _ in range(rng.choice([3, 5]))]  # ends with "begun n"
        time.sleep(rng.random() * 0.03)
        child.send_signal(signal.SIGKILL)
        rest, _ = child.communicate()
        words = [line.split() for line in [*lines, *rest.splitlines()]]
        done = max(int(n) for word, n in words if word == "done")
        torn += any("tmp" in p.name for p in (tmp_path / "c").iterdir())
        store = Checkpoints(tmp_path / "c")
        found = store.restore(like)
        assert done <= found.step <= done + 1 and found.host == {"n": found.step}
        assert all(np.all(np.asarray(x) == found.step) for x in found.state.values())
        store.close()
        assert not (tmp_path / "c-damaged").exists()
    assert torn  # at least one of them really died while writing


# --- lock ----------------------------------------------------------------------------------------------------------

HOLD = (
    "import sys\nfrom qpa.train.lock import run_lock\nwith run_lock(sys.argv[1]):\n print('held', flush=True)\n input()"
)


def test_a_second_run_names_the_first_and_a_dead_ones_lock_is_taken_over(tmp_path):
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "held\n"
    with pytest.raises(RunLockedError, match=f"process {child.pid} on .* another run_dir"), run_lock(tmp_path):
        pass
    child.kill()
    child.communicate()
    assert str(child.pid) in (tmp_path / "run.lock").read_text()  # stale
    with run_lock(tmp_path), pytest.raises(RunLockedError, match=f"process {os.getpid()} "), run_lock(tmp_path):
        pass
    with run_lock(tmp_path):
        pass


# --- metrics -------------------------------------------------------------------------------------------------------


def test_metrics_are_cut_back_to_the_restored_step(tmp_path):
    log = MetricsLog(tmp_path, tensorboard=False)
    for step in (1, 2, 3):
        log.write(step, "train", {"loss": step / 2, "nan": float("nan")})
    log.write(2, "eval", {"success": 1})
    log.close()
    with open(tmp_path / "metrics.jsonl", "a") as f:
        f.write('{"step": 3, "kind": "tra')  # torn by a crash
    resumed = MetricsLog(tmp_path, step=2, tensorboard=False)
    resumed.write(3, "train", {"loss": 9.0})
    resumed.close()
    assert [(r["step"], r["kind"]) for r in read_metrics(tmp_path)] == [
        (1, "train"), (2, "train"), (2, "eval"), (3, "train"),
    ]  # fmt: skip
    assert read_metrics(tmp_path, "train")[-1]["loss"] == 9.0 and read_metrics(tmp_path, "train")[0]["nan"] is None


def test_a_full_disk_under_the_metrics_is_one_clear_line(tmp_path):
    log = MetricsLog(tmp_path, tensorboard=False)
    log._file.close()
    log._file = open("/dev/full", "w")  # noqa: SIM115 - every flush fails with ENOSPC
    with pytest.raises(TrainingError, match=r"step 4 not written, No space left.*checkpoint is sound"):
        log.write(4, "train", {"loss": 1.0})


def test_tensorboard_files_appear(tmp_path):
    log = MetricsLog(tmp_path)
    log.write(1, "train", {"loss": 1.0, "note": "text"})
    log.close()
    assert list((tmp_path / "tensorboard").iterdir())
