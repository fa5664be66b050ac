"""The inventory of devices: which serials may be used at all, and what each may be used for.

    devices:
      - serial: "127.0.0.1:5555"
        label: first double
        kind: double
      - serial: R5CT30ABCDE
        label: the test phone on the shelf
        kind: phone
        effects: [read, reversible]
        limits: {calls_per_s: 10}

YAML or JSON, decoded strictly. Effects that cannot be undone are off unless listed, and then need a task's grant too.
"""

from __future__ import annotations

import enum
import re
from pathlib import Path
from typing import Any

import msgspec
import yaml

from qpa.contract import Effect, Record

# USB serials, emulator-5554, host:port and [IPv6]:port; nothing that a shell, adb's protocol or an option misreads.
_SERIAL = re.compile(
    r"(?:[A-Za-z0-9][A-Za-z0-9._-]{0,127}(?::([0-9]{1,5}))?|\[[0-9A-Fa-f:]{2,39}\]:([0-9]{1,5}))", re.ASCII
)
_FILE_BYTES = 2**20
OUTPUT_BYTES = 32 * 2**20


class EnrolmentError(ValueError):
    """The inventory cannot be used, or a device is not in it; the message says where and why."""


class DeviceKind(enum.StrEnum):
    """What answers behind a serial."""

    DOUBLE = "double"
    EMULATOR = "emulator"
    PHONE = "phone"


class DeviceLimits(Record):
    """Bounds of one device's use.

    Attributes:
      deadline_s: the longest that one call may be given, seconds.
      output_bytes: the largest output, screenshot or file that is read.
      calls_per_s: calls are spaced out to this rate; 0: as they come.
    """

    deadline_s: float = 120.0
    output_bytes: int = OUTPUT_BYTES
    calls_per_s: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.deadline_s <= 3600:
            raise ValueError(f"deadline_s must be in (0, 3600], not {self.deadline_s}")
        if not 1024 <= self.output_bytes <= OUTPUT_BYTES:
            raise ValueError(f"output_bytes must be from 1024 to {OUTPUT_BYTES}, not {self.output_bytes}")
        if not 0 <= self.calls_per_s <= 1e6:
            raise ValueError(f"calls_per_s must be from 0 to 1e6, not {self.calls_per_s}")


class EnrolledDevice(Record):
    """One device. `effects` are the classes of verbs that it may be asked for (some need a task's grant too)."""

    serial: str
    kind: DeviceKind
    label: str = ""
    effects: list[Effect] = msgspec.field(default_factory=lambda: [Effect.READ, Effect.REVERSIBLE])
    limits: DeviceLimits = msgspec.field(default_factory=DeviceLimits)

    def __post_init__(self) -> None:
        check_serial(self.serial)
        if len(self.label) > 200 or not self.label.isprintable():
            raise ValueError("label must be at most 200 printable characters")


class Enrolment(Record):
    """Every device that may be used."""

    devices: list[EnrolledDevice]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for device in self.devices:
            if device.serial in seen:
                raise ValueError(f"serial {device.serial} is listed twice")
            seen.add(device.serial)

    def device(self, serial: str) -> EnrolledDevice:
        """The entry of a serial; raises `EnrolmentError` if it is not in the inventory."""
        for device in self.devices:
            if device.serial == serial:
                return device
        raise EnrolmentError(f"device {serial[:140]!r} is not enrolled")


def check_serial(serial: str) -> str:
    """Returns the serial, or raises `EnrolmentError` if it does not look like one."""
    found = _SERIAL.fullmatch(serial)
    port = found and (found[1] or found[2])
    if found is None or (port and not 0 < int(port) < 65536):
        raise EnrolmentError(f"{serial[:140]!r} is not a device serial (a USB serial, emulator-PORT or HOST:PORT)")
    return serial


def load_enrolment(path: str | Path) -> Enrolment:
    """Reads an inventory, JSON if the file is named so and YAML otherwise; raises `EnrolmentError`."""
    file = Path(path)
    try:
        raw = file.read_bytes()
        if len(raw) > _FILE_BYTES:
            raise EnrolmentError(f"{path}: larger than 1 MiB")
        if file.suffix == ".json":
            return msgspec.json.decode(raw, type=Enrolment)
        return msgspec.convert(yaml.load(raw, Loader=_StrictLoader), type=Enrolment)
    except (msgspec.MsgspecError, yaml.YAMLError, UnicodeDecodeError, RecursionError) as e:
        raise EnrolmentError(f"{path}: {' '.join(str(e).split())}") from None


class _StrictLoader(yaml.SafeLoader):
    """YAML without its silent choice between two equal keys."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=deep) for key, _ in node.value]
        for i, key in enumerate(keys):
            if key in keys[:i]:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} is given twice", node.start_mark)
        return super().construct_mapping(node, deep=deep)
