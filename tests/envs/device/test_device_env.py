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
from qpa.contract import Effect, EnvFailure, ErrorType, FailureCause, TaskSpec, ToolCall
from qpa.contract.tasks import Fault
from qpa.envs.device import screen
from qpa.envs.device.bindings import BINDINGS, HOST, TABLES, why_not
from qpa.envs.device.double.phone import SandboxPhone
from qpa.envs.device.enrolment import DeviceKind
from qpa.envs.device.hand import GRANTS
from qpa.envs.sandbox import catalog

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


# --- grants ----------------------------------------------------------------------------------------------------------

PEOPLE = {"contacts": [{"id": "contact_701", "name": "Ada", "phone": "5550170"}]}


def test_a_phone_sends_nothing_without_a_grant(tmp_path: Path):
    phone = SandboxPhone(14)
    phone.begin(task_of([], PEOPLE))
    env, links = env_over(tmp_path, phone, kind=DeviceKind.PHONE)

    async def play() -> None:
        session = await env.reset(task_of(["send_message", "make_call", "manage_call_forwarding"], PEOPLE))
        call = Player(env, session)
        for answer in (
            await call("send_message", content="Hi", contact="Ada"),
            await call("make_call", contact="Ada"),
            await call("manage_call_forwarding", action="enable", phoneNumber="5550170"),
        ):
            assert (answer.error_type, answer.code) == (ErrorType.PERMISSION_DENIED, 403)
            assert answer.payload["error"].startswith("Not granted for this task")
        assert not any("SENDTO" in " ".join(c) or "CALL" in " ".join(c) for c in links[0].commands)
        assert (await env.evidence(session)).changes == []
        await env.close(session)

    asyncio.run(play())
    assert phone.env.evidence(phone.session).changes == []


def test_a_grant_is_of_one_verb_and_the_inventory_holds_besides(tmp_path: Path):
    async def play(effects: list[Effect]) -> list[int]:
        phone = SandboxPhone(14)
        phone.begin(task_of([], PEOPLE))
        env, _ = env_over(
            tmp_path, phone, kind=DeviceKind.PHONE, effects=effects, grants=lambda task, device: {"tap_send"}
        )
        session = await env.reset(task_of(["send_message", "make_call"], PEOPLE))
        call = Player(env, session)
        codes = [(await call("send_message", content="Hi", contact="Ada")).code]
        codes.append((await call("make_call", contact="Ada")).code)
        await env.close(session)
        return codes

    assert asyncio.run(play(list(Effect))) == [200, 403]
    assert asyncio.run(play([Effect.READ, Effect.REVERSIBLE])) == [403, 403]


def test_denied_permissions_and_the_fault_plan_are_played_by_the_host(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14))
    fault = Fault(tool="manage_nfc", error_type=ErrorType.UNAVAILABLE, count=1)

    async def play() -> None:
        task = task_of(["make_call", "manage_nfc"], PEOPLE, denied_permissions=["CALL_PHONE"], faults=[fault])
        session = await env.reset(task)
        call = Player(env, session)
        assert (await call("make_call", contact="Ada")).payload["error"] == "Permission denied: CALL_PHONE"
        assert (await call("manage_nfc", action="enable")).code == 503
        assert (await call("manage_nfc", action="enable")).code == 200
        await env.close(session)

    asyncio.run(play())


# --- deadlines -------------------------------------------------------------------------------------------------------


def _hang(word: str) -> Any:
    def fail(argv: tuple[str, ...]) -> Exception | None:
        return EnvFailure("no answer in time", FailureCause.DEADLINE) if word in " ".join(argv) else None

    return fail


