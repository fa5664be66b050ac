"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    assistant,
    assistant_plans,
    calls,
    calls_care,
    calls_plans,
    network,
    network_care,
    network_plans,
    time,
    time_plans,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *time.FAMILIES,
    *time_plans.FAMILIES,
    *calls.FAMILIES,
    *calls_plans.FAMILIES,
    *calls_care.FAMILIES,
    *network.FAMILIES,
    *network_plans.FAMILIES,
    *network_care.FAMILIES,
    *assistant.FAMILIES,
    *assistant_plans.FAMILIES,
)
