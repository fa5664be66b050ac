"""Text messages and calls: read from their providers, made by an app's screen or by the dialler."""

from __future__ import annotations

import asyncio
from typing import Any

from qpa.envs.device import parsers
from qpa.envs.device.grammar import VerbError, unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.device.screen import PAUSE_S
from qpa.envs.device.tree import Node
from qpa.envs.sandbox.context import Row

_DIRECTIONS = {"1": "incoming", "2": "outgoing", "3": "missed", "5": "missed"}
_LOOKS = 8


def _name(phone: Handset, number: str) -> str:
    return next((row["name"] for row in phone.rows("contacts") if row["phone"] == number), "")


def _refuse(what: str) -> VerbError:
    return unavailable(f"A phone does not let a shell {what}")


class Messages(PhoneTable):
    """SMS received and sent. Sending goes through the message app: no shell may write the provider."""

    name, key = "messages", "id"
    columns = ("phone", "direction", "content", "at", "unread")

    async def read(self, phone: Handset) -> list[Row]:
        plain = await phone.table("sms", "_id", "type", "read", "date", "address")
        bodies = await phone.texts("sms", "body") if plain else {}
        rows = []
        for item in plain:
            if item["type"] not in ("1", "2"):
                continue  # drafts, failed and queued ones are no messages yet
            ref, number = int(item["_id"] or 0), item["address"] or ""
            rows.append(
                {
                    "ref": ref,
                    "name": _name(phone, number),
                    "phone": number,
                    "direction": "in" if item["type"] == "1" else "out",
                    "content": bodies.get(ref, ""),
                    "at": phone.to_local(int(item["date"] or 0)),
                    "unread": int(item["type"] == "1" and item["read"] == "0"),
                }
            )
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        if row["direction"] != "out":
            raise _refuse("receive a message")
        phone.hand.permit("tap_send")  # before the text stands in an app
        await phone.hand.run("compose_message", number=row["phone"], body=row["content"])
        field = await phone.screen.wait(_text_field, "a field for the message")
        if field.text != row["content"]:
            await phone.screen.fill(field, row["content"])
        await phone.screen.tap(await phone.screen.wait(_send_button, "a send button"), verb="tap_send")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        raise _refuse("change a message")

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        raise _refuse("delete a message")


def _text_field(root: Node) -> Node | None:
    named = root.by_id("compose_message_text")
    return named or root.find(lambda node: node.kind == "EditText" and "recipient" not in node.resource)


def _send_button(root: Node) -> Node | None:
    def sends(node: Node) -> bool:
        return node.enabled and "send" in node.resource.casefold() and node.kind != "EditText"

    return root.find(sends) or root.find(lambda node: node.clickable and node.label.casefold().startswith("send"))


class Calls(PhoneTable):
    """The call log, and the call that is on."""

    name, key = "calls", "id"
    columns = ("phone", "direction", "call_type", "at", "status")

    async def read(self, phone: Handset) -> list[Row]:
        items = await phone.table("call_log", "_id", "type", "features", "date", "number")
        rows: list[Row] = [
            {
                "ref": int(item["_id"] or 0),
                "name": _name(phone, item["number"] or ""),
                "phone": item["number"] or "",
                "direction": _DIRECTIONS.get(item["type"] or "", "incoming"),
                "call_type": "video" if int(item["features"] or 0) & 1 else "voice",
                "at": phone.to_local(int(item["date"] or 0)),
                "status": "ended",
            }
            for item in items
        ]
        on = parsers.telephony(await phone.hand.ask("get_telephony")).call_state == 2
        known = [row for row in phone.rows("calls") if row["status"] == "active"]
        if on and known:  # a phone logs a call when it ends; until then this session knows whom it called
            live = known[0]
            same = [row for row in rows if (row["phone"], row["at"]) == (live["phone"], live["at"])]
            if same:
                same[0]["status"] = "active"
            else:
                rows.append({"ref": None, "name": live["name"], **{c: live[c] for c in self.columns}})
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        await phone.hand.run("call", number=row["phone"], video=row["call_type"] == "video")
        await _until(phone, 2, "The call did not start")

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        if (old["status"], new["status"]) != ("active", "ended"):
            raise _refuse("change the call log")
        await phone.hand.run("end_call")
        await _until(phone, 0, "The call did not end")

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        raise _refuse("delete from the call log")


async def _until(phone: Handset, state: int, problem: str) -> None:
    for look in range(_LOOKS):
        if parsers.telephony(await phone.hand.ask("get_telephony")).call_state == state:
            return
        if look + 1 < _LOOKS:
            await asyncio.sleep(PAUSE_S)
    raise unavailable(problem)
