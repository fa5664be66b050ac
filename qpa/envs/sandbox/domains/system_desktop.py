"""System Settings: control centre, status bar and the desktop (home screen) layout.

`desktop_items` holds what lies on the desktop; an app inside a folder has that folder and page 0. An icon of an app
that is no longer installed does not show. A locked layout refuses every change but unlocking.
"""

from __future__ import annotations

from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import Switch, find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN, is_on
from qpa.envs.sandbox.domains.system_common import NAME, adjust, names_in, on_off, pick, same, store_names, switch
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

SCHEMA = """
CREATE TABLE desktop_items (
  kind TEXT NOT NULL, name TEXT NOT NULL, page INTEGER NOT NULL DEFAULT 1, folder TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
"""

TILES = (
    "Airplane mode", "Alarm", "Auto-rotate", "Battery saver", "Bluetooth", "Calculator", "Dark mode", "Data saver",
    "Do Not Disturb", "Eye comfort", "Flashlight", "Hotspot", "Location", "Mobile data", "NFC", "QR scanner",
    "Screen cast", "Screen recorder", "Screenshot", "Wi-Fi",
)  # fmt: skip
WIDGETS = (
    "Battery", "Calendar", "Clock", "Music player", "Notes", "Photos", "Search bar", "Step counter", "To-do list",
    "Weather",
)  # fmt: skip
STATUS_ITEMS = ("alarm_icon", "battery_percentage", "carrier_name", "clock_seconds", "network_speed", "nfc_icon")
MIN_TILES, MAX_TILES, MAX_PAGES, MAX_NAME = 4, 16, 9, 30
_CELLS = {"app": 1, "folder": 1, "widget": 4}  # a widget covers 2x2 cells


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_control_center(
    ctx: ToolContext,
    action: Literal["add", "remove", "move", "query"],
    tile: str | None = None,
    position: int | None = None,
) -> dict[str, Any]:
    """Add, remove, move or list control center tiles."""
    shown = names_in(ctx, "control_center_tiles")
    if action == "query":
        return ok("Control center", tiles=shown)
    name = pick(TILES, need(tile, "tile"), "Tile")
    if (name in shown) != (action != "add"):
        if action == "move":
            raise missing(f"{name} is not in the control center")
        return ok(f"Tile already {'removed' if action == 'remove' else 'added'}", tile=name)
    if action == "remove" and len(shown) == MIN_TILES:
        raise conflict(f"At least {MIN_TILES} tiles must stay")
    if action == "add" and len(shown) == MAX_TILES:
        raise conflict(f"At most {MAX_TILES} tiles fit")
    return _place_tile(ctx, action, name, shown, position)


def _place_tile(ctx: ToolContext, action: str, name: str, shown: list[str], position: int | None) -> dict[str, Any]:
    others = [other for other in shown if other != name]
    if action == "remove":
        store_names(ctx, "control_center_tiles", others)
        return ok("Tile removed", tile=name)
    last = len(others) + 1
    wanted = need(position, "position") if action == "move" else last if position is None else position
    others.insert(in_range("position", wanted, 1, last) - 1, name)
    if others == shown:
        return ok("Tile already there", tile=name, position=wanted)
    store_names(ctx, "control_center_tiles", others)
    return ok("Tile moved" if action == "move" else "Tile added", tile=name, position=wanted)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_status_bar_display(
    ctx: ToolContext,
    action: Switch,
    item: Literal["alarm_icon", "battery_percentage", "carrier_name", "clock_seconds", "network_speed", "nfc_icon"]
    | None = None,
) -> dict[str, Any]:
    """Show or hide a status bar item, or query."""
    if action == "query" and item is None:
        return ok("Status bar", shown=[name for name in STATUS_ITEMS if is_on(ctx, f"status_bar_{name}")])
    name = need(item, "item")
    return switch(ctx, f"status_bar_{name}", name.replace("_", " ").capitalize(), action)


