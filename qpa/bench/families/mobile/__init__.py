"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import display_look, display_screen, sound_set

MOBILE_FAMILIES: tuple[Family, ...] = (*display_screen.FAMILIES, *display_look.FAMILIES, *sound_set.FAMILIES)
