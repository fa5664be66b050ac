"""Constrained calls of the families that write `<function=...>` blocks: what passes is read as it was meant."""

from __future__ import annotations

import asyncio
import dataclasses

import jax.numpy as jnp
import numpy as np
import pytest
from test_constrain import CONFIG, GRAPHDEF, TOKENIZER, VOCAB, Format, accepted, at_end, encode, request
from tiny import ENGINE

from qpa.chat import parse_reply
from qpa.chat.markers import CALL_CLOSE, CALL_OPEN, IM_END, THINK_CLOSE, THINK_OPEN
from qpa.contract import ToolSpec
from qpa.models.constrain import ToolGrammars
from qpa.models.engine import Engine
from qpa.models.transformer import create

pytest.importorskip("llguidance")

NOTE = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "kind": {"type": "string", "enum": ["memo", "清单"]},
        "count": {"type": "integer", "minimum": 3},
        "loud": {"type": "boolean"},
        "time": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"},
        "short": {"type": "string", "maxLength": 3},
        "days": {"type": "array", "items": {"type": "string", "enum": ["mon", "周二"]}},
        "at": {"$ref": "#/$defs/place"},
    },
    "required": ["title"],
    "$defs": {"place": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
}
TOOLS = [
    ToolSpec(name="note", description="", parameters=NOTE),
    ToolSpec(name="stop", description="", parameters={"type": "object"}),
]


@pytest.fixture(scope="module", params=["qwen3_5", "qwen3_8"])
def family(request):
    return request.param


@pytest.fixture(scope="module")
def grammars(family):
    return ToolGrammars(TOKENIZER, VOCAB, family)


def call(name: str, *parameters: tuple[str, str]) -> str:
    inner = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters)
    return f"¦{CALL_OPEN}¦\n<function={name}>\n{inner}</function>\n¦{CALL_CLOSE}¦"


