"""Framing of the ADB transport and of shell v2.

A packet is a 24-byte little-endian header (command, arg0, arg1, length, checksum, magic) and a payload. The checksum is
the plain sum of the payload's bytes; it counts until both sides have agreed on version 0x01000001 and is 0 afterwards.
Reference: protocol.txt and shell_protocol.h of the Android Open Source Project.
"""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass

CNXN, AUTH, OPEN, OKAY, CLSE, WRTE = (int.from_bytes(n, "little") for n in
                                      (b"CNXN", b"AUTH", b"OPEN", b"OKAY", b"CLSE", b"WRTE"))  # fmt: skip
COMMANDS = frozenset((CNXN, AUTH, OPEN, OKAY, CLSE, WRTE))
VERSION = 0x01000001  # the first one that skips checksums
VERSION_MIN = 0x01000000
HANDSHAKE_PAYLOAD = 4096  # bytes; all that a peer may send before CNXN is answered
MAX_PAYLOAD = 256 * 1024  # bytes; what we announce

AUTH_TOKEN, AUTH_SIGNATURE, AUTH_PUBLIC_KEY = 1, 2, 3

STDIN, STDOUT, STDERR, EXIT, CLOSE_STDIN, WINDOW_SIZE = range(6)  # ids of shell v2 frames

_HEADER = struct.Struct("<6I")
_FRAME = struct.Struct("<BI")


class ProtocolError(Exception):
    """The peer broke the protocol; its connection cannot go on."""


@dataclass(frozen=True)
class Packet:
    """One transport packet; `command` is one of `COMMANDS`."""

    command: int
    arg0: int
    arg1: int
    data: bytes = b""


def encode(packet: Packet, *, checksum: bool = False) -> bytes:
    """The packet's bytes; `checksum` for what is sent before the versions are agreed."""
    total = sum(packet.data) & 0xFFFFFFFF if checksum else 0
    header = _HEADER.pack(
        packet.command, packet.arg0, packet.arg1, len(packet.data), total, packet.command ^ 0xFFFFFFFF
    )
    return header + packet.data


async def read_packet(reader: asyncio.StreamReader, *, limit: int, checksum: bool = False) -> Packet:
    """The next packet, with at most `limit` bytes of payload.

    Raises `ProtocolError` for a bad header or sum, `asyncio.IncompleteReadError` at the end of the stream.
    """
    command, arg0, arg1, length, total, magic = _HEADER.unpack(await reader.readexactly(_HEADER.size))
    if magic != command ^ 0xFFFFFFFF:
        raise ProtocolError(f"bad magic {magic:#010x} for command {command:#010x}")
    if command not in COMMANDS:
        raise ProtocolError(f"unknown command {command:#010x}")
    if length > limit:
        raise ProtocolError(f"payload of {length} bytes, at most {limit} are allowed")
    data = await reader.readexactly(length) if length else b""
    # A server that connects again after a break already leaves the sum out.
    if checksum and total not in (0, sum(data) & 0xFFFFFFFF):
        raise ProtocolError(f"checksum {total:#x} does not fit the payload")
    return Packet(command, arg0, arg1, data)


def frame(kind: int, data: bytes = b"") -> bytes:
    """One shell v2 frame: id, length, data."""
    return _FRAME.pack(kind, len(data)) + data


class FrameReader:
    """Takes shell v2 frames out of a byte stream, whatever its chunks."""

    def __init__(self, limit: int = MAX_PAYLOAD):
        self._buffer = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The frames (id, data) that are complete now; raises `ProtocolError` for one over the limit."""
        self._buffer += data
        frames = []
        while len(self._buffer) >= _FRAME.size:
            kind, length = _FRAME.unpack_from(self._buffer)
            if length > self._limit:
                raise ProtocolError(f"shell frame of {length} bytes, at most {self._limit} are allowed")
            end = _FRAME.size + length
            if len(self._buffer) < end:
                break
            frames.append((kind, bytes(self._buffer[_FRAME.size : end])))
            del self._buffer[:end]
        return frames
