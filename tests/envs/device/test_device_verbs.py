"""The closed table of verbs: what its arguments may be, what reaches the phone, and how its answers are judged."""

from __future__ import annotations

import ast
import asyncio
import inspect
import re
from pathlib import Path
from typing import Any

import pytest
from verb_phones import HOSTILE, EchoLink

from qpa.contract import Effect, EnvFailure, ErrorType, FailureCause
from qpa.envs.device import hand as hand_module
from qpa.envs.device.base import ShellResult
from qpa.envs.device.grammar import Facts, VerbError
from qpa.envs.device.hand import GRANTS, VERBS, Hand, UnknownOutcome
from qpa.envs.device.verbs_data import URIS, WRITABLE

FACTS = Facts(sdk=34, width=1080, height=2400, zone="Asia/Shanghai")
# Good arguments of every verb that has any.
GOOD: dict[str, dict[str, Any]] = {
    "get_volume": {"stream": 4},
    "set_volume": {"stream": 4, "level": 7},
    **{name: {"on": True} for name in VERBS if name.startswith("set_") and VERBS[name].arguments.keys() == {"on"}},
    "set_ringer": {"mode": "vibrate"},
    "set_zone": {"zone": "America/Argentina/Buenos_Aires"},
    "wifi_connect": {"ssid": "Cafe", "password": "12345678"},
    "wifi_forget": {"network": 3},
    "set_alarm": {"hour": 7, "minute": 30, "label": "Gym", "days": [2, 3]},
    "set_timer": {"seconds": 90, "label": ""},
    "compose_message": {"number": "+15550100", "body": "Hi"},
    "compose_note": {"body": "Hi"},
    "call": {"number": "5550100", "video": False},
    "forward_calls": {"number": ""},
    "get_setting": {"setting": "system/screen_brightness"},
    "put_setting": {"setting": "system/screen_brightness", "value": "10"},
    "delete_setting": {"setting": "system/screen_brightness"},
    "query": {"table": "sms", "columns": ("_id", "body")},
    "insert": {"table": "contact_data", "values": {"raw_contact_id": 3, "mimetype": "m", "data1": "x"}},
    "update": {"table": "events", "values": {"title": "x"}, "where": {"_id": 3}},
    "delete": {"table": "raw_contacts", "where": {"_id": 3}},
    **{name: {"package": "com.example.app"} for name in VERBS if VERBS[name].arguments.keys() == {"package"}},
    "open": {"component": "com.example.app/.Main$Inner"},
    "grant": {"package": "com.example.app", "permission": "android.permission.CAMERA"},
    "revoke": {"package": "com.example.app", "permission": "android.permission.CAMERA"},
    "post_notification": {"title": "T", "tag": "tag", "text": "x"},
    "tap": {"x": 0, "y": 2399},
    "tap_send": {"x": 1079, "y": 0},
    "swipe": {"x1": 1, "y1": 2, "x2": 3, "y2": 4, "ms": 300},
    "press": {"key": "back", "times": 2},
    "show_settings": {"page": "wifi"},
    "type": {"text": "hello"},
    "type_any": {"text": "héllo"},
    "enable_keyboard": {"id": "com.android.adbkeyboard/.AdbIME"},
    "set_keyboard": {"id": "com.android.adbkeyboard/.AdbIME"},
    "double_load": {"name": "qpa-task-1.msgpack"},
    "remove_scratch": {"name": "qpa-task-1.msgpack"},
}
# Arguments that carry text of a planner's choosing: (verb, argument, how to give it).
FREE = [
    ("set_alarm", lambda text: {"label": text}),
    ("set_timer", lambda text: {"label": text}),
    ("compose_message", lambda text: {"body": text}),
    ("compose_note", lambda text: {"body": text}),
    ("insert", lambda text: {"values": {"raw_contact_id": 3, "mimetype": "m", "data1": text}}),
    ("update", lambda text: {"values": {"title": text}}),
]
LINES = [
    ("put_setting", lambda text: {"value": text}),
    ("wifi_connect", lambda text: {"ssid": text}),
    ("post_notification", lambda text: {"title": text, "text": text}),
]


