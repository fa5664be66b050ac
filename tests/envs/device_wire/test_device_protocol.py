"""Hostile and buggy hosts: whatever they send, the worst is that their own connection closes."""

from __future__ import annotations

import struct
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_phone import WirePhone
from wire_rig import RawHost, alive

from qpa.envs.device.double import server as server_module
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.protocol import (
    AUTH,
    CLSE,
    CNXN,
    COMMANDS,
    MAX_PAYLOAD,
    OKAY,
    OPEN,
    WRTE,
    FrameReader,
    Packet,
    ProtocolError,
    encode,
    frame,
)

HELLO = Packet(CNXN, 0x01000001, 4096, b"host::\0")


@pytest.fixture(scope="module")
def device() -> Iterator[Fleet]:
    with Fleet(WirePhone, 1) as fleet:
        yield fleet


def _header(command: int, length: int) -> bytes:
    return struct.pack("<6I", command, 1, 0, length, 0, command ^ 0xFFFFFFFF)


def _flipped(at: int) -> bytes:
    """A good handshake with one wrong byte."""
    raw = bytearray(encode(HELLO, checksum=True))
    raw[at] ^= 1
    return bytes(raw)


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\nHost: device\r\n\r\n",
        _flipped(20),  # the magic
        _flipped(16),  # the checksum
        _header(0x41414141, 0),
        _header(CNXN, 4097),  # more than a peer may send before the handshake
        _header(OPEN, 0),
        _header(AUTH, 0),
        encode(Packet(CNXN, 0x00FFFFFF, 4096)),
        encode(Packet(CNXN, 0x01000001, 0)),
        encode(HELLO) + encode(HELLO),
        encode(HELLO) + _header(WRTE, MAX_PAYLOAD + 1),
        encode(HELLO) + bytes(24),
    ],
)
def test_garbage_closes_the_connection_and_nothing_else(device, garbage):
    with RawHost(device.serials[0]) as other, RawHost(device.serials[0]) as host:
        other.hello()
        host.socket.sendall(garbage)
        while host.read() is not None:
            pass
        assert other.run(b"echo still here") == b"still here\n"


def test_a_half_open_host_is_cut_off(device, monkeypatch):
    monkeypatch.setattr(server_module, "HANDSHAKE_S", 0.2)
    with RawHost(device.serials[0]) as host:
        host.socket.sendall(_header(CNXN, 7)[:10])
        assert host.read() is None


def test_connections_are_limited(device, monkeypatch):
    monkeypatch.setattr(server_module, "MAX_CONNECTIONS", 2)
    with RawHost(device.serials[0]) as first, RawHost(device.serials[0]) as second:
        first.hello()
        second.hello()
        with RawHost(device.serials[0]) as third:
            assert third.read() is None
        assert first.run(b"echo on") == b"on\n"


def test_a_second_write_before_the_first_is_acknowledged_ends_the_connection(device):
    with RawHost(device.serials[0]) as host:
        host.hello()
        shell = host.open(b"shell:")
        host.send(Packet(WRTE, 7, shell.arg0, b"big 1000000\n"))
        assert [host.read().command for _ in range(2)] == [OKAY, WRTE]  # it waits for us, and reads nothing meanwhile
        host.send(Packet(WRTE, 7, shell.arg0, b"one"), Packet(WRTE, 7, shell.arg0, b"two"))
        assert host.read() is None


def test_what_belongs_to_no_stream_is_closed_or_ignored(device):
    with RawHost(device.serials[0]) as host:
        host.hello()
        host.send(Packet(OKAY, 7, 99), Packet(CLSE, 7, 99), Packet(CLSE, 0, 0), Packet(WRTE, 7, 99, b"late"))
        assert host.read() == Packet(CLSE, 0, 7)
        assert host.run(b"echo on") == b"on\n"


@pytest.mark.parametrize(
    "destination", [b"", b"localabstract:x", b"tcp:22", b"tcp:-1", b"jdwp:1", b"\xff\xfe", b"shell"]
)
def test_a_service_that_is_not_there_is_refused(device, destination):
    with RawHost(device.serials[0]) as host:
        host.hello()
        assert host.open(destination) == Packet(CLSE, 0, 7)


def test_a_window_for_delayed_acknowledgements_is_refused(device):
    with RawHost(device.serials[0]) as host:
        host.hello()
        host.send(Packet(OPEN, 7, 33554432, b"shell:echo hi\0"))
        assert host.read() == Packet(CLSE, 0, 7)


def test_a_writer_waits_for_its_acknowledgement_and_a_close_wakes_it(device):
    with RawHost(device.serials[0]) as host:
        host.hello()
        opened = host.open(b"shell:big 1000000")
        first = host.read()
        assert first.command == WRTE and len(first.data) == MAX_PAYLOAD
        host.send(Packet(CLSE, 7, opened.arg0))
        assert host.run(b"echo next", local=8) == b"next\n"  # nothing more of the first stream in between


