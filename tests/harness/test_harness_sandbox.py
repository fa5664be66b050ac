"""The runtime against the real sandbox and the real verifier."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import msgspec
import pytest

from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.contract import (
    ErrorType,
    Fault,
    GenerateReply,
    InitialState,
    Limits,
    Reply,
    Resources,
    Split,
    StopReason,
    TaskSpec,
    ToolCriteria,
    ToolStep,
)
from qpa.envs.skills import builtin_skills
from qpa.harness import GarbageModel, NullModel, ScriptedModel, default_eta, run_episode, run_tasks, tiny_eta
from qpa.harness.diagnose import Side, diagnose


def alarm_task(**more) -> TaskSpec:
    fields = {
        "id": "alarm",
        "goal": "Set an alarm at 07:30.",
        "criteria": ToolCriteria(
            steps=[ToolStep(name="manage_alarm", arguments={"action": "create", "time": "07:30"})]
        ),
        "dimension": "tool",
        "domain": "Time Management",
        "family": "alarm",
        "split": Split.DEV,
        "resources": Resources(tools=["manage_alarm"]),
    } | more
    return msgspec.convert({k: msgspec.to_builtins(v) for k, v in fields.items()}, TaskSpec)


CREATE = '<tool_call>\n{"name": "manage_alarm", "arguments": {"action": "create", "time": "07:30"}}\n</tool_call>'


class Texts:
    name, family = "texts", "compact"

    def __init__(self, *texts):
        self.texts = texts

    async def generate(self, request):
        return GenerateReply(text=self.texts[min(request.turn, len(self.texts) - 1)])


def play(model, task, **options):
    return asyncio.run(run_episode(model, make_env(BenchVerifier()), task, eta=tiny_eta(), **options))


def hanging(hang_s: float, **limits) -> TaskSpec:
    fault = Fault(tool="manage_alarm", error_type=ErrorType.TIMEOUT, hang_s=hang_s)
    return alarm_task(initial=InitialState(faults=[fault]), limits=Limits(**limits))


def test_a_hanging_tool_times_out_and_the_retry_succeeds():
    trajectory = play(Texts(CREATE, CREATE, "Done."), hanging(3600.0), call_timeout_s=0.05)
    assert [step.feedback[0].code for step in trajectory.steps[:2]] == [504, 200]
    assert trajectory.stop is StopReason.FINISHED and trajectory.verdict.success


def test_a_hanging_tool_uses_up_the_deadline():
    trajectory = play(Texts(CREATE), hanging(3600.0, deadline_s=1.5))
    assert trajectory.stop is StopReason.DEADLINE
    assert trajectory.valid and not trajectory.verdict.success


def test_rejected_calls_leave_the_database_alone():
    wrong = CREATE.replace("create", "destroy")
    trajectory = play(Texts(wrong, CREATE.replace("manage_alarm", "set_alarm"), "Done."), alarm_task())
    assert [step.feedback[0].code for step in trajectory.steps[:2]] == [400, 404]
    assert not trajectory.verdict.success


def test_a_task_the_sandbox_cannot_set_up_is_an_env_failure():
    fault = Fault(tool="no_such_tool", error_type=ErrorType.TIMEOUT)
    trajectory = play(NullModel(), alarm_task(initial=InitialState(faults=[fault])))
    assert trajectory.stop is StopReason.ENV_FAILURE and "no_such_tool" in trajectory.invalid_reason


@pytest.mark.parametrize("eta", [tiny_eta(), default_eta()])
def test_the_experts_pass_the_dev_suite_through_the_loop(eta):
    tasks = load_suite("core", Split.DEV)
    results = asyncio.run(
        run_tasks(ScriptedModel(oracle), make_env(BenchVerifier()), tasks, eta=eta, skills=builtin_skills())
    )
    failed = [(t.task.id, t.stop, t.invalid_reason) for t in results if not (t.verdict and t.verdict.success)]
    assert failed == []
    assert any(t.loaded_skills for t in results) and any(t.retrieved_memories for t in results)
    assert all(diagnose(t, t.task).cls == "success" for t in results)


def test_doing_nothing_and_garbage_score_nothing_and_are_blamed_on_the_model_or_harness():
    tasks = load_suite("core", Split.DEV)[::4]
    env = make_env(BenchVerifier())
    for model in (NullModel(), GarbageModel(1)):
        results = asyncio.run(run_tasks(model, env, tasks, eta=tiny_eta()))
        assert not any(t.verdict.success for t in results)
        assert {diagnose(t, t.task).side for t in results} <= {Side.MODEL, Side.HARNESS}
    assert isinstance(results[0].task, TaskSpec) and not isinstance(results[0].steps[0].action, Reply)


def test_the_room_needs_neither_jax_nor_a_backend():
    code = (
        "import sys, importlib, pkgutil, qpa.harness as h\n"
        "light = set(sys.modules)\n"
        "for m in pkgutil.walk_packages(h.__path__, 'qpa.harness.'): importlib.import_module(m.name)\n"
        "for n in h.__all__: getattr(h, n)\n"
        "heavy = ('jax', 'flax', 'optax', 'orbax', 'grain', 'qpa.envs', 'qpa.bench', 'qpa.models')\n"
        "print([m for m in heavy if m in sys.modules], 'sqlite3' in light)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"