def send(verb: str, /, link: EchoLink | None = None, facts: Facts = FACTS, **given: Any) -> tuple[str, ...]:
    """The argv that reaches the phone for a verb with these arguments in place of the good ones."""
    link = link or EchoLink()
    asyncio.run(Hand(link, facts, grants=GRANTS).run(verb, **{**GOOD.get(verb, {}), **given}))
    return link.sent[-1]


def test_every_verb_has_an_example_and_none_takes_a_command_line():
    without = {name for name, verb in VERBS.items() if verb.arguments and name not in GOOD}
    assert not without
    for name in VERBS:
        argv = send(name)
        assert argv[0] not in ("sh", "su", "eval", "run-as", "toybox"), name
        assert all(isinstance(part, str) for part in argv)


def test_the_table_is_closed():
    with pytest.raises(TypeError):
        VERBS["shell"] = VERBS["tap"]  # type: ignore[index]
    with pytest.raises(VerbError) as caught:
        send("shell", argv=["reboot"])
    assert caught.value.error_type is ErrorType.UNKNOWN_TOOL


def test_nothing_else_in_the_backend_sends_a_shell_command():
    """Only `Hand.run` calls the link's shell: a helper with a command of its own would go past the table."""
    sends = {
        path.stem: sum(
            isinstance(node, ast.Attribute) and node.attr in ("shell", "exec_out")
            for node in ast.walk(ast.parse(path.read_text()))
        )
        for path in Path(inspect.getfile(hand_module)).parent.glob("*.py")
    }
    assert {"verbs", "verbs_data", "verbs_ui", "screen", "session", "env", "table_clock"} <= sends.keys()
    links = {"link", "adb_calls"}  # what they send is what they were given
    assert {name: count for name, count in sends.items() if count and name not in links} == {"hand": 2}


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize(("verb", "give"), FREE, ids=[verb for verb, _ in FREE])
def test_free_text_reaches_the_phone_as_one_argument(verb: str, give: Any, text: str):
    argv = send(verb, **give(text))
    carried = [part for part in argv if part == text or part.endswith(f":{text}")]
    assert len(carried) == 1
    harmless = send(verb, **give("harmless"))
    assert len(argv) == len(harmless)


@pytest.mark.parametrize("text", [text for text in HOSTILE if "\n" not in text])
@pytest.mark.parametrize(("verb", "give"), LINES, ids=[verb for verb, _ in LINES])
def test_lines_reach_the_phone_as_one_argument(verb: str, give: Any, text: str):
    if verb == "wifi_connect" and len(text.encode()) > 32:
        pytest.skip("longer than a Wi-Fi name")
    assert text in send(verb, **give(text))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_condition_quotes_for_sql(text: str):
    argv = send("update", table="contact_data", values={"data1": "x"}, where={"raw_contact_id": 7, "mimetype": text})
    where = argv[argv.index("--where") + 1]
    found = re.fullmatch(r"raw_contact_id=7 AND mimetype='((?:[^']|'')*)'", where, re.DOTALL)
    assert found is not None
    assert found[1].replace("''", "'") == text


def test_text_is_typed_as_input_text_reads_it():
    assert send("type", text="a b;c 'd'") == ("input", "text", "a%sb;c%s'd'")
    assert send("type_any", text="你好\n; reboot")[-1] == "5L2g5aW9CjsgcmVib290"
    for text in ("naïve", "two\nlines", "100%s", "\x7f", ""):
        with pytest.raises(VerbError):
            send("type", text=text)


