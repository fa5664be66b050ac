"""Utilities & Productivity, records: documents, spreadsheets, scans, checklists, expenses and habits."""

from __future__ import annotations

from typing import Any

import pytest
from phone_rows import message

from qpa.envs.sandbox import make_world


def ops(phone: Any) -> list[tuple[str, str, dict[str, Any]]]:
    return [(c.table, c.op, c.new) for c in phone.changes()]


def file_row(row_id: str, name: str, size_kb: int) -> dict[str, Any]:
    """A new document with the table's defaults."""
    rest = {"modified_at": "", "copy_of": "", "storage": "phone", "contents": "[]"}
    return {"id": row_id, "name": name, "kind": "document", "size_kb": size_kb} | rest


# --- files with content ---------------------------------------------------------------------------------------------

DOCUMENTS = {
    "files": [
        {"id": "file_801", "name": "Plan.docx"},
        {"id": "file_802", "name": "Costs.xlsx", "kind": "spreadsheet"},
        {"id": "file_803", "name": "Blank.xlsx", "kind": "spreadsheet"},
    ],
    "document_lines": [
        {"file_id": "file_801", "line": 1, "text": "First"},
        {"file_id": "file_801", "line": 2, "text": "Second"},
        {"file_id": "file_802", "line": 1, "text": "Item | Price | Seller"},
        {"file_id": "file_802", "line": 2, "text": "Lamp | 40.5 | Ann"},
        {"file_id": "file_802", "line": 3, "text": "Desk | 1,120 | Bob"},
        {"file_id": "file_802", "line": 4, "text": "Chair | 60"},
    ],
}


def test_documents(new_phone):
    phone = new_phone(patch=DOCUMENTS)
    made = phone.data("manage_document", action="create", fileName="Letter", content="Dear Ann")
    assert made == {"id": "file_804", "fileName": "Letter.docx"}
    phone.data("manage_document", action="append", fileName="plan.DOCX", content="Third")
    phone.data("manage_document", action="replace", fileName="Plan.docx", line=1, content="Zeroth")
    assert [(c.op, c.key, c.new) for c in phone.changes()] == [
        ("update", {"file_id": "file_801", "line": 1}, {"text": "Zeroth"}),
        ("insert", {"file_id": "file_801", "line": 3}, {"file_id": "file_801", "line": 3, "text": "Third"}),
        ("insert", {"file_id": "file_804", "line": 1}, {"file_id": "file_804", "line": 1, "text": "Dear Ann"}),
        ("insert", {"id": "file_804"}, file_row("file_804", "Letter.docx", 1)),
    ]
    read = phone.data("manage_document", action="read", fileName="Plan.docx")
    assert [item["text"] for item in read["items"]] == ["Zeroth", "Second", "Third"] and read["total"] == 3
    assert phone.data("manage_document", action="read", fileName="Plan.docx", line=2)["items"][0]["text"] == "Second"
    assert (
        message(phone, "manage_document", action="replace", fileName="Plan.docx", line=3, content="Third")
        == "Line already so"
    )
    assert phone.code("manage_document", action="replace", fileName="Plan.docx", line=9, content="x") == 404
    assert phone.code("manage_document", action="replace", fileName="Plan.docx", content="x") == 400
    assert phone.code("manage_document", action="create", fileName="plan.docx") == 409
    assert phone.code("manage_document", action="create", fileName="a/b.docx") == 400
    assert phone.code("manage_document", action="create", fileName="Plan.pdf") == 400
    assert phone.code("manage_document", action="read", fileName="Costs.xlsx") == 409
    assert phone.code("manage_document", action="read", fileName="Nope.docx") == 404


