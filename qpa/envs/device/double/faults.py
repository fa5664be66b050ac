"""Fault script of a device double: which calls go wrong, how, and a log of what was injected.

A fault looks at *events*: `connect`, `shell COMMAND`, `exec COMMAND`, `sync VERB PATH`, `open DESTINATION`. It fires on
those that its pattern finds, from the `first` one on, `count` times, each with probability `rate`. The same seed,
device and events give the same faults.
"""

from __future__ import annotations

import enum
import random
import re
from collections import Counter
from collections.abc import Callable, Container
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from qpa.contract import ContractError, Record, from_json
from qpa.envs.device.base import ShellResult


class FaultKind(enum.StrEnum):
    """Everything that can be made to go wrong."""

    OFFLINE = "offline"  # connect: the handshake is never answered
    UNAUTHORIZED = "unauthorized"  # connect: a key is asked for and never allowed
    HANG = "hang"  # the request is never answered, not even with a refusal
    STALL = "stall"  # half of the answer, then nothing
    DROP = "drop"  # half of the answer, then the whole connection closes
    SLOW = "slow"  # the answer comes `delay_s` late
    TRUNCATED_PNG = "truncated_png"  # half of the picture, exit code 0
    DISPLAY_BANNER = "display_banner"  # a warning about several displays on standard output, before the picture
    IDLE_ERROR = "idle_error"  # `uiautomator dump` reports that the screen never came to rest, exit code 0
    STALE_TREE = "stale_tree"  # `uiautomator dump` reports success and leaves the tree of the time before
    TEXT_ERROR = "text_error"  # `input text` with non-ASCII text dies of a null pointer


_CONNECT = frozenset((FaultKind.OFFLINE, FaultKind.UNAUTHORIZED))
_DEFAULT_MATCH = {
    FaultKind.TRUNCATED_PNG: r"\bscreencap\b(?!.*\.png)",
    FaultKind.DISPLAY_BANNER: r"\bscreencap\b",
    FaultKind.IDLE_ERROR: r"\buiautomator\b.*\bdump\b",
    FaultKind.STALE_TREE: r"\buiautomator\b.*\bdump\b",
    FaultKind.TEXT_ERROR: r"\binput\b.*\btext\b.*[^\x00-\x7f]",
}
_OUTPUT = frozenset(_DEFAULT_MATCH)  # these change a command's output

_BANNER = (
    b"[Warning] Multiple displays were found, but no display id was specified! Defaulting to the first display found, "
    b"however this default is not guaranteed to be consistent across captures. A display id should be specified.\n"
    b"A display ID can be specified with the [-d display-id] option.\n"
    b'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
)
_IDLE = b"ERROR: could not get idle state.\n"
_NULL_POINTER = (
    b"\nException occurred while executing 'text':\n"
    b"java.lang.NullPointerException: Attempt to get length of null array\n"
    b"\tat com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:286)\n"
)


class DeviceFault(Record):
    """One fault. Defaults: every fitting event of every device.

    Attributes:
      match: regular expression searched in the event's text; empty: the events that the kind is about.
      first: how many fitting events pass before the first that may fail.
      count: how often it fires at most; None: no limit.
      rate: probability in (0, 1] that a fitting event fires.
      delay_s: for `slow`, seconds.
      device: index of the only device concerned; None: all.
    """

    kind: FaultKind
    match: str = ""
    first: int = 0
    count: int | None = None
    rate: float = 1.0
    delay_s: float = 0.0
    device: int | None = None


class FaultScript(Record):
    """What goes wrong in a fleet."""

    seed: int = 0
    faults: list[DeviceFault] = msgspec.field(default_factory=list)

    def __post_init__(self) -> None:
        for i, fault in enumerate(self.faults):
            if reason := _flaw(fault):
                raise ValueError(f"fault {i} ({fault.kind}): {reason}")


