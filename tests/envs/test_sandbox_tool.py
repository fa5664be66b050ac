"""The decorator derives schemas from signatures, and validation refuses before any code runs."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from qpa.contract import Effect, ErrorType
from qpa.envs.sandbox.tool import MAX_NUMBER, MAX_TEXT, ToolContext, ToolError, tool, validate


@tool(domain="D", effect=Effect.READ, permission="P")
def sample(
    ctx: ToolContext,
    action: Literal["on", "off"],
    itemName: str,
    count: int | None = None,
    share: float = 0.5,
    loud: bool | None = None,
    tags: list[str] | None = None,
) -> dict[str, Any]:
    """Do a thing.

    More about it that the planner need not read.
    """
    return {"itemName": itemName}


GOOD = {"action": "on", "itemName": "x"}


def test_spec_is_derived_from_the_signature() -> None:
    spec = sample.spec
    assert (spec.name, spec.description, spec.domain, spec.permission) == ("sample", "Do a thing.", "D", "P")
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["on", "off"]},
            "itemName": {"type": "string"},
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "loud": {"type": "boolean"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["action", "itemName"],
        "additionalProperties": False,
    }


def test_good_arguments_come_back_clean() -> None:
    assert validate(
        sample.spec, GOOD | {"itemName": "  x ", "count": 3.0, "share": 1, "loud": False, "tags": ["a"]}
    ) == {
        "action": "on",
        "itemName": "x",
        "count": 3,
        "share": 1,
        "loud": False,
        "tags": ["a"],
    }
    assert isinstance(validate(sample.spec, GOOD | {"count": 3.0})["count"], int)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"action": "on"}, "Missing argument: itemName"),
        ({}, "Missing argument: action, itemName"),
        (GOOD | {"nope": 1}, "Unknown argument nope; allowed: action|itemName|count|share|loud|tags"),
        (GOOD | {"action": "ON"}, "action must be one of on|off"),
        (GOOD | {"action": ["on"]}, "action must be one of on|off"),
        (GOOD | {"itemName": 7}, "itemName must be text"),
        (GOOD | {"itemName": None}, "itemName must be text"),
        (GOOD | {"itemName": " \n"}, "itemName must not be empty"),
        (GOOD | {"itemName": "x" * (MAX_TEXT + 1)}, f"itemName is longer than {MAX_TEXT} characters"),
        (GOOD | {"itemName": "a\x00b"}, "itemName is not valid text"),
        (GOOD | {"itemName": "a\ud800"}, "itemName is not valid text"),
        (GOOD | {"count": "3"}, "count must be an integer"),
        (GOOD | {"count": True}, "count must be an integer"),
        (GOOD | {"count": 3.5}, "count must be an integer"),
        (GOOD | {"count": float("inf")}, "count must be an integer"),
        (GOOD | {"count": MAX_NUMBER + 1}, "count is out of range"),
        (GOOD | {"count": 10**400}, "count is out of range"),
        (GOOD | {"share": float("nan")}, "share must be a number"),
        (GOOD | {"share": False}, "share must be a number"),
        (GOOD | {"loud": 1}, "loud must be true or false"),
        (GOOD | {"tags": "a"}, "tags must be a list"),
        (GOOD | {"tags": ["a", 1]}, "tags must be text"),
    ],
)
def test_bad_arguments_are_refused_with_the_reason(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ToolError) as caught:
        validate(sample.spec, arguments)
    assert caught.value.error_type is ErrorType.INVALID_ARGUMENT
    assert caught.value.message == words


def test_signatures_without_a_schema_are_refused_at_import() -> None:
    declare = tool(domain="D", effect=Effect.READ)

    def no_context(action: str) -> dict[str, Any]:
        """D."""
        return {}

    def odd_type(ctx: ToolContext, when: bytes) -> dict[str, Any]:
        """D."""
        return {}

    def variadic(ctx: ToolContext, *names: str) -> dict[str, Any]:
        """D."""
        return {}

    def silent(ctx: ToolContext) -> dict[str, Any]:
        return {}

    for function, words in ((no_context, "ToolContext"), (odd_type, "'when'"), (variadic, "'names'"), (silent, "docs")):
        with pytest.raises(TypeError, match=words):
            declare(function)
