"""Sampling, without an engine: the distribution, its log-probabilities, and the streams."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qpa.models.sampling import sample, stream_key, uniforms


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


def test_streams_differ_by_position_and_by_every_part_of_the_key():
    keys = [stream_key(*k) for k in ((0, "a", 0), (1, "a", 0), (0, "b", 0), (0, "a", 1), (2**40, "a", 0), (-1, "a", 0))]
    grid = np.array([[uniforms(jnp.asarray([k]), jnp.asarray([p]))[0] for p in range(4)] for k in keys])
    assert len(np.unique(grid)) == grid.size and (grid >= 0).all() and (grid < 1).all()
    assert stream_key(7, "ep\ud800", 3).tolist() == stream_key(7, "ep\ud800", 3).tolist()  # any string will do


def test_streams_are_the_same_in_every_process():
    assert stream_key(7, "task-1/3", 2).tolist() == [3425489912, 2721553887]
    many = uniforms(jnp.asarray([stream_key(0, f"e{i}", 0) for i in range(4000)]), jnp.full(4000, 9))
    assert abs(float(many.mean()) - 0.5) < 0.02 and abs(float(many.std()) - 12**-0.5) < 0.01
