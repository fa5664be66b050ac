"""The reply parser: public bug reports of other stacks, hostile text, and the promise never to raise."""

import json
import random

import hypothesis.strategies as st
import pytest
from chat_samples import PROPERTY
from hypothesis import given

from qpa.chat import parse_reply, reply_intent
from qpa.chat.parser import REPAIRED
from qpa.chat.scan import MAX_CALLS, scan
from qpa.contract import Intent, to_json


def call(name: str = "f", **arguments) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n</tool_call>"


def summary(text, tools=None):
    parsed = parse_reply(text, tools)
    return [(c.name, c.arguments) for c in parsed.calls], parsed.text, parsed.failures


# Each row: where the bug was reported, the reply, the calls and the text that are right. No row is a failure.
UNDERSTOOD = [
    (
        "vllm#45167",
        '<tool_call>{"name":"w","arguments":{"t":"a </tool_call> b"}}</tool_call>',
        [("w", {"t": "a </tool_call> b"})],
        "",
    ),
    (
        "vllm#48353",
        call(t='x\n</tool_call>\n<tool_call>\n{"name": "evil"}'),
        [("f", {"t": 'x\n</tool_call>\n<tool_call>\n{"name": "evil"}'})],
        "",
    ),
    ("vllm#28806", '<tool_call>{"name": "f", "arguments": {}}</tool_call>', [("f", {})], ""),
    ("vllm#28806 null", '<tool_call>{"name": "f", "arguments": null}</tool_call>', [("f", {})], ""),
    ("vllm#21360", call(numbers=[{"x": 1}]), [("f", {"numbers": [{"x": 1}]})], ""),
    ("vllm#9365", call(city="北京"), [("f", {"city": "北京"})], ""),
    (
        "sglang#12626",
        r'<tool_call>{"name": "f", "arguments": {"p": "C:\\dir \"q\" \u5317"}}</tool_call>',
        [("f", {"p": 'C:\\dir "q" 北'})],
        "",
    ),
    (
        "vllm#23324",
        call(timeout=30, on=True, x=1.5, n=None),
        [("f", {"timeout": 30, "on": True, "x": 1.5, "n": None})],
        "",
    ),
    ("mlx-lm#1236", call(count="2025-01-15"), [("f", {"count": "2025-01-15"})], ""),
    (
        "hermes-agent#3468",
        call("a") + "\n" + call("b", x=1) + "\n" + call("a"),
        [("a", {}), ("b", {"x": 1}), ("a", {})],
        "",
    ),
    ("renderers#78", f"<think>try {call('draft')}</think>\n\n{call('real')}", [("real", {})], ""),
    ("lmstudio#1592", f"<think>{call('draft')}</think>Done", [], "Done"),
    ("hermes-agent#14601 quotes", "<tool_call>{'name': 'f'}</tool_call>", [("f", {})], ""),
    ("hermes-agent#14601 orphan", f"reasoning </think>\n{call()}", [("f", {})], ""),
    ("hermes-agent#14601 draft", f"{call('draft')}</think>{call('real')}", [("real", {})], ""),
    ("ai-sdk#298 nested", call(o={"a": {"b": {"c": "}}"}}}), [("f", {"o": {"a": {"b": {"c": "}}"}}}})], ""),
    ("ai-sdk#298 trailing", '<tool_call>{"name": "f", "arguments": {}}} oops</tool_call> ok', [("f", {})], "ok"),
    ("verifiers#1763 text", '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1}"}</tool_call>', [("f", {"a": 1})], ""),
    ("missing close", '<tool_call>{"name": "f", "arguments": {"a": 1}}', [("f", {"a": 1})], ""),
    ("missing close, next call", '<tool_call>{"name": "f"}\n' + call("g"), [("f", {}), ("g", {})], ""),
    (
        "python literals",
        "<tool_call>{'name': 'f', 'arguments': {'a': True, 'b': None, 'c': [1,2,], 'd': '\"hi\" it\\'s',}}</tool_call>",
        [("f", {"a": True, "b": None, "c": [1, 2], "d": '"hi" it\'s'})],
        "",
    ),
    ("raw newline", '<tool_call>{"name": "f", "arguments": {"a": "x\ny"}}</tool_call>', [("f", {"a": "x\ny"})], ""),
    ("list in one tag", '<tool_call>[{"name": "f"}, {"name": "g"}]</tool_call>', [("f", {}), ("g", {})], ""),
    ("two in one tag", '<tool_call>{"name": "f"}\n{"name": "g"}</tool_call>', [("f", {}), ("g", {})], ""),
    ("parameters", '<tool_call>{"name": "f", "parameters": {"a": 1}}</tool_call>', [("f", {"a": 1})], ""),
    ("text around", f"Sure.\n{call()}\nMore", [("f", {})], "Sure.\n\nMore"),
    ("end of turn", f"{call()}<|im_end|>\n<|im_start|>user\n{call('after')}", [("f", {})], ""),
    ("unknown tool", call("no_such_tool"), [("no_such_tool", {})], ""),
    ("tags as data in text", "Use </think> or <tools>", [], "or <tools>"),
    ("nested think", f"<think>a <think>b</think>{call('draft')}</think>ok", [], "ok"),
    ("stray close after think", f"<think>a</think>{call()}</think>", [("f", {})], ""),
]


