"""One stream of an ADB connection: a two-way byte channel with one unacknowledged write per direction."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from qpa.envs.device.double.protocol import CLSE, OKAY, WRTE, Packet, ProtocolError


class StreamClosed(Exception):  # noqa: N818 - an ending, not an error
    """The host closed the stream, or its connection is gone."""


class Stream:
    """The device's end of one stream; ids as in the protocol: `local` is ours, `remote` the host's.

    Attributes:
      send: puts a packet on the connection, without waiting.
      chunk: bytes of payload that one packet may carry.
    """

    def __init__(self, local: int, remote: int, send: Callable[[Packet], None], chunk: int):
        self.local, self.remote, self._send, self._chunk = local, remote, send, chunk
        self.closed = self.accepted = False
        self._ended = asyncio.Event()
        self._discards = False
        self._held: bytes | None = None  # what the host wrote last, not yet acknowledged
        self._arrived = asyncio.Event()
        self._acknowledged = asyncio.Event()

    def accept(self) -> None:
        """Tells the host that its destination is there; raises `StreamClosed` if it has left."""
        if self.closed:
            raise StreamClosed
        self.accepted = True
        self._send(Packet(OKAY, self.local, self.remote))

    def discard_input(self) -> None:
        """From now on what the host writes is acknowledged and dropped."""
        self._discards = True

    async def ended(self) -> None:
        """Returns when the stream is closed."""
        await self._ended.wait()

    async def read(self) -> bytes:
        """The host's next write, never empty; raises `StreamClosed` at the end."""
        while True:
            if not self._arrived.is_set():
                await self._arrived.wait()
            if self._held is None:
                raise StreamClosed
            data, self._held = self._held, None
            if not self.closed:
                self._arrived.clear()
                self._send(Packet(OKAY, self.local, self.remote))
            if data:
                return data

    async def write(self, data: bytes) -> None:
        """Sends all of `data`, one acknowledged packet after the other; raises `StreamClosed`."""
        for start in range(0, len(data), self._chunk):
            if self.closed:
                raise StreamClosed
            self._acknowledged.clear()
            self._send(Packet(WRTE, self.local, self.remote, data[start : start + self._chunk]))
            await self._acknowledged.wait()
            if self.closed:
                raise StreamClosed

    def close(self) -> None:
        """Closes our end and tells the host, once."""
        if not self.closed:
            self.end()
            # A refusal has no id of ours: the host does not know it, and would not take it for an answer.
            self._send(Packet(CLSE, self.local if self.accepted else 0, self.remote))

    # --- called by the connection, when packets arrive ---------------------------------------------------------

    def arrived(self, data: bytes) -> None:
        """The host wrote; raises `ProtocolError` if it did not wait for our acknowledgement."""
        if not self.accepted:
            raise ProtocolError("a write to a stream that was not accepted")
        if self._discards:
            self._send(Packet(OKAY, self.local, self.remote))
            return
        if self._held is not None:
            raise ProtocolError("a second write before the first was acknowledged")
        self._held = data
        self._arrived.set()

    def acknowledged(self) -> None:
        """The host took our last write."""
        self._acknowledged.set()

    def end(self) -> None:
        """No more packets will come: wakes whoever waits."""
        self.closed = True
        self._ended.set()
        self._arrived.set()
        self._acknowledged.set()
