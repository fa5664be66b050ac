"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    assistant,
    assistant_plans,
    calls,
    calls_care,
    calls_plans,
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
    network,
    network_care,
    network_plans,
    time,
    time_plans,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *assistant.FAMILIES,
    *assistant_plans.FAMILIES,
    *calls.FAMILIES,
    *calls_care.FAMILIES,
    *calls_plans.FAMILIES,
    *input_new_tools.FAMILIES,
    *input_read.FAMILIES,
    *input_set.FAMILIES,
    *input_steps.FAMILIES,
    *input_trouble.FAMILIES,
    *input_turns.FAMILIES,
    *media_ask.FAMILIES,
    *media_capture.FAMILIES,
    *media_capture_set.FAMILIES,
    *media_care.FAMILIES,
    *media_play.FAMILIES,
    *media_play_set.FAMILIES,
    *network.FAMILIES,
    *network_care.FAMILIES,
    *network_plans.FAMILIES,
    *time.FAMILIES,
    *time_plans.FAMILIES,
)
