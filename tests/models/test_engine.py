"""The engine against the training forward, and against itself under every schedule."""

from __future__ import annotations

import asyncio

import jax
import numpy as np
import pytest
from tiny import PARAMS, SPECIAL, Format, engine, full_logits, log_softmax, packed_logits, planner, prompt, request

from qpa.config import EngineConfig, ModelConfig
from qpa.models import lane as lane_module
from qpa.models.engine import Engine
from qpa.models.programs import Programs
from qpa.models.transformer import create


def gather(eng, *requests):
    async def main():
        return await asyncio.gather(*(eng.generate(r) for r in requests))

    return asyncio.run(main())


def outcome(reply):
    return reply.token_ids, reply.log_probs, reply.finish


@pytest.fixture(scope="module")
def shared():
    return engine()


def test_greedy_is_the_full_forward(shared):
    ids = prompt(0, 20)
    (reply,) = gather(shared, request("greedy", ids, temperature=0.0))
    for i, token in enumerate(reply.token_ids):
        logits = full_logits(PARAMS, ids + reply.token_ids[:i])[-1]
        assert token == int(logits.argmax())
        assert abs(reply.log_probs[i] - log_softmax(logits)[token]) < 1e-4
    assert len(reply.token_ids) > 1


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probs_are_those_of_the_packed_training_forward(shared, temperature):
    prompts = [prompt(i, 10 + 7 * i) for i in range(3)]
    replies = gather(shared, *(request(f"p{i}", p, temperature=temperature) for i, p in enumerate(prompts)))
    rows = [p + r.token_ids for p, r in zip(prompts, replies)]
    tokens = np.concatenate([*rows, np.zeros(5, int)])[None]
    segments = np.concatenate([np.full(len(r), i + 1) for i, r in enumerate(rows)] + [np.zeros(5, int)])[None]
    positions = np.concatenate([np.arange(len(r)) for r in rows] + [np.zeros(5, int)])[None]
    packed = log_softmax(packed_logits(PARAMS, tokens, positions, segments)[0] / temperature)
    start = 0
    for p, reply, row in zip(prompts, replies, rows):
        at = start + len(p) - 1 + np.arange(len(reply.token_ids))
        np.testing.assert_allclose(reply.log_probs, packed[at, reply.token_ids], atol=1e-4)
        start += len(row)


def test_a_reply_ends_after_a_stop_token_or_at_its_limits(shared):
    replies = gather(shared, *(request(f"s{i}", prompt(i, 9), max_tokens=40) for i in range(30)))
    assert {r.finish for r in replies} == {"stop", "length"}
    for r in replies:
        stops = [i for i, t in enumerate(r.token_ids) if t in SPECIAL.values()]
        assert stops == ([len(r.token_ids) - 1] if r.finish == "stop" else [])
        assert len(r.text) == len(r.token_ids) - (r.finish == "stop") and len(r.log_probs) == len(r.token_ids)
        assert r.finish == "stop" or len(r.token_ids) == 40
    full = gather(shared, *(request(f"c{i}", prompt(i, 90), max_tokens=40) for i in range(8)))
    assert all(r.finish == "stop" or (r.finish == "context" and len(r.token_ids) == 6) for r in full)
    assert any(r.finish == "context" for r in full)
    (over,) = gather(shared, request("over", prompt(0, 97)))
    assert (over.finish, over.token_ids) == ("context", [])
    (none,) = gather(shared, request("none", prompt(0, 9), max_tokens=0))
    assert (none.finish, none.token_ids) == ("length", [])


def test_neighbours_slots_and_order_change_nothing(shared):
    requests = [request(f"n{i}", prompt(i, 5 + 3 * i), seed=7) for i in range(10)]
    alone = [outcome(gather(shared, r)[0]) for r in requests]
    assert [outcome(r) for r in gather(engine(), *requests)] == alone
    backwards = [outcome(r) for r in gather(engine(), *requests[::-1])]
    assert backwards[::-1] == alone
    assert len({tuple(tokens) for tokens, _, _ in alone}) == 10


def test_seed_episode_and_turn_each_select_another_stream(shared):
    ids = prompt(3, 12)
    variants = [request("a", ids), request("b", ids), request("a", ids, turn=1), request("a", ids, seed=1)]
    tokens = [tuple(gather(shared, r)[0].token_ids) for r in [*variants, variants[0], request("a", ids, seed=2**40)]]
    assert tokens[4] == tokens[0] and len(set(tokens)) == 5


