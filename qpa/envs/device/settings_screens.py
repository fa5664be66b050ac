"""What older versions of Android have no command for, done on the Settings app's own screens, in English."""

from __future__ import annotations

from qpa.envs.device.grammar import unavailable
from qpa.envs.device.handset import Handset
from qpa.envs.device.tree import Node
from qpa.envs.sandbox.context import Row

SWITCHES = {"airplane_mode": ("airplane", "Airplane mode"), "bluetooth": ("bluetooth", "Use Bluetooth")}
_STATES = {"connected": (1, 1), "saved": (1, 0)}  # a network's summary -> (saved, connected)


async def show(phone: Handset, page: str) -> None:
    """Opens a page of Settings."""
    phone.visited.add("com.android.settings")
    await phone.hand.run("show_settings", page=page)


async def flip(phone: Handset, key: str, on: bool) -> None:
    """Sets one of `SWITCHES`. Raises `VerbError`: 404 without it on its page, 503 when it does not move."""
    page, label = SWITCHES[key]
    await show(phone, page)
    row = await phone.screen.wait(lambda root: _row(root, label), label)
    if _checked(row) != on:
        await phone.screen.tap(row)
        row = await phone.screen.wait(lambda root: _row(root, label), label)
        if _checked(row) != on:
            raise unavailable(f"{label} did not move")


async def wifi_rows(phone: Handset) -> tuple[bool, list[Row]]:
    """Whether Wi-Fi is on, and the networks that its page lists: ssid, saved, connected."""
    await show(phone, "wifi")
    switch = await phone.screen.wait(lambda root: root.find(_is_switch), "the Wi-Fi switch")
    rows = []
    for node in _rows(await phone.screen.look()):
        if node.find(_is_switch) is None:
            saved, connected = _STATES.get(node.text_of("summary").casefold(), (0, 0))
            rows.append({"ssid": node.text_of("title"), "saved": saved, "connected": connected})
    return switch.checked, rows


async def join_wifi(phone: Handset, ssid: str, password: str) -> None:
    """Taps a network on the Wi-Fi page and gives the password if it is asked for."""
    await show(phone, "wifi")
    await phone.screen.tap(await phone.screen.wait(lambda root: _row(root, ssid), ssid))
    field = (await phone.screen.look()).find(lambda node: node.kind == "EditText")
    if field is None:
        return
    if not password:
        raise unavailable(f"The phone asks for the password of {ssid}")
    await phone.screen.tap(field)
    await phone.screen.type(password)  # not read back: the field may show dots
    await phone.screen.tap(await phone.screen.wait(lambda root: root.by_text("Connect"), "Connect"))


def _rows(root: Node) -> list[Node]:
    return [node for node in root.walk() if any(child.resource == "title" for child in node.children)]


def _row(root: Node, title: str) -> Node | None:
    return next((node for node in _rows(root) if node.seen and node.text_of("title") == title), None)


def _is_switch(node: Node) -> bool:
    return node.kind in ("Switch", "CompoundButton") or node.resource == "switch_widget"


def _checked(row: Node) -> bool:
    return any(node.checked for node in row.walk())
