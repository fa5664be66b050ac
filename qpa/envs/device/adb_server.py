"""An adb server of our own, on a private port, with a pinned binary.

Two servers of different versions kill each other, and `adb kill-server` cuts every device of everybody. So: a server
that we started is a child process and ends with us; one that was there is used and left alone; none is ever started
behind our back.
"""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import threading
import time
from importlib import resources
from pathlib import Path
from typing import IO

from adbutils import AdbError
from adbutils._adb import AdbConnection

from qpa.contract import EnvFailure, FailureCause

PORT_VARIABLE = "ANDROID_ADB_SERVER_PORT"
PROTOCOL = 41  # of the smart socket, since 2018
_START_S, _STOP_S, _POLL_S = 20.0, 5.0, 0.02


class Connection(AdbConnection):
    """A connection to an adb server that is there; adbutils' own starts another server if it finds none."""

    def _safe_connect(self) -> socket.socket:
        return self._create_socket()


class AdbServer:
    """A running adb server.

    Attributes:
      port: on 127.0.0.1.
      binary: path of the adb that it was started with; "" for one that was there.
    """

    def __init__(self, port: int, *, binary: str = "", environment: dict[str, str] | None = None):
        """Use `start`, `attach` or `from_environment`."""
        self.port, self.binary, self._environment = port, binary, environment
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self._lock = threading.Lock()

    @classmethod
    def start(cls, *, binary: str = "", port: int = 0, home: str | Path | None = None, usb: bool = True) -> AdbServer:
        """Starts a server; raises `EnvFailure` if it does not answer within 20 seconds.

        Args:
          binary: path of adb; default: the one that came with adbutils.
          port: 0 for a free one; one that is taken is an error.
          home: folder of the host's key (`.android/adbkey`); default: the user's own.
          usb: also look for devices on USB.
        """
        environment = {**os.environ, "ADB_MDNS": "0", "ADB_REJECT_KILL_SERVER": "1"}
        environment.pop(PORT_VARIABLE, None)
        environment.pop("ADB_BURST_MODE", None)
        if home is not None:
            environment.update(
                HOME=str(home), ANDROID_SDK_HOME=str(home), ANDROID_USER_HOME=str(Path(home, ".android"))
            )
        if not usb:
            environment["ADB_USB"] = "0"
        server = cls(port or _free_port(), binary=binary or bundled_adb(), environment=environment)
        server.ensure()
        return server

    @classmethod
    def attach(cls, port: int) -> AdbServer:
        """Uses a server that somebody else started, and never stops it; raises `EnvFailure` if none answers."""
        server = cls(port)
        version = server.version()
        if version < PROTOCOL:
            raise EnvFailure(f"the adb server on port {port} speaks protocol {version}, {PROTOCOL} is needed")
        return server

    @classmethod
    def from_environment(cls, *, usb: bool = True) -> AdbServer:
        """The server of `ANDROID_ADB_SERVER_PORT`, started there if none answers; without it, a new one (`usb`)."""
        text = os.environ.get(PORT_VARIABLE, "")
        if not text:
            return cls.start(usb=usb)
        if not (text.isascii() and text.isdecimal() and 0 < int(text) < 65536):
            raise ValueError(f"{PORT_VARIABLE}={text!r} is not a port")
        try:
            return cls.attach(int(text))
        except EnvFailure as e:
            if e.cause is not FailureCause.CONNECTION:
                raise
        return cls.start(port=int(text))

    @property
    def owned(self) -> bool:
        """Whether this object started the server, and `close()` ends it."""
        return bool(self.binary)

    def connect(self, timeout_s: float) -> Connection:
        """A fresh connection whose every read and write takes at most `timeout_s`; raises `EnvFailure`."""
        try:
            connection = Connection("127.0.0.1", self.port)
        except (AdbError, OSError) as e:
            raise EnvFailure(f"no adb server on port {self.port}: {e}", FailureCause.CONNECTION) from None
        connection.conn.settimeout(timeout_s)
        return connection

    def version(self, timeout_s: float = 2.0) -> int:
        """The protocol version it reports; raises `EnvFailure` for anything that is not an adb server."""
        connection = self.connect(timeout_s)
        try:
            connection.send_command("host:version")
            connection.check_okay()
            return int(connection.read_string_block(), 16)
        except (AdbError, OSError, ValueError) as e:
            raise EnvFailure(f"what listens on port {self.port} is not an adb server: {e}") from None
        finally:
            connection.conn.close()

    def ensure(self) -> None:
        """Starts our own server again if it has ended; nothing for one that is not ours. Blocks; any thread."""
        with self._lock:
            if not self.owned or self._closed or (self._process is not None and self._process.poll() is None):
                return
            if _listens(self.port):
                raise EnvFailure(f"port {self.port} is taken: attach to that server, or choose another port")
            self._launch()

    def _launch(self) -> None:
        command = [self.binary, "-P", str(self.port), "nodaemon", "server"]
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - kept while the server runs
        try:
            # Its own session: a Ctrl-C for us must not cut the devices before we have put them back in order.
            self._process = subprocess.Popen(
                command, env=self._environment, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log,
                start_new_session=True,
            )  # fmt: skip
        except OSError as e:
            raise EnvFailure(f"adb cannot be started: {e}") from None
        up = False
        try:
            up = self._comes_up(self._process)
        finally:  # nobody could close a server that failed to start
            if not up:
                self._end_process()
        if up:
            return
        self._log.seek(0)
        tail = self._log.read()[-500:].decode("utf-8", "replace")
        raise EnvFailure(f"adb did not start on port {self.port}: {' '.join(tail.split())}")

    def _comes_up(self, process: subprocess.Popen[bytes]) -> bool:
        end = time.monotonic() + _START_S
        while process.poll() is None and time.monotonic() < end:
            # A server that looks for USB devices listens at once and answers only when it has looked, 3 s later.
            if _listens(self.port) and self.version(max(0.1, end - time.monotonic())) >= PROTOCOL:
                return True
            time.sleep(_POLL_S)
        return False

    def close(self) -> None:
        """Ends the server if it is ours. `connect` fails afterwards."""
        with self._lock:
            self._closed = True  # not to be started again
            self._end_process()
            if self._log is not None:
                self._log.close()

    def _end_process(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        self._process.terminate()
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_STOP_S)


def bundled_adb() -> str:
    """Path of the adb that comes with the installed adbutils; raises `EnvFailure` where its wheel has none."""
    path = Path(str(resources.files("adbutils") / "binaries" / ("adb.exe" if os.name == "nt" else "adb")))
    if not path.is_file():
        raise EnvFailure("this build of adbutils has no adb; name one with `binary`")
    return str(path)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
