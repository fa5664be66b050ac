"""What one request may ask of the engine: limits on sampling, raw log-probs, stop sequences, a stream, a deadline."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from tiny import PARAMS, SPECIAL, engine, full_logits, log_softmax, prompt, request

from qpa.contract import GenerateDelta
from qpa.models.jobs import Deltas, make_job

SHORT = {"max_tokens": 12}  # with prompts of at most 12 ids: one length of the cache, so one program of each kind


def gather(eng, *requests):
    async def main():
        return await asyncio.gather(*(eng.generate(r) for r in requests))

    return asyncio.run(main())


@pytest.fixture(scope="module")
def shared():
    return engine()


# --- limits --------------------------------------------------------------------------------------------------------


def kept(logits, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0) -> np.ndarray:
    """The distribution that is left, sorted and cut as the definitions say."""
    p = np.exp(log_softmax(np.float64(logits) / temperature))
    order = np.argsort(-p)
    alive = np.zeros(len(p), bool)
    alive[order[: top_k or len(p)]] = True
    p = np.where(alive, p, 0) / p[alive].sum()
    alive &= np.isin(np.arange(len(p)), order[np.cumsum(p[order]) - p[order] < top_p])
    alive &= p >= min_p * p.max()
    return np.where(alive, p, 0) / p[alive].sum()


LIMITS = [
    {"temperature": 0.7},
    {"top_k": 3},
    {"top_p": 0.6, "temperature": 1.5},
    {"min_p": 0.2, "temperature": 0.7},
    {"top_k": 20, "top_p": 0.8, "min_p": 0.05, "temperature": 1.3},
]


@pytest.mark.parametrize("limits", LIMITS)
def test_limits_cut_the_distribution_and_both_log_probs_say_so(shared, limits):
    ids, cut = prompt(2, 9), 0
    replies = gather(shared, *(request(f"l{i}", ids, raw_log_probs=True, **limits, **SHORT) for i in range(4)))
    for reply in replies:
        logits = full_logits(PARAMS, ids + reply.token_ids)[len(ids) - 1 :]
        assert len(reply.raw_log_probs) == len(reply.log_probs) == len(reply.token_ids)
        for i, token in enumerate(reply.token_ids):
            left = kept(logits[i], **limits)
            cut += (left == 0).sum()
            assert abs(reply.log_probs[i] - np.log(left[token])) < 1e-4
            assert abs(reply.raw_log_probs[i] - log_softmax(logits[i])[token]) < 1e-4
    assert cut > 100 or limits.keys() == {"temperature"}


def test_frequencies_follow_the_cut_distribution(shared):
    ids, limits = prompt(5, 6), {"top_p": 0.7, "temperature": 1.2}
    replies = gather(shared, *(request(f"f{i}", ids, max_tokens=1, **limits) for i in range(800)))
    seen = np.bincount([r.token_ids[0] for r in replies], minlength=64) / 800
    p = kept(full_logits(PARAMS, ids)[-1], **limits)
    assert np.abs(seen - p).max() < 4 * np.sqrt(p.max() * (1 - p.max()) / 800) and not seen[p == 0].any()


def test_limits_that_cut_nothing_and_greedy_change_nothing(shared):
    for fields in ({}, {"temperature": 0.7}, {"temperature": 0.0}):
        plain = request("same", prompt(1, 9), **fields, **SHORT)
        other = request("same", prompt(1, 9), top_k=64, raw_log_probs=True, **fields, **SHORT)
        one, two = gather(shared, plain, other)
        assert one.token_ids == two.token_ids and not one.raw_log_probs
        np.testing.assert_allclose(one.log_probs, two.log_probs, atol=1e-6)
    greedy = request("same", prompt(1, 9), temperature=0.0, top_k=2, top_p=0.1, min_p=0.9, **SHORT)
    assert gather(shared, greedy) == [one]


def test_neighbours_with_other_limits_change_nothing(shared):
    fields = [{}, {"top_k": 2}, {"top_p": 0.5}, {"temperature": 0.7, "raw_log_probs": True}, {"min_p": 0.3}]
    requests = [request(f"n{i}", prompt(i, 5 + i % 7), **fields[i % 5], **SHORT) for i in range(15)]
    alone = [gather(shared, r)[0] for r in requests]
    assert gather(engine(), *requests) == alone
    assert gather(engine(), *requests[::-1])[::-1] == alone


# --- stops ---------------------------------------------------------------------------------------------------------


def test_a_stop_sequence_ends_a_reply_wherever_the_chunks_end(shared):
    ids, ends = prompt(3, 9), set()
    replies = gather(shared, *(request(f"s{i}", ids, **SHORT) for i in range(6)))
    episode, whole = next((f"s{i}", r) for i, r in enumerate(replies) if r.finish == "length")
    tokens = whole.token_ids
    for at in range(10):
        for stop in (tokens[at : at + 1], tokens[at : at + 2], tokens[at : at + 3]):
            end = next(e for e in range(1, 13) if tokens[:e][-len(stop) :] == stop)
            reply = gather(shared, request(episode, ids, stop_ids=[[63, 63, 63], stop], **SHORT))[0]
            assert (reply.finish, reply.token_ids) == ("stop", tokens[:end])
            assert reply.text == whole.text[: end - len(stop)] and reply.log_probs == whole.log_probs[:end]
            ends.add(end)
    assert len(ends) >= 8
    assert tokens[2] not in tokens[:2]
    longest = [tokens[2:3], tokens[1:3]]  # both end there, and the longer one is no text
    assert gather(shared, request(episode, ids, stop_ids=longest, **SHORT))[0].text == whole.text[:1]
    across = [ids[-1], tokens[0]]  # the prompt's ids are no part of a reply
    assert gather(shared, request(episode, ids, stop_ids=[across], **SHORT)) == [whole]


def test_bad_settings_are_refused(shared):
    bad = [
        ({"top_p": 0.0}, "top_p must be in"),
        ({"top_p": float("nan")}, "top_p must be in"),
        ({"top_k": -1}, "top_k must be >= 0"),
        ({"min_p": 1.0}, "min_p must be in"),
        ({"stop_ids": [[]]}, "a stop sequence is empty"),
        ({"stop_ids": [[64]]}, "a stop sequence .* outside"),
    ]
    for fields, match in bad:
        with pytest.raises(ValueError, match=rf"generate\('e', turn 0\): {match}"):
            gather(shared, request("e", [5], **fields))


# --- streams and deadlines -----------------------------------------------------------------------------------------


async def read(stream):
    out = [item async for item in stream]
    assert all(isinstance(item, GenerateDelta) for item in out[:-1])
    return out[:-1], out[-1]


def test_a_stream_gives_the_reply_in_pieces(shared):
    stop = gather(shared, request("t5", prompt(5, 9), **SHORT))[0].token_ids[3:5]  # the first chunk ends within
    requests = [request(f"t{i}", prompt(i, 9), stop_ids=[stop], **SHORT) for i in range(8)]
    want = gather(shared, *requests)

    async def main():
        return await asyncio.gather(*(read(shared.stream(r)) for r in requests))

    assert want[5].finish == "stop" and len(want[5].token_ids) == 5
    for (deltas, reply), expected in zip(asyncio.run(main()), want):
        assert reply == expected
        assert [token for d in deltas for token in d.token_ids] == reply.token_ids
        assert "".join(d.text for d in deltas) == reply.text
    assert max(len(deltas) for deltas, _ in asyncio.run(main())) >= 3  # chunks of 4
    assert asyncio.run(read(shared.stream(request("none", prompt(0, 9), max_tokens=0))))[1].finish == "length"


class Bytes:
    """Ids 4 .. 259 are bytes; 1 is a special token."""

    def decode(self, ids):
        return b"".join(b"<|im_end|>" if i == 1 else bytes([i - 4]) for i in ids).decode("utf-8", "replace")


@pytest.mark.parametrize("seed", range(40))
def test_deltas_never_split_a_character_or_a_special_token(seed):
    rng = np.random.default_rng(seed)
    parts = ["闹钟", "🙂", "é", "a", "<|im_end|>", b"\xf0\x9f", b"\xe4", b"\x80", b"\xed\xa0\x80", b"\xff"]
    ids: list[int] = []
    for k in rng.integers(0, 5 if seed % 2 else len(parts), 12):
        part = parts[k]
        ids += [1] if part == "<|im_end|>" else [b + 4 for b in (part.encode() if isinstance(part, str) else part)]

    async def main():
        return make_job(request("d", [5], stop_ids=[[1, 2, 3]]), 260, 500, 0)

    job = asyncio.run(main())
    deltas, out, start = Deltas(job, Bytes().decode), [], 0
    while start < len(ids):
        end = start + int(rng.integers(1, 4))
        job.ids = np.append(job.ids, ids[start:end])
        out.append(deltas.next())
        start = end
    job.limit, job.log_probs = len(ids), [0.0] * len(ids)
    reply = job.reply(Bytes().decode, 0)
    out.append(deltas.last(reply))
    assert "".join(d.text for d in out) == reply.text and [token for d in out for token in d.token_ids] == ids
    if seed % 2:  # whole characters only
        assert not any("\ufffd" in d.text or "<" in d.text.replace("<|im_end|>", "") for d in out)


def test_closing_a_stream_frees_its_slot(shared):
    eng = engine()

    async def main():
        streams = [eng.stream(request(f"c{i}", prompt(1, 9), max_tokens=60)) for i in range(4)]
        assert all([(await anext(stream)).token_ids for stream in streams])
        waiting = asyncio.create_task(eng.generate(request("d", prompt(2, 9), **SHORT)))
        await asyncio.sleep(0)
        assert eng._lanes[0].load == 5
        for stream in streams:
            await stream.aclose()
        assert eng._lanes[0].load == 1
        return await asyncio.wait_for(waiting, 60)

    assert asyncio.run(main()) == gather(shared, request("d", prompt(2, 9), **SHORT))[0]
    assert eng.stats()["cancelled"] == 4


def test_a_deadline_ends_a_call_and_hurts_nobody(shared):
    want = gather(shared, request("b", prompt(1, 9), **SHORT))[0]
    eng = engine()

    async def main():
        late = [request(f"a{i}", prompt(i, 9), max_tokens=80, time_left_s=0.0) for i in range(6)]
        calls = [eng.generate(r) for r in late[:3]] + [read(eng.stream(r)) for r in late[3:]]
        last = eng.generate(request("b", prompt(1, 9), time_left_s=600, **SHORT))
        return await asyncio.gather(*calls, last, return_exceptions=True)

    *late, last = asyncio.run(main())
    assert all(isinstance(e, TimeoutError) for e in late) and last == want
    assert eng.stats()["expired"] == 6 and eng._lanes[0].load == 0


def test_stop_tokens_never_reach_the_text_of_a_stream(shared):
    async def main():
        return [await read(shared.stream(request(f"q{i}", prompt(i, 9), max_tokens=15))) for i in range(12)]

    stopped = 0
    for deltas, reply in asyncio.run(main()):
        stopped += reply.finish == "stop"
        specials = {chr(40 + i) for i in SPECIAL.values()}
        assert not specials & set("".join(d.text for d in deltas))
    assert stopped
