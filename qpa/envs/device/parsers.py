"""What a phone's shell prints, as values. Pure functions; each raises `ParseError` for what it cannot read.

Formats: AOSP's sources for Android 8 to 16. Everything read here is untrusted text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

_SIZE = re.compile(r"^(Physical|Override) size: (\d+)x(\d+)", re.MULTILINE)
_PROPERTY = re.compile(r"^\[([^\]]+)\]: \[(.*?)\]$", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^Row: \d+ ", re.MULTILINE)
_FOCUS = re.compile(r"mCurrentFocus=(?:null|Window\{\S+ u(\d+) ([^}]+)\})")
_RESUMED = re.compile(
    r"(?:topResumedActivity|mResumedActivity|ResumedActivity)[=:] ?(?:ActivityRecord)?\{\S+ u\d+ ([^ }]+)"
)
_VOLUME = re.compile(r"volume is (\d+) in range \[(\d+)\.\.(\d+)\]")
_ALARM_CLOCK = re.compile(r"triggerTime=(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_NEXT_ALARM = re.compile(r"time:\d+ = (\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)")
_NETWORK = re.compile(r"^(\d+)\s{2,}(.+?)\s{2,}(\S.*)$")
_SCANNED = re.compile(
    r"^\s*(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\s+\d+\s+\S+\s+\S+\s+(?P<ssid>.*?)\s*(?P<flags>\[.*\])?$", re.I
)
_BONDED = re.compile(r"^\s*([0-9A-FX:]{17})\s+\[\s*[\w.-]+\s*\]\s*(.*?)\s*$")
_RECORD = re.compile(
    r"NotificationRecord\(0x[0-9a-f]+: pkg=(?P<package>\S+) user=\S+ id=(?P<id>-?\d+) tag=(?P<tag>.*?) "
    r"(?:importance|score)=\S+ key=(?P<key>\S+?):? "
)
_EXTRA = re.compile(r"^\s*android\.(title|text)=(.*)$", re.MULTILINE)


class ParseError(ValueError):
    """The phone's answer is not in any format known for it."""


def _fail(what: str, text: str) -> ParseError:
    return ParseError(f"cannot read {what} in {text[:200]!r}")


def properties(text: str) -> dict[str, str]:
    """`getprop`; a value may span lines."""
    return dict(_PROPERTY.findall(text.replace("\r\n", "\n")))


def screen_size(text: str) -> tuple[int, int]:
    """`wm size` in pixels; an override wins."""
    found = {kind: (int(width), int(height)) for kind, width, height in _SIZE.findall(text)}
    if not found:
        raise _fail("the screen's size", text)
    return found.get("Override") or found["Physical"]


def clock(text: str) -> tuple[datetime, int]:
    """`date '+%Y-%m-%dT%H:%M:%S %s'`: local wall time, and seconds since 1970."""
    local, _, epoch = text.strip().partition(" ")
    try:
        return datetime.fromisoformat(local), int(epoch)
    except ValueError:
        raise _fail("the time", text) from None


def rows(text: str, columns: Sequence[str]) -> list[dict[str, str | None]]:
    """`content query` with this projection; None is SQL's NULL.

    Values are printed as they are, with commas, "=" and newlines. Only one column, the last, may hold free text: the
    others must be free of ", ". A text that has a line "Row: 1 col=" of its own reads as a row of its own if it has
    all columns; nothing in the format tells them apart.
    """
    text = text.replace("\r\n", "\n")
    if text.strip() in ("No result found.", "No result found"):
        return []
    starts = [match for match in _ROW.finditer(text) if text.startswith(f"{columns[0]}=", match.end())]
    if not starts or text[: starts[0].start()].strip():
        raise _fail("rows", text)
    found = []
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        body = text[start.end() : end]
        found.append(_row(body[:-1] if body.endswith("\n") else body, columns))
    return found


def _row(body: str, columns: Sequence[str]) -> dict[str, str | None]:
    row: dict[str, str | None] = {}
    rest = body
    for position, column in enumerate(columns):
        if not rest.startswith(f"{column}="):
            raise _fail(f"column {column}", body)
        rest = rest[len(column) + 1 :]
        value = rest
        if position + 1 < len(columns):
            value, separator, rest = rest.partition(f", {columns[position + 1]}=")
            if not separator:
                raise _fail(f"column {columns[position + 1]}", body)
            rest = f"{columns[position + 1]}={rest}"
        row[column] = None if value == "NULL" else value
    return row


def focus(text: str) -> str | None:
    """The package in front by `dumpsys window`; None when nothing has the focus.

    Several displays print several lines: the last that is not null counts. A window without an activity (a dialog of
    the system, the notification shade, an "Application Not Responding") is returned by its own name.
    """
    found = [name for _, name in _FOCUS.findall(text) if name]
    return found[-1].partition("/")[0].strip() if found else None


def resumed(text: str) -> str | None:
    """The package of the resumed activity by `dumpsys activity activities`; None when there is none."""
    found = _RESUMED.search(text)
    return found[1].partition("/")[0] if found else None


