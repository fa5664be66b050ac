"""Apps: what is installed, runs, is in front or disabled; their notifications; and notes in the notes app."""

from __future__ import annotations

from typing import Any

from qpa.contract import ErrorType
from qpa.envs.device import parsers
from qpa.envs.device.android import PACKAGES, package_of
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.sandbox.context import Row

NOTES_LISTED = "index_note_text_description"
NOTE_TEXT = "edit_note_text"


async def in_front(phone: Handset) -> str:
    """The package in front, by whichever dump this version prints it in; "" when nothing is."""
    found = parsers.focus(await phone.hand.ask("get_focus"))
    return found or parsers.resumed(await phone.hand.ask("get_activities")) or ""


async def open_app(phone: Handset, package: str) -> None:
    """Starts an app and sees it come to the front. Raises `VerbError`: 404 nothing to start, 503 it did not come."""
    component = parsers.launcher(await phone.hand.ask("find_launcher", package=package))
    if component is None:
        raise VerbError(ErrorType.NOT_FOUND, f"{package} has nothing to open")
    await phone.hand.run("open", component=component)
    front = await in_front(phone)
    if front != package:
        raise unavailable(f"{package} did not come to the front; there is {front[:60] or 'nothing'}")


class Apps(PhoneTable):
    """Installed apps that have a name here: by the companion, by the inventory, or as known everywhere."""

    name, key = "apps", "name"
    columns = ("running", "enabled")

    def _names(self, phone: Handset) -> dict[str, str]:
        names = {row["name"] for row in phone.rows("apps")} | set(phone.packages) | set(PACKAGES)
        return {package_of(name, phone.packages): name for name in sorted(names)}

    async def read(self, phone: Handset) -> list[Row]:
        installed = parsers.packages(await phone.hand.ask("list_packages"))
        disabled = parsers.packages(await phone.hand.ask("list_disabled"))
        running = set((await phone.hand.ask("list_processes")).split())
        names = self._names(phone)
        return [
            {
                "ref": package,
                "name": names[package],
                "running": int(package in running),
                "enabled": int(package not in disabled),
            }
            for package in sorted(installed & names.keys())
        ]

    async def insert(self, phone: Handset, row: Row) -> None:
        raise unavailable("Apps come from a store")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        package = package_of(old["name"], phone.packages)
        if new["enabled"] != old["enabled"]:
            await phone.hand.run("enable" if new["enabled"] else "disable", package=package)
        elif new["stopped"] and not old["stopped"]:
            await phone.hand.run("force_stop", package=package)
        elif old["running"] and not new["running"]:
            await phone.screen.press("home")
            await phone.hand.run("kill", package=package)
        elif new["running"]:
            await open_app(phone, package)

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.hand.run("uninstall", package=package_of(old["name"], phone.packages))


class Notifications(PhoneTable):
    """What waits in the notification shade. Reading only: no command dismisses one."""

    name, key = "notifications", "id"
    columns = ("app", "title", "text")

    async def read(self, phone: Handset) -> list[Row]:
        names = {package_of(row["name"], phone.packages): row["name"] for row in phone.rows("apps")}
        return [
            {"ref": item.key, "app": names[item.package], "title": item.title, "text": item.text}
            for item in parsers.notifications(await phone.hand.ask("get_notifications"))
            if item.package in names and item.title
        ]

    async def insert(self, phone: Handset, row: Row) -> None:
        raise unavailable("A notification is an app's own")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        raise unavailable("No command of a shell snoozes a notification")

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        raise unavailable("No command of a shell dismisses a notification")


class Notes(PhoneTable):
    """Notes of the notes app: its list, its editor. What the list cuts short is read as it stands there."""

    name, key = "notes", "id"
    columns = ("content",)

    async def read(self, phone: Handset) -> list[Row]:
        await self._visit(phone)
        root = await phone.screen.look()
        texts = [node.text for node in root.walk() if node.resource == NOTES_LISTED and node.text]
        return [{"ref": None, "content": text} for text in texts]

    async def insert(self, phone: Handset, row: Row) -> None:
        phone.visited.add(package_of("Notes", phone.packages))
        await phone.hand.run("compose_note", body=row["content"])
        field = await phone.screen.wait(lambda root: root.by_id(NOTE_TEXT), "the note's text")
        if field.text != row["content"]:
            await phone.screen.fill(field, row["content"])
        await phone.screen.press("back")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        raise unavailable("Notes are made and deleted here, not changed")

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await self._visit(phone)

        def listed(root: Any) -> Any:
            return root.find(lambda node: node.resource == NOTES_LISTED and node.text == old["content"])

        await phone.screen.tap(await phone.screen.wait(listed, "the note"))
        await phone.screen.tap(await phone.screen.wait(lambda root: root.by_text("Delete"), "Delete"))

    async def _visit(self, phone: Handset) -> None:
        package = package_of("Notes", phone.packages)
        phone.visited.add(package)
        await open_app(phone, package)
