"""`content query|insert|update|delete`: the parser, the selection and the printed rows.

A `--where` is real SQL over the provider's rows, run in a database of its own that may do nothing but select.
"""

from __future__ import annotations

import urllib.parse
from typing import TYPE_CHECKING, Any

import apsw

from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone_base import Command, err, lines, trace, whole
from qpa.envs.device.double.phone_provider_writes import delete, insert, update
from qpa.envs.device.double.phone_providers import AUTHORITIES, Table, table
from qpa.envs.sandbox.context import Row

if TYPE_CHECKING:
    from qpa.envs.device.double.phone import SandboxPhone

MAX_STEPS = 2_000_000  # instructions of the SQL machine for one selection
MAX_SQL = 20_000  # characters of a selection or an order
_ALLOWED = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION}
_USAGE = "usage: adb shell content [subcommand] [options]"
_FLAGS = ("--uri", "--user", "--projection", "--where", "--sort", "--bind", "--extra", "--method", "--arg")
_FRAMES = (
    "android.os.Parcel.readException(Parcel.java:2013)",
    "com.android.commands.content.Content$Command.execute(Content.java:456)",
)


class _UsageError(Exception):
    """The command line is wrong; the message goes behind "[ERROR] "."""


class _ProviderError(Exception):
    """The provider throws; the message is the Java exception."""


def content(phone: SandboxPhone, args: list[str], stdin: bytes) -> ShellResult:
    """Prints rows, or nothing for a change; refusals are on standard error with exit code 0, as on Android."""
    verb = args[0] if args else ""
    try:
        if verb not in ("query", "insert", "update", "delete"):
            raise _UsageError(f"Unsupported command: {verb or 'null'}")
        options = _options(args[1:])
        if "--uri" not in options:
            raise _UsageError("Content provider URI not specified. Did you specify --uri argument?")
        uri = urllib.parse.urlsplit(str(options["--uri"]))
    except ValueError as error:
        return err(f"[ERROR] {error}\n{_USAGE}", 0)
    except _UsageError as error:
        return err(f"[ERROR] {error}\n{_USAGE}", 0)
    if uri.scheme != "content" or not uri.netloc:
        return err(f"[ERROR] Invalid URI: {options['--uri']}\n{_USAGE}", 0)
    head = f"Error while accessing provider:{uri.netloc}\n"
    if uri.netloc not in AUTHORITIES:
        return trace(f"java.lang.IllegalStateException: Could not find provider: {uri.netloc}", *_FRAMES[1:], head=head)
    try:
        return _act(phone, verb, uri, options)
    except _ProviderError as error:
        return trace(str(error), *_FRAMES, head=head)


def _options(args: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {"--bind": {}}
    at = 0
    while at < len(args):
        flag = args[at]
        if flag not in _FLAGS:
            raise _UsageError(f"Unsupported argument: {flag}")
        if at + 1 >= len(args):
            raise _UsageError(f"No value for argument: {flag}")
        value = args[at + 1]
        if flag == "--bind":
            name, bound = _binding(value)
            options["--bind"][name] = bound
        elif value.startswith("--"):
            raise _UsageError(f"No value for argument: {flag}")
        else:
            options[flag] = value
        at += 2
    return options


def _binding(text: str) -> tuple[str, Any]:
    """NAME:TYPE:VALUE, split at the first two colons."""
    parts = text.split(":", 2)
    if len(parts) < 3 or not parts[0]:
        raise _UsageError(f"Binding not well formed: {text}. Usage: --bind name:type:value")
    name, kind, value = parts
    if kind == "n":
        return name, None
    if kind == "s":
        return name, value
    if kind == "b":
        return name, int(value.lower() == "true")
    if kind in ("i", "l"):
        number = whole(value)
        if number is None:
            raise _UsageError(f'For input string: "{value}"')
        return name, number
    if kind in ("f", "d"):
        try:
            return name, float(value)
        except ValueError:
            raise _UsageError(f'For input string: "{value}"') from None
    raise _UsageError(f"Unsupported type: {kind}")


def _act(phone: SandboxPhone, verb: str, uri: urllib.parse.SplitResult, options: dict[str, Any]) -> ShellResult:
    path = urllib.parse.unquote(uri.path).strip("/")
    found = table(phone, uri.netloc, path)
    shown = f"content://{uri.netloc}/{path}"
    if found is None:
        word = "Unknown URL" if verb == "query" else "Unsupported URI"
        raise _ProviderError(f"java.lang.IllegalArgumentException: {word} {shown}")
    values = options["--bind"]
    if verb == "query":
        return _query(found, options)
    if verb != "delete" and not values:
        return err(f"[ERROR] Bindings not specified. Did you specify --bind argument(s)?\n{_USAGE}", 0)
    if verb == "insert":
        error = insert(phone, uri.netloc, path, values)
    else:
        rows = select(found, str(options.get("--where", "")), "")
        error = (
            delete(phone, uri.netloc, path, rows) if verb == "delete" else update(phone, uri.netloc, path, values, rows)
        )
    if error:
        raise _ProviderError(error)
    return ShellResult()


def _query(found: Table, options: dict[str, Any]) -> ShellResult:
    columns = found[0]
    if "--projection" in options:
        columns = tuple(options["--projection"].split(":"))
        unknown = [c for c in columns if c not in found[0]]
        if unknown:
            raise _ProviderError(f"java.lang.IllegalArgumentException: Invalid column {unknown[0]}")
    rows = select(found, str(options.get("--where", "")), str(options.get("--sort", "")))
    if not rows:
        return lines("No result found.")
    return lines(*(f"Row: {i} " + ", ".join(f"{c}={_shown(row[c])}" for c in columns) for i, row in enumerate(rows)))


def _shown(value: Any) -> str:
    return "NULL" if value is None else str(value)


def select(found: Table, where: str, order: str) -> list[Row]:
    """The rows that meet a condition, in an order; raises `_ProviderError` for SQL that does not compile or end."""
    columns, rows = found
    if not where and not order:
        return rows
    if len(where) + len(order) > MAX_SQL or "\x00" in where + order:
        raise _ProviderError("android.database.sqlite.SQLiteException: statement too long (code 18 SQLITE_TOOBIG)")
    db = apsw.Connection(":memory:")
    try:
        names = ", ".join(f'"{c}"' for c in ("row_place", *columns))
        marks = ", ".join("?" * (len(columns) + 1))
        db.execute(f"CREATE TABLE rows_ ({names})")
        db.executemany(
            f"INSERT INTO rows_ VALUES ({marks})", [(i, *(row[c] for c in columns)) for i, row in enumerate(rows)]
        )
        db.set_authorizer(lambda action, *_: apsw.SQLITE_OK if action in _ALLOWED else apsw.SQLITE_DENY)
        db.set_progress_handler(lambda: True, MAX_STEPS)
        db.limit(apsw.SQLITE_LIMIT_LENGTH, 1_000_000)
        sql = (
            "SELECT row_place FROM rows_"
            + (f" WHERE ({where})" if where else "")
            + (f" ORDER BY {order}" if order else "")
        )
        return [rows[place] for (place,) in db.execute(sql) if isinstance(place, int) and 0 <= place < len(rows)]
    except (apsw.Error, ValueError, TypeError, MemoryError) as error:
        detail = str(error).replace("\n", " ")
        raise _ProviderError(
            f"android.database.sqlite.SQLiteException: {detail} (code 1 SQLITE_ERROR): , while compiling: "
            f"SELECT * FROM view WHERE ({where[:200]})"
        ) from None
    finally:
        db.close()


COMMANDS: dict[str, Command] = {"content": content}