def volume(text: str) -> tuple[int, int, int]:
    """(level, lowest, highest) of one stream."""
    found = _VOLUME.search(text)
    if not found:
        raise _fail("a volume", text)
    level, low, high = (int(number) for number in found.groups())
    return level, low, high


def alarm_clocks(text: str) -> list[str]:
    """Local ISO times at which alarm clocks ring, by `dumpsys alarm`, sorted; once each.

    Newer versions print every pending alarm clock, older ones only the next.
    """
    found = set(_ALARM_CLOCK.findall(text)) | set(_NEXT_ALARM.findall(text))
    return sorted(f"{day}T{time}" for day, time in found)


@dataclass(frozen=True)
class Telephony:
    """`dumpsys telephony.registry`, of the phone that is not idle, else the first."""

    call_state: int  # 0 idle, 1 ringing, 2 off hook
    forwarding: bool


def telephony(text: str) -> Telephony:
    """The state of calls. Two SIMs print everything twice."""
    states = [int(state) for state in re.findall(r"mCallState=(\d)", text)]
    if not states:
        raise _fail("mCallState", text)
    return Telephony(max(states), "mCallForwarding=true" in text)


@dataclass(frozen=True)
class Battery:
    level: int  # percent
    charging: bool
    temperature: float  # degrees Celsius


def battery(text: str) -> Battery:
    """`dumpsys battery`."""
    found = dict(re.findall(r"^\s*(level|status|temperature): (-?\d+)", text, re.MULTILINE))
    if "level" not in found or "status" not in found:
        raise _fail("the battery", text)
    return Battery(int(found["level"]), found["status"] in ("2", "5"), int(found.get("temperature", "0")) / 10)


def on_off(text: str, yes: Sequence[str], no: Sequence[str]) -> bool:
    """True or False by the first of these words that the answer has; raises when it has neither."""
    for line in text.splitlines():
        if any(word in line for word in yes):
            return True
        if any(word in line for word in no):
            return False
    raise _fail(f"{yes[0]!r} or {no[0]!r}", text)


def packages(text: str) -> set[str]:
    """`pm list packages`."""
    return {line[8:].strip() for line in text.splitlines() if line.startswith("package:")}


def launcher(text: str) -> str | None:
    """The component of `resolve-activity --brief`; None when the package has no activity to launch."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines and "/" in lines[-1] and " " not in lines[-1] else None


def wifi_saved(text: str) -> dict[str, int]:
    """Network id by SSID, of `cmd wifi list-networks`."""
    found: dict[str, int] = {}
    for line in text.splitlines():
        match = _NETWORK.match(line)
        if match:
            found.setdefault(match[2].strip(), int(match[1]))
    return found


def wifi_found(text: str) -> dict[str, bool]:
    """SSIDs in reach, and whether each wants a password, of `cmd wifi list-scan-results`."""
    found: dict[str, bool] = {}
    for line in text.splitlines():
        match = _SCANNED.match(line)
        if match and match["ssid"]:
            flags = match["flags"] or ""
            found[match["ssid"]] = any(kind in flags for kind in ("WPA", "WEP", "SAE", "PSK", "EAP"))
    return found


def wifi_connected(text: str) -> str:
    """The SSID of `cmd wifi status`, "" without a connection."""
    match = re.search(r'^Wifi is connected to "?(.*?)"?$', text, re.MULTILINE)
    return match[1] if match else ""


def bonded(text: str) -> dict[str, bool]:
    """Paired Bluetooth devices by name, and whether each is connected (where the version says so)."""
    _, start, block = text.partition("Bonded devices:")
    if not start:
        return {}
    found: dict[str, bool] = {}
    for line in block.splitlines()[1:]:
        match = _BONDED.match(line)
        if not match:
            break
        name, mark, _ = match[2].partition(" (Connected)")
        found[name] = bool(mark)
    return found


@dataclass(frozen=True)
class Notice:
    key: str
    package: str
    title: str
    text: str


def notifications(text: str) -> list[Notice]:
    """`dumpsys notification --noredact`, in its order, each key once; values lose their type ("String (...)")."""
    starts = list(_RECORD.finditer(text))
    found: dict[str, Notice] = {}
    for index, start in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        extras = {name: _untyped(value) for name, value in _EXTRA.findall(text[start.end() : end])}
        notice = Notice(start["key"], start["package"], extras.get("title", ""), extras.get("text", ""))
        if notice.key not in found or not found[notice.key].title:
            found[notice.key] = notice
    return list(found.values())


def _untyped(value: str) -> str:
    value = value.strip()
    match = re.fullmatch(r"(?:String|SpannableString|SpannableStringBuilder) \((.*)\)", value, re.DOTALL)
    return "" if value == "null" else match[1] if match else value


def setting(text: str) -> str | None:
    """`settings get`; None for a missing one (which prints as the text "null")."""
    value = text.rstrip("\r\n")
    return None if value == "null" else value
