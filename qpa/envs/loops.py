"""What belongs to an event loop, for objects that outlive one: each update of a trainer runs in a loop of its own."""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """One lock, condition, ... for each event loop that asks: asyncio's are bound to the first one they waited in."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._kept: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, T] = weakref.WeakKeyDictionary()

    def get(self) -> T:
        """The running loop's."""
        loop = asyncio.get_running_loop()
        if loop not in self._kept:
            self._kept[loop] = self._make()
        return self._kept[loop]
