"""Requests to a device through an adb server, blocking: state, shell, files. Deadlines are the caller's (`abandon`)."""

from __future__ import annotations

import os
import re
import shlex
import socket
import stat
import struct
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from adbutils import AdbError, AdbTimeout

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.device.abandon import Line
from qpa.envs.device.adb_server import AdbServer, Connection
from qpa.envs.device.base import FileStat, ShellResult

COMMAND_BYTES = 60_000  # the smart socket counts to 65,535
PATH_BYTES = 1024
_DATA_BYTES = 64 * 1024
_READ_BYTES = 256 * 1024
_STDOUT, _STDERR, _EXIT = 1, 2, 3  # frames of shell v2
_FRAME = struct.Struct("<BI")
_HEAD = struct.Struct("<4sI")


class CommandError(ValueError):
    """A command or path that cannot be sent to a device as it is; nothing was sent."""


def command_line(argv: tuple[str, ...]) -> str:
    """The command for the device's shell, each argument quoted once, so that it arrives verbatim.

    Raises `CommandError` for an empty command, NUL, control characters other than newline and tab, text that is not
    Unicode, and more than 60,000 bytes.
    """
    if not argv or not argv[0]:
        raise CommandError("an empty command")
    for i, argument in enumerate(argv):
        _check_text(argument, f"argument {i} of {argv[0][:40]!r}")
    command = " ".join(map(shlex.quote, argv))
    if (size := len(command.encode())) > COMMAND_BYTES:
        raise CommandError(f"a command of {size} bytes, at most {COMMAND_BYTES} are possible")
    return command


def check_path(path: str) -> str:
    """Returns an absolute device path, or raises `CommandError`."""
    _check_text(path, "path")
    if not path.startswith("/") or len(path.encode()) > PATH_BYTES - 16:  # room for ",mode"
        raise CommandError(f"not an absolute path of at most {PATH_BYTES - 16} bytes: {path[:80]!r}")
    return path


def _check_text(text: str, what: str) -> None:
    for char in text:
        if char not in "\n\t" and unicodedata.category(char) in ("Cc", "Cs"):
            raise CommandError(f"{what} has the character U+{ord(char):04X}, which cannot be sent")


