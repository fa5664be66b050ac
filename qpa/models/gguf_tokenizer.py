"""The tokenizer inside a GGUF file as the files that `qpa.chat.load_tokenizer` and transformers read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qpa.chat.files import write_atomic
from qpa.chat.hf_tokenizer import SETTINGS, VOCABULARY

if TYPE_CHECKING:
    from qpa.models.gguf import GgufFile

_CONTROL, _USER_DEFINED, _UNUSED = 3, 4, 5  # token types that are not ordinary pieces
_WORDS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|"
_REST = r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
_SPLITS = {"qwen2": _WORDS + r"\p{N}" + _REST, "llama-bpe": _WORDS + r"\p{N}{1,3}" + _REST}
_PRE = ("gpt-2", "smollm", *_SPLITS)  # named in tokenizer.ggml.pre; each is how text is cut before merging


def save_gguf_tokenizer(file: GgufFile, folder: str | os.PathLike[str]) -> None:
    """Writes `tokenizer.json` and `tokenizer_config.json` into `folder`.

    Raises:
      ValueError: one line: no byte-level BPE, another kind of pre-tokenizer, or tables that do not fit together.
    """
    tokens, types = file.field("tokenizer.ggml.tokens", list), file.field("tokenizer.ggml.token_type", list)
    pairs = [str(merge).split(" ") for merge in file.field("tokenizer.ggml.merges", list, default=[])]
    kind, pre = file.field("tokenizer.ggml.model", str), file.field("tokenizer.ggml.pre", str, default="gpt-2")
    if kind != "gpt2" or pre not in _PRE:
        known = f"gpt2 with {', '.join(_PRE)}"
        raise ValueError(f"{file.path}: tokenizer {kind!r} with pre-tokenizer {pre!r} is not supported; {known} are")
    if len(tokens) != len(types) or len(set(tokens)) != len(tokens) or len(tokens) > file.cfg.vocab_size:
        sizes = f"{len(tokens)} tokens ({len(set(tokens))} distinct), {len(types)} types, {file.cfg.vocab_size} rows"
        raise ValueError(f"{file.path}: the tokenizer's tables do not fit together: {sizes}")
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{file.path}: tokenizer.ggml.merges must hold pairs of tokens")
    merges = [(left, right) for left, right in pairs]
    try:
        text = _build(tokens, types, merges, pre).to_str(pretty=True)
    except Exception as e:  # the tokenizers package raises no narrower class
        raise ValueError(
            f"{file.path}: the tokenizer's tables do not fit together: {' '.join(str(e).split())}"
        ) from None
    write_atomic(Path(folder) / VOCABULARY, text.encode())
    settings: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    for ours, theirs in (
        ("bos_token", "bos"),
        ("eos_token", "eos"),
        ("pad_token", "padding"),
        ("unk_token", "unknown"),
    ):
        i = file.field(f"tokenizer.ggml.{theirs}_token_id", int, default=-1)
        settings |= {ours: tokens[i]} if 0 <= i < len(tokens) else {}
    if template := file.field("tokenizer.chat_template", str, default=""):
        settings["chat_template"] = template
    write_atomic(Path(folder) / SETTINGS, (json.dumps(settings, indent=2, ensure_ascii=False) + "\n").encode())


def _build(tokens: list[str], types: list[int], merges: list[tuple[str, str]], pre: str) -> Any:
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers

    vocab = {token: i for i, (token, kind) in enumerate(zip(tokens, types)) if kind != _UNUSED}
    # Llama-3 takes a whole word that is a piece as it is, without merging.
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges, ignore_merges=pre == "llama-bpe"))
    cut: Any = pre_tokenizers.ByteLevel(add_prefix_space=False)
    if pre == "smollm":
        cut = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), cut])
    elif pre in _SPLITS:
        split = pre_tokenizers.Split(Regex(_SPLITS[pre]), behavior="isolated")
        cut = pre_tokenizers.Sequence([split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.pre_tokenizer, tokenizer.decoder = cut, decoders.ByteLevel()
    for kind, special in ((_CONTROL, True), (_USER_DEFINED, False)):
        names = [token for token, its in zip(tokens, types) if its == kind]
        tokenizer.add_tokens([AddedToken(name, special=special, normalized=False) for name in names])
    return tokenizer
