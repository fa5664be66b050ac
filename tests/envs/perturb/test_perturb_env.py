"""The wrapper as a backend: paired and replayable hits, clean episodes, fair verdicts, solvable tasks."""

from __future__ import annotations

import asyncio
from collections import Counter

import msgspec
import pytest
from perturb_phone import Phone, env_of, task_with
from perturb_players import CopingOracle

from qpa.bench import BenchVerifier, load_suite, make_env, make_task, oracle, wilson
from qpa.contract import (
    EPISODE,
    BehaviorCriteria,
    CallTools,
    Reply,
    Step,
    StopReason,
    ToolCall,
    Trajectory,
    to_json,
)
from qpa.envs.perturb import PerturbConfig, PerturbedEnv, profile
from qpa.envs.perturb.config import (
    DriftConfig,
    InfraConfig,
    InterruptConfig,
    LatencyConfig,
    LocaleConfig,
    StaleConfig,
)
from qpa.harness import ScriptedModel, bare_eta, run_tasks, tiny_eta
from qpa.harness.runner import RESAMPLED

DEV = load_suite("core", "dev")
ALARM = {"action": "create", "time": "15:35", "title": "Choir"}


def play(model, env, tasks, **options):
    return asyncio.run(run_tasks(model, env, tasks, eta=options.pop("eta", bare_eta()), **options))


def standard(name="standard", **changes):
    config = profile(name)
    config.clean_fraction = 0.0
    for key, value in changes.items():
        setattr(config, key, value)
    return PerturbedEnv(make_env(BenchVerifier()), config)


def rate(trajectories):
    return sum(t.verdict is not None and t.verdict.success for t in trajectories) / len(trajectories)


def notes(trajectories):
    return [t.provenance.notes["perturbation"] for t in trajectories]


# --- solvable, and not for nothing ---


@pytest.mark.parametrize(("name", "coping", "blind"), [("standard", 0.95, 0.9), ("heldout", 0.95, 0.85)])
def test_an_oracle_that_reads_and_retries_still_succeeds_and_a_blind_one_does_not(name, coping, blind):
    """Every episode of the dev suite is hit; the rates are in docs/perturbation.md."""
    tasks = DEV * 2
    played = {
        label: play(CopingOracle(**how), standard(name, draw="rollout"), tasks)
        for label, how in {
            "coping": {},
            "no retry": {"retry": False},
            "blind": {"retry": False, "reads_schema": False},
        }.items()
    }
    rates = {label: rate(ends) for label, ends in played.items()}
    assert rates["coping"] >= coping and wilson(round(rates["coping"] * len(tasks)), len(tasks))[0] > 0.93
    assert rates["blind"] < rates["no retry"] - 0.05 < rates["coping"] - 0.05
    assert rates["blind"] < blind
    assert all(t.valid for ends in played.values() for t in ends)


# --- replays and pairs ---


def test_the_same_seeds_are_hit_alike_whatever_the_order_and_the_policy():
    def hits(env, model, **options):
        return [n.split(", partial")[0] for n in notes(play(model, env, DEV[:40], seed=3, **options))]

    one = hits(standard(), CopingOracle(), concurrency=1)
    assert one == hits(standard(), CopingOracle(), concurrency=16)
    env = standard()
    play(CopingOracle(), env, DEV[:40], seed=9)  # an earlier run shifts nothing
    assert one == hits(env, CopingOracle())
    assert len(set(one)) > 5 and one != hits(PerturbedEnv(env.inner, env.config, seed=1), CopingOracle())

    def apps(found):
        return [[w for w in n.partition(": ")[2].split(", ") if w.startswith(("app", "locale"))] for n in found]

    assert apps(one) == apps(hits(standard(), ScriptedModel(lambda task: [Reply(text="no")])))


def test_a_group_is_hit_as_one_or_each_rollout_in_its_own_way():
    task = next(t for t in DEV if t.family == "schedule_create")
    alike = notes(play(CopingOracle(), standard(draw="group"), [task] * 8, seed=1))
    apart = notes(play(CopingOracle(), standard(draw="rollout"), [task] * 8, seed=1))
    assert len(set(alike)) == 1 and len(set(apart)) > 2


def test_one_more_call_of_another_tool_shifts_nothing():
    def hits(extra):
        kinds = {"stale": StaleConfig(on=True, stale_rate=0.0, partial_rate=0.3), "latency": LatencyConfig(on=True)}
        p = Phone(env_of(5, **kinds), task_with("query_contacts", "manage_alarm"))
        found = []
        for _ in range(12):
            if extra:
                p.call("manage_alarm", action="query")
            answer = p.call("query_contacts")
            found.append((answer.latency_ms, len(answer.payload["data"]["items"])))
            p.session._observer._cut.clear()
        return found

    assert hits(False) == hits(True) and len({n for _, n in hits(False)}) == 2


