"""Large checkpoints: shards, places, tensors one at a time; the same bytes as the library writes."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P
from safetensors.numpy import load_file, save_file
from tiny import CFG, PARAMS, random_params

from qpa.models import hf, load_hf, save_hf

LLAMA = dataclasses.replace(CFG, qk_norm=False, tie_embeddings=False)
MOE = dataclasses.replace(CFG, n_experts=4, experts_per_token=2, d_expert=16, norm_topk=False)


@pytest.fixture
def shards(tmp_path):
    save_hf(tmp_path / "m", PARAMS, CFG, max_shard_bytes=20_000)
    return tmp_path / "m"


def leaves(params):
    return {str(k): np.asarray(v) for k, v in jax.tree_util.tree_leaves_with_path(params)}


def assert_same(a, b):
    a, b = leaves(a), leaves(b)
    assert a.keys() == b.keys()
    for key in a:
        np.testing.assert_array_equal(a[key], b[key], err_msg=key)


def test_the_file_is_the_librarys(tmp_path):
    save_hf(tmp_path / "m", PARAMS, CFG, store_dtype="bfloat16")
    ours = tmp_path / "m/model.safetensors"
    save_file(load_file(ours), tmp_path / "theirs", metadata={"format": "pt"})
    assert ours.read_bytes() == (tmp_path / "theirs").read_bytes()


@pytest.mark.parametrize("cfg", [LLAMA, MOE], ids=["llama", "moe"])
def test_round_trip_of_other_shapes(tmp_path, cfg):
    params = random_params(cfg)
    save_hf(tmp_path / "m", params, cfg, max_shard_bytes=9_000)
    _, loaded, got = load_hf(tmp_path / "m")
    assert got == cfg or (got == dataclasses.replace(cfg, experts_per_token=8, d_expert=768) and not cfg.n_experts)
    assert_same(loaded, params)


def test_shards_hold_what_the_index_says(shards):
    index = json.loads((shards / hf.INDEX).read_text())
    files = sorted(p.name for p in shards.glob("model-*"))
    count = len(files)
    assert count > 2 and files == [f"model-{i + 1:05d}-of-{count:05d}.safetensors" for i in range(count)]
    held = {name: load_file(shards / name) for name in files}
    assert index["weight_map"] == {tensor: name for name in files for tensor in held[name]}
    sizes = {name: sum(x.nbytes for x in held[name].values()) for name in files}
    assert max(sizes.values()) <= 20_000 and index["metadata"]["total_size"] == sum(sizes.values())
    assert_same(load_hf(shards)[1], PARAMS)
    save_hf(shards, PARAMS, CFG)  # replaced by a single file, and back
    assert sorted(p.name for p in shards.iterdir()) == ["config.json", "model.safetensors"]
    save_hf(shards, PARAMS, CFG, max_shard_bytes=1)
    assert_same(load_hf(shards)[1], PARAMS)


def test_bad_shards(shards):
    first = shards / json.loads((shards / hf.INDEX).read_text())["weight_map"]["model.norm.weight"]
    whole = first.read_bytes()
    first.write_bytes(whole[:-4])
    with pytest.raises(ValueError, match=rf"{first.name}: not a readable safetensors file"):
        load_hf(shards)
    tensors = load_file(first) if first.write_bytes(whole) else {}
    save_file(tensors | {"junk": np.ones(2, np.float32)}, first)
    with pytest.raises(ValueError, match=rf"{first.name}: has an extra tensor junk"):
        load_hf(shards)
    save_file({k: v for k, v in tensors.items() if k != "model.norm.weight"}, first)
    with pytest.raises(ValueError, match=rf"{first.name}: lacks tensor model\.norm\.weight"):
        load_hf(shards)
    first.unlink()
    with pytest.raises(FileNotFoundError, match=rf"{first.name}: no such file, but {hf.INDEX} names it"):
        load_hf(shards)


def test_experts_are_checked_one_by_one(tmp_path):
    save_hf(tmp_path / "m", random_params(MOE), MOE)
    file = tmp_path / "m/model.safetensors"
    tensors = load_file(file)
    name = "model.layers.1.mlp.experts.3.up_proj.weight"
    assert tensors[name].shape == (16, 32)
    save_file({k: v for k, v in tensors.items() if k != name}, file)
    with pytest.raises(ValueError, match=r"lacks tensor model\.layers\.1\.mlp\.experts\.3\.up_proj\.weight"):
        load_hf(tmp_path / "m")
    save_file(tensors | {name: tensors[name].T.copy()}, file)
    with pytest.raises(ValueError, match=r"experts\.3\.up_proj\.weight has shape \(32, 16\)"):
        load_hf(tmp_path / "m")
    save_file({k: v for k, v in tensors.items() if ".experts.3." not in k}, file)
    with pytest.raises(ValueError, match="says 4 experts, the weights hold 3"):
        load_hf(tmp_path / "m")


def test_what_no_family_stores_is_refused(tmp_path):
    for cfg, match in (
        (dataclasses.replace(MOE, qk_norm=False), "experts without QK-norm"),
        (dataclasses.replace(LLAMA, n_heads=6, d_model=32), "divisible by n_heads"),
    ):
        with pytest.raises(ValueError, match=match):
            save_hf(tmp_path / "m", random_params(cfg), cfg)
    with pytest.raises(ValueError, match="max_shard_bytes must be positive"):
        save_hf(tmp_path / "m", PARAMS, CFG, max_shard_bytes=0)
    assert not list(tmp_path.iterdir())


def test_dtype_is_kept_or_cast(tmp_path):
    save_hf(tmp_path / "m", PARAMS, CFG, store_dtype="bfloat16")
    kept = load_hf(tmp_path / "m", dtype=None)[1]
    assert {x.dtype for x in jax.tree.leaves(kept)} == {jnp.dtype("bfloat16")}
    assert_same(kept, jax.tree.map(lambda x: x.astype(jnp.bfloat16), PARAMS))
    save_hf(tmp_path / "big", jax.tree.map(lambda x: x * 1e9, PARAMS), CFG)
    with pytest.raises(ValueError, match=r"model\.\S+ is not finite as float16"):
        load_hf(tmp_path / "big", dtype=jnp.float16)


def test_tensors_are_placed_one_by_one(shards):
    mesh = jax.make_mesh((1,), ("x",))
    seen = []

    def place(path, host):
        seen.append(path)
        return jax.device_put(host, jax.NamedSharding(mesh, P("x") if host.ndim == 2 else P()))

    params = load_hf(shards, place=place)[1]
    assert ("layers", 1, "mlp", "up_proj", "kernel") in seen and len(seen) == len(jax.tree.leaves(PARAMS))
    assert params["embed_tokens"][...].sharding.spec == P("x")
    assert_same(params, PARAMS)


MEASURE = """
import sys
import jax
from qpa.models.hf import load_hf, save_hf

