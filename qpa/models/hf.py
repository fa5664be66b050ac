"""Checkpoints in the Hugging Face Qwen3 layout: `config.json` and `model.safetensors`.

Linear weights are stored (out, in) as there, kernels here are (in, out); a tied head is left out. Nothing in a file is
trusted: names, shapes and dtypes are checked against the model that the configuration describes.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from safetensors import SafetensorError, safe_open
from safetensors.flax import save_file

from qpa.config import ModelConfig
from qpa.models.transformer import Planner

CONFIG = "config.json"
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"  # read, never written: which file of a large checkpoint holds which tensor
_FIELDS = {  # ours -> theirs
    "vocab_size": "vocab_size",
    "d_model": "hidden_size",
    "n_layers": "num_hidden_layers",
    "n_heads": "num_attention_heads",
    "n_kv_heads": "num_key_value_heads",
    "head_dim": "head_dim",
    "d_ff": "intermediate_size",
    "rope_theta": "rope_theta",
    "norm_eps": "rms_norm_eps",
    "tie_embeddings": "tie_word_embeddings",
}
_STORE_DTYPES = ("float32", "bfloat16", "float16")
_MAX_POSITIONS = 32_768  # informational: rotary positions have no table here


def save_hf(path: str | os.PathLike[str], params: nnx.State, cfg: ModelConfig, *, store_dtype: str = "float32") -> None:
    """Writes a checkpoint directory, whole or not at all; an earlier checkpoint at `path` is replaced.

    Args:
      path: the directory. params: of a `Planner` with shape `cfg`, on any mesh.
      store_dtype: "float32" (exact), "bfloat16" or "float16".

    Raises:
      ValueError: params do not fit cfg, a value overflows `store_dtype`, or `path` holds files of another kind.
    """
    path = Path(path)
    if store_dtype not in _STORE_DTYPES:
        raise ValueError(f"store_dtype is {store_dtype!r}; use one of {', '.join(_STORE_DTYPES)}")
    if path.exists():
        foreign = sorted({p.name for p in path.iterdir()} - {CONFIG, WEIGHTS}) if path.is_dir() else [path.name]
        if foreign:
            raise ValueError(f"{path}: holds {foreign[0]}, so it is not replaced; choose another directory")
    tensors = {}
    expected = _expected(_abstract(cfg)[1])
    given = {_name(keys): (keys, leaf) for keys, leaf in _flat(params).items()}
    _check_names("params", set(given), set(expected))
    for name, (keys, leaf) in given.items():
        value = _transposed(keys, jnp.asarray(jax.device_get(leaf)))
        _check_shape("params", name, value.shape, expected[name])
        stored = value.astype(store_dtype)
        if not bool(jnp.isfinite(stored).all()):
            raise ValueError(f"params: {name} is not finite as {store_dtype}")
        tensors[name] = stored

    partial = path.with_name(f".{path.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    (partial / CONFIG).write_text(json.dumps(hf_config(cfg, store_dtype), indent=2) + "\n", encoding="utf-8")
    save_file(tensors, str(partial / WEIGHTS), metadata={"format": "pt"})
    for file in (partial / CONFIG, partial / WEIGHTS, partial):
        _sync(file)
    if path.exists():
        old = path.with_name(f".{path.name}.old")
        shutil.rmtree(old, ignore_errors=True)
        path.rename(old)
        partial.rename(path)
        shutil.rmtree(old)
    else:
        partial.rename(path)
    _sync(path.parent)


def load_hf(path: str | os.PathLike[str], dtype: Any = jnp.float32) -> tuple[nnx.GraphDef, nnx.State, ModelConfig]:
    """Reads a Qwen3 checkpoint directory -> (graphdef, params, cfg); tensors are cast to `dtype`.

    A sharded checkpoint (with its index file) is read too.

    Raises:
      FileNotFoundError: no directory, configuration or weights.
      ValueError: one line naming the file and what is wrong with it: an unreadable or truncated file, another
        architecture, a missing, extra, misshapen, non-float or non-finite tensor.
    """
    path = Path(path)
    cfg = model_config(_read_json(path / CONFIG), str(path / CONFIG))
    tensors = _read_tensors(path)
    layers = {m[1] for name in tensors if (m := re.match(r"model\.layers\.(\d+)\.", name))}
    if len(layers) != cfg.n_layers:  # before a model of the claimed depth is built
        raise ValueError(f"{path}: config.json says {cfg.n_layers} layers, the weights hold {len(layers)}")
    graphdef, abstract = _abstract(cfg)
    expected = _expected(abstract)
    if cfg.tie_embeddings and "lm_head.weight" in tensors:  # some files repeat the tied head
        head = tensors.pop("lm_head.weight")
        if not np.array_equal(head, tensors.get("model.embed_tokens.weight", ())):
            raise ValueError(f"{path}: tie_word_embeddings is true, but lm_head.weight differs from the embedding")
    _check_names(str(path), set(tensors), set(expected))
    flat = {}
    for keys, leaf in _flat(abstract).items():
        name = _name(keys)
        value = tensors.pop(name)
        _check_shape(str(path), name, value.shape, expected[name])
        if not jnp.issubdtype(value.dtype, jnp.floating):
            raise ValueError(f"{path}: {name} is {value.dtype}, not a float type")
        if not bool(jnp.isfinite(value).all()):
            raise ValueError(f"{path}: {name} holds NaN or infinity")
        flat[keys] = leaf.replace(_transposed(keys, value).astype(dtype))
    return graphdef, nnx.from_flat_state(flat), cfg


def hf_config(cfg: ModelConfig, store_dtype: str = "float32") -> dict[str, Any]:
    """The `config.json` of a Qwen3 model with this shape."""
    out: dict[str, Any] = {
        "architectures": ["Qwen3ForCausalLM"],
        "model_type": "qwen3",
        "attention_bias": False,
        "hidden_act": "silu",
        "max_position_embeddings": _MAX_POSITIONS,
        "rope_scaling": None,
        "torch_dtype": store_dtype,
        "use_sliding_window": False,
    }
    return out | {theirs: getattr(cfg, ours) for ours, theirs in _FIELDS.items()}


def model_config(raw: Mapping[str, Any], where: str = CONFIG) -> ModelConfig:
    """The shape described by a Qwen3 `config.json`.

    Raises:
      ValueError: a field is missing or wrong, or asks for something this model does not compute.
    """
    if raw.get("model_type") != "qwen3" or "Qwen3ForCausalLM" not in (raw.get("architectures") or []):
        raise ValueError(f"{where}: not a Qwen3ForCausalLM ({raw.get('model_type')}, {raw.get('architectures')})")
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(rope, dict) or rope.get("rope_type", rope.get("type", "default")) != "default":
        raise ValueError(f"{where}: rotary scaling {rope} is not supported; only the default kind is")
    for field, only in (("attention_bias", False), ("use_sliding_window", False), ("hidden_act", "silu")):
        if raw.get(field, only) != only:
            raise ValueError(f"{where}: {field}={raw[field]!r} is not supported; only {only!r} is")
    values = dict(raw) | ({"rope_theta": rope["rope_theta"]} if "rope_theta" in rope else {})
    values.setdefault("tie_word_embeddings", False)
    defaults = ModelConfig()
    out: dict[str, Any] = {}
    for ours, theirs in _FIELDS.items():
        kind = type(getattr(defaults, ours))
        value = values.get(theirs)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if type(value) is not kind or (kind is not bool and not 0 < value < 1e12):  # type: ignore[operator]
            raise ValueError(f"{where}: {theirs} must be a positive {kind.__name__}, got {value!r}")
        out[ours] = value
    cfg = ModelConfig(**out)
    if cfg.n_heads % cfg.n_kv_heads or cfg.head_dim % 2:
        raise ValueError(f"{where}: needs num_attention_heads divisible by num_key_value_heads and an even head_dim")
    return cfg


# --- names, shapes, files --------------------------------------------------------------------------------------------

Keys = tuple[Any, ...]


def _abstract(cfg: ModelConfig) -> tuple[nnx.GraphDef, nnx.State]:
    """The planner's structure without its numbers."""
    return nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)


