"""Eq. 10: values, gradients through the mask, packed = padded, sums over microbatches, every normalisation."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from qpa.care import policy_loss, policy_loss_sums
from qpa.care.masked import MaskedSum, masked_sum, merge

CLIP = {"eps_low": 0.2, "eps_high": 0.28}


def reference(new, old, adv, mask):
    """Eq. 10, token by token."""
    total, rows = 0.0, 0
    for i in range(len(mask)):
        t_i = sum(mask[i])
        if t_i == 0:
            continue
        rows += 1
        for t in range(len(mask[i])):
            if mask[i][t]:
                rho = np.exp(new[i][t] - old[i][t])
                total += min(rho * adv[i], np.clip(rho, 0.8, 1.28) * adv[i]) / t_i
    return -total / rows


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    old = -rng.random((4, 7)).astype(np.float32)
    new = old + rng.normal(0, 0.4, (4, 7)).astype(np.float32)
    mask = np.array([[0, 1, 1, 1, 0, 1, 1], [0, 0, 1, 0, 0, 0, 0], [0] * 7, [1] * 7])
    return new, old, np.array([1.0, -2.0, 5.0, 0.3], np.float32), mask


def test_equals_the_formula_and_rows_without_tokens_do_not_count(batch):
    loss, _ = policy_loss(*batch, **CLIP)
    assert abs(float(loss) - reference(*batch)) < 1e-6


def test_golden_single_tokens():
    def one(rho, a):
        return -float(policy_loss([[np.log(rho)]], [[0.0]], jnp.asarray([a]), [[1]], **CLIP)[0])

    for rho, a, want in [(2, 1, 1.28), (2, -1, -2), (0.5, 1, 0.5), (0.5, -1, -0.8), (1.1, 2, 2.2), (1, -3, -3)]:
        assert abs(one(rho, a) - want) < 1e-5


def test_on_policy_gradient_is_minus_advantage_over_length(batch):
    _, old, adv, mask = batch
    grad = jax.grad(lambda x: policy_loss(x, old, adv, mask, **CLIP)[0])(jnp.asarray(old))
    t_i = mask.sum(1, keepdims=True)
    np.testing.assert_allclose(grad, -adv[:, None] * mask / np.maximum(t_i, 1) / 3, atol=1e-6)


def test_masked_positions_count_nowhere_even_as_nan(batch):
    new, old, adv, mask = batch
    want, metrics = policy_loss(*batch, **CLIP)
    bad_new, bad_old = (np.where(mask, x, junk) for x, junk in ((new, np.nan), (old, -np.inf)))
    value, grad = jax.value_and_grad(lambda x: policy_loss(x, bad_old, adv, mask, **CLIP)[0])(jnp.asarray(bad_new))
    assert value == want and np.isfinite(grad).all() and not np.asarray(grad)[mask == 0].any()
    for name, m in policy_loss(bad_new, bad_old, adv, mask, **CLIP)[1].items():
        assert m == metrics[name], name


def test_observation_tokens_do_not_enter_the_length():
    new = np.full((1, 5), np.log(1.1), np.float32)  # 2 generated + 3 tool tokens
    loss, metrics = policy_loss(new, np.zeros((1, 5)), np.ones(1), [[1, 1, 0, 0, 0]], **CLIP)
    assert abs(float(loss) + 1.1) < 1e-6
    assert abs(float(metrics["approx_kl"]) - (0.1 - np.log(1.1))) < 1e-6


@pytest.mark.parametrize("normalise", ["trajectory", "token", "constant"])
def test_packed_rows_equal_padded_rows(batch, normalise):
    new, old, adv, mask = batch
    extra = {"constant": 5.0} if normalise == "constant" else {}
    want, metrics = policy_loss(*batch, **CLIP, normalise=normalise, **extra)
    order = [(i, t) for i in range(4) for t in range(7) if mask[i, t] or t % 2]  # some unmasked tokens go along

    def pack(values):
        flat = [values[i][t] for i, t in order]
        return np.array(flat + [0] * (2 * 12 - len(flat))).reshape(2, 12)

    t_i = np.maximum(mask.sum(1, keepdims=True), 1) * np.ones((1, 7))
    args = (pack(new), pack(old), pack(adv[:, None] * np.ones((1, 7))), pack(mask))
    got, packed_metrics = policy_loss(*args, **CLIP, normalise=normalise, weights=pack(1 / t_i), **extra)
    np.testing.assert_allclose(got, want, rtol=1e-5)
    for name, m in packed_metrics.items():
        np.testing.assert_allclose(m, metrics[name], rtol=1e-5)


@pytest.mark.parametrize("normalise", ["trajectory", "token", "constant"])
def test_microbatch_sums_equal_the_whole(batch, normalise):
    extra = {"normalise": normalise} | ({"constant": 5.0} if normalise == "constant" else {})
    want, metrics = policy_loss(*batch, **CLIP, **extra)
    parts = [policy_loss_sums(*(x[i:j] for x in batch), **CLIP, **extra) for i, j in ((0, 1), (1, 4))]
    np.testing.assert_allclose(merge(*(p[0]["loss"] for p in parts)).mean(), want, rtol=1e-6)
    np.testing.assert_allclose(merge(*(p[0]["clip_high"] for p in parts)).mean(), metrics["clip_high"], rtol=1e-6)
    means = np.mean([p[0]["loss"].mean() for p in parts])
    assert abs(means - want) > 1e-3  # the mean of means is another number, which is why sums are returned


def test_normalisations_are_golden():
    mask = np.array([[1, 0, 0, 0], [1, 1, 1, 1]])
    zeros, adv = np.zeros((2, 4)), np.array([1.0, -1.0])
    for mode, constant, want in (("trajectory", None, 0.0), ("token", None, 3 / 5), ("constant", 2.0, 3 / 4)):
        got, _ = policy_loss(zeros, zeros, adv, mask, **CLIP, normalise=mode, constant=constant)
        assert abs(float(got) - want) < 1e-6


def test_metrics_count_only_active_clips():
    new = np.log(np.array([[2.0, 2.0, 0.5, 0.5, 1.0]]))
    adv = np.array([[1.0, -1.0, 1.0, -1.0, 1.0]])
    _, m = policy_loss(new, np.zeros((1, 5)), adv, np.ones((1, 5)), **CLIP)
    assert (round(float(m["clip_high"]), 3), round(float(m["clip_low"]), 3)) == (0.2, 0.2)
    assert abs(float(m["ratio_max"]) - 2) < 1e-6


def test_extreme_ratios_stay_finite():
    loss, grad = jax.value_and_grad(lambda x: policy_loss(x, jnp.full((1, 2), -1e4), -np.ones(1), [[1, 1]], **CLIP)[0])(
        jnp.zeros((1, 2))
    )
    assert np.isfinite(loss) and np.isfinite(grad).all()


def test_nothing_to_train_on_is_zero():
    loss, m = policy_loss(np.zeros((2, 3)), np.zeros((2, 3)), np.ones(2), np.zeros((2, 3)), **CLIP)
    assert loss == 0 and all(v == 0 for v in m.values())


def test_jit_is_no_jit(batch):
    loss, metrics = policy_loss(*batch, **CLIP)
    jitted, jitted_metrics = jax.jit(lambda *a: policy_loss(*a, **CLIP))(*batch)
    np.testing.assert_allclose(jitted, loss, rtol=1e-6)
    for name in metrics:
        np.testing.assert_allclose(jitted_metrics[name], metrics[name], rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"normalise": "mean"}, "normalise is 'mean'"),
        ({"normalise": "constant"}, "give `constant`"),
        ({"constant": 3.0}, "give `constant`"),
        ({"normalise": "constant", "constant": 0.0}, "constant must be > 0"),
        ({"eps_low": -0.1}, "eps_low"),
    ],
)
def test_wrong_options_are_refused(batch, change, match):
    with pytest.raises(ValueError, match=match):
        policy_loss(*batch, **(CLIP | change))


def test_wrong_shapes_are_refused(batch):
    new, old, adv, mask = batch
    with pytest.raises(ValueError, match="must share a shape"):
        policy_loss(new[:, 1:], old, adv, mask, **CLIP)


def test_masked_sum_ignores_what_has_no_weight():
    s = masked_sum(jnp.asarray([1.0, jnp.nan, 3.0]), [0.5, 0.0, 2.0])
    assert (float(s.total), float(s.count)) == (6.5, 2.5)
    assert float(MaskedSum(jnp.float32(0), jnp.float32(0)).mean()) == 0
