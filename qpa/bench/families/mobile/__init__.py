"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    input_new_tools,
    input_read,
    input_set,
    input_steps,
    input_trouble,
    input_turns,
    media_ask,
    media_capture,
    media_capture_set,
    media_care,
    media_play,
    media_play_set,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *input_set.FAMILIES,
    *input_read.FAMILIES,
    *input_steps.FAMILIES,
    *input_new_tools.FAMILIES,
    *input_turns.FAMILIES,
    *input_trouble.FAMILIES,
    *media_play_set.FAMILIES,
    *media_play.FAMILIES,
    *media_ask.FAMILIES,
    *media_capture_set.FAMILIES,
    *media_capture.FAMILIES,
    *media_care.FAMILIES,
)
