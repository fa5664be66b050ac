"""The MCP backend against a real server process, over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import os
import time

import pytest
from mcp_doubles import call, http_server, play, quick, stdio_server, task

from qpa.bench import BenchVerifier
from qpa.contract import (
    BehaviorCriteria,
    ContractError,
    Effect,
    EnvFailure,
    ErrorType,
    FailureCause,
    Fault,
    GenerateReply,
    InitialState,
    Limits,
    Resources,
    StateCriteria,
    StopReason,
    ToolCriteria,
    ToolStep,
)
from qpa.envs.mcp import McpEnv, McpServer, pin
from qpa.harness import run_episode, tiny_eta


@pytest.fixture(scope="module")
def lock(tmp_path_factory):
    path = tmp_path_factory.mktemp("mcp") / "lock.json"
    asyncio.run(pin([stdio_server()], path))
    return path


@pytest.fixture(scope="module")
def web():
    with http_server(limits=quick(call_s=2)) as server:
        yield server


@pytest.fixture(params=["stdio", "http"])
def env(request, lock):
    server = stdio_server(limits=quick()) if request.param == "stdio" else request.getfixturevalue("web")
    return McpEnv([server], lock)


@pytest.fixture
def web_env(web, lock):
    return McpEnv([web], lock)


def failure_of(env: McpEnv, *blocks) -> EnvFailure:
    with pytest.raises(EnvFailure) as caught:
        play(env, *blocks)
    return caught.value


def gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        with open(f"/proc/{pid}/stat") as stat:  # a zombie of a killed grandchild waits for this machine's init
            if stat.read().rpartition(")")[2].split()[0] == "Z":
                return True
        time.sleep(0.01)
    return False


def test_results_come_in_the_published_envelope(env):
    blocks = [
        [call("add", "1", a=2, b=3), call("echo", "2", text="闹钟 🎉")],
        [call("media", "3"), call("notes", "4"), call("ask", "5"), call("add", "6", a="two")],
    ]
    (add, echo), (media, notes, ask, wrong) = play(env, *blocks)
    assert add.payload == {"success": True, "message": "", "data": {"sum": 5}} and add.ok
    assert echo.payload == {"success": True, "message": "闹钟 🎉", "data": {}}
    assert media.payload["data"]["content"] == [
        {"type": "image", "mimeType": "image/png", "bytes": 300},
        {"type": "resource_link", "uri": "file:///x", "name": "x"},
        {"type": "resource", "uri": "note://1", "text": "inside"},
    ]
    assert notes.payload["data"] == {"items": []}
    assert (ask.error_type, ask.code) == (ErrorType.UNAVAILABLE, 503)
    assert (wrong.error_type, wrong.ok) == (ErrorType.INVALID_ARGUMENT, False)


def test_an_error_of_a_tool_is_feedback_of_a_fitting_type(web_env):
    words = {
        "no such file": ErrorType.NOT_FOUND,
        "Permission denied": ErrorType.PERMISSION_DENIED,
        "it already exists": ErrorType.CONFLICT,
        "text must be shorter": ErrorType.INVALID_ARGUMENT,
        "service unavailable": ErrorType.UNAVAILABLE,
        "kaboom": ErrorType.INTERNAL,
        "coded": ErrorType.CONFLICT,
    }
    block = [call("fail", str(i), text=text) for i, text in enumerate(words)]
    (answers,) = play(web_env, block)
    assert [a.error_type for a in answers] == list(words.values())
    assert answers[0].payload == {"success": False, "error": "no such file", "code": 404}
    assert not any(a.ok for a in answers)


def test_a_server_s_text_loses_what_nobody_sees_and_what_is_too_long(web_env):
    strange, huge = play(web_env, [call("strange", "1"), call("huge", "2", size=100_000)])[0]
    assert strange.payload["message"] == "red  ab  闹钟 🎉 café"
    assert len(huge.payload["message"]) < 4100 and huge.payload["message"].endswith("[96000 characters cut]")
    described = {spec.name: spec.description for spec in web_env.catalog()}
    assert described["strange"] == "Says red  ab  闹钟 🎉 café"


def test_a_hanging_tool_costs_its_deadline_and_is_the_environment_s_failure(lock):
    env = McpEnv([stdio_server(limits=quick(call_s=0.5))], lock)
    started = time.monotonic()
    failure = failure_of(env, [call("hang")])
    assert failure.cause is FailureCause.DEADLINE and "may or may not" in str(failure)
    assert time.monotonic() - started < 8


def test_a_call_with_an_unknown_outcome_is_not_repeated(web, lock):
    env = McpEnv([web], lock)

    async def run():
        session = await env.reset(task("hang", "note/add".replace("/", "_")))
        for _ in range(2):
            with pytest.raises(EnvFailure) as caught:
                await env.step(session, [call("hang")])
        await env.close(session)
        return caught.value

    started = time.monotonic()
    assert "not repeated" in str(asyncio.run(run())) and time.monotonic() - started < 2 * 2 + 5


def test_a_crash_is_a_lost_connection_with_the_server_s_last_words(lock):
    failure = failure_of(McpEnv([stdio_server(limits=quick())], lock), [call("crash")])
    assert failure.cause is FailureCause.CONNECTION
    assert "fatal: out of cheese" in str(failure) and "\x1b" not in str(failure)


def test_a_crash_of_a_web_server_is_a_lost_connection(lock):
    with http_server(limits=quick(call_s=5)) as server:
        assert failure_of(McpEnv([server], lock), [call("crash")]).cause is FailureCause.CONNECTION
        assert failure_of(McpEnv([server], lock), [call("pid")]).cause is FailureCause.CONNECTION


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_a_message_above_the_limit_ends_the_connection(lock, transport):
    limits = quick(message_bytes=100_000, call_s=10)
    if transport == "stdio":
        failure = failure_of(McpEnv([stdio_server(limits=limits)], lock), [call("huge", size=300_000)])
    else:
        with http_server(limits=limits) as server:
            failure = failure_of(McpEnv([server], lock), [call("huge", size=300_000)])
    assert failure.cause is FailureCause.BACKEND, failure


def test_structured_content_against_its_schema_is_the_server_s_fault(web_env):
    failure = failure_of(web_env, [call("bad_sum")])
    assert failure.cause is FailureCause.BACKEND and "structured content" in str(failure)


def test_nothing_is_left_of_a_server_that_has_a_stubborn_child(lock):
    env = McpEnv([stdio_server(limits=quick())], lock)
    pids = play(env, [call("child")])[0][0].payload["message"].split()
    assert len(pids) == 2 and all(gone(int(pid)) for pid in pids)


def test_a_cancelled_reset_or_call_leaves_no_process_behind(lock):
    env = McpEnv([stdio_server(limits=quick())], lock)

    async def run():
        session = await env.reset(task("pid", "hang"))
        pid = int((await env.step(session, [call("pid")]))[0].payload["message"])
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await env.step(session, [call("hang", "c1")])
        await env.close(session)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await env.reset(task("pid"))
        return pid

    assert gone(asyncio.run(run()))
    children = os.popen(f"ps -o pid= -o args= --ppid {os.getpid()}").read()
    assert "mcp_server_double.py stdio" not in children


def test_a_loop_that_ends_takes_its_shared_servers_along_and_the_next_one_starts_its_own(lock):
    env = McpEnv([stdio_server(limits=quick(), shared="only reads in this test")], lock)

    async def run():
        session = await env.reset(task("pid"))
        again = await env.reset(task("pid"))
        pids = [(await env.step(s, [call("pid")]))[0].payload["message"] for s in (session, again)]
        await env.close(session)
        return [int(pid) for pid in pids]

    first, second = asyncio.run(run()), asyncio.run(run())
    assert first[0] == first[1] and second[0] == second[1] and first[0] != second[0]
    assert gone(first[0]) and gone(second[0])


def test_sessions_have_their_own_server_unless_it_is_shared(lock):
    for shared, seen in (("", []), ("one list for all", ["a"])):
        env = McpEnv([stdio_server(limits=quick(), shared=shared)], lock)

        async def run(env=env):
            one, two = await env.reset(task("note_add", "notes")), await env.reset(task("note_add", "notes"))
            await env.step(one, [call("note_add", "1", text="a")])
            items = (await env.step(two, [call("notes", "2")]))[0].payload["data"]["items"]
            await asyncio.gather(env.close(one), env.close(two))
            await env.aclose()
            return items

        assert asyncio.run(run()) == seen


def test_a_block_of_known_readers_runs_at_once_and_any_other_in_order(lock):
    block = [call("slow", str(i)) for i in range(3)]
    trusting = McpEnv([stdio_server(limits=quick(), trust_annotations=True)], lock)
    assert {a.payload["message"] for a in play(trusting, block)[0]} & {"2", "3"}
    wary = McpEnv([stdio_server(limits=quick(), effects={"slow": Effect.REVERSIBLE})], lock)
    assert [a.payload["message"] for a in play(wary, block[:1])[0]] == ["1"]


def test_a_repeated_call_id_replays_its_answer(web_env):
    note = call("note_add", "1", text="once")
    first, second, other = play(web_env, [note], [note], [call("note_add", "1", text="else")])
    assert first == second
    assert other[0].error_type is ErrorType.CONFLICT


def test_many_sessions_at_once(lock):
    env = McpEnv([stdio_server(limits=quick(), shared="stateless tools")], lock)

    async def one(n):
        session = await env.reset(task("add"))
        answers = [await env.step(session, [call("add", f"{n}.{i}", a=n, b=i)]) for i in range(5)]
        await env.close(session)
        return [a[0].payload["data"]["sum"] for a in answers]

    async def run():
        try:
            return await asyncio.gather(*(one(n) for n in range(20)))
        finally:
            await env.aclose()

    assert asyncio.run(run()) == [[n + i for i in range(5)] for n in range(20)]


class Script:
    name, family = "script", "compact"

    def __init__(self, *texts):
        self.texts = texts

    async def generate(self, request):
        return GenerateReply(text=self.texts[min(request.turn, len(self.texts) - 1)])


def said(name, arguments):
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def test_an_episode_from_the_runtime_s_side(env, lock):
    wanted = ToolCriteria(steps=[ToolStep(name="add", arguments={"a": 2, "b": 3})])
    judged = McpEnv(list(env._servers.values()), lock, verifier=BenchVerifier(env.catalog()))
    model = Script(said("add", '{"a": 2, "b": 3}'), "5.")
    episode = task("add", criteria=wanted)
    trajectory = asyncio.run(run_episode(model, judged, episode, eta=tiny_eta()))
    assert trajectory.stop is StopReason.FINISHED and trajectory.verdict.success
    assert trajectory.backend == "mcp" and len(trajectory.provenance.notes["mcp_lock"]) == 64
    assert '"sum":5' in trajectory.steps[1].observation[0].content.replace(" ", "")


def test_a_broken_server_is_an_invalid_episode_and_no_reward(lock):
    env = McpEnv([stdio_server(limits=quick(call_s=1))], lock, verifier=BenchVerifier([]))
    for name, cause in (("crash", "connection"), ("hang", "deadline")):
        model = Script(said(name, "{}"), "Done.")
        trajectory = asyncio.run(run_episode(model, env, task(name, limits=Limits(deadline_s=20)), eta=tiny_eta()))
        assert trajectory.stop is StopReason.ENV_FAILURE and not trajectory.valid and trajectory.verdict is None
        assert f"EnvFailure/{cause}" in trajectory.invalid_reason


def test_what_it_cannot_play_it_says(lock):
    env = McpEnv([stdio_server(trust_annotations=True)], lock)
    forbids = BehaviorCriteria(reads=["notes"])
    assert env.supports(task("notes", "echo", criteria=forbids)) == ""
    assert "rows" in env.supports(task("notes", criteria=StateCriteria(delta=[])))
    assert "patch" in env.supports(task("notes", initial=InitialState(patch={"a": [{"b": 1}]})))
    assert "fault" in env.supports(task("notes", initial=InitialState(faults=[Fault(tool="notes")])))
    assert "permissions" in env.supports(task("notes", initial=InitialState(denied_permissions=["X"])))
    assert "'nothing'" in env.supports(task("nothing"))
    assert "skill" in env.supports(task("notes", resources=Resources(tools=["notes"], skills=["a"])))
    assert "'notes'" in McpEnv([stdio_server()], lock).supports(task("notes", criteria=forbids))
    with pytest.raises(EnvFailure) as caught:
        asyncio.run(env.reset(task("nothing")))
    assert caught.value.cause is FailureCause.UNSUPPORTED
    assert env.capabilities().seeding == "none" and not env.capabilities().deterministic


def test_a_server_that_does_not_start_or_answer_is_named(lock):
    for command, cause in ((["/nonexistent/x"], FailureCause.BACKEND), (["true"], FailureCause.CONNECTION)):
        env = McpEnv([McpServer(name="double", command=command, limits=quick())], lock)
        failure = failure_of(env, [call("pid")])
        assert failure.cause is cause and "mcp server double" in str(failure)
    deaf = McpEnv([stdio_server("deaf", limits=quick(connect_s=1.5))], lock)
    started = time.monotonic()
    assert failure_of(deaf, [call("pid")]).cause is FailureCause.DEADLINE
    assert time.monotonic() - started < 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": "a b", "command": ["x"]},
        {"name": "a", "command": ["x"], "url": "http://h/"},
        {"name": "a"},
        {"name": "a", "url": "ftp://h/"},
        {"name": "a", "command": ["x\x00"]},
        {"name": "a", "command": ["x"], "prefix": "a/b"},
        {"name": "a", "command": ["x"], "headers": {"A": "b"}},
        {"name": "a", "url": "http://h/", "cwd": "/"},
    ],
)
def test_a_wrong_configuration_names_the_server_and_the_field(wrong, tmp_path):
    with pytest.raises(ContractError, match="mcp server"):
        asyncio.run(pin([McpServer(**wrong)], tmp_path / "lock.json"))
