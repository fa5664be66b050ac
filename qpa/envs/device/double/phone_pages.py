"""The screens of the double: launcher, generic apps, dialogs, recents, notifications; the others register here.

A builder makes a `Screen` of a page. Resource ids without a package get the window's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from qpa.envs.device.double import phone_pages_clock, phone_pages_people, phone_pages_settings, phone_pages_tasks
from qpa.envs.device.double.phone_profile import HOME, app_of
from qpa.envs.device.double.phone_widgets import TEXT, Item, Node, Page, Screen, button, entry, row, text

if TYPE_CHECKING:
    from qpa.envs.device.double.phone_ui import Ui

Builder = Callable[["Ui", Page], Screen]
_COLUMNS, _CELL = 4, 270
SYSTEM_UI = "com.android.systemui"


def build(ui: Ui, page: Page) -> Screen:
    """The page as the tables have it now."""
    return PAGES.get(page.kind, _app)(ui, page)


def leave(ui: Ui, page: Page) -> None:
    """What BACK does beside closing the page: an editor of notes saves."""
    if page.kind in ON_BACK:
        ON_BACK[page.kind](ui, page)


def _launcher(ui: Ui, page: Page) -> Screen:
    shown = [app["name"] for app in ui.phone.apps() if app["enabled"] and not app["hidden"]]
    items = []
    for start in range(0, len(shown), _COLUMNS):
        cells = [
            Node(
                TEXT, name, "icon", name, (place * _CELL + 20, 10, place * _CELL + _CELL - 20, 210),
                on=ui.shows(name),
            )
            for place, name in enumerate(shown[start : start + _COLUMNS])
        ]  # fmt: skip
        items.append(Item(Node("android.view.ViewGroup", box=(0, 0, 1080, 220), children=cells), 220))
    return Screen(HOME.package, HOME.activity, "", items)


def _app(ui: Ui, page: Page) -> Screen:
    """Any other app: the text that the sandbox has on its screen, and what its GUI agent can do there."""
    app = app_of(page.about)
    found = ui.phone.rows("SELECT text, protected FROM visible_contents WHERE source = ?", page.about)
    items = [text(line) for entry in found for line in entry["text"].splitlines()]
    sql = "SELECT recipient, content FROM app_messages WHERE app = ? ORDER BY sent_at, id"
    items += [row(sent["recipient"], sent["content"]) for sent in ui.phone.rows(sql, page.about)]
    items.append(button("New message", ui.to("app_message", page.about), "new_message"))
    items.append(button("Files", ui.to("files", page.about), "files"))
    return Screen(app.package, app.activity, page.about, items)


def _app_message(ui: Ui, page: Page) -> Screen:
    app = app_of(page.about)

    def send() -> None:
        to, words = page.fields.get("recipient", "").strip(), page.fields.get("message", "").strip()
        if to and words:
            now = ui.phone.now.isoformat()
            ui.phone.insert_row("app_messages", "app_msg", app=page.about, recipient=to, content=words, sent_at=now)
            ui.close()

    items = [
        entry(page.fields.get("recipient", ""), "recipient", "To"),
        entry(page.fields.get("message", ""), "message", "Message"),
        button("Send", send, "send"),
    ]
    return Screen(app.package, f"{app.package}.ComposeActivity", f"New message - {page.about}", items)


def _notice(ui: Ui, page: Page) -> Screen:
    """A dialog with a text and OK; it belongs to the app under it."""
    under = build(ui, ui.stack[-2]) if len(ui.stack) > 1 else build(ui, Page("launcher"))
    items = [text(page.about, "android:id/message"), button("OK", ui.close, "android:id/button1")]
    return Screen(under.package, under.activity, "", items)


def _recents(ui: Ui, page: Page) -> Screen:
    names = ui.phone.rows("SELECT name FROM apps WHERE running = 1 ORDER BY last_used DESC, name")
    items = [row(r["name"], "", ui.shows(r["name"]), "icon") for r in names]

    def clear() -> None:
        ui.do("manage_recent_apps", action="clear")

    items.append(button("Clear all", clear, "clear_all"))
    return Screen(HOME.package, "com.android.quickstep.RecentsActivity", "Recent apps", items)


def _power_menu(ui: Ui, page: Page) -> Screen:
    return Screen(SYSTEM_UI, "GlobalActions", "Power", [text("Power off"), text("Restart")])


def _notifications(ui: Ui, page: Page) -> Screen:
    now = ui.phone.now.isoformat()
    found = ui.phone.rows("SELECT * FROM notifications WHERE snoozed_until <= ? ORDER BY at DESC, id DESC", now)
    items = []
    for notice in found:
        item = row(notice["title"], notice["text"], None, "android:id/title")
        item.node.children.insert(0, Node(TEXT, notice["app"], "android:id/app_name_text", box=(48, 2, 800, 30)))
        items.append(item)
    if any(not notice["ongoing"] for notice in found):
        items.append(button("Clear all", lambda: ui.do("clear_notifications"), "dismiss_text"))
    return Screen(SYSTEM_UI, "NotificationShade", "Notifications", items or [text("No notifications")])


PAGES: dict[str, Builder] = {
    "launcher": _launcher,
    "app": _app,
    "app_message": _app_message,
    "notice": _notice,
    "recents": _recents,
    "power_menu": _power_menu,
    "notifications": _notifications,
    **phone_pages_settings.PAGES,
    **phone_pages_clock.PAGES,
    **phone_pages_people.PAGES,
    **phone_pages_tasks.PAGES,
}
ON_BACK: dict[str, Callable[[Ui, Page], None]] = {**phone_pages_tasks.ON_BACK}
