"""What tests say about a phone's rows and answers."""

from __future__ import annotations

from typing import Any

from qpa.contract import ErrorType, ToolSpec


def changed(phone: Any) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {(c.table, *c.key.values()): c.new for c in phone.changes()}


def changed_or_gone(phone: Any) -> dict[tuple[Any, ...], Any]:
    """What each changed row became; None when it is gone."""
    return {(c.table, *c.key.values()): c.new if c.op != "delete" else None for c in phone.changes()}


def operations(phone: Any) -> dict[tuple[Any, ...], tuple[str, dict[str, Any]]]:
    """What happened to each changed row, and its new values."""
    return {(c.table, *c.key.values()): (c.op, c.new) for c in phone.changes()}


def settings(**values: str) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {("settings", key): {"value": value} for key, value in values.items()}


def message(phone: Any, tool: str, **arguments: Any) -> str:
    feedback = phone.use(tool, **arguments)
    assert feedback.ok, feedback.payload
    return feedback.payload["message"]


def survives(phone: Any, spec: ToolSpec, hostile: tuple[str, ...]) -> None:
    """Every action with hostile values: no internal error, and nothing changes when refused or only asked."""
    properties = spec.parameters["properties"]
    numbers = {"integer": (-1, 10**9), "boolean": (True, False)}
    for action in properties.get("action", {}).get("enum", [None]):
        for turn, text in enumerate((*hostile, "", "\x00")):
            given: dict[str, Any] = {} if action is None else {"action": action}
            for name, schema in properties.items():
                if name != "action":
                    kind = schema["type"]
                    texts = [[text], [text] * 30] if kind == "array" else [text]
                    options = schema.get("enum") or numbers.get(kind) or texts
                    given[name] = options[turn % len(options)]
            before = phone.changes()
            feedback = phone.use(spec.name, **given)
            assert feedback.error_type is not ErrorType.INTERNAL, (given, feedback.payload)
            if not feedback.ok or action == "query":
                assert phone.changes() == before