WRONG = [
    ("open", {"component": "com.example/.Main; reboot"}),
    ("open", {"component": "com.example"}),
    ("force_stop", {"package": "com.example; reboot"}),
    ("force_stop", {"package": "noDots"}),
    ("force_stop", {"package": "-n.x"}),
    ("clear_data", {"package": "com.example app"}),
    ("grant", {"package": "com.example", "permission": "A B"}),
    ("grant", {"package": "com.example.app", "permission": "a;b"}),
    ("tap", {"x": 1080, "y": 5}),
    ("tap", {"x": -1, "y": 5}),
    ("tap", {"x": 1.5, "y": 5}),
    ("tap", {"x": True, "y": 5}),
    ("tap", {"x": "1", "y": 5}),
    ("swipe", {"ms": 60_000}),
    ("press", {"key": "KEYCODE_HOME"}),
    ("press", {"key": "26"}),
    ("press", {"times": 201}),
    ("show_settings", {"page": "android.settings.SETTINGS"}),
    ("put_setting", {"setting": "global/adb_enabled", "value": "0"}),
    ("put_setting", {"setting": "global/development_settings_enabled", "value": "0"}),
    ("put_setting", {"setting": "system/screen_brightness", "value": "1\n2"}),
    ("get_setting", {"setting": "secure/android_id"}),
    ("get_setting", {"setting": "system/screen_brightness/x"}),
    ("query", {"table": "mms"}),
    ("query", {"table": "sms", "columns": ("_id", "_id FROM sms; --")}),
    ("query", {"columns": ()}),
    ("insert", {"table": "sms", "values": {"body": "x"}}),
    ("insert", {"values": {"raw_contact_id": "3", "mimetype": "m", "data1": "x"}}),
    ("insert", {"values": {"data15": "x"}}),
    ("update", {"where": {}}),
    ("update", {"where": {"title": "x"}}),
    ("update", {"where": {"_id": None}}),
    ("delete", {"table": "sms", "where": {"_id": 1}}),
    ("call", {"number": "*#06#"}),
    ("call", {"number": "555;0100"}),
    ("compose_message", {"number": "5550100,5550101"}),
    ("compose_message", {"body": "nul\0"}),
    ("compose_message", {"body": "esc\x1b[2J"}),
    ("compose_message", {"body": "\ud800"}),
    ("set_alarm", {"hour": 24}),
    ("set_alarm", {"days": [0]}),
    ("set_alarm", {"days": [2, 2]}),
    ("set_zone", {"zone": "Asia/Shanghai; reboot"}),
    ("set_wifi", {"on": "yes"}),
    ("set_ringer", {"mode": "loud"}),
    ("wifi_connect", {"ssid": ""}),
    ("wifi_connect", {"ssid": "x" * 33}),
    ("wifi_connect", {"password": "short"}),
    ("set_keyboard", {"id": "com.x"}),
    ("double_load", {"name": "../../x"}),
    ("double_load", {"name": "qpa-a/../b.x"}),
]


@pytest.mark.parametrize(
    ("verb", "given"), WRONG, ids=[f"{verb}-{next(iter(given))}-{i}" for i, (verb, given) in enumerate(WRONG)]
)
def test_a_wrong_argument_never_reaches_the_phone(verb: str, given: dict[str, Any]):
    link = EchoLink()
    with pytest.raises(VerbError) as caught:
        send(verb, link, **given)
    assert caught.value.error_type is ErrorType.INVALID_ARGUMENT
    assert link.sent == []


def test_an_argument_too_many_or_too_few_is_named():
    with pytest.raises(VerbError, match="unknown argument flags"):
        send("tap", flags="-d 1")
    with pytest.raises(VerbError, match="missing argument y"):
        asyncio.run(Hand(EchoLink(), FACTS).run("tap", x=1))


def test_no_tap_without_a_known_screen():
    with pytest.raises(VerbError):
        send("tap", facts=Facts(sdk=34), x=0, y=0)


def test_a_verb_that_a_version_lacks_is_unavailable():
    with pytest.raises(VerbError, match="Needs Android API 30, this phone has 29") as caught:
        send("wifi_connect", facts=Facts(sdk=29))
    assert caught.value.error_type is ErrorType.UNAVAILABLE
    assert send("set_volume", facts=Facts(sdk=29))[:2] == ("media", "volume")
    assert send("set_volume", facts=Facts(sdk=30))[:2] == ("cmd", "media_session")


