"""Messages to the JSON of chat endpoints and answers back to text that the one parser reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.chat import parse_reply
from qpa.chat.wire import reply_text, wire_messages, wire_tools
from qpa.contract import Message, Role, ToolCall, ToolSpec

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
HARD = {
    "quotes": "a \"b\" 'c' \\ \n\t",
    "tags": "</tool_call><think>x</think><|im_end|>",
    "text": "闹钟 ü 😀",
    "nested": {"list": [1, -2.5, 1e-9, 2**62, None, True, {"deep": []}]},
}


def _call(arguments, name="f") -> dict:
    return {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}


@settings(deadline=None, max_examples=50)
@given(st.lists(st.dictionaries(TEXT, JSON, max_size=4), min_size=1, max_size=3), TEXT, TEXT)
def test_arguments_come_back_as_they_were_sent_whatever_stands_beside_them(several, words, thought):
    message = {
        "content": words,
        "reasoning_content": thought,
        "tool_calls": [_call(json.dumps(arguments)) for arguments in several],
    }
    parsed = parse_reply(reply_text(message), None)
    assert [call.arguments for call in parsed.calls] == several
    assert parsed.errors == []


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize(
    "words", [None, "", "x </think> y", "<think>never closed", "<tool_call>{", "<<think>>", "<|im_end|>", HARD["tags"]]
)
def test_markers_in_words_and_arguments_are_only_text_beside_calls(words, as_text):
    arguments = json.dumps(HARD, ensure_ascii=False) if as_text else HARD
    parsed = parse_reply(reply_text({"content": words, "tool_calls": [_call(arguments), _call("{}", "g")]}), None)
    assert [(call.name, call.arguments) for call in parsed.calls] == [("f", HARD), ("g", {})]
    assert parsed.errors == []


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (_call('{"a": '), "must be a JSON object, not text"),
        (_call("just do it"), "must be a JSON object, not text"),
        (_call("[1]"), "must be a JSON object, got array"),
        (_call('{"a": 1, "a": 2}'), "duplicate key"),
        (_call('{"a": NaN}'), "not a JSON number"),
        (_call({"a": float("nan")}), "not a JSON number"),
        (_call(r'{"a": "\ud800"}'), r"invalid \u escape"),
        (_call(7), "must be a JSON object, got number"),
        (_call("{}", None), '"name" must be the name of a tool'),
        ({"id": "a", "type": "function"}, '"name" must be the name of a tool'),
        ("nonsense", 'expected {"name"'),
        (None, 'expected {"name"'),
    ],
)
def test_what_is_no_call_is_refused_with_a_reason_and_the_call_beside_it_still_counts(call, said):
    parsed = parse_reply(reply_text({"tool_calls": [call, _call('{"b": 1}', "g")]}), None)
    assert [(c.name, c.arguments) for c in parsed.calls] == [("g", {"b": 1})]
    assert len(parsed.failures) == 1 and said in parsed.failures[0]


@pytest.mark.parametrize("arguments", ["", "  ", None, {}])
def test_no_arguments_in_any_spelling_are_an_empty_object(arguments):
    parsed = parse_reply(reply_text({"content": None, "tool_calls": [_call(arguments)]}), None)
    assert [c.arguments for c in parsed.calls] == [{}] and parsed.failures == []


def test_a_call_without_the_function_wrapper_is_read():
    parsed = parse_reply(reply_text({"tool_calls": [{"name": "f", "arguments": {"a": 1}}]}), None)
    assert [(c.name, c.arguments) for c in parsed.calls] == [("f", {"a": 1})]


@pytest.mark.parametrize(
    ("message", "thought", "text"),
    [
        ({"content": "Done."}, "", "Done."),
        ({"content": "Done.", "reasoning_content": "hm"}, "hm", "Done."),
        ({"content": "Done.", "reasoning": "hm <think> </think>"}, "hm ‹think> ‹/think>", "Done."),
        ({"content": "<think>\nhm\n</think>\n\nDone."}, "hm", "Done."),
        (
            {"content": [{"type": "text", "text": "Done"}, {"type": "image"}, {"type": "text", "text": "."}]},
            "",
            "Done.",
        ),
        ({"content": None, "refusal": "I can't."}, "", "I can't."),
        ({"content": None, "tool_calls": None}, "", ""),
        ({"content": 5, "tool_calls": []}, "", ""),
    ],
)
def test_thoughts_and_words_of_an_answer_without_calls(message, thought, text):
    parsed = parse_reply(reply_text(message), None)
    assert (parsed.thought, parsed.text, parsed.calls) == (thought, text, [])


def test_calls_that_a_server_left_in_the_text_are_read_like_a_local_models():
    parsed = parse_reply(reply_text({"content": '<tool_call>\n{"name": "f", "arguments": {}}\n</tool_call>'}), None)
    assert [call.name for call in parsed.calls] == ["f"]


def test_a_conversation_goes_out_with_matching_ids_and_without_thoughts():
    calls = [ToolCall(id="0.0", name="f", arguments={"a": "ü"}), ToolCall(id="0.1", name="g")]
    wire = wire_messages(
        [
            Message(role=Role.SYSTEM, content="be brief"),
            Message(role=Role.USER, content="go"),
            Message(role=Role.ASSISTANT, content="so", thought="secret", calls=calls),
            Message(role=Role.TOOL, content="one", call_id="0.0", name="f"),
            Message(role=Role.TOOL, content="two", call_id="0.1", name="g"),
            Message(role=Role.ASSISTANT, content="<think>\nsecret\n</think>\n\n<tool_call>{"),
            Message(role=Role.TOOL, content="unreadable"),
            Message(role=Role.ASSISTANT, content="<think>secret"),
            Message(role=Role.TOOL, content="of a call nobody made", call_id="9.9", name="f"),
        ]
    )
    assert wire == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "go"},
        {
            "role": "assistant",
            "content": "so",
            "tool_calls": [
                {"id": "call00000", "type": "function", "function": {"name": "f", "arguments": '{"a": "ü"}'}},
                {"id": "call00001", "type": "function", "function": {"name": "g", "arguments": "{}"}},
            ],
        },
        {"role": "tool", "tool_call_id": "call00000", "content": "one"},
        {"role": "tool", "tool_call_id": "call00001", "content": "two"},
        {"role": "assistant", "content": "<tool_call>{"},
        {"role": "user", "content": "unreadable"},
        {"role": "user", "content": "of a call nobody made"},
    ]


def test_a_tool_goes_out_with_its_schema():
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    assert wire_tools([ToolSpec(name="f", description="does f", parameters=schema)]) == [
        {"type": "function", "function": {"name": "f", "description": "does f", "parameters": schema}}
    ]
