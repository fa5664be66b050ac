"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    media_ask,
    media_capture,
    media_capture_set,
    media_care,
    media_play,
    media_play_set,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *media_play_set.FAMILIES,
    *media_play.FAMILIES,
    *media_ask.FAMILIES,
    *media_capture_set.FAMILIES,
    *media_capture.FAMILIES,
    *media_care.FAMILIES,
)