def desktop_items(ctx: ToolContext) -> list[Row]:
    """What shows on the desktop and in its folders."""
    sql = "SELECT * FROM desktop_items WHERE kind <> 'app' OR name IN (SELECT name FROM apps) ORDER BY kind, name"
    return ctx.rows(sql)


def _of_kind(ctx: ToolContext, kind: str) -> list[Row]:
    return [row for row in desktop_items(ctx) if row["kind"] == kind]


def _unlocked(ctx: ToolContext) -> None:
    if is_on(ctx, "desktop_lock"):
        raise conflict("Desktop layout is locked")


def _pages(ctx: ToolContext) -> int:
    return int(ctx.setting("desktop_pages", "1"))


def _page(ctx: ToolContext, page: int | None) -> int:
    """The page meant, the main page by default; 404 beyond the last."""
    count = _pages(ctx)
    wanted = int(ctx.setting("desktop_main_page", "1")) if page is None else page
    if not 1 <= wanted <= count:
        raise missing(f"No page {wanted}; the last is {count}")
    return wanted


def _room(ctx: ToolContext, page: int, cells: int, grid: str | None = None) -> None:
    """409 unless the page has so many free cells."""
    columns, rows = (grid or ctx.setting("desktop_grid", "4x6")).split("x")
    used = sum(_CELLS[row["kind"]] for row in desktop_items(ctx) if row["page"] == page)
    if used + cells > int(columns) * int(rows):
        raise conflict(f"Page {page} has no room")


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_desktop_layout(
    ctx: ToolContext,
    action: Literal["set", "lock", "unlock", "query"],
    grid: Literal["4x5", "4x6", "5x5", "5x6"] | None = None,
    iconSize: Literal["small", "medium", "large"] | None = None,
    showAppNames: bool | None = None,
) -> dict[str, Any]:
    """Set desktop grid, icon size and names; lock the layout."""
    if action in ("lock", "unlock"):
        if grid or iconSize or showAppNames is not None:
            raise bad("Values only go with set")
        return switch(ctx, "desktop_lock", "Layout lock", "enable" if action == "lock" else "disable")
    if action == "set":
        _unlocked(ctx)
        for page in range(1, _pages(ctx) + 1):
            _room(ctx, page, 0, grid)
    answer = adjust(
        ctx,
        "Desktop layout",
        action,
        grid=("desktop_grid", grid),
        iconSize=("desktop_icon_size", iconSize),
        showAppNames=("desktop_app_names", on_off(showAppNames)),
    )
    if action == "query":
        answer["data"]["locked"] = is_on(ctx, "desktop_lock")
    return answer


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_desktop_page(
    ctx: ToolContext, action: Literal["add", "remove", "set_main", "query"], page: int | None = None
) -> dict[str, Any]:
    """Add or remove desktop pages, or choose the main page."""
    count, main = _pages(ctx), int(ctx.setting("desktop_main_page", "1"))
    if action == "query":
        return ok("Desktop pages", pages=count, mainPage=main)
    _unlocked(ctx)
    if action == "add":
        if count == MAX_PAGES:
            raise conflict(f"At most {MAX_PAGES} pages fit")
        ctx.set_setting("desktop_pages", str(count + 1))
        return ok("Page added", page=count + 1)
    wanted = _page(ctx, need(page, "page"))
    if action == "set_main":
        word = "set" if ctx.set_setting("desktop_main_page", str(wanted)) else "already set"
        return ok(f"Main page {word}", page=wanted)
    if wanted == main:
        raise conflict(f"Page {wanted} is the main page")
    if any(row["page"] == wanted for row in desktop_items(ctx)):
        raise conflict(f"Page {wanted} is not empty")
    ctx.execute("UPDATE desktop_items SET page = page - 1 WHERE page > ?", wanted)
    ctx.set_setting("desktop_pages", str(count - 1))
    if main > wanted:
        ctx.set_setting("desktop_main_page", str(main - 1))
    return ok("Page removed", pages=count - 1)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_desktop_icon(
    ctx: ToolContext,
    action: Literal["add", "move", "remove", "query"],
    appName: str | None = None,
    page: int | None = None,
) -> dict[str, Any]:
    """Add, move, remove or list app icons on the desktop."""
    icons = _of_kind(ctx, "app")
    if action == "query":
        if appName is not None:
            icons = [find_named(icons, "name", appName, "Icon")]
        elif page is not None:
            icons = [row for row in icons if row["page"] == _page(ctx, page)]
        return ok(f"{len(icons)} icons", items=[_icon_view(row) for row in icons[:SHOWN]], total=len(icons))
    _unlocked(ctx)
    wanted = need(appName, "appName")
    if action == "add":
        name = _installed(ctx, wanted)
        if any(row["name"] == name for row in icons):
            return ok("Icon already on the desktop", app=name)
        return _add_item(ctx, "app", name, page)
    icon = find_named(icons, "name", wanted, "Icon")
    if action == "remove":
        ctx.execute("DELETE FROM desktop_items WHERE kind = 'app' AND name = ?", icon["name"])
        return ok("Icon removed", app=icon["name"])
    return _move_item(ctx, icon, need(page, "page"))


