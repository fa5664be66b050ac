"""Intents as `am` reads and prints them, and what the double's apps do with them.

The handlers cover the intents that Android documents for alarms, timers, contacts, messages, calls, calendar, notes,
music and the settings pages. A handler opens a page or, told to skip the screen, acts by the sandbox's tool.
"""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from qpa.envs.device.double import phone_pages_people as people
from qpa.envs.device.double.phone_base import exception_of, whole
from qpa.envs.device.double.phone_pages_tasks import event_time
from qpa.envs.device.double.phone_profile import CONTACTS, HOME, App, app_of
from qpa.envs.device.double.phone_widgets import Page

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

ALARM = "android.intent.extra.alarm."
_TYPES: dict[str, Callable[[str], Any]] = {  # extra flag -> how its value is read; the lists are "1,2,3"
    "--es": str, "-e": str, "--ez": lambda v: v.lower() in ("true", "t", "1"), "--ei": lambda v: whole(v),
    "--el": lambda v: whole(v), "--ef": str, "--eu": str, "--ecn": str,
    "--eia": lambda v: _numbers(v), "--eial": lambda v: _numbers(v), "--ela": lambda v: _numbers(v),
    "--elal": lambda v: _numbers(v), "--esa": lambda v: v.split(","), "--esal": lambda v: v.split(","),
}  # fmt: skip
_VALUED = ("-a", "-d", "-t", "-c", "-n", "-p", "-f", "--user", "--display", "--windowingMode", "-P", "-R")
_SWITCHES = (
    "-W", "-S", "-D", "-N", "--activity-clear-top", "--activity-single-top", "--activity-clear-task",
    "--activity-new-task", "--grant-read-uri-permission", "--include-stopped-packages", "--receiver-foreground",
)  # fmt: skip


class IntentError(Exception):
    """The command line holds no intent; the message is what `am` prints after "Error: "."""


def _numbers(text: str) -> list[int]:
    found = [whole(part) for part in text.split(",")]
    return [n for n in found if n is not None]


@dataclass
class Intent:
    """What the flags of `am` say."""

    action: str = ""
    data: str = ""
    type: str = ""
    categories: list[str] = field(default_factory=list)
    component: str = ""
    package: str = ""
    flags: int = 0
    extras: dict[str, Any] = field(default_factory=dict)
    switches: set[str] = field(default_factory=set)

    def __str__(self) -> str:
        shown = [f"act={self.action}"] if self.action else []
        if self.categories:
            shown.append(f"cat=[{','.join(self.categories)}]")
        if self.data:
            shown.append(f"dat={_safe(self.data)}")
        if self.type:
            shown.append(f"typ={self.type}")
        if self.flags:
            shown.append(f"flg=0x{self.flags:x}")
        if self.package:
            shown.append(f"pkg={self.package}")
        if self.component:
            shown.append(f"cmp={short(self.component)}")
        if self.extras:
            shown.append("(has extras)")
        return f"Intent {{ {' '.join(shown)} }}"

    def text(self, name: str) -> str:
        """An extra as text."""
        value = self.extras.get(name)
        return "" if value is None else str(value)


def _safe(data: str) -> str:
    """As Uri.toSafeString: telephone and mail addresses are crossed out, web addresses cut after the host."""
    scheme, _, rest = data.partition(":")
    if scheme in ("tel", "sip", "sms", "smsto", "mailto", "nfc"):
        return f"{scheme}:" + "".join(c if c in "-@." else "x" for c in rest)
    if scheme in ("http", "https", "ftp", "rtsp") and rest.startswith("//"):
        return f"{scheme}://{rest[2:].partition('/')[0]}/..."
    return data


def short(component: str) -> str:
    """pkg/.Act where the class lies in the package."""
    package, _, name = component.partition("/")
    return f"{package}/{name[len(package) :]}" if name.startswith(package + ".") else component


def full(component: str) -> str:
    """pkg/pkg.Act."""
    package, _, name = component.partition("/")
    return f"{package}/{package}{name}" if name.startswith(".") else component


