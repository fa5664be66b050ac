"""LoRA against PEFT itself: logits, gradients, merged weights, files read by each other; one line for bad files."""

from __future__ import annotations

import dataclasses
import json
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from safetensors.numpy import load_file, save_file
from tiny import CFG, GRAPHDEF, PARAMS

from qpa.config import LoraConfig
from qpa.models import load_adapter, load_hf, save_adapter, save_hf
from qpa.models.lora import add_lora, lora_scale, merge
from qpa.models.transformer import Planner, create, flat_state

LORA = LoraConfig(rank=4, alpha=12.0, modules=("q_proj", "v_proj", "o_proj", "up_proj", "down_proj"))
IDS = np.random.default_rng(0).integers(4, 64, (2, 10)).astype(np.int32)
AT, ONES = np.broadcast_to(np.arange(10, dtype=np.int32), IDS.shape), np.ones_like(IDS)


def randomised(adapter, seed=1):
    rng = np.random.default_rng(seed)
    return jax.tree.map(lambda x: jnp.asarray(rng.normal(size=x.shape).astype(np.float32) * 0.3), adapter)


@pytest.fixture(scope="module", autouse=True)
def cheap_compilation():
    """Compiles fast rather than well; the programs run for milliseconds."""
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


ADAPTED, FRESH = add_lora(GRAPHDEF, PARAMS, LORA)
ADAPTER = randomised(FRESH)


@jax.jit
def base_logits(params):
    return nnx.merge(GRAPHDEF, params)(IDS, AT, ONES)


def with_grads(adapted, adapter, params):
    """((mean negative log-likelihood of the next token, logits), gradient with respect to the adapter)."""

    def loss(adapter, params):
        logits = nnx.merge(adapted, adapter, params)(IDS, AT, ONES)
        log_probs = jax.nn.log_softmax(logits[:, :-1])
        return -jnp.take_along_axis(log_probs, IDS[:, 1:, None], -1).mean(), logits

    return jax.jit(jax.value_and_grad(loss, has_aux=True))(adapter, params)


def adapted_logits(adapter):
    return with_grads(ADAPTED, adapter, PARAMS)[0][1]


def test_a_fresh_adapter_changes_nothing_and_is_drawn_as_pefts():
    np.testing.assert_array_equal(adapted_logits(FRESH), base_logits(PARAMS))
    flat = flat_state(FRESH)
    assert {keys[-2] for keys in flat} == set(LORA.modules) and len(flat) == 2 * 2 * len(LORA.modules)
    for keys, leaf in flat.items():
        value = np.asarray(leaf[...])
        if keys[-1] == "lora_b":
            assert not value.any()
        else:  # kaiming_uniform(a=sqrt(5)) of a matrix with fan-in n: uniform in +-1/sqrt(n)
            bound = value.shape[0] ** -0.5
            assert 0.9 * bound < np.abs(value).max() <= bound and abs(value.std() - bound / 3**0.5) < 0.15 * bound
    again, other = add_lora(GRAPHDEF, PARAMS, LORA)[1], add_lora(GRAPHDEF, PARAMS, LORA, seed=1)[1]
    jax.tree.map(np.testing.assert_array_equal, FRESH, again)
    assert any(not np.array_equal(a, b) for a, b in zip(jax.tree.leaves(FRESH), jax.tree.leaves(other)))


def test_merged_weights_give_the_adapted_models_logits_and_leave_the_rest_alone():
    merged = merge(PARAMS, ADAPTER, LORA)
    assert jax.tree.structure(merged) == jax.tree.structure(PARAMS)
    logits = adapted_logits(ADAPTER)
    np.testing.assert_allclose(base_logits(merged), logits, atol=2e-4)
    assert np.abs(logits - base_logits(PARAMS)).max() > 1
    before, after, low = flat_state(PARAMS), flat_state(merged), flat_state(ADAPTER)
    for keys in before:
        w = np.asarray(before[keys][...], np.float64)
        if (*keys[:-1], "lora_a") in low:
            a, b = (np.asarray(low[(*keys[:-1], n)][...], np.float64) for n in ("lora_a", "lora_b"))
            np.testing.assert_allclose(after[keys][...], w + 3.0 * a @ b, rtol=0, atol=2e-6)
        else:
            np.testing.assert_array_equal(after[keys][...], before[keys][...])


