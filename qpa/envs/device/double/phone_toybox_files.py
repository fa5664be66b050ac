"""Small programs of the shell that deal with files and time, as toybox writes them."""

from __future__ import annotations

import fnmatch
import posixpath
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from qpa.envs.device.base import FileStat, ShellResult
from qpa.envs.device.double.phone_base import Command, encode, err, lines, whole
from qpa.envs.device.double.phone_files import resolve
from qpa.envs.sandbox.domains.apps_core import free_kb

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

MAX_LISTED = 5000  # names of one `ls` or `find`


def ls(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-l -a -1 -d, one name a line."""
    flags = {c for a in args if a.startswith("-") and len(a) > 1 for c in a[1:]}
    paths = [a for a in args if not a.startswith("-")] or ["/"]
    shown: list[str] = []
    complaints: list[str] = []
    for path in paths:
        if not phone.stat(path).mode:
            denied = resolve(path).startswith("/data/") and "Permission denied"
            complaints.append(f"ls: {path}: {denied or 'No such file or directory'}\n")
            continue
        folder = phone.files.is_folder(path) and "d" not in flags
        found = phone.listing(path) if folder else {path: phone.stat(path)}
        if folder and len(paths) > 1:
            shown += ["", f"{path}:"] if shown else [f"{path}:"]
        if folder and "l" in flags:
            shown.append(f"total {sum(-(-stat.size // 1024) for stat in found.values())}")
        for name, stat in list(found.items())[:MAX_LISTED]:
            if not folder or "a" in flags or not name.startswith("."):
                shown.append(_long(phone, name, stat) if "l" in flags else name)
    result = "".join(f"{row}\n" for row in shown)
    return ShellResult(encode(result), encode("".join(complaints)), int(bool(complaints)))


def _long(phone: SandboxPhone, name: str, stat: FileStat) -> str:
    kind = "d" if stat.mode & 0o170000 == 0o040000 else "-"
    bits = "".join(letter if stat.mode >> (8 - i) & 1 else "-" for i, letter in enumerate("rwxrwxrwx"))
    when = phone.local(stat.mtime * 1000) or datetime(1970, 1, 1)
    return f"{kind}{bits} 1 shell sdcard_rw {stat.size:>9} {when:%Y-%m-%d %H:%M} {name}"


def _pieces(form: str) -> list[str]:
    """A format cut before each percent sign."""
    return [piece for piece in re.split(r"(?=%)", form) if piece]


def stat(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-c FORMAT with %s %n %Y %a %F."""
    form = "%n %s"
    if args[:1] == ["-c"] and len(args) > 1:
        form, args = args[1], args[2:]
    rows, complaints = [], []
    for path in args:
        found = phone.stat(path)
        if not found.mode:
            complaints.append(f"stat: '{path}': No such file or directory\n")
            continue
        kind = "directory" if phone.files.is_folder(path) else "regular file"
        values = {"s": found.size, "n": path, "Y": found.mtime, "a": f"{found.mode & 0o7777:o}", "F": kind}
        rows.append("".join(str(values.get(p[1:2], p)) + p[2:] if p[:1] == "%" else p for p in _pieces(form)) + "\n")
    return ShellResult(encode("".join(rows)), encode("".join(complaints)), int(bool(complaints)))


def _each(
    phone: SandboxPhone, name: str, paths: list[str], act: Callable[[str], str], force: bool = False
) -> ShellResult:
    complaints = [f"{name}: {path}: {error}\n" for path in paths if (error := act(path))]
    if force:
        complaints = [text for text in complaints if not text.endswith(": No such file or directory\n")]
    return ShellResult(stderr=encode("".join(complaints)), exit_code=int(bool(complaints)))


def rm(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-f and -r."""
    flags = {c for a in args if a.startswith("-") for c in a[1:]}

    def remove(path: str) -> str:
        if phone.files.is_folder(path):
            if not flags & {"r", "R"}:
                return "Is a directory"
            if error := phone.files.refusal(path):
                return error
            for inner in phone.listing(path):
                if error := remove(posixpath.join(path, inner)):
                    return error
            return phone.files.remove(path) if phone.stat(path).mode else ""
        return phone.files.remove(path)

    return _each(phone, "rm", [a for a in args if not a.startswith("-")], remove, "f" in flags)


def mkdir(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-p makes what is missing above, and is content with a folder that is there."""
    parents = "-p" in args

    def make(path: str) -> str:
        steps = resolve(path).strip("/").split("/")
        for number in range(1, len(steps)) if parents else ():
            above = "/" + "/".join(steps[:number])
            if not phone.stat(above).mode and (error := phone.files.make_folder(above)):
                return error
        return "" if parents and phone.files.is_folder(path) else phone.files.make_folder(path)

    return _each(phone, "mkdir", [a for a in args if not a.startswith("-")], make)


def touch(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Makes empty files; an existing one stays as it is."""
    now = phone.millis(phone.now.isoformat()) // 1000
    paths = [a for a in args if not a.startswith("-")]
    return _each(phone, "touch", paths, lambda p: "" if phone.stat(p).mode else phone.write(p, b"", 0o660, now))


def _two(name: str, method: str) -> Command:
    def run(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
        paths = [a for a in args if not a.startswith("-")]
        if len(paths) < 2:
            return err(f"{name}: Needs 2 arguments", 1)
        *sources, target = paths
        act = getattr(phone.files, method)
        return _each(phone, name, sources, lambda source: act(source, target))

    return run


def find(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """PATH -name PATTERN -type f|d."""
    roots = []
    while args and not args[0].startswith("-"):
        roots.append(args[0])
        args = args[1:]
    options = dict(zip(args[::2], args[1::2], strict=False))
    shown = []
    for root in roots or ["/"]:
        plain = resolve(root)
        for path in phone.files.paths():
            if path == plain or path.startswith(plain.rstrip("/") + "/"):
                kind = "d" if phone.files.is_folder(path) else "f"
                named = fnmatch.fnmatchcase(posixpath.basename(path), options.get("-name", "*"))
                if named and options.get("-type", kind) == kind:
                    shown.append(root + path[len(plain) :])
    return lines(*shown[:MAX_LISTED])


def df(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The phone's storage, as the sandbox counts it."""
    total = 1024 * (whole(phone.setting("storage_total_mb", "0")) or 0)
    free = phone.session.write(lambda ctx: free_kb(ctx, "phone"))
    used = max(0, total - free)
    share = 100 * used // total if total else 0
    return lines(
        "Filesystem       1K-blocks      Used Available Use% Mounted on",
        f"/dev/fuse       {total:>10} {used:>9} {free:>9} {share:>3}% /storage/emulated",
    )


def date(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The episode's frozen clock; setting it needs root."""
    moment = phone.now
    epoch = phone.millis(moment.isoformat()) // 1000
    utc = "-u" in args
    if "-d" in args and (place := args.index("-d") + 1) < len(args):
        wanted = whole(args[place].lstrip("@"))
        shown = phone.local(wanted * 1000) if wanted is not None else None
        if wanted is None or shown is None:
            return err(f"date: bad date '{args[place][:40]}'", 1)
        moment, epoch, args = shown, wanted, args[: place - 1] + args[place + 1 :]
    form = next((a[1:] for a in args if a.startswith("+")), None)
    if form is None and any(a[:1].isdigit() for a in args):
        return err("date: cannot set date: Operation not permitted", 1)
    if utc:
        moment = datetime(1970, 1, 1) + timedelta(seconds=epoch)
    named = (form or "%a %b %e %H:%M:%S %Z %Y")[:1000].replace("%%", "\x00")
    zone = "UTC" if utc else _zone_word(phone)
    named = named.replace("%s", str(epoch)).replace("%Z", zone).replace("%N", "000000000")
    named = named.replace("%e", f"{moment.day:>2}").replace("%z", "+0000" if utc else _offset(phone))
    named = re.sub(r"%([aAbBcdDFHIjklmMnpPrSTuUVwWxXyY])", lambda m: moment.strftime(f"%{m[1]}"), named)
    return lines(named.replace("\x00", "%"))


def _offset(phone: SandboxPhone) -> str:
    return phone.now.replace(tzinfo=ZoneInfo(phone.zone)).strftime("%z")


def _zone_word(phone: SandboxPhone) -> str:
    return phone.now.replace(tzinfo=ZoneInfo(phone.zone)).strftime("%Z")


COMMANDS: dict[str, Command] = {
    "ls": ls, "stat": stat, "rm": rm, "mkdir": mkdir, "touch": touch, "mv": _two("mv", "move"),
    "cp": _two("cp", "copy"), "find": find, "df": df, "date": date,
}  # fmt: skip
