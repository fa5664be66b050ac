"""Checkpoints: round trips, the published names and orientation, and one clear line for every bad file."""

from __future__ import annotations

import dataclasses
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tiny import CFG, GRAPHDEF, PARAMS, full_logits, planner

from qpa.models import hf, load_hf, save_hf
from qpa.models.transformer import create


@pytest.fixture
def saved(tmp_path):
    save_hf(tmp_path / "m", PARAMS, CFG)
    return tmp_path / "m"


def edit(path, change):
    tensors = load_file(path / "model.safetensors")
    change(tensors)
    save_file(tensors, path / "model.safetensors")


def edit_config(path, **changes):
    raw = json.loads((path / "config.json").read_text()) | changes
    (path / "config.json").write_text(json.dumps({k: v for k, v in raw.items() if v != "absent"}))


def assert_equal(a, b, **tolerance):
    assert jax.tree.structure(a) == jax.tree.structure(b)
    jax.tree.map(lambda x, y: np.testing.assert_allclose(x, y, **tolerance), a, b)


def test_round_trip_is_exact(saved):
    graphdef, params, cfg = load_hf(saved)
    assert cfg == CFG and graphdef == GRAPHDEF
    assert_equal(params, PARAMS, rtol=0)
    ids = [5, 9, 33, 7]
    np.testing.assert_array_equal(full_logits(params, ids), full_logits(PARAMS, ids))


def test_names_and_orientation_are_qwen3s(saved):
    tensors = load_file(saved / "model.safetensors")
    layer = ["input_layernorm", "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]
    layer += [f"self_attn.{n}" for n in ("q_proj", "k_proj", "v_proj", "o_proj", "q_norm", "k_norm")]
    expected = {f"model.layers.{i}.{n}.weight" for i in range(2) for n in layer}
    assert set(tensors) == expected | {"model.embed_tokens.weight", "model.norm.weight"}
    assert tensors["model.layers.1.self_attn.k_proj.weight"].shape == (16, 32)  # (out, in)
    kernel = PARAMS["layers"][1]["self_attn"]["k_proj"]["kernel"].get_value()
    np.testing.assert_array_equal(tensors["model.layers.1.self_attn.k_proj.weight"], kernel.T)
    raw = json.loads((saved / "config.json").read_text())
    assert raw["architectures"] == ["Qwen3ForCausalLM"] and raw["intermediate_size"] == 64 and raw["head_dim"] == 8


@pytest.mark.parametrize(("store", "tolerance"), [("bfloat16", 2**-8), ("float16", 2**-11)])
def test_half_precision_storage_comes_back_as_float32(tmp_path, store, tolerance):
    save_hf(tmp_path / "m", PARAMS, CFG, store_dtype=store)
    _, params, _ = load_hf(tmp_path / "m")
    assert all(x.dtype == jnp.float32 for x in jax.tree.leaves(params))
    assert_equal(params, PARAMS, rtol=tolerance, atol=1e-6)
    assert (tmp_path / "m/model.safetensors").stat().st_size < 0.7 * 4 * sum(x.size for x in jax.tree.leaves(PARAMS))
    _, params, _ = load_hf(tmp_path / "m", dtype=jnp.bfloat16)
    assert all(x.dtype == jnp.bfloat16 for x in jax.tree.leaves(params))


def test_an_untied_head_is_stored(tmp_path):
    cfg = dataclasses.replace(CFG, tie_embeddings=False)
    _, params = create(cfg, 3)
    save_hf(tmp_path / "m", params, cfg)
    assert load_file(tmp_path / "m/model.safetensors")["lm_head.weight"].shape == (64, 32)
    _, loaded, got = load_hf(tmp_path / "m")
    assert got == cfg
    assert_equal(loaded, params, rtol=0)


def test_a_sharded_checkpoint_and_a_repeated_tied_head_are_read(saved):
    tensors = load_file(saved / "model.safetensors")
    tensors["lm_head.weight"] = tensors["model.embed_tokens.weight"]
    names = sorted(tensors)
    files = {"model-1.safetensors": names[:9], "model-2.safetensors": names[9:]}
    for file, part in files.items():
        save_file({n: tensors[n] for n in part}, saved / file)
    (saved / "model.safetensors").unlink()
    index = {n: file for file, part in files.items() for n in part}
    (saved / hf.INDEX).write_text(json.dumps({"weight_map": index}))
    assert_equal(load_hf(saved)[1], PARAMS, rtol=0)
    (saved / hf.INDEX).write_text(json.dumps({"weight_map": {"a": "../secret"}}))
    with pytest.raises(ValueError, match="plain file names"):
        load_hf(saved)


BAD_WEIGHTS = {
    "missing": (lambda t: t.pop("model.norm.weight"), r"lacks tensor model\.norm\.weight"),
    "extra": (lambda t: t.update(junk=np.zeros(2, np.float32)), "has an extra tensor junk"),
    "renamed": (lambda t: t.update(x=t.pop("model.norm.weight")), "lacks tensor"),
    "shape": (
        lambda t: t.update({"model.norm.weight": np.ones(31, np.float32)}),
        r"model\.norm\.weight has shape \(31,\), the configuration implies \(32,\)",
    ),
    "transposed": (
        lambda t: t.update({n: t[n].T.copy() for n in t if n.endswith("up_proj.weight")}),
        r"up_proj\.weight has shape \(32, 64\)",
    ),
    "integers": (lambda t: t.update({"model.norm.weight": np.ones(32, np.int32)}), "I32, not a float"),
    "nan": (lambda t: t["model.norm.weight"].fill(np.nan), "NaN or infinity"),
    "layer": (lambda t: [t.pop(n) for n in list(t) if ".layers.1." in n], "says 2 layers, the weights hold 1"),
    "head": (lambda t: t.update({"lm_head.weight": np.ones((64, 32), np.float32)}), "differs from the embedding"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights(saved, case):
    change, match = BAD_WEIGHTS[case]
    edit(saved, change)
    with pytest.raises(ValueError, match=match) as e:
        load_hf(saved)
    assert str(saved) in str(e.value) and "\n" not in str(e.value)


@pytest.mark.parametrize("keep", [0, 4, 100, -1])
def test_truncated_weights(saved, keep):
    file = saved / "model.safetensors"
    file.write_bytes(file.read_bytes()[:keep])
    with pytest.raises(ValueError, match=r"model\.safetensors: not a readable safetensors file") as e:
        load_hf(saved)
    assert "\n" not in str(e.value)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"model_type": "llama"}, "not a Qwen3ForCausalLM"),
        ({"architectures": None}, "not a Qwen3ForCausalLM"),
        ({"hidden_size": "absent"}, "hidden_size must be a positive int, got None"),
        ({"hidden_size": "32"}, "hidden_size must be a positive int, got '32'"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be"),
        ({"num_hidden_layers": 10**9}, "says 1000000000 layers"),
        ({"head_dim": 7}, "even head_dim"),
        ({"num_key_value_heads": 3}, "divisible"),
        ({"rope_theta": -1.0}, "rope_theta must be a positive float"),
        ({"rope_scaling": {"rope_type": "dynamic", "factor": 4}}, "rotary scaling 'dynamic' changes with the length"),
        ({"rope_scaling": {"rope_type": "longrope", "factor": 4}}, "rotary scaling .*kind is 'longrope'"),
        ({"rope_scaling": {"rope_type": "linear"}}, "rotary scaling needs factor to be a float, got None"),
        ({"rope_scaling": {"type": "linear", "factor": 0}}, "rotary scaling .*factor must be positive"),
        ({"rope_scaling": {"type": "linear", "factor": 2, "partial_rotary_factor": 0.5}}, "a part of each head"),
        ({"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"]}, "num_experts must be a positive int"),
        ({"attention_bias": True}, "attention_bias=True is not supported"),
        ({"hidden_act": "gelu"}, "hidden_act='gelu' is not supported"),
        ({"hidden_size": 64}, "the configuration implies"),
    ],
)
def test_bad_configurations(saved, changes, match):
    edit_config(saved, **changes)
    with pytest.raises(ValueError, match=match) as e:
        load_hf(saved)
    assert "\n" not in str(e.value)


