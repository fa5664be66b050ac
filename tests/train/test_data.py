"""Epochs lose nothing and double nothing; a resumed iterator continues with the very next batch."""

import dataclasses
import json
import logging
from collections import Counter

import numpy as np
import pytest
from train_samples import random_examples

from qpa.config import DataConfig
from qpa.contract import BehaviorCriteria, Dimension, Split, StopReason, TaskSpec, Trajectory
from qpa.train.data import Batches, DataError, select, tokenize_all

CFG = DataConfig(sequence_length=32, batch_size=4)


def seen(batch):
    """The records of a batch, as tuples of input tokens."""
    out = []
    for tokens, segments in zip(batch["tokens"], batch["segments"]):
        out += [tuple(tokens[segments == s]) for s in range(1, segments.max() + 1)]
    return out


def epoch_of(batches):
    epoch, got = batches.epoch, []
    while batches.epoch == epoch:
        got.append(next(batches))
    return got


def test_two_epochs_hold_every_record_once_in_another_order():
    examples = random_examples(37)
    batches = Batches(examples, CFG, seed=1)
    want = Counter(tuple(e.ids[:-1]) for e in examples)
    first, second = epoch_of(batches), epoch_of(batches)
    for epoch in (first, second):
        assert Counter(r for b in epoch for r in seen(b)) == want
        assert sum(b["weights"].sum() for b in epoch) == sum(e.supervised for e in examples)
        assert {b["tokens"].shape for b in epoch} == {(4, 32)}
    assert not np.array_equal(first[0]["tokens"], second[0]["tokens"])


def test_same_seed_same_batches_other_seed_others():
    examples = random_examples(20)
    a, b, c = (next(Batches(examples, CFG, seed=s))["tokens"] for s in (1, 1, 2))
    np.testing.assert_array_equal(a, b)
    assert not np.array_equal(a, c)


@pytest.mark.parametrize("taken", [0, 3, None])  # None: exactly at the edge of an epoch
def test_resume_continues_with_the_next_batch(taken):
    examples = random_examples(37)
    straight = Batches(examples, CFG, seed=1)
    taken = straight.batches_per_epoch if taken is None else taken
    for _ in range(taken):
        next(straight)
    state = json.loads(json.dumps(straight.get_state()))
    if taken == straight.batches_per_epoch:
        assert (state["epoch"], state["batch"]) == (1, 0)
    resumed = Batches(examples, CFG, seed=1)
    resumed.set_state(state)
    for _ in range(2 * straight.batches_per_epoch):
        a, b = next(straight), next(resumed)
        for k in a:
            np.testing.assert_array_equal(a[k], b[k])


def test_resume_on_other_data_is_refused():
    examples = random_examples(20)
    state = Batches(examples, CFG, seed=1).get_state()
    changed = [*examples[:-1], random_examples(1, seed=9)[0]]
    unmasked = [*examples[:-1], dataclasses.replace(examples[-1], mask=np.ones_like(examples[-1].mask))]
    for other in (
        Batches(changed, CFG, seed=1),
        Batches(unmasked, CFG, seed=1),
        Batches(examples, CFG, seed=2),
        Batches(examples, DataConfig(sequence_length=32, batch_size=2), seed=1),
        Batches(examples, CFG, seed=1, weights={"a": 1.0}),
    ):
        with pytest.raises(DataError, match="other data"):
            other.set_state(state)


def test_family_shares_are_met_and_fractions_rotate_over_all_records():
    families = ["a"] * 30 + ["b"] * 10
    counts: Counter = Counter()
    for epoch in range(6):
        chosen = select(families, {"a": 0.25, "b": 0.75}, seed=0, epoch=epoch)
        assert Counter(families[i] for i in chosen) == {"a": 10, "b": 30}
        counts.update(chosen)
    assert {counts[i] for i in range(30)} == {2}  # 60 draws over 30 records: none favoured
    assert {counts[i] for i in range(30, 40)} == {18}
    assert select(families, {}, 0, 3) == list(range(40))
    assert {families[i] for i in select(families, {"a": 0.0}, 0, 0)} == {"b"}


def trajectory(name):
    task = TaskSpec(
        id=name,
        goal="g",
        criteria=BehaviorCriteria(),
        dimension=Dimension.TOOL,
        domain="d",
        family="f",
        split=Split.TRAIN,
    )
    return Trajectory(task=task, steps=[], stop=StopReason.FINISHED)


def test_tokenize_counts_what_it_leaves_out(caplog):
    def tokenize(t):
        if t.task.id == "bad":
            raise ValueError("cannot render")
        n = {"long": 40, "fits": 33}.get(t.task.id, 8)
        return [1] * n, [0] * n if t.task.id == "mute" else [0] + [1] * (n - 1), [0.0] * n

    with caplog.at_level(logging.WARNING):
        out = tokenize_all([trajectory(n) for n in ("ok", "fits", "long", "mute", "bad")], tokenize, 32)
    assert (len(out.examples), out.too_long, out.unsupervised, out.unreadable) == (2, 1, 1, 1)
    assert out.problems == ["bad: cannot render"]
    assert len(caplog.records) == 1 and "3 of 5 records left out" in caplog.text
    assert out.examples[0].family == "f"


def test_nothing_to_train_on_is_an_error():
    with pytest.raises(DataError, match="no example"):
        Batches([], CFG, seed=0)
    with pytest.raises(DataError, match="no example"):
        Batches(random_examples(4, families=("a",)), CFG, seed=0, weights={"a": 0.0})