class DeviceCalls:
    """One serial's requests. Every method blocks, takes the `Line` by which it can be cut, and raises `EnvFailure`."""

    def __init__(self, server: AdbServer, serial: str, output_bytes: int):
        self.server, self.serial, self._cap = server, serial, output_bytes
        self._features: frozenset[str] | None = None

    def forget(self) -> None:
        """What was learnt of the device may no longer hold."""
        self._features = None

    # --- asked of the server -------------------------------------------------------------------------------------

    def state(self, line: Line) -> str:
        """`device`, `offline`, `unauthorized`, ... as the server sees it; "absent" if it knows no such device."""
        try:
            return self._ask(line, f"host-serial:{self.serial}:get-state")
        except EnvFailure as e:
            text = str(e)
            for state in ("unauthorized", "offline", "authorizing", "connecting"):
                if f"device {state}" in text or f"device still {state}" in text:
                    return state
            if "not found" in text:
                return "absent"
            raise

    def connect(self, line: Line) -> str:
        """Connects the server to a HOST:PORT serial; returns what it says."""
        return self._ask(line, f"host:connect:{self.serial}")

    def disconnect(self, line: Line) -> str:
        """Makes the server forget a HOST:PORT serial; returns what it says, an error too."""
        try:
            return self._ask(line, f"host:disconnect:{self.serial}")
        except EnvFailure as e:
            return str(e)

    def reconnect(self, line: Line) -> str:
        """Makes the server drop and renew the device's transport; returns what it says, an error too."""
        try:
            return self._ask(line, f"host-serial:{self.serial}:reconnect")
        except EnvFailure as e:
            return str(e)

    def forward(self, line: Line, port: int) -> int:
        """Forwards a free loopback port of this machine to the device's TCP port; returns the local port."""
        with self._open(line) as connection:
            connection.send_command(f"host-serial:{self.serial}:forward:tcp:0;tcp:{port}")
            connection.check_okay()
            connection.check_okay()
            return int(connection.read_string_block())

    # --- asked of the device -------------------------------------------------------------------------------------

    def shell(self, line: Line, command: str) -> ShellResult:
        """Runs one command line."""
        if self._features is None:
            self._features = frozenset(self._ask(line, f"host-serial:{self.serial}:features").split(","))
        if "shell_v2" not in self._features:
            return self._shell_v1(line, command)
        with self._service(line, f"shell,v2,raw:{command}") as connection:
            return self._read_frames(connection.conn)

    def _read_frames(self, sock: socket.socket) -> ShellResult:
        out, err, total = bytearray(), bytearray(), 0
        while True:
            kind, length = _FRAME.unpack(_exactly(sock, _FRAME.size))
            total += length if kind in (_STDOUT, _STDERR) else 0
            if total > self._cap or length > self._cap:
                raise EnvFailure(f"{self.serial}: more than {self._cap} bytes of output")
            data = _exactly(sock, length)
            if kind == _STDOUT:
                out += data
            elif kind == _STDERR:
                err += data
            elif kind == _EXIT and length == 1:
                return ShellResult(bytes(out), bytes(err), data[0])
            else:
                raise EnvFailure(f"{self.serial}: shell frame {kind} of {length} bytes")

    def _shell_v1(self, line: Line, command: str) -> ShellResult:
        """For adbd before Android 7: one stream, and the exit code printed behind the output."""
        mark = os.urandom(8).hex()
        output = self.exec_out(line, f"{command}; echo {mark}:$?")
        found = re.search(rf"{mark}:(\d+)\r?\n?\Z".encode(), output)
        if found is None:
            raise EnvFailure(f"{self.serial}: the command ended without an exit code", FailureCause.CONNECTION)
        return ShellResult(stdout=output[: found.start()], exit_code=int(found[1]) & 0xFF)

    def exec_out(self, line: Line, command: str) -> bytes:
        """What a command line writes, raw."""
        output = bytearray()
        with self._service(line, f"exec:{command}") as connection:
            while data := connection.conn.recv(_READ_BYTES):
                output += data
                if len(output) > self._cap:
                    raise EnvFailure(f"{self.serial}: more than {self._cap} bytes of output")
        return bytes(output)

    def stat(self, line: Line, path: str) -> FileStat:
        """What is at a path."""
        with self._service(line, "sync:") as connection:
            _request(connection.conn, b"STAT", path)
            kind, mode, size, mtime = struct.unpack("<4sIII", _exactly(connection.conn, 16))
        if kind != b"STAT":
            raise EnvFailure(f"{self.serial}: STAT answered with {kind!r}")
        return FileStat(mode, size, mtime)

    def pull(self, line: Line, path: str) -> bytes:
        """A file's bytes."""
        content = bytearray()
        with self._service(line, "sync:") as connection:
            _request(connection.conn, b"RECV", path)
            while True:
                kind, length = _HEAD.unpack(_exactly(connection.conn, _HEAD.size))
                if kind == b"DONE":
                    return bytes(content)
                if kind == b"FAIL":
                    raise EnvFailure(f"{self.serial}: pull {path}: {_reason(connection.conn, length)}")
                if kind != b"DATA" or length > _DATA_BYTES:
                    raise EnvFailure(f"{self.serial}: pull {path}: block {kind!r} of {length} bytes")
                if len(content) + length > self._cap:
                    raise EnvFailure(f"{self.serial}: pull {path}: more than {self._cap} bytes")
                content += _exactly(connection.conn, length)

    def push(self, line: Line, path: str, data: bytes) -> None:
        """Writes a file, mode 0644."""
        with self._service(line, "sync:") as connection:
            _request(connection.conn, b"SEND", f"{path},{stat.S_IFREG | 0o644}")
            for start in range(0, len(data), _DATA_BYTES):
                block = data[start : start + _DATA_BYTES]
                connection.conn.sendall(_HEAD.pack(b"DATA", len(block)) + block)
            connection.conn.sendall(_HEAD.pack(b"DONE", int(time.time())))
            kind, length = _HEAD.unpack(_exactly(connection.conn, _HEAD.size))
            if kind == b"FAIL":
                raise EnvFailure(f"{self.serial}: push {path}: {_reason(connection.conn, length)}")
            if kind != b"OKAY":
                raise EnvFailure(f"{self.serial}: push {path}: answered with {kind!r}")

    # --- connections ---------------------------------------------------------------------------------------------

    def _ask(self, line: Line, request: str) -> str:
        with self._open(line) as connection:
            connection.send_command(request)
            connection.check_okay()
            return connection.read_string_block()

    @contextmanager
    def _service(self, line: Line, service: str) -> Iterator[Connection]:
        with self._open(line) as connection:
            connection.send_command(f"host:tport:serial:{self.serial}")
            connection.check_okay()
            _exactly(connection.conn, 8)  # the transport's id
            line.sent = True
            raw = service.encode()
            connection.conn.sendall(b"%04x" % len(raw) + raw)
            connection.check_okay()
            yield connection

    @contextmanager
    def _open(self, line: Line) -> Iterator[Connection]:
        """A connection to the server; everything that adbutils and sockets raise becomes an `EnvFailure`."""
        connection = self.server.connect(timeout_s=3600.0)  # the deadline cuts the line long before
        try:
            line.hold(connection.conn)
            yield connection
        except (AdbTimeout, TimeoutError) as e:
            raise EnvFailure(f"{self.serial}: {e or 'no answer'}", FailureCause.DEADLINE) from None
        except (AdbError, OSError, EOFError) as e:
            raise EnvFailure(f"{self.serial}: {e or 'connection closed'}", FailureCause.CONNECTION) from None
        except ValueError as e:
            raise EnvFailure(f"{self.serial}: an answer that cannot be read: {e}") from None
        finally:
            connection.conn.close()


def _request(sock: socket.socket, verb: bytes, path: str) -> None:
    raw = path.encode()
    sock.sendall(_HEAD.pack(verb, len(raw)) + raw)


def _reason(sock: socket.socket, length: int) -> str:
    return _exactly(sock, min(length, 4096)).decode("utf-8", "replace")


def _exactly(sock: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = sock.recv(min(length - len(data), _READ_BYTES))
        if not part:
            raise EOFError("the connection closed in the middle of an answer")
        data += part
    return bytes(data)
