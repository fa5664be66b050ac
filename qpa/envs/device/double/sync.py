"""The file service `sync:`, both generations: STAT LIST SEND RECV, and STA2 LST2 LIS2 SND2 RCV2.

Requests are a four-letter id, a length and a path; all numbers are little-endian. Reference: file_sync_protocol.h and
SYNC.TXT of the Android Open Source Project.
"""

from __future__ import annotations

import errno
import struct
from collections.abc import Awaitable, Callable

from qpa.envs.device.base import FileStat, Phone
from qpa.envs.device.double.faults import DeviceFault
from qpa.envs.device.double.protocol import ProtocolError
from qpa.envs.device.double.stream import Stream

PATH_BYTES = 1024
DATA_BYTES = 64 * 1024  # in one DATA block
FILE_BYTES = 256 * 2**20  # of one pushed file

_HEAD = struct.Struct("<4sI")
_STAT1 = struct.Struct("<4sIII")  # id, mode, size, mtime
_STAT2 = struct.Struct("<4sIQQIIIIQqqq")  # id, error, dev, ino, mode, nlink, uid, gid, size, atime, mtime, ctime
_DENT1 = struct.Struct("<4sIIII")  # as STAT, and the length of the name
_DENT2 = struct.Struct("<4sIQQIIIIQqqqI")  # as STA2, and the length of the name
_SHELL_UID = 2000
_U32 = 0xFFFFFFFF


class SyncService:
    """One `sync:` stream: answers requests until QUIT or the host leaves.

    `enter` and `answer` are where faults act on a request and on its answer.
    """

    def __init__(
        self,
        phone: Phone,
        stream: Stream,
        enter: Callable[[str], Awaitable[DeviceFault | None]],
        answer: Callable[[DeviceFault | None, bytes], Awaitable[None]],
    ):
        self._phone, self._stream, self._enter, self._answer = phone, stream, enter, answer
        self._buffer = bytearray()

    async def run(self) -> None:
        """Raises `ProtocolError` for a request that cannot be understood, after answering FAIL."""
        while True:
            verb, length = await self._head()
            if verb == b"QUIT":
                return
            reply = {
                b"STAT": self._stat, b"LIST": self._list, b"RECV": self._receive, b"SEND": self._send,
                b"STA2": self._stat2, b"LST2": self._stat2, b"LIS2": self._list2, b"RCV2": self._receive2,
                b"SND2": self._send2,
            }.get(verb)  # fmt: skip
            if reply is None:
                await self._refuse(f"unknown command {verb.decode('latin-1')}")
            if length > PATH_BYTES:
                await self._refuse("path too long")
            path = (await self._exactly(length)).decode("utf-8", "replace")
            fault = await self._enter(f"sync {verb.decode()} {path}")
            assert reply is not None
            await self._answer(fault, await reply(verb, path))

    # --- requests ------------------------------------------------------------------------------------------------

    async def _stat(self, verb: bytes, path: str) -> bytes:
        stat = self._phone.stat(path)
        return _STAT1.pack(verb, stat.mode & _U32, stat.size & _U32, stat.mtime & _U32)

    async def _stat2(self, verb: bytes, path: str) -> bytes:
        return _STAT2.pack(verb, *_fields2(self._phone.stat(path)))

    async def _list(self, verb: bytes, path: str) -> bytes:
        entries = b""
        for name, stat in self._phone.listing(path).items():
            raw = name.encode("utf-8", "replace")
            entries += _DENT1.pack(b"DENT", stat.mode & _U32, stat.size & _U32, stat.mtime & _U32, len(raw)) + raw
        return entries + _DENT1.pack(b"DONE", 0, 0, 0, 0)

    async def _list2(self, verb: bytes, path: str) -> bytes:
        entries = b""
        for name, stat in self._phone.listing(path).items():
            raw = name.encode("utf-8", "replace")
            entries += _DENT2.pack(b"DNT2", *_fields2(stat), len(raw)) + raw
        return entries + _DENT2.pack(b"DONE", *[0] * 12)

    async def _receive(self, verb: bytes, path: str) -> bytes:
        data = self._phone.read(path)
        if data is None:
            return _fail("No such file or directory")
        blocks = [data[i : i + DATA_BYTES] for i in range(0, len(data), DATA_BYTES)]
        return b"".join(_HEAD.pack(b"DATA", len(block)) + block for block in blocks) + _HEAD.pack(b"DONE", 0)

    async def _receive2(self, verb: bytes, path: str) -> bytes:
        await self._second_part(verb, "<I")
        return await self._receive(verb, path)

    async def _send(self, verb: bytes, path: str) -> bytes:
        path, comma, mode = path.rpartition(",")
        if not comma or not mode.isascii() or not mode.isdecimal() or len(mode) > 10:
            await self._refuse("missing , in ID_SEND")
        return await self._take_file(path, int(mode))

    async def _send2(self, verb: bytes, path: str) -> bytes:
        mode = await self._second_part(verb, "<II")
        return await self._take_file(path, mode)

    # --- parts ---------------------------------------------------------------------------------------------------

    async def _second_part(self, verb: bytes, fields: str) -> int:
        """The rest of a v2 request: the id again, for SND2 the mode, and flags; compression is not offered."""
        numbers = struct.unpack(fields, await self._tagged(verb, struct.calcsize(fields)))
        if numbers[-1] != 0:
            await self._refuse(f"unsupported flags {numbers[-1]:#x}")
        return numbers[0]

    async def _tagged(self, verb: bytes, length: int) -> bytes:
        if await self._exactly(4) != verb:
            await self._refuse(f"second part of {verb.decode()} missing")
        return await self._exactly(length)

    async def _take_file(self, path: str, mode: int) -> bytes:
        data = bytearray()
        while True:
            kind, number = await self._head()
            if kind == b"DONE":
                break
            if kind != b"DATA":
                await self._refuse("invalid data message")
            if number > DATA_BYTES:
                await self._refuse("oversize data message")
            if len(data) + number > FILE_BYTES:
                await self._refuse("file too large")
            data += await self._exactly(number)
        if error := self._phone.write(path, bytes(data), mode & 0o7777, number):
            return _fail(error)
        return _HEAD.pack(b"OKAY", 0)

    async def _refuse(self, reason: str) -> None:
        await self._stream.write(_fail(reason))
        raise ProtocolError(f"sync: {reason}")

    async def _head(self) -> tuple[bytes, int]:
        kind, number = _HEAD.unpack(await self._exactly(_HEAD.size))
        return kind, number

    async def _exactly(self, length: int) -> bytes:
        while len(self._buffer) < length:
            self._buffer += await self._stream.read()
        data = bytes(self._buffer[:length])
        del self._buffer[:length]
        return data


def _fields2(stat: FileStat) -> tuple[int, ...]:
    """Everything of a v2 answer after its id."""
    error = 0 if stat.mode else errno.ENOENT
    times = (stat.mtime, stat.mtime, stat.mtime)
    owner = (1, _SHELL_UID, _SHELL_UID) if stat.mode else (0, 0, 0)
    return (error, 0, 0, stat.mode & _U32, *owner, stat.size, *times)


def _fail(reason: str) -> bytes:
    raw = reason.encode("utf-8", "replace")
    return _HEAD.pack(b"FAIL", len(raw)) + raw