def test_a_fixed_fraction_stays_clean_and_a_clean_episode_is_the_inner_one():
    env = PerturbedEnv(make_env(BenchVerifier()), profile("standard"))
    ends = play(CopingOracle(reads_schema=False, retry=False), env, DEV * 3, seed=4)
    config = env.config
    assert config.clean_fraction == 0.5
    clean = [t for t, n in zip(ends, notes(ends)) if n == "clean"]
    assert 0.35 < len(clean) / len(ends) < 0.65
    plain = {t.task.id: t for t in play(CopingOracle(reads_schema=False, retry=False), env.inner, DEV, seed=4)}
    for t in clean:
        assert [to_json(s.feedback) for s in t.steps] == [to_json(s.feedback) for s in plain[t.task.id].steps]
        assert t.verdict == plain[t.task.id].verdict and t.verdict.success and t.backend == "perturbed-sandbox"


def test_a_repeated_call_id_is_answered_from_the_record():
    def twice(**kinds):
        env = env_of(**kinds)
        session = asyncio.run(env.reset(task_with("manage_alarm", "send_message")))
        call = ToolCall(id="x", name="send_message", arguments={"phoneNumber": "13699265060", "content": "hi"})
        first = asyncio.run(env.step(session, [call]))
        assert asyncio.run(env.step(session, [call])) == first
        return session, first[0]

    session, answer = twice(latency=LatencyConfig(on=True))
    assert answer.ok and len(session.inner.operations) == 1 and session.virtual_ms == answer.latency_ms
    session, answer = twice(interrupts=InterruptConfig(on=True, permission_share=1.0))
    assert not answer.ok and session.inner.operations == [] and len(session.log) == 1


def test_a_clean_episode_meets_no_infrastructure_failure_either():
    infra = InfraConfig(on=True, reset_rate=1.0, disconnect_rate=1.0, judge_rate=1.0)
    (end,) = play(CopingOracle(), env_of(clean_fraction=1.0, infra=infra), DEV[:1])
    assert end.valid and end.verdict.success and end.provenance.notes["perturbation"] == "clean"


# --- verdicts ---


def judged(env, session, task, calls, reply="Done.", feedback=None):
    answers = asyncio.run(env.step(session, calls)) if feedback is None else feedback
    steps = [
        Step(index=0, observation=[], text="", action=CallTools(calls=calls), feedback=answers),
        Step(index=1, observation=[], text=reply, action=Reply(text=reply)),
    ]
    trajectory = Trajectory(task=task, steps=steps, stop=StopReason.FINISHED)
    before = to_json(trajectory)
    verdict = asyncio.run(env.verify(session, trajectory))
    assert to_json(trajectory) == before  # the record keeps what the planner said and saw
    return verdict


def test_drifted_arguments_are_judged_by_what_they_mean():
    task = next(t for t in DEV if isinstance(t.criteria, BehaviorCriteria) and t.criteria.reads)
    env = standard("heldout", drift=DriftConfig(on=True, rate=1.0, versions=(3,)))
    (end,) = play(CopingOracle(), env, [task])
    assert end.verdict.success
    name = task.criteria.reads[0]
    said = [c.arguments for s in end.steps if isinstance(s.action, CallTools) for c in s.action.calls if c.name == name]
    assert said and all("period" not in arguments for arguments in said)


@pytest.mark.parametrize(("ran_rate", "success"), [(1.0, True), (0.0, False)])
def test_a_write_that_timed_out_is_judged_by_whether_it_ran(ran_rate, success):
    task = next(t for t in DEV if t.family == "alarm_create")
    env = env_of(latency=LatencyConfig(on=True, deadline_ms=1.0, ran_rate=ran_rate))
    session = asyncio.run(env.reset(task))
    calls = [msgspec.structs.replace(c, id="a") for c in oracle(task)[0].calls]
    assert judged(env, session, task, calls).success is success


def test_a_read_that_timed_out_has_not_been_read():
    task = next(t for t in DEV if isinstance(t.criteria, BehaviorCriteria) and t.criteria.reads)
    env = env_of(latency=LatencyConfig(on=True, deadline_ms=1.0, ran_rate=1.0))
    (end,) = play(CopingOracle(retry=False), env, [task])
    assert [c.passed for c in end.verdict.checks if c.name.startswith("read:")] == [False]


