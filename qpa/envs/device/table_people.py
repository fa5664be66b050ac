"""Contacts, calendar events and reminders: what Android keeps in content providers that a shell may write."""

from __future__ import annotations

from typing import Any

from qpa.envs.device.grammar import unavailable
from qpa.envs.device.handset import Handset, PhoneTable
from qpa.envs.sandbox.context import Row

_ITEM = "vnd.android.cursor.item/"
_KINDS = {"name": "name", "phone": "phone_v2", "email": "email_v2", "group_name": "group_membership"}
_HOUR_MS = 3_600_000


class Contacts(PhoneTable):
    """Raw contacts without an account, their name, first number, first address and first group."""

    name, key = "contacts", "id"
    columns = ("name", "phone", "group_name", "email")

    async def read(self, phone: Handset) -> list[Row]:
        raws = await phone.table("raw_contacts", "_id", "deleted", "display_name")
        data = await phone.table("contact_data", "raw_contact_id", "mimetype", "data1")
        titles = await phone.texts("contact_groups", "title")
        found: dict[int, Row] = {
            int(raw["_id"] or 0): {"ref": int(raw["_id"] or 0), **dict.fromkeys(self.columns, "")}
            for raw in raws
            if raw["deleted"] != "1"
        }
        columns = {_ITEM + kind: column for column, kind in _KINDS.items()}
        for item in data:
            row = found.get(int(item["raw_contact_id"] or 0))
            column = columns.get(item["mimetype"] or "")
            value = item["data1"] or ""
            if row is None or column is None or row[column]:
                continue
            row[column] = titles.get(int(value), "") if column == "group_name" and value.isdigit() else value
        return [row for row in found.values() if row["name"] or row["phone"]]

    async def insert(self, phone: Handset, row: Row) -> None:
        before = {raw["_id"] for raw in await phone.table("raw_contacts", "_id")}
        await phone.hand.run("insert", table="raw_contacts", values={"account_type": None, "account_name": None})
        new = [raw["_id"] for raw in await phone.table("raw_contacts", "_id") if raw["_id"] not in before]
        if len(new) != 1:
            raise unavailable(f"The phone made {len(new)} contacts instead of one")
        for column in self.columns:
            if row.get(column):
                await self._add(phone, int(new[0] or 0), column, row[column])

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        for column in self.columns:
            if new[column] == old[column]:
                continue
            if not old[column]:
                await self._add(phone, ref, column, new[column])
                continue
            where = {"raw_contact_id": ref, "mimetype": _ITEM + _KINDS[column]}
            if not new[column]:
                await phone.hand.run("delete", table="contact_data", where=where)
                continue
            value = str(await self._group(phone, new[column])) if column == "group_name" else new[column]
            await phone.hand.run("update", table="contact_data", values={"data1": value}, where=where)

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.hand.run("delete", table="raw_contacts", where={"_id": ref})

    async def _add(self, phone: Handset, ref: int, column: str, value: str) -> None:
        values: dict[str, Any] = {"raw_contact_id": ref, "mimetype": _ITEM + _KINDS[column]}
        values["data1"] = str(await self._group(phone, value)) if column == "group_name" else value
        if column == "phone":
            values["data2"] = 2  # Phone.TYPE_MOBILE
        await phone.hand.run("insert", table="contact_data", values=values)

    async def _group(self, phone: Handset, title: str) -> int:
        """The id of the group with this title, made if there is none."""
        for attempt in range(2):
            for ref, known in (await phone.texts("contact_groups", "title")).items():
                if known == title:
                    return ref
            if attempt == 0:
                values = {"title": title, "account_type": None, "account_name": None}
                await phone.hand.run("insert", table="contact_groups", values=values)
        raise unavailable("The phone did not make the contact group")


class Events(PhoneTable):
    """Calendar events; those with an alert are the sandbox's reminders, the others its schedules."""

    key = "id"

    def __init__(self, alert: bool) -> None:
        self._alert = alert
        self.name = "reminders" if alert else "schedules"
        self._title, self._at = ("content", "time") if alert else ("event", "datetime")
        self.columns: tuple[str, ...] = (self._title, self._at) if alert else (self._title, self._at, "location")

    async def read(self, phone: Handset) -> list[Row]:
        plain = await phone.table("events", "_id", "deleted", "hasAlarm", "allDay", "dtstart", "rrule")
        chosen = [
            event
            for event in plain
            if event["deleted"] != "1" and event["allDay"] != "1" and not event["rrule"]
            if (event["hasAlarm"] == "1") == self._alert
        ]
        titles = await phone.texts("events", "title") if chosen else {}
        places = await phone.texts("events", "eventLocation") if chosen and not self._alert else {}
        rows = []
        for event in chosen:
            ref = int(event["_id"] or 0)
            row: Row = {"ref": ref, self._title: titles.get(ref, "")}
            row[self._at] = phone.to_local(int(event["dtstart"] or 0))
            if not self._alert:
                row["location"] = places.get(ref, "")
            rows.append(row)
        return rows

    async def insert(self, phone: Handset, row: Row) -> None:
        calendars = await phone.table("calendars", "_id", "visible")
        if not calendars:
            raise unavailable("The phone has no calendar; add an account or a local calendar")
        shown = [calendar for calendar in calendars if calendar["visible"] == "1"] or calendars
        values = {"calendar_id": int(shown[0]["_id"] or 0), **self._values(phone, row)}
        values |= {"eventTimezone": phone.hand.facts.zone, "hasAlarm": int(self._alert)}
        before = {event["_id"] for event in await phone.table("events", "_id")} if self._alert else set()
        await phone.hand.run("insert", table="events", values=values)
        if self._alert:
            new = [event["_id"] for event in await phone.table("events", "_id") if event["_id"] not in before]
            if len(new) != 1:
                raise unavailable(f"The phone made {len(new)} events instead of one")
            alert = {"event_id": int(new[0] or 0), "minutes": 0, "method": 1}
            await phone.hand.run("insert", table="reminders", values=alert)

    async def update(self, phone: Handset, ref: Any, old: Row, new: Row) -> None:
        values = self._values(phone, {column: new[column] for column in self.columns if new[column] != old[column]})
        if values:
            await phone.hand.run("update", table="events", values=values, where={"_id": ref})

    async def delete(self, phone: Handset, ref: Any, old: Row) -> None:
        await phone.hand.run("delete", table="events", where={"_id": ref})

    def _values(self, phone: Handset, row: Row) -> dict[str, Any]:
        values: dict[str, Any] = {}
        if self._title in row:
            values["title"] = row[self._title]
        if row.get("location") is not None:
            values["eventLocation"] = row["location"]
        if self._at in row:
            start = phone.to_ms(row[self._at])
            values |= {"dtstart": start, "dtend": start if self._alert else start + _HOUR_MS}
        return values
