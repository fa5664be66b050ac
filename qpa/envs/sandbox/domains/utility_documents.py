"""Utilities & Productivity, files with content: text documents, spreadsheets and scans.

Lines of documents and rows of spreadsheets share one table, keyed by the file's id: a spreadsheet's line 1 holds its
column names, and its cells are joined by " | ".
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any, Literal

from qpa.contract import Effect
from qpa.envs.sandbox.domains.links import find_named
from qpa.envs.sandbox.domains.phone_state import SHOWN
from qpa.envs.sandbox.domains.utility_convert import NAME
from qpa.envs.sandbox.tool import Row, ToolContext, bad, conflict, in_range, missing, need, ok, tool

SCHEMA = """
CREATE TABLE document_lines (
  file_id TEXT NOT NULL, line INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (file_id, line)
) STRICT, WITHOUT ROWID;
"""

CELLS = " | "
TEXT_ENDINGS = (".docx", ".md", ".txt")
MAX_LINES = 200
MAX_NAME = 80
KB_PER_PAGE = 180
_ENDING = re.compile(r".+\.[A-Za-z0-9]{2,4}")
_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,6})?")


def _file_name(name: str, ending: str) -> str:
    """A new file's name, with `ending` when it has none."""
    full = name if _ENDING.fullmatch(name) else name + ending
    if len(full) > MAX_NAME or "/" in full:
        raise bad("Not a file name")
    return full


def _new_file(ctx: ToolContext, name: str, kind: str, size_kb: int) -> Row:
    folded = name.casefold()
    if any(row["name"].casefold() == folded for row in ctx.rows("SELECT name FROM files")):
        raise conflict(f"File already exists: {name}")
    return ctx.insert("files", id=ctx.new_id("file"), name=name, kind=kind, size_kb=size_kb)


def find_file(ctx: ToolContext, name: str) -> Row:
    """The file with this name, or the only one whose name contains it."""
    return find_named(ctx.rows("SELECT * FROM files ORDER BY id"), "name", name, "File")


def _lines(ctx: ToolContext, file_id: str) -> list[Row]:
    return ctx.rows("SELECT * FROM document_lines WHERE file_id = ? ORDER BY line", file_id)


def _append(ctx: ToolContext, file_id: str, text: str) -> int:
    lines = _lines(ctx, file_id)
    if len(lines) >= MAX_LINES:
        raise conflict("File is full")
    number = lines[-1]["line"] + 1 if lines else 1
    ctx.insert("document_lines", file_id=file_id, line=number, text=text)
    return number


def _rewrite(ctx: ToolContext, file_id: str, line: int, text: str) -> None:
    ctx.execute("UPDATE document_lines SET text = ? WHERE file_id = ? AND line = ?", text, file_id, line)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_document(
    ctx: ToolContext,
    action: Literal["create", "append", "replace", "read"],
    fileName: str,
    content: str | None = None,
    line: int | None = None,
) -> dict[str, Any]:
    """Create or read a text document, add or replace lines."""
    if action == "create":
        name = _file_name(fileName, ".docx")
        if not name.casefold().endswith(TEXT_ENDINGS):
            raise bad(f"Ending must be one of {', '.join(TEXT_ENDINGS)}")
        file = _new_file(ctx, name, "document", 1)
        if content is not None:
            _append(ctx, file["id"], content)
        return ok("Document created", id=file["id"], fileName=name)
    file = find_file(ctx, fileName)
    if not file["name"].casefold().endswith(TEXT_ENDINGS):
        raise conflict(f"{file['name'][:40]} is not an editable document")
    if action == "append":
        return ok("Line added", fileName=file["name"], line=_append(ctx, file["id"], need(content, "content")))
    lines = _lines(ctx, file["id"])
    if action == "read":
        kept = [row for row in lines if line in (None, row["line"])]
        if line is not None and not kept:
            raise missing(f"No line {line}; there are {len(lines)}")
        items = [{"line": row["line"], "text": row["text"]} for row in kept[:SHOWN]]
        return ok("Document read", fileName=file["name"], items=items, total=len(lines))
    number, text = need(line, "a line"), need(content, "content")
    old = next((row for row in lines if row["line"] == number), None)
    if old is None:
        raise missing(f"No line {number}; there are {len(lines)}")
    if old["text"] == text:
        return ok("Line already so", line=number)
    _rewrite(ctx, file["id"], number, text)
    return ok("Line replaced", fileName=file["name"], line=number)


