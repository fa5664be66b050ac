"""What the double's commands share: how they answer, and what they need to know of each other's state."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qpa.contract import ErrorType, Feedback
from qpa.envs.device.base import ShellResult

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

Command = Callable[["SandboxPhone", list[str], bytes], ShellResult]  # arguments without the name, standard input


def encode(text: str) -> bytes:
    """UTF-8; bytes that came in undecodable go out as they were, lone surrogates become "?"."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def out(text: str | bytes = "", code: int = 0) -> ShellResult:
    """An answer on standard output."""
    return ShellResult(stdout=text if isinstance(text, bytes) else encode(text), exit_code=code)


def lines(*rows: str, code: int = 0) -> ShellResult:
    """An answer of whole lines."""
    return out("".join(f"{row}\n" for row in rows), code)


def err(text: str, code: int = 1) -> ShellResult:
    """An answer on standard error, its newline added."""
    return ShellResult(stderr=encode(text + "\n"), exit_code=code)


def trace(exception: str, *frames: str, head: str = "", code: int = 0) -> ShellResult:
    """A Java stack on standard error, as the platform's commands leave it; most of them exit with 0."""
    stack = "".join(f"\n\tat {frame}" for frame in frames)
    return err(f"{head}{exception}{stack}", code)


def exception_of(feedback: Feedback) -> str:
    """What Java would say where the sandbox refuses."""
    message = str(feedback.payload.get("error", "failed"))
    if feedback.error_type is ErrorType.PERMISSION_DENIED:
        permission = message.rpartition(" ")[2]
        return f"java.lang.SecurityException: Permission Denial: requires android.permission.{permission}"
    kind = "IllegalArgumentException" if feedback.error_type is ErrorType.INVALID_ARGUMENT else "IllegalStateException"
    return f"java.lang.{kind}: {message}"


def whole(text: str, default: int | None = None) -> int | None:
    """A decimal integer that fits 64 bits, else `default`."""
    body = text[1:] if text[:1] in ("-", "+") else text
    if body.isascii() and body.isdigit() and len(body) < 20 and abs(int(body)) < 1 << 63:
        return int(text)
    return default


def address(*names: object) -> str:
    """A short hexadecimal object id that is the same each time."""
    return f"{zlib.crc32(repr(names).encode('utf-8', 'replace')) & 0xFFFFFFF:07x}"


@dataclass
class Numbers:
    """Rows of the sandbox have textual ids, Android's providers integer ones: a fixed pairing for each table."""

    given: dict[tuple[str, str], int] = field(default_factory=dict)
    rows: dict[tuple[str, int], str] = field(default_factory=dict)

    def of(self, table: str, row_id: str) -> int:
        """The row's number: that of "contact_007" is 7 unless another row has it."""
        key = (table, row_id)
        if key not in self.given:
            tail = row_id.rpartition("_")[2]
            number = int(tail) if tail.isascii() and tail.isdigit() and 0 < len(tail) < 9 else 100_001
            while (table, number) in self.rows:
                number += 100_000
            self.pair(table, row_id, number)
        return self.given[key]

    def pair(self, table: str, row_id: str, number: int) -> None:
        """Fixes a row's number, for one that a provider gave out before there was a row."""
        self.given[table, row_id] = number
        self.rows[table, number] = row_id

    def row(self, table: str, number: int) -> str | None:
        """The row id behind a number that was given out."""
        return self.rows.get((table, number))


@dataclass
class Draft:
    """A raw contact that is not yet one of the sandbox: it lacks a name or a number."""

    number: int
    name: str = ""
    phone: str = ""
    group: str = ""
    email: str = ""


@dataclass
class Extras:
    """Device state beside the sandbox's tables. None of it is judged; `reset` and `load` clear it."""

    numbers: Numbers = field(default_factory=Numbers)
    settings: dict[tuple[str, str], str] = field(default_factory=dict)  # (namespace, key) -> value
    shadowed: dict[tuple[str, str], str] = field(default_factory=dict)  # what a written, ineffective key had before
    groups: list[str] = field(default_factory=list)  # contact groups; the position is the provider's id
    drafts: dict[int, Draft] = field(default_factory=dict)
    event_reminders: list[dict[str, object]] = field(default_factory=list)
    battery: dict[str, str] = field(default_factory=dict)  # `dumpsys battery set`
    appops: dict[tuple[str, str], str] = field(default_factory=dict)
    permissions: dict[tuple[str, str], bool] = field(default_factory=dict)  # those the sandbox does not know
    keyboards: set[str] = field(default_factory=set)  # enabled ids that the sandbox does not know
    keyboard: str = ""  # the current one among them, "" while a sandbox keyboard is current
    override: tuple[int, int] | None = None  # `wm size`
    density: int = 0  # `wm density`, 0 for the profile's
    logcat: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)
    properties: dict[str, str] = field(default_factory=dict)  # `setprop`
    activities: list[str] = field(default_factory=list)  # intents that led nowhere the sandbox knows
