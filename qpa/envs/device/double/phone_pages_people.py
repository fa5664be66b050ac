"""Contacts, messages and calls on the double's screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qpa.envs.device.double.phone_profile import CONTACTS, app_of
from qpa.envs.device.double.phone_widgets import Item, Page, Screen, button, entry, row, text
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone_ui import Ui

MESSAGES, PHONE = app_of("Messages"), app_of("Phone")
_CLASSES = "com.android.contacts.activities"


def _find(ui: Ui, row_id: str) -> Row | None:
    return next(iter(ui.phone.rows("SELECT * FROM contacts WHERE id = ?", row_id)), None)


def name_of(ui: Ui, number: str) -> str:
    """The contact's name behind a number, else the number."""
    found = ui.phone.rows("SELECT name FROM contacts WHERE phone = ? ORDER BY id", number)
    return found[0]["name"] if found else number


def _contacts(ui: Ui, page: Page) -> Screen:
    wanted = page.fields.get("search", "").casefold()
    found = [r for r in ui.phone.rows("SELECT * FROM contacts ORDER BY name, id") if wanted in r["name"].casefold()]
    items = [entry(page.fields.get("search", ""), "search", "Search contacts", "open_search_view_edit_text")]
    items += [row(r["name"], "", _open(ui, "contact", r["id"]), "cliv_name_textview") for r in found]
    items.append(button("Create contact", _open(ui, "contact_edit", ""), "floating_action_button", "Create contact"))
    return Screen(CONTACTS.package, CONTACTS.activity, "Contacts", items)


def _open(ui: Ui, kind: str, about: str, **fields: str) -> Callable[[], None]:
    return lambda: ui.open(Page(kind, about, dict(fields)))


def _contact(ui: Ui, page: Page) -> Screen:
    contact = _find(ui, page.about)
    if contact is None:
        return Screen(CONTACTS.package, f"{_CLASSES}.QuickContactActivity", "", [text("The contact doesn't exist.")])
    fields = {
        "name": contact["name"],
        "phone": contact["phone"],
        "group": contact["group_name"],
        "email": contact["email"],
    }

    def delete() -> None:
        ui.close()
        ui.do("delete_contact", name=page.about)

    items = [
        row(contact["phone"], "Mobile", _open(ui, "dialer_number", contact["phone"]), "header"),
        *([row(contact["email"], "Home", None, "header")] if contact["email"] else []),
        *([row(contact["group_name"], "Group", None, "header")] if contact["group_name"] else []),
        button("Call", lambda: call(ui, contact["phone"]), "verb_call", "Call"),
        button("Text", _open(ui, "thread", contact["phone"]), "verb_text", "Text"),
        button("Edit", _open(ui, "contact_edit", page.about, **fields), "menu_edit", "Edit contact"),
        button("Delete", delete, "menu_delete", "Delete"),
    ]
    return Screen(CONTACTS.package, f"{_CLASSES}.QuickContactActivity", contact["name"], items)


def _contact_edit(ui: Ui, page: Page) -> Screen:
    def save() -> None:
        values = {name: page.fields.get(name, "").strip() for name in ("name", "phone", "group", "email")}
        ui.close()
        _save(ui, page.about, values)

    items = [
        entry(page.fields.get("name", ""), "name", "Name"),
        entry(page.fields.get("phone", ""), "phone", "Phone"),
        entry(page.fields.get("email", ""), "email", "Email"),
        entry(page.fields.get("group", ""), "group", "Group"),
        button("Save", save, "toolbar_button", "Save"),
    ]
    title = "Edit contact" if page.about else "Create contact"
    return Screen(CONTACTS.package, f"{_CLASSES}.ContactEditorActivity", title, items)


def _save(ui: Ui, row_id: str, values: dict[str, str]) -> None:
    if not row_id:
        given = {"group": values["group"]} if values["group"] else {}
        if not ui.do("add_contact", name=values["name"], phoneNumber=values["phone"], **given):
            return
        row_id = ui.phone.rows("SELECT id FROM contacts ORDER BY length(id) DESC, id DESC")[0]["id"]
    else:
        old = _find(ui, row_id)
        names = {"name": ("newName", "name"), "phone": ("phoneNumber", "phone"), "group": ("group", "group_name")}
        changed = {
            tool: values[k] for k, (tool, c) in names.items() if old is not None and values[k] and values[k] != old[c]
        }
        if changed and not ui.do("update_contact", name=row_id, **changed):
            return
    ui.phone.write_row("UPDATE contacts SET email = ?1 WHERE id = ?2 AND email <> ?1", values["email"], row_id)


# --- messages --------------------------------------------------------------------------------------------------------


