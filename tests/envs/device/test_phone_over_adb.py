"""The userland behind the real transport: the wheel's adb against doubles of two Android versions."""

from __future__ import annotations

import base64
import io
import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from double_phone import CALM, task
from PIL import Image

from qpa.contract import Evidence, from_msgpack, to_msgpack
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.phone import SandboxPhone

Run = Callable[..., subprocess.CompletedProcess[bytes]]


@pytest.fixture(scope="module")
def phones(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Run]]:
    """`run("shell", "getprop")` on Android 8 and on Android 14."""
    home = tmp_path_factory.mktemp("adb-home")
    server = AdbServer.start(home=home, usb=False)
    environment = {**os.environ, "HOME": str(home), "ANDROID_ADB_SERVER_PORT": str(server.port)}

    def on(serial: str) -> Run:
        def run(*words: str) -> subprocess.CompletedProcess[bytes]:
            command = [server.binary, "-s", serial, *words]
            return subprocess.run(command, env=environment, capture_output=True, timeout=30)

        connected = subprocess.run([server.binary, "connect", serial], env=environment, capture_output=True, timeout=30)
        assert b"connected to" in connected.stdout
        return run

    with Fleet(lambda index: SandboxPhone((8, 14)[index]), 2) as fleet:
        yield [on(serial) for serial in fleet.serials]
    server.close()


def test_versions_exit_codes_and_streams(phones: list[Run]):
    old, new = phones
    assert [run("shell", "getprop", "ro.build.version.sdk").stdout for run in phones] == [b"26\n", b"34\n"]
    failed = new("shell", "cmd", "nothing")
    assert (failed.returncode, failed.stdout, failed.stderr) == (20, b"", b"cmd: Can't find service: nothing\n")
    assert old("shell", "foo").returncode == 127
    hostile = "a;b 'c' \"d\" $(reboot) 你好"
    assert new("shell", "echo -E " + shlex.quote(hostile)).stdout.decode() == hostile + "\n"


def test_an_episode_over_adb(phones: list[Run], tmp_path: Path):
    run = phones[1]
    (tmp_path / "task").write_bytes(to_msgpack(task(patch=CALM)))
    assert run("push", str(tmp_path / "task"), "/data/local/tmp/task.msgpack").returncode == 0
    assert run("shell", "qpa-double", "load", "/data/local/tmp/task.msgpack").stdout == b"ok\n"
    assert run("shell", "cmd uimode night yes").stdout == b"Night mode: yes\n"
    assert b"hierchary dumped to" in run("shell", "uiautomator", "dump", "/data/local/tmp/ui.xml").stdout
    assert run("pull", "/data/local/tmp/ui.xml", str(tmp_path / "ui.xml")).returncode == 0
    assert (tmp_path / "ui.xml").read_text().startswith("<?xml version='1.0'")
    with Image.open(io.BytesIO(run("exec-out", "screencap", "-p").stdout)) as image:
        image.load()
        assert image.size == (1080, 2340)
    evidence = from_msgpack(base64.b64decode(run("shell", "qpa-double", "evidence").stdout), Evidence)
    assert [(c.key, c.new) for c in evidence.changes] == [({"key": "dark_mode"}, {"value": "on"})]
    listed = run("shell", "ls", "/sdcard/Pictures").stdout.decode().splitlines()
    assert run("pull", f"/sdcard/Pictures/{listed[0]}", str(tmp_path / "p")).returncode == 0
    assert (tmp_path / "p").stat().st_size > 0
