"""Byte-level BPE tokenizers in the Hugging Face layout (Qwen2/3, Llama-3, SmolLM2) behind the `Tokenizer` protocol.

`tokenizer.json` is split in two. Its BPE core, without any added token, encodes text: whatever a text says, the core
has no way to produce a special token. The added tokens are reached by id only. Decoding is done on bytes.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from qpa.chat.files import read_object, write_atomic
from qpa.chat.markers import (
    CALL_CLOSE,
    CALL_OPEN,
    END_OF_TEXT,
    RESPONSE_CLOSE,
    RESPONSE_OPEN,
    SPECIALS,
    THINK_CLOSE,
    THINK_OPEN,
    TOOLS_CLOSE,
    TOOLS_OPEN,
)
from qpa.chat.scan import valid_unicode
from qpa.chat.token_table import REPLACEMENT, TokenTable

VOCABULARY = "tokenizer.json"
SETTINGS = "tokenizer_config.json"
MARKERS = "markers.json"  # which reserved tokens of the vocabulary stand for markers it lacks

# The Qwen vocabularies have no token for these two; their template writes them as text, and so does `ChatFormat`.
_MAY_BE_TEXT = frozenset({TOOLS_OPEN, TOOLS_CLOSE})
_TAKEOVERS: tuple[dict[str, str], ...] = (
    {  # SmolLM2: rows of tokens that were never trained are all one vector (those of the three not used here differ)
        CALL_OPEN: "<jupyter_start>",
        CALL_CLOSE: "<jupyter_text>",
        RESPONSE_OPEN: "<jupyter_code>",
        RESPONSE_CLOSE: "<jupyter_output>",
        THINK_OPEN: "<issue_start>",
        THINK_CLOSE: "<issue_closed>",
        TOOLS_OPEN: "<gh_stars>",
        TOOLS_CLOSE: "<file_sep>",
    },
    {  # Llama 3: reserved for such use; its end of text is the same thing under another spelling
        END_OF_TEXT: "<|end_of_text|>",
        **{
            marker: f"<|reserved_special_token_{10 + i}|>"
            for i, marker in enumerate(name for name in SPECIALS if name != END_OF_TEXT)
        },
    },
)
_PROBES = (
    "a",
    " a",
    ' \n\t "a":  {"b▁": "闹钟 07:30 🙂", "Don\'t": [1.50e-3]}\r\n  \x00<|im_end|></tool_call> e\u0301 \u3000ｆ ',
)
_UTF8 = frozenset(range(0x100)) - {0xC0, 0xC1, *range(0xF5, 0x100)}  # bytes that occur in UTF-8
# Bytes that a vocabulary may do without: control characters that no text uses, and lead bytes of unassigned planes.
_RARE = frozenset({*range(1, 0x20), 0x7F, 0xF1, 0xF2}) - {0x09, 0x0A, 0x0D}


class HFTokenizer(TokenTable):
    """A byte-level BPE tokenizer: `decode(encode(text)) == text`.

    Not exact are lone surrogates, which are not Unicode text, and characters for which the vocabulary has no bytes (in
    SmolLM2's six control characters and two unassigned planes): they become U+FFFD. Unicode normalisation (NFC in
    Qwen's files) is not applied, because it changes what a person or a tool wrote.

    Args:
      path: a directory with `tokenizer.json` and, where the model has them, `tokenizer_config.json` (more special
        tokens, the pad) and `markers.json` (see `take_over`).

    Raises:
      FileNotFoundError: no `tokenizer.json`.
      ValueError: one line: an unreadable file, not a byte-level BPE, loses characters, or lacks a marker.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        folder, file = Path(path), Path(path) / VOCABULARY
        raw = read_object(file)
        settings = read_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
        vocab, added = _vocabulary(raw, settings, str(file))
        _check_kind(raw, str(file))
        specials, taken = _markers(folder, vocab, added)
        tokens = [REPLACEMENT.encode()] * (max({*vocab.values(), *added}) + 1)
        for token, i in vocab.items():
            tokens[i] = _token_bytes(token)
        for i, content in (added | taken).items():
            tokens[i] = content.encode()
        super().__init__(tokens, specials)
        self.plain_markers = frozenset(SPECIALS) - set(specials)
        reserved = {token for token, i in vocab.items() if i in {*added, *specials.values()}}
        self._core = _core(raw, reserved, str(file))
        self._unencodable = _unencodable(vocab.keys() - reserved, str(file))
        self._pad = _pad(settings, {content: i for i, content in added.items()}, specials, taken)
        if any(self.decode(self.encode(probe)) != probe for probe in _PROBES):
            raise ValueError(f"{file}: loses characters; only lossless byte-level BPE tokenizers are supported")

    @property
    def pad_id(self) -> int:
        return self._pad

    def encode(self, text: str) -> list[int]:
        text = valid_unicode(text)
        if self._unencodable is not None:
            text = self._unencodable.sub(REPLACEMENT, text)
        return list(self._core.encode(text, add_special_tokens=False).ids)


def take_over(path: str | os.PathLike[str]) -> dict[str, int]:
    """Gives the markers that a vocabulary lacks the ids of reserved tokens, and writes this down in `markers.json`.

    The ids are those of tokens that the published model was never trained on. Their embedding rows say nothing yet.

    Returns:
      The new ids of the markers; empty if the vocabulary has all markers or `markers.json` is there already.

    Raises:
      FileNotFoundError, ValueError: an unreadable file, or a vocabulary whose reserved tokens are not known here.
    """
    folder = Path(path)
    settings = read_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}
    vocab, added = _vocabulary(read_object(folder / VOCABULARY), settings, str(folder / VOCABULARY))
    ids = vocab | {content: i for i, content in added.items()}
    missing = [name for name in SPECIALS if name not in ids]
    if set(missing) <= _MAY_BE_TEXT or (folder / MARKERS).is_file():
        return {}
    for table in _TAKEOVERS:
        if set(missing) <= set(table) and all(table[name] in ids for name in missing):
            entries = {name: {"id": ids[table[name]], "token": table[name]} for name in missing}
            write_atomic(folder / MARKERS, (json.dumps(entries, indent=2) + "\n").encode())
            return {name: ids[table[name]] for name in missing}
    raise ValueError(
        f"{folder / VOCABULARY}: no token for {missing[0]}, and its reserved tokens are not known; "
        f'write {MARKERS} beside it, such as {{"{missing[0]}": {{"id": 3, "token": "<unused_3>"}}}}'
    )


