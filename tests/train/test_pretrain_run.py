"""Pretraining rows, their loss, and a run that goes on where it stopped."""

from __future__ import annotations

import collections
import itertools
import json
from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx
from jax.experimental.compilation_cache import compilation_cache
from train_samples import TINY, tiny_planner

from qpa.chat.tokenizer import SentencePieceTokenizer
from qpa.train.pretrain import corpus
from qpa.train.pretrain.corpus import encode, make_tokenizer, rows
from qpa.train.pretrain.documents import Span
from qpa.train.pretrain.run import _SHIFT_CAPACITY, Stage, _skip, local_loss, pretrain

LENGTH = 192
NONE: frozenset[str] = frozenset()


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory) -> SentencePieceTokenizer:
    path = tmp_path_factory.mktemp("tokenizer") / "tokenizer.model"
    make_tokenizer(path, 1024, 0, NONE, documents=120)
    again = path.with_name("again.model")
    make_tokenizer(again, 1024, 0, NONE, documents=120)
    assert path.read_bytes() == again.read_bytes()
    return SentencePieceTokenizer(path)


def test_the_tokenizer_knows_the_glue_and_loses_nothing(tokenizer):
    assert tokenizer.vocab_size == 1024
    for text in ('{"name": "manage_x", "arguments": {"time": "07:30"}}', "闹钟  \n🙂"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
    assert len(tokenizer.encode('{"name": "')) == 1


def test_another_seed_is_another_tokenizer(tokenizer, tmp_path):
    other = tmp_path / "other.model"
    make_tokenizer(other, 1024, 1, NONE, documents=120)
    ids = SentencePieceTokenizer(other)
    assert any(ids.encode(text) != tokenizer.encode(text) for text in corpus.w.NOUNS + corpus.w.VERBS)


def test_encode_marks_exactly_the_supervised_spans(tokenizer):
    doc = [
        Span("<|im_start|>", special=True),
        Span("ask <|im_end|>\n"),
        Span("value", True),
        Span("<|im_end|>", True, True),
    ]
    ids, mask = encode(doc, tokenizer)
    assert ids[0] == tokenizer.special_id("<|im_start|>") and ids[-1] == tokenizer.eos_id
    assert ids.count(tokenizer.eos_id) == 1  # the literal in a text is ordinary pieces
    assert tokenizer.decode([i for i, on in zip(ids, mask) if on]) == "value<|im_end|>"


# --- rows ----------------------------------------------------------------------------------------------------------


def segments_of(row) -> list[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """(ids, mask) of each segment of a row, after checking the row's shape."""
    segments = row["segments"]
    used = int((segments > 0).sum())
    count = int(segments.max())
    assert (np.diff(segments[:used]) >= 0).all() and set(segments[:used]) == set(range(1, count + 1))
    assert (segments[used:] == 0).all() and (row["positions"][used:] == 0).all() and not row["mask"][used:].any()
    found = []
    for number in range(1, count + 1):
        (where,) = np.nonzero(segments == number)
        assert (row["positions"][where] == np.arange(len(where))).all()
        found.append((tuple(row["tokens"][where].tolist()), tuple(row["mask"][where].tolist())))
    return found


@pytest.mark.parametrize("frames", [0.0, 0.6])
def test_what_is_made_is_packed_once_and_whole(tokenizer, monkeypatch, frames):
    made, real = collections.Counter(), corpus._segment

    def noted(*args):
        ids, mask = real(*args)
        if len(ids) <= LENGTH:
            made[tuple(ids), tuple(mask)] += 1
        return ids, mask

    monkeypatch.setattr(corpus, "_segment", noted)
    packed, padding = collections.Counter(), 0
    for row in itertools.islice(rows(tokenizer, LENGTH, 0, NONE, frames), 40):
        assert {k: (v.shape, str(v.dtype)) for k, v in row.items()} == {
            "tokens": ((LENGTH,), "int32"), "positions": ((LENGTH,), "int32"), "segments": ((LENGTH,), "int32"),
            "mask": ((LENGTH,), "bool"),
        }  # fmt: skip
        packed.update(segments_of(row))
        empty = row["segments"] == 0
        assert (row["tokens"][empty] == tokenizer.pad_id).all()
        padding += int(empty.sum())
    assert not packed - made  # nothing cut, nothing invented, nothing twice
    assert (made - packed).total() == corpus._POOL  # all the rest still waits in the pool
    assert padding < 0.15 * 40 * LENGTH


def test_rows_are_a_function_of_the_seed(tokenizer):
    def take(n, **changes):
        options = {"length": LENGTH, "seed": 0, "banned": NONE, "frames": 0.6} | changes
        return [row["tokens"].tolist() for row in itertools.islice(rows(tokenizer, **options), n)]

    assert take(6) == take(6) and take(6)[:3] == take(3)
    assert take(3) != take(3, seed=1) and take(3) != take(3, frames=0.0)


def test_skipping_equals_reading_through_both_stages(tokenizer):
    def stages():
        return [
            Stage(2, (row["tokens"].tolist() for row in rows(tokenizer, 96, 0, NONE)), 3),
            Stage(5, (row["tokens"].tolist() for row in rows(tokenizer, LENGTH, 0, NONE, 0.6)), 2),
        ]

    def read(stages, start):
        batches = []
        for step in range(start, 5):
            stage = next(s for s in stages if step < s.until)
            batches.append([next(stage.stream) for _ in range(stage.rows)])
        return batches

    straight = read(stages(), 0)
    assert [len(batch) for batch in straight] == [3, 3, 2, 2, 2]
    for start in range(6):
        resumed = stages()
        _skip(resumed, start)
        assert read(resumed, start) == straight[start:]


# --- loss ----------------------------------------------------------------------------------------------------------


def packed_batch() -> dict[str, jax.Array]:
    """Two rows: segments of 7, 9 and 5 tokens and padding; of 12 and 12 and none. Masks hold first tokens too."""
    rng = np.random.default_rng(0)
    sizes = [(7, 9, 5), (12, 12)]
    batch = {k: np.zeros((2, 24), np.int32) for k in ("tokens", "positions", "segments")}
    batch["mask"] = rng.random((2, 24)) < 0.3
    for row, lengths in enumerate(sizes):
        at = 0
        for number, n in enumerate(lengths, 1):
            batch["tokens"][row, at : at + n] = rng.integers(1, 64, n)
            batch["positions"][row, at : at + n] = np.arange(n)
            batch["segments"][row, at : at + n] = number
            batch["mask"][row, at] = True  # the first token of a segment, which nothing of it predicts
            at += n
        batch["mask"][row, at:] = False
    return {k: jnp.asarray(v) for k, v in batch.items()}


GRAPHDEF, PARAMS = tiny_planner()


@jax.jit
def loss(batch):
    return local_loss(GRAPHDEF, PARAMS, batch)


@jax.jit
def alone(ids_T):
    """Log-probabilities [T, V] after each token of one sequence that fills its row."""
    positions, segments = jnp.arange(ids_T.size), jnp.ones(ids_T.size, jnp.int32)
    return jax.nn.log_softmax(nnx.merge(GRAPHDEF, PARAMS)(ids_T[None], positions[None], segments[None])[0])


def plainly(batch) -> tuple[float, int, int]:
    """The same sums, one segment at a time, from logits of every position."""
    nll, count, correct = 0.0, 0, 0
    for tokens, segments, mask in zip(*(np.asarray(batch[k]) for k in ("tokens", "segments", "mask"))):
        for number in range(1, segments.max() + 1):
            ids, supervised = tokens[segments == number], mask[segments == number]
            log_p = np.asarray(alone(jnp.asarray(np.resize(ids, tokens.size))))  # what follows the segment is not seen
            for t in range(1, len(ids)):
                if supervised[t]:
                    nll -= log_p[t - 1, ids[t]]
                    count += 1
                    correct += int(log_p[t - 1].argmax() == ids[t])
    return float(nll), count, correct


def test_the_loss_is_that_of_each_segment_alone():
    batch = packed_batch()
    nll, count, correct = loss(batch)
    want, n, hits = plainly(batch)
    assert (int(count), int(correct)) == (n, hits) and n > 8
    assert float(nll) == pytest.approx(want, rel=1e-5)


def test_a_first_token_and_padding_are_never_targets():
    batch = packed_batch()
    first = (batch["positions"] == 0) & (batch["segments"] > 0)
    assert [float(x) for x in loss(batch | {"mask": first})] == [0, 0, 0]
    other = jnp.where(batch["segments"] == 0, 9, batch["tokens"])
    assert [float(x) for x in loss(batch | {"tokens": other})] == [float(x) for x in loss(batch)]


@pytest.mark.parametrize(("length", "frames", "per_device"), [(256, 0.0, 8), (512, 0.6, 4)])
def test_no_supervised_token_of_a_batch_is_left_without_logits(tokenizer, length, frames, per_device):
    stream = rows(tokenizer, length, 0, NONE, frames)
    shares = [np.mean([next(stream)["mask"] for _ in range(per_device)]) for _ in range(12)]
    assert max(shares) < _SHIFT_CAPACITY


# --- a run ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def compiled_once(tmp_path):
    """Programs of the three runs are kept on disk, so that each is compiled once."""
    wanted = {
        "jax_compilation_cache_dir": str(tmp_path / "compiled"),
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    before = {name: getattr(jax.config, name) for name in wanted}
    for name, value in wanted.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()
    yield
    for name, value in before.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


class KilledError(Exception):
    """The process died while the next batch was drawn."""


def until(stream, n):
    yield from itertools.islice(stream, n)
    raise KilledError


def test_a_resumed_run_is_the_straight_run_bit_for_bit(tokenizer, tmp_path, compiled_once, capsys):
    cfg = replace(TINY, vocab_size=1024, n_layers=1, attention_blocks=1)

    def go(folder, stop=None):
        documents, chats = rows(tokenizer, 96, 0, NONE), rows(tokenizer, 96, 0, NONE, 0.6)
        stages = [Stage(3, documents if stop is None else until(documents, 2 * stop), 2), Stage(4, chats, 2)]
        return pretrain(cfg, stages, run_dir=folder, peak=0.02, adam_peak=3e-3, log_every=1, save_every=2)

    straight = go(tmp_path / "a")
    with pytest.raises(KilledError):
        go(tmp_path / "b", stop=2)
    with np.load(tmp_path / "b" / "state.npz") as saved:
        assert int(saved["step"]) == 2
    resumed = go(tmp_path / "b")
    for one, two in zip(jax.tree.leaves(straight), jax.tree.leaves(resumed), strict=True):
        assert np.asarray(one).tobytes() == np.asarray(two).tobytes()
    with np.load(tmp_path / "a" / "state.npz") as one, np.load(tmp_path / "b" / "state.npz") as two:
        assert sorted(one.files) == sorted(two.files) and int(one["step"]) == 4
        assert all(one[name].tobytes() == two[name].tobytes() for name in one.files)  # the optimizer's state too
    logs = [[json.loads(line) for line in (tmp_path / x / "pretrain.jsonl").read_text().splitlines()] for x in "ab"]
    assert [[(r["step"], r["loss"]) for r in log] for log in logs] == [[(r["step"], r["loss"]) for r in logs[0]]] * 2
    assert [r["step"] for r in logs[0]] == [1, 2, 3, 4] and not list(tmp_path.rglob("*.partial.npz"))
    assert all(json.loads(line.replace("'", '"')) for line in capsys.readouterr().out.splitlines())