def test_frequencies_follow_the_distribution(shared):
    ids = prompt(5, 6)
    replies = gather(shared, *(request(f"f{i}", ids, max_tokens=1) for i in range(2000)))
    p = np.exp(log_softmax(full_logits(PARAMS, ids)[-1]))
    seen = np.bincount([r.token_ids[0] for r in replies], minlength=64) / 2000
    assert np.abs(seen - p).max() < 4 * np.sqrt(p.max() * (1 - p.max()) / 2000)


def turns(eng, episode, n=3, between=()):
    """An episode of n turns; `between` runs before each. Returns outcomes and the final context."""

    async def main():
        ids, out = prompt(11, 30), []
        for turn in range(n):
            for other in between:
                await eng.generate(other)
            reply = await eng.generate(request(episode, ids, turn))
            out.append(outcome(reply))
            ids = ids + reply.token_ids + prompt(100 + turn, 6)
        return out, ids

    return asyncio.run(main())


def test_reuse_across_turns_equals_recomputing_and_saves_prefill():
    kept = engine()
    out, ids = turns(kept, "ep")
    for turn, expected in enumerate(out):
        fresh = engine()
        context = prompt(11, 30)
        for t in range(turn):
            context = context + out[t][0] + prompt(100 + t, 6)
        assert outcome(gather(fresh, request("ep", context, turn))[0]) == expected
    stats = kept.stats()  # each position is prefilled once, but for the last one of each prompt
    assert stats["prefill_tokens"] == len(ids) - 6 - len(out[-1][0]) - 1
    assert stats["reused_tokens"] >= 2 * 29


def test_eviction_and_a_rewritten_context_change_nothing():
    want, ids = turns(engine(slots=2), "ep")
    crowded = engine(slots=2)
    out, _ = turns(crowded, "ep", between=[request(f"other{i}", prompt(50 + i, 40)) for i in range(2)])
    assert out == want
    assert crowded.stats()["evictions"] >= 4
    kept = engine()
    turns(kept, "ep")
    rewritten = ids[:20] + prompt(60, 30)
    again = outcome(gather(kept, request("ep", rewritten, 3))[0])
    assert again == outcome(gather(engine(), request("ep", rewritten, 3))[0])


def test_a_released_episode_is_evicted_before_a_waiting_one():
    eng = engine(slots=2)
    gather(eng, request("old", prompt(1, 30)))
    gather(eng, request("new", prompt(2, 30)))
    eng.release("new")
    before = eng.stats()["reused_tokens"]
    gather(eng, request("third", prompt(3, 30)))
    gather(eng, request("old", prompt(1, 30), 1))
    assert eng.stats()["reused_tokens"] - before == 29 and eng.stats()["evictions"] == 0


def test_equal_prompts_of_a_group_are_prefilled_once():
    eng = engine()
    ids = prompt(20, 60)
    requests = [request(f"g{i}", ids) for i in range(7)] + [request("h", ids[:50] + prompt(21, 20))]
    replies = gather(eng, *requests)
    assert eng.stats()["prefill_tokens"] == 59 + 19  # once, and the other tail
    assert [outcome(r) for r in replies] == [outcome(gather(engine(), r)[0]) for r in requests]


def test_copies_of_copies_are_exact():
    eng = engine()
    gather(eng, *(request(f"s{i}", prompt(30 + i, 40)) for i in range(4)))  # one in each slot
    group = [request(f"c{i}", prompt(33, 40)) for i in range(3)]  # the last slot's, over the first ones
    before = eng.stats()["prefill_tokens"]
    assert [outcome(r) for r in gather(eng, *group)] == [outcome(gather(engine(), r)[0]) for r in group]
    assert eng.stats()["prefill_tokens"] == before


@pytest.mark.parametrize("buckets", [(8,), (32,), (8, 16, 64)])
def test_bucket_sizes_change_nothing(shared, buckets):
    requests = [request(f"b{i}", prompt(i, n)) for i, n in enumerate((1, 2, 8, 9, 33, 70))]
    want = [outcome(r) for r in gather(shared, *requests)]
    got = [outcome(r) for r in gather(engine(prefill_buckets=buckets), *requests)]
    assert [g[0] for g in got] == [w[0] for w in want]
    for g, w in zip(got, want):
        np.testing.assert_allclose(g[1], w[1], atol=1e-5)


@pytest.mark.parametrize("chunk", [1, 7])
def test_chunk_size_changes_nothing(shared, chunk):
    requests = [request(f"k{i}", prompt(i, 9)) for i in range(6)]
    want = [outcome(r) for r in gather(shared, *requests)]
    got = [outcome(r) for r in gather(engine(decode_chunk=chunk), *requests)]
    for g, w in zip(got, want):
        assert (g[0], g[2]) == (w[0], w[2])
        np.testing.assert_allclose(g[1], w[1], atol=1e-5)


