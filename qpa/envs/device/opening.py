"""From files to phones: an inventory, a grants file and a folder of journals become a `DeviceEnv` over a real adb."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from qpa.contract import TaskSpec, Verifier
from qpa.envs.device.adb_server import AdbServer
from qpa.envs.device.enrolment import EnrolledDevice, Enrolment, load_enrolment
from qpa.envs.device.env import DeviceEnv, Grants, default_grants
from qpa.envs.device.hand import GRANTS
from qpa.envs.device.link import AdbLink


def read_grants(path: str | Path) -> Grants:
    """Which tasks may use what cannot be undone: JSON of task id pattern -> names of `hand.GRANTS`.

    Raises ValueError naming the file and the entry for anything else.
    """
    try:
        table = json.loads(Path(path).read_bytes())
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: not JSON: {error}") from None
    if not isinstance(table, dict):
        raise ValueError(f"{path}: want an object of task id pattern -> list of grants")
    for pattern, names in table.items():
        if not isinstance(names, list) or not set(map(str, names)) <= GRANTS:
            raise ValueError(f"{path}: {pattern!r}: want a list of {', '.join(sorted(GRANTS))}, not {names!r}")

    def grants(task: TaskSpec, device: EnrolledDevice) -> Collection[str]:
        return {name for pattern, names in table.items() if fnmatchcase(task.id, pattern) for name in names}

    return grants


@contextlib.contextmanager
def open_devices(
    inventory: Enrolment | str | Path,
    journals: str | Path | None = None,
    *,
    verifier: Verifier | None = None,
    grants: Grants | str | Path | None = None,
    packages: Mapping[str, str] | None = None,
    wait_s: float = 600.0,
) -> Iterator[DeviceEnv]:
    """An environment over every enrolled device, with an adb server that ends with it (or the one of
    `ANDROID_ADB_SERVER_PORT`, left as it is).

    `journals` is the folder that says, also after a crash, what has to be put back on which phone. By default it lies
    beside the inventory's file, so that whatever plays on these phones next finds it.

    Raises `EnrolmentError`, ValueError for a bad grants file, `EnvFailure` without an adb server.
    """
    if isinstance(inventory, Enrolment):
        if journals is None:
            raise ValueError("an enrolment without a file needs a folder for its journals")
        enrolment, folder = inventory, Path(journals)
    else:
        enrolment = load_enrolment(inventory)
        folder = Path(inventory).with_suffix(".journals") if journals is None else Path(journals)
    rule = default_grants if grants is None else grants if callable(grants) else read_grants(grants)
    usb = any(":" not in device.serial for device in enrolment.devices)
    server = AdbServer.from_environment(usb=usb)
    try:
        yield DeviceEnv(
            enrolment,
            lambda device: AdbLink(server, device),
            folder,
            verifier=verifier,
            grants=rule,
            packages=packages,
            wait_s=wait_s,
        )
    finally:
        server.close()
