"""What the sandbox costs: reset, verification, tool calls through the protocol, memory of many sessions, hostile calls.

    python -m benchmarks.sandbox

One thread. Times are medians over repeats; the probe (a fixed SQLite loop) tells how fast the machine was just then.
"""

from __future__ import annotations

import gc
import itertools
import random
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

import apsw

from qpa.bench import BenchVerifier, load_suite, make_env, oracle
from qpa.bench.replay import run_actions, run_now
from qpa.contract import Resources, TaskSpec, ToolCall
from qpa.envs.sandbox import SandboxEnv, catalog

FUZZED = 100_000
NASTY: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, -(10**30), 1e308, float("nan"), "", " ", "\x00", "x" * 100_000, "用户", "\ud800",
    "'; DROP TABLE settings; --", "-0001-13-45", "2025-02-30", "99:99", [], [[]] * 50, {}, ["x"] * 3000,
    {"a": {"b": {"c": [1] * 1000}}},
)  # fmt: skip
PLAUSIBLE: dict[str, tuple[Any, ...]] = {
    "string": ("Mom", "tomorrow 07:30", "2025-01-20", "13812345678", "Gallery", "Budget_2025.xlsx", "50", "Paris"),
    "integer": (0, 1, 5, 50, 100, 10**6),
    "number": (0.0, 0.5, 1.5, 100.0),
    "boolean": (True, False),
    "array": (["Mom"], ["Resume.pdf", "Gallery"], ["a", "a"]),
}


def median_ms(run: Callable[[], Any], repeats: int = 200) -> float:
    """Milliseconds of one call, median."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


def probe_ms() -> float:
    """A fixed amount of SQLite work."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT)")

    def work() -> None:
        for k in range(1000):
            db.execute("INSERT INTO t (v) VALUES (?)", (str(k),))

    return median_ms(work, 20)


def whole_phone(task: TaskSpec) -> TaskSpec:
    """The task with every tool of the catalogue callable."""
    task.resources = Resources(tools=[spec.name for spec in catalog()])
    return task


def measure_sessions(env: SandboxEnv, task: TaskSpec) -> None:
    """Cost per call with 1, 100 and 1,000 live sessions, and their memory.

    A session's first two calls of a tool prepare its statements; they are timed apart.
    """
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sessions: list[Any] = []
    numbers = itertools.count()

    def call(session: Any) -> float:
        number = next(numbers)
        action = "enable" if len(session.operations) % 2 else "disable"
        request = [ToolCall(id=f"c{number}", name="manage_nfc", arguments={"action": action})]
        begin = time.perf_counter()
        run_now(env.step(session, request))
        return time.perf_counter() - begin

    for count in (1, 100, 1000):
        fresh = [run_now(env.reset(task)) for _ in range(count - len(sessions))]
        first = [call(s) + call(s) for s in fresh]
        sessions += fresh
        laps = []
        for _ in range(5):
            begin = time.perf_counter()
            for number in range(4_000):
                call(sessions[number % count])
            laps.append(time.perf_counter() - begin)
        print(
            f"calls, {count:4d} live sessions: {4_000 / statistics.median(laps):9,.0f} per second, "
            f"the first two of a session {1000 * statistics.median(first):.2f} ms"
        )
    used = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 2**20
    print(f"memory of 1,000 sessions: {used:.2f} GiB")


def oracle_over(env: SandboxEnv, suite: str, split: str) -> None:
    """The expert over a whole suite; making the tasks is timed apart."""
    begin = time.perf_counter()
    tasks = load_suite(suite, split)
    made = time.perf_counter()
    won = sum(run_now(run_actions(env, t, oracle(t))).verdict.success for t in tasks)  # type: ignore[union-attr]
    print(
        f"oracle over {suite}: {won} of {len(tasks)} tasks in {time.perf_counter() - made:.1f} s, "
        f"made in {made - begin:.1f} s"
    )


def fuzz(env: SandboxEnv, task: TaskSpec) -> None:
    """Random calls with hostile values: typed feedback only, no row changed by a refused call, none slow."""
    rng, specs = random.Random(0), catalog()
    slow: list[tuple[float, str]] = []
    internal, written, refused = 0, 0, 0
    session = run_now(env.reset(task))
    for number in range(FUZZED):
        if number % 500 == 0:
            session.close()
            session = run_now(env.reset(task))
        spec = rng.choice(specs)
        arguments = {}
        for name, schema in spec.parameters["properties"].items():
            if rng.random() < 0.6 or name in spec.parameters["required"]:
                arguments[name] = rng.choice(NASTY if rng.random() < 0.4 else plausible(schema))
        changes = session.changes()
        begin = time.perf_counter()
        feedback = run_now(env.step(session, [ToolCall(f"f{number}", spec.name, arguments)]))[0]
        took = time.perf_counter() - begin
        if took > 0.05:
            slow.append((took, spec.name))
        internal += feedback.code == 500
        refused += not feedback.ok
        written += not feedback.ok and session.changes() != changes
    print(
        f"hostile calls: {FUZZED:,} ({refused:,} refused), {internal} internal errors, {written} wrote though refused"
    )
    print(f"calls over 50 ms: {len(slow)} {sorted(slow, reverse=True)[:3]}")


def plausible(schema: dict[str, Any]) -> tuple[Any, ...]:
    """Values of the right type, some of which mean something."""
    return tuple(schema["enum"]) if "enum" in schema else PLAUSIBLE[schema["type"]]


def main() -> None:
    """Prints every figure on a line of its own."""
    env = make_env(BenchVerifier())
    tasks = load_suite("core", "test_unseen_instance")
    print(f"probe: {probe_ms():.2f} ms for 1,000 inserts")
    task = tasks[0]
    run_now(env.reset(task))  # builds the world once; an episode copies it
    print(f"reset: {median_ms(lambda: run_now(env.reset(task)).close()):.2f} ms")
    trajectory = run_now(run_actions(env, task, oracle(task)))
    session = run_now(env.reset(task))
    print(f"verify: {median_ms(lambda: run_now(env.verify(session, trajectory))):.2f} ms")
    for suite, split in (("core", "test_unseen_instance"), ("mobile_oracle_tools", "test")):
        oracle_over(env, suite, split)
    gc.collect()
    gc.freeze()  # a full collection over the suites' objects takes longer than 50 ms and would hit some call at random
    fuzz(env, whole_phone(tasks[0]))
    measure_sessions(env, whole_phone(tasks[0]))


if __name__ == "__main__":
    main()
