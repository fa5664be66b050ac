"""The device end of ADB connections: handshake, authorisation, and streams handed to services.

Whatever a host sends, the worst that happens is that its own connection closes. A phone's calls are short and run on
the event loop, each connection giving way to the others after every packet, so that many devices share one thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping

from qpa.envs.device.base import Phone
from qpa.envs.device.double import auth, protocol
from qpa.envs.device.double.auth import Authorisation, PublicKey
from qpa.envs.device.double.faults import FaultInjector, FaultKind
from qpa.envs.device.double.protocol import AUTH, CLSE, CNXN, OKAY, OPEN, WRTE, Packet, ProtocolError
from qpa.envs.device.double.services import serve
from qpa.envs.device.double.stream import Stream, StreamClosed

HANDSHAKE_S = 30.0  # a host that has not said CNXN by then is cut off
MAX_STREAMS = 256  # per connection
MAX_CONNECTIONS = 16  # per device
_ATTEMPTS = 32  # AUTH packets before a connection is given up

_log = logging.getLogger(__name__)


class DeviceServer:
    """One device double: a phone that answers ADB on a loopback port.

    Attributes:
      phone: the userland.
      faults: what goes wrong, and the log of it.
      keys: public keys of hosts that were allowed.
    """

    def __init__(
        self,
        phone: Phone,
        *,
        faults: FaultInjector | None = None,
        authorisation: Authorisation = Authorisation.NONE,
        features: tuple[str, ...] | None = None,
        ports: Mapping[int, int] | None = None,
        port: int = 0,
    ):
        """`features`: what the banner offers, default: what the phone's Android does. `ports`: the device's open TCP
        ports, each mapped to a loopback port of this machine; a forward to any other one is refused. `port`: where to
        listen, 0: on a free one."""
        self.phone = phone
        self.faults = faults or FaultInjector()
        self.authorisation = authorisation
        self.features = features if features is not None else features_of(phone)
        self.ports = dict(ports or {})
        self.keys: list[PublicKey] = []
        self.port = port
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def start(self) -> None:
        """Listens on 127.0.0.1; after a stop, on the same port again."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port, backlog=64)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stops listening and cuts every connection, as a phone that loses power does."""
        if self._server is not None:
            self._server.close()
            self._server = None
        tasks = list(self._connections)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def disconnect(self) -> None:
        """Cuts every connection and goes on listening, as a loose cable does."""
        for writer in list(self._connections.values()):
            writer.transport.abort()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        if len(self._connections) >= MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._connections[task] = writer
        connection = Connection(self, reader, writer)
        try:
            await connection.run()
        except (ProtocolError, TimeoutError) as e:
            _log.info("connection to port %d closed: %s", self.port, e)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # the host hung up
        except asyncio.CancelledError:
            pass  # stop(): the task ends with the connection
        finally:
            del self._connections[task]
            connection.end()
            writer.transport.abort()


