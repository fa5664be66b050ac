r"""Makes the base model that ships with the package: tokenizer, pretraining, export. Hours of CPU, once.

python -m launch.pretrain --run_dir=runs/base --export=qpa/models/base
"""

from __future__ import annotations

from absl import flags

from launch import cli

_RUN_DIR = flags.DEFINE_string("run_dir", "runs/base", "Where the state and the log are kept; a second call goes on.")
_STEPS = flags.DEFINE_integer("steps", 600, "Updates on documents: 16 rows of 256 tokens each.")
_FRAME_STEPS = flags.DEFINE_integer("frame_steps", 700, "Then updates with chat frames: 8 rows of 512 tokens each.")
_RARE_STEPS = flags.DEFINE_integer("rare_steps", 900, "Then, warmed up anew, updates with rare words: 8 rows of 512.")
_RARE = flags.DEFINE_float("rare", 0.35, "Share of values made of random pieces of the tokenizer in the last stage.")
_FRAMES = flags.DEFINE_float("frames", 0.6, "Share of chat-frame documents after the first stage.")
_RATE = flags.DEFINE_float("learning_rate", 0.02, "Peak rate of Muon.")
_ADAM_RATE = flags.DEFINE_float("adam_learning_rate", 3e-3, "Peak rate of AdamW (embeddings, norms).")
_DECAY_FROM = flags.DEFINE_float("decay_from", 0.75, "Share of the run after which the rates fall linearly to zero.")
_DEVICES = flags.DEFINE_integer("devices", 2, "Host devices (data parallel).")
_SEED = flags.DEFINE_integer("seed", 0, "Seed of text, tokenizer and weights.")
_EXPORT = flags.DEFINE_string("export", "", "Folder for config.json, model.safetensors, tokenizer.model, SHA256SUMS.")


def main() -> None:
    import shutil
    from functools import partial
    from pathlib import Path

    from qpa.train.mesh import configure_host_devices

    configure_host_devices(_DEVICES.value)
    from qpa.chat.tokenizer import SentencePieceTokenizer
    from qpa.config import ModelConfig
    from qpa.envs.sandbox import catalog
    from qpa.models.base import write_checksums
    from qpa.models.hf import save_hf
    from qpa.train.pretrain.corpus import make_tokenizer, rows
    from qpa.train.pretrain.run import Stage, pretrain

    run_dir, cfg = Path(_RUN_DIR.value), ModelConfig()
    banned = frozenset(spec.name for spec in catalog())
    tokenizer_path = run_dir / "tokenizer.model"
    if not tokenizer_path.exists():
        make_tokenizer(tokenizer_path, cfg.vocab_size, _SEED.value, banned)
    tokenizer = SentencePieceTokenizer(tokenizer_path)
    stages = [
        Stage(_STEPS.value, rows(tokenizer, 256, _SEED.value, banned), 16),
        Stage(_STEPS.value + _FRAME_STEPS.value, rows(tokenizer, 512, _SEED.value, banned, _FRAMES.value), 8),
    ]
    rare = [Stage(_RARE_STEPS.value, rows(tokenizer, 512, _SEED.value, banned, _FRAMES.value, _RARE.value), 8)]
    run = partial(
        pretrain,
        cfg,
        peak=_RATE.value,
        adam_peak=_ADAM_RATE.value,
        decay_from=_DECAY_FROM.value,
        seed=_SEED.value,
    )
    params = run(rare, run_dir=run_dir / "rare", start_from=run(stages, run_dir=run_dir))
    if _EXPORT.value:
        made, out = run_dir / "export", Path(_EXPORT.value)
        save_hf(made, params, cfg, store_dtype="float16")
        shutil.copytree(made, out, dirs_exist_ok=True, copy_function=shutil.copyfile)
        shutil.copyfile(tokenizer_path, out / "tokenizer.model")
        write_checksums(out)


if __name__ == "__main__":
    cli.run(main)
