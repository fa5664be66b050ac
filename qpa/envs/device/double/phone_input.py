"""`input`, `uiautomator`, `screencap`, `wm`: acting on the double's screen and looking at it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, encode, err, lines, out, trace, whole
from qpa.envs.device.double.phone_media import dispatch
from qpa.envs.device.double.phone_profile import has
from qpa.envs.device.double.phone_ui import LONG_PRESS_MS
from qpa.envs.device.double.phone_widgets import EDIT, Node

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

KEYS = {
    "HOME": 3, "BACK": 4, "CALL": 5, "ENDCALL": 6, "STAR": 17, "POUND": 18, "DPAD_UP": 19, "DPAD_DOWN": 20,
    "DPAD_LEFT": 21, "DPAD_RIGHT": 22, "DPAD_CENTER": 23, "VOLUME_UP": 24, "VOLUME_DOWN": 25, "POWER": 26,
    "CAMERA": 27, "COMMA": 55, "PERIOD": 56, "TAB": 61, "SPACE": 62, "ENTER": 66, "DEL": 67, "MENU": 82,
    "NOTIFICATION": 83, "SEARCH": 84, "MEDIA_PLAY_PAUSE": 85, "MEDIA_STOP": 86, "MEDIA_NEXT": 87,
    "MEDIA_PREVIOUS": 88, "ESCAPE": 111, "FORWARD_DEL": 112, "MOVE_HOME": 122, "MOVE_END": 123, "MEDIA_PLAY": 126,
    "MEDIA_PAUSE": 127, "VOLUME_MUTE": 164, "APP_SWITCH": 187, "SLEEP": 223, "WAKEUP": 224,
    **{str(digit): 7 + digit for digit in range(10)},
    **{chr(65 + letter): 29 + letter for letter in range(26)},
}  # fmt: skip
_NAMES = {code: name for name, code in KEYS.items()}
_TYPED = {"SPACE": " ", "COMMA": ",", "PERIOD": ".", "STAR": "*", "POUND": "#", "TAB": "\t"}
_MEDIA = {"MEDIA_PLAY": "play", "MEDIA_PAUSE": "pause", "MEDIA_STOP": "stop", "MEDIA_NEXT": "next",
          "MEDIA_PREVIOUS": "previous", "MEDIA_PLAY_PAUSE": "play-pause"}  # fmt: skip
_BUTTONS = {"VOLUME_UP": "volume_up", "VOLUME_DOWN": "volume_down", "POWER": "power", "APP_SWITCH": "recents"}
_SOURCES = ("touchscreen", "keyboard", "touchpad", "mouse", "stylus", "dpad", "gamepad", "trackball", "joystick")
MAX_KEYS = 200  # of one `input keyevent`
_DUMP = "/sdcard/window_dump.xml"


def input_(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`input [SOURCE] [-d DISPLAY] tap|swipe|draganddrop|text|keyevent ...`: silent, also where nothing is hit."""
    if args and args[0] in _SOURCES:
        args = args[1:]
    if args[:1] == ["-d"]:
        if not has(phone.api, "input_display"):
            return err("Error: Unknown command: -d")
        if len(args) < 2 or whole(args[1]) is None:
            return err("Error: Invalid arguments for command: -d")
        if whole(args[1]) != 0:
            return ShellResult()  # another display: nothing of ours
        args = args[2:]
    verb, rest = (args[0], args[1:]) if args else ("", [])
    if verb in ("tap", "swipe", "draganddrop"):
        return _touch(phone, verb, rest)
    if verb == "text" and rest:
        return _text(phone, rest[0])
    if verb == "keyevent" and rest:
        return _keys(phone, [r for r in rest if not r.startswith("--")])
    if verb in ("text", "keyevent"):
        return err(f"Error: Invalid arguments for command: {verb}")
    return err(f"Error: Unknown command: {verb}" if verb else "Usage: input [<source>] [-d DISPLAY_ID] <command>")


def _touch(phone: SandboxPhone, verb: str, rest: list[str]) -> ShellResult:
    try:
        numbers = [round(float(r)) for r in rest]
    except (ValueError, OverflowError):
        return err(f"Error: Invalid arguments for command: {verb}")
    if verb == "tap" and len(numbers) == 2:
        phone.ui.tap(*numbers)
    elif verb != "tap" and len(numbers) in (4, 5):
        start, end = (numbers[0], numbers[1]), (numbers[2], numbers[3])
        near = abs(start[0] - end[0]) <= 16 and abs(start[1] - end[1]) <= 16
        pause = numbers[4] if len(numbers) == 5 else 300
        if not near:
            phone.ui.swipe(start, end)
        elif pause < LONG_PRESS_MS:  # held longer it is a long press, which no page of the double answers
            phone.ui.tap(*start)
    else:
        return err(f"Error: Invalid arguments for command: {verb}")
    return ShellResult()