# --- reading ---------------------------------------------------------------------------------------------------------


def _vocabulary(
    raw: Mapping[str, Any], settings: Mapping[str, Any], where: str
) -> tuple[dict[str, int], dict[int, str]]:
    """(BPE token -> id, id -> content of every added token)."""
    model = raw.get("model")
    vocab = model.get("vocab") if isinstance(model, dict) else None
    if not isinstance(vocab, dict) or not vocab or not all(type(i) is int and i >= 0 for i in vocab.values()):
        raise ValueError(f"{where}: model.vocab must map tokens to ids")
    entries = [(entry.get("id"), entry) for entry in _objects(raw.get("added_tokens") or [], where)]
    more = settings.get("added_tokens_decoder") or {}
    if isinstance(more, dict):
        entries += zip((int(i) if i.isdigit() else None for i in more), _objects(more.values(), where))
    added: dict[int, str] = {}
    for i, entry in entries:
        content = entry.get("content")
        if type(i) is not int or not 0 <= i < 1 << 31 or not isinstance(content, str) or not content:
            raise ValueError(f"{where}: an added token needs an id and its content, got {str(entry)[:80]}")
        if added.setdefault(i, content) != content or vocab.get(content, i) != i:
            raise ValueError(f"{where}: id {i} is {content!r} in one place and something else in another")
    return vocab, added


def _objects(entries: Iterable[Any], where: str) -> list[dict[str, Any]]:
    out = list(entries)
    if not all(isinstance(entry, dict) for entry in out):
        raise ValueError(f"{where}: added tokens must be objects")
    return out


def _check_kind(raw: Mapping[str, Any], where: str) -> None:
    model = raw["model"]
    kinds = {part.get("type") for part in _parts(raw.get("pre_tokenizer"), "pretokenizers")}
    if model.get("type", "BPE") != "BPE" or "ByteLevel" not in kinds or model.get("byte_fallback"):
        kind = model.get("type", "BPE")
        raise ValueError(f"{where}: not a byte-level BPE ({kind}, pre-tokenizers {sorted(map(str, kinds))})")
    for part in _parts(raw.get("normalizer"), "normalizers"):
        if part.get("type") != "NFC":
            raise ValueError(f"{where}: its normalizer {part.get('type')} loses characters; only NFC can be left out")


def _parts(component: Any, field: str) -> list[dict[str, Any]]:
    """A pre-tokenizer or normalizer as a flat list."""
    if not isinstance(component, dict):
        return []
    if component.get("type") != "Sequence":
        return [component]
    return [part for inner in component.get(field) or [] for part in _parts(inner, field)]


