"""The families that only the suite "mobile" has, by domain."""

from __future__ import annotations

from qpa.bench.families.base import Family
from qpa.bench.families.mobile import system, system_access, system_desktop

MOBILE_FAMILIES: tuple[Family, ...] = (*system.FAMILIES, *system_access.FAMILIES, *system_desktop.FAMILIES)