def _text(phone: SandboxPhone, text: str) -> ShellResult:
    """`%s` is a space; a character that no key types throws, and nothing is typed."""
    typed = text.replace("%s", " ")
    if not typed.isascii() or any(c < " " or c == "\x7f" for c in typed):
        message = "java.lang.NullPointerException: Attempt to get length of null array"
        if phone.api >= 30:
            frame = "com.android.server.input.InputShellCommand.sendText(InputShellCommand.java:325)"
            return trace(message, frame, head="\nException occurred while executing 'text':\n", code=255)
        frame = "com.android.commands.input.Input.sendText(Input.java:165)"
        return trace(message, frame, head='Exception in thread "main" ', code=1)
    phone.ui.type(typed)
    return ShellResult()


def _keys(phone: SandboxPhone, words: list[str]) -> ShellResult:
    for word in words[:MAX_KEYS]:
        number = whole(word)
        name = "" if number is None else _NAMES.get(number, "")
        if number is None:
            name = word.upper().removeprefix("KEYCODE_")
            if name not in KEYS:
                return err("Error: Invalid arguments for command: keyevent")
        _key(phone, name)
    return ShellResult()


def _key(phone: SandboxPhone, name: str) -> None:
    ui = phone.ui
    lit = ui.lit()
    if name in _BUTTONS:
        phone.use("press_system_button", button=_BUTTONS[name])
    elif name in ("SLEEP", "WAKEUP"):
        if lit == (name == "SLEEP"):
            phone.use("press_system_button", button="power")
    elif name in _MEDIA:
        dispatch(phone, _MEDIA[name])
    elif name == "ENDCALL":
        if phone.rows("SELECT id FROM calls WHERE status = 'active'"):
            phone.use("end_call")
    elif name == "VOLUME_MUTE":
        phone.use("manage_volume", action="mute")
    elif name in ("BACK", "ESCAPE"):
        ui.back()
    elif name == "HOME":
        ui.home()
    elif lit:
        _typing_key(phone, name)


def _typing_key(phone: SandboxPhone, name: str) -> None:
    ui = phone.ui
    if name == "DEL":
        ui.erase()
    elif name == "FORWARD_DEL":
        ui.erase(forward=True)
    elif name == "MOVE_HOME":
        ui.cursor = 0
    elif name == "MOVE_END":
        ui.cursor = len(ui.page.fields.get(ui.focus, ""))
    elif name == "ENTER":
        ui.type("\n")
    elif name in _TYPED or len(name) == 1:
        ui.type(_TYPED.get(name, name.lower()))


# --- looking ---------------------------------------------------------------------------------------------------------


def xml_of(phone: SandboxPhone) -> str:
    """The tree as `uiautomator` writes it."""
    screen, root = phone.ui.tree()
    body = "".join(_element(phone, screen.package, root, 0))
    head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
    return f'{head}<hierarchy rotation="{phone.ui.rotation()}">{body}</hierarchy>'


def _element(phone: SandboxPhone, package: str, node: Node, index: int) -> list[str]:
    rid = node.rid if ":" in node.rid or not node.rid else f"{package}:id/{node.rid}"
    editable = node.cls == EDIT
    left, top, right, bottom = node.box
    values = {
        "index": str(index),
        "text": _printable(node.text),
        "resource-id": rid,
        "class": node.cls,
        "package": package,
        "content-desc": _printable(node.desc),
        "checkable": _flag(node.checkable),
        "checked": _flag(node.checked),
        "clickable": _flag(node.clickable),
        "enabled": _flag(node.enabled),
        "focusable": _flag(node.clickable),
        "focused": _flag(editable and node.selected),
        "scrollable": _flag(node.scrollable),
        "long-clickable": _flag(editable),
        "password": _flag(False),
        "selected": _flag(node.selected and not editable),
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }
    if phone.api >= 34:
        values |= {"drawing-order": str(index), "hint": "", "display-id": "0"}
    head = "<node " + " ".join(f"{name}={_quoted(value)}" for name, value in values.items())
    if not node.children:
        return [head, " />"]
    inner = [piece for i, child in enumerate(node.children) for piece in _element(phone, package, child, i)]
    return [head, ">", *inner, "</node>"]


