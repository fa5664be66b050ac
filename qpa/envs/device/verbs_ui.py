"""Verbs for apps, the screen, keys, text, and the double's private command."""

from __future__ import annotations

import base64
from typing import Any

from qpa.contract import Effect
from qpa.envs.device import grammar as g
from qpa.envs.device.android import KEYS
from qpa.envs.device.grammar import Facts
from qpa.envs.device.verbs import Verb, fixed, read

SCRATCH = "/data/local/tmp/"
TREE_PATH = SCRATCH + "qpa-ui.xml"
KEYBOARD = "com.android.adbkeyboard/.AdbIME"  # types any text that arrives as base64 in a broadcast


def _input_text(facts: Facts, a: dict[str, Any]) -> list[str]:
    # `input text` turns %s into a space, and has no way to say a literal "%s": the caller sends "%" on its own.
    return ["input", "text", a["text"].replace(" ", "%s")]


def _broadcast_text(facts: Facts, a: dict[str, Any]) -> list[str]:
    coded = base64.b64encode(a["text"].encode()).decode()
    return ["am", "broadcast", "-a", "ADB_INPUT_B64", "-p", KEYBOARD.partition("/")[0], "--es", "msg", coded]


def _no_literal_space_code(value: Any, facts: Facts) -> str:
    if "%s" in g.typed(value, facts):
        raise g.wrong("input text cannot type %s in one go")
    return value


def _focus(facts: Facts, a: dict[str, Any]) -> list[str]:
    return ["dumpsys", "window", "displays" if facts.sdk >= 29 else "windows"]


_PACKAGE = {"package": g.package}
_IRREVERSIBLE = Effect.IRREVERSIBLE
_REVERSIBLE = Effect.REVERSIBLE


def _on_package(*argv: str, effect: Effect = _REVERSIBLE, deadline_s: float = 10.0) -> Verb:
    return Verb(
        effect,
        lambda facts, a: [*argv, a["package"]],
        _PACKAGE,
        deadline_s=deadline_s,
        repeatable=effect is _REVERSIBLE,
    )


APPS: dict[str, Verb] = {
    "list_packages": read(fixed("pm", "list", "packages")),
    "list_disabled": read(fixed("pm", "list", "packages", "-d")),
    "get_focus": read(_focus, free=True),
    "get_activities": read(fixed("dumpsys", "activity", "activities"), free=True),
    "list_processes": read(fixed("ps", "-A", "-o", "NAME"), free=True),
    "get_pid": read(lambda facts, a: ["pidof", a["package"]], _PACKAGE, refused=1),
    "get_package": read(lambda facts, a: ["dumpsys", "package", a["package"]], _PACKAGE, free=True),
    "find_launcher": read(
        lambda facts, a: [
            *("cmd", "package", "resolve-activity", "--brief", "-a", "android.intent.action.MAIN"),
            *("-c", "android.intent.category.LAUNCHER", a["package"]),
        ],
        _PACKAGE,
    ),
    "open": Verb(
        _REVERSIBLE,
        lambda facts, a: ["am", "start", "-W", "-n", a["component"]],
        {"component": g.component},
        deadline_s=20.0,
        repeatable=True,
    ),
    "kill": _on_package("am", "kill"),
    "force_stop": _on_package("am", "force-stop"),
    "disable": _on_package("pm", "disable-user", "--user", "0"),
    "enable": _on_package("pm", "enable", "--user", "0"),
    "clear_data": _on_package("pm", "clear", effect=_IRREVERSIBLE, deadline_s=30.0),
    "uninstall": _on_package("pm", "uninstall", "--user", "0", effect=_IRREVERSIBLE, deadline_s=60.0),
    "grant": Verb(
        _REVERSIBLE,
        lambda facts, a: ["pm", "grant", a["package"], a["permission"]],
        {"package": g.package, "permission": g.permission},
        repeatable=True,
    ),
    "revoke": Verb(
        _REVERSIBLE,
        lambda facts, a: ["pm", "revoke", a["package"], a["permission"]],
        {"package": g.package, "permission": g.permission},
        repeatable=True,
    ),
    "post_notification": Verb(
        _REVERSIBLE,
        lambda facts, a: ["cmd", "notification", "post", "-t", a["title"], a["tag"], a["text"]],
        {"title": g.line, "tag": g.word, "text": g.line},
        since=28,
        repeatable=True,
    ),
}

SCREEN: dict[str, Verb] = {
    "dump_tree": read(fixed("uiautomator", "dump", TREE_PATH), deadline_s=20.0, judged=False),
    "dump_tree_short": read(fixed("uiautomator", "dump", "--compressed", TREE_PATH), deadline_s=20.0, judged=False),
    "tap": Verb(_REVERSIBLE, lambda facts, a: ["input", "tap", str(a["x"]), str(a["y"])], {"x": g.x, "y": g.y}),
    "swipe": Verb(
        _REVERSIBLE,
        lambda facts, a: ["input", "swipe", *(str(a[name]) for name in ("x1", "y1", "x2", "y2", "ms"))],
        {"x1": g.x, "y1": g.y, "x2": g.x, "y2": g.y, "ms": g.integer(1, 10_000)},
        deadline_s=20.0,
    ),
    "press": Verb(
        _REVERSIBLE,
        lambda facts, a: ["input", "keyevent", *[KEYS[a["key"]]] * a["times"]],
        {"key": g.key, "times": g.integer(1, 200)},
        deadline_s=30.0,
    ),
    "type": Verb(_REVERSIBLE, _input_text, {"text": _no_literal_space_code}, deadline_s=30.0),
    "type_any": Verb(_REVERSIBLE, _broadcast_text, {"text": g.text}, deadline_s=20.0),
    # A tap that sends, pays or deletes for good: the grant is asked for where it is known what the button does.
    "tap_send": Verb(
        Effect.EXTERNAL,
        lambda facts, a: ["input", "tap", str(a["x"]), str(a["y"])],
        {"x": g.x, "y": g.y},
    ),
    "end_call": Verb(_REVERSIBLE, fixed("input", "keyevent", KEYS["end_call"]), repeatable=True),
    "list_keyboards": read(fixed("ime", "list", "-s", "-a")),
    "enable_keyboard": Verb(
        _REVERSIBLE, lambda facts, a: ["ime", "enable", a["id"]], {"id": g.input_method}, repeatable=True
    ),
    "set_keyboard": Verb(
        _REVERSIBLE, lambda facts, a: ["ime", "set", a["id"]], {"id": g.input_method}, repeatable=True
    ),
    "screenshot": read(fixed("screencap", "-p"), deadline_s=20.0),
}

DOUBLE: dict[str, Verb] = {
    "double_load": Verb(
        _REVERSIBLE,
        lambda facts, a: ["qpa-double", "load", SCRATCH + a["name"]],
        {"name": g.scratch_name},
        repeatable=True,
    ),
    "double_evidence": read(fixed("qpa-double", "evidence"), deadline_s=20.0, free=True),
    "double_reset": Verb(_REVERSIBLE, fixed("qpa-double", "reset"), repeatable=True),
    "remove_scratch": Verb(
        _REVERSIBLE,
        lambda facts, a: ["rm", "-f", SCRATCH + a["name"]],
        {"name": g.scratch_name},
        repeatable=True,
    ),
}
