"""What an argument of a verb may be. Each check returns the clean value or raises `VerbError`; nothing is repaired."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qpa.contract import ErrorType
from qpa.envs.device.android import KEYS

MAX_TEXT = 4000  # characters of one argument
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)+")
_COMPONENT = re.compile(r"(?P<package>[A-Za-z][A-Za-z0-9_.]*)/(?P<name>\.?[A-Za-z_][A-Za-z0-9_.$]*)")
_PERMISSION = re.compile(r"[a-zA-Z0-9_.]+")
_PHONE = re.compile(r"\+?[0-9]{3,15}")
_IME = re.compile(r"[A-Za-z][A-Za-z0-9_.]*/\.?[A-Za-z_][A-Za-z0-9_.$]*")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_ZONE = re.compile(r"[A-Za-z]+(/[A-Za-z0-9_+-]+){0,2}")
_NAME = re.compile(r"qpa-[a-z0-9-]+\.[a-z]+")


class VerbError(Exception):
    """A verb refuses, or the phone did. `error_type` is what the caller's feedback says; the message is short."""

    def __init__(self, error_type: ErrorType, message: str) -> None:
        super().__init__(message)
        self.error_type = error_type
        self.message = message


@dataclass(frozen=True)
class Facts:
    """What the verbs have to know about a phone.

    Attributes:
      sdk: API level, 26 (Android 8) to 36 (Android 16).
      width, height: pixels of the screen as it is now, 0 when unknown (then nothing can be tapped).
      zone: tz database name of the phone's time zone.
      double: it has the double's private command.
      model: as the phone names itself.
      over_network: the connection ends with the phone's Wi-Fi.
    """

    sdk: int = 0
    width: int = 0
    height: int = 0
    zone: str = "UTC"
    double: bool = False
    model: str = ""
    over_network: bool = False


Check = Callable[[Any, Facts], Any]


def wrong(message: str) -> VerbError:
    """400: an argument does not follow its grammar."""
    return VerbError(ErrorType.INVALID_ARGUMENT, message)


def unavailable(message: str) -> VerbError:
    """503: no phone, or not this one, can do it."""
    return VerbError(ErrorType.UNAVAILABLE, message)


def text(value: Any, facts: Facts) -> str:
    """Any text that a shell argument can carry: no control characters but newline and tab, nothing but Unicode."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise wrong(f"want text of at most {MAX_TEXT} characters")
    if any(c not in "\n\t" and unicodedata.category(c) in ("Cc", "Cs") for c in value):
        raise wrong("text has control characters")
    return value


def line(value: Any, facts: Facts) -> str:
    """`text` of one line that is not empty."""
    if not text(value, facts).strip() or "\n" in value:
        raise wrong("want one line of text")
    return value


def typed(value: Any, facts: Facts) -> str:
    """Printable ASCII, what `input text` can type."""
    if not line(value, facts).isascii() or not value.isprintable():
        raise wrong("input text types printable ASCII only")
    return value


def matching(pattern: re.Pattern[str], what: str) -> Check:
    """A check that the whole text follows the pattern."""

    def check(value: Any, facts: Facts) -> str:
        if not isinstance(value, str) or len(value) > 255 or not pattern.fullmatch(value):
            raise wrong(f"not {what}: {str(value)[:40]!r}")
        return value

    return check


package = matching(_PACKAGE, "a package name")
component = matching(_COMPONENT, "a component")
permission = matching(_PERMISSION, "a permission name")
phone_number = matching(_PHONE, "a phone number")
input_method = matching(_IME, "an input method id")
word = matching(_WORD, "a lower-case word")
zone = matching(_ZONE, "a time zone")
scratch_name = matching(_NAME, "a scratch file name")


def one_of(*allowed: str) -> Check:
    """A check that the value is listed."""

    def check(value: Any, facts: Facts) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise wrong(f"want one of {'|'.join(allowed)}, not {str(value)[:40]!r}")
        return value

    return check


key = one_of(*KEYS)


def integer(low: int, high: int) -> Check:
    """A check that low <= value <= high; no text, no bool, no float."""

    def check(value: Any, facts: Facts) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise wrong(f"want an integer of {low} to {high}, not {str(value)[:40]!r}")
        return value

    return check


def x(value: Any, facts: Facts) -> int:
    """A pixel column on the screen."""
    return integer(0, facts.width - 1)(value, facts)


def y(value: Any, facts: Facts) -> int:
    """A pixel row on the screen."""
    return integer(0, facts.height - 1)(value, facts)


def ssid(value: Any, facts: Facts) -> str:
    """A Wi-Fi name: 1 to 32 bytes."""
    if not 1 <= len(line(value, facts).encode()) <= 32:
        raise wrong("a Wi-Fi name has 1 to 32 bytes")
    return value


def passphrase(value: Any, facts: Facts) -> str:
    """A WPA passphrase: 8 to 63 characters; "" for an open network."""
    if value != "" and not 8 <= len(line(value, facts)) <= 63:
        raise wrong("a Wi-Fi password has 8 to 63 characters")
    return value


def days(value: Any, facts: Facts) -> tuple[int, ...]:
    """Days of the week as java.util.Calendar counts them, 1 (Sunday) to 7, each once; () is none."""
    found = tuple(integer(1, 7)(day, facts) for day in value) if isinstance(value, (list, tuple)) else None
    if found is None or len(set(found)) != len(found):
        raise wrong("days are distinct numbers 1 to 7")
    return found


def checked(arguments: Mapping[str, Check], given: Mapping[str, Any], facts: Facts) -> dict[str, Any]:
    """All arguments clean; raises `VerbError` (400) for an unknown, missing or wrong one, naming it."""
    if given.keys() != arguments.keys():
        odd = sorted(given.keys() ^ arguments.keys())[0]
        raise wrong(f"{'unknown' if odd in given else 'missing'} argument {odd}")
    clean = {}
    for name, check in arguments.items():
        try:
            clean[name] = check(given[name], facts)
        except VerbError as error:
            raise VerbError(error.error_type, f"{name}: {error.message}") from None
    return clean