@pytest.mark.parametrize("shares", [1, 3])
def test_how_much_of_the_cache_a_call_reads_changes_nothing(shared, monkeypatch, shares):
    monkeypatch.setattr(lane_module, "_DECODE_LENGTHS", shares)
    monkeypatch.setattr(lane_module, "_PREFILL_LENGTHS", shares)
    requests = [request(f"l{i}", prompt(i, n)) for i, n in enumerate((4, 30, 44, 60, 95))]
    got = [outcome(r) for r in gather(engine(), *requests)]
    for g, w in zip(got, (outcome(r) for r in gather(shared, *requests))):
        assert (g[0], g[2]) == (w[0], w[2])
        np.testing.assert_allclose(g[1], w[1], atol=1e-5)


def wide_engine(**changes):
    """A small model whose decode calls may be longer than a job needs."""
    cfg = ModelConfig(vocab_size=64, d_model=32, n_layers=1, n_heads=4, n_kv_heads=2, head_dim=8, d_ff=256)
    graphdef, params = create(cfg)
    params["embed_tokens"].set_value(params["embed_tokens"].get_value() * 12)
    options = EngineConfig(context=256, decode_chunk=12, prefill_buckets=(64,), **changes)
    return Engine(graphdef, params, cfg, options, Format(), devices=jax.devices()[:1])


def test_a_longer_neighbour_changes_no_bit():
    """Alone a request is decoded by calls that read a quarter of the cache, in company by calls that read all of it."""
    requests = [request(f"f{i}", prompt(i, 5 + (3 * i if i % 4 else 200))) for i in range(24)]
    eng = wide_engine(slots=16, decode_rows=16)
    alone = [outcome(gather(eng, r)[0]) for r in requests[:5]]
    assert [outcome(r) for r in gather(eng, *requests)][:5] == alone


def test_a_call_costs_what_its_longest_context_reads(monkeypatch):
    """Full calls read most, what is left over reads least."""
    calls = []
    find = Programs.find

    def spy(self, name, length, args):
        if name == "decode":
            calls.append((length, len(args[2]), np.count_nonzero(args[2] < args[1][0].k.shape[0])))
        return find(self, name, length, args)

    monkeypatch.setattr(Programs, "find", spy)
    lengths = [200] * 3 + [5] * 15 + [70] * 2
    gather(
        wide_engine(slots=20, decode_rows=16),
        *(request(f"s{i}", prompt(i, n), max_tokens=12) for i, n in enumerate(lengths)),
    )
    assert calls[:2] == [(256, 16, 16), (64, 16, 4)]


@pytest.mark.parametrize("changes", [{"decode_rows": 2}, {"devices": [jax.devices()[0]] * 2}])
def test_groups_and_lanes_change_nothing(shared, changes):
    requests = [request(f"r{i}", prompt(i, 5 + 7 * i)) for i in range(9)]
    got = [outcome(r) for r in gather(engine(**changes), *requests)]
    for g, w in zip(got, (outcome(r) for r in gather(shared, *requests))):
        assert (g[0], g[2]) == (w[0], w[2])
        np.testing.assert_allclose(g[1], w[1], atol=1e-5)


def test_an_episode_stays_in_its_lane_and_new_ones_go_where_there_is_least_to_do():
    eng = engine(devices=[jax.devices()[0]] * 2)

    async def main():
        calls = [asyncio.create_task(eng.generate(request(f"e{i}", prompt(i, 30), max_tokens=8))) for i in range(4)]
        await asyncio.sleep(0)
        loads = [lane.load for lane in eng._lanes]
        await asyncio.gather(*calls)
        return loads

    assert asyncio.run(main()) == [2, 2]
    homes = [{slot.episode for slot in lane.table.slots} for lane in eng._lanes]
    before = eng.stats()["prefill_tokens"]
    # In this order the emptiest lane would be the other one.
    again = [request(f"e{i}", [*prompt(i, 30), 5], turn=1) for i in (1, 0, 3, 2)]
    gather(eng, *again)
    assert [{slot.episode for slot in lane.table.slots} for lane in eng._lanes] == homes
    assert eng.stats()["prefill_tokens"] - before == 4