def _flat(params: nnx.State) -> dict[Keys, Any]:
    return dict(nnx.to_flat_state(params))


def _name(keys: Keys) -> str:
    """("layers", 0, "mlp", "up_proj", "kernel") -> "model.layers.0.mlp.up_proj.weight"."""
    stem = [str(k) for k in keys if k not in ("kernel", "scale")]
    return ".".join([*([] if stem[0] == "lm_head" else ["model"]), *stem, "weight"])


def _transposed(keys: Keys, value: jax.Array) -> jax.Array:
    return value.T if keys[-1] in ("kernel", "lm_head") else value


def _expected(abstract: nnx.State) -> dict[str, tuple[int, ...]]:
    """Stored shape of every tensor by its stored name."""
    out = {}
    for keys, leaf in _flat(abstract).items():
        shape = tuple(leaf.shape)
        out[_name(keys)] = shape[::-1] if keys[-1] in ("kernel", "lm_head") else shape
    return out


def _check_names(where: str, given: set[str], expected: set[str]) -> None:
    for what, names in (("lacks", expected - given), ("has an extra", given - expected)):
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            raise ValueError(f"{where}: {what} tensor {min(names)}{more}")


def _check_shape(where: str, name: str, given: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(given) != expected:
        raise ValueError(f"{where}: {name} has shape {tuple(given)}, config.json implies {expected}")


def _read_json(file: Path) -> dict[str, Any]:
    if not file.is_file():
        raise FileNotFoundError(f"{file}: no such file; a checkpoint directory holds {CONFIG} and {WEIGHTS}")
    try:
        raw = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as e:
        raise ValueError(f"{file}: not JSON: {e}") from None
    if not isinstance(raw, dict):
        raise ValueError(f"{file}: expected an object, got {type(raw).__name__}")
    return raw


def _read_tensors(path: Path) -> dict[str, jax.Array]:
    files = [path / WEIGHTS]
    if not files[0].is_file() and (path / INDEX).is_file():
        names = _read_json(path / INDEX).get("weight_map")
        if not isinstance(names, dict) or not all(isinstance(n, str) and Path(n).name == n for n in names.values()):
            raise ValueError(f"{path / INDEX}: weight_map must map tensors to plain file names")
        files = [path / name for name in sorted(set(names.values()))]
    out: dict[str, jax.Array] = {}
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"{file}: no such file; a checkpoint directory holds {CONFIG} and {WEIGHTS}")
        try:
            with safe_open(str(file), framework="flax") as f:
                out |= {name: f.get_tensor(name) for name in f.keys()}  # noqa: SIM118 - no iterator
        except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as e:
            raise ValueError(f"{file}: not a readable safetensors file: {e}") from None
    return out


def _sync(file: Path) -> None:
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
