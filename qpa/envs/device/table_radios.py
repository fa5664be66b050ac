"""Wi-Fi networks and Bluetooth devices. A phone tells which there are, and never a password."""

from __future__ import annotations

from typing import Any

from qpa.envs.device import parsers, settings_screens
from qpa.envs.device.grammar import unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.device.tree import Node
from qpa.envs.sandbox.context import Row

UNKNOWN = "\N{REPLACEMENT CHARACTER}"  # stands for a password that the phone keeps to itself
COMMANDS = 30  # API level from which `cmd wifi` tells and connects


def _unseen(known: dict[str, Row], seen: set[str]) -> list[Row]:
    """Networks that a phone does not list while Wi-Fi is off; they are not taken for gone."""
    return [
        {"ref": None, "ssid": ssid, "saved": row["saved"], "connected": 0}
        for ssid, row in known.items()
        if ssid not in seen
    ]


class WifiNetworks(PhoneTable):
    """Saved networks and those in reach: by commands from Android 11 on, before that on the page of Settings."""

    name, key = "wifi_networks", "ssid"
    columns = ("saved", "connected")

    async def read(self, phone: Handset) -> list[Row]:
        if phone.hand.facts.sdk < COMMANDS:
            return await self._read_screen(phone)
        saved = parsers.wifi_saved(await phone.hand.ask("list_wifi_saved"))
        found = parsers.wifi_found(await phone.hand.ask("list_wifi_found"))
        status = await phone.hand.ask("get_wifi_status")
        current = parsers.wifi_connected(status)
        known = {row["ssid"]: row for row in phone.rows("wifi_networks")}
        rows = []
        for ssid in sorted({*saved, *found, *([current] if current else [])}):
            row: Row = {"ref": saved.get(ssid), "ssid": ssid}
            row |= {"saved": int(ssid in saved), "connected": int(ssid == current)}
            if ssid not in known and found.get(ssid, True):
                row["password"] = UNKNOWN
            rows.append(row)
        if "Wifi is disabled" in status:
            rows += [row | {"saved": 0} for row in _unseen(known, {*saved, *found})]  # all saved ones were listed
        return rows

    async def _read_screen(self, phone: Handset) -> list[Row]:
        """The page of Settings; while Wi-Fi is off it lists none, and what was known is still there."""
        known = {row["ssid"]: row for row in phone.rows("wifi_networks")}
        on, shown = await settings_screens.wifi_rows(phone)
        rows: list[Row] = [{"ref": None, **row} for row in shown]
        for row in rows:
            if row["ssid"] not in known and not row["saved"]:
                row["password"] = UNKNOWN
        return rows if on else rows + _unseen(known, {row["ssid"] for row in rows})

    async def insert(self, phone: Handset, row: Row) -> None:
        raise unavailable("A network cannot be made")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        if new["connected"] and not old["connected"]:
            if new["password"] == UNKNOWN:
                raise unavailable("The phone does not tell a saved password; give the password")
            if phone.hand.facts.sdk < COMMANDS:
                await settings_screens.join_wifi(phone, new["ssid"], new["password"])
            else:
                await phone.hand.run("wifi_connect", ssid=new["ssid"], password=new["password"])
        elif old["saved"] and not new["saved"]:
            await phone.hand.run("wifi_forget", network=ref)
        # A network that is only dropped was dropped by the one that took its place.

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.hand.run("wifi_forget", network=ref)


class BluetoothDevices(PhoneTable):
    """Paired devices by `dumpsys`; pairing and connecting on the Settings screen, as no command does it."""

    name, key = "bluetooth_devices", "name"
    columns = ("paired", "connected")

    async def read(self, phone: Handset) -> list[Row]:
        dump = await phone.hand.ask("get_bluetooth")
        paired = parsers.bonded(dump)
        rows: list[Row] = [
            {"ref": None, "name": name, "paired": 1, "connected": int(connected)} for name, connected in paired.items()
        ]
        # Others in reach show only while somebody searches; those known before count as still in reach.
        for row in phone.rows("bluetooth_devices"):
            if row["name"] not in paired:
                rows.append({"ref": None, "name": row["name"], "paired": 0, "connected": 0})
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        raise unavailable("A Bluetooth device cannot be made")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        if old["connected"] and not new["connected"]:
            await self._disconnect(phone, old["name"])
        elif new["connected"] and not old["connected"]:
            await self._connect(phone, old["name"], paired=bool(old["paired"]))
        else:
            raise unavailable("A phone unpairs a device on its own screen only")

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        raise unavailable("A phone unpairs a device on its own screen only")

    async def _connect(self, phone: Handset, name: str, paired: bool) -> None:
        screen = phone.screen
        await settings_screens.show(phone, "bluetooth")
        if not paired:
            await screen.tap(await screen.wait(lambda root: root.by_text("Pair new device"), "Pair new device"))
        await screen.tap(await screen.wait(lambda root: _title(root, name), name))
        if not paired:
            button = (await screen.look()).by_text("Pair")
            if button is not None:
                await screen.tap(button)

    async def _disconnect(self, phone: Handset, name: str) -> None:
        screen = phone.screen
        await settings_screens.show(phone, "bluetooth")
        await screen.tap(await screen.wait(lambda root: _title(root, name), name))
        await screen.tap(await screen.wait(lambda root: root.by_text("Disconnect"), "Disconnect"))
        confirm = (await screen.look()).by_text("OK")
        if confirm is not None:
            await screen.tap(confirm)


def _title(root: Node, name: str) -> Node | None:
    return root.find(lambda node: node.text == name)
