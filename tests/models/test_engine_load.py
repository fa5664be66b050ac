"""The engine with far more episodes than slots, and in steady state."""

from __future__ import annotations

import asyncio

import jax
import pytest
from tiny import engine, prompt, request

from qpa.models.programs import Programs

EPISODES, TURNS = 200, 3


async def episode(eng, i: int):
    """Turns over a prompt that groups of ten share; every ninth episode runs out of time in its second turn."""
    ids, out = prompt(i // 10, 20), []
    for turn in range(TURNS):
        fields = {"max_tokens": 3 + i % 4, "temperature": (1.0, 0.7, 0.0)[i % 3], "seed": i}
        if i % 9 == 0 and turn == 1:
            fields["time_left_s"] = 0.0
        try:
            reply = await eng.generate(request(f"e{i}", ids, turn, **fields))
        except TimeoutError:
            break
        out.append((reply.token_ids, reply.log_probs, reply.finish))
        ids = ids + reply.token_ids + prompt(1000 + i * TURNS + turn, 2 + i % 5)
    return out


def run(eng, count: int = EPISODES):
    async def main():
        return await asyncio.gather(*(episode(eng, i) for i in range(count)))

    return asyncio.run(main())


def test_hundreds_of_episodes_on_few_slots_equal_a_roomy_engine():
    roomy, crowded = engine(slots=EPISODES, decode_rows=4), engine(slots=4, decode_rows=4)
    want, got = run(roomy), run(crowded)
    assert got == want
    assert [len(out) for out in got] == [1 if i % 9 == 0 else TURNS for i in range(EPISODES)]
    assert roomy.stats()["evictions"] == 0 and crowded.stats()["evictions"] > EPISODES
    assert crowded.stats()["prefill_tokens"] > roomy.stats()["prefill_tokens"]
    assert crowded.stats()["expired"] == roomy.stats()["expired"] == len(range(0, EPISODES, 9))
    assert crowded._lanes[0].load == 0


def test_a_second_identical_workload_compiles_nothing(monkeypatch):
    compiled = []
    jax.monitoring.register_event_duration_secs_listener(lambda event, _, **__: compiled.append(event))
    eng = engine(slots=4, decode_rows=4)

    def work():
        return run(eng, 16), asyncio.run(asyncio.wait_for(eng.generate(request("l", prompt(1, 9), top_k=3)), 60))

    work()
    programs = eng.stats()["programs"]
    compiled.clear()
    jax.jit(lambda x: x + 1)(0)
    assert any("backend_compile" in event for event in compiled)  # the listener hears compilations
    compiled.clear()
    monkeypatch.setattr(Programs, "compile", lambda *_: pytest.fail("compiled a program"))
    work()
    assert eng.stats()["programs"] == programs and not [event for event in compiled if "compile" in event]


def test_seconds_on_the_host_are_those_between_device_calls():
    eng = engine()
    run(eng, 8)
    before = eng.stats()

    async def idle():
        await asyncio.sleep(0.3)  # nobody waits for the engine
        return await eng.generate(request("h", prompt(1, 9)))

    asyncio.run(idle())
    assert 0 < eng.stats()["host_seconds"] - before["host_seconds"] < 0.25
    assert eng.stats()["compile_seconds"] == before["compile_seconds"]
