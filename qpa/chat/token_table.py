"""What all tokenizers share: ids as bytes, and the special tokens by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from qpa.chat.markers import IM_END

REPLACEMENT = "\ufffd"


class TokenTable:
    """The half of a `Tokenizer` that needs no library: from ids to text, and ids by name.

    Args:
      tokens: what each id stands for, by id. specials: id of each special token by name, `<|im_end|>` among them.
    """

    def __init__(self, tokens: Sequence[bytes], specials: Mapping[str, int]) -> None:
        self._bytes = list(tokens)
        self._specials = dict(specials)

    @property
    def vocab_size(self) -> int:
        return len(self._bytes)

    @property
    def eos_id(self) -> int:
        return self._specials[IM_END]

    def special_id(self, name: str) -> int:
        """Id of a special token; raises ValueError for a name that is none."""
        try:
            return self._specials[name]
        except KeyError:
            raise ValueError(f"{name!r} is not a special token; known: {' '.join(self._specials)}") from None

    def decode(self, ids: Sequence[int]) -> str:
        """Text of ids, special tokens as their names."""
        size = len(self._bytes)
        unknown = REPLACEMENT.encode()  # an id outside the vocabulary: a model's padded embedding rows can be sampled
        return b"".join(self._bytes[i] if 0 <= i < size else unknown for i in ids).decode("utf-8", "replace")

    def token_bytes(self) -> list[bytes]:
        """What each id stands for in `decode`, by id."""
        return list(self._bytes)
