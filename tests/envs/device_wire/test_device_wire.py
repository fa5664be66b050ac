"""The double's transport, driven by real adb binaries and by adbutils."""

from __future__ import annotations

import os
import socket
import socketserver
import threading

import pytest
from adbutils import AdbClient, AdbError
from wire_phone import PNG, WirePhone

from qpa.envs.device.double.fleet import Fleet

BLOB = os.urandom(1_500_000)


def test_the_banner_names_the_product(adb, fleet):
    assert b"connected to" in adb("connect", fleet.serials[1]).stdout
    line = next(x for x in adb("devices", "-l").stdout.decode().splitlines() if x.startswith(fleet.serials[1]))
    assert line.split()[1:5] == ["device", "product:double1", "model:Double_Phone", "device:double"]


@pytest.mark.parametrize(
    ("command", "code", "out", "err"),
    [
        ("echo hi", 0, b"hi\n", b""),
        ("false", 1, b"", b""),
        ("nope", 127, b"", b"nope: inaccessible or not found\n"),
        ("err", 3, b"to out\n", b"to err\n"),
    ],
)
def test_shell_v2_keeps_exit_code_and_streams_apart(adb, fleet, command, code, out, err):
    done = adb.on(fleet.serials[0], "shell", command)
    assert (done.returncode, done.stdout, done.stderr) == (code, out, err)


def test_without_shell_v2_a_failure_has_exit_code_0(adb):
    with Fleet(WirePhone, 1, features=("cmd",)) as fleet:
        done = adb.on(fleet.serials[0], "shell", "err")
        assert (done.returncode, done.stdout, done.stderr) == (0, b"to err\nto out\n", b"")


def test_exec_out_is_binary_and_large_output_arrives_whole(adb, fleet):
    assert adb.on(fleet.serials[0], "exec-out", "screencap", "-p").stdout == PNG
    big = adb("-s", fleet.serials[0], "shell", "big", "1000000").stdout
    assert big == bytes(i % 251 for i in range(1_000_000))


@pytest.mark.parametrize("sdk", [26, 34])  # sync v1 and v2
def test_files_go_both_ways_unchanged(adb, tmp_path, sdk):
    source, back = tmp_path / "source", tmp_path / "back"
    source.write_bytes(BLOB)
    with Fleet(lambda i: WirePhone(i, sdk=sdk), 1) as fleet:
        remote = "/sdcard/ünï cödé 你😀.bin"
        assert adb.on(fleet.serials[0], "push", str(source), remote).returncode == 0
        assert adb("-s", fleet.serials[0], "pull", remote, str(back)).returncode == 0
        assert back.read_bytes() == BLOB
        assert fleet.on_phone(0, lambda phone: phone.files[remote][:2]) == (BLOB, source.stat().st_mode & 0o777)
        adb("-s", fleet.serials[0], "push", str(source), "/sdcard/")  # into a folder
        listing = adb("-s", fleet.serials[0], "ls", "/sdcard").stdout.decode()
        assert [line.split(" ", 3)[3] for line in listing.splitlines()] == ["source", "ünï cödé 你😀.bin"]
        refused = adb("-s", fleet.serials[0], "push", str(source), "/system/x")
        assert refused.returncode == 1 and b"Read-only file system" in refused.stdout + refused.stderr
        missing = adb("-s", fleet.serials[0], "pull", "/sdcard/none", str(back))
        assert missing.returncode == 1 and b"No such file or directory" in missing.stdout + missing.stderr


def test_an_interactive_shell_reads_lines_until_exit(adb, fleet):
    done = adb.on(fleet.serials[0], "shell", stdin=b"echo one\nerr\nexit 5\necho never\n")
    assert (done.returncode, done.stdout, done.stderr) == (5, b"one\nto out\n", b"to err\n")
    assert adb("-s", fleet.serials[0], "shell", stdin=b"false").returncode == 1


class _Upper(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        self.wfile.write(self.rfile.readline().upper())


def test_a_forward_reaches_the_ports_that_the_device_has(adb):
    with socketserver.TCPServer(("127.0.0.1", 0), _Upper) as behind:
        threading.Thread(target=behind.serve_forever, daemon=True).start()
        with Fleet(WirePhone, 1, ports={9000: behind.server_address[1]}) as fleet:
            local = int(adb.on(fleet.serials[0], "forward", "tcp:0", "tcp:9000").stdout)
            with socket.create_connection(("127.0.0.1", local), timeout=10) as client:
                client.sendall(b"hello\n")
                assert client.makefile("rb").read() == b"HELLO\n"
            # A port of this machine is not a port of the device.
            other = int(adb("-s", fleet.serials[0], "forward", "tcp:0", f"tcp:{behind.server_address[1]}").stdout)
            with socket.create_connection(("127.0.0.1", other), timeout=10) as client:
                assert client.makefile("rb").read() == b""
        behind.shutdown()


def test_reboot_breaks_the_connection_and_the_device_comes_back(adb, fleet):
    assert adb.on(fleet.serials[0], "reboot").returncode == 0
    adb("disconnect", fleet.serials[0])
    assert adb.on(fleet.serials[0], "shell", "echo back").stdout == b"back\n"


def test_a_bug_in_the_phone_costs_one_command(adb, fleet):
    adb.on(fleet.serials[0], "shell", "crash")
    assert adb("-s", fleet.serials[0], "shell", "echo on").stdout == b"on\n"


def test_adbutils_drives_it(adb, fleet, tmp_path):
    client = AdbClient(host="127.0.0.1", port=adb.server.port)
    client.connect(fleet.serials[0], timeout=10)
    device = client.device(fleet.serials[0])
    assert device.shell(["echo", "c;d", "$HOME"]) == "c;d $HOME"
    for v2 in (False, True):
        done = device.shell2("err", v2=v2, timeout=10)
        assert done.returncode == 3 and "to out" in done.output
    assert device.sync.push(BLOB, "/sdcard/ä b", check=True) == len(BLOB)
    assert device.sync.read_bytes("/sdcard/ä b") == BLOB
    assert [(f.path, f.size) for f in device.sync.list("/sdcard")] == [("ä b", len(BLOB))]
    assert not device.sync.exists("/sdcard/none")
    with pytest.raises(AdbError, match="No such file"):
        device.sync.read_bytes("/sdcard/none")
    with pytest.raises(AdbError, match="closed"):
        device.create_connection("localabstract", "nothing")
