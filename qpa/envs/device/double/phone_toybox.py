"""Small programs of the shell: echo, grep, ls and their kin, as toybox writes them."""

from __future__ import annotations

import base64
import functools
import hashlib
import posixpath
import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, encode, err, lines, out, whole

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


def echo(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """mksh's echo reads backslash escapes unless -E is given."""
    newline, escapes = True, True
    while args and re.fullmatch(r"-[neE]+", args[0]):
        newline = newline and "n" not in args[0]
        escapes = "E" not in args[0] if set(args[0]) & {"e", "E"} else escapes
        args = args[1:]
    text = " ".join(args)
    if escapes and "\\" in text:
        stop = text.find("\\c")
        newline, text = (newline and stop < 0), text if stop < 0 else text[:stop]
        text = re.sub(r"\\([ntr\\abefv])", lambda m: _ESCAPES[m[1]], text)
    return out(text + ("\n" if newline else ""))


def printf(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Only %s, %d and %%; the format is used again while arguments are left."""
    if not args:
        return err("printf: Needs 1 argument", 1)
    form, rest = re.sub(r"\\([ntr\\abefv])", lambda m: _ESCAPES[m[1]], args[0]), args[1:]
    text = ""
    for _ in range(1 + len(rest)):
        left = list(rest)
        text += re.sub(r"%([sd%])", functools.partial(_filled, left), form)
        if len(left) == len(rest) or not left:
            break
        rest = left
    return out(text)


def _filled(left: list[str], match: re.Match[str]) -> str:
    return "%" if match[1] == "%" else left.pop(0) if left else ""


def _quiet(code: int) -> Command:
    return lambda phone, args, stdin: ShellResult(exit_code=code)


def test(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Files, strings and integers."""
    if args[-1:] == ["]"]:
        args = args[:-1]
    negate = args[:1] == ["!"]
    args = args[1:] if negate else args
    met = False
    if len(args) == 1:
        met = bool(args[0])
    elif len(args) == 2:
        mode = phone.stat(args[1]).mode
        kinds: dict[str, object] = {
            "-e": mode,
            "-f": mode & 0o100000,
            "-d": phone.files.is_folder(args[1]),
            "-z": not args[1],
        }
        kinds |= {"-n": args[1], "-r": mode, "-s": phone.stat(args[1]).size}
        met = bool(kinds.get(args[0]))
    elif len(args) == 3:
        left, right = whole(args[0]), whole(args[2])
        numbers = left is not None and right is not None
        orders = {"-eq": left == right, "-ne": left != right}
        if left is not None and right is not None:
            orders |= {"-lt": left < right, "-le": left <= right, "-gt": left > right, "-ge": left >= right}
        met = {"=": args[0] == args[2], "==": args[0] == args[2], "!=": args[0] != args[2]}.get(
            args[1], numbers and orders.get(args[1], False)
        )
    return ShellResult(exit_code=int(met == negate))


def _inputs(phone: SandboxPhone, name: str, paths: list[str], stdin: bytes) -> tuple[list[bytes], ShellResult]:
    """The bytes of each file (standard input without any), and the complaints about those that are not there."""
    if not paths or paths == ["-"]:
        return [stdin], ShellResult()
    found, complaints = [], []
    for path in paths:
        data = phone.read(path)
        if data is not None:
            found.append(data)
        else:
            reason = "Is a directory" if phone.files.is_folder(path) else "No such file or directory"
            complaints.append(f"{name}: {path}: {reason}\n")
    return found, ShellResult(stderr=encode("".join(complaints)), exit_code=int(bool(complaints)))


def cat(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Files one after the other."""
    data, failed = _inputs(phone, "cat", args, stdin)
    return ShellResult(b"".join(data), failed.stderr, failed.exit_code)


def grep(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-i -v -c -q -n -F -E -o -e; a pattern is a plain text where it is no regular expression."""
    flags, patterns, rest = set(), [], []
    while args:
        word, args = args[0], args[1:]
        if word == "-e" and args:
            patterns.append(args[0])
            args = args[1:]
        elif re.fullmatch(r"-[ivcqnFEowhsm]+", word):
            flags |= set(word[1:])
        else:
            rest.append(word)
    if not patterns and rest:
        patterns, rest = rest[:1], rest[1:]
    if not patterns:
        return err("grep: bad pattern", 2)
    data, failed = _inputs(phone, "grep", rest, stdin)
    match = _matcher(patterns, flags)
    text = b"\n".join(data).decode("utf-8", "surrogateescape")
    rows = text.removesuffix("\n").split("\n") if text else []
    kept = [(number, row) for number, row in enumerate(rows, 1) if match(row) != ("v" in flags)]
    code = failed.exit_code * 2 or int(not kept)
    if "q" in flags:
        return ShellResult(b"", failed.stderr, code)
    if "c" in flags:
        return ShellResult(encode(f"{len(kept)}\n"), failed.stderr, code)
    shown = [f"{number}:{row}" if "n" in flags else row for number, row in kept]
    return ShellResult(encode("".join(f"{row}\n" for row in shown)), failed.stderr, code)


def _matcher(patterns: list[str], flags: set[str]) -> Callable[[str], bool]:
    """Plain search for what could make a regular expression run for ever: nested repeats are taken as text."""
    wanted = [p.casefold() for p in patterns] if "i" in flags else patterns
    simple = "F" in flags or any(re.search(r"[*+}]\)?[*+{]|\)[*+{]|\\[0-9]", p) or len(p) > 200 for p in patterns)
    if not simple:
        pieces = [p if "E" in flags else _basic(p) for p in patterns]
        try:
            compiled = [re.compile(p, re.IGNORECASE if "i" in flags else 0) for p in pieces]
            return lambda row: any(p.search(row[:4000]) for p in compiled)
        except (re.error, RecursionError, OverflowError):
            pass
    return lambda row: any(p in (row.casefold() if "i" in flags else row) for p in wanted)


def _basic(pattern: str) -> str:
    r"""A basic regular expression as Python reads them: `\|` joins, plain `|`, `+`, `?`, `(` are text."""
    swapped = {"|": r"\|", "+": r"\+", "?": r"\?", "(": r"\(", ")": r"\)", "{": r"\{", "}": r"\}"}
    return re.sub(
        r"\\([|+?(){}])|([|+?(){}])|(\\.)|([^\\])", lambda m: m[1] or swapped.get(m[2] or "") or m[3] or m[4], pattern
    )


def head(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-n N, -N or -c N."""
    return _ends(phone, "head", args, stdin)


def tail(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-n N, -N or -c N."""
    return _ends(phone, "tail", args, stdin)


def _ends(phone: SandboxPhone, name: str, args: list[str], stdin: bytes) -> ShellResult:
    count, unit, rest = 10, "-n", []
    while args:
        word, args = args[0], args[1:]
        if word in ("-n", "-c") and args:
            count, unit, args = whole(args[0].lstrip("+-"), 10) or 0, word, args[1:]
        elif re.fullmatch(r"-[0-9]{1,9}", word):
            count = int(word[1:])
        else:
            rest.append(word)
    data, failed = _inputs(phone, name, rest, stdin)
    whole_text = b"".join(data)
    if unit == "-c":
        kept = whole_text[:count] if name == "head" else whole_text[max(0, len(whole_text) - count) :]
    else:
        rows = whole_text.splitlines(keepends=True)
        kept = b"".join(rows[:count] if name == "head" else rows[max(0, len(rows) - count) :])
    return ShellResult(kept, failed.stderr, failed.exit_code)


def wc(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Lines, words, bytes."""
    flags = [a for a in args if a.startswith("-") and len(a) > 1]
    data, failed = _inputs(phone, "wc", [a for a in args if a not in flags], stdin)
    text = b"".join(data)
    counts = {
        "-l": text.count(b"\n"),
        "-w": len(text.split()),
        "-c": len(text),
        "-m": len(text.decode("utf-8", "replace")),
    }
    shown = [str(counts[f]) for f in flags if f in counts] or [str(counts[f]) for f in ("-l", "-w", "-c")]
    return ShellResult(encode(" ".join(shown) + "\n"), failed.stderr, failed.exit_code)


def sort(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """-r and -u."""
    data, failed = _inputs(phone, "sort", [a for a in args if not a.startswith("-")], stdin)
    rows = sorted(b"".join(data).splitlines(), reverse=any("r" in a for a in args if a.startswith("-")))
    if any("u" in a for a in args if a.startswith("-")):
        rows = list(dict.fromkeys(rows))
    return ShellResult(b"".join(row + b"\n" for row in rows), failed.stderr, failed.exit_code)


def digest(phone: SandboxPhone, args: list[str], stdin: bytes, kind: str = "md5") -> ShellResult:
    """md5sum, sha1sum, sha256sum."""
    data, failed = _inputs(phone, f"{kind}sum", args, stdin)
    rows = [f"{hashlib.new(kind, blob).hexdigest()}  {name}" for blob, name in zip(data, args or ["-"], strict=False)]
    return ShellResult(encode("".join(f"{row}\n" for row in rows)), failed.stderr, failed.exit_code)


def to_base64(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Encodes in lines of 76, -w0 in one; -d decodes."""
    flags = [a for a in args if a.startswith("-") and a != "-"]
    data, _ = _inputs(phone, "base64", [a for a in args if a not in flags and a != "0"], stdin)
    blob = b"".join(data)
    if "-d" in flags:
        try:
            return out(base64.b64decode(blob))
        except ValueError:
            return err("base64: bad input", 1)
    text = base64.b64encode(blob).decode()
    width = len(text) or 1 if "-w0" in flags or "-w" in flags else 76
    return out("".join(f"{text[i : i + width]}\n" for i in range(0, len(text), width)))


def env(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The shell's variables."""
    return lines(*(f"{name}={value}" for name, value in sorted(phone.extras.variables.items())))


def basename(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """The last part of a path."""
    return lines(posixpath.basename(args[0].rstrip("/"))) if args else err("basename: Needs 1 argument", 1)


COMMANDS: dict[str, Command] = {
    ":": _quiet(0), "true": _quiet(0), "false": _quiet(1), "sync": _quiet(0), "sleep": _quiet(0), "cd": _quiet(0),
    "export": _quiet(0), "set": _quiet(0), "chmod": _quiet(0), "wait": _quiet(0), "echo": echo, "printf": printf,
    "test": test, "[": test, "cat": cat, "grep": grep, "egrep": grep, "fgrep": grep, "head": head, "tail": tail,
    "wc": wc, "sort": sort, "base64": to_base64, "env": env,
    "md5sum": digest, "basename": basename,
    "sha1sum": lambda phone, args, stdin: digest(phone, args, stdin, "sha1"),
    "sha256sum": lambda phone, args, stdin: digest(phone, args, stdin, "sha256"),
    "pwd": lambda phone, args, stdin: lines("/"),
    "whoami": lambda phone, args, stdin: lines("shell"),
    "uptime": lambda phone, args, stdin: lines(f" {phone.now:%H:%M:%S} up 1 day,  3:27,  0 users"),
    "uname": lambda phone, args, stdin: lines("Linux localhost 5.10.157 aarch64" if "-a" in args else "Linux"),
}  # fmt: skip
