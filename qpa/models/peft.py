"""Adapters in PEFT's layout: `adapter_config.json` and `adapter_model.safetensors`.

PEFT stores A as [r, in] and B as [out, r]; here A is [in, r] and B [r, out]. Rows of trainable tokens are stored as
they are: what PEFT calls their delta are their values. Nothing in a file is trusted: settings,
names, shapes and dtypes are checked against the model that the adapter is for.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx
from safetensors import SafetensorError, safe_open
from safetensors.flax import save_file

from qpa.chat.files import read_object
from qpa.config import LoraConfig
from qpa.models.lora import ATTENTION, MLP, ROWS, lora_shapes
from qpa.models.tensor_files import check_names, replaced, require
from qpa.models.transformer import flat_state

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"
_OWN = r"adapter_(config\.json|model\.safetensors)"
_HOLDS = f"an adapter directory holds {CONFIG} and {WEIGHTS}"
_PREFIX = "base_model.model.model."  # PEFT's wrapper, its inner model, and the causal model's own `model`
_NAMES = {"lora_a": "lora_A.weight", "lora_b": "lora_B.weight"}
_ROWS = f"{_PREFIX}embed_tokens.token_adapter.trainable_tokens_delta"
_TOKENS = "trainable_token_indices"
_OFF = (  # settings of PEFT that change what is computed; here they must be off
    "alora_invocation_tokens",
    "alpha_pattern",
    "arrow_config",
    "fan_in_fan_out",
    "kasa_config",
    "layer_replication",
    "layers_to_transform",
    "lora_bias",
    "modules_to_save",
    "monteclora_config",
    "rank_pattern",
    "target_parameters",
    "use_bdlora",
    "use_dora",
    "use_qalora",
    "velora_config",
)
_CHANGE_BASE = ("corda", "loftq", "lora_ga", "olora", "pissa")  # initialisations that move a part of W into A B


def save_adapter(path: str | os.PathLike[str], adapter: nnx.State, lora: LoraConfig, *, base: str = "") -> None:
    """Writes an adapter directory, whole or not at all; an earlier adapter at `path` is replaced.

    Args:
      path: the directory. adapter, lora: as given to and by `add_lora`; `base`: the base model's name or path.

    Raises:
      ValueError: the adapter does not fit `lora` or is not finite, or `path` holds files of another kind.
    """
    path = Path(path)
    tensors, modules = {}, set()
    for keys, leaf in flat_state(adapter).items():
        value = _turned(keys, jnp.asarray(jax.device_get(leaf[...])))
        size, what = (len(lora.trainable_tokens), "rows") if keys == ROWS else (lora.rank, "rank")
        if size not in value.shape or not bool(jnp.isfinite(value).all()):
            raise ValueError(f"adapter: {_name(keys)} is not finite, or not of {what} {size}: {value.shape}")
        tensors[_name(keys)] = value
        modules |= {keys[-2]} - {ROWS[0]}
    if modules != set(lora.modules):
        raise ValueError(f"adapter: it is on {sorted(modules)}, lora.modules says {sorted(lora.modules)}")
    with replaced(path, _OWN) as folder:
        (folder / CONFIG).write_text(json.dumps(peft_config(lora, base), indent=2) + "\n", encoding="utf-8")
        save_file(tensors, str(folder / WEIGHTS), metadata={"format": "pt"})


def load_adapter(
    path: str | os.PathLike[str], graphdef: nnx.GraphDef, params: nnx.State
) -> tuple[LoraConfig, nnx.GraphDef, nnx.State]:
    """Reads an adapter directory, ours or PEFT's, for a base -> (lora, graphdef of the adapted model, adapter).

    Args:
      path: the directory. graphdef, params: the base, a split `Planner`.

    Raises:
      FileNotFoundError: no configuration or weights.
      ValueError: one line naming the file and what is wrong with it: unreadable, a setting that is not supported, or a
        missing, extra, misshapen, non-float or non-finite tensor.
    """
    path = Path(path)
    raw = read_config(path)
    tensors = _read_tensors(path / WEIGHTS)
    names = [name for name in tensors if name.startswith(_PREFIX) and name != _ROWS]
    found = {part for name in names for part in name.split(".")[-3:-2]}
    lora = _lora_config(raw, found, str(path / CONFIG))
    try:
        adapted, shapes = lora_shapes(graphdef, params, lora)
    except ValueError as e:
        raise ValueError(f"{path / CONFIG}: {e}") from None
    expected = {_name(keys): (keys, leaf) for keys, leaf in flat_state(shapes).items()}
    check_names(str(path / WEIGHTS), set(tensors), set(expected))
    flat = {}
    for name, (keys, leaf) in expected.items():
        value, shape = tensors[name], leaf.shape if keys == ROWS else leaf.shape[::-1]
        if value.shape != shape:
            size = f"{_TOKENS} of length {shape[0]}" if keys == ROWS else f"r={lora.rank}"
            raise ValueError(f"{path / WEIGHTS}: {name} has shape {value.shape}, {size} on this base has {shape}")
        if not jnp.issubdtype(value.dtype, jnp.floating) or not bool(jnp.isfinite(value).all()):
            raise ValueError(f"{path / WEIGHTS}: {name} is not of a float type, or holds NaN or infinity")
        flat[keys] = leaf.replace(_turned(keys, value).astype(jnp.float32))
    return lora, adapted, nnx.from_flat_state(flat)


def peft_config(lora: LoraConfig, base: str = "") -> dict[str, Any]:
    """The `adapter_config.json` of an adapter."""
    return {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base or None,
        "r": lora.rank,
        "lora_alpha": int(lora.alpha) if lora.alpha == int(lora.alpha) else lora.alpha,  # PEFT declares an int
        "use_rslora": lora.rslora,
        "target_modules": sorted(lora.modules),
        "bias": "none",
        "fan_in_fan_out": False,
        "inference_mode": True,
        "lora_dropout": 0.0,
    } | ({_TOKENS: list(lora.trainable_tokens)} if lora.trainable_tokens else {})


def read_config(path: Path) -> dict[str, Any]:
    """The raw configuration of an adapter directory. Raises like `load_adapter`."""
    return read_object(require(path / CONFIG, _HOLDS))


def _lora_config(raw: dict[str, Any], found: set[str], where: str) -> LoraConfig:
    """The settings of an adapter whose tensors are on the modules `found`."""
    if raw.get("peft_type") != "LORA":
        raise ValueError(f"{where}: peft_type is {raw.get('peft_type')!r}, only 'LORA' is supported")
    if raw.get("bias", "none") != "none":
        raise ValueError(f"{where}: bias={raw['bias']!r} is not supported; only 'none' is")
    for key in _OFF:
        if raw.get(key):
            raise ValueError(f"{where}: {key}={raw[key]!r} is not supported")
    init = raw.get("init_lora_weights")
    if isinstance(init, str) and init.startswith(_CHANGE_BASE):
        raise ValueError(f"{where}: init_lora_weights={init!r} changed the base's weights; convert it to plain LoRA")
    rank, alpha, rslora = raw.get("r"), raw.get("lora_alpha"), raw.get("use_rslora", False)
    if type(rank) is not int or not isinstance(alpha, (int, float)) or type(rslora) is not bool:
        kinds = "an integer, a number and a bool"
        raise ValueError(f"{where}: r, lora_alpha, use_rslora must be {kinds}, got {rank!r}, {alpha!r}, {rslora!r}")
    targets = raw.get("target_modules")
    if isinstance(targets, list):  # else a pattern: what it matched is seen from the tensors
        named = {str(t).rpartition(".")[2] for t in targets}
        if named != found:
            raise ValueError(f"{where}: target_modules are {sorted(named)}, the tensors are on {sorted(found)}")
    known = tuple(name for name in ATTENTION + MLP if name in found)
    modules = known + tuple(sorted(found - {*known}))
    return LoraConfig(rank, float(alpha), modules, rslora, trainable_tokens=_tokens(raw.get(_TOKENS), where))


def _tokens(raw: Any, where: str) -> tuple[int, ...]:
    """The ids of trainable tokens: PEFT takes a list, or one per embedding."""
    ids = raw["embed_tokens"] if isinstance(raw, dict) and list(raw) == ["embed_tokens"] else raw or []
    if not isinstance(ids, list) or not all(type(i) is int for i in ids):
        raise ValueError(f"{where}: {_TOKENS} must list ids of embed_tokens, got {str(raw)[:80]}")
    return tuple(ids)


def _name(keys: tuple[Any, ...]) -> str:
    """("layers", 0, "mlp", "up_proj", "lora_a") -> "base_model.model.model.layers.0.mlp.up_proj.lora_A.weight"."""
    return _ROWS if keys == ROWS else _PREFIX + ".".join([*map(str, keys[:-1]), _NAMES[keys[-1]]])


def _turned(keys: tuple[Any, ...], value: jax.Array) -> jax.Array:
    """From our layout to PEFT's, or back."""
    return value if keys == ROWS else value.T


def _read_tensors(file: Path) -> dict[str, jax.Array]:
    require(file, _HOLDS)
    try:
        with safe_open(str(file), framework="flax") as f:
            return {name: f.get_tensor(name) for name in f.keys()}  # noqa: SIM118 - no iterator
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError) as e:
        raise ValueError(f"{file}: not a readable safetensors file: {e}") from None
