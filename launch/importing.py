"""Published weights to a model directory: weights, tokenizer and markers, whole or not at all."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp

from qpa.chat.files import write_atomic
from qpa.chat.hf_tokenizer import VOCABULARY, take_over
from qpa.chat.markers import END_OF_TEXT
from qpa.chat.tokenizer import Tokenizer, load_tokenizer, tokenizer_files
from qpa.config import ModelConfig
from qpa.models.base import check_fits
from qpa.models.gguf import GgufFile, load_gguf
from qpa.models.gguf_tokenizer import save_gguf_tokenizer
from qpa.models.hf import load_hf, save_hf
from qpa.models.transformer import param_count


@dataclass(frozen=True)
class Imported:
    """What was made: sizes, and the markers that now have the id of a reserved token."""

    parameters: int
    vocabulary: int
    taken: dict[str, int]


def import_gguf(file: Path, out: Path, dtype: str) -> Imported:
    """A GGUF file to the directory `out`. Raises ValueError or OSError with one line."""

    def read(folder: Path) -> tuple[Any, ModelConfig]:
        opened = GgufFile(file)
        save_gguf_tokenizer(opened, folder)
        _, params, cfg = load_gguf(opened)
        return params, cfg

    return _make(out, dtype, read)


def import_hf(source: Path, out: Path, dtype: str) -> Imported:
    """A Hugging Face directory to the directory `out`. Raises ValueError or OSError with one line."""

    def read(folder: Path) -> tuple[Any, ModelConfig]:
        _, params, cfg = load_hf(source)
        for file in tokenizer_files(source):
            write_atomic(folder / file.name, file.read_bytes())
        return params, cfg

    return _make(out, dtype, read)


def _make(out: Path, dtype: str, read: Callable[[Path], tuple[Any, ModelConfig]]) -> Imported:
    """`read` puts a tokenizer into the folder it is given and returns the parameters."""
    if out.exists():
        raise ValueError(f"{out}: exists already; choose another directory or remove it")
    work = out.with_name(f".{out.name}.partial")
    shutil.rmtree(work, ignore_errors=True)
    words = work / "tokenizer"
    words.mkdir(parents=True)
    try:
        params, cfg = read(words)
        taken = take_over(words) if (words / VOCABULARY).is_file() else {}
        tokenizer = load_tokenizer(words)
        check_fits(tokenizer, cfg, out)
        _give_meaning(params, tokenizer, taken)
        save_hf(work / "model", params, cfg, store_dtype=dtype)
        for file in tokenizer_files(words):
            file.replace(work / "model" / file.name)
        (work / "model").rename(out)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return Imported(param_count(params), tokenizer.vocab_size, taken)


def _give_meaning(params: Any, tokenizer: Tokenizer, taken: Mapping[str, int]) -> None:
    """In place: a marker that took over a token gets the mean embedding of the pieces of its own name.

    Rows that were never trained are all alike, so that a model could tell no marker from another, nor learn to while
    its embeddings are frozen.
    """
    for rows, axis in (("embed_tokens", 0), ("lm_head", 1)):
        if rows in params:
            table = params[rows].get_value()
            for name, i in taken.items():
                if name != END_OF_TEXT:  # that one was trained, under another spelling
                    mean = jnp.take(table, jnp.asarray(tokenizer.encode(name)), axis=axis).mean(axis, keepdims=True)
                    table = table.at[i].set(mean[0]) if axis == 0 else table.at[:, i].set(mean[:, 0])
            params[rows].set_value(table)
