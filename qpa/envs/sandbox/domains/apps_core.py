"""Apps & Storage: what its modules share, from finding an app or a file to network and free space."""

from __future__ import annotations

from typing import Any

from qpa.envs.sandbox.domains import links, phone_state
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, missing, single

NAME = "Apps & Storage"
LARGE_MB = 100  # data saver keeps larger transfers off mobile data
JUNK = ("temp", "residual", "ads", "packages")  # settings junk_<kind>_mb
ROLES = ("browser", "email", "gallery", "maps", "messages", "music", "phone")  # settings default_app_<role>

# `file_folders` (AI Assistant) holds a file's folder once it was moved there; until then its kind decides.
FOLDERS = {
    "image": "Pictures",
    "video": "Movies",
    "audio": "Music",
    "document": "Documents",
    "spreadsheet": "Documents",
}
DOWNLOADS = "Download"
_FORBIDDEN = frozenset('/\\:*?"<>|')
_APP_NOISE = " app"


def page(items: list[Row], noun: str) -> dict[str, Any]:
    """The first few items and how many there are."""
    return phone_state.page(f"{len(items)} {noun}", items)


def find(rows: list[Row], key: str, wanted: str, noun: str) -> Row:
    """The row whose `key` is `wanted`, ignoring case, or the only one that contains it; else 404 or 409."""
    folded = wanted.casefold()
    exact = [row for row in rows if row[key].casefold() == folded]
    found = exact or [row for row in rows if folded in row[key].casefold()]
    if not found:
        raise missing(f"No {noun} named {wanted[:30]}")
    return single(found, noun, key)


# --- apps ----------------------------------------------------------------------------------------------------------


def find_app(ctx: ToolContext, name: str) -> Row:
    """The installed app of this name; "Maps app" means Maps."""
    trimmed = name[: -len(_APP_NOISE)] if name.casefold().endswith(_APP_NOISE) else name
    return find(ctx.rows("SELECT * FROM apps ORDER BY name"), "name", trimmed or name, "installed app")


def put(ctx: ToolContext, app: Row, **values: Any) -> bool:
    """Stores columns of an app; returns False when it had these values already."""
    if all(app[column] == value for column, value in values.items()):
        return False
    columns = ", ".join(f"{column} = ?" for column in values)
    ctx.execute(f"UPDATE apps SET {columns} WHERE name = ?", *values.values(), app["name"])
    return True


def leave(ctx: ToolContext, name: str) -> None:
    """Back to the home screen if this app is in front."""
    if ctx.setting("foreground_app") == name:
        ctx.set_setting("foreground_app", "")


def can_take(app: Row, role: str) -> bool:
    """Whether the app can be the default of this role."""
    return bool(app["enabled"]) and role in app["roles"].split()


def built_in(ctx: ToolContext, role: str, without: str = "") -> str:
    """The preinstalled app of a role, "" when there is none."""
    apps = ctx.rows("SELECT * FROM apps WHERE kind <> 'user' AND name <> ? ORDER BY name", without)
    return next((app["name"] for app in apps if can_take(app, role)), "")


def retire(ctx: ToolContext, app: Row) -> None:
    """What an app loses that is disabled or removed: the screen, its notifications and its default roles."""
    leave(ctx, app["name"])
    ctx.execute("DELETE FROM notifications WHERE app = ?", app["name"])
    for role in ROLES:
        if ctx.setting(f"default_app_{role}") == app["name"]:
            ctx.set_setting(f"default_app_{role}", built_in(ctx, role, without=app["name"]))


# --- network and space ---------------------------------------------------------------------------------------------


def require_network(ctx: ToolContext, size_mb: int = 0) -> None:
    """409 without a network, or for a large transfer over mobile data while data saver is on."""
    if not links.online(ctx):
        raise conflict("No network connection")
    on_wifi = ctx.one("SELECT 1 AS x FROM wifi_networks WHERE connected = 1")
    if on_wifi is None and size_mb > LARGE_MB and ctx.setting("data_saver", "off") == "on":
        raise conflict(f"Data saver is on; {size_mb} MB needs Wi-Fi")


def number(ctx: ToolContext, key: str) -> int:
    """A numeric setting, 0 when it is absent."""
    return int(ctx.setting(key, "0"))


def phone_parts(ctx: ToolContext) -> dict[str, int]:
    """KB used on the phone's own storage, by what uses it."""
    apps = ctx.rows("SELECT size_mb + data_mb + cache_mb AS mb FROM apps")
    return {
        "system": 1024 * number(ctx, "storage_system_mb"),
        "media": 1024 * number(ctx, "storage_media_mb"),
        "apps": 1024 * sum(app["mb"] for app in apps),
        "files": used_kb(ctx, "files", "phone"),
        "recycle_bin": used_kb(ctx, "recycle_bin", "phone"),
        "junk": 1024 * sum(number(ctx, f"junk_{kind}_mb") for kind in JUNK),
    }


