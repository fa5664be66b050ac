"""How pools of values are written: words between bars."""

from __future__ import annotations


def pool_of(text: str) -> tuple[str, ...]:
    """Distinct values, in order."""
    return tuple(dict.fromkeys(text.split("|")))


def cross(form: str, first: str, second: str) -> tuple[str, ...]:
    """Every value of `first` with every value of `second` in a form of two places."""
    return tuple(form.format(a, b) for a in first.split("|") for b in second.split("|"))
