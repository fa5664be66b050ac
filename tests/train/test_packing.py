"""Rows: labels and masks shifted together, records independent of their neighbours, nothing lost."""

import jax
import numpy as np
import pytest
from flax import nnx
from hypothesis import given, settings
from hypothesis import strategies as st
from train_samples import random_examples

from qpa.train.forward import slot_logits, target_log_probs
from qpa.train.packing import Example, build_rows, empty_rows, plan_rows, slot_capacity, split_rows


def example(ids, mask, **kw):
    return Example(np.asarray(ids, np.int32), np.asarray(mask, bool), **kw)


def test_golden_row_shifts_label_and_mask_by_one():
    a = example([5, 6, 7, 8], [0, 0, 1, 1])  # 7 and 8 were sampled
    b = example([9, 10, 11], [1, 0, 1])  # the first token has no context: never a target
    rows = build_rows([a, b], [[0, 1]], row_length=6, slots=4)
    np.testing.assert_array_equal(rows["tokens"][0], [5, 6, 7, 9, 10, 0])
    np.testing.assert_array_equal(rows["segments"][0], [1, 1, 1, 2, 2, 0])
    np.testing.assert_array_equal(rows["positions"][0], [0, 1, 2, 0, 1, 0])
    np.testing.assert_array_equal(rows["index"][0], [1, 2, 4, 0])
    np.testing.assert_array_equal(rows["targets"][0], [7, 8, 11, 0])
    np.testing.assert_array_equal(rows["weights"][0], [1, 1, 1, 0])


def test_rl_rows_carry_each_trajectorys_own_advantage_weight_and_log_probs():
    a = example([1, 2, 3], [0, 1, 1], log_probs=np.array([0, -0.5, -0.25], np.float32), weight=0.5, advantage=2.0)
    b = example([4, 5], [0, 1], log_probs=np.array([0, -1], np.float32), weight=1.0, advantage=-1.0)
    rows = build_rows([a, b], [[0, 1]], 4, 4, rl=True, pad_to=2)
    np.testing.assert_allclose(rows["old_log_probs"][0], [-0.5, -0.25, -1, 0])
    np.testing.assert_allclose(rows["advantages"][0], [2, 2, -1, 0])
    np.testing.assert_allclose(rows["weights"][0], [0.5, 0.5, 1, 0])
    assert not rows["weights"][1].any() and not rows["segments"][1].any()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(2, 17), st.integers(0, 2**16)), min_size=1, max_size=40))
def test_plan_places_every_example_once_within_both_limits(items):
    examples = [example(np.ones(n), [(bits >> k) & 1 for k in range(n)]) for n, bits in items]
    slots = slot_capacity(examples, 16)
    plan = plan_rows(examples, 16, slots)
    assert sorted(i for row in plan for i in row) == list(range(len(items)))
    for row in plan:
        assert sum(examples[i].length for i in row) <= 16
        assert sum(examples[i].supervised for i in row) <= slots
    rows = build_rows(examples, plan, 16, slots)
    assert int((rows["weights"] > 0).sum()) == sum(e.supervised for e in examples)


def test_a_row_holds_as_many_records_as_fit():
    plan = plan_rows([example(np.ones(n + 1), [0] * n + [1]) for n in (8, 4, 4, 8, 8)], 16, 16)
    assert sorted(map(len, plan)) == [2, 3]


def test_an_example_that_fits_no_row_is_refused():
    with pytest.raises(ValueError, match="example 0 needs 5 positions"):
        plan_rows([example(np.ones(6), np.ones(6))], 4, 4)
    with pytest.raises(ValueError, match="equal length"):
        example([1, 2, 3], [1, 1])


def test_packed_logits_equal_those_of_the_record_alone(tiny):
    graphdef, params = tiny
    examples = random_examples(3, seed=3, longest=12)
    packed = build_rows(examples, [[0, 1, 2]], 40, 40)
    log_probs = jax.jit(lambda rows: target_log_probs(slot_logits(graphdef, params, rows), rows["targets"]))
    forward = jax.jit(lambda *a: jax.nn.log_softmax(nnx.merge(graphdef, params)(*a)))
    got, at = np.asarray(log_probs(packed))[0], 0
    for e in examples:
        ids = np.zeros((1, 12), np.int32)  # padding on the right changes nothing before it, and one shape serves all
        ids[0, : e.length] = e.ids[:-1]
        logits = np.asarray(forward(ids, np.arange(12)[None], np.ones_like(ids)))[0]
        alone = logits[np.arange(e.length), e.ids[1:]][e.mask[1:]]
        np.testing.assert_allclose(got[at : at + len(alone)], alone, atol=1e-5)
        at += len(alone)


def test_empty_and_split_rows():
    rows = empty_rows(6, 4, 2, rl=True)
    assert set(rows) >= {"advantages", "old_log_probs"} and not any(v.any() for v in rows.values())
    assert split_rows(rows, 3)["tokens"].shape == (2, 3, 4)
    assert split_rows(rows, 4)["weights"].shape == (2, 4, 2)  # filled with empty rows
