"""How the families of travel, shopping and customers let facts be said."""

from __future__ import annotations

import pytest

from qpa.bench.families.mobile.errands import amounts, clock_words, date_words, price


@pytest.mark.parametrize(
    ("cents", "forms"),
    [
        (1200, ["12.00", "12"]),
        (1250, ["12.50", "12.5"]),
        (1234567, ["12345.67", "12,345.67"]),
        (2350000, ["23500.00", "23,500.00", "23500", "23,500"]),
    ],
)
def test_amounts(cents: int, forms: list[str]) -> None:
    assert amounts(cents) == forms


def test_price() -> None:
    assert (price(1200), price(1250), price(1005)) == ("12", "12.50", "10.05")


@pytest.mark.parametrize(
    ("time", "said", "unsaid"),
    [
        ("14:06", ["14:06", "2:06", "2点06", "14点6分"], ["2 pm", "2点"]),
        ("00:30", ["0:30", "12:30", "0点半", "12点半"], ["12点"]),
        ("08:00", ["8:00", "8 am", "8点"], ["8点半"]),
    ],
)
def test_clock_words(time: str, said: list[str], unsaid: list[str]) -> None:
    words = clock_words(time)
    assert set(said) <= set(words)
    assert not set(unsaid) & set(words)


def test_date_words() -> None:
    assert {"2025-01-22", "January 22", "22nd", "1月22日", "22号", "Wednesday", "周三"} <= set(date_words("2025-01-22"))
    assert {"11th", "21st"} & set(date_words("2025-02-11")) == {"11th"}
