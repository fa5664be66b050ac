"""When to trust a device again: a circuit breaker per serial."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Health(enum.StrEnum):
    """What a device looks like from here."""

    READY = "ready"  # it echoed a nonce
    ABSENT = "absent"  # the adb server does not know it
    OFFLINE = "offline"  # known, and not answering the transport's handshake
    UNAUTHORIZED = "unauthorized"  # it wants a person to allow this host's key
    HUNG = "hung"  # the server says `device`, and no echo came in time
    BROKEN = "broken"  # it answered with something else, or the server is gone


class Rung(enum.StrEnum):
    """Steps of the recovery ladder, in order; each is followed by a probe."""

    PROBE = "probe"  # perhaps it is well again
    CONNECT = "connect"  # disconnect and connect (HOST:PORT serials)
    RECONNECT = "reconnect"  # the adb server renews the transport


class Circuit(enum.StrEnum):
    """States of the breaker."""

    CLOSED = "closed"  # in use
    SUSPECT = "suspect"  # new, or the last call failed: recover before the next
    OPEN = "open"  # quarantined: calls fail at once
    HALF_OPEN = "half_open"  # the quarantine is over: the next call tries to recover


@dataclass(frozen=True)
class RecoveryLimits:
    """How long recovery may take.

    Attributes:
      probe_s: for one probe, and for one rung's action.
      quarantine_s: the first quarantine; each further one in a row is twice as long, up to `quarantine_max_s`.
    """

    probe_s: float = 3.0
    quarantine_s: float = 5.0
    quarantine_max_s: float = 120.0


class Breaker:
    """The circuit of one serial; times are a monotonic clock's, in seconds.

    Attributes:
      reason: the failure that made it suspect.
      finding: what recovery ended with.
    """

    def __init__(self, limits: RecoveryLimits):
        self._limits = limits
        self._state = Circuit.SUSPECT
        self._until = 0.0
        self._in_a_row = 0
        self.reason = self.finding = ""

    def state(self, now: float) -> Circuit:
        """The circuit's state at a time."""
        if self._state is Circuit.OPEN and now >= self._until:
            return Circuit.HALF_OPEN
        return self._state

    def wait_s(self, now: float) -> float:
        """How long the quarantine still lasts; 0 if there is none."""
        return max(0.0, self._until - now) if self._state is Circuit.OPEN else 0.0

    def worked(self) -> None:
        """The device answered."""
        self._state, self._in_a_row = Circuit.CLOSED, 0
        self.reason = self.finding = ""

    def failed(self, reason: str) -> None:
        """A call failed in a way that may be the device's."""
        if self._state is Circuit.CLOSED:
            self._state, self.reason = Circuit.SUSPECT, reason

    def lost(self, finding: str, now: float) -> None:
        """Recovery failed: quarantine."""
        length = min(self._limits.quarantine_s * 2**self._in_a_row, self._limits.quarantine_max_s)
        self._in_a_row += 1
        self._state, self._until, self.finding = Circuit.OPEN, now + length, finding
