"""One step directory holds everything a run needs to go on: arrays in orbax, the host's state as JSON beside them.

A step appears whole or not at all (orbax renames a finished directory). The JSON and every array that one process can
see whole carry a checksum, so a damaged step is noticed on restore, moved aside, and the step before it is used.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import logging
import shutil
import zlib
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import jax
import numpy as np
import orbax.checkpoint as ocp

from qpa.train.mesh import path_names
from qpa.train.processes import all_agree, wait_for_all

log = logging.getLogger(__name__)

_FULL = (errno.ENOSPC, errno.EDQUOT)


class CheckpointError(RuntimeError):
    """A checkpoint could not be written, or belongs to another model; one line says what to do."""


class Restored(NamedTuple):
    """What `Checkpoints.restore` found."""

    step: int
    state: Any
    host: dict[str, Any]


class Checkpoints:
    """The step directories of one run, newest `keep` of them; several processes share one directory.

    A step is written in the background, from a copy: the next training step donates the very buffers it is made of.
    """

    def __init__(self, directory: str | Path, *, keep: int = 3):
        self.directory = Path(directory).absolute()
        self._manager = ocp.CheckpointManager(
            self.directory,
            options=ocp.CheckpointManagerOptions(
                max_to_keep=keep,
                enable_async_checkpointing=True,
                cleanup_tmp_directories=True,
                save_root_metadata=False,
            ),
        )
        self._writing: int | None = None  # the step that is on its way to the disk

    def steps(self) -> list[int]:
        """Steps on disk, oldest first."""
        self.wait()
        return self._finished()

    def _finished(self) -> list[int]:
        self._manager.reload()
        return sorted(self._manager.all_steps())

    def save(self, step: int, state: Any, host: Mapping[str, Any]) -> None:
        """Begins to write `state` (a pytree of arrays) and `host` (plain JSON) as step `step`; both may change at once.

        Raises `CheckpointError` if the disk is full or refuses, also for the step begun before; older ones are
        untouched.
        """
        self.wait()
        arrays = _snapshot(_named(state))
        record: dict[str, Any] = {"host": host, "arrays": _describe_all(arrays)}
        record["digest"] = _digest(record)
        self._check_room(step, sum(x.nbytes for x in arrays.values()))
        items = ocp.args.Composite(state=ocp.args.StandardSave(arrays), host=ocp.args.JsonSave(record))
        self._writing = step
        with self._disk_errors():
            if not self._manager.save(step, args=items, force=True):
                raise CheckpointError(f"{self.directory}: step {step} was not saved; is a later step already there?")

    def wait(self) -> None:
        """Returns once what `save` began is on disk. Raises `CheckpointError` like `save`."""
        with self._disk_errors():
            self._manager.wait_until_finished()
            self._writing = None

    @contextlib.contextmanager
    def _disk_errors(self) -> Iterator[None]:
        """Whatever the storage layers raise for a full or refusing disk, as one line about the step being written."""
        try:
            with _quiet_storage():
                yield
        except Exception as e:
            reason, step = _disk_reason(e), self._writing
            self._writing = None
            if reason is None or step is None:
                raise
            self._clean()
            raise self._not_written(step, reason) from e

    def _check_room(self, step: int, needed: int) -> None:
        """Storage threads print walls of text when a write fails half-way; what cannot fit is not begun."""
        if shutil.disk_usage(self.directory).free < needed:
            raise self._not_written(step, "no space left on the device")

    def _not_written(self, step: int, reason: str) -> CheckpointError:
        kept = self._finished()
        return CheckpointError(
            f"{self.directory}: checkpoint of step {step} not written, {reason}; free space and start again: "
            + (f"step {kept[-1]} is intact" if kept else "there is no earlier checkpoint")
        )

    def restore(self, like: Any) -> Restored | None:
        """The newest readable step, placed as `like` (a pytree of arrays or their shapes); None if there is none.

        Damaged steps are moved to `checkpoints-damaged/` with one warning each. Raises `CheckpointError` when a step is
        sound but its arrays have other names or shapes than `like`.
        """
        for step in reversed(self.steps()):
            damage: Exception | None = None
            try:
                with _quiet_storage():
                    host, arrays = self._read(step, like)
            except CheckpointError:
                raise
            except Exception as e:  # whatever the storage layers raise for damage
                damage = e
            if not all_agree(damage is None):
                self._set_aside(step, damage or ValueError("another process could not read it"))
                continue
            leaves = [arrays[name] for name in _named(like)]
            return Restored(step, jax.tree.unflatten(jax.tree.structure(like), leaves), host)
        return None

    def close(self) -> None:
        """Ends with everything on disk. Raises `CheckpointError` like `save`."""
        try:
            self.wait()
        finally:
            self._manager.close()

    def _read(self, step: int, like: Any) -> tuple[dict[str, Any], dict[str, jax.Array]]:
        args = ocp.args.Composite(host=ocp.args.JsonRestore())
        record = self._manager.restore(step, args=args).host
        if record["digest"] != _digest(record):
            raise ValueError("the checksum of its JSON is wrong")
        wanted = _named(like)
        _check_shapes(f"{self.directory}: step {step}", record["arrays"], wanted)
        abstract = {k: jax.ShapeDtypeStruct(v.shape, v.dtype, sharding=v.sharding) for k, v in wanted.items()}
        args = ocp.args.Composite(state=ocp.args.StandardRestore(abstract))
        arrays = self._manager.restore(step, args=args).state
        found = _describe_all(arrays)
        for name, (_, _, crc) in record["arrays"].items():
            if None not in (crc, found[name][2]) and crc != found[name][2]:
                raise ValueError(f"the checksum of {name} is wrong")
        return record["host"], arrays

    def _set_aside(self, step: int, reason: Exception) -> None:
        if jax.process_index() == 0:
            self._move_aside(step, reason)
        wait_for_all(f"set aside {step}")

    def _move_aside(self, step: int, reason: Exception) -> None:
        aside = self.directory.parent / f"{self.directory.name}-damaged"
        aside.mkdir(exist_ok=True)
        number = sum(1 for p in aside.iterdir() if p.name.startswith(f"{step}."))
        (self.directory / str(step)).rename(aside / f"{step}.{number}")
        left = self._finished()
        text = str(reason).partition("\n")[0][:200]
        log.warning(
            "%s: step %d is damaged (%s: %s), moved to %s; %s",
            self.directory, step, type(reason).__name__, text, aside.name,
            f"using step {left[-1]}" if left else "no other checkpoint: starting from the beginning",
        )  # fmt: skip

    def _clean(self) -> None:
        """Frees what an interrupted save left."""
        for path in self.directory.glob("*.orbax-checkpoint-tmp*"):
            shutil.rmtree(path, ignore_errors=True)


@contextlib.contextmanager
def _quiet_storage() -> Iterator[None]:
    """Storage threads log tracebacks of what also arrives here as an exception; one clear line is enough."""
    logger = logging.getLogger("absl")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def _named(tree: Any) -> dict[str, jax.Array]:
    """{"params.layers.0...": leaf}: a layout that does not depend on the classes of the tree's nodes."""
    return {".".join(path_names(p)): x for p, x in jax.tree_util.tree_leaves_with_path(tree)}