@pytest.mark.parametrize(
    ("changes", "modules"),
    [
        ({"qk_norm": False, "scan_layers": True, "remat": "full"}, LORA.modules),
        ({"n_experts": 4, "experts_per_token": 2, "d_expert": 16}, ("q_proj", "o_proj")),
    ],
)
def test_llama_and_expert_shapes_take_adapters_scanned_or_not(changes, modules):
    cfg, lora = dataclasses.replace(CFG, **changes), dataclasses.replace(LORA, modules=modules)
    graphdef, params = create(cfg)
    adapted, adapter = add_lora(graphdef, params, lora)
    adapter = randomised(adapter)
    merged = merge(params, adapter, lora)

    plain = jax.jit(lambda params: nnx.merge(graphdef, params)(IDS, AT, ONES))
    got = jax.jit(lambda *states: nnx.merge(adapted, *states)(IDS, AT, ONES))(adapter, params)
    np.testing.assert_allclose(got, plain(merged), atol=1e-4)
    assert np.abs(got - plain(params)).max() > 0.01


def test_experts_take_no_adapter():
    cfg = dataclasses.replace(CFG, n_experts=4, experts_per_token=2, d_expert=16)
    graphdef, params = nnx.split(nnx.eval_shape(lambda: Planner(cfg, rngs=nnx.Rngs(0))), nnx.Param)
    with pytest.raises(ValueError, match="up_proj belongs to experts, which take no adapter"):
        add_lora(graphdef, params, LORA)


def test_rslora_scales_by_the_root_of_the_rank():
    assert lora_scale(LoraConfig(rank=16, alpha=8.0)) == 0.5
    assert lora_scale(LoraConfig(rank=16, alpha=8.0, rslora=True)) == 2.0


# --- PEFT ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def torch():
    pytest.importorskip("peft", reason="the reference implementation is not installed")
    return pytest.importorskip("torch")


@pytest.fixture(scope="module")
def base(torch, tmp_path_factory):
    """A random Qwen3 written by transformers, and the same read by us: (directory, graphdef, params)."""
    import transformers

    torch.manual_seed(0)
    config = transformers.Qwen3Config(
        vocab_size=64, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
        intermediate_size=64, tie_word_embeddings=True, rope_theta=10_000.0, initializer_range=0.2,
    )  # fmt: skip
    folder = tmp_path_factory.mktemp("peft") / "base"
    transformers.Qwen3ForCausalLM(config).float().save_pretrained(folder)
    graphdef, params, cfg = load_hf(folder)
    assert (cfg.d_model, cfg.vocab_size) == (CFG.d_model, CFG.vocab_size)
    return folder, graphdef, params


def theirs(folder):
    import transformers

    return transformers.AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()


def run(torch, model):
    with torch.no_grad():
        return model(torch.tensor(IDS, dtype=torch.long)).logits.numpy()


def gradients_of(torch, model, logits, value):
    """PEFT's gradients by name, once its logits and loss are seen to be ours."""
    ids = torch.tensor(IDS, dtype=torch.long)
    out = model(ids, labels=ids)
    np.testing.assert_allclose(logits, out.logits.detach().numpy(), atol=1e-4)
    np.testing.assert_allclose(value, out.loss.item(), rtol=1e-5)
    out.loss.backward()
    return {n: p.grad.numpy() for n, p in model.named_parameters() if p.requires_grad}