def _icon_view(row: Row) -> Row:
    place = {"folder": row["folder"]} if row["folder"] else {"page": row["page"]}
    return {"app": row["name"], **place}


def _installed(ctx: ToolContext, app: str) -> str:
    return find_named(ctx.rows("SELECT name FROM apps ORDER BY name"), "name", app, "App")["name"]


def _add_item(ctx: ToolContext, kind: str, name: str, page: int | None) -> dict[str, Any]:
    where = _page(ctx, page)
    _room(ctx, where, _CELLS[kind])
    ctx.insert("desktop_items", kind=kind, name=name, page=where)
    return ok(f"{kind.capitalize()} added", **{kind: name, "page": where})


def _move_item(ctx: ToolContext, item: Row, page: int) -> dict[str, Any]:
    """Moves an item to a page, out of its folder if it is in one."""
    where, kind = _page(ctx, page), item["kind"]
    data = {kind: item["name"], "page": where}
    if item["page"] == where:
        return ok(f"{kind.capitalize()} already on page {where}", **data)
    _room(ctx, where, _CELLS[kind])
    sql = "UPDATE desktop_items SET page = ?, folder = '' WHERE kind = ? AND name = ?"
    ctx.execute(sql, where, kind, item["name"])
    return ok(f"{kind.capitalize()} moved", **data)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_desktop_widget(
    ctx: ToolContext,
    action: Literal["add", "move", "remove", "query"],
    widget: str | None = None,
    page: int | None = None,
) -> dict[str, Any]:
    """Add, move, remove or list desktop widgets."""
    widgets = _of_kind(ctx, "widget")
    present = [row["name"] for row in widgets]
    if action == "query":
        found = [row for row in widgets if page is None or row["page"] == _page(ctx, page)]
        items = [{"widget": row["name"], "page": row["page"]} for row in found[:SHOWN]]
        return ok(f"{len(found)} widgets", items=items, total=len(found))
    _unlocked(ctx)
    name = pick(WIDGETS, need(widget, "widget"), "Widget")
    if action == "add":
        if name in present:
            return ok("Widget already on the desktop", widget=name)
        return _add_item(ctx, "widget", name, page)
    if name not in present:
        raise missing(f"{name} is not on the desktop")
    if action == "move":
        return _move_item(ctx, widgets[present.index(name)], need(page, "page"))
    ctx.execute("DELETE FROM desktop_items WHERE kind = 'widget' AND name = ?", name)
    return ok("Widget removed", widget=name)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_desktop_folder(
    ctx: ToolContext,
    action: Literal["create", "rename", "add_apps", "remove_apps", "move", "delete", "query"],
    folderName: str | None = None,
    appNames: list[str] | None = None,
    newName: str | None = None,
    page: int | None = None,
) -> dict[str, Any]:
    """Create, fill, rename, move, delete or list desktop folders."""
    folders = _of_kind(ctx, "folder")
    if action == "query":
        if folderName is not None:
            folders = [find_named(folders, "name", folderName, "Folder")]
        items = [_folder_view(ctx, row) for row in folders[:SHOWN]]
        return ok(f"{len(folders)} folders", items=items, total=len(folders))
    _unlocked(ctx)
    wanted = need(folderName, "folderName")
    if action == "create":
        _free_name(folders, wanted)
        answer = _add_item(ctx, "folder", wanted, page)
        return _add_apps(ctx, wanted, appNames) if appNames else answer
    folder = find_named(folders, "name", wanted, "Folder")
    if action == "move":
        return _move_item(ctx, folder, need(page, "page"))
    if action == "rename":
        return _rename_folder(ctx, folders, folder["name"], need(newName, "newName"))
    if action == "add_apps":
        return _add_apps(ctx, folder["name"], need(appNames or None, "appNames"))
    if action == "remove_apps":
        return _remove_apps(ctx, folder, need(appNames or None, "appNames"))
    _take_out(ctx, folder, _inside(ctx, folder["name"]), freed=1)
    ctx.execute("DELETE FROM desktop_items WHERE kind = 'folder' AND name = ?", folder["name"])
    return ok("Folder deleted", folder=folder["name"])


