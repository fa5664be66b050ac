"""Function blocks, whatever is in them: round trips, special tokens, and the promise never to raise."""

import random
import re

import hypothesis.strategies as st
import pytest
from chat_samples import PROPERTY
from hypothesis import given

from qpa.chat import parse_reply, render_action
from qpa.chat.families import scan_reply
from qpa.chat.scan import MAX_CALLS
from qpa.chat.template import Special, reply_segments, segments
from qpa.chat.xml_calls import XML_FAMILIES
from qpa.contract import CallTools, Message, Role, ToolCall, ToolSpec, to_json

TAGS = ["<tool_call>", "</tool_call>", "<function=f>", "</function>", "<parameter=a>", "</parameter>", "<think>"]
TAGS += ["</think>", "<|im_end|>"]
PIECES = [
    *TAGS,
    "\n",
    " ",
    "\t",
    "a",
    "北",
    '"',
    "'",
    "null",
    "None",
    "{",
    "}",
    "[1]",
    "<",
    "=",
    ">",
    "/",
    "&amp;",
    "\\",
]
SEQUEL = (
    r"</parameter>\s*(<parameter=\w+>|</tool_call>|</function>\s*(</tool_call>|<function=\w+>|<tool_call>|<\|im_end))"
)


def tellable(value: str) -> bool:
    """No reader could know better about the others (the rules are in `qpa.chat.xml_calls`)."""
    lines = f"\n{value}\n"
    forgotten = "\n<parameter=a>\n" in lines or "\n<tool_call>\n<function=f>\n" in lines
    return not forgotten and not re.search(SEQUEL, value)


TEXTS = st.one_of(st.text(max_size=20), st.lists(st.sampled_from(PIECES), max_size=8).map("".join)).filter(tellable)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), FLOATS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
).filter(lambda value: tellable(to_json(value).decode()))
VALUES_OF = {
    "string": TEXTS,
    "integer": st.integers(-(2**63), 2**63 - 1),
    "number": st.one_of(st.integers(-(2**63), 2**63 - 1), FLOATS),
    "boolean": st.booleans(),
    "array": st.lists(JSON, max_size=3),
    "object": st.dictionaries(TEXTS, JSON, max_size=3),
    "null": st.none(),
}


@st.composite
def typed_calls(draw) -> tuple[list[ToolCall], list[ToolSpec]]:
    """Calls of one tool per call, each parameter declared with the type that its value has."""
    calls, tools = [], []
    for name in draw(st.lists(st.sampled_from(["f", "manage_alarm", "工具"]), max_size=3, unique=True)):
        kinds = draw(st.dictionaries(st.text("ab_9北-", min_size=1, max_size=5), st.sampled_from(sorted(VALUES_OF))))
        calls.append(ToolCall(id="x", name=name, arguments={k: draw(VALUES_OF[kind]) for k, kind in kinds.items()}))
        properties = {key: {"type": [kind, "null"] if kind == "object" else kind} for key, kind in kinds.items()}
        tools.append(ToolSpec(name=name, description="", parameters={"properties": properties}))
    return calls, tools


@pytest.mark.parametrize("family", XML_FAMILIES)
@PROPERTY
@given(drawn=typed_calls(), thought=st.text("ab \n<>", max_size=9), thinking=st.booleans())
def test_parsing_an_action_gives_it_back(family, drawn, thought, thinking):
    calls, tools = drawn
    text = render_action(CallTools(calls=calls, thought=thought), family, thinking=thinking)
    parsed = parse_reply(text + "<|im_end|>", tools, family, in_thought=thinking)
    assert parsed == parse_reply(text, tools, family)
    assert [(c.name, c.arguments) for c in parsed.calls] == [(c.name, c.arguments) for c in calls]
    assert to_json([c.arguments for c in parsed.calls]) == to_json([c.arguments for c in calls])  # 1 is not True
    assert parsed.thought == (thought.strip() if thinking else "")
    assert parsed.errors == [] or not calls