@pytest.mark.parametrize("ran", [True, False], ids=["it ran", "it did not run"])
def test_an_action_without_an_answer_is_looked_at_and_not_repeated(ran: bool, tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm"]))
        call = Player(env, session)
        link.fail, link.late = _hang("SET_ALARM"), ran
        answer = await call("manage_alarm", action="create", time="15:35", title="Choir")
        assert answer.error_type is ErrorType.TIMEOUT and answer.code == 504 and not answer.ok
        assert answer.payload["outcome"] == "unknown"
        assert answer.payload["observed"] is ran
        assert sum("SET_ALARM" in " ".join(argv) for argv in link.commands) == 1
        link.fail = lambda argv: None
        listed = await call("manage_alarm", action="query", title="Choir")
        assert listed.payload["data"]["total"] == int(ran)
        await env.close(session)

    asyncio.run(play())


def test_a_phone_that_cannot_be_looked_at_is_no_tools_failure(tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_alarm", "query_contacts"]))
        call = Player(env, session)
        link.fail = _hang("")
        for tool, arguments in (
            ("manage_alarm", {"action": "create", "time": "15:35", "title": "Choir"}),
            ("query_contacts", {}),
        ):
            with pytest.raises(EnvFailure) as caught:
                await call(tool, **arguments)
            assert caught.value.cause is FailureCause.DEADLINE
        await env.close(session)  # the phone is still gone: closing must not raise

    asyncio.run(play())


def test_a_phone_that_refuses_changes_nothing_and_says_so(tmp_path: Path):
    """The command "succeeds" and nothing happens: rc 0 is not believed."""
    env, (link,) = env_over(tmp_path, SandboxPhone(14))

    async def play() -> None:
        session = await env.reset(task_of(["manage_nfc"], {"settings": [{"key": "nfc", "value": "off"}]}))
        call = Player(env, session)
        whole = link.phone
        link.phone = _Deaf(whole, "svc nfc")  # type: ignore[assignment]
        answer = await call("manage_nfc", action="enable")
        assert answer.payload == {"success": False, "error": "The phone does not show it: nfc", "code": 503}
        link.phone = whole
        assert (await call("manage_nfc", action="query")).payload["data"]["enabled"] is False
        await env.close(session)

    asyncio.run(play())


class _Deaf:
    """A phone that says nothing to one command and does not do it."""

    def __init__(self, phone: SandboxPhone, command: str) -> None:
        self._phone, self._command = phone, command

    def shell(self, command: str) -> Any:
        return self._phone.shell("true" if command.startswith(self._command) else command)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._phone, name)


# --- leases ----------------------------------------------------------------------------------------------------------


def test_leases_are_exclusive_numbered_and_refused_when_over(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14), SandboxPhone(11), wait_s=0.05)

    async def play() -> None:
        task = task_of(["manage_nfc"])
        one, two = await env.reset(task), await env.reset(task)
        assert {one.lease.serial, two.lease.serial} == {"phone-0", "phone-1"}
        with pytest.raises(EnvFailure) as caught:
            await env.reset(task)
        assert caught.value.cause is FailureCause.CAPACITY
        await env.close(one)
        await env.close(one)
        again = await env.reset(task)
        assert again.lease.serial == one.lease.serial and again.lease.epoch > one.lease.epoch
        one.closed = False  # someone who kept it
        with pytest.raises(EnvFailure) as caught:
            await Player(env, one)("manage_nfc", action="enable")
        assert caught.value.cause is FailureCause.LEASE
        one.closed = True
        for session in (two, again):
            await env.close(session)

    asyncio.run(play())


def test_a_waiting_reset_gets_the_phone_that_is_freed(tmp_path: Path):
    env, _ = env_over(tmp_path, SandboxPhone(14), wait_s=10)

    async def play() -> None:
        task = task_of(["manage_nfc"])
        first = await env.reset(task)
        waiting = asyncio.create_task(env.reset(task))
        await asyncio.sleep(0)
        assert not waiting.done()
        await env.close(first)
        second = await asyncio.wait_for(waiting, 10)
        await env.close(second)

    asyncio.run(play())


def test_a_phone_that_does_not_answer_is_passed_over(tmp_path: Path):
    env, links = env_over(tmp_path, SandboxPhone(14), SandboxPhone(14))
    links[0].fail = _hang("getprop")

    async def play() -> None:
        session = await env.reset(task_of(["manage_nfc"]))
        assert session.lease.serial == "phone-1"
        await env.close(session)
        links[1].fail = _hang("getprop")
        with pytest.raises(EnvFailure) as caught:
            await env.reset(task_of(["manage_nfc"]))
        assert caught.value.cause is FailureCause.DEADLINE
        links[0].fail = lambda argv: None
        session = await env.reset(task_of(["manage_nfc"]))
        assert session.lease.serial == "phone-0"
        await env.close(session)

    asyncio.run(play())


def test_a_phone_enrolled_as_a_double_is_refused(tmp_path: Path):
    env, (link,) = env_over(tmp_path, SandboxPhone(14))
    whole = link.phone
    link.phone = _NoDouble(whole)  # type: ignore[assignment]
    with pytest.raises(EnvFailure, match="enrolled as a double, and is none"):
        asyncio.run(env.reset(task_of([])))


class _NoDouble(_Deaf):
    def __init__(self, phone: SandboxPhone) -> None:
        super().__init__(phone, "")

    def shell(self, command: str) -> Any:
        return self._phone.shell("no-such-command" if command.startswith("qpa-double") else command)