@pytest.mark.parametrize("rslora", [False, True])
def test_peft_reads_our_adapter_and_both_give_the_same_logits_and_gradients(torch, base, tmp_path, rslora):
    import peft

    folder, graphdef, params = base
    lora = LoraConfig(rank=4, alpha=12.0, modules=LORA.modules, rslora=rslora)
    adapted, _ = add_lora(graphdef, params, lora)
    save_adapter(tmp_path / "a", ADAPTER, lora, base=str(folder))
    model = peft.PeftModel.from_pretrained(theirs(folder), tmp_path / "a", is_trainable=True)

    (value, logits), grads = with_grads(adapted, ADAPTER, params)
    found = gradients_of(torch, model, logits, value)
    own = {".".join(map(str, k)): np.asarray(g[...]) for k, g in flat_state(grads).items()}
    assert len(found) == len(own) == 20
    for name, grad in own.items():
        stem, _, part = name.rpartition(".")
        reference = found[
            f"base_model.model.model.{stem}.{part.replace('_a', '_A').replace('_b', '_B')}.default.weight"
        ]
        assert np.linalg.norm(grad.T - reference) < 1e-3 * np.linalg.norm(reference), name


def test_our_merged_export_is_pefts_merge_and_unload(torch, base, tmp_path):
    import peft

    folder, _, params = base
    save_adapter(tmp_path / "a", ADAPTER, LORA)
    model = peft.PeftModel.from_pretrained(theirs(folder), tmp_path / "a").merge_and_unload()
    save_hf(tmp_path / "merged", merge(params, ADAPTER, LORA), load_hf(folder)[2])
    for name, value in load_file(tmp_path / "merged" / "model.safetensors").items():
        np.testing.assert_allclose(value, model.state_dict()[name].numpy(), atol=1e-5, err_msg=name)
    np.testing.assert_allclose(run(torch, theirs(tmp_path / "merged")), run(torch, model), atol=1e-4)


ROWS = "base_model.model.model.embed_tokens.token_adapter.trainable_tokens_delta"
WITH_TOKENS = LoraConfig(rank=4, alpha=12.0, modules=("q_proj", "down_proj"), trainable_tokens=(9, 3, 63))


def test_trained_token_rows_stand_in_for_the_tables_in_embedding_and_head():
    adapted, adapter = add_lora(GRAPHDEF, PARAMS, WITH_TOKENS)
    table = np.asarray(PARAMS["embed_tokens"][...])
    np.testing.assert_array_equal(adapter["token_rows"]["rows"][...], table[[9, 3, 63]])
    ids = IDS.copy()
    ids[0, :3] = 63, 9, 3
    logits = jax.jit(lambda *states: nnx.merge(adapted, *states)(ids, AT, ONES))
    plain = jax.jit(lambda params: nnx.merge(GRAPHDEF, params)(ids, AT, ONES))
    np.testing.assert_allclose(logits(adapter, PARAMS), plain(PARAMS), atol=1e-5)
    adapter = randomised(adapter)
    merged = merge(PARAMS, adapter, WITH_TOKENS)
    np.testing.assert_array_equal(
        np.delete(merged["embed_tokens"][...], [9, 3, 63], 0), np.delete(table, [9, 3, 63], 0)
    )
    np.testing.assert_allclose(logits(adapter, PARAMS), plain(merged), atol=1e-4)


def test_peft_computes_the_same_with_trained_token_rows_and_both_read_the_others_file(torch, base, tmp_path):
    import peft

    folder, graphdef, params = base
    adapted, adapter = add_lora(graphdef, params, WITH_TOKENS)
    adapter = randomised(adapter)
    save_adapter(tmp_path / "a", adapter, WITH_TOKENS, base=str(folder))
    model = peft.PeftModel.from_pretrained(theirs(folder), tmp_path / "a", is_trainable=True)

    (value, logits), grads = with_grads(adapted, adapter, params)
    found = gradients_of(torch, model, logits, value)
    name = "base_model.model.model.embed_tokens.token_adapter.trainable_tokens_delta.default"
    assert len(found) == len(flat_state(grads)) == 9
    own = np.asarray(grads["token_rows"]["rows"][...])
    assert np.linalg.norm(own - found[name]) < 1e-3 * np.linalg.norm(found[name])

    model.save_pretrained(tmp_path / "b")
    lora, _, back = load_adapter(tmp_path / "b", graphdef, params)
    assert lora == WITH_TOKENS
    jax.tree.map(np.testing.assert_array_equal, back, adapter)
    merged = peft.PeftModel.from_pretrained(theirs(folder), tmp_path / "a").merge_and_unload()
    np.testing.assert_allclose(merge(params, adapter, WITH_TOKENS)["embed_tokens"][...],
                               merged.model.embed_tokens.weight.detach().numpy(), atol=1e-6)  # fmt: skip


