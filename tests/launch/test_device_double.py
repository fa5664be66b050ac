"""The script that serves device doubles."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qpa.envs.device.adb_server import AdbServer

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"jax", "apsw", "adbutils", "cryptography", "PIL", "qpa.envs"}


def test_help_loads_no_heavy_room():
    code = (
        "import runpy, sys\nsys.argv = ['device_double', '--help']\n"
        "try:\n    runpy.run_module('launch.device_double', run_name='__main__')\nexcept SystemExit:\n    pass\n"
        "print(' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=60
    )
    assert "--authorisation" in done.stdout
    assert HEAVY.isdisjoint(done.stdout.splitlines()[-1].split())


def _serve(*flags: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "launch.device_double", *flags], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def test_adb_connects_and_faults_are_counted(tmp_path):
    faults = tmp_path / "faults.json"
    faults.write_text(json.dumps({"faults": [{"kind": "idle_error"}]}))
    server = AdbServer.start(home=tmp_path, usb=False)
    process = _serve("--count=2", "--android=11", f"--faults={faults}")
    try:
        lines = list(iter(lambda: process.stdout.readline().strip(), "ready"))
        assert len(lines) == 3 and "Android 11" in lines[0]
        commands = [line.split() for line in lines[1:]]
        assert [c[:2] for c in commands] == [["adb", "connect"]] * 2

        def adb(*words: str) -> str:
            command = [server.binary, "-P", str(server.port), *words]
            return subprocess.run(command, capture_output=True, text=True, timeout=30).stdout

        for _, _, serial in commands:
            assert "connected to" in adb("connect", serial)
            assert adb("-s", serial, "shell", "getprop", "ro.build.version.release") == "11\n"
        assert adb("-s", commands[0][2], "shell", "uiautomator", "dump") == "ERROR: could not get idle state.\n"
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert out.strip() == "faults injected: idle_error 1" and process.returncode == 0
    finally:
        process.kill()
        process.communicate(timeout=20)
        server.close()


@pytest.mark.parametrize(
    ("content", "reason"), [('{"faults": [{"kind": "explode"}]}', "explode"), (None, "No such file")]
)
def test_a_bad_fault_file_is_one_clear_line(tmp_path, content, reason):
    file = tmp_path / "faults.json"
    if content is not None:
        file.write_text(content)
    process = _serve(f"--faults={file}")
    try:
        _, error = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 1
    assert len(error.strip().splitlines()) == 1 and "faults.json" in error and reason in error
