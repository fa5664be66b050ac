"""Notes, calendar and files on the double's screen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from qpa.envs.device.double.phone_profile import app_of
from qpa.envs.device.double.phone_widgets import Page, Screen, button, entry, row, text
from qpa.envs.sandbox.domains.agent_orders import KIND_OF
from qpa.envs.sandbox.domains.apps_core import home_folder

if TYPE_CHECKING:
    from qpa.envs.device.double.phone_ui import Ui

NOTES, CALENDAR = app_of("Notes"), app_of("Calendar")


def _notes(ui: Ui, page: Page) -> Screen:
    found = ui.phone.rows("SELECT * FROM notes ORDER BY id")
    items = [
        row(
            n["content"],
            "",
            ui.to("note", n["id"], text=n["content"]),
            "index_note_text_description",
        )
        for n in found
    ]
    items.append(button("New text note", lambda: ui.open(Page("note", "")), "new_note_button", "New text note"))
    return Screen(NOTES.package, NOTES.activity, "Notes", items)


def _note(ui: Ui, page: Page) -> Screen:
    """The editor; BACK saves, an empty note is dropped."""

    def delete() -> None:
        ui.close()
        if page.about:
            ui.do("manage_note", action="delete", noteId=page.about)

    items = [
        entry(page.fields.get("text", ""), "text", "Note", "edit_note_text"),
        button("Delete", delete, "menu_delete", "Delete"),
    ]
    return Screen(NOTES.package, "com.google.android.keep.activities.EditorActivity", "Note", items)


def save_note(ui: Ui, page: Page) -> None:
    """What leaving the editor does."""
    words = page.fields.get("text", "").strip()
    if not words:
        return
    if not page.about:
        ui.phone.use("manage_note", action="create", content=words)
        return
    old = ui.phone.rows("SELECT content FROM notes WHERE id = ?", page.about)
    if old and old[0]["content"] != words:
        ui.phone.write_row("UPDATE notes SET content = ? WHERE id = ?", words, page.about)


# --- calendar --------------------------------------------------------------------------------------------------------


def _calendar(ui: Ui, page: Page) -> Screen:
    items = []
    for event in ui.phone.rows("SELECT * FROM schedules ORDER BY datetime, id"):
        summary = event["datetime"][:16].replace("T", " ") + (f", {event['location']}" if event["location"] else "")
        items.append(row(event["event"], summary, ui.to("event", event["id"]), "event_title"))
    items.append(
        button(
            "Create new event", lambda: ui.open(Page("event_edit", "")), "floating_action_button", "Create new event"
        )
    )
    return Screen(CALENDAR.package, CALENDAR.activity, "Calendar", items)


def _event(ui: Ui, page: Page) -> Screen:
    found = ui.phone.rows("SELECT * FROM schedules WHERE id = ?", page.about)
    if not found:
        return Screen(CALENDAR.package, "com.android.calendar.EventInfoActivity", "", [text("No event")])
    event = found[0]
    when = event["datetime"][:16].replace("T", " ")
    fields = {"title": event["event"], "when": when, "place": event["location"]}

    def delete() -> None:
        ui.close()
        ui.do("manage_schedule", action="delete", scheduleId=page.about)

    items = [
        text(when, "when_datetime"),
        *([text(event["location"], "where")] if event["location"] else []),
        button("Edit", lambda: ui.open(Page("event_edit", page.about, dict(fields))), "edit", "Edit"),
        button("Delete", delete, "delete", "Delete"),
    ]
    return Screen(CALENDAR.package, "com.android.calendar.EventInfoActivity", event["event"], items)


def _event_edit(ui: Ui, page: Page) -> Screen:
    """Title, time as "2025-01-20 14:30" and place."""

    def save() -> None:
        values = {name: page.fields.get(name, "").strip() for name in ("title", "when", "place")}
        given = {"event": values["title"], "datetime": values["when"], "location": values["place"]}
        chosen = {name: value for name, value in given.items() if value}
        ui.close()
        if not page.about:
            ui.do("manage_schedule", action="create", **chosen)
            return
        old = next(iter(ui.phone.rows("SELECT * FROM schedules WHERE id = ?", page.about)), None)
        if old is not None:
            same = {
                "event": old["event"],
                "datetime": old["datetime"][:16].replace("T", " "),
                "location": old["location"],
            }
            chosen = {name: value for name, value in chosen.items() if value != same[name]}
        if chosen:
            ui.do("manage_schedule", action="update", scheduleId=page.about, **chosen)

    items = [
        entry(page.fields.get("title", ""), "title", "Add title"),
        entry(page.fields.get("when", ""), "when", "Time"),
        entry(page.fields.get("place", ""), "place", "Add location"),
        button("Save", save, "save", "Save"),
    ]
    return Screen(CALENDAR.package, "com.android.calendar.EditEventActivity", "Event", items)


def event_time(moment: datetime) -> str:
    """As the event editor writes a time."""
    return f"{moment:%Y-%m-%d %H:%M}"


# --- files -----------------------------------------------------------------------------------------------------------


def _files(ui: Ui, page: Page) -> Screen:
    app = app_of(page.about or "File Manager")
    found = sorted(ui.phone.files.rows().values(), key=lambda f: f["name"])
    items = [
        row(
            f["name"],
            f"{f['folder']}, {f['size_kb']} kB",
            ui.to("file", f["name"], app=page.about),
            "android:id/title",
        )
        for f in found
    ]
    items.insert(0, button("Download", lambda: ui.open(Page("download", page.about)), "menu_download"))
    return Screen(app.package, app.activity, "Files", items)


def _file(ui: Ui, page: Page) -> Screen:
    """A file's own page: delete it for good, or move it into a folder, as the sandbox's GUI agent does."""
    app, name, phone = app_of(page.fields.get("app") or "File Manager"), page.about, ui.phone

    def delete() -> None:
        ui.close()
        phone.write_row("DELETE FROM files WHERE name = ?", name)
        phone.write_row("DELETE FROM file_folders WHERE file = ?", name)

    def move() -> None:
        folder = page.fields.get("folder", "").strip()
        if folder:
            ui.close()
            sql = "INSERT INTO file_folders (file, folder) VALUES (?1, ?2) ON CONFLICT (file) DO UPDATE SET folder = ?2"
            phone.write_row(sql, name, folder)

    placed = phone.rows("SELECT folder FROM file_folders WHERE file = ?", name)
    kind = phone.rows("SELECT kind FROM files WHERE name = ?", name)
    items = [
        text(placed[0]["folder"] if placed else home_folder(kind[0]["kind"] if kind else "")),
        button("Delete", delete, "action_menu_delete"),
        entry(page.fields.get("folder", ""), "folder", "Folder"),
        button("Move", move, "action_menu_move"),
    ]
    return Screen(app.package, app.activity, name, items)


def _download(ui: Ui, page: Page) -> Screen:
    app = app_of(page.about or "File Manager")

    def download() -> None:
        name = page.fields.get("file", "").strip()
        kind = KIND_OF.get(name.rpartition(".")[2].casefold())
        if not kind:
            ui.open(Page("notice", "No such file"))
            return
        ui.close()
        if not ui.phone.rows("SELECT id FROM files WHERE name = ? COLLATE NOCASE", name):
            ui.phone.insert_row("files", "file", name=name, kind=kind, size_kb=0)
            ui.phone.write_row("INSERT INTO file_folders (file, folder) VALUES (?, 'Download')", name)

    items = [entry(page.fields.get("file", ""), "file", "File name"), button("Download", download, "download")]
    return Screen(app.package, app.activity, "Download", items)


PAGES: dict[str, Callable[[Ui, Page], Screen]] = {
    "calendar": _calendar,
    "download": _download,
    "event": _event,
    "event_edit": _event_edit,
    "file": _file,
    "files": _files,
    "note": _note,
    "notes": _notes,
}
ON_BACK: dict[str, Callable[[Ui, Page], None]] = {"note": save_note}
