"""Keys: what an unknown host, a known one and a forger get."""

from __future__ import annotations

import base64
import struct

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils
from wire_phone import WirePhone
from wire_rig import RawHost

from qpa.envs.device.double.auth import Authorisation, PublicKey
from qpa.envs.device.double.fleet import Fleet
from qpa.envs.device.double.protocol import AUTH, CNXN, Packet, ProtocolError


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


def public(key: rsa.RSAPrivateKey) -> bytes:
    """Android's form of the key, as a host sends it."""
    n = key.public_key().public_numbers().n
    inverse = -pow(n, -1, 2**32) % 2**32
    raw = struct.pack("<II", 64, inverse) + n.to_bytes(256, "little") + pow(2, 4096, n).to_bytes(256, "little")
    return base64.b64encode(raw + struct.pack("<I", 65537)) + b" somebody@somewhere\0"


def sign(key: rsa.RSAPrivateKey, token: bytes) -> bytes:
    return key.sign(token, padding.PKCS1v15(), utils.Prehashed(hashes.SHA1()))


def test_a_new_key_is_allowed_once_and_then_known_by_its_signature(adb):
    with Fleet(WirePhone, 1, authorisation=Authorisation.ACCEPT) as fleet:
        serial = fleet.serials[0]
        for _ in range(2):
            adb("connect", serial)  # the first says "failed to authenticate" although the device comes up
            assert adb("-s", serial, "wait-for-device", "shell", "echo hi").stdout == b"hi\n"
            adb("disconnect", serial)
        assert len(fleet.devices[0].keys) == 1


def test_a_refused_host_stays_unauthorized(adb):
    with Fleet(WirePhone, 1, authorisation=Authorisation.REFUSE) as fleet:
        serial = fleet.serials[0]
        assert b"failed to authenticate" in adb("connect", serial).stdout
        assert f"{serial}\tunauthorized" in adb("devices").stdout.decode()
        done = adb("-s", serial, "shell", "echo hi")
        assert done.returncode == 1 and b"unauthorized" in done.stderr and done.stdout == b""
        assert fleet.on_phone(0, lambda phone: phone.commands) == []


def test_only_a_signature_by_a_known_key_opens_the_device(key):
    stranger = rsa.generate_private_key(65537, 2048)
    with Fleet(WirePhone, 1, authorisation=Authorisation.ACCEPT) as fleet:
        fleet.devices[0].keys.append(PublicKey(public(key)))
        for signer, opened in ((key, True), (stranger, False)):
            with RawHost(fleet.serials[0]) as host:
                host.send(Packet(CNXN, 0x01000001, 4096, b"host::\0"), checksum=True)
                challenge = host.read()
                assert challenge.command == AUTH and challenge.arg0 == 1 and len(challenge.data) == 20
                host.send(Packet(AUTH, 2, 0, sign(signer, challenge.data)), checksum=True)
                answer = host.read()
                assert answer.command == (CNXN if opened else AUTH)
                if not opened:
                    assert answer.data != challenge.data  # a fresh token, so that an old signature is worth nothing
                    host.send(Packet(AUTH, 2, 0, sign(key, challenge.data)), checksum=True)
                    assert host.read().command == AUTH


def test_a_signature_fits_one_key_and_one_token(key):
    known, token = PublicKey(public(key)), bytes(range(20))
    assert known.verifies(sign(key, token), token)
    assert not known.verifies(sign(key, token), bytes(20))
    assert not known.verifies(b"", token)


@pytest.mark.parametrize("payload", [b"", b"!!!", base64.b64encode(bytes(524)), base64.b64encode(bytes(100))])
def test_what_is_no_key_is_refused(payload):
    with pytest.raises(ProtocolError, match="public key"):
        PublicKey(payload)
