"""No input makes the double raise, run long or grow: arbitrary lines, arguments, files, taps."""

from __future__ import annotations

import shlex
import time
from functools import cache

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.double.phone_commands import COMMANDS
from qpa.envs.device.double.phone_pages import PAGES
from qpa.envs.device.double.phone_shell import MAX_OUTPUT
from qpa.envs.device.double.phone_widgets import Page

SLOW = 3.0  # seconds of processor time for one line
EASY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
PIECES = (
    "query",
    "insert",
    "update",
    "delete",
    "--uri",
    "content://sms",
    "content://com.android.contacts/data",
    "content://com.android.calendar/events",
    "content://call_log/calls",
    "--bind",
    "a:s:b",
    "data1:i:1",
    "--where",
    "_id=1",
    "--projection",
    "--sort",
    "start",
    "broadcast",
    "-a",
    "android.intent.action.SET_ALARM",
    "android.intent.action.VIEW",
    "android.intent.action.INSERT",
    "android.intent.action.SENDTO",
    "sms:1",
    "tel:1",
    "-d",
    "-n",
    "a/b",
    "--ei",
    "--es",
    "--eial",
    "--ez",
    "android.intent.extra.alarm.HOUR",
    "true",
    "99",
    "-1",
    "get",
    "put",
    "list",
    "system",
    "global",
    "screen_brightness",
    "wifi",
    "status",
    "enable",
    "disable",
    "volume",
    "--stream",
    "--set",
    "tap",
    "swipe",
    "text",
    "keyevent",
    "67",
    "66",
    "dump",
    "/dev/tty",
    "/sdcard/x",
    "grant",
    "com.whatsapp",
    "night",
    "yes",
    "size",
    "1x1",
    "reset",
    "post",
    "-t",
    "set",
    "+%s %d %Q",
    "-p",
    "*",
    "'",
    '"',
    "(a+)+$",
    "load",
    "evidence",
)


@cache
def phone() -> SandboxPhone:
    """One for all examples: whatever came before must not break what follows."""
    return SandboxPhone(14)


def run(line: str) -> None:
    start = time.process_time()
    result = phone().shell(line)
    assert time.process_time() - start < SLOW, line
    assert phone().crashes == []
    assert 0 <= result.exit_code <= 255 and len(result.stdout) <= MAX_OUTPUT and len(result.stderr) <= MAX_OUTPUT


@EASY
@given(st.text(max_size=300))
def test_any_text_is_a_line(line: str):
    run(line)


@EASY
@given(st.text(alphabet="'\"\\$`(){};&|<>#!? \n\tab=*~1", max_size=120))
def test_any_syntax_is_a_line(line: str):
    run(line)


@settings(EASY, max_examples=250)
@given(
    st.sampled_from(sorted(set(COMMANDS) - {"screencap"})),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=8),
)
def test_any_arguments(name: str, args: list[str]):
    run(shlex.join([name, *args]))


@settings(EASY, max_examples=50)
@given(st.sampled_from(sorted(COMMANDS)), st.binary(max_size=200))
def test_any_bytes_are_standard_input(name: str, data: bytes):
    assert phone().write("/data/local/tmp/in", data, 0o644, 0) == ""
    if name != "screencap":
        run(f"cat /data/local/tmp/in | {shlex.quote(name)}")


@EASY
@given(st.text(max_size=80), st.binary(max_size=64), st.integers(), st.integers(min_value=-(2**31), max_value=2**31))
def test_any_file(path: str, data: bytes, mode: int, mtime: int):
    double = phone()
    error = double.write(path, data, mode, mtime)
    stored = double.read(path)
    assert error or stored == data
    double.stat(path), double.listing(path), double.listing("/" + path)
    run("ls -la " + shlex.quote(path))


@settings(EASY, max_examples=25)
@given(
    st.sampled_from(sorted(PAGES)),
    st.text(max_size=20),
    st.lists(st.tuples(st.integers(-10, 1200), st.integers(-10, 2500)), max_size=4),
    st.text(alphabet="ab <&\x01é", max_size=10),
)
def test_any_page_survives_taps(kind: str, about: str, taps: list[tuple[int, int]], typed: str):
    double = phone()
    double.ui.start(Page(kind, about))
    for x, y in taps:
        run(f"input tap {x} {y}")
        double.ui.type(typed)
        run("uiautomator dump /dev/tty")
    run("input keyevent BACK; input keyevent HOME; input keyevent WAKEUP")


@settings(EASY, max_examples=40)
@given(st.binary(max_size=300))
def test_any_bytes_are_a_task(data: bytes):
    double = phone()
    double.write("/data/local/tmp/t", data, 0o644, 0)
    run("qpa-double load /data/local/tmp/t")
    run("qpa-double evidence")
