"""`DeviceEnv` over the double in this process: whole episodes, evidence, grants, deadlines, leases."""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from env_phones import Player, env_over, task_of
from verb_phones import HOSTILE

from qpa.bench import BenchVerifier, load_suite, make_env, oracle, run_actions
from qpa.contract import EnvFailure, ErrorType, FailureCause, RowChange, StateCriteria, TaskSpec, ToolCall
from qpa.envs.device import readback, screen
from qpa.envs.device.bindings import BINDINGS, HOST, TABLES, why_not
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind
from qpa.envs.device.hand import GRANTS
from qpa.envs.sandbox import catalog
from qpa.envs.skills import builtin_skills

# Sub-agent tasks of the GUI: the sandbox's agent says "no data changed" to an order for which a screen has nothing.
NOT_ON_A_SCREEN = {"gui_errand", "gui_fallback"}

# Their first call is a reading that no phone has; an oracle goes on without the answer, which a planner could not.
BLIND = {"saver_by_usage", "skill_protection"}


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """The double answers at once; what it does not show now it never will."""
    monkeypatch.setattr(screen, "PAUSE_S", 0.0)
    monkeypatch.setattr("qpa.envs.device.mirror.CONFIRM_PAUSE_S", 0.0)
    monkeypatch.setattr("qpa.envs.device.table_traffic.PAUSE_S", 0.0)


def tasks_of(families: Collection[str] = ()) -> list[TaskSpec]:
    """The first development task of each family, or of these."""
    first = load_suite("core", "dev", limit=43)
    return [task for task in first if not families or task.family in families]


# Families whose commands differ by version: alarms, timers, Wi-Fi, radios, Bluetooth, messages, notes.
VERSIONED = {"alarm_create", "alarm_delete", "countdown_start", "wifi_connect", "skill_wifi", "skill_order"}
VERSIONED |= {"switch_branch", "device_pair_retry", "message_send", "skill_note", "forward_to_contact"}


@pytest.mark.parametrize(("android", "families"), [(14, ()), (8, VERSIONED), (11, VERSIONED), (16, VERSIONED)])
def test_oracle_episodes_have_the_sandboxs_verdicts(android: int, families: Collection[str], tmp_path: Path):
    phone = SandboxPhone(android)
    env, _ = env_over(tmp_path, phone)
    sandbox = make_env(BenchVerifier(catalog()))
    played: collections.Counter[str] = collections.Counter()

    async def play() -> None:
        for task in tasks_of(families):
            if env.supports(task):
                continue
            there = await run_actions(sandbox, task, oracle(task))
            here = await run_actions(env, task, oracle(task))
            if task.family in NOT_ON_A_SCREEN:
                assert here.verdict is not None and not here.verdict.success
                continue
            assert here.verdict == there.verdict, task.id
            assert here.verdict is not None and here.verdict.success, task.id
            played[task.dimension.value] += 1
            if task.family in BLIND:
                continue
            said = [f.payload for step in here.steps for f in step.feedback or []]
            assert said == [f.payload for step in there.steps for f in step.feedback or []], task.id

    asyncio.run(play())
    assert phone.crashes == []
    if not families:  # of 23, 7, 7 and 6: the others want what no phone has, or what no screen of the double shows
        assert played == {"tool": 19, "memory": 6, "skill": 7, "subagent": 4}


def test_what_a_phone_cannot_do_is_told_before_the_episode(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(14))
    reasons = {task.family: env.supports(task) for task in tasks_of() if env.supports(task)}
    assert reasons["focus_replace"] == "it wants focus_sessions changed, which no command of a phone does"
    assert {"alarm_and_todo", "hotspot_configure", "memory_send_file"} <= reasons.keys()
    (task,) = tasks_of({"focus_replace"})
    with pytest.raises(EnvFailure) as caught:
        asyncio.run(env.reset(task))
    assert caught.value.cause is FailureCause.UNSUPPORTED
    assert links[0].commands == []


def test_read_back_equals_the_doubles_privileged_evidence(tmp_path: Path):
    """A double enrolled as a phone: only what its screens and providers show, against what its tables say."""
    phone = SandboxPhone(14)
    env, _ = env_over(tmp_path, phone, kind=DeviceKind.PHONE, grants=lambda task, device: GRANTS)
    tables: collections.Counter[str] = collections.Counter()

    async def play() -> None:
        for task in tasks_of():
            if env.supports(task) or task.family in NOT_ON_A_SCREEN or task.dimension.value == "memory":
                continue
            phone.begin(task)  # as if a person had set this phone up so
            session = await env.reset(task)
            try:
                for action in oracle(task):
                    await env.step(session, getattr(action, "calls", []))
                shown = await env.evidence(session)
                privileged = phone.env.evidence(phone.session).changes
                watch = session.watch
                host = {(c.table, str(c.key)) for c in session.host_changes()}
            finally:
                await env.close(session)
            visible = [c for c in shown.changes if (c.table, str(c.key)) not in host]
            wanted = [c for c in privileged if c.key.get("key", c.table) in {*watch[0], *watch[1]}]
            unseen = {c.key.get("key", c.table) for c in privileged} - {c.key.get("key", c.table) for c in wanted}
            # Left by walking through apps, asked for by nobody; and what airplane mode takes along.
            assert unseen <= {"apps", "foreground_app", "hotspot", "vpn_profiles"}, task.id
            assert [plain(c) for c in visible] == [plain(c) for c in wanted], task.id
            tables.update(c.table for c in wanted)

    asyncio.run(play())
    assert {"alarms", "countdowns", "messages", "schedules", "reminders", "settings", "wifi_networks"} <= tables.keys()