def test_spreadsheets(new_phone):
    phone = new_phone(patch=DOCUMENTS)
    found = phone.data("manage_spreadsheet", action="read", fileName="Costs.xlsx", row="lamp", column="price")
    assert found == {"row": "Lamp", "column": "Price", "value": "40.5"}
    whole = phone.data("manage_spreadsheet", action="read", fileName="Costs.xlsx", row="Chair")
    assert whole == {"cells": {"Item": "Chair", "Price": "60", "Seller": ""}}
    assert phone.data("manage_spreadsheet", action="read", fileName="Costs.xlsx")["total"] == 3
    total = phone.data("manage_spreadsheet", action="sum", fileName="Costs.xlsx", column="Price")
    assert total == {"column": "Price", "sum": 1220.5, "rows": 3}
    assert phone.changes() == []
    phone.data("manage_spreadsheet", action="append", fileName="Costs.xlsx", values=["Sofa", "700", "Cy"])
    phone.data("manage_spreadsheet", action="update", fileName="Costs.xlsx", row="Lamp", column="Price", value="45")
    again = {"action": "update", "fileName": "Costs.xlsx", "row": "Lamp", "column": "Price", "value": "45"}
    assert message(phone, "manage_spreadsheet", **again) == "Value already so"
    assert [(c.op, c.key["line"], c.new["text"]) for c in phone.changes()] == [
        ("update", 2, "Lamp | 45 | Ann"),
        ("insert", 5, "Sofa | 700 | Cy"),
    ]


@pytest.mark.parametrize(
    "code, arguments",
    [
        (404, {"action": "read", "row": "Rug", "column": "Price"}),
        (404, {"action": "read", "row": "Lamp", "column": "Weight"}),
        (400, {"action": "read", "column": "Price"}),
        (400, {"action": "append", "values": ["Sofa", "700"]}),
        (400, {"action": "append", "values": ["Sofa", "700", "a|b"]}),
        (400, {"action": "append"}),
        (400, {"action": "update", "row": "Lamp", "column": "Price"}),
        (409, {"action": "sum", "column": "Seller"}),
        (409, {"action": "read", "fileName": "Blank.xlsx"}),
        (409, {"action": "read", "fileName": "Plan.docx"}),
        (404, {"action": "read", "fileName": "None.xlsx"}),
    ],
)
def test_spreadsheets_refuse(new_phone, code, arguments):
    assert new_phone(patch=DOCUMENTS).code("manage_spreadsheet", **{"fileName": "Costs.xlsx"} | arguments) == code


def test_scanning(new_phone):
    phone = new_phone(patch=DOCUMENTS)
    assert phone.data("scan_document", fileName="Receipt", pages=2) == {
        "id": "file_804",
        "fileName": "Receipt.pdf",
        "pages": 2,
    }
    assert ops(phone) == [("files", "insert", file_row("file_804", "Receipt.pdf", 360))]
    assert phone.code("scan_document", fileName="receipt.PDF") == 409
    assert phone.code("scan_document", fileName="Receipt.jpg") == 400
    assert phone.code("scan_document", fileName="Card", format="jpg", pages=2) == 400
    assert phone.code("scan_document", fileName="Card", pages=51) == 400
    blind = new_phone(patch={"settings": [{"key": "camera_access", "value": "off"}]})
    assert blind.code("scan_document", fileName="Card") == 409
    assert new_phone(denied_permissions=["CAMERA"]).code("scan_document", fileName="Card") == 403


# --- lists, money, habits -------------------------------------------------------------------------------------------


def test_checklists(new_phone):
    rows = [{"list_name": "Party", "item": "Cake"}, {"list_name": "Party", "item": "Candles", "done": 1}]
    phone = new_phone(patch={"list_items": rows})
    phone.data("manage_checklist", action="add", listName="party", items=["Balloons", "Music"])
    phone.data("manage_checklist", action="check", listName="Party", items=["cake"])
    phone.data("manage_checklist", action="remove", listName="Party", items=["Music"])
    assert [(c.op, c.key["item"], c.new.get("done")) for c in phone.changes()] == [
        ("insert", "Balloons", 0),
        ("update", "Cake", 1),
    ]
    again = message(phone, "manage_checklist", action="check", listName="Party", items=["Cake", "Candles"])
    assert again == "Items already checked"
    assert phone.data("manage_checklist", action="query", listName="Party") == {
        "listName": "Party",
        "open": ["Balloons"],
        "checked": ["Cake", "Candles"],
    }
    assert phone.code("manage_checklist", action="add", listName="Party", items=["Ice", "CAKE"]) == 409
    assert phone.code("manage_checklist", action="check", listName="Party", items=["Ca"]) == 409  # Cake or Candles
    assert phone.code("manage_checklist", action="check", listName="Party", items=["Hats"]) == 404
    assert phone.code("manage_checklist", action="check", listName="Moon") == 404
    assert phone.code("manage_checklist", action="add", listName="Party", items=[]) == 400
    phone.data("manage_checklist", action="uncheck", listName="Party", items=["Cake"])
    phone.data("manage_checklist", action="clear_checked", listName="Party")
    assert [(c.op, c.key["item"]) for c in phone.changes()] == [("insert", "Balloons"), ("delete", "Candles")]
    assert "Party" in phone.data("manage_checklist", action="query")["lists"]