@pytest.mark.parametrize("rslora", [False, True])
def test_we_read_pefts_adapter(torch, base, tmp_path, rslora):
    import peft

    folder, graphdef, params = base
    targets = ["k_proj", "gate_proj", "q_proj"]
    wanted = peft.LoraConfig(
        r=3, lora_alpha=6, target_modules=targets, use_rslora=rslora, lora_dropout=0.1, init_lora_weights=False,
        task_type="CAUSAL_LM",
    )  # fmt: skip
    model = peft.get_peft_model(theirs(folder), wanted).eval()
    model.save_pretrained(tmp_path / "a")
    lora, adapted, adapter = load_adapter(tmp_path / "a", graphdef, params)
    assert lora == LoraConfig(rank=3, alpha=6.0, modules=("q_proj", "k_proj", "gate_proj"), rslora=rslora)
    logits = jax.jit(lambda *states: nnx.merge(adapted, *states)(IDS, AT, ONES))(adapter, params)
    np.testing.assert_allclose(logits, run(torch, model), atol=1e-4)
    assert np.abs(logits - run(torch, theirs(folder))).max() > 0.01
    save_adapter(tmp_path / "b", adapter, lora)  # and back, exactly
    ours, back = (load_file(tmp_path / d / "adapter_model.safetensors") for d in "ba")
    assert ours.keys() == back.keys() and all(np.array_equal(ours[n], back[n]) for n in ours)


# --- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    save_adapter(tmp_path / "a", ADAPTER, LORA)
    return tmp_path / "a"


def test_round_trip_is_exact_and_replaces_only_adapters(saved):
    save_adapter(saved, ADAPTER, LORA)  # again, over itself
    lora, adapted, adapter = load_adapter(saved, GRAPHDEF, PARAMS)
    assert lora == LORA and adapted == ADAPTED
    jax.tree.map(np.testing.assert_array_equal, adapter, ADAPTER)
    assert sorted(p.name for p in saved.parent.iterdir()) == ["a"]
    (saved / "notes.txt").touch()
    with pytest.raises(ValueError, match=r"holds notes\.txt, so it is not replaced"):
        save_adapter(saved, ADAPTER, LORA)


Q0 = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.pop(Q0), f"lacks tensor {Q0}"),
        (lambda t: t.update({Q0.replace("0", "7"): t[Q0]}), "has an extra tensor"),
        (lambda t: t.update({Q0: t[Q0][:3]}), r"lora_A.weight has shape \(3, 32\), r=4 on this base has \(4, 32\)"),
        (lambda t: t.update({Q0: t[Q0] * np.nan}), "NaN"),
        (lambda t: t.update({Q0: t[Q0].astype(np.int32)}), "float type"),
        (lambda t: [t.pop(n) for n in [*t] if "up_proj" in n], "target_modules are .*'up_proj'.*, the tensors are on"),
        (lambda t: t.clear(), "the tensors are on"),
    ],
)
def test_a_wrong_tensor_is_named_in_one_line(saved, change, said):
    tensors = load_file(saved / "adapter_model.safetensors")
    change(tensors)
    save_file(tensors, saved / "adapter_model.safetensors")
    refused(saved, said)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"r": 8}, r"has shape \(4, 64\), r=8 on this base has \(8, 64\)"),
        ({"r": 10**12}, "r=1000000000000 on this base"),
        ({"r": "4"}, "r, lora_alpha, use_rslora must be"),
        ({"r": 0}, "rank and alpha must be positive"),
        ({"lora_alpha": -1}, "rank and alpha must be positive"),
        ({"peft_type": "LOHA"}, "only 'LORA' is supported"),
        ({"bias": "all"}, "bias='all' is not supported"),
        ({"use_dora": True}, "use_dora=True is not supported"),
        ({"rank_pattern": {"q_proj": 2}}, "rank_pattern"),
        ({"init_lora_weights": "pissa_niter_4"}, "changed the base's weights"),
        ({"target_modules": ["q_proj"]}, "target_modules are"),
        ({"trainable_token_indices": [3]}, f"lacks tensor {re.escape(ROWS)}"),
        ({"trainable_token_indices": [3, 999]}, "different ids below 64"),
        ({"trainable_token_indices": {"lm_head": [3]}}, "must list ids of embed_tokens"),
    ],
)
def test_a_wrong_setting_is_named_in_one_line(saved, changes, said):
    raw = json.loads((saved / "adapter_config.json").read_bytes())
    (saved / "adapter_config.json").write_text(json.dumps(raw | changes))
    refused(saved, said)


