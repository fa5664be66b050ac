"""Each kind alone: what the planner sees, what the phone did, and that it can be got over."""

from __future__ import annotations

import asyncio
import time

import pytest
from perturb_phone import Phone, env_of, task_with

from qpa.contract import EnvFailure, ErrorType, FailureCause
from qpa.envs.perturb.config import (
    AgentFaultConfig,
    InfraConfig,
    InterruptConfig,
    LatencyConfig,
    LocaleConfig,
    StaleConfig,
)

QUIET = {"popup_rate": 0.0, "permission_share": 0.0, "notice_rate": 0.0, "outage_rate": 0.0}
ALARM = {"action": "create", "time": "15:35", "title": "Choir"}


def phone(*tools, seed=0, task=None, **kinds):
    return Phone(env_of(seed, **kinds), task or task_with(*tools))


def interrupted(*tools, seed=0, task=None, **rates):
    return phone(*tools, seed=seed, task=task, interrupts=InterruptConfig(on=True, **QUIET | rates))


# --- latency ---


def test_latency_is_lognormal_on_a_virtual_clock():
    p = phone("query_contacts", "manage_alarm", latency=LatencyConfig(on=True, sigma=0.5, stall_rate=0.0))
    started = time.monotonic()
    reads = sorted(p.call("query_contacts").latency_ms for _ in range(201))
    assert reads[100] == pytest.approx(400, rel=0.15) and reads[0] < 200 < 800 < reads[-1]
    writes = sorted(
        p.call("manage_alarm", **ALARM | {"time": f"{i // 60:02}:{i % 60:02}"}).latency_ms for i in range(51)
    )
    assert writes[25] == pytest.approx(150, rel=0.3)
    assert p.session.virtual_ms == pytest.approx(sum(reads) + sum(writes))
    assert p.session.notes["virtual_ms"] == f"{p.session.virtual_ms:.0f}"
    assert time.monotonic() - started < p.session.virtual_ms / 1000 / 4  # it never slept


def test_a_stall_is_ten_times_as_long():
    calm = phone("query_contacts", latency=LatencyConfig(on=True, stall_rate=0.0)).call("query_contacts")
    stalled = phone("query_contacts", latency=LatencyConfig(on=True, stall_rate=1.0)).call("query_contacts")
    assert stalled.latency_ms == pytest.approx(10 * calm.latency_ms)


@pytest.mark.parametrize(("ran_rate", "alarms"), [(1.0, ["alarms"]), (0.0, [])])
def test_a_call_over_the_deadline_has_an_unknown_outcome(ran_rate, alarms):
    p = phone("manage_alarm", latency=LatencyConfig(on=True, deadline_ms=1.0, ran_rate=ran_rate))
    answer = p.call("manage_alarm", **ALARM)
    assert (answer.error_type, answer.code, answer.latency_ms) == (ErrorType.TIMEOUT, 504, 1.0)
    assert "may or may not have run" in answer.payload["error"] and "Alarm" not in str(answer.payload)
    assert p.changed() == alarms and p.kinds() == ["timeout, ran" if alarms else "timeout, lost"]


# --- observations ---


def test_a_stale_read_shows_the_earlier_answer_and_says_so_in_the_log_only():
    p = phone("manage_alarm", stale=StaleConfig(on=True, stale_rate=1.0, partial_rate=0.0))
    before = p.call("manage_alarm", action="query")
    p.call("manage_alarm", **ALARM)
    after = p.call("manage_alarm", action="query")
    assert after.payload == before.payload and after.call_id != before.call_id
    assert p.kinds() == ["stale"] and p.changed() == ["alarms"]


def test_a_read_that_nothing_has_changed_is_not_counted_as_stale():
    p = phone("manage_alarm", stale=StaleConfig(on=True, stale_rate=1.0, partial_rate=0.0))
    assert p.call("manage_alarm", action="query").payload == p.call("manage_alarm", action="query").payload
    assert p.kinds() == []


