"""A double in a test's hand, driven as `adb shell` would drive it."""

from __future__ import annotations

import base64
import re
import shlex
import xml.etree.ElementTree as ElementTree
from typing import Any

from qpa.contract import (
    Dimension,
    Evidence,
    InitialState,
    Resources,
    Split,
    StateCriteria,
    TaskSpec,
    from_msgpack,
    to_msgpack,
)
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.sandbox import catalog

TASK_PATH = "/data/local/tmp/task.msgpack"


# A home screen with the radios and modes that tests switch in a known state.
CALM: dict[str, list[dict[str, Any]]] = {
    "settings": [
        {"key": key, "value": value}
        for key, value in {
            "airplane_mode": "off",
            "auto_brightness": "off",
            "bluetooth": "on",
            "brightness": "40",
            "dark_mode": "off",
            "foreground_app": "",
            "locked_orientation": "portrait",
            "reading_mode": "off",
            "screen_overlay": "",
            "screen_power": "on",
            "screen_timeout": "30s",
            "time_format": "24h",
            "wifi": "on",
        }.items()
    ],
    "contacts": [{"id": "contact_020", "name": "Ann Ode", "phone": "5550777"}],
    "apps": [
        {"name": name, "hidden": 0, "enabled": 1}
        for name in ("Clock", "Notes", "Settings", "Messages", "Phone", "WhatsApp")
    ],
}


def task(**initial: Any) -> TaskSpec:
    return TaskSpec(
        id="t",
        goal="g",
        criteria=StateCriteria(delta=[]),
        dimension=Dimension.TOOL,
        domain="any",
        family="any",
        split=Split.TRAIN,
        resources=Resources(tools=[spec.name for spec in catalog()]),
        initial=InitialState(**initial),
    )


class Handset:
    """`hand.sh("input", "tap", "1", "2")` quotes each argument once, as a device link does."""

    def __init__(self, android: int = 14, **initial: Any) -> None:
        self.phone = SandboxPhone(android)
        self.load(task(**initial))

    def load(self, spec: TaskSpec) -> None:
        assert self.phone.write(TASK_PATH, to_msgpack(spec), 0o644, 0) == ""
        assert self.sh("qpa-double", "load", TASK_PATH) == "ok\n"

    def line(self, command: str) -> tuple[str, str, int]:
        result = self.phone.shell(command)
        assert self.phone.crashes == []
        return result.stdout.decode(), result.stderr.decode(), result.exit_code

    def sh(self, *argv: str) -> str:
        """Standard output of a command that ends with 0 and without complaint."""
        out, err, code = self.line(shlex.join(argv))
        assert (err, code) == ("", 0), (argv, out, err, code)
        return out

    def all(self, *argv: str) -> tuple[str, str, int]:
        return self.line(shlex.join(argv))

    def evidence(self) -> Evidence:
        return from_msgpack(base64.b64decode(self.sh("qpa-double", "evidence")), Evidence)

    def changed(self) -> dict[tuple[Any, ...], Any]:
        """What each changed row became; None when it is gone."""
        found = self.evidence().changes
        return {(c.table, *c.key.values()): c.new if c.op != "delete" else None for c in found}

    # --- the screen -------------------------------------------------------------------------------------------------

    def tree(self) -> list[dict[str, str]]:
        """Nodes of `uiautomator dump`, outermost first."""
        assert (
            self.sh("uiautomator", "dump", "/data/local/tmp/ui.xml")
            == "UI hierchary dumped to: /data/local/tmp/ui.xml\n"
        )
        data = self.phone.read("/data/local/tmp/ui.xml")
        assert data is not None
        return [dict(node.attrib) for node in ElementTree.fromstring(data).iter("node")]

    def find(self, **wanted: str) -> list[dict[str, str]]:
        """Nodes by text, desc, id (its last part) or cls."""
        names = {"desc": "content-desc", "cls": "class", "id": "resource-id", "text": "text", "checked": "checked"}

        def fits(node: dict[str, str]) -> bool:
            return all(
                node[names[k]].rpartition("/")[2] == v if k == "id" else node[names[k]] == v for k, v in wanted.items()
            )

        return [node for node in self.tree() if fits(node)]

    def tap(self, index: int = 0, **wanted: str) -> None:
        """Taps the middle of a node, scrolling down for it when it is not on the screen."""
        for _ in range(12):
            found = self.find(**wanted)
            if len(found) > index:
                left, top, right, bottom = map(int, re.findall(r"\d+", found[index]["bounds"]))
                self.sh("input", "tap", str((left + right) // 2), str((top + bottom) // 2))
                return
            self.sh("input", "swipe", "500", "1800", "500", "900", "300")
        raise AssertionError(f"no {wanted} on {[n['text'] or n['content-desc'] for n in self.tree()]}")

    def type(self, words: str) -> None:
        self.sh("input", "text", words.replace(" ", "%s"))