def test_a_reply_in_the_phones_own_format_mentions_the_time():
    task = make_task("alarm_create", 0, "dev")
    criteria = BehaviorCriteria(mentions=[["15:35"]], reads=[])
    task = msgspec.structs.replace(task, criteria=criteria, resources=task_with("manage_alarm").resources)
    for locale, words in {"en": "It rings at 3:35 pm.", "ar": "سيرن في ١٥:٣٥"}.items():
        env = env_of(locale=LocaleConfig(on=True, rate=1.0, locales=(locale,)))
        session = asyncio.run(env.reset(task))
        call = ToolCall(id="a", name="manage_alarm", arguments=dict(ALARM))
        asyncio.run(env.step(session, [call]))
        look = ToolCall(id="b", name="manage_alarm", arguments={"action": "query"})
        verdict = judged(env, session, task, [look], reply=words)
        assert [c.passed for c in verdict.checks if c.name.startswith("mentions")] == [True]
        wrong = judged(env, session, task, [look], reply=words.replace("35", "36").replace("٣٥", "٣٦"))
        assert [c.passed for c in wrong.checks if c.name.startswith("mentions")] == [False]


def test_a_refused_write_is_no_extra_call():
    task = next(t for t in DEV if t.family == "alarm_create")
    p = Phone(env_of(drift=DriftConfig(on=True, rate=1.0, versions=(1,))), task)
    call = ToolCall(id="a", name="manage_alarm", arguments=dict(ALARM))
    (answer,) = asyncio.run(p.env.step(p.session, [call]))
    end = Trajectory(
        task=task,
        steps=[Step(index=0, observation=[], text="", action=CallTools(calls=[call]), feedback=[answer])],
        stop=StopReason.FINISHED,
    )
    lived = p.session.canonical(end)
    assert lived.steps[0].action.calls == [] == lived.steps[0].feedback
    assert end.steps[0].action.calls == [call]


# --- in the runtime loop ---


def test_the_planner_is_shown_the_sessions_own_catalogue_and_the_record_says_what_was_done():
    class Looking(CopingOracle):
        def __init__(self):
            super().__init__()
            self.shown = []

        async def generate(self, request):
            self.shown.append({s.name: s for s in request.tools})
            return await super().generate(request)

    model, env = Looking(), standard(drift=DriftConfig(on=True, rate=1.0, versions=(1,)))
    (end,) = play(model, env, DEV[:1], eta=tiny_eta())
    assert "clockTime" in model.shown[0]["manage_alarm"].parameters["properties"]
    assert end.verdict.success and "app Time Management v1" in end.provenance.notes["perturbation"]
    assert float(end.provenance.notes["virtual_ms"]) > 0
    assert end.steps[0].feedback[0].latency_ms > 0


def test_every_infrastructure_failure_is_masked_and_resampling_recovers_it():
    def env():
        return env_of(infra=InfraConfig(on=True, reset_rate=0.2, disconnect_rate=0.05, judge_rate=0.05))

    tasks = DEV * 2
    once = play(CopingOracle(), env(), tasks)
    broken = [t for t in once if not t.valid]
    assert len(broken) > 15 and all(t.stop is StopReason.ENV_FAILURE and t.verdict is None for t in broken)
    again = play(CopingOracle(), env(), tasks, resample=12)
    assert len(again) == len(tasks) and all(t.valid and t.verdict.success for t in again)
    causes = Counter(c for t in again for c in t.provenance.notes.get(RESAMPLED, "").split())
    assert set(causes) >= {"connection", "deadline"} and sum(causes.values()) >= len(broken)
    assert [t.provenance.seed for t in again] == [t.provenance.seed for t in once]


def test_what_the_inner_backend_cannot_set_up_is_left_out():
    class Listed:
        name = "listed"

        def __init__(self):
            self.inner = make_env(BenchVerifier())

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def supports(self, task):
            return "no fault plans" if task.initial.faults else ""

    env = PerturbedEnv(Listed(), profile("standard"))
    env.config.clean_fraction, env.config.agents.no_op = 0.0, 0.5
    session = asyncio.run(env.reset(task_with("control_gui_agent")))
    assert session.inner.task.initial.faults == [] and not any(e.kind.startswith("agent") for e in session.log)
    assert env.capabilities().fork is False and env.capabilities().backend == "perturbed-listed"


def test_outside_of_a_run_sessions_are_numbered():
    env = PerturbedEnv(make_env(BenchVerifier()), PerturbConfig(clean_fraction=0.5))
    assert EPISODE.get() is None

    async def clean(env):
        return [(await env.reset(DEV[0])).clean for _ in range(24)]

    one = asyncio.run(clean(env))
    assert one == asyncio.run(clean(PerturbedEnv(env.inner, env.config))) and 5 < sum(one) < 19
