"""The double's file system: the sandbox's files under /sdcard, and a store in memory for whatever is pushed.

A sandbox file stands at /sdcard/FOLDER/NAME (one on the card at /storage/SD_CARD/FOLDER/NAME) with the size that its
row gives; reading it gives its text (document lines) or filler, at most `MAX_FILLER` bytes. Pushed files are no rows.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from qpa.envs.device.base import FileStat
from qpa.envs.sandbox.context import Row
from qpa.envs.sandbox.domains.apps_core import home_folder

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

SD_CARD = "/storage/1A2B-3C4D"
MAX_FILLER = 64 * 1024
MAX_STORED = 256 << 20  # bytes of all pushed files together
MAX_PATH = 1024  # bytes
FOLDER, FILE = 0o040771, 0o100660
_SDCARD_NAMES = ("/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard", "/data/media/0")
_WRITABLE = ("/data/local/tmp", "/sdcard", SD_CARD)
_CLOSED = ("/data", "/cache", "/root", "/mnt", "/metadata")
_FOLDERS = (
    "/", "/data", "/data/local", "/data/local/tmp", "/sdcard", "/storage", "/storage/emulated", "/storage/emulated/0",
    "/system", "/system/bin", "/vendor", "/proc", "/dev", "/mnt", "/sdcard/Alarms", "/sdcard/Android",
    "/sdcard/DCIM", "/sdcard/Documents", "/sdcard/Download", "/sdcard/Movies", "/sdcard/Music",
    "/sdcard/Notifications", "/sdcard/Pictures", "/sdcard/Podcasts", "/sdcard/Ringtones",
)  # fmt: skip


def resolve(path: str) -> str:
    """The path without dots, doubled slashes and other names of /sdcard; relative ones start at /."""
    plain = posixpath.normpath("/" + path)
    plain = "/" + plain.lstrip("/")
    for name in _SDCARD_NAMES:
        if plain == name or plain.startswith(name + "/"):
            return "/sdcard" + plain[len(name) :]
    return plain


def inside(path: str, folder: str) -> bool:
    """Whether a resolved path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


