"""`config.json` of Hugging Face's Qwen3, Qwen3-MoE and Llama models <-> `ModelConfig`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from qpa.config import ModelConfig, RopeScaling
from qpa.models.rope import check_scaling, yarn_magnitude

CONFIG = "config.json"
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
_EXPERT_FIELDS = {
    "n_experts": "num_experts",
    "experts_per_token": "num_experts_per_tok",
    "d_expert": "moe_intermediate_size",
    "norm_topk": "norm_topk_prob",
}
_ONLY: dict[str, Any] = {  # what else a configuration may ask for, and the one answer that is computed here
    "attention_bias": False,
    "mlp_bias": False,
    "use_sliding_window": False,
    "hidden_act": "silu",
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
}
_FAMILIES = {"qwen3": "Qwen3ForCausalLM", "qwen3_moe": "Qwen3MoeForCausalLM", "llama": "LlamaForCausalLM"}
_MAX_POSITIONS = 32_768  # informational: rotary positions have no table here


def hf_config(cfg: ModelConfig, store_dtype: str = "float32") -> dict[str, Any]:
    """The `config.json` of a model with this shape. Raises ValueError for a shape that no family there has."""
    if cfg.n_experts and not cfg.qk_norm:
        raise ValueError("hf: no published family has experts without QK-norm, so this shape cannot be exported")
    family = "qwen3_moe" if cfg.n_experts else "qwen3" if cfg.qk_norm else "llama"
    if family == "llama" and cfg.d_model % cfg.n_heads:
        raise ValueError(f"hf: a Llama's d_model must be divisible by n_heads, got {cfg.d_model} and {cfg.n_heads}")
    out: dict[str, Any] = {
        "architectures": [_FAMILIES[family]],
        "model_type": family,
        "attention_bias": False,
        "hidden_act": "silu",
        "max_position_embeddings": _MAX_POSITIONS,
        "rope_scaling": _rope_out(cfg.rope_scaling),
        "torch_dtype": store_dtype,
    }
    if family == "llama":
        out["mlp_bias"] = False
    else:
        out["use_sliding_window"] = False
    fields = _FIELDS | (_EXPERT_FIELDS if cfg.n_experts else {})
    if cfg.n_experts:
        out |= {"decoder_sparse_step": 1, "mlp_only_layers": []}
    return out | {theirs: getattr(cfg, ours) for ours, theirs in fields.items()}


def model_config(raw: Mapping[str, Any], where: str = CONFIG) -> ModelConfig:
    """The shape described by a `config.json`.

    Raises:
      ValueError: a field is missing or wrong, or asks for something this model does not compute.
    """
    family, classes = str(raw.get("model_type")), raw.get("architectures")
    if not isinstance(classes, list) or _FAMILIES.get(family) not in classes:
        raise ValueError(f"{where}: not a {' or '.join(_FAMILIES.values())} ({family}, {classes})")
    for field, only in _ONLY.items():
        if (raw.get(field) if raw.get(field) is not None else only) != only:
            raise ValueError(f"{where}: {field}={raw[field]!r} is not supported; only {only!r} is")
    rope = raw.get("rope_parameters") or raw.get("rope_scaling") or {}
    if not isinstance(rope, dict):
        raise ValueError(f"{where}: rotary scaling must be an object, got {rope!r}")
    values = dict(raw) | ({"rope_theta": rope["rope_theta"]} if "rope_theta" in rope else {})
    values.setdefault("tie_word_embeddings", False)
    fields = dict(_FIELDS)
    if family == "llama":
        _llama_defaults(values)
    if family == "qwen3_moe":
        values.setdefault("num_experts", values.get("num_local_experts"))  # both names are in use
        values.setdefault("norm_topk_prob", False)
        fields |= _EXPERT_FIELDS
    out = {ours: _value(values, ours, theirs, where) for ours, theirs in fields.items()}
    scaling = _rope_in(rope, values, where)
    cfg = ModelConfig(**out, qk_norm=family != "llama", rope_scaling=scaling)
    if cfg.n_heads % cfg.n_kv_heads or cfg.head_dim % 2:
        raise ValueError(f"{where}: needs num_attention_heads divisible by num_key_value_heads and an even head_dim")
    if cfg.n_experts and cfg.experts_per_token > cfg.n_experts:
        raise ValueError(f"{where}: num_experts_per_tok exceeds num_experts")
    return cfg


def _value(values: Mapping[str, Any], ours: str, theirs: str, where: str) -> Any:
    kind, value = type(getattr(ModelConfig(), ours)), values.get(theirs)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if type(value) is not kind or (kind is not bool and not 0 < value < 1e12):  # type: ignore[operator]
        raise ValueError(f"{where}: {theirs} must be a positive {kind.__name__}, got {value!r}")
    return value


def _llama_defaults(values: dict[str, Any]) -> None:
    """What older Llama configurations leave out."""
    heads, width = values.get("num_attention_heads"), values.get("hidden_size")
    if values.get("num_key_value_heads") is None:
        values["num_key_value_heads"] = heads
    if values.get("head_dim") is None and isinstance(heads, int) and isinstance(width, int) and heads > 0:
        values["head_dim"] = width // heads


def _rope_out(scaling: RopeScaling) -> dict[str, Any] | None:
    if scaling.kind == "none":
        return None
    out: dict[str, Any] = {"rope_type": scaling.kind, "factor": scaling.factor}
    if scaling.kind != "linear":
        out["original_max_position_embeddings"] = scaling.original_length
    if scaling.kind == "llama3":
        out |= {"low_freq_factor": scaling.low_freq_factor, "high_freq_factor": scaling.high_freq_factor}
    if scaling.kind == "yarn":
        out |= {"beta_fast": scaling.beta_fast, "beta_slow": scaling.beta_slow, "truncate": scaling.truncate}
        if scaling.attention_factor:
            out["attention_factor"] = scaling.attention_factor
    return out


def _rope_in(rope: Mapping[str, Any], raw: Mapping[str, Any], where: str) -> RopeScaling:
    kind = rope.get("rope_type", rope.get("type", "default"))
    if kind == "default":
        kind = "none"
    if kind == "dynamic":
        raise ValueError(f"{where}: rotary scaling 'dynamic' changes with the length, so cached keys would be wrong")
    if rope.get("partial_rotary_factor", raw.get("partial_rotary_factor")) not in (None, 1, 1.0):
        raise ValueError(f"{where}: rotary scaling {dict(rope)} is not supported: it rotates a part of each head")
    scaling = RopeScaling(kind=str(kind))
    if kind != "none":
        theirs = {"original_length": "original_max_position_embeddings"}
        given = dict(rope)
        if given.get("original_max_position_embeddings") is None:
            given["original_max_position_embeddings"] = raw.get("max_position_embeddings")
        if kind == "yarn":
            _yarn_defaults(given, raw)
        for field in _KIND_FIELDS.get(str(kind), ()):
            name = theirs.get(field, field)
            value, type_ = given.get(name), type(getattr(scaling, field))
            if value is None and (field in _OPTIONAL):
                continue
            if type_ is float and isinstance(value, int) and not isinstance(value, bool):
                value = float(value)
            if type(value) is not type_:
                raise ValueError(f"{where}: rotary scaling needs {name} to be a {type_.__name__}, got {value!r}")
            setattr(scaling, field, value)
    try:
        check_scaling(scaling)
    except ValueError as e:
        raise ValueError(f"{where}: rotary scaling {dict(rope)} is not supported: {e}") from None
    return scaling


_KIND_FIELDS = {
    "linear": ("factor",),
    "llama3": ("factor", "original_length", "low_freq_factor", "high_freq_factor"),
    "yarn": ("factor", "original_length", "beta_fast", "beta_slow", "attention_factor", "truncate"),
}
_OPTIONAL = ("beta_fast", "beta_slow", "attention_factor", "truncate")


def _yarn_defaults(given: dict[str, Any], raw: Mapping[str, Any]) -> None:
    """Fills in what YaRN checkpoints leave to be derived, as transformers does."""
    length, original = raw.get("max_position_embeddings"), given.get("original_max_position_embeddings")
    if given.get("factor") is None and isinstance(length, int) and isinstance(original, int) and original > 0:
        given["factor"] = length / original
    weights = given.get("mscale"), given.get("mscale_all_dim")
    if given.get("attention_factor") is None and all(isinstance(w, (int, float)) and w for w in weights):
        factor = given.get("factor")
        if isinstance(factor, (int, float)) and math.isfinite(factor):
            top, bottom = (yarn_magnitude(factor, w) for w in weights)  # type: ignore[arg-type]
            given["attention_factor"] = top / bottom