def _quoted(value: str) -> str:
    """Always in double quotes, with line ends as references."""
    return '"' + quoteattr(value, {"\n": "&#10;", '"': "&quot;"})[1:-1] + '"'


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _printable(text: str) -> str:
    """Characters that XML cannot hold become dots, as `uiautomator` does it."""
    return "".join(
        c if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "." for c in text
    )


def uiautomator(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`uiautomator dump [--compressed] [PATH]`. Errors are printed with exit code 0."""
    if args[:1] != ["dump"]:
        return err("Usage: uiautomator <subcommand> [options]", 1)
    paths = [a for a in args[1:] if not a.startswith("-")]
    path = paths[0] if paths else _DUMP
    if not phone.ui.lit():
        return lines("ERROR: null root node returned by UiTestAutomationBridge.")
    tree = encode(xml_of(phone))
    if path == "/dev/tty":
        return out(tree + b"UI hierchary dumped to: /dev/tty\n")
    if error := phone.files.write(path, tree, 0o660, phone.millis(phone.now.isoformat()) // 1000):
        return trace(
            f"java.io.FileNotFoundException: {path} ({error.rpartition(': ')[2]})", "java.io.FileOutputStream.open0"
        )
    return lines(f"UI hierchary dumped to: {path}")


def screencap(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`screencap [-p] [-d DISPLAY] [FILE]`; without -d a phone with two displays warns on stdout before the picture."""
    from qpa.envs.device.double.phone_draw import picture

    display, paths, png = None, [], False
    while args:
        word, args = args[0], args[1:]
        if word == "-d":
            display, args = (whole(args[0]) if args else None), args[1:]
            if display not in _display_ids(phone):
                return err(f"Failed to get display token for display: {display}", 1)
        elif word == "-p":
            png = True
        elif word.startswith("-"):
            return err("usage: screencap [-hp] [-d display-id] [FILENAME]", 1)
        else:
            paths.append(word)
    data = picture(phone, png or bool(paths and paths[0].endswith(".png")))
    if paths:
        error = phone.files.write(paths[0], data, 0o660, phone.millis(phone.now.isoformat()) // 1000)
        return err(f"Error opening file: {paths[0]} ({error.rpartition(': ')[2]})", 1) if error else ShellResult()
    if phone.profile.displays > 1 and display is None and has(phone.api, "long_display_ids"):
        warning = (
            "[Warning] Multiple displays were found, but no display id was specified! "
            "Defaulting to the first display found, however this default is not guaranteed to be consistent "
            "across captures.\nA display ID can be specified with the [-d display-id] option.\n"
            'See "dumpsys SurfaceFlinger --display-id" for valid display IDs.\n'
        )
        return out(encode(warning) + data)
    return out(data)


def _display_ids(phone: SandboxPhone) -> list[int]:
    first = phone.profile.display_id if has(phone.api, "long_display_ids") else 0
    return [first + i for i in range(phone.profile.displays)]


def display_lines(phone: SandboxPhone) -> list[str]:
    """`dumpsys SurfaceFlinger --display-id`."""
    row = 'Display {} (HWC display {}): port={} pnpId=GGL displayName="Display {}"'
    return [row.format(number, i, i, i) for i, number in enumerate(_display_ids(phone))]


def wm(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`wm size [WxH|reset]`, `wm density [N|reset]`."""
    what, value = [*args, "", ""][:2]
    if what == "size":
        if value == "reset":
            phone.extras.override = None
        elif value:
            width, sign, height = value.partition("x")
            pair = (whole(width), whole(height))
            if (
                not sign
                or pair[0] is None
                or pair[1] is None
                or not all(200 <= p <= 10_000 for p in pair if p is not None)
            ):
                return err(f"Error: bad size {value}", 1)
            phone.extras.override = (pair[0], pair[1])
        else:
            override = phone.extras.override or phone.profile.override
            shown = ["Physical size: {}x{}".format(*phone.profile.size)]
            return lines(*shown, *(["Override size: {}x{}".format(*override)] if override else []))
        return ShellResult()
    if what == "density":
        if value and value != "reset" and (whole(value) is None or not 72 <= (whole(value) or 0) <= 2000):
            return err(f"Error: bad number {value}", 1)
        if value:
            phone.extras.density = 0 if value == "reset" else whole(value, 0) or 0
            return ShellResult()
        override_density = [f"Override density: {phone.extras.density}"] if phone.extras.density else []
        return lines(f"Physical density: {phone.profile.density}", *override_density)
    return err("usage: wm [size|density]", 255)


COMMANDS: dict[str, Command] = {"input": input_, "uiautomator": uiautomator, "screencap": screencap, "wm": wm}
