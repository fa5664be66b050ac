"""Randomness without a stream: every draw is a hash of what it is for.

So one more call of one tool shifts nothing else, and two policies that make the same calls are hit alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeVar

T = TypeVar("T")
_NORMAL = NormalDist()


class Draws:
    """Independent draws of one episode, by name.

    Args:
      key: what makes the episode: seed, task id, number.
    """

    def __init__(self, *key: object) -> None:
        self._key = "/".join(str(part) for part in key)

    def uniform(self, *what: object) -> float:
        """A number in (0, 1); the same name gives the same number."""
        name = "/".join([self._key, *(str(part) for part in what)])
        digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
        return (int.from_bytes(digest, "big") + 0.5) / 2**64

    def hit(self, rate: float, *what: object) -> bool:
        """True with probability `rate`."""
        return self.uniform(*what) < rate

    def choice(self, options: Sequence[T], *what: object) -> T:
        """One of the options, all alike."""
        return options[min(int(self.uniform(*what) * len(options)), len(options) - 1)]

    def normal(self, *what: object) -> float:
        """A standard normal number."""
        return _NORMAL.inv_cdf(min(max(self.uniform(*what), 1e-12), 1 - 1e-12))
