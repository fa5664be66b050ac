"""`svc` and `cmd`: switching radios and services."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qpa.envs.device.android import ZONES
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_am import am
from qpa.envs.device.double.phone_base import Command, address, err, exception_of, lines, trace
from qpa.envs.device.double.phone_content import content
from qpa.envs.device.double.phone_dumpsys import mac
from qpa.envs.device.double.phone_input import input_
from qpa.envs.device.double.phone_media import dispatch, ime, volume
from qpa.envs.device.double.phone_packages import appops, pm
from qpa.envs.device.double.phone_profile import has
from qpa.envs.device.double.phone_settings import settings
from qpa.envs.device.double.phone_widgets import Page

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

_WORDS = {"enable": True, "disable": False, "enabled": True, "disabled": False, "true": True, "false": False,
          "on": True, "off": False, "yes": True, "no": False}  # fmt: skip
Part = Callable[["SandboxPhone", list[str]], ShellResult]


def _switch(phone: SandboxPhone, tool: str, word: str) -> ShellResult:
    """Silent on success; a refusal of the sandbox is a Java exception with exit code 255."""
    answer = phone.use(tool, action="enable" if _WORDS[word] else "disable")
    return ShellResult() if answer.ok else trace(exception_of(answer), "android.os.Parcel.createException", code=255)


_SVC = {"wifi": "manage_wifi", "data": "manage_mobile_data", "bluetooth": "manage_bluetooth", "nfc": "manage_nfc"}


def svc(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`svc wifi|data|bluetooth|nfc enable|disable`, `svc power stayon ...`."""
    what, word = [*args, "", ""][:2]
    if what == "bluetooth" and not has(phone.api, "svc_bluetooth"):
        what = ""
    if what in _SVC:
        if word not in ("enable", "disable"):
            return err(f"Control the {what} manager\n\nusage: svc {what} [enable|disable]", 0)
        return _switch(phone, _SVC[what], word)
    if what == "power" and word == "stayon":
        wanted = "disable" if args[2:3] == ["false"] else "enable"
        phone.use("manage_developer_options", action=wanted, option="stay_awake")
        return ShellResult()
    return err(
        "Available commands:\n    help     Show information about the subcommands\n    power\n    data\n    wifi", 0
    )


def _cmd_switch(tool: str, verb: str, feature: str = "") -> Part:
    """`cmd SERVICE VERB WORD`."""

    def run(phone: SandboxPhone, args: list[str]) -> ShellResult:
        known = not feature or has(phone.api, feature)
        if not known or args[:1] != [verb] or len(args) < 2 or args[1] not in _WORDS:
            return err(f"Unknown command: {args[0] if args else ''}", 255)
        return _switch(phone, tool, args[1])

    return run