def _free_name(folders: list[Row], name: str) -> None:
    if len(name) > MAX_NAME:
        raise bad(f"Name is longer than {MAX_NAME} characters")
    if same(name, [row["name"] for row in folders]):
        raise conflict(f"Folder already exists: {name}")


def _inside(ctx: ToolContext, folder: str) -> list[Row]:
    return [row for row in desktop_items(ctx) if row["folder"] == folder]


def _folder_view(ctx: ToolContext, folder: Row) -> Row:
    apps = [row["name"] for row in _inside(ctx, folder["name"])]
    return {"folder": folder["name"], "page": folder["page"], "apps": apps[:SHOWN], "total": len(apps)}


def _rename_folder(ctx: ToolContext, folders: list[Row], old: str, new: str) -> dict[str, Any]:
    if new == old:
        return ok("Folder already has that name", folder=old)
    _free_name([row for row in folders if row["name"] != old], new)
    ctx.execute("UPDATE desktop_items SET name = ? WHERE kind = 'folder' AND name = ?", new, old)
    ctx.execute("UPDATE desktop_items SET folder = ? WHERE folder = ?", new, old)
    return ok("Folder renamed", folder=new)


def _add_apps(ctx: ToolContext, folder: str, apps: list[str]) -> dict[str, Any]:
    """Puts apps into a folder, from the desktop or the app list."""
    inside = [row["name"] for row in _inside(ctx, folder)]
    names = [name for name in dict.fromkeys(_installed(ctx, app) for app in apps) if name not in inside]
    for name in names:
        moved = ctx.execute(
            "UPDATE desktop_items SET page = 0, folder = ? WHERE kind = 'app' AND name = ?", folder, name
        )
        if not moved:
            ctx.insert("desktop_items", kind="app", name=name, page=0, folder=folder)
    message = "Apps in folder" if names else "Apps already in folder"
    return ok(message, folder=folder, total=len(inside) + len(names))


def _remove_apps(ctx: ToolContext, folder: Row, apps: list[str]) -> dict[str, Any]:
    inside = _inside(ctx, folder["name"])
    _take_out(ctx, folder, [find_named(inside, "name", app, "App in folder") for app in apps])
    return ok("Apps moved to the desktop", **_folder_view(ctx, folder))


def _take_out(ctx: ToolContext, folder: Row, apps: list[Row], freed: int = 0) -> None:
    """Puts apps of a folder on its page, which gains `freed` cells by it."""
    names = {row["name"] for row in apps}
    _room(ctx, folder["page"], len(names) - freed)
    for name in sorted(names):
        sql = "UPDATE desktop_items SET page = ?, folder = '' WHERE kind = 'app' AND name = ?"
        ctx.execute(sql, folder["page"], name)


TOOLS = (
    manage_control_center,
    manage_status_bar_display,
    manage_desktop_layout,
    manage_desktop_page,
    manage_desktop_icon,
    manage_desktop_widget,
    manage_desktop_folder,
)