class Files:
    """Paths are as a person types them. Nothing raises; errors are one line as `adb` shows it."""

    def __init__(self, phone: SandboxPhone) -> None:
        self._phone = phone
        self._stored: dict[str, tuple[bytes, int, int]] = {}  # path -> bytes, mode, mtime
        self._made: set[str] = set()
        self._bytes = 0

    # --- reading ----------------------------------------------------------------------------------------------------

    def rows(self) -> dict[str, Row]:
        """The sandbox's files by path."""
        sql = "SELECT f.*, d.folder FROM files f LEFT JOIN file_folders d ON d.file = f.name ORDER BY f.id"
        mounted = self._phone.is_on("sd_card")
        found: dict[str, Row] = {}
        for row in self._phone.rows(sql):
            if row["storage"] == "sd_card" and not mounted:
                continue
            root = SD_CARD if row["storage"] == "sd_card" else "/sdcard"
            folder = row["folder"] or home_folder(row["kind"])
            found.setdefault(resolve(f"{root}/{folder}/{row['name']}"), row | {"folder": folder})
        return found

    def row(self, path: str) -> Row | None:
        """The sandbox's file at a path."""
        plain = resolve(path)
        return self.rows().get(plain) if inside(plain, "/sdcard") or inside(plain, SD_CARD) else None

    def stat(self, path: str) -> FileStat:
        """A file or folder; mode 0 for neither."""
        plain = resolve(path)
        if plain in self._stored:
            data, mode, mtime = self._stored[plain]
            return FileStat(mode, len(data), mtime)
        if plain in _FOLDERS or plain in self._made:
            return FileStat(FOLDER, 4096, self._now())
        if not (inside(plain, "/sdcard") or inside(plain, SD_CARD)):
            return FileStat()
        rows = self.rows()
        if plain in rows:
            return self._stat_row(rows[plain])
        holds = any(inside(other, plain) for other in (*rows, *self._stored, *self._made))
        return FileStat(FOLDER, 4096, self._now()) if holds or plain == SD_CARD else FileStat()

    def _stat_row(self, row: Row) -> FileStat:
        changed = self._phone.millis(row["modified_at"]) // 1000 if row["modified_at"] else self._now()
        return FileStat(FILE, max(0, row["size_kb"]) * 1024, changed)

    def _now(self) -> int:
        return self._phone.millis(self._phone.now.isoformat()) // 1000

    def is_folder(self, path: str) -> bool:
        """Whether there is a folder."""
        return self.stat(path).mode & 0o170000 == 0o040000

    def paths(self) -> list[str]:
        """Every file and every folder that holds one or was made."""
        rows = self.rows()
        found = {*rows, *self._stored, *self._made, *_FOLDERS}
        for path in list(found):
            while path != "/":
                path = posixpath.dirname(path)
                found.add(path)
        return sorted(found)

    def listing(self, path: str) -> dict[str, FileStat]:
        """What lies in a folder, by name."""
        plain = resolve(path)
        if not self.is_folder(plain):
            return {}
        kept = [p for p in self.paths() if p != "/" and posixpath.dirname(p) == plain]
        return {posixpath.basename(p): self.stat(p) for p in kept}

    def read(self, path: str) -> bytes | None:
        """A file's bytes; None for none."""
        plain = resolve(path)
        if plain in self._stored:
            return self._stored[plain][0]
        row = self.row(plain)
        return None if row is None else self._content(row)

    def _content(self, row: Row) -> bytes:
        sql = "SELECT text FROM document_lines WHERE file_id = ? ORDER BY line"
        text = "\n".join(line["text"] for line in self._phone.rows(sql, row["id"]))
        if text:
            return text.encode() + b"\n"
        pattern = f"{row['name']}\n".encode()
        size = min(max(0, row["size_kb"]) * 1024, MAX_FILLER)
        return (pattern * (size // len(pattern) + 1))[:size]

    # --- writing ----------------------------------------------------------------------------------------------------

    def refusal(self, path: str) -> str:
        """Why a path cannot be written, "" if it can."""
        plain = resolve(path)
        if "\x00" in path or len(plain.encode("utf-8", "replace")) > MAX_PATH:
            return "File name too long"
        if any(inside(plain, root) and plain != root for root in _WRITABLE):
            return ""
        return "Permission denied" if any(inside(plain, root) for root in _CLOSED) else "Read-only file system"

    def write(self, path: str, data: bytes, mode: int, mtime: int) -> str:
        """Stores a file; one over a sandbox file hides it until it is removed."""
        plain = resolve(path)
        error = self.refusal(plain)
        if not error and self.is_folder(plain):
            error = "Is a directory"
        before = len(self._stored[plain][0]) if plain in self._stored else 0
        if not error and self._bytes - before + len(data) > MAX_STORED:
            error = "No space left on device"
        if error:
            return f"couldn't create file: {path}: {error}"
        self._bytes += len(data) - before
        permissions = mode & 0o7777 or 0o660
        self._stored[plain] = (bytes(data), 0o100000 | permissions, mtime)
        return ""

    def make_folder(self, path: str) -> str:
        """Makes a folder; the error or ""."""
        plain = resolve(path)
        if self.stat(plain).mode:
            return "File exists"
        if error := self.refusal(plain):
            return error
        if not self.is_folder(posixpath.dirname(plain)):
            return "No such file or directory"
        self._made.add(plain)
        return ""

    def remove(self, path: str) -> str:
        """Removes a file or an empty folder; a sandbox file's row goes for good, as the GUI agent deletes it."""
        plain = resolve(path)
        if error := self.refusal(plain):
            return error
        if plain in self._stored:
            self._bytes -= len(self._stored.pop(plain)[0])
            return ""
        row = self.row(plain)
        if row is not None:
            self._phone.write_row("DELETE FROM files WHERE id = ?", row["id"])
            self._phone.write_row("DELETE FROM file_folders WHERE file = ?", row["name"])
            return ""
        if not self.is_folder(plain):
            return "No such file or directory"
        if self.listing(plain):
            return "Directory not empty"
        self._made.discard(plain)
        return ""

    def move(self, source: str, target: str) -> str:
        """Renames or moves a file; a sandbox file by the sandbox's own tools."""
        old, new = resolve(source), resolve(target)
        if self.is_folder(new):
            new = posixpath.join(new, posixpath.basename(old))
        if error := self.refusal(old) or self.refusal(new):
            return error
        if old in self._stored:
            data, mode, mtime = self._stored[old]
            return self.write(new, data, mode, mtime) or self.remove(old)
        row = self.row(old)
        if row is None:
            return "No such file or directory"
        return self._move_row(row, new)

    def _move_row(self, row: Row, new: str) -> str:
        folder, name = self._place(new)
        if not folder:
            return "Operation not permitted"
        storage = "sd_card" if inside(new, SD_CARD) else "phone"
        if folder != row["folder"] or storage != row["storage"]:
            answer = self._phone.use("move_file", fileName=row["name"], folder=folder, storage=storage)
            if not answer.ok:
                return str(answer.payload["error"])
        if name != row["name"]:
            answer = self._phone.use("rename_file", fileName=row["name"], newName=name)
            if not answer.ok:
                return str(answer.payload["error"])
        return ""

    @staticmethod
    def _place(path: str) -> tuple[str, str]:
        """The sandbox's folder and name of a path; its folders lie side by side."""
        root = SD_CARD if inside(path, SD_CARD) else "/sdcard"
        folder, _, name = path[len(root) + 1 :].rpartition("/")
        return folder, name

    def copy(self, source: str, target: str) -> str:
        """Copies a file; a sandbox file by the sandbox's own tool."""
        old, new = resolve(source), resolve(target)
        if self.is_folder(new):
            new = posixpath.join(new, posixpath.basename(old))
        if error := self.refusal(new):
            return error
        row = self.row(old) if old not in self._stored else None
        if row is not None and inside(new, "/sdcard"):
            folder, name = self._place(new)
            answer = self._phone.use("copy_file", fileName=row["name"], folder=folder or "Download", newName=name)
            return "" if answer.ok else str(answer.payload["error"])
        data = self.read(old)
        return "No such file or directory" if data is None else self.write(new, data, 0o660, self._now())