def used_kb(ctx: ToolContext, table: str, storage: str) -> int:
    """KB that a table's files take on a storage."""
    return sum(row["size_kb"] for row in ctx.rows(f"SELECT size_kb FROM {table} WHERE storage = ?", storage))


def free_kb(ctx: ToolContext, storage: str) -> int:
    """KB left on "phone", "sd_card" or "cloud"; never negative."""
    if storage == "phone":
        used = sum(phone_parts(ctx).values())
    elif storage == "sd_card":
        used = used_kb(ctx, "files", storage) + used_kb(ctx, "recycle_bin", storage)
    else:
        used = sum(row["size_kb"] for row in ctx.rows("SELECT size_kb FROM cloud_files"))
    key = {"phone": "storage_total_mb", "sd_card": "sd_total_mb", "cloud": "cloud_total_mb"}[storage]
    return max(0, 1024 * number(ctx, key) - used)


def require_space(ctx: ToolContext, size_kb: int, storage: str = "phone") -> None:
    """409 when a storage cannot take this much more, or when the SD card is not there."""
    if storage == "sd_card" and ctx.setting("sd_card", "off") != "on":
        raise conflict("No SD card mounted")
    if size_kb > free_kb(ctx, storage):
        raise conflict(f"Not enough space on {storage}: {free_kb(ctx, storage) // 1024} MB free")


# --- files ---------------------------------------------------------------------------------------------------------


def all_files(ctx: ToolContext) -> list[Row]:
    """Every reachable file with its folder, by id."""
    rows = ctx.rows("SELECT f.*, d.folder FROM files f LEFT JOIN file_folders d ON d.file = f.name ORDER BY f.id")
    mounted = ctx.setting("sd_card", "off") == "on"
    return [
        row | {"folder": row["folder"] or home_folder(row["kind"])}
        for row in rows
        if mounted or row["storage"] != "sd_card"
    ]


def find_file(ctx: ToolContext, name: str) -> Row:
    """The reachable file of this name."""
    return find(all_files(ctx), "name", name, "file")


def home_folder(kind: str) -> str:
    """The folder of a file that was never moved."""
    return FOLDERS.get(kind, DOWNLOADS)


def folder_name(ctx: ToolContext, wanted: str) -> str:
    """A folder as it is spelt on the phone, or a new one."""
    moved = [row["folder"] for row in ctx.rows("SELECT DISTINCT folder FROM file_folders ORDER BY folder")]
    for known in (*FOLDERS.values(), DOWNLOADS, *moved):
        if known.casefold() == wanted.casefold():
            return known
    return valid_name(wanted, "folder")


def put_in_folder(ctx: ToolContext, name: str, kind: str, folder: str) -> None:
    """Records a file's folder; the folder of its kind needs no record."""
    placed = ctx.one("SELECT folder FROM file_folders WHERE file = ?", name)
    if folder == home_folder(kind):
        ctx.execute("DELETE FROM file_folders WHERE file = ?", name)
    elif placed is None:
        ctx.insert("file_folders", file=name, folder=folder)
    else:
        ctx.execute("UPDATE file_folders SET folder = ? WHERE file = ?", folder, name)


def valid_name(text: str, label: str) -> str:
    """400 for a name that no file system takes."""
    if len(text.encode()) > 255:
        raise bad(f"{label} is longer than 255 bytes")
    if text.strip(".") == "" or any(c < " " or c in _FORBIDDEN for c in text):
        raise bad(f"{label} has a character names cannot have")
    return text


def split_name(name: str) -> tuple[str, str]:
    """("Plan", ".pdf"); the extension is "" when there is none."""
    stem, dot, extension = name.rpartition(".")
    return (stem, dot + extension) if stem else (name, "")


def is_taken(ctx: ToolContext, name: str) -> bool:
    """Whether a file has this name: names are unique on the phone, whatever the folder."""
    return name.casefold() in {row["name"].casefold() for row in ctx.rows("SELECT name FROM files")}


def require_free_name(ctx: ToolContext, name: str) -> None:
    """409 when a file has this name."""
    if is_taken(ctx, name):
        raise conflict(f"File already exists: {name[:40]}")


def free_name(ctx: ToolContext, name: str) -> str:
    """The name, numbered as in "Plan (1).pdf" when it is taken."""
    stem, extension = split_name(name)
    number, free = 0, name
    while is_taken(ctx, free):
        number += 1
        free = f"{stem} ({number}){extension}"
    return free