def memory(field):  # not ru_maxrss: a child begins with its parent's
    status = dict(line.split(":") for line in open("/proc/self/status"))
    return int(status[field].split()[0]) * 1024

jax.block_until_ready(jax.device_put(0.0))
idle = memory("VmRSS")  # not the peak so far: imports may have had more
_, params, cfg = load_hf(sys.argv[1])
size = sum(x.nbytes for x in jax.tree.leaves(params))
loaded = (memory("VmHWM") - idle) / size
save_hf(sys.argv[2], params, cfg, max_shard_bytes=40_000_000)
print(size, loaded, (memory("VmHWM") - idle) / size)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the memory of a process there")
def test_loading_and_saving_need_little_more_memory_than_the_model(tmp_path):
    cfg = dataclasses.replace(CFG, vocab_size=8192, d_model=512, n_layers=6, n_heads=8, head_dim=64, d_ff=2048)
    save_hf(tmp_path / "m", random_params(cfg), cfg)
    script = [sys.executable, "-c", MEASURE, tmp_path / "m", tmp_path / "copy"]
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(script, cwd=root, env=os.environ | {"PYTHONPATH": "."}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    size, loaded, saved = map(float, done.stdout.split())
    assert size > 100e6 and 0.9 < loaded < 1.3 and saved < 1.3
