"""The double's shell: quotes before splitting, injected text is data, lists, pipes, redirections, failures."""

from __future__ import annotations

import shlex

import pytest
from double_phone import Handset

HOSTILE = (
    "; reboot",
    "a && rm -rf /sdcard",
    "$(reboot)",
    "`reboot`",
    "a|reboot",
    "> /sdcard/x",
    "a\nreboot",
    "'; reboot; '",
    '"; reboot; "',
    "$HOME",
    "\\",
    "~",
    "*",
    "{a,b}",
    "#x",
    "  ",
    "!",
    "&",
    "(a)",
    "你好; reboot",
    "-rf",
    "a'b\"c",
)


@pytest.fixture
def hand() -> Handset:
    return Handset()


@pytest.mark.parametrize(
    ("line", "out", "err", "code"),
    [
        ("echo 'a;b'; echo X4EXIT:$?", "a;b\nX4EXIT:0\n", "", 0),
        ("false; echo X4EXIT:$?", "X4EXIT:1\n", "", 0),
        ("foo", "", "/system/bin/sh: foo: inaccessible or not found\n", 127),
        ("foo; echo $?", "127\n", "/system/bin/sh: foo: inaccessible or not found\n", 0),
        ("echo a\\;b", "a;b\n", "", 0),
        ('echo "a $? \\"b\\" \\x"', 'a 0 "b" \\x\n', "", 0),
        ("echo 'a'\"b\"c", "abc\n", "", 0),
        ("true && echo yes || echo no", "yes\n", "", 0),
        ("false && echo yes || echo no", "no\n", "", 0),
        ("false || false && echo x; echo $?", "1\n", "", 0),
        ("! false; echo $?", "0\n", "", 0),
        ("(echo a; exit 3; echo b); echo $?", "a\n3\n", "", 0),
        ("exit 7; echo never", "", "", 7),
        ("echo a > /dev/null; echo b 2>/dev/null", "b\n", "", 0),
        ("foo 2>/dev/null || echo gone", "gone\n", "", 0),
        ("foo 2>&1 | head -n 1", "/system/bin/sh: foo: inaccessible or not found\n", "", 0),
        ("printf 'a\\nbb\\nab\\n' | grep -c a", "2\n", "", 0),
        ("echo one two | wc -w", "2\n", "", 0),
        ("echo \"$(echo 'x  y')\"", "x  y\n", "", 0),
        ("A=1; echo $A ${A} '$A'", "1 1 $A\n", "", 0),
        ("echo a # b", "a\n", "", 0),
        ("echo hi > /data/local/tmp/f; cat /data/local/tmp/f; echo >> /data/local/tmp/f", "hi\n", "", 0),
        ("echo x > /system/f", "", "/system/bin/sh: can't create /system/f: Read-only file system\n", 1),
        ("cat < /nowhere", "", "/system/bin/sh: can't open /nowhere: No such file or directory\n", 1),
        ("sh -c 'echo $?; exit 4'", "0\n", "", 4),
        ("echo 'a", "", "/system/bin/sh: no closing quote\n", 1),
        ("echo a &&", "", "/system/bin/sh: syntax error: unexpected EOF\n", 1),
        ("| echo", "", "/system/bin/sh: syntax error: unexpected '|'\n", 1),
        ("for i in 1; do echo; done", "", "/system/bin/sh: syntax error: unexpected 'for'\n", 1),
        ("echo )", "", "/system/bin/sh: syntax error: unexpected ')'\n", 1),
        ("", "", "", 0),
    ],
)
def test_line(hand: Handset, line: str, out: str, err: str, code: int):
    assert hand.line(line) == (out, err, code)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_in_one_quoted_argument_stays_one_argument(hand: Handset, text: str):
    for line in (shlex.join(["printf", "%s", text]), 'printf "%s" ' + shlex.quote(text)):
        before = len(hand.phone.log)
        assert hand.line(line) == (text, "", 0)
        assert list(hand.phone.log)[before:] == [("printf", "%s", text)]


def test_substitution_runs_only_unquoted(hand: Handset):
    hand.line("echo '$(svc wifi disable)'")
    assert ("svc", "wifi", "disable") not in hand.phone.log
    hand.line("echo $(svc wifi disable)")
    assert ("svc", "wifi", "disable") in hand.phone.log


def test_nesting_commands_and_length_are_bounded(hand: Handset):
    deep = "echo x"
    for _ in range(8):
        deep = f"echo $({deep})"
    assert hand.line(deep)[2] == 0  # the innermost ones are refused, the line goes on
    assert hand.line("(" * 9 + "echo" + ")" * 9)[1] == "/system/bin/sh: nested too deep\n"
    assert hand.line("true;" * 600)[1] == "/system/bin/sh: too many commands in one line\n"
    assert hand.line("x" * (1 << 20) + "x")[1] == "/system/bin/sh: line is too long\n"
    assert hand.line('sh -c \'sh -c "sh -c \\"sh -c true\\""\'')[1] == "/system/bin/sh: nested too deep\n"


def test_files(hand: Handset):
    phone = hand.phone
    assert phone.write("/sdcard/Download/a.bin", b"\x00\xff", 0o644, 12) == ""
    assert phone.read("/storage/emulated/0/Download/a.bin") == b"\x00\xff"
    assert phone.stat("/sdcard/./Download/../Download/a.bin").size == 2
    assert "a.bin" in phone.listing("/sdcard/Download")
    assert phone.write("/data/data/x", b"", 0o644, 0) == "couldn't create file: /data/data/x: Permission denied"
    assert phone.write("/sdcard/../system/x", b"", 0o644, 0).endswith("Read-only file system")
    assert phone.write("/sdcard/Download", b"", 0o644, 0).endswith("Is a directory")
    assert phone.read("/nowhere") is None and phone.stat("/nowhere").mode == 0 and phone.listing("/nowhere") == {}
    assert hand.sh("rm", "/sdcard/Download/a.bin") == "" and phone.read("/sdcard/Download/a.bin") is None
    assert hand.all("rm", "/sdcard/Download/a.bin")[1] == "rm: /sdcard/Download/a.bin: No such file or directory\n"
    assert hand.sh("mkdir", "-p", "/sdcard/A/B") == "" and hand.sh("ls", "/sdcard/A") == "B\n"


def test_the_sandbox_files_lie_under_sdcard(hand: Handset):
    rows = hand.phone.rows("SELECT name, size_kb FROM files WHERE kind = 'image' AND storage = 'phone'")
    listed = hand.phone.listing("/sdcard/Pictures")
    assert {row["name"]: row["size_kb"] * 1024 for row in rows} == {name: stat.size for name, stat in listed.items()}
    name = rows[0]["name"]
    hand.sh("mv", f"/sdcard/Pictures/{name}", "/sdcard/Documents/")
    assert hand.phone.rows("SELECT folder FROM file_folders WHERE file = ?", name) == [{"folder": "Documents"}]
    hand.sh("rm", f"/sdcard/Documents/{name}")
    assert hand.phone.rows("SELECT 1 FROM files WHERE name = ?", name) == []


def test_time_is_the_task_s_clock():
    hand = Handset(clock="2025-07-01T18:30:05", patch={"settings": [{"key": "time_zone", "value": "New York"}]})
    assert hand.sh("date", "+%Y-%m-%dT%H:%M:%S %s") == "2025-07-01T18:30:05 1751409005\n"  # -04:00 in July
    assert hand.sh("date", "-u", "+%H:%M") == "22:30\n"
    assert hand.sh("getprop", "persist.sys.timezone") == "America/New_York\n"