@tool(domain=NAME, effect=Effect.REVERSIBLE)
def manage_spreadsheet(
    ctx: ToolContext,
    action: Literal["read", "append", "update", "sum"],
    fileName: str,
    row: str | None = None,
    column: str | None = None,
    value: str | None = None,
    values: list[str] | None = None,
) -> dict[str, Any]:
    """Read or change cells, append a row, sum a column."""
    file = find_file(ctx, fileName)
    if file["kind"] != "spreadsheet":
        raise conflict(f"{file['name'][:40]} is not a spreadsheet")
    lines = _lines(ctx, file["id"])
    if not lines:
        raise conflict("Spreadsheet is empty")
    header = lines[0]["text"].split(CELLS)
    rows = [(line["text"].split(CELLS) + [""] * len(header))[: len(header)] for line in lines[1:]]
    if action == "append":
        cells = [_cell(text) for text in need(values, "values")]
        if len(cells) != len(header):
            raise bad(f"Give {len(header)} values: {', '.join(header)}")
        _append(ctx, file["id"], CELLS.join(cells))
        return ok("Row added", fileName=file["name"], total=len(rows) + 1)
    if action == "read" and row is None and column is None:
        return ok("Spreadsheet read", columns=header, items=rows[:SHOWN], total=len(rows))
    if action == "sum":
        return _sum(rows, header, _column(header, need(column, "a column")))
    number = _labelled(rows, need(row, "a row"))
    cells = rows[number]
    if action == "read" and column is None:
        return ok("Row found", cells=dict(zip(header, cells, strict=True)))
    index = _column(header, need(column, "a column"))
    if action == "read":
        return ok("Value found", row=cells[0], column=header[index], value=cells[index])
    new = _cell(need(value, "a value"))
    if cells[index] == new:
        return ok("Value already so", value=new)
    text = CELLS.join([*cells[:index], new, *cells[index + 1 :]])
    _rewrite(ctx, file["id"], lines[number + 1]["line"], text)
    return ok("Value changed", row=cells[0], column=header[index], value=new)


def _cell(text: str) -> str:
    if "|" in text:
        raise bad("A cell must not contain |")
    return text


def _column(header: list[str], wanted: str) -> int:
    for index, name in enumerate(header):
        if name.casefold() == wanted.casefold():
            return index
    raise missing(f"No column {wanted[:20]}; there are {', '.join(header)}")


def _labelled(rows: list[list[str]], label: str) -> int:
    """The position of the row whose first cell is `label`."""
    found = [i for i, cells in enumerate(rows) if cells[0].casefold() == label.casefold()]
    if len(found) > 1:
        raise conflict(f"{len(found)} rows are named {label[:20]}")
    if not found:
        raise missing(f"No row {label[:20]}; there are {', '.join(cells[0] for cells in rows[:SHOWN])}")
    return found[0]


def _sum(rows: list[list[str]], header: list[str], index: int) -> dict[str, Any]:
    texts = [cells[index].replace(",", "") for cells in rows]
    if not all(_NUMBER.fullmatch(text) for text in texts):
        raise conflict(f"{header[index]} has cells without numbers")
    total = sum(map(Decimal, texts), Decimal(0))
    return ok("Column summed", column=header[index], sum=float(total), rows=len(rows))


@tool(domain=NAME, effect=Effect.REVERSIBLE, permission="CAMERA")
def scan_document(
    ctx: ToolContext, fileName: str, pages: int | None = None, format: Literal["pdf", "jpg"] | None = None
) -> dict[str, Any]:
    """Scan paper with the camera into a file."""
    if ctx.setting("camera_access", "on") == "off":
        raise conflict("Camera access is off")
    ending = f".{format or 'pdf'}"
    name = _file_name(fileName, ending)
    if not name.casefold().endswith(ending):
        raise bad(f"fileName must end in {ending}")
    count = 1 if pages is None else in_range("pages", pages, 1, 50)
    if format == "jpg" and count > 1:
        raise bad("A jpg holds one page")
    file = _new_file(ctx, name, "image" if format == "jpg" else "document", KB_PER_PAGE * count)
    return ok("Document scanned", id=file["id"], fileName=name, pages=count)


TOOLS = (manage_document, manage_spreadsheet, scan_document)