def parse(args: list[str]) -> Intent:
    """Reads `am`'s intent arguments; raises `IntentError`."""
    intent, rest = Intent(), list(args)
    while rest:
        word = rest.pop(0)
        if word in _SWITCHES:
            intent.switches.add(word)
        elif word in _TYPES:
            if len(rest) < 2:
                raise IntentError(f'Argument expected after "{word}"')
            name, value = rest.pop(0), rest.pop(0)
            intent.extras[name] = _TYPES[word](value)
        elif word == "--esn" and rest:
            intent.extras[rest.pop(0)] = None
        elif word in _VALUED:
            if not rest:
                raise IntentError(f'Argument expected after "{word}"')
            _take(intent, word, rest.pop(0))
        elif word.startswith("-"):
            raise IntentError(f"Unknown option: {word}")
        elif "://" in word or (":" in word and "/" not in word):
            intent.data = word
        elif "/" in word:
            intent.component = full(word)
        else:
            intent.package = word
    return intent


def _take(intent: Intent, flag: str, value: str) -> None:
    if flag == "-n":
        if "/" not in value or value.startswith("/") or value.endswith("/"):
            raise IntentError(f"Bad component name: {value}")
        intent.component = full(value)
    elif flag == "-c":
        intent.categories.append(value)
    elif flag == "-f":
        number = whole(value) if not value.lower().startswith("0x") else _hex(value)
        if number is None:
            raise IntentError(f'For input string: "{value}"')
        intent.flags |= number & 0xFFFFFFFF
    else:
        name = {"-a": "action", "-d": "data", "-t": "type", "-p": "package"}.get(flag)
        if name:
            setattr(intent, name, value)


def _hex(value: str) -> int | None:
    try:
        return int(value, 16)
    except ValueError:
        return None


# --- what the apps do with them --------------------------------------------------------------------------------------

Outcome = tuple[App, str]  # the app that takes it, and its refusal ("" for none)
Handler = Callable[["SandboxPhone", Intent], Outcome]
CLOCK, CALENDAR, PHONE = app_of("Clock"), app_of("Calendar"), app_of("Phone")
MESSAGES, NOTES, SETTINGS = app_of("Messages"), app_of("Notes"), app_of("Settings")
_REPEATS = {frozenset(range(1, 8)): "daily", frozenset(range(2, 7)): "weekdays", frozenset((1, 7)): "weekends"}


def _call(phone: SandboxPhone, tool: str, **arguments: Any) -> str:
    answer = phone.use(tool, **{k: v for k, v in arguments.items() if v not in (None, "")})
    return "" if answer.ok else exception_of(answer)


def _set_alarm(phone: SandboxPhone, intent: Intent) -> Outcome:
    """With the screen skipped and a time given the alarm is set; an unknown repeat opens the list."""
    hour, minute = intent.extras.get(ALARM + "HOUR"), intent.extras.get(ALARM + "MINUTES", 0)
    days = intent.extras.get(ALARM + "DAYS") or []
    repeat = "once" if not days else _REPEATS.get(frozenset(days if isinstance(days, list) else [days]))
    timed = isinstance(hour, int) and isinstance(minute, int) and 0 <= hour < 24 and 0 <= minute < 60
    if not timed or repeat is None or not intent.extras.get(ALARM + "SKIP_UI"):
        fields = {"hour": f"{hour:02d}", "minute": f"{minute:02d}"} if timed else {}
        phone.ui.start(Page("alarms", "Clock"), Page("alarm_time", "", fields))
        return CLOCK, ""
    title = intent.text(ALARM + "MESSAGE")
    return CLOCK, _call(
        phone, "manage_alarm", action="create", time=f"{hour:02d}:{minute:02d}", title=title, repeat=repeat
    )


