"""What tests say about a phone's rows and answers."""

from __future__ import annotations

from typing import Any


def changed(phone: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(c.table, *c.key.values()): c.new for c in phone.changes()}


def settings(**values: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {("settings", key): {"value": value} for key, value in values.items()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]
