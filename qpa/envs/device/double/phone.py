"""A phone for the device backend that is made of the sandbox: one state, seen by tools and by `adb shell`.

Everything the shell prints about contacts, messages, alarms, settings or apps is read from the tables of a
`SandboxSession`, and what it changes goes through the sandbox's own tools where one does the same, so that a verifier
judges both alike. Two things differ by design. The task's fault plan is not played: it is about tools, and a tool is
not a command. What the screen shows is state of its own (`phone_ui`): walking through it by taps writes no row.

The private command `qpa-double` is what a host needs beside: `load PATH` (a msgpack `TaskSpec` on the device) starts
an episode, `evidence` prints base64 of a msgpack `Evidence`, `reset` starts the episode again, `version` prints
`qpa-double 1 android N`. A real phone has no such command.
"""

from __future__ import annotations

import base64
import functools
from collections import deque
from collections.abc import Coroutine
from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from qpa.contract import (
    ContractError,
    Dimension,
    EnvFailure,
    Feedback,
    Resources,
    Split,
    StateCriteria,
    TaskSpec,
    ToolCall,
    from_msgpack,
    to_msgpack,
)
from qpa.envs.device.android import ZONES
from qpa.envs.device.base import FileStat, ShellResult
from qpa.envs.device.double import phone_files, phone_ui
from qpa.envs.device.double.phone_base import Command, Extras, err, lines, out
from qpa.envs.device.double.phone_profile import API, LOCALES, Profile, app_of
from qpa.envs.device.double.phone_shell import SHELL, Shell
from qpa.envs.sandbox import SandboxEnv, SandboxSession
from qpa.envs.sandbox.context import Row
from qpa.envs.sandbox.domains import specs_by_name

T = TypeVar("T")
VERSION = 1  # of the private command
LOGGED = 4096  # command lines kept in `log`
_VARIABLES = {
    "ANDROID_DATA": "/data",
    "ANDROID_ROOT": "/system",
    "EXTERNAL_STORAGE": "/sdcard",
    "HOME": "/",
    "HOSTNAME": "double",
    "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/odm/bin:/vendor/bin",
    "SHELL": SHELL,
    "TMPDIR": "/data/local/tmp",
    "USER": "shell",
}


def _default_task() -> TaskSpec:
    return TaskSpec(
        id="double",
        goal="none",
        criteria=StateCriteria(delta=[]),
        dimension=Dimension.TOOL,
        domain="none",
        family="none",
        split=Split.TRAIN,
    )


@functools.cache
def _commands() -> dict[str, Command]:
    from qpa.envs.device.double import phone_commands

    return phone_commands.COMMANDS | {"qpa-double": _private}


