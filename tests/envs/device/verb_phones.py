"""Links for tests of the device backend: straight into a phone in this process, and one that only remembers."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from qpa.contract import EnvFailure, FailureCause
from qpa.envs.device.base import Phone, ShellResult

HOSTILE = (
    "x; reboot",
    "$(reboot)",
    "`reboot`",
    "a && rm -rf /sdcard",
    "a | tee /data/x",
    "a > /data/local/tmp/x",
    "it's",
    'say "hi"',
    "back\\slash",
    "$HOME ${PATH}",
    "* ? [a-z] {1,2}",
    "-n --user 10",
    "tab\there",
    "two\nlines; reboot",
    "你好 🌧 مرحبا",
    "100% %s %d",
    " spaced  out ",
    "col=1, name=2",
    "# no comment",
    "!history",
    "~root",
)


class InProcessLink:
    """`DeviceLink` over a `Phone` without a wire; quotes as a link does.

    Attributes:
      fail: called with each argv first; an exception it returns is raised instead (after acting, if `late`).
      commands: command lines sent.
    """

    def __init__(self, phone: Phone, serial: str = "in-process") -> None:
        self.phone, self.serial = phone, serial
        self.fail: Callable[[tuple[str, ...]], Exception | None] = lambda argv: None
        self.late = False
        self.commands: list[tuple[str, ...]] = []

    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        assert 0 < deadline_s <= 120
        self.commands.append(argv)
        failure = self.fail(argv)
        if failure is not None and not self.late:
            raise failure
        result = self.phone.shell(shlex.join(argv))
        if failure is not None:
            raise failure
        return result

    async def exec_out(self, *argv: str, deadline_s: float, idempotent: bool = False) -> bytes:
        return (await self.shell(*argv, deadline_s=deadline_s)).stdout

    async def pull(self, path: str, *, deadline_s: float) -> bytes:
        data = self.phone.read(path)
        if data is None:
            raise EnvFailure(f"{self.serial}: no file {path}", FailureCause.BACKEND)
        return data

    async def push(self, path: str, data: bytes, *, deadline_s: float) -> None:
        problem = self.phone.write(path, data, 0o644, 0)
        if problem:
            raise EnvFailure(f"{self.serial}: {problem}", FailureCause.BACKEND)


class EchoLink:
    """Runs nothing: keeps each argv, and what a POSIX shell would make of its command line."""

    serial = "echo"

    def __init__(self, answer: ShellResult | None = None) -> None:
        self.sent: list[tuple[str, ...]] = []
        self.answer = answer or ShellResult()

    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        self.sent.append(tuple(shlex.split(shlex.join(argv))))
        return self.answer

    async def exec_out(self, *argv: str, deadline_s: float, idempotent: bool = False) -> bytes:
        return (await self.shell(*argv, deadline_s=deadline_s)).stdout

    async def pull(self, path: str, *, deadline_s: float) -> bytes:
        raise EnvFailure("nothing to pull")

    async def push(self, path: str, data: bytes, *, deadline_s: float) -> None: ...
