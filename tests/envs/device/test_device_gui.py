"""The GUI agent on the double's screens, and the screen's own hands and eyes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from env_phones import Player, env_over, task_of
from verb_phones import InProcessLink

from qpa.contract import ErrorType
from qpa.envs.device import screen as screen_module
from qpa.envs.device.base import ShellResult
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind
from qpa.envs.device.grammar import Facts, VerbError
from qpa.envs.device.gui import GuiAgent, best, clauses
from qpa.envs.device.hand import GRANTS, Hand
from qpa.envs.device.handset import Handset
from qpa.envs.device.screen import Screen
from qpa.envs.device.tree import Node


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen_module, "PAUSE_S", 0.0)


def handset(phone: SandboxPhone, grants: Any = GRANTS) -> Handset:
    hand = Hand(InProcessLink(phone), Facts(phone.api, 1080, 2340, "Asia/Shanghai"), grants=grants)
    return Handset(hand, Screen(hand))


def run(phone: SandboxPhone, app: str, instruction: str, grants: Any = GRANTS) -> tuple[list[str], GuiAgent]:
    agent = GuiAgent(handset(phone, grants))
    return asyncio.run(agent.run(app, instruction)), agent


def test_an_order_is_taken_apart_by_clauses_and_quotes_stay_whole():
    assert clauses("Open Settings, then tap Display and turn on Dark theme.", "Settings") == [
        "tap Display",
        "turn on Dark theme",
    ]
    assert clauses("In the Messages app, send \u201cBread, milk and eggs, then rest\u201d to Ana", "Messages") == [
        'send "Bread, milk and eggs, then rest" to Ana'
    ]
    assert clauses("open Maps", "Maps") == []


def test_the_best_node_reads_most_like_the_words():
    def node(text: str, **more: Any) -> Node:
        return Node(text=text, bounds=(0, 0, 10, 10), **more)

    root = Node(
        children=(node("Wi-Fi networks"), node("wi-fi"), node("Wi-Fi", clickable=True), node("Off", enabled=False))
    )
    found = best(root, "Wi-Fi")
    assert found is not None and found.clickable
    assert best(root, "networks") is root.children[0]
    assert best(root, "off") is None
    assert best(root, "Bluetooth") is None


def test_it_walks_through_settings_and_sees_what_it_did():
    phone = SandboxPhone(14)
    before = phone.setting("dark_mode")
    results, agent = run(phone, "Settings", "open Display, then tap Dark theme")
    assert phone.setting("dark_mode") != before
    assert results == ["opened Display", "opened Dark theme"]
    assert agent.steps == ["launch_app", "tap", "tap", "verify_result"]


def test_it_sends_a_message_typed_beyond_ascii():
    phone = SandboxPhone(14)
    contact = phone.rows("SELECT * FROM contacts ORDER BY id")[2]
    run(phone, "Messages", f"tap Start chat, tap {contact['name']}, type '你好, 10% sûr' and tap Send SMS")
    (change,) = [c for c in phone.session.changes() if c.table == "messages"]
    assert change.op == "insert"
    assert (change.new["phone"], change.new["content"]) == (contact["phone"], "你好, 10% sûr")


def test_what_is_not_on_the_screen_is_said_and_nothing_is_touched():
    phone = SandboxPhone(14)
    agent = GuiAgent(handset(phone))
    with pytest.raises(VerbError, match="Not on the screen: Teleport") as caught:
        asyncio.run(agent.run("Settings", "tap Teleport"))
    assert caught.value.error_type is ErrorType.NOT_FOUND
    assert "tap" not in agent.steps
    assert {c.table for c in phone.session.changes()} <= {"apps", "settings"}


def test_what_it_does_not_understand_and_what_does_nothing_is_no_success():
    phone = SandboxPhone(14)
    with pytest.raises(VerbError, match="does not understand: ponder the clouds") as caught:
        run(phone, "Settings", "ponder the clouds")
    assert caught.value.error_type is ErrorType.INVALID_ARGUMENT
    with pytest.raises(VerbError, match="changed nothing on the screen"):
        run(phone, "Settings", "open About phone, tap Model")


def test_a_button_that_sends_needs_a_grant():
    phone = SandboxPhone(14)
    contact = phone.rows("SELECT * FROM contacts ORDER BY id")[2]
    order = f"tap Start chat, tap {contact['name']}, type 'Hi' and tap Send SMS"
    with pytest.raises(VerbError, match="Not granted for this task: tap_send"):
        run(phone, "Messages", order, grants=frozenset())
    assert not [c for c in phone.session.changes() if c.table == "messages"]


def test_it_gives_up_after_its_steps():
    agent = GuiAgent(handset(SandboxPhone(14)), left=1)
    with pytest.raises(VerbError, match="gave up"):
        asyncio.run(agent.run("Settings", "tap Display, tap Screen timeout"))
    assert agent.steps == ["launch_app", "tap"]


def test_start_execute_query_in_an_episode(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["control_gui_agent"], {"settings": [{"key": "dark_mode", "value": "off"}]}))
        call = Player(env, session)
        unknown = await call("control_gui_agent", action="start", appName="Photos", instruction="x")
        assert unknown.payload["error"] == "App Photos is not supported; available: Gallery"
        order = {"appName": "Settings", "instruction": "open Display, then tap Dark theme"}
        started = await call("control_gui_agent", action="start", **order)
        session_id = started.payload["data"]["sessionId"]
        assert started.payload["data"]["execution_status"] == "pending"
        done = await call("control_gui_agent", action="execute", sessionId=session_id)
        assert done.ok and done.payload["data"]["results"] == ["opened Display", "opened Dark theme"]
        state = await call("control_gui_agent", action="query", sessionId=session_id)
        assert state.payload["data"]["execution_status"] == "completed"
        changes = (await env.evidence(session)).changes
        assert {"gui_sessions", "settings", "apps"} == {c.table for c in changes}
        again = await call("control_gui_agent", action="execute", sessionId=session_id)
        assert again.payload["message"] == "GUI session already completed"
        failing = await call("control_gui_agent", action="start", appName="Settings", instruction="tap Teleport")
        failed = await call("control_gui_agent", action="execute", sessionId=failing.payload["data"]["sessionId"])
        assert (failed.ok, failed.error_type) == (False, ErrorType.NOT_FOUND)
        assert (await call("control_gui_agent", action="execute", sessionId="gui_agent_999")).code == 404
        await env.close(session)

    asyncio.run(play())


# --- the screen ------------------------------------------------------------------------------------------------------


class _Failing(InProcessLink):
    """The first dumps fail in the ways that phones have."""

    def __init__(self, phone: SandboxPhone, *answers: ShellResult) -> None:
        super().__init__(phone)
        self.answers = list(answers)

    async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
        if argv[0] == "uiautomator" and self.answers:
            self.commands.append(argv)
            return self.answers.pop(0)
        return await super().shell(*argv, deadline_s=deadline_s)


IDLE = ShellResult(b"ERROR: could not get idle state.\n")
NULL = ShellResult(b"", b"ERROR: null root node returned by UiTestAutomationBridge.\n")
KILLED = ShellResult(b"Killed \n", b"", 137)


@pytest.mark.parametrize("answer", [IDLE, NULL, KILLED], ids=["idle", "null", "killed"])
def test_a_failed_dump_is_tried_compressed_then_stale_and_never_empty(answer: ShellResult):
    link = _Failing(SandboxPhone(14), answer, answer, answer)
    screen = Screen(Hand(link, Facts(34, 1080, 2340)))

    async def play() -> None:
        with pytest.raises(VerbError, match="The screen cannot be read"):  # there is no last good one yet
            await screen.view()
        assert "--compressed" in link.commands[1]
        fresh = await screen.view()  # the third failure, then the compressed one works
        assert not fresh.stale
        link.answers = [answer, answer]
        stale = await screen.view()
        assert stale.stale and stale.root == fresh.root and stale.problem
        link.answers = [answer, answer]
        with pytest.raises(VerbError, match="The screen cannot be read"):
            await screen.look()  # nothing is tapped on an old picture
        assert not (await screen.view()).stale

    asyncio.run(play())


def test_waiting_is_bounded():
    link = InProcessLink(SandboxPhone(14))
    screen = Screen(Hand(link, Facts(34, 1080, 2340)))
    with pytest.raises(VerbError, match="Not on the screen: nothing"):
        asyncio.run(screen.wait(lambda root: None, "nothing", looks=3))
    assert sum(argv[0] == "uiautomator" for argv in link.commands) == 3


def test_text_beyond_ascii_without_a_keyboard_for_it_is_unavailable_and_never_shortened():
    class NoKeyboard(InProcessLink):
        async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
            if argv[:2] == ("ime", "list"):
                return ShellResult(b"com.google.android.inputmethod.latin/.LatinIME\n")
            return await super().shell(*argv, deadline_s=deadline_s)

    link = NoKeyboard(SandboxPhone(14))
    screen = Screen(Hand(link, Facts(34, 1080, 2340)))
    with pytest.raises(VerbError, match="needs the keyboard"):
        asyncio.run(screen.type("naïve"))
    assert not any(argv[0] == "input" for argv in link.commands)


def test_a_field_that_holds_something_else_afterwards_is_no_success():
    class Swallows(InProcessLink):
        async def shell(self, *argv: str, deadline_s: float, idempotent: bool = False) -> ShellResult:
            if argv[:2] == ("input", "text"):
                argv = (*argv[:2], argv[2][:-1])
            return await super().shell(*argv, deadline_s=deadline_s)

    hand = Hand(Swallows(SandboxPhone(14)), Facts(34, 1080, 2340, "Asia/Shanghai"), grants=GRANTS)
    agent = GuiAgent(Handset(hand, Screen(hand)))
    with pytest.raises(VerbError, match="The field holds 'My phon' instead of 'My phone'"):
        asyncio.run(agent.run("Settings", "open About phone, tap Device name, type 'My phone'"))


def test_ascii_is_typed_in_pieces_that_input_text_can_say():
    link = InProcessLink(SandboxPhone(14))
    asyncio.run(Screen(Hand(link, Facts(34, 1080, 2340))).type("a %s\n'b'"))
    said = [argv[1:] for argv in link.commands]
    assert said == [("text", "a%s"), ("text", "%"), ("text", "s"), ("keyevent", "KEYCODE_ENTER"), ("text", "'b'")]


def test_the_kinds_of_devices_are_three():
    assert {kind.value for kind in DeviceKind} == {"double", "emulator", "phone"}