def refused(path, said, params=PARAMS, error=ValueError):
    with pytest.raises(error, match=said) as caught:
        load_adapter(path, GRAPHDEF, params)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


def test_a_missing_or_damaged_file_is_named_in_one_line(saved):
    weights = saved / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    refused(saved, "not a readable safetensors file")
    weights.unlink()
    refused(saved, "adapter_model.safetensors: no such file", error=FileNotFoundError)
    (saved / "adapter_config.json").write_text("{")
    refused(saved, "adapter_config.json: not JSON")
    (saved / "adapter_config.json").unlink()
    refused(saved, "adapter_config.json: no such file", error=FileNotFoundError)


def test_an_adapter_of_another_base_is_refused(saved):
    wide = dataclasses.replace(CFG, d_ff=96)
    graphdef, params = nnx.split(nnx.eval_shape(lambda: Planner(wide, rngs=nnx.Rngs(0))), nnx.Param)
    with pytest.raises(
        ValueError, match=r"down_proj.lora_A.weight has shape \(4, 64\), r=4 on this base has \(4, 96\)"
    ):
        load_adapter(saved, graphdef, params)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"rank": -1}, "rank and alpha must be positive"),
        ({"rank": 2, "alpha": 0.0}, "rank and alpha must be positive"),
        ({"rank": 2, "modules": ("q_proj", "lm_head")}, "'lm_head' is not one of q_proj"),
        ({"rank": 2, "modules": ()}, "must name each module once"),
        ({"rank": 2, "modules": ("q_proj", "q_proj")}, "must name each module once"),
        ({"rank": 2, "trainable_tokens": (3, 64)}, r"different ids below 64, got \(3, 64\)"),
        ({"rank": 2, "trainable_tokens": (3, 3)}, "different ids below 64"),
    ],
)
def test_a_wrong_configuration_is_named(changes, said):
    with pytest.raises(ValueError, match=said):
        add_lora(GRAPHDEF, PARAMS, LoraConfig(**changes))


def test_saving_checks_the_adapter(tmp_path):
    with pytest.raises(ValueError, match=r"lora\.modules says \['q_proj'\]"):
        save_adapter(tmp_path / "a", ADAPTER, LoraConfig(rank=4, modules=("q_proj",)))
    rows = LoraConfig(rank=4, modules=LORA.modules, trainable_tokens=(3, 5))
    with pytest.raises(ValueError, match=r"not of rows 5: \(2, 32\)"):
        more = dataclasses.replace(rows, trainable_tokens=(1, 2, 3, 4, 5))
        save_adapter(tmp_path / "a", add_lora(GRAPHDEF, PARAMS, rows)[1], more)
    with pytest.raises(ValueError, match="not of rank 2"):
        save_adapter(tmp_path / "a", ADAPTER, LoraConfig(rank=2, modules=LORA.modules))
    with pytest.raises(ValueError, match="not finite"):
        save_adapter(tmp_path / "a", jax.tree.map(lambda x: x * np.inf, ADAPTER), LORA)
    assert list(tmp_path.iterdir()) == []