class SandboxPhone:
    """Implements `device.base.Phone`. Not for use from several threads at once."""

    properties: dict[str, str]
    session: SandboxSession

    def __init__(self, android: int = 14, profile: Profile | None = None, env: SandboxEnv | None = None) -> None:
        """Args: the Android release (8 to 16), the hardware, and the sandbox that episodes are opened in.

        Raises ValueError for another release.
        """
        if android not in API:
            raise ValueError(f"android {android}: the double knows the releases {', '.join(map(str, API))}")
        self.android, self.api = android, API[android]
        self.profile = profile or Profile()
        self.env = env or SandboxEnv()
        self.files = phone_files.Files(self)
        self.log: deque[tuple[str, ...]] = deque(maxlen=LOGGED)  # each argv that reached a command
        self.crashes: list[str] = []  # defects of the double itself; always empty unless there is a bug
        self._task = _default_task()
        self._made = 0
        self.nested = 0  # of `sh -c`
        self.begin(self._task)

    def begin(self, task: TaskSpec) -> None:
        """Starts an episode; files that were pushed stay. Raises `EnvFailure` for a task that cannot be set up."""
        names = list(specs_by_name())  # whatever a person can do by hand, offered as a tool to the planner or not
        initial = msgspec.structs.replace(task.initial, faults=[])
        whole = msgspec.structs.replace(task, resources=Resources(tools=names), initial=initial)
        session = _finish(self.env.reset(whole))
        if hasattr(self, "session"):
            self.session.close()
        self.session, self._task = session, task
        self.extras = Extras(variables=dict(_VARIABLES))
        self.properties = self.read_properties()
        self.ui = phone_ui.Ui(self)

    # --- the tables -------------------------------------------------------------------------------------------------

    def rows(self, sql: str, *params: Any) -> list[Row]:
        """Rows of the sandbox."""
        return self.session.rows(sql, *params)

    def setting(self, key: str, default: str = "") -> str:
        """A sandbox setting."""
        found = self.rows("SELECT value FROM settings WHERE key = ?", key)
        return found[0]["value"] if found else default

    def is_on(self, key: str) -> bool:
        """A sandbox switch."""
        return self.setting(key, "off") == "on"

    def use(self, tool: str, **arguments: Any) -> Feedback:
        """Calls a sandbox tool, as the planner's own call would."""
        self._made += 1
        call = ToolCall(id=f"double-{self._made}", name=tool, arguments=arguments)
        return _finish(self.session.step([call]))[0]

    def write_row(self, sql: str, *params: Any) -> int:
        """Changes rows that no tool changes so; returns how many."""
        return self.session.write(lambda ctx: ctx.execute(sql, *params))

    def insert_row(self, table: str, prefix: str, **row: Any) -> str:
        """Adds a row that no tool adds; returns its id."""
        return self.session.write(lambda ctx: ctx.insert(table, id=ctx.new_id(prefix), **row)["id"])

    # --- time -------------------------------------------------------------------------------------------------------

    @property
    def now(self) -> datetime:
        """Local wall time, frozen as in the sandbox."""
        return self.session.now

    @property
    def zone(self) -> str:
        """The time zone's name."""
        return ZONES.get(self.setting("time_zone", "Shanghai"), "Asia/Shanghai")

    def millis(self, moment: str) -> int:
        """A local ISO 8601 time (or date) as milliseconds since 1970 UTC; 0 for "" or what is no time."""
        try:
            return round(datetime.fromisoformat(moment).replace(tzinfo=ZoneInfo(self.zone)).timestamp()) * 1000
        except (ValueError, TypeError, OverflowError):
            return 0

    def local(self, millis: int) -> datetime | None:
        """The reverse of `millis`; None outside the calendar."""
        try:
            return datetime.fromtimestamp(millis // 1000, ZoneInfo(self.zone)).replace(tzinfo=None)
        except (ValueError, OverflowError, OSError):
            return None

    # --- apps -------------------------------------------------------------------------------------------------------

    def apps(self) -> list[Row]:
        """Installed apps, by name, each with its `package` and its `app` (an `App`)."""
        rows = self.rows("SELECT * FROM apps ORDER BY name")
        return [row | {"package": app_of(row["name"]).package, "app": app_of(row["name"])} for row in rows]

    def app_by_package(self, package: str) -> Row | None:
        """The installed app of a package."""
        return next((row for row in self.apps() if row["package"] == package), None)

    # --- Phone ------------------------------------------------------------------------------------------------------

    def shell(self, command: str) -> ShellResult:
        """Runs one line as mksh would. Never raises; a defect of the double is rc 139 and a line in `crashes`."""
        try:
            return self.new_shell().run(command)
        except (Exception, RecursionError) as error:
            self.crashes.append(f"{type(error).__name__}: {error}: {command[:200]!r}")
            return err("Segmentation fault", 139)

    def new_shell(self) -> Shell:
        """An interpreter for one line."""
        shell = Shell(
            lambda argv, stdin: self.run(argv, stdin, shell), self.read, self._redirect, self.extras.variables
        )
        return shell

    def run(self, argv: list[str], stdin: bytes, shell: Shell) -> ShellResult:
        """Runs one argv; `exit` and the like act on the shell that reads the line."""
        self.log.append(tuple(argv))
        name = argv[0].removeprefix("/system/bin/").removeprefix("/system/xbin/")
        if name == "exit":
            code = int(argv[1]) & 255 if len(argv) > 1 and argv[1].isascii() and argv[1][:9].isdigit() else shell.status
            shell.leave(code)
            return ShellResult(exit_code=code)
        command = _commands().get(name)
        if command is None:
            return err(f"{SHELL}: {argv[0]}: inaccessible or not found", 127)
        return command(self, argv[1:], stdin)

    def stat(self, path: str) -> FileStat:
        """A file or folder; mode 0 if there is none."""
        return self.files.stat(path)

    def listing(self, path: str) -> dict[str, FileStat]:
        """What lies in a folder; empty for no folder."""
        return self.files.listing(path)

    def read(self, path: str) -> bytes | None:
        """A file's bytes."""
        return self.files.read(path)

    def write(self, path: str, data: bytes, mode: int, mtime: int) -> str:
        """Writes a file; the error in one line or ""."""
        return self.files.write(path, data, mode, mtime)

    def _redirect(self, path: str, data: bytes, append: bool) -> str:
        before = (self.files.read(path) or b"") if append else b""
        error = self.files.write(path, before + data, 0o100660, self.millis(self.now.isoformat()) // 1000)
        return error.rpartition(": ")[2] if error else ""

    def read_properties(self) -> dict[str, str]:
        """What `getprop` prints now; model, language and time zone are the sandbox's."""
        profile, model = self.profile, self.setting("device_model", "Pixel 9")
        language = LOCALES.get(self.setting("language", "English"), "en-US")
        release = str(self.android)
        carriers = ",".join(row["carrier"] for row in self.rows("SELECT carrier FROM sims ORDER BY slot"))
        return {
            "dalvik.vm.heapsize": "512m",
            "gsm.operator.alpha": carriers,
            "gsm.sim.state": "LOADED,LOADED",
            "init.svc.adbd": "running",
            "init.svc.bootanim": "stopped",
            "persist.sys.locale": language,
            "persist.sys.timezone": self.zone,
            "ro.build.characteristics": "default",
            "ro.build.fingerprint": f"{profile.brand}/{profile.product}/double:{release}/DOUBLE/1:user/release-keys",
            "ro.build.type": "user",
            "ro.build.version.codename": "REL",
            "ro.build.version.release": f"{release}.0.0" if self.android == 8 else release,
            "ro.build.version.sdk": str(self.api),
            "ro.build.version.security_patch": "2025-01-05",
            "ro.config.media_vol_steps": "100",
            "ro.debuggable": "0",
            "ro.product.brand": profile.brand,
            "ro.product.cpu.abi": "arm64-v8a",
            "ro.product.device": "double",
            "ro.product.manufacturer": profile.manufacturer,
            "ro.product.model": model,
            "ro.product.name": profile.product,
            "ro.secure": "1",
            "ro.serialno": self.setting("device_serial", "DOUBLE0001"),
            "ro.sf.lcd_density": str(profile.density),
            "sys.boot_completed": "1",
            "wifi.interface": "wlan0",
            **self.extras.properties,
        }


def _finish(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine of the sandbox to its end: without a fault plan none of them waits for anything."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value
    coroutine.close()
    raise EnvFailure("the sandbox waits for something outside it; the double cannot")


def _private(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """`qpa-double load PATH | evidence | reset | version`."""
    if args[:1] == ["load"] and len(args) == 2:
        data = phone.read(args[1])
        if data is None:
            return err(f"qpa-double: no file {args[1]}", 1)
        try:
            phone.begin(from_msgpack(data, TaskSpec))
        except (ContractError, EnvFailure) as error:
            return err(f"qpa-double: {error}", 1)
        return lines("ok")
    if args == ["reset"]:
        phone.begin(phone._task)
        return lines("ok")
    if args == ["evidence"]:
        return out(base64.b64encode(to_msgpack(phone.env.evidence(phone.session))) + b"\n")
    if args == ["version"]:
        return lines(f"qpa-double {VERSION} android {phone.android}")
    return err("usage: qpa-double load PATH | evidence | reset | version", 1)
