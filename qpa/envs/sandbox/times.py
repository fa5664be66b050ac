"""Time words to ISO 8601: "7:30 pm", "tomorrow 07:30", "Saturday 18:32", "Jan 20 at 9 am", "in 30 minutes"."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Literal

from qpa.envs.sandbox.context import bad

Kind = Literal["time", "date", "datetime", "due"]

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
FIRST_YEAR, LAST_YEAR = 1900, 2100  # later arithmetic on dates cannot overflow
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = {"yesterday": -1, "today": 0, "tonight": 0, "this evening": 0, "tomorrow": 1, "day after tomorrow": 2}
_NUMBER = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3}

_MINUTES = re.compile(
    r"in (?:(?P<half>half an hour)|(?:(?P<h>\d{1,3}|an?|one|two|three) ?(?:hours?|hrs?|h))?(?: and )? ?"
    r"(?:(?P<m>\d{1,4}|a|one|two|three) ?(?:minutes?|mins?))?)"
)
_CLOCK = re.compile(
    r"(?:^|(?<=[ t]))(?:(?P<h>\d{1,2})[:.](?P<m>\d{2})(?::\d{2})?(?: ?(?P<half>[ap])\.?m\.?)?"
    r"|(?P<h12>\d{1,2}) ?(?P<half12>[ap])\.?m\.?|(?P<word>noon|midnight))(?=$|[ ,])"
)
_ISO_DATE = re.compile(r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})")
_IN_DAYS = re.compile(r"in (\d{1,4}|an?|one|two|three) (day|week)s?")
_WEEKDAY = re.compile(r"(?P<next>next )?(?:this )?(?P<name>[a-z]+)")
_NAMED = re.compile(r"(?:(?P<m1>[a-z]+)\.? (?P<d1>\d{1,2})|(?P<d2>\d{1,2})(?: of)? (?P<m2>[a-z]+))(?:,? (?P<y>\d{4}))?")


def resolve(text: str, now: datetime, kind: Kind) -> str:
    """Reads a time expression relative to `now`.

    A bare time of day, weekday or month day means its first occurrence after `now`; an explicit day is taken as it
    is, past or not.

    Args:
      kind: "time" gives "HH:MM"; "date" gives "YYYY-MM-DD"; "datetime" gives "YYYY-MM-DDTHH:MM:00" and needs a time
        of day; "due" gives a date when no time of day is named, else a datetime.

    Raises:
      ToolError: 400 when the text cannot be read.
    """
    day, clock = _parse(text, now)
    if day is None and clock is not None:
        day = now.date() if datetime.combine(now.date(), clock) > now else now.date() + timedelta(days=1)
    if kind == "time":
        if clock is None:
            raise bad(f"Give a time of day, not {text[:20]}")
        return clock.strftime("%H:%M")
    if kind == "date" or (kind == "due" and clock is None):
        return (day or now.date()).isoformat()
    if clock is None:
        raise bad("Give a time of day too")
    return datetime.combine(day or now.date(), clock).isoformat()


def clock_only(text: str, now: datetime) -> str | None:
    """ "HH:MM" when the text names a time of day and no day, else None; 400 when it cannot be read."""
    day, clock = _parse(text, now)
    return clock.strftime("%H:%M") if day is None and clock is not None else None


def _parse(text: str, now: datetime) -> tuple[date | None, time | None]:
    try:
        day, clock = _read(text, now)
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise ValueError(text)
        return day, clock
    except (ValueError, OverflowError):
        raise bad(f"Cannot read time: {text[:30]}") from None


def _read(text: str, now: datetime) -> tuple[date | None, time | None]:
    words = re.sub(r"\s+", " ", text.strip().lower())
    match = _MINUTES.fullmatch(words)
    if match and any(match.groups()):
        moment = now.replace(second=0) + timedelta(minutes=_minutes(match))
        return moment.date(), moment.time()
    clock = None
    found = _CLOCK.search(words)
    if found:
        clock = _clock(found)
        words = words[: found.start()] + words[found.end() :]
    words = re.sub(r"\b(?:at|on|by|the)\b|(?<=\d)(?:st|nd|rd|th|t)\b|,", " ", words)
    words = " ".join(words.split())
    if not words:
        if clock is None:
            raise ValueError(text)
        return None, clock
    return _day(words, now, clock), clock


def _minutes(match: re.Match[str]) -> int:
    if match["half"]:
        return 30
    hours, minutes = (_number(match[g]) if match[g] else 0 for g in ("h", "m"))
    return 60 * hours + minutes


def _number(word: str) -> int:
    return _NUMBER[word] if word in _NUMBER else int(word)


def _clock(match: re.Match[str]) -> time:
    if match["word"]:
        return time(12 if match["word"] == "noon" else 0)
    hour, half = int(match["h"] or match["h12"]), match["half"] or match["half12"]
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(f"{hour} {half}m")
        hour = hour % 12 + (12 if half == "p" else 0)
    return time(hour, int(match["m"] or 0))


def _day(words: str, now: datetime, clock: time | None) -> date:
    today = now.date()
    if words in _DAYS:
        return today + timedelta(days=_DAYS[words])
    if match := _ISO_DATE.fullmatch(words):
        return date(int(match[1]), int(match[2]), int(match[3]))
    if match := _IN_DAYS.fullmatch(words):
        return today + timedelta(days=_number(match[1]) * (7 if match[2] == "week" else 1))
    if match := _WEEKDAY.fullmatch(words):
        ahead = (_weekday(match["name"]) - today.weekday()) % 7
        passed = match["next"] or clock is None or datetime.combine(today, clock) <= now
        return today + timedelta(days=7 if ahead == 0 and passed else ahead)
    if match := _NAMED.fullmatch(words):
        month = _MONTHS.index((match["m1"] or match["m2"])[:3]) + 1
        day = int(match["d1"] or match["d2"])
        if match["y"]:
            return date(int(match["y"]), month, day)
        this_year = date(today.year, month, day)
        return this_year if this_year >= today else date(today.year + 1, month, day)
    raise ValueError(words)


def _weekday(name: str) -> int:
    for index, weekday in enumerate(WEEKDAYS):
        if len(name) >= 3 and weekday.startswith(name):
            return index
    raise ValueError(name)
