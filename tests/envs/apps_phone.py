"""What the tests of Apps & Storage share: a patch with more rows, and short readings of what a call did."""

from __future__ import annotations

from typing import Any

Tables = dict[str, list[dict[str, Any]]]


def patched(patch: Tables, more: Tables | None) -> Tables:
    """The patch with `more` rows after its own."""
    return patch | {table: patch.get(table, []) + rows for table, rows in (more or {}).items()}


def said(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]
