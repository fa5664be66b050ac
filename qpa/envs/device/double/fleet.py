"""Many device doubles in one process, each on a loopback port of its own."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from types import TracebackType
from typing import Any, TypeVar

from qpa.envs.device.base import Phone
from qpa.envs.device.double.auth import Authorisation
from qpa.envs.device.double.faults import FaultInjector, FaultKind, FaultScript
from qpa.envs.device.double.server import DeviceServer

T = TypeVar("T")

_CALL_S = 30.0  # for the loop to do one thing; a phone that blocks longer is a bug


class Fleet:
    """Doubles that run on one event loop in a thread of their own; a context manager, usable from any thread.

        with Fleet(lambda i: make_phone(i), 4) as fleet:
            subprocess.run(["adb", "connect", fleet.serials[0]])

    Phones are made in that thread, and only that thread calls them.
    """

    def __init__(
        self,
        phones: Callable[[int], Phone],
        count: int,
        *,
        script: FaultScript | None = None,
        authorisation: Authorisation = Authorisation.NONE,
        features: tuple[str, ...] | None = None,
        ports: Mapping[int, int] | None = None,
        first_port: int = 0,
    ):
        """`phones` makes the phone of an index; `first_port`: device i listens on first_port + i, 0: on free ports.

        The other arguments are those of `DeviceServer`.
        """
        if count < 1 or not (first_port == 0 or 1024 <= first_port <= 65536 - count):
            raise ValueError(f"a fleet needs at least 1 device and ports from 1024 to 65535, not {count}, {first_port}")
        self._phones, self._count, self._script, self._first_port = phones, count, script, first_port
        self._authorisation, self._features, self._ports = authorisation, features, ports
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="device-doubles", daemon=True)
        self.devices: list[DeviceServer] = []

    def __enter__(self) -> Fleet:
        self._thread.start()
        try:
            self._call(self._start_all())
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stops every device and the thread."""
        if self._loop.is_closed():
            return
        self._call(self._stop_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CALL_S)
        self._loop.close()

    @property
    def serials(self) -> list[str]:
        """What the adb server calls the devices."""
        return [f"127.0.0.1:{device.port}" for device in self.devices]

    @property
    def injected(self) -> Counter[FaultKind]:
        """How often each kind of fault was injected, in the whole fleet."""
        return sum((device.faults.counts for device in self.devices), Counter())

    def start(self, index: int) -> None:
        """Starts a stopped device again, on its old port, with its phone as it was."""
        self._call(self.devices[index].start())

    def stop(self, index: int) -> None:
        """Powers a device off: its connections break, and new ones are refused."""
        self._call(self.devices[index].stop())

    def restart(self, index: int) -> None:
        """Powers a device off and on."""
        self.stop(index)
        self.start(index)

    def disconnect(self, index: int) -> None:
        """Cuts a device's connections once."""
        self._call(self._on_loop(self.devices[index].disconnect))

    def set_faults(self, index: int, script: FaultScript | None) -> FaultInjector:
        """Gives a device another script, from its next event on; returns the injector, whose log starts empty."""
        injector = FaultInjector(script, index)
        self.devices[index].faults = injector
        return injector

    def on_phone(self, index: int, call: Callable[[Phone], T]) -> T:
        """Runs `call` with a device's phone, in the thread that the phone belongs to."""
        return self._call(self._on_loop(lambda: call(self.devices[index].phone)))

    def _call(self, coroutine: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_CALL_S)

    async def _on_loop(self, call: Callable[[], T]) -> T:
        return call()

    async def _start_all(self) -> None:
        for index in range(self._count):
            device = DeviceServer(
                self._phones(index),
                faults=FaultInjector(self._script, index),
                authorisation=self._authorisation,
                features=self._features,
                ports=self._ports,
                port=self._first_port and self._first_port + index,
            )
            await device.start()
            self.devices.append(device)

    async def _stop_all(self) -> None:
        for device in self.devices:
            await device.stop()