def _set_timer(phone: SandboxPhone, intent: Intent) -> Outcome:
    """The sandbox counts minutes: seconds are rounded up."""
    seconds = intent.extras.get(ALARM + "LENGTH")
    if not isinstance(seconds, int) or seconds < 1 or not intent.extras.get(ALARM + "SKIP_UI"):
        phone.ui.start(Page("timers", "Clock"))
        return CLOCK, ""
    label = intent.text(ALARM + "MESSAGE")
    return CLOCK, _call(phone, "manage_countdown", action="start", minutes=-(-seconds // 60), label=label)


def _dismiss_alarm(phone: SandboxPhone, intent: Intent) -> Outcome:
    label = intent.text(ALARM + "MESSAGE")
    return CLOCK, _call(phone, "manage_alarm", action="disable", title=label) if label else ""


def _page(app: App, *pages: Page) -> Handler:
    def open_(phone: SandboxPhone, intent: Intent) -> Outcome:
        phone.ui.start(*(Page(page.kind, page.about) for page in pages))
        return app, ""

    return open_


def _home(phone: SandboxPhone, intent: Intent) -> Outcome:
    phone.ui.start()
    return HOME, ""


def number_of(data: str) -> str:
    """The number in tel:, sms: and smsto: addresses."""
    rest = data.partition(":")[2].partition("?")[0]
    return urllib.parse.unquote(rest).lstrip("/")


def _dial(phone: SandboxPhone, intent: Intent) -> Outcome:
    phone.ui.start(Page("dialer", "Phone"), Page("dialer_number", number_of(intent.data)))
    return PHONE, ""


def _call_number(phone: SandboxPhone, intent: Intent) -> Outcome:
    """CALL dials; *21*NUMBER# and #21# are the network's codes for forwarding calls."""
    number = number_of(intent.data)
    if number.startswith("**21*") or number.startswith("*21*"):
        return PHONE, _call(
            phone, "manage_call_forwarding", action="enable", phoneNumber=number.split("21*", 1)[1].rstrip("#")
        )
    if number in ("#21#", "##21#"):
        return PHONE, _call(phone, "manage_call_forwarding", action="disable")
    video = intent.extras.get("android.telecom.extra.START_CALL_WITH_VIDEO_STATE") == 3
    people.call(phone.ui, number, video)
    return PHONE, ""


def _sendto(phone: SandboxPhone, intent: Intent) -> Outcome:
    scheme = intent.data.partition(":")[0]
    if scheme not in ("sms", "smsto", "mms", "mmsto"):
        phone.ui.start(Page("app", "Email"))
        return app_of("Email"), ""
    query = urllib.parse.parse_qs(intent.data.partition("?")[2])
    words = intent.text("sms_body") or (query.get("body") or [""])[0]
    thread = Page("thread", number_of(intent.data), {"body": words})
    if intent.extras.get("exit_on_sent"):
        thread.marks.add("exit")
    if not thread.about:
        thread.kind = "new_message"
    phone.ui.start(Page("messages", "Messages"), thread)
    return MESSAGES, ""


def _insert(phone: SandboxPhone, intent: Intent) -> Outcome:
    """A new contact or a new event, its editor filled in."""
    if "event" in intent.type or "calendar" in intent.data:
        begin = intent.extras.get("beginTime")
        moment = phone.local(begin) if isinstance(begin, int) else None
        fields = {"title": intent.text("title"), "place": intent.text("eventLocation")}
        fields["when"] = event_time(moment) if moment else ""
        phone.ui.start(Page("calendar", "Calendar"), Page("event_edit", "", fields))
        return CALENDAR, ""
    fields = {name: intent.text(name) for name in ("name", "phone", "email")}
    phone.ui.start(Page("contacts"), Page("contact_edit", "", fields))
    return CONTACTS, ""


def _view(phone: SandboxPhone, intent: Intent) -> Outcome:
    """VIEW and EDIT by the address: a contact, an event, a number, a place or a web page."""
    scheme, _, last = intent.data.partition(":")[0], "", intent.data.rstrip("/").rpartition("/")[2]
    number = whole(last)
    if "contacts" in intent.data and scheme == "content":
        row_id = phone.extras.numbers.row("contacts", number) if number is not None else None
        pages = [Page("contact", row_id)] if row_id else []
        phone.ui.start(Page("contacts"), *pages)
        return CONTACTS, ""
    if "calendar" in intent.data and scheme == "content":
        row_id = phone.extras.numbers.row("schedules", number) if number is not None else None
        phone.ui.start(Page("calendar", "Calendar"), *([Page("event", row_id)] if row_id else []))
        return CALENDAR, ""
    if scheme == "tel":
        return _dial(phone, intent)
    if scheme in ("sms", "smsto"):
        return _sendto(phone, intent)
    name = {"geo": "Maps", "http": "Browser", "https": "Browser", "content": "Gallery", "file": "Gallery"}.get(scheme)
    if name is None:
        raise LookupError(intent.data)
    phone.ui.start(Page("app", name))
    return app_of(name), ""


def _new_note(phone: SandboxPhone, intent: Intent) -> Outcome:
    phone.ui.start(Page("notes", "Notes"), Page("note", "", {"text": intent.text("android.intent.extra.TEXT")}))
    return NOTES, ""


def _play(phone: SandboxPhone, intent: Intent) -> Outcome:
    query = intent.text("query")
    return app_of("Music"), _call(phone, "play_audio", title=query) if query else ""


_SETTINGS_PAGES = {
    "ACCESSIBILITY_SETTINGS": "accessibility", "AIRPLANE_MODE_SETTINGS": "network", "APPLICATION_SETTINGS": "apps",
    "BATTERY_SAVER_SETTINGS": "battery", "BLUETOOTH_SETTINGS": "bluetooth", "DATE_SETTINGS": "date",
    "DEVICE_INFO_SETTINGS": "about", "DISPLAY_SETTINGS": "display", "LOCATION_SOURCE_SETTINGS": "location",
    "MANAGE_APPLICATIONS_SETTINGS": "apps", "NETWORK_OPERATOR_SETTINGS": "network", "NFC_SETTINGS": "network",
    "NIGHT_DISPLAY_SETTINGS": "display", "SOUND_SETTINGS": "sound", "WIFI_SETTINGS": "wifi",
    "WIRELESS_SETTINGS": "network", "ZEN_MODE_SETTINGS": "dnd",
}  # fmt: skip

HANDLERS: dict[str, Handler] = {
    "android.intent.action.CALL": _call_number,
    "android.intent.action.DIAL": _dial,
    "android.intent.action.DISMISS_ALARM": _dismiss_alarm,
    "android.intent.action.EDIT": _view,
    "android.intent.action.INSERT": _insert,
    "android.intent.action.SENDTO": _sendto,
    "android.intent.action.SET_ALARM": _set_alarm,
    "android.intent.action.SET_TIMER": _set_timer,
    "android.intent.action.SHOW_ALARMS": _page(CLOCK, Page("alarms", "Clock")),
    "android.intent.action.SHOW_TIMERS": _page(CLOCK, Page("timers", "Clock")),
    "android.intent.action.VIEW": _view,
    "android.media.action.MEDIA_PLAY_FROM_SEARCH": _play,
    "android.media.action.STILL_IMAGE_CAMERA": _page(app_of("Camera"), Page("app", "Camera")),
    "android.settings.SETTINGS": _page(SETTINGS, Page("settings", "Settings")),
    "com.google.android.gms.actions.CREATE_NOTE": _new_note,
    **{
        f"android.settings.{name}": _page(SETTINGS, Page("settings", "Settings"), Page(f"settings:{kind}"))
        for name, kind in _SETTINGS_PAGES.items()
    },
}


def handler_of(intent: Intent) -> Handler | None:
    """Who takes an implicit intent."""
    if intent.action == "android.intent.action.MAIN" and "android.intent.category.HOME" in intent.categories:
        return _home
    return HANDLERS.get(intent.action)