def test_expenses(new_phone):
    patch = DOCUMENTS | {
        "expenses": [{"id": row["id"], "date": "2024-06-01", "note": "old"} for row in make_world(0).rows["expenses"]]
    }
    phone = new_phone(patch=patch)
    added = phone.data("manage_expense", action="add", amount=12.5, category="food", note="Lunch", receipt="Plan.docx")
    assert added == {"id": "expense_007", "date": "2025-01-15", "amount": 12.5, "category": "food"}
    phone.data("manage_expense", action="add", amount=80, note="Shoes", date="2025-01-02")
    phone.data("manage_expense", action="update", note="shoes", category="shopping", amount=79.99)
    row = {"id": "expense_007", "date": "2025-01-15", "cents": 1250, "category": "food", "note": "Lunch"}
    other = {"id": "expense_008", "date": "2025-01-02", "cents": 7999, "category": "shopping", "note": "Shoes"}
    assert [new for _, _, new in ops(phone)] == [row | {"receipt": "Plan.docx"}, other | {"receipt": ""}]
    month = phone.data("manage_expense", action="query")
    assert (month["spent"], month["total"]) == (92.49, 2)
    assert phone.data("manage_expense", action="query", period="week")["spent"] == 12.5
    assert phone.data("manage_expense", action="query", category="shopping", period="year")["total"] == 1
    same = message(phone, "manage_expense", action="update", expenseId="expense_008", note="Shoes")
    assert same == "Expense already so"
    phone.data("manage_expense", action="delete", expenseId="expense_008")
    assert len(phone.changes()) == 1


@pytest.mark.parametrize(
    "code, arguments",
    [
        (400, {"action": "add"}),
        (400, {"action": "add", "amount": 0}),
        (400, {"action": "add", "amount": 1.005}),
        (400, {"action": "add", "amount": 5, "date": "tomorrow"}),
        (404, {"action": "add", "amount": 5, "receipt": "None.pdf"}),
        (400, {"action": "delete"}),
        (404, {"action": "delete", "note": "qqqq"}),
        (409, {"action": "delete", "note": "trip"}),
        (400, {"action": "update", "note": "trip one"}),
    ],
)
def test_expenses_refuse(new_phone, code, arguments):
    rows = [{"id": f"expense_80{i}", "date": "2025-01-03", "cents": 1, "note": n} for i, n in enumerate(("trip one", "trip two"))]  # noqa: E501  # fmt: skip
    assert new_phone(patch={"expenses": rows}).code("manage_expense", **arguments) == code


def test_habits(new_phone):
    run = "2025-01-10,2025-01-13,2025-01-14"
    phone = new_phone(patch={"habits": [{"name": "Jog in the park", "per_week": 3, "done": run}]})
    before = {"name": "Jog in the park", "perWeek": 3, "thisWeek": 2, "streak": 2}
    assert phone.data("manage_habit", action="query", name="jog")["items"] == [before]
    assert phone.data("manage_habit", action="log", name="Jog") == before | {"thisWeek": 3, "streak": 3}
    assert ops(phone) == [("habits", "update", {"done": f"{run},2025-01-15"})]
    assert message(phone, "manage_habit", action="log", name="Jog") == "Day already logged"
    phone.data("manage_habit", action="undo", name="Jog")
    assert phone.changes() == []
    assert message(phone, "manage_habit", action="undo", name="Jog") == "Day was not logged"
    phone.data("manage_habit", action="create", name="Sing", perWeek=2)
    assert phone.code("manage_habit", action="create", name="SING") == 409
    assert phone.code("manage_habit", action="create", name="Dance", perWeek=8) == 400
    assert phone.code("manage_habit", action="log", name="Sing", date="tomorrow") == 400
    assert phone.code("manage_habit", action="log", name="Fly") == 404
    assert phone.code("manage_habit", action="log") == 400
    phone.data("manage_habit", action="delete", name="Sing")
    assert phone.changes() == []