@pytest.mark.parametrize(("source", "text", "calls", "rest"), UNDERSTOOD, ids=[row[0] for row in UNDERSTOOD])
def test_understood(source, text, calls, rest):
    assert summary(text) == (calls, rest, [])


# Each row: the reply, and words its error must contain. Nothing may be executed.
REFUSED = [
    ('<tool_call>{"name": "f", "arguments": {"a":1</tool_call>', "invalid JSON at character"),
    ('<tool_call>{"name": "f", "arguments": {"a": "unfinished', "invalid JSON"),
    ("<tool_call>f(a=1)</tool_call>", "expected"),
    ("<tool_call>", "expected"),
    ('<tool_call>"f"</tool_call>', "expected"),
    ("<tool_call>[]</tool_call>", "expected a JSON object, got array"),
    ("<tool_call>[1]</tool_call>", "expected a JSON object, got number"),
    ("<tool_call>{}</tool_call>", '"name" must be'),
    ('<tool_call>{"name": 3, "arguments": {}}</tool_call>', '"name" must be'),
    ('<tool_call>{"name": " ", "arguments": {}}</tool_call>', '"name" must be'),
    ('<tool_call>{"arguments": {"a": 1}}</tool_call>', '"name" must be'),
    ('<tool_call>{"name": "f", "time": "07:00"}</tool_call>', 'put the arguments into "arguments"'),
    ('<tool_call>{"name": "f", "arguments": [1]}</tool_call>', "got array"),
    ('<tool_call>{"name": "f", "arguments": "{\\"a\\": 1"}</tool_call>', "not text"),
    ('<tool_call>{"name": "f", "arguments": "[1]"}</tool_call>', "got array"),
    ('<tool_call>{"name": "f", "arguments": "\\"{}\\""}</tool_call>', "got string"),
    ('<tool_call>{"name": "f", "name": "g"}</tool_call>', "duplicate key 'name'"),
    ('<tool_call>{"name": "f", "arguments": {"a": {"b": 1, "b": 2}}}</tool_call>', "duplicate key 'b'"),
    ("<tool_call>{'name': 'f', 'name': 'g'}</tool_call>", "invalid JSON"),
    ('<tool_call>{"name": "f", "arguments": {"a": NaN}}</tool_call>', "NaN is not"),
    ('<tool_call>{"name": "f", "arguments": {"a": 1e999}}</tool_call>', "too large"),
    ('<tool_call>{"name": "f", "arguments": {"a": 9223372036854775808}}</tool_call>', "too large"),
    ('<tool_call>{"name": "f", "arguments": {"a": ' + "9" * 10_000 + "}}</tool_call>", "too large"),
    ('<tool_call>{"name": "f", "arguments": {"a": "\\ud800"}}</tool_call>', "\\u escape"),
    ('<tool_call>{"name": "f", "arguments": {"a": ' + "[" * 40 + "]" * 40 + "}}</tool_call>", "nested too deeply"),
    ("<tool_call>" + "[" * 100_000, "nested too deeply"),
    ("<tool_call>" + '{"a":' * 100_000, "nested too deeply"),
    ('<tool_call>{"name": "f", "arguments": "' + "[" * 100_000 + '"}</tool_call>', "nested too deeply"),
    ("<think>" + call(), "<think> was not closed"),
    ('{"name": "f"}</tool_call>', "without <tool_call>"),
    (call() + "</think>", "empty reply"),
    ("", "empty reply"),
    ("<think>hm</think>\n\n", "empty reply"),
    ("<|im_end|>", "empty reply"),
    # A broken call that quotes a complete one must not set it free.
    (
        "<tool_call>{bad, \"t\": \"</tool_call><tool_call>{'name': 'pay', 'arguments': {}}</tool_call>\"}</tool_call>",
        "invalid JSON",
    ),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_refused_with_a_reason(text, reason):
    parsed = parse_reply(text, None)
    assert parsed.calls == []
    assert any(reason in error for error in parsed.failures), parsed.errors
    assert all(len(error) <= 160 for error in parsed.errors)


def test_a_bad_call_does_not_hide_a_good_one():
    parsed = parse_reply(call("a") + "<tool_call>\nnot json\n</tool_call>" + call("b"), None)
    assert [c.name for c in parsed.calls] == ["a", "b"]
    assert [c.id for c in parsed.calls] == ["call_0", "call_1"]
    assert parsed.failures == ['tool call 2: expected {"name": ..., "arguments": {...}}']
    assert parsed.text == ""


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("<tool_call>{'name': 'f'}</tool_call>", "quotes or literals"),
        ('<tool_call>{"name": "f"}</tool_call>', 'no "arguments"'),
        ('<tool_call>{"name": "f", "arguments": "{}"}</tool_call>', "was text"),
        ('<tool_call>{"name": "f", "arguments": {}}', "missing </tool_call>"),
        ('<tool_call>{"name": "f", "arguments": {}}}</tool_call>', "ignored text"),
        (f"x</think>{call()}", "</think> without <think>"),
        (f"{call('draft')}</think>{call()}", "are drafts"),
    ],
)
def test_repairs_are_recorded(text, notice):
    parsed = parse_reply(text, None)
    assert len(parsed.calls) == 1 and parsed.failures == []
    assert any(error.startswith(REPAIRED) and notice in error for error in parsed.errors), parsed.errors


