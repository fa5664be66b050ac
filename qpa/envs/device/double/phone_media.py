"""`media`, `ime`: volumes, media keys and keyboards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qpa.envs.device.android import STREAMS
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, err, lines, whole
from qpa.envs.device.double.phone_profile import INPUT_METHODS
from qpa.envs.device.double.phone_settings import keyboards, select_keyboard

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

STREAM_KEYS = {number: key for key, number in STREAMS.items()}


def volume(phone: SandboxPhone, args: list[str]) -> ShellResult:
    """`--stream N --get | --set V | --adj raise|lower|same`; the range is the sandbox's 0 to 100."""
    options = {args[i]: args[i + 1] if i + 1 < len(args) else "" for i in range(len(args)) if args[i].startswith("--")}
    stream = whole(options.get("--stream", "3"), -1)
    key = STREAM_KEYS.get(-1 if stream is None else stream)
    if key is None:
        return err("Error: Invalid stream type", 255)
    shown = [f"[v] will control stream={stream} (STREAM_{key.removesuffix('_volume').upper()})"]
    name = key.removesuffix("_volume")
    if "--set" in options:
        level = whole(options["--set"])
        if level is None or not 0 <= level <= 100:
            return err("Error: invalid volume index", 255)
        shown.append(f"[v] will set volume to index={level}")
        _set_volume(phone, name, level)
    elif "--adj" in options:
        step = {"raise": 1, "lower": -1}.get(options["--adj"], 0)
        shown.append(f"[v] will adjust volume with action={options['--adj']}")
        _set_volume(phone, name, min(100, max(0, _level(phone, name) + step)))
    if "--get" in options or not {"--set", "--adj"} & set(options):
        shown.append(f"[v] volume is {_level(phone, name)} in range [0..100]")
    return lines(*shown)


def _level(phone: SandboxPhone, stream: str) -> int:
    return whole(phone.setting(f"{stream}_volume", "50"), 50) or 0


def _set_volume(phone: SandboxPhone, stream: str, level: int) -> None:
    """A level that the phone does not allow changes nothing."""
    if stream == "alarm":
        phone.use("set_alarm_volume", level=level)
    else:
        phone.use("manage_volume", action="set", stream=stream, level=level)


def media(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`media volume ...` (up to Android 10) and `media dispatch KEY`."""
    if args[:1] == ["volume"]:
        return volume(phone, args[1:])
    if args[:1] == ["dispatch"] and len(args) > 1:
        return dispatch(phone, args[1])
    return err("usage: media [subcommand] [options]", 1)


_MEDIA_KEYS = {"play": "resume", "pause": "pause", "stop": "stop", "next": "next", "previous": "previous"}


def dispatch(phone: SandboxPhone, key: str) -> ShellResult:
    """A media key for whatever plays."""
    action = _MEDIA_KEYS.get(key.lower())
    if key.lower() in ("play-pause", "headsethook"):
        action = "pause" if phone.setting("media_state") == "playing" else "resume"
    if action is None:
        return err(f"Error: unknown dispatch code '{key[:40]}'", 1)
    phone.use("control_playback", action=action)
    return ShellResult()


def ime(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`ime list [-s] [-a] | enable ID | disable ID | set ID | reset`."""
    verb, rest = args[0] if args else "", [a for a in args[1:] if not a.startswith("-")]
    if verb == "list":
        found = keyboards(phone, "-a" in args)
        if "-s" in args:
            return lines(*found)
        return lines(*(row for i in found for row in (f"{i}:", f"  mId={i} mSettingsActivityName=null")))
    if verb not in ("enable", "disable", "set") or not rest:
        return err(f"Unknown command: {verb}" if verb else "usage: ime list|enable|disable|set", 255)
    wanted = rest[0]
    if wanted not in keyboards(phone, every=True):
        return err(f"Unknown input method {wanted} cannot be {'selected' if verb == 'set' else verb + 'd'} for user #0")
    if verb == "set":
        if not select_keyboard(phone, wanted):
            return err(f"Unknown input method {wanted} cannot be selected for user #0")
        return lines(f"Input method {wanted} selected for user #0")
    before = wanted in keyboards(phone)
    _enable_keyboard(phone, wanted, verb == "enable")
    already = "already " if before == (verb == "enable") else "now "
    return lines(f"Input method {wanted}: {already}{verb}d for user #0")


def _enable_keyboard(phone: SandboxPhone, wanted: str, on: bool) -> None:
    name = next((name for name, i in INPUT_METHODS.items() if i == wanted), "")
    if name:
        phone.use("manage_input_method", action="enable" if on else "disable", inputMethod=name)
    elif on:
        phone.extras.keyboards.add(wanted)
    else:
        phone.extras.keyboards.discard(wanted)
        phone.extras.keyboard = "" if phone.extras.keyboard == wanted else phone.extras.keyboard


COMMANDS: dict[str, Command] = {"media": media, "ime": ime}
