"""Who may talk to the device: Android's RSA keys, and a person who allows or refuses a new one.

A host proves its key by signing a 20-byte token (PKCS#1 v1.5; the token stands for a SHA-1 digest). A host whose keys
are all unknown sends its public key, and the phone asks its owner.
"""

from __future__ import annotations

import base64
import binascii
import enum
import os
import struct

from qpa.envs.device.double.protocol import ProtocolError

TOKEN_BYTES = 20
_WORDS = 64  # of 32 bits: 2048-bit keys, the only size there is
_KEY = struct.Struct("<II256s256sI")  # words, n0inv, modulus and R^2 (little-endian), exponent: 524 bytes


class Authorisation(enum.StrEnum):
    """What the double asks of a host."""

    NONE = "none"  # as emulators do
    ACCEPT = "accept"  # a new key is asked for, and allowed at once
    REFUSE = "refuse"  # a new key is asked for, and never allowed: the device stays `unauthorized`


class PublicKey:
    """A host's key as it is sent: base64 of Android's 524-byte structure, a space and a comment, NUL at the end."""

    def __init__(self, payload: bytes):
        """Raises `ProtocolError` for anything that is not such a key."""
        text = payload.rstrip(b"\0").partition(b" ")[0]
        try:
            raw = base64.b64decode(text, validate=True)
            words, _, modulus, _, exponent = _KEY.unpack(raw)
        except (binascii.Error, struct.error):
            raise ProtocolError("AUTH with a public key that is not in Android's format") from None
        self.modulus = int.from_bytes(modulus, "little")
        self.exponent = exponent
        if words != _WORDS or exponent not in (3, 65537) or self.modulus.bit_length() != 32 * _WORDS:
            raise ProtocolError("AUTH with a public key that is not a 2048-bit RSA key")

    def verifies(self, signature: bytes, token: bytes) -> bool:
        """Whether `signature` was made over `token` with this key."""
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import padding, rsa, utils

        try:
            key = rsa.RSAPublicNumbers(self.exponent, self.modulus).public_key()
            key.verify(signature, token, padding.PKCS1v15(), utils.Prehashed(hashes.SHA1()))
        except (InvalidSignature, ValueError):  # ValueError: a modulus that is no product of primes, e.g. even
            return False
        return True


def new_token() -> bytes:
    """A fresh challenge."""
    return os.urandom(TOKEN_BYTES)
