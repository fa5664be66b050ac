"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import (
    devices,
    devices_ask,
    devices_limits,
    devices_link,
    devices_screen,
    devices_steps,
    system,
    system_access,
    system_ask,
    system_desktop,
    system_limits,
    system_safety,
    system_steps,
    system_turns,
)

MOBILE_FAMILIES: tuple[Family, ...] = (
    *devices.FAMILIES,
    *devices_screen.FAMILIES,
    *devices_ask.FAMILIES,
    *devices_limits.FAMILIES,
    *devices_steps.FAMILIES,
    *devices_link.FAMILIES,
    *system.FAMILIES,
    *system_access.FAMILIES,
    *system_desktop.FAMILIES,
    *system_ask.FAMILIES,
    *system_safety.FAMILIES,
    *system_limits.FAMILIES,
    *system_steps.FAMILIES,
    *system_turns.FAMILIES,
)
