"""`am` and `monkey`: starting activities, broadcasts, stopping apps.

As on a phone nearly every failure of `am start` ends with exit code 0 and a text that begins with "Error".
"""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING

from qpa.contract import ErrorType
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, encode, err, exception_of, lines, trace
from qpa.envs.device.double.phone_intents import Intent, IntentError, handler_of, parse, short
from qpa.envs.device.double.phone_profile import ADB_KEYBOARD, CONTACTS, HOME, App, has
from qpa.envs.device.double.phone_ui import app_page
from qpa.envs.device.double.phone_widgets import Page
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

_MAIN, _LAUNCHER = "android.intent.action.MAIN", "android.intent.category.LAUNCHER"
_TOP = "Warning: Activity not started, intent has been delivered to currently running top-most instance."
_FRONT = "Warning: Activity not started, its current task has been brought to the front"
_NEW_TASK = 0x10000000


def am(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Dispatches `am VERB`."""
    verb, rest = (args[0], args[1:]) if args else ("", [])
    try:
        if verb in ("start", "start-activity"):
            return _start(phone, parse(rest))
        if verb in ("broadcast", "startservice", "start-service", "start-foreground-service"):
            return _broadcast(phone, verb, parse(rest))
    except IntentError as error:
        return err(f"Error: {error}", 1)
    if verb in ("force-stop", "kill"):
        return _stop(phone, verb, [r for r in rest if not r.startswith("-")][-1:])
    if verb == "kill-all":
        for app in phone.apps():
            if app["running"] and app["name"] != phone.setting("foreground_app"):
                phone.use("close_app", appName=app["name"])
        return ShellResult()
    if verb == "get-current-user":
        return lines("0")
    if verb in ("wait-for-broadcast-idle", "idle-maintenance", "clear-watch-heap", "set-debug-app"):
        return ShellResult()
    return err(f"Unknown command: {verb}" if verb else "Activity manager (activity) commands:", 255)


# --- activities ------------------------------------------------------------------------------------------------------


def _start(phone: SandboxPhone, intent: Intent) -> ShellResult:
    if intent.package and not intent.component and not intent.action:
        intent.action, intent.categories = _MAIN, [_LAUNCHER]
    if intent.component:
        return _start_component(phone, intent)
    if intent.action == _MAIN and intent.package and _LAUNCHER in intent.categories:
        app = phone.app_by_package(intent.package)
        if app is not None and app["enabled"]:
            intent.component = f"{app['app'].package}/{app['app'].activity}"
            return _open_app(phone, intent, app)
        return _unresolved(intent)
    handler = handler_of(intent)
    if handler is None:
        return _unresolved(intent)
    front = _package_in_front(phone)
    try:
        app_, refusal = handler(phone, intent)
    except LookupError:
        return _unresolved(intent)
    if refusal:
        return ShellResult(encode(f"Starting: {intent}\n"), encode(f"{refusal}\n"), 0)
    return _started(phone, intent, app_, "", front != app_.package)


def _unresolved(intent: Intent) -> ShellResult:
    shown = Intent(**{**vars(intent), "flags": intent.flags | _NEW_TASK})
    message = f"Error: Activity not started, unable to resolve {shown}\n"
    return ShellResult(encode(f"Starting: {intent}\n"), encode(message), 0)


def _start_component(phone: SandboxPhone, intent: Intent) -> ShellResult:
    package, _, activity = intent.component.partition("/")
    if package == HOME.package and activity == HOME.activity:
        phone.ui.start()
        return _started(phone, intent, HOME, "", True)
    if package == CONTACTS.package and activity == CONTACTS.activity:
        phone.ui.start(Page("contacts"))
        return _started(phone, intent, CONTACTS, "", True)
    app = phone.app_by_package(package)
    if app is None or not app["enabled"] or activity != app["app"].activity:
        return _no_class(phone, intent)
    handler = handler_of(intent)
    if handler is not None and intent.action != _MAIN:
        handler(phone, intent)
        return _started(phone, intent, app["app"], "", True)
    return _open_app(phone, intent, app)


def _no_class(phone: SandboxPhone, intent: Intent) -> ShellResult:
    text = f"Error type 3\nError: Activity class {{{intent.component}}} does not exist.\n"
    if has(phone.api, "new_missing_activity"):
        return ShellResult(encode(f"Starting: {intent}\n"), encode(text), 0)
    return ShellResult(encode(f"Starting: {intent}\n{text}"), b"", 0)


def _open_app(phone: SandboxPhone, intent: Intent, app: Row) -> ShellResult:
    """The sandbox's own `open_app`; what it refuses is not started."""
    front, running = phone.setting("foreground_app") == app["name"], bool(app["running"])
    if "-S" in intent.switches and app["kind"] != "core" and running:
        phone.use("force_stop_app", appName=app["name"])
        front = running = False
    answer = phone.use("open_app", appName=app["name"])
    if not answer.ok:
        head = f"Starting: {intent}\n"
        if answer.error_type is ErrorType.PERMISSION_DENIED:
            return trace(exception_of(answer), "android.os.Parcel.readException", head=head, code=255)
        message = f"Error: Activity not started, {answer.payload['error']}\n"
        return ShellResult(encode(head), encode(message), 0)
    shown = _package_in_front(phone) == app["package"]
    if not shown:  # taps had led elsewhere while the tables had it in front
        phone.ui.start(app_page(app["name"]))
    warning = _TOP if front and shown else _FRONT if running else ""
    return _started(phone, intent, app["app"], warning, not running)


def _started(phone: SandboxPhone, intent: Intent, app: App, warning: str, cold: bool) -> ShellResult:
    shown = [f"Starting: {intent}"]
    warned = [warning] if warning else []
    if "-W" not in intent.switches:
        return lines(*shown, *warned)
    window = intent.component or f"{app.package}/{app.activity}"
    took = 612 if cold else 48
    shown += [*warned, "Status: ok"]
    if has(phone.api, "launch_state"):
        shown += [f"LaunchState: {'COLD' if cold else 'HOT'}", f"Activity: {short(window)}"]
    else:
        shown += [f"Activity: {short(window)}", f"ThisTime: {took}"]
    return lines(*shown, f"TotalTime: {took}", f"WaitTime: {took + 9}", "Complete")


def _package_in_front(phone: SandboxPhone) -> str:
    return phone.ui.screen().package


# --- stopping --------------------------------------------------------------------------------------------------------


def _stop(phone: SandboxPhone, verb: str, names: list[str]) -> ShellResult:
    """Silent, also for a package that is not there. `kill` spares what is in front."""
    if not names:
        return err("Error: no package specified" if verb == "force-stop" else "Error: Argument expected", 255)
    app = phone.app_by_package(names[0])
    if app is None:
        return ShellResult()
    if verb == "force-stop":
        phone.use("force_stop_app", appName=app["name"])
    elif phone.setting("foreground_app") != app["name"]:
        phone.use("close_app", appName=app["name"])
    return ShellResult()


# --- broadcasts ------------------------------------------------------------------------------------------------------

_PROTECTED = (
    "android.intent.action.AIRPLANE_MODE",
    "android.intent.action.BOOT_COMPLETED",
    "android.intent.action.BATTERY_LOW",
)


def _broadcast(phone: SandboxPhone, verb: str, intent: Intent) -> ShellResult:
    if verb != "broadcast":
        if not intent.component:
            return lines(f"Starting service: {intent}", "Error: Not found; no service started.")
        return lines(f"Starting service: {intent}")
    if intent.action in _PROTECTED and (phone.api >= 30 or "AIRPLANE" not in intent.action):
        message = (
            f"java.lang.SecurityException: Permission Denial: not allowed to send broadcast {intent.action} "
            "from pid=4242, uid=2000"
        )
        return trace(message, "android.os.Parcel.createException", head=f"Broadcasting: {intent}\n", code=255)
    result = "result=0"
    if intent.action == "android.intent.action.AIRPLANE_MODE":
        phone.use("manage_airplane_mode", action="enable" if intent.extras.get("state") else "disable")
    elif intent.action.startswith("ADB_") and phone.extras.keyboard == ADB_KEYBOARD and _typed(phone, intent):
        result = "result=-1"
    shown = Intent(**{**vars(intent), "flags": intent.flags | (0x400000 if phone.api >= 28 else 0)})
    return lines(f"Broadcasting: {shown}", f"Broadcast completed: {result}")


def _typed(phone: SandboxPhone, intent: Intent) -> bool:
    """What the ADB keyboard does with its broadcasts; it is current only after `ime set`."""
    if intent.action == "ADB_INPUT_TEXT":
        phone.ui.type(intent.text("msg"))
    elif intent.action == "ADB_INPUT_B64":
        try:
            phone.ui.type(base64.b64decode(intent.text("msg"), validate=True).decode())
        except (binascii.Error, ValueError):
            return False
    elif intent.action == "ADB_INPUT_CHARS" and isinstance(intent.extras.get("chars"), list):
        phone.ui.type("".join(chr(n) for n in intent.extras["chars"] if 0 < n < 0x110000 and not 0xD800 <= n < 0xE000))
    elif intent.action == "ADB_CLEAR_TEXT" and phone.ui.focus:
        phone.ui.page.fields[phone.ui.focus] = ""
        phone.ui.cursor = 0
    else:
        return False
    return True


def monkey(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`monkey -p PACKAGE -c android.intent.category.LAUNCHER 1`: opens the app."""
    package = args[args.index("-p") + 1] if "-p" in args[:-1] else ""
    app = phone.app_by_package(package)
    if app is None or not app["enabled"]:
        return ShellResult(b"", encode("** No activities found to run, monkey aborted.\n"), 252)
    phone.use("open_app", appName=app["name"])
    if _package_in_front(phone) != package:
        phone.ui.start(app_page(app["name"]))
    return lines("Events injected: 1", "## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)")


COMMANDS: dict[str, Command] = {"am": am, "monkey": monkey}
