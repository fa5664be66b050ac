"""A small phone for the transport's tests: a shell that shows what reached it, and a dictionary of files."""

from __future__ import annotations

import posixpath
import re
import shlex
import stat

from qpa.envs.device.base import FileStat, ShellResult

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40 + b"IEND\xaeB`\x82"


class WirePhone:
    """`commands` holds every command line as it arrived."""

    def __init__(self, index: int = 0, *, sdk: int = 34):
        self.properties = {
            "ro.build.version.release": str(sdk - 20), "ro.build.version.sdk": str(sdk),
            "ro.product.name": f"double{index}", "ro.product.model": "Double Phone", "ro.product.device": "double",
        }  # fmt: skip
        self.index = index
        self.commands: list[str] = []
        self.files: dict[str, tuple[bytes, int, int]] = {}

    def shell(self, command: str) -> ShellResult:
        """One command: `echo`, `args` (what arrived), `false`, `big N`, `err`, `screencap -p`, `; echo X:$?`..."""
        self.commands.append(command)
        printed_code = re.search(r"; echo (\w+:)\$\?\Z", command)
        try:
            words = shlex.split(command[: printed_code.start()] if printed_code else command)
        except ValueError:
            return ShellResult(stderr=b"syntax error\n", exit_code=1)
        result = self._run(words)
        if printed_code:
            code = f"{printed_code[1]}{result.exit_code}\n".encode()
            return ShellResult(result.stdout + code, result.stderr)
        return result

    def _run(self, words: list[str]) -> ShellResult:
        match words:
            case ["echo", *rest]:
                return ShellResult(" ".join(rest).encode() + b"\n")
            case ["args", *rest]:
                return ShellResult(repr(rest).encode())
            case ["true"] | ["input", "text", _]:
                return ShellResult()
            case ["false"]:
                return ShellResult(exit_code=1)
            case ["err"]:
                return ShellResult(b"to out\n", b"to err\n", 3)
            case ["big", n]:
                return ShellResult(bytes(i % 251 for i in range(int(n))))
            case ["screencap", "-p"]:
                return ShellResult(PNG)
            case ["uiautomator", "dump", "/dev/tty"]:
                return ShellResult(f"<hierarchy n='{len(self.commands)}'/>".encode())
            case ["id"]:
                return ShellResult(f"index={self.index}\n".encode())
            case ["crash"]:
                raise RuntimeError("a bug in a phone")
        return ShellResult(stderr=f"{' '.join(words[:1])}: inaccessible or not found\n".encode(), exit_code=127)

    def stat(self, path: str) -> FileStat:
        path = posixpath.normpath(path)
        if path in self.files:
            data, mode, mtime = self.files[path]
            return FileStat(stat.S_IFREG | mode, len(data), mtime)
        return FileStat(stat.S_IFDIR | 0o771, 4096, 1_700_000_000) if path in self._folders() else FileStat()

    def listing(self, path: str) -> dict[str, FileStat]:
        path = posixpath.normpath(path)
        inside = [p for p in {*self.files, *self._folders()} if p != "/" and posixpath.dirname(p) == path]
        return {posixpath.basename(p): self.stat(p) for p in sorted(inside)}

    def read(self, path: str) -> bytes | None:
        entry = self.files.get(posixpath.normpath(path))
        return None if entry is None else entry[0]

    def write(self, path: str, data: bytes, mode: int, mtime: int) -> str:
        if path.startswith("/system"):
            return "couldn't create file: Read-only file system"
        self.files[posixpath.normpath(path)] = (data, mode, mtime)
        return ""

    def _folders(self) -> set[str]:
        folders = {"/", "/sdcard", "/data/local/tmp"}
        for path in [*self.files, *folders]:
            while path != "/":
                path = posixpath.dirname(path)
                folders.add(path)
        return folders
