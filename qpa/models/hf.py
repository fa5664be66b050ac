"""Checkpoints in the Hugging Face layout of Qwen3, Qwen3-MoE and Llama: `config.json` and safetensors files.

Linear weights are stored (out, in) as there, kernels here are (in, out); experts are stored one by one, here they are
stacked; a tied head is left out. Nothing in a file is trusted: names, shapes and dtypes are checked against the model
that the configuration describes before any number is read. Tensors go one at a time from file to place and back.
"""

from __future__ import annotations

import functools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.chat.files import read_object
from qpa.config import ModelConfig
from qpa.models.hf_config import CONFIG, hf_config, model_config
from qpa.models.tensor_files import (
    BLOCK_BYTES,
    FLOATS,
    INDEX,
    WEIGHTS,
    Source,
    Tensor,
    check_names,
    read_tensors,
    replaced,
    require,
    write_tensors,
)
from qpa.models.transformer import Planner, flat_state

__all__ = ["CONFIG", "INDEX", "WEIGHTS", "hf_config", "load_hf", "model_config", "params_from", "save_hf"]

Keys = tuple[Any, ...]
Place = Callable[[Keys, np.ndarray], jax.Array]

_STORED = {"float32": "F32", "bfloat16": "BF16", "float16": "F16"}
_OWN = r"config\.json|model\.safetensors(\.index\.json)?|model-\d{5}-of-\d{5}\.safetensors"


def save_hf(
    path: str | os.PathLike[str],
    params: nnx.State,
    cfg: ModelConfig,
    *,
    store_dtype: str = "float32",
    max_shard_bytes: int = 5_000_000_000,
) -> None:
    """Writes a checkpoint directory, whole or not at all; an earlier checkpoint at `path` is replaced.

    Args:
      path: the directory. params: of a `Planner` with shape `cfg`, on any mesh.
      store_dtype: "float32" (exact), "bfloat16" or "float16".
      max_shard_bytes: a model with more in its tensors is written in shards of at most this, with an index.

    Raises:
      ValueError: params do not fit cfg, a value overflows `store_dtype`, or `path` holds files of another kind.
    """
    path = Path(path)
    if store_dtype not in _STORED:
        raise ValueError(f"store_dtype is {store_dtype!r}; use one of {', '.join(_STORED)}")
    if max_shard_bytes < 1:
        raise ValueError(f"max_shard_bytes must be positive, got {max_shard_bytes}")
    with replaced(path, _OWN) as folder:
        (folder / CONFIG).write_text(json.dumps(hf_config(cfg, store_dtype), indent=2) + "\n", encoding="utf-8")
        write_tensors(folder, _sources(params, cfg, store_dtype), _STORED[store_dtype], max_shard_bytes)


def load_hf(
    path: str | os.PathLike[str], dtype: Any = jnp.float32, *, place: Place | None = None
) -> tuple[nnx.GraphDef, nnx.State, ModelConfig]:
    """Reads a checkpoint directory, sharded or not -> (graphdef, params, cfg).

    Args:
      dtype: of the parameters; None keeps each tensor's own.
      place: `place(path, array)` makes the parameter at `path`, e.g. ("layers", 0, "mlp", "up_proj", "kernel"), from
        an array on the host that is dropped afterwards: `jax.device_put` with a sharding spreads a large model over a
        mesh one tensor at a time. Default: JAX's default device.

    Raises:
      FileNotFoundError: no directory, configuration or weights, or a missing shard.
      ValueError: one line naming the file and what is wrong with it: an unreadable or truncated file, another
        architecture, a missing, extra, misshapen, non-float or non-finite tensor.
    """
    path = Path(path)
    cfg = model_config(read_object(require(path / CONFIG)), str(path / CONFIG))
    graphdef, params = params_from(read_tensors(path), cfg, str(path), dtype, place)
    return graphdef, params, cfg


def params_from(
    tensors: Mapping[str, Tensor], cfg: ModelConfig, where: str, dtype: Any = jnp.float32, place: Place | None = None
) -> tuple[nnx.GraphDef, nnx.State]:
    """(graphdef, params) from tensors under their Hugging Face names; arguments and errors as of `load_hf`."""
    _check_counts(tensors, cfg, where)
    graphdef, abstract = _abstract(cfg)
    pieces = {keys: _pieces(keys, tuple(leaf.shape)) for keys, leaf in flat_state(abstract).items()}
    expected = {piece.name: piece for parts in pieces.values() for piece in parts}
    tied = "lm_head.weight" if cfg.tie_embeddings and "lm_head.weight" in tensors else None  # some files repeat it
    check_names(where, set(tensors) - {tied}, set(expected))
    for name, piece in expected.items():
        _check_shape(where, name, tensors[name].shape, piece.shape)
        if tensors[name].dtype not in FLOATS:
            raise ValueError(f"{where}: {name} is {tensors[name].dtype}, not a float type")
    if tied and not _equal(tensors[tied], tensors["model.embed_tokens.weight"]):
        raise ValueError(f"{where}: tie_word_embeddings is true, but lm_head.weight differs from the embedding")
    flat = {}
    for keys, leaf in flat_state(abstract).items():
        parts = pieces[keys]
        kind = np.dtype(FLOATS[tensors[parts[0].name].dtype] if dtype is None else dtype)
        host = _aligned(tuple(leaf.shape), kind)
        for piece in parts:
            _read(tensors[piece.name], host if piece.expert is None else host[piece.expert], piece, where)
        array = jax.device_put(host) if place is None else place(keys, host)
        flat[keys] = leaf.replace(jax.block_until_ready(array))  # so that `host` can go
    return graphdef, nnx.from_flat_state(flat)


