"""LoRA from the command line's side: a trained adapter is exported twice, and every way to name it gives one model."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest
import shrunk

from launch.context import settings
from launch.planner import Weights, adapter_dir, load_weights, save_trained
from qpa.config import LoraConfig, MeshConfig
from qpa.models import load_adapter
from qpa.train.data import Batches
from qpa.train.mesh import make_mesh
from qpa.train.packing import Example
from qpa.train.sft import run_sft


@pytest.fixture(scope="module")
def trained(base, tmp_path_factory):
    """A run directory with an SFT stage of two updates on a LoRA adapter, exported: (directory, base, lora)."""
    run = tmp_path_factory.mktemp("lora") / "run"
    cfg = shrunk.get_config()
    cfg.base, cfg.sft.lora = str(base), LoraConfig(rank=2, modules=("q_proj", "down_proj"))
    cfg.sft.data.sequence_length = 32
    weights = load_weights(base, cfg.model)
    ids = np.random.default_rng(0).integers(4, 1024, (9, 20)).astype(np.int32)
    batches = Batches([Example(row, np.ones(20, bool)) for row in ids], cfg.sft.data, seed=0)
    mesh = make_mesh(MeshConfig(data=1), jax.devices()[:1])
    state = run_sft(weights.graphdef, weights.params, batches, cfg.sft, mesh=mesh, run_dir=run / "sft")
    (run / "config.json").write_text(json.dumps(settings(cfg)))
    digest = save_trained(run / "models" / "sft", weights, state.params, cfg.sft.lora)
    assert digest == load_weights(run / "models" / "sft").digest != weights.digest
    return run, weights, cfg.sft.lora


def assert_same(a: Weights, b: Weights) -> None:
    jax.tree.map(np.testing.assert_array_equal, a.params, b.params)
    assert a.digest == b.digest and a.tokenizer.vocab_size == b.tokenizer.vocab_size


def test_export_adapter_and_training_folder_are_one_model(trained):
    run, weights, lora = trained
    merged = load_weights(run / "models" / "sft")
    changed = jax.tree.map(lambda a, b: bool((a != b).any()), weights.params, merged.params)
    assert sum(jax.tree.leaves(changed)) == 2  # one layer, two modules
    adapter = adapter_dir(run / "models" / "sft")
    assert load_adapter(adapter, weights.graphdef, weights.params)[0] == lora
    assert_same(load_weights(adapter), merged)
    assert_same(load_weights(run / "sft"), merged)
    assert load_weights(adapter).source == str(adapter)  # an adapter trained on it would name it as its base


def test_a_training_folder_whose_base_is_gone_or_an_adapter_without_one_is_refused(trained, tmp_path):
    run, weights, _ = trained
    file = adapter_dir(run / "models" / "sft") / "adapter_config.json"
    raw, config = json.loads(file.read_bytes()), json.loads((run / "config.json").read_bytes())
    assert raw["base_model_name_or_path"] == config["base"]
    other = jax.tree.map(lambda x: x + 1, weights.params)
    save_trained(tmp_path / "other", weights, other, LoraConfig())
    try:
        file.write_text(json.dumps(raw | {"base_model_name_or_path": str(file.parent)}))
        with pytest.raises(ValueError, match=r"adapter_config\.json: base_model_name_or_path must name another"):
            load_weights(file.parent)
        (run / "config.json").write_text(json.dumps(config | {"base": str(tmp_path / "other")}))
        with pytest.raises(ValueError, match=f"its adapter belongs to weights {weights.digest}, which are neither"):
            load_weights(run / "sft")
    finally:
        file.write_text(json.dumps(raw))
        (run / "config.json").write_text(json.dumps(config))
