"""The closed table of what may be sent to a phone. There is no verb that takes a command line.

A verb's arguments follow a grammar (`grammar`), its argv is built from them alone, and its answer is judged by both
output streams: many of Android's commands say "Error" and exit with 0. That a verb succeeded says only that the phone
did not refuse; whoever sent it reads the state back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from qpa.contract import Effect
from qpa.envs.device import grammar as g
from qpa.envs.device.base import ShellResult
from qpa.envs.device.grammar import Check, Facts, unavailable

Argv = Callable[[Facts, dict[str, Any]], list[str]]

# What Android's commands print when they failed, at the start of a line, whatever their exit code.
_REFUSALS = re.compile(
    r"^\s*(?:Error\b|ERROR:|Exception\b|Failure\b|Failed\b|java\.[\w.]+(?:Exception|Error)|Security ?exception|Bad |"
    r"Available commands:|Unknown (?:command|input method|stream|option)|Invalid\b|Killed\b|usage:|Usage:|"
    r"Can't find service|cmd: Can't find service|.*: (?:inaccessible or )?not found\s*$)",
    re.MULTILINE | re.IGNORECASE,
)
_LONG = 160  # characters of a phone's error text that are passed on


@dataclass(frozen=True)
class Verb:
    """One thing that may be asked of a phone.

    Attributes:
      effect: read verbs may be repeated; irreversible and external ones need a grant of their own name.
      argv: the arguments of one device command.
      since: lowest API level that has the command.
      rows: the answer holds other people's text; only what comes before the first row can be an error.
      free: all of the answer is other people's text; only the error stream and the exit code speak.
      judged: False where whoever asks reads the failure out of the answer.
      repeatable: sending it twice leaves the same state as once.
      refused: exit code of an answer that is no failure (`pidof` of a dead process: 1).
    """

    effect: Effect
    argv: Argv
    arguments: Mapping[str, Check] = field(default_factory=dict)
    deadline_s: float = 10.0
    since: int = 0
    rows: bool = False
    free: bool = False
    judged: bool = True
    repeatable: bool = False
    refused: int = 0

    @property
    def idempotent(self) -> bool:
        """Whether it may be sent again after a deadline."""
        return self.repeatable or self.effect is Effect.READ

    def build(self, facts: Facts, given: Mapping[str, Any]) -> list[str]:
        """The device command. Raises `VerbError`: 400 for a wrong argument, 503 below `since`."""
        if facts.sdk < self.since:
            raise unavailable(f"Needs Android API {self.since}, this phone has {facts.sdk}")
        return self.argv(facts, g.checked(self.arguments, given, facts))

    def judge(self, result: ShellResult) -> None:
        """Raises `VerbError` (503) when the answer is a refusal."""
        if not self.judged:
            return
        out, err = (stream.decode("utf-8", "replace") for stream in (result.stdout, result.stderr))
        head = out.partition("Row: ")[0] if self.rows else out
        for stream in (err, "" if self.free else head):
            found = _REFUSALS.search(stream)
            if found:
                said = " ".join(stream[found.start() :].split())
                raise unavailable(f"Phone refused: {said[:_LONG]}")
        if result.exit_code not in (0, self.refused):
            raise unavailable(f"Phone refused: exit code {result.exit_code}, {' '.join(err.split())[:_LONG]}")


def read(argv: Argv, arguments: Mapping[str, Check] | None = None, **more: Any) -> Verb:
    """A verb that changes nothing."""
    return Verb(Effect.READ, argv, arguments or {}, **more)


def fixed(*argv: str) -> Argv:
    """A command without arguments."""
    return lambda facts, a: list(argv)


def _start(action: str, **extras: Callable[[dict[str, Any]], list[str]]) -> Argv:
    def build(facts: Facts, a: dict[str, Any]) -> list[str]:
        argv = ["am", "start", "-W", "-a", action]
        for extra in extras.values():
            argv += extra(a)
        return argv

    return build


_PAGES = {page: f"android.settings.{page.upper()}_SETTINGS" for page in ("bluetooth", "wifi")}
_PAGES["airplane"] = "android.settings.AIRPLANE_MODE_SETTINGS"
_ALARM = "android.intent.extra.alarm."


def _alarm_days(a: dict[str, Any]) -> list[str]:
    return ["--eial", _ALARM + "DAYS", ",".join(str(day) for day in a["days"])] if a["days"] else []


def _alarm_message(a: dict[str, Any]) -> list[str]:
    return ["--es", _ALARM + "MESSAGE", a["label"]] if a["label"] else []


def _volume(facts: Facts) -> list[str]:
    return ["cmd", "media_session", "volume"] if facts.sdk >= 30 else ["media", "volume"]


def _switch(on: bool, yes: str, no: str) -> str:
    return yes if on else no


def boolean(value: Any, facts: Facts) -> bool:
    """True or False, nothing that only looks like it."""
    if not isinstance(value, bool):
        raise g.wrong("want true or false")
    return value


def _set_location(facts: Facts, a: dict[str, Any]) -> list[str]:
    if facts.sdk >= 31:
        return ["cmd", "location", "set-location-enabled", _switch(a["on"], "true", "false")]
    return ["settings", "put", "secure", "location_mode", _switch(a["on"], "3", "0")]


def _get_location(facts: Facts, a: dict[str, Any]) -> list[str]:
    if facts.sdk >= 31:
        return ["cmd", "location", "is-location-enabled"]
    return ["settings", "get", "secure", "location_mode"]


def _set_zone(facts: Facts, a: dict[str, Any]) -> list[str]:
    if facts.sdk >= 31:
        return ["cmd", "alarm", "set-timezone", a["zone"]]
    return ["service", "call", "alarm", "3", "s16", a["zone"]]


_ON = {"on": boolean}
_REVERSIBLE = Effect.REVERSIBLE


def _radio(*argv: str, yes: str = "enable", no: str = "disable", since: int = 0) -> Verb:
    def build(facts: Facts, a: dict[str, Any]) -> list[str]:
        return [*argv, _switch(a["on"], yes, no)]

    return Verb(_REVERSIBLE, build, _ON, repeatable=True, since=since)


STATE: dict[str, Verb] = {
    "properties": read(fixed("getprop"), free=True),
    "clock": read(fixed("date", "+%Y-%m-%dT%H:%M:%S %s")),
    "screen_size": read(fixed("wm", "size")),
    "double_version": read(fixed("qpa-double", "version"), refused=127),
    "get_nfc": read(fixed("dumpsys", "nfc"), free=True),
    "get_data_saver": read(fixed("cmd", "netpolicy", "get", "restrict-background")),
    "get_location": read(_get_location),
    "get_dark_mode": read(fixed("cmd", "uimode", "night"), since=29),
    "get_battery": read(fixed("dumpsys", "battery"), free=True),
    "get_telephony": read(fixed("dumpsys", "telephony.registry"), free=True),
    "get_bluetooth": read(fixed("dumpsys", "bluetooth_manager"), free=True),
    "get_alarm_clocks": read(fixed("dumpsys", "alarm"), free=True),
    "get_notifications": read(fixed("dumpsys", "notification", "--noredact"), free=True),
    "get_wifi_status": read(fixed("cmd", "wifi", "status"), since=30, free=True),
    "list_wifi_saved": read(fixed("cmd", "wifi", "list-networks"), since=30, free=True),
    "list_wifi_found": read(fixed("cmd", "wifi", "list-scan-results"), since=30, free=True),
    "get_volume": read(
        lambda facts, a: [*_volume(facts), "--stream", str(a["stream"]), "--get"],
        {"stream": g.integer(0, 5)},
    ),
    "set_volume": Verb(
        _REVERSIBLE,
        lambda facts, a: [*_volume(facts), "--stream", str(a["stream"]), "--set", str(a["level"])],
        {"stream": g.integer(0, 5), "level": g.integer(0, 100)},
        repeatable=True,
    ),
    "set_wifi": _radio("svc", "wifi"),
    "set_bluetooth": _radio("svc", "bluetooth"),
    "set_mobile_data": _radio("svc", "data"),
    "set_nfc": _radio("svc", "nfc"),
    "set_airplane_mode": _radio("cmd", "connectivity", "airplane-mode", since=30),
    "set_data_saver": _radio("cmd", "netpolicy", "set", "restrict-background", yes="true", no="false"),
    "set_dark_mode": _radio("cmd", "uimode", "night", yes="yes", no="no", since=29),
    "set_dnd": _radio("cmd", "notification", "set_dnd", yes="on", no="off", since=28),
    "set_location": Verb(_REVERSIBLE, _set_location, _ON, repeatable=True),
    "set_ringer": Verb(
        _REVERSIBLE,
        lambda facts, a: ["cmd", "audio", "set-ringer-mode", a["mode"].upper()],
        {"mode": g.one_of("normal", "vibrate", "silent")},
        since=33,
        repeatable=True,
    ),
    "set_zone": Verb(_REVERSIBLE, _set_zone, {"zone": g.zone}, repeatable=True),
    "wifi_scan": Verb(_REVERSIBLE, fixed("cmd", "wifi", "start-scan"), since=30, repeatable=True),
    "wifi_connect": Verb(
        _REVERSIBLE,
        lambda facts, a: [
            *("cmd", "wifi", "connect-network", a["ssid"]),
            *(["wpa2", a["password"]] if a["password"] else ["open"]),
        ],
        {"ssid": g.ssid, "password": g.passphrase},
        since=30,
        repeatable=True,
    ),
    "wifi_forget": Verb(
        _REVERSIBLE,
        lambda facts, a: ["cmd", "wifi", "forget-network", str(a["network"])],
        {"network": g.integer(0, 10_000)},
        since=30,
        repeatable=True,
    ),
}

INTENTS: dict[str, Verb] = {
    "set_alarm": Verb(
        _REVERSIBLE,
        _start(
            "android.intent.action.SET_ALARM",
            hour=lambda a: ["--ei", _ALARM + "HOUR", str(a["hour"])],
            minutes=lambda a: ["--ei", _ALARM + "MINUTES", str(a["minute"])],
            message=_alarm_message,
            days=_alarm_days,
            skip=lambda a: ["--ez", _ALARM + "SKIP_UI", "true"],
        ),
        {"hour": g.integer(0, 23), "minute": g.integer(0, 59), "label": g.text, "days": g.days},
    ),
    "set_timer": Verb(
        _REVERSIBLE,
        _start(
            "android.intent.action.SET_TIMER",
            length=lambda a: ["--ei", _ALARM + "LENGTH", str(a["seconds"])],
            message=_alarm_message,
            skip=lambda a: ["--ez", _ALARM + "SKIP_UI", "true"],
        ),
        {"seconds": g.integer(1, 86400), "label": g.text},
    ),
    "show_alarms": Verb(_REVERSIBLE, _start("android.intent.action.SHOW_ALARMS"), repeatable=True),
    "show_timers": Verb(_REVERSIBLE, _start("android.intent.action.SHOW_TIMERS"), repeatable=True),
    "show_settings": Verb(
        _REVERSIBLE,
        lambda facts, a: ["am", "start", "-W", "-a", _PAGES[a["page"]]],
        {"page": g.one_of("airplane", "bluetooth", "wifi")},
        repeatable=True,
    ),
    "compose_message": Verb(
        _REVERSIBLE,
        _start(
            "android.intent.action.SENDTO",
            to=lambda a: ["-d", f"sms:{a['number']}"],
            body=lambda a: ["--es", "sms_body", a["body"]],
            leave=lambda a: ["--ez", "exit_on_sent", "true"],
        ),
        {"number": g.phone_number, "body": g.text},
        repeatable=True,
    ),
    "compose_note": Verb(
        _REVERSIBLE,
        _start(
            "com.google.android.gms.actions.CREATE_NOTE",
            kind=lambda a: ["-t", "text/plain"],
            body=lambda a: ["--es", "android.intent.extra.TEXT", a["body"]],
        ),
        {"body": g.text},
    ),
    "call": Verb(
        Effect.EXTERNAL,
        _start(
            "android.intent.action.CALL",
            to=lambda a: ["-d", f"tel:{a['number']}"],
            video=lambda a: ["--ei", "android.telecom.extra.START_CALL_WITH_VIDEO_STATE", "3"] if a["video"] else [],
        ),
        {"number": g.phone_number, "video": boolean},
    ),
    "forward_calls": Verb(
        Effect.EXTERNAL,
        _start(
            "android.intent.action.CALL",
            to=lambda a: ["-d", f"tel:**21*{a['number']}%23" if a["number"] else "tel:%23%2321%23"],
        ),
        {"number": lambda value, facts: value if value == "" else g.phone_number(value, facts)},
        repeatable=True,
    ),
}