# --- names and shapes -------------------------------------------------------------------------------------------------


class _Piece(NamedTuple):
    """A stored tensor: the whole of a parameter or, with an expert, that one's part of it."""

    name: str
    shape: tuple[int, ...]
    transposed: bool
    expert: int | None


def _pieces(keys: Keys, shape: tuple[int, ...]) -> list[_Piece]:
    """("layers", 0, "mlp", "up_proj", "kernel") -> "model.layers.0.mlp.up_proj.weight", turned."""
    stem = [str(k) for k in keys if k not in ("kernel", "scale")]
    if "experts" in keys:
        head, last = ".".join(stem[:-1]), stem[-1]
        return [_Piece(f"model.{head}.{i}.{last}.weight", shape[:0:-1], True, i) for i in range(shape[0])]
    turned = keys[-1] in ("kernel", "lm_head")
    name = ".".join([*([] if stem[0] == "lm_head" else ["model"]), *stem, "weight"])
    return [_Piece(name, shape[::-1] if turned else shape, turned, None)]


def _abstract(cfg: ModelConfig) -> tuple[nnx.GraphDef, nnx.State]:
    """The planner's structure without its numbers."""
    return nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)


def _check_counts(tensors: Mapping[str, Tensor], cfg: ModelConfig, where: str) -> None:
    """Before a model of the claimed depth is built."""
    for what, pattern, claimed in (
        ("layers", r"model\.layers\.(\d+)\.", cfg.n_layers),
        ("experts", r"model\.layers\.\d+\.mlp\.experts\.(\d+)\.", cfg.n_experts),
    ):
        found = {m[1] for name in tensors if (m := re.match(pattern, name))}
        if len(found) != claimed:
            raise ValueError(f"{where}: config.json says {claimed} {what}, the weights hold {len(found)}")


def _check_shape(where: str, name: str, given: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(given) != expected:
        raise ValueError(f"{where}: {name} has shape {tuple(given)}, the configuration implies {expected}")


# --- numbers ----------------------------------------------------------------------------------------------------------


def _aligned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An empty array that JAX takes over on a CPU without a copy: it wants multiples of 64 bytes."""
    size = int(np.prod(shape)) * dtype.itemsize
    room = np.empty(size + 64, np.uint8)
    start = -room.ctypes.data % 64
    return room[start : start + size].view(dtype).reshape(shape)


def _read(tensor: Tensor, out: np.ndarray, piece: _Piece, where: str) -> None:
    """Fills `out`; blocks of rows become blocks of columns if the piece is stored the other way round."""
    for start, rows in tensor.blocks():
        if not np.isfinite(rows).all():
            raise ValueError(f"{where}: {piece.name} holds NaN or infinity")
        with np.errstate(over="ignore"):
            cast = rows.astype(out.dtype, copy=False)
        if not np.isfinite(cast).all():
            raise ValueError(f"{where}: {piece.name} is not finite as {out.dtype}")
        (out.T if piece.transposed else out)[start : start + len(rows)] = cast


def _equal(a: Tensor, b: Tensor) -> bool:
    same = a.shape == b.shape and a.dtype == b.dtype
    return same and all(np.array_equal(x, y) for (_, x), (_, y) in zip(a.blocks(), b.blocks(), strict=True))


def _sources(params: nnx.State, cfg: ModelConfig, store_dtype: str) -> list[Source]:
    expected = {keys: tuple(leaf.shape) for keys, leaf in flat_state(_abstract(cfg)[1]).items()}
    given = flat_state(params)
    names = {p.name for keys, shape in expected.items() for p in _pieces(keys, shape)}
    check_names("params", {p.name for k, leaf in given.items() for p in _pieces(k, tuple(leaf.shape))}, names)
    out = []
    for keys, leaf in given.items():
        value = leaf[...] if isinstance(leaf, nnx.Variable) else leaf
        for piece, wanted in zip(_pieces(keys, value.shape), _pieces(keys, expected[keys]), strict=True):
            _check_shape("params", piece.name, piece.shape, wanted.shape)
            out.append(Source(piece.name, piece.shape, functools.partial(_rows, value, piece, store_dtype)))
    return out


def _rows(value: Any, piece: _Piece, store_dtype: str) -> Iterator[np.ndarray]:
    """The stored rows of a parameter in `store_dtype`, a few MB at a time."""
    kind = FLOATS[_STORED[store_dtype]]
    host = _host(value if piece.expert is None else value[piece.expert])
    host = host.T if piece.transposed else host
    step = max(1, BLOCK_BYTES // max(1, host[0].nbytes))
    for start in range(0, len(host), step):
        with np.errstate(over="ignore"):
            rows = host[start : start + step].astype(kind)
        if not np.isfinite(rows).all():
            raise ValueError(f"params: {piece.name} is not finite as {store_dtype}")
        yield rows


def _host(value: Any) -> np.ndarray:
    """`value` on the host; by way of a copy where JAX would else keep what it gave beside the array."""
    if isinstance(value, jax.Array) and not (len(value.devices()) == 1 and value.platform() == "cpu"):
        value = jnp.copy(value)
    return np.asarray(value)