def _core(raw: Mapping[str, Any], reserved: set[str], where: str) -> Any:
    """A `tokenizers.Tokenizer` that knows ordinary pieces only and does nothing but pre-tokenise and merge."""
    from tokenizers import Tokenizer

    model = dict(raw["model"])
    model["vocab"] = {token: i for token, i in model["vocab"].items() if token not in reserved}
    merges = model.get("merges") or []
    pairs = [tuple(merge.split(" ")) if isinstance(merge, str) else tuple(merge) for merge in merges]
    model["merges"] = [list(pair) for pair in pairs if not reserved & {*pair, "".join(pair)}]
    model |= {"dropout": None, "unk_token": None}
    core: dict[str, Any] = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": raw.get("pre_tokenizer"),
        "model": model,
    }
    core |= dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    try:
        return Tokenizer.from_str(json.dumps(core))
    except Exception as e:  # the library raises no narrower class
        raise ValueError(f"{where}: not readable by the tokenizers package: {' '.join(str(e).split())[:200]}") from None


def _markers(folder: Path, vocab: Mapping[str, int], added: Mapping[int, str]) -> tuple[dict[str, int], dict[int, str]]:
    """(marker -> id, id -> marker of those that stand in place of a reserved token)."""
    known = dict(vocab) | {content: i for i, content in added.items()}
    ids = {name: known[name] for name in SPECIALS if name in known}
    taken: dict[int, str] = {}
    file = folder / MARKERS
    for name, entry in (read_object(file) if file.is_file() else {}).items():
        token, i = (entry.get("token"), entry.get("id")) if isinstance(entry, dict) else (None, None)
        if name not in SPECIALS or name in ids:
            why = "the vocabulary has it" if name in ids else f"known are {' '.join(SPECIALS)}"
            raise ValueError(f"{file}: {name!r} cannot be given a token: {why}")
        if type(i) is not int or added.get(i) != token or token in SPECIALS or i in taken:
            raise ValueError(f"{file}: {name} needs a special token of {VOCABULARY} of its own, got {entry}")
        taken[i] = name
    ids |= {name: i for i, name in taken.items()}
    missing = [name for name in SPECIALS if name not in ids and name not in _MAY_BE_TEXT]
    if missing:
        raise ValueError(
            f"{folder / VOCABULARY}: no token for {missing[0]}; "
            "`python -m launch.import_weights --hf=DIR --out=NEW` takes over reserved tokens"
        )
    return {name: ids[name] for name in SPECIALS if name in ids}, taken


def _pad(
    settings: Mapping[str, Any], ids: Mapping[str, int], specials: Mapping[str, int], taken: Mapping[int, str]
) -> int:
    """The model's own pad, unless a person's text or a marker of the frame could look like it; else end of text."""
    pad = settings.get("pad_token")
    pad = pad.get("content") if isinstance(pad, dict) else pad
    found = ids.get(pad) if isinstance(pad, str) else None
    end_of_text = specials[END_OF_TEXT]
    if found is None or found in taken or found in specials.values():
        found = end_of_text
    return found


# --- bytes -----------------------------------------------------------------------------------------------------------


def _byte_of_character() -> dict[str, int]:
    """GPT-2's printable stand-ins: bytes that are printable in Latin-1 stand for themselves, the others follow 255."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [b for b in range(0x100) if b not in printable]
    return {chr(b): b for b in printable} | {chr(0x100 + i): b for i, b in enumerate(others)}


_BYTE_OF = _byte_of_character()


def _token_bytes(token: str) -> bytes:
    if all(c in _BYTE_OF for c in token):
        return bytes(_BYTE_OF[c] for c in token)
    return token.encode()


def _unencodable(tokens: Iterable[str], where: str) -> re.Pattern[str] | None:
    """Matches the characters whose bytes are not among the pieces."""
    missing = _UTF8 - {_BYTE_OF[token] for token in tokens if token in _BYTE_OF}
    if missing - _RARE:
        raise ValueError(f"{where}: no piece for byte 0x{min(missing - _RARE):02X}, so it loses characters")
    # A lead byte F1 or F2 opens four planes of 65,536 characters each.
    ranges = [
        f"{chr((b & 7) << 18)}-{chr(((b & 7) + 1 << 18) - 1)}" if b > 0x7F else re.escape(chr(b))
        for b in sorted(missing)
    ]
    return re.compile(f"[{''.join(ranges)}]") if ranges else None