GOOD = [
    ("Hello 世界", []),
    (call("stop"), [{}]),
    (call("note", ("title", "say \"hi\" & <b>1 < 2</b>\n\n  second line 🙂")), None),
    (call("note", ("title", "")), [{"title": ""}]),
    (
        f"¦{THINK_OPEN}¦\nhm\n¦{THINK_CLOSE}¦\n\nNow:\n"
        + call("note", ("title", "a"), ("kind", "清单"), ("count", "3"), ("time", "07:30"), ("days", '["mon", "周二"]'))
        + "\n" + call("stop"),
        [{"title": "a", "kind": "清单", "count": 3, "time": "07:30", "days": ["mon", "周二"]}, {}],
    ),
    (
        call("note", ("title", "a"), ("short", "abc"), ("at", '{"x": 7}')),
        [{"title": "a", "short": "abc", "at": {"x": 7}}],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("text", "arguments"), GOOD)
def test_what_fits_passes_and_is_read_back(grammars, family, text, arguments):
    whole = text + f"¦{IM_END}¦"
    assert accepted(grammars, whole, TOOLS) == whole.replace("¦", "")
    parsed = parse_reply(text.replace("¦", ""), TOOLS, family)
    assert parsed.errors == []
    if arguments is not None:
        assert [c.arguments for c in parsed.calls] == arguments


@pytest.mark.parametrize(
    ("text", "until"),
    [
        (call("notes"), "<function=note"),
        (call("note"), "<function=note>\n<"),  # required
        (call("note", ("title", "a"), ("kind", "list")), "<parameter=kind>\n"),
        (call("note", ("title", "a"), ("count", "2.5")), "<parameter=count>\n2"),
        (call("note", ("title", "a"), ("time", "27:61")), "<parameter=time>\n27:"),
        (call("note", ("title", "a"), ("short", "abcd")), "<parameter=short>\nabc"),
        (call("note", ("title", "a"), ("other", "1")), "</parameter>\n<parameter="),
        (call("note", ("title", "a"), ("title", "b")), "</parameter>\n<parameter="),
        (call("note", ("title", "a</parameter><parameter=kind>memo")), "a</parameter"),
        (call("note", ("title", "a\n<parameter=kind>\nmemo")), "a\n<parameter"),
        (call("note", ("title", "<function=stop>")), "<parameter=title>\n<function"),
        (call("note", ("title", f"x {CALL_OPEN}")), "x <tool_call"),
        (call("stop", ("x", "1")), "<function=stop>\n<"),
        (f"¦{CALL_OPEN}¦{{", CALL_OPEN),
        (f"¦{CALL_OPEN}¦\n<function=stop>\n¦{IM_END}¦", "<function=stop>\n"),
    ],
)
def test_what_does_not_fit_stops_where_it_goes_wrong(grammars, text, until):
    plain = text.replace("¦", "")
    last_good = plain.index(until) + len(until)
    assert last_good < len(plain) and len(accepted(grammars, text, TOOLS)) <= last_good


def test_a_scalar_is_written_as_the_family_writes_it(grammars, family):
    for text in ("True", "true"):
        whole = call("note", ("title", "a"), ("loud", text))
        passes = accepted(grammars, whole, TOOLS) == whole.replace("¦", "")
        assert passes == ((family == "qwen3_5") == (text == "True"))
        if passes:
            assert parse_reply(whole.replace("¦", ""), TOOLS, family).calls[0].arguments["loud"] is True


def test_a_thought_that_the_prompt_opened_is_closed_first(family):
    grammars = ToolGrammars(TOKENIZER, VOCAB, family, in_thought=True)
    thought = f"so\n¦{THINK_CLOSE}¦\n\n" + call("stop") + f"¦{IM_END}¦"
    assert accepted(grammars, thought, TOOLS) == thought.replace("¦", "")
    assert accepted(grammars, call("stop"), TOOLS) == ""
    assert accepted(grammars, f"so¦{IM_END}¦", TOOLS) == "so"


def test_a_name_that_the_format_cannot_hold_is_said(grammars):
    with pytest.raises(ValueError, match=r"no grammar for the tools bad: 'a b' cannot be written in <function="):
        schema = {"type": "object", "properties": {"a b": {"type": "string"}}}
        grammars.start("tools", [ToolSpec(name="bad", description="", parameters=schema)])


def test_a_random_model_calls_declared_tools_with_valid_arguments(family):
    """Its likeliest first token opens a call."""
    params = create(CONFIG, 0)[1]
    prompt = encode("set an alarm")
    hidden, _ = at_end(params, prompt)
    opening = TOKENIZER.special_id(CALL_OPEN)
    params["lm_head"].set_value(params["lm_head"].get_value().at[:, opening].set(jnp.asarray(hidden)))
    sizes = dataclasses.replace(ENGINE, context=192, prefill_buckets=(8,))
    engine = Engine(GRAPHDEF, params, CONFIG, sizes, Format(family=family))
    tools = [note_with(NOTE, ("kind", "count", "loud")), TOOLS[1]]

    async def main():
        return await asyncio.gather(*(engine.generate(request(f"x{i}", tools=tools, max_tokens=64)) for i in range(8)))

    complete = 0
    for reply in asyncio.run(main()):
        assert reply.text.startswith(f"{CALL_OPEN}\n<function=")
        if CALL_CLOSE in reply.text:
            parsed = parse_reply(reply.text.split(CALL_CLOSE)[0] + CALL_CLOSE, tools, family)
            assert parsed.errors == [] and parsed.calls[0].name in {"note", "stop"}
            assert parsed.calls[0].arguments.get("kind", "memo") in ("memo", "清单")
            complete += 1
    assert complete >= 4 and np.isfinite(hidden).all()


def note_with(schema: dict, keys: tuple[str, ...]) -> ToolSpec:
    """The note tool with some of its parameters, none required."""
    properties = {key: schema["properties"][key] for key in keys}
    return ToolSpec(name="note", description="", parameters={"type": "object", "properties": properties})
