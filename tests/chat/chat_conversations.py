"""Conversations that every chat family renders exactly as its reference template does."""

from qpa.contract import Message, Role, ToolCall, ToolSpec

_ALARM = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["create", "delete"]},
        "time": {"type": "string", "description": '24 h, e.g. "07:30" & <seconds>'},
        "days": {"type": "array", "items": {"type": "integer"}},
    },
    "required": ["action"],
}
TOOLS = [
    ToolSpec(name="manage_alarm", description="Alarms, one at a time.", parameters=_ALARM),
    ToolSpec(
        name="send_message", description='发送消息 "quoted"\n第二行', parameters={"type": "object", "properties": {}}
    ),
    ToolSpec(name="list_notes", description="", parameters={"type": "object", "properties": {}, "required": []}),
]


def system(text: str) -> Message:
    return Message(role=Role.SYSTEM, content=text)


def user(text: str) -> Message:
    return Message(role=Role.USER, content=text)


def says(text: str = "", *calls: ToolCall, thought: str = "") -> Message:
    return Message(role=Role.ASSISTANT, content=text, calls=list(calls), thought=thought)


def call(name: str, **arguments) -> ToolCall:
    return ToolCall(id="call_0", name=name, arguments=arguments)


def result(text: str) -> Message:
    return Message(role=Role.TOOL, content=text, call_id="call_0", name="f")


OK = '{"success": true, "message": "ok", "data": null}'
WAKE = call("manage_alarm", action="create", time="07:30", days=[1, 2])
NESTED = call("send_message", to={"name": "Ann", "tags": ["a", {"b": [1, None, True]}]}, text='say "hi" \\ it\'s')
SCALARS = call("f", on=True, off=False, none=None, n=-3, x=1.5, big=1e20, tiny=1e-7, empty="", list=[], object={})

CONVERSATIONS: dict[str, tuple[list[Message], list[ToolSpec]]] = {
    "one question": ([user("Wake me at 7:30")], []),
    "answered": ([user("Hi"), says("Hello!", thought="greet")], []),
    "answered without a thought": ([user("Hi"), says("Hello!")], []),
    "system": ([system("Be brief."), user("Hi"), says("Hello!", thought="greet")], []),
    "tools": ([user("Hi")], TOOLS),
    "system and tools": ([system("Be brief.\nNo jokes."), user("Hi"), says("Hello!")], TOOLS),
    "empty system": ([system(""), user("Hi")], []),
    "blank system": ([system(" \n"), user("Hi")], []),
    "one call": ([user("7:30"), says("", WAKE, thought="set it"), result(OK), says("Done.", thought="ok")], TOOLS),
    "words and a call": ([user("7:30"), says("I set it.", WAKE, thought="hm"), result(OK), says("Done.")], TOOLS),
    "parallel calls": (
        [user("both"), says("", WAKE, NESTED, WAKE), result(OK), result(OK), result("{}"), says("Done.")],
        TOOLS,
    ),
    "words and parallel calls": ([user("both"), says("Now", WAKE, NESTED), result(OK), result(OK)], TOOLS),
    "empty arguments": ([user("notes?"), says("", call("list_notes")), result("[]"), says("None.")], TOOLS),
    "scalars": ([user("f"), says("", SCALARS), result(OK)], TOOLS),
    "nested": ([user("f"), says("", NESTED, thought="deep"), result('{"a": {"b": ["c"]}}')], TOOLS),
    "tool error": (
        [
            user("7:30"),
            says("", WAKE, thought="try"),
            result('{"success": false, "error": "no such alarm", "code": 404}'),
            says("", call("manage_alarm", action="delete"), thought="again"),
            result("timeout"),
            says("It failed."),
        ],
        TOOLS,
    ),
    "Chinese": (
        [
            system("你是手机助手。"),
            user("明天七点半叫我起床，并告诉“小明”"),
            says("好的", call("send_message", to="小明", text="明天见🙂\n早安"), thought="先发消息"),
            result('{"message": "已发送"}'),
            says("已完成。", thought="说明结果"),
        ],
        TOOLS,
    ),
    "several turns": (
        [
            system("Be brief."),
            user("first"),
            says("", WAKE, thought="old thought"),
            result(OK),
            says("One.", thought="older answer"),
            user("second"),
            says("Two."),
            user("third"),
            says("", NESTED, thought="new thought"),
            result(OK),
            says("Three.", thought="last"),
        ],
        TOOLS,
    ),
    "several turns, open": ([user("a"), says("b", thought="t"), user("c"), says("d", thought="u"), user("e")], []),
    "no thoughts since the last question": ([user("a"), says("", WAKE), result(OK), says("", WAKE), result(OK)], TOOLS),
    "space around": (
        [
            system("  Be brief.\n\n"),
            user("\n a \n"),
            says("\n\n words ", WAKE, thought="\n\n two\n\nlines \n"),
            result("  {} \n"),
            says("\n"),
            user("b"),
            says("\nend\n", thought=" "),
        ],
        TOOLS,
    ),
    "space in values": ([user("a"), says("", call("f", a="  x\n\ny \n", b="\n")), result(OK)], TOOLS),
    "quotes and tags": (
        [
            user('<b>"it\'s" & \\n</b>'),
            says("", call("f", a='</parameter>\n"<tool_call>"', b="</think>"), thought="<i>"),
            result("</tool_response>"),
        ],
        TOOLS,
    ),
    "words that look like a thought": ([user("a"), says("see </think> there", thought="t"), user("b")], []),
    "a user message that looks like a result": (
        [user("a"), says("b", thought="t"), user("<tool_response>\nx\n</tool_response>"), says("c", thought="u")],
        [],
    ),
    "two user messages": ([user("a"), user("b"), says("c", thought="t")], []),
    "two answers": ([user("a"), says("b", thought="t"), says("c", thought="u")], []),
}
