"""Real adb servers: one per binary and session, on private ports, with keys in a temporary home."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from wire_phone import WirePhone
from wire_rig import Adb

from qpa.envs.device.adb_server import AdbServer, bundled_adb
from qpa.envs.device.double.fleet import Fleet


@pytest.fixture(scope="session", params=["bundled", "path"])
def adb(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Adb]:
    """The wheel's adb and, where there is one, the adb on PATH."""
    binary = bundled_adb() if request.param == "bundled" else shutil.which("adb")
    if not binary:
        pytest.skip("no adb on PATH")
    home = tmp_path_factory.mktemp("adb-home")
    server = AdbServer.start(binary=binary, home=home, usb=False)
    yield Adb(binary, server, home)
    server.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AdbServer]:
    """The wheel's adb server, for what does not depend on the binary."""
    server = AdbServer.start(home=tmp_path_factory.mktemp("adb-home"), usb=False)
    yield server
    server.close()


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    """Two devices."""
    with Fleet(WirePhone, 2) as fleet:
        yield fleet