def _messages(ui: Ui, page: Page) -> Screen:
    items: list[Item] = []
    seen: set[str] = set()
    for message in ui.phone.rows("SELECT * FROM messages ORDER BY at DESC, id DESC"):
        number = message["phone"]
        if number not in seen:
            seen.add(number)
            items.append(row(name_of(ui, number), message["content"], _open(ui, "thread", number), "conversation_name"))
    items.append(button("Start chat", _open(ui, "new_message", ""), "start_chat_fab", "Start chat"))
    return Screen(MESSAGES.package, MESSAGES.activity, "Messages", items)


def _new_message(ui: Ui, page: Page) -> Screen:
    """Whom to write to: a number, or a contact by the first letters of a word of the name."""
    typed = page.fields.get("recipient", "").strip()

    def go(number: str) -> Callable[[], None]:
        def run() -> None:
            ui.close()
            ui.open(Page("thread", number))

        return run

    items = [entry(page.fields.get("recipient", ""), "recipient", "Type names, phone numbers", "recipient_text_view")]
    for contact in ui.phone.rows("SELECT * FROM contacts ORDER BY name, id"):
        words = f"{contact['name']} {contact['phone']}".casefold()
        if typed.casefold() in words:
            items.append(row(contact["name"], contact["phone"], go(contact["phone"]), "contact_name"))
    if any(c.isdigit() for c in typed):
        items.insert(1, row(f"Send to {typed}", "", go(typed), "contact_name"))
    return Screen(
        MESSAGES.package, f"{MESSAGES.package}.ui.conversationlist.ZeroStateSearchActivity", "New conversation", items
    )


def _thread(ui: Ui, page: Page) -> Screen:
    number = page.about
    sql = "SELECT content FROM messages WHERE phone = ? ORDER BY at, id"
    items = [text(message["content"], "message_text") for message in ui.phone.rows(sql, number)]

    def send() -> None:
        words = page.fields.get("body", "").strip()
        if words and ui.do("send_message", content=words, phoneNumber=number):
            page.fields["body"] = ""
            ui.cursor = 0
            if "exit" in page.marks:
                ui.close()

    items.append(entry(page.fields.get("body", ""), "body", "Text message", "compose_message_text"))
    items.append(button("", send, "send_message_button_icon", "Send SMS"))
    return Screen(
        MESSAGES.package, f"{MESSAGES.package}.ui.conversation.LaunchConversationActivity", name_of(ui, number), items
    )


# --- calls -----------------------------------------------------------------------------------------------------------


def call(ui: Ui, number: str, video: bool = False) -> bool:
    """Calls a number and shows the call."""
    if not ui.do("make_call", phoneNumber=number, **({"callType": "video"} if video else {})):
        return False
    ui.open(Page("in_call", number))
    return True


def _dialer(ui: Ui, page: Page) -> Screen:
    items = [button("Contacts", lambda: ui.open(Page("contacts")), "tab_contacts", "Contacts")]
    items.append(button("Key pad", lambda: ui.open(Page("dialer_number", "")), "dialpad_fab", "key pad"))
    for entry_ in ui.phone.rows("SELECT * FROM calls ORDER BY at DESC, id DESC LIMIT 30"):
        items.append(row(entry_["name"] or entry_["phone"], entry_["direction"], None, "call_log_name"))
    return Screen(PHONE.package, PHONE.activity, "Phone", items)


def _dialer_number(ui: Ui, page: Page) -> Screen:
    page.fields.setdefault("digits", page.about)
    items = [
        entry(page.fields["digits"], "digits", "", "digits"),
        button("Call", lambda: call(ui, page.fields["digits"]), "dialpad_voice_call_button", "dial"),
    ]
    return Screen(PHONE.package, PHONE.activity, "Key pad", items)


def _in_call(ui: Ui, page: Page) -> Screen:
    def end() -> None:
        ui.close()
        ui.do("end_call")

    active = ui.phone.rows("SELECT name, phone FROM calls WHERE status = 'active'")
    items = [text(active[0]["name"] or active[0]["phone"] if active else "Call ended", "contactgrid_contact_name")]
    if active:
        items.append(button("End call", end, "incall_end_call", "End call"))
    return Screen(PHONE.package, "com.android.incallui.InCallActivity", "", items)


PAGES: dict[str, Callable[[Ui, Page], Screen]] = {
    "contact": _contact,
    "contact_edit": _contact_edit,
    "contacts": _contacts,
    "dialer": _dialer,
    "dialer_number": _dialer_number,
    "in_call": _in_call,
    "messages": _messages,
    "new_message": _new_message,
    "thread": _thread,
}
