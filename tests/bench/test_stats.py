"""Intervals against published values and against their own definition."""

from __future__ import annotations

import numpy as np
import pytest

from qpa.bench.stats import non_inferior, paired_difference, wilson


@pytest.mark.parametrize(
    ("successes", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_equals_newcombe_1998_table_1(successes: int, total: int, low: float, high: float) -> None:
    got = wilson(successes, total)
    assert got == pytest.approx((low, high), abs=5e-5)


def test_wilson_limits_and_errors() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(7, 7)[1] == 1.0 and wilson(0, 7)[0] == 0.0
    with pytest.raises(ValueError, match="successes 3"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="confidence"):
        wilson(1, 2, confidence=1.0)


def test_binary_pairs_get_tangos_score_interval() -> None:
    # Newcombe (1998, Statist. Med. 17:2635), paired example 36/12/2/0.
    a, b = [1] * 36 + [1] * 12 + [0] * 2, [1] * 36 + [0] * 12 + [1] * 2
    assert paired_difference(a, b) == pytest.approx((0.2, 0.0611, 0.3447), abs=5e-5)
    mean, low, high = paired_difference(b, a)
    assert (mean, low, high) == pytest.approx((-0.2, -0.3447, -0.0611), abs=5e-5)


def test_equal_outcomes_still_have_a_width() -> None:
    mean, low, high = paired_difference([1] * 50, [1] * 50)
    assert mean == 0 and high == pytest.approx(-low) and 0.05 < high < 0.1
    # Without discordant pairs the score bound solves n d^2 = z^2 (1 - d) d, so d = z^2 / (n + z^2).
    assert high == pytest.approx(1.959964**2 / (50 + 1.959964**2), abs=1e-6)


def test_all_wins_reach_the_border() -> None:
    assert paired_difference([1] * 10, [0] * 10)[2] == 1.0
    assert paired_difference([0] * 10, [1] * 10)[1] == -1.0


def test_costs_are_bootstrapped_with_a_seed() -> None:
    rng = np.random.default_rng(3)
    a = rng.normal(10, 2, 400)
    b = a + rng.normal(1, 1, 400)
    mean, low, high = paired_difference(list(a), list(b))
    assert paired_difference(list(a), list(b)) == (mean, low, high)
    error = np.std(a - b) / np.sqrt(400)
    assert (low, high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error), abs=0.01)
    assert paired_difference([2.5, 2.5], [0.5, 0.5]) == (2.0, 2.0, 2.0)


def test_bad_pairs_are_refused() -> None:
    for a, b in (([1.0], [1.0, 2.0]), ([], []), ([float("nan")], [1.0])):
        with pytest.raises(ValueError, match="paired_difference"):
            paired_difference(a, b)


def test_non_inferiority_needs_the_whole_interval() -> None:
    same = [1] * 90 + [0] * 10
    assert non_inferior(same, same, margin=0.05)
    assert not non_inferior(same[:20], same[:20], margin=0.05)  # too few tasks to know
    worse = [1] * 80 + [0] * 20
    assert not non_inferior(worse, same, margin=0.05)
    assert non_inferior(same, worse, margin=0.05)
    with pytest.raises(ValueError, match="margin"):
        non_inferior(same, same, margin=0)