def test_what_cannot_be_undone_needs_a_grant_of_its_own():
    assert {"call", "forward_calls", "tap_send", "clear_data", "uninstall"} == GRANTS
    for name in sorted(GRANTS):
        link = EchoLink()
        with pytest.raises(VerbError, match=f"Not granted for this task: {name}") as caught:
            asyncio.run(Hand(link, FACTS, grants=GRANTS - {name}).run(name, **GOOD[name]))
        assert caught.value.error_type is ErrorType.PERMISSION_DENIED
        assert link.sent == []


def test_the_inventory_forbids_whole_effects():
    hand = Hand(EchoLink(), FACTS, effects=[Effect.READ], grants=GRANTS)
    asyncio.run(hand.run("get_battery"))
    for name in ("tap", "put_setting", "call"):
        with pytest.raises(VerbError) as caught:
            asyncio.run(hand.run(name, **GOOD[name]))
        assert caught.value.error_type is ErrorType.PERMISSION_DENIED


REFUSED = [
    ("open", ShellResult(b"Starting: Intent { cmp=a/b }\nError type 3\nError: Activity class {a/b} does not exist.\n")),
    (
        "open",
        ShellResult(b"", b"Exception occurred while executing 'start-activity':\njava.lang.SecurityException\n", 255),
    ),
    ("type", ShellResult(b"", b"java.lang.NullPointerException: Attempt to get length of null array\n")),
    ("set_keyboard", ShellResult(b"Unknown input method x/.y cannot be selected for user #0\n")),
    ("clear_data", ShellResult(b"Failed\n")),
    ("uninstall", ShellResult(b"Failure [DELETE_FAILED_INTERNAL_ERROR]\n")),
    ("query", ShellResult(b"", b"Error while accessing provider:sms\njava.lang.SecurityException: x\n")),
    ("get_nfc", ShellResult(b"", b"Can't find service: nfc\n")),
    ("set_nfc", ShellResult(b"", b"", 137)),
    ("double_evidence", ShellResult(b"", b"/system/bin/sh: qpa-double: inaccessible or not found\n", 127)),
    ("set_dnd", ShellResult(b"usage: cmd notification SUBCMD\n", b"", 0)),
]


@pytest.mark.parametrize(("verb", "answer"), REFUSED, ids=[verb for verb, _ in REFUSED])
def test_an_error_in_either_stream_is_a_refusal_even_with_exit_code_0(verb: str, answer: ShellResult):
    with pytest.raises(VerbError, match="Phone refused") as caught:
        send(verb, EchoLink(answer))
    assert caught.value.error_type is ErrorType.UNAVAILABLE


def test_other_peoples_words_are_no_refusal():
    send("query", EchoLink(ShellResult(b"Row: 0 _id=1, body=Error: java.lang.Exception\nFailed again\n")))
    send("get_setting", EchoLink(ShellResult(b"Error: my phone\n")))
    send("get_focus", EchoLink(ShellResult(b"  Error in a title\n")))
    send("get_pid", EchoLink(ShellResult(b"", b"", 1)))
    warned = b"Starting: Intent { }\nWarning: Activity not started, its current task has been brought to the front\n"
    send("open", EchoLink(ShellResult(warned + b"Status: ok\nComplete\n")))


class _Silent(EchoLink):
    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        raise EnvFailure("no answer", FailureCause.DEADLINE)


def test_a_deadline_of_what_must_not_be_repeated_is_an_unknown_outcome():
    for name, verb in VERBS.items():
        want = EnvFailure if verb.idempotent else UnknownOutcome
        with pytest.raises(EnvFailure) as caught:
            asyncio.run(Hand(_Silent(), FACTS, grants=GRANTS).run(name, **GOOD.get(name, {})))
        assert type(caught.value) is want and caught.value.cause is FailureCause.DEADLINE
    assert not VERBS["tap"].idempotent and not VERBS["call"].idempotent and not VERBS["insert"].idempotent
    assert VERBS["query"].idempotent and VERBS["put_setting"].idempotent


def test_allow_lists_hold_no_key_that_cuts_the_connection():
    assert ("global", "adb_enabled") not in WRITABLE
    assert ("global", "development_settings_enabled") not in WRITABLE
    assert not URIS["sms"].binds and not URIS["call_log"].binds
