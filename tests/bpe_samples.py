"""Byte-level BPE tokenizers as Hugging Face repositories have them, trained on the spot."""

from __future__ import annotations

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from qpa.chat.markers import SPECIALS

# Words, single digits, punctuation with line ends, runs of spaces: the rule of Qwen2 and Qwen3.
QWEN2_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
QWEN_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|box_start|>")  # special: true
QWEN_ADDED = tuple(name for name in SPECIALS if name[:2] != "<|" and "tools" not in name)  # special: false, as there
SMOL_SPECIAL = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<repo_name>", "<reponame>", "<file_sep>", "<filename>",
    "<gh_stars>", "<issue_start>", "<issue_comment>", "<issue_closed>", "<jupyter_start>", "<jupyter_text>",
    "<jupyter_code>", "<jupyter_output>", "<jupyter_script>", "<empty_output>",
)  # fmt: skip


def qwen_like(folder: Path) -> Path:
    """Special tokens after the vocabulary, NFC, the pad named in the settings; writes the folder."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(QWEN2_SPLIT), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    train(tokenizer, [])
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in QWEN_SPECIAL])
    tokenizer.add_tokens([AddedToken(name, special=False, normalized=False) for name in QWEN_ADDED])
    return save(tokenizer, folder, {"tokenizer_class": "Qwen2Tokenizer", "pad_token": "<|endoftext|>"})


def smollm2_like(folder: Path, alphabet: list[str] | None = None) -> Path:
    """Special tokens at the start of the vocabulary, digits apart, no token for a tool call, pad = end of turn."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    train(tokenizer, list(SMOL_SPECIAL), alphabet)
    return save(tokenizer, folder, {"tokenizer_class": "GPT2Tokenizer", "pad_token": "<|im_end|>"})


def _corpus() -> list[str]:
    return [
        f"<|im_start|>user\nset an alarm for {h:02d}:{m:02d} please<|im_end|>\n<tool_call>\n"
        f'{{"name": "manage_alarm", "arguments": {{"action": "create", "title": "Gym {m}"}}}}\n</tool_call> 闹钟 北京'
        for h in range(24)
        for m in range(0, 60, 7)
    ]


def train(tokenizer: Tokenizer, specials: list[str], alphabet: list[str] | None = None) -> None:
    letters = pre_tokenizers.ByteLevel.alphabet() if alphabet is None else alphabet
    trainer = trainers.BpeTrainer(
        vocab_size=len(letters) + len(specials) + 150,
        special_tokens=specials,
        initial_alphabet=letters,
        show_progress=False,
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(_corpus(), trainer)


def save(tokenizer: Tokenizer, folder: Path, settings: dict) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(settings | {"eos_token": "<|im_end|>"}))
    return folder


def edit(folder: Path, change, name: str = "tokenizer.json") -> None:
    """Applies `change` to a JSON file in place."""
    raw = json.loads((folder / name).read_text())
    change(raw)
    (folder / name).write_text(json.dumps(raw))