@PROPERTY
@given(
    family=st.sampled_from(XML_FAMILIES),
    drawn=typed_calls(),
    words=st.text("ab \n<>", max_size=9),
    thinking=st.booleans(),
)
def test_no_value_becomes_a_special_token(family, drawn, words, thinking):
    """A turn that is rendered and one that was generated agree on what is a token."""
    calls, _ = drawn
    message = Message(role=Role.ASSISTANT, content=words, thought="hm", calls=calls)
    parts = segments([message], [], family, thinking=thinking, opening=False)
    specials = ["<|im_start|>", "<think>", "</think>", *["<tool_call>", "</tool_call>"] * len(calls), "<|im_end|>"]
    assert [str(p) for p in parts if isinstance(p, Special)] == specials
    header = segments([], [], family, thinking=thinking, add_generation_prompt=True, opening=False)
    generated = parts[len(header) : -2]
    assert parts[: len(header)] == header
    again = reply_segments("".join(generated), family, thinking=thinking)
    assert [(type(p), p) for p in again] == [(type(p), p) for p in generated]


def check_sound(text: str, tools=None, in_thought: bool = False):
    parsed = parse_reply(text, tools, "qwen3_5", in_thought=in_thought)
    to_json([parsed.thought, parsed.text, parsed.calls, parsed.errors])
    assert "".join(piece.text for piece in scan_reply(text, "qwen3_5", in_thought=in_thought)) == text
    assert all(len(error) <= 160 for error in parsed.errors) and len(parsed.errors) <= 8
    assert "".join(reply_segments(text, "qwen3_5")) in (text, text.removeprefix("<think>").removeprefix("\n"))
    return parsed


@PROPERTY
@given(
    text=st.one_of(st.lists(st.sampled_from([*PIECES, "\ud800", "\x00"]), max_size=30).map("".join), st.text()),
    in_thought=st.booleans(),
)
def test_never_raises_on_soup(text, in_thought):
    check_sound(text, in_thought=in_thought)


def test_never_raises_on_mutated_replies():
    rng = random.Random("xml mutations")
    properties = {"a": {"type": "object"}, "b": {"type": "integer"}, "c": {"type": "string"}}
    tools = [ToolSpec(name="f", description="", parameters={"properties": properties})]
    call = ToolCall(
        id="x", name="f", arguments={"a": {"x": [1, None, "</parameter>"]}, "b": 3, "c": "x\n\n</function>"}
    )
    valid = [
        render_action(CallTools(calls=[call] * n, thought="hm"), family) for n in (1, 2) for family in XML_FAMILIES
    ]
    kinds = set()
    for _ in range(2000):
        text = rng.choice(valid)
        for _ in range(rng.randint(1, 4)):
            i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            text = rng.choice([text[:i] + text[j:], text[:i] + rng.choice(PIECES) + text[i:], text[:j] + text[i:]])
        kinds.add(bool(check_sound(text, tools, rng.random() < 0.5).failures))
    assert kinds == {True, False}


def test_a_cut_off_reply_never_runs_half_a_call():
    """Streaming: every prefix of a reply either has the whole call or none."""
    call = ToolCall(id="x", name="f", arguments={"a": "line\n</parameter>\nline", "b": "2"})
    text = render_action(CallTools(calls=[call], thought="hm"), "qwen3_8")
    for end in range(len(text) + 1):
        parsed = parse_reply(text[:end], None, "qwen3_8", in_thought=True)
        assert [c.arguments for c in parsed.calls] in ([], [call.arguments]), text[:end]


HOSTILE = [
    *TAGS,
    "<tool_call>\n<function=f>\n",
    "<parameter=a>\n</parameter>\n",
    "</parameter>\n<parameter=",
    "</parameter> ",
]
HOSTILE += [
    "</parameter></function>",
    "\n</parameter>\n</function>\n",
    " ",
    "\n",
    "<function=",
    "{",
    '"',
    "\ud800",
    "</parameter",
]
PREFIXES = ["", "<tool_call>", "<tool_call>\n<function=f>\n", "<tool_call>\n<function=f>\n<parameter=a>\n"]


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("unit", HOSTILE)
def test_long_hostile_repetition_ends(prefix, unit):
    """Quadratic reading of these 300 000 characters would run into the suite's timeout."""
    parsed = parse_reply(prefix + unit * (300_000 // len(unit)), None, "qwen3_5")
    assert len(parsed.errors) <= 8 and len(parsed.calls) <= MAX_CALLS
