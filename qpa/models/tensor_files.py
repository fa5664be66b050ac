"""Safetensors files, read and written tensor by tensor in blocks of rows, so that no file is in memory as a whole.

The library checks a file's header, but it maps files into memory, and its writer wants all tensors at once. Layout:
https://github.com/huggingface/safetensors (8 bytes of header length, a JSON header, the tensors one after another).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import ml_dtypes
import numpy as np
from safetensors import SafetensorError, safe_open

from qpa.chat.files import read_object

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"  # which file of a sharded checkpoint holds which tensor
FLOATS: dict[str, Any] = {
    "F32": np.dtype("float32"),
    "BF16": np.dtype(ml_dtypes.bfloat16),
    "F16": np.dtype("float16"),
    "F64": np.dtype("float64"),
}
BLOCK_BYTES = 4 << 20


class Tensor(Protocol):
    """A tensor somewhere else: what is known before it is read, and its numbers in blocks."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    @property
    def dtype(self) -> str:
        """In safetensors' words: "F32", "BF16", ...; readable if in `FLOATS`."""

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, rows) through the whole tensor."""


@dataclass(frozen=True)
class Stored:
    """A tensor in a safetensors file."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    file: Path
    offset: int

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, rows) through the tensor, at most a few MB at a time; only for `FLOATS`.

        Raises ValueError if the file ends too early: it changed since it was opened.
        """
        kind, width = FLOATS[self.dtype], math.prod(self.shape[1:])
        rows = max(1, BLOCK_BYTES // max(1, width * kind.itemsize))
        with self.file.open("rb") as f:
            f.seek(self.offset)
            for start in range(0, self.shape[0], rows):
                n = min(rows, self.shape[0] - start)
                data = f.read(n * width * kind.itemsize)
                if len(data) < n * width * kind.itemsize:
                    raise ValueError(f"{self.file}: ends within {self.name}")
                yield start, np.frombuffer(data, kind).reshape(n, *self.shape[1:])


def read_tensors(path: Path) -> dict[str, Stored]:
    """The tensors of a checkpoint directory, from `model.safetensors` or the shards that its index names.

    Raises:
      FileNotFoundError: no weights, or a shard that the index names is missing.
      ValueError: one line about an unreadable file, a bad index, or a file that does not hold what the index says.
    """
    if (path / WEIGHTS).is_file() or not (path / INDEX).is_file():
        return _read_header(path / WEIGHTS)
    places = read_object(path / INDEX).get("weight_map")
    if not isinstance(places, dict) or not all(isinstance(n, str) and Path(n).name == n for n in places.values()):
        raise ValueError(f"{path / INDEX}: weight_map must map tensors to plain file names")
    out: dict[str, Stored] = {}
    for name in sorted(set(places.values())):
        if not (path / name).is_file():
            raise FileNotFoundError(f"{path / name}: no such file, but {INDEX} names it")
        found = _read_header(path / name)
        check_names(str(path / name), set(found), {tensor for tensor, file in places.items() if file == name})
        out |= found
    return out


def require(file: Path, holds: str = f"a checkpoint directory holds config.json and {WEIGHTS}") -> Path:
    """The file, if it is there. Raises FileNotFoundError that says what its directory `holds`."""
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file; {holds}")
    return file


def check_names(where: str, given: set[str], expected: set[str]) -> None:
    """Raises ValueError naming a missing or an extra tensor."""
    for what, names in (("lacks", expected - given), ("has an extra", given - expected)):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"{where}: {what} tensor {min(names)}{more}")


@dataclass(frozen=True)
class Source:
    """A tensor to be written: its shape, and a function that gives its rows in blocks, already of the stored dtype."""

    name: str
    shape: tuple[int, ...]
    blocks: Callable[[], Iterable[np.ndarray]]


def write_tensors(folder: Path, sources: Iterable[Source], dtype: str, max_shard_bytes: int) -> list[Path]:
    """Writes all tensors in one `dtype` of `FLOATS` -> the files: one, or shards with an index when there is too much.

    Shards hold at most `max_shard_bytes`, or one tensor that is larger.
    """
    size = FLOATS[dtype].itemsize
    shards: list[list[Source]] = [[]]
    held = total = 0
    for source in sorted(sources, key=lambda s: s.name):
        n = math.prod(source.shape) * size
        if shards[-1] and held + n > max_shard_bytes:
            shards.append([])
            held = 0
        shards[-1].append(source)
        held, total = held + n, total + n
    if len(shards) == 1:
        _write_file(folder / WEIGHTS, shards[0], dtype)
        return [folder / WEIGHTS]
    names = [f"model-{i:05d}-of-{len(shards):05d}.safetensors" for i in range(1, len(shards) + 1)]
    for name, shard in zip(names, shards, strict=True):
        _write_file(folder / name, shard, dtype)
    places = {source.name: name for name, shard in zip(names, shards, strict=True) for source in shard}
    index = {"metadata": {"total_size": total}, "weight_map": places}
    (folder / INDEX).write_text(json.dumps(index, indent=2) + "\n", encoding="utf-8")
    return [folder / name for name in (*names, INDEX)]


@contextlib.contextmanager
def replaced(path: Path, own: str) -> Iterator[Path]:
    """A new folder that becomes `path` when the block ends well, whole or not at all; what was there goes.

    Args:
      path: the directory. own: a pattern of the names that may be in it; one with others is not touched.

    Raises:
      ValueError: `path` holds files of another kind.
    """
    if path.exists():
        names = (p.name for p in path.iterdir()) if path.is_dir() else (path.name,)
        if foreign := sorted(name for name in names if not path.is_dir() or not re.fullmatch(own, name)):
            raise ValueError(f"{path}: holds {foreign[0]}, so it is not replaced; choose another directory")
    partial, old = path.with_name(f".{path.name}.partial"), path.with_name(f".{path.name}.old")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        for file in (*partial.iterdir(), partial):
            _sync(file)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    if path.exists():
        shutil.rmtree(old, ignore_errors=True)
        path.rename(old)
    partial.rename(path)
    shutil.rmtree(old, ignore_errors=True)
    _sync(path.parent)


def _sync(file: Path) -> None:
    """Makes a file or a directory's entries outlive a crash."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _read_header(file: Path) -> dict[str, Stored]:
    require(file)
    try:
        with safe_open(str(file), framework="numpy"):  # its checks: sizes, offsets, dtypes, the file's length
            pass
        with file.open("rb") as f:
            length = int.from_bytes(f.read(8), "little")
            header: Mapping[str, Any] = json.loads(f.read(length))
    except (SafetensorError, OSError, ValueError) as e:
        raise ValueError(f"{file}: not a readable safetensors file: {e}") from None
    return {
        name: Stored(name, tuple(x["shape"]), x["dtype"], file, 8 + length + x["data_offsets"][0])
        for name, x in header.items()
        if name != "__metadata__"
    }


def _write_file(file: Path, sources: list[Source], dtype: str) -> None:
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for source in sources:
        start, end = end, end + math.prod(source.shape) * FLOATS[dtype].itemsize
        header[source.name] = {"dtype": dtype, "shape": list(source.shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the tensors begin aligned
    with file.open("wb") as f:
        f.write(len(text).to_bytes(8, "little") + text)
        for source in sources:
            for block in source.blocks():
                f.write(np.ascontiguousarray(block).view(np.uint8).data)
