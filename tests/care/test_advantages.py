"""Eq. 5-9: golden vectors, regime boundaries, noise, validity, invariances, NumPy = JAX, jit = no jit."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qpa.care import Regime, anchor, execution_cost, group_advantages, regimes

PHI = {"lambda_prog": 0.5, "lambda_eff": 0.1, "p_low": 0.25, "p_high": 0.8}
E = np.arange(2, 10) / 10
ZERO = np.zeros(8)
GOLDEN = [  # success, progress, cost, calibrate, regime, advantages
    ([1] * 8, ZERO, E, True, Regime.EFFICIENCY, [0.0875, 0.0625, 0.0375, 0.0125, -0.0125, -0.0375, -0.0625, -0.0875]),
    ([1] * 8, ZERO, E, False, Regime.EFFICIENCY, [1.5275, 1.091, 0.6546, 0.2182, -0.2182, -0.6546, -1.091, -1.5275]),
    ([1] * 7 + [0], ZERO, E, True, Regime.EFFICIENCY, [0.4, 0.375, 0.35, 0.325, 0.3, 0.275, 0.25, -2.275]),
    ([1] * 4 + [0] * 4, ZERO, E, True, Regime.OUTCOME, [1, 1, 1, 1, -1, -1, -1, -1]),
    (
        [1] + [0] * 7,
        [1, 0.5, 0.5, 0.25, 0.25, 0, 0, 0],
        E,
        True,
        Regime.PROGRESS,
        [2.5885, -0.0664, -0.0664, -0.3319, -0.3319, -0.5973, -0.5973, -0.5973],
    ),
    (
        [0] * 8,
        [0.75, 0.5, 0.5, 0.25, 0.25, 0, 0, 0],
        E,
        True,
        Regime.PROGRESS,
        [1.7802, 0.8307, 0.8307, -0.1187, -0.1187, -1.0681, -1.0681, -1.0681],
    ),
]


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
@pytest.mark.parametrize("case", GOLDEN, ids=range(len(GOLDEN)))
def test_golden_vectors(case, xp):
    s, p, e, calibrate, regime, want = case
    got, r = group_advantages(xp.asarray(s), xp.asarray(p), xp.asarray(e), **PHI, calibrate=calibrate)
    assert int(r) == regime
    np.testing.assert_allclose(got, want, atol=6e-5)
    assert isinstance(got, jax.Array) == (xp is jnp)


def test_all_golden_groups_in_one_batch_under_jit_with_traced_phi():
    calibrated = [c for c in GOLDEN if c[3]]
    s, p, e = (jnp.asarray(np.stack([np.asarray(c[i], float) for c in calibrated])) for i in range(3))
    got, r = jax.jit(lambda s, p, e, phi: group_advantages(s, p, e, **phi))(s, p, e, PHI)
    np.testing.assert_allclose(got, np.stack([c[5] for c in calibrated]), atol=6e-5)
    assert r.tolist() == [c[4] for c in calibrated]


def test_population_deviation_identity_of_eq_7():
    s = np.array([1, 1, 1, 0, 1, 1, 1, 1.0])
    lam, rate = 0.1, s.mean()
    reward = s - lam * E
    identity = rate * (1 - rate) + lam**2 * E.var() - 2 * lam * np.cov(s, E, ddof=0)[0, 1]
    assert abs(reward.var() - identity) < 1e-15
    a, _ = group_advantages(s, ZERO, E, **PHI, calibrate=False, eps=0.0)
    np.testing.assert_allclose(a, (reward - reward.mean()) / np.sqrt(identity), atol=1e-12)


def test_lambda_eff_cancels_without_the_anchor_and_scales_with_it():
    ones = np.ones(8)
    for calibrate, ratio in ((False, 1.0), (True, 3.0)):
        small, _ = group_advantages(ones, ZERO, E, **PHI, calibrate=calibrate)
        large, _ = group_advantages(ones, ZERO, E, **(PHI | {"lambda_eff": 0.3}), calibrate=calibrate)
        np.testing.assert_allclose(large, ratio * small, rtol=1e-3)


@pytest.mark.parametrize(
    ("p", "value"),
    [(0.5, 0.5), (0.6, 0.49), (0.7, 0.458), (0.75, 0.433), (0.8, 0.4), (0.85, 0.357), (0.9, 0.3), (0.95, 0.218)],
)
def test_anchor_values(p, value):
    assert round(anchor(p), 3) == value


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
@pytest.mark.parametrize(
    ("k", "g", "regime"),
    [(0, 8, 0), (1, 8, 0), (2, 8, 1), (6, 8, 1), (7, 8, 2), (8, 8, 2), (4, 5, 2), (3, 5, 1), (1, 4, 1), (8, 10, 2)],
)
def test_regime_boundaries(k, g, regime, xp):
    s = xp.asarray([1.0] * k + [0.0] * (g - k))
    for p_high in (0.8, 0.7 + 0.1, 1 - 0.2):  # 0.8, 0.7999999999999999, 0.8
        _, r = group_advantages(s, s, s, **(PHI | {"p_high": p_high}))
        assert int(r) == regime
    _, r = jax.jit(functools.partial(group_advantages, **PHI))(s, s, s)
    assert int(r) == regime


@pytest.mark.parametrize("g", range(1, 65))
def test_a_rate_equal_to_a_threshold_is_in_the_upper_regime_jitted_or_not(g):
    k = np.arange(1, g)  # every threshold k/g, rounded in float32 and float64
    jitted = jax.jit(lambda k, p: regimes(k, g, p, 0.999))
    assert all(regimes(i, g, i / g, 0.999) == Regime.OUTCOME for i in k)
    assert all(jitted(i, np.float32(i / g)) == Regime.OUTCOME for i in k[::5])
    assert all(regimes(i, g, 0.0, i / g) == Regime.EFFICIENCY for i in k)
    assert all(regimes(i - 1, g, 0.0, i / g) == Regime.OUTCOME for i in k)


def test_p_low_zero_disables_progress_and_a_phi_out_of_order_is_refused():
    assert int(group_advantages(ZERO, E, E, **(PHI | {"p_low": 0.0}))[1]) == Regime.OUTCOME
    for bad in ({"p_low": 0.8}, {"p_low": -0.1}, {"p_high": 1.0}, {"lambda_eff": -1.0}, {"lambda_prog": float("nan")}):
        with pytest.raises(ValueError, match="CARE needs"):
            group_advantages(ZERO, E, E, **(PHI | bad))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_float_noise_is_exactly_zero(dtype):
    for xp in (np, jnp):
        same = xp.asarray(np.full(8, 0.95, dtype))
        one = dtype(0.95)
        noisy = xp.asarray(np.array([np.nextafter(one, dtype(1))] + [one] * 7, dtype))
        for s, p, e in ((ZERO, noisy, noisy), (np.ones(8), ZERO, noisy), (np.ones(8), ZERO, same)):
            a, _ = group_advantages(xp.asarray(s), xp.asarray(p), e, **PHI, calibrate=False)
            assert np.array_equal(a, np.zeros(8))
    a, _ = group_advantages(np.ones(8), ZERO, ZERO, **PHI)  # all costs 0: no division by a group maximum
    assert np.array_equal(a, np.zeros(8))


def test_tiny_differences_stay_tiny_under_the_anchor_only():
    e = np.array([0, 1, 2, 3]) * 1e-3
    phi = PHI | {"lambda_eff": 1.0}
    a, _ = group_advantages(np.ones(4), np.zeros(4), e, **phi)
    np.testing.assert_allclose(a, [0.00375, 0.00125, -0.00125, -0.00375], atol=1e-5)
    a, _ = group_advantages(np.ones(4), np.zeros(4), e, **phi, calibrate=False)
    np.testing.assert_allclose(a, [1.340, 0.447, -0.447, -1.340], atol=2e-3)


def test_float32_variance_is_two_pass():
    p = jnp.asarray([0.0] + [0.95] * 7, jnp.float32)
    a, _ = group_advantages(jnp.zeros(8), p, jnp.zeros(8), **(PHI | {"lambda_prog": 1.0}))
    np.testing.assert_allclose(a, [-(7**0.5)] + [7**-0.5] * 7, rtol=1e-4)


def test_an_advantage_ranks_success_above_failure():
    s = np.array([1, 1, 1, 1, 1, 1, 1, 0.0])
    e = np.array([1, 1, 1, 1, 1, 1, 1, 0.0])  # the failure is as cheap as can be
    a, r = group_advantages(s, ZERO, e, **(PHI | {"lambda_eff": 0.3}))
    assert r == Regime.EFFICIENCY and a[:7].min() > a[7]


def test_group_of_one_and_empty_group():
    a, _ = group_advantages([[1.0], [0.0]], [[1.0], [0.5]], [[0.5], [0.5]], **PHI)
    assert np.array_equal(a, np.zeros((2, 1)))
    a, r = group_advantages(np.ones(4), np.ones(4), np.ones(4), **PHI, valid=np.zeros(4, bool))
    assert np.array_equal(a, np.zeros(4)) and r == Regime.OUTCOME


@pytest.mark.parametrize("xp", [np, jnp], ids=["numpy", "jax"])
def test_invalid_members_change_nothing_for_the_others(xp):
    s, p, e = np.array([1, 1, 0, 1.0]), np.array([1, 1, 0.5, 1.0]), np.array([0.1, 0.4, 0.9, 0.2])
    want, regime = group_advantages(s, p, e, **PHI)
    s2, p2, e2 = (np.append(x, junk) for x, junk in ((s, 0.0), (p, np.nan), (e, 1e9)))
    got, r = group_advantages(xp.asarray(s2), xp.asarray(p2), xp.asarray(e2), **PHI, valid=xp.asarray([1, 1, 1, 1, 0]))
    assert int(r) == regime  # 3 of 4, not 3 of 5
    np.testing.assert_allclose(got, np.append(want, 0.0), atol=1e-6)
    got, _ = group_advantages(xp.asarray(s2), xp.asarray(p2), xp.asarray(e2), **PHI)  # NaN alone drops it too
    np.testing.assert_allclose(got, np.append(want, 0.0), atol=1e-6)


def test_progress_anchor_is_optional():
    p = np.array([0.05] + [0.0] * 7)
    for lam in (0.1, 0.5):
        a, _ = group_advantages(ZERO, p, E, **(PHI | {"lambda_prog": lam}))
        assert abs(a[0] - 2.645) < 2e-3  # a dead knob, as published
    a, _ = group_advantages(ZERO, p, E, **PHI, anchor_progress=True)
    assert abs(a[0] - 0.0505) < 1e-4


def test_shapes_are_checked():
    with pytest.raises(ValueError, match="must share a shape"):
        group_advantages(np.ones(4), np.ones(4), np.ones(3), **PHI)
    with pytest.raises(ValueError, match="valid must have"):
        group_advantages(np.ones(4), np.ones(4), np.ones(4), **PHI, valid=np.ones(3))


unit = st.floats(0, 1, width=32)
groups = st.integers(1, 12).flatmap(
    lambda g: st.tuples(*(st.lists(x, min_size=g, max_size=g) for x in (st.sampled_from([0.0, 1.0]), unit, unit)))
)


@settings(max_examples=150, deadline=None)
@given(groups, st.randoms(use_true_random=False), st.booleans())
def test_properties(group, rnd, calibrate):
    s, p, e = (np.array(x) for x in group)
    a, r = group_advantages(s, p, e, **PHI, calibrate=calibrate)
    assert np.isfinite(a).all() and abs(a.sum()) < 1e-6 * len(s) * max(1, np.abs(a).max())
    order = list(range(len(s)))
    rnd.shuffle(order)
    b, r2 = group_advantages(s[order], p[order], e[order], **PHI, calibrate=calibrate)
    assert r == r2
    np.testing.assert_allclose(b, a[order], atol=1e-7)  # permutation equivariance
    c, _ = group_advantages(s, p + 0.5, e + 0.5, **PHI, calibrate=calibrate)
    if a.any() and c.any():  # a difference at the noise threshold may round to the other side
        np.testing.assert_allclose(c, a, atol=1e-6)  # shift invariance


def test_numpy_is_jax():
    rng = np.random.default_rng(3)
    s = (rng.random((200, 8)) < rng.random((200, 1))).astype(float)
    p, e = rng.integers(0, 9, (200, 8)) / 8, rng.integers(0, 65, (200, 8)) / 64
    for calibrate in (True, False):
        a, r = group_advantages(s, p, e, **PHI, calibrate=calibrate)
        j, q = group_advantages(jnp.asarray(s), jnp.asarray(p), jnp.asarray(e), **PHI, calibrate=calibrate)
        assert r.tolist() == q.tolist() and set(r.tolist()) == {0, 1, 2}
        np.testing.assert_allclose(j, a, atol=1e-3)  # eps against a deviation near 1e-3 in float32


def test_jit_is_no_jit():
    rng = np.random.default_rng(0)
    s = jnp.asarray(rng.integers(0, 2, (32, 8)), jnp.float32)
    p, e = (jnp.asarray(rng.random((32, 8)), jnp.float32) for _ in range(2))
    f = functools.partial(group_advantages, **PHI)
    (a, r), (b, q) = f(s, p, e), jax.jit(f)(s, p, e)
    np.testing.assert_allclose(a, b, atol=1e-5)
    assert r.tolist() == q.tolist()


def test_execution_cost():
    assert execution_cost(48, 3, 96, 6) == 0.5
    np.testing.assert_allclose(execution_cost(np.array([0, 96, 500]), np.array([0, 0, 99]), 96, 6), [0, 0.5, 1])
    assert isinstance(execution_cost(jnp.asarray([1.0]), jnp.asarray([1]), 96, 6), jax.Array)
    for bad in ((0, 6), (96, 0), (float("nan"), 6)):
        with pytest.raises(ValueError, match="budget must be finite and > 0"):
            execution_cost(1, 1, *bad)
