"""`getprop`, `setprop`, `logcat`, `service`, `id`, `which`, `sh`, `su`, `reboot`: what is left of the shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, err, lines
from qpa.envs.device.double.phone_cmd import set_zone
from qpa.envs.device.double.phone_shell import SHELL

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

_ID = "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb) context=u:r:shell:s0"
_ALARM_SERVICE = "3"  # IAlarmManager.setTimeZone up to Android 11


def getprop(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """All as `[key]: [value]`, or one value (empty for none)."""
    phone.properties = phone.read_properties()
    if not args:
        return lines(*(f"[{name}]: [{value}]" for name, value in sorted(phone.properties.items())))
    return lines(phone.properties.get(args[0], args[1] if len(args) > 1 else ""))


def setprop(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The shell may set debug. and log. properties only."""
    if len(args) != 2:
        return err("usage: setprop NAME VALUE", 1)
    if not args[0].startswith(("debug.", "log.")):
        return err(f"Failed to set property '{args[0]}' to '{args[1]}'.\nSee dmesg for error reason.", 1)
    phone.extras.properties[args[0]] = args[1]
    return ShellResult()


def logcat(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`-d` prints what there is, `-c` clears; the double logs which intents found nobody."""
    if "-c" in args:
        phone.extras.logcat.clear()
        return ShellResult()
    moment = f"{phone.now:%m-%d %H:%M:%S}.000"
    boot = f"{moment}  1000  1000 I SystemServer: double of Android {phone.android}"
    return lines("--------- beginning of main", boot, *phone.extras.logcat[-200:])


def service(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`service check NAME`, `service list`, and `service call alarm 3 s16 ZONE` up to Android 11."""
    if args[:1] == ["check"] and len(args) > 1:
        known = args[1] in (
            "activity",
            "alarm",
            "package",
            "window",
            "isms",
            "phone",
            "wifi",
            "settings",
            "SurfaceFlinger",
        )
        return lines(f"Service {args[1]}: {'found' if known else 'not found'}")
    if args[:1] == ["call"] and len(args) >= 3:
        if args[1:4] == ["alarm", _ALARM_SERVICE, "s16"] and len(args) > 4 and phone.api <= 30:
            set_zone(phone, args[4])
            return lines("Result: Parcel(00000000    '....')")
        return lines("Result: Parcel(ffffffb6 ffffffff    '........')")
    return err("Usage: service [-h|-?]", 10)


def which(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The path of a command."""
    from qpa.envs.device.double import phone_commands

    found = [f"/system/bin/{name}" for name in args if name in phone_commands.COMMANDS]
    return lines(*found, code=0 if len(found) == len(args) else 1)


def command(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`command -v NAME`, `type NAME`."""
    return which(phone, [a for a in args if not a.startswith("-")], stdin)


def sh(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`sh -c LINE`; a shell of its own, as deep as command lines may be nested."""
    if args[:1] != ["-c"] or len(args) < 2:
        return err(f"{SHELL}: only -c is supported by this double", 1)
    if phone.nested >= 3:
        return err(f"{SHELL}: nested too deep", 1)
    phone.nested += 1
    try:
        return phone.new_shell().run(args[1], stdin)
    finally:
        phone.nested -= 1


def reboot(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Restarts the sandbox's phone; the link is the transport's affair."""
    phone.use("control_device_power", action="restart")
    phone.ui.start()
    return ShellResult()


def seq(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`seq LAST` or `seq FIRST LAST`, at most ten thousand."""
    numbers = [int(a) for a in args if re.fullmatch(r"-?[0-9]{1,6}", a)]
    if len(numbers) != len(args) or not 1 <= len(numbers) <= 2:
        return err("seq: bad number", 1)
    first, last = (1, numbers[0]) if len(numbers) == 1 else numbers
    return lines(*(str(n) for n in range(first, min(last, first + 9_999) + 1)))


COMMANDS: dict[str, Command] = {
    "getprop": getprop, "setprop": setprop, "logcat": logcat, "service": service, "which": which, "command": command,
    "type": command, "sh": sh, "reboot": reboot, "seq": seq,
    "id": lambda phone, args, stdin: lines("2000" if "-u" in args else _ID),
}  # fmt: skip