def test_cancelling_a_neighbour_frees_its_slot_and_changes_nothing(shared):
    requests = [request(f"x{i}", prompt(i, 20), max_tokens=60) for i in range(4)]
    want = [outcome(gather(shared, r)[0]) for r in requests]
    eng = engine(slots=2)

    async def main():
        tasks = [asyncio.create_task(eng.generate(r)) for r in requests]
        doomed = [asyncio.create_task(eng.generate(request(f"d{i}", prompt(9, 20), max_tokens=60))) for i in range(2)]
        for _ in range(9):
            await asyncio.sleep(0)
        for task in doomed:
            task.cancel()
        tasks[0].cancel()
        await asyncio.wait([tasks[0], *doomed])
        assert "x0" not in [slot.job.episode for slot in eng._lanes[0].table.busy()]
        out = await asyncio.wait_for(asyncio.gather(*tasks[1:]), 60)
        assert all(task.cancelled() for task in doomed)
        return out

    assert [outcome(r) for r in asyncio.run(main())] == want[1:]
    assert eng.stats()["cancelled"] == 3 and eng._lanes[0].load == 0
    assert outcome(gather(eng, requests[0])[0]) == want[0]


def test_update_params_takes_effect_without_recompiling():
    eng, other = engine(), planner(seed=1)[1]
    ids = prompt(1, 30)
    first = gather(eng, request("u", ids))[0]
    programs = eng.stats()["programs"]
    eng.update_params(other, 5)
    second = gather(eng, request("u", ids))[0]
    assert (first.policy_version, second.policy_version) == (0, 5)
    assert second.token_ids != first.token_ids
    assert outcome(second) == outcome(gather(engine(params=other), request("u", ids))[0])
    assert eng.stats()["programs"] == programs
    with pytest.raises(ValueError, match="structure, shape or dtype"):
        eng.update_params(jax.tree.map(lambda x: x.astype("bfloat16"), other), 6)


def test_weights_that_change_midway_are_reported_as_the_older_version():
    eng, other = engine(), planner(seed=1)[1]
    ids = prompt(1, 30)

    async def main():
        task = asyncio.create_task(eng.generate(request("m", ids, temperature=0.0, max_tokens=30)))
        while not eng.stats()["tokens_generated"]:
            await asyncio.sleep(0)
        done = int(eng.stats()["tokens_generated"])
        eng.update_params(other, 5)
        return await task, done

    reply, done = asyncio.run(main())
    assert reply.policy_version == 0 and len(reply.token_ids) > done
    for i, token in enumerate(reply.token_ids):
        params = PARAMS if i < done else other
        assert token == int(full_logits(params, ids + reply.token_ids[:i])[-1].argmax())


def test_the_engine_owns_its_weights():
    params = jax.tree.map(lambda x: x.copy(), PARAMS)
    eng = engine(params=params)
    jax.tree.map(lambda x: x.delete(), params)  # what donating them in a train step does
    assert gather(eng, request("o", prompt(1, 9)))[0].token_ids


def test_no_new_programs_in_steady_state():
    eng = engine()
    work = [request(f"w{i}", prompt(i, 5 + 11 * (i % 7))) for i in range(14)]
    gather(eng, *work)
    programs = eng.stats()["programs"]
    gather(eng, *(request(f"v{i}", prompt(50 + i, 6 + 13 * (i % 6))) for i in range(14)))
    assert eng.stats()["programs"] == programs <= 9  # two prefill shapes of two lengths, four lengths of decode, copy


def test_bad_requests_are_refused_and_hurt_nobody(shared):
    bad = [
        (request("e", []), "prompt_ids is empty"),
        (request("e", [5, 64]), r"outside \[0, 64\)"),
        (request("e", [-1]), r"outside \[0, 64\)"),
        (request("e", [5], temperature=float("nan")), "temperature"),
        (request("e", [5], temperature=1e-30), "temperature"),
    ]
    for r, match in bad:
        with pytest.raises(ValueError, match=match):
            gather(shared, r)
    with pytest.raises(ValueError, match="prefill buckets at most the context"):
        engine(prefill_buckets=(128,))
    assert EngineConfig().prefill_buckets[-1] <= EngineConfig().context


def test_a_failing_device_fails_every_call_and_the_engine_recovers(monkeypatch):
    eng = engine()
    want = outcome(gather(eng, request("a", prompt(1, 9)))[0])

    def broken(*args):
        raise RuntimeError("out of memory")

    async def main():
        return await asyncio.gather(
            *(eng.generate(request(f"f{i}", prompt(i, 9))) for i in range(6)), return_exceptions=True
        )

    with monkeypatch.context() as m:
        m.setattr(eng._lanes[0].programs, "find", broken)
        replies = asyncio.run(main())
    assert all(isinstance(r, RuntimeError) and "out of memory" in str(r) for r in replies)
    assert outcome(gather(eng, request("a", prompt(1, 9)))[0]) == want


def test_non_finite_weights_fail_the_call_not_the_task():
    nan = jax.tree.map(lambda x: x * np.nan, PARAMS)
    with pytest.raises(RuntimeError, match="non-finite log-probs"):
        gather(engine(params=nan), request("a", prompt(1, 9)))
