"""What the transport's tests share: the adb command, a host that speaks raw packets, links."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path
from typing import Any

from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.double.protocol import CNXN, HANDSHAKE_PAYLOAD, OKAY, OPEN, WRTE, Packet, encode
from qpa.envs.device.enrolment import DeviceKind, DeviceLimits, EnrolledDevice
from qpa.envs.device.link import AdbLink
from qpa.envs.device.recovery import RecoveryLimits

QUICK = RecoveryLimits(probe_s=1.0, quarantine_s=0.5, quarantine_max_s=2.0)


class Adb:
    """One adb binary with its server."""

    def __init__(self, binary: str, server: AdbServer, home: Path):
        self.binary, self.server, self.home = binary, server, home

    def __call__(self, *words: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        """Runs `adb WORDS`; every run is bounded."""
        environment = {**os.environ, "HOME": str(self.home), "ANDROID_ADB_SERVER_PORT": str(self.server.port)}
        return subprocess.run([self.binary, *words], env=environment, input=stdin, capture_output=True, timeout=30)

    def on(self, serial: str, *words: str, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        """Runs `adb -s SERIAL WORDS`, connected first."""
        assert b"connected to" in self("connect", serial).stdout
        return self("-s", serial, *words, stdin=stdin)


def link(server: AdbServer, serial: str, limits: DeviceLimits | None = None, **options: Any) -> AdbLink:
    """A link that recovers quickly."""
    device = EnrolledDevice(serial, DeviceKind.DOUBLE, limits=limits or DeviceLimits())
    return AdbLink(server, device, recovery=options.pop("recovery", QUICK), **options)


class RawHost:
    """A host that sends whatever it is told to."""

    def __init__(self, serial: str):
        self.socket = socket.create_connection(("127.0.0.1", int(serial.rpartition(":")[2])), timeout=10)

    def __enter__(self) -> RawHost:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *packets: Packet, checksum: bool = False) -> None:
        self.socket.sendall(b"".join(encode(p, checksum=checksum) for p in packets))

    def read(self) -> Packet | None:
        """The device's next packet; None at the end of the connection."""
        try:
            header = self._exactly(24)
            if header is None:
                return None
            command, arg0, arg1, length = (int.from_bytes(header[i : i + 4], "little") for i in (0, 4, 8, 12))
            data = self._exactly(length)
        except ConnectionError:
            return None
        return None if data is None else Packet(command, arg0, arg1, data)

    def hello(self) -> Packet:
        """The handshake; returns the device's banner packet."""
        self.send(Packet(CNXN, 0x01000001, 2**20, b"host::features=shell_v2\0"), checksum=True)
        banner = self.read()
        assert banner is not None and banner.command == CNXN and len(banner.data) <= HANDSHAKE_PAYLOAD
        return banner

    def open(self, destination: bytes, local: int = 7) -> Packet | None:
        """Opens a stream; returns the device's answer."""
        self.send(Packet(OPEN, local, 0, destination + b"\0"))
        return self.read()

    def run(self, command: bytes, local: int = 7) -> bytes:
        """A v1 shell's output."""
        opened = self.open(b"shell:" + command, local)
        assert opened is not None and opened.command == OKAY
        output = b""
        while (packet := self.read()) is not None and packet.command == WRTE:
            output += packet.data
            self.send(Packet(OKAY, local, packet.arg0))
        return output

    def _exactly(self, length: int) -> bytes | None:
        data = b""
        while len(data) < length:
            part = self.socket.recv(length - len(data))
            if not part:
                return None
            data += part
        return data


def alive(serial: str) -> bool:
    """Whether the device still serves a well-behaved host."""
    with RawHost(serial) as host:
        host.hello()
        return host.run(b"echo alive") == b"alive\n"