def test_newer_configurations_nest_rope_theta(saved):
    edit_config(saved, rope_theta="absent", rope_parameters={"rope_type": "default", "rope_theta": 5e6})
    assert load_hf(saved)[2].rope_theta == 5e6


def test_missing_and_unreadable_files(saved, tmp_path):
    for path in (tmp_path / "nowhere", saved):
        with pytest.raises(FileNotFoundError, match="no such file"):
            (saved / "model.safetensors").unlink(missing_ok=True)
            load_hf(path)
    for text in ("{", "[]", "[" * 100_000):
        (saved / "config.json").write_text(text)
        with pytest.raises(ValueError, match=r"config\.json: "):
            load_hf(saved)


def test_saving_is_atomic_and_replaces_only_checkpoints(saved, monkeypatch):
    other = planner(seed=1)[1]

    def dies(*args, **kwargs):
        raise OSError("disk full")

    with monkeypatch.context() as m:
        m.setattr(hf, "write_tensors", dies)
        with pytest.raises(OSError, match="disk full"):
            save_hf(saved, other, CFG)
    assert_equal(load_hf(saved)[1], PARAMS, rtol=0)
    save_hf(saved, other, CFG)
    assert_equal(load_hf(saved)[1], other, rtol=0)
    assert [p.name for p in saved.parent.iterdir()] == ["m"]
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match=r"holds notes\.txt, so it is not replaced"):
        save_hf(saved, PARAMS, CFG)


def test_what_cannot_be_stored_is_refused(tmp_path):
    large = jax.tree.map(lambda x: x * 1e9, PARAMS)
    with pytest.raises(ValueError, match="not finite as float16"):
        save_hf(tmp_path / "m", large, CFG, store_dtype="float16")
    with pytest.raises(ValueError, match="store_dtype is 'int8'"):
        save_hf(tmp_path / "m", PARAMS, CFG, store_dtype="int8")
    with pytest.raises(ValueError, match="has shape"):
        save_hf(tmp_path / "m", PARAMS, dataclasses.replace(CFG, d_ff=32))
    with pytest.raises(ValueError, match="has an extra tensor"):
        save_hf(tmp_path / "m", PARAMS, dataclasses.replace(CFG, n_layers=1))
    assert not (tmp_path / "m").exists()