def test_a_partial_list_is_whole_when_read_again():
    p = phone("query_contacts", stale=StaleConfig(on=True, stale_rate=0.0, partial_rate=1.0))
    part, whole = p.call("query_contacts").payload["data"], p.call("query_contacts").payload["data"]
    assert len(whole["items"]) == whole["total"] == part["total"] > 1
    assert part["items"] == whole["items"][: (whole["total"] + 1) // 2]
    assert p.kinds() == [f"partial -{whole['total'] - len(part['items'])}"]


# --- interruptions ---


def covered_at_once(*tools, **rates):
    """A phone with a dialog before the first call, and that call's answer."""
    for seed in range(40):
        p = interrupted(*tools, seed=seed, popup_rate=1.0, **rates)
        answer = p.call("manage_alarm", **ALARM)
        if not answer.ok:
            return p, answer
    raise AssertionError("no dialog")


def test_a_dialog_is_dismissed_by_back_which_the_phone_never_sees():
    p, covered = covered_at_once("manage_alarm", "press_system_button")
    assert (covered.error_type, covered.code) == (ErrorType.CONFLICT, 409) and "dialog" in covered.payload["error"]
    assert p.call("press_system_button", button="back").payload["message"] == "Dialog closed"
    assert [o.tool for o in p.session.inner.operations] == []
    assert p.call("manage_alarm", **ALARM).ok and p.changed() == ["alarms"]
    assert [k.split()[0] for k in p.kinds()] == ["popup", "popup"] and p.kinds()[1].endswith("dismissed")


def test_a_dialog_goes_away_after_patience_and_lets_reads_through():
    p, _ = covered_at_once("manage_alarm", patience=2)
    assert p.call("manage_alarm", action="query").ok
    assert not p.call("manage_alarm", **ALARM).ok
    assert p.call("manage_alarm", **ALARM).ok


@pytest.mark.parametrize(("android", "word"), [(9, "allow SEND_SMS"), (11, "only this time"), (13, "is requested")])
def test_a_permission_is_asked_for_at_its_first_use(android, word):
    p = interrupted("send_message", "manage_alarm", permission_share=1.0, androids=(android,))
    assert p.call("manage_alarm", **ALARM).ok  # needs none
    message = {"phoneNumber": "13699265060", "content": "hi"}
    first = p.call("send_message", **message)
    assert first.error_type is ErrorType.CONFLICT and word in first.payload["error"]
    assert p.call("send_message", **message).ok and p.call("send_message", **message | {"content": "ho"}).ok
    assert p.kinds() == ["permission SEND_SMS"]


def test_a_denied_permission_stays_the_tasks_own():
    task = task_with("send_message", denied_permissions=["SEND_SMS"])
    p = interrupted(task=task, permission_share=1.0)
    assert p.call("send_message", phoneNumber="13699265060", content="hi").error_type is ErrorType.PERMISSION_DENIED
    assert p.kinds() == []


def test_an_outage_takes_networked_tools_for_some_turns():
    for seed in range(8):
        p = interrupted("query_weather", "manage_alarm", seed=seed, outage_rate=1.0, outage_steps=2)
        answers = [p.block(("query_weather", {}), ("manage_alarm", {"action": "query"})) for _ in range(5)]
        out = [i for i, (weather, _) in enumerate(answers) if weather.error_type is ErrorType.UNAVAILABLE]
        assert out in ([0, 1], [1, 2]) and all(alarm.ok for _, alarm in answers)


def test_a_notice_is_a_field_of_one_answer():
    p = interrupted("manage_alarm", notice_rate=1.0, notices=("sms",))
    payloads = [p.call("manage_alarm", action="query").payload for _ in range(6)]
    noted = [payload["interruption"] for payload in payloads if "interruption" in payload]
    assert noted == [{"kind": "sms", "app": "Messages", "text": "Running ten minutes late"}]
    assert p.kinds() == ["notice sms"]


# --- locale ---


@pytest.mark.parametrize(
    ("locale", "time", "message"),
    [
        ("en", "1/15/2025 3:35 PM", "Alarm created"),
        ("de", "15.01.2025 15:35", "Alarm erstellt"),
        ("zh", "2025年1月15日 15:35", "Alarm 已创建"),
        ("ar", "١٥/٠١/٢٠٢٥ ١٥:٣٥", "Alarm تم الإنشاء"),
    ],
)
def test_a_locale_writes_and_reads_its_own_times(locale, time, message):
    p = phone("manage_alarm", locale=LocaleConfig(on=True, rate=1.0, locales=(locale,)))
    payload = p.call("manage_alarm", **ALARM).payload
    assert (payload["data"]["time"], payload["message"]) == (time, message) and payload["data"]["title"] == "Choir"
    assert p.call("manage_alarm", action="delete", time=time).ok
    assert p.changed() == []


def test_interruptions_speak_the_locale():
    config = {"locale": LocaleConfig(on=True, rate=1.0, locales=("de",))}
    p = phone("send_message", interrupts=InterruptConfig(on=True, **QUIET | {"permission_share": 1.0}), **config)
    assert "Wartet auf den Nutzer" in p.call("send_message", phoneNumber="1", content="x").payload["error"]


# --- sub-agents ---


def test_a_sub_agent_says_done_and_has_not():
    p = phone(
        "control_ai_image_agent", agents=AgentFaultConfig(on=True, no_op=1.0, partial=0, wrong_item=0, false_done=0)
    )
    answer = p.call("control_ai_image_agent", action="generate", prompt="blue train")
    assert answer.ok and "data" not in answer.payload and p.changed() == []
    assert p.kinds()[0] == "agent no_op at call 0"
    assert p.session.task.initial.faults == []  # the recorded task is the given one


def test_agent_faults_have_their_rates():
    p = phone("control_gui_agent", seed=0, agents=AgentFaultConfig(on=True))
    planned = sum(
        len(Phone(env_of(seed, agents=AgentFaultConfig(on=True)), task_with("control_gui_agent")).kinds())
        for seed in range(100)
    )
    assert planned == pytest.approx(100 * 8 * 0.12, rel=0.25)
    assert p.session.clean is False


# --- infrastructure ---


def test_infrastructure_breaks_with_a_cause_and_a_new_try_draws_anew():
    env, task = env_of(infra=InfraConfig(on=True, reset_rate=0.5)), task_with("manage_alarm")

    async def causes():
        found = []
        for _ in range(40):
            try:
                await env.reset(task)
                found.append(None)
            except EnvFailure as failure:
                found.append(failure.cause)
        return found

    found = asyncio.run(causes())
    assert {FailureCause.TRANSIENT, FailureCause.CAPACITY, None} == set(found) and 10 <= found.count(None) <= 30


def test_a_disconnect_comes_before_or_after_the_call_has_run():
    ran = []
    for seed in range(12):
        p = phone("manage_alarm", seed=seed, infra=InfraConfig(on=True, disconnect_rate=1.0))
        with pytest.raises(EnvFailure, match="connection lost") as caught:
            p.call("manage_alarm", **ALARM)
        assert caught.value.cause is FailureCause.CONNECTION
        ran.append(bool(p.changed()))
    assert 2 <= sum(ran) <= 10