class Connection:
    """One host's connection to a device."""

    def __init__(self, device: DeviceServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter):
        self._device, self._reader, self._writer = device, reader, writer
        self._streams: dict[int, Stream] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._next = 0
        self._chunk = protocol.HANDSHAKE_PAYLOAD

    async def run(self) -> None:
        """Serves the host until it leaves; raises what ended it."""
        async with asyncio.timeout(HANDSHAKE_S):
            await self._handshake()
        while True:
            packet = await protocol.read_packet(self._reader, limit=protocol.MAX_PAYLOAD)
            self._dispatch(packet)
            await self._writer.drain()
            await asyncio.sleep(0)  # a host with much to say must not keep the loop

    def end(self) -> None:
        """Wakes and stops everything that served this connection."""
        for stream in list(self._streams.values()):
            stream.end()
        for task in list(self._tasks):
            task.cancel()

    # --- handshake -----------------------------------------------------------------------------------------------

    async def _handshake(self) -> None:
        hello = await self._first_packet()
        if hello.command != CNXN:
            raise ProtocolError("the first packet is not CNXN")
        if hello.arg0 < protocol.VERSION_MIN or hello.arg1 < 1:
            raise ProtocolError(f"CNXN with version {hello.arg0:#x} and payload size {hello.arg1}")
        fault = self._device.faults.on("connect")
        if fault is not None and fault.kind is FaultKind.OFFLINE:
            await self._reader.read()  # takes whatever comes, until the host gives up or the time is over
            raise ProtocolError("the host gave up on an offline device")
        policy = self._device.authorisation
        if fault is not None and fault.kind is FaultKind.UNAUTHORIZED:
            policy = Authorisation.REFUSE
        if policy is not Authorisation.NONE:
            await self._authorise(policy)
        self._chunk = min(hello.arg1, protocol.MAX_PAYLOAD)
        banner = banner_of(self._device.phone, self._device.features)
        self._send(Packet(CNXN, protocol.VERSION, protocol.MAX_PAYLOAD, banner), checksum=True)

    async def _first_packet(self) -> Packet:
        return await protocol.read_packet(self._reader, limit=protocol.HANDSHAKE_PAYLOAD, checksum=True)

    async def _authorise(self, policy: Authorisation) -> None:
        """Returns once the host is allowed."""
        for _ in range(_ATTEMPTS):
            token = auth.new_token()
            self._send(Packet(AUTH, protocol.AUTH_TOKEN, 0, token), checksum=True)
            answer = await self._first_packet()
            if answer.command != AUTH:
                raise ProtocolError("expected an AUTH packet")
            if answer.arg0 == protocol.AUTH_SIGNATURE:
                known = self._device.keys if policy is Authorisation.ACCEPT else []
                if any(key.verifies(answer.data, token) for key in known):
                    return
            elif answer.arg0 == protocol.AUTH_PUBLIC_KEY:
                key = PublicKey(answer.data)
                if policy is Authorisation.ACCEPT:
                    self._device.keys.append(key)
                    return
                await self._dialog()
            else:
                raise ProtocolError(f"AUTH packet of type {answer.arg0}")
        raise ProtocolError(f"not authorised after {_ATTEMPTS} attempts")

    async def _dialog(self) -> None:
        """The question on the phone's screen stays open: the host waits as `unauthorized` until it leaves."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HANDSHAKE_S):
                await self._reader.read()
        raise ProtocolError("nobody allowed the host's key")

    # --- streams -------------------------------------------------------------------------------------------------

    def _send(self, packet: Packet, *, checksum: bool = False) -> None:
        self._writer.write(protocol.encode(packet, checksum=checksum))

    def _dispatch(self, packet: Packet) -> None:
        if packet.command == OPEN:
            self._open(packet)
            return
        if packet.command == CLSE and packet.arg1 == 0:  # the host does not know our id before we accept
            for waiting in [s for s in self._streams.values() if s.remote == packet.arg0 and not s.accepted]:
                waiting.end()
            return
        stream = self._streams.get(packet.arg1)
        if stream is None or stream.remote != packet.arg0:
            if packet.command == WRTE:  # it crossed our CLSE
                self._send(Packet(CLSE, 0, packet.arg0))
            elif packet.command in (CNXN, AUTH):
                raise ProtocolError("a second handshake")
        elif packet.command == WRTE:
            stream.arrived(packet.data)
        elif packet.command == OKAY:
            stream.acknowledged()
        elif packet.command == CLSE:
            stream.end()

    def _open(self, packet: Packet) -> None:
        # arg1 is a window for delayed acknowledgements, which the banner does not offer.
        if packet.arg0 == 0 or packet.arg1 != 0 or len(self._streams) >= MAX_STREAMS:
            self._send(Packet(CLSE, 0, packet.arg0))
            return
        self._next = self._next % 0xFFFFFFFF + 1
        stream = Stream(self._next, packet.arg0, self._send, self._chunk)
        self._streams[stream.local] = stream
        task = asyncio.create_task(self._serve(stream, packet.data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, stream: Stream, destination: bytes) -> None:
        try:
            await serve(
                self._device, stream, self._writer.transport.abort, destination.rstrip(b"\0").decode("utf-8", "replace")
            )
        except StreamClosed:
            pass
        except ProtocolError as e:
            _log.info("stream %d closed: %s", stream.local, e)
        except Exception:
            _log.exception("service %r failed", destination)
        stream.close()
        self._streams.pop(stream.local, None)


def features_of(phone: Phone) -> tuple[str, ...]:
    """What the adbd of the phone's Android version offers, of the things that the double can do."""
    try:
        sdk = int(phone.properties.get("ro.build.version.sdk", ""))
    except ValueError:
        sdk = 30
    since = {"shell_v2": 24, "cmd": 24, "stat_v2": 26, "fixed_push_mkdir": 28, "ls_v2": 29, "sendrecv_v2": 30}
    return tuple(name for name, first in since.items() if sdk >= first)


def banner_of(phone: Phone, features: tuple[str, ...]) -> bytes:
    """What CNXN carries: `device::` and the properties that `adb devices -l` shows."""
    shown = ("ro.product.name", "ro.product.model", "ro.product.device")
    clean = str.maketrans("", "", ";=\0\r\n")
    fields = [f"{name}={phone.properties.get(name, 'unknown').translate(clean)[:256]}" for name in shown]
    return "device::{};features={}".format(";".join(fields), ",".join(features)).encode()
