"""Tokenizers: text to ids without loss, and special tokens that no text can forge.

`encode` is for *plain* text. A literal "<|im_end|>" in a user's message or a tool's result becomes ordinary pieces;
the frame's own special tokens are appended by id (`special_id`). That separation, not escaping, is what stops a tool
result from closing its own turn.
"""

from __future__ import annotations

import io
import os
import string
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import sentencepiece as spm

from qpa.chat.files import write_atomic
from qpa.chat.hf_tokenizer import MARKERS, SETTINGS, VOCABULARY, HFTokenizer
from qpa.chat.markers import SPECIALS
from qpa.chat.scan import valid_unicode
from qpa.chat.token_table import REPLACEMENT, TokenTable

SENTENCEPIECE = "tokenizer.model"
TOKENIZER_FILES = (SENTENCEPIECE, VOCABULARY, SETTINGS, MARKERS)
PAD = "<pad>"
_UNK = "<unk>"
_SPACE = "▁"  # U+2581, SentencePiece's stand-in for a space
_MAX_LINE = 8192  # characters; longer training lines are cut, because the trainer silently skips long sentences
_PROBE = ' \n\t "a":  {"b▁": "闹钟 07:30 🙂"}\r\n\x00<|im_end|></tool_call> <0x41> '


class Tokenizer(Protocol):
    """What the chat room needs from a tokenizer. Ids are ints in [0, vocab_size)."""

    @property
    def vocab_size(self) -> int: ...

    @property
    def eos_id(self) -> int:
        """The end-of-turn token `<|im_end|>`; generation stops after it."""
        ...

    @property
    def pad_id(self) -> int:
        """Filler of batches; never equal to `eos_id`, so that a mask by value cannot erase a real end of turn."""
        ...

    @property
    def plain_markers(self) -> frozenset[str]:
        """Markers of the frame that this vocabulary writes as text, because it has no token for them."""
        ...

    def encode(self, text: str) -> list[int]:
        """Ids of plain text; never contains the id of a special token."""
        ...

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids; special tokens come out as their literal strings, so a reply can be parsed."""
        ...

    def special_id(self, name: str) -> int:
        """Id of a special token such as "<tool_call>"; raises ValueError for a name that is none."""
        ...


class SentencePieceTokenizer(TokenTable):
    """A lossless SentencePiece tokenizer: `decode(encode(text)) == text` for every valid Unicode text.

    The only inexact input is a lone surrogate, which is not Unicode text; it becomes U+FFFD.

    Args:
      model: path of a `.model` file made by `train_sentencepiece`, or its bytes.

    Raises:
      ValueError: the model lacks a special token, lets text forge one, or loses characters.
    """

    plain_markers: frozenset[str] = frozenset()

    def __init__(self, model: str | os.PathLike[str] | bytes) -> None:
        where = "<bytes>" if isinstance(model, bytes) else os.fspath(model)
        data = model if isinstance(model, bytes) else Path(model).read_bytes()
        try:
            self._sp = spm.SentencePieceProcessor(model_proto=data)
        except RuntimeError as e:
            raise ValueError(f"{where}: not a SentencePiece model: {e}") from None
        specials = {name: self._sp.piece_to_id(name) for name in SPECIALS}
        missing = [name for name, i in specials.items() if not self._sp.is_control(i)]
        if missing:
            raise ValueError(f"{where}: no control symbol {missing[0]}; make the model with train_sentencepiece")
        if self._sp.pad_id() < 0:
            raise ValueError(f"{where}: no pad token; make the model with train_sentencepiece")
        super().__init__([_piece_bytes(self._sp, i) for i in range(self._sp.get_piece_size())], specials)
        self._space_ids = [self._sp.piece_to_id(f"<0x{b:02X}>") for b in _SPACE.encode()]
        if self.decode(self.encode(_PROBE)) != _PROBE:
            raise ValueError(f"{where}: loses characters; make the model with train_sentencepiece")

    @property
    def pad_id(self) -> int:
        return self._sp.pad_id()

    def encode(self, text: str) -> list[int]:
        text = valid_unicode(text)
        if _SPACE not in text:
            return self._sp.encode(text)
        # A literal U+2581 would come back as a space, so it goes in as its three UTF-8 byte tokens: `decode` works on
        # bytes, hence this escape needs no escape of its own.
        ids: list[int] = []
        for i, part in enumerate(text.split(_SPACE)):
            if i:
                ids += self._space_ids
            if part:
                ids += self._sp.encode(part)
        return ids


def load_tokenizer(path: str | os.PathLike[str]) -> Tokenizer:
    """The tokenizer in a model's directory: SentencePiece's `tokenizer.model` or Hugging Face's `tokenizer.json`.

    Raises:
      FileNotFoundError: the directory holds neither.
      ValueError: it holds both, or the file is refused (see the two classes).
    """
    folder = Path(path)
    found = [name for name in (SENTENCEPIECE, VOCABULARY) if (folder / name).is_file()]
    if not found:
        raise FileNotFoundError(f"{folder}: no {SENTENCEPIECE} or {VOCABULARY}; put the model's tokenizer there")
    if len(found) > 1:
        raise ValueError(f"{folder}: holds {' and '.join(found)}; keep the one that the model was trained with")
    return SentencePieceTokenizer(folder / SENTENCEPIECE) if found == [SENTENCEPIECE] else HFTokenizer(folder)


def tokenizer_files(path: str | os.PathLike[str]) -> list[Path]:
    """The files that `load_tokenizer` reads in a directory."""
    return [p for name in TOKENIZER_FILES if (p := Path(path) / name).is_file()]


def _piece_bytes(sp: spm.SentencePieceProcessor, i: int) -> bytes:
    piece: str = sp.id_to_piece(i)
    if sp.is_byte(i):
        return bytes([int(piece[3:5], 16)])
    if i == sp.pad_id():
        return b""
    if sp.is_unknown(i):
        return REPLACEMENT.encode()
    return piece.encode() if sp.is_control(i) else piece.replace(_SPACE, " ").encode()


def train_sentencepiece(
    corpus: Iterable[str],
    vocab_size: int,
    out_path: str | os.PathLike[str],
    *,
    user_symbols: Sequence[str] = (),
    model_type: str = "bpe",
    character_coverage: float = 0.9995,
) -> SentencePieceTokenizer:
    """Trains a lossless tokenizer and writes it to `out_path` (atomically); the same corpus gives the same bytes.

    Args:
      corpus: texts; newlines separate sentences, and special strings in them are ignored.
      vocab_size: pieces in all, of which 256 are bytes, `len(SPECIALS)` specials and 94 printable ASCII characters.
      out_path: the `.model` file.
      user_symbols: strings that always become one token in plain text, e.g. JSON glue such as `{"name": "`. They may
        contain spaces and newlines. They carry no authority: text may produce them.
      model_type: "bpe" or "unigram".
      character_coverage: share of characters that get their own piece; the rest become bytes.

    Raises:
      ValueError: a user symbol contains a special token, or the vocabulary does not fit the corpus.
    """
    if model_type not in ("bpe", "unigram"):
        raise ValueError(f'model_type is {model_type!r}; use "bpe" or "unigram"')
    for symbol in user_symbols:
        forged = [name for name in SPECIALS if name in symbol]
        if forged or not symbol or _SPACE in symbol:
            why = f"contains the special token {forged[0]}" if forged else "is empty or contains U+2581"
            raise ValueError(f"user symbol {symbol!r} {why}; remove it")
    # SentencePiece matches these after spaces have become U+2581.
    glue = dict.fromkeys(["\n", *(symbol.replace(" ", _SPACE) for symbol in user_symbols)])
    model = io.BytesIO()
    try:
        spm.SentencePieceTrainer.train(
            sentence_iterator=_sentences(corpus),
            model_writer=model,
            vocab_size=vocab_size,
            model_type=model_type,
            character_coverage=character_coverage,
            required_chars=string.ascii_letters + string.digits + string.punctuation,
            normalization_rule_name="identity",
            remove_extra_whitespaces=False,
            add_dummy_prefix=False,
            allow_whitespace_only_pieces=True,
            byte_fallback=True,
            split_digits=True,
            control_symbols=list(SPECIALS),
            user_defined_symbols=list(glue),
            pad_id=0,
            pad_piece=PAD,
            unk_id=1,
            unk_piece=_UNK,
            bos_id=-1,
            eos_id=-1,
            max_sentence_length=4 * _MAX_LINE,
            num_threads=1,  # the EM sums of unigram depend on the thread count
            minloglevel=2,
        )
    except (RuntimeError, OSError) as e:
        raise ValueError(f"cannot train {vocab_size} pieces for {os.fspath(out_path)}: {e}") from None
    tokenizer = SentencePieceTokenizer(model.getvalue())
    write_atomic(Path(out_path), model.getvalue())
    return tokenizer


def _sentences(corpus: Iterable[str]) -> Iterator[str]:
    for text in corpus:
        clean = text.replace("\x00", "").replace(_SPACE, " ").encode("utf-8", "ignore").decode()
        for line in clean.split("\n"):
            for start in range(0, len(line), _MAX_LINE):
                yield line[start : start + _MAX_LINE]
