"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    display_ask,
    display_depends,
    display_limits,
    display_look,
    display_recovery,
    display_screen,
    display_turns,
    sound_set,
    utility_ask,
    utility_depends,
    utility_figures,
    utility_limits,
    utility_records,
    utility_recovery,
    utility_turns,
    utility_web,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *display_screen.FAMILIES,
    *display_look.FAMILIES,
    *sound_set.FAMILIES,
    *display_ask.FAMILIES,
    *display_depends.FAMILIES,
    *display_turns.FAMILIES,
    *display_recovery.FAMILIES,
    *display_limits.FAMILIES,
    *utility_figures.FAMILIES,
    *utility_web.FAMILIES,
    *utility_records.FAMILIES,
    *utility_ask.FAMILIES,
    *utility_depends.FAMILIES,
    *utility_turns.FAMILIES,
    *utility_recovery.FAMILIES,
    *utility_limits.FAMILIES,
)
