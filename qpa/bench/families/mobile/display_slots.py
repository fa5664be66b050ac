"""Where the values of the display, sound and utility families come from."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from qpa.bench.families.mobile.wishes import Slot
from qpa.bench.families.values import Draw
from qpa.contract import Dimension
from qpa.envs.sandbox.schema import World

TOOL = Dimension.TOOL
DISPLAY = "Display & Sound"


def two(low: int, high: int, step: int = 5) -> Slot:
    """Two different numbers of low..high."""
    return lambda rng, world: rng.sample(range(low, high + 1, step), 2)


def clock(start: int, end: int) -> Slot:
    """A time of day."""
    return lambda rng, world: rng.time(start, end)


def span(start: int, end: int) -> Slot:
    """The two ends of a window that begins between the hours `start` and `end` and lasts one to four hours."""

    def drawn(rng: Draw, world: World) -> list[str]:
        first = datetime.fromisoformat(f"2025-01-15T{rng.time(start, end)}")
        return [f"{moment:%H:%M}" for moment in (first, first + timedelta(minutes=rng.randrange(60, 241, 30)))]

    return drawn


def missing_from(table: str, column: str, names: tuple[str, ...], count: int = 1) -> Slot:
    """Names that no row of the world's table has."""

    def drawn(rng: Draw, world: World) -> Any:
        taken = {row[column] for row in world.rows[table]}
        found = rng.sample([name for name in names if name not in taken], count)
        return found if count > 1 else found[0]

    return drawn
