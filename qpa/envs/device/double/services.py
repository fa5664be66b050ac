"""The services behind a stream's destination: shell v1 and v2, exec, sync and TCP forwards."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Protocol

from qpa.envs.device.base import Phone, ShellResult
from qpa.envs.device.double import protocol
from qpa.envs.device.double.faults import DeviceFault, FaultInjector, FaultKind
from qpa.envs.device.double.protocol import FrameReader, ProtocolError
from qpa.envs.device.double.stream import Stream, StreamClosed
from qpa.envs.device.double.sync import SyncService

_FRAME_BYTES = 64 * 1024  # of output in one shell v2 frame
_LINE_BYTES = 128 * 1024  # of one line typed into an interactive shell, Linux's limit for an argument
_TCP_CONNECT_S = 5.0


class Device(Protocol):
    """What a service needs of the device that it runs on."""

    phone: Phone
    faults: FaultInjector

    @property
    def ports(self) -> Mapping[int, int]:
        """The device's TCP ports, each with this machine's loopback port behind it."""
        ...


async def serve(device: Device, stream: Stream, cut: Callable[[], None], destination: str) -> None:
    """Runs one service to its end; `cut` closes the whole connection.

    A destination that the device does not have is refused: the stream ends without having been accepted.
    """
    service, colon, rest = destination.partition(":")
    name, *options = service.split(",")
    gate = Gate(device.faults, stream, cut)
    if name in ("shell", "exec") and colon:
        await _shell(device, gate, name, rest, v2="v2" in options)
    elif destination == "sync:":
        stream.accept()
        await SyncService(device.phone, stream, gate.enter, gate.answer).run()
    elif name == "reboot" and colon:  # as seen from outside: the connection breaks, the device comes back
        await gate.enter(f"open {destination}")
        stream.accept()
        cut()
    elif name == "tcp" and rest.isascii() and rest.isdecimal() and int(rest[:6]) in device.ports:
        await gate.enter(f"open {destination}")
        await _forward(stream, device.ports[int(rest[:6])])


class Gate:
    """Where faults act on one stream: before a request is taken, and on what it answers."""

    def __init__(self, faults: FaultInjector, stream: Stream, cut: Callable[[], None]):
        self.faults, self.stream, self._cut = faults, stream, cut

    async def enter(self, event: str) -> DeviceFault | None:
        """The fault that hits this request, once it has done what comes before the answer; a hang has no end."""
        fault = self.faults.on(event)
        if fault is not None and fault.kind is FaultKind.HANG:
            await self._nothing_more()
        if fault is not None and fault.kind is FaultKind.SLOW:
            await asyncio.sleep(fault.delay_s)
        return fault

    async def answer(self, fault: DeviceFault | None, data: bytes) -> None:
        """Writes an answer, or the half of it that the fault lets through."""
        if fault is None or fault.kind not in (FaultKind.DROP, FaultKind.STALL):
            await self.stream.write(data)
            return
        await self.stream.write(data[: len(data) // 2])
        if fault.kind is FaultKind.DROP:
            self._cut()
        await self._nothing_more()

    async def _nothing_more(self) -> None:
        await self.stream.ended()
        raise StreamClosed


async def _shell(device: Device, gate: Gate, name: str, command: str, *, v2: bool) -> None:
    if not command:
        gate.stream.accept()
        await _interactive(device, gate, v2=v2)
        return
    fault = await gate.enter(f"{name} {command}")
    gate.stream.accept()
    gate.stream.discard_input()  # a phone's commands read no standard input
    result = gate.faults.run(fault, command, device.phone.shell)
    await gate.answer(fault, _output(result, v2=v2) + _ending(result.exit_code, v2=v2))


async def _interactive(device: Device, gate: Gate, *, v2: bool) -> None:
    """A shell that reads its commands from the host, a line each, without a prompt."""
    code, typed, frames, at_end = 0, b"", FrameReader(), False
    while not at_end:
        data = await gate.stream.read()
        if v2:
            arrived = frames.feed(data)
            typed += b"".join(part for kind, part in arrived if kind == protocol.STDIN)
            at_end = any(kind == protocol.CLOSE_STDIN for kind, _ in arrived)
        else:
            typed += data
        *lines, typed = typed.split(b"\n")
        if at_end and typed:
            lines.append(typed)
        if len(typed) > _LINE_BYTES:
            raise ProtocolError("a line of more than 128 KiB in an interactive shell")
        for line in lines:
            command = line.decode("utf-8", "replace").strip()
            if command.split(" ")[0] == "exit":
                at_end = True
                code = int(command[4:]) & 0xFF if command[4:].strip().isdecimal() else code
                break
            fault = await gate.enter(f"shell {command}")
            result = gate.faults.run(fault, command, device.phone.shell)
            code = result.exit_code
            await gate.answer(fault, _output(result, v2=v2))
    await gate.stream.write(_ending(code, v2=v2))


def _output(result: ShellResult, *, v2: bool) -> bytes:
    if not v2:  # one stream; a host that prints the exit code behind the command (`; echo $?`) must find it at the end
        return result.stderr + result.stdout
    return b"".join(
        protocol.frame(kind, data[start : start + _FRAME_BYTES])
        for kind, data in ((protocol.STDOUT, result.stdout), (protocol.STDERR, result.stderr))
        for start in range(0, len(data), _FRAME_BYTES)
    )


def _ending(code: int, *, v2: bool) -> bytes:
    return protocol.frame(protocol.EXIT, bytes([code & 0xFF])) if v2 else b""


async def _forward(stream: Stream, port: int) -> None:
    """Joins the stream with a loopback port until either side ends."""
    try:
        async with asyncio.timeout(_TCP_CONNECT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
    except (OSError, TimeoutError):
        return  # refused: nobody listens there
    stream.accept()

    async def from_host() -> None:
        with contextlib.suppress(StreamClosed, ConnectionError):
            while True:
                writer.write(await stream.read())
                await writer.drain()

    async def to_host() -> None:
        with contextlib.suppress(StreamClosed, ConnectionError):
            while data := await reader.read(_FRAME_BYTES):
                await stream.write(data)

    pumps = [asyncio.create_task(from_host()), asyncio.create_task(to_host())]
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for pump in pumps:
            pump.cancel()
        writer.close()