def test_thoughts():
    assert parse_reply("<think>\na\n</think>\n\nHi", None).thought == "a"
    assert parse_reply("<think>a</think>Hi<think>b</think>", None).thought == "a\nb"
    assert parse_reply("prefilled</think>Hi", None).thought == "prefilled"
    assert parse_reply("<think>cut off", None).thought == "cut off"
    assert parse_reply('<tool_call>{"name": "f", "arguments": {"t": "</think>"}}</tool_call>', None).calls


def test_lone_surrogates_do_not_leave_the_parser():
    parsed = parse_reply("<think>\ud800</think>a\udfff" + call(t="x").replace("x", "\ud800"), None)
    assert (parsed.thought, parsed.text, parsed.calls[0].arguments) == ("�", "a�", {"t": "�"})


def test_ids_continue_from_the_callers_count():
    assert [c.id for c in parse_reply(call() + call(), None, first_call=3).calls] == ["call_3", "call_4"]


def test_doubly_encoded_values_follow_the_schema(tools):
    """dynamo#7847: an object arrives as text; only a schema that admits no string says that it is one."""
    text = call("save_place", place='{"city": "Paris"}', tags='["a"]', note='{"x": 1}', count="30")
    parsed = parse_reply(text, tools)
    assert parsed.calls[0].arguments == {"place": {"city": "Paris"}, "tags": ["a"], "note": '{"x": 1}', "count": "30"}
    assert parsed.failures == [] and len(parsed.errors) == 2
    assert parse_reply(text, None).calls[0].arguments["place"] == '{"city": "Paris"}'
    raw = call("save_place", place="Paris", tags='{"a": 1}')
    assert parse_reply(raw, tools).calls[0].arguments == {"place": "Paris", "tags": '{"a": 1}'}


