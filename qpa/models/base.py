"""The small pretrained planner that ships with the package: verified, then loaded."""

from __future__ import annotations

import hashlib
from pathlib import Path

from flax import nnx

from qpa.chat.tokenizer import SENTENCEPIECE, Tokenizer, load_tokenizer
from qpa.config import ModelConfig
from qpa.models.hf import CONFIG, WEIGHTS, load_hf

TOKENIZER = SENTENCEPIECE
CHECKSUMS = "SHA256SUMS"
_DIRECTORY = Path(__file__).parent / "base"


Model = tuple[nnx.GraphDef, nnx.State, ModelConfig, Tokenizer]


def load_base(directory: Path = _DIRECTORY) -> Model:
    """(graphdef, params in float32, cfg, tokenizer) of the base model, after checking every file's SHA-256.

    Raises:
      FileNotFoundError: a file of the base model is absent.
      ValueError: a checksum differs or is not listed, or the tokenizer has more ids than the model.
    """
    verify(directory, (CONFIG, WEIGHTS, TOKENIZER))
    return load_model(directory)


def load_model(directory: Path) -> Model:
    """What `load_base` gives, of any exported model. Raises as `load_hf` and `load_tokenizer`, and as `check_fits`."""
    graphdef, params, cfg = load_hf(directory)
    tokenizer = load_tokenizer(directory)
    check_fits(tokenizer, cfg, directory)
    return graphdef, params, cfg, tokenizer


def check_fits(tokenizer: Tokenizer, cfg: ModelConfig, where: Path) -> None:
    """Raises ValueError if the tokenizer has more ids than the model has rows."""
    if tokenizer.vocab_size > cfg.vocab_size:
        raise ValueError(f"{where}: the tokenizer has {tokenizer.vocab_size} ids, the model {cfg.vocab_size}")


def verify(directory: Path, names: tuple[str, ...]) -> None:
    """Checks `names` against `SHA256SUMS` (lines of `sha256sum`); raises like `load_base`."""
    for name in (*names, CHECKSUMS):
        if not (directory / name).is_file():
            raise FileNotFoundError(f"{directory / name}: the base model is not in this installation; reinstall qpa")
    sums: dict[str, str] = {}
    for line in (directory / CHECKSUMS).read_text(encoding="utf-8", errors="replace").splitlines():
        digest, _, name = line.partition(" ")
        sums[name.strip().removeprefix("*")] = digest.lower()
    for name in names:
        if name not in sums:
            raise ValueError(f"{directory / CHECKSUMS}: no line for {name}")
        with (directory / name).open("rb") as f:
            digest = hashlib.file_digest(f, "sha256").hexdigest()
        if digest != sums[name]:
            raise ValueError(
                f"{directory / name}: SHA-256 is {digest[:12]}..., expected {sums[name][:12]}...; reinstall qpa"
            )


def write_checksums(directory: Path) -> None:
    """Writes `SHA256SUMS` over the files of a base model in `directory`."""
    lines = []
    for name in (CONFIG, WEIGHTS, TOKENIZER):
        with (directory / name).open("rb") as f:
            lines.append(f"{hashlib.file_digest(f, 'sha256').hexdigest()}  {name}\n")
    (directory / CHECKSUMS).write_text("".join(lines), encoding="utf-8")
