"""Changes to the double's contacts through their provider.

A raw contact is empty at first and becomes a contact of the sandbox once it has a name and a number; then its data
rows are that contact's columns. Each function returns the Java exception of a refusal, or "".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from qpa.envs.device.double.phone_base import Draft, exception_of, whole
from qpa.envs.device.double.phone_providers import EMAIL, GROUP, NAME, PHONE, groups
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

Values = dict[str, Any]
REQUIRED = "java.lang.IllegalArgumentException: {} is required"


def use(phone: SandboxPhone, tool: str, **arguments: Any) -> str:
    answer = phone.use(tool, **{name: value for name, value in arguments.items() if value not in (None, "")})
    return "" if answer.ok else exception_of(answer)


def new_raw_contact(phone: SandboxPhone, values: Values) -> str:
    """An empty one: it becomes a contact of the sandbox when it has a name and a number."""
    last = phone.session.write(lambda ctx: ctx.counters.get("contact", 0))
    taken = [
        *phone.extras.drafts,
        last,
        *(n for table, n in phone.extras.numbers.rows if table == "contacts" and n < 100_000),
    ]
    number = max(taken) + 1
    phone.extras.drafts[number] = Draft(number)
    return ""


def new_data(phone: SandboxPhone, values: Values) -> str:
    number, mimetype, text = values.get("raw_contact_id"), values.get("mimetype"), values.get("data1")
    if not isinstance(number, int):
        return REQUIRED.format("raw_contact_id")
    if mimetype not in (NAME, PHONE, EMAIL, GROUP):
        return REQUIRED.format("mimetype") if mimetype is None else ""  # Android keeps other kinds; nobody reads them
    draft = phone.extras.drafts.get(number)
    row_id = phone.extras.numbers.row("contacts", number)
    if draft is None and row_id is None:
        return "android.database.sqlite.SQLiteConstraintException: FOREIGN KEY constraint failed (code 787)"
    if text is None and mimetype == NAME:
        parts = [values.get("data2"), values.get("data3")]
        text = " ".join(str(part) for part in parts if part)
    text = _group_title(phone, text) if mimetype == GROUP else str(text or "")
    if row_id is not None:
        return _change_contact(phone, row_id, mimetype, text)
    assert draft is not None
    setattr(draft, {NAME: "name", PHONE: "phone", EMAIL: "email", GROUP: "group"}[mimetype], text)
    return _finish(phone, draft)


def _group_title(phone: SandboxPhone, value: Any) -> str:
    number, titles = whole(str(value)), groups(phone)
    return titles[number - 1] if number is not None and 0 < number <= len(titles) else str(value or "")


def _finish(phone: SandboxPhone, draft: Draft) -> str:
    if not draft.name or not draft.phone:
        return ""
    answer = phone.use("add_contact", **{"name": draft.name, "phoneNumber": draft.phone} | _given(group=draft.group))
    if not answer.ok:
        return exception_of(answer)
    row_id = answer.payload["data"]["id"]
    phone.extras.numbers.pair("contacts", row_id, draft.number)
    del phone.extras.drafts[draft.number]
    return _change_contact(phone, row_id, EMAIL, draft.email) if draft.email else ""


def _given(**arguments: str) -> dict[str, str]:
    return {name: value for name, value in arguments.items() if value}


def _change_contact(phone: SandboxPhone, row_id: str, mimetype: str, text: str) -> str:
    if mimetype == EMAIL:
        phone.write_row("UPDATE contacts SET email = ?1 WHERE id = ?2 AND email <> ?1", text, row_id)
        return ""
    if mimetype == GROUP and not text:
        phone.write_row("UPDATE contacts SET group_name = '' WHERE id = ? AND group_name <> ''", row_id)
        return ""
    name = {NAME: "newName", PHONE: "phoneNumber", GROUP: "group"}[mimetype]
    return use(phone, "update_contact", name=row_id, **{name: text}) if text else REQUIRED.format("data1")


def update_data(phone: SandboxPhone, values: Values, rows: list[Row]) -> str:
    if "data1" not in values:
        return ""
    for row in rows:
        error = new_data(phone, {**values, "raw_contact_id": row["raw_contact_id"], "mimetype": row["mimetype"]})
        if error:
            return error
    return ""


def delete_data(phone: SandboxPhone, rows: list[Row]) -> str:
    """A contact keeps its name and its number; without them the sandbox has no contact."""
    for row in rows:
        row_id = phone.extras.numbers.row("contacts", row["raw_contact_id"])
        if row_id is not None and row["mimetype"] in (EMAIL, GROUP):
            _change_contact(phone, row_id, row["mimetype"], "")
    return ""


def delete_contacts(phone: SandboxPhone, rows: list[Row]) -> str:
    for row in rows:
        phone.extras.drafts.pop(row["_id"], None)
        row_id = phone.extras.numbers.row("contacts", row["_id"])
        if row_id is not None and (error := use(phone, "delete_contact", name=row_id)):
            return error
    return ""


def update_contacts(phone: SandboxPhone, values: Values, rows: list[Row]) -> str:
    if "custom_ringtone" not in values:
        return ""
    for row in rows:
        row_id = phone.extras.numbers.row("contacts", row["_id"])
        if row_id is None:
            continue
        if error := use(phone, "set_ringtone", ringtone=str(values["custom_ringtone"]), contact=row_id):
            return error
    return ""


def new_group(phone: SandboxPhone, values: Values) -> str:
    title = str(values.get("title") or "")
    if title and title not in groups(phone):
        phone.extras.groups.append(title)
    return ""
