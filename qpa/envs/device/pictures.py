"""Screenshots: the PNG found in what a phone answered, checked to its last chunk."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from qpa.envs.device.parsers import ParseError

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS = 40_000_000
_CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # by PNG colour type; palettes do not come from screencap


@dataclass(frozen=True)
class Screenshot:
    """`data` is the PNG alone; `black` means that every pixel is: a secured window, or a screen that is off."""

    data: bytes
    width: int
    height: int
    black: bool


def read_screenshot(answer: bytes) -> Screenshot:
    """The first whole PNG. Text before it (a warning about several displays) and after it is left out.

    Raises `ParseError` when there is none, it is cut short, a checksum is wrong, or it is larger than any screen.
    """
    start = answer.find(SIGNATURE)
    if start < 0:
        raise ParseError(f"no PNG in {len(answer)} bytes: {answer[:80]!r}")
    end, header, pixels = _chunks(answer, start + len(SIGNATURE))
    if len(header) != 13:
        raise ParseError("PNG without a header")
    width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", header)
    if not 0 < width * height <= MAX_PIXELS:
        raise ParseError(f"PNG of {width}x{height} pixels")
    black = depth == 8 and interlace == 0 and colour in _CHANNELS and _is_black(pixels, width, height, colour)
    return Screenshot(answer[start:end], width, height, black)


def _chunks(data: bytes, at: int) -> tuple[int, bytes, bytes]:
    """Where the image ends, its header and its compressed pixels."""
    header, pixels = b"", []
    while True:
        if at + 12 > len(data):
            raise ParseError(f"PNG cut short after {len(data)} bytes")
        size, kind = struct.unpack_from(">I4s", data, at)
        if at + 12 + size > len(data):
            raise ParseError(f"PNG cut short in {kind!r}")
        body = data[at + 8 : at + 8 + size]
        if zlib.crc32(kind + body) != struct.unpack_from(">I", data, at + 8 + size)[0]:
            raise ParseError(f"PNG with a wrong checksum in {kind!r}")
        at += 12 + size
        if kind == b"IHDR":
            header = body
        elif kind == b"IDAT":
            pixels.append(body)
        elif kind == b"IEND":
            return at, header, b"".join(pixels)


def _is_black(compressed: bytes, width: int, height: int, colour: int) -> bool:
    channels = _CHANNELS[colour]
    size = height * (1 + width * channels)
    try:
        raw = zlib.decompressobj().decompress(compressed, size)
    except zlib.error as error:
        raise ParseError(f"PNG's pixels cannot be read: {error}") from None
    if len(raw) != size:
        raise ParseError("PNG has too few pixels")
    opaque = colour in (4, 6)  # the last channel is alpha, which says nothing about black
    line = 1 + width * channels
    # Filtered rows of a uniform image hold zeros but for the first pixel's own value, so colours need no unfiltering.
    for row in range(height):
        body = raw[row * line + 1 : (row + 1) * line]
        colours = (body[channel::channels] for channel in range(channels - opaque))
        if any(any(values) for values in colours):
            return False
    return True
