"""The two seams of the device backend: a link to one phone (host side), and what a phone does (device side)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class ShellResult:
    """What a device command left. `exit_code` is its own; many Android tools fail with 0 and an error text."""

    stdout: bytes = b""
    stderr: bytes = b""
    exit_code: int = 0


@dataclass(frozen=True)
class FileStat:
    """A file on the device; `mode` 0 means that there is none. `mtime` in seconds since 1970."""

    mode: int = 0
    size: int = 0
    mtime: int = 0


class DeviceLink(Protocol):
    """One enrolled serial. Every call ends within `deadline_s` seconds.

    `idempotent`: running the command twice does no harm, so it may be sent again after a broken connection.

    Raises `EnvFailure` with cause DEADLINE (no answer; the command may or may not have run), CONNECTION (offline,
    unauthorised, gone) or BACKEND (an answer that cannot be read).
    """

    serial: str

    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        """Runs a command; each argument is quoted once for the device's shell and reaches it verbatim."""
        ...

    async def exec_out(self, *argv: str, deadline_s: float, idempotent: bool = False) -> bytes:
        """Raw standard output, for binary data."""
        ...

    async def pull(self, path: str, *, deadline_s: float) -> bytes: ...

    async def push(self, path: str, data: bytes, *, deadline_s: float) -> None: ...


class Phone(Protocol):
    """The userland of a device double: what its shell and files do. Synchronous and fast; never raises on any input."""

    properties: dict[str, str]  # as `getprop` prints them, among them ro.build.version.release and .sdk, ro.product.*

    def shell(self, command: str) -> ShellResult:
        """Runs one command line as the device's shell (mksh) would read it."""
        ...

    def stat(self, path: str) -> FileStat: ...

    def listing(self, path: str) -> dict[str, FileStat]: ...

    def read(self, path: str) -> bytes | None:
        """The file's bytes; None if there is none."""
        ...

    def write(self, path: str, data: bytes, mode: int, mtime: int) -> str:
        """Writes a file; returns an error in one line, "" if it was written."""
        ...
