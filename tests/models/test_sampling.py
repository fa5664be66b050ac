"""Sampling, without an engine: the distribution, its log-probabilities, and the streams."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qpa.models.sampling import sample, sample_limited, stream_key, uniforms


def row(logits, temperature, u):
    n = len(u)
    tiled = jnp.tile(jnp.asarray(logits, jnp.float32), (n, 1))
    return (np.asarray(x) for x in jax.jit(sample)(tiled, jnp.full(n, temperature), jnp.asarray(u, jnp.float32)))


@pytest.mark.parametrize("size", [3, 64, 65, 200])
@pytest.mark.parametrize("temperature", [1.0, 0.5, 2.0])
def test_inverts_the_cumulative_distribution(size, temperature):
    logits = np.random.default_rng(size).normal(size=size)
    p = np.exp(logits / temperature)
    p /= p.sum()
    u = (np.arange(4000) + 0.5) / 4000
    ids, log_probs = row(logits, temperature, u)
    np.testing.assert_allclose(np.bincount(ids, minlength=size) / 4000, p, atol=1.5 / 4000)
    np.testing.assert_allclose(log_probs, np.log(p)[ids], atol=1e-5)  # log_softmax(logits / T), not log_softmax / T
    assert (np.diff(ids) >= 0).all()


def test_impossible_ids_are_never_drawn():
    logits = np.full(130, -np.inf)
    logits[[0, 70]] = [0.0, 1.0]
    ids, log_probs = row(logits, 1.0, np.append(np.linspace(0, 1, 500, endpoint=False), np.nextafter(np.float32(1), 0)))
    assert set(ids) == {0, 70} and np.isfinite(log_probs).all()


def test_greedy_takes_the_first_largest_at_temperature_one():
    ids, log_probs = row([0.0, 2.0, 2.0, 1.0], 0.0, [0.0, 0.99])
    assert ids.tolist() == [1, 1]
    np.testing.assert_allclose(log_probs, 2 - np.log(1 + 2 * np.e**2 + np.e), atol=1e-6)


def limited(logits, temperature, u, top_k=0, top_p=1.0, min_p=0.0, allowed=None):
    """Ids and log-probs [n, 2] of one row of logits, at each u."""
    tiled = jnp.tile(jnp.asarray(logits, jnp.float32), (len(u), 1))
    limits = jnp.tile(jnp.float32([[top_k], [top_p], [min_p]]), len(u))
    mask = None if allowed is None else jnp.tile(jnp.asarray(allowed), (len(u), 1))
    out = jax.jit(sample_limited)(tiled, jnp.full(len(u), temperature), jnp.asarray(u, jnp.float32), limits, mask)
    return tuple(np.asarray(x) for x in out)


GRID = (np.arange(500) + 0.5) / 500


@pytest.mark.parametrize("size", [65, 200])
@pytest.mark.parametrize(
    ("limits", "count"),
    [
        ({"top_k": 1}, 1),
        ({"top_k": 7}, 7),
        ({"top_k": 1000}, 64),
        ({"top_p": 1e-9}, 1),
        ({"top_p": 0.5}, None),
        ({"top_p": 0.999999}, None),
        ({"min_p": 0.1}, None),
        ({"top_k": 5, "top_p": 0.9}, None),  # a share of what top-k left
        ({"top_k": 20, "top_p": 0.7, "min_p": 0.2}, None),
    ],
)
def test_limits_keep_the_likeliest_and_renormalise(size, limits, count):
    logits = np.random.default_rng(size).normal(size=size) * 2
    allowed = np.arange(size) % (size // 64 + 1) == 0 if size > 65 else np.arange(size) > 0
    count = min(count, allowed.sum()) if count else count
    ids, log_probs = limited(logits, 0.8, GRID, allowed=allowed, **limits)
    p = np.where(allowed, np.exp(logits / 0.8), 0)
    order = np.argsort(-p)
    p[order[limits.get("top_k") or size :]] = 0
    p /= p.sum()
    p[order[np.cumsum(p[order]) - p[order] >= limits.get("top_p", 1.0)]] = 0
    p[p < limits.get("min_p", 0.0) * p.max()] = 0
    p /= p.sum()
    assert count is None or (p > 0).sum() == count
    np.testing.assert_allclose(np.bincount(ids, minlength=size) / 500, p, atol=1.5 / 500)
    np.testing.assert_allclose(log_probs[:, 0], np.log(p[ids]), atol=1e-5)
    np.testing.assert_allclose(log_probs[:, 1], (logits - np.log(np.exp(logits).sum()))[ids], atol=1e-5)


def test_equal_weights_stay_or_go_together():
    logits = [1.0, 3.0, 2.0, 2.0, 2.0, 0.0]
    assert set(limited(logits, 1.0, GRID, top_k=2)[0]) == {1, 2, 3, 4}
    assert set(limited(logits, 1.0, GRID, top_k=1)[0]) == {1}
    assert set(limited(logits, 1.0, GRID, top_p=0.6)[0]) == {1, 2, 3, 4}
    assert set(limited([0.0] * 7, 1.0, GRID, top_p=0.01, top_k=1, min_p=0.99)[0]) == set(range(7))


def test_rows_with_different_limits_do_not_see_each_other():
    rng = np.random.default_rng(0)
    n, logits = 6, jnp.asarray(rng.normal(size=(6, 300)) * 3, jnp.float32)
    limits = jnp.float32([[0, 3, 0, 40, 0, 0], [1, 1, 0.6, 0.9, 1, 1], [0, 0, 0, 0, 0.3, 0]])
    temperature, u = jnp.float32([1, 0.7, 1.5, 1, 1, 0]), jnp.asarray(rng.uniform(size=n), jnp.float32)
    together = jax.jit(sample_limited)(logits, temperature, u, limits)
    for i in range(n):  # the other rows as unlike as can be
        others = jnp.where(jnp.arange(n) == i, limits, jnp.float32([[0], [1], [0]]))
        mixed = jnp.where((jnp.arange(n) == i)[:, None], logits, -logits)
        alone = jax.jit(sample_limited)(mixed, temperature, u, others)
        assert all((np.asarray(a)[i] == np.asarray(b)[i]).all() for a, b in zip(together, alone))
    plain = jax.jit(sample)(logits, temperature, u)
    for i in (0, 5):  # no limits, and greedy
        assert plain[0][i] == together[0][i] and plain[1][i] == together[1][i, 0]


def test_streams_differ_by_position_and_by_every_part_of_the_key():
    keys = [stream_key(*k) for k in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1), (2**40, "a", 0), (-1, "a", 0))]
    grid = np.array([[uniforms(jnp.asarray([k]), jnp.asarray([p]))[0] for p in range(4)] for k in keys])
    assert len(np.unique(grid)) == grid.size and (grid >= 0).all() and (grid < 1).all()
    assert stream_key(7, "ep\ud800", 3).tolist() == stream_key(7, "ep\ud800", 3).tolist()  # any string will do


def test_streams_are_the_same_in_every_process():
    assert stream_key(7, "task-1/3", 2).tolist() == [3425489912, 2721553887]
    many = uniforms(jnp.asarray([stream_key(0, f"e{i}", 0) for i in range(4000)]), jnp.full(4000, 9))
    assert abs(float(many.mean()) - 0.5) < 0.02 and abs(float(many.std()) - 12**-0.5) < 0.01
