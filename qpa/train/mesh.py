"""The device mesh: the one file that names its axes.

`data` splits the batch, `fsdp` splits the batch and the parameters, `tensor` splits heads, MLP width and vocabulary.
The compiler inserts the collectives, on one chip, on a pod, or over several processes (`jax.distributed`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

from qpa.config import MeshConfig

DATA, FSDP, TENSOR = "data", "fsdp", "tensor"
BATCH_AXES = (DATA, FSDP)

# Module name -> spec of its [in, out] kernel. Columns first, then rows: one all-reduce per block half.
_KERNEL_SPECS = {
    "q_proj": P(FSDP, TENSOR),
    "k_proj": P(FSDP, TENSOR),
    "v_proj": P(FSDP, TENSOR),
    "gate_proj": P(FSDP, TENSOR),
    "up_proj": P(FSDP, TENSOR),
    "o_proj": P(TENSOR, FSDP),
    "down_proj": P(TENSOR, FSDP),
    "embed_tokens": P(TENSOR, FSDP),
    "lm_head": P(FSDP, TENSOR),
}


# Devices of a CPU are threads that wait for each other; XLA aborts the process after 40 seconds of it, which a busy or
# suspended machine needs.
_PATIENCE = "--xla_cpu_collective_call_terminate_timeout_seconds"


def configure_host_devices(count: int) -> None:
    """Splits the CPU into `count` devices. Raises RuntimeError if JAX has already started with another number."""
    flags = os.environ.get("XLA_FLAGS", "")
    if _PATIENCE not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {_PATIENCE}=3600".strip()
    try:
        jax.config.update("jax_num_cpu_devices", count)
    except RuntimeError:
        if jax.device_count("cpu") != count:
            raise RuntimeError(
                f"mesh: JAX already runs with {jax.device_count('cpu')} CPU devices, {count} were asked for; "
                "call configure_host_devices before the first use of JAX"
            ) from None


def enable_compilation_cache(directory: str | os.PathLike[str]) -> None:
    """Keeps compiled programs in `directory`, so that a second run of the same shapes does not compile again."""
    os.makedirs(directory, exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", os.fspath(directory))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    # XLA's own caches put the folder's path into the key: a moved run would compile everything anew.
    jax.config.update("jax_persistent_cache_enable_xla_caches", "none")
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def make_mesh(cfg: MeshConfig, devices: Sequence[jax.Device] | None = None) -> Mesh:
    """A mesh of shape [data, fsdp, tensor] over `devices` (default: all). Raises ValueError if the sizes do not fit."""
    devices = list(jax.devices() if devices is None else devices)
    shape = (cfg.data, cfg.fsdp, cfg.tensor)
    if min(shape) < 1 or math.prod(shape) != len(devices):
        raise ValueError(
            f"mesh: data x fsdp x tensor = {cfg.data} x {cfg.fsdp} x {cfg.tensor} needs {math.prod(shape)} devices, "
            f"this process group has {len(devices)}; change config.mesh or call configure_host_devices"
        )
    return jax.make_mesh(shape, (DATA, FSDP, TENSOR), axis_types=(AxisType.Auto,) * 3, devices=devices)


def path_names(path: tuple[Any, ...]) -> list[str]:
    """Plain names of a pytree key path."""
    return [str(getattr(k, "key", getattr(k, "name", getattr(k, "idx", k)))) for k in path]


def state_sharding(mesh: Mesh, path: tuple[Any, ...], shape: tuple[int, ...]) -> NamedSharding:
    """Where a leaf of the train state lives; moments end in their parameter's path, so one rule serves both."""
    names = path_names(path)
    spec = next((_KERNEL_SPECS[n] for n in reversed(names) if n in _KERNEL_SPECS), P())
    if "lora_a" in names or "lora_b" in names:  # [in, r] and [r, out] of an adapter: r is too small to split
        spec = P(spec[0], None) if "lora_a" in names else P(None, spec[1])
    if len(shape) == 3:  # only Muon's momentum is a stack of matrices
        return stack_sharding(mesh, shape)
    if len(shape) != 2 or len(spec) != 2:
        return replicated(mesh)
    fits = [a if a and size % mesh.shape[a] == 0 and mesh.shape[a] > 1 else None for a, size in zip(spec, shape)]
    return NamedSharding(mesh, P(*fits))


def stack_sharding(mesh: Mesh, shape: tuple[int, ...]) -> NamedSharding:
    """Whole matrices of a stack [k, rows, columns] spread over the batch's devices, as far as k divides."""
    axes = [a for a in (BATCH_AXES, (DATA,), (FSDP,)) if shape[0] % math.prod(mesh.shape[n] for n in a) == 0]
    return NamedSharding(mesh, P(axes[0])) if axes else replicated(mesh)


def replicated(mesh: Mesh) -> NamedSharding:
    return NamedSharding(mesh, P())


def batch_shards(mesh: Mesh) -> int:
    """Number of parts a batch is cut into; row counts must be multiples of it."""
    return mesh.shape[DATA] * mesh.shape[FSDP]


def host_rows(mesh: Mesh, rows: int, rows_per_chunk: int) -> list[int]:
    """Which of a batch's `rows` this process's devices hold, once cut into chunks of `rows_per_chunk`."""
    indices = NamedSharding(mesh, P(BATCH_AXES)).addressable_devices_indices_map((rows_per_chunk,)).values()
    own = {i for index in indices for i in range(rows_per_chunk)[index[0]]}  # type: ignore[index]
    return [n for n in range(rows) if n % rows_per_chunk in own]


def tree_shardings(mesh: Mesh, tree: Any) -> Any:
    """A tree of shardings like `tree` (params or a whole train state; arrays or shapes)."""
    return jax.tree_util.tree_map_with_path(lambda p, x: state_sharding(mesh, p, tuple(x.shape)), tree)


def place_tree(mesh: Mesh, tree: Any) -> Any:
    """`tree` where `state_sharding` wants it; arrays that are there already are not copied."""
    return jax.tree.map(_put, tree, tree_shardings(mesh, tree))


def place_chunks(mesh: Mesh, chunks: Mapping[str, np.ndarray]) -> dict[str, jax.Array]:
    """Arrays [M, b, ...], M chunks of b rows: every chunk is split over all shards.

    Every process passes arrays of this whole shape; only its own rows (see `host_rows`) are read.
    """
    sharding = NamedSharding(mesh, P(None, BATCH_AXES))
    return {k: _put(v, sharding) for k, v in chunks.items()}


def _put(x: Any, sharding: NamedSharding) -> jax.Array:
    if sharding.is_fully_addressable:
        return jax.device_put(x, sharding)
    host = np.asarray(x)  # several processes: each one fills its own shards
    return jax.make_array_from_callback(host.shape, sharding, lambda index: host[index])