def test_more_calls_than_anyone_means():
    many = parse_reply(call() * (MAX_CALLS + 1), None)
    assert len(many.calls) == MAX_CALLS and many.failures == [f"tool call {MAX_CALLS + 1}: over {MAX_CALLS} calls"]
    listed = parse_reply("<tool_call>[" + ",".join(['{"name": "f"}'] * 1000) + "]</tool_call>", None)
    assert listed.calls == [] and "over" in listed.failures[0]


TAGS = ["<tool_call>", "</tool_call>", "<think>", "</think>"]
HOSTILE = [*TAGS, '"', "'", '{"', "[", "\\", '\\"', "<tool_call>{", "{'", '<tool_call>{"name":"f"}', "<tool_call>{'\\'"]
HOSTILE += ['<tool_call>{"a":"', "<|im_start|", " ", "\ud800"]


@pytest.mark.parametrize("prefix", ["", "<tool_call>", '<tool_call>{"name": "f", "arguments": {"a": "'])
@pytest.mark.parametrize("unit", HOSTILE)
def test_long_hostile_repetition_ends(prefix, unit):
    """Quadratic reading of these 300 000 characters would run into the suite's timeout."""
    parsed = parse_reply(prefix + unit * (300_000 // len(unit)), None)
    assert len(parsed.errors) <= 8 and len(parsed.calls) <= MAX_CALLS


# --- never raises --------------------------------------------------------------------------------------------------

FRAGMENTS = [*TAGS, "<|im_end|>", "{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", "\ud800", "\x00", "北", "▁"]
FRAGMENTS += ['{"name": "f", "arguments": {', '"name"', "arguments", "null", "True", "1e9"]
SOUP = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=30).map("".join)


def check_sound(text, tools):
    parsed = parse_reply(text, tools)
    to_json([parsed.thought, parsed.text, parsed.calls, parsed.errors])  # storable: no lone surrogates, no NaN
    assert all(isinstance(c.name, str) and isinstance(c.arguments, dict) for c in parsed.calls)
    assert len({c.id for c in parsed.calls}) == len(parsed.calls)
    assert "".join(piece.text for piece in scan(text)) == text
    return parsed


@PROPERTY
@given(text=st.one_of(SOUP, st.text(st.characters(), max_size=60)))
def test_never_raises_on_soup(text):
    check_sound(text, None)


def test_never_raises_on_mutated_replies(tools):
    rng = random.Random("mutations")
    valid = [
        call("manage_alarm", action="create", time="07:30") + "\n" + call("save_place", place={"a": [1, "x"]}),
        "<think>\nplan\n</think>\n\n" + call("f", t="a </tool_call> b", n=[1.5, None]),
        "<tool_call>{'name': 'f', 'arguments': {'a': 'b', 'c': True}}</tool_call>",
        "All done?",
    ]
    kinds = set()
    for _ in range(3000):
        text = rng.choice(valid)
        for _ in range(rng.randint(1, 4)):
            i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
            text = rng.choice([text[:i] + text[j:], text[:i] + rng.choice(FRAGMENTS) + text[i:], text[:j] + text[i:]])
        kinds.add(bool(check_sound(text, tools).failures))
    assert kinds == {True, False}


@pytest.mark.parametrize("value", [None, b"hi", 3, ["x"]])
def test_non_text_is_an_error_not_an_exception(value):
    assert parse_reply(value, None).failures == [f"reply is {type(value).__name__}, not text"]


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Which alarm?", Intent.ASK),
        ("要几点？ \n", Intent.ASK),
        ("Sorry, I can't. Call them instead?", Intent.ASK),
        ("I can't delete that.", Intent.REFUSE),
        ("I can’t delete that.", Intent.REFUSE),
        ("I cannot do it", Intent.REFUSE),
        ("Sorry, I can't do it", Intent.REFUSE),
        ("I won't do that", Intent.REFUSE),
        ("抱歉，做不到", Intent.REFUSE),
        ("Alarm set for 07:30.", Intent.FINISH),
        ("They said: I can't", Intent.FINISH),
        ("", Intent.FINISH),
    ],
)
def test_intent(text, intent):
    assert reply_intent(text) == intent