def plain(change: Any) -> tuple[Any, ...]:
    """A change without what its maker chose: the ids of new rows, and what no phone shows of a row."""
    hidden = {"id", "snoozed_until", "created_at", "ringtone"}
    new = {k: v for k, v in change.new.items() if k not in hidden}
    old = {k: v for k, v in change.old.items() if k not in hidden}
    key = () if change.op == "insert" else tuple(change.key.values())
    known = key if change.table == "settings" or change.table.endswith(("networks", "devices")) else ()
    return change.table, change.op, known, tuple(sorted(old.items())), tuple(sorted(new.items()))


def test_every_tool_is_bound_or_says_why_not(tmp_path: Path):
    names = {spec.name for spec in catalog()}
    assert names >= BINDINGS.keys() | HOST
    assert not BINDINGS.keys() & HOST
    for name in names - BINDINGS.keys() - HOST - {"control_gui_agent"}:
        assert why_not(name)
    for binding in BINDINGS.values():
        assert set(binding.tables) <= TABLES.keys()


def test_an_unbound_tool_checks_its_arguments_and_is_unavailable(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_stopwatch", "manage_vibration"]))
        call = Player(env, session)
        sent = len(links[0].commands)
        wrong = await call("manage_stopwatch", action="jump")
        assert (wrong.code, wrong.error_type) == (400, ErrorType.INVALID_ARGUMENT)
        answer = await call("manage_stopwatch", action="start")
        assert answer.payload == {
            "success": False,
            "error": "Not on a phone: the Clock has no intent for its stopwatch",
            "code": 503,
        }
        half = await call("manage_vibration", action="enable", type="keyboard")
        assert half.error_type is ErrorType.UNAVAILABLE and "keyboard" in half.payload["error"]
        assert (await call("manage_wifi", action="enable")).error_type is ErrorType.UNKNOWN_TOOL
        assert len(links[0].commands) == sent
        assert (await env.evidence(session)).changes == []
        await env.close(session)

    asyncio.run(play())


def test_a_repeated_call_replays_its_answer_and_sends_nothing(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm"]))
        call = ToolCall(id="a", name="manage_alarm", arguments={"action": "create", "time": "15:35", "title": "Choir"})
        (first,) = await env.step(session, [call])
        sent = len(links[0].commands)
        (second,) = await env.step(session, [call])
        assert first.ok and second == first
        assert len(links[0].commands) == sent
        assert [c.op for c in (await env.evidence(session)).changes] == ["insert"]
        await env.close(session)

    asyncio.run(play())


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_reaches_the_phone_verbatim(text: str, tmp_path: Path):
    """Through the real shell grammar of the double, to the row that a verifier sees."""
    phone = SandboxPhone(14)
    env, _ = env_over(tmp_path, phone)

    async def play() -> None:
        session = await env.reset(task_of(["manage_schedule", "manage_alarm", "add_contact", "send_message"]))
        call = Player(env, session)
        answers = [
            await call("manage_schedule", action="create", event=text, datetime="2025-01-20 10:00", location=text),
            await call("add_contact", name=text, phoneNumber="5550199"),
            await call("send_message", content=text, phoneNumber="5550199"),
            await call("manage_alarm", action="create", time="15:35", title=text),
        ]
        assert [answer.payload.get("error", "") for answer in answers] == [""] * 4
        changes = {change.table: change.new for change in (await env.evidence(session)).changes}
        assert changes["schedules"]["event"] == changes["schedules"]["location"] == text.strip()
        assert changes["contacts"]["name"] == text.strip()
        assert changes["messages"]["content"] == text.strip()
        assert changes["alarms"]["title"] == text.strip()
        assert changes.keys() == {"schedules", "contacts", "messages", "alarms"}
        await env.close(session)

    asyncio.run(play())
    assert phone.crashes == []
    ran = {argv[0] for argv in phone.log}
    assert ran <= {
        "am",
        "cmd",
        "content",
        "date",
        "dumpsys",
        "getprop",
        "input",
        "ps",
        "qpa-double",
        "rm",
        "settings",
        "uiautomator",
        "wm",
        "ime",
        "pm",
    }


def test_what_is_watched_on_a_phone_follows_from_the_task():
    task = task_of(["send_message", "manage_wifi", "manage_stopwatch", "query_battery"])
    tables, settings = readback.watched(task, [])
    assert tables == ("contacts", "messages", "wifi_networks")  # people first: messages take their names from them
    assert settings == ("airplane_mode", "battery_mode", "wifi")  # nothing that no tool could change
    alarm = next(skill for skill in builtin_skills() if "manage_alarm" in skill.tools)
    assert "alarms" in readback.watched(task_of([]), [alarm])[0]
    sends = task_of([])
    sends.criteria = StateCriteria(delta=[RowChange(table="messages", op="insert")])
    assert readback.watched(sends, [])[0] == ("contacts", "messages")