def _location(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if has(phone.api, "cmd_location") and args[:1] == ["is-location-enabled"]:
        return lines(str(phone.is_on("location")).lower())
    return _cmd_switch("manage_location", "set-location-enabled", "cmd_location")(phone, args)


def _connectivity(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if not has(phone.api, "cmd_connectivity") or args[:1] != ["airplane-mode"]:
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    if len(args) == 1:
        return lines("enabled" if phone.is_on("airplane_mode") else "disabled")
    return (
        _switch(phone, "manage_airplane_mode", args[1]) if args[1] in _WORDS else err(f"Unknown option: {args[1]}", 255)
    )


def _bluetooth(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if not has(phone.api, "cmd_bluetooth") or args[:1] not in (["enable"], ["disable"]):
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    result = _switch(phone, "manage_bluetooth", args[0])
    return lines(f"{args[0]}: Success") if not result.exit_code else result


def _phone_data(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if has(phone.api, "cmd_phone_data") and args[:1] == ["data"] and args[1:2] in (["enable"], ["disable"]):
        return _switch(phone, "manage_mobile_data", args[1])
    return err(f"Unknown command: {args[0] if args else ''}", 255)


def _uimode(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if args[:1] != ["night"]:
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    if len(args) > 1:
        if args[1] == "auto":
            answer = phone.use("manage_dark_mode", action="follow_sunset")
        elif args[1] in ("yes", "no"):
            answer = phone.use("manage_dark_mode", action="enable" if args[1] == "yes" else "disable")
        else:
            return err(f"Error: mode must be 'yes', 'no', or 'auto': {args[1]}", 255)
        if not answer.ok:
            return trace(exception_of(answer), code=255)
    auto = phone.setting("dark_mode_schedule", "off") == "sunset" and args[1:2] == ["auto"]
    return lines(f"Night mode: {'auto' if auto else 'yes' if phone.is_on('dark_mode') else 'no'}")


def _audio(phone: SandboxPhone, args: list[str]) -> ShellResult:
    modes = {"NORMAL": "normal", "VIBRATE": "vibrate", "SILENT": "silent"}
    if phone.api < 33 or args[:1] != ["set-ringer-mode"] or args[1:2] == [] or args[1].upper() not in modes:
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    phone.use("set_sound_mode", mode=modes[args[1].upper()])
    return ShellResult()


def _alarm(phone: SandboxPhone, args: list[str]) -> ShellResult:
    """`cmd alarm set-timezone ZONE`; a zone that none of the sandbox's cities has changes nothing."""
    if phone.api < 31 or args[:1] != ["set-timezone"] or len(args) < 2:
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    set_zone(phone, args[1])
    return ShellResult()


def set_zone(phone: SandboxPhone, zone: str) -> None:
    """The first city of a zone, unless the phone is in that zone already."""
    city = next((city for city, name in ZONES.items() if name == zone), None)
    if city is not None and phone.zone != zone:
        phone.use("set_time_zone", city=city)


def _netpolicy(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if args[1:2] != ["restrict-background"] or args[0] not in ("get", "set"):
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    if args[0] == "set":
        return (
            _switch(phone, "manage_data_saver", args[2])
            if args[2:3] and args[2] in _WORDS
            else err("Error: missing argument", 255)
        )
    return lines(f"Restrict background status: {'enabled' if phone.is_on('data_saver') else 'disabled'}")


def _power(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if args[:1] != ["set-mode"] or args[1:2] not in (["0"], ["1"]):
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    phone.use("manage_battery", mode="power_saving" if args[1] == "1" else "normal")
    return ShellResult()


def _statusbar(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if args[:1] in (["expand-notifications"], ["expand-settings"]):
        phone.ui.open(Page("notifications"))
    elif args[:1] == ["collapse"]:
        if phone.ui.page.kind == "notifications":
            phone.ui.close()
    else:
        return err(f"Unknown command: {args[0] if args else ''}", 255)
    return ShellResult()


def _media_session(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if args[:1] == ["volume"] and phone.api >= 30:
        return volume(phone, args[1:])
    if args[:1] == ["dispatch"] and len(args) > 1:
        return dispatch(phone, args[1])
    return err(f"Unknown command: {args[0] if args else ''}", 255)


# --- notifications ---------------------------------------------------------------------------------------------------


def _notification(phone: SandboxPhone, args: list[str]) -> ShellResult:
    verb, rest = (args[0], args[1:]) if args else ("", [])
    if (verb in ("set_dnd",) and has(phone.api, "cmd_dnd")) or (verb == "set_dnd" and phone.api == 28):
        if rest[:1] not in (["on"], ["off"], ["all"], ["none"], ["priority"], ["alarms"]):
            return err("Usage: set_dnd {on|none (same as above)|priority|alarms|all|off (same as above)}", 255)
        phone.use("manage_do_not_disturb", action="disable" if rest[0] in ("off", "all") else "enable")
        return ShellResult()
    if verb == "post" and has(phone.api, "cmd_post"):
        return _post(phone, rest)
    if verb == "list":
        now = phone.now.isoformat()
        found = phone.rows("SELECT id FROM notifications WHERE snoozed_until <= ? ORDER BY at DESC, id DESC", now)
        return lines(*(row["id"] for row in found))
    return err(f"Unknown command: {verb}", 255)


def _post(phone: SandboxPhone, args: list[str]) -> ShellResult:
    """`post [-S STYLE] [-t TITLE] TAG TEXT`: a row that no tool writes."""
    title, words, rest = "", [], list(args)
    while rest:
        word = rest.pop(0)
        if word in ("-t", "--title") and rest:
            title = rest.pop(0)
        elif word in ("-S", "--style", "-i", "-I", "-v") and rest:
            rest.pop(0)
        elif not word.startswith("-"):
            words.append(word)
    if len(words) < 2:
        return err("error: no tag or text specified", 255)
    row = {"app": "Shell", "title": title, "text": words[1], "at": phone.now.isoformat()}
    row_id = phone.insert_row("notifications", "notification", **row)
    return lines(
        "posting:", f"  Notification(channel=shell_cmd shortcut=null tag={words[0]} id=2020 record=0x{address(row_id)})"
    )


# --- wifi ------------------------------------------------------------------------------------------------------------


def _wifi(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if not has(phone.api, "cmd_wifi"):
        return err("No shell command implementation.", 255)
    verb, rest = (args[0], args[1:]) if args else ("", [])
    if verb == "set-wifi-enabled" and rest[:1] and rest[0] in ("enabled", "disabled"):
        return _switch(phone, "manage_wifi", rest[0])
    act = {
        "connect-network": _connect, "forget-network": _forget, "list-networks": _saved, "list-scan-results": _scanned,
        "start-scan": lambda phone, args: ShellResult(), "status": _status,
    }.get(verb)  # fmt: skip
    return act(phone, rest) if act else err(f"Unknown command: {verb}", 255)


def _networks(phone: SandboxPhone) -> list[tuple[int, str, bool, bool, bool]]:
    """Number, name, open, saved, connected of each network."""
    rows = phone.rows("SELECT * FROM wifi_networks ORDER BY ssid")
    return [(i, r["ssid"], not r["password"], bool(r["saved"]), bool(r["connected"])) for i, r in enumerate(rows)]


def _saved(phone: SandboxPhone, args: list[str]) -> ShellResult:
    rows = [
        f"{i:<13}{ssid:<33}{'open' if free else 'wpa2-psk'}" for i, ssid, free, saved, _ in _networks(phone) if saved
    ]
    return lines("Network Id      SSID                         Security type", *rows) if rows else lines("No networks")


def _scanned(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if not phone.is_on("wifi"):
        return lines("No scan results")
    head = (
        "    BSSID              Frequency      RSSI           Age(sec)     SSID                                 Flags"
    )
    rows = [
        f"  {mac(ssid)}       2447    -{50 + i}(0:-{50 + i}/1:-70)     2.301    {ssid:<33}  "
        f"{'' if free else '[WPA2-PSK-CCMP]'}[ESS]"
        for i, ssid, free, _, _ in _networks(phone)
    ]
    return lines(head, *rows) if rows else lines("No scan results")


def _status(phone: SandboxPhone, args: list[str]) -> ShellResult:
    if not phone.is_on("wifi"):
        return lines(
            "Wifi is disabled", "Wifi scanning is only available when wifi is enabled", "Wifi is not connected"
        )
    connected = next((ssid for _, ssid, _, _, on in _networks(phone) if on), None)
    where = "Wifi is not connected" if connected is None else f'Wifi is connected to "{connected}"'
    return lines(
        "Wifi is enabled", "Wifi scanning is always available", "==== Primary ClientModeManager instance ====", where
    )


def _connect(phone: SandboxPhone, args: list[str]) -> ShellResult:
    """Only the start of the attempt is told; a wrong password shows in `status`."""
    if len(args) < 2 or args[1] not in ("open", "owe", "wpa2", "wpa3"):
        return err("Invalid network type", 255)
    if args[1] != "open" and len(args) < 3:
        return err("Passphrase not specified", 255)
    password = {"password": args[2]} if len(args) > 2 else {}
    exact = any(ssid == args[0] for _, ssid, *_ in _networks(phone))
    if exact:
        phone.use("connect_wifi", ssid=args[0], **password)
    return lines("Connection initiated ")


def _forget(phone: SandboxPhone, args: list[str]) -> ShellResult:
    ssid = next((ssid for i, ssid, _, saved, _ in _networks(phone) if saved and args[:1] == [str(i)]), None)
    if ssid is None:
        return lines("Forget failed with code: 0", code=1)
    phone.use("forget_wifi", ssid=ssid)
    return lines("Forget successful")


# --- dispatch --------------------------------------------------------------------------------------------------------


def _whole(command: Command) -> Part:
    return lambda phone, args: command(phone, args, b"")


_SERVICES: dict[str, Part] = {
    "activity": _whole(am), "alarm": _alarm, "appops": _whole(appops), "audio": _audio, "bluetooth_manager": _bluetooth,
    "connectivity": _connectivity, "content": _whole(content), "input": _whole(input_), "input_method": _whole(ime),
    "location": _location, "media_session": _media_session, "netpolicy": _netpolicy, "notification": _notification,
    "package": _whole(pm), "phone": _phone_data, "power": _power, "settings": _whole(settings), "statusbar": _statusbar,
    "uimode": _uimode, "wifi": _wifi,
}  # fmt: skip


def cmd(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`cmd [-w] SERVICE ...`."""
    words = args[1:] if args[:1] == ["-w"] else args
    if not words or words == ["-l"]:
        return lines("Currently running services:", *(f"  {name}" for name in sorted(_SERVICES)))
    part = _SERVICES.get(words[0])
    return part(phone, words[1:]) if part else err(f"cmd: Can't find service: {words[0]}", 20)


COMMANDS: dict[str, Command] = {"cmd": cmd, "svc": svc}