def load_faults(path: str | Path) -> FaultScript:
    """Reads a JSON fault script; raises `ContractError` naming file, place and reason."""
    try:
        return from_json(Path(path).read_bytes(), FaultScript)
    except ContractError as e:
        raise ContractError(f"{path}: {e}") from None


def _flaw(fault: DeviceFault) -> str:
    try:
        re.compile(fault.match)
    except re.error as e:
        return f"match is not a regular expression: {e}"
    if fault.first < 0 or (fault.count is not None and fault.count < 1):
        return "first must be at least 0 and count at least 1"
    if not 0 < fault.rate <= 1:
        return f"rate must be in (0, 1], not {fault.rate}"
    if fault.kind is FaultKind.SLOW and not 0 < fault.delay_s <= 3600:
        return f"delay_s must be in (0, 3600], not {fault.delay_s}"
    if fault.kind is not FaultKind.SLOW and fault.delay_s:
        return "delay_s is for slow only"
    return ""


@dataclass(frozen=True)
class Injected:
    """One fault that fired: its place in the script, its kind and the event that it hit."""

    fault: int
    kind: FaultKind
    event: str


class FaultInjector:
    """The script of one device, played event by event; `log` has what fired, in order."""

    def __init__(self, script: FaultScript | None = None, device: int = 0):
        self.log: list[Injected] = []
        self._faults = []
        for i, fault in enumerate(script.faults if script else ()):
            if fault.device in (None, device):
                pattern = re.compile(fault.match or _DEFAULT_MATCH.get(fault.kind, ""), re.DOTALL)
                draw = random.Random(f"{script.seed if script else 0}/{device}/{i}")
                self._faults.append(_Playing(i, fault, pattern, draw))
        self._last: dict[str, ShellResult] = {}  # last answer of each command that a stale tree may repeat

    @property
    def counts(self) -> Counter[FaultKind]:
        """How often each kind fired."""
        return Counter(entry.kind for entry in self.log)

    def on(self, event: str) -> DeviceFault | None:
        """The fault that hits this event, if any; the first of the script wins."""
        hits = [p for p in self._faults if p.fires(event, self._last)]
        for playing in hits[:1]:
            playing.fired += 1
            self.log.append(Injected(playing.index, playing.fault.kind, event))
            return playing.fault
        return None

    def run(self, fault: DeviceFault | None, command: str, shell: Callable[[str], ShellResult]) -> ShellResult:
        """What `command` answers under an output fault; other faults are the transport's business."""
        kind = fault.kind if fault else None
        if kind is FaultKind.IDLE_ERROR:
            return ShellResult(stdout=_IDLE)
        if kind is FaultKind.TEXT_ERROR:
            return ShellResult(stderr=_NULL_POINTER, exit_code=255)
        if kind is FaultKind.STALE_TREE:
            return self._last[command]
        result = shell(command)
        if any(p.fault.kind is FaultKind.STALE_TREE and p.pattern.search(command) for p in self._faults):
            self._last[command] = result
        if kind is FaultKind.TRUNCATED_PNG:
            return replace(result, stdout=result.stdout[: len(result.stdout) // 2])
        if kind is FaultKind.DISPLAY_BANNER:
            return replace(result, stdout=_BANNER + result.stdout)
        return result


class _Playing:
    def __init__(self, index: int, fault: DeviceFault, pattern: re.Pattern[str], draw: random.Random):
        self.index, self.fault, self.pattern, self.fired = index, fault, pattern, 0
        self._seen, self._draw = 0, draw

    def fires(self, event: str, answered: Container[str]) -> bool:
        verb, _, command = event.partition(" ")
        kind = self.fault.kind
        if (verb == "connect") != (kind in _CONNECT) or (kind in _OUTPUT and verb not in ("shell", "exec")):
            return False
        if not self.pattern.search(event) or (kind is FaultKind.STALE_TREE and command not in answered):
            return False  # there is no older tree to repeat
        self._seen += 1
        if self._seen <= self.fault.first or (self.fault.count is not None and self.fired >= self.fault.count):
            return False
        return self._draw.random() < self.fault.rate