def test_payloads_respect_what_the_host_announced(device):
    with RawHost(device.serials[0]) as host:
        host.send(Packet(CNXN, 0x01000000, 1000, b"host::\0"), checksum=True)
        assert host.read().command == CNXN
        host.open(b"shell:big 5000")
        assert len(host.read().data) == 1000


_ids = st.integers(0, 3) | st.integers(0, 2**32 - 1)
_destinations = st.sampled_from(
    [b"shell:echo x\0", b"shell,v2,raw:\0", b"exec:big 99999\0", b"sync:\0", b"tcp:80\0", b"reboot:\0"]
)
_verbs = st.sampled_from("STAT LIST SEND RECV STA2 LIS2 SND2 RCV2 DATA DONE".split())
_file_requests = st.builds(
    lambda verb, n, rest: verb.encode() + struct.pack("<I", n) + rest,
    _verbs,
    st.integers(0, 40) | st.integers(0, 2**32 - 1),
    st.binary(max_size=40),
)
_payloads = st.binary(max_size=64) | _destinations | _file_requests
_packets = st.builds(Packet, st.sampled_from(sorted(COMMANDS)), _ids, _ids, _payloads)


@settings(max_examples=150, deadline=None)
@given(st.lists(_packets | st.binary(max_size=60), max_size=12), st.booleans())
def test_fuzzed_packets_never_hurt_the_device(device, parts, greets):
    with RawHost(device.serials[0]) as host:
        if greets:
            host.hello()
        try:
            host.socket.sendall(b"".join(p if isinstance(p, bytes) else encode(p, checksum=not greets) for p in parts))
            host.socket.shutdown(1)
            while host.read() is not None:
                pass
        except (ConnectionError, BrokenPipeError):
            pass
    assert alive(device.serials[0])


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=300) | st.lists(_file_requests).map(b"".join), st.lists(st.integers(1, 40), max_size=10))
def test_fuzzed_file_requests_never_hurt_the_device(device, data, cuts):
    with RawHost(device.serials[0]) as host:
        host.hello()
        stream = host.open(b"sync:")
        for size in [*cuts, 300]:
            if not data:
                break
            host.send(Packet(WRTE, 7, stream.arg0, data[:size]))
            data = data[size:]
            answer = host.read()  # an acknowledgement, or the end of the stream
            if answer is None or answer.command != OKAY:
                break
    assert alive(device.serials[0])


@given(st.lists(st.tuples(st.integers(0, 5), st.binary(max_size=50))), st.lists(st.integers(1, 20), min_size=1))
def test_shell_frames_survive_any_cut(frames, sizes):
    stream, reader, found = b"".join(frame(k, d) for k, d in frames), FrameReader(), []
    while stream:
        for size in sizes:
            found += reader.feed(stream[:size])
            stream = stream[size:]
    assert found == frames


def test_an_oversize_shell_frame_is_refused():
    with pytest.raises(ProtocolError, match="at most 10"):
        FrameReader(limit=10).feed(struct.pack("<BI", 0, 11))


def _file_request(verb: bytes, argument: bytes) -> bytes:
    return verb + struct.pack("<I", len(argument)) + argument


@pytest.mark.parametrize(
    ("request_bytes", "reason"),
    [
        (b"NOPE" + struct.pack("<I", 0), b"unknown command NOPE"),
        (b"STAT" + struct.pack("<I", 1025), b"path too long"),
        (_file_request(b"SEND", b"/sdcard/a"), b"missing ,"),
        (_file_request(b"SEND", b"/sdcard/a,33188") + b"DATA" + struct.pack("<I", 65537), b"oversize data message"),
        (_file_request(b"SEND", b"/sdcard/a,33188") + b"NOPE" + struct.pack("<I", 0), b"invalid data message"),
        (_file_request(b"RCV2", b"/sdcard/a") + b"RCV2" + struct.pack("<I", 1), b"unsupported flags 0x1"),
        (_file_request(b"SND2", b"/sdcard/a") + b"DATA" + bytes(8), b"second part of SND2 missing"),
    ],
)
def test_a_file_request_that_makes_no_sense_is_refused_with_a_reason(device, request_bytes, reason):
    with RawHost(device.serials[0]) as host:
        host.hello()
        stream = host.open(b"sync:")
        host.send(Packet(WRTE, 7, stream.arg0, request_bytes))
        answer = next(p for p in iter(host.read, None) if p.command == WRTE)
        assert answer.data[:4] == b"FAIL" and reason in answer.data
        host.send(Packet(OKAY, 7, stream.arg0))
        assert host.read() == Packet(CLSE, stream.arg0, 7)
        assert host.run(b"echo on", local=8) == b"on\n"