def _snapshot(arrays: Mapping[str, jax.Array]) -> dict[str, jax.Array]:
    """Arrays that no later step can touch.

    An accelerator's are copied to the host before orbax returns. A CPU's would be written from where they lie, so they
    are copied here, each distinct shard once.
    """

    def copy(x: jax.Array) -> jax.Array:
        if all(shard.device.platform != "cpu" for shard in x.addressable_shards):
            return x
        parts: dict[str, np.ndarray] = {}
        shards = []
        for shard in x.addressable_shards:
            if (key := str(shard.index)) not in parts:
                parts[key] = np.array(shard.data, copy=True)
            shards.append(jax.device_put(parts[key], shard.device))
        return jax.make_array_from_single_device_arrays(x.shape, x.sharding, shards)

    return {name: copy(x) for name, x in arrays.items()}


def _describe_all(arrays: Mapping[str, jax.Array]) -> dict[str, list[Any]]:
    """`_describe` of all arrays, on all cores."""
    with ThreadPoolExecutor() as pool:
        return dict(zip(arrays, pool.map(_describe, arrays.values())))


def _describe(x: jax.Array) -> list[Any]:
    """[shape, dtype, CRC-32], the last null for an array no single process can see."""
    whole = x.is_fully_addressable or x.is_fully_replicated
    crc = zlib.crc32(np.ascontiguousarray(np.asarray(x)).tobytes()) if whole else None
    return [list(x.shape), str(x.dtype), crc]


def _digest(record: Mapping[str, Any]) -> str:
    text = json.dumps([record["host"], record["arrays"]], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _check_shapes(where: str, saved: Mapping[str, Any], wanted: Mapping[str, jax.Array]) -> None:
    if names := sorted(set(saved) ^ set(wanted)):
        side = "only in the checkpoint" if names[0] in saved else "not in the checkpoint"
        raise CheckpointError(f"{where} is of another model or optimizer: {names[0]} is {side}; use another run_dir")
    for name, x in wanted.items():
        if saved[name][:2] != [list(x.shape), str(x.dtype)]:
            raise CheckpointError(
                f"{where} is of another model: {name} is {saved[name][1]}{saved[name][0]}, "
                f"this run has {x.dtype}{list(x.shape)}; use another run_dir"
            )


def _disk_reason(error: BaseException) -> str | None:
    """Why the disk refused, or None if the error is none of the disk's. Storage layers wrap the original error."""
    for e in _chain(error):
        if getattr(e, "errno", None) in _FULL or "No space left" in str(e) or "RESOURCE_EXHAUSTED" in str(e):
            return "no space left on the device"
        if isinstance(e, OSError):
            return f"{e.strerror or e}"
    return None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _chain(inner)
        error = error.__cause__ or error.__context__
